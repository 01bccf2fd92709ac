//! A look for the driver, before anything calls it.
//!
//! cudarc loads the driver's library at its first call, and looks up each function at the first call of that
//! function. It panics if either is missing. So this crate looks for both first, and only then calls cudarc.

use crate::error::Error;
use cudarc::driver::sys::{self, CUresult};
use cudarc::driver::{CudaContext, DriverError};
use std::sync::OnceLock;

/// Every driver function that this crate calls, through cudarc or itself, and those that a user of our
/// contexts calls to make streams, events and slices.
const FUNCTIONS: &[&str] = &[
    "cuCtxEnablePeerAccess",
    "cuCtxGetCurrent",
    "cuCtxSetCurrent",
    "cuCtxSynchronize",
    "cuDeviceCanAccessPeer",
    "cuDeviceGet",
    "cuDeviceGetAttribute",
    "cuDeviceGetCount",
    "cuDeviceGetName",
    "cuDevicePrimaryCtxRelease_v2",
    "cuDevicePrimaryCtxRetain",
    "cuDeviceTotalMem_v2",
    "cuDriverGetVersion",
    "cuEventCreate",
    "cuEventDestroy_v2",
    "cuEventElapsedTime",
    "cuEventQuery",
    "cuEventRecord",
    "cuEventSynchronize",
    "cuGetErrorName",
    "cuGetErrorString",
    "cuInit",
    "cuLaunchKernel",
    "cuMemAllocAsync",
    "cuMemAlloc_v2",
    "cuMemFreeAsync",
    "cuMemFree_v2",
    "cuMemFreeHost",
    "cuMemGetInfo_v2",
    "cuMemHostAlloc",
    "cuMemcpyDtoDAsync_v2",
    "cuMemcpyDtoHAsync_v2",
    "cuMemcpyHtoDAsync_v2",
    "cuMemcpyPeerAsync",
    "cuMemsetD32Async",
    "cuMemsetD8Async",
    "cuModuleGetFunction",
    "cuModuleLoadDataEx",
    "cuModuleUnload",
    "cuStreamCreate",
    "cuStreamDestroy_v2",
    "cuStreamSynchronize",
    "cuStreamWaitEvent",
];

/// Looks for the driver and its functions. cudarc may be called afterwards.
///
/// # Errors
/// [`Error::NoDriver`], or [`Error::DriverTooOld`] if a function is missing.
pub(crate) fn probe() -> Result<(), Error> {
    static PROBED: OnceLock<Result<(), Error>> = OnceLock::new();
    PROBED.get_or_init(look).clone()
}

fn look() -> Result<(), Error> {
    // SAFETY: loads the driver's library, whose initializers are fit to run at any time.
    if !unsafe { sys::is_culib_present() } {
        return Err(Error::NoDriver);
    }
    for name in FUNCTIONS {
        // SAFETY: the symbol is looked up and not used. `culib` finds the library: it was found above.
        if unsafe { sys::culib().get::<*const ()>(name.as_bytes()) }.is_err() {
            return Err(Error::DriverTooOld { driver: 0, what: format!("it lacks {name}") });
        }
    }
    Ok(())
}

/// Number of devices.
///
/// # Errors
/// As [`probe`]; [`Error::Driver`] if the driver does not start.
pub(crate) fn devices() -> Result<usize, Error> {
    probe()?;
    match CudaContext::device_count() {
        Ok(count) => Ok(count.max(0) as usize),
        Err(DriverError(CUresult::CUDA_ERROR_NO_DEVICE)) => Ok(0),
        // The library is the stub that the toolkit links against.
        Err(DriverError(CUresult::CUDA_ERROR_STUB_LIBRARY)) => Err(Error::NoDriver),
        Err(error) => Err(Error::driver("starting the driver")(error)),
    }
}

/// The CUDA version that the driver supports, as 1000 * major + 10 * minor; 0 if unknown.
pub(crate) fn version() -> u32 {
    if probe().is_err() {
        return 0;
    }
    let mut version = 0;
    // SAFETY: the function is there (`probe`) and writes one integer.
    match unsafe { sys::cuDriverGetVersion(&raw mut version) }.result() {
        Ok(()) => version.max(0) as u32,
        Err(_) => 0,
    }
}
