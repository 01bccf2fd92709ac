//! When a scan may return *absent*.
//!
//! A probe is torn and relaxed: the words of a slab are read in no order, and two slabs in an order that
//! other warps need not agree with. That is enough to find a key. It is also enough to conclude that a
//! *unique* key is absent, if the lowest slot decides that holds the key or ends the chain. In a multimap it
//! is not enough for absence: the end of the chain may have been read first, then a pair inserted there and
//! another deleted from the middle, and both missed although the key was there all the time. So a scan that
//! saw a reason for doubt is repeated after a fence until two scans agree; then the answer was true at the
//! fence.

use super::chain::{Row, is_link};
use super::multiplicity::Multiplicity;
use super::slots::Slots;
use crate::reclaim::NodeIndex;
use crate::row::{self, Found};
use crate::warp::Warp;

/// The end of a chain, as a scan saw it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ChainEnd {
    /// There was no scan.
    Nowhere,
    /// At this slot: the first one that is empty, or that an insert has taken and not published yet.
    Slot(u64),
    /// After a slab without such a slot.
    Slab(NodeIndex),
}

/// Reasons for doubt in a scan, which a second scan has to settle.
///
/// The key of a slot never changes, a slot goes from pending to live to tombstone and never back, and the end
/// only moves on. So if two scans without a live pair of the key end at the same place, the key had no live
/// pair at the fence between them: those before the end were dead, and at the end and after it nothing was
/// published.
pub(super) struct Doubt<W: Warp> {
    /// Lanes that saw a tombstone.
    lanes: W::Lanes<bool>,
    before: ChainEnd,
}

impl<W: Warp> Doubt<W> {
    #[inline(always)]
    pub(super) fn new(w: &mut W) -> Self {
        Self { lanes: w.each(|_| false), before: ChainEnd::Nowhere }
    }

    /// Adds the reasons for doubt in a slab without a live pair of the key.
    #[inline(always)]
    pub(super) fn note<C: Slots, const S: usize>(&mut self, w: &mut W, row: Row<W, C, S>) {
        if !C::Multiplicity::MULTI {
            return;
        }
        self.lanes = w.both(self.lanes, row, |lane, before, words: [C::Word; S]| {
            (0..S).fold(before, |any, i| any | (!is_link::<W, S>(lane, i) && C::is_tombstone(words[i])))
        });
    }

    /// Whether a scan that reached the end of the chain proves the key absent at one instant of the
    /// operation. If not, the caller scans again from the base slab.
    #[inline(always)]
    pub(super) fn settle<C: Slots, const S: usize>(
        &mut self,
        w: &mut W,
        slab: NodeIndex,
        end: Option<Found<W, C::Word>>,
    ) -> bool {
        // Without a tombstone the key never had a slot before the end: the scan saw it as it was before its
        // first pair.
        if !C::Multiplicity::MULTI || !w.ballot(self.lanes).any() {
            return true;
        }
        let now = chain_end::<W, C, S>(w, slab, end);
        if now == self.before {
            return true;
        }
        *self = Self { lanes: w.each(|_| false), before: now };
        // SeqCst fence: pairs with the Release of every change of a slot. The next scan sees everything on
        // which a change that this scan saw was based; and of two warps that make a fence, one sees what the
        // other saw.
        w.fence();
        false
    }
}

/// For how many slots of a slab as read `wanted` is true.
#[inline(always)]
pub(super) fn count_in<W: Warp, C: Slots, const S: usize>(
    w: &mut W,
    row: Row<W, C, S>,
    wanted: impl Fn(C::Word) -> bool,
) -> u32 {
    row::count(w, row, |lane, i, word| !is_link::<W, S>(lane, i) && wanted(word))
}

/// The end of a chain whose last slab is `slab`, with the slot at which it ends if there is one.
#[inline(always)]
pub(super) fn chain_end<W: Warp, C: Slots, const S: usize>(
    w: &mut W,
    slab: NodeIndex,
    end: Option<Found<W, C::Word>>,
) -> ChainEnd {
    match end {
        Some(found) => ChainEnd::Slot(w.elect_with(found.lane, found.places, |place| place.at as u64)),
        None => ChainEnd::Slab(slab),
    }
}
