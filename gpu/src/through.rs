//! Operations on host slices through staging buffers of the caller.
//!
//! A call checks all of its input, runs it in parts, and returns when all answers are in its sink. Nothing is allocated.

use crate::arguments::{Head, Operation};
use crate::error::Error;
use crate::layout::Scalar;
use crate::sink::Sink;
use crate::staging::{Arrays, Back, Batch, Staging, Task};
use crate::table::Table;
use core::marker::PhantomData;
use warpproof_model::host::{Answer, Op};
use warpproof_model::outcome::{Assign, Delete, Insert, Mixed};

/// The operations of a map on host slices, through staging buffers. Made by
/// [`HopscotchMap::through`](crate::HopscotchMap::through), and a part of what
/// [`OpenMap::through`](crate::OpenMap::through) and [`SlabMap::through`](crate::SlabMap::through) make.
///
/// As in [`BulkMap`](warpproof_model::host::BulkMap), the operations of a call run concurrently, answer `i` belongs to element `i`,
/// and several calls may run at once, each through staging buffers of its own. A call waits for what it has run. Time proportional
/// to the batch; no memory is allocated.
///
/// # Errors
/// [`Error::Refused`] if a key is reserved, or slices or a [`Sink`] have another length than the keys; [`Error::OtherDevice`] if the
/// staging buffers are of another device than the map; [`Error::NoKernel`] if the map's tuning lacks the operation: nothing has run
/// then. After [`Error::Kernel`], [`Error::Driver`] or [`Error::Code`] any of the operations may have run.
pub struct MapThrough<'a, K, V> {
    table: &'a Table,
    staging: &'a mut Staging,
    types: PhantomData<(K, V)>,
}

impl<'a, K: Scalar, V: Scalar> MapThrough<'a, K, V> {
    /// The operations on a table of such keys and values.
    pub(crate) fn new(table: &'a Table, staging: &'a mut Staging) -> Self {
        Self { table, staging, types: PhantomData }
    }

    /// Adds pairs whose keys are absent.
    pub fn insert_unique(
        &mut self,
        keys: &[K],
        values: &[V],
        outcomes: impl Sink<Insert>,
    ) -> Result<(), Error> {
        self.put(Operation::InsertUnique, keys, values, outcomes, Insert::from_code)
    }

    /// Adds pairs, or replaces the values of keys that are present.
    pub fn insert_or_assign(
        &mut self,
        keys: &[K],
        values: &[V],
        outcomes: impl Sink<Assign>,
    ) -> Result<(), Error> {
        self.put(Operation::InsertOrAssign, keys, values, outcomes, Assign::from_code)
    }

    /// Insert, InsertUnique, InsertOrAssign or InsertOrAdd; called for those alone.
    pub(crate) fn put<T: Copy + Send + Sync>(
        &mut self,
        operation: Operation,
        keys: &[K],
        values: &[V],
        outcomes: impl Sink<T>,
        decode: impl Fn(u8) -> Option<T> + Sync,
    ) -> Result<(), Error> {
        let task = Task {
            table: self.table,
            operation,
            back: Back::Codes,
            list: |head: &Head, on: &Arrays<K, V, V>| head.put(on.keys, on.values, on.codes),
            decode: |_, code, _| decode(code),
        };
        // SAFETY: `Head::put` belongs to the four operations that come here.
        unsafe { self.staging.run(&task, Batch { keys, values: Some(values), ops: None }, outcomes) }
    }

    /// The value of one pair of each key.
    pub fn search(&mut self, keys: &[K], values: impl Sink<Option<V>>) -> Result<(), Error> {
        let task = Task {
            table: self.table,
            operation: Operation::Search,
            back: Back::CodesAndNumbers,
            list: |head: &Head, on: &Arrays<K, V, V>| {
                head.search(on.keys, Some(on.numbers), Some(on.codes), V::ONES)
            },
            decode: |_, code, value| is_there(code).map(|there| there.then_some(value)),
        };
        // SAFETY: `Head::search` belongs to the search of a map.
        unsafe { self.staging.run(&task, Batch { keys, values: None, ops: None }, values) }
    }

    /// Whether each key is there: a search that leaves the value where it is.
    pub fn contains(&mut self, keys: &[K], found: impl Sink<bool>) -> Result<(), Error> {
        let task = Task {
            table: self.table,
            operation: Operation::Search,
            back: Back::Codes,
            list: |head: &Head, on: &Arrays<K, V, V>| head.search(on.keys, None, Some(on.codes), V::ONES),
            decode: |_, code, _| is_there(code),
        };
        // SAFETY: `Head::search` belongs to the search of a map.
        unsafe { self.staging.run(&task, Batch { keys, values: None, ops: None }, found) }
    }

    /// Takes out one pair of each key.
    pub fn delete(&mut self, keys: &[K], outcomes: impl Sink<Delete>) -> Result<(), Error> {
        per_key(self.table, self.staging, Operation::Delete, keys, outcomes, Delete::from_code)
    }

    /// Operations of all kinds. `values[i]` is not used where `ops[i]` takes none. In a map of unique keys [`Op::Insert`] is a unique
    /// insert.
    pub fn mixed(
        &mut self,
        ops: &[Op],
        keys: &[K],
        values: &[V],
        answers: impl Sink<Answer<V>>,
    ) -> Result<(), Error> {
        let task = Task {
            table: self.table,
            operation: Operation::Mixed,
            back: Back::CodesAndNumbers,
            list: |head: &Head, on: &Arrays<K, V, V>| {
                head.mixed(on.ops, on.keys, on.values, on.codes, on.numbers)
            },
            // Only searches write a value; what stands in the place of the others is not looked at.
            decode: |at: usize, code, value| Answer::new(ops[at], Mixed { code, value }),
        };
        // SAFETY: `Head::mixed` belongs to it.
        unsafe { self.staging.run(&task, Batch { keys, values: Some(values), ops: Some(ops) }, answers) }
    }

    /// Count or DeleteAll; called for those alone.
    pub(crate) fn number(
        &mut self,
        operation: Operation,
        keys: &[K],
        counts: impl Sink<u32>,
    ) -> Result<(), Error> {
        let task = Task {
            table: self.table,
            operation,
            back: Back::Numbers,
            list: |head: &Head, on: &Arrays<K, V, u32>| head.number(on.keys, on.numbers),
            decode: |_, _, count| Some(count),
        };
        // SAFETY: `Head::number` belongs to both operations that come here.
        unsafe { self.staging.run(&task, Batch { keys, values: None, ops: None }, counts) }
    }
}

/// The operations of a set on host slices, through staging buffers. Made by [`OpenSet::through`](crate::OpenSet::through) and its
/// likes. What [`MapThrough`] says holds here too.
///
/// # Errors
/// As [`MapThrough`].
pub struct SetThrough<'a, K = u32> {
    table: &'a Table,
    staging: &'a mut Staging,
    keys: PhantomData<K>,
}

impl<'a, K: Scalar> SetThrough<'a, K> {
    /// The operations on a table of such keys.
    pub(crate) fn new(table: &'a Table, staging: &'a mut Staging) -> Self {
        Self { table, staging, keys: PhantomData }
    }

    /// Adds keys that are absent.
    pub fn insert(&mut self, keys: &[K], outcomes: impl Sink<Insert>) -> Result<(), Error> {
        per_key(self.table, self.staging, Operation::InsertUnique, keys, outcomes, Insert::from_code)
    }

    /// Whether each key is there.
    pub fn contains(&mut self, keys: &[K], found: impl Sink<bool>) -> Result<(), Error> {
        per_key(self.table, self.staging, Operation::Search, keys, found, is_there)
    }

    /// Takes keys out.
    pub fn delete(&mut self, keys: &[K], outcomes: impl Sink<Delete>) -> Result<(), Error> {
        per_key(self.table, self.staging, Operation::Delete, keys, outcomes, Delete::from_code)
    }
}

/// Operations whose kernels take keys and outcomes: `Delete` of all layouts, and `InsertUnique` and `Search` of a
/// set; called for those alone.
fn per_key<K: Scalar, T: Copy + Send + Sync>(
    table: &Table,
    staging: &mut Staging,
    operation: Operation,
    keys: &[K],
    outcomes: impl Sink<T>,
    decode: impl Fn(u8) -> Option<T> + Sync,
) -> Result<(), Error> {
    let task = Task {
        table,
        operation,
        back: Back::Codes,
        list: |head: &Head, on: &Arrays<K, K, K>| head.per_key(on.keys, on.codes),
        decode: |_, code, _| decode(code),
    };
    // SAFETY: `Head::per_key` belongs to the operations that come here.
    unsafe { staging.run(&task, Batch { keys, values: None, ops: None }, outcomes) }
}

/// What a search said of a key: 1 or 0.
fn is_there(code: u8) -> Option<bool> {
    match code {
        0 => Some(false),
        1 => Some(true),
        _ => None,
    }
}
