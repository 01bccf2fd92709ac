//! insert, insert_unique, insert_or_assign: one walk, three answers to finding the key.

use super::chain::SlabTable;
use super::packed::PROBE;
use super::slots::{Link, SlabIndex, Slots};
use crate::key::UserKey;
use crate::memory::{IntegerWords, Words};
use crate::outcome::{Assign, Insert};
use crate::warp::Warp;

/// What an insert does where it finds the key.
#[derive(Clone, Copy, PartialEq, Eq)]
enum IfPresent {
    Add,
    Keep,
    Assign,
}

/// How the walk of an insert ended.
enum Put {
    Inserted,
    Found,
    Full,
}

impl<C: Slots, B: IntegerWords<u32>, const S: usize> SlabTable<C, B, S> {
    /// Adds a pair, whether or not the key is there.
    ///
    /// [`Insert::Full`] if the chain had no empty slot and the pool no slab; then nothing changed. Slabs in
    /// the hands of inserts that are about to give them back count as taken.
    #[inline(always)]
    pub fn insert<W: Warp>(self, w: &mut W, key: UserKey<C::Key>, value: C::Value) -> Insert {
        match self.put(w, key, value, IfPresent::Add) {
            Put::Full => Insert::Full,
            _ => Insert::Inserted,
        }
    }

    /// Adds a pair if the key is absent.
    #[inline(always)]
    pub fn insert_unique<W: Warp>(self, w: &mut W, key: UserKey<C::Key>, value: C::Value) -> Insert {
        match self.put(w, key, value, IfPresent::Keep) {
            Put::Inserted => Insert::Inserted,
            Put::Found => Insert::Present,
            Put::Full => Insert::Full,
        }
    }

    /// Adds a pair if the key is absent, else replaces the value of one of its pairs.
    #[inline(always)]
    pub fn insert_or_assign<W: Warp>(self, w: &mut W, key: UserKey<C::Key>, value: C::Value) -> Assign {
        match self.put(w, key, value, IfPresent::Assign) {
            Put::Inserted => Assign::Inserted,
            Put::Found => Assign::Replaced,
            Put::Full => Assign::Full,
        }
    }

    /// Walks the chain to the key or to the first empty slot, which it takes.
    ///
    /// Why a taken slot proves the key absent: slots are taken in chain order and never become empty again, so
    /// when the exchange succeeds everything behind was empty; everything before belonged to other keys or was
    /// a tombstone when it was read, and stays so.
    #[inline(always)]
    fn put<W: Warp>(self, w: &mut W, key: UserKey<C::Key>, value: C::Value, if_present: IfPresent) -> Put {
        // Orders what other lanes of this warp did in earlier operations before the releases of this one.
        w.sync();
        let mut slab = self.bucket(key);
        loop {
            let row = self.read(w, slab);
            if if_present != IfPresent::Add {
                if let Some(found) = Self::first(w, slab, row, |word| C::holds(word, key.get())) {
                    if if_present == IfPresent::Keep
                        || w.elect_with(found.lane, found.places, |p| self.slots.assign(p.at, p.seen, value))
                    {
                        return Put::Found;
                    }
                    continue;
                }
                if C::PENDING && Self::first(w, slab, row, |word| C::is_pending(word, key.get())).is_some() {
                    w.pause();
                    continue;
                }
            }
            if let Some(empty) = Self::first(w, slab, row, C::is_empty) {
                if w.elect_with(empty.lane, empty.places, |p| self.slots.fill(p.at, key.get(), value)) {
                    return Put::Inserted;
                }
                continue;
            }
            slab = match Self::link(w, row).next() {
                Some(next) => next,
                None => match self.extend(w, slab) {
                    Some(next) => next,
                    None => return Put::Full,
                },
            };
        }
    }

    /// The slab after `slab`, whose link was nil: a new one, or the one that another warp linked first.
    #[inline(always)]
    fn extend<W: Warp>(self, w: &mut W, slab: SlabIndex) -> Option<SlabIndex> {
        let at = Self::link_slot(W::LANES, slab);
        let Some(new) = self.pool.allocate(w, slab.0) else {
            // Another warp may have linked the last slab here.
            return Link::from_word(w.elect(0, || self.slots.probe().load(at, PROBE))).next();
        };
        let link = Link::from_word(w.elect(0, || self.slots.publish(at, new).into_word::<u32>()));
        if link.next() != Some(new) {
            self.pool.free(w, new);
        }
        link.next()
    }
}
