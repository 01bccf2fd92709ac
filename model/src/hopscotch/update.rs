//! Inserting, assigning and deleting.

use super::home::{Home, Lock};
use super::room::Room;
use super::table::{HopscotchTable, Member, is_slot};
use crate::entry::Packed;
use crate::key::UserKey;
use crate::memory::{Word, Words};
use crate::outcome::{Assign, Delete, Insert, Mixed, Op};
use crate::row;
use crate::warp::Warp;

/// How an insert ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Inserted,
    /// The key was there: nothing changed, or its value alone.
    Present,
    Full,
}

impl<E: Packed, H: Words<E::Word>, const S: usize, const N: u32> HopscotchTable<E, H, S, N> {
    /// Adds a pair if the key is absent.
    ///
    /// [`Insert::Full`] if no slot of the neighbourhood is empty and no displacement makes one so; then nothing changed.
    /// Reads one group if the key is in its home's own, twice if it is inserted there. Blocking: waits for the holder of a
    /// lock of its home, or of a home whose member is to be moved, and before it says `Full` for all that hold a lock or
    /// a reserved slot around.
    #[inline(always)]
    pub fn insert_unique<W: Warp>(self, w: &mut W, key: UserKey<E::Key>, value: E::Value) -> Insert {
        match self.add(w, key, value, false) {
            End::Inserted => Insert::Inserted,
            End::Present => Insert::Present,
            End::Full => Insert::Full,
        }
    }

    /// Adds a pair if the key is absent, else replaces its value. [`Assign::Full`] as in `insert_unique`.
    #[inline(always)]
    pub fn insert_or_assign<W: Warp>(self, w: &mut W, key: UserKey<E::Key>, value: E::Value) -> Assign {
        match self.add(w, key, value, true) {
            End::Inserted => Assign::Inserted,
            End::Present => Assign::Replaced,
            End::Full => Assign::Full,
        }
    }

    /// Takes out the pair of `key`. Waits for the holder of a lock of its home, unless the key is absent.
    #[inline(always)]
    pub fn delete<W: Warp>(self, w: &mut W, key: UserKey<E::Key>) -> Delete {
        let home = self.home_of(key.get());
        let row = self.read(w, home);
        if self.find(w, key, row).is_none() {
            return Delete::Absent;
        }
        let at = self.lock(w, home, Lock::Multiple);
        let row = self.read(w, home);
        let Some(member) = self.member(w, key, at, row) else {
            self.set_home(w, home, at.unlocked());
            return Delete::Absent;
        };
        self.put(w, &member.slot, E::EMPTY);
        let left = self.without_last(w, home, at, &member);
        self.set_home(w, home, left.unlocked().changed());
        Delete::Deleted
    }

    /// Runs an operation whose kind is a value. [`Op::Insert`] is a unique insert.
    #[inline(always)]
    pub fn mixed<W: Warp>(self, w: &mut W, op: Op, key: UserKey<E::Key>, value: E::Value) -> Mixed<E::Value> {
        let (code, value) = match op {
            Op::Insert | Op::InsertUnique => (self.insert_unique(w, key, value).code(), E::Value::ZERO),
            Op::Assign => (self.insert_or_assign(w, key, value).code(), E::Value::ZERO),
            Op::Delete => (self.delete(w, key).code(), E::Value::ZERO),
            Op::Search => match self.search(w, key) {
                Some(value) => (1, value),
                None => (0, E::Value::ZERO),
            },
        };
        Mixed { code, value }
    }

    fn add<W: Warp>(self, w: &mut W, key: UserKey<E::Key>, value: E::Value, assign: bool) -> End {
        let home = self.home_of(key.get());
        let entry = E::pack(key.get(), value);
        let row = self.read(w, home);
        if !assign && Self::any(w, row, |word| Self::holds(word, key.get())) {
            return End::Present;
        }
        loop {
            let at = self.lock(w, home, Lock::Multiple);
            let row = self.read(w, home);
            if let Some(member) = self.member(w, key, at, row) {
                if assign {
                    self.put(w, &member.slot, entry);
                }
                self.set_home(w, home, at.unlocked());
                return End::Present;
            }
            if let Some(distance) = self.place(w, home, entry, row) {
                self.set_home(w, home, at.with(distance).unlocked().changed());
                return End::Inserted;
            }
            self.set_home(w, home, at.unlocked());
            // Without a lock, which would disturb others that ask the same.
            loop {
                match self.room(w, home) {
                    Room::Some => break,
                    Room::None => return End::Full,
                    Room::Unclear => w.pause(),
                }
            }
        }
    }

    /// A home without a member: the hop bit goes if it was the last one in its group.
    pub(super) fn without_last<W: Warp>(
        self,
        w: &mut W,
        home: u32,
        at: Home<N>,
        member: &Member<W, E, S>,
    ) -> Home<N> {
        let distance = member.group - home;
        let members = |lane, i, word| is_slot(lane, i) && self.is_member(word, home);
        if distance == 0 || row::count(w, member.row, members) > 1 { at } else { at.without(distance) }
    }
}
