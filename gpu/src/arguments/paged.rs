//! The arguments of the kernels that partition a batch by the child tables of a paged table.

use super::{Argument, Arguments, List, Span};
use warpproof_model::Seed;
use warpproof_model::paged::partition::{
    ARRANGED, COUNTED, SCATTERED, SIFT_WORDS, SORTED, SORTED_DIGITS, TALLIES, arrange_words, scatter_words,
};

/// Threads and operations per thread of a block that counts, that scatters, that arranges, and that counts
/// outcomes.
pub(crate) const COUNT: (u32, u32) = (512, COUNTED);
const SCATTER: (u32, u32) = (512, SCATTERED);
const SCATTER_SORTED: (u32, u32) = (512, SORTED);
pub(crate) const ARRANGE: (u32, u32) = (512, ARRANGED);
pub(crate) const TALLY_THREADS: u32 = 256;
/// Threads of a block that sifts operations.
pub(crate) const SIFT: u32 = 256;
/// Threads of a block that writes a board.
pub(crate) const WRITE_BOARD: u32 = 256;
/// Parts into which a tile is arranged.
pub(crate) const BINS: u32 = 4096;
/// The most digits: a block has a word for each, and enough operations of each.
pub(crate) const MOST_DIGITS: u32 = 8192;

/// Which digit each key belongs to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Digits {
    /// Child tables.
    pub(crate) children: u32,
    /// Parts of each.
    pub(crate) parts: u32,
    /// The seed that decides the child table of a key.
    pub(crate) seed: Seed,
    /// Two words of the seed of each child table.
    pub(crate) seeds: u64,
}

impl Digits {
    /// How many there are.
    pub(crate) const fn count(self) -> u32 {
        self.children * self.parts
    }

    /// Threads and operations per thread of a block that scatters.
    pub(crate) const fn scatter(self) -> (u32, u32) {
        if self.count() <= SORTED_DIGITS { SCATTER_SORTED } else { SCATTER }
    }

    fn list(self) -> [Argument; 5] {
        let [mask, factor] = self.seed.words();
        [
            Argument::U32(self.children),
            Argument::U32(self.parts),
            Argument::U64(mask),
            Argument::U64(factor),
            Argument::Pointer(self.seeds),
        ]
    }
}

/// Addresses of the columns of a batch of `n` operations. A missing column is null. The kernel's name says
/// whether there are values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Operations {
    pub(crate) n: u32,
    pub(crate) keys: u64,
    pub(crate) values: Option<u64>,
    pub(crate) ops: u64,
    pub(crate) numbers: u64,
}

impl Operations {
    fn columns(self) -> Vec<Argument> {
        [Some(self.keys), self.values].into_iter().flatten().map(Argument::Pointer).collect()
    }

    fn to(self) -> Vec<Argument> {
        let beside = [self.ops, self.numbers].map(Argument::Pointer);
        self.columns().into_iter().chain(beside).collect()
    }
}

fn of(lists: &[&[Argument]], n: u32, shared_words: u32) -> Arguments {
    let mut list = List::new(&[], &[]);
    lists.iter().for_each(|more| list.extend(more));
    Arguments { list, tiles: n.into(), shared: shared_words * size_of::<u32>() as u32 }
}

impl Arguments {
    /// `paged_count`: keys, n, digits, counters.
    pub(crate) fn paged_count(batch: Operations, digits: Digits, counters: u64) -> Self {
        let own = [Argument::Pointer(batch.keys), Argument::Count];
        of(&[&own, &digits.list(), &[Argument::Pointer(counters)]], batch.n, digits.count())
    }

    /// `paged_scatter`: columns, numbers, n, digits, next places, columns to move to, places of operations.
    /// Either the columns get the numbers of operations, or `places` their places.
    pub(crate) fn paged_scatter(
        batch: Operations,
        digits: Digits,
        next: u64,
        (to, places): (Operations, u64),
    ) -> Self {
        let own = [Argument::Pointer(batch.ops), Argument::Pointer(batch.numbers), Argument::Count];
        let (next, places) = ([Argument::Pointer(next)], [Argument::Pointer(places)]);
        let lists: [&[_]; 6] = [&batch.columns(), &own, &digits.list(), &next, &to.to(), &places];
        let sorted = digits.count() <= SORTED_DIGITS;
        of(&lists, batch.n, scatter_words(digits.count(), digits.scatter(), sorted))
    }

    /// `paged_arrange`: columns, numbers, n, digits, bins, columns to move to.
    pub(crate) fn paged_arrange(batch: Operations, digits: Digits, to: Operations) -> Self {
        let own = [Argument::Pointer(batch.ops), Argument::Pointer(batch.numbers), Argument::Count];
        let bins = [Argument::U32(BINS)];
        let lists: [&[_]; 5] = [&batch.columns(), &own, &digits.list(), &bins, &to.to()];
        of(&lists, batch.n, arrange_words(BINS, ARRANGE.0))
    }

    /// `paged_answer`: numbers, keys of runs or null, codes or null, values or null, n, targets.
    pub(crate) fn paged_answer(numbers: Span<u32>, keys: u64, from: [u64; 2], to: [u64; 2]) -> Self {
        let [codes, values] = from.map(Argument::Pointer);
        let [to_codes, to_values] = to.map(Argument::Pointer);
        let list =
            [numbers.whole(), Argument::Pointer(keys), codes, values, Argument::Count, to_codes, to_values];
        of(&[&list], numbers.len() as u32, 0)
    }

    /// `paged_gather`: places, codes or null, values or null, n, targets.
    pub(crate) fn paged_gather(places: Span<u32>, from: [u64; 2], to: [u64; 2]) -> Self {
        let [codes, values] = from.map(Argument::Pointer);
        let [to_codes, to_values] = to.map(Argument::Pointer);
        let list = [places.whole(), codes, values, Argument::Count, to_codes, to_values];
        of(&[&list], places.len() as u32, 0)
    }

    /// `sift`, from the arguments of a search: keys and numbers to move to, their counter.
    pub(crate) fn sift(mut self, to: Operations, left: u64) -> Self {
        self.list.extend(&[to.keys, to.numbers, left].map(Argument::Pointer));
        Self { shared: SIFT_WORDS * size_of::<u32>() as u32, ..self }
    }

    /// `paged_board`: slots, words of the seed, board; a thread for each of its words.
    pub(crate) fn paged_board(
        (slots, len): (u64, u64),
        [mask, factor]: [u64; 2],
        (board, words): (u64, u32),
    ) -> Self {
        let list = [
            Argument::Pointer(slots),
            Argument::U64(len),
            Argument::U64(mask),
            Argument::U64(factor),
            Argument::Pointer(board),
            Argument::Count,
        ];
        of(&[&list], words, 0)
    }

    /// `paged_tally`: kinds of operations or null, codes, starts, the kind of all, child tables, tallies.
    pub(crate) fn paged_tally(
        (ops, codes, kind): (u64, u64, u8),
        (starts, children): (u64, u32),
        tallies: u64,
    ) -> Self {
        let list = [
            Argument::Pointer(ops),
            Argument::Pointer(codes),
            Argument::Pointer(starts),
            Argument::U32(kind.into()),
            Argument::U32(children),
            Argument::Pointer(tallies),
        ];
        of(&[&list], children * TALLY_THREADS, TALLIES as u32)
    }
}
