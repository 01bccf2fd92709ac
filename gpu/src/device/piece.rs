//! Page-locked host memory for copies to and from device memory.

use super::Device;
use super::slot::{SLOTS, bytes_mut};
use crate::error::Error;
use cudarc::driver::{CudaEvent, CudaStream, DriverError, PinnedHostSlice};

/// Bytes of a piece. The copy engine is no faster with longer ones.
pub(crate) const PIECE: usize = 4 << 20;

/// Pieces for all copies of a batch that are under way at a time.
pub(crate) type Pieces = [Piece; SLOTS];

/// The memory of one copy.
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

    /// Its memory, once the last copy has ended.
    pub(crate) fn host(&mut self) -> Result<&mut [u8], Error> {
        self.copied.synchronize().map_err(Error::driver("waiting for a copy"))?;
        let words = self.host.as_mut_slice().map_err(Error::driver("using page-locked memory"))?;
        Ok(bytes_mut(words))
    }

    /// Records the end of copies on a stream: [`host`](Self::host) waits for it.
    pub(crate) fn end(
        &mut self,
        stream: &CudaStream,
        queued: Result<(), DriverError>,
    ) -> Result<(), DriverError> {
        let ended = queued.and_then(|()| self.copied.record(stream));
        if ended.is_err() {
            // One of them may be under way. The next call that waits reports an error of earlier work.
            let _ = stream.synchronize();
        }
        ended
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        // The memory is freed after this. After an error of the driver nothing runs any more.
        let _ = self.copied.synchronize();
    }
}
