//! Kernels on device slices, timed by events, and mixed batches of u32 pairs in device memory.

use super::row::Fallible;
use rayon::prelude::*;
use std::sync::Arc;
use warpproof::gpu::bench::{Timer, output};
use warpproof::gpu::cudarc::driver::{CudaSlice, CudaStream, CudaView, DeviceRepr};
use warpproof::gpu::structures::Holds;
use warpproof::gpu::{Device, Error, Map, OnStream};
use warpproof::model::outcome::Mixed;
use warpproof::{Answer, Op};

/// The value of every byte of an output before a kernel writes it: not the code of an answer.
pub(super) const POISON: u8 = 0xa5;

/// A stream, and the timers of its kernels.
pub(super) struct Timed {
    device: Device,
    pub(super) stream: Arc<CudaStream>,
    /// For work that is queued at once.
    held: Timer,
    /// For work in which the host takes part.
    timer: Timer,
}

impl Timed {
    pub(super) fn new(device: &Device) -> Result<Self, Error> {
        Ok(Self {
            device: device.clone(),
            stream: device.context().default_stream(),
            held: Timer::held(device)?,
            timer: Timer::new(device)?,
        })
    }

    /// Seconds of the work that `launch` queues at once, without the time that the host takes to queue it.
    pub(super) fn time(&self, launch: impl FnOnce() -> Result<(), Error>) -> Fallible<f64> {
        self.timed_by(&self.held, launch)
    }

    /// Seconds until the work that `run` queues has ended, with the host's work in between.
    pub(super) fn time_whole(&self, run: impl FnOnce() -> Result<(), Error>) -> Fallible<f64> {
        self.timed_by(&self.timer, run)
    }

    fn timed_by(&self, timer: &Timer, run: impl FnOnce() -> Result<(), Error>) -> Fallible<f64> {
        timer.start(&self.stream)?;
        run()?;
        timer.stop(&self.stream)?;
        Ok(timer.milliseconds()? / 1e3)
    }

    /// An output of which every byte is [`POISON`], before a kernel writes it.
    pub(super) fn poisoned<T: DeviceRepr>(&self, len: usize) -> Fallible<CudaSlice<T>> {
        Ok(output(&self.device, POISON, len)?)
    }

    /// An output of zeros, before a kernel writes it.
    pub(super) fn zeros<T: DeviceRepr>(&self, len: usize) -> Fallible<CudaSlice<T>> {
        Ok(output(&self.device, 0, len)?)
    }

    /// Reads an output, as long as the ones that were read to `to` before: its memory is used again, which
    /// takes a fraction of the time that new memory takes.
    pub(super) fn read<'a, T: DeviceRepr>(
        &self,
        from: &CudaView<'_, T>,
        to: &'a mut Vec<T>,
    ) -> Fallible<&'a [T]> {
        if to.len() == from.len() {
            self.stream.memcpy_dtoh(from, to)?;
        } else {
            *to = self.stream.clone_dtoh(from)?;
        }
        Ok(to)
    }
}

/// Operations of all kinds.
pub(crate) struct Batch {
    pub(super) codes: CudaSlice<u8>,
    pub(super) keys: CudaSlice<u32>,
    pub(super) values: CudaSlice<u32>,
}

impl Batch {
    pub(super) fn new(timed: &Timed, ops: &[Op], keys: &[u32], values: &[u32]) -> Fallible<Self> {
        let (stream, codes) = (&timed.stream, ops.iter().map(|&op| op as u8).collect::<Vec<_>>());
        Ok(Self {
            codes: stream.clone_htod(&codes)?,
            keys: stream.clone_htod(keys)?,
            values: stream.clone_htod(values)?,
        })
    }

    /// Queues it on a table of the library.
    pub(super) fn run<S: Holds<(u32, u32)>>(
        &self,
        map: &OnStream<'_, Map<u32, u32, S>>,
        answers: &mut Answers,
    ) -> Result<(), Error> {
        let Answers { outcomes, found } = answers;
        map.mixed(&self.codes, &self.keys, &self.values, outcomes, found)
    }
}

/// The answers to a batch.
pub(crate) struct Answers {
    pub(super) outcomes: CudaSlice<u8>,
    pub(super) found: CudaSlice<u32>,
}

impl Answers {
    /// Memory for the answers to `len` operations.
    pub(super) fn new(timed: &Timed, len: usize) -> Fallible<Self> {
        Ok(Self { outcomes: timed.poisoned(len)?, found: timed.zeros(len)? })
    }

    /// The answers to these operations; `None` if one has no answer.
    pub(super) fn read(&self, timed: &Timed, ops: &[Op]) -> Fallible<Option<Vec<Answer<u32>>>> {
        let (codes, values) =
            (timed.stream.clone_dtoh(&self.outcomes)?, timed.stream.clone_dtoh(&self.found)?);
        let answer = |(i, &op): (usize, &Op)| Answer::new(op, Mixed { code: codes[i], value: values[i] });
        Ok(ops.par_iter().enumerate().map(answer).collect())
    }
}
