//! The table and its operations.

use crate::at_lane::AtLane;
use crate::entry::Packed;
use crate::key::UserKey;
use crate::memory::{IntegerWords, Order, ReadOrder, Words};
use crate::open::{End, Filter, Held, Look, OnPresent, OpenTable, Probing};
use crate::outcome::{Add, Assign, Delete, Insert, Mixed, Op};
use crate::update::Update;
use crate::warp::Warp;

/// The submaps of a dynamic table.
pub trait Submaps<const S: usize>: Copy {
    /// The entry in a slot.
    type Entry: Packed;
    /// The slots of a submap.
    type Words: Words<<Self::Entry as Packed>::Word>;
    /// The filter of a submap.
    type Filter: Filter;
    /// The buckets of a submap that a key probes. All of them may be full of other keys before a key goes on
    /// to the next submap: a bound ([`Bounded`](crate::open::Bounded)) keeps their number small.
    type Probing: Probing;

    /// Submap `index`: the first one, number 0, or a published one.
    fn at(self, index: u32) -> OpenTable<Self::Entry, Self::Words, Self::Filter, Self::Probing, S>;

    /// Runs `f`, which makes and publishes submap `index`, while no other warp runs its own; or returns
    /// [`Added::Soon`] if another one does. It then knows everything that the last one did.
    fn one_at_a_time(self, index: u32, f: impl FnOnce() -> Added) -> Added;

    /// Makes submap `index`, with empty slots and an empty filter, unless it exists. Returns whether it
    /// exists. Called within [`one_at_a_time`](Self::one_at_a_time).
    fn make(self, index: u32) -> bool;
}

/// The result of asking for another submap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Added {
    /// It is published.
    Now = 0,
    /// Another warp makes it: wait for it.
    Soon = 1,
    /// There is no memory for it, or it is refused.
    Never = 2,
}

/// The buckets of submap `index`, if the first one has `first`: as many as all before it together.
pub const fn submap_buckets(first: u32, index: u32) -> u64 {
    (first as u64) << index.saturating_sub(1)
}

/// A handle to an open-addressing table that grows by submaps: a Copy view that every warp carries.
#[derive(Clone, Copy, Debug)]
pub struct DynamicTable<D, B, const S: usize> {
    submaps: D,
    published: B,
}

type Submap<D, const S: usize> = OpenTable<
    <D as Submaps<S>>::Entry,
    <D as Submaps<S>>::Words,
    <D as Submaps<S>>::Filter,
    <D as Submaps<S>>::Probing,
    S,
>;
type Key<D, const S: usize> = <<D as Submaps<S>>::Entry as Packed>::Key;
type Value<D, const S: usize> = <<D as Submaps<S>>::Entry as Packed>::Value;

impl<D: Submaps<S>, B: IntegerWords<u32>, const S: usize> DynamicTable<D, B, S> {
    /// A table of these submaps. `published` is one word, zero at first: the number of submaps besides the
    /// first.
    #[inline(always)]
    pub const fn new(submaps: D, published: B) -> Self {
        Self { submaps, published }
    }

    /// A submap: the first one, or a published one.
    #[inline(always)]
    pub fn submap(self, index: u32) -> Submap<D, S> {
        self.submaps.at(index)
    }

    /// How many submaps this lane knows of. Not for warps of several lanes while others run.
    #[inline(always)]
    pub fn submaps(self) -> u32 {
        // Acquire: pairs with the Release of `publish`.
        1 + self.published.load(0, ReadOrder::Acquire)
    }

    /// How many buckets the submaps have that this lane knows of.
    #[inline(always)]
    pub fn buckets(self) -> u32 {
        (0..self.submaps()).fold(0, |sum: u32, index| sum.saturating_add(self.submap(index).buckets()))
    }

    /// The submap of bucket number `bucket` among all [`buckets`](Self::buckets), and its number there.
    #[inline(always)]
    pub(crate) fn submap_of(self, mut bucket: u32) -> (Submap<D, S>, u32) {
        let (mut index, last) = (0, self.submaps() - 1);
        loop {
            let submap = self.submap(index);
            if bucket < submap.buckets() || index == last {
                return (submap, bucket);
            }
            (bucket, index) = (bucket - submap.buckets(), index + 1);
        }
    }

    /// Passes every entry of a bucket, numbered among all [`buckets`](Self::buckets), to `sink` as (warp,
    /// number, key, value), numbered from 0. Changes by other warps meanwhile may be missed. Like
    /// [`submaps`](Self::submaps), not for warps of several lanes while others add submaps: only one lane
    /// would know that a submap's slots are empty.
    #[inline(always)]
    pub fn visit<W: Warp>(
        self,
        w: &mut W,
        bucket: u32,
        sink: impl FnMut(&mut W, u32, Key<D, S>, Value<D, S>),
    ) -> u32 {
        let (submap, bucket) = self.submap_of(bucket);
        submap.visit(w, bucket, sink)
    }

    /// Publishes submap `index`, with empty slots and an empty filter, if it is the next one. Returns whether
    /// this call did. Called by the lane that made the submap, or after a `sync` that follows the making.
    #[inline(always)]
    pub fn publish(self, index: u32) -> bool {
        let Some(before) = index.checked_sub(1) else { return false };
        // Release: a warp that reads this number sees the empty slots, and no earlier content of that memory.
        self.published.compare_exchange(0, before, index, Order::Release) == before
    }

    /// Prefetches the homes of `key` in the first submap and the last. A hint.
    #[inline(always)]
    pub fn prefetch<W: Warp>(self, key: UserKey<Key<D, S>>) {
        let last = self.submaps() - 1;
        self.submap(0).prefetch::<W>(key);
        if last > 0 {
            self.submap(last).prefetch::<W>(key);
        }
    }

    /// The value of `key`, or `None` if it is absent. Wait-free: reads each bucket that the key probes once.
    #[inline(always)]
    pub fn search<W: Warp>(self, w: &mut W, key: UserKey<Key<D, S>>) -> Option<Value<D, S>> {
        match self.look(w, key) {
            Look::Decided(found) => found.tell(w),
            Look::Beyond => None,
        }
    }

    /// Adds a pair if the key is absent. [`Insert::Full`] if all buckets that it probes are full, and this
    /// warp knows of no other submap. Lock-free but for adding a submap, which is as
    /// [`Submaps::one_at_a_time`] is.
    #[inline(always)]
    pub fn insert_unique<W: Warp>(self, w: &mut W, key: UserKey<Key<D, S>>, value: Value<D, S>) -> Insert {
        let put = self.put(w, key, value, OnPresent::Keep);
        End::told(w, put).of_insert()
    }

    /// Adds a pair if the key is absent, otherwise replaces its value. [`Assign::Full`] as in
    /// `insert_unique`.
    #[inline(always)]
    pub fn insert_or_assign<W: Warp>(self, w: &mut W, key: UserKey<Key<D, S>>, value: Value<D, S>) -> Assign {
        let put = self.put(w, key, value, OnPresent::Assign);
        End::told(w, put).of_assign()
    }

    /// Adds a pair if the key is absent, otherwise adds `value` to its value, modulo 2 to the bits of a
    /// value. [`Add::Full`] as in `insert_unique`.
    #[inline(always)]
    pub fn insert_or_add<W: Warp>(self, w: &mut W, key: UserKey<Key<D, S>>, value: Value<D, S>) -> Add {
        self.insert_or_update(w, Update::Add, key, value)
    }

    /// Adds a pair if the key is absent, otherwise changes its value as `update` says. [`Add::Full`] as in
    /// `insert_unique`. If the value stays as it is, nothing is written.
    #[inline(always)]
    pub fn insert_or_update<W: Warp>(
        self,
        w: &mut W,
        update: Update,
        key: UserKey<Key<D, S>>,
        value: Value<D, S>,
    ) -> Add {
        let put = self.put(w, key, value, OnPresent::Update(update));
        End::told(w, put).of_add()
    }

    /// Deletes the pair of `key`. Its slot is not used again. Lock-free.
    #[inline(always)]
    pub fn delete<W: Warp>(self, w: &mut W, key: UserKey<Key<D, S>>) -> Delete {
        self.take_out(w, key).map_or(Delete::Absent, |held| Held::told(w, held).of_delete())
    }

    /// Runs an operation whose kind is a value. [`Op::Insert`] is a unique insert.
    #[inline(always)]
    pub fn mixed<W: Warp>(
        self,
        w: &mut W,
        op: Op,
        key: UserKey<Key<D, S>>,
        value: Value<D, S>,
    ) -> AtLane<W, Mixed<Value<D, S>>> {
        match op {
            Op::Insert | Op::InsertUnique => {
                let put = self.put(w, key, value, OnPresent::Keep);
                End::answer(w, op, put)
            }
            Op::Assign => {
                let put = self.put(w, key, value, OnPresent::Assign);
                End::answer(w, op, put)
            }
            Op::Delete => {
                let held = self.take_out(w, key);
                Held::answer(w, held)
            }
            Op::Search => {
                let look = self.look(w, key);
                look.answer(w)
            }
        }
    }

    #[inline(always)]
    fn look<W: Warp>(self, w: &mut W, key: UserKey<Key<D, S>>) -> Look<W, Value<D, S>> {
        let mut index = 0;
        loop {
            if let said @ Look::Decided(_) = self.submap(index).look(w, key) {
                return said;
            }
            index += 1;
            if !self.is_published(w, index) {
                return Look::Beyond;
            }
        }
    }

    #[inline(always)]
    fn take_out<W: Warp>(self, w: &mut W, key: UserKey<Key<D, S>>) -> Option<AtLane<W, Held>> {
        let mut index = 0;
        loop {
            if let Some(held) = self.submap(index).take_out(w, key) {
                return Some(held);
            }
            index += 1;
            if !self.is_published(w, index) {
                return None;
            }
        }
    }

    #[inline(always)]
    fn put<W: Warp>(
        self,
        w: &mut W,
        key: UserKey<Key<D, S>>,
        value: Value<D, S>,
        on_present: OnPresent,
    ) -> Option<AtLane<W, Held>> {
        let mut index = 0;
        loop {
            if let Some(held) = self.submap(index).put(w, key, value, on_present) {
                return Some(held);
            }
            index += 1;
            while !self.is_published(w, index) {
                match self.add(w, index) {
                    Added::Now => break,
                    Added::Soon => w.pause(),
                    Added::Never => return None,
                }
            }
        }
    }

    /// Whether submap `index` is published. All before it are.
    #[inline(always)]
    fn is_published<W: Warp>(self, w: &mut W, index: u32) -> bool {
        // Acquire: pairs with the Release of `publish`. The first lane always reads it: what it knows only
        // grows.
        let published = w.elect(0, || self.published.load(0, ReadOrder::Acquire));
        w.sync();
        index <= published
    }

    /// Makes and publishes submap `index`, if it can. All before it are published.
    pub fn add_submap(self, index: u32) -> Added {
        self.submaps.one_at_a_time(index, || {
            if !self.submaps.make(index) {
                return Added::Never;
            }
            // It is already published if another warp was first.
            self.publish(index);
            Added::Now
        })
    }

    /// Asks for submap `index`.
    #[inline(always)]
    fn add<W: Warp>(self, w: &mut W, index: u32) -> Added {
        let added = w.elect(0, || self.add_submap(index) as u32);
        w.sync();
        match added {
            0 => Added::Now,
            1 => Added::Soon,
            _ => Added::Never,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_submap_has_as_many_buckets_as_all_before_it() {
        assert_eq!([0, 1, 2, 3, 4].map(|index| submap_buckets(3, index)), [3, 3, 6, 12, 24]);
        assert_eq!(submap_buckets(u32::MAX, 3), u64::from(u32::MAX) * 4);
    }
}
