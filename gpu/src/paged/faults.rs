//! Calls of the driver that fail because a test says so.

use crate::error::Error;
use cudarc::driver::DriverError;
use cudarc::driver::sys::CUresult;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The calls of the driver that a paged table makes, one of which may be told to fail. A clone counts the
/// same calls.
#[derive(Clone, Default, Debug)]
pub(super) struct Faults(Arc<AtomicU64>);

impl Faults {
    /// Call number `call` from now on fails, counted from 1; none if it is 0. What was left of the last one:
    /// 0 if that has failed.
    pub(super) fn set(&self, call: u64) -> u64 {
        self.0.swap(call, Ordering::Relaxed)
    }

    /// A call of the driver: whether it may be made.
    pub(super) fn call(&self) -> Result<(), DriverError> {
        self.fail_with(CUresult::CUDA_ERROR_UNKNOWN)
    }

    /// A call that asks for memory.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub(super) fn memory(&self, what: &'static str, bytes: u64) -> Result<(), Error> {
        self.fail_with(CUresult::CUDA_ERROR_OUT_OF_MEMORY).map_err(Error::memory(what, bytes))
    }

    fn fail_with(&self, error: CUresult) -> Result<(), DriverError> {
        // The table's lock is held, so nobody else counts meanwhile.
        let left = self.0.load(Ordering::Relaxed);
        self.0.store(left.saturating_sub(1), Ordering::Relaxed);
        if left == 1 { Err(DriverError(error)) } else { Ok(()) }
    }
}
