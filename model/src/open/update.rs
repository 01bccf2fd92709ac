//! Inserting, assigning, adding and deleting.

use super::answer::End;
use super::filter::Filter;
use super::probing::Probing;
use super::slots::{Change, OnPresent, OpenSlots};
use super::table::{Held, OpenTable, Slot};
use crate::aggregate::Contended;
use crate::at_lane::AtLane;
use crate::entry::Packed;
use crate::key::{Key, UserKey};
use crate::memory::Words;
use crate::outcome::{Add, Assign, Delete, Insert, Mixed, Op};
use crate::row;
use crate::update::Update;
use crate::warp::Warp;

impl<E: Packed, H: OpenSlots<E>, F: Filter, P: Probing, const S: usize> OpenTable<E, H, F, P, S> {
    /// Adds a pair if the key is absent.
    ///
    /// [`Insert::Full`] if no bucket that the key probes has an empty slot: the slot of a deleted pair stays
    /// taken. Lock-free: a slot is lost only to another insert that filled it; with a lock word it waits for
    /// an insert that fills a slot. Reads the buckets that a search reads, and sets its bit in the filter of
    /// each full one.
    #[inline(always)]
    pub fn insert_unique<W: Warp>(self, w: &mut W, key: UserKey<E::Key>, value: E::Value) -> Insert {
        let put = self.put(w, key, value, OnPresent::Keep);
        End::told(w, put).of_insert()
    }

    /// Adds a pair if the key is absent, otherwise replaces its value. [`Assign::Full`] as in
    /// `insert_unique`.
    #[inline(always)]
    pub fn insert_or_assign<W: Warp>(self, w: &mut W, key: UserKey<E::Key>, value: E::Value) -> Assign {
        let put = self.put(w, key, value, OnPresent::Assign);
        End::told(w, put).of_assign()
    }

    /// Adds a pair if the key is absent, otherwise adds `value` to its value, modulo 2 to the bits of a
    /// value: a counter. [`Add::Full`] and waiting as in `insert_unique`. An exchange is lost only to another
    /// one of this slot.
    #[inline(always)]
    pub fn insert_or_add<W: Warp>(self, w: &mut W, key: UserKey<E::Key>, value: E::Value) -> Add {
        self.insert_or_update(w, Update::Add, key, value)
    }

    /// Adds a pair if the key is absent, otherwise changes its value as `update` says. [`Add::Full`] and
    /// waiting as in `insert_unique`. If the value stays as it is, nothing is written.
    #[inline(always)]
    pub fn insert_or_update<W: Warp>(
        self,
        w: &mut W,
        update: Update,
        key: UserKey<E::Key>,
        value: E::Value,
    ) -> Add {
        let put = self.put(w, key, value, OnPresent::Update(update));
        End::told(w, put).of_add()
    }

    /// As [`insert_or_update`](Self::insert_or_update), but a sum that loses an exchange to a change of the
    /// same key is left, and has changed nothing: `None`. So is a sum whose key is a `contended` one. Some of
    /// the sums that lose an exchange note their key there. Where many warps add to one key, most exchanges
    /// are lost; [`add_left`](crate::aggregate::add_left) adds up what is left before it goes to the table.
    #[inline(always)]
    pub fn try_update<W: Warp>(
        self,
        w: &mut W,
        update: Update,
        (key, value): (UserKey<E::Key>, E::Value),
        contended: Contended<impl Words<u32>>,
    ) -> Option<Add> {
        let hash = key.get().hash(self.seed());
        if update == Update::Add && contended.has(w, hash) {
            return None;
        }
        let leaves = |w: &mut W, slot: &Slot<W, E, H>, now| {
            let own = w.map(now, |lane, now| lane == slot.lane && Self::holds(now, key.get()));
            update == Update::Add && w.ballot(own).any()
        };
        match self.put_unless(w, key, value, OnPresent::Update(update), leaves) {
            Some(put) => Some(End::told(w, put).of_add()),
            None => {
                contended.note(w, hash);
                None
            }
        }
    }

    /// Adds the entry of a slot of another table, none of whose keys is here. A slot without an entry, empty
    /// or a tombstone, adds nothing. `false` if there is no room for it. This is how a table is rehashed:
    /// every slot of the old one once, into a new one.
    ///
    /// Adjacent slots of one table go to buckets near each other in a table of another size: a home follows
    /// from the high bits of the hash.
    #[inline(always)]
    pub fn absorb<W: Warp>(self, w: &mut W, slot: E::Word) -> bool {
        match UserKey::new(E::key(slot)) {
            Some(key) => self.put(w, key, E::value(slot), OnPresent::Keep).is_some(),
            None => true,
        }
    }

    /// Deletes the pair of `key`. Its slot is not used again. Lock-free.
    #[inline(always)]
    pub fn delete<W: Warp>(self, w: &mut W, key: UserKey<E::Key>) -> Delete {
        let held = self.take_out(w, key);
        held.map_or(Delete::Absent, |held| Held::told(w, held).of_delete())
    }

    /// Deletes the pair of `key`. `None` if every bucket that the key probes was full: in a table that grows,
    /// the key may have moved on to the next submap.
    #[inline(always)]
    pub(crate) fn take_out<W: Warp>(self, w: &mut W, key: UserKey<E::Key>) -> Option<AtLane<W, Held>> {
        let (table, mut probe) = self.of_key(key.get());
        loop {
            let row = table.read(w, probe.bucket);
            if let Some(slot) = Self::deciding(w, probe.bucket, row, key.get()) {
                match table.exchange(w, &slot, |seen| (!H::is_vacant(seen)).then_some(Change::Erase)) {
                    Ok(held) => return Some(held),
                    // Another value came, or another delete.
                    Err(_) => continue,
                }
            }
            if !self.filter().passed(w, probe.bucket, probe.hash) {
                return Some(AtLane::known(w, Held::Nothing));
            }
            probe = self.next(probe)?;
        }
    }

    /// Runs an operation whose kind is a value. [`Op::Insert`] is a unique insert.
    #[inline(always)]
    pub fn mixed<W: Warp>(
        self,
        w: &mut W,
        op: Op,
        key: UserKey<E::Key>,
        value: E::Value,
    ) -> AtLane<W, Mixed<E::Value>> {
        match op {
            // At one place, so that a kernel has the code once, and lanes of both kinds run it together.
            Op::Insert | Op::InsertUnique | Op::Assign => {
                let on_present = if op == Op::Assign { OnPresent::Assign } else { OnPresent::Keep };
                let put = self.put(w, key, value, on_present);
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

    /// Runs an operation as [`mixed`](Self::mixed) does: nothing is left to a second kernel.
    #[inline(always)]
    pub fn try_mixed<W: Warp>(
        self,
        w: &mut W,
        op: Op,
        key: UserKey<E::Key>,
        value: E::Value,
    ) -> Option<AtLane<W, Mixed<E::Value>>> {
        Some(self.mixed(w, op, key, value))
    }

    /// The new content that an insert, assign or update gives a slot that holds its key or is empty; `None`
    /// if the slot stays.
    #[inline(always)]
    pub(crate) fn changed(
        entry: E::Word,
        on_present: OnPresent,
    ) -> impl Fn(H::Word) -> Option<Change<E::Word>> + Copy {
        move |seen| match on_present {
            _ if Self::is_empty(seen) => Some(Change::Put(entry, on_present)),
            OnPresent::Keep => None,
            OnPresent::Assign => Some(Change::Put(entry, on_present)),
            OnPresent::Update(update) => {
                let updated = H::updated(update, seen, entry)?;
                Some(Change::Put(updated, on_present))
            }
        }
    }

    /// An insert, assign or update. Returns what the slot that decided held; `None` if there is no room.
    #[inline(always)]
    pub(crate) fn put<W: Warp>(
        self,
        w: &mut W,
        key: UserKey<E::Key>,
        value: E::Value,
        on_present: OnPresent,
    ) -> Option<AtLane<W, Held>> {
        self.put_unless(w, key, value, on_present, |_, _, _| false).flatten()
    }

    /// As [`put`](Self::put). After a lost exchange `leaves` sees what the slot holds now. If it returns
    /// true, the call ends and has changed no entry: `None`.
    #[inline(always)]
    fn put_unless<W: Warp>(
        self,
        w: &mut W,
        key: UserKey<E::Key>,
        value: E::Value,
        on_present: OnPresent,
        leaves: impl Fn(&mut W, &Slot<W, E, H>, W::Lanes<H::Word>) -> bool,
    ) -> Option<Option<AtLane<W, Held>>> {
        let entry = E::pack(key.get(), value);
        let changed = Self::changed(entry, on_present);
        let (table, mut probe) = self.of_key(key.get());
        let mut row = table.read(w, probe.bucket);
        loop {
            let Some(slot) = Self::deciding(w, probe.bucket, row, key.get()) else {
                let full = probe.bucket;
                let next = self.next(probe);
                if let Some(next) = next {
                    // Before the filter: a GPU waits for both at once.
                    row = table.read(w, next.bucket);
                }
                self.filter().pass(w, full, probe.hash);
                let Some(next) = next else { return Some(None) };
                probe = next;
                continue;
            };
            if H::PENDING && Self::is_pending(w, &slot) {
                // It may be of this key: what it publishes decides.
                w.pause();
                row = table.read(w, probe.bucket);
                continue;
            }
            match table.exchange(w, &slot, changed) {
                Ok(held) => return Some(Some(held)),
                Err(now) if leaves(w, &slot, now) => return None,
                // Another insert took it, perhaps of this key; or another value came, or a delete. The
                // exchange returns which, and the other slots need no second look: a taken one keeps its key,
                // and an empty one is decided by its own exchange.
                Err(now) => row = row::with(w, Self::slot(W::LANES, probe.bucket), row, &slot, now),
            }
        }
    }

    /// Inserts the entries of `next` one after the other, each with a number, as
    /// [`insert_unique`](Self::insert_unique) does, until one has no key of a user. Calls `ended` with the
    /// result after each.
    ///
    /// For warps of one lane: a lane of a hardware warp that is done with an entry goes on to its next one,
    /// while others still probe for theirs. Each turn of the loop reads one bucket.
    #[inline(always)]
    pub(super) fn put_each<W: Warp>(
        self,
        w: &mut W,
        mut next: impl FnMut(&mut W) -> (E::Word, u32),
        mut ended: impl FnMut(&mut W, u32, End),
    ) {
        let (mut entry, mut number) = next(w);
        let (mut table, mut probe) = self.of_key(E::key(entry));
        let mut full = None;
        // Checked in each turn, also for the same entry: so lanes that go on to another one and lanes that do
        // not meet here.
        while let Some(key) = UserKey::new(E::key(entry)) {
            let row = table.read(w, probe.bucket);
            if let Some(full) = full {
                // After the read: a GPU waits for both at once.
                self.filter().pass(w, full, probe.hash);
            }
            full = None;
            let end = match Self::deciding(w, probe.bucket, row, key.get()) {
                None => match self.next(probe) {
                    Some(behind) => {
                        full = Some(probe.bucket);
                        probe = behind;
                        None
                    }
                    None => Some(End::Full),
                },
                // It may be of this key: what it publishes decides.
                Some(slot) if H::PENDING && Self::is_pending(w, &slot) => {
                    w.pause();
                    None
                }
                // Or another insert took it, perhaps of this key; or another value came, or a delete.
                Some(slot) => table
                    .exchange(w, &slot, Self::changed(entry, OnPresent::Keep))
                    .ok()
                    .map(|held| End::told(w, Some(held))),
            };
            if let Some(end) = end {
                ended(w, number, end);
                (entry, number) = next(w);
                (table, probe) = self.of_key(E::key(entry));
            }
        }
    }
}
