//! Outputs before a kernel writes them.

use crate::device::Device;
use crate::error::Error;
use cudarc::driver::{CudaSlice, DeviceRepr};

/// Device memory for `len` answers, at least one, of which every byte is `byte`: a value that no answer has
/// shows where a kernel wrote none. The device writes it, so a large output takes no time of the host.
///
/// # Errors
/// [`Error::OutOfMemory`], [`Error::Driver`].
pub fn output<T: DeviceRepr>(device: &Device, byte: u8, len: usize) -> Result<CudaSlice<T>, Error> {
    let mut output = device.buffer("the outputs of a bench", len)?;
    device.fill(&mut output, byte)?;
    // Kernels of other streams write it.
    device.synchronize()?;
    Ok(output)
}
