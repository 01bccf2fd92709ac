//! What each kernel takes, in its order. Written here and nowhere else; a test compares it with the PTX.
//!
//! A constructor of [`Arguments`] checks the lengths of the arrays, so that arguments which exist are right for
//! their operation on their table.

use crate::layout::{Layout, Scalar};
use core::marker::PhantomData;
use warpproof_model::host::Refused;

/// Elements in device memory: an address and a length. Does not keep the memory.
#[derive(Debug)]
pub(crate) struct Span<T> {
    address: u64,
    len: usize,
    element: PhantomData<fn() -> T>,
}

impl<T> Clone for Span<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Span<T> {}

impl<T> Span<T> {
    /// `len` elements at `address`.
    pub(crate) const fn new(address: u64, len: usize) -> Self {
        Self { address, len, element: PhantomData }
    }

    /// Number of elements.
    pub(crate) const fn len(self) -> usize {
        self.len
    }

    /// One element per operation.
    fn each(self) -> Argument {
        Argument::Each { address: self.address, size: size_of::<T>() as u64 }
    }

    /// The same array for every operation.
    fn whole(self) -> Argument {
        Argument::U64(self.address)
    }
}

/// One argument of a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Argument {
    /// A pointer to one element of `size` bytes per operation.
    Each { address: u64, size: u64 },
    /// 64 bits: a number, or a pointer.
    U64(u64),
    /// 32 bits.
    U32(u32),
    /// How many operations there are, in 32 bits.
    Count,
}

impl Argument {
    /// A value of 32 or 64 bits.
    fn value<V: Scalar>(value: V) -> Self {
        let bits = value.to_bits() as u64;
        if size_of::<V>() == size_of::<u32>() { Self::U32(bits as u32) } else { Self::U64(bits) }
    }

    /// The bits of the argument, in the low end, for `count` operations from number `first` on.
    pub(crate) fn bits(self, first: u64, count: u32) -> u64 {
        match self {
            Self::Each { address, size } => address + first * size,
            Self::U64(bits) => bits,
            Self::U32(bits) => bits as u64,
            Self::Count => count as u64,
        }
    }
}

/// An operation of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Operation {
    Insert,
    InsertUnique,
    InsertOrAssign,
    Delete,
    DeleteAll,
    Count,
    Search,
    SearchAll,
    Mixed,
    Flush,
    Stats,
    Collect,
}

impl Operation {
    /// All of them.
    pub(crate) const ALL: [Self; 12] = [
        Self::Insert,
        Self::InsertUnique,
        Self::InsertOrAssign,
        Self::Delete,
        Self::DeleteAll,
        Self::Count,
        Self::Search,
        Self::SearchAll,
        Self::Mixed,
        Self::Flush,
        Self::Stats,
        Self::Collect,
    ];

    /// The operation's part of a kernel's name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Insert => "insert",
            Self::InsertUnique => "insert_unique",
            Self::InsertOrAssign => "insert_or_assign",
            Self::Delete => "delete",
            Self::DeleteAll => "delete_all",
            Self::Count => "count",
            Self::Search => "search",
            Self::SearchAll => "search_all",
            Self::Mixed => "mixed",
            Self::Flush => "flush",
            Self::Stats => "stats",
            Self::Collect => "collect",
        }
    }
}

/// The kernel of `operation` for tiles of `lanes` and slabs of `slab_slots`.
pub(crate) fn kernel_name(layout: Layout, operation: Operation, lanes: u32, slab_slots: u32) -> String {
    let slots = if slab_slots == 8 { String::new() } else { format!("_x{slab_slots}") };
    format!("slab_{}_{}_l{lanes}{slots}", layout.name(), operation.name())
}

/// All arguments of a kernel, and how many tiles and shared bytes it needs.
#[derive(Clone, Debug)]
pub(crate) struct Arguments {
    pub(crate) list: Vec<Argument>,
    /// Operations, or buckets: one tile each.
    pub(crate) tiles: u64,
    /// Shared bytes per block.
    pub(crate) shared: u32,
}

impl Arguments {
    /// The floors of random access: slots, how many (or how many buckets of eight), keys, values, n.
    pub(crate) fn floor(
        slots: Span<u64>,
        number: u32,
        keys: Span<u32>,
        values: Span<u32>,
    ) -> Result<Self, Refused> {
        same(keys.len, "values", values.len)?;
        let list = vec![slots.whole(), Argument::U32(number), keys.each(), values.each(), Argument::Count];
        Ok(Self { list, tiles: keys.len as u64, shared: 0 })
    }
}

/// Numbers that the `stats` kernel adds up: live, tombstones, slabs, longest, chains of 1, 2, .. 16 slabs.
pub(crate) const NUMBERS: usize = 20;
/// Shared bytes of `stats`: one u32 per number.
const STATS_SHARED: u32 = 4 * NUMBERS as u32;
/// Shared bytes of `collect`: three u32.
const COLLECT_SHARED: u32 = 12;

/// The memory of a table: what every kernel takes first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head {
    pub(crate) slots: u64,
    /// The second array of the lock-bit layout.
    pub(crate) values: Option<u64>,
    /// Slots.
    pub(crate) len: u64,
    pub(crate) bitmap: Span<u32>,
    pub(crate) buckets: u32,
}

impl Head {
    fn arguments(&self, tiles: usize, shared: u32, rest: &[Argument]) -> Arguments {
        let mut list = Vec::with_capacity(6 + rest.len());
        list.push(Argument::U64(self.slots));
        list.extend(self.values.map(Argument::U64));
        list.extend([Argument::U64(self.len), self.bitmap.whole(), Argument::U64(self.bitmap.len as u64)]);
        list.push(Argument::U32(self.buckets));
        list.extend(rest);
        Arguments { list, tiles: tiles as u64, shared }
    }

    /// insert, insert_unique, insert_or_assign of a map: keys, values, outcomes, n.
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

    /// search of a map: keys, values, found or null, missing value, n.
    pub(crate) fn search<K, V: Scalar>(
        &self,
        keys: Span<K>,
        values: Span<V>,
        found: Option<Span<u8>>,
        missing: V,
    ) -> Result<Arguments, Refused> {
        same(keys.len, "values", values.len)?;
        let found = match found {
            Some(found) => {
                same(keys.len, "found", found.len)?;
                found.each()
            }
            None => Argument::U64(0),
        };
        let rest = [keys.each(), values.each(), found, Argument::value(missing), Argument::Count];
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

    /// flush: the number of slabs given back, one u64.
    pub(crate) fn flush(&self, freed: Span<u64>) -> Result<Arguments, Refused> {
        same(1, "freed", freed.len)?;
        Ok(self.arguments(self.buckets as usize, 0, &[freed.whole()]))
    }

    /// stats: [`NUMBERS`] u64.
    pub(crate) fn stats(&self, numbers: Span<u64>) -> Result<Arguments, Refused> {
        same(NUMBERS, "numbers", numbers.len)?;
        Ok(self.arguments(self.buckets as usize, STATS_SHARED, &[numbers.whole()]))
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
        Ok(self.arguments(self.buckets as usize, COLLECT_SHARED, &rest))
    }

    /// collect of a set: keys, how many fit, total.
    pub(crate) fn collect_keys<K>(&self, keys: Span<K>, total: Span<u64>) -> Result<Arguments, Refused> {
        same(1, "totals", total.len)?;
        let rest = [keys.whole(), Argument::U64(keys.len as u64), total.whole()];
        Ok(self.arguments(self.buckets as usize, COLLECT_SHARED, &rest))
    }
}

/// Refuses a slice that is not as long as it has to be.
fn same(keys: usize, what: &'static str, found: usize) -> Result<(), Refused> {
    if keys == found { Ok(()) } else { Err(Refused::Length { keys, what, found }) }
}

#[cfg(test)]
mod tests;
