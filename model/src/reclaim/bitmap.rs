//! An allocator of nodes: a bitmap with one bit per node of the pool.
//!
//! The bitmap is divided into *resident blocks* of one word per lane. A warp looks at one block at a time:
//! every lane reads its word, and the lowest lane with a free bit takes it. When a block is full the warp
//! moves to the next, at most once around the bitmap.
//!
//! Deviations from Ashkiani et al. (IPDPS 2018): the resident block follows from a hint (the slab whose chain
//! grows) and is not kept across operations, so no cached state can go stale; a bit is taken by a fetch-or,
//! which fails only if the bit itself is gone; the walk is bounded and ends in `None`, where the published
//! one spins.
//!
//! Steps: one fetch-or when the pool is sparse; at worst one load per bitmap word and one fetch-or per bit
//! that another warp takes meanwhile.

use crate::key::{fastrange, mix};
use crate::memory::{IntegerWords, Order, ReadOrder};
use crate::warp::Warp;

/// Index of a node in the memory of a structure: first the nodes that are never freed, then those of the
/// pool.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct NodeIndex(pub u32);

/// Nodes per bitmap word.
pub const NODES_PER_WORD: u32 = u32::BITS;

/// Number of bitmap words of a pool of `nodes`.
pub const fn bitmap_words(nodes: u32) -> usize {
    nodes.div_ceil(NODES_PER_WORD) as usize
}

/// Bitmap word `index` of a pool of `nodes` nodes that are all free: zero, except that in the last word the
/// bits beyond the pool are set.
pub const fn free_word(nodes: u32, index: usize) -> u32 {
    let before = index as u64 * NODES_PER_WORD as u64;
    let left = (nodes as u64).saturating_sub(before);
    if left >= NODES_PER_WORD as u64 { 0 } else { u32::MAX << left }
}

/// The pool's free nodes. A set bit is a node in use.
#[derive(Clone, Copy, Debug)]
pub struct Allocator<B> {
    bitmap: B,
    /// Index of the first node of the pool: earlier nodes do not belong to the allocator.
    first: u32,
}

impl<B: IntegerWords<u32>> Allocator<B> {
    /// An allocator over `bitmap`, whose bit 0 is node `first`. Bits beyond the pool are set from the start
    /// (see [`free_word`]).
    #[inline(always)]
    pub const fn new(bitmap: B, first: u32) -> Self {
        Self { bitmap, first }
    }

    /// Index of the first node of the pool.
    #[inline(always)]
    pub(crate) const fn first(self) -> u32 {
        self.first
    }

    /// The bitmap.
    #[inline(always)]
    pub const fn bitmap(self) -> B {
        self.bitmap
    }

    /// Allocates a free node. `None` if each word was seen full once. `hint` spreads warps over the bitmap.
    #[inline(always)]
    pub fn allocate<W: Warp>(self, w: &mut W, hint: u32) -> Option<NodeIndex> {
        let blocks = (self.bitmap.len() as u32).div_ceil(W::LANES);
        if blocks == 0 {
            return None;
        }
        let hash = mix(hint);
        let mut block = fastrange(hash, blocks);
        for _ in 0..blocks {
            if let Some(node) = self.allocate_in(w, block, hash) {
                return Some(node);
            }
            block = if block + 1 == blocks { 0 } else { block + 1 };
        }
        None
    }

    /// Allocates a free node of one resident block.
    #[inline(always)]
    fn allocate_in<W: Warp>(self, w: &mut W, block: u32, hash: u32) -> Option<NodeIndex> {
        let len = self.bitmap.len();
        let base = block as usize * W::LANES as usize;
        let mut seen = w.each(|lane| {
            let index = base + lane as usize;
            // Relaxed: a guess, confirmed by the fetch-or.
            if index < len { self.bitmap.load(index, ReadOrder::Relaxed) } else { u32::MAX }
        });
        // Each turn takes a bit or finds one gone, so there are at most 32 turns per lane.
        loop {
            let free = w.map(seen, |_, word| word != u32::MAX);
            let lane = w.ballot(free).ffs()?;
            let word = w.shfl(seen, lane);
            let bit = pick(word, hash);
            let index = base + lane as usize;
            // Relaxed: a slab is all empty whenever its bit is clear, so taking it reads nothing that
            // another warp wrote.
            let old = w.elect(lane, || self.bitmap.fetch_or(index, 1 << bit, Order::Relaxed));
            if old & 1 << bit == 0 {
                return Some(NodeIndex(self.first + index as u32 * NODES_PER_WORD + bit));
            }
            seen = w.map(seen, |l, word| if l == lane { old } else { word });
        }
    }

    /// Frees a node. It is all empty, and no link leads to it.
    #[inline(always)]
    pub fn free<W: Warp>(self, w: &mut W, node: NodeIndex) {
        let number = node.0 - self.first;
        let (index, bit) = ((number / NODES_PER_WORD) as usize, number % NODES_PER_WORD);
        // By the lane that reads the word for the next allocation, so that this warp does not read an older
        // one.
        let lane = index as u32 % W::LANES;
        // Relaxed: the node was never used, or the flush that emptied it ends before the next allocation.
        w.elect(lane, || self.bitmap.fetch_and(index, !(1 << bit), Order::Relaxed));
    }

    /// Whether `node` is in use.
    pub fn in_use(self, node: NodeIndex) -> bool {
        let number = node.0.wrapping_sub(self.first);
        let index = (number / NODES_PER_WORD) as usize;
        // Relaxed: called at quiescence.
        index < self.bitmap.len()
            && self.bitmap.load(index, ReadOrder::Relaxed) & 1 << (number % NODES_PER_WORD) != 0
    }
}

/// A free bit of `word`, which has one: the first at or after a position computed from `hash`.
#[inline(always)]
fn pick(word: u32, hash: u32) -> u32 {
    let start = hash % NODES_PER_WORD;
    let free = (!word).rotate_right(start);
    (free.trailing_zeros() + start) % NODES_PER_WORD
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bitmap_has_one_clear_bit_per_node() {
        for nodes in [0u32, 1, 31, 32, 33, 64, 1000] {
            let words = bitmap_words(nodes);
            let clear: u32 = (0..words).map(|index| free_word(nodes, index).count_zeros()).sum();
            assert_eq!(clear, nodes);
            for index in 0..words {
                let word = free_word(nodes, index);
                assert!(word == 0 || index + 1 == words, "{nodes} nodes, word {index}");
                assert_eq!(word.leading_ones(), word.count_ones(), "the bits beyond the pool are the last");
            }
        }
    }

    #[test]
    fn pick_finds_each_free_bit() {
        for start in 0..32 {
            for bit in 0..32 {
                assert_eq!(pick(!(1 << bit), start), bit);
            }
            assert_eq!(pick(0, start), start);
        }
    }
}
