//! The table and the code that all operations share: buckets, and the order in which they are probed.

use super::filter::Filter;
use super::probing::Probing;
use super::slots::{Change, OpenSlots};
use crate::at_lane::AtLane;
use crate::entry::Packed;
use crate::hash::Seed;
use crate::key::{Key, UserKey};
use crate::retrieve::SlotArray;
use crate::row::{self, Found, Place};
use crate::warp::Warp;
use core::marker::PhantomData;

/// A handle to an open-addressing table: a Copy view that every warp carries.
///
/// A bucket is what a warp reads at once: `W::LANES * S` slots. A key is in the first of the buckets that it
/// probes that had an empty slot. Warps of different widths may use one table if `W::LANES * S` is equal.
#[derive(Clone, Copy, Debug)]
pub struct OpenTable<E, H, F, P, const S: usize> {
    slots: H,
    filter: F,
    buckets: u32,
    seed: Seed,
    types: PhantomData<(E, P)>,
}

/// The slots of one bucket, as the lanes of a warp read them.
pub(super) type Row<W, E, H, const S: usize> = row::Row<W, <H as OpenSlots<E>>::Word, S>;
/// A slot that was found in a row.
pub(super) type Slot<W, E, H> = Found<W, <H as OpenSlots<E>>::Word>;

/// A place of the search for a key: a bucket, and those that it probes next.
#[derive(Clone, Copy)]
pub(crate) struct Probe {
    pub(crate) bucket: u32,
    /// The low half of the hash of the key.
    pub(crate) hash: u32,
    /// How many more buckets the key probes.
    left: u32,
}

impl<E: Packed, H: OpenSlots<E>, F: Filter, P: Probing, const S: usize> OpenTable<E, H, F, P, S> {
    /// A table of `buckets` buckets, at least one, in all slots of `slots`, which are all ones at first, with
    /// a filter for as many buckets, which is empty at first. `seed` decides the homes of keys.
    /// [`DoubleHashing`](super::DoubleHashing) probes all buckets if their number is prime; if not, an insert
    /// may be full though there is an empty slot.
    #[inline(always)]
    pub const fn new(slots: H, filter: F, buckets: u32, seed: Seed) -> Self {
        Self { slots, filter, buckets, seed, types: PhantomData }
    }

    /// The slots, numbered through.
    #[inline(always)]
    pub const fn array(self) -> SlotArray<E, H> {
        SlotArray::new(self.slots)
    }

    /// This table, with its slots seen through the view that `view` makes of them.
    #[inline(always)]
    pub fn with_slots<G>(self, view: impl FnOnce(H) -> G) -> OpenTable<E, G, F, P, S> {
        let Self { slots, filter, buckets, seed, types } = self;
        OpenTable { slots: view(slots), filter, buckets, seed, types }
    }

    /// Number of buckets.
    #[inline(always)]
    pub const fn buckets(self) -> u32 {
        self.buckets
    }

    /// What decides the homes of keys.
    #[inline(always)]
    pub const fn seed(self) -> Seed {
        self.seed
    }

    /// The slots.
    #[inline(always)]
    pub(crate) fn slots(self) -> H {
        self.slots
    }

    /// The filter.
    #[inline(always)]
    pub(super) fn filter(self) -> F {
        self.filter
    }

    /// Prefetches the home of `key`. A hint.
    #[inline(always)]
    pub fn prefetch<W: Warp>(self, key: UserKey<E::Key>) {
        self.slots.ask_for(Self::slot(W::LANES, self.probe(key.get()).bucket));
    }

    /// The bucket that a key probes first, its home.
    #[inline(always)]
    pub(crate) fn probe(self, key: E::Key) -> Probe {
        let hash = key.hash(self.seed);
        Probe { bucket: hash.digit(self.buckets), hash: hash.low(), left: P::most(self.buckets) - 1 }
    }

    /// The table as an operation on `key` sees it, and the bucket that the key probes first.
    #[inline(always)]
    pub(super) fn of_key(self, key: E::Key) -> (Self, Probe) {
        let probe = self.probe(key);
        (Self { slots: self.slots.of_key(probe.hash), ..self }, probe)
    }

    /// The home of a key.
    #[inline(always)]
    pub(super) fn home(self, key: E::Key) -> u32 {
        self.probe(key).bucket
    }

    /// The next bucket, if there is one that was not probed.
    #[inline(always)]
    pub(crate) fn next(self, probe: Probe) -> Option<Probe> {
        let left = probe.left.checked_sub(1)?;
        // Computed here and not before: most keys are in their home.
        let stride = P::stride(probe.hash, self.buckets);
        // Modulo the number of buckets: both are less, but their sum may need one more bit.
        let end = self.buckets - stride;
        let bucket = if probe.bucket >= end { probe.bucket - end } else { probe.bucket + stride };
        Some(Probe { bucket, left, ..probe })
    }

    /// The index of the first slot of a bucket.
    #[inline(always)]
    pub(crate) fn slot(lanes: u32, bucket: u32) -> usize {
        bucket as usize * (lanes as usize * S)
    }

    /// All lanes read a bucket. Every slot is a separate read.
    #[inline(always)]
    pub(crate) fn read<W: Warp>(self, w: &mut W, bucket: u32) -> Row<W, E, H, S> {
        w.each(|lane| self.slots.probe::<S>(bucket as usize * W::LANES as usize + lane as usize))
    }

    /// The slot of a bucket as read that decides about a key: the lowest one that holds it, or is empty or
    /// pending.
    #[inline(always)]
    pub(super) fn deciding<W: Warp>(
        w: &mut W,
        bucket: u32,
        row: Row<W, E, H, S>,
        key: E::Key,
    ) -> Option<Slot<W, E, H>> {
        row::first(w, Self::slot(W::LANES, bucket), row, |_, _, word| Self::decides(word, key))
    }

    /// Whether a slot decides about a key, if no lower slot does. The key is not after an empty or pending
    /// slot, whatever was read there: that may be older than what was read before.
    #[inline(always)]
    pub(crate) fn decides(word: H::Word, key: E::Key) -> bool {
        Self::holds(word, key) | Self::is_empty(word) | H::is_pending(word)
    }

    /// Whether the slot that decides about a key is pending.
    #[inline(always)]
    pub(super) fn is_pending<W: Warp>(w: &mut W, slot: &Slot<W, E, H>) -> bool {
        let pending = w.map(slot.places, |_, place| H::is_pending(place.seen));
        w.ballot(pending).has(slot.lane)
    }

    /// Whether a slot holds this key.
    #[inline(always)]
    pub(crate) fn holds(word: H::Word, key: E::Key) -> bool {
        H::key(word) == key
    }

    /// Whether a slot is empty and always was.
    #[inline(always)]
    pub(crate) fn is_empty(word: H::Word) -> bool {
        H::key(word) == E::key(E::EMPTY)
    }

    /// Whether a slot holds an entry, and no tombstone.
    #[inline(always)]
    pub(crate) fn is_entry(word: H::Word) -> bool {
        UserKey::new(H::key(word)).is_some()
    }

    /// Changes the slot that decides about a key to `change` of its content as read, if it still has that
    /// content; without a `change` it stays. Its lane returns the old content. If the exchange was lost, that
    /// lane returns the present content, and the other lanes what they read.
    #[inline(always)]
    pub(crate) fn exchange<W: Warp>(
        self,
        w: &mut W,
        slot: &Slot<W, E, H>,
        change: impl Fn(H::Word) -> Option<Change<E::Word>>,
    ) -> Result<AtLane<W, Held>, W::Lanes<H::Word>> {
        let now = w.map(slot.places, |lane, Place { at, seen }| match change(seen) {
            Some(change) if lane == slot.lane => self.slots.change(at, seen, change),
            _ => seen,
        });
        let lost = w.both(slot.places, now, |_, Place { seen, .. }, now| seen != now);
        if w.ballot(lost).any() {
            return Err(now);
        }
        let held = w.map(
            slot.places,
            |_, Place { seen, .. }| if H::is_vacant(seen) { Held::Nothing } else { Held::Key },
        );
        Ok(AtLane::new(slot.lane, held))
    }
}

/// The result of a look for a key.
pub(crate) enum Look<W: Warp, V: Copy> {
    /// It is there, with this value, or absent.
    Decided(AtLane<W, Option<V>>),
    /// All buckets that it probes are full of other keys, and keys of its class went on from the last one.
    Beyond,
}

/// The content of the slot that decides about a key.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Held {
    /// The key.
    Key,
    /// Nothing: the key was absent.
    Nothing,
}
