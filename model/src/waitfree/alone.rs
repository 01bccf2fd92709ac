//! Deletes that need no node, in a phase of their own.

use super::WaitFreeTable;
use super::words::NIL;
use crate::entry::Packed;
use crate::key::UserKey;
use crate::memory::{IntegerWords, Order, Words};
use crate::outcome::Delete;
use crate::reclaim::Pool;
use crate::row::Place;
use crate::warp::Warp;

impl<E, N, H, P, const S: usize> WaitFreeTable<E, N, H, P, S>
where
    E: Packed,
    N: Words<E::Word>,
    H: IntegerWords<u64>,
    P: Pool,
{
    /// Deletes the pair of a key in place. Only other calls of this kind may run meanwhile. For deletes that
    /// have found no free node. A node that loses its last entry stays in its chain.
    #[inline(always)]
    pub fn delete_in_place<W: Warp>(self, w: &mut W, key: UserKey<E::Key>) -> Delete {
        let key = key.get();
        let bucket = self.bucket(key);
        let head = self.head(w, bucket);
        let mut node = self.first_node(w, head);
        while node != NIL {
            let row = self.read(w, node);
            if let Some(found) = Self::find(w, row, key) {
                let base = Self::base(W::LANES, node);
                let taken = w.elect_with(found.lane, found.places, |Place { at, seen }| {
                    // Relaxed: this word is the only one that a delete writes and another one reads.
                    self.words.nodes.compare_exchange(base + at, seen, E::EMPTY, Order::Relaxed) == seen
                });
                return if taken { Delete::Deleted } else { Delete::Absent };
            }
            node = Self::link(w, row);
        }
        Delete::Absent
    }
}
