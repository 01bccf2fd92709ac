//! The groups of columns in device memory.

use crate::device::Borrowed;
use crate::failure::Failure;
use crate::gpu::Gpu;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::Arc;
use warpproof::gpu::cudarc::driver::CudaStream;
use warpproof::gpu::{Error, KeyScalar};

/// By the width of the keys.
enum Inner {
    Keys32(warpproof::gpu::Grouping<u32>),
    Keys64(warpproof::gpu::Grouping<u64>),
}

/// Makes the groups of columns in device memory. Arrays are addresses: the package keeps them until a call
/// returns, and has checked their device, type and length.
#[pyclass(frozen, module = "warpproof._native")]
pub(crate) struct Grouping {
    inner: Inner,
    gpu: Py<Gpu>,
}

/// The addresses and lengths of a call.
#[derive(Clone, Copy)]
struct Arrays {
    rows: usize,
    keys: u64,
    /// 0 if there are none, as the addresses of outputs that are not wanted.
    values: u64,
    scratch: u64,
    room: usize,
    found: [u64; 3],
}

#[pymethods]
impl Grouping {
    /// Groups of keys of `width` bits on a GPU.
    #[new]
    fn new(width: u32, gpu: Py<Gpu>) -> PyResult<Self> {
        let device = gpu.get().device();
        let failed = |error: Error| PyErr::from(Failure::from(error));
        let inner = match width {
            32 => Inner::Keys32(warpproof::gpu::Grouping::new(device).map_err(failed)?),
            64 => Inner::Keys64(warpproof::gpu::Grouping::new(device).map_err(failed)?),
            _ => return Err(PyValueError::new_err(format!("keys of {width} bits are not possible"))),
        };
        Ok(Self { inner, gpu })
    }

    /// Bytes of scratch memory for so many rows, with sums of values or without.
    fn scratch_bytes(&self, rows: usize, sums: bool) -> u64 {
        match &self.inner {
            Inner::Keys32(grouping) => grouping.scratch_bytes(rows, sums),
            Inner::Keys64(grouping) => grouping.scratch_bytes(rows, sums),
        }
    }

    /// Writes the distinct keys, how many rows each has, and the sums of their values, on the caller's
    /// stream. Returns their number, and waits for it. An address of 0 stands for values that are not there,
    /// and for numbers that are not wanted; sums are wanted if there are values.
    #[expect(clippy::too_many_arguments, reason = "addresses of arrays")]
    fn run(
        &self,
        py: Python<'_>,
        stream: usize,
        rows: usize,
        keys: u64,
        values: u64,
        scratch: u64,
        room: usize,
        found: u64,
        counts: u64,
        sums: u64,
    ) -> PyResult<usize> {
        let arrays = Arrays { rows, keys, values, scratch, room, found: [found, counts, sums] };
        let stream = &self.gpu.get().stream(stream);
        let made = py.detach(|| match &self.inner {
            Inner::Keys32(grouping) => groups(grouping, stream, arrays),
            Inner::Keys64(grouping) => groups(grouping, stream, arrays),
        });
        Ok(made.map_err(Failure::from)?)
    }

    /// The most keys of `among`.
    #[classattr]
    const MOST_FEW: usize = warpproof::gpu::Grouping::<u64>::MOST_FEW;

    /// Writes whether each key of a column, an address and a length, is one of these words: 1 or 0. Scratch
    /// memory as for no rows.
    fn among(
        &self,
        py: Python<'_>,
        stream: usize,
        column: (u64, usize),
        few: Vec<u64>,
        scratch: u64,
        found: u64,
    ) -> PyResult<()> {
        let ((keys, rows), stream) = (column, &self.gpu.get().stream(stream));
        let bytes = self.scratch_bytes(0, false) as usize;
        macro_rules! among {
            ($grouping:ident, $few:expr) => {{
                // SAFETY: addresses of the package, which has made the scratch memory as `scratch_bytes`
                // says, and an element to write for each key.
                let (keys, mut scratch, mut found) = unsafe {
                    (
                        Borrowed::new(stream, keys, rows),
                        Borrowed::<u8>::new(stream, scratch, bytes),
                        Borrowed::<u8>::new(stream, found, rows),
                    )
                };
                $grouping.among(stream, (&keys.view(), $few), &mut scratch.view_mut(), &mut found.view_mut())
            }};
        }
        let queued = py.detach(|| match &self.inner {
            Inner::Keys32(grouping) => {
                let few: Vec<u32> = few.iter().map(|&key| key as u32).collect();
                among!(grouping, &few)
            }
            Inner::Keys64(grouping) => among!(grouping, &few),
        });
        Ok(queued.map_err(Failure::from)?)
    }
}

/// Makes the groups of arrays.
fn groups<K: KeyScalar>(
    grouping: &warpproof::gpu::Grouping<K>,
    stream: &Arc<CudaStream>,
    arrays: Arrays,
) -> Result<usize, Error> {
    let n = arrays.rows;
    let bytes = grouping.scratch_bytes(n, arrays.values != 0) as usize;
    let [found, counts, sums] = arrays.found;
    // SAFETY: addresses of the package, which has made the scratch memory as `scratch_bytes` says, and
    // outputs of one length.
    let (keys, mut scratch, mut found) = unsafe {
        (
            Borrowed::<K>::new(stream, arrays.keys, n),
            Borrowed::<u8>::new(stream, arrays.scratch, bytes),
            Borrowed::<K>::new(stream, found, arrays.room),
        )
    };
    let (keys, scratch, found) = (&keys.view(), &mut scratch.view_mut(), &mut found.view_mut());
    if counts == 0 {
        return grouping.distinct(stream, keys, scratch, found);
    }
    // SAFETY: likewise.
    let mut counts = unsafe { Borrowed::<u64>::new(stream, counts, arrays.room) };
    let counts = &mut counts.view_mut();
    if arrays.values == 0 {
        return grouping.count(stream, keys, scratch, (found, counts));
    }
    // SAFETY: likewise.
    let (values, mut sums) = unsafe {
        (Borrowed::<u64>::new(stream, arrays.values, n), Borrowed::<u64>::new(stream, sums, arrays.room))
    };
    grouping.sum(stream, (keys, &values.view()), scratch, (found, counts, &mut sums.view_mut()))
}
