//! Errors, as the exceptions that Python's users expect.

use pyo3::exceptions::{PyKeyboardInterrupt, PyMemoryError, PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use warpproof::any;
use warpproof::gpu;
use warpproof::model::sharded;
use warpproof::simt::cpu;
use warpproof::simt::cpu::large_pages::with_room;

/// Why a call failed. It becomes an exception when Python's lock is held again.
pub(crate) enum Failure {
    Cpu(cpu::Error),
    Gpu(gpu::Error),
    /// So many of so many pairs found no room.
    Full(usize, usize),
    Memory(usize),
    Value(String),
    Python(PyErr),
}

impl Failure {
    /// Keys and values, or a table and its keys, have other widths.
    pub(crate) fn width() -> Self {
        Self::Value("keys, values and the table must have one width".into())
    }
}

impl From<cpu::Error> for Failure {
    fn from(error: cpu::Error) -> Self {
        Self::Cpu(error)
    }
}

impl From<sharded::Error<cpu::Error>> for Failure {
    fn from(error: sharded::Error<cpu::Error>) -> Self {
        Self::Python(of_ranks(&error))
    }
}

impl From<gpu::Error> for Failure {
    fn from(error: gpu::Error) -> Self {
        Self::Gpu(error)
    }
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Self {
        Self::Python(error)
    }
}

impl From<any::Error> for Failure {
    fn from(error: any::Error) -> Self {
        let known = error.downcast_ref().map(of_cpu).or_else(|| error.downcast_ref().map(of_gpu));
        let known = known.or_else(|| error.downcast_ref().map(of_ranks));
        Self::Python(known.unwrap_or_else(|| PyRuntimeError::new_err(error.to_string())))
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Cpu(error) => of_cpu(&error),
            Failure::Gpu(error) => of_gpu(&error),
            Failure::Full(full, all) => {
                PyMemoryError::new_err(format!("the table is full: {full} of {all} entries found no room"))
            }
            Failure::Memory(bytes) => PyMemoryError::new_err(format!("{bytes} bytes cannot be had")),
            Failure::Value(text) => PyValueError::new_err(text),
            Failure::Python(error) => error,
        }
    }
}

fn of_cpu(error: &cpu::Error) -> PyErr {
    let text = error.to_string();
    match error {
        cpu::Error::Refused(_) | cpu::Error::TooManyRows { .. } => PyValueError::new_err(text),
        cpu::Error::OutOfMemory { .. } | cpu::Error::TableFull { .. } | cpu::Error::NotStored(_) => {
            PyMemoryError::new_err(text)
        }
        cpu::Error::File(_) => PyOSError::new_err(text),
        cpu::Error::Stopped => PyKeyboardInterrupt::new_err(()),
    }
}

fn of_gpu(error: &gpu::Error) -> PyErr {
    let text = error.to_string();
    match error {
        gpu::Error::Refused(_) | gpu::Error::OtherDevice { .. } => PyValueError::new_err(text),
        gpu::Error::OutOfMemory { .. } | gpu::Error::TableFull { .. } | gpu::Error::NotStored(_) => {
            PyMemoryError::new_err(text)
        }
        gpu::Error::File(_) => PyOSError::new_err(text),
        _ => PyRuntimeError::new_err(text),
    }
}

/// An empty list with room for so many.
pub(crate) fn room<T>(len: usize) -> Result<Vec<T>, Failure> {
    with_room(len).map_err(|_| Failure::Memory(len.saturating_mul(size_of::<T>())))
}

/// The exception for an error of a table in shards on the CPU.
fn of_ranks(error: &sharded::Error<cpu::Error>) -> PyErr {
    match error {
        sharded::Error::Shard(error) => of_cpu(error),
        sharded::Error::Refused(refused) => of_cpu(&cpu::Error::Refused(*refused)),
        _ => PyRuntimeError::new_err(error.to_string()),
    }
}
