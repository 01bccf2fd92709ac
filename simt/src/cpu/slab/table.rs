//! The words of a slab hash table in CPU memory, of any entry type, for the map and the set.

use super::store::SlabStore;
use crate::cpu::error::Error;
use crate::cpu::grid::{CpuTable, each_part};
use crate::cpu::warp::CpuWarp;
use crate::cpu::words::{Array, CpuWords};
use core::fmt;
use core::marker::PhantomData;
use core::sync::atomic::AtomicU32;
use rayon::prelude::*;
use warpproof_model::Seed;
use warpproof_model::host::{Refused, SlabGeometry, SlabStats, structure};
use warpproof_model::reclaim::{bitmap_words, free_word};
use warpproof_model::reserved::WithChain;
use warpproof_model::slab::{Multiplicity, SLAB_SLOTS, SlabTable, Unique};

/// The table seen by warps of `L` lanes that read `S` slots each.
pub(super) type View<'a, St, M, const S: usize> =
    SlabTable<<St as SlabStore>::Slots<'a, M>, CpuWords<'a, AtomicU32, 16>, S>;

/// Lanes of a warp by default.
///
/// Four lanes of two slots are compared without a branch. One lane of eight slots becomes a chain of eight
/// branches, one of which is mispredicted in nearly every search.
pub const SLAB_LANES: usize = 4;

/// Slots that each lane reads by default.
pub(super) const LANE_SLOTS: usize = SLAB_SLOTS / SLAB_LANES;

/// A slab hash table, run by warps of `L` lanes that read `S` slots each: a slab has `L * S` slots. `M` says
/// whether a key may have several pairs.
pub struct SlabWords<St: SlabStore, const L: usize = SLAB_LANES, const S: usize = LANE_SLOTS, M = Unique> {
    store: St,
    bitmap: Array<AtomicU32, 16>,
    geometry: SlabGeometry,
    seed: Seed,
    multiplicity: PhantomData<M>,
}

impl<St: SlabStore, M: Multiplicity, const L: usize, const S: usize> SlabWords<St, L, S, M> {
    /// An empty table.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; [`Error::Refused`] as [`SlabGeometry::admit`] does.
    pub fn new(geometry: SlabGeometry, seed: Seed) -> Result<Self, Error> {
        const { assert!(L * S >= 2, "a slab has at least one slot and its link") };
        geometry.admit((L * S) as u32)?;
        let out_of_memory = |_| Error::no_memory_for::<(St::Key, St::Value)>(geometry.slots());
        let store = St::new(geometry.slots()).map_err(out_of_memory)?;
        let (words, free) = (bitmap_words(geometry.pool), |index| free_word(geometry.pool, index));
        let bitmap = Array::new(words, free).map_err(out_of_memory)?;
        Ok(Self { store, bitmap, geometry, seed, multiplicity: PhantomData })
    }

    /// The view that operations work on: call them with a [`CpuWarp`] of `L` lanes.
    #[inline(always)]
    pub fn view(&self) -> View<'_, St, M, S> {
        self.all().table()
    }

    /// The view with the chain of the reserved keys.
    #[inline(always)]
    fn all(&self) -> WithChain<View<'_, St, M, S>> {
        let (slots, bitmap) = (self.store.slots(), self.bitmap.words());
        SlabTable::of_all_keys(slots, bitmap, self.geometry.buckets, self.seed)
    }

    /// The table's size.
    pub fn geometry(&self) -> SlabGeometry {
        self.geometry
    }

    /// Reclaims deleted pairs. Returns how many slabs were freed.
    pub fn flush(&mut self) -> u64 {
        let all = self.all();
        let flush = |table: View<'_, St, M, S>, b| table.flush(&mut CpuWarp::<L>::new(b), b) as u64;
        let reserved: u64 = (0..all.reserved().buckets()).map(|b| flush(all.reserved(), b)).sum();
        reserved + each_part(all.table().buckets()).map(|b| flush(all.table(), b)).sum::<u64>()
    }

    /// Statistics of the table. The chain of the reserved keys counts while it has a pair or a tombstone.
    /// Exact if nothing changes meanwhile.
    pub fn stats(&self) -> SlabStats {
        let all = self.all();
        let add = |mut stats: SlabStats, table: View<'_, St, M, S>, b| {
            stats.add(table.bucket_stats(&mut CpuWarp::<L>::new(b), b));
            stats
        };
        let reserved = add(SlabStats::default(), all.reserved(), 0);
        let used = reserved.live + reserved.tombstones > 0;
        each_part(all.table().buckets())
            .fold(SlabStats::default, |stats, b| add(stats, all.table(), b))
            .reduce(SlabStats::default, |a, b| a.merge(&b))
            .merge(&if used { reserved } else { SlabStats::default() })
    }
}

impl<St: SlabStore, M: Multiplicity, const L: usize, const S: usize> CpuTable for SlabWords<St, L, S, M> {
    type Key = St::Key;
    type Value = St::Value;
    type Structure = structure::Slab;
    type Warp = CpuWarp<L>;
    type View<'a>
        = View<'a, St, M, S>
    where
        Self: 'a;
    type AllKeys<'a>
        = WithChain<View<'a, St, M, S>>
    where
        Self: 'a;

    fn geometry_for(pairs: u64) -> Result<SlabGeometry, Refused> {
        SlabGeometry::new(pairs, SlabGeometry::DEFAULT_LOAD, (L * S) as u32)
    }

    fn new(geometry: SlabGeometry, seed: Seed) -> Result<Self, Error> {
        Self::new(geometry, seed)
    }

    fn geometry(&self) -> SlabGeometry {
        self.geometry()
    }

    fn seed(&self) -> Seed {
        self.seed
    }

    fn stats(&self) -> SlabStats {
        self.stats()
    }

    #[inline(always)]
    fn view(&self) -> View<'_, St, M, S> {
        self.view()
    }

    #[inline(always)]
    fn all_keys(&self) -> WithChain<View<'_, St, M, S>> {
        self.all()
    }

    fn clear(&mut self) {
        self.store.clear();
        self.bitmap.fill(|index| free_word(self.geometry.pool, index));
    }

    /// Slots and bitmap.
    fn bytes(&self) -> usize {
        self.store.bytes() + self.bitmap.bytes()
    }
}

impl<St: SlabStore, const L: usize, const S: usize, M> fmt::Debug for SlabWords<St, L, S, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SlabWords").field("geometry", &self.geometry).finish_non_exhaustive()
    }
}
