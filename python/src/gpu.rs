//! GPUs, and the streams of the caller on them.

use crate::failure::Failure;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::sync::Arc;
use warpproof::gpu::Device;
use warpproof::gpu::cudarc::driver::{CudaContext, CudaStream};

/// How many GPUs there are; 0 without a driver.
#[pyfunction]
pub(crate) fn count() -> usize {
    Device::count().unwrap_or(0)
}

/// A GPU whose kernels are loaded.
#[pyclass(frozen, module = "warpproof._native")]
pub(crate) struct Gpu {
    device: Device,
    /// The context that the caller's memory and streams belong to. cudarc does not track their uses: the
    /// caller's library orders them by its streams.
    context: Arc<CudaContext>,
}

#[pymethods]
impl Gpu {
    #[new]
    fn new(py: Python<'_>, ordinal: usize) -> PyResult<Self> {
        let device = py.detach(|| Device::open(ordinal)).map_err(Failure::from)?;
        let no_context =
            |error| PyRuntimeError::new_err(format!("opening the context of GPU {ordinal}: {error}"));
        let context = CudaContext::new(ordinal).map_err(no_context)?;
        // SAFETY: no slice of this context is used on two streams: each call makes slices of its own.
        unsafe { context.disable_event_tracking() };
        Ok(Self { device, context })
    }
}

impl Gpu {
    pub(crate) fn device(&self) -> &Device {
        &self.device
    }

    /// The caller's stream: 0 or 1 for the default one, 2 for that of the thread, otherwise its handle.
    pub(crate) fn stream(&self, handle: usize) -> Arc<CudaStream> {
        match handle {
            0 | 1 => self.context.default_stream(),
            2 => self.context.per_thread_stream(),
            // SAFETY: the package gets the handle from the library that the stream belongs to, for this
            // device, and the caller keeps the stream while the call runs.
            handle => unsafe { self.context.wrap_borrowed_stream(handle as _) },
        }
    }
}
