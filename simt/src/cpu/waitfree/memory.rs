//! The words of a wait-free table in CPU memory, of any entry type, for the map and the set.

use super::turns::Turns;
use super::view::View;
use crate::cpu::error::Error;
use crate::cpu::grid::{CpuTable, fold};
use crate::cpu::packed::{PackedWords, Reserved, ReservedWords};
use crate::cpu::warp::CpuWarp;
use crate::cpu::words::Array;
use core::fmt;
use core::ops::DerefMut;
use core::sync::atomic::{AtomicU32, AtomicU64};
use std::collections::TryReserveError;
use warpproof_model::Seed;
use warpproof_model::entry::Packed;
use warpproof_model::host::{Refused, WaitFreeGeometry, WaitFreeStats, structure};
use warpproof_model::reclaim::{NodePool, bitmap_words, free_word};
use warpproof_model::reserved::WithSlots;
use warpproof_model::waitfree::{EMPTY_HEAD, WaitFreeTable, WaitFreeWords};

/// Lanes of a warp by default.
pub const NODE_LANES: usize = 4;

/// Words that each lane reads by default: a node of u64 keys is a cache line.
pub(super) const LANE_WORDS: usize = 2;

/// Exchanges that a call loses before it is announced.
const PATIENCE: u32 = 64;

/// A wait-free table, run by warps of `L` lanes that read `S` words each: a node has `L * S` words.
pub struct WaitFreeMemory<St, const L: usize = NODE_LANES, const S: usize = LANE_WORDS> {
    nodes: St,
    requests: St,
    heads: Array<AtomicU64, 8>,
    announcements: Array<AtomicU64, 8>,
    stashes: Array<AtomicU64, 8>,
    used: Array<AtomicU32, 16>,
    retired: Array<AtomicU32, 16>,
    reserved: ReservedWords<St>,
    turns: Turns,
    geometry: WaitFreeGeometry,
    seed: Seed,
}

impl<St: PackedWords, const L: usize, const S: usize> WaitFreeMemory<St, L, S> {
    fn of(geometry: WaitFreeGeometry, seed: Seed) -> Result<Self, TryReserveError> {
        let WaitFreeGeometry { buckets, nodes, warps, .. } = geometry;
        let words = bitmap_words(nodes);
        Ok(Self {
            nodes: St::new(nodes as usize * (L * S))?,
            requests: St::new(warps as usize)?,
            heads: Array::new(buckets as usize, |_| EMPTY_HEAD)?,
            announcements: Array::new(warps as usize, |_| 0)?,
            stashes: Array::new(warps as usize, |_| 0)?,
            used: Array::new(words, |index| free_word(nodes, index))?,
            retired: Array::new(words, |_| 0)?,
            reserved: ReservedWords::new()?,
            turns: Turns::new(warps)?,
            geometry,
            seed,
        })
    }
}

impl<St: PackedWords, const L: usize, const S: usize> CpuTable for WaitFreeMemory<St, L, S> {
    type Key = <St::Entry as Packed>::Key;
    type Value = <St::Entry as Packed>::Value;
    type Structure = structure::WaitFree;
    type Warp = CpuWarp<L>;
    type View<'a>
        = View<'a, St, S>
    where
        Self: 'a;
    type AllKeys<'a>
        = WithSlots<View<'a, St, S>, Reserved<'a, St>>
    where
        Self: 'a;

    fn geometry_for(entries: u64) -> Result<WaitFreeGeometry, Refused> {
        WaitFreeGeometry::new(entries, WaitFreeGeometry::DEFAULT_LOAD, (L * S) as u32)
    }

    fn new(geometry: WaitFreeGeometry, seed: Seed) -> Result<Self, Error> {
        const { assert!(L * S >= 4, "a node has its link and at least one receipt, of two words") };
        geometry.admit((L * S) as u32)?;
        let words = geometry.nodes as usize * (L * S);
        Self::of(geometry, seed).map_err(|_| Error::no_memory_for::<<St::Entry as Packed>::Word>(words))
    }

    fn geometry(&self) -> WaitFreeGeometry {
        self.geometry
    }

    fn seed(&self) -> Seed {
        self.seed
    }

    fn stats(&self) -> WaitFreeStats {
        let table = self.view().table;
        let step = |mut stats: WaitFreeStats, w: &mut CpuWarp<L>, part: u32| {
            // Part 0 has the reserved keys.
            if let Some(bucket) = part.checked_sub(1) {
                let (entries, nodes) = table.bucket_stats(w, bucket);
                stats.add(entries, nodes);
            } else {
                stats.live += u64::from(self.reserved.live());
            }
            stats
        };
        fold(self, WaitFreeStats::default, step, |a, b| a.merge(&b))
    }

    #[inline(always)]
    fn view(&self) -> View<'_, St, S> {
        let pool = NodePool::new(
            self.used.words(),
            self.retired.words(),
            self.stashes.words(),
            self.geometry.stash(),
        );
        let words = WaitFreeWords {
            nodes: self.nodes.words(),
            heads: self.heads.words(),
            announcements: self.announcements.words(),
            requests: self.requests.words(),
            pool,
        };
        View { table: WaitFreeTable::new(words, PATIENCE, self.seed), turns: &self.turns }
    }

    #[inline(always)]
    fn all_keys(&self) -> WithSlots<View<'_, St, S>, Reserved<'_, St>> {
        WithSlots::new(self.view(), self.reserved.map())
    }

    /// A warp that has a turn: as long as it exists, no node that it may read is used again. Waits while as
    /// many warps have turns as the table is made for.
    fn warp(&self, _: u32) -> impl DerefMut<Target = CpuWarp<L>> {
        self.turns.turn::<L>()
    }

    fn clear(&mut self) {
        let nodes = self.geometry.nodes;
        self.reserved.clear();
        self.heads.fill(|_| EMPTY_HEAD);
        self.stashes.fill(|_| 0);
        self.used.fill(|index| free_word(nodes, index));
        self.retired.fill(|_| 0);
    }

    /// Nodes, heads, the states of the nodes, the words of each warp, and the reserved keys.
    fn bytes(&self) -> usize {
        let by_warp = self.requests.bytes() + self.announcements.bytes() + self.stashes.bytes();
        let states = self.used.bytes() + self.retired.bytes();
        self.nodes.bytes() + self.heads.bytes() + states + by_warp + self.reserved.bytes()
    }
}

impl<St: PackedWords, const L: usize, const S: usize> fmt::Debug for WaitFreeMemory<St, L, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WaitFreeMemory").field("geometry", &self.geometry).finish_non_exhaustive()
    }
}
