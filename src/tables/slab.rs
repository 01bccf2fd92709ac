//! Chains of slabs.

use super::{Loads, Points, Tables};
use crate::Structure;
use crate::backend::{Backend, geometry};
use crate::bench::entry::Entry;
use crate::bench::host::{Map, Multimap, Set, plain};
use crate::bench::memory::Memory;
use crate::failure::Failure;
use crate::run::phase::{Phase, timed};
use crate::run::replay;
use warpproof::files::Trace;
use warpproof::{BulkFlush, BulkMatches, BulkTable, Op, SlabGeometry};

/// The load of the published comparison.
pub(crate) const LOAD: f64 = 0.6;
/// Loads that are compared.
pub(crate) const LOADS: [f64; 9] = [0.2, 0.3, 0.4, 0.5, LOAD, SlabGeometry::DEFAULT_LOAD, 0.7, 0.8, 0.9];
/// Pairs of the published comparison: 0.6 of 2^26 slots.
const PUBLISHED: u32 = 40_265_318;

/// The slab hash.
pub(crate) struct Slab;

impl Tables for Slab {
    const STRUCTURE: Structure = Structure::Slab;
    const LOADS: Loads = Loads { least: 0.01, most: 100.0, default: SlabGeometry::DEFAULT_LOAD };
    const POINTS: Points = Points { load: LOAD, loads: &LOADS, also: Some(PUBLISHED) };
    // The pool is as large as the pairs need whatever their keys are.
    const MAY_BE_FULL: bool = false;

    type Map32<B: Backend> = B::Map32;

    fn map32<B: Backend>(b: &B, expected: u64, total: u64, load: f64) -> Result<B::Map32, Failure> {
        // Deleted pairs keep their slots until a flush, so every insert needs one.
        b.map32(geometry(expected, total, load)?)
    }

    fn flush<B: Backend>(map: &mut B::Map32, seconds: &mut f64) -> Result<Option<u64>, Failure> {
        let stats = map.stats().map_err(Failure::backend)?;
        timed(seconds, || map.flush()).map_err(Failure::backend)?;
        Ok(Some(stats.live + stats.tombstones))
    }

    fn admit(_: &Trace) -> Result<(), String> {
        Ok(())
    }

    /// On a map, or on a multimap if a key may get several pairs.
    fn replay<B: Backend>(b: &B, trace: &Trace, load: f64) -> Result<Phase, Failure> {
        let pairs = trace.inserts();
        let geometry = geometry(pairs, pairs, load)?;
        if trace.ops.contains(&Op::Insert) {
            replay::run::<Self, _>(&b.multi32(geometry)?, trace, all)
        } else {
            replay::run::<Self, _>(&b.map32(geometry)?, trace, all)
        }
    }

    fn holds(entry: Entry) -> Result<(), Failure> {
        match entry {
            Entry::Map32 | Entry::Set32 | Entry::Multimap32 | Entry::Map64 | Entry::Lock64 => Ok(()),
            Entry::Set64 => Err(Failure::input(
                "--entry set64: a slab hash has no sets of u64: map32, set32, multimap32, map64 or lock64",
            )),
        }
    }

    fn measure<B: Backend>(b: &B, entry: Entry, at: (u32, f64)) -> Result<(Vec<Phase>, Memory), Failure> {
        let size = geometry(at.0 as u64, at.0 as u64, at.1)?;
        Self::holds(entry)?;
        match entry {
            Entry::Multimap32 => plain::<Self, u32, _>(&Multimap(b.multi32(size)?), entry, at),
            Entry::Set32 => plain::<Self, u32, _>(&Set(b.set32(size)?), entry, at),
            Entry::Map64 | Entry::Lock64 => plain::<Self, u64, _>(&Map(b.map64(size)?), entry, at),
            _ => plain::<Self, u32, _>(&Map(b.map32(size)?), entry, at),
        }
    }
}

/// The values of each key.
fn all<M: BulkMatches<u32, u32>>(map: &M, keys: &[u32]) -> Result<Vec<Vec<u32>>, Failure> {
    let matches = map.search_all(keys).map_err(Failure::backend)?;
    Ok((0..keys.len()).map(|i| matches.of(i).to_vec()).collect())
}
