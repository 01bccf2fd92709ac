//! Page-locked memory through which slices of any length go to device memory and back, piece by piece.

use super::CopyThreads;
use super::chunks::{Chunk, Step, steps};
use super::run::{Back, Output, give_said};
use crate::arguments::Span;
use crate::device::{Device, SLOTS, bytes_mut, numbers};
use crate::error::Error;
use crate::layout::Scalar;
use crate::sink::Sink;
use cudarc::driver::{CudaEvent, CudaStream, DriverError, PinnedHostSlice, result};

/// Bytes of a piece. The copy engine moves longer ones no faster.
const PIECE: usize = 4 << 20;

/// Pieces of page-locked memory: while the device copies one, the host's threads fill or empty another.
///
/// It has no device memory and runs no kernels, unlike [`Staging`](super::Staging): it copies batches that are
/// in device memory as a whole. It takes 12 MiB.
pub(crate) struct Bounce([Piece; SLOTS]);

struct Piece {
    host: PinnedHostSlice<u64>,
    /// The end of the last copy from it or to it.
    copied: CudaEvent,
}

/// The answers of a batch in device memory: those of codes and numbers that `back` says.
#[derive(Clone, Copy)]
pub(crate) struct Answers<N> {
    pub(crate) back: Back,
    pub(crate) codes: Option<Span<u8>>,
    pub(crate) numbers: Option<Span<N>>,
}

impl Bounce {
    /// # Errors
    /// [`Error::OutOfMemory`]; [`Error::Driver`] if the driver refuses an event.
    fn new(device: &Device) -> Result<Self, Error> {
        let piece = || -> Result<Piece, Error> {
            let host = device.pinned("page-locked memory for copies", PIECE / size_of::<u64>())?;
            let copied = device.context().new_event(None).map_err(Error::driver("making an event"))?;
            Ok(Piece { host, copied })
        };
        Ok(Self([piece()?, piece()?, piece()?]))
    }

    /// Runs a call with pieces that the device keeps and no other call uses. They are made if there are none.
    ///
    /// # Errors
    /// As [`new`](Self::new); what the call returns.
    pub(crate) fn lent<T>(
        device: &Device,
        call: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let spare = device.bounces().pop();
        let mut bounce = spare.map_or_else(|| Self::new(device), Ok)?;
        let result = call(&mut bounce);
        device.bounces().push(bounce);
        result
    }

    /// Queues a copy to device memory of one byte for each element.
    ///
    /// # Safety
    ///
    /// There is as much memory at `to`. Nobody else uses it before what is queued on the stream now has run.
    pub(crate) unsafe fn upload<A: Sync>(
        &mut self,
        stream: &CudaStream,
        (from, to): (&[A], Span<impl Copy>),
        byte: impl Fn(&A) -> u8 + Sync,
    ) -> Result<(), Error> {
        for (number, elements) in from.chunks(PIECE).enumerate() {
            let piece = &mut self.0[number % SLOTS];
            let host = &mut piece.host()?[..elements.len()];
            CopyThreads::Many.copy(host, elements, &byte);
            let to = to.bytes().0 + (number * PIECE) as u64;
            // SAFETY: the contract of this function. `end` says when the piece may be used again.
            let queued = unsafe { result::memcpy_htod_async(to, host, stream.cu_stream()) };
            piece.end(stream, queued).map_err(Error::driver("copying to the device"))?;
        }
        Ok(())
    }

    /// Waits for the stream on which a kernel wrote answers, and gives `sink` the answers of `n` operations, of which the first is number
    /// `first` of a batch. `decode` makes one of an operation's number, its code (0 if there are none), and
    /// its number (0 if there are none).
    ///
    /// # Safety
    ///
    /// So many answers are in device memory when what is queued on the stream now has run.
    ///
    /// # Errors
    /// [`Error::Driver`]; [`Error::Code`] if a code is none of an answer.
    pub(crate) unsafe fn download<N: Scalar, T: Copy + Send + Sync>(
        &mut self,
        (stream, kernel): (&CudaStream, &str),
        answers: Answers<N>,
        (first, n): (usize, usize),
        decode: impl Fn(usize, u8, N) -> Option<T> + Sync,
        mut sink: impl Sink<T>,
    ) -> Result<(), Error> {
        // A number and a code, and less than 8 bytes between them.
        for step in steps(n, (PIECE - 8) / (size_of::<N>() + 1)) {
            match step {
                // SAFETY: the contract of this function.
                Step::Put(chunk) => unsafe { self.0[chunk.slot].fill(stream, answers, chunk)? },
                Step::Take(Chunk { slot, elements }) => {
                    let output = Output::new::<N>(answers.back, elements.len());
                    let host = &*self.0[slot].host()?;
                    let said = (&host[output.codes], numbers::<N>(&host[output.numbers]));
                    let chunk = (first + elements.start, elements.len());
                    let given = give_said((answers.back, said), chunk, &decode, &mut sink, CopyThreads::Many);
                    let code = |(index, code)| Error::Code { kernel: kernel.into(), index, code };
                    given.map_err(code)?;
                }
            }
        }
        Ok(())
    }
}

impl Piece {
    /// Its memory, when the last copy has ended.
    fn host(&mut self) -> Result<&mut [u8], Error> {
        self.copied.synchronize().map_err(Error::driver("waiting for a copy"))?;
        let words = self.host.as_mut_slice().map_err(Error::driver("using page-locked memory"))?;
        Ok(bytes_mut(words))
    }

    /// Queues copies of some answers.
    ///
    /// # Safety
    /// As [`Bounce::download`].
    unsafe fn fill<N: Scalar>(
        &mut self,
        stream: &CudaStream,
        answers: Answers<N>,
        Chunk { elements, .. }: Chunk,
    ) -> Result<(), Error> {
        let output = Output::new::<N>(answers.back, elements.len());
        let host = self.host()?;
        let address =
            |of_all: Option<u64>, size: usize| of_all.map_or(0, |at| at + (elements.start * size) as u64);
        let numbers = address(answers.numbers.map(|numbers| numbers.bytes().0), size_of::<N>());
        let codes = address(answers.codes.map(|codes| codes.bytes().0), 1);
        let parts = [(output.numbers, numbers), (output.codes, codes)];
        let mut parts = parts.into_iter().filter(|(to, _)| !to.is_empty());
        let queued = parts.try_for_each(|(to, from)| {
            // SAFETY: the contract of this function. `end` says when the piece may be used again.
            unsafe { result::memcpy_dtoh_async(&mut host[to], from, stream.cu_stream()) }
        });
        self.end(stream, queued).map_err(Error::driver("copying from the device"))
    }

    /// After copies were put on a stream: what [`host`](Self::host) waits for is their end.
    fn end(&mut self, stream: &CudaStream, queued: Result<(), DriverError>) -> Result<(), DriverError> {
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
