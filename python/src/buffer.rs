//! Arguments in host memory: buffers of Python objects, such as arrays of NumPy.

use pyo3::buffer::{Element, PyBuffer};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

/// A contiguous buffer of numbers.
///
/// Another thread of Python may write to the array meanwhile, as in every call of NumPy that lets go of the
/// lock. The package documents that as an error of the caller.
pub(crate) struct Slice<T: Element>(PyBuffer<T>);

impl<T: Element> Slice<T> {
    fn new(buffer: PyBuffer<T>) -> PyResult<Self> {
        if buffer.is_c_contiguous() {
            Ok(Self(buffer))
        } else {
            Err(PyValueError::new_err("the array is not contiguous"))
        }
    }

    /// The numbers.
    pub(crate) fn get(&self) -> &[T] {
        let len = self.0.item_count();
        if len == 0 {
            return &[];
        }
        // SAFETY: the buffer is contiguous, of this type (`PyBuffer::get` checks its format and alignment),
        // and lives as long as `self`. Nobody may write to it meanwhile: see the type.
        unsafe { std::slice::from_raw_parts(self.0.buf_ptr().cast::<T>(), len) }
    }
}

impl<'a, 'py, T: Element> FromPyObject<'a, 'py> for Slice<T> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        Self::new(PyBuffer::get(&object)?)
    }
}

/// A buffer of numbers of 32 or 64 bits.
pub(crate) enum Words {
    W32(Slice<u32>),
    W64(Slice<u64>),
}

impl Words {
    /// How many numbers.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::W32(words) => words.get().len(),
            Self::W64(words) => words.get().len(),
        }
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for Words {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(words) = object.extract() {
            return Ok(Self::W32(words));
        }
        match object.extract() {
            Ok(words) => Ok(Self::W64(words)),
            Err(_) => {
                Err(PyTypeError::new_err("expected a contiguous buffer of unsigned numbers of 32 or 64 bits"))
            }
        }
    }
}
