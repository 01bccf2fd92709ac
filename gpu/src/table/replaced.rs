//! Tables whose updates replace nodes: launches run one at a time, and after each the replaced nodes are
//! free.

use super::Plan;
use super::users::same;
use crate::arguments::Arguments;
use crate::device::Device;
use crate::error::Error;
use crate::module::Kernel;
use cudarc::driver::CudaStream;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The parameters of such a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Replaced {
    /// The most tiles that may update at one time.
    pub(crate) warps: u32,
    /// The most operations that run at one time.
    pub(crate) part: u32,
    /// How often an operation that finds no node runs again, after nodes were freed.
    pub(crate) passes: u32,
    /// Words of the bitmap, or stashes, whichever are more: threads of the kernel that frees nodes.
    pub(crate) states: u64,
}

/// The order of the launches on a table.
pub(super) struct Turns {
    reclaim: Kernel,
    arguments: Arguments,
    part: u32,
    passes: u32,
    /// The stream of the last launch.
    last: Mutex<Option<Arc<CudaStream>>>,
}

impl Turns {
    /// The turns of a table that is made by a plan.
    pub(super) fn new(device: &Device, plan: &Plan, replaced: Replaced) -> Result<Self, Error> {
        let (family, Replaced { part, passes, states, .. }) = (&plan.family, replaced);
        let name = family.name("reclaim", family.lanes);
        let Some(kernel) = device.kernel(&name, 1)? else { return Err(Error::NoKernel { kernel: name }) };
        let (arguments, last) = (plan.head.reclaim(states), Mutex::default());
        Ok(Self { reclaim: kernel, arguments, part, passes, last })
    }

    /// Until the turn is dropped, the next work on `stream` runs after all launches that were queued before.
    ///
    /// # Errors
    /// [`Error::Driver`]; nothing must be queued then.
    pub(super) fn turn(&self, stream: &Arc<CudaStream>) -> Result<Turn<'_>, Error> {
        // A panic elsewhere leaves the value whole.
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        match &*last {
            Some(one) if same(one, stream) => {}
            before => {
                if let Some(before) = before {
                    stream.join(before).map_err(Error::driver("waiting for the stream of another call"))?;
                }
                *last = Some(stream.clone());
            }
        }
        Ok(Turn { turns: self, _last: last })
    }
}

/// The right to queue launches.
pub(super) struct Turn<'a> {
    turns: &'a Turns,
    _last: MutexGuard<'a, Option<Arc<CudaStream>>>,
}

impl Turn<'_> {
    /// How often an operation that finds no node runs again.
    pub(super) fn passes(&self) -> u32 {
        self.turns.passes
    }

    /// The most operations that run at one time.
    pub(super) fn part(&self) -> u64 {
        self.turns.part.into()
    }

    /// Queues the kernel that frees nodes.
    pub(super) fn reclaim(&self, stream: &CudaStream, threads: u32) -> Result<(), Error> {
        // SAFETY: from `Head::reclaim`; the table's memory lives until nothing runs.
        unsafe { self.turns.reclaim.launch(stream, threads, &self.turns.arguments) }
    }
}
