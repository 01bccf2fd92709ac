//! When a scan may say *absent*.
//!
//! A probe is torn and relaxed: the words of a slab are read in no order, and two slabs in an order that other
//! warps need not agree with. That is enough to find a key, and enough to say that a *unique* key is absent. In a
//! multimap it is not: the end of the chain may have been read first, then a pair inserted there and another
//! deleted from the middle, and both missed although the key was there all the time. So a scan that saw a reason
//! for doubt is repeated behind a fence until two scans agree; then the answer was true at the fence.

use super::chain::{Row, SlabTable, is_link};
use super::multiplicity::Multiplicity;
use super::slots::{SlabIndex, Slots};
use crate::memory::IntegerWords;
use crate::row::{self, Found};
use crate::warp::Warp;

/// Where a chain ended for a scan.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ChainEnd {
    /// There was no scan.
    Nowhere,
    /// At its first empty slot.
    Slot(u64),
    /// Behind a slab without an empty slot.
    Slab(SlabIndex),
}

/// What a scan saw that a second scan has to confirm.
///
/// Owners of slots never change, a slot goes from pending to live to tombstone and never back, and the end only
/// moves on. So if two scans without a live pair of the key end at the same place with the same number of pending
/// inserts, the key had no live pair at the fence between them.
pub(super) struct Doubt<W: Warp> {
    /// Lanes that saw a tombstone or a pending insert of the key.
    lanes: W::Lanes<bool>,
    pending: u32,
    before: (ChainEnd, u32),
}

impl<W: Warp> Doubt<W> {
    #[inline(always)]
    pub(super) fn new(w: &mut W) -> Self {
        Self { lanes: w.each(|_| false), pending: 0, before: (ChainEnd::Nowhere, 0) }
    }

    /// The key had a live pair after all: earlier scans prove nothing, and this one was behind no fence.
    #[inline(always)]
    pub(super) fn renew(&mut self) {
        self.before = (ChainEnd::Nowhere, 0);
    }

    /// Adds what a slab without a live pair of the key gives reason to doubt.
    #[inline(always)]
    pub(super) fn note<C: Slots, const S: usize>(&mut self, w: &mut W, row: Row<W, C, S>, key: C::Key) {
        if !C::Multiplicity::MULTI {
            return;
        }
        self.lanes = w.both(self.lanes, row, |lane, before, words: [C::Word; S]| {
            (0..S).fold(before, |any, i| {
                any | (!is_link::<W, S>(lane, i)
                    && (C::is_tombstone(words[i]) || C::is_pending(words[i], key)))
            })
        });
        self.pending += pending_in::<W, C, S>(w, row, key);
    }

    /// Whether a scan that came to the end of the chain proves the key absent at one instant of the operation. If
    /// not, the caller scans again from the base slab.
    #[inline(always)]
    pub(super) fn settle<C: Slots, const S: usize>(
        &mut self,
        w: &mut W,
        slab: SlabIndex,
        empty: Option<Found<W, C::Word>>,
    ) -> bool {
        // Without a tombstone or a pending insert the key had no slot before the end at all: it was absent when
        // the end was read.
        if !C::Multiplicity::MULTI || !w.ballot(self.lanes).any() {
            return true;
        }
        let now = (chain_end::<W, C, S>(w, slab, empty), self.pending);
        if now == self.before {
            return true;
        }
        *self = Self { lanes: w.each(|_| false), pending: 0, before: now };
        // SeqCst fence: pairs with the Release of every change of a slot. What a change that this scan saw was
        // based on is visible to the next scan; and of two warps that fence, one sees what the other saw.
        w.fence();
        false
    }
}

/// How many inserts of `key` are under way in a slab as read.
#[inline(always)]
pub(super) fn pending_in<W: Warp, C: Slots, const S: usize>(
    w: &mut W,
    row: Row<W, C, S>,
    key: C::Key,
) -> u32 {
    if C::PENDING { count_in::<W, C, S>(w, row, |word| C::is_pending(word, key)) } else { 0 }
}

/// How many slots of a slab as read satisfy `wanted`.
#[inline(always)]
pub(super) fn count_in<W: Warp, C: Slots, const S: usize>(
    w: &mut W,
    row: Row<W, C, S>,
    wanted: impl Fn(C::Word) -> bool,
) -> u32 {
    row::count(w, row, |lane, i, word| !is_link::<W, S>(lane, i) && wanted(word))
}

/// The end of a chain whose last slab is `slab`, with its first empty slot if it has one.
#[inline(always)]
pub(super) fn chain_end<W: Warp, C: Slots, const S: usize>(
    w: &mut W,
    slab: SlabIndex,
    empty: Option<Found<W, C::Word>>,
) -> ChainEnd {
    match empty {
        Some(found) => ChainEnd::Slot(w.elect_with(found.lane, found.places, |place| place.at as u64)),
        None => ChainEnd::Slab(slab),
    }
}

impl<C: Slots, B: IntegerWords<u32>, const S: usize> SlabTable<C, B, S> {
    /// Whether any slot of a slab as read satisfies `wanted`.
    #[inline(always)]
    pub(super) fn any<W: Warp>(w: &mut W, row: Row<W, C, S>, wanted: impl Fn(C::Word) -> bool) -> bool {
        row::any(w, row, |lane, i, word| !is_link::<W, S>(lane, i) && wanted(word))
    }
}
