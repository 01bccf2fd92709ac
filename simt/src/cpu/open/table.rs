//! The words of an open-addressing table in CPU memory, of any entry type, for the map and the set.

use super::{Buckets, FixedBuckets};
use crate::cpu::error::Error;
use crate::cpu::grid::{CpuTable, each_part};
use crate::cpu::packed::{PackedWords, Reserved, ReservedWords};
use crate::cpu::warp::CpuWarp;
use crate::cpu::words::{Array, CpuWords};
use core::fmt;
use core::marker::PhantomData;
use core::sync::atomic::AtomicU32;
use rayon::prelude::*;
use std::collections::TryReserveError;
use warpproof_model::Seed;
use warpproof_model::entry::Packed;
use warpproof_model::host::{OpenGeometry, OpenStats, Refused, structure};
use warpproof_model::map::BucketMap;
use warpproof_model::open::{BUCKET_SLOTS, BoundedStride, CLASSES, OpenTable, OverflowFilter, Probing};
use warpproof_model::outcome::Add;
use warpproof_model::reserved::{AllKeysCounter as _, WithSlots};

/// Lanes of a warp by default: as for the groups of a hopscotch table, which are as wide.
pub const OPEN_LANES: usize = 2;

/// The words beside the slots: of the filter, or of locks.
pub(in crate::cpu) type Beside<'a> = CpuWords<'a, AtomicU32, 16>;
/// The filter.
pub type OpenFilter<'a> = OverflowFilter<Beside<'a>, CLASSES>;

/// The table seen by warps that read `S` slots in each lane.
type View<'a, St, P, const S: usize> =
    OpenTable<<St as PackedWords>::Entry, <St as PackedWords>::Words<'a>, OpenFilter<'a>, P, S>;

/// An open-addressing table whose keys probe in the order `P`, run by warps of `L` lanes that read `S` slots
/// each: a bucket has `L * S` slots.
pub struct OpenWords<
    St,
    const L: usize = OPEN_LANES,
    const S: usize = { BUCKET_SLOTS / OPEN_LANES },
    P = BoundedStride,
> {
    store: St,
    filter: Array<AtomicU32, 16>,
    reserved: ReservedWords<St>,
    buckets: u32,
    seed: Seed,
    scheme: PhantomData<P>,
}

impl<St: PackedWords, P: Probing, const L: usize, const S: usize> OpenWords<St, L, S, P> {
    /// An empty table.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; [`Error::Refused`] as [`OpenGeometry::admit`] does.
    pub fn new(geometry: OpenGeometry, seed: Seed) -> Result<Self, Error> {
        Self::of((geometry, seed), St::new, |words| Array::new(words, |_| 0))
    }

    /// An empty table, made by this thread alone: for a caller that holds a lock for which other threads may
    /// wait.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub(in crate::cpu) fn new_alone(geometry: OpenGeometry, seed: Seed) -> Result<Self, Error> {
        Self::of((geometry, seed), St::new_alone, |words| Array::new_alone(words, |_| 0))
    }

    fn of(
        (geometry, seed): (OpenGeometry, Seed),
        store: impl FnOnce(usize) -> Result<St, TryReserveError>,
        filter: impl FnOnce(usize) -> Result<Array<AtomicU32, 16>, TryReserveError>,
    ) -> Result<Self, Error> {
        const { assert!(L * S >= 1, "a bucket has at least one slot") };
        geometry.admit((L * S) as u32)?;
        let slots = geometry.slots() * size_of::<<St::Entry as Packed>::Word>();
        let out_of_memory = |_| Error::no_memory(slots + geometry.filter_bytes());
        let store = store(geometry.slots()).map_err(out_of_memory)?;
        let filter = filter(geometry.filter_words()).map_err(out_of_memory)?;
        let reserved = ReservedWords::new().map_err(out_of_memory)?;
        Ok(Self { store, filter, reserved, buckets: geometry.buckets, seed, scheme: PhantomData })
    }

    /// The view that operations work on: call them with a [`CpuWarp`] of `L` lanes.
    #[inline(always)]
    pub fn view(&self) -> View<'_, St, P, S> {
        let (slots, filter) = self.words();
        OpenTable::new(slots, OverflowFilter::new(filter, self.buckets), self.buckets, self.seed)
    }

    /// The slots, and the words beside them, 16, 8 or 4 bits for each bucket.
    #[inline(always)]
    pub(in crate::cpu) fn words(&self) -> (St::Words<'_>, Beside<'_>) {
        (self.store.words(), self.filter.words())
    }

    /// The table's size.
    pub fn geometry(&self) -> OpenGeometry {
        OpenGeometry { bucket_slots: (L * S) as u32, buckets: self.buckets }
    }

    /// Statistics of the table. Exact if nothing changes meanwhile.
    pub fn stats(&self) -> OpenStats {
        stats::<L>(self.view(), &self.reserved)
    }

    /// The keys that the slots cannot hold.
    #[inline(always)]
    pub(in crate::cpu) fn reserved(&self) -> &ReservedWords<St> {
        &self.reserved
    }
}

/// Statistics of a table and its reserved keys, counted by warps of `L` lanes.
pub(in crate::cpu) fn stats<const L: usize>(
    view: impl BucketMap + Send + Sync,
    reserved: &ReservedWords<impl PackedWords>,
) -> OpenStats {
    let reserved = OpenStats { live: reserved.live().into(), tombstones: 0 };
    let of_bucket = |bucket| {
        let w = &mut CpuWarp::<L>::new(bucket);
        let live = view.live(w, bucket).into();
        OpenStats { live, tombstones: view.bucket_tombstones(w, bucket).into() }
    };
    let slots = each_part(view.parts()).map(of_bucket).reduce(OpenStats::default, |a, b| a.merge(&b));
    slots.merge(&reserved)
}

impl<St: PackedWords, P: Probing, const L: usize, const S: usize> Buckets for OpenWords<St, L, S, P> {
    #[inline(always)]
    fn insert_or_add(all: Self::AllKeys<'_>, w: &mut CpuWarp<L>, key: Self::Key, value: Self::Value) -> Add {
        all.insert_or_add(w, key, value)
    }
}

impl<St: PackedWords, P: Probing, const L: usize, const S: usize> FixedBuckets for OpenWords<St, L, S, P> {
    const BUCKET_SLOTS: u32 = (L * S) as u32;
    const SLOT_BYTES: u32 = size_of::<<St::Entry as Packed>::Word>() as u32;

    fn copy_from(&mut self, from: &Self) {
        self.store.copy_from(&from.store);
        self.reserved.copy_from(&from.reserved);
        self.filter.copy_from(&from.filter);
        self.seed = from.seed;
    }
}

impl<St: PackedWords, P: Probing, const L: usize, const S: usize> CpuTable for OpenWords<St, L, S, P> {
    type Key = <St::Entry as Packed>::Key;
    type Value = <St::Entry as Packed>::Value;
    type Structure = structure::Open;
    type Warp = CpuWarp<L>;
    type View<'a>
        = View<'a, St, P, S>
    where
        Self: 'a;
    type AllKeys<'a>
        = WithSlots<View<'a, St, P, S>, Reserved<'a, St>>
    where
        Self: 'a;

    fn geometry_for(pairs: u64) -> Result<OpenGeometry, Refused> {
        OpenGeometry::new(pairs, OpenGeometry::DEFAULT_LOAD, (L * S) as u32)
    }

    fn new(geometry: OpenGeometry, seed: Seed) -> Result<Self, Error> {
        Self::new(geometry, seed)
    }

    fn geometry(&self) -> OpenGeometry {
        self.geometry()
    }

    fn seed(&self) -> Seed {
        self.seed
    }

    fn stats(&self) -> OpenStats {
        self.stats()
    }

    #[inline(always)]
    fn view(&self) -> View<'_, St, P, S> {
        self.view()
    }

    #[inline(always)]
    fn all_keys(&self) -> WithSlots<View<'_, St, P, S>, Reserved<'_, St>> {
        WithSlots::new(self.view(), self.reserved.map())
    }

    fn clear(&mut self) {
        self.reserved.clear();
        self.store.clear();
        self.filter.fill(|_| 0);
    }

    /// Slots, the filter, and the reserved keys.
    fn bytes(&self) -> usize {
        self.store.bytes() + self.filter.bytes() + self.reserved.bytes()
    }
}

impl<St: PackedWords, P: Probing, const L: usize, const S: usize> fmt::Debug for OpenWords<St, L, S, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenWords").field("geometry", &self.geometry()).finish_non_exhaustive()
    }
}
