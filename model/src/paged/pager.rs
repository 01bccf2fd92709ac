//! The protocol: which child table is in which frame, and which work waits for which.

use super::device::{DeviceMemory, Place, Stream};
use crate::host::Refused;
use alloc::collections::TryReserveError;
use alloc::vec::Vec;

/// The effect of a job on its child table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// It reads.
    Reads,
    /// It may write.
    Writes,
}

/// The way of a job to a child table that is in no frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// The job works on the image, over the bus.
    InPlace,
    /// The table is copied to a frame first, and stays there.
    Resident,
}

/// A child table. An event is that of the last work of its kind.
#[derive(Clone, Debug)]
struct Child<E> {
    /// The frame that holds it.
    frame: Option<u32>,
    /// A copy wrote its image, and no job in place has waited for that yet.
    written: Option<E>,
    /// A job wrote its image.
    changed: Option<E>,
}

/// A frame of the device's memory.
#[derive(Clone, Debug)]
struct Frame<E> {
    /// The child table that it holds.
    child: Option<u32>,
    /// Whether its table is newer than the image.
    dirty: bool,
    /// A copy filled it, and no job has waited for that yet.
    loaded: Option<E>,
    /// A job ran on its table.
    ran: Option<E>,
    /// It was copied to the image.
    saved: Option<E>,
    /// When the last job was put on a stream for it.
    used: u64,
}

impl<E> Child<E> {
    /// Lets a job in place wait for earlier work.
    fn begin<D: DeviceMemory<Event = E>>(&mut self, device: &mut D) {
        // Once is enough: the jobs of a stream run in their order.
        if let Some(written) = self.written.take() {
            device.wait(Stream::Run, &written);
        }
    }
}

impl<E> Frame<E> {
    /// Lets a job on its table wait for earlier work.
    fn begin<D: DeviceMemory<Event = E>>(&mut self, device: &mut D, access: Access, now: u64) {
        self.used = now;
        // Once is enough here, too.
        if let Some(loaded) = self.loaded.take() {
            device.wait(Stream::Run, &loaded);
        }
        self.dirty |= access == Access::Writes;
    }
}

/// Counts of the work of a pager.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Traffic {
    /// Child tables copied to frames.
    pub copies_in: u64,
    /// Child tables copied back.
    pub copies_out: u64,
    /// Jobs whose table was in a frame already.
    pub hits: u64,
    /// Jobs that ran in place.
    pub in_place: u64,
}

/// Child tables in the host's memory, some of which are in frames of the device's memory.
///
/// Jobs take effect in the order of the calls of [`run`](Self::run), whichever way each one takes.
/// [`run`](Self::run) returns before the work has run. Every job on every table goes to [`Stream::Run`].
#[derive(Clone, Debug)]
pub struct Pager<E> {
    children: Vec<Child<E>>,
    frames: Vec<Frame<E>>,
    now: u64,
    traffic: Traffic,
}

impl<E: Clone> Pager<E> {
    /// A pager for `children` child tables and `frames` frames, all of which are empty.
    ///
    /// # Errors
    /// If there is no memory for the state of each: less than a hundred bytes, besides the events.
    pub fn new(children: u32, frames: u32) -> Result<Self, TryReserveError> {
        let (mut all, mut places) = (Vec::new(), Vec::new());
        all.try_reserve_exact(children as usize)?;
        all.resize(children as usize, Child { frame: None, written: None, changed: None });
        places.try_reserve_exact(frames as usize)?;
        let free = Frame { child: None, dirty: false, loaded: None, ran: None, saved: None, used: 0 };
        places.resize(frames as usize, free);
        Ok(Self { children: all, frames: places, now: 0, traffic: Traffic::default() })
    }

    /// How many child tables there are.
    pub fn children(&self) -> u32 {
        self.children.len() as u32
    }

    /// How many frames there are.
    pub fn frames(&self) -> u32 {
        self.frames.len() as u32
    }

    /// Whether a child table is in a frame. One that does not exist is in none.
    pub fn is_resident(&self, child: u32) -> bool {
        self.children.get(child as usize).is_some_and(|child| child.frame.is_some())
    }

    /// The counts of work so far.
    pub fn traffic(&self) -> Traffic {
        self.traffic
    }

    /// Runs `job` on a child table: puts it on [`Stream::Run`], after all that it must wait for. If the table
    /// is in a frame, the job runs there; otherwise it takes the given `way`. Without frames it runs in
    /// place.
    ///
    /// # Errors
    /// [`Refused::TooLarge`] if there is no such child table; those of the device and of `job`. If the job
    /// was not put on the stream, its table is as it was.
    pub fn run<D: DeviceMemory<Event = E>>(
        &mut self,
        device: &mut D,
        child: u32,
        (access, way): (Access, Way),
        job: impl FnOnce(&mut D, Place) -> Result<(), D::Error>,
    ) -> Result<(), D::Error> {
        let Some(of_child) = self.children.get(child as usize) else { return Err(self.no_child(child)) };
        let frame = match of_child.frame {
            Some(frame) => {
                self.traffic.hits += 1;
                Some(frame)
            }
            None if way == Way::Resident => self.load(device, child)?,
            None => None,
        };
        match frame {
            Some(frame) => self.run_in_frame(device, frame, access, job),
            None => self.run_in_place(device, child, access, job),
        }
    }

    /// Runs one job on several different child tables, each at its place, as [`run`](Self::run) runs one on
    /// each of them. The job gets their places in `tables`.
    ///
    /// # Errors
    /// As [`run`](Self::run). If the job was not put on the stream, the tables are as they were.
    pub fn run_where_they_are<D: DeviceMemory<Event = E>>(
        &mut self,
        device: &mut D,
        tables: &mut [(u32, Place)],
        access: Access,
        job: impl FnOnce(&mut D, &[(u32, Place)]) -> Result<(), D::Error>,
    ) -> Result<(), D::Error> {
        // All places are found before anything is waited for.
        for (number, place) in &mut *tables {
            let Some(child) = self.children.get(*number as usize) else { return Err(self.no_child(*number)) };
            *place = child.frame.map_or(Place::Image, Place::Frame);
        }
        self.now += 1;
        for &(number, place) in &*tables {
            match place {
                Place::Frame(frame) => {
                    if let Some(frame) = self.frames.get_mut(frame as usize) {
                        frame.begin(device, access, self.now);
                    }
                }
                Place::Image => {
                    if let Some(child) = self.children.get_mut(number as usize) {
                        child.begin(device);
                    }
                }
            }
        }
        let ran = job(device, tables);
        let end = device.record(Stream::Run);
        for &(number, place) in &*tables {
            match place {
                Place::Frame(frame) => {
                    self.traffic.hits += 1;
                    if let Some(frame) = self.frames.get_mut(frame as usize) {
                        frame.ran = Some(end.clone());
                    }
                }
                Place::Image => {
                    self.traffic.in_place += 1;
                    if access == Access::Writes
                        && let Some(child) = self.children.get_mut(number as usize)
                    {
                        child.changed = Some(end.clone());
                    }
                }
            }
        }
        ran
    }

    /// The error that there is no such child table.
    fn no_child<R: From<Refused>>(&self, child: u32) -> R {
        let (found, most) = (u64::from(child) + 1, self.children.len() as u64);
        Refused::TooLarge { what: "child tables", found, most }.into()
    }

    fn run_in_frame<D: DeviceMemory<Event = E>>(
        &mut self,
        device: &mut D,
        number: u32,
        access: Access,
        job: impl FnOnce(&mut D, Place) -> Result<(), D::Error>,
    ) -> Result<(), D::Error> {
        self.now += 1;
        let Some(frame) = self.frames.get_mut(number as usize) else { return Ok(()) };
        frame.begin(device, access, self.now);
        let ran = job(device, Place::Frame(number));
        frame.ran = Some(device.record(Stream::Run));
        ran
    }

    fn run_in_place<D: DeviceMemory<Event = E>>(
        &mut self,
        device: &mut D,
        number: u32,
        access: Access,
        job: impl FnOnce(&mut D, Place) -> Result<(), D::Error>,
    ) -> Result<(), D::Error> {
        let Some(child) = self.children.get_mut(number as usize) else { return Ok(()) };
        child.begin(device);
        self.traffic.in_place += 1;
        let ran = job(device, Place::Image);
        if access == Access::Writes {
            child.changed = Some(device.record(Stream::Run));
        }
        ran
    }

    /// The frame to which the next table is copied, if there are frames.
    fn next_frame(&self) -> Option<usize> {
        let all = self.frames.iter().enumerate();
        all.min_by_key(|(_, frame)| (frame.child.is_some(), frame.used)).map(|(at, _)| at)
    }

    /// The child table that is evicted when the next one is copied to a frame; `None` if a frame is free, or
    /// there are none.
    pub fn next_evicted(&self) -> Option<u32> {
        self.frames.get(self.next_frame()?)?.child
    }

    /// Copies a child table to a frame: a free one, or the least recently used one, whose table is first
    /// written back if it is newer than its image. Returns the frame, or `None` if there are no frames.
    fn load<D: DeviceMemory<Event = E>>(
        &mut self,
        device: &mut D,
        number: u32,
    ) -> Result<Option<u32>, D::Error> {
        let Some(at) = self.next_frame() else { return Ok(None) };
        let was_dirty = self.write_back_frame(device, at)?;
        if let Some(evicted) = self.frames.get_mut(at).and_then(|frame| frame.child.take())
            && let Some(evicted) = self.children.get_mut(evicted as usize)
        {
            evicted.frame = None;
        }
        let (Some(frame), Some(child)) = (self.frames.get_mut(at), self.children.get_mut(number as usize))
        else {
            return Ok(None);
        };
        // A copy to an image that is under way reads the frame. So this also waits for the image of any table
        // that has left a frame: it was this frame, or another one that was filled since then.
        if let Some(saved) = &frame.saved {
            device.wait(Stream::In, saved);
        }
        // So do earlier jobs on the stream. A write-back has waited for them.
        if let Some(ran) = frame.ran.as_ref().filter(|_| !was_dirty) {
            device.wait(Stream::In, ran);
        }
        if let Some(changed) = &child.changed {
            device.wait(Stream::In, changed);
        }
        device.copy_in(number, at as u32)?;
        self.traffic.copies_in += 1;
        child.frame = Some(at as u32);
        let loaded = Some(device.record(Stream::In));
        *frame = Frame { child: Some(number), dirty: false, loaded, ran: None, saved: None, used: self.now };
        Ok(Some(at as u32))
    }

    /// Writes a frame back to the image of its table, if it is newer. Returns whether it was.
    fn write_back_frame<D: DeviceMemory<Event = E>>(
        &mut self,
        device: &mut D,
        at: usize,
    ) -> Result<bool, D::Error> {
        let Some(frame) = self.frames.get_mut(at).filter(|frame| frame.dirty) else { return Ok(false) };
        let Some(number) = frame.child else { return Ok(false) };
        let Some(child) = self.children.get_mut(number as usize) else { return Ok(false) };
        if let Some(ran) = &frame.ran {
            device.wait(Stream::Out, ran);
        }
        device.copy_out(at as u32, number)?;
        self.traffic.copies_out += 1;
        frame.dirty = false;
        let saved = device.record(Stream::Out);
        (frame.saved, child.written) = (Some(saved.clone()), Some(saved));
        Ok(true)
    }

    /// Makes the images whole: writes back all frames that are newer, and waits until the images have the
    /// effects of all earlier jobs. Tables stay in their frames. The host may read the images until the next
    /// job.
    ///
    /// # Errors
    /// Those of the device. Some frames may have been copied then; nothing is lost.
    pub fn write_back<D: DeviceMemory<Event = E>>(&mut self, device: &mut D) -> Result<(), D::Error> {
        for at in 0..self.frames.len() {
            self.write_back_frame(device, at)?;
        }
        for stream in [Stream::Out, Stream::Run] {
            let all = device.record(stream);
            device.join(&all)?;
        }
        Ok(())
    }

    /// Takes all tables out of their frames, and waits until no work is under way. The host may read and
    /// change the images until the next job.
    ///
    /// # Errors
    /// As [`write_back`](Self::write_back).
    pub fn release<D: DeviceMemory<Event = E>>(&mut self, device: &mut D) -> Result<(), D::Error> {
        self.write_back(device)?;
        // No copy to a frame is under way now: jobs have waited for them.
        for frame in &mut self.frames {
            frame.child = None;
        }
        for child in &mut self.children {
            child.frame = None;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paged::device::idle::Idle;

    #[test]
    fn a_pager_says_what_it_did() {
        let mut pager = Pager::new(3, 1).expect("memory");
        assert_eq!((pager.children(), pager.frames()), (3, 1));
        let mut run =
            |child, access, way| pager.run(&mut Idle, child, (access, way), |_, _| Ok(())).expect("a job");
        run(0, Access::Writes, Way::Resident);
        run(0, Access::Reads, Way::InPlace);
        run(1, Access::Reads, Way::InPlace);
        run(2, Access::Reads, Way::Resident);
        let mut tables = [0, 1, 2].map(|child| (child, Place::Image));
        pager.run_where_they_are(&mut Idle, &mut tables, Access::Reads, |_, _| Ok(())).expect("a job");
        assert_eq!(tables.map(|(_, place)| place), [Place::Image, Place::Image, Place::Frame(0)]);
        assert_eq!(pager.traffic(), Traffic { copies_in: 2, copies_out: 1, hits: 2, in_place: 3 });
        pager.run(&mut Idle, 2, (Access::Writes, Way::Resident), |_, _| Ok(())).expect("a job");
        (0..2).for_each(|_| pager.write_back(&mut Idle).expect("copies"));
        assert_eq!(pager.traffic().copies_out, 2, "nothing is newer than its image the second time");
    }

    /// More states than a process has addresses for. An event of that size makes them as large.
    #[test]
    fn a_pager_without_memory_for_its_state_is_an_error() {
        type Event = [u64; 1 << 13];
        assert!(Pager::<Event>::new(u32::MAX, 0).is_err());
        assert!(Pager::<Event>::new(0, u32::MAX).is_err());
    }

    #[test]
    fn the_table_that_was_not_used_for_longest_leaves_its_frame() {
        let mut pager = Pager::new(3, 2).expect("memory");
        let run = |pager: &mut Pager<()>, child: u32| {
            pager.run(&mut Idle, child, (Access::Reads, Way::Resident), |_, _| Ok(())).expect("a job");
            pager.next_evicted()
        };
        assert_eq!(
            [0, 1, 0].map(|child| run(&mut pager, child)),
            [None, Some(0), Some(1)],
            "a frame is free at first"
        );
        run(&mut pager, 1);
        let mut tables = [(0, Place::Image)];
        pager.run_where_they_are(&mut Idle, &mut tables, Access::Reads, |_, _| Ok(())).expect("a job");
        assert_eq!(pager.next_evicted(), Some(1));
        run(&mut pager, 1);
        assert_eq!([2, 1].map(|child| run(&mut pager, child)), [Some(1), Some(2)], "it was loaded last");
        assert_eq!([0, 1, 2].map(|child| pager.is_resident(child)), [false, true, true]);
    }

    #[test]
    fn a_child_table_that_there_is_not_is_refused() {
        let mut pager = Pager::new(3, 1).expect("memory");
        let refused = Err(Refused::TooLarge { what: "child tables", found: 6, most: 3 });
        assert_eq!(pager.run(&mut Idle, 5, (Access::Reads, Way::InPlace), |_, _| Ok(())), refused);
        let mut tables = [(0, Place::Image), (5, Place::Image)];
        assert_eq!(pager.run_where_they_are(&mut Idle, &mut tables, Access::Reads, |_, _| Ok(())), refused);
        assert_eq!(pager.traffic(), Traffic::default());
    }
}
