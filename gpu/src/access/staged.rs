//! The way of host slices: operations through staging buffers of the caller.

use crate::arguments::{Head, Listed};
use crate::error::Error;
use crate::handle::Table;
use crate::layout::Scalar;
use crate::operations::launch::{Arrays, Launch};
use crate::row::Row;
use crate::sink::Sink;
use crate::staging::{self, Back, Batch, Staging, Task};
use crate::structures::Holds;

/// The operations of a table `T` on host slices, through staging buffers. Made by [`Table::staged`].
///
/// A call checks all of its input, runs it in chunks, and returns when all answers are in its [`Sink`]: a
/// slice, a `Vec` or a closure. As in [`BulkMap`](warpproof_model::host::BulkMap), the operations of a call
/// run concurrently, answer `i` belongs to element `i`, and several calls may run at once, each through
/// staging buffers of its own. Time proportional to the batch. Allocates no memory, except when a `Vec` has
/// too little room for the answers.
///
/// # Errors
/// [`Error::Refused`] if slices or a [`Sink`] have another length than the keys; [`Error::OtherDevice`] if
/// the staging buffers are on another device than the table; [`Error::NoKernel`] if the table's tuning lacks
/// the operation; [`Error::OutOfMemory`] if a `Vec` gets no room. Nothing has run then. After
/// [`Error::Kernel`], [`Error::Driver`] or [`Error::Code`] any of the operations may have run.
pub struct Staged<'a, T> {
    pub(crate) table: &'a T,
    pub(crate) staging: &'a mut Staging,
}

impl<R: Row, S: Holds<R>> Table<R, S> {
    /// The operations on host slices through staging buffers of the caller.
    pub fn staged<'a>(&'a self, staging: &'a mut Staging) -> Staged<'a, Self> {
        Staged { table: self, staging }
    }

    /// The answers of a call, through staging buffers that the device keeps.
    pub(crate) fn answers<T>(
        &self,
        call: impl FnOnce(Staged<'_, Self>, &mut Vec<T>) -> Result<(), Error>,
    ) -> Result<Vec<T>, Error> {
        staging::lent(self.device(), |staging| {
            let mut answers = Vec::new();
            call(self.staged(staging), &mut answers)?;
            Ok(answers)
        })
    }
}

impl<R: Row, S: Holds<R>> Staged<'_, Table<R, S>> {
    /// Runs a batch of operations.
    ///
    /// # Safety
    ///
    /// The kernel writes answers of the form that `back` names, with numbers of type `N`.
    pub(crate) unsafe fn run<N: Scalar, T: Copy + Send + Sync>(
        &mut self,
        launch: Launch<impl Fn(&Head, &Arrays<R::Key, R::Value, N>) -> Listed>,
        (back, decode): (Back, impl Fn(usize, u8, N) -> Option<T> + Sync),
        batch: Batch<'_, R::Key, R::Value>,
        sink: impl Sink<T>,
    ) -> Result<(), Error> {
        let task = Task { table: self.table.on_device(), launch, back, decode };
        // SAFETY: keys and values are the table's; the rest is the contract of this function.
        unsafe { self.staging.run(&task, batch, sink) }
    }
}

/// Answers that are codes. How they are read depends only on keys and values: no code is generated for each
/// structure.
pub(crate) fn by_code<N, T>(
    decode: impl Fn(u8) -> Option<T> + Sync,
) -> impl Fn(usize, u8, N) -> Option<T> + Sync {
    move |_, code, _| decode(code)
}
