//! Operations on host slices through staging buffers of the caller.

use crate::arguments::{Head, Operation};
use crate::error::Error;
use crate::handle::{Map, Set, Table};
use crate::launch::{self, Arrays, Launch, Listed};
use crate::layout::{Entry, KeyScalar, Scalar};
use crate::row::Row;
use crate::sink::Sink;
use crate::staging::{self, Back, Batch, Staging, Task};
use crate::structures::{Counter, Holds};
use warpproof_model::Update;
use warpproof_model::bits::{Integer, Unsigned};
use warpproof_model::host::{Answer, Op};
use warpproof_model::outcome::{Add, Assign, Delete, Insert, Mixed};

/// The operations of a table `T` on host slices, through staging buffers. Made by [`Table::staged`].
///
/// A call checks all of its input, runs it in chunks, and returns when all answers are in its [`Sink`]: a
/// slice, a `Vec` or a closure. As in [`BulkMap`](warpproof_model::host::BulkMap), the operations of a call
/// run concurrently, answer `i` belongs to element `i`, and several calls may run at once, each through
/// staging buffers of its own. Time proportional to the batch. Allocates no memory, except when a `Vec` has
/// too little room for the answers.
///
/// # Errors
/// [`Error::Refused`] if slices or a [`Sink`] have another length than the keys; [`Error::OtherDevice`] if
/// the staging buffers are on another device than the table; [`Error::NoKernel`] if the table's tuning lacks
/// the operation; [`Error::OutOfMemory`] if a `Vec` gets no room. Nothing has run then. After
/// [`Error::Kernel`], [`Error::Driver`] or [`Error::Code`] any of the operations may have run.
pub struct Staged<'a, T> {
    pub(crate) table: &'a T,
    pub(crate) staging: &'a mut Staging,
}

impl<R: Row, S: Holds<R>> Table<R, S> {
    /// The operations on host slices through staging buffers of the caller.
    pub fn staged<'a>(&'a self, staging: &'a mut Staging) -> Staged<'a, Self> {
        Staged { table: self, staging }
    }

    /// The answers of a call, through staging buffers that the device keeps.
    pub(crate) fn answers<T>(
        &self,
        call: impl FnOnce(Staged<'_, Self>, &mut Vec<T>) -> Result<(), Error>,
    ) -> Result<Vec<T>, Error> {
        staging::lent(self.device(), |staging| {
            let mut answers = Vec::new();
            call(self.staged(staging), &mut answers)?;
            Ok(answers)
        })
    }
}

impl<R: Row, S: Holds<R>> Staged<'_, Table<R, S>> {
    /// Whether each key is there: a search that returns no values.
    pub fn contains(&mut self, keys: &[R::Key], found: impl Sink<bool>) -> Result<(), Error> {
        let launch = launch::contains::<R::Key, R::Value>(R::PAIRS);
        // SAFETY: the kernel writes codes.
        unsafe { self.run(launch, (Back::Codes, by_code(is_there)), Batch::of(keys), found) }
    }

    /// Runs Count or DeleteAll; called only with those.
    pub(crate) fn number(
        &mut self,
        operation: Operation,
        keys: &[R::Key],
        counts: impl Sink<u32>,
    ) -> Result<(), Error> {
        let count = |_, _, count| Some(count);
        // SAFETY: the kernel writes counts.
        unsafe { self.run(launch::number(operation), (Back::Numbers, count), Batch::of(keys), counts) }
    }

    /// Deletes one entry of each key.
    pub fn delete(&mut self, keys: &[R::Key], outcomes: impl Sink<Delete>) -> Result<(), Error> {
        self.per_key(Operation::Delete, keys, outcomes, Delete::from_code)
    }

    /// Runs Delete, or InsertUnique of a set; called only with those.
    fn per_key<T: Copy + Send + Sync>(
        &mut self,
        operation: Operation,
        keys: &[R::Key],
        outcomes: impl Sink<T>,
        decode: impl Fn(u8) -> Option<T> + Sync,
    ) -> Result<(), Error> {
        let launch = launch::per_key::<R::Key, R::Value>(operation);
        // SAFETY: the kernel writes codes.
        unsafe { self.run(launch, (Back::Codes, by_code(decode)), Batch::of(keys), outcomes) }
    }

    /// Runs a batch of operations.
    ///
    /// # Safety
    ///
    /// The kernel writes answers of the form that `back` names, with numbers of type `N`.
    pub(crate) unsafe fn run<N: Scalar, T: Copy + Send + Sync>(
        &mut self,
        launch: Launch<impl Fn(&Head, &Arrays<R::Key, R::Value, N>) -> Listed>,
        (back, decode): (Back, impl Fn(usize, u8, N) -> Option<T> + Sync),
        batch: Batch<'_, R::Key, R::Value>,
        sink: impl Sink<T>,
    ) -> Result<(), Error> {
        let task = Task { table: self.table.on_device(), launch, back, decode };
        // SAFETY: keys and values are the table's; the rest is the contract of this function.
        unsafe { self.staging.run(&task, batch, sink) }
    }
}

impl<K: Scalar, V: Scalar, S: Holds<(K, V)>> Staged<'_, Map<K, V, S>>
where
    (K, V): Entry,
{
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

    /// Runs Insert, InsertUnique or InsertOrAssign; called only with those.
    pub(crate) fn put<T: Copy + Send + Sync>(
        &mut self,
        operation: Operation,
        keys: &[K],
        values: &[V],
        outcomes: impl Sink<T>,
        decode: impl Fn(u8) -> Option<T> + Sync,
    ) -> Result<(), Error> {
        let batch = Batch { values: Some(values), ..Batch::of(keys) };
        // SAFETY: the kernel writes codes.
        unsafe { self.run(launch::put(operation), (Back::Codes, by_code(decode)), batch, outcomes) }
    }

    /// The value of one pair of each key.
    pub fn search(&mut self, keys: &[K], values: impl Sink<Option<V>>) -> Result<(), Error> {
        let launch = launch::search(V::ONES, true);
        // SAFETY: the kernel writes codes and values.
        unsafe { self.run(launch, (Back::CodesAndNumbers, found), Batch::of(keys), values) }
    }

    /// Operations of all kinds. `values[i]` is ignored if `ops[i]` takes no value. In a map of unique keys
    /// [`Op::Insert`] is a unique insert.
    pub fn mixed(
        &mut self,
        ops: &[Op],
        keys: &[K],
        values: &[V],
        answers: impl Sink<Answer<V>>,
    ) -> Result<(), Error> {
        let batch = Batch { keys, values: Some(values), ops: Some(ops) };
        // SAFETY: the kernel writes codes and values.
        unsafe { self.run(launch::mixed(), (Back::CodesAndNumbers, by_op(ops)), batch, answers) }
    }
}

impl<K: Scalar, V: Scalar + Integer, S: Holds<(K, V)> + Counter> Staged<'_, Map<K, V, S>>
where
    (K, V): Entry,
{
    /// Adds pairs. If a key is present, adds its value to the value there, modulo 2 to the bits of a value.
    pub fn insert_or_add(&mut self, keys: &[K], values: &[V], outcomes: impl Sink<Add>) -> Result<(), Error> {
        self.update(Update::Add, keys, values, outcomes)
    }

    /// Adds pairs. If a key is present, changes its value as `update` says.
    pub fn insert_or_update(
        &mut self,
        update: Update,
        keys: &[K],
        values: &[V],
        outcomes: impl Sink<Add>,
    ) -> Result<(), Error>
    where
        V: Unsigned,
    {
        self.update(update, keys, values, outcomes)
    }

    /// Runs InsertOrUpdate.
    pub(crate) fn update(
        &mut self,
        update: Update,
        keys: &[K],
        values: &[V],
        outcomes: impl Sink<Add>,
    ) -> Result<(), Error> {
        let batch = Batch { values: Some(values), ..Batch::of(keys) };
        // SAFETY: the kernel writes codes.
        unsafe { self.run(launch::update(update), (Back::Codes, by_code(Add::from_code)), batch, outcomes) }
    }
}

impl<K: KeyScalar, S: Holds<(K,)>> Staged<'_, Set<K, S>> {
    /// Adds keys that are absent.
    pub fn insert(&mut self, keys: &[K], outcomes: impl Sink<Insert>) -> Result<(), Error> {
        self.per_key(Operation::InsertUnique, keys, outcomes, Insert::from_code)
    }
}

// How answers are read depends only on keys and values: no code is generated for each structure.

/// Answers that are codes.
fn by_code<N, T>(decode: impl Fn(u8) -> Option<T> + Sync) -> impl Fn(usize, u8, N) -> Option<T> + Sync {
    move |_, code, _| decode(code)
}

/// Answers to operations of all kinds.
fn by_op<V: Scalar>(ops: &[Op]) -> impl Fn(usize, u8, V) -> Option<Answer<V>> + Sync {
    // Only searches write a value; the values of other operations are ignored.
    |at, code, value| Answer::new(ops[at], Mixed { code, value })
}

/// The answer to a search.
fn found<V>(_: usize, code: u8, value: V) -> Option<Option<V>> {
    is_there(code).map(|there| there.then_some(value))
}

/// What a search returned for a key: 1 or 0.
pub(crate) fn is_there(code: u8) -> Option<bool> {
    match code {
        0 => Some(false),
        1 => Some(true),
        _ => None,
    }
}
