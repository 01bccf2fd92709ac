//! Counts outcomes in device memory.

use crate::arguments::Arguments;
use crate::device::Device;
use crate::error::Error;
use crate::slices::{Call, Input};
use crate::table::Tuning;
use cudarc::driver::CudaStream;
use std::sync::Arc;
use warpproof_model::map::DEFERRED_SPAN;

/// The kernel that counts.
const KERNEL: &str = "count_stored";

/// How many of these outcomes of inserts, assigns or adds are of entries that were stored. Waits for
/// `stream`.
///
/// # Errors
/// [`Error::OtherDevice`], [`Error::OutOfMemory`], [`Error::Kernel`], [`Error::Driver`].
pub(crate) fn count_stored(
    device: &Device,
    stream: &Arc<CudaStream>,
    outcomes: &impl Input<u8>,
) -> Result<u64, Error> {
    let Some(kernel) = device.kernel(KERNEL, 1)? else {
        return Err(Error::NoKernel { kernel: KERNEL.into() });
    };
    let kernel = kernel.with_span(DEFERRED_SPAN);
    let mut total = device.buffer::<u64>("a counter", 1)?;
    device.fill(&mut total, 0)?;
    let mut call = Call::new(device.context(), stream)?;
    let outcomes = call.input("outcomes", outcomes.view())?;
    let total_span = call.output("total", total.as_view_mut())?;
    let arguments = Arguments::count_stored(outcomes, total_span)?;
    // SAFETY: `Arguments::count_stored` belongs to this kernel; `Call` keeps the order of the slices, and
    // this call waits.
    let launched = unsafe { kernel.launch(call.stream(), Tuning::default().threads, &arguments) };
    call.finish().and(launched)?;
    device.download(&total).map(|total| total.first().copied().unwrap_or(0))
}
