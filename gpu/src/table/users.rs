//! Which streams use a table, so that what must runs alone.

use crate::error::Error;
use cudarc::driver::CudaStream;
use std::sync::{Arc, Mutex, PoisonError};

/// Who used the table since the last time that nobody did.
#[derive(Debug, Default)]
enum Since {
    /// Nobody.
    #[default]
    Nobody,
    /// One stream, which may still have work to run that uses the table alone, such as a clear.
    One { stream: Arc<CudaStream>, alone: bool },
    /// Several streams; no such work is left to run.
    Several,
}

/// The streams that use a table.
#[derive(Debug, Default)]
pub(super) struct Users(Mutex<Since>);

impl Users {
    /// Notes a use by `stream`. If another stream has work left to run that uses the table alone, that stream
    /// is waited for.
    ///
    /// # Errors
    /// [`Error::Driver`] from the wait; the use must not run then.
    pub(super) fn used(&self, stream: &Arc<CudaStream>) -> Result<(), Error> {
        // What a panic left behind is a whole value.
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

    /// Waits until nobody uses the table alone, for a call that waits for all its work: it borrows the table
    /// until nothing of it runs, and whoever uses the table alone borrows it `&mut`, so that the call need
    /// not be noted.
    ///
    /// # Errors
    /// [`Error::Driver`] from the wait; the call must not run then.
    pub(super) fn ready(&self) -> Result<(), Error> {
        let mut since = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Since::One { stream, alone: alone @ true } = &mut *since {
            stream.synchronize().map_err(Error::driver("waiting for a table that is used alone"))?;
            *alone = false;
        }
        Ok(())
    }

    /// Whether nobody but `stream` used the table, so that what runs on it next runs alone.
    pub(super) fn alone(&mut self, stream: &CudaStream) -> bool {
        match self.0.get_mut().unwrap_or_else(PoisonError::into_inner) {
            Since::Nobody => true,
            Since::One { stream: one, .. } => same(one, stream),
            Since::Several => false,
        }
    }

    /// Notes that `stream` uses the table alone.
    pub(super) fn alone_on(&mut self, stream: &Arc<CudaStream>) {
        let since = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        *since = Since::One { stream: stream.clone(), alone: true };
    }

    /// Notes that all work on the table is over.
    pub(super) fn settled(&mut self) {
        *self.0.get_mut().unwrap_or_else(PoisonError::into_inner) = Since::Nobody;
    }
}

/// Whether work on both runs in order.
pub(super) fn same(one: &CudaStream, other: &CudaStream) -> bool {
    one == other && !per_thread(one)
}

/// Whether it is the per-thread stream, whose handle names another stream in each thread.
pub(super) fn per_thread(stream: &CudaStream) -> bool {
    const HANDLE: usize = 2;
    stream.cu_stream().addr() == HANDLE
}
