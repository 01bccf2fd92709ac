//! Inserting, assigning, adding and deleting.

use super::table::{Slot, Slots};
use super::{CuckooTable, mark};
use crate::at_lane::AtLane;
use crate::entry::Packed;
use crate::key::UserKey;
use crate::memory::{IntegerWords, Order, Words};
use crate::open::{Change, End, Held, Look, OnPresent};
use crate::outcome::{Add, Assign, Delete, Insert, Mixed, Op};
use crate::row::{self, Place};
use crate::update::Update;
use crate::warp::Warp;

/// The result of a warp that holds the lock of a key's first bucket.
enum Locked {
    /// It is done.
    Done(Held),
    /// The key is absent, and no slot of its buckets is free.
    NoRoom,
}

impl<E: Packed, H: Words<E::Word>, B: IntegerWords<u32>, const S: usize> CuckooTable<E, H, B, S> {
    /// Adds a pair if the key is absent.
    ///
    /// [`Insert::Full`] if neither bucket has room, and none of the chains of moves that it looks at makes
    /// some; the README says when that is exact. Lock-free if a bucket has an empty slot. Otherwise it waits
    /// for others that work on keys of the same first bucket, and moves up to [`CHAIN`](super::CHAIN) keys.
    #[inline(always)]
    pub fn insert_unique<W: Warp>(self, w: &mut W, key: UserKey<E::Key>, value: E::Value) -> Insert {
        let put = self.put(w, key, value, OnPresent::Keep);
        Self::acquire(w);
        End::told(w, put).of_insert()
    }

    /// Adds a pair if the key is absent, otherwise replaces its value under the lock of its first bucket.
    /// [`Assign::Full`] as in `insert_unique`.
    #[inline(always)]
    pub fn insert_or_assign<W: Warp>(self, w: &mut W, key: UserKey<E::Key>, value: E::Value) -> Assign {
        let put = self.put(w, key, value, OnPresent::Assign);
        Self::acquire(w);
        End::told(w, put).of_assign()
    }

    /// Adds a pair if the key is absent, otherwise adds `value` to its value, modulo 2 to the bits of a
    /// value, under the lock of its first bucket: a counter. [`Add::Full`] as in `insert_unique`.
    #[inline(always)]
    pub fn insert_or_add<W: Warp>(self, w: &mut W, key: UserKey<E::Key>, value: E::Value) -> Add {
        self.insert_or_update(w, Update::Add, key, value)
    }

    /// Adds a pair if the key is absent, otherwise changes its value as `update` says, under the lock of its
    /// first bucket; without the lock if the value stays as it is. [`Add::Full`] as in `insert_unique`.
    #[inline(always)]
    pub fn insert_or_update<W: Warp>(
        self,
        w: &mut W,
        update: Update,
        key: UserKey<E::Key>,
        value: E::Value,
    ) -> Add {
        let put = self.put(w, key, value, OnPresent::Update(update));
        Self::acquire(w);
        End::told(w, put).of_add()
    }

    /// Adds the entry of a slot of another table, none of whose keys is here. A slot without an entry, empty
    /// or a tombstone, adds nothing. `false` if there is no room for it. This is how a table is rehashed:
    /// every slot of the old one once, into a new one.
    #[inline(always)]
    pub fn absorb<W: Warp>(self, w: &mut W, slot: E::Word) -> bool {
        match UserKey::new(E::key(slot)) {
            Some(key) => self.put(w, key, E::value(slot), OnPresent::Keep).is_some(),
            None => true,
        }
    }

    /// Deletes the pair of `key`, under the lock of its first bucket. Its slot is used again.
    #[inline(always)]
    pub fn delete<W: Warp>(self, w: &mut W, key: UserKey<E::Key>) -> Delete {
        let held = self.take_out(w, key);
        Self::acquire(w);
        Held::told(w, held).of_delete()
    }

    /// Runs an operation whose kind is a value. [`Op::Insert`] is a unique insert. It must be the last call
    /// of a warp in its launch, or [`Warp::fence_acquire`] must follow it; the other calls include that
    /// fence.
    #[inline(always)]
    pub fn mixed<W: Warp>(
        self,
        w: &mut W,
        op: Op,
        key: UserKey<E::Key>,
        value: E::Value,
    ) -> AtLane<W, Mixed<E::Value>> {
        match op {
            // At one place, so that a kernel has the code once.
            Op::Insert | Op::InsertUnique | Op::Assign => {
                let on_present = if op == Op::Assign { OnPresent::Assign } else { OnPresent::Keep };
                let put = self.put(w, key, value, on_present);
                End::answer(w, op, put)
            }
            Op::Delete => {
                let held = self.take_out(w, key);
                Held::answer(w, Some(held))
            }
            Op::Search => {
                let look = self.look(w, key);
                look.answer(w)
            }
        }
    }

    /// Runs an operation as [`mixed`](Self::mixed) does. `None` if it is an insert or assign of an absent key
    /// whose buckets have no empty slot: nothing has changed then, and `mixed` makes room, or returns that
    /// there is none.
    #[inline(always)]
    pub fn try_mixed<W: Warp>(
        self,
        w: &mut W,
        op: Op,
        key: UserKey<E::Key>,
        value: E::Value,
    ) -> Option<AtLane<W, Mixed<E::Value>>> {
        let on_present = match op {
            Op::Insert | Op::InsertUnique => OnPresent::Keep,
            Op::Assign => OnPresent::Assign,
            Op::Search | Op::Delete => return Some(self.mixed(w, op, key, value)),
        };
        let held = self.try_put(w, key, value, on_present)?;
        let held = AtLane::known(w, held);
        Some(End::answer(w, op, Some(held)))
    }

    /// A delete. Returns what it found. Waits for the lock of the key's first bucket, unless the key is
    /// absent.
    #[inline(always)]
    fn take_out<W: Warp>(self, w: &mut W, key: UserKey<E::Key>) -> AtLane<W, Held> {
        let stands = match self.look(w, key) {
            Look::Decided(found) => found.is(w, |value| value.is_some()),
            Look::Beyond => false,
        };
        if !stands {
            return AtLane::known(w, Held::Nothing);
        }
        let key = key.get();
        let home = self.slots.probe(key).bucket;
        w.mark(mark::LOCK, 0);
        self.locks.lock(w, home);
        w.mark(mark::LOCKED, 0);
        let slot = self.standing(w, key);
        if let Some(slot) = &slot {
            self.write(w, slot, None);
        }
        self.locks.unlock(w, home);
        AtLane::known(w, if slot.is_some() { Held::Key } else { Held::Nothing })
    }

    /// An insert, assign or update. Returns what it found; `None` if there is no room.
    #[inline(always)]
    fn put<W: Warp>(
        self,
        w: &mut W,
        key: UserKey<E::Key>,
        value: E::Value,
        on_present: OnPresent,
    ) -> Option<AtLane<W, Held>> {
        let key = key.get();
        let entry = E::pack(key, value);
        let changed = Slots::<E, H, S>::changed(entry, on_present);
        let home = self.slots.probe(key).bucket;
        loop {
            w.mark(mark::BEGIN, 0);
            if let Some(held) = self.put_in_empty(w, key, changed) {
                return Some(AtLane::known(w, held));
            }
            w.mark(mark::LOCK, 0);
            self.locks.lock(w, home);
            w.mark(mark::LOCKED, 0);
            let locked = self.put_locked(w, key, entry, changed);
            self.locks.unlock(w, home);
            match locked {
                Some(Locked::Done(held)) => return Some(AtLane::known(w, held)),
                Some(Locked::NoRoom) if !self.make_room(w, key) => return None,
                _ => {}
            }
        }
    }

    /// An insert or assign that moves no key. Returns what it found; `None` if the key is absent and no slot
    /// of its buckets is empty: nothing has changed then.
    #[inline(always)]
    fn try_put<W: Warp>(
        self,
        w: &mut W,
        key: UserKey<E::Key>,
        value: E::Value,
        on_present: OnPresent,
    ) -> Option<Held> {
        let key = key.get();
        let changed = Slots::<E, H, S>::changed(E::pack(key, value), on_present);
        if let Some(held) = self.put_in_empty(w, key, changed) {
            return Some(held);
        }
        if on_present == OnPresent::Keep {
            return None;
        }
        let home = self.slots.probe(key).bucket;
        w.mark(mark::TRY_LOCK, 0);
        self.locks.lock(w, home);
        w.mark(mark::TRY_LOCKED, 0);
        let slot = self.standing(w, key);
        if let Some(slot) = &slot
            && let Some(Change::Put(entry, _)) = changed(Self::seen(w, slot))
        {
            self.write(w, slot, Some(entry));
        }
        self.locks.unlock(w, home);
        slot.map(|_| Held::Key)
    }

    /// Puts an entry into the lowest empty slot of the key's buckets, of the first before the second.
    /// `changed` is the new content of a slot that holds the key or is empty, if there is any. Returns what
    /// the slot held; `None` if the lock is needed: the key is there and is to change, or both buckets are
    /// full of others.
    #[inline(always)]
    fn put_in_empty<W: Warp>(
        self,
        w: &mut W,
        key: E::Key,
        changed: impl Fn(E::Word) -> Option<Change<E::Word>> + Copy,
    ) -> Option<Held> {
        let mut probe = self.slots.probe(key);
        loop {
            let row = self.slots.read(w, probe.bucket);
            let base = Self::slot(W::LANES, probe.bucket);
            let wanted = |_, _, word| Self::decides(word, key);
            let stays = |word| Self::holds(word, key) && changed(word).is_none();
            let (slot, stays) = row::first_is(w, base, row, wanted, stays);
            if let Some(slot) = slot {
                if stays {
                    return Some(Held::Key);
                }
                // Not a slot that holds the key: that needs the lock.
                let change = |seen| if Self::is_empty(seen) { changed(seen) } else { None };
                let Ok(held) = self.slots.exchange(w, &slot, change) else {
                    // Another insert took it, perhaps of this key.
                    continue;
                };
                return Some(Held::told(w, held)).filter(|held| *held == Held::Nothing);
            }
            probe = self.slots.next(probe)?;
            Self::acquire(w);
        }
    }

    /// An insert, assign or update under the lock of the key's first bucket: changes the key if it is there,
    /// or puts it into the place of a deleted one. `None` if a slot is empty. The holder of the lock must not
    /// take that: other inserts of this key may want it.
    #[inline(always)]
    fn put_locked<W: Warp>(
        self,
        w: &mut W,
        key: E::Key,
        entry: E::Word,
        changed: impl Fn(E::Word) -> Option<Change<E::Word>> + Copy,
    ) -> Option<Locked> {
        let (mut probe, mut free) = (self.slots.probe(key), None);
        loop {
            let row = self.slots.read(w, probe.bucket);
            let base = Self::slot(W::LANES, probe.bucket);
            let wanted = |_, _, word| Self::decides(word, key);
            match row::first_is(w, base, row, wanted, |word| Self::holds(word, key)) {
                (Some(slot), true) => {
                    if let Some(Change::Put(entry, _)) = changed(Self::seen(w, &slot)) {
                        self.write(w, &slot, Some(entry));
                    }
                    return Some(Locked::Done(Held::Key));
                }
                (Some(_), false) => return None,
                (None, _) => {}
            }
            if free.is_none() {
                free = row::first(w, base, row, |_, _, word| Self::is_free(word));
            }
            probe = match (self.slots.next(probe), &free) {
                (Some(next), _) => next,
                (None, Some(slot)) if self.take(w, slot, entry) => return Some(Locked::Done(Held::Nothing)),
                (None, None) => return Some(Locked::NoRoom),
                // An operation on another key was faster.
                (None, Some(_)) => {
                    free = None;
                    self.slots.probe(key)
                }
            };
        }
    }

    /// Puts an entry into a slot that is empty or holds a tombstone, if the slot has not changed since it was
    /// seen.
    #[inline(always)]
    pub(super) fn take<W: Warp>(self, w: &mut W, slot: &Slot<W, E>, entry: E::Word) -> bool {
        let words = self.slots.slots();
        w.elect_with(slot.lane, slot.places, |Place { at, seen }| {
            // Release: pairs with the fence of the warp that read this slot, or what was put there since, as
            // every write of a slot is an exchange.
            words.compare_exchange(at, seen, entry, Order::Release) == seen
        })
    }

    /// Writes a slot that holds a key whose first bucket this warp has locked: no other warp writes it.
    /// `None` deletes the key.
    #[inline(always)]
    pub(super) fn write<W: Warp>(self, w: &mut W, slot: &Slot<W, E>, entry: Option<E::Word>) {
        let words = self.slots.slots();
        w.elect_with(slot.lane, slot.places, |Place { at, .. }| {
            // Release: as in `take`. An exchange, not a store, so that it carries on what this slot released
            // before.
            words.swap(at, entry.unwrap_or(E::MARK), Order::Release);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::Pair32;
    use crate::hash::Seed;
    use crate::memory::WriteOrder;
    use crate::memory::noted::Noted;
    use crate::warp::two_lanes::TwoLanes;

    #[test]
    fn a_try_ends_unless_room_must_be_made() {
        let (words, locks) = (Noted::<u64, 4>::new(), Noted::<u32, 1>::new());
        (0..4).for_each(|at| (&words).store(at, u64::MAX, WriteOrder::Relaxed));
        let table = CuckooTable::<Pair32, _, _, 1>::new(&words, &locks, 2, Seed::new(1));
        let tried = |op, key, value| {
            let key = UserKey::new(key).expect("a key that a table holds");
            table.try_mixed(&mut TwoLanes, op, key, value).map(|said| said.tell(&mut TwoLanes).code)
        };
        // Every key has both buckets, of two slots each.
        for key in 1..=4 {
            assert_eq!(tried(Op::InsertUnique, key, key), Some(Insert::Inserted.code()), "key {key}");
        }
        for (op, at_present) in
            [(Op::InsertUnique, Insert::Present.code()), (Op::Assign, Assign::Replaced.code())]
        {
            assert_eq!(tried(op, 1, 9), Some(at_present), "{op:?} of a key that is there");
            assert_eq!(tried(op, 5, 9), None, "{op:?} of a key for which there is no room");
        }
        assert_eq!(tried(Op::Search, 1, 0), Some(1));
        assert_eq!(tried(Op::Delete, 2, 0), Some(Delete::Deleted.code()));
    }
}
