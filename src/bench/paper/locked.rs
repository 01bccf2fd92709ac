//! Hopscotch hashing with locks (Herlihy, Shavit, Tzafrir, DISC 2008), for CPUs: a contender in the paper.
//!
//! A bucket has a slot, and a bit for each of the 32 slots from its own on that holds one of its pairs.
//! Segments of buckets have a lock and a count of moves. An update locks the segment of its home. An insert
//! then locks the segments up to the empty slot that it found, in ascending order, so that no two inserts
//! wait for each other, and moves the empty slot nearer. A search takes no lock: if it finds nothing and the
//! count has changed, it looks again.
//!
//! Differences to the published form: a pair is one word, so a search reads key and value at once; there is a
//! tail and no wrap-around.

use super::contender::Table;
use parking_lot::{Mutex, MutexGuard};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use warpproof::model::key::{fastrange, mix};
use warpproof::{Answer, Delete, Insert, Op};

/// The pairs of a bucket are in so many slots, from its own on.
const NEIGHBOURHOOD: usize = 32;
/// Buckets per lock.
const SEGMENT: usize = 64;
/// Slots in which an insert looks for an empty one.
const FAR: usize = 4096;
/// An empty slot: no pair, as its key is reserved.
const EMPTY: u64 = u64::MAX;

/// The lock of some buckets, and a count of moves of their pairs.
#[derive(Default)]
struct Segment {
    lock: Mutex<()>,
    moves: AtomicU32,
}

/// A map of u32 pairs.
pub(super) struct Locked {
    slots: Vec<AtomicU64>,
    /// The neighbourhood of each bucket: bit `i` for the slot `i` after its own.
    hops: Vec<AtomicU32>,
    segments: Vec<Segment>,
    buckets: u32,
}

impl Locked {
    /// An empty map with so many buckets, at least one.
    pub(super) fn new(buckets: u32) -> Self {
        let buckets = buckets.max(1);
        let slots = buckets as usize + NEIGHBOURHOOD - 1;
        Self {
            slots: (0..slots).map(|_| AtomicU64::new(EMPTY)).collect(),
            hops: (0..slots).map(|_| AtomicU32::new(0)).collect(),
            segments: (0..slots.div_ceil(SEGMENT)).map(|_| Segment::default()).collect(),
            buckets,
        }
    }

    /// Adds a pair whose key is absent.
    pub(super) fn insert_unique(&self, key: u32, value: u32) -> Insert {
        let home = self.home(key);
        let mut held = Held::new(self, home / SEGMENT);
        if self.slot_of(home, key).is_some() {
            return Insert::Present;
        }
        let end = self.slots.len().min(home + FAR);
        let found = (home..end).find(|&slot| {
            held.up_to(slot / SEGMENT);
            // Relaxed: only the holder of its segment's lock fills a slot; an emptied slot holds nothing to
            // acquire.
            self.slots[slot].load(Ordering::Relaxed) == EMPTY
        });
        let Some(mut empty) = found else { return Insert::Full };
        while empty - home >= NEIGHBOURHOOD {
            match self.nearer(empty) {
                Some(slot) => empty = slot,
                None => {
                    // Release: pairs with the Acquire in `search`, which then sees the moves counted.
                    self.slots[empty].store(EMPTY, Ordering::Release);
                    return Insert::Full;
                }
            }
        }
        // Release, both: pair with the Acquire loads in `search`. The bit comes after the pair.
        self.slots[empty].store(pair(key, value), Ordering::Release);
        self.hops[home].fetch_or(1 << (empty - home), Ordering::Release);
        Insert::Inserted
    }

    /// Deletes a key.
    pub(super) fn delete(&self, key: u32) -> Delete {
        let home = self.home(key);
        let _held = self.segments[home / SEGMENT].lock.lock();
        let Some(slot) = self.slot_of(home, key) else { return Delete::Absent };
        // Release, both: pair with the Acquire loads in `search`. From the first store on, another bucket may
        // use the slot.
        self.slots[slot].store(EMPTY, Ordering::Release);
        self.hops[home].fetch_and(!(1 << (slot - home)), Ordering::Release);
        Delete::Deleted
    }

    /// The value of a key.
    pub(super) fn search(&self, key: u32) -> Option<u32> {
        let home = self.home(key);
        let moves = &self.segments[home / SEGMENT].moves;
        loop {
            // Acquire: pairs with the Release in `nearer`: pairs that were moved before are where their bits
            // say.
            let before = moves.load(Ordering::Acquire);
            if let Some(slot) = self.read(home, key) {
                return Some(slot);
            }
            // Acquire in `read`: a pair in the place of a moved one was stored after the move was counted.
            if moves.load(Ordering::Relaxed) == before {
                return None;
            }
        }
    }

    fn home(&self, key: u32) -> usize {
        fastrange(mix(key), self.buckets) as usize
    }

    /// The value of a key, in one look at its neighbourhood.
    fn read(&self, home: usize, key: u32) -> Option<u32> {
        // Acquire: pairs with the Release of the call that set a bit: the pair is there.
        let hops = self.hops[home].load(Ordering::Acquire);
        // Acquire: pairs with the Release of the call that stored the pair.
        let pairs = bits(hops).map(|bit| self.slots[home + bit].load(Ordering::Acquire));
        pairs.filter(|&pair| key_of(pair) == key).map(|pair| pair as u32).next()
    }

    /// The slot of a key of a bucket whose lock is held.
    fn slot_of(&self, home: usize, key: u32) -> Option<usize> {
        // Relaxed, both: only the holder of the lock changes the bits and the pairs that they name.
        let hops = self.hops[home].load(Ordering::Relaxed);
        bits(hops).map(|bit| home + bit).find(|&slot| key_of(self.slots[slot].load(Ordering::Relaxed)) == key)
    }

    /// Moves a pair to the empty slot, from a slot before it, which then counts as empty though it is not
    /// marked so. The caller holds the locks of all segments from there on.
    fn nearer(&self, empty: usize) -> Option<usize> {
        for home in empty + 1 - NEIGHBOURHOOD..empty {
            // Relaxed, both: the lock of the bucket is held.
            let Some(bit) = bits(self.hops[home].load(Ordering::Relaxed)).next() else { continue };
            let slot = home + bit;
            if slot >= empty {
                continue;
            }
            let pair = self.slots[slot].load(Ordering::Relaxed);
            // Release, all: pair with the Acquire loads in `search`. First the copy, then its bit, then the
            // count, then the old bit. So a search that reads the old bits and misses the pair reads the pair
            // stored over it, and the new count.
            self.slots[empty].store(pair, Ordering::Release);
            self.hops[home].fetch_or(1 << (empty - home), Ordering::Release);
            self.segments[home / SEGMENT].moves.fetch_add(1, Ordering::Release);
            self.hops[home].fetch_and(!(1 << bit), Ordering::Release);
            return Some(slot);
        }
        None
    }
}

impl Table for Locked {
    fn run(&self, op: Op, key: u32, value: u32) -> Answer<u32> {
        match op {
            Op::Delete => Answer::Delete(self.delete(key)),
            Op::Search => Answer::Search(self.search(key)),
            Op::Insert | Op::InsertUnique | Op::Assign => Answer::Insert(self.insert_unique(key, value)),
        }
    }
}

/// The locks of an insert: of consecutive segments.
struct Held<'a> {
    table: &'a Locked,
    last: usize,
    _first: MutexGuard<'a, ()>,
    /// Usually none, and then no memory is allocated.
    others: Vec<MutexGuard<'a, ()>>,
}

impl<'a> Held<'a> {
    fn new(table: &'a Locked, segment: usize) -> Self {
        let first = table.segments[segment].lock.lock();
        Self { table, last: segment, _first: first, others: Vec::new() }
    }

    /// Locks the segments that are missing up to `segment`.
    fn up_to(&mut self, segment: usize) {
        while self.last < segment {
            self.last += 1;
            self.others.push(self.table.segments[self.last].lock.lock());
        }
    }
}

const fn pair(key: u32, value: u32) -> u64 {
    (key as u64) << 32 | value as u64
}

const fn key_of(pair: u64) -> u32 {
    (pair >> 32) as u32
}

/// The numbers of the bits that are set, from the lowest on.
fn bits(mut word: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros() as usize)?;
        word &= word - 1;
        Some(bit)
    })
}

#[cfg(test)]
mod tests {
    use super::super::dynamic::tests::{does_what_a_map_does, races_add_up};
    use super::*;

    #[test]
    fn one_thread_does_what_a_map_does() {
        does_what_a_map_does(&Locked::new(300), 300);
        // All keys in one neighbourhood, of another size.
        does_what_a_map_does(&Locked::new(1), 32);
    }

    #[test]
    fn racing_threads_add_up() {
        races_add_up(Locked::new, true);
        races_add_up(|keys| Locked::new(keys / 2 + keys / 16), true);
    }

    #[test]
    fn a_full_table_says_so_and_keeps_what_it_has() {
        let table = Locked::new(1000);
        let said: Vec<_> = (0..1100).map(|key| table.insert_unique(key, !key)).collect();
        assert!(said.contains(&Insert::Full) && !said.contains(&Insert::Present));
        for (key, said) in (0..).zip(&said) {
            assert_eq!(table.search(key), (*said == Insert::Inserted).then_some(!key));
        }
        let stored = said.iter().filter(|said| **said == Insert::Inserted).count();
        assert!(stored > 900, "pairs were moved: {stored}");
    }
}
