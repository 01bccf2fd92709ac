//! All entries in the order of their slots, in one pass.

use super::Retrieval;
use super::method::say_total;
use super::round::{number, read, write};
use super::shared::{PLACE, TICKET, load_wide, store_wide, sum_of_totals, up_to_totals};
use super::source::{Sink, Source};
use crate::block::{Block, InBlock};
use crate::memory::{IntegerWords, Order, ReadOrder, WriteOrder};
use crate::warp::Warp;

/// The word with the number of the next chunk that no block has taken; the words of the chunks follow.
const TICKETS: usize = 0;
const CHUNKS: usize = 1;

/// The known state of a chunk: nothing at first, then how many entries it has, then how many there are up to
/// its end.
#[derive(Clone, Copy)]
struct Known(u64);

impl Known {
    const OWN: u64 = 1 << 62;
    const UP_TO_END: u64 = 1 << 63;

    const fn own(entries: u64) -> Self {
        Self(Self::OWN | entries)
    }

    const fn up_to_end(entries: u64) -> Self {
        Self(Self::UP_TO_END | entries)
    }

    const fn is_anything(self) -> bool {
        self.0 != 0
    }

    const fn is_up_to_end(self) -> bool {
        self.0 & Self::UP_TO_END != 0
    }

    const fn entries(self) -> u64 {
        self.0 & (Self::OWN - 1)
    }
}

/// How many words [`Retrieval::in_order`] needs for `slots` slots, if a block reads `block_slots` of them in
/// a round.
pub const fn chunk_words(slots: u64, block_slots: u64) -> u64 {
    CHUNKS as u64 + slots.div_ceil(if block_slots == 0 { 1 } else { block_slots })
}

/// Shared words of a block with so many warps.
pub const fn shared_words(warps: u32) -> u32 {
    up_to_totals(warps)
}

impl<A: Source, K: Sink<A::Entry>, N: IntegerWords<u64>, const R: usize, const S: usize>
    Retrieval<A, K, N, R, S>
{
    /// Copies the entries of at most `rounds` chunks that no other block has taken. The output is in the
    /// order of the slots. All warps of the block call this; all blocks have as many warps. Together the
    /// blocks have a round for each chunk.
    ///
    /// `chunks` has [`chunk_words`] words, zero at first. The count is stored, not added to. A block waits
    /// for the blocks of lower chunks: they began before it took its own.
    #[inline(always)]
    pub fn in_order<I: InBlock>(self, m: &mut I, chunks: impl IntegerWords<u64>, rounds: u32) {
        let (rank, warps, shared) = (m.block().rank(), m.block().warps(), m.block().shared());
        for _ in 0..rounds {
            if rank == 0 {
                m.warp().elect(0, || {
                    // Relaxed: only the number matters.
                    store_wide(shared, TICKET, chunks.fetch_add(TICKETS, 1, Order::Relaxed));
                    true
                });
            }
            m.block().sync();
            let chunk = m.warp().elect(0, || load_wide(shared, TICKET));
            let first = chunk.saturating_mul(Self::block_rows(m));
            if self.is_behind(first) {
                return;
            }
            let first = first + Self::warp_row(m);
            let rows = read::<_, _, R, S>(m.warp(), self.source, first);
            let (before, total) = number::<_, A, R, S>(m.warp(), rows);
            say_total(m, total);
            m.block().sync();
            if rank == 0 {
                let entries = m.warp().elect(0, || sum_of_totals(shared, warps)) as u64;
                let lower = self.settle(m, chunks, chunk, entries);
                m.warp().elect(0, || {
                    store_wide(shared, PLACE, lower);
                    true
                });
            }
            // Before the last barrier: after it, the warps may write their totals of the next round.
            let lower = m.warp().elect(0, || sum_of_totals(shared, rank));
            m.block().sync();
            let base = m.warp().each(|_| load_wide(shared, PLACE) + lower as u64);
            write::<_, A, _, R, S>(m.warp(), self.sink, rows, base, before);
        }
    }

    /// Writes how many entries a chunk has, finds how many come before it, and writes how many there are up
    /// to its end.
    #[inline(always)]
    fn settle<I: InBlock>(self, m: &mut I, chunks: impl IntegerWords<u64>, chunk: u64, entries: u64) -> u64 {
        let is_last = self.is_behind((chunk + 1) * Self::block_rows(m));
        let w = m.warp();
        let say = |known: Known| {
            // Relaxed, here and in `entries_before`: the word depends on no other memory.
            chunks.store(CHUNKS + chunk as usize, known.0, WriteOrder::Relaxed);
            true
        };
        if chunk > 0 {
            w.elect(0, || say(Known::own(entries)));
        }
        let lower = entries_before(w, chunks, chunk, self.before);
        w.elect(0, || {
            if is_last {
                // Relaxed: read after the launch.
                self.count.store(0, lower + entries, WriteOrder::Relaxed);
            }
            say(Known::up_to_end(lower + entries))
        });
        lower
    }
}

/// How many entries come before a chunk: those of the chunks before it, back to one for which the number up
/// to its end is known, or to the `first` entries before all chunks. Waits for unknown chunks.
#[inline(always)]
fn entries_before<W: Warp>(w: &mut W, chunks: impl IntegerWords<u64>, chunk: u64, first: u64) -> u64 {
    let (mut sum, mut end) = (if chunk == 0 { first } else { 0 }, chunk);
    while end > 0 {
        // Lane 0 reads the nearest one.
        let seen = w.each(|lane| match end.checked_sub(1 + lane as u64) {
            Some(at) => Known(chunks.load(CHUNKS + at as usize, ReadOrder::Relaxed)),
            None => Known::up_to_end(first),
        });
        let unknown = w.map(seen, |_, known| !known.is_anything());
        let unknown = w.ballot(unknown).ffs().unwrap_or(W::LANES);
        let whole = w.map(seen, |_, known| known.is_up_to_end());
        let whole = w.ballot(whole).ffs().unwrap_or(W::LANES);
        let entries = w.map(seen, |_, known| known.entries());
        for lane in 0..unknown.min(whole.saturating_add(1)) {
            sum += w.shfl(entries, lane);
        }
        if whole < unknown {
            return sum;
        }
        end -= unknown as u64;
        if unknown == 0 {
            w.pause();
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_of_a_chunk_is_one_word() {
        assert!(!Known(0).is_anything());
        let (own, all) = (Known::own(7), Known::up_to_end(0));
        assert_eq!((own.entries(), own.is_anything(), own.is_up_to_end()), (7, true, false));
        assert_eq!((all.entries(), all.is_anything(), all.is_up_to_end()), (0, true, true));
        assert_eq!(Known::own(0).0, 1 << 62, "an empty chunk is known, too");
    }

    #[test]
    fn there_is_a_word_for_each_chunk() {
        assert_eq!([0, 1, 8, 9].map(|slots| chunk_words(slots, 8)), [1, 2, 2, 3]);
        assert_eq!(chunk_words(1 << 40, 2048), 1 + (1 << 29));
    }
}
