//! The way of device slices: operations on a stream of the caller.

use crate::arguments::{Head, Listed};
use crate::error::Error;
use crate::handle::Table;
use crate::operations::launch::{Arrays, Launch};
use crate::row::Row;
use crate::slices::Call;
use crate::structures::Holds;
use cudarc::driver::CudaStream;
use std::sync::Arc;

/// The operations of a table `T` on device slices, on a stream. Made by [`Table::on_stream`].
///
/// A call checks the lengths of its slices, queues its kernels and returns; it does not wait. Where it queues
/// several kernels, each runs the operations that the one before left. Calls on one stream run in order.
/// Calls on different streams run at once, except on one wait-free table, where they run one after the other.
/// The caller waits as for any work on the stream, and learns there whether a kernel failed. Slices may
/// belong to other streams of the device: those streams and the stream of the call then wait for each other.
///
/// Outcomes are the codes of [`warpproof_model::outcome`]. After an error they mean nothing;
/// [`DEFERRED`](warpproof_model::map::DEFERRED) marks an operation that was deferred and has not run.
///
/// # Errors
/// [`Error::Refused`] unless all slices of a call have one element per operation; nothing runs then.
/// [`Error::OtherDevice`] for a stream or slice of another device; [`Error::NoKernel`] if the table's tuning
/// lacks the operation; [`Error::Kernel`] if the kernel does not start; [`Error::Driver`].
pub struct OnStream<'a, T> {
    pub(crate) table: &'a T,
    pub(crate) stream: &'a Arc<CudaStream>,
}

impl<R: Row, S: Holds<R>> Table<R, S> {
    /// The operations on device slices, on `stream`.
    pub fn on_stream<'a>(&'a self, stream: &'a Arc<CudaStream>) -> OnStream<'a, Self> {
        OnStream { table: self, stream }
    }
}

impl<R: Row, S: Holds<R>> OnStream<'_, Table<R, S>> {
    /// A call on the stream for the table.
    pub(crate) fn begin(&self) -> Result<Call<'_>, Error> {
        Call::new(self.table.device().context(), self.stream)
    }

    /// Queues an operation.
    ///
    /// # Safety
    ///
    /// `call` made the spans of `arrays`. Their types are those of the operation on this table.
    pub(crate) unsafe fn run<K, V, N>(
        &self,
        call: Call<'_>,
        launch: &Launch<impl Fn(&Head, &Arrays<K, V, N>) -> Listed>,
        arrays: Arrays<K, V, N>,
    ) -> Result<(), Error> {
        let table = self.table.on_device();
        let arguments = launch.arguments(table.head(), &arrays)?;
        // SAFETY: a `Launch` has the arguments of its operation; the types are the contract of this function.
        // `Call` makes the stream of each slice, on which it is freed, wait for the kernel; the borrows of
        // the slices last until that is queued.
        let launched = unsafe { table.launch(launch.operation(), call.stream(), &arguments) };
        // Also after an error: some of the operations may be running.
        call.finish().and(launched)
    }
}
