//! Which scenarios a check explores.

use crate::Structure;
use crate::failure::Failure;
use clap::ValueEnum;
use warpproof::simt::check::Scenario;
use warpproof::simt::scenarios::{bulk, cuckoo, dynamic, hopscotch, open, retrieve, slab};

/// What has scenarios.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Checked {
    /// The slab hash: a dynamic chained table (Ashkiani, Farach-Colton, Owens, IPDPS 2018)
    Slab,
    /// The lock-flag hopscotch table (Zhang, Sun): one pair per key, a fixed size
    Hopscotch,
    /// Open addressing with a filter: one pair per key, a fixed size
    Open,
    /// Open addressing with two buckets to a key, where keys move to make room
    Cuckoo,
    /// Open addressing that grows by submaps while it is used
    Dynamic,
    /// Copying all entries of a table to an output, in five variants
    Retrieve,
}

impl Checked {
    /// Its name on the command line.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Slab => Structure::Slab.name(),
            Self::Hopscotch => Structure::Hopscotch.name(),
            Self::Open => Structure::Open.name(),
            Self::Cuckoo => Structure::Cuckoo.name(),
            Self::Dynamic => Structure::Dynamic.name(),
            Self::Retrieve => "retrieve",
        }
    }
}

/// The options that choose scenarios.
#[derive(clap::Args)]
pub(crate) struct Which {
    /// Only scenarios with this name, or else those whose names contain it
    #[arg(long, value_name = "NAME")]
    pub(crate) scenario: Option<String>,
    /// The deep set as well: more warps and longer programs (of the slab hash a second more, hours with --engine loom; of the
    /// hopscotch table many minutes; of open addressing a few seconds, where keys move more than ten minutes)
    #[arg(long)]
    pub(crate) deep: bool,
    /// Instead of the sets: all programs of up to N calls in total, up to symmetry, on one table
    #[arg(long, value_name = "N", conflicts_with = "deep", value_parser = clap::value_parser!(u32).range(1..=6))]
    pub(crate) depth: Option<u32>,
    /// With --depth: how many different keys the calls of one scenario name
    #[arg(long, value_name = "K", requires = "depth", default_value_t = 1,
          value_parser = clap::value_parser!(u32).range(1..=2))]
    pub(crate) keys: u32,
    /// With --depth: the most warps of one scenario
    #[arg(long, value_name = "W", requires = "depth", default_value_t = 4,
          value_parser = clap::value_parser!(u32).range(1..=4))]
    pub(crate) warps: u32,
    /// With --depth: the table
    #[arg(long, value_name = "TABLE", requires = "depth", default_value = "map32")]
    pub(crate) table: String,
    /// Seconds after which a scenario is given up and shown as capped
    #[arg(long, value_name = "SECONDS")]
    pub(crate) limit: Option<u64>,
}

/// Scenarios that are explored together.
pub(crate) struct Batch {
    /// The calls of each, where they are all programs of that many.
    pub(crate) depth: Option<u32>,
    pub(crate) scenarios: Vec<Scenario>,
}

/// The scenarios that are asked for.
pub(crate) fn batches(structure: Checked, samples: bool, which: &Which) -> Result<Vec<Batch>, Failure> {
    if let Some(depth) = which.depth {
        let mut all = Vec::new();
        for depth in 1..=depth {
            let mut family = family(structure, which, depth)?;
            family.retain(|scenario| scenario.programs.len() <= which.warps as usize);
            all.extend(family.into_iter().map(|scenario| (depth, scenario)));
        }
        return Ok(by_depth(&named(&which.scenario, all, |(_, s)| s)?));
    }
    let all = match structure {
        Checked::Slab => slab::all,
        Checked::Hopscotch => hopscotch::all,
        Checked::Open => || [open::all(), bulk::all()].concat(),
        Checked::Cuckoo => cuckoo::all,
        Checked::Dynamic => dynamic::all,
        Checked::Retrieve => retrieve::all,
    };
    // Those of real widths, for an engine that samples.
    let wide = match structure {
        _ if !samples => Vec::new(),
        Checked::Slab => slab::wide(),
        Checked::Hopscotch => hopscotch::wide(),
        Checked::Open => open::wide(),
        // Of their own: those of open addressing are of the library's buckets.
        Checked::Cuckoo | Checked::Dynamic | Checked::Retrieve => Vec::new(),
    };
    let scenarios = match &which.scenario {
        Some(_) => named(&which.scenario, wide.into_iter().chain(all()).collect(), |s| s)?,
        None if which.deep => wide.into_iter().chain(all()).collect(),
        None if !wide.is_empty() => wide,
        None => match structure {
            Checked::Slab => slab::default_set(),
            Checked::Hopscotch => hopscotch::default_set(),
            Checked::Open => [open::default_set(), bulk::default_set()].concat(),
            Checked::Cuckoo => cuckoo::default_set(),
            Checked::Dynamic => dynamic::default_set(),
            Checked::Retrieve => retrieve::default_set(),
        },
    };
    Ok(vec![Batch { depth: None, scenarios }])
}

/// All programs of so many calls on the table that is asked for.
fn family(structure: Checked, which: &Which, depth: u32) -> Result<Vec<Scenario>, Failure> {
    let (calls, keys) = (depth as usize, which.keys as usize);
    match structure {
        Checked::Slab => {
            let tables = slab::Structure::ALL.map(|table| (table.name(), table));
            Ok(slab::family(known(&which.table, &tables)?, calls, keys))
        }
        Checked::Hopscotch => {
            let tables = hopscotch::Structure::ALL.map(|table| (table.table(), table));
            Ok(hopscotch::family(known(&which.table, &tables)?, calls, keys))
        }
        Checked::Open => {
            let tables = open::Structure::ALL.map(|table| (table.table(), table));
            Ok(open::family(known(&which.table, &tables)?, calls, keys))
        }
        Checked::Cuckoo => {
            let tables = cuckoo::Structure::ALL.map(|table| (table.table(), table));
            Ok(cuckoo::family(known(&which.table, &tables)?, calls, keys))
        }
        Checked::Dynamic => {
            let tables = dynamic::Structure::ONE_WORD.map(|table| (table.table(), table));
            Ok(dynamic::family(known(&which.table, &tables)?, calls, keys))
        }
        Checked::Retrieve => {
            Err(Failure::input("--depth is for tables: a warp has one share of a retrieval"))
        }
    }
}

fn by_depth(scenarios: &[(u32, Scenario)]) -> Vec<Batch> {
    let batch = |group: &[(u32, Scenario)]| Batch {
        depth: group.first().map(|(depth, _)| *depth),
        scenarios: group.iter().map(|(_, scenario)| scenario.clone()).collect(),
    };
    scenarios.chunk_by(|a, b| a.0 == b.0).map(batch).collect()
}

/// Those of this name, or else those whose names contain it; all if there is no name.
fn named<T>(name: &Option<String>, items: Vec<T>, of: impl Fn(&T) -> &Scenario) -> Result<Vec<T>, Failure> {
    let Some(name) = name else { return Ok(items) };
    let example = items.first().map_or(String::new(), |item| of(item).name.clone());
    let exact = items.iter().any(|item| of(item).name == *name);
    let matches =
        |item: &T| if exact { of(item).name == *name } else { of(item).name.contains(name.as_str()) };
    let chosen: Vec<_> = items.into_iter().filter(matches).collect();
    if chosen.is_empty() {
        return Err(Failure::input(format_args!("no scenario is named like {name:?}; one is {example:?}")));
    }
    Ok(chosen)
}

/// The table of this name.
fn known<T: Copy>(name: &str, tables: &[(&str, T)]) -> Result<T, Failure> {
    tables.iter().find(|(known, _)| *known == name).map(|(_, table)| *table).ok_or_else(|| {
        let names: Vec<_> = tables.iter().map(|(name, _)| *name).collect();
        Failure::input(format_args!("there is no table {name:?}: the tables are {}", names.join(", ")))
    })
}
