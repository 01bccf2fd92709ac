//! The arguments of a batch that is inserted bin by bin.

use super::{Argument, Arguments, Head, Span, same};
use crate::table::{FILL_THREADS, SETTLE_THREADS};
use warpproof_model::host::Refused;
use warpproof_model::open::bulk::{Fan, TALLY, fill_words, scatter_words, settle_words};

/// Bins in device memory: address and number of their words, how many each has taken, and what each has room for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Binned {
    pub(crate) words: u64,
    pub(crate) len: u64,
    pub(crate) taken: Span<u32>,
    pub(crate) room: u32,
}

impl Binned {
    fn words(self) -> [Argument; 2] {
        [Argument::Pointer(self.words), Argument::U64(self.len)]
    }

    fn taken(self) -> [Argument; 3] {
        [self.taken.whole(), Argument::U64(self.taken.len as u64), Argument::U32(self.room)]
    }

    fn list(self) -> Vec<Argument> {
        [&self.words()[..], &self.taken()[..]].concat()
    }
}

/// Blocks that insert a batch once more: as many as a GPU may run at a time.
const MAKE_UP_BLOCKS: u32 = 2048;

/// Shared bytes of a block with so many counters and scratch words of so many bytes in all.
fn shared(counters: u32, scratch: u32) -> u32 {
    (counters * size_of::<u32>() as u32).next_multiple_of(16) + scratch
}

impl Head {
    /// scatter of a map: keys, values, n, fan, shift, bins, tally. `scratch` bytes of a block are its entries.
    pub(crate) fn scatter<K, V>(
        &self,
        keys: Span<K>,
        values: Span<V>,
        (fan, scratch): (Fan, u32),
        to: Binned,
        tally: Span<u64>,
    ) -> Result<Arguments, Refused> {
        same(keys.len, "values", values.len)?;
        self.scattered(keys.len, &[keys.each(), values.each()], (fan, scratch), to, tally)
    }

    /// The same of a set, without values.
    pub(crate) fn scatter_keys<K>(
        &self,
        keys: Span<K>,
        (fan, scratch): (Fan, u32),
        to: Binned,
        tally: Span<u64>,
    ) -> Result<Arguments, Refused> {
        self.scattered(keys.len, &[keys.each()], (fan, scratch), to, tally)
    }

    fn scattered(
        &self,
        n: usize,
        columns: &[Argument],
        (fan, scratch): (Fan, u32),
        to: Binned,
        tally: Span<u64>,
    ) -> Result<Arguments, Refused> {
        same(TALLY, "numbers of the tally", tally.len)?;
        let own = [Argument::Count, Argument::U32(fan.fan), Argument::U32(fan.shift)];
        let rest = [columns, &own, &to.list(), &[tally.whole()]].concat();
        Ok(self.arguments(n, shared(scatter_words(fan.fan), scratch), &rest))
    }

    /// scatter_again: bins, parts of each, fan, shift, bins, tally; in `blocks` blocks of `threads`.
    pub(crate) fn scatter_again(
        &self,
        (from, parts): (Binned, u32),
        (fan, scratch): (Fan, u32),
        to: Binned,
        tally: Span<u64>,
        (blocks, threads): (u64, u32),
    ) -> Arguments {
        let own = [Argument::U32(parts), Argument::U32(fan.fan), Argument::U32(fan.shift)];
        let rest = [&from.list()[..], &own, &to.list(), &[tally.whole()]].concat();
        let shared = shared(scatter_words(fan.fan), scratch);
        Arguments { tiles: blocks * threads as u64, ..self.arguments(0, shared, &rest) }
    }

    /// fill: shift, bins, those that it leaves entries in, tally. `scratch` bytes of a block are the slots of a bin.
    pub(crate) fn fill(
        &self,
        (shift, scratch): (u32, u32),
        (bins, left): (Binned, Binned),
        tally: Span<u64>,
    ) -> Arguments {
        let [taken, len, room] = bins.taken();
        let rest = [
            &[Argument::U32(shift)],
            &bins.words()[..],
            &[taken, Argument::Pointer(left.words), left.taken.whole(), len, room, tally.whole()],
        ]
        .concat();
        let tiles = bins.taken.len as u64 * FILL_THREADS as u64;
        Arguments { tiles, ..self.arguments(0, shared(fill_words(shift), scratch), &rest) }
    }

    /// settle: bins, tally.
    pub(crate) fn settle(&self, left: Binned, tally: Span<u64>) -> Arguments {
        let rest = [&left.list()[..], &[tally.whole()]].concat();
        let tiles = left.taken.len as u64 * SETTLE_THREADS as u64;
        Arguments { tiles, ..self.arguments(0, shared(settle_words(), 0), &rest) }
    }

    /// make_up of a map: keys, values, n, blocks, tally.
    pub(crate) fn make_up<K, V>(&self, keys: Span<K>, values: Span<V>, tally: Span<u64>) -> Arguments {
        self.made_up(keys.len, &[keys.whole(), values.whole()], tally)
    }

    /// The same of a set, without values.
    pub(crate) fn make_up_keys<K>(&self, keys: Span<K>, tally: Span<u64>) -> Arguments {
        self.made_up(keys.len, &[keys.whole()], tally)
    }

    fn made_up(&self, n: usize, columns: &[Argument], tally: Span<u64>) -> Arguments {
        let own = [Argument::U32(n as u32), Argument::U32(MAKE_UP_BLOCKS), tally.whole()];
        let tiles = MAKE_UP_BLOCKS as u64 * SETTLE_THREADS as u64;
        Arguments { tiles, ..self.arguments(0, shared(settle_words(), 0), &[columns, &own].concat()) }
    }
}
