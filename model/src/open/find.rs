//! Finding a key.

use super::filter::Filter;
use super::probing::Probing;
use super::slots::OpenSlots;
use super::table::{Look, OpenTable, Row};
use crate::at_lane::AtLane;
use crate::entry::Packed;
use crate::key::UserKey;
use crate::row;
use crate::warp::Warp;

impl<E: Packed, H: OpenSlots<E>, F: Filter, P: Probing, const S: usize> OpenTable<E, H, F, P, S> {
    /// The value of `key`, or `None` if it is absent.
    ///
    /// Wait-free: reads each bucket once. Stops at the first one that has an empty slot, or one that is being
    /// filled, or after which no key of this class was inserted.
    #[inline(always)]
    pub fn search<W: Warp>(self, w: &mut W, key: UserKey<E::Key>) -> Option<E::Value> {
        match self.look(w, key) {
            Look::Decided(said) => said.tell(w),
            Look::Beyond => None,
        }
    }

    /// Searches, and returns whether every bucket that the key probes was full. In a table that grows, the
    /// key may then have moved on to the next submap.
    #[inline(always)]
    pub(crate) fn look<W: Warp>(self, w: &mut W, key: UserKey<E::Key>) -> Look<W, E::Value> {
        let key = key.get();
        let (table, mut probe) = self.of_key(key);
        loop {
            let row = table.read(w, probe.bucket);
            // A tombstone decides about no key.
            let lowest = row::lowest(w, row, H::TOMBSTONE, |word| Self::decides(word, key));
            let decide = w.map(lowest, |_, word| Self::decides(word, key));
            if let Some(lane) = w.ballot(decide).ffs() {
                if H::VALUE_IN_WORD {
                    let found = w.map(lowest, |_, word| Self::holds(word, key).then_some(H::value_in(word)));
                    return Look::Decided(AtLane::new(lane, found));
                }
                let hits = w.map(lowest, |_, word| Self::holds(word, key));
                let found = w.shfl(hits, lane).then(|| table.value_beside(w, probe.bucket, lane, row, key));
                return Look::Decided(AtLane::known(w, found));
            }
            if !self.filter().passed(w, probe.bucket, probe.hash) {
                return Look::Decided(AtLane::known(w, None));
            }
            let Some(next) = self.next(probe) else { return Look::Beyond };
            probe = next;
        }
    }

    /// Passes every entry of a bucket to `sink` as (warp, number, key, value), numbered from 0. Changes by
    /// other warps meanwhile may be missed.
    #[inline(always)]
    pub fn visit<W: Warp>(
        self,
        w: &mut W,
        bucket: u32,
        mut sink: impl FnMut(&mut W, u32, E::Key, E::Value),
    ) -> u32 {
        let row = self.read(w, bucket);
        let mut number = 0;
        for lane in 0..W::LANES {
            for i in 0..S {
                let words = w.map(row, |_, words: [H::Word; S]| words[i]);
                let word = w.shfl(words, lane);
                if Self::is_entry(word) {
                    let at = Self::slot(W::LANES, bucket) + (lane as usize * S) + i;
                    let value = match H::VALUE_IN_WORD {
                        true => H::value_in(word),
                        false => w.elect(lane, || self.slots().value(at)),
                    };
                    sink(w, number, H::key(word), value);
                    number += 1;
                }
            }
        }
        number
    }

    /// How many entries a bucket holds.
    #[inline(always)]
    pub fn bucket_entries<W: Warp>(self, w: &mut W, bucket: u32) -> u32 {
        let row = self.read(w, bucket);
        row::count(w, row, |_, _, word| Self::is_entry(word))
    }

    /// How many tombstones a bucket holds.
    #[inline(always)]
    pub fn bucket_tombstones<W: Warp>(self, w: &mut W, bucket: u32) -> u32 {
        let row = self.read(w, bucket);
        row::count(w, row, |_, _, word| H::key(word) == E::key(E::MARK))
    }

    /// The value of the lowest slot of a lane that holds `key`; there is such a lane.
    #[inline(always)]
    fn value_beside<W: Warp>(
        self,
        w: &mut W,
        bucket: u32,
        lane: u32,
        row: Row<W, E, H, S>,
        key: E::Key,
    ) -> E::Value {
        let first = Self::slot(W::LANES, bucket) + lane as usize * S;
        w.elect_with(lane, row, |words: [H::Word; S]| {
            let lowest = (0..S).rev().fold(0, |hit, i| if Self::holds(words[i], key) { i } else { hit });
            self.slots().value(first + lowest)
        })
    }
}
