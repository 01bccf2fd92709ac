//! Timers by the device's clock.

use crate::arguments::Arguments;
use crate::device::Device;
use crate::error::Error;
use crate::module::Kernel;
use core::fmt;
use cudarc::driver::sys::CUevent_flags;
use cudarc::driver::{CudaEvent, CudaStream};

/// Measures the work between two points of a stream, by the device's clock (resolution about half a
/// microsecond).
///
/// ```no_run
/// # use warpproof_gpu::{Device, SlabMap, bench::Timer};
/// # let device = Device::open(0)?;
/// # let map = SlabMap::<u32, u32>::with_capacity(&device, 100)?;
/// let stream = device.context().default_stream();
/// let keys = stream.clone_htod(&[1u32, 2, 3])?;
/// let mut values = stream.alloc_zeros::<u32>(3)?;
/// let timer = Timer::new(&device)?;
/// timer.start(&stream)?;
/// map.on_stream(&stream).search(&keys, &mut values, None)?;
/// timer.stop(&stream)?;
/// println!("{} ms", timer.milliseconds()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Timer {
    from: CudaEvent,
    to: CudaEvent,
    hold: Option<Kernel>,
}

/// How often a held stream sleeps: 0.1 ms or a little more, in which a host queues tens of kernels.
const NAPS: u32 = 4096;

impl Timer {
    /// A timer that can be used again and again, for one stream at a time.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn new(device: &Device) -> Result<Self, Error> {
        let event = || {
            let event = device.context().new_event(Some(CUevent_flags::CU_EVENT_DEFAULT));
            event.map_err(Error::driver("making an event"))
        };
        Ok(Self { from: event()?, to: event()?, hold: None })
    }

    /// A timer that keeps the stream busy for a tenth of a millisecond before it begins, so that kernels
    /// queued meanwhile run without a gap. So the time in which the host queues the first kernel, some 5 us,
    /// is not measured.
    ///
    /// # Errors
    /// [`Error::Driver`], [`Error::DriverTooOld`].
    pub fn held(device: &Device) -> Result<Self, Error> {
        const HOLD: &str = "hold";
        match device.kernel(HOLD, 1)? {
            Some(hold) => Ok(Self { hold: Some(hold), ..Self::new(device)? }),
            None => Err(Error::NoKernel { kernel: HOLD.into() }),
        }
    }

    /// Begins after the work that `stream` has so far.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn start(&self, stream: &CudaStream) -> Result<(), Error> {
        if let Some(hold) = &self.hold {
            // SAFETY: `Arguments::hold` belongs to this kernel, which touches no memory.
            unsafe { hold.launch(stream, 1, &Arguments::hold(NAPS)) }?;
        }
        self.from.record(stream).map_err(Error::driver("starting a timer"))
    }

    /// Ends after the work that `stream` has so far.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn stop(&self, stream: &CudaStream) -> Result<(), Error> {
        self.to.record(stream).map_err(Error::driver("stopping a timer"))
    }

    /// Waits for the end. Returns the time from start to end.
    ///
    /// # Errors
    /// [`Error::Driver`]; a kernel that failed in between is reported here.
    pub fn milliseconds(&self) -> Result<f64, Error> {
        let time = self.from.elapsed_ms(&self.to).map_err(Error::driver("waiting for a timer"))?;
        Ok(time as f64)
    }
}

impl fmt::Debug for Timer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Timer")
    }
}
