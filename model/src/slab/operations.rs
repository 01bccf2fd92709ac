//! The operations on one key.

use super::chain::{Onward, SlabTable};
use super::multiplicity::{Multi, Multiplicity};
use super::settle::ChainEnd;
use super::slots::Slots;
use super::walk::{End, IfPresent, Request};
use crate::at_lane::AtLane;
use crate::key::UserKey;
use crate::memory::{IntegerWords, Word};
use crate::outcome::{Assign, Delete, Insert, Mixed, Op};
use crate::warp::Warp;

impl<C: Slots<Multiplicity = Multi>, B: IntegerWords<u32>, const S: usize> SlabTable<C, B, S> {
    /// Adds a pair, whether or not the key is there.
    ///
    /// [`Insert::Full`] if the chain had no empty slot and the pool no slab; then nothing changed. Slabs that
    /// concurrent inserts are about to free count as taken.
    #[inline(always)]
    pub fn insert<W: Warp>(self, w: &mut W, key: UserKey<C::Key>, value: C::Value) -> Insert {
        insert_outcome(self.run(w, Self::request(Op::Insert, key, value)).end)
    }
}

impl<C: Slots, B: IntegerWords<u32>, const S: usize> SlabTable<C, B, S> {
    /// Adds a pair if the key is absent. [`Insert::Full`] as in `insert`.
    #[inline(always)]
    pub fn insert_unique<W: Warp>(self, w: &mut W, key: UserKey<C::Key>, value: C::Value) -> Insert {
        insert_outcome(self.run(w, Self::request(Op::InsertUnique, key, value)).end)
    }

    /// Adds a pair if the key is absent, otherwise replaces the value of one of its pairs.
    #[inline(always)]
    pub fn insert_or_assign<W: Warp>(self, w: &mut W, key: UserKey<C::Key>, value: C::Value) -> Assign {
        assign_outcome(self.run(w, Self::request(Op::Assign, key, value)).end)
    }

    /// The value of one pair of `key`, or `None` if there is none.
    ///
    /// Reads one slab per link of the chain; in a multimap twice if the key is absent and its chain has
    /// tombstones.
    #[inline(always)]
    pub fn search<W: Warp>(self, w: &mut W, key: UserKey<C::Key>) -> Option<C::Value> {
        let reply = self.run(w, Self::request(Op::Search, key, C::Value::ZERO));
        if reply.end == End::Present { Some(reply.value.tell(w)) } else { None }
    }

    /// Deletes one pair of `key`.
    #[inline(always)]
    pub fn delete<W: Warp>(self, w: &mut W, key: UserKey<C::Key>) -> Delete {
        delete_outcome(self.run(w, Self::request(Op::Delete, key, C::Value::ZERO)).end)
    }

    /// Deletes pairs of `key` until it is absent. Returns how many. Each pair is a separate delete: other
    /// warps may see the key with some of its pairs gone.
    #[inline(always)]
    pub fn delete_all<W: Warp>(self, w: &mut W, key: UserKey<C::Key>) -> u32 {
        let delete = Self::request(Op::Delete, key, C::Value::ZERO);
        self.run(w, Request { if_present: IfPresent::EraseAll, ..delete }).erased
    }

    /// Runs an operation whose kind is a value. In a table of unique keys [`Op::Insert`] is a unique insert.
    #[inline(always)]
    pub fn mixed<W: Warp>(
        self,
        w: &mut W,
        op: Op,
        key: UserKey<C::Key>,
        value: C::Value,
    ) -> AtLane<W, Mixed<C::Value>> {
        let reply = self.run(w, Self::request(op, key, value));
        let code = match op {
            Op::Insert | Op::InsertUnique => insert_outcome(reply.end).code(),
            Op::Assign => assign_outcome(reply.end).code(),
            Op::Delete => delete_outcome(reply.end).code(),
            Op::Search => (reply.end == End::Present) as u8,
        };
        reply.value.map(w, |value| Mixed { code, value })
    }

    /// How many pairs `key` has. In a multimap it reads the chain twice, or more often while other warps
    /// change it.
    #[inline(always)]
    pub fn count<W: Warp>(self, w: &mut W, key: UserKey<C::Key>) -> u32 {
        self.search_all(w, key, |_, _, _| {})
    }

    /// Passes the value of every pair of `key` to `sink` as (warp, number, value) and returns how many there
    /// are. A scan that another warp disturbed is repeated: then values are passed again from number 0, and
    /// the last scan counts.
    ///
    /// The set of pairs is that of one instant. A value is one that its pair had at some time in the call: if
    /// the key has several pairs and they are assigned to meanwhile, the values may be from different
    /// instants.
    #[inline(always)]
    pub fn search_all<W: Warp>(
        self,
        w: &mut W,
        key: UserKey<C::Key>,
        mut sink: impl FnMut(&mut W, u32, C::Value),
    ) -> u32 {
        if !C::Multiplicity::MULTI {
            let Some(value) = self.search(w, key) else { return 0 };
            sink(w, 0, value);
            return 1;
        }
        loop {
            let first = self.scan(w, key, &mut sink);
            // SeqCst fence: pairs with the Release of every change of a slot. A pair can only die, so equal
            // counts up to an equal end are the same pairs, all alive at the fence (see `settle`).
            w.fence();
            if self.scan(w, key, |_, _, _| {}) == first {
                return first.live;
            }
        }
    }

    /// The request to the walk for an operation.
    #[inline(always)]
    fn request(op: Op, key: UserKey<C::Key>, value: C::Value) -> Request<C::Key, C::Value> {
        let (if_present, add) = match op {
            Op::Insert if C::Multiplicity::MULTI => (IfPresent::Ignore, true),
            Op::Insert | Op::InsertUnique => (IfPresent::Stop, true),
            Op::Assign => (IfPresent::Assign, true),
            Op::Delete => (IfPresent::Erase, false),
            Op::Search => (IfPresent::Read, false),
        };
        Request { key, value, if_present, add }
    }

    /// One pass over the whole chain.
    #[inline(always)]
    fn scan<W: Warp>(
        self,
        w: &mut W,
        key: UserKey<C::Key>,
        mut sink: impl FnMut(&mut W, u32, C::Value),
    ) -> Sight {
        let mut slab = self.bucket(key);
        let mut live = 0;
        loop {
            let row = self.read(w, slab);
            let base = Self::slot(W::LANES, slab, 0);
            let end = Self::first(w, slab, row, Self::is_end);
            // A pair after the end was read too new, or the end too old. Without an end the slots end at the
            // link.
            let slots = match &end {
                Some(end) => w.elect_with(end.lane, end.places, |place| (place.at - base) as u32),
                None => Self::link_number(W::LANES),
            };
            for i in 0..S {
                let held = w.map(row, |lane, words| {
                    lane * (S as u32) + (i as u32) < slots && C::holds(words[i], key.get())
                });
                let mut votes = w.ballot(held);
                while let Some(lane) = votes.ffs() {
                    votes = votes.without(lane);
                    let at = base + (lane as usize * S) + i;
                    let value = w.elect_with(lane, row, |words| self.slots.value(at, words[i]));
                    sink(w, live, value);
                    live += 1;
                }
            }
            match Self::behind(w, row, end) {
                Onward::Slab(next) => slab = next,
                Onward::End(Some(_)) => {
                    return Sight { live, end: ChainEnd::Slot(base as u64 + u64::from(slots)) };
                }
                Onward::End(None) => return Sight { live, end: ChainEnd::Slab(slab) },
            }
        }
    }
}

/// What a pass over a chain saw, to be compared with another pass.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Sight {
    live: u32,
    end: ChainEnd,
}

#[inline(always)]
fn insert_outcome(end: End) -> Insert {
    match end {
        End::Added => Insert::Inserted,
        End::Full => Insert::Full,
        End::Present | End::Absent => Insert::Present,
    }
}

#[inline(always)]
fn assign_outcome(end: End) -> Assign {
    match end {
        End::Added => Assign::Inserted,
        End::Full => Assign::Full,
        End::Present | End::Absent => Assign::Replaced,
    }
}

#[inline(always)]
fn delete_outcome(end: End) -> Delete {
    if end == End::Present { Delete::Deleted } else { Delete::Absent }
}
