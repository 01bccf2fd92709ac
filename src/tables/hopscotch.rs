//! Hopscotch tables.

use super::{Loads, Points, Tables, the_one, unique_inserts};
use crate::Structure;
use crate::backend::Backend;
use crate::bench::entry::Entry;
use crate::bench::host::{HopscotchMap, HopscotchSet, plain};
use crate::bench::memory::Memory;
use crate::failure::Failure;
use crate::run::phase::Phase;
use crate::run::replay;
use warpproof::HopscotchGeometry;
use warpproof::files::Trace;

/// Pairs at a load of 0.8 in 2^26 words.
const FULL_MEMORY: u32 = 46_976_204;

/// The lock-flag hopscotch table.
pub(crate) struct Hopscotch;

impl Tables for Hopscotch {
    const STRUCTURE: Structure = Structure::Hopscotch;
    const LOADS: Loads = Loads { least: 0.01, most: 1.0, default: HopscotchGeometry::DEFAULT_LOAD };
    const POINTS: Points = Points {
        load: HopscotchGeometry::DEFAULT_LOAD,
        loads: &[0.5, 0.6, 0.7, HopscotchGeometry::DEFAULT_LOAD, 0.9, 0.95],
        also: Some(FULL_MEMORY),
    };
    // Pairs stand in the neighbourhoods of their homes, and a neighbourhood may be full before the table is.
    const MAY_BE_FULL: bool = true;

    type Map32<B: Backend> = B::HopscotchMap32;

    fn map32<B: Backend>(b: &B, expected: u64, _: u64, load: f64) -> Result<B::HopscotchMap32, Failure> {
        // A deleted pair gives its slot back at once.
        b.hopscotch_map32(size(expected, load)?)
    }

    fn flush<B: Backend>(_: &mut B::HopscotchMap32, _: &mut f64) -> Result<Option<u64>, Failure> {
        Ok(None)
    }

    fn admit(trace: &Trace) -> Result<(), String> {
        unique_inserts(trace, "a hopscotch table")
    }

    fn replay<B: Backend>(b: &B, trace: &Trace, load: f64) -> Result<Phase, Failure> {
        replay::run::<Self, _>(&b.hopscotch_map32(size(trace.inserts(), load)?)?, trace, the_one)
    }

    fn holds(entry: Entry) -> Result<(), Failure> {
        match entry {
            Entry::Map32 | Entry::Set32 | Entry::Set64 | Entry::Map64 => Ok(()),
            Entry::Multimap32 | Entry::Lock64 => Err(Failure::input(format_args!(
                "--entry {}: a hopscotch table holds one word per key: map32, set32, set64 or map64",
                entry.name()
            ))),
        }
    }

    fn measure<B: Backend>(b: &B, entry: Entry, at: (u32, f64)) -> Result<(Vec<Phase>, Memory), Failure> {
        let size = size(at.0 as u64, at.1)?;
        Self::holds(entry)?;
        match entry {
            Entry::Set32 => plain::<Self, u32, _>(&HopscotchSet(b.hopscotch_set32(size)?), entry, at),
            Entry::Set64 => plain::<Self, u64, _>(&HopscotchSet(b.hopscotch_set64(size)?), entry, at),
            Entry::Map64 => plain::<Self, u64, _>(&HopscotchMap(b.hopscotch_map64(size)?), entry, at),
            _ => plain::<Self, u32, _>(&HopscotchMap(b.hopscotch_map32(size)?), entry, at),
        }
    }
}

/// The size of a table whose homes have `load` of `pairs` pairs per slot.
pub(crate) fn size(pairs: u64, load: f64) -> Result<HopscotchGeometry, Failure> {
    HopscotchGeometry::at_load(pairs, load).map_err(Failure::backend)
}
