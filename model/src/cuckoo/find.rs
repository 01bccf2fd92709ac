//! Finding a key.

use super::CuckooTable;
use super::table::Slot;
use crate::at_lane::AtLane;
use crate::entry::Packed;
use crate::key::UserKey;
use crate::memory::{IntegerWords, Words};
use crate::open::Look;
use crate::row;
use crate::warp::Warp;

impl<E: Packed, H: Words<E::Word>, B: IntegerWords<u32>, const S: usize> CuckooTable<E, H, B, S> {
    /// The value of `key`, or `None` if it is absent.
    ///
    /// Wait-free: reads two buckets at most, and the second one only if the first has no empty slot.
    #[inline(always)]
    pub fn search<W: Warp>(self, w: &mut W, key: UserKey<E::Key>) -> Option<E::Value> {
        let look = self.look(w, key);
        Self::acquire(w);
        match look {
            Look::Decided(said) => said.tell(w),
            Look::Beyond => None,
        }
    }

    /// Looks for a key without a lock.
    #[inline(always)]
    pub(super) fn look<W: Warp>(self, w: &mut W, key: UserKey<E::Key>) -> Look<W, E::Value> {
        let key = key.get();
        let mut probe = self.slots.probe(key);
        loop {
            let row = self.slots.read(w, probe.bucket);
            // A tombstone decides about no key.
            let lowest = row::lowest(w, row, E::MARK, |word| Self::decides(word, key));
            let decide = w.map(lowest, |_, word| Self::decides(word, key));
            if let Some(lane) = w.ballot(decide).ffs() {
                let found = w.map(lowest, |_, word| Self::holds(word, key).then_some(E::value(word)));
                return Look::Decided(AtLane::new(lane, found));
            }
            let Some(next) = self.slots.next(probe) else { return Look::Beyond };
            Self::acquire(w);
            probe = next;
        }
    }

    /// After this, the warp sees everything that was done before the writes of slots that it has read, and no
    /// slot in an older state. A call without a lock uses it between its two buckets. It also ends a call, as
    /// another call of this warp may follow, or a message to another warp.
    #[inline(always)]
    pub(super) fn acquire<W: Warp>(w: &mut W) {
        // Pairs with the Release of `take` and `write`, also if the slot was written again since, as every
        // write of a slot is an exchange.
        w.fence_acquire();
    }

    /// The slot of a key whose first bucket this warp has locked.
    #[inline(always)]
    pub(super) fn standing<W: Warp>(self, w: &mut W, key: E::Key) -> Option<Slot<W, E>> {
        let mut probe = self.slots.probe(key);
        loop {
            let row = self.slots.read(w, probe.bucket);
            let base = Self::slot(W::LANES, probe.bucket);
            let wanted = |_, _, word| Self::decides(word, key);
            let (slot, holds) = row::first_is(w, base, row, wanted, |word| Self::holds(word, key));
            if slot.is_some() {
                return slot.filter(|_| holds);
            }
            probe = self.slots.next(probe)?;
        }
    }
}
