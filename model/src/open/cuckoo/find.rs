//! Finding a key where keys move.

use crate::entry::Packed;
use crate::open::table::{Look, OpenTable, Slot};
use crate::open::{Filter, OpenSlots, Probing};
use crate::row::{self, Place};
use crate::warp::Warp;

impl<E: Packed, H: OpenSlots<E>, F: Filter, P: Probing, const S: usize> OpenTable<E, H, F, P, S> {
    /// [`look`](Self::look) where keys move. Reads two buckets at most, each once, and waits for nobody.
    #[inline(always)]
    pub(in crate::open) fn look_where_keys_move<W: Warp>(self, w: &mut W, key: E::Key) -> Look<E::Value> {
        let mut probe = self.probe(key);
        loop {
            let row = self.read(w, probe.bucket);
            let base = Self::slot(W::LANES, probe.bucket);
            let wanted = |_, _, word| Self::decides(word, key);
            let (slot, holds) = row::first_is(w, base, row, wanted, |word| Self::holds(word, key));
            if let Some(slot) = slot {
                if !holds {
                    return Look::Absent;
                }
                self.knows(w, &slot);
                return Look::Found(H::value_in(Self::seen(w, &slot)));
            }
            let Some(next) = self.next(probe) else { return Look::Absent };
            // SeqCst fence: pairs with the Release of `replace`. Whoever took the key away has put it into the second bucket before.
            w.fence();
            probe = next;
        }
    }

    /// Behind a slot in which a search has found its key: from now on this warp sees no slot as it was before the key came there.
    #[inline(always)]
    fn knows<W: Warp>(self, w: &mut W, slot: &Slot<W, E, H>) {
        w.elect_with(slot.lane, slot.places, |Place { at, .. }| {
            self.slots().acquire(at);
        });
        w.sync();
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
