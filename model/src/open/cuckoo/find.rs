//! Finding a key where keys move.

use crate::entry::Packed;
use crate::open::table::{OpenTable, Slot};
use crate::open::{Filter, OpenSlots, Probing};
use crate::row::{self, Place};
use crate::warp::Warp;

impl<E: Packed, H: OpenSlots<E>, F: Filter, P: Probing, const S: usize> OpenTable<E, H, F, P, S> {
    /// Where keys move: from now on this warp sees no slot as it was before what it saw in the slots that it read. Between two buckets
    /// that who has no lock reads, and at the end of a call, as another one of this warp may follow, or word of it to another warp.
    #[inline(always)]
    pub(in crate::open) fn acquire<W: Warp>(w: &mut W) {
        if P::CHAIN > 0 {
            // Pairs with the Release of `take` and `replace`, also if the slot was written again since, as all that write slots
            // exchange them.
            w.fence_acquire();
        }
    }

    /// The slot of a key whose first bucket this warp has locked.
    #[inline(always)]
    pub(super) fn standing<W: Warp>(self, w: &mut W, key: E::Key) -> Option<Slot<W, E, H>> {
        let mut probe = self.probe(key);
        loop {
            let row = self.read(w, probe.bucket);
            let base = Self::slot(W::LANES, probe.bucket);
            let wanted = |_, _, word| Self::decides(word, key);
            let (slot, holds) = row::first_is(w, base, row, wanted, |word| Self::holds(word, key));
            if slot.is_some() {
                return slot.filter(|_| holds);
            }
            probe = self.next(probe)?;
        }
    }

    /// What a slot held when it was found.
    #[inline(always)]
    pub(super) fn seen<W: Warp>(w: &mut W, slot: &Slot<W, E, H>) -> H::Word {
        let seen = w.map(slot.places, |_, Place { seen, .. }| seen);
        w.shfl(seen, slot.lane)
    }
}
