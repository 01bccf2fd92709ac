//! Searches: the head, then the chain.

use super::WaitFreeTable;
use super::table::{Row, is_link};
use super::words::{Head, NIL};
use crate::at_lane::AtLane;
use crate::entry::Packed;
use crate::key::UserKey;
use crate::memory::{IntegerWords, Words};
use crate::reclaim::Pool;
use crate::row::{self, Found};
use crate::warp::Warp;

impl<E, N, H, P, const S: usize> WaitFreeTable<E, N, H, P, S>
where
    E: Packed,
    N: Words<E::Word>,
    H: IntegerWords<u64>,
    P: Pool,
{
    /// Returns the value of a key, or `None` if it is absent. Reads the head once and each node of the chain
    /// once, whatever other warps do.
    #[inline(always)]
    pub fn search<W: Warp>(self, w: &mut W, key: UserKey<E::Key>) -> Option<E::Value> {
        self.words.pool.reading(w, |w| self.look(w, key).tell(w))
    }

    /// Returns whether a key is present.
    #[inline(always)]
    pub fn contains<W: Warp>(self, w: &mut W, key: UserKey<E::Key>) -> bool {
        self.words.pool.reading(w, |w| self.look(w, key).is(w, |value| value.is_some()))
    }

    /// What a search finds, at the lane that found it. A pool that has turns or guarded reads must have one
    /// open.
    #[inline(always)]
    pub fn look<W: Warp>(self, w: &mut W, key: UserKey<E::Key>) -> AtLane<W, Option<E::Value>> {
        let key = key.get();
        let bucket = self.bucket(key);
        let head = self.head(w, bucket);
        let first = self.first_node(w, head);
        match self.walk(w, first, key) {
            Some(found) => {
                AtLane::new(found.lane, w.map(found.places, |_, place| Some(E::value(place.seen))))
            }
            None => AtLane::known(w, None),
        }
    }

    /// Finds the entry of a key in the chain from `node` on.
    #[inline(always)]
    fn walk<W: Warp>(self, w: &mut W, mut node: u32, key: E::Key) -> Option<Found<W, E::Word>> {
        while node != NIL {
            let row = self.read(w, node);
            if let Some(found) = Self::find(w, row, key) {
                return Some(found);
            }
            node = Self::link(w, row);
            if node != NIL && Self::ends(w, row, key) {
                break;
            }
        }
        None
    }

    /// Finds the entry of a key in the chain of a head. The first node was read with its link.
    #[inline(always)]
    pub(super) fn walk_on<W: Warp>(
        self,
        w: &mut W,
        head: Head,
        (row, link): (Row<W, E, S>, u32),
        key: E::Key,
    ) -> Option<Found<W, E::Word>> {
        // Receipts are not entries.
        let found = if head.has_receipts() { None } else { Self::find(w, row, key) };
        if found.is_some() || link == NIL || !head.has_receipts() && Self::ends(w, row, key) {
            return found;
        }
        self.walk(w, link, key)
    }

    /// Passes every entry of a bucket to `sink` as (warp, number, key, value), numbered from 0. All were in
    /// the bucket at one instant. Returns how many there are.
    #[inline(always)]
    pub fn visit<W: Warp>(
        self,
        w: &mut W,
        bucket: u32,
        mut sink: impl FnMut(&mut W, u32, E::Key, E::Value),
    ) -> u32 {
        let head = self.head(w, bucket);
        let mut node = self.first_node(w, head);
        let mut number = 0;
        while node != NIL {
            let row = self.read(w, node);
            let mut turned = row;
            for i in 0..S {
                let words = w.map(turned, |_, words: [E::Word; S]| words[0]);
                turned = row::turned(w, turned);
                for lane in 0..W::LANES {
                    let word = w.shfl(words, lane);
                    if !is_link::<W, S>(lane, i) && Self::is_entry(word) {
                        sink(w, number, E::key(word), E::value(word));
                        number += 1;
                    }
                }
            }
            node = Self::link(w, row);
        }
        number
    }

    /// Returns how many entries and how many nodes a bucket holds.
    #[inline(always)]
    pub fn bucket_stats<W: Warp>(self, w: &mut W, bucket: u32) -> (u32, u32) {
        let head = self.head(w, bucket);
        let mut node = self.first_node(w, head);
        let (mut entries, mut nodes) = (0, 0);
        while node != NIL {
            let row = self.read(w, node);
            entries += Self::entries(w, row);
            nodes += 1;
            node = Self::link(w, row);
        }
        (entries, nodes)
    }
}
