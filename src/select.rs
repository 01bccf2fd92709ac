//! The choice of scenarios for a check.

use crate::failure::Failure;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use warpproof::simt::check::Scenario;
use warpproof::simt::scenarios::{Checked, STRUCTURES, Table, structure};

/// The structures that have scenarios, by their names.
pub(crate) fn structures() -> impl TypedValueParser<Value = &'static Checked> {
    let names = STRUCTURES.iter().map(|checked| PossibleValue::new(checked.name).help(checked.what));
    PossibleValuesParser::new(names).try_map(|name| structure(&name).ok_or("there is no such structure"))
}

/// The options that choose scenarios.
#[derive(clap::Args)]
pub(crate) struct Which {
    /// Only scenarios with this name, or else those whose names contain it
    #[arg(long, value_name = "NAME")]
    pub(crate) scenario: Option<String>,
    /// Also the deep set: more warps and longer programs (for the slab hash a second more, hours with
    /// --engine loom; for the hopscotch table many minutes; for open addressing a few seconds, where keys
    /// move more than ten minutes)
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
    /// The number of calls of each, if they are all programs of that many calls.
    pub(crate) depth: Option<u32>,
    pub(crate) scenarios: Vec<Scenario>,
}

/// The scenarios that were asked for.
pub(crate) fn batches(structure: &Checked, samples: bool, which: &Which) -> Result<Vec<Batch>, Failure> {
    if let Some(depth) = which.depth {
        let table = table(structure, &which.table)?;
        let mut all = Vec::new();
        for depth in 1..=depth {
            let mut family = table.family(depth as usize, which.keys as usize);
            family.retain(|scenario| scenario.programs.len() <= which.warps as usize);
            all.extend(family.into_iter().map(|scenario| (depth, scenario)));
        }
        return Ok(by_depth(&named(&which.scenario, all, |(_, s)| s)?));
    }
    let wide = if samples { (structure.wide)() } else { Vec::new() };
    let scenarios = match &which.scenario {
        Some(_) => named(&which.scenario, [wide, structure.all()].concat(), |s| s)?,
        None if which.deep => [wide, structure.all()].concat(),
        None if !wide.is_empty() => wide,
        None => (structure.default_set)(),
    };
    Ok(vec![Batch { depth: None, scenarios }])
}

/// The table of this name.
fn table(structure: &Checked, name: &str) -> Result<&'static Table, Failure> {
    if structure.tables.is_empty() {
        return Err(Failure::input("--depth is for structures with tables, and this one has none"));
    }
    structure.tables.iter().find(|table| table.short() == name).ok_or_else(|| {
        let names: Vec<_> = structure.tables.iter().map(Table::short).collect();
        Failure::input(format_args!("there is no table {name:?}: the tables are {}", names.join(", ")))
    })
}

fn by_depth(scenarios: &[(u32, Scenario)]) -> Vec<Batch> {
    let batch = |group: &[(u32, Scenario)]| Batch {
        depth: group.first().map(|(depth, _)| *depth),
        scenarios: group.iter().map(|(_, scenario)| scenario.clone()).collect(),
    };
    scenarios.chunk_by(|a, b| a.0 == b.0).map(batch).collect()
}

/// The items of this name, or else those whose names contain it; all if there is no name.
fn named<T>(name: &Option<String>, items: Vec<T>, of: impl Fn(&T) -> &Scenario) -> Result<Vec<T>, Failure> {
    let Some(name) = name else { return Ok(items) };
    let example = items.first().map_or(String::new(), |item| of(item).name.clone());
    let exact = items.iter().any(|item| of(item).name == *name);
    let matches =
        |item: &T| if exact { of(item).name == *name } else { of(item).name.contains(name.as_str()) };
    let chosen: Vec<_> = items.into_iter().filter(matches).collect();
    if chosen.is_empty() {
        return Err(Failure::input(format_args!(
            "no scenario has {name:?} in its name; an example of a name is {example:?}"
        )));
    }
    Ok(chosen)
}
