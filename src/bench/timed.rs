//! Kernels on device slices, timed by events, and mixed batches of u32 pairs in device memory.

use super::row::Fallible;
use std::sync::Arc;
use warpproof::gpu::bench::Timer;
use warpproof::gpu::cudarc::driver::{CudaSlice, CudaStream, DeviceRepr};
use warpproof::gpu::structures::Holds;
use warpproof::gpu::{Device, Error, Map, OnStream};
use warpproof::model::outcome::Mixed;
use warpproof::{Answer, Op};

/// What every byte of an output holds before a kernel writes it: no code of an answer.
pub(super) const POISON: u8 = 0xa5;

/// A stream, and what its kernels are timed with.
pub(super) struct Timed {
    pub(super) stream: Arc<CudaStream>,
    /// For what is queued at once.
    held: Timer,
    /// For what the host takes part in.
    timer: Timer,
}

impl Timed {
    pub(super) fn new(device: &Device) -> Result<Self, Error> {
        Ok(Self {
            stream: device.context().default_stream(),
            held: Timer::held(device)?,
            timer: Timer::new(device)?,
        })
    }

    /// Seconds of what `launch` queues, all at once: how long the host takes to queue it is not counted.
    pub(super) fn time(&self, launch: impl FnOnce() -> Result<(), Error>) -> Fallible<f64> {
        self.timed_by(&self.held, launch)
    }

    /// Seconds until what `run` queues has ended, the host's work in between counted.
    pub(super) fn time_whole(&self, run: impl FnOnce() -> Result<(), Error>) -> Fallible<f64> {
        self.timed_by(&self.timer, run)
    }

    fn timed_by(&self, timer: &Timer, run: impl FnOnce() -> Result<(), Error>) -> Fallible<f64> {
        timer.start(&self.stream)?;
        run()?;
        timer.stop(&self.stream)?;
        Ok(timer.milliseconds()? / 1e3)
    }

    /// An output that holds `value` everywhere before a kernel writes it.
    pub(super) fn poisoned<T: DeviceRepr + Copy>(&self, value: T, len: usize) -> Fallible<CudaSlice<T>> {
        Ok(self.stream.clone_htod(&vec![value; len])?)
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

/// What a batch was told.
pub(crate) struct Answers {
    pub(super) outcomes: CudaSlice<u8>,
    pub(super) found: CudaSlice<u32>,
}

impl Answers {
    /// Room for the answers to `len` operations: none yet.
    pub(super) fn new(timed: &Timed, len: usize) -> Fallible<Self> {
        Ok(Self { outcomes: timed.poisoned(POISON, len)?, found: timed.poisoned(0, len)? })
    }

    /// The answers to these operations, or `None` if one has none.
    pub(super) fn read(&self, timed: &Timed, ops: &[Op]) -> Fallible<Option<Vec<Answer<u32>>>> {
        let (codes, values) =
            (timed.stream.clone_dtoh(&self.outcomes)?, timed.stream.clone_dtoh(&self.found)?);
        let answer = |(i, &op): (usize, &Op)| Answer::new(op, Mixed { code: codes[i], value: values[i] });
        Ok(ops.iter().enumerate().map(answer).collect())
    }
}
