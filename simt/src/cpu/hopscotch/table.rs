//! The words of a hopscotch table in CPU memory, of any entry type, for the map and the set.

use crate::cpu::error::Error;
use crate::cpu::grid::{CpuTable, each_part};
use crate::cpu::packed::{PackedWords, Reserved, ReservedWords};
use crate::cpu::warp::CpuWarp;
use core::fmt;
use rayon::prelude::*;
use warpproof_model::Seed;
use warpproof_model::entry::Packed;
use warpproof_model::hopscotch::{GROUP_WORDS, HopscotchTable, REACH};
use warpproof_model::host::{HopscotchGeometry, HopscotchStats, Refused, structure};
use warpproof_model::reserved::WithSlots;

/// Lanes of a warp by default: words are compared without a branch. One lane inserts and searches absent keys
/// faster, and is a third slower for searches that hit (measured with 1, 2, 4 and 8 lanes).
pub const HOPSCOTCH_LANES: usize = 2;

/// The table seen by warps that read `S` words in each lane.
type View<'a, St, const S: usize, const N: u32> =
    HopscotchTable<<St as PackedWords>::Entry, <St as PackedWords>::Words<'a>, S, N>;

/// A hopscotch table, run by warps of `L` lanes that read `S` words each: a group has `L * S` words, a
/// neighbourhood `N` groups.
pub struct HopscotchWords<
    St,
    const L: usize = HOPSCOTCH_LANES,
    const S: usize = { GROUP_WORDS / HOPSCOTCH_LANES },
    const N: u32 = REACH,
> {
    store: St,
    reserved: ReservedWords<St>,
    homes: u32,
    seed: Seed,
}

impl<St: PackedWords, const L: usize, const S: usize, const N: u32> HopscotchWords<St, L, S, N> {
    /// An empty table.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; [`Error::Refused`] as [`HopscotchGeometry::admit`] does.
    pub fn new(geometry: HopscotchGeometry, seed: Seed) -> Result<Self, Error> {
        const { assert!(L * S >= 2, "a group has at least one slot and its home word") };
        const { assert!(N >= 1 && N <= REACH, "the statistics count the distances of that many groups") };
        geometry.admit((L * S) as u32, N)?;
        let no_memory = |_| Error::no_memory_for::<<St::Entry as Packed>::Word>(geometry.words());
        let store = St::new(geometry.words()).map_err(no_memory)?;
        let reserved = ReservedWords::new().map_err(no_memory)?;
        Ok(Self { store, reserved, homes: geometry.homes, seed })
    }

    /// The view that operations work on: call them with a [`CpuWarp`] of `L` lanes.
    #[inline(always)]
    pub fn view(&self) -> View<'_, St, S, N> {
        HopscotchTable::new(self.store.words(), self.homes, self.seed)
    }

    /// The table's size.
    pub fn geometry(&self) -> HopscotchGeometry {
        HopscotchGeometry { group_words: (L * S) as u32, reach: N, homes: self.homes }
    }

    /// Statistics of the table; reserved keys count as at home. Exact if nothing changes meanwhile.
    pub fn stats(&self) -> HopscotchStats {
        let view = self.view();
        let of_group = |group| {
            let (mut stats, w) = (HopscotchStats::default(), &mut CpuWarp::<L>::new(group));
            stats.live = view.group_entries(w, group) as u64;
            for (at, distance) in stats.distances.iter_mut().zip(0..N) {
                *at = view.entries_from(w, group, distance) as u64;
            }
            stats
        };
        let mut reserved = HopscotchStats { live: self.reserved.live().into(), ..HopscotchStats::default() };
        reserved.distances[0] = reserved.live;
        let groups = each_part(view.groups()).map(of_group);
        groups.reduce(HopscotchStats::default, |a, b| a.merge(&b)).merge(&reserved)
    }
}

impl<St: PackedWords, const L: usize, const S: usize, const N: u32> CpuTable for HopscotchWords<St, L, S, N> {
    type Key = <St::Entry as Packed>::Key;
    type Value = <St::Entry as Packed>::Value;
    type Structure = structure::Hopscotch;
    type Warp = CpuWarp<L>;
    type View<'a>
        = View<'a, St, S, N>
    where
        Self: 'a;
    type AllKeys<'a>
        = WithSlots<View<'a, St, S, N>, Reserved<'a, St>>
    where
        Self: 'a;

    fn geometry_for(pairs: u64) -> Result<HopscotchGeometry, Refused> {
        HopscotchGeometry::new(pairs, HopscotchGeometry::DEFAULT_LOAD, (L * S) as u32, N)
    }

    fn new(geometry: HopscotchGeometry, seed: Seed) -> Result<Self, Error> {
        Self::new(geometry, seed)
    }

    fn geometry(&self) -> HopscotchGeometry {
        self.geometry()
    }

    fn seed(&self) -> Seed {
        self.seed
    }

    fn stats(&self) -> HopscotchStats {
        self.stats()
    }

    #[inline(always)]
    fn view(&self) -> View<'_, St, S, N> {
        self.view()
    }

    #[inline(always)]
    fn all_keys(&self) -> WithSlots<View<'_, St, S, N>, Reserved<'_, St>> {
        WithSlots::new(self.view(), self.reserved.map())
    }

    fn clear(&mut self) {
        self.reserved.clear();
        self.store.clear();
    }

    fn bytes(&self) -> usize {
        self.store.bytes() + self.reserved.bytes()
    }
}

impl<St: PackedWords, const L: usize, const S: usize, const N: u32> fmt::Debug
    for HopscotchWords<St, L, S, N>
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HopscotchWords").field("geometry", &self.geometry()).finish_non_exhaustive()
    }
}
