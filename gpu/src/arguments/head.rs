//! The arguments of each operation of a table.

use super::{Argument, Arguments, List, Listed, Listing, Span, filter_words};
use crate::layout::Scalar;
use warpproof_model::retrieve::{LANE_SLOTS, chunk_words, shared_words};

/// Threads of a block that copies entries, and its warps.
pub(crate) const RETRIEVE_THREADS: u32 = RETRIEVE_WARPS * RETRIEVE_LANES;
const RETRIEVE_WARPS: u32 = 8;

/// Lanes of a warp that copies entries, and the slots that it copies.
pub(crate) const RETRIEVE_LANES: u32 = 32;
const RETRIEVE_SLOTS: u32 = RETRIEVE_LANES * LANE_SLOTS as u32;

/// Shared bytes of `retrieve_all`, in order or by whichever method.
const RETRIEVE_SHARED: u32 = shared_words(RETRIEVE_WARPS) * size_of::<u32>() as u32;

/// The arguments that every kernel of a table takes first, and other facts that the structure decides.
#[derive(Clone, Debug)]
pub(crate) struct Head {
    /// The memory of the table and its size.
    pub(crate) list: Vec<Argument>,
    /// Buckets or groups. Operations on a whole table have a tile for each.
    pub(crate) parts: u32,
    /// Numbers that the `stats` kernel adds up; the first is that of live pairs.
    pub(crate) numbers: usize,
    /// Slots of an open-addressing table, where a tile copies many whatever its buckets; 0 for other tables.
    pub(crate) slots: u64,
}

/// The clock of stamped operations, and its times before and after each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stamps {
    pub(crate) clock: Span<u64>,
    pub(crate) starts: Span<u64>,
    pub(crate) ends: Span<u64>,
}

impl Head {
    /// The arguments of `n` operations.
    pub(crate) fn of(&self, n: usize) -> Listing {
        Listing::new(&self.list, n)
    }

    /// insert, insert_unique, insert_or_assign of a map: keys, values, outcomes, n.
    pub(crate) fn put<K, V>(&self, keys: Span<K>, values: Span<V>, outcomes: Span<u8>) -> Listed {
        self.of(keys.len).each("keys", keys).each("values", values).each("outcomes", outcomes).count()
    }

    /// absorb: the arrays of the slots of another table, n, lost. `arrays` has the address of each array and
    /// the bytes of one of its `len` elements.
    pub(crate) fn absorb(&self, arrays: &[(u64, u32)], len: u64, lost: Span<u64>) -> Listed {
        let each = |&(address, bytes): &(u64, u32)| Argument::Each { address, size: bytes.into() };
        let list = arrays.iter().map(each).fold(self.of(0), Listing::with).with(Argument::Count);
        list.numbers("losses", lost, 1).run_by(len as usize, 0)
    }

    /// delete of all layouts, insert_unique and search of a set: keys, outcomes, n.
    pub(crate) fn per_key<K>(&self, keys: Span<K>, outcomes: Span<u8>) -> Listed {
        self.of(keys.len).each("keys", keys).each("outcomes", outcomes).count()
    }

    /// delete_all, count: keys, counts, n.
    pub(crate) fn number<K>(&self, keys: Span<K>, counts: Span<u32>) -> Listed {
        self.of(keys.len).each("keys", keys).each("counts", counts).count()
    }

    /// search of a map: keys, values or null, found or null, missing value, n.
    pub(crate) fn search<K, V: Scalar>(
        &self,
        keys: Span<K>,
        values: Option<Span<V>>,
        found: Option<Span<u8>>,
        missing: V,
    ) -> Listed {
        let list = self.of(keys.len).each("keys", keys).each_or_null("values", values);
        list.each_or_null("found", found).with(Argument::value(missing)).count()
    }

    /// search_all: keys, offsets, values, counts, n. There is one more offset than keys; offsets ascend, and
    /// the last one is the number of values.
    pub(crate) fn search_all<K, V>(
        &self,
        keys: Span<K>,
        offsets: Span<u64>,
        values: Span<V>,
        counts: Span<u32>,
    ) -> Listed {
        let list = self.of(keys.len).each("keys", keys).of_length(keys.len + 1, "offsets", offsets.len);
        list.with(offsets.each()).with(values.whole()).each("counts", counts).count()
    }

    /// mixed: ops, keys, values, outcomes, found values, n.
    pub(crate) fn mixed<K, V>(
        &self,
        ops: Span<u8>,
        keys: Span<K>,
        values: Span<V>,
        outcomes: Span<u8>,
        found: Span<V>,
    ) -> Listed {
        let list = self.of(keys.len).each("operations", ops).each("keys", keys).each("values", values);
        list.each("outcomes", outcomes).each("found values", found).count()
    }

    /// stamped: ops, keys, values of a map, outcomes, found values of a map, clock, starts, ends, n.
    /// `columns` are the values and the found values.
    pub(crate) fn stamped<K, V>(
        &self,
        ops: Span<u8>,
        keys: Span<K>,
        columns: Option<(Span<V>, Span<V>)>,
        outcomes: Span<u8>,
        stamps: Stamps,
    ) -> Listed {
        let list = self.of(keys.len).each("operations", ops).each("keys", keys);
        let list = match columns {
            Some((values, found)) => {
                list.each("values", values).each("outcomes", outcomes).each("found values", found)
            }
            None => list.each("outcomes", outcomes),
        };
        let list = list.numbers("clocks", stamps.clock, 1);
        list.each("starts", stamps.starts).each("ends", stamps.ends).count()
    }

    /// reclaim: nothing. A thread for each of `words` words.
    pub(crate) fn reclaim(&self, words: u64) -> Arguments {
        Arguments { list: List::new(&self.list, &[]), tiles: words, shared: 0 }
    }

    /// flush: the number of slabs given back, one u64.
    pub(crate) fn flush(&self, freed: Span<u64>) -> Listed {
        self.of(0).numbers("freed", freed, 1).run_by(self.parts as usize, 0)
    }

    /// fill_filter: the words of a filter. A tile for each slot.
    pub(crate) fn fill_filter(&self, filter: Span<u64>) -> Arguments {
        Arguments { list: List::new(&self.list, &filter_words(filter)), tiles: self.slots, shared: 0 }
    }

    /// stats: a u64 for each of the table's numbers, and a shared u32 for each.
    pub(crate) fn stats(&self, numbers: Span<u64>) -> Listed {
        let shared = (size_of::<u32>() * self.numbers) as u32;
        self.of(0).numbers("numbers", numbers, self.numbers).run_by(self.parts as usize, shared)
    }

    /// retrieve_all: keys, values of a map, room, total. With `chunks` it is retrieve_all_in_order of a table
    /// of buckets, and `chunks` is the last argument.
    pub(crate) fn retrieve_all<K, V>(
        &self,
        keys: Span<K>,
        values: Option<Span<V>>,
        total: Span<u64>,
        chunks: Option<Span<u64>>,
    ) -> Listed {
        let mut list = self.of(keys.len).with(keys.whole());
        if let Some(values) = values {
            list = list.of_length(keys.len, "values", values.len).with(values.whole());
        }
        list = list.with(Argument::U64(keys.len as u64)).numbers("totals", total, 1);
        if let Some(chunks) = chunks {
            let len = self.chunk_words();
            list = list.numbers("chunks", chunks, len).with(Argument::U64(len as u64));
        }
        // A tile per part, or per some slots, whatever the parts.
        let tiles = match self.slots {
            0 => self.parts as usize,
            slots => slots.div_ceil(RETRIEVE_SLOTS as u64) as usize,
        };
        list.run_by(tiles, RETRIEVE_SHARED)
    }

    /// How many words retrieve_all_in_order works with, on a table of buckets.
    pub(crate) fn chunk_words(&self) -> usize {
        chunk_words(self.slots, RETRIEVE_THREADS as u64 * LANE_SLOTS as u64) as usize
    }
}
