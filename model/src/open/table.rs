//! The table and what every operation shares: buckets, and the order in which they are probed.

use super::filter::Filter;
use super::probing::Probing;
use crate::entry::Packed;
use crate::key::{Key, UserKey, fastrange};
use crate::memory::{Order, ReadOrder, Words};
use crate::row::{self, Found, Place};
use crate::warp::Warp;
use core::marker::PhantomData;

/// A handle to an open-addressing table: a Copy view that every warp carries.
///
/// A bucket is what a warp reads at once: `W::LANES * S` slots. A key stands in the first bucket of those that it probes in
/// which there was an empty slot. One table can be used by warps of different widths as long as `W::LANES * S` is the same.
#[derive(Clone, Copy, Debug)]
pub struct OpenTable<E, H, F, P, const S: usize> {
    slots: H,
    filter: F,
    buckets: u32,
    types: PhantomData<(E, P)>,
}

/// What the lanes of a warp read of one bucket.
pub(super) type Row<W, E, const S: usize> = row::Row<W, <E as Packed>::Word, S>;
/// A slot that was found in a row.
pub(super) type Slot<W, E> = Found<W, <E as Packed>::Word>;

/// Where a key is looked for: a bucket, and those behind it.
#[derive(Clone, Copy)]
pub(super) struct Probe {
    pub(super) bucket: u32,
    pub(super) hash: u32,
    /// Buckets behind this one that were not probed yet.
    left: u32,
}

impl<E: Packed, H: Words<E::Word>, F: Filter, P: Probing, const S: usize> OpenTable<E, H, F, P, S> {
    /// A table of `buckets` buckets, at least one, in all slots of `slots`, which are all ones at first, with a filter of as many
    /// buckets, of which nothing was said at first. [`DoubleHashing`](super::DoubleHashing) probes all buckets if their number
    /// is prime; if not, an insert may be full though there is an empty slot.
    #[inline(always)]
    pub const fn new(slots: H, filter: F, buckets: u32) -> Self {
        Self { slots, filter, buckets, types: PhantomData }
    }

    /// Number of buckets.
    #[inline(always)]
    pub const fn buckets(self) -> u32 {
        self.buckets
    }

    /// The filter.
    #[inline(always)]
    pub(super) fn filter(self) -> F {
        self.filter
    }

    /// Asks for the cache line of the home of `key`. A hint.
    #[inline(always)]
    pub fn prefetch<W: Warp>(self, key: UserKey<E::Key>) {
        self.slots.prefetch(Self::slot(W::LANES, self.probe(key.get()).bucket));
    }

    /// The bucket that a key probes first, its home.
    #[inline(always)]
    pub(super) fn probe(self, key: E::Key) -> Probe {
        let hash = key.hash();
        Probe { bucket: fastrange(hash, self.buckets), hash, left: self.buckets - 1 }
    }

    /// The next bucket, if there is one that was not probed.
    #[inline(always)]
    pub(super) fn next(self, probe: Probe) -> Option<Probe> {
        let left = probe.left.checked_sub(1)?;
        // Worked out here and not before: most keys stand in their home.
        let stride = P::stride(probe.hash, self.buckets);
        // Modulo the buckets: both are less, and their sum may need a bit more.
        let end = self.buckets - stride;
        let bucket = if probe.bucket >= end { probe.bucket - end } else { probe.bucket + stride };
        Some(Probe { bucket, left, ..probe })
    }

    /// The index of the first slot of a bucket.
    #[inline(always)]
    pub(super) fn slot(lanes: u32, bucket: u32) -> usize {
        bucket as usize * (lanes as usize * S)
    }

    /// All lanes read a bucket. Every slot is a read of its own.
    #[inline(always)]
    pub(super) fn read<W: Warp>(self, w: &mut W, bucket: u32) -> Row<W, E, S> {
        w.each(|lane| {
            // Relaxed: an entry is right by itself, and a slot that is taken never gets another key.
            self.slots.load_row::<S>(bucket as usize * W::LANES as usize + lane as usize, ReadOrder::Relaxed)
        })
    }

    /// The lowest slot of a bucket as read whose word is `wanted`.
    #[inline(always)]
    pub(super) fn first<W: Warp>(
        w: &mut W,
        bucket: u32,
        row: Row<W, E, S>,
        wanted: impl Fn(E::Word) -> bool,
    ) -> Option<Slot<W, E>> {
        row::first(w, Self::slot(W::LANES, bucket), row, |_, _, word| wanted(word))
    }

    /// The lowest empty slot of a bucket as read.
    #[inline(always)]
    pub(super) fn first_empty<W: Warp>(w: &mut W, bucket: u32, row: Row<W, E, S>) -> Option<Slot<W, E>> {
        row::first_as(w, Self::slot(W::LANES, bucket), row, |_, _, word| Self::is_empty(word), |_| E::EMPTY)
    }

    /// Whether a bucket as read has an empty slot: its last one, as slots are filled from the lowest on.
    #[inline(always)]
    pub(super) fn has_room<W: Warp>(w: &mut W, row: Row<W, E, S>) -> bool {
        row::any(w, row, |lane, i, word| lane == W::LANES - 1 && i == S - 1 && Self::is_empty(word))
    }

    /// Whether a slot holds this key.
    #[inline(always)]
    pub(super) fn holds(word: E::Word, key: E::Key) -> bool {
        E::key(word) == key
    }

    /// Whether a slot is empty and always was.
    #[inline(always)]
    pub(super) fn is_empty(word: E::Word) -> bool {
        E::key(word) == E::key(E::EMPTY)
    }

    /// Whether a slot holds an entry, and no tombstone.
    #[inline(always)]
    pub(super) fn is_entry(word: E::Word) -> bool {
        UserKey::new(E::key(word)).is_some()
    }

    /// Exchanges what a slot held when it was found for the word that is made of it, if it still does.
    #[inline(always)]
    pub(super) fn exchange<W: Warp>(
        self,
        w: &mut W,
        slot: &Slot<W, E>,
        word: impl FnOnce(E::Word) -> E::Word,
    ) -> bool {
        w.elect_with(slot.lane, slot.places, |Place { at, seen }| {
            // Relaxed: the word is all that there is to say.
            self.slots.compare_exchange(at, seen, word(seen), Order::Relaxed) == seen
        })
    }
}
