//! How the kernel of each operation on a batch is called: one record for each operation, whatever made the
//! arrays.

use crate::arguments::{Head, Operation, Span};
use crate::layout::Scalar;
use crate::row::Row;
use warpproof_model::Update;

pub(crate) use crate::arguments::Listed;

/// The arrays of a batch in device memory. Arrays that the operation does not use are empty.
pub(crate) struct Arrays<K, V, N> {
    pub(crate) ops: Span<u8>,
    pub(crate) keys: Span<K>,
    pub(crate) values: Span<V>,
    /// Outcomes, or whether keys were found.
    pub(crate) codes: Span<u8>,
    /// Values that were found, or counts.
    pub(crate) numbers: Span<N>,
}

impl<K, V, N> Arrays<K, V, N> {
    /// No arrays yet.
    pub(crate) const NONE: Self = Self {
        ops: Span::new(0, 0),
        keys: Span::new(0, 0),
        values: Span::new(0, 0),
        codes: Span::new(0, 0),
        numbers: Span::new(0, 0),
    };
}

/// An operation, and the function of [`Head`] for it: it makes the arguments of its kernel from the first
/// arguments of its table's kernels and from the arrays of a batch. Made only in this file.
pub(crate) struct Launch<L> {
    operation: Operation,
    list: L,
}

impl<L> Launch<L> {
    fn of<K, V, N>(operation: Operation, list: L) -> Self
    where
        L: Fn(&Head, &Arrays<K, V, N>) -> Listed,
    {
        Self { operation, list }
    }

    /// The operation.
    pub(crate) fn operation(&self) -> Operation {
        self.operation
    }

    /// The arguments of its kernel.
    pub(crate) fn arguments<K, V, N>(&self, head: &Head, on: &Arrays<K, V, N>) -> Listed
    where
        L: Fn(&Head, &Arrays<K, V, N>) -> Listed,
    {
        (self.list)(head, on)
    }
}

/// Insert, InsertUnique or InsertOrAssign of a map; called only with those.
pub(crate) fn put<K, V>(operation: Operation) -> Launch<impl Fn(&Head, &Arrays<K, V, V>) -> Listed> {
    Launch::of(operation, |head, on| head.put(on.keys, on.values, on.codes))
}

/// An update of the values of a map.
pub(crate) fn update<K, V>(update: Update) -> Launch<impl Fn(&Head, &Arrays<K, V, V>) -> Listed> {
    Launch::of(Operation::InsertOrUpdate, move |head, on| head.update(update, on.keys, on.values, on.codes))
}

/// The search of a map: values, `missing` for absent keys, and codes if it is `told` them.
pub(crate) fn search<K, V: Scalar>(
    missing: V,
    told: bool,
) -> Launch<impl Fn(&Head, &Arrays<K, V, V>) -> Listed> {
    Launch::of(Operation::Search, move |head, on| {
        head.search(on.keys, Some(on.numbers), told.then_some(on.codes), missing)
    })
}

/// The search of a map, or of a set (`pairs` or not), that returns whether a key is there: codes.
pub(crate) fn contains<K, V: Scalar>(pairs: bool) -> Launch<impl Fn(&Head, &Arrays<K, V, V>) -> Listed> {
    Launch::of(Operation::Search, move |head, on| {
        if pairs {
            // The kernel is that of a search without an array for values.
            head.search(on.keys, None::<Span<V>>, Some(on.codes), V::ONES)
        } else {
            head.per_key(on.keys, on.codes)
        }
    })
}

/// Delete of any table, and InsertUnique of a set; called only with those.
pub(crate) fn per_key<K, V>(operation: Operation) -> Launch<impl Fn(&Head, &Arrays<K, V, V>) -> Listed> {
    Launch::of(operation, |head, on| head.per_key(on.keys, on.codes))
}

/// Count or DeleteAll; called only with those.
pub(crate) fn number<K, V>(operation: Operation) -> Launch<impl Fn(&Head, &Arrays<K, V, u32>) -> Listed> {
    Launch::of(operation, |head, on| head.number(on.keys, on.numbers))
}

/// Operations of all kinds on a map.
pub(crate) fn mixed<K, V>() -> Launch<impl Fn(&Head, &Arrays<K, V, V>) -> Listed> {
    Launch::of(Operation::Mixed, |head, on| head.mixed(on.ops, on.keys, on.values, on.codes, on.numbers))
}

/// All pairs of each key of a map, in `values` from these offsets on, and their number.
pub(crate) fn search_all<K, V>(
    offsets: Span<u64>,
    values: Span<V>,
) -> Launch<impl Fn(&Head, &Arrays<K, V, u32>) -> Listed> {
    Launch::of(Operation::SearchAll, move |head, on| head.search_all(on.keys, offsets, values, on.numbers))
}

/// The arguments of a copy of all entries to these columns. With `counters`, one for each block, the entries
/// are in the order of their slots.
pub(crate) fn retrieve<R: Row>(
    head: &Head,
    (keys, values): (Span<R::Key>, Span<R::Value>),
    total: Span<u64>,
    counters: Option<Span<u64>>,
) -> Listed {
    head.retrieve_all(keys, R::PAIRS.then_some(values), total, counters)
}
