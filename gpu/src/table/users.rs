//! The streams that use a table, so that exclusive work runs alone.

use crate::error::Error;
use cudarc::driver::CudaStream;
use std::sync::{Arc, Mutex, PoisonError};

/// The streams that used the table since the last time that none did.
#[derive(Debug, Default)]
enum Since {
    /// No stream.
    #[default]
    Nobody,
    /// One stream, which may still have exclusive work to run, such as a clear.
    One { stream: Arc<CudaStream>, alone: bool },
    /// Several streams; no exclusive work is left to run.
    Several,
}

/// The streams that use a table.
#[derive(Debug, Default)]
pub(super) struct Users(Mutex<Since>);

impl Users {
    /// Records a use by `stream`. If another stream has exclusive work left, waits for that stream.
    ///
    /// # Errors
    /// [`Error::Driver`] from the wait; then the use must not run.
    pub(super) fn used(&self, stream: &Arc<CudaStream>) -> Result<(), Error> {
        // A panic elsewhere leaves the value whole.
        let mut since = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &*since {
            Since::One { stream: one, alone } if !same(one, stream) => {
                if *alone {
                    one.synchronize().map_err(Error::driver("waiting for a table that is used alone"))?;
                }
                *since = Since::Several;
            }
            Since::Nobody => *since = Since::One { stream: stream.clone(), alone: false },
            Since::One { .. } | Since::Several => {}
        }
        Ok(())
    }

    /// Waits until no exclusive work is left, for a call that waits for all its work. Such a call need not be
    /// recorded: it borrows the table until all its work is done, and exclusive work borrows the table
    /// `&mut`.
    ///
    /// # Errors
    /// [`Error::Driver`] from the wait; then the call must not run.
    pub(super) fn ready(&self) -> Result<(), Error> {
        let mut since = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Since::One { stream, alone: alone @ true } = &mut *since {
            stream.synchronize().map_err(Error::driver("waiting for a table that is used alone"))?;
            *alone = false;
        }
        Ok(())
    }

    /// Whether only `stream` used the table, so that its next work runs alone.
    pub(super) fn alone(&mut self, stream: &CudaStream) -> bool {
        match self.0.get_mut().unwrap_or_else(PoisonError::into_inner) {
            Since::Nobody => true,
            Since::One { stream: one, .. } => same(one, stream),
            Since::Several => false,
        }
    }

    /// Records exclusive use by `stream`.
    pub(super) fn alone_on(&mut self, stream: &Arc<CudaStream>) {
        let since = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        *since = Since::One { stream: stream.clone(), alone: true };
    }

    /// Records that all work on the table is done.
    pub(super) fn settled(&mut self) {
        *self.0.get_mut().unwrap_or_else(PoisonError::into_inner) = Since::Nobody;
    }
}

/// Whether work on both streams runs in order.
pub(super) fn same(one: &CudaStream, other: &CudaStream) -> bool {
    one == other && !per_thread(one)
}

/// Whether it is the per-thread stream, whose handle names another stream in each thread.
pub(super) fn per_thread(stream: &CudaStream) -> bool {
    const HANDLE: usize = 2;
    stream.cu_stream().addr() == HANDLE
}
