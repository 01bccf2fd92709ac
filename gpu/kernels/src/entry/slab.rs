//! Operations that only slabs have: several pairs of a key, and reclaiming slots.

use super::{Array, Count, In, Launch, Offsets, Out};
use warpproof_device::Global;
use warpproof_model::outcome::Op;
use warpproof_model::reserved::{AllKeys as _, WithChain};
use warpproof_model::slab::{Multi, SlabTable, Slots};
use warpproof_model::{IntegerWords, Order, Warp};

impl<const L: u32, const S: usize, C: Slots<Multiplicity = Multi>, B: IntegerWords<u32>>
    Launch<L, WithChain<SlabTable<C, B, S>>>
{
    /// Adds pairs, duplicates allowed.
    #[inline(always)]
    pub(crate) fn insert(self, keys: In<C::Key>, values: In<C::Value>, outcomes: Out<u8>, n: Count) {
        self.tiles.per_key(keys, outcomes, n, |w, op, key| {
            let (table, key) = self.table.of(key);
            table.mixed(w, Op::Insert, key, values.read(op)).map(w, |said| said.code)
        });
    }
}

impl<const L: u32, const S: usize, C: Slots, B: IntegerWords<u32>> Launch<L, WithChain<SlabTable<C, B, S>>> {
    /// Deletes all pairs of each key; writes how many there were.
    #[inline(always)]
    pub(crate) fn delete_all(self, keys: In<C::Key>, counts: Out<u32>, n: Count) {
        self.tiles.per_tile(n, |w, op| {
            let (table, key) = self.table.of(keys.read(op));
            let erased = table.delete_all(w, key);
            counts.write(w, op, erased);
        });
    }

    /// Counts the pairs of each key.
    #[inline(always)]
    pub(crate) fn count(self, keys: In<C::Key>, counts: Out<u32>, n: Count) {
        self.tiles.per_tile(n, |w, op| {
            let pairs = self.table.count(w, keys.read(op));
            counts.write(w, op, pairs);
        });
    }

    /// Writes the values of all pairs of each key, as many as its range has room for, and how many there are.
    /// The last offset is the length of `values`.
    #[inline(always)]
    pub(crate) fn search_all(
        self,
        keys: In<C::Key>,
        offsets: Offsets,
        values: Array<C::Value>,
        counts: Out<u32>,
        n: Count,
    ) {
        self.tiles.per_tile(n, |w, op| {
            let (start, end) = offsets.range(op);
            let (table, key) = self.table.of(keys.read(op));
            let pairs = table.search_all(w, key, |w, number, value| {
                let place = start + number as u64;
                if place < end {
                    // SAFETY: below the key's end; no two keys share a place.
                    unsafe { values.write(w, place, value) }
                }
            });
            counts.write(w, op, pairs);
        });
    }

    /// Reclaims the slots of deleted pairs; adds the number of freed slabs to `freed`. No other operation on
    /// the table runs meanwhile.
    #[inline(always)]
    pub(crate) fn flush(self, freed: Global<u64>) {
        self.tiles.per_number(self.table.parts(), |w, part| {
            let (table, bucket) = self.table.part(part as u32);
            let slabs = table.flush(w, bucket);
            if slabs != 0 {
                // Relaxed: a counter, read after the launch.
                w.elect(0, || freed.fetch_add(0, slabs as u64, Order::Relaxed));
            }
        });
    }
}
