//! How far a call is, and a way to stop it.

use crate::cpu::error::Error;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// How far a call on columns is. Another thread may look at it, and may stop the call.
///
/// ```
/// use warpproof_simt::cpu::Error;
/// use warpproof_simt::cpu::columns::{Groups, Progress};
///
/// let progress = Progress::new();
/// progress.stop();
/// assert_eq!(Groups::of(&[1u32, 2], &progress).unwrap_err(), Error::Stopped);
/// ```
#[derive(Debug, Default)]
pub struct Progress {
    done: AtomicU64,
    stopped: AtomicBool,
}

impl Progress {
    /// Nothing is done yet.
    #[must_use]
    pub const fn new() -> Self {
        Self { done: AtomicU64::new(0), stopped: AtomicBool::new(false) }
    }

    /// How many rows are done. A row counts once for each pass over it, of which there are up to five.
    pub fn done(&self) -> u64 {
        // Relaxed: a number for people.
        self.done.load(Ordering::Relaxed)
    }

    /// Asks the call to stop. It returns [`Error::Stopped`] within about a million rows of each thread.
    pub fn stop(&self) {
        // Relaxed: no memory depends on it.
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Counts rows that are done.
    ///
    /// # Errors
    /// [`Error::Stopped`] if the call is to stop.
    pub(super) fn advance(&self, rows: usize) -> Result<(), Error> {
        // Relaxed: as in `done` and `stop`.
        self.done.fetch_add(rows as u64, Ordering::Relaxed);
        if self.stopped.load(Ordering::Relaxed) { Err(Error::Stopped) } else { Ok(()) }
    }
}
