//! Operations on one whole bucket: statistics, visit, flush.
//!
//! A flush is a phase of its own: one warp per bucket, no other operation on the table meanwhile. Statistics
//! and visits may run beside others; they are exact only if nothing changes.

use super::chain::{Onward, Row, SlabTable};
use super::settle::count_in;
use super::slots::Slots;
use crate::key::UserKey;
use crate::memory::IntegerWords;
use crate::reclaim::NodeIndex;
use crate::warp::Warp;

/// Statistics of one chain.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct BucketStats {
    /// Live pairs.
    pub live: u32,
    /// Deleted pairs, whose slots a flush frees.
    pub tombstones: u32,
    /// Slabs of the chain, the base slab counted.
    pub slabs: u32,
}

/// The place that a flush fills next.
struct Cursor {
    slab: NodeIndex,
    number: u32,
}

impl<C: Slots, B: IntegerWords<u32>, const S: usize> SlabTable<C, B, S> {
    /// The statistics of the chain of `bucket`.
    #[inline(always)]
    pub fn bucket_stats<W: Warp>(self, w: &mut W, bucket: u32) -> BucketStats {
        let mut stats = BucketStats::default();
        let mut slab = self.base(bucket);
        loop {
            let row = self.read(w, slab);
            stats.slabs += 1;
            stats.tombstones += count_in::<W, C, S>(w, row, C::is_tombstone);
            stats.live += count_in::<W, C, S>(w, row, Self::is_live);
            match Self::onward(w, slab, row) {
                Onward::Slab(next) => slab = next,
                Onward::End(_) => return stats,
            }
        }
    }

    /// Passes every pair of `bucket` to `sink` as (warp, number, key, value), numbered from 0 in chain order.
    #[inline(always)]
    pub fn visit<W: Warp>(
        self,
        w: &mut W,
        bucket: u32,
        mut sink: impl FnMut(&mut W, u32, C::Key, C::Value),
    ) -> u32 {
        let mut number = 0;
        let mut slab = self.base(bucket);
        loop {
            let row = self.read(w, slab);
            for slot in 0..Self::link_number(W::LANES) {
                if let Some((seen, lane)) = Self::live_at(w, row, slot) {
                    let at = Self::slot(W::LANES, slab, slot);
                    let value = w.elect(lane, || self.slots.value(at, seen));
                    sink(w, number, C::key(seen), value);
                    number += 1;
                }
            }
            match Self::onward(w, slab, row) {
                Onward::Slab(next) => slab = next,
                Onward::End(_) => return number,
            }
        }
    }

    /// Moves the pairs of `bucket` to the front of its chain, in their order, makes all later slots empty and
    /// returns the slabs without pairs to the pool. Returns how many slabs were freed.
    #[inline(always)]
    pub fn flush<W: Warp>(self, w: &mut W, bucket: u32) -> u32 {
        if self.bucket_stats(w, bucket).tombstones == 0 {
            return 0;
        }
        let end = self.compact(w, self.base(bucket));
        self.truncate(w, end)
    }

    /// Copies every live pair of the chain to the lowest free place. Returns the first place after the last
    /// pair.
    #[inline(always)]
    fn compact<W: Warp>(self, w: &mut W, base: NodeIndex) -> Cursor {
        let mut to = Cursor { slab: base, number: 0 };
        let mut slab = base;
        loop {
            // Orders the copies into this slab before it is read: it may be the cursor's own.
            w.sync();
            let row = self.read(w, slab);
            for slot in 0..Self::link_number(W::LANES) {
                if let Some((seen, _)) = Self::live_at(w, row, slot) {
                    if to.number == Self::link_number(W::LANES) {
                        // The cursor never overtakes the slab being read, so its link is there.
                        let full = self.read(w, to.slab);
                        let Some(next) = Self::link(w, full).next() else { return to };
                        to = Cursor { slab: next, number: 0 };
                    }
                    let (from, at) =
                        (Self::slot(W::LANES, slab, slot), Self::slot(W::LANES, to.slab, to.number));
                    if from != at {
                        w.elect(0, || {
                            self.slots.relocate(from, at, seen);
                            true
                        });
                    }
                    to.number += 1;
                }
            }
            match Self::onward(w, slab, row) {
                Onward::Slab(next) => slab = next,
                Onward::End(_) => return to,
            }
        }
    }

    /// Makes everything from `end` on empty, ends the chain there and frees the later slabs.
    #[inline(always)]
    fn truncate<W: Warp>(self, w: &mut W, end: Cursor) -> u32 {
        w.sync();
        let row = self.read(w, end.slab);
        let mut next = Self::link(w, row).next();
        self.reset_from(w, end.slab, end.number);
        let mut freed = 0;
        while let Some(slab) = next {
            let row = self.read(w, slab);
            next = Self::link(w, row).next();
            self.reset_from(w, slab, 0);
            // Orders the resets of all lanes before the slab is free.
            w.sync();
            self.pool.free(w, slab);
            freed += 1;
        }
        freed
    }

    /// Makes the slots of a slab from `number` on empty, and its link nil.
    #[inline(always)]
    fn reset_from<W: Warp>(self, w: &mut W, slab: NodeIndex, number: u32) {
        let _ = w.each(|lane| {
            for i in 0..S {
                let slot = lane * S as u32 + i as u32;
                if slot >= number {
                    self.slots.reset(Self::slot(W::LANES, slab, slot));
                }
            }
        });
    }

    /// Number of the link in its slab: how many slots hold entries.
    #[inline(always)]
    pub(super) const fn link_number(lanes: u32) -> u32 {
        lanes * S as u32 - 1
    }

    /// Whether a slot holds a live entry of any key: every other word has a reserved key.
    #[inline(always)]
    fn is_live(word: C::Word) -> bool {
        UserKey::new(C::key(word)).is_some()
    }

    /// The word of slot `number` and its lane, if the slot is live.
    #[inline(always)]
    fn live_at<W: Warp>(w: &mut W, row: Row<W, C, S>, number: u32) -> Option<(C::Word, u32)> {
        let (lane, i) = (number / S as u32, number as usize % S);
        let word =
            w.map(row, |_, words| (1..S).fold(words[0], |word, j| if i == j { words[j] } else { word }));
        let seen = w.shfl(word, lane);
        if Self::is_live(seen) { Some((seen, lane)) } else { None }
    }
}
