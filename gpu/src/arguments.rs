//! What each kernel takes, in its order. Written here and nowhere else; a test compares it with the PTX.
//!
//! A constructor of [`Arguments`] checks the lengths of the arrays, so that arguments which exist are right for
//! their operation on their table.

use crate::layout::Scalar;
use core::marker::PhantomData;
use warpproof_model::host::Refused;

mod bins;
mod head;
mod list;

pub(crate) use bins::{Binned, Columns, Said};
pub(crate) use head::{Head, Stamps};
pub(crate) use list::List;

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

    /// How many there are.
    pub(crate) const fn len(self) -> usize {
        self.len
    }

    /// Where they lie, in bytes: the address of the first, and how many.
    pub(crate) const fn bytes(self) -> (u64, usize) {
        (self.address, self.len * size_of::<T>())
    }

    /// One element per operation.
    fn each(self) -> Argument {
        Argument::Each { address: self.address, size: size_of::<T>() as u64 }
    }

    /// The same array for every operation.
    fn whole(self) -> Argument {
        Argument::Pointer(self.address)
    }
}

/// One argument of a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Argument {
    /// A pointer to one element of `size` bytes per operation.
    Each { address: u64, size: u64 },
    /// A pointer that is the same for every operation; zero is null.
    Pointer(u64),
    /// 64 bits.
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
            Self::Pointer(bits) | Self::U64(bits) => bits,
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
    InsertOrAdd,
    Absorb,
    Delete,
    DeleteAll,
    Count,
    Search,
    SearchAll,
    Mixed,
    Flush,
    Stats,
    Collect,
    CollectInOrder,
    Scatter,
    ScatterAgain,
    Fill,
    Settle,
    MakeUp,
}

impl Operation {
    /// All of them.
    pub(crate) const ALL: [Self; 20] = [
        Self::Insert,
        Self::InsertUnique,
        Self::InsertOrAssign,
        Self::InsertOrAdd,
        Self::Absorb,
        Self::Delete,
        Self::DeleteAll,
        Self::Count,
        Self::Search,
        Self::SearchAll,
        Self::Mixed,
        Self::Flush,
        Self::Stats,
        Self::Collect,
        Self::CollectInOrder,
        Self::Scatter,
        Self::ScatterAgain,
        Self::Fill,
        Self::Settle,
        Self::MakeUp,
    ];

    /// The operation's part of a kernel's name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Insert => "insert",
            Self::InsertUnique => "insert_unique",
            Self::InsertOrAssign => "insert_or_assign",
            Self::InsertOrAdd => "insert_or_add",
            Self::Absorb => "absorb",
            Self::Delete => "delete",
            Self::DeleteAll => "delete_all",
            Self::Count => "count",
            Self::Search => "search",
            Self::SearchAll => "search_all",
            Self::Mixed => "mixed",
            Self::Flush => "flush",
            Self::Stats => "stats",
            Self::Collect => "collect",
            Self::CollectInOrder => "collect_in_order",
            Self::Scatter => "scatter",
            Self::ScatterAgain => "scatter_again",
            Self::Fill => "fill",
            Self::Settle => "settle",
            Self::MakeUp => "make_up",
        }
    }
}

/// All arguments of a kernel, and how many tiles and shared bytes it needs.
#[derive(Clone, Debug)]
pub(crate) struct Arguments {
    pub(crate) list: List,
    /// Operations, or parts of the table: one tile each.
    pub(crate) tiles: u64,
    /// Shared bytes per block.
    pub(crate) shared: u32,
}

impl Arguments {
    /// `hold`: how often it sleeps.
    pub(crate) fn hold(naps: u32) -> Self {
        Self { list: List::new(&[Argument::U32(naps)], &[]), tiles: 1, shared: 0 }
    }

    /// The floors of random access: slots, how many (or how many buckets of eight), keys, values, n.
    pub(crate) fn floor(
        slots: Span<u64>,
        number: u32,
        keys: Span<u32>,
        values: Span<u32>,
    ) -> Result<Self, Refused> {
        same(keys.len, "values", values.len)?;
        let list = [slots.whole(), Argument::U32(number), keys.each(), values.each(), Argument::Count];
        Ok(Self { list: List::new(&list, &[]), tiles: keys.len as u64, shared: 0 })
    }

    /// `count_stored`: outcomes, n, total.
    pub(crate) fn count_stored(outcomes: Span<u8>, total: Span<u64>) -> Result<Self, Refused> {
        same(1, "totals", total.len)?;
        let list = [outcomes.each(), Argument::Count, total.whole()];
        Ok(Self { list: List::new(&list, &[]), tiles: outcomes.len as u64, shared: size_of::<u32>() as u32 })
    }
}

/// Refuses a slice that is not as long as it has to be.
fn same(keys: usize, what: &'static str, found: usize) -> Result<(), Refused> {
    if keys == found { Ok(()) } else { Err(Refused::Length { keys, what, found }) }
}

#[cfg(test)]
mod tests;
