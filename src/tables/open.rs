//! Open-addressing tables.

use super::{Loads, Points, Tables, the_one, unique_inserts};
use crate::Structure;
use crate::backend::Backend;
use crate::bench::entry::Entry;
use crate::bench::host::{OpenMap, OpenSet, plain};
use crate::bench::memory::Memory;
use crate::failure::Failure;
use crate::run::phase::Phase;
use crate::run::replay;
use warpproof::OpenGeometry;
use warpproof::files::Trace;

/// The open-addressing table.
pub(crate) struct Open;

/// The same in which keys move.
pub(crate) struct Cuckoo;

macro_rules! buckets {
    ($tables:ident, $loads:expr, $may_be_full:expr, $size:ident,
     $Map32:ident $map32:ident, $set32:ident $set64:ident $map64:ident) => {
        impl Tables for $tables {
            const STRUCTURE: Structure = Structure::$tables;
            // At a load of 1 all of the table may have to be read for a key that is absent.
            const LOADS: Loads = Loads { least: 0.01, most: 0.99, default: OpenGeometry::DEFAULT_LOAD };
            const POINTS: Points = Points { load: OpenGeometry::DEFAULT_LOAD, loads: $loads, also: None };
            const MAY_BE_FULL: bool = $may_be_full;

            type Map32<B: Backend> = B::$Map32;

            fn map32<B: Backend>(b: &B, expected: u64, total: u64, load: f64) -> Result<B::$Map32, Failure> {
                b.$map32($size(expected, total, load)?)
            }

            fn flush<B: Backend>(_: &mut B::$Map32, _: &mut f64) -> Result<Option<u64>, Failure> {
                Ok(None)
            }

            fn admit(trace: &Trace) -> Result<(), String> {
                unique_inserts(trace, "an open-addressing table")
            }

            fn replay<B: Backend>(b: &B, trace: &Trace, load: f64) -> Result<Phase, Failure> {
                let pairs = trace.inserts();
                replay::run::<Self, _>(&b.$map32($size(pairs, pairs, load)?)?, trace, the_one)
            }

            fn holds(entry: Entry) -> Result<(), Failure> {
                one_word(entry)
            }

            fn measure<B: Backend>(
                b: &B,
                entry: Entry,
                at: (u32, f64),
            ) -> Result<(Vec<Phase>, Memory), Failure> {
                Self::holds(entry)?;
                let size = $size(at.0.into(), at.0.into(), at.1)?;
                match entry {
                    Entry::Set32 => plain::<Self, u32, _>(&OpenSet(b.$set32(size)?), entry, at),
                    Entry::Set64 => plain::<Self, u64, _>(&OpenSet(b.$set64(size)?), entry, at),
                    Entry::Map64 => plain::<Self, u64, _>(&OpenMap(b.$map64(size)?), entry, at),
                    _ => plain::<Self, u32, _>(&OpenMap(b.$map32(size)?), entry, at),
                }
            }
        }
    };
}
// A size has a slot for every pair that is inserted.
buckets!(Open, &[0.5, 0.6, 0.7, OpenGeometry::DEFAULT_LOAD, 0.9, 0.95], false, size,
    OpenMap32 open_map32, open_set32 open_set64 open_map64);
buckets!(Cuckoo, &[0.5, OpenGeometry::DEFAULT_LOAD, 0.9, 0.95, 0.97], true, moving_size,
    CuckooMap32 cuckoo_map32, cuckoo_set32 cuckoo_set64 cuckoo_map64);

/// Refuses entries that are no word each.
fn one_word(entry: Entry) -> Result<(), Failure> {
    match entry {
        Entry::Map32 | Entry::Set32 | Entry::Set64 | Entry::Map64 => Ok(()),
        Entry::Multimap32 | Entry::Lock64 => Err(Failure::input(format_args!(
            "--entry {}: an open-addressing table holds one word per key: map32, set32, set64 or map64",
            entry.name()
        ))),
    }
}

/// The size of a table with `load` of its pairs per slot: `expected` at a time, or all `total` that are inserted in its life if
/// those are more, as the slot of a deleted pair is not used again.
pub(crate) fn size(expected: u64, total: u64, load: f64) -> Result<OpenGeometry, Failure> {
    OpenGeometry::at_load(expected.max(total), load).map_err(Failure::backend)
}

/// The size of a table in which keys move, with `load` of `expected` pairs per slot: the slot of a deleted pair is used again.
pub(crate) fn moving_size(expected: u64, _total: u64, load: f64) -> Result<OpenGeometry, Failure> {
    OpenGeometry::at_load(expected, load).map_err(Failure::backend)
}
