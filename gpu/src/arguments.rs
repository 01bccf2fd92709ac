//! The arguments of each kernel, in its order. They are written only here, and in
//! [`operations`](crate::operations) where one operation alone takes them; a test compares them with the PTX.
//!
//! A constructor of [`Arguments`] checks the lengths of the arrays. So arguments that exist are right for
//! their operation on their table.

use crate::layout::{Layout, Scalar};
use crate::operations::Operation;
use core::marker::PhantomData;
use warpproof_model::Update;
use warpproof_model::aggregate::{LEFT_SLOTS, left_words};
use warpproof_model::host::Refused;
use warpproof_model::outcome::Op;

mod bins;
pub(crate) mod columns;
mod head;
mod list;
pub(crate) mod paged;

pub(crate) use bins::{Binned, Columns, Said};
pub(crate) use head::{Head, RETRIEVE_LANES, RETRIEVE_THREADS, Stamps};
pub(crate) use list::List;

/// Elements in device memory: an address and a length. Does not own the memory.
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

    /// How many elements there are.
    pub(crate) const fn len(self) -> usize {
        self.len
    }

    /// The address of an element.
    pub(crate) const fn at(self, index: usize) -> u64 {
        self.address + (index * size_of::<T>()) as u64
    }

    /// The bytes of the elements: the address of the first one, and how many there are.
    pub(crate) const fn bytes(self) -> (u64, usize) {
        (self.address, self.len * size_of::<T>())
    }

    /// One element per operation.
    fn each(self) -> Argument {
        Argument::Each { address: self.address, size: size_of::<T>() as u64 }
    }

    /// One array that every operation gets whole.
    fn whole(self) -> Argument {
        Argument::Pointer(self.address)
    }
}

/// One argument of a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Argument {
    /// A pointer to one element of `size` bytes per operation.
    Each { address: u64, size: u64 },
    /// A pointer that all operations share; zero is null.
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
        let bits = value.bits();
        if size_of::<V>() == size_of::<u32>() { Self::U32(bits as u32) } else { Self::U64(bits) }
    }

    /// The bits of the argument, from the low end on, for `count` operations from number `first` on.
    pub(crate) fn bits(self, first: u64, count: u32) -> u64 {
        match self {
            Self::Each { address, size } => address + first * size,
            Self::Pointer(bits) | Self::U64(bits) => bits,
            Self::U32(bits) => bits as u64,
            Self::Count => count as u64,
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
    /// Whether a launch may run a part of the operations.
    pub(crate) fn in_parts(&self) -> bool {
        self.list.contains(&Argument::Count)
    }

    /// `deferred` and `last`, after the kernel of an operation that took these arguments, on a table whose
    /// kernels take `head` first: kind, kinds or null, keys, values or null, outcomes, found values or null,
    /// n. In a set without either values. After insert_or_update the kind is the code of the update. `None`
    /// if that operation defers nothing.
    pub(crate) fn left(&self, operation: Operation, head: &Head, layout: Layout) -> Option<Self> {
        let null = Argument::Pointer(0);
        if operation == Operation::InsertOrUpdate {
            let [update, keys, values, outcomes, n] = *self.list.get(head.list.len()..)? else { return None };
            if update != Argument::U32(Update::Add.code().into()) {
                return None;
            }
            let list = List::new(&head.list, &[update, null, keys, values, outcomes, null, n]);
            let shared = size_of::<u32>() as u32 * left_words(LEFT_SLOTS);
            return Some(Self { list, shared, ..self.clone() });
        }
        let of_all = match operation {
            Operation::InsertUnique => Op::InsertUnique,
            Operation::InsertOrAssign => Op::Assign,
            Operation::Delete => Op::Delete,
            // Each has a kind of its own.
            Operation::Mixed => Op::Search,
            _ => return None,
        };
        let kind = Argument::U32(of_all.code().into());
        let mut list = List::new(&head.list, &[]);
        match *self.list.get(head.list.len()..)? {
            [keys, outcomes, n] if layout.is_set() => list.extend(&[kind, null, keys, outcomes, n]),
            [keys, outcomes, n] => list.extend(&[kind, null, keys, null, outcomes, null, n]),
            [keys, values, outcomes, n] => list.extend(&[kind, null, keys, values, outcomes, null, n]),
            [ops, keys, values, outcomes, found, n] => {
                list.extend(&[kind, ops, keys, values, outcomes, found, n]);
            }
            _ => return None,
        }
        Some(Self { list, ..self.clone() })
    }

    /// search_frozen, from the arguments of search: and the words of a filter, or none.
    pub(crate) fn filtered(mut self, filter: Span<u64>) -> Self {
        self.list.extend(&filter_words(filter));
        self
    }

    /// `hold`: how often it sleeps.
    pub(crate) fn hold(naps: u32) -> Self {
        Self { list: List::new(&[], &[Argument::U32(naps)]), tiles: 1, shared: 0 }
    }

    /// The floors of random access: slots, their number (or the number of buckets of eight), keys, values, n.
    pub(crate) fn floor(slots: Span<u64>, number: u32, keys: Span<u32>, values: Span<u32>) -> Listed {
        Listing::new(&[slots.whole(), Argument::U32(number)], keys.len)
            .each("keys", keys)
            .each("values", values)
            .count()
    }

    /// `count_stored`: outcomes, n, total.
    pub(crate) fn count_stored(outcomes: Span<u8>, total: Span<u64>) -> Listed {
        let list = Listing::new(&[], outcomes.len).each("outcomes", outcomes).with(Argument::Count);
        list.numbers("totals", total, 1).run_by(outcomes.len, size_of::<u32>() as u32)
    }
}

/// The arguments, unless a slice has the wrong length.
pub(crate) type Listed = Result<Arguments, Refused>;

/// Arguments while they are listed, of `n` operations.
pub(crate) struct Listing {
    list: List,
    n: usize,
    refused: Option<Refused>,
}

impl Listing {
    fn new(first: &[Argument], n: usize) -> Self {
        Self { list: List::new(first, &[]), n, refused: None }
    }

    pub(crate) fn with(mut self, argument: Argument) -> Self {
        self.list.extend(&[argument]);
        self
    }

    /// Refuses a slice that does not have `expected` elements, unless an earlier slice was refused.
    fn of_length(mut self, expected: usize, what: &'static str, found: usize) -> Self {
        self.refused = self.refused.or(same(expected, what, found).err());
        self
    }

    /// An element for each operation.
    pub(crate) fn each<T>(self, what: &'static str, slice: Span<T>) -> Self {
        let n = self.n;
        self.of_length(n, what, slice.len).with(slice.each())
    }

    /// An element for each operation, or null if the kernel is to write none.
    fn each_or_null<T>(self, what: &'static str, slice: Option<Span<T>>) -> Self {
        match slice {
            Some(slice) => self.each(what, slice),
            None => self.with(Argument::Pointer(0)),
        }
    }

    /// `len` numbers.
    fn numbers(self, what: &'static str, numbers: Span<u64>, len: usize) -> Self {
        self.of_length(len, what, numbers.len).with(numbers.whole())
    }

    /// The number of operations, and a tile for each.
    pub(crate) fn count(self) -> Listed {
        let n = self.n;
        self.with(Argument::Count).run_by(n, 0)
    }

    fn run_by(self, tiles: usize, shared: u32) -> Listed {
        match self.refused {
            Some(refused) => Err(refused),
            None => Ok(Arguments { list: self.list, tiles: tiles as u64, shared }),
        }
    }
}

/// The words of a Bloom filter, at most 2^32 - 1 of them.
fn filter_words(filter: Span<u64>) -> [Argument; 2] {
    [filter.whole(), Argument::U32(filter.len().try_into().unwrap_or(u32::MAX))]
}

/// Refuses a slice of the wrong length.
pub(crate) fn same(expected: usize, what: &'static str, found: usize) -> Result<(), Refused> {
    if expected == found { Ok(()) } else { Err(Refused::Length { keys: expected, what, found }) }
}

#[cfg(test)]
mod tests;
