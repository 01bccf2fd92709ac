//! Putting entries into bins by their homes.

use super::tally::{Counts, ENTRIES, INSERTED, LOST, TALLY};
use super::{Bins, Bulk, Numbered, home};
use crate::block::{Block, InBlock, Scratch};
use crate::entry::Packed;
use crate::memory::{IntegerWords, Order, ReadOrder, StagedWords, Words, WriteOrder};
use crate::open::{End, Filter, Probing};
use crate::outcome::{Insert, Op};
use crate::partition::FanOut;
use crate::warp::Warp;

/// Entries that the block has staged.
const STAGED: usize = TALLY;
/// For each bin: how many entries of the block go there; later, where they begin in the scratch words.
const STARTS: usize = TALLY + 1;

/// Bits of a bin's number among those of a block.
const RANK_SHIFT: u32 = 16;

/// Shared words of a block that puts entries into `fan` bins; with those for `told` entries, where outcomes
/// are told.
#[inline(always)]
pub const fn scatter_words(fan: u32, told: u32) -> u32 {
    STARTS as u32 + 2 * fan + told
}

impl<
    E: Packed,
    H: Words<E::Word>,
    F: Filter,
    P: Probing,
    N: IntegerWords<u64>,
    O: StagedWords<u8>,
    const S: usize,
> Bulk<E, H, F, P, N, O, S>
{
    /// Puts the entries of `source` that this block takes, from slot `from` on, `R` for each warp, into bins.
    /// An entry whose bin has no room is lost, and the tally counts it. The pass over the
    /// [`Batch`](super::Batch) counts its entries.
    ///
    /// All warps of the block call this. The block has [`scatter_words`] shared words, zero at first, and as
    /// many scratch words as it takes entries, fewer than 2^16. There are fewer bins than that too; they are
    /// numbered by their digits here. All homes of the source are in the partitions of `fan`.
    #[inline(always)]
    pub fn scatter<I: InBlock, A: Numbered<Entry = E>, B: StagedWords<E::Word>, const R: usize>(
        self,
        m: &mut I,
        (source, from): (A, u64),
        fan: FanOut,
        to: Bins<B, impl StagedWords<u32>, impl IntegerWords<u32>>,
    ) where
        I::Block: Scratch<E::Word>,
    {
        const { assert!(I::Warp::LANES == 1, "each lane has entries of its own") };
        let (rank, warps, shared) = (m.block().rank(), m.block().warps(), m.block().shared());
        let staged = m.block().scratch();
        let deltas = STARTS + fan.fan() as usize;
        let (told, numbers) = (self.outcomes.are_told(), deltas + fan.fan() as usize);
        let slot = |r: usize| from + (r as u32 * warps + rank) as u64;
        let bin = |word| fan.digit(home(self.table, word));
        // Relaxed, in this function: there is a barrier between the accesses of different warps to a word.
        let words = m.warp().each(|_| {
            core::array::from_fn::<_, R, _>(|r| {
                let at = slot(r);
                if at < source.slots() { source.load(at) } else { E::EMPTY }
            })
        });
        let mut counts = Counts::default();
        let begins = A::IS_BATCH;
        if begins {
            let _ = m.warp().map(words, |_, words: [E::Word; R]| {
                for (r, word) in words.into_iter().enumerate() {
                    if slot(r) >= source.slots() {
                    } else if !A::is_entry(word) {
                        self.insert_reserved(source, slot(r), &mut counts);
                    } else if told {
                        self.outcomes.begin(source.number(slot(r)));
                    }
                }
            });
        }
        // The bin of each entry, and how many entries of the block went there before.
        let ranks = m.warp().map(words, |_, words: [E::Word; R]| {
            words.map(|word| {
                if !A::is_entry(word) {
                    return u32::MAX;
                }
                let bin = bin(word);
                shared.fetch_add(STARTS + bin as usize, 1, Order::Relaxed) << RANK_SHIFT | bin
            })
        });
        m.block().sync();
        m.warp().elect(0, || {
            let mut bin = rank;
            while bin < fan.fan() {
                let at = bin as usize;
                let n = shared.load(STARTS + at, ReadOrder::Relaxed);
                if n != 0 {
                    let start = shared.fetch_add(STAGED, n, Order::Relaxed);
                    let place = to.take(fan.partition(bin), n);
                    shared.store(STARTS + at, start, WriteOrder::Relaxed);
                    shared.store(deltas + at, place.wrapping_sub(start), WriteOrder::Relaxed);
                }
                bin += warps;
            }
            true
        });
        m.block().sync();
        let _ = m.warp().both(words, ranks, |_, words: [E::Word; R], ranks: [u32; R]| {
            for r in 0..R {
                if ranks[r] != u32::MAX {
                    let bin = ranks[r] & ((1 << RANK_SHIFT) - 1);
                    let start = shared.load(STARTS + bin as usize, ReadOrder::Relaxed);
                    let place = (start + (ranks[r] >> RANK_SHIFT)) as usize;
                    staged.store(place, words[r]);
                    if told {
                        // Read here, so that it takes no register before.
                        let number = source.number(slot(r));
                        shared.store(numbers + place, number, WriteOrder::Relaxed);
                    }
                }
            }
        });
        m.block().sync();
        let all = m.warp().elect(0, || shared.load(STAGED, ReadOrder::Relaxed));
        m.warp().elect(0, || {
            let mut at = rank;
            while at < all {
                let word = staged.load(at as usize);
                let bin = bin(word);
                let place = shared.load(deltas + bin as usize, ReadOrder::Relaxed).wrapping_add(at);
                let has = to.has(place);
                if has {
                    to.store(fan.partition(bin), place, word);
                }
                if told {
                    let number = shared.load(numbers + at as usize, ReadOrder::Relaxed);
                    if has {
                        to.store_number(fan.partition(bin), place, number);
                    } else {
                        self.outcomes.defer(number);
                    }
                }
                counts.add(LOST, !has as u32);
                at += warps;
            }
            true
        });
        if rank == 0 {
            counts.add(ENTRIES, if A::IS_BATCH { all } else { 0 });
        }
        counts.report(m, self.tally);
    }

    /// Inserts the entry of a slot of the batch that goes into no bin, as its key is reserved.
    #[inline(always)]
    fn insert_reserved<A: Numbered<Entry = E>>(self, source: A, slot: u64, counts: &mut Counts) {
        let Some((key, value)) = source.reserved(slot) else { return };
        let said = self.reserved.run_alone(Op::InsertUnique, key, value);
        let is_new = said.code == Insert::Inserted.code();
        counts.add(ENTRIES, 1);
        counts.add(INSERTED, is_new.into());
        if self.outcomes.are_told() {
            self.outcomes.tell(source.number(slot), if is_new { End::Inserted } else { End::Present });
        }
    }
}
