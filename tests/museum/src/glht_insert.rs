//! The insert of GLHT: reserve an empty slot, bring it near, fill it.
//!
//! The home is locked (`multiple_lock`). *find_empty*: the nearest empty slot is reserved (`multiple_lock`
//! too). *update*: if it is near enough the key is written to it, and the home unlocked with its new bit.
//! Otherwise *find_closer_empty*: from the slot H before it on, lock a head (`swap_lock`), copy the nearest
//! key of that home to the reserved slot, erase it where it was, unlock the head. What was erased is the slot
//! reserved now, and so on.

use crate::glht::{Glht, Row};
use crate::glht_word::{
    EMPTY, HEAD, MOVED, MULTIPLE, bit, is_empty, is_free, is_locked, is_quiet, is_reserved, key,
};
use warpproof_model::Ballot;
use warpproof_model::spec::Ret;
use warpproof_simt::check::{Memory, SimWarp};

/// A slot with its word, as it was last seen or left.
#[derive(Clone, Copy)]
struct Slot {
    at: u32,
    word: u64,
}

/// What came of an insert with its home locked.
enum Placed {
    Done,
    /// No empty slot, or none that can be brought near.
    Full,
    /// From the start.
    Again,
}

/// What came of bringing a reserved slot nearer.
enum Closer {
    /// This slot is the reserved one now.
    Reserved(Slot),
    /// The reserved slot was given up; look for another from here on.
    From(u32),
    /// Nothing can be moved.
    Nowhere,
    /// A step failed half-way.
    Broken,
}

impl Glht {
    pub(crate) fn insert<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, wanted: u64) -> Ret {
        let at = self.home(wanted);
        loop {
            let view = self.find(w, m, wanted);
            if view.offset.is_some() {
                return Ret::Present;
            }
            if is_locked(view.home) {
                w.pause();
                continue;
            }
            if is_empty(view.home) {
                let word = self.remapped(self.filled(view.home, wanted) | bit(0));
                if Self::exchange(w, m, at, view.home, word) {
                    return Ret::Inserted;
                }
                continue;
            }
            let home = Slot { at, word: view.home | MULTIPLE };
            if !Self::exchange(w, m, at, view.home, home.word) {
                continue;
            }
            match self.place(w, m, wanted, home, view.row) {
                Placed::Done => return Ret::Inserted,
                Placed::Full => return Ret::Full,
                Placed::Again => {}
            }
        }
    }

    /// Clears `multiple_lock`.
    fn release<W: SimWarp, M: Memory>(w: &mut W, m: M, slot: Slot) -> bool {
        Self::exchange(w, m, slot.at, slot.word, slot.word & !MULTIPLE)
    }

    /// The insert from where its home is locked. `row` is what find read.
    fn place<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, wanted: u64, home: Slot, row: Row<W>) -> Placed {
        let (mut from, mut known) = (home.at, Some(row));
        'look: loop {
            let Some(mut target) = self.find_empty(w, m, home.at, from, known.take()) else {
                Self::release(w, m, home);
                return Placed::Full;
            };
            while target.at > home.at + self.reach {
                match self.find_closer_empty(w, m, target) {
                    Closer::Reserved(closer) => target = closer,
                    Closer::From(at) => {
                        from = at;
                        continue 'look;
                    }
                    Closer::Nowhere => {
                        Self::release(w, m, target);
                        Self::release(w, m, home);
                        return Placed::Full;
                    }
                    Closer::Broken => return Placed::Again,
                }
            }
            return self.update(w, m, wanted, home.at, target.at);
        }
    }

    /// Reserves the nearest empty slot from `from` on, of which `known` was read already. Waits for slots
    /// that others have reserved if there is no other in their row.
    fn find_empty<W: SimWarp, M: Memory>(
        &self,
        w: &mut W,
        m: M,
        home: u32,
        mut from: u32,
        mut known: Option<Row<W>>,
    ) -> Option<Slot> {
        while from < self.homes {
            let row = known.take().unwrap_or_else(|| self.read(w, m, from));
            let votes = w.map(row, |lane, word| lane <= self.reach && is_free(word));
            for lane in lanes(w.ballot(votes)) {
                let (at, word) = (from + lane, w.shfl(row, lane));
                if Self::exchange(w, m, at, word, word | MULTIPLE) {
                    return Some(Slot { at, word: word | MULTIPLE });
                }
            }
            let votes = w.map(row, |lane, word| lane <= self.reach && is_reserved(word));
            if w.ballot(votes).any() {
                w.pause();
                from = home;
            } else {
                from += self.reach + 1;
            }
        }
        None
    }

    /// Fills the reserved slot, which is near enough, and unlocks the home.
    fn update<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, wanted: u64, home: u32, target: u32) -> Placed {
        let offset = target - home;
        let row = self.read(w, m, home);
        let (locked, word) = (w.shfl(row, 0), w.shfl(row, offset));
        // As published: whatever stands there by now.
        let reserved = !self.repairs.locks_hole || is_reserved(word);
        if !reserved || !Self::exchange(w, m, target, word, self.filled(word, wanted)) {
            Self::release(w, m, Slot { at: home, word: locked });
            return Placed::Again;
        }
        let unlocked = self.remapped((locked & !MULTIPLE) | bit(offset));
        match Self::exchange(w, m, home, locked, unlocked) {
            true => Placed::Done,
            false => Placed::Again,
        }
    }

    /// Moves a key from between to the reserved slot. The heads are tried in order.
    fn find_closer_empty<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, target: Slot) -> Closer {
        for at in target.at - self.reach..target.at {
            let row = self.read(w, m, at);
            let word = w.shfl(row, 0);
            if is_reserved(word) {
                Self::release(w, m, target);
                return Closer::From(at);
            }
            if is_free(word) && Self::exchange(w, m, at, word, word | MULTIPLE) {
                Self::release(w, m, target);
                return Closer::Reserved(Slot { at, word: word | MULTIPLE });
            }
            // The bit of the target first: a warp that reads the copy may take it for a member.
            let head = Slot { at, word: self.remapped(word | HEAD | bit(target.at - at)) };
            if is_quiet(word) && Self::exchange(w, m, at, word, head.word) {
                match self.swap(w, m, row, head, target) {
                    Closer::Nowhere => {}
                    found => return found,
                }
            }
        }
        Closer::Nowhere
    }

    /// Moves the nearest key of a locked head to the reserved slot, and unlocks the head.
    fn swap<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, row: Row<W>, head: Slot, target: Slot) -> Closer {
        if head.word & bit(0) != 0 {
            return self.swap_head(w, m, head, target);
        }
        let distance = target.at - head.at;
        let votes =
            w.map(row, |lane, word| lane < distance && head.word & bit(lane) != 0 && !is_locked(word));
        for offset in lanes(w.ballot(votes)) {
            let slot = Slot { at: head.at + offset, word: w.shfl(row, offset) };
            if is_empty(slot.word) {
                // A delete has emptied it and not unlocked this home yet, as published.
                if Self::exchange(w, m, slot.at, slot.word, slot.word | MULTIPLE) {
                    self.unlock_head(w, m, head, distance);
                    let given_up = Self::release(w, m, target);
                    let reserved = Slot { word: slot.word | MULTIPLE, ..slot };
                    return if given_up { Closer::Reserved(reserved) } else { Closer::From(head.at) };
                }
            } else if Self::exchange(w, m, slot.at, slot.word, slot.word | MOVED) {
                let moved = Slot { word: slot.word | MOVED, ..slot };
                return self.swap_member(w, m, head, moved, target);
            }
        }
        match self.unlock_head(w, m, head, distance) {
            true => Closer::Nowhere,
            false => Closer::Broken,
        }
    }

    /// Unlocks a head, with the bitmap less the slot so far after it.
    fn unlock_head<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, head: Slot, offset: u32) -> bool {
        Self::exchange(w, m, head.at, head.word, self.remapped(head.word & !HEAD & !bit(offset)))
    }

    /// The head holds a key of its own, which is moved.
    fn swap_head<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, head: Slot, target: Slot) -> Closer {
        if !Self::exchange(w, m, target.at, target.word, self.filled(target.word, key(head.word))) {
            return Closer::Broken;
        }
        let own = if self.repairs.keeps_bitmap { bit(0) } else { 0 };
        let lock = if self.repairs.locks_hole { MULTIPLE } else { 0 };
        let hole = self.remapped((head.word & !HEAD & !own) | EMPTY | lock);
        match Self::exchange(w, m, head.at, head.word, hole) {
            true => Closer::Reserved(Slot { at: head.at, word: hole }),
            false => Closer::Broken,
        }
    }

    /// A key of the head that is after it is moved: copy, erase, unlock. Where finds read the head twice
    /// it is unlocked before the erasure, so that no warp reads it as before the copy and the slot as after
    /// the erasure.
    fn swap_member<W: SimWarp, M: Memory>(
        &self,
        w: &mut W,
        m: M,
        head: Slot,
        moved: Slot,
        target: Slot,
    ) -> Closer {
        if !Self::exchange(w, m, target.at, target.word, self.filled(target.word, key(moved.word))) {
            return Closer::Broken;
        }
        let hole = Slot { at: moved.at, word: (moved.word & !MOVED) | EMPTY | MULTIPLE };
        let offset = moved.at - head.at;
        if self.repairs.rereads && !self.unlock_head(w, m, head, offset) {
            return Closer::Broken;
        }
        if !Self::exchange(w, m, moved.at, moved.word, hole.word) {
            return Closer::Broken;
        }
        if !self.repairs.rereads && !self.unlock_head(w, m, head, offset) {
            return Closer::Broken;
        }
        Closer::Reserved(hole)
    }
}

/// The lanes that voted, ascending.
fn lanes(mut votes: Ballot) -> impl Iterator<Item = u32> {
    core::iter::from_fn(move || {
        let lane = votes.ffs()?;
        votes = votes.without(lane);
        Some(lane)
    })
}
