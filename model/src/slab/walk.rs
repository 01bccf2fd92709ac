//! The walk of every operation on a key: from the base slab of the key to the key, or to the end of the
//! chain.

use super::chain::{Onward, SlabTable};
use super::multiplicity::Multiplicity;
use super::settle::Doubt;
use super::slots::{Change, Link, Slots};
use crate::at_lane::AtLane;
use crate::key::UserKey;
use crate::memory::{IntegerWords, ReadOrder, Word, Words};
use crate::reclaim::NodeIndex;
use crate::row::Found;
use crate::warp::Warp;

/// What an operation does when it finds a live pair of its key.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum IfPresent {
    /// Nothing: it goes on as if the pair were not there.
    Ignore,
    /// It ends.
    Stop,
    /// It reads the value and ends.
    Read,
    /// It replaces the value and ends.
    Assign,
    /// It makes the pair a tombstone and ends.
    Erase,
    /// It makes the pair a tombstone and goes on.
    EraseAll,
}

/// One operation on one key.
#[derive(Clone, Copy)]
pub(super) struct Request<K, V> {
    pub(super) key: UserKey<K>,
    pub(super) value: V,
    pub(super) if_present: IfPresent,
    /// Whether the pair is added at the end of the chain.
    pub(super) add: bool,
}

/// How a walk ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// At a live pair of the key: found, read, replaced or erased.
    Present,
    /// The key was absent, and nothing was added.
    Absent,
    /// The pair was added.
    Added,
    /// The pair should have been added and there was no slab.
    Full,
}

/// The answer to a [`Request`].
pub(super) struct Reply<W: Warp, V: Copy> {
    pub(super) end: End,
    /// The value read by [`IfPresent::Read`], otherwise zero.
    pub(super) value: AtLane<W, V>,
    /// Pairs erased by [`IfPresent::EraseAll`].
    pub(super) erased: u32,
}

impl<C: Slots, B: IntegerWords<u32>, const S: usize> SlabTable<C, B, S> {
    /// Runs one operation. A request whose kind is constant compiles to the code of only that operation. A
    /// request whose kind is a value shares every probe and every exchange among the kinds, which keeps tiles
    /// that run different operations together.
    ///
    /// Why an added pair proves the key absent: slots are taken in chain order and never become empty again.
    /// So when the exchange succeeds everything after it was empty; everything before it belonged to other
    /// keys or was a tombstone when it was read, and stays so.
    ///
    /// Why the answers of a warp go forward: see *Two probes* in the README of this module.
    #[inline(always)]
    pub(super) fn run<W: Warp>(self, w: &mut W, request: Request<C::Key, C::Value>) -> Reply<W, C::Value> {
        let key = request.key.get();
        let looks = request.if_present != IfPresent::Ignore;
        let mut slab = self.bucket(request.key);
        let mut doubt = Doubt::new(w);
        let mut erased = 0;
        loop {
            let row = self.read(w, slab);
            // The lowest slot decides that holds the key or ends the chain for it. If a pair of the key is
            // read above the end, the end was read too old: in the next call it may be read as an older pair
            // of the key, long dead.
            let (lowest, present) = Self::deciding(w, slab, row, key, looks);
            let (place, change) = match lowest {
                Some(place) if present => match request.if_present {
                    IfPresent::Read => {
                        let value = self.value(w, place);
                        return Reply { end: End::Present, value, erased };
                    }
                    IfPresent::Assign => (place, Change::Assign),
                    IfPresent::Erase | IfPresent::EraseAll => (place, Change::Erase),
                    IfPresent::Stop | IfPresent::Ignore => return Self::reply(w, End::Present, erased),
                },
                lowest if request.add => {
                    if C::PENDING && Self::is(w, &lowest, C::is_pending) {
                        // It may be of this key: what it publishes decides. An insert into a multimap waits
                        // too: the other insert has seen the key absent, and the key must still be absent
                        // when that one publishes.
                        w.pause();
                        continue;
                    }
                    let Some(place) = lowest else {
                        match self.extend(w, slab, row) {
                            Some(next) => slab = next,
                            None => return Self::reply(w, End::Full, erased),
                        }
                        continue;
                    };
                    (place, Change::Fill)
                }
                end => {
                    doubt.note::<C, S>(w, row);
                    match Self::behind(w, row, end) {
                        Onward::Slab(next) => slab = next,
                        Onward::End(end) => {
                            if doubt.settle::<C, S>(w, slab, end) {
                                return Self::reply(w, End::Absent, erased);
                            }
                            slab = self.bucket(request.key);
                        }
                    }
                    continue;
                }
            };
            if !self.change(w, place, change, request) {
                // The slot changed: read the same slab again.
                continue;
            }
            match change {
                Change::Fill => return Self::reply(w, End::Added, erased),
                // The results of earlier scans stay valid: none saw a live pair before its end, so this pair
                // was not before it.
                Change::Erase if request.if_present == IfPresent::EraseAll => erased += 1,
                Change::Assign | Change::Erase => return Self::reply(w, End::Present, erased),
            }
        }
    }

    #[inline(always)]
    fn reply<W: Warp>(w: &mut W, end: End, erased: u32) -> Reply<W, C::Value> {
        Reply { end, value: AtLane::known(w, C::Value::ZERO), erased }
    }

    /// One lane changes the slot that it found.
    #[inline(always)]
    fn change<W: Warp>(
        self,
        w: &mut W,
        place: Found<W, C::Word>,
        change: Change,
        request: Request<C::Key, C::Value>,
    ) -> bool {
        let (key, value) = (request.key.get(), request.value);
        if C::Multiplicity::MULTI {
            // Orders what the other lanes of this warp did before, and what they read in this walk, before
            // the release of the lane that changes the slot.
            w.sync();
        }
        let changed =
            w.elect_with(place.lane, place.places, |p| self.slots.change(p.at, p.seen, change, key, value));
        if C::Multiplicity::MULTI && changed && change == Change::Fill {
            // SeqCst fence: pairs with the fence of a scan that proves the key absent. Either that scan sees
            // this pair, or what follows this call sees what the scan saw.
            w.fence();
        }
        changed
    }

    /// The slab after a full one: the one linked there, or a new one. `None` if the pool has none.
    #[inline(always)]
    fn extend<W: Warp>(
        self,
        w: &mut W,
        slab: NodeIndex,
        row: super::chain::Row<W, C, S>,
    ) -> Option<NodeIndex> {
        if let Some(next) = Self::link(w, row).next() {
            return Some(next);
        }
        // The lane that reads links also publishes them: it sees its own links without a `sync`.
        let (lane, at) = (W::LANES - 1, Self::link_slot(W::LANES, slab));
        let link = match self.pool.allocate(w, slab.0) {
            Some(new) => {
                let link = w.elect(lane, || self.slots.publish(at, new).into_word::<u32>());
                if Link::from_word(link) != Link::to(new) {
                    // Another warp linked its slab first.
                    self.pool.free(w, new);
                }
                link
            }
            // Another warp may have linked the last slab here. Relaxed: as every probe.
            None => w.elect(lane, || {
                Link::from_word(self.slots.probe().load(at, ReadOrder::Relaxed)).into_word::<u32>()
            }),
        };
        Link::from_word(link).next()
    }
}
