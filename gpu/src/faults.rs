//! Calls of the driver that fail on purpose, for tests.

use crate::error::Error;
use cudarc::driver::DriverError;
use cudarc::driver::sys::CUresult;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts the driver calls of a paged table; a test may let one of them fail. A clone counts the same calls.
#[derive(Clone, Default, Debug)]
pub(crate) struct Faults(Arc<AtomicU64>);

impl Faults {
    /// Call number `call` from now on fails, counted from 1; none if it is 0. Returns the rest of the last
    /// count: 0 if that call has failed.
    pub(crate) fn set(&self, call: u64) -> u64 {
        self.0.swap(call, Ordering::Relaxed)
    }

    /// Counts a driver call; an error if it is to fail.
    pub(crate) fn call(&self) -> Result<(), DriverError> {
        self.fail_with(CUresult::CUDA_ERROR_UNKNOWN)
    }

    /// Counts a call that allocates memory.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub(crate) fn memory(&self, what: &'static str, bytes: u64) -> Result<(), Error> {
        self.fail_with(CUresult::CUDA_ERROR_OUT_OF_MEMORY).map_err(Error::memory(what, bytes))
    }

    fn fail_with(&self, error: CUresult) -> Result<(), DriverError> {
        // The caller holds the table's lock, so no other thread counts meanwhile.
        let left = self.0.load(Ordering::Relaxed);
        self.0.store(left.saturating_sub(1), Ordering::Relaxed);
        if left == 1 { Err(DriverError(error)) } else { Ok(()) }
    }
}
