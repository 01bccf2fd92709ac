//! The interface of a device, as a pager uses it.

use crate::host::Refused;

/// A queue of the device. Work of one stream runs in its order. Work of two streams runs in any order, unless
/// an event orders it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stream {
    /// Copies from the host's memory to frames.
    In,
    /// Everything that works on tables.
    Run,
    /// Copies from frames to the host's memory.
    Out,
}

/// The place of a table while a job works on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// In the host's memory: the image of the child table.
    Image,
    /// In this frame of the device's memory.
    Frame(u32),
}

/// A device whose memory has room for some frames, each of the size of a child table. The *images* of all
/// child tables are in the host's memory.
///
/// Calls put work on a stream and return before it has run.
pub trait DeviceMemory {
    /// A point of a stream: it is reached when all work before it has run.
    type Event: Clone;
    /// The error of work that cannot be put on a stream, or was refused.
    type Error: From<Refused>;

    /// Copies an image to a frame, on [`Stream::In`].
    ///
    /// # Errors
    /// The content of the frame is undefined then.
    fn copy_in(&mut self, child: u32, frame: u32) -> Result<(), Self::Error>;

    /// Copies a frame to an image, on [`Stream::Out`].
    ///
    /// # Errors
    /// The content of the image is undefined then; the frame is as it was.
    fn copy_out(&mut self, frame: u32, child: u32) -> Result<(), Self::Error>;

    /// The point of a stream after all its present work. It does not fail: a device that cannot record an
    /// event waits for the stream.
    fn record(&mut self, stream: Stream) -> Self::Event;

    /// Later work on a stream waits for an event, and sees all that was done before it.
    fn wait(&mut self, stream: Stream, event: &Self::Event);

    /// The host waits for an event, and sees all that was done before it.
    ///
    /// # Errors
    /// If work of the device failed, or it cannot be waited for.
    fn join(&mut self, event: &Self::Event) -> Result<(), Self::Error>;
}

#[cfg(test)]
pub(super) mod idle {
    use super::*;

    /// A device that does nothing.
    pub(in crate::paged) struct Idle;

    impl DeviceMemory for Idle {
        type Event = ();
        type Error = Refused;

        fn copy_in(&mut self, _: u32, _: u32) -> Result<(), Refused> {
            Ok(())
        }
        fn copy_out(&mut self, _: u32, _: u32) -> Result<(), Refused> {
            Ok(())
        }
        fn record(&mut self, _: Stream) {}
        fn wait(&mut self, _: Stream, (): &()) {}
        fn join(&mut self, (): &()) -> Result<(), Refused> {
            Ok(())
        }
    }
}
