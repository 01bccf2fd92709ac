//! Page-locked host memory that copies to device memory and back pass through.

use super::Device;
use super::slot::{SLOTS, bytes_mut};
use crate::error::Error;
use cudarc::driver::{CudaEvent, CudaStream, DriverError, PinnedHostSlice};

/// Bytes of a piece. The copy engine moves longer ones no faster.
pub(crate) const PIECE: usize = 4 << 20;

/// What the copies of a batch take that are under way at a time.
pub(crate) type Pieces = [Piece; SLOTS];

/// What one copy takes.
pub(crate) struct Piece {
    host: PinnedHostSlice<u64>,
    /// The end of the last copy from it or to it.
    copied: CudaEvent,
}

impl Piece {
    pub(super) fn new(device: &Device) -> Result<Self, Error> {
        let host = device.pinned("page-locked memory for copies", PIECE / size_of::<u64>())?;
        let copied = device.inner.own.new_event(None).map_err(Error::driver("making an event"))?;
        Ok(Self { host, copied })
    }

    /// Its memory, when the last copy has ended.
    pub(crate) fn host(&mut self) -> Result<&mut [u8], Error> {
        self.copied.synchronize().map_err(Error::driver("waiting for a copy"))?;
        let words = self.host.as_mut_slice().map_err(Error::driver("using page-locked memory"))?;
        Ok(bytes_mut(words))
    }

    /// After copies were put on a stream: what [`host`](Self::host) waits for is their end.
    pub(crate) fn end(
        &mut self,
        stream: &CudaStream,
        queued: Result<(), DriverError>,
    ) -> Result<(), DriverError> {
        let ended = queued.and_then(|()| self.copied.record(stream));
        if ended.is_err() {
            // One of them may be under way. An error of what ran before is reported to who waits next.
            let _ = stream.synchronize();
        }
        ended
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        // The memory is freed after this. After an error of the driver's nothing runs any more.
        let _ = self.copied.synchronize();
    }
}
