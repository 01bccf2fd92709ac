//! Operations on host slices, of paged maps and sets: parts of a batch are copied to the device, and their
//! answers back.

use super::batch::{Effect, Given, Wanted};
use super::{Paged, State};
use crate::arguments::{Head, Listed, Span};
use crate::device::{Device, bytes};
use crate::error::Error;
use crate::host::room;
use crate::layout::{Entry, KeyScalar, Scalar};
use crate::operations::launch::{Arrays, Launch};
use crate::operations::search::{self, is_there};
use crate::operations::{Operation, mixed, per_key, put, update};
use crate::row::Row;
use crate::sorter::Shape;
use crate::staging::{Answers, Back, Batch, Bounce};
use cudarc::driver::{CudaSlice, CudaStream, DevicePtr};
use warpproof_model::Update;
use warpproof_model::bits::{Integer, Unsigned};
use warpproof_model::host::{Answer, BulkCounter, BulkMap, BulkSet, BulkUpdate, Op, Outcomes};
use warpproof_model::outcome::{Add, Assign, Delete, Insert, Mixed};

/// The elements of a slice on the device.
fn span<T>(slice: &CudaSlice<T>, stream: &CudaStream) -> Span<T> {
    Span::new(slice.device_ptr(stream).0, slice.len())
}

impl<R: Row> State<R> {
    /// Runs a batch on host slices that fits the device memory as a whole, and passes its answers to
    /// `answers`. The batch begins with operation number `first`.
    ///
    /// # Safety
    /// As [`Paged::answers`].
    unsafe fn run_on_host<N: Scalar, T: Copy + Send + Sync>(
        &mut self,
        (device, bounce): (&Device, &mut Bounce),
        (launch, effect): (&Launch<impl Fn(&Head, &Arrays<R::Key, R::Value, N>) -> Listed>, Effect),
        batch: Batch<'_, R::Key, R::Value>,
        (back, decode): (Back, impl Fn(usize, u8, N) -> Option<T> + Sync),
        (answers, first): (&mut Vec<T>, usize),
    ) -> Result<(), Error> {
        let (stream, n) = (device.stream(), batch.keys.len());
        let keys = device.buffer("keys", n)?;
        let values = batch.values.map(|_| device.buffer("values", n)).transpose()?;
        let ops = batch.ops.map(|_| device.buffer("operations", n)).transpose()?;
        let codes = device.buffer::<u8>("codes", n)?;
        let numbers = (back != Back::Codes).then(|| device.buffer("values", n)).transpose()?;
        let given = Given {
            keys: span(&keys, stream),
            values: values.as_ref().map(|values| span(values, stream)),
            ops: ops.as_ref().map(|ops| span(ops, stream)),
        };
        let wanted = Wanted {
            codes: Some(span(&codes, stream)),
            numbers: numbers.as_ref().map(|numbers| span(numbers, stream)),
        };
        let faults = self.memory.faults().clone();
        let may = |what| faults.call().map_err(Error::driver(what));
        may("copying to the device")?;
        // SAFETY: buffers of this function, of these lengths, which are freed on the stream; the kernels
        // write these answers.
        unsafe {
            bounce.upload(stream, (bytes(batch.keys), given.keys), |&byte| byte)?;
            if let (Some(values), Some(to)) = (batch.values, given.values) {
                bounce.upload(stream, (bytes(values), to), |&byte| byte)?;
            }
            if let (Some(ops), Some(to)) = (batch.ops, given.ops) {
                bounce.upload(stream, (ops, to), |&op| op as u8)?;
            }
            self.run((launch, effect), given, wanted, stream)?;
            may("copying from the device")?;
            let written = Answers { back, codes: wanted.codes, numbers: wanted.numbers };
            let name = launch.operation().name();
            bounce.download((stream, name), written, (first, n), decode, answers)
        }
    }
}

impl<R: Row> Paged<R> {
    /// The answers of a batch.
    ///
    /// # Safety
    ///
    /// The kernels of the operation write these answers, numbers of type `N` among them.
    unsafe fn answers<N: Scalar, T: Copy + Send + Sync>(
        &self,
        (launch, effect): (Launch<impl Fn(&Head, &Arrays<R::Key, R::Value, N>) -> Listed>, Effect),
        batch: Batch<'_, R::Key, R::Value>,
        (back, decode): (Back, impl Fn(usize, u8, N) -> Option<T> + Sync),
    ) -> Result<Vec<T>, Error> {
        batch.admit(None)?;
        let n = batch.keys.len();
        let mut answers = room("answers", n)?;
        let mut state = self.state();
        let shape = Shape { values: batch.values.is_some(), ops: batch.ops.is_some() };
        // The copies to and from the device are within the budget, too.
        let numbers = if back == Back::Codes { 0 } else { size_of::<N>() };
        let staged = shape.staged_bytes::<R>() + (1 + numbers) as u64;
        let most = state.operations(shape, staged);
        let each = (shape.operation_bytes::<R>(2), staged);
        state.partitioner.columns.leave_room(most.min(n), each, self.geometry.batch_bytes);
        Bounce::lent(&self.device, |bounce| {
            for first in (0..n).step_by(most) {
                let part = batch.part(first..n.min(first + most));
                let (to, answer) = ((&mut answers, first), (back, &decode));
                // SAFETY: the contract of this function.
                let ran = unsafe {
                    state.run_on_host((&self.device, &mut *bounce), (&launch, effect), part, answer, to)
                };
                ran.map_err(|error| error.after(first))?;
            }
            Ok(())
        })?;
        Ok(answers)
    }

    /// Runs Delete, or InsertUnique of a set.
    fn per_key<T: Copy + Send + Sync>(
        &self,
        (operation, kind): (Operation, Op),
        keys: &[R::Key],
        decode: impl Fn(u8) -> Option<T> + Sync,
    ) -> Result<Vec<T>, Error> {
        let launch = per_key::per_key::<R::Key, R::Value>(operation);
        let batch = Batch::of(keys);
        // SAFETY: the kernel writes codes.
        unsafe { self.answers((launch, Effect::Of(kind)), batch, (Back::Codes, |_, code, _| decode(code))) }
    }

    /// Whether each key is there.
    fn contained<T: From<bool> + Copy + Send + Sync>(&self, keys: &[R::Key]) -> Result<Vec<T>, Error> {
        let launch = search::contains::<R::Key, R::Value>(R::PAIRS);
        let batch = Batch::of(keys);
        let told = |_, code, _: R::Value| is_there(code).map(T::from);
        // SAFETY: the kernel writes codes.
        unsafe { self.answers((launch, Effect::Reads), batch, (Back::Codes, told)) }
    }
}

impl<K: Scalar, V: Scalar> Paged<(K, V)>
where
    (K, V): Entry,
{
    /// Runs InsertOrUpdate.
    fn update(&self, update: Update, keys: &[K], values: &[V]) -> Result<Outcomes<Add>, Error> {
        let batch = Batch { keys, values: Some(values), ops: None };
        let told = |_, code, _: V| Add::from_code(code);
        // SAFETY: the kernel writes codes.
        unsafe { self.answers((update::update(update), Effect::Of(Op::Assign)), batch, (Back::Codes, told)) }
            .map(Outcomes::from)
    }

    /// Runs InsertUnique or InsertOrAssign; called only with those.
    fn put<T: Copy + Send + Sync>(
        &self,
        (operation, kind): (Operation, Op),
        (keys, values): (&[K], &[V]),
        decode: impl Fn(u8) -> Option<T> + Sync,
    ) -> Result<Vec<T>, Error> {
        let batch = Batch { keys, values: Some(values), ops: None };
        let launch = put::put(operation);
        // SAFETY: the kernel writes codes.
        unsafe {
            self.answers((launch, Effect::Of(kind)), batch, (Back::Codes, |_, code, _: V| decode(code)))
        }
    }
}

impl<K: Scalar, V: Scalar> BulkMap<K, V> for Paged<(K, V)>
where
    (K, V): Entry,
{
    fn insert_unique(&self, keys: &[K], values: &[V]) -> Result<Outcomes<Insert>, Error> {
        self.put((Operation::InsertUnique, Op::InsertUnique), (keys, values), Insert::from_code)
            .map(Outcomes::from)
    }
    fn insert_or_assign(&self, keys: &[K], values: &[V]) -> Result<Outcomes<Assign>, Error> {
        self.put((Operation::InsertOrAssign, Op::Assign), (keys, values), Assign::from_code)
            .map(Outcomes::from)
    }
    fn search(&self, keys: &[K]) -> Result<Vec<Option<V>>, Error> {
        let batch = Batch::of(keys);
        let found = |_, code, value| is_there(code).map(|there| there.then_some(value));
        // SAFETY: the kernel writes codes and values.
        unsafe {
            self.answers(
                (search::search(V::ONES, true), Effect::Reads),
                batch,
                (Back::CodesAndNumbers, found),
            )
        }
    }
    fn contains(&self, keys: &[K]) -> Result<Vec<bool>, Error> {
        self.contained(keys)
    }
    fn count(&self, keys: &[K]) -> Result<Vec<u32>, Error> {
        // A map of unique keys has no kernel that counts.
        self.contained(keys)
    }
    fn delete(&self, keys: &[K]) -> Result<Vec<Delete>, Error> {
        self.per_key((Operation::Delete, Op::Delete), keys, Delete::from_code)
    }
    fn mixed(&self, ops: &[Op], keys: &[K], values: &[V]) -> Result<Outcomes<Answer<V>>, Error> {
        let batch = Batch { keys, values: Some(values), ops: Some(ops) };
        let answer = |at: usize, code, value| Answer::new(ops[at], Mixed { code, value });
        // SAFETY: the kernel writes codes and values.
        let answers =
            unsafe { self.answers((mixed::mixed(), Effect::Mixed), batch, (Back::CodesAndNumbers, answer)) };
        answers.map(Outcomes::from)
    }
}

impl<K: Scalar, V: Scalar + Integer> BulkCounter<K, V> for Paged<(K, V)>
where
    (K, V): Entry,
{
    fn insert_or_add(&self, keys: &[K], values: &[V]) -> Result<Outcomes<Add>, Error> {
        self.update(Update::Add, keys, values)
    }
}

impl<K: Scalar, V: Scalar + Unsigned> BulkUpdate<K, V> for Paged<(K, V)>
where
    (K, V): Entry,
{
    fn insert_or_update(&self, update: Update, keys: &[K], values: &[V]) -> Result<Outcomes<Add>, Error> {
        self.update(update, keys, values)
    }
}

impl<K: KeyScalar> BulkSet<K> for Paged<(K,)> {
    fn insert(&self, keys: &[K]) -> Result<Outcomes<Insert>, Error> {
        self.per_key((Operation::InsertUnique, Op::InsertUnique), keys, Insert::from_code).map(Outcomes::from)
    }
    fn contains(&self, keys: &[K]) -> Result<Vec<bool>, Error> {
        self.contained(keys)
    }
    fn delete(&self, keys: &[K]) -> Result<Vec<Delete>, Error> {
        self.per_key((Operation::Delete, Op::Delete), keys, Delete::from_code)
    }
}
