//! The arguments of a batch that is inserted bin by bin.

use super::{Argument, Arguments, Head, List, Span, same};
use crate::table::{FILL_THREADS, INSERT_THREADS};
use warpproof_model::host::Refused;
use warpproof_model::open::bulk::{TALLY, fill_words, insert_words, scatter_words};
use warpproof_model::partition::FanOut;

/// The columns of a batch: keys, and values of a map.
#[derive(Clone, Debug)]
pub(crate) struct Columns {
    n: usize,
    each: Vec<Argument>,
}

impl Columns {
    /// The columns of a map: keys and values.
    pub(crate) fn of_pairs<K, V>(keys: Span<K>, values: Span<V>) -> Result<Self, Refused> {
        same(keys.len, "values", values.len)?;
        Ok(Self { n: keys.len, each: vec![keys.each(), values.each()] })
    }

    /// The column of a set: keys.
    pub(crate) fn of_keys<K>(keys: Span<K>) -> Self {
        Self { n: keys.len, each: vec![keys.each()] }
    }

    /// Entries of the batch.
    pub(crate) const fn len(&self) -> usize {
        self.n
    }
}

/// Bins in device memory: the addresses of their words and of the numbers of their operations, how many bins
/// there are, how many words each bin has taken, and the room of each. Without outcomes there are no numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Binned {
    pub(crate) words: u64,
    pub(crate) numbers: u64,
    pub(crate) len: u64,
    pub(crate) taken: Span<u32>,
    pub(crate) room: u32,
}

impl Binned {
    fn list(self) -> [Argument; 5] {
        let [words, len] = [Argument::Pointer(self.words), Argument::U64(self.len)];
        let taken = self.taken;
        [words, len, taken.whole(), Argument::U64(taken.len as u64), Argument::U32(self.room)]
    }
}

/// Where a batch reports how its inserts ended: the words of a tally, and an outcome for each operation, or
/// none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Said {
    tally: Span<u64>,
    outcomes: Span<u8>,
}

impl Said {
    /// Only a tally.
    pub(crate) fn tally(tally: Span<u64>) -> Result<Self, Refused> {
        same(TALLY, "numbers of the tally", tally.len)?;
        Ok(Self { tally, outcomes: Span::new(0, 0) })
    }

    /// The outcomes of `n` operations as well.
    pub(crate) fn outcomes(self, n: usize, outcomes: Span<u8>) -> Result<Self, Refused> {
        same(n, "outcomes", outcomes.len)?;
        Ok(Self { outcomes, ..self })
    }

    /// The words of the tally.
    pub(crate) const fn words(self) -> Span<u64> {
        self.tally
    }

    /// Whether each operation is told its outcome.
    pub(crate) const fn is_told(self) -> bool {
        self.outcomes.len > 0
    }

    /// The tally, the numbers of these bins' operations, and the outcomes.
    fn list(self, bins: &[Binned]) -> Vec<Argument> {
        let numbers = bins.iter().map(|bins| Argument::Pointer(bins.numbers));
        let outcomes = [self.outcomes.whole(), Argument::U64(self.outcomes.len as u64)];
        [self.tally.whole()].into_iter().chain(numbers).chain(outcomes).collect()
    }

    /// `n`, if each operation is told its outcome, otherwise 0.
    fn told(self, n: u32) -> u32 {
        if self.is_told() { n } else { 0 }
    }
}

/// Blocks that insert a batch once more: as many as a GPU may run at a time.
const LOST_BLOCKS: u32 = 2048;

/// Shared bytes of a block with `counters` counters and `scratch` bytes of scratch words in all.
fn shared(counters: u32, scratch: u32) -> u32 {
    (counters * size_of::<u32>() as u32).next_multiple_of(16) + scratch
}

impl Head {
    fn arguments(&self, tiles: u64, shared: u32, rest: &[&[Argument]]) -> Arguments {
        let mut list = List::new(&self.list, &[]);
        rest.iter().for_each(|more| list.extend(more));
        Arguments { list, tiles, shared }
    }

    /// scatter: columns, n, fan, shift, bins, tally, numbers, outcomes. A block has `scratch` bytes for its
    /// `entries`.
    pub(crate) fn scatter(
        &self,
        columns: &Columns,
        (fan, scratch, entries): (FanOut, u32, u32),
        to: Binned,
        said: Said,
    ) -> Arguments {
        let own = [Argument::Count, Argument::U32(fan.fan()), Argument::U32(fan.partitioning().shift())];
        let shared = shared(scatter_words(fan.fan(), said.told(entries)), scratch);
        self.arguments(columns.n as u64, shared, &[&columns.each, &own, &to.list(), &said.list(&[to])])
    }

    /// scatter_again: bins, parts of each, fan, shift, bins, tally, numbers, outcomes; in `blocks` blocks of
    /// `threads`.
    pub(crate) fn scatter_again(
        &self,
        (from, parts): (Binned, u32),
        (fan, scratch, entries): (FanOut, u32, u32),
        to: Binned,
        said: Said,
        (blocks, threads): (u64, u32),
    ) -> Arguments {
        let own = [Argument::U32(parts), Argument::U32(fan.fan()), Argument::U32(fan.partitioning().shift())];
        let shared = shared(scatter_words(fan.fan(), said.told(entries)), scratch);
        let rest: [&[_]; 4] = [&from.list(), &own, &to.list(), &said.list(&[from, to])];
        self.arguments(blocks * threads as u64, shared, &rest)
    }

    /// fill: shift, bins, their overflow, tally, numbers, outcomes. A block has `scratch`
    /// bytes for the `slots` of a bin.
    pub(crate) fn fill(
        &self,
        (shift, scratch, slots): (u32, u32, u32),
        (bins, overflow): (Binned, Binned),
        said: Said,
    ) -> Arguments {
        let [words, len, taken, number, room] = bins.list();
        let own = [
            Argument::U32(shift),
            words,
            len,
            taken,
            Argument::Pointer(overflow.words),
            overflow.taken.whole(),
        ];
        let tiles = bins.taken.len as u64 * FILL_THREADS as u64;
        let shared = shared(fill_words(shift, said.told(slots)), scratch);
        self.arguments(tiles, shared, &[&own, &[number, room], &said.list(&[bins, overflow])])
    }

    /// insert_overflow: bins, tally, numbers, outcomes.
    pub(crate) fn insert_overflow(&self, overflow: Binned, said: Said) -> Arguments {
        let tiles = overflow.taken.len as u64 * INSERT_THREADS as u64;
        self.arguments(tiles, shared(insert_words(), 0), &[&overflow.list(), &said.list(&[overflow])])
    }

    /// insert_lost: columns, n, blocks, tally, outcomes.
    pub(crate) fn insert_lost(&self, columns: &Columns, said: Said) -> Arguments {
        let whole: Vec<_> = columns.each.iter().map(|column| Argument::Pointer(column.bits(0, 0))).collect();
        let own = [Argument::U32(columns.n as u32), Argument::U32(LOST_BLOCKS)];
        let tiles = LOST_BLOCKS as u64 * INSERT_THREADS as u64;
        self.arguments(tiles, shared(insert_words(), 0), &[&whole, &own, &said.list(&[])])
    }
}
