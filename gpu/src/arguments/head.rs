//! The arguments of each operation of a table.

use super::{Argument, Arguments, List, Span, same};
use crate::layout::Scalar;
use crate::table::{RETRIEVE_SLOTS, RETRIEVE_THREADS, RETRIEVE_WARPS};
use warpproof_model::host::Refused;
use warpproof_model::retrieve::{LANE_SLOTS, chunk_words, shared_words};

/// Shared bytes of `collect`, whichever method it is by.
const COLLECT_SHARED: u32 = shared_words(RETRIEVE_WARPS) * size_of::<u32>() as u32;

/// What every kernel of a table takes first, and what else the structure decides.
#[derive(Clone, Debug)]
pub(crate) struct Head {
    /// The memory of the table and its size.
    pub(crate) list: Vec<Argument>,
    /// Buckets or groups: the operations on a table as a whole have a tile for each.
    pub(crate) parts: u32,
    /// Numbers that the `stats` kernel adds up, the live pairs first.
    pub(crate) numbers: usize,
    /// Slots of an open-addressing table, of which a tile copies many, whatever its buckets; of other tables 0.
    pub(crate) slots: u64,
}

/// The clock of stamped operations, and what it said before and after each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stamps {
    pub(crate) clock: Span<u64>,
    pub(crate) starts: Span<u64>,
    pub(crate) ends: Span<u64>,
}

impl Stamps {
    /// Puts the arguments of the stamps in front of the last one, the number of operations.
    fn before_count(self, keys: usize, arguments: &mut Arguments) -> Result<(), Refused> {
        same(1, "clocks", self.clock.len)?;
        same(keys, "starts", self.starts.len)?;
        same(keys, "ends", self.ends.len)?;
        let at = arguments.list.len() - 1;
        arguments.list.insert(at, &[self.clock.whole(), self.starts.each(), self.ends.each()]);
        Ok(())
    }
}

impl Head {
    pub(super) fn arguments(&self, tiles: usize, shared: u32, rest: &[Argument]) -> Arguments {
        Arguments { list: List::new(&self.list, rest), tiles: tiles as u64, shared }
    }

    /// insert, insert_unique, insert_or_assign, insert_or_add of a map: keys, values, outcomes, n.
    pub(crate) fn put<K, V>(
        &self,
        keys: Span<K>,
        values: Span<V>,
        outcomes: Span<u8>,
    ) -> Result<Arguments, Refused> {
        same(keys.len, "values", values.len)?;
        same(keys.len, "outcomes", outcomes.len)?;
        let rest = [keys.each(), values.each(), outcomes.each(), Argument::Count];
        Ok(self.arguments(keys.len, 0, &rest))
    }

    /// absorb: the arrays of the slots of another table, n, lost. `arrays` are their addresses and the bytes of one of their
    /// `len` elements each.
    pub(crate) fn absorb(
        &self,
        arrays: &[(u64, u32)],
        len: u64,
        lost: Span<u64>,
    ) -> Result<Arguments, Refused> {
        same(1, "losses", lost.len)?;
        let each = |&(address, bytes): &(u64, u32)| Argument::Each { address, size: bytes.into() };
        let rest: Vec<_> = arrays.iter().map(each).chain([Argument::Count, lost.whole()]).collect();
        Ok(Arguments { tiles: len, ..self.arguments(0, 0, &rest) })
    }

    /// delete of all layouts, insert_unique and search of a set: keys, outcomes, n.
    pub(crate) fn per_key<K>(&self, keys: Span<K>, outcomes: Span<u8>) -> Result<Arguments, Refused> {
        same(keys.len, "outcomes", outcomes.len)?;
        Ok(self.arguments(keys.len, 0, &[keys.each(), outcomes.each(), Argument::Count]))
    }

    /// delete_all, count: keys, counts, n.
    pub(crate) fn number<K>(&self, keys: Span<K>, counts: Span<u32>) -> Result<Arguments, Refused> {
        same(keys.len, "counts", counts.len)?;
        Ok(self.arguments(keys.len, 0, &[keys.each(), counts.each(), Argument::Count]))
    }

    /// search of a map: keys, values or null, found or null, missing value, n.
    pub(crate) fn search<K, V: Scalar>(
        &self,
        keys: Span<K>,
        values: Option<Span<V>>,
        found: Option<Span<u8>>,
        missing: V,
    ) -> Result<Arguments, Refused> {
        let values = each_or_null(keys.len, "values", values)?;
        let found = each_or_null(keys.len, "found", found)?;
        let rest = [keys.each(), values, found, Argument::value(missing), Argument::Count];
        Ok(self.arguments(keys.len, 0, &rest))
    }

    /// search_all: keys, offsets, values, counts, n. The offsets are one more than the keys, ascending, and the
    /// last one is the number of values.
    pub(crate) fn search_all<K, V>(
        &self,
        keys: Span<K>,
        offsets: Span<u64>,
        values: Span<V>,
        counts: Span<u32>,
    ) -> Result<Arguments, Refused> {
        same(keys.len + 1, "offsets", offsets.len)?;
        same(keys.len, "counts", counts.len)?;
        let rest = [keys.each(), offsets.each(), values.whole(), counts.each(), Argument::Count];
        Ok(self.arguments(keys.len, 0, &rest))
    }

    /// mixed: ops, keys, values, outcomes, found values, n.
    pub(crate) fn mixed<K, V>(
        &self,
        ops: Span<u8>,
        keys: Span<K>,
        values: Span<V>,
        outcomes: Span<u8>,
        found: Span<V>,
    ) -> Result<Arguments, Refused> {
        same(keys.len, "operations", ops.len)?;
        same(keys.len, "values", values.len)?;
        same(keys.len, "outcomes", outcomes.len)?;
        same(keys.len, "found values", found.len)?;
        let rest = [ops.each(), keys.each(), values.each(), outcomes.each(), found.each(), Argument::Count];
        Ok(self.arguments(keys.len, 0, &rest))
    }

    /// stamped of a map: ops, keys, values, outcomes, found values, clock, starts, ends, n.
    pub(crate) fn stamped<K, V>(
        &self,
        ops: Span<u8>,
        keys: Span<K>,
        values: Span<V>,
        outcomes: Span<u8>,
        found: Span<V>,
        stamps: Stamps,
    ) -> Result<Arguments, Refused> {
        let mut arguments = self.mixed(ops, keys, values, outcomes, found)?;
        stamps.before_count(keys.len, &mut arguments)?;
        Ok(arguments)
    }

    /// stamped of a set: ops, keys, outcomes, clock, starts, ends, n.
    pub(crate) fn stamped_keys<K>(
        &self,
        ops: Span<u8>,
        keys: Span<K>,
        outcomes: Span<u8>,
        stamps: Stamps,
    ) -> Result<Arguments, Refused> {
        same(keys.len, "operations", ops.len)?;
        same(keys.len, "outcomes", outcomes.len)?;
        let mut arguments =
            self.arguments(keys.len, 0, &[ops.each(), keys.each(), outcomes.each(), Argument::Count]);
        stamps.before_count(keys.len, &mut arguments)?;
        Ok(arguments)
    }

    /// flush: the number of slabs given back, one u64.
    pub(crate) fn flush(&self, freed: Span<u64>) -> Result<Arguments, Refused> {
        same(1, "freed", freed.len)?;
        Ok(self.arguments(self.parts as usize, 0, &[freed.whole()]))
    }

    /// stats: as many u64 as there are numbers, and as many shared u32.
    pub(crate) fn stats(&self, numbers: Span<u64>) -> Result<Arguments, Refused> {
        same(self.numbers, "numbers", numbers.len)?;
        let shared = (size_of::<u32>() * self.numbers) as u32;
        Ok(self.arguments(self.parts as usize, shared, &[numbers.whole()]))
    }

    /// collect of a map: keys, values, how many fit, total.
    pub(crate) fn collect<K, V>(
        &self,
        keys: Span<K>,
        values: Span<V>,
        total: Span<u64>,
    ) -> Result<Arguments, Refused> {
        same(keys.len, "values", values.len)?;
        same(1, "totals", total.len)?;
        let rest = [keys.whole(), values.whole(), Argument::U64(keys.len as u64), total.whole()];
        Ok(self.arguments(self.copied(), COLLECT_SHARED, &rest))
    }

    /// collect of a set: keys, how many fit, total.
    pub(crate) fn collect_keys<K>(&self, keys: Span<K>, total: Span<u64>) -> Result<Arguments, Refused> {
        same(1, "totals", total.len)?;
        let rest = [keys.whole(), Argument::U64(keys.len as u64), total.whole()];
        Ok(self.arguments(self.copied(), COLLECT_SHARED, &rest))
    }

    /// Tiles that copy all entries.
    fn copied(&self) -> usize {
        match self.slots {
            0 => self.parts as usize,
            slots => slots.div_ceil(RETRIEVE_SLOTS as u64) as usize,
        }
    }

    /// How many words collect_in_order works with, of a table of buckets.
    pub(crate) fn chunk_words(&self) -> usize {
        chunk_words(self.slots, RETRIEVE_THREADS as u64 * LANE_SLOTS as u64) as usize
    }

    /// collect_in_order of a map: keys, values, how many fit, total, chunks.
    pub(crate) fn collect_in_order<K, V>(
        &self,
        keys: Span<K>,
        values: Span<V>,
        total: Span<u64>,
        chunks: Span<u64>,
    ) -> Result<Arguments, Refused> {
        let arguments = self.collect(keys, values, total)?;
        self.with_chunks(arguments, chunks)
    }

    /// collect_in_order of a set: keys, how many fit, total, chunks.
    pub(crate) fn collect_keys_in_order<K>(
        &self,
        keys: Span<K>,
        total: Span<u64>,
        chunks: Span<u64>,
    ) -> Result<Arguments, Refused> {
        let arguments = self.collect_keys(keys, total)?;
        self.with_chunks(arguments, chunks)
    }

    fn with_chunks(&self, mut arguments: Arguments, chunks: Span<u64>) -> Result<Arguments, Refused> {
        same(self.chunk_words(), "chunks", chunks.len)?;
        arguments.list.extend(&[chunks.whole(), Argument::U64(chunks.len as u64)]);
        arguments.shared = COLLECT_SHARED;
        Ok(arguments)
    }
}

/// A slice as long as the keys, or null, which is not written.
fn each_or_null<T>(keys: usize, what: &'static str, slice: Option<Span<T>>) -> Result<Argument, Refused> {
    match slice {
        Some(slice) => {
            same(keys, what, slice.len)?;
            Ok(slice.each())
        }
        None => Ok(Argument::Pointer(0)),
    }
}
