//! The table, and the parts of a walk along a chain that all operations share.

use super::packed::PROBE;
use super::slots::{Link, Slots};
use crate::at_lane::AtLane;
use crate::hash::Seed;
use crate::key::{Key, UserKey};
use crate::memory::{IntegerWords, Words};
use crate::reclaim::{Allocator, NodeIndex};
use crate::reserved::WithChain;
use crate::row::{self, Found};
use crate::warp::Warp;

/// A handle to a slab hash table: a Copy view that every warp carries.
///
/// `S` is the number of slots that each lane reads: a slab has `W::LANES * S` slots, the last one its link.
/// Warps of different widths may use one table if that product is equal.
#[derive(Clone, Copy, Debug)]
pub struct SlabTable<C, B, const S: usize> {
    pub(super) slots: C,
    pub(super) pool: Allocator<B>,
    /// The base slab of bucket 0.
    first: u32,
    pub(super) buckets: u32,
    seed: Seed,
}

/// Buckets of the reserved keys.
pub(super) const RESERVED_BUCKETS: u32 = 1;

/// The words of one slab, as the lanes of a warp read them.
pub(super) type Row<W, C, const S: usize> = row::Row<W, <C as Slots>::Word, S>;

/// What follows a slab.
pub(super) enum Onward<W: Warp, T: Copy> {
    /// The next slab.
    Slab(NodeIndex),
    /// The chain ends here: at this slot, or (none) at the nil link.
    End(Option<Found<W, T>>),
}

impl<C: Slots, B: IntegerWords<u32>, const S: usize> SlabTable<C, B, S> {
    /// A table of `buckets` base slabs (at least one), followed in `slots` by the slabs of the pool with the
    /// bitmap `bitmap`. At first all slots are empty, all links nil and all bits of the pool clear: every
    /// word all ones, every bitmap word [`free_word`](crate::reclaim::free_word). `seed` decides the buckets
    /// of keys.
    #[inline(always)]
    pub const fn new(slots: C, bitmap: B, buckets: u32, seed: Seed) -> Self {
        Self { slots, pool: Allocator::new(bitmap, buckets), first: 0, buckets, seed }
    }

    /// Such a table of `buckets` buckets, followed by one more for the reserved keys. All take slabs from one
    /// pool, which begins after that bucket.
    #[inline(always)]
    pub const fn of_all_keys(slots: C, bitmap: B, buckets: u32, seed: Seed) -> WithChain<Self> {
        let pool = Allocator::new(bitmap, buckets + RESERVED_BUCKETS);
        let table = Self { slots, pool, first: 0, buckets, seed };
        WithChain::new(table, Self { first: buckets, buckets: RESERVED_BUCKETS, ..table })
    }

    /// Number of buckets.
    #[inline(always)]
    pub const fn buckets(self) -> u32 {
        self.buckets
    }

    /// The pool's allocator.
    #[inline(always)]
    pub const fn allocator(self) -> Allocator<B> {
        self.pool
    }

    /// Prefetches the bucket of `key`. A hint.
    #[inline(always)]
    pub fn prefetch<W: Warp>(self, key: UserKey<C::Key>) {
        self.slots.probe().prefetch(Self::slot(W::LANES, self.bucket(key), 0));
    }

    /// The base slab of a key.
    #[inline(always)]
    pub(super) fn bucket(self, key: UserKey<C::Key>) -> NodeIndex {
        self.base(key.get().hash(self.seed).digit(self.buckets))
    }

    /// The base slab of a bucket.
    #[inline(always)]
    pub(super) fn base(self, bucket: u32) -> NodeIndex {
        NodeIndex(self.first + bucket)
    }

    /// Index of slot `number` of a slab.
    #[inline(always)]
    pub(super) fn slot(lanes: u32, slab: NodeIndex, number: u32) -> usize {
        slab.0 as usize * (lanes as usize * S) + number as usize
    }

    /// Index of the link of a slab.
    #[inline(always)]
    pub(super) fn link_slot(lanes: u32, slab: NodeIndex) -> usize {
        Self::slot(lanes, slab, lanes * S as u32 - 1)
    }

    /// All lanes read a slab. Every word is a separate read.
    #[inline(always)]
    pub(super) fn read<W: Warp>(self, w: &mut W, slab: NodeIndex) -> Row<W, C, S> {
        w.each(|lane| {
            self.slots.probe().load_row::<S>(slab.0 as usize * W::LANES as usize + lane as usize, PROBE)
        })
    }

    /// The link in a slab as read.
    #[inline(always)]
    pub(super) fn link<W: Warp>(w: &mut W, row: Row<W, C, S>) -> Link {
        let last = w.map(row, |_, words| words[S - 1]);
        Link::from_word(w.shfl(last, W::LANES - 1))
    }

    /// The lowest slot of a slab as read for which `wanted` is true.
    #[inline(always)]
    pub(super) fn first<W: Warp>(
        w: &mut W,
        slab: NodeIndex,
        row: Row<W, C, S>,
        wanted: impl Fn(C::Word) -> bool,
    ) -> Option<Found<W, C::Word>> {
        let base = Self::slot(W::LANES, slab, 0);
        row::first(w, base, row, |lane, i, word| !is_link::<W, S>(lane, i) & wanted(word))
    }

    /// The slot of a slab as read that decides about `key`: the lowest one that ends the chain or, if the
    /// operation `looks` for the key, holds it. Also whether it holds the key.
    #[inline(always)]
    pub(super) fn deciding<W: Warp>(
        w: &mut W,
        slab: NodeIndex,
        row: Row<W, C, S>,
        key: C::Key,
        looks: bool,
    ) -> (Option<Found<W, C::Word>>, bool) {
        let base = Self::slot(W::LANES, slab, 0);
        // Without a branch on the lane, here and in `is_end`: the tiles of a GPU's warp stay together.
        let holds = |word| looks & C::holds(word, key);
        let decides = |word| holds(word) | Self::is_end(word);
        row::first_is(w, base, row, |lane, i, word| !is_link::<W, S>(lane, i) & decides(word), holds)
    }

    /// The value of a live entry that was found.
    #[inline(always)]
    pub(super) fn value<W: Warp>(self, w: &mut W, found: Found<W, C::Word>) -> AtLane<W, C::Value> {
        if C::VALUE_IN_WORD {
            // Without a branch on the lane: the tiles of a GPU's warp stay together.
            AtLane::new(found.lane, w.map(found.places, |_, place| self.slots.value(place.at, place.seen)))
        } else {
            let value =
                w.elect_with(found.lane, found.places, |place| self.slots.value(place.at, place.seen));
            AtLane::known(w, value)
        }
    }

    /// Whether the chain ends at a slot: slots are taken in chain order, so nothing follows an empty one. The
    /// pair of an insert that is under way is not there yet, and no other insert goes past it.
    #[inline(always)]
    pub(super) fn is_end(word: C::Word) -> bool {
        C::is_empty(word) | C::is_pending(word)
    }

    /// Whether `is` is true of the word that was found.
    #[inline(always)]
    pub(super) fn is<W: Warp>(
        w: &mut W,
        found: &Option<Found<W, C::Word>>,
        is: impl Fn(C::Word) -> bool,
    ) -> bool {
        let Some(found) = found else { return false };
        // A vote, not a shuffle of the word: that would be four registers of a pair of u64.
        let votes = w.map(found.places, |lane, place| lane == found.lane && is(place.seen));
        w.ballot(votes).any()
    }

    /// What follows a slab as read, for any key.
    #[inline(always)]
    pub(super) fn onward<W: Warp>(w: &mut W, slab: NodeIndex, row: Row<W, C, S>) -> Onward<W, C::Word> {
        let empty = Self::first(w, slab, row, C::is_empty);
        Self::behind(w, row, empty)
    }

    /// What follows a slab as read, where `end` is its first slot that ends the chain.
    #[inline(always)]
    pub(super) fn behind<W: Warp>(
        w: &mut W,
        row: Row<W, C, S>,
        end: Option<Found<W, C::Word>>,
    ) -> Onward<W, C::Word> {
        if end.is_some() {
            return Onward::End(end);
        }
        match Self::link(w, row).next() {
            Some(next) => Onward::Slab(next),
            None => Onward::End(None),
        }
    }
}

/// Whether word `i` of lane `lane` is the slab's link.
#[inline(always)]
pub(super) const fn is_link<W: Warp, const S: usize>(lane: u32, i: usize) -> bool {
    i == S - 1 && lane == W::LANES - 1
}
