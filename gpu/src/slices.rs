//! Device slices of the caller, as arguments of one launch.

use crate::arguments::Span;
use crate::error::Error;
use cudarc::driver::result;
use cudarc::driver::{CudaContext, CudaSlice, CudaStream, CudaView, CudaViewMut, DeviceSlice, SyncOnDrop};
use std::sync::Arc;

mod sealed {
    /// Implemented only here: an address must be that of live device memory.
    pub trait Sealed {}
    impl<T> Sealed for cudarc::driver::CudaSlice<T> {}
    impl<T> Sealed for cudarc::driver::CudaView<'_, T> {}
    impl<T> Sealed for cudarc::driver::CudaViewMut<'_, T> {}
}

/// A device slice that a kernel reads: cudarc's `CudaSlice`, `CudaView` or `CudaViewMut`.
pub trait Input<T>: sealed::Sealed {
    /// All of it.
    fn view(&self) -> CudaView<'_, T>;
}

/// A device slice that a kernel writes: cudarc's `CudaSlice` or `CudaViewMut`.
pub trait Output<T>: sealed::Sealed {
    /// All of it.
    fn view_mut(&mut self) -> CudaViewMut<'_, T>;
}

impl<T> Input<T> for CudaSlice<T> {
    fn view(&self) -> CudaView<'_, T> {
        self.as_view()
    }
}

impl<T> Input<T> for CudaView<'_, T> {
    fn view(&self) -> CudaView<'_, T> {
        // The whole range is always inside.
        self.slice(..)
    }
}

impl<T> Input<T> for CudaViewMut<'_, T> {
    fn view(&self) -> CudaView<'_, T> {
        self.as_view()
    }
}

impl<T> Output<T> for CudaSlice<T> {
    fn view_mut(&mut self) -> CudaViewMut<'_, T> {
        self.as_view_mut()
    }
}

impl<T> Output<T> for CudaViewMut<'_, T> {
    fn view_mut(&mut self) -> CudaViewMut<'_, T> {
        // The whole range is always inside.
        self.slice_mut(..)
    }
}

/// One call on a stream: takes slices, then launches, then [`finish`](Call::finish)es.
///
/// A slice belongs to the stream that it was allocated on, and is freed in the order of that stream. If that
/// is not the stream of the call, the call's stream first waits for it, and afterwards it waits for the
/// call's stream. So a slice may be dropped as soon as the call returns.
pub(crate) struct Call<'a> {
    stream: &'a Arc<CudaStream>,
    /// Streams of slices that are not the call's own.
    others: Vec<Arc<CudaStream>>,
    /// cudarc's own tracking, if the caller's context has it on: records the use when it is dropped.
    uses: Vec<SyncOnDrop<'a>>,
}

impl<'a> Call<'a> {
    /// A call on `stream`, for a table of `context`.
    ///
    /// # Errors
    /// [`Error::OtherDevice`].
    pub(crate) fn new(context: &CudaContext, stream: &'a Arc<CudaStream>) -> Result<Self, Error> {
        if **stream.context() != *context {
            return Err(Error::OtherDevice { what: "stream" });
        }
        Ok(Self { stream, others: Vec::new(), uses: Vec::new() })
    }

    /// Takes a slice that the kernel reads.
    pub(crate) fn input<T>(&mut self, what: &'static str, view: CudaView<'a, T>) -> Result<Span<T>, Error> {
        self.join(what, DeviceSlice::stream(&view))?;
        let len = view.len();
        let (address, used) = view.view_ptr(self.stream);
        self.uses.push(used);
        Ok(Span::new(address, len))
    }

    /// Takes a slice that the kernel writes.
    pub(crate) fn output<T>(
        &mut self,
        what: &'static str,
        view: CudaViewMut<'a, T>,
    ) -> Result<Span<T>, Error> {
        self.join(what, DeviceSlice::stream(&view))?;
        let len = view.len();
        let (address, used) = view.view_ptr_mut(self.stream);
        self.uses.push(used);
        Ok(Span::new(address, len))
    }

    /// Queues a fill with zeros.
    ///
    /// # Safety
    ///
    /// This call made the span, or its memory is freed on the call's stream.
    pub(crate) unsafe fn zero<T>(&self, span: Span<T>) -> Result<(), Error> {
        let failed = Error::driver("filling device memory");
        let (address, bytes) = span.bytes();
        self.stream.context().bind_to_thread().map_err(&failed)?;
        // SAFETY: the span is live until the stream has run this (contract of this function).
        unsafe { result::memset_d8_async(address, 0, bytes, self.stream.cu_stream()) }.map_err(&failed)
    }

    /// The call's stream.
    pub(crate) fn stream(&self) -> &'a Arc<CudaStream> {
        self.stream
    }

    /// Makes the call's stream wait for the work on the slice's stream.
    fn join(&mut self, what: &'static str, home: &Arc<CudaStream>) -> Result<(), Error> {
        if home.context() != self.stream.context() {
            return Err(Error::OtherDevice { what });
        }
        if **home != **self.stream && !self.others.iter().any(|other| **other == **home) {
            self.stream.join(home).map_err(Error::driver("waiting for the stream of a slice"))?;
            self.others.push(home.clone());
        }
        Ok(())
    }

    /// Makes the streams of the slices wait for the call's stream.
    pub(crate) fn finish(self) -> Result<(), Error> {
        for other in &self.others {
            if let Err(error) = other.join(self.stream) {
                // The slices may be freed when this returns, so nothing may be running then.
                let _ = self.stream.synchronize();
                return Err(Error::driver("making the stream of a slice wait")(error));
            }
        }
        Ok(())
    }
}
