//! Tables that grow.

use super::{Loads, Points, Tables, the_one, unique_inserts};
use crate::Structure;
use crate::backend::Backend;
use crate::bench::entry::Entry;
use crate::bench::host::{OpenMap, plain};
use crate::bench::memory::Memory;
use crate::failure::Failure;
use crate::run::phase::Phase;
use crate::run::replay;
use warpproof::OpenGeometry;
use warpproof::files::Trace;

/// The table that grows.
pub(crate) struct Dynamic;

/// Pairs that a table has room for at first, of so many that come.
pub(crate) fn first(pairs: u64) -> u64 {
    /// A million slots, at the default load.
    const MOST: u64 = 838_860;
    (pairs / 16).clamp(1, MOST)
}

impl Tables for Dynamic {
    const STRUCTURE: Structure = Structure::Dynamic;
    // On a CPU it is of no effect.
    const LOADS: Loads = Loads { least: 0.1, most: 0.95, default: OpenGeometry::DEFAULT_LOAD };
    const POINTS: Points = Points {
        load: OpenGeometry::DEFAULT_LOAD,
        loads: &[0.5, 0.6, 0.7, OpenGeometry::DEFAULT_LOAD, 0.9],
        also: None,
    };
    const MAY_BE_FULL: bool = false;

    type Map32<B: Backend> = B::DynamicMap32;

    fn map32<B: Backend>(b: &B, expected: u64, _: u64, load: f64) -> Result<B::DynamicMap32, Failure> {
        b.dynamic_map32(first(expected), load)
    }

    fn flush<B: Backend>(_: &mut B::DynamicMap32, _: &mut f64) -> Result<Option<u64>, Failure> {
        Ok(None)
    }

    fn admit(trace: &Trace) -> Result<(), String> {
        unique_inserts(trace, "a table that grows")
    }

    fn replay<B: Backend>(b: &B, trace: &Trace, load: f64) -> Result<Phase, Failure> {
        replay::run::<Self, _>(&b.dynamic_map32(first(trace.inserts()), load)?, trace, the_one)
    }

    fn holds(entry: Entry) -> Result<(), Failure> {
        match entry {
            Entry::Map32 | Entry::Map64 => Ok(()),
            _ => Err(Failure::input(format_args!(
                "--entry {}: a table that grows is measured with map32 or map64",
                entry.name()
            ))),
        }
    }

    fn measure<B: Backend>(b: &B, entry: Entry, at: (u32, f64)) -> Result<(Vec<Phase>, Memory), Failure> {
        Self::holds(entry)?;
        let first = first(at.0.into());
        match entry {
            Entry::Map64 => plain::<Self, u64, _>(&OpenMap(b.dynamic_map64(first, at.1)?), entry, at),
            _ => plain::<Self, u32, _>(&OpenMap(b.dynamic_map32(first, at.1)?), entry, at),
        }
    }
}
