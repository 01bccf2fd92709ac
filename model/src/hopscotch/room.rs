//! Making room: displacement, and how to find that there is no room.

use super::home::{Home, Lock};
use super::mark;
use super::table::{HopscotchTable, Member, Row, Slot};
use crate::entry::Packed;
use crate::memory::{Order, Words};
use crate::warp::Warp;

/// Whether a home has room for another member.
pub(super) enum Room {
    /// It saw an empty slot in the neighbourhood, or where a displacement ends.
    Some,
    /// At one instant every such slot was taken.
    None,
    /// Other operations were under way.
    Unclear,
}

impl<E: Packed, H: Words<E::Word>, const S: usize, const N: u32, const V: u32> HopscotchTable<E, H, S, N, V> {
    /// Looks for an empty slot that displacements can reach: in the neighbourhood, or in that of a member of
    /// a group that they reach. Takes no lock.
    ///
    /// It sees every slot taken at its own time. All are taken at one instant if no home around lost a member
    /// from before its slots are read until after the last slot is.
    #[inline(always)]
    pub(super) fn room<W: Warp>(self, w: &mut W, home: u32) -> Room {
        let lowest = home.saturating_sub(N - 1);
        let (mut versions, mut calm) = (0u64, true);
        for group in lowest..home {
            self.sum(w, group, &mut versions, &mut calm);
        }
        let (mut group, mut last) = (home, home + N - 1);
        while group <= last {
            self.sum(w, group, &mut versions, &mut calm);
            w.sync();
            let row = self.read(w, group);
            if Self::any(w, row, Self::is_empty) {
                return Room::Some;
            }
            calm &= !Self::any(w, row, Self::is_reserved);
            last = last.max(self.reach(w, group, row));
            group += 1;
        }
        w.sync();
        let mut again = 0u64;
        for group in lowest..self.homes().min(last + 1) {
            let same = if calm { self.last_home(w, group) } else { None };
            let Some(home) = same else { return Room::Unclear };
            again = again.wrapping_add(home.version());
        }
        if versions == again { Room::None } else { Room::Unclear }
    }

    /// Adds the version of a home; a lock disturbs the calm. Versions only grow: equal sums are of equal
    /// versions, unless one wrapped meanwhile (README, *Versions wrap*).
    #[inline(always)]
    fn sum<W: Warp>(self, w: &mut W, group: u32, versions: &mut u64, calm: &mut bool) {
        if group < self.homes() {
            let home = self.home(w, group);
            *versions = versions.wrapping_add(home.version());
            *calm &= !home.is_locked();
        }
    }

    /// The last group to which an entry of a group as read may move.
    #[inline(always)]
    fn reach<W: Warp>(self, w: &mut W, group: u32, row: Row<W, E, S>) -> u32 {
        let mut home = group.min(self.homes() - 1);
        let lowest = group.saturating_sub(N - 1);
        while home > lowest && !Self::any(w, row, |word| self.is_member(word, home)) {
            home -= 1;
        }
        home + N - 1
    }

    /// Sets a hop bit in a home word, which this warp has locked as `at`, before a member with this entry
    /// comes to a later group. An older member may have led a search to that group: every search that begins
    /// later must find whatever that search finds there.
    #[inline(always)]
    fn announce<W: Warp>(self, w: &mut W, home: u32, at: Home<E::Word, N, V>, distance: u32, entry: E::Word) {
        let class = self.class(E::key(entry));
        if !at.reaches(distance, class) {
            self.set_home(w, home, at.with(distance, class));
            w.sync();
        }
    }

    /// Puts an entry of `home`, which this warp has locked as `at`, into an empty slot of its neighbourhood,
    /// if the slot is still empty.
    #[inline(always)]
    fn fill<W: Warp>(
        self,
        w: &mut W,
        (home, at): (u32, Home<E::Word, N, V>),
        distance: u32,
        slot: &Slot<W, E>,
        entry: E::Word,
    ) -> bool {
        if at.version() == 0 {
            // No member of this home ever left a slot: nobody knows older entries or hop bits.
            return self.take(w, slot, entry, Order::Acquire);
        }
        self.announce(w, home, at, distance, entry);
        // Release: pairs with the acquire fence after a key is found. A warp that sees the entry sees the hop
        // bit, and the earlier places of the key as they are now.
        self.take(w, slot, entry, Order::AcqRel)
    }

    /// Puts an entry of a home, which this warp has locked as `at`, into the nearest empty slot of its
    /// neighbourhood. Returns the distance from the home. `row` is the group of the home, read under its
    /// lock.
    #[inline(always)]
    pub(super) fn near<W: Warp>(
        self,
        w: &mut W,
        (home, at): (u32, Home<E::Word, N, V>),
        entry: E::Word,
        mut row: Row<W, E, S>,
    ) -> Option<u32> {
        for distance in 0..N {
            if distance > 0 {
                row = self.read(w, home + distance);
            }
            while let Some(slot) = Self::first(w, home + distance, row, Self::is_empty) {
                if self.fill(w, (home, at), distance, &slot, entry) {
                    return Some(distance);
                }
                // Another insert took it.
                row = self.read(w, home + distance);
            }
        }
        None
    }

    /// As [`near`](Self::near). If there is no such slot, reserves the nearest empty slot that displacements
    /// can reach, and moves entries from earlier groups there until the slot that they leave is near enough.
    /// `None` if there is no way; then entries may have moved, and nothing else has changed.
    #[inline(always)]
    pub(super) fn place<W: Warp>(
        self,
        w: &mut W,
        (home, at): (u32, Home<E::Word, N, V>),
        entry: E::Word,
        mut row: Row<W, E, S>,
    ) -> Option<u32> {
        let (mut group, mut last) = (home, home + N - 1);
        loop {
            let near = group < home + N;
            while let Some(slot) = Self::first(w, group, row, Self::is_empty) {
                let taken = match near {
                    true => self.fill(w, (home, at), group - home, &slot, entry),
                    false => self.take(w, &slot, E::MARK, Order::Acquire),
                };
                if !taken {
                    // Another insert took it.
                    row = self.read(w, group);
                } else if near {
                    return Some(group - home);
                } else {
                    return self.bring(w, (home, at), entry, (group, slot));
                }
            }
            last = last.max(self.reach(w, group, row));
            if group == last {
                return None;
            }
            group += 1;
            row = self.read(w, group);
        }
    }

    /// Moves entries until the slot that they leave is in the neighbourhood of `home`, and puts the entry
    /// there.
    #[inline(always)]
    fn bring<W: Warp>(
        self,
        w: &mut W,
        (home, at): (u32, Home<E::Word, N, V>),
        entry: E::Word,
        (mut group, mut slot): (u32, Slot<W, E>),
    ) -> Option<u32> {
        while group >= home + N {
            let Some(left) = self.hop(w, at, (group, &slot)) else {
                self.put(w, &slot, E::EMPTY);
                return None;
            };
            (group, slot) = (left.group, left.slot);
        }
        self.announce(w, home, at, group - home, entry);
        self.put(w, &slot, entry);
        Some(group - home)
    }

    /// Moves an entry from an earlier group to the slot `to` of `group`, which this warp has reserved. `held`
    /// is the home of the insert, which this warp has locked.
    /// Returns the old slot of the entry, which is now reserved. Its home, the head, comes after that of the
    /// insert: no warp waits for a lower lock than it holds.
    #[inline(always)]
    fn hop<W: Warp>(
        self,
        w: &mut W,
        held: Home<E::Word, N, V>,
        (group, to): (u32, &Slot<W, E>),
    ) -> Option<Member<W, E, S>> {
        loop {
            if W::MARKS {
                let slots = w.map(to.places, |_, place| place.at as u32);
                let slot = w.shfl(slots, to.lane);
                w.mark(mark::HOP + slot, held.bits());
            }
            let (head, from) = self.movable(w, group)?;
            let seen = self.home(w, head);
            let at = match self.try_lock(w, head, Lock::Swap, seen) {
                Ok(at) => at,
                Err(seen) => {
                    self.wait(w, head, seen);
                    continue;
                }
            };
            let row = self.read(w, from);
            let Some(slot) = Self::first(w, from, row, |word| self.is_member(word, head)) else {
                // It is gone.
                self.set_home(w, head, at.unlocked());
                continue;
            };
            let member = Member { group: from, row, slot };
            let entry = Self::seen(w, &member.slot);
            // Copy, then announce, then erase: a search that misses the entry in its old slot finds where it
            // went.
            self.put(w, to, entry);
            let copied = at.with(group - head, self.class(E::key(entry)));
            self.set_home(w, head, copied);
            w.sync();
            self.put(w, &member.slot, E::MARK);
            let left = self.without_last(w, head, copied, &member, E::key(entry));
            self.set_home(w, head, left.unlocked().changed());
            return Some(member);
        }
    }

    /// The first entry of an earlier group that may move to `group`: its home, and its group.
    #[inline(always)]
    fn movable<W: Warp>(self, w: &mut W, group: u32) -> Option<(u32, u32)> {
        (group + 1 - N..group).find_map(|from| {
            let row = self.read(w, from);
            let slot = Self::first(w, from, row, |word| {
                Self::is_entry(word) && self.home_of(E::key(word)) + N > group
            })?;
            let entry = Self::seen(w, &slot);
            Some((self.home_of(E::key(entry)), from))
        })
    }
}
