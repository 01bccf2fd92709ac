//! The device of a paged table: images in page-locked memory of the host, frames in the device's, three
//! streams and their events.

use super::board::{Board, beside};
use super::partition::LANES_IN_PLACE;
use crate::arguments::Argument;
use crate::device::Device;
use crate::error::Error;
use crate::faults::Faults;
use crate::handle::Table;
use crate::row::Row;
use crate::table::Tuning;
use cudarc::driver::{CudaEvent, CudaStream};
use std::sync::Arc;
use warpproof_model::Seed;
use warpproof_model::host::structure::Open;
use warpproof_model::host::{OpenGeometry, Refused};
use warpproof_model::paged::host::child_seed;
use warpproof_model::paged::routed::HEAD;
use warpproof_model::paged::{DeviceMemory, Place, Stream};

/// The purpose of host memory, in errors.
const IMAGE: &str = "a child table in page-locked memory of the host";

/// Slots of a child table, words of its filter or the address of the board, and its buckets.
pub(super) type Size = (u64, Argument, u32);

/// The child tables of a paged table, its frames, and the streams that work on them.
pub(super) struct Memory<R: Row> {
    device: Device,
    size: OpenGeometry,
    tuning: Tuning,
    /// The seed that decides the places of keys in each child table. If a table was rebuilt in a frame, its
    /// image has another seed until it is written back.
    seeds: Vec<Seed>,
    /// Images of the child tables in use; each is allocated when it is first needed.
    images: Vec<Option<Table<R, Open>>>,
    frames: Vec<Table<R, Open>>,
    streams: [Arc<CudaStream>; 3],
    faults: Faults,
}

/// A point of a stream; none if it could not be recorded and the stream was waited for instead.
#[derive(Clone)]
pub(super) struct Event(Option<Arc<CudaEvent>>);

impl<R: Row> Memory<R> {
    /// Memory for frames, and none yet for the `children` child tables.
    pub(super) fn new(
        device: &Device,
        (size, children, frames): (OpenGeometry, u32, u32),
        (tuning, seed): (Tuning, Seed),
        faults: Faults,
    ) -> Result<Self, Error> {
        let mut images = crate::host::room("child tables", children as usize)?;
        images.resize_with(children as usize, || None);
        let mut seeds = crate::host::room("child tables", children as usize)?;
        seeds.extend((0..children).map(|child| child_seed(seed, child)));
        let mut all = crate::host::room("frames", frames as usize)?;
        for _ in 0..frames {
            all.push(Table::with_seed(device, size, tuning, seed)?);
        }
        let streams = [device.new_stream()?, device.new_stream()?, device.new_stream()?];
        Ok(Self { device: device.clone(), size, tuning, seeds, images, frames: all, streams, faults })
    }

    /// Allocates the memory of a child table that has none yet.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; nothing has changed then.
    pub(super) fn need(&mut self, child: u32) -> Result<(), Error> {
        if let (Some(image @ None), Some(&seed)) =
            (self.images.get_mut(child as usize), self.seeds.get(child as usize))
        {
            self.faults.memory(IMAGE, self.frames.first().map_or(1, Table::bytes))?;
            let lanes = self.tuning.lanes.or(Some(LANES_IN_PLACE));
            let tuning = Tuning { lanes, ..self.tuning };
            let table = Table::on_host(&self.device, self.size, tuning, seed);
            *image = Some(table.map_err(|error| match error {
                Error::OutOfMemory { bytes, ran, .. } => Error::OutOfMemory { what: IMAGE, bytes, ran },
                other => other,
            })?);
        }
        Ok(())
    }

    /// The seeds that decide the places of keys in each child table.
    pub(super) fn seeds(&self) -> &[Seed] {
        &self.seeds
    }

    /// Sets the seed of a child table that was rebuilt with it.
    pub(super) fn set_seed(&mut self, child: u32, seed: Seed) {
        if let Some(of_child) = self.seeds.get_mut(child as usize) {
            *of_child = seed;
        }
    }

    /// Bytes of the device's memory.
    pub(super) fn frame_bytes(&self) -> u64 {
        self.frames.iter().map(Table::bytes).sum()
    }

    /// Bytes of the host's memory.
    pub(super) fn image_bytes(&self) -> u64 {
        self.images.iter().flatten().map(Table::bytes).sum()
    }

    /// The stream.
    pub(super) fn stream(&self, stream: Stream) -> &Arc<CudaStream> {
        let [copies_in, jobs, copies_out] = &self.streams;
        match stream {
            Stream::In => copies_in,
            Stream::Run => jobs,
            Stream::Out => copies_out,
        }
    }

    /// The table at a place. An error if the child table has no memory yet.
    pub(super) fn table(&self, child: u32, place: Place) -> Result<&Table<R, Open>, Error> {
        let table = match place {
            Place::Image => self.images.get(child as usize).and_then(Option::as_ref),
            Place::Frame(frame) => self.frames.get(frame as usize),
        };
        table.ok_or(Error::Refused(Refused::Nothing { what: "child table" }))
    }

    /// The size of a child table and the address of its slots at this place. If there is a board, its address
    /// takes the place of the number of words of the filter.
    pub(super) fn head(
        &self,
        child: u32,
        place: Place,
        board: Option<&Board>,
    ) -> Result<(Size, [u64; HEAD]), Error> {
        let parts = self.table(child, place)?.parts();
        let [mask, factor] = parts.seed.words();
        let head = [parts.slots, parts.values.unwrap_or(0), parts.filter, mask, factor];
        Ok(((parts.len, beside(board, parts.filter_len), parts.buckets), head))
    }

    /// The addresses of the slots of the child tables from number `first` on at these places; zeros for a
    /// table that has no memory.
    pub(super) fn heads(&self, first: u32, at: &[Place]) -> impl Iterator<Item = [u64; HEAD]> {
        let head = |(child, &place)| self.head(child, place, None).map_or([0; HEAD], |(_, head)| head);
        (first..).zip(at).map(head)
    }

    /// The table at a place, to be changed. Waits until all jobs have run.
    pub(super) fn table_mut(&mut self, child: u32, place: Place) -> Result<&mut Table<R, Open>, Error> {
        let waited = self.faults.call().and_then(|()| self.stream(Stream::Run).synchronize());
        waited.map_err(Error::driver("waiting for jobs"))?;
        let table = match place {
            Place::Image => self.images.get_mut(child as usize).and_then(Option::as_mut),
            Place::Frame(frame) => self.frames.get_mut(frame as usize),
        };
        table.ok_or(Error::Refused(Refused::Nothing { what: "child table" }))
    }

    /// The counter of driver calls, one of which may fail.
    pub(super) fn faults(&self) -> &Faults {
        &self.faults
    }

    /// Whether a child table has memory.
    pub(super) fn has(&self, child: u32) -> bool {
        self.images.get(child as usize).is_some_and(Option::is_some)
    }
}

impl<R: Row> DeviceMemory for Memory<R> {
    type Event = Event;
    type Error = Error;

    fn copy_in(&mut self, child: u32, frame: u32) -> Result<(), Error> {
        let stream = self.stream(Stream::In).clone();
        self.faults.call().map_err(Error::driver("copying a child table to the device"))?;
        let image = self.images.get(child as usize).and_then(Option::as_ref);
        match (image, self.frames.get_mut(frame as usize)) {
            (Some(image), Some(frame)) => frame.copy_from(image, &stream),
            _ => Err(Refused::Nothing { what: "child table" }.into()),
        }
    }

    fn copy_out(&mut self, frame: u32, child: u32) -> Result<(), Error> {
        let stream = self.stream(Stream::Out).clone();
        self.faults.call().map_err(Error::driver("copying a child table from the device"))?;
        let image = self.images.get_mut(child as usize).and_then(Option::as_mut);
        match (self.frames.get(frame as usize), image) {
            (Some(frame), Some(image)) => image.copy_from(frame, &stream),
            _ => Err(Refused::Nothing { what: "child table" }.into()),
        }
    }

    fn record(&mut self, stream: Stream) -> Event {
        let stream = self.stream(stream);
        match self.faults.call().and_then(|()| stream.record_event(None)) {
            Ok(event) => Event(Some(Arc::new(event))),
            Err(_) => {
                // The next call that waits reports an error of earlier work.
                let _ = stream.synchronize();
                Event(None)
            }
        }
    }

    fn wait(&mut self, stream: Stream, event: &Event) {
        if let Some(event) = &event.0
            && self.faults.call().and_then(|()| self.stream(stream).wait(event)).is_err()
        {
            let _ = event.synchronize();
        }
    }

    fn join(&mut self, event: &Event) -> Result<(), Error> {
        match &event.0 {
            Some(event) => {
                let waited = self.faults.call().and_then(|()| event.synchronize());
                waited.map_err(Error::driver("waiting for a paged table"))
            }
            None => Ok(()),
        }
    }
}

impl<R: Row> Drop for Memory<R> {
    fn drop(&mut self) {
        // Copies may still use the memory, which is freed after this.
        self.device.wait_idle();
    }
}
