//! `retrieve_all`: copies every entry of a table to an output.
//!
//! The slots of a table are numbered through. A block reads a part of them, round by round; a lane reads `R`
//! rows of `S` slots in a round. A [`Method`] gives entries their places in the output: there are the four of
//! the publication (NVIDIA's blog on cuCollections' `dynamic_map`). With [`Retrieval::in_order`] the output
//! is in the order of the slots.
//!
//! Deviations from the publication:
//!
//! 1. All warps of a block go through all rounds, with a slot or without. In the publication barriers and
//!    ballots are in loops that end earlier for some threads.
//! 2. The counter of a block is set back after each round, and separate words say where its places begin. The
//!    publication does neither.
//! 3. The bound is tested before a slot is read, all numbers have 64 bits, and nothing is written after the
//!    output.
//! 4. An entry is one word: the publication reads key and value one after the other.
//! 5. A lane takes several slots in a round, so that a block adds to the count of the output seldom.
//!
//! Every slot is read once, and every entry written once. The protocol of the blocks is in the README beside
//! this file.

mod method;
mod ordered;
mod round;
mod shared;
mod source;

pub use method::{BlockScan, Method, PerSlot, SharedCounter, WarpCounter};
pub use ordered::{chunk_words, shared_words};
pub use source::{ReservedEntry, Sink, SlotArray, Source};

use crate::block::{Block, InBlock};
use crate::memory::IntegerWords;
use crate::warp::Warp;

/// Slots that a lane reads in a round in the kernels of the library, a row each.
pub const LANE_SLOTS: usize = 8;

/// A copy of all entries of a source to a sink, with their number in word 0 of the count. In a round, a lane
/// reads `R` rows of `S` slots.
#[derive(Clone, Copy, Debug)]
pub struct Retrieval<A, K, N, const R: usize, const S: usize> {
    source: A,
    sink: K,
    count: N,
    before: u64,
}

impl<A: Source, K: Sink<A::Entry>, N: IntegerWords<u64>, const R: usize, const S: usize>
    Retrieval<A, K, N, R, S>
{
    /// Copies from `source` to `sink`. The count is zero at first. It may become more than there is room for:
    /// entries without room are counted and not written.
    #[inline(always)]
    pub const fn new(source: A, sink: K, count: N) -> Self {
        const { assert!(R > 0 && S > 0, "a lane reads at least one slot") };
        Self { source, sink, count, before: 0 }
    }

    /// This retrieval, with the first `before` places of the sink left to the caller.
    /// [`in_order`](Self::in_order) writes its entries after them.
    #[inline(always)]
    #[must_use]
    pub const fn after(self, before: u64) -> Self {
        Self { before, ..self }
    }

    /// Copies the entries of block number `block`, whose part of the slots is `rounds` rounds long. All warps
    /// of the block call this; all blocks have as many warps and rounds. Exact if nothing changes the source
    /// meanwhile.
    #[inline(always)]
    pub fn run<M: Method, I: InBlock>(self, m: &mut I, _: M, block: u32, rounds: u32) {
        let step = Self::block_rows(m);
        let mut first = (block as u64 * rounds as u64).saturating_mul(step);
        for _ in 0..rounds {
            // Equal for all warps: they leave together.
            if self.is_behind(first) {
                return;
            }
            let mine = first + Self::warp_row(m);
            let rows = round::read::<_, _, R, S>(m.warp(), self.source, mine);
            M::place(m, self, rows);
            first += step;
        }
    }

    /// Rows that a block reads in a round.
    #[inline(always)]
    fn block_rows<I: InBlock>(m: &mut I) -> u64 {
        m.block().warps() as u64 * Self::warp_rows::<I>()
    }

    /// The first of these that the calling warp reads.
    #[inline(always)]
    fn warp_row<I: InBlock>(m: &mut I) -> u64 {
        m.block().rank() as u64 * Self::warp_rows::<I>()
    }

    #[inline(always)]
    fn warp_rows<I: InBlock>() -> u64 {
        I::Warp::LANES as u64 * R as u64
    }

    /// Whether a row begins after the last slot.
    #[inline(always)]
    fn is_behind(self, row: u64) -> bool {
        row.saturating_mul(S as u64) >= self.source.slots()
    }
}
