//! How the kernel of an operation on a batch is called: one record for each operation, whatever made the
//! arrays.

use super::Operation;
use crate::arguments::{Head, Listed, Span};

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

/// An operation, and a function that makes the arguments of its kernel from the first arguments of its
/// table's kernels and from the arrays of a batch. Made only in the files of this folder.
pub(crate) struct Launch<L> {
    operation: Operation,
    list: L,
}

impl<L> Launch<L> {
    pub(super) fn of<K, V, N>(operation: Operation, list: L) -> Self
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
