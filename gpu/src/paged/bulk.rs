//! What paged maps and sets do on host slices: parts of a batch are copied to the device, and their answers
//! back.

use super::Paged;
use super::batch::{Effect, Given, Wanted};
use super::partition::Shape;
use crate::access::staged::is_there;
use crate::arguments::{Head, Operation, Span};
use crate::device::Device;
use crate::error::Error;
use crate::host::room;
use crate::launch::{self, Arrays, Launch, Listed};
use crate::layout::{Entry, KeyScalar, Scalar};
use crate::row::Row;
use crate::staging::{CopyThreads, give};
use core::ops::Range;
use cudarc::driver::{CudaSlice, DevicePtr, DeviceRepr};
use warpproof_model::bits::Integer;
use warpproof_model::host::{Answer, BulkCounter, BulkMap, BulkSet, Op, same_length};
use warpproof_model::outcome::{Add, Assign, Delete, Insert, Mixed};

/// A batch in host memory.
struct OnHost<'a, K, V> {
    keys: &'a [K],
    values: Option<&'a [V]>,
    ops: Option<&'a [Op]>,
}

/// Which answers the kernels of an operation write.
#[derive(Clone, Copy)]
struct Writes {
    codes: bool,
    numbers: bool,
}

const CODES: Writes = Writes { codes: true, numbers: false };
const BOTH: Writes = Writes { codes: true, numbers: true };

/// Answers in the device's memory, and room for them in the host's: all memory before anything runs.
struct Column<T> {
    on_device: CudaSlice<T>,
    on_host: Vec<T>,
}

impl<T: DeviceRepr + Copy + Default> Column<T> {
    fn new(device: &Device, what: &'static str, len: usize) -> Result<Self, Error> {
        let mut on_host = room(what, len)?;
        on_host.resize(len, T::default());
        Ok(Self { on_device: device.buffer(what, len)?, on_host })
    }

    fn download(&mut self, device: &Device) -> Result<&[T], Error> {
        device.download_to(&self.on_device, &mut self.on_host)?;
        Ok(&self.on_host)
    }
}

/// The elements of a slice on the device.
fn span<T>(slice: &CudaSlice<T>, stream: &cudarc::driver::CudaStream) -> Span<T> {
    Span::new(slice.device_ptr(stream).0, slice.len())
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
        batch: OnHost<'_, R::Key, R::Value>,
        (writes, decode): (Writes, impl Fn(usize, u8, N) -> Option<T> + Sync),
    ) -> Result<Vec<T>, Error> {
        let mut answers = room("answers", batch.keys.len())?;
        let mut state = self.state();
        let (device, stream) = (&self.device, self.device.stream());
        let shape = Shape { values: batch.values.is_some(), ops: batch.ops.is_some() };
        // What is copied to the device and back is within the budget, too.
        let numbers = if writes.numbers { size_of::<N>() } else { 0 };
        let staged = shape.staged_bytes::<R>() + (usize::from(writes.codes) + numbers) as u64;
        let most = state.operations(shape, staged);
        let bytes = (shape.operation_bytes::<R>(), staged);
        state.partitioner.leave_room(most.min(batch.keys.len()), bytes, self.geometry.batch_bytes);
        let mut first = 0;
        while first < batch.keys.len() {
            let part = first..batch.keys.len().min(first + most);
            let n = part.len();
            let mut chunk = || -> Result<(), Error> {
                let keys = device.upload("keys", &batch.keys[part.clone()])?;
                let values = batch.values.map(|values| device.upload("values", &values[part.clone()]));
                let values = values.transpose()?;
                let ops = batch.ops.map(|ops| {
                    let mut codes = room("operations", n)?;
                    codes.extend(ops[part.clone()].iter().map(|&op| op as u8));
                    device.upload("operations", &codes)
                });
                let ops = ops.transpose()?;
                let mut codes = writes.codes.then(|| Column::<u8>::new(device, "codes", n)).transpose()?;
                let mut numbers =
                    writes.numbers.then(|| Column::<N>::new(device, "values", n)).transpose()?;
                let given = Given {
                    keys: span(&keys, stream),
                    values: values.as_ref().map(|values| span(values, stream)),
                    ops: ops.as_ref().map(|ops| span(ops, stream)),
                };
                let wanted = Wanted {
                    codes: codes.as_ref().map(|codes| span(&codes.on_device, stream)),
                    numbers: numbers.as_ref().map(|numbers| span(&numbers.on_device, stream)),
                };
                // SAFETY: slices of this function, which are freed on the stream; the rest is its contract.
                unsafe { state.run((&launch, effect), given, wanted, stream)? };
                let codes = codes.as_mut().map(|codes| codes.download(device)).transpose()?;
                let numbers = numbers.as_mut().map(|numbers| numbers.download(device)).transpose()?;
                let said = |range: Range<usize>| {
                    range.map(|i| {
                        (codes.map_or(0, |codes| codes[i]), numbers.map_or(N::ONES, |numbers| numbers[i]))
                    })
                };
                let given = give((first, n), said, &decode, &mut &mut answers, CopyThreads::Many);
                let kernel = || launch.operation().name().into();
                given.map_err(|(index, code)| Error::Code { kernel: kernel(), index, code })
            };
            chunk().map_err(|error| error.after(first))?;
            first = part.end;
        }
        Ok(answers)
    }

    /// Delete, and InsertUnique of a set.
    fn per_key<T: Copy + Send + Sync>(
        &self,
        (operation, kind): (Operation, Op),
        keys: &[R::Key],
        decode: impl Fn(u8) -> Option<T> + Sync,
    ) -> Result<Vec<T>, Error> {
        let launch = launch::per_key::<R::Key, R::Value>(operation);
        let batch = OnHost { keys, values: None, ops: None };
        // SAFETY: the kernel writes codes.
        unsafe { self.answers((launch, Effect::Of(kind)), batch, (CODES, |_, code, _| decode(code))) }
    }

    /// Whether each key is there.
    fn contained<T: From<bool> + Copy + Send + Sync>(&self, keys: &[R::Key]) -> Result<Vec<T>, Error> {
        let launch = launch::contains::<R::Key, R::Value>(R::PAIRS);
        let batch = OnHost { keys, values: None, ops: None };
        let told = |_, code, _: R::Value| is_there(code).map(T::from);
        // SAFETY: the kernel writes codes.
        unsafe { self.answers((launch, Effect::Reads), batch, (CODES, told)) }
    }
}

impl<K: Scalar, V: Scalar> Paged<(K, V)>
where
    (K, V): Entry,
{
    /// InsertUnique, InsertOrAssign or InsertOrAdd; called for those alone.
    fn put<T: Copy + Send + Sync>(
        &self,
        (operation, kind): (Operation, Op),
        (keys, values): (&[K], &[V]),
        decode: impl Fn(u8) -> Option<T> + Sync,
    ) -> Result<Vec<T>, Error> {
        same_length(keys, "values", values)?;
        let batch = OnHost { keys, values: Some(values), ops: None };
        let launch = launch::put(operation);
        // SAFETY: the kernel writes codes.
        unsafe { self.answers((launch, Effect::Of(kind)), batch, (CODES, |_, code, _: V| decode(code))) }
    }
}

impl<K: Scalar, V: Scalar> BulkMap<K, V> for Paged<(K, V)>
where
    (K, V): Entry,
{
    fn insert_unique(&self, keys: &[K], values: &[V]) -> Result<Vec<Insert>, Error> {
        self.put((Operation::InsertUnique, Op::InsertUnique), (keys, values), Insert::from_code)
    }
    fn insert_or_assign(&self, keys: &[K], values: &[V]) -> Result<Vec<Assign>, Error> {
        self.put((Operation::InsertOrAssign, Op::Assign), (keys, values), Assign::from_code)
    }
    fn search(&self, keys: &[K]) -> Result<Vec<Option<V>>, Error> {
        let batch = OnHost { keys, values: None, ops: None };
        let found = |_, code, value| is_there(code).map(|there| there.then_some(value));
        // SAFETY: the kernel writes codes and values.
        unsafe { self.answers((launch::search(V::ONES, true), Effect::Reads), batch, (BOTH, found)) }
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
    fn mixed(&self, ops: &[Op], keys: &[K], values: &[V]) -> Result<Vec<Answer<V>>, Error> {
        same_length(keys, "operations", ops)?;
        same_length(keys, "values", values)?;
        let batch = OnHost { keys, values: Some(values), ops: Some(ops) };
        let answer = |at: usize, code, value| Answer::new(ops[at], Mixed { code, value });
        // SAFETY: the kernel writes codes and values.
        unsafe { self.answers((launch::mixed(), Effect::Mixed), batch, (BOTH, answer)) }
    }
}

impl<K: Scalar, V: Scalar + Integer> BulkCounter<K, V> for Paged<(K, V)>
where
    (K, V): Entry,
{
    fn insert_or_add(&self, keys: &[K], values: &[V]) -> Result<Vec<Add>, Error> {
        self.put((Operation::InsertOrAdd, Op::Assign), (keys, values), Add::from_code)
    }
}

impl<K: KeyScalar> BulkSet<K> for Paged<(K,)> {
    fn insert(&self, keys: &[K]) -> Result<Vec<Insert>, Error> {
        self.per_key((Operation::InsertUnique, Op::InsertUnique), keys, Insert::from_code)
    }
    fn contains(&self, keys: &[K]) -> Result<Vec<bool>, Error> {
        self.contained(keys)
    }
    fn delete(&self, keys: &[K]) -> Result<Vec<Delete>, Error> {
        self.per_key((Operation::Delete, Op::Delete), keys, Delete::from_code)
    }
}
