//! How long the device takes.

use crate::device::Device;
use crate::error::Error;
use core::fmt;
use cudarc::driver::sys::CUevent_flags;
use cudarc::driver::{CudaEvent, CudaStream};

/// Times the work between two points of a stream, by the device's clock (about half a microsecond fine).
///
/// ```no_run
/// # use warpproof_gpu::{Device, SlabMap, Timer};
/// # let device = Device::open(0)?;
/// # let map = SlabMap::<u32, u32>::with_capacity(&device, 100)?;
/// let stream = device.context().default_stream();
/// let keys = stream.clone_htod(&[1u32, 2, 3])?;
/// let mut values = stream.alloc_zeros::<u32>(3)?;
/// let timer = Timer::new(&device)?;
/// timer.start(&stream)?;
/// map.on(&stream).search(&keys, &mut values, None)?;
/// timer.stop(&stream)?;
/// println!("{} ms", timer.milliseconds()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Timer {
    from: CudaEvent,
    to: CudaEvent,
}

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
        Ok(Self { from: event()?, to: event()? })
    }

    /// Begins behind the work that `stream` has.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn start(&self, stream: &CudaStream) -> Result<(), Error> {
        self.from.record(stream).map_err(Error::driver("starting a timer"))
    }

    /// Ends behind the work that `stream` has.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn stop(&self, stream: &CudaStream) -> Result<(), Error> {
        self.to.record(stream).map_err(Error::driver("stopping a timer"))
    }

    /// Waits for the end; the time from start to end.
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
