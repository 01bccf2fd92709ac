//! Page-locked memory through which slices of any length go to device memory and back, piece by piece.

use super::CopyThreads;
use super::chunks::{Chunk, Step, steps};
use super::run::{Back, Output, give_said};
use crate::arguments::Span;
use crate::device::{Device, PIECE, Pieces, SLOTS, numbers};
use crate::error::Error;
use crate::layout::Scalar;
use crate::sink::Sink;
use cudarc::driver::{CudaStream, result};

/// Pieces of page-locked memory: while the device copies one, the host's threads fill or empty another.
///
/// It has no device memory and runs no kernels, unlike [`Staging`](super::Staging): it copies batches that
/// are in device memory as a whole. It takes 12 MiB.
pub(crate) struct Bounce(Pieces);

/// The answers of a batch in device memory: codes, numbers or both, as `back` says.
#[derive(Clone, Copy)]
pub(crate) struct Answers<N> {
    pub(crate) back: Back,
    pub(crate) codes: Option<Span<u8>>,
    pub(crate) numbers: Option<Span<N>>,
}

impl Bounce {
    /// Runs a call with pieces of the device that no other call uses now. Makes new ones if there are none.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; [`Error::Driver`] if the driver refuses an event; any error of the call.
    pub(crate) fn lent<T>(
        device: &Device,
        call: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let spare = device.spare_pieces().pop();
        let mut bounce = Self(spare.map_or_else(|| device.pieces(), Ok)?);
        let result = call(&mut bounce);
        device.spare_pieces().push(bounce.0);
        result
    }

    /// Queues a copy to device memory of one byte for each element.
    ///
    /// # Safety
    ///
    /// There is as much memory at `to`. Nothing else uses it before the work queued on the stream now has
    /// run.
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
            let to = to.at(0) + (number * PIECE) as u64;
            // SAFETY: the contract of this function. `end` says when the piece may be used again.
            let queued = unsafe { result::memcpy_htod_async(to, host, stream.cu_stream()) };
            piece.end(stream, queued).map_err(Error::driver("copying to the device"))?;
        }
        Ok(())
    }

    /// Waits for the stream, and passes the answers of `n` operations to `sink`. The first one is number
    /// `first` of the batch. `decode` makes an answer of an operation's number, its code (0 if there are
    /// none), and its value or count (0 if there are none). `kernel` is the name of the kernel that wrote
    /// them.
    ///
    /// # Safety
    ///
    /// The answers are in device memory when the work queued on the stream now has run.
    ///
    /// # Errors
    /// [`Error::Driver`]; [`Error::Code`] if a code is not that of an answer.
    pub(crate) unsafe fn download<N: Scalar, T: Copy + Send + Sync>(
        &mut self,
        (stream, kernel): (&CudaStream, &str),
        answers: Answers<N>,
        (first, n): (usize, usize),
        decode: impl Fn(usize, u8, N) -> Option<T> + Sync,
        mut sink: impl Sink<T>,
    ) -> Result<(), Error> {
        // A number and a code, with less than 8 bytes between them.
        for step in steps(n, (PIECE - 8) / (size_of::<N>() + 1)) {
            match step {
                // SAFETY: the contract of this function.
                Step::Put(chunk) => unsafe { self.fill(stream, answers, chunk)? },
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

    /// Queues copies of some answers.
    ///
    /// # Safety
    /// As [`download`](Self::download).
    unsafe fn fill<N: Scalar>(
        &mut self,
        stream: &CudaStream,
        answers: Answers<N>,
        Chunk { slot, elements }: Chunk,
    ) -> Result<(), Error> {
        let output = Output::new::<N>(answers.back, elements.len());
        let piece = &mut self.0[slot];
        let host = piece.host()?;
        let numbers = answers.numbers.map_or(0, |numbers| numbers.at(elements.start));
        let codes = answers.codes.map_or(0, |codes| codes.at(elements.start));
        let parts = [(output.numbers, numbers), (output.codes, codes)];
        let mut parts = parts.into_iter().filter(|(to, _)| !to.is_empty());
        let queued = parts.try_for_each(|(to, from)| {
            // SAFETY: the contract of this function. `end` says when the piece may be used again.
            unsafe { result::memcpy_dtoh_async(&mut host[to], from, stream.cu_stream()) }
        });
        piece.end(stream, queued).map_err(Error::driver("copying from the device"))
    }
}
