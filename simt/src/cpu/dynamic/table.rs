//! The submaps of a growing table, in CPU memory, of any entry type.

use crate::cpu::error::Error;
use crate::cpu::grid::{CpuTable, move_all};
use crate::cpu::open::{Buckets, OPEN_LANES, OpenFilter, OpenWords};
use crate::cpu::packed::{PackedWords, Reserved};
use crate::cpu::warp::CpuWarp;
use crate::cpu::words::{Array, CpuWords};
use core::fmt;
use core::sync::atomic::AtomicU32;
use std::sync::{Mutex, OnceLock, PoisonError};
use warpproof_model::Seed;
use warpproof_model::dynamic::{Added, DynamicTable, Submaps};
use warpproof_model::entry::Packed;
use warpproof_model::host::{OpenGeometry, OpenStats, Refused, structure};
use warpproof_model::open::{BUCKET_SLOTS, Bounded, DoubleHashing, OpenTable};
use warpproof_model::outcome::Add;
use warpproof_model::reserved::{AllKeysCounter as _, WithSlots};

/// Buckets of a submap that a key probes. A search for a key of a later submap reads as many in each full
/// one. With fewer, a table made for its keys ([`DynamicWords::LOAD`]) would grow sooner.
const PROBES: u32 = 4;

/// At least one in so many slots must be taken before another submap is added.
const SPARSE: u64 = 16;
/// Buckets in the sample for that.
const SAMPLE: u32 = 1024;

/// Submaps besides the first. Each makes the table twice as large.
const MORE: usize = 32;

/// The order in which a key probes the buckets of a submap.
type Order = Bounded<DoubleHashing, PROBES>;
/// The table seen by warps that read `S` slots in each lane.
type View<'a, St, const L: usize, const S: usize> =
    DynamicTable<&'a DynamicWords<St, L, S>, CpuWords<'a, AtomicU32, 16>, S>;

/// An open-addressing table that grows by submaps, run by warps of `L` lanes that read `S` slots each.
pub struct DynamicWords<St, const L: usize = OPEN_LANES, const S: usize = { BUCKET_SLOTS / OPEN_LANES }> {
    first: OpenWords<St, L, S, Order>,
    more: [OnceLock<OpenWords<St, L, S, Order>>; MORE],
    published: Array<AtomicU32, 16>,
    /// Held by the thread that makes a submap.
    making: Mutex<()>,
}

impl<St: PackedWords, const L: usize, const S: usize> DynamicWords<St, L, S> {
    /// Entries per slot that a table is made for.
    pub const LOAD: f64 = 0.5;

    /// An empty table with a first submap of this size.
    ///
    /// # Errors
    /// As [`OpenWords::new`].
    pub fn new(geometry: OpenGeometry, seed: Seed) -> Result<Self, Error> {
        let first = OpenWords::new(geometry, seed)?;
        let published = Array::new(1, |_| 0).map_err(|_| Error::no_memory(4))?;
        Ok(Self { first, more: [const { OnceLock::new() }; MORE], published, making: Mutex::new(()) })
    }

    /// The view that operations work on: call them with a [`CpuWarp`] of `L` lanes.
    #[inline(always)]
    pub fn view(&self) -> View<'_, St, L, S> {
        DynamicTable::new(self, self.published.words())
    }

    /// The buckets of all submaps.
    pub fn geometry(&self) -> OpenGeometry {
        OpenGeometry { bucket_slots: (L * S) as u32, buckets: self.view().buckets() }
    }

    /// How many submaps there are.
    pub fn submaps(&self) -> u32 {
        self.view().submaps()
    }

    /// Statistics of the table. Exact if nothing changes meanwhile.
    pub fn stats(&self) -> OpenStats {
        let submaps = (0..self.submaps()).map(|index| self.words(index).stats());
        submaps.fold(OpenStats::default(), |sum, submap| sum.merge(&submap))
    }

    /// A table of one submap with the same entries.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; [`Error::Refused`] if the submap would be too large.
    pub(super) fn compacted(&self) -> Result<Self, Error> {
        let geometry = Self::geometry_for(self.stats().live)?;
        // Takes another seed if keys were chosen for this one.
        let mut bytes = 0;
        for seed in [self.seed(), Seed::random()] {
            let compact = Self::new(geometry, seed)?;
            if move_all(self, &compact) {
                return Ok(compact);
            }
            bytes = compact.bytes();
        }
        Err(Error::no_memory(bytes))
    }

    /// Whether less than a [`SPARSE`]th of the slots is taken, by a sample of [`SAMPLE`] buckets or more.
    /// Never with buckets of fewer than four slots: there some keys find their buckets full by chance.
    fn is_sparse(&self) -> bool {
        let (w, step) = (&mut CpuWarp::<L>::new(0), (self.view().buckets() / SAMPLE).max(1));
        let (mut slots, mut taken) = (0, 0);
        for submap in (0..self.submaps()).map(|index| self.words(index).view()) {
            for bucket in (0..submap.buckets()).step_by(step as usize) {
                slots += (L * S) as u64;
                taken += u64::from(submap.bucket_entries(w, bucket) + submap.bucket_tombstones(w, bucket));
            }
        }
        L * S >= 4 && taken < slots / SPARSE
    }

    /// A submap that is published.
    fn words(&self, index: u32) -> &OpenWords<St, L, S, Order> {
        let more = (index as usize).checked_sub(1).and_then(|at| self.more.get(at)).and_then(OnceLock::get);
        more.unwrap_or(&self.first)
    }
}

impl<'a, St: PackedWords, const L: usize, const S: usize> Submaps<S> for &'a DynamicWords<St, L, S> {
    type Entry = St::Entry;
    type Words = St::Words<'a>;
    type Filter = OpenFilter<'a>;
    type Probing = Order;

    #[inline(always)]
    fn at(self, index: u32) -> OpenTable<St::Entry, St::Words<'a>, OpenFilter<'a>, Order, S> {
        self.words(index).view()
    }

    /// The others wait.
    #[cold]
    fn one_at_a_time(self, _: u32, f: impl FnOnce() -> Added) -> Added {
        // After a panic elsewhere, the submap is either whole and not published, or absent.
        let _one = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        f()
    }

    /// Allocates as much memory as all submaps before have, and writes it in this thread alone: the other
    /// threads that ask wait, and a pool thread that waited for work of the pool might run one of them.
    ///
    /// Not while few slots are taken: then keys were chosen for their buckets, and the next submap would have
    /// no more room for them.
    fn make(self, index: u32) -> bool {
        let Some(place) = (index as usize).checked_sub(1).and_then(|at| self.more.get(at)) else {
            return false;
        };
        if place.get().is_some() {
            return true;
        }
        if self.is_sparse() {
            return false;
        }
        let slots = self.geometry().slots() as u64;
        let geometry = OpenGeometry::new(slots, 1.0, (L * S) as u32);
        let Ok(Ok(words)) = geometry.map(|geometry| OpenWords::new_alone(geometry, self.seed())) else {
            return false;
        };
        place.set(words).is_ok()
    }
}

impl<St: PackedWords, const L: usize, const S: usize> Buckets for DynamicWords<St, L, S> {
    #[inline(always)]
    fn insert_or_add(all: Self::AllKeys<'_>, w: &mut CpuWarp<L>, key: Self::Key, value: Self::Value) -> Add {
        all.insert_or_add(w, key, value)
    }
}

impl<St: PackedWords, const L: usize, const S: usize> CpuTable for DynamicWords<St, L, S> {
    type Key = <St::Entry as Packed>::Key;
    type Value = <St::Entry as Packed>::Value;
    type Structure = structure::Dynamic;
    type Warp = CpuWarp<L>;
    type View<'a>
        = View<'a, St, L, S>
    where
        Self: 'a;
    type AllKeys<'a>
        = WithSlots<View<'a, St, L, S>, Reserved<'a, St>>
    where
        Self: 'a;

    fn geometry_for(pairs: u64) -> Result<OpenGeometry, Refused> {
        OpenGeometry::new(pairs, Self::LOAD, (L * S) as u32)
    }

    fn new(geometry: OpenGeometry, seed: Seed) -> Result<Self, Error> {
        Self::new(geometry, seed)
    }

    fn geometry(&self) -> OpenGeometry {
        self.geometry()
    }

    fn seed(&self) -> Seed {
        self.first.seed()
    }

    fn stats(&self) -> OpenStats {
        self.stats()
    }

    #[inline(always)]
    fn view(&self) -> View<'_, St, L, S> {
        self.view()
    }

    /// The reserved keys are beside the first submap.
    #[inline(always)]
    fn all_keys(&self) -> WithSlots<View<'_, St, L, S>, Reserved<'_, St>> {
        WithSlots::new(self.view(), self.first.reserved().map())
    }

    /// One submap stays.
    fn clear(&mut self) {
        self.published.fill(|_| 0);
        self.more = [const { OnceLock::new() }; MORE];
        self.first.clear();
    }

    /// Slots and filters of all submaps.
    fn bytes(&self) -> usize {
        (0..self.submaps()).map(|index| self.words(index).bytes()).sum()
    }
}

impl<St: PackedWords, const L: usize, const S: usize> fmt::Debug for DynamicWords<St, L, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (geometry, submaps) = (self.geometry(), self.submaps());
        f.debug_struct("DynamicWords")
            .field("geometry", &geometry)
            .field("submaps", &submaps)
            .finish_non_exhaustive()
    }
}
