//! Inserting, assigning and deleting.

use super::home::{Home, Lock};
use super::mark;
use super::room::Room;
use super::table::{HopscotchTable, Member, Row, is_slot};
use crate::at_lane::AtLane;
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
    /// The key was there: nothing changed, or only its value.
    Present,
    Full,
}

impl End {
    #[inline(always)]
    const fn of_insert(self) -> Insert {
        match self {
            Self::Inserted => Insert::Inserted,
            Self::Present => Insert::Present,
            Self::Full => Insert::Full,
        }
    }

    #[inline(always)]
    const fn of_assign(self) -> Assign {
        match self {
            Self::Inserted => Assign::Inserted,
            Self::Present => Assign::Replaced,
            Self::Full => Assign::Full,
        }
    }
}

impl<E: Packed, H: Words<E::Word>, const S: usize, const N: u32, const V: u32> HopscotchTable<E, H, S, N, V> {
    /// Adds a pair if the key is absent.
    ///
    /// [`Insert::Full`] if no slot of the neighbourhood is empty and no displacement empties one; then
    /// nothing changed. Reads one group if the key is in its home's own, twice if it is inserted there, and
    /// once more after each wait. Blocking: waits for the holder of a lock of its home, or of a home whose
    /// member is to be moved, and before it returns `Full` for all that hold a lock or a reserved slot
    /// around.
    #[inline(always)]
    pub fn insert_unique<W: Warp>(self, w: &mut W, key: UserKey<E::Key>, value: E::Value) -> Insert {
        self.add(w, key, value, false).of_insert()
    }

    /// Adds a pair if the key is absent, otherwise replaces its value. [`Assign::Full`] as in
    /// `insert_unique`.
    #[inline(always)]
    pub fn insert_or_assign<W: Warp>(self, w: &mut W, key: UserKey<E::Key>, value: E::Value) -> Assign {
        self.add(w, key, value, true).of_assign()
    }

    /// Deletes the pair of `key`. Waits for the holder of a lock of its home, unless the key is absent or is
    /// deleted meanwhile.
    #[inline(always)]
    pub fn delete<W: Warp>(self, w: &mut W, key: UserKey<E::Key>) -> Delete {
        let home = self.home_of(key.get());
        let Some(at) = self.enter(w, (home, mark::ENTER), |w, row| self.find(w, key, row).is_none()) else {
            return Delete::Absent;
        };
        let row = self.read(w, home);
        let Some(member) = self.member(w, key, at, row) else {
            self.set_home(w, home, at.unlocked());
            return Delete::Absent;
        };
        self.put(w, &member.slot, E::EMPTY);
        let left = self.without_last(w, home, at, &member, key.get());
        self.set_home(w, home, left.unlocked().changed());
        Delete::Deleted
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
            Op::Insert | Op::InsertUnique | Op::Assign => {
                let end = self.add(w, key, value, op == Op::Assign);
                AtLane::known(w, added(op, end))
            }
            Op::Delete | Op::Search => self.find_or_delete(w, op, key),
        }
    }

    /// Runs an operation like [`mixed`](Self::mixed). `None` if it is an insert or assign that finds no empty
    /// slot in the neighbourhood: nothing has changed then, and `mixed` makes room or returns `Full`.
    #[inline(always)]
    pub fn try_mixed<W: Warp>(
        self,
        w: &mut W,
        op: Op,
        key: UserKey<E::Key>,
        value: E::Value,
    ) -> Option<AtLane<W, Mixed<E::Value>>> {
        match op {
            Op::Insert | Op::InsertUnique | Op::Assign => {
                let end = match self.enter_to_add(w, mark::TRY_ENTER, key, op == Op::Assign) {
                    Some(at) => self.add_locked::<W, false>(w, key, value, op == Op::Assign, at)?,
                    None => End::Present,
                };
                Some(AtLane::known(w, added(op, end)))
            }
            Op::Delete | Op::Search => Some(self.find_or_delete(w, op, key)),
        }
    }

    #[inline(always)]
    fn find_or_delete<W: Warp>(self, w: &mut W, op: Op, key: UserKey<E::Key>) -> AtLane<W, Mixed<E::Value>> {
        if op == Op::Delete {
            let code = self.delete(w, key).code();
            return AtLane::known(w, Mixed::of(code));
        }
        match self.look(w, key) {
            Some(value) => value.map(w, |value| Mixed::of_search(Some(value))),
            None => AtLane::known(w, Mixed::of_search(None)),
        }
    }

    #[inline(always)]
    fn add<W: Warp>(self, w: &mut W, key: UserKey<E::Key>, value: E::Value, assign: bool) -> End {
        let home = self.home_of(key.get());
        loop {
            let Some(at) = self.enter_to_add(w, mark::ENTER, key, assign) else { return End::Present };
            if let Some(end) = self.add_locked::<W, true>(w, key, value, assign, at) {
                return end;
            }
            // Without a lock, which would disturb others that do the same.
            loop {
                w.mark(mark::ROOM, 0);
                match self.room(w, home) {
                    Room::Some => break,
                    Room::None => return End::Full,
                    Room::Unclear => w.pause(),
                }
            }
        }
    }

    /// Takes the lock of a home, unless the group of the home already shows how the operation ends, as
    /// `known` decides. The group is read again after each wait for the lock. So of many operations that
    /// insert or delete one key, one takes the lock. `place` is that of the marks.
    #[inline(always)]
    fn enter<W: Warp>(
        self,
        w: &mut W,
        (home, place): (u32, u32),
        known: impl Fn(&mut W, Row<W, E, S>) -> bool,
    ) -> Option<Home<E::Word, N, V>> {
        let look = |w: &mut W| {
            w.mark(place, 0);
            let row = self.read(w, home);
            if known(w, row) { None } else { Some(Self::home_in(w, row)) }
        };
        // The first look is before the loop: inside of it a kernel needs 46 registers instead of 39.
        let mut seen = look(w)?;
        loop {
            match self.try_lock(w, home, Lock::Multiple, seen) {
                Ok(at) => {
                    w.mark(place + 1, at.bits());
                    return Some(at);
                }
                Err(seen) => self.wait(w, home, seen),
            }
            seen = look(w)?;
        }
    }

    /// Enters the home to insert or assign. A key that is not to be assigned is looked up in its home's own
    /// group first; if it is there, no fence follows, since no value is returned.
    #[inline(always)]
    fn enter_to_add<W: Warp>(
        self,
        w: &mut W,
        place: u32,
        key: UserKey<E::Key>,
        assign: bool,
    ) -> Option<Home<E::Word, N, V>> {
        self.enter(w, (self.home_of(key.get()), place), |w, row| {
            !assign && Self::any(w, row, |word| Self::holds(word, key.get()))
        })
    }

    /// Adds a pair under the lock of its home, and returns the home. `None` if there is no empty slot in the
    /// neighbourhood, and, if it may displace (`FAR`), no way to make one.
    #[inline(always)]
    fn add_locked<W: Warp, const FAR: bool>(
        self,
        w: &mut W,
        key: UserKey<E::Key>,
        value: E::Value,
        assign: bool,
        at: Home<E::Word, N, V>,
    ) -> Option<End> {
        let (home, entry) = (self.home_of(key.get()), E::pack(key.get(), value));
        let row = self.read(w, home);
        if let Some(member) = self.member(w, key, at, row) {
            if assign {
                self.put(w, &member.slot, entry);
            }
            self.set_home(w, home, at.unlocked());
            return Some(End::Present);
        }
        let placed =
            if FAR { self.place(w, (home, at), entry, row) } else { self.near(w, (home, at), entry, row) };
        let left = match placed {
            Some(distance) => at.with(distance, self.class(key.get())),
            None => at,
        };
        self.set_home(w, home, left.unlocked());
        placed.map(|_| End::Inserted)
    }

    /// The home word after a member with this key has left its slot: the hop bit is cleared if it was the
    /// last one of its class in its group.
    #[inline(always)]
    pub(super) fn without_last<W: Warp>(
        self,
        w: &mut W,
        home: u32,
        at: Home<E::Word, N, V>,
        member: &Member<W, E, S>,
        key: E::Key,
    ) -> Home<E::Word, N, V> {
        let (distance, class) = (member.group - home, self.class(key));
        let like = |lane, i, word| {
            is_slot(lane, i) && self.is_member(word, home) && self.class(E::key(word)) == class
        };
        if distance == 0 || row::count(w, member.row, like) > 1 { at } else { at.without(distance, class) }
    }
}

/// The answer of an insert or assign.
#[inline(always)]
fn added<V: Word>(op: Op, end: End) -> Mixed<V> {
    Mixed::of(if op == Op::Assign { end.of_assign().code() } else { end.of_insert().code() })
}
