//! Inserting, assigning, adding and deleting where keys move.

use super::mark;
use crate::entry::Packed;
use crate::key::UserKey;
use crate::open::slots::Change;
use crate::open::table::{Held, Look, OpenTable, Slot};
use crate::open::{Filter, OpenSlots, Probing};
use crate::row::{self, Place};
use crate::warp::Warp;

/// What a warp with the lock of a key's first bucket did for it.
enum Locked {
    /// It is done.
    Done(Held),
    /// The key is absent, and no slot of its buckets is free.
    NoRoom,
}

impl<E: Packed, H: OpenSlots<E>, F: Filter, P: Probing, const S: usize> OpenTable<E, H, F, P, S> {
    /// [`take_out`](Self::take_out) where keys move. Waits for the lock of the key's first bucket, unless the key is absent.
    #[inline(always)]
    pub(in crate::open) fn take_out_where_keys_move<W: Warp>(self, w: &mut W, key: UserKey<E::Key>) -> Held {
        let stands = match self.look(w, key) {
            Look::Decided(found) => found.is(w, |value| value.is_some()),
            Look::Beyond => false,
        };
        if !stands {
            return Held::Nothing;
        }
        let key = key.get();
        let home = self.probe(key).bucket;
        w.mark(mark::LOCK, 0);
        self.filter().lock(w, home);
        w.mark(mark::LOCKED, 0);
        let slot = self.standing(w, key);
        if let Some(slot) = &slot {
            self.write(w, slot, None);
        }
        self.filter().unlock(w, home);
        if slot.is_some() { Held::Key } else { Held::Nothing }
    }

    /// [`put`](Self::put) where keys move. `changed` is what is made of a slot that holds the key or is empty; `None` if it stays.
    #[inline(always)]
    pub(in crate::open) fn put_where_keys_move<W: Warp>(
        self,
        w: &mut W,
        key: E::Key,
        entry: E::Word,
        changed: impl Fn(H::Word) -> Option<Change<E::Word>> + Copy,
    ) -> Option<Held> {
        let home = self.probe(key).bucket;
        loop {
            w.mark(mark::BEGIN, 0);
            if let Some(held) = self.put_in_empty(w, key, changed) {
                return Some(held);
            }
            w.mark(mark::LOCK, 0);
            self.filter().lock(w, home);
            w.mark(mark::LOCKED, 0);
            let locked = self.put_locked(w, key, entry, changed);
            self.filter().unlock(w, home);
            match locked {
                Some(Locked::Done(held)) => return Some(held),
                Some(Locked::NoRoom) if !self.make_room(w, key) => return None,
                _ => {}
            }
        }
    }

    /// The same, but `None` if the key is absent and no slot of its buckets is empty: nothing has changed then. `keeps` says that
    /// a key that is there stays as it is.
    #[inline(always)]
    pub(in crate::open) fn try_put_where_keys_move<W: Warp>(
        self,
        w: &mut W,
        key: E::Key,
        keeps: bool,
        changed: impl Fn(H::Word) -> Option<Change<E::Word>> + Copy,
    ) -> Option<Held> {
        if let Some(held) = self.put_in_empty(w, key, changed) {
            return Some(held);
        }
        if keeps {
            return None;
        }
        let home = self.probe(key).bucket;
        w.mark(mark::TRY_LOCK, 0);
        self.filter().lock(w, home);
        w.mark(mark::TRY_LOCKED, 0);
        let slot = self.standing(w, key);
        if let Some(slot) = &slot
            && let Some(Change::Put(entry, _)) = changed(Self::seen(w, slot))
        {
            self.write(w, slot, Some(entry));
        }
        self.filter().unlock(w, home);
        slot.map(|_| Held::Key)
    }

    /// Puts an entry into the lowest empty slot of the key's buckets, the first before the second. `None` if that is for who has the
    /// lock: the key is there and is to change, or both are full of others.
    #[inline(always)]
    fn put_in_empty<W: Warp>(
        self,
        w: &mut W,
        key: E::Key,
        changed: impl Fn(H::Word) -> Option<Change<E::Word>> + Copy,
    ) -> Option<Held> {
        let mut probe = self.probe(key);
        loop {
            let row = self.read(w, probe.bucket);
            let base = Self::slot(W::LANES, probe.bucket);
            let wanted = |_, _, word| Self::decides(word, key);
            let stays = |word| Self::holds(word, key) && changed(word).is_none();
            let (slot, stays) = row::first_is(w, base, row, wanted, stays);
            if let Some(slot) = slot {
                if stays {
                    return Some(Held::Key);
                }
                // Not a slot that holds the key: the lock is for that.
                let change = |seen| if Self::is_empty(seen) { changed(seen) } else { None };
                let Ok(held) = self.exchange(w, &slot, change) else {
                    // Another insert took it, which may have been of this key.
                    continue;
                };
                return Some(Held::told(w, held)).filter(|held| *held == Held::Nothing);
            }
            probe = self.next(probe)?;
            Self::acquire(w);
        }
    }

    /// The same for who has the lock of the key's first bucket: changes the key if it is there, or puts it into the place of a
    /// deleted one. `None` if a slot is empty, which is not for who has the lock: other inserts of this key may want it.
    #[inline(always)]
    fn put_locked<W: Warp>(
        self,
        w: &mut W,
        key: E::Key,
        entry: E::Word,
        changed: impl Fn(H::Word) -> Option<Change<E::Word>> + Copy,
    ) -> Option<Locked> {
        let (mut probe, mut free) = (self.probe(key), None);
        loop {
            let row = self.read(w, probe.bucket);
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
            probe = match (self.next(probe), &free) {
                (Some(next), _) => next,
                (None, Some(slot)) if self.take(w, slot, entry) => return Some(Locked::Done(Held::Nothing)),
                (None, None) => return Some(Locked::NoRoom),
                // Another key was faster.
                (None, Some(_)) => {
                    free = None;
                    self.probe(key)
                }
            };
        }
    }

    /// Puts an entry into a slot that is empty or holds a tombstone, if it still holds what was seen.
    #[inline(always)]
    pub(super) fn take<W: Warp>(self, w: &mut W, slot: &Slot<W, E, H>, entry: E::Word) -> bool {
        w.elect_with(slot.lane, slot.places, |Place { at, seen }| self.slots().take(at, seen, entry))
    }

    /// Writes a slot that holds a key whose first bucket this warp has locked: nobody else does. `None` takes the key out.
    #[inline(always)]
    pub(super) fn write<W: Warp>(self, w: &mut W, slot: &Slot<W, E, H>, entry: Option<E::Word>) {
        w.elect_with(slot.lane, slot.places, |Place { at, .. }| self.slots().replace(at, entry));
    }
}
