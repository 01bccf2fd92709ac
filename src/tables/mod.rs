//! What a structure offers to the commands that run it. `run` and `bench` are written against [`Tables`].

pub(crate) mod dynamic;
pub(crate) mod hopscotch;
pub(crate) mod open;
pub(crate) mod slab;

pub(crate) use dynamic::Dynamic;
pub(crate) use hopscotch::Hopscotch;
pub(crate) use open::{Cuckoo, Open};
pub(crate) use slab::Slab;

use crate::Structure;
use crate::backend::Backend;
use crate::bench::entry::Entry;
use crate::bench::memory::Memory;
use crate::failure::Failure;
use crate::run::phase::Phase;
use warpproof::files::Trace;
use warpproof::{BulkMap, Op};

/// A structure whose tables run on every backend.
pub(crate) trait Tables {
    /// On the command line.
    const STRUCTURE: Structure;
    /// The loads that its tables may have.
    const LOADS: Loads;
    /// What is measured.
    const POINTS: Points;
    /// Whether an insert may find no room in a table that was made for its pairs. It stores nothing then.
    const MAY_BE_FULL: bool;

    /// A map of u32 pairs.
    type Map32<B: Backend>: BulkMap<u32, u32>;

    /// An empty map with `load` of `expected` pairs per slot, into which `total` pairs are inserted in its life.
    fn map32<B: Backend>(b: &B, expected: u64, total: u64, load: f64) -> Result<Self::Map32<B>, Failure>;

    /// Reclaims what deletes have left, if that is a phase of its own: adds its time, and says how many slots were
    /// looked at.
    fn flush<B: Backend>(map: &mut Self::Map32<B>, seconds: &mut f64) -> Result<Option<u64>, Failure>;

    /// Refuses operations that a table has not, in words.
    fn admit(trace: &Trace) -> Result<(), String>;

    /// Runs a trace.
    fn replay<B: Backend>(b: &B, trace: &Trace, load: f64) -> Result<Phase, Failure>;

    /// Refuses entries that a table cannot hold.
    fn holds(entry: Entry) -> Result<(), Failure>;

    /// Measures build, searches and delete by bulk calls on a new table, for so many pairs at a load.
    fn measure<B: Backend>(b: &B, entry: Entry, at: (u32, f64)) -> Result<(Vec<Phase>, Memory), Failure>;
}

/// Runs an expression with the [`Tables`] of a [`Structure`].
macro_rules! with_tables {
    ($structure:expr, $tables:ident => $body:expr) => {
        match $structure {
            $crate::Structure::Slab => {
                type $tables = $crate::tables::Slab;
                $body
            }
            $crate::Structure::Hopscotch => {
                type $tables = $crate::tables::Hopscotch;
                $body
            }
            $crate::Structure::Open => {
                type $tables = $crate::tables::Open;
                $body
            }
            $crate::Structure::Cuckoo => {
                type $tables = $crate::tables::Cuckoo;
                $body
            }
            $crate::Structure::Dynamic => {
                type $tables = $crate::tables::Dynamic;
                $body
            }
        }
    };
}
pub(crate) use with_tables;

/// Which loads there are.
pub(crate) struct Loads {
    /// The smallest.
    pub(crate) least: f64,
    /// The largest.
    pub(crate) most: f64,
    /// The one that is taken where none is named.
    pub(crate) default: f64,
}

impl Loads {
    /// The load that was asked for, or the default.
    ///
    /// # Errors
    /// If there is no such load.
    pub(crate) fn admit(&self, asked: Option<f64>) -> Result<f64, Failure> {
        let load = asked.unwrap_or(self.default);
        if (self.least..=self.most).contains(&load) {
            return Ok(load);
        }
        let Self { least, most, .. } = self;
        Err(Failure::input(format_args!("--load {load}: such a table has a load from {least} to {most}")))
    }
}

/// What is measured.
pub(crate) struct Points {
    /// The load at which sizes are compared.
    pub(crate) load: f64,
    /// The loads that are compared.
    pub(crate) loads: &'static [f64],
    /// A size that is no power of four.
    pub(crate) also: Option<u32>,
}

/// Refuses inserts that may give a key several pairs, for tables that keep one of each.
fn unique_inserts(trace: &Trace, table: &str) -> Result<(), String> {
    match trace.ops.iter().position(|&op| op == Op::Insert) {
        None => Ok(()),
        Some(i) => Err(format!(
            "operation {}: insert may give a key several pairs, and {table} keeps one of each key: write insert_unique or \
             assign",
            i + 1
        )),
    }
}

/// The value of each key, if it has one.
fn the_one<M: BulkMap<u32, u32>>(map: &M, keys: &[u32]) -> Result<Vec<Vec<u32>>, Failure> {
    let found = map.search(keys).map_err(Failure::backend)?;
    Ok(found.into_iter().map(|value| value.into_iter().collect()).collect())
}
