//! Results in host memory, which Python reads in place.

use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;
use std::ffi::{c_int, c_void};
use std::ptr::NonNull;

/// A list of numbers that Rust made: a buffer of bytes, for `numpy.frombuffer`.
#[pyclass(frozen, module = "warpproof._native")]
pub(crate) struct Column {
    /// Keeps the memory; a `Vec` of some type.
    _owner: Box<dyn Send + Sync>,
    data: NonNull<c_void>,
    bytes: usize,
}

// SAFETY: the memory belongs to the column, as that of a `Vec` to the `Vec`. Through the buffer Python
// changes it as any array that threads share.
unsafe impl Send for Column {}
// SAFETY: as above.
unsafe impl Sync for Column {}

/// A number without padding, whose bytes Python may read.
pub(crate) trait Plain: Copy + Send + Sync + 'static {}
impl Plain for u8 {}
impl Plain for bool {}
impl Plain for u32 {}
impl Plain for i32 {}
impl Plain for u64 {}
impl Plain for i64 {}
impl Plain for f32 {}
impl Plain for f64 {}

impl<T: Plain> From<Vec<T>> for Column {
    fn from(mut list: Vec<T>) -> Self {
        let bytes = size_of_val(&list[..]);
        // A vector's pointer is never null.
        let data = NonNull::new(list.as_mut_ptr().cast()).unwrap_or(NonNull::dangling());
        Self { _owner: Box::new(list), data, bytes }
    }
}

#[pymethods]
impl Column {
    fn __len__(&self) -> usize {
        self.bytes
    }

    /// Fills a view for Python's buffer protocol.
    ///
    /// # Safety
    /// Python calls it with a view of its own.
    unsafe fn __getbuffer__(slf: Bound<'_, Self>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        let column = slf.get();
        let Ok(bytes) = ffi::Py_ssize_t::try_from(column.bytes) else {
            return Err(PyBufferError::new_err("the column is too long"));
        };
        // SAFETY: Python's view; the memory lives as long as the object, which the view keeps.
        let filled =
            unsafe { ffi::PyBuffer_FillInfo(view, slf.as_ptr(), column.data.as_ptr(), bytes, 0, flags) };
        if filled == 0 { Ok(()) } else { Err(PyErr::fetch(slf.py())) }
    }
}
