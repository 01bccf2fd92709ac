//! The device of a paged table on a CPU: images and frames are tables in ordinary memory.
//!
//! Copies are made at once. Jobs wait on a list until somebody waits for one of them; then all threads run
//! them, as those on the list are on different tables. So it is the waiting of the
//! [pager](warpproof_model::paged::Pager) that keeps a job from running after its frame was filled with
//! another table.

use crate::cpu::error::Error;
use crate::cpu::open::Fixed;
use rayon::prelude::*;
use warpproof_model::paged::{DeviceMemory, Place, Stream};

/// The child tables of a paged table, and its frames.
#[derive(Debug)]
pub(super) struct Memory<T> {
    pub(super) images: Vec<T>,
    pub(super) frames: Vec<T>,
}

impl<T> Memory<T> {
    /// The table at a place, if there is one.
    fn table(&self, child: u32, place: Place) -> Option<&T> {
        match place {
            Place::Image => self.images.get(child as usize),
            Place::Frame(frame) => self.frames.get(frame as usize),
        }
    }

    /// The table at a place, if there is one, to be changed.
    fn table_mut(&mut self, child: u32, place: Place) -> Option<&mut T> {
        match place {
            Place::Image => self.images.get_mut(child as usize),
            Place::Frame(frame) => self.frames.get_mut(frame as usize),
        }
    }
}

/// A job that has not run yet: its child table, the place of that, and its input.
type Queued<J> = (u32, Place, J);

/// The memory, with jobs `J` on a list, and the function that runs one of them.
pub(super) struct Device<'a, T, J, F> {
    memory: &'a mut Memory<T>,
    queue: Vec<Queued<J>>,
    run: F,
}

impl<'a, T: Fixed, J: Send, F: Fn(&T, J) + Sync> Device<'a, T, J, F> {
    /// The memory, with an empty list. Each child table has at most one job, so the list is no longer than
    /// `room`.
    pub(super) fn new(memory: &'a mut Memory<T>, room: Vec<Queued<J>>, run: F) -> Self {
        Self { memory, queue: room, run }
    }

    /// Puts a job on the list.
    pub(super) fn put(&mut self, child: u32, place: Place, job: J) {
        self.queue.push((child, place, job));
    }

    /// The table at a place, to be changed by the host. Runs the jobs on the list first.
    pub(super) fn table_mut(&mut self, child: u32, place: Place) -> Option<&mut T> {
        self.run_all();
        self.memory.table_mut(child, place)
    }

    /// Runs the jobs on the list.
    pub(super) fn run_all(&mut self) {
        let (memory, run) = (&*self.memory, &self.run);
        self.queue.par_drain(..).for_each(|(child, place, job)| {
            if let Some(table) = memory.table(child, place) {
                run(table, job);
            }
        });
    }
}

impl<T: Fixed, J: Send, F: Fn(&T, J) + Sync> DeviceMemory for Device<'_, T, J, F> {
    /// Its stream.
    type Event = Stream;
    type Error = Error;

    fn copy_in(&mut self, child: u32, frame: u32) -> Result<(), Error> {
        let Memory { images, frames } = &mut *self.memory;
        if let (Some(image), Some(frame)) = (images.get(child as usize), frames.get_mut(frame as usize)) {
            frame.copy_from(image);
        }
        Ok(())
    }

    fn copy_out(&mut self, frame: u32, child: u32) -> Result<(), Error> {
        let Memory { images, frames } = &mut *self.memory;
        if let (Some(frame), Some(image)) = (frames.get(frame as usize), images.get_mut(child as usize)) {
            image.copy_from(frame);
        }
        Ok(())
    }

    fn record(&mut self, stream: Stream) -> Stream {
        stream
    }

    fn wait(&mut self, stream: Stream, event: &Stream) {
        if *event == Stream::Run && stream != Stream::Run {
            self.run_all();
        }
    }

    fn join(&mut self, event: &Stream) -> Result<(), Error> {
        if *event == Stream::Run {
            self.run_all();
        }
        Ok(())
    }
}
