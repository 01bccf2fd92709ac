//! The table: heads of chains of nodes. A published node never changes.

use super::words::{Head, NIL};
use crate::entry::Packed;
use crate::hash::Seed;
use crate::key::{Key, UserKey};
use crate::memory::{IntegerWords, ReadOrder, Word, Words, WriteOrder};
use crate::reclaim::{NodeIndex, Pool};
use crate::row::{self, Found};
use crate::warp::Warp;
use core::marker::PhantomData;

/// A handle to a wait-free table: a `Copy` view that every warp carries.
///
/// A node is what a warp reads at once: `W::LANES * S` words, the last of which is its link. Warps of
/// different widths may use one table if `W::LANES * S` is equal, but not at the same time.
#[derive(Clone, Copy, Debug)]
pub struct WaitFreeTable<E, N, H, P, const S: usize> {
    pub(super) words: WaitFreeWords<N, H, P>,
    pub(super) patience: u32,
    seed: Seed,
    entry: PhantomData<E>,
}

/// The memory of a table, as handles.
#[derive(Clone, Copy, Debug)]
pub struct WaitFreeWords<N, H, P> {
    /// The nodes of the pool, at most [`MOST_NODES`](super::MOST_NODES).
    pub nodes: N,
    /// The heads, one per bucket. All are [`EMPTY_HEAD`] at first.
    pub heads: H,
    /// The announcements, one per warp that can run at one time: at most [`MOST_WARPS`](super::MOST_WARPS).
    /// All are zero at first.
    pub announcements: H,
    /// The entries of announced calls, one per announcement.
    pub requests: N,
    /// The states of the nodes: a [`NodePool`](crate::reclaim::NodePool), or an
    /// [`EpochPool`](crate::reclaim::EpochPool).
    pub pool: P,
}

/// The value of a head at first: zero.
pub const EMPTY_HEAD: u64 = Head::EMPTY.0;

/// What the lanes of a warp read of one node.
pub(super) type Row<W, E, const S: usize> = row::Row<W, <E as Packed>::Word, S>;

impl<E, N, H, P, const S: usize> WaitFreeTable<E, N, H, P, S>
where
    E: Packed,
    N: Words<E::Word>,
    H: IntegerWords<u64>,
    P: Pool,
{
    /// A table in this memory. A call is announced after it has lost `patience` exchanges. `seed` decides the
    /// bucket of each key.
    #[inline(always)]
    pub const fn new(words: WaitFreeWords<N, H, P>, patience: u32, seed: Seed) -> Self {
        Self { words, patience, seed, entry: PhantomData }
    }

    /// Number of buckets.
    #[inline(always)]
    pub fn buckets(self) -> u32 {
        self.words.heads.len() as u32
    }

    /// How many warps can run at one time. Their numbers ([`Warp::id`]) are below it and distinct.
    #[inline(always)]
    pub fn warps(self) -> u32 {
        self.words.announcements.len() as u32
    }

    /// The states of the nodes.
    #[inline(always)]
    pub const fn pool(self) -> P {
        self.words.pool
    }

    /// Nodes of the pool.
    #[inline(always)]
    pub fn nodes<W: Warp>(self) -> u32 {
        (self.words.nodes.len() / (W::LANES as usize * S)) as u32
    }

    /// Number of entries that fit a node.
    #[inline(always)]
    pub const fn node_entries(lanes: u32) -> u32 {
        lanes * S as u32 - 1
    }

    /// Prefetches the head of the bucket of `key`. A hint.
    #[inline(always)]
    pub fn prefetch<W: Warp>(self, key: UserKey<E::Key>) {
        self.words.heads.prefetch(self.bucket(key.get()) as usize);
    }

    /// The bucket of a key.
    #[inline(always)]
    pub(super) fn bucket(self, key: E::Key) -> u32 {
        key.hash(self.seed).digit(self.buckets())
    }

    /// Reads the head of a bucket. From here on, all lanes see what its publisher wrote before it.
    #[inline(always)]
    pub(super) fn head<W: Warp>(self, w: &mut W, bucket: u32) -> Head {
        // Acquire: the nodes of the chain were written before the head.
        let head = w.elect(0, || self.words.heads.load(bucket as usize, ReadOrder::Acquire));
        w.sync();
        Head(head)
    }

    /// Returns the first node with entries.
    #[inline(always)]
    pub(super) fn first_node<W: Warp>(self, w: &mut W, head: Head) -> u32 {
        if head.has_receipts() { self.next(w, head.first()) } else { head.first() }
    }

    /// Reads a node, with all lanes.
    #[inline(always)]
    pub(super) fn read<W: Warp>(self, w: &mut W, node: u32) -> Row<W, E, S> {
        let base = node as usize * W::LANES as usize;
        // Relaxed: a node does not change once a head leads to it.
        w.each(|lane| self.words.nodes.load_row::<S>(base + lane as usize, ReadOrder::Relaxed))
    }

    /// Writes a node, which is private, with all lanes. A lane writes the words that it reads.
    #[inline(always)]
    pub(super) fn write<W: Warp>(self, w: &mut W, node: NodeIndex, row: Row<W, E, S>, link: u32) {
        let base = node.0 as usize * W::LANES as usize;
        w.map(row, |lane, words: [E::Word; S]| {
            let linked = |i| if is_link::<W, S>(lane, i) { Word::from_bits(link as u128) } else { words[i] };
            // Relaxed, here and below: the exchange of the head publishes it.
            self.words.nodes.store_row::<S>(base + lane as usize, core::array::from_fn(linked));
        });
    }

    /// Links a private node to another node.
    #[inline(always)]
    pub(super) fn set_link<W: Warp>(self, w: &mut W, node: NodeIndex, link: u32) {
        let at = Self::base(W::LANES, node.0) + W::LANES as usize * S - 1;
        let link = Word::from_bits(link as u128);
        w.elect(W::LANES - 1, || self.words.nodes.store(at, link, WriteOrder::Relaxed));
    }

    /// Index of the first word of a node.
    #[inline(always)]
    pub(super) const fn base(lanes: u32, node: u32) -> usize {
        node as usize * (lanes as usize * S)
    }

    /// Returns the link of a node that was read.
    #[inline(always)]
    pub(super) fn link<W: Warp>(w: &mut W, row: Row<W, E, S>) -> u32 {
        let last = w.map(row, |_, words: [E::Word; S]| words[S - 1].to_bits() as u32 & NIL);
        w.shfl(last, W::LANES - 1)
    }

    /// Returns the node that follows a node.
    #[inline(always)]
    pub(super) fn next<W: Warp>(self, w: &mut W, node: u32) -> u32 {
        let at = Self::base(W::LANES, node) + W::LANES as usize * S - 1;
        let link = w.elect(W::LANES - 1, || {
            // Relaxed: as in `read`.
            self.words.nodes.load(at, ReadOrder::Relaxed).to_bits() as u32
        });
        link & NIL
    }

    /// Finds the entry of a key in a node that was read.
    #[inline(always)]
    pub(super) fn find<W: Warp>(w: &mut W, row: Row<W, E, S>, key: E::Key) -> Option<Found<W, E::Word>> {
        row::first(w, 0, row, |lane, i, word| !is_link::<W, S>(lane, i) & (E::key(word) == key))
    }

    /// Finds the first empty word of a node that was read.
    #[inline(always)]
    pub(super) fn room<W: Warp>(w: &mut W, row: Row<W, E, S>) -> Option<Found<W, E::Word>> {
        row::first(w, 0, row, |lane, i, word| !is_link::<W, S>(lane, i) & !Self::is_entry(word))
    }

    /// Whether a node that was read has a key above `key`. If so, no later node has `key`.
    #[inline(always)]
    pub(super) fn ends<W: Warp>(w: &mut W, row: Row<W, E, S>, key: E::Key) -> bool {
        row::any(w, row, |lane, i, word| {
            !is_link::<W, S>(lane, i) & Self::is_entry(word) & (E::key(word) > key)
        })
    }

    /// Whether a word of a node holds an entry.
    #[inline(always)]
    pub(super) fn is_entry(word: E::Word) -> bool {
        E::key(word) < <E::Key as Key>::FIRST_RESERVED
    }

    /// Number of entries in a node that was read.
    #[inline(always)]
    pub(super) fn entries<W: Warp>(w: &mut W, row: Row<W, E, S>) -> u32 {
        row::count(w, row, |lane, i, word| !is_link::<W, S>(lane, i) & Self::is_entry(word))
    }
}

/// Whether word `i` of lane `lane` is the node's link.
#[inline(always)]
pub(super) const fn is_link<W: Warp, const S: usize>(lane: u32, i: usize) -> bool {
    i == S - 1 && lane == W::LANES - 1
}
