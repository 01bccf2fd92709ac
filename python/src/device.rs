//! Calls of tables on device memory, which Python's arrays own.

use crate::failure::Failure;
use crate::gpu::Gpu;
use crate::make::Made;
use crate::table::{Put, Table};
use pyo3::prelude::*;
use std::sync::Arc;
use warpproof::gpu::cudarc::driver::{CudaSlice, CudaStream, CudaView, CudaViewMut};
use warpproof::gpu::{DynamicMap, DynamicSet, OpenMap, OpenSet, PagedMap};
use warpproof_model::Update;

/// A slice of the caller's memory. Dropping it frees nothing.
pub(crate) struct Borrowed<T>(Option<CudaSlice<T>>);

impl<T> Borrowed<T> {
    /// The elements at this address.
    ///
    /// # Safety
    /// They are live memory of the stream's device until the stream has run the call, and no other work uses
    /// what the call writes.
    pub(crate) unsafe fn new(stream: &Arc<CudaStream>, address: u64, len: usize) -> Self {
        // SAFETY: the contract of this function; all bits are numbers.
        Self(Some(unsafe { stream.upgrade_device_ptr(address, len) }))
    }

    pub(crate) fn view(&self) -> CudaView<'_, T> {
        self.0.as_ref().map(CudaSlice::as_view).expect("there until it is dropped")
    }

    pub(crate) fn view_mut(&mut self) -> CudaViewMut<'_, T> {
        self.0.as_mut().map(CudaSlice::as_view_mut).expect("there until it is dropped")
    }
}

impl<T> Drop for Borrowed<T> {
    fn drop(&mut self) {
        if let Some(slice) = self.0.take() {
            slice.leak();
        }
    }
}

/// Runs the body with the calls on a stream of a table that is one of these types.
macro_rules! as_one_of {
    ($any:expr, $stream:expr, |$table:ident| $body:expr, $($type:ty),+) => {{
        $(if let Some(table) = $any.downcast_ref::<$type>() {
            let $table = table.on_stream($stream);
            $body
        } else)+ {
            Err(not_here())
        }
    }};
}

/// Runs the body with the calls of a map, whose keys and values are the `Word` of the body.
macro_rules! on_device {
    ($made:expr, $stream:expr, |$table:ident: $word:ident| $body:expr) => {
        match $made {
            Made::Map32(map) => {
                type $word = u32;
                as_one_of!(map, $stream, |$table| $body, DynamicMap<u32, u32>, OpenMap<u32, u32>, PagedMap<u32, u32>)
            }
            Made::Map64(map) => {
                type $word = u64;
                as_one_of!(map, $stream, |$table| $body, DynamicMap<u64, u64>, OpenMap<u64, u64>, PagedMap<u64, u64>)
            }
            _ => Err(not_here()),
        }
    };
}

/// Runs the body with the calls of a set, whose keys are the `Word` of the body.
macro_rules! on_device_set {
    ($made:expr, $stream:expr, |$table:ident: $word:ident| $body:expr) => {
        match $made {
            Made::Set32(set) => {
                type $word = u32;
                as_one_of!(set, $stream, |$table| $body, DynamicSet<u32>, OpenSet<u32>)
            }
            Made::Set64(set) => {
                type $word = u64;
                as_one_of!(set, $stream, |$table| $body, DynamicSet<u64>, OpenSet<u64>)
            }
            _ => Err(not_here()),
        }
    };
}

/// Runs the body with the searches of a table of a fixed size, which no other call has meanwhile. Keys are
/// the `Word` of the body.
macro_rules! frozen {
    ($made:expr, ($stream:expr, $filter:expr), |$table:ident: $word:ident = $of:ty| $body:expr, $type:ty) => {{
        type $word = $of;
        match $made.downcast_mut::<$type>() {
            Some(table) => {
                let (address, len) = $filter;
                // SAFETY: words of the package, or none.
                let mut words = (len != 0).then(|| unsafe { Borrowed::<u64>::new($stream, address, len) });
                let mut words = words.as_mut().map(Borrowed::view_mut);
                let mut searches = table.frozen($stream);
                if let Some(words) = &mut words {
                    searches = searches.with_filter(words)?;
                }
                let $table = &mut searches;
                $body
            }
            None => Err(not_here()),
        }
    }};
}

/// The table has no calls on device memory.
fn not_here() -> Failure {
    Failure::Value("this table takes arrays in host memory alone".into())
}

/// A call of a table on arrays in device memory: the table, the GPU and the stream of the caller, and the
/// number of elements of each array. The arrays are addresses: the package keeps them until the stream has
/// run the call, and has checked their device, type and length.
#[pyclass(frozen, module = "warpproof._native")]
pub(crate) struct DeviceCall {
    table: Py<Table>,
    stream: Arc<CudaStream>,
    len: usize,
}

#[pymethods]
impl DeviceCall {
    #[new]
    fn new(table: Py<Table>, gpu: &Gpu, stream: usize, len: usize) -> Self {
        Self { table, stream: gpu.stream(stream), len }
    }

    /// Inserts pairs. Writes the code of each outcome: 0 if it was stored as a new one, 2 if there was no
    /// room.
    fn put(&self, py: Python<'_>, how: &str, keys: u64, values: u64, codes: u64) -> PyResult<()> {
        let how = Put::named(how)?;
        self.run(py, |made, stream| {
            // SAFETY: addresses of the package, as all of this type.
            let mut codes = unsafe { Borrowed::<u8>::new(stream, codes, self.len) };
            let codes = &mut codes.view_mut();
            on_device!(made, stream, |table: Word| {
                // SAFETY: likewise.
                let (keys, values) = unsafe { self.pair::<Word>(stream, keys, values) };
                match how {
                    Put::Unique => Ok(table.insert_unique(&keys.view(), &values.view(), codes)?),
                    Put::Assign => Ok(table.insert_or_assign(&keys.view(), &values.view(), codes)?),
                    Put::Update(Update::Add) => {
                        Ok(table.insert_or_add(&keys.view(), &values.view(), codes)?)
                    }
                    Put::Update(update) => {
                        Ok(table.insert_or_update(update, &keys.view(), &values.view(), codes)?)
                    }
                    Put::Insert => Err(not_here()),
                }
            })
        })
    }

    /// Inserts keys into a set. Writes the code of each outcome, as `put`.
    fn add(&self, py: Python<'_>, keys: u64, codes: u64) -> PyResult<()> {
        self.run(py, |made, stream| {
            // SAFETY: addresses of the package.
            let mut codes = unsafe { Borrowed::<u8>::new(stream, codes, self.len) };
            on_device_set!(made, stream, |table: Word| {
                // SAFETY: likewise.
                let keys = unsafe { Borrowed::<Word>::new(stream, keys, self.len) };
                Ok(table.insert(&keys.view(), &mut codes.view_mut())?)
            })
        })
    }

    /// Writes the value of each key, or `missing`; and, unless its address is 0, to `found` whether the key
    /// is there. A table of a fixed size makes a filter in these words first, if there are any.
    fn search(
        &self,
        py: Python<'_>,
        keys: u64,
        values: u64,
        found: u64,
        missing: u64,
        filter: (u64, usize),
    ) -> PyResult<()> {
        macro_rules! search {
            ($table:ident, $Word:ident, $stream:ident) => {{
                let mut found = (found != 0).then(|| {
                    // SAFETY: addresses of the package.
                    unsafe { Borrowed::<u8>::new($stream, found, self.len) }
                });
                let found = found.as_mut().map(Borrowed::view_mut);
                // SAFETY: likewise.
                let (keys, mut values) = unsafe { self.pair::<$Word>($stream, keys, values) };
                Ok($table.search_or(&keys.view(), &mut values.view_mut(), missing as $Word, found)?)
            }};
        }
        if !self.table.get().is_fixed() {
            return self.run(py, |made, stream| {
                on_device!(made, stream, |table: Word| search!(table, Word, stream))
            });
        }
        self.run_alone(py, |made, stream| match made {
            Made::Map32(map) => {
                frozen!(map, (stream, filter), |table: Word = u32| search!(table, Word, stream), OpenMap<u32, u32>)
            }
            Made::Map64(map) => {
                frozen!(map, (stream, filter), |table: Word = u64| search!(table, Word, stream), OpenMap<u64, u64>)
            }
            _ => Err(not_here()),
        })
    }

    /// Writes whether each key is there. A filter as for `search`.
    fn contains(&self, py: Python<'_>, keys: u64, found: u64, filter: (u64, usize)) -> PyResult<()> {
        if !self.table.get().is_fixed() {
            return self.per_key(py, keys, found, false);
        }
        macro_rules! contains {
            ($table:ident, $Word:ident, $stream:ident) => {{
                // SAFETY: addresses of the package.
                let mut found = unsafe { Borrowed::<u8>::new($stream, found, self.len) };
                // SAFETY: likewise.
                let keys = unsafe { Borrowed::<$Word>::new($stream, keys, self.len) };
                Ok($table.contains(&keys.view(), &mut found.view_mut())?)
            }};
        }
        self.run_alone(py, |made, stream| match made {
            Made::Map32(map) => {
                frozen!(map, (stream, filter), |table: Word = u32| contains!(table, Word, stream), OpenMap<u32, u32>)
            }
            Made::Map64(map) => {
                frozen!(map, (stream, filter), |table: Word = u64| contains!(table, Word, stream), OpenMap<u64, u64>)
            }
            Made::Set32(set) => {
                frozen!(set, (stream, filter), |table: Word = u32| contains!(table, Word, stream), OpenSet<u32>)
            }
            Made::Set64(set) => {
                frozen!(set, (stream, filter), |table: Word = u64| contains!(table, Word, stream), OpenSet<u64>)
            }
        })
    }

    /// Deletes an entry of each key. Writes 0 if there was one, and 1 if not.
    fn delete(&self, py: Python<'_>, keys: u64, codes: u64) -> PyResult<()> {
        self.per_key(py, keys, codes, true)
    }
}

impl DeviceCall {
    /// Runs a call without Python's lock.
    fn run(
        &self,
        py: Python<'_>,
        call: impl FnOnce(&Made, &Arc<CudaStream>) -> Result<(), Failure> + Send,
    ) -> PyResult<()> {
        let table = self.table.get();
        Ok(py.detach(|| call(&table.read(), &self.stream))?)
    }

    /// As `run`, while no other call has the table.
    fn run_alone(
        &self,
        py: Python<'_>,
        call: impl FnOnce(&mut Made, &Arc<CudaStream>) -> Result<(), Failure> + Send,
    ) -> PyResult<()> {
        let table = self.table.get();
        Ok(py.detach(|| call(&mut table.write(), &self.stream))?)
    }

    /// Two arrays of words.
    ///
    /// # Safety
    /// As [`Borrowed::new`].
    unsafe fn pair<T>(&self, stream: &Arc<CudaStream>, a: u64, b: u64) -> (Borrowed<T>, Borrowed<T>) {
        // SAFETY: the contract of this function.
        unsafe { (Borrowed::new(stream, a, self.len), Borrowed::new(stream, b, self.len)) }
    }

    fn per_key(&self, py: Python<'_>, keys: u64, codes: u64, deletes: bool) -> PyResult<()> {
        macro_rules! call {
            ($table:ident, $Word:ident, $stream:ident) => {{
                // SAFETY: addresses of the package.
                let mut codes = unsafe { Borrowed::<u8>::new($stream, codes, self.len) };
                // SAFETY: likewise.
                let keys = unsafe { Borrowed::<$Word>::new($stream, keys, self.len) };
                let (keys, codes) = (&keys.view(), &mut codes.view_mut());
                Ok(if deletes { $table.delete(keys, codes)? } else { $table.contains(keys, codes)? })
            }};
        }
        self.run(py, |made, stream| match made {
            Made::Set32(_) | Made::Set64(_) => {
                on_device_set!(made, stream, |table: Word| call!(table, Word, stream))
            }
            _ => on_device!(made, stream, |table: Word| call!(table, Word, stream)),
        })
    }
}
