//! search, count, search_all, and the scan they share with delete.
//!
//! A probe is torn and relaxed: the words of a slab are read in no order, and two slabs in an order that other
//! warps need not agree with. That is enough to find a key. It is not enough to say that a key is *absent* or
//! how many pairs it has: the end of the chain may have been read first, then a pair inserted there and another
//! deleted from the middle, and both missed. Such an answer is given only when two scans with a fence between
//! them agree; then it was true at the fence.

use super::chain::{Found, Onward, Row, SlabTable, is_link};
use super::slots::{SlabIndex, Slots};
use crate::key::UserKey;
use crate::memory::IntegerWords;
use crate::warp::Warp;

/// A scan for one key along its chain.
pub(super) struct Scan<W: Warp> {
    slab: SlabIndex,
    /// Lanes that saw a tombstone or an insert of the key under way: reasons to look twice.
    doubt: W::Lanes<bool>,
    pending: u32,
}

/// What a scan that did not find its key saw, to be compared with another scan's. Owners of slots never change, a
/// slot only goes from pending to live to tombstone, and the end only moves back: equal sights around a fence held
/// at the fence.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Sight {
    live: u32,
    pending: u32,
    slab: SlabIndex,
    /// The first empty slot, or `None` if the chain ended at a nil link.
    empty: Option<u64>,
}

impl<C: Slots, B: IntegerWords<u32>, const S: usize> SlabTable<C, B, S> {
    /// The value of one pair of `key`, or `None` if there is none.
    ///
    /// Reads one slab per link of the chain; twice if the key is absent and its chain has tombstones.
    #[inline(always)]
    pub fn search<W: Warp>(self, w: &mut W, key: UserKey<C::Key>) -> Option<C::Value> {
        let mut before = None;
        loop {
            let mut scan = self.begin(w, key);
            match self.advance(w, key, &mut scan) {
                Ok(found) => {
                    return Some(w.elect_with(found.lane, found.places, |p| self.slots.value(p.at, p.seen)));
                }
                Err(end) if Self::absent(w, &scan, &end, &mut before) => return None,
                Err(_) => {}
            }
        }
    }

    /// How many pairs `key` has. Reads the chain twice, or more often while other warps change it.
    #[inline(always)]
    pub fn count<W: Warp>(self, w: &mut W, key: UserKey<C::Key>) -> u32 {
        self.search_all(w, key, |_, _, _| {})
    }

    /// Hands the value of every pair of `key` to `sink` as (warp, number, value) and returns how many there
    /// are. A scan that another warp disturbed is repeated: its numbers are handed out again from 0, and the
    /// last scan counts.
    ///
    /// The set of pairs is that of one instant. A value is one that its pair had at some time in the call: if
    /// the key has several pairs and they are assigned to meanwhile, they may be from different instants.
    #[inline(always)]
    pub fn search_all<W: Warp>(
        self,
        w: &mut W,
        key: UserKey<C::Key>,
        mut sink: impl FnMut(&mut W, u32, C::Value),
    ) -> u32 {
        loop {
            let first = self.scan_all(w, key, &mut sink);
            // SeqCst fence: pairs with the Release of every change of a slot (`Sight`).
            w.fence();
            if self.scan_all(w, key, |_, _, _| {}) == first {
                return first.live;
            }
        }
    }

    /// A scan at the base slab of `key`.
    #[inline(always)]
    pub(super) fn begin<W: Warp>(self, w: &mut W, key: UserKey<C::Key>) -> Scan<W> {
        Scan { slab: self.bucket(key), doubt: w.each(|_| false), pending: 0 }
    }

    /// Goes on to the next live pair of `key`, or to the end of the chain. The slab in hand is read again, so a
    /// pair that is not changed by the caller is found again.
    #[inline(always)]
    pub(super) fn advance<W: Warp>(
        self,
        w: &mut W,
        key: UserKey<C::Key>,
        scan: &mut Scan<W>,
    ) -> Result<Found<W, C::Word>, Option<Found<W, C::Word>>> {
        loop {
            let row = self.read(w, scan.slab);
            if let Some(found) = Self::first(w, scan.slab, row, |word| C::holds(word, key.get())) {
                return Ok(found);
            }
            scan.doubt = Self::note_doubt(w, key.get(), scan.doubt, row);
            scan.pending += Self::pending_in(w, key.get(), row);
            match Self::onward(w, scan.slab, row) {
                Onward::Slab(next) => scan.slab = next,
                Onward::End(end) => return Err(end),
            }
        }
    }

    /// Whether a scan that came to the end of the chain proves the key absent at one instant of the operation.
    ///
    /// Without a tombstone or a pending insert the key had no slot before the end at all: it was absent when
    /// the end was read. Otherwise the scan before must have had the same sight.
    #[inline(always)]
    pub(super) fn absent<W: Warp>(
        w: &mut W,
        scan: &Scan<W>,
        end: &Option<Found<W, C::Word>>,
        before: &mut Option<Sight>,
    ) -> bool {
        if !w.ballot(scan.doubt).any() {
            return true;
        }
        let sight = Self::sight(w, 0, scan.pending, scan.slab, end);
        if *before == Some(sight) {
            return true;
        }
        *before = Some(sight);
        // SeqCst fence: pairs with the Release of every change of a slot. What a change that this scan saw was
        // based on is visible to the next scan; and of two warps that fence, one sees what the other saw.
        w.fence();
        false
    }

    /// What a scan saw, for comparison.
    #[inline(always)]
    fn sight<W: Warp>(
        w: &mut W,
        live: u32,
        pending: u32,
        slab: SlabIndex,
        end: &Option<Found<W, C::Word>>,
    ) -> Sight {
        let empty = end.as_ref().map(|found| w.elect_with(found.lane, found.places, |place| place.at as u64));
        Sight { live, pending, slab, empty }
    }

    /// One pass over the whole chain.
    #[inline(always)]
    fn scan_all<W: Warp>(
        self,
        w: &mut W,
        key: UserKey<C::Key>,
        mut sink: impl FnMut(&mut W, u32, C::Value),
    ) -> Sight {
        let mut slab = self.bucket(key);
        let (mut live, mut pending) = (0, 0);
        loop {
            let row = self.read(w, slab);
            for i in 0..S {
                let held =
                    w.map(row, |lane, words| !is_link::<W, S>(lane, i) && C::holds(words[i], key.get()));
                let mut votes = w.ballot(held);
                while let Some(lane) = votes.ffs() {
                    votes = votes.without(lane);
                    let at = Self::slot(W::LANES, slab, lane * S as u32 + i as u32);
                    let value = w.elect_with(lane, row, |words| self.slots.value(at, words[i]));
                    sink(w, live, value);
                    live += 1;
                }
            }
            pending += Self::pending_in(w, key.get(), row);
            match Self::onward(w, slab, row) {
                Onward::Slab(next) => slab = next,
                Onward::End(end) => return Self::sight(w, live, pending, slab, &end),
            }
        }
    }

    /// Adds the reasons for doubt in a slab as read to those before, lane by lane.
    #[inline(always)]
    fn note_doubt<W: Warp>(
        w: &mut W,
        key: C::Key,
        before: W::Lanes<bool>,
        row: Row<W, C, S>,
    ) -> W::Lanes<bool> {
        w.both(before, row, |lane, before, words| {
            (0..S).fold(before, |any, i| {
                any | (!is_link::<W, S>(lane, i)
                    && (C::is_tombstone(words[i]) || C::is_pending(words[i], key)))
            })
        })
    }

    /// How many inserts of `key` are under way in a slab as read.
    #[inline(always)]
    fn pending_in<W: Warp>(w: &mut W, key: C::Key, row: Row<W, C, S>) -> u32 {
        if !C::PENDING {
            return 0;
        }
        Self::count_in(w, row, |word| C::is_pending(word, key))
    }
}
