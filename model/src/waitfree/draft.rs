//! A chain that is to replace another one: its first nodes are private copies, the others are shared.

use super::WaitFreeTable;
use super::table::{Row, is_link};
use super::words::{NIL, Update};
use crate::entry::Packed;
use crate::memory::{IntegerWords, Words};
use crate::reclaim::{NodeIndex, Pool, Stash};
use crate::row::{self, Found};
use crate::warp::Warp;

/// No node is free.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct NoNode;

/// A chain in the making.
#[derive(Clone, Copy)]
pub(super) struct Draft {
    /// Its first node, or none.
    pub(super) first: u32,
    /// How many of its nodes, from the first one on, are private.
    pub(super) fresh: u32,
    /// How many nodes of the original chain, from the first one on, are not in it.
    pub(super) replaced: u32,
}

impl Draft {
    /// The chain, unchanged.
    #[inline(always)]
    pub(super) const fn of(first: u32) -> Self {
        Self { first, fresh: 0, replaced: 0 }
    }

    /// Whether it still is the original chain.
    #[inline(always)]
    pub(super) const fn is_untouched(&self) -> bool {
        self.fresh == 0 && self.replaced == 0
    }
}

/// A place in a draft: the node that holds a key, or into which it belongs.
struct Spot<W: Warp, E: Packed, const S: usize> {
    node: u32,
    /// How many nodes come before it.
    index: u32,
    /// The node before it, or none.
    before: u32,
    row: Row<W, E, S>,
    link: u32,
    found: Option<Found<W, E::Word>>,
}

impl<E, N, H, P, const S: usize> WaitFreeTable<E, N, H, P, S>
where
    E: Packed,
    N: Words<E::Word>,
    H: IntegerWords<u64>,
    P: Pool,
{
    /// Runs a call on a draft. Returns whether the key was there.
    ///
    /// # Errors
    /// No node is free. The draft is still valid.
    #[inline(always)]
    pub(super) fn apply<W: Warp>(
        self,
        w: &mut W,
        (draft, stash): (&mut Draft, &mut Stash),
        update: Update,
        entry: E::Word,
    ) -> Result<bool, NoNode> {
        let key = E::key(entry);
        if draft.first == NIL {
            if update != Update::Remove {
                let row = w.each(|lane| {
                    core::array::from_fn(|i| if (lane, i) == (0, 0) { entry } else { E::EMPTY })
                });
                let node = self.words.pool.take(w, stash).ok_or(NoNode)?;
                self.write(w, node, row, NIL);
                (draft.first, draft.fresh) = (node.0, 1);
            }
            return Ok(false);
        }
        let spot = self.spot(w, draft, key);
        let present = spot.found.is_some();
        // The replacement of the node, if there is one, and a node after it.
        let (row, second) = match (&spot.found, update) {
            (Some(_), Update::Add) | (None, Update::Remove) => return Ok(present),
            (Some(found), Update::Assign) => (Some(row::with_word(w, spot.row, found, entry)), None),
            (Some(found), Update::Remove) => {
                let row = row::with_word(w, spot.row, found, E::EMPTY);
                // A chain keeps its last node, so that a head is never the same again.
                let is_last = spot.link == NIL && spot.index == 0;
                ((is_last || Self::entries(w, row) > 0).then_some(row), None)
            }
            (None, Update::Add | Update::Assign) => match Self::room(w, spot.row) {
                Some(room) => (Some(row::with_word(w, spot.row, &room, entry)), None),
                None => {
                    let [lower, upper] = Self::halves(w, spot.row, entry);
                    let second = self.words.pool.take(w, stash).ok_or(NoNode)?;
                    self.write(w, second, upper, spot.link);
                    (Some(lower), Some(second))
                }
            },
        };
        let link = second.map_or(spot.link, |second| second.0);
        let replaced = self.replace(w, (draft, stash), &spot, row, link);
        if let Some(second) = second {
            if replaced.is_err() {
                self.words.pool.put_back(w, stash, second);
            } else {
                draft.fresh += 1;
            }
        }
        replaced.map(|()| present)
    }

    /// The node of a draft that holds a key, or into which it belongs. The draft has a node.
    #[inline(always)]
    fn spot<W: Warp>(self, w: &mut W, draft: &Draft, key: E::Key) -> Spot<W, E, S> {
        let (mut node, mut index, mut before) = (draft.first, 0, NIL);
        loop {
            let row = self.read(w, node);
            let found = Self::find(w, row, key);
            let link = Self::link(w, row);
            if found.is_some() || link == NIL || Self::ends(w, row, key) {
                return Spot { node, index, before, row, link, found };
            }
            (before, node) = (node, link);
            index += 1;
        }
    }

    /// Replaces a node by a row, or removes the node. The rest of the chain begins at `link`.
    #[inline(always)]
    fn replace<W: Warp>(
        self,
        w: &mut W,
        (draft, stash): (&mut Draft, &mut Stash),
        spot: &Spot<W, E, S>,
        row: Option<Row<W, E, S>>,
        link: u32,
    ) -> Result<(), NoNode> {
        if spot.index < draft.fresh {
            match row {
                Some(row) => self.write(w, NodeIndex(spot.node), row, link),
                None => {
                    self.lead(w, draft, spot.before, link);
                    draft.fresh -= 1;
                    self.words.pool.put_back(w, stash, NodeIndex(spot.node));
                }
            }
            return Ok(());
        }
        let before = self.own(w, (draft, stash), spot.index)?;
        let to = match row {
            Some(row) => {
                let node = self.words.pool.take(w, stash).ok_or(NoNode)?;
                self.write(w, node, row, link);
                draft.fresh += 1;
                node.0
            }
            None => link,
        };
        self.lead(w, draft, before, to);
        draft.replaced += 1;
        Ok(())
    }

    /// Makes the first `count` nodes of a draft private. Returns the last of them, or none.
    #[inline(always)]
    fn own<W: Warp>(
        self,
        w: &mut W,
        (draft, stash): (&mut Draft, &mut Stash),
        count: u32,
    ) -> Result<u32, NoNode> {
        let (mut before, mut node) = (NIL, draft.first);
        for index in 0..count {
            if index >= draft.fresh {
                let row = self.read(w, node);
                let copy = self.words.pool.take(w, stash).ok_or(NoNode)?;
                let link = Self::link(w, row);
                self.write(w, copy, row, link);
                self.lead(w, draft, before, copy.0);
                draft.fresh += 1;
                draft.replaced += 1;
                (before, node) = (copy.0, link);
            } else {
                (before, node) = (node, self.next(w, node));
            }
        }
        Ok(before)
    }

    /// Links a node of a draft, or its beginning, to another one.
    #[inline(always)]
    fn lead<W: Warp>(self, w: &mut W, draft: &mut Draft, before: u32, to: u32) {
        if before == NIL {
            draft.first = to;
        } else {
            self.set_link(w, NodeIndex(before), to);
        }
    }

    /// Splits a full node with a new entry: the lower half of the entries, and the upper half.
    #[inline(always)]
    fn halves<W: Warp>(w: &mut W, row: Row<W, E, S>, entry: E::Word) -> [Row<W, E, S>; 2] {
        let key = E::key(entry);
        // How many of the entries, the new one included, have a lower key.
        let mut ranks = w.map(row, |_, words: [E::Word; S]| words.map(|word| u32::from(key < E::key(word))));
        let mut rank = 0;
        let mut turned = row;
        for i in 0..S {
            let words = w.map(turned, |_, words: [E::Word; S]| words[0]);
            turned = row::turned(w, turned);
            for lane in 0..W::LANES {
                let other = E::key(w.shfl(words, lane));
                if !is_link::<W, S>(lane, i) {
                    rank += u32::from(other < key);
                    ranks = w.both(ranks, row, |_, ranks: [u32; S], words: [E::Word; S]| {
                        core::array::from_fn(|i| ranks[i] + u32::from(other < E::key(words[i])))
                    });
                }
            }
        }
        let half = W::LANES * S as u32 / 2;
        [true, false].map(|lower| {
            let part = w.both(ranks, row, |_, ranks: [u32; S], words: [E::Word; S]| {
                core::array::from_fn(|i| if (ranks[i] < half) == lower { words[i] } else { E::EMPTY })
            });
            if (rank < half) != lower {
                return part;
            }
            let room = Self::room(w, part);
            // There is always an empty word: each part has fewer entries than a node.
            room.map_or(part, |room| row::with_word(w, part, &room, entry))
        })
    }

    /// Puts back the private nodes of a draft that was not published.
    #[inline(always)]
    pub(super) fn abandon<W: Warp>(self, w: &mut W, draft: &Draft, stash: &mut Stash) {
        let mut node = draft.first;
        for _ in 0..draft.fresh {
            let next = self.next(w, node);
            self.words.pool.put_back(w, stash, NodeIndex(node));
            node = next;
        }
    }

    /// Retires the nodes of a chain from `first` on that a draft replaces.
    #[inline(always)]
    pub(super) fn retire<W: Warp>(self, w: &mut W, stash: &Stash, first: u32, draft: &Draft) {
        let mut node = first;
        for left in (0..draft.replaced).rev() {
            self.words.pool.retire(w, stash, NodeIndex(node));
            if left > 0 {
                node = self.next(w, node);
            }
        }
    }
}
