//! Finding a key.

use super::home::Home;
use super::table::{HopscotchTable, Member, Row, Slot, is_slot};
use crate::at_lane::AtLane;
use crate::entry::Packed;
use crate::key::UserKey;
use crate::memory::Words;
use crate::row;
use crate::warp::Warp;

impl<E: Packed, H: Words<E::Word>, const S: usize, const N: u32, const V: u32> HopscotchTable<E, H, S, N, V> {
    /// The value of `key`, or `None` if it is absent.
    ///
    /// Wait-free: reads at most `N` groups, each once, and the home word once after each, whatever other
    /// warps do or where they stop. A key in the group of its home is found by one read of that group and a
    /// fence.
    #[inline(always)]
    pub fn search<W: Warp>(self, w: &mut W, key: UserKey<E::Key>) -> Option<E::Value> {
        Some(self.look(w, key)?.tell(w))
    }

    /// The value of a key, at the lane that found the key.
    #[inline(always)]
    pub(super) fn look<W: Warp>(self, w: &mut W, key: UserKey<E::Key>) -> Option<AtLane<W, E::Value>> {
        let row = self.read(w, self.home_of(key.get()));
        let found = self.find(w, key, row)?;
        self.found(w);
        Some(AtLane::new(found.lane, w.map(found.places, |_, place| E::value(place.seen))))
    }

    /// The fence after a search has found its key.
    #[inline(always)]
    pub(super) fn found<W: Warp>(self, w: &mut W) {
        // Acquire fence: pairs with the AcqRel of the exchange that filled the slot, or with the Release of
        // `put`. The next call of this warp reads no slot and no home word as it was before: not where the
        // key stood before it came here, nor without the hop bit that led here.
        // The sync is for speed: lanes that meet before the fence search 3 to 6 % faster on an H200.
        w.sync();
        w.fence_acquire();
    }

    /// The slot of a key, which may be gone or moved when it is read again. A later read may even return an
    /// older word, unless [`found`](Self::found) comes between. `row` is the group of its home, read in this
    /// operation.
    ///
    /// Groups are read in ascending order, and after each the home word names the next one. An entry only
    /// ever moves to a later group. It is there, with the hop bit set, before it leaves the earlier one. So a
    /// key that is there all the time is always in a group that is still to be read.
    #[inline(always)]
    pub(super) fn find<W: Warp>(
        self,
        w: &mut W,
        key: UserKey<E::Key>,
        mut row: Row<W, E, S>,
    ) -> Option<Slot<W, E>> {
        let (key, home) = (key.get(), self.home_of(key.get()));
        let class = self.class(key);
        let mut distance = 0;
        loop {
            let found = Self::first(w, home + distance, row, |word| Self::holds(word, key));
            if found.is_some() {
                return found;
            }
            // Acquire fence: pairs with the Release of `put`. The warp that took the key away wrote before
            // where it went, and the home word is read after that.
            w.sync();
            w.fence_acquire();
            distance = self.home(w, home).next(distance, class)?;
            w.sync();
            row = self.read(w, home + distance);
        }
    }

    /// A key whose home this warp has locked. `row` is the group of the home, read under the lock.
    #[inline(always)]
    pub(super) fn member<W: Warp>(
        self,
        w: &mut W,
        key: UserKey<E::Key>,
        at: Home<E::Word, N, V>,
        mut row: Row<W, E, S>,
    ) -> Option<Member<W, E, S>> {
        let (key, home) = (key.get(), self.home_of(key.get()));
        let class = self.class(key);
        let mut distance = 0;
        loop {
            if let Some(slot) = Self::first(w, home + distance, row, |word| Self::holds(word, key)) {
                return Some(Member { group: home + distance, row, slot });
            }
            distance = at.next(distance, class)?;
            row = self.read(w, home + distance);
        }
    }

    /// Passes every entry of a group to `sink` as (warp, number, key, value), numbered from 0. Changes by
    /// other warps meanwhile may be missed, and an entry that moves may be seen twice.
    #[inline(always)]
    pub fn visit<W: Warp>(
        self,
        w: &mut W,
        group: u32,
        mut sink: impl FnMut(&mut W, u32, E::Key, E::Value),
    ) -> u32 {
        let row = self.read(w, group);
        let mut number = 0;
        for i in 1..W::LANES as usize * S {
            let words = w.map(row, |_, words: [E::Word; S]| words[i % S]);
            let word = w.shfl(words, (i / S) as u32);
            if Self::is_entry(word) {
                sink(w, number, E::key(word), E::value(word));
                number += 1;
            }
        }
        number
    }

    /// How many entries a group holds.
    #[inline(always)]
    pub fn group_entries<W: Warp>(self, w: &mut W, group: u32) -> u32 {
        let row = self.read(w, group);
        row::count(w, row, |lane, i, word| is_slot(lane, i) && Self::is_entry(word))
    }

    /// How many entries of a group belong to the home `distance` groups before it.
    #[inline(always)]
    pub fn entries_from<W: Warp>(self, w: &mut W, group: u32, distance: u32) -> u32 {
        let Some(home) = group.checked_sub(distance) else { return 0 };
        let row = self.read(w, group);
        row::count(w, row, |lane, i, word| is_slot(lane, i) && self.is_member(word, home))
    }
}
