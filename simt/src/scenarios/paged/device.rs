//! A device of three streams, made of words: the host writes commands into their queues, and a warp for each
//! stream runs them.

use crate::check::{Memory, SimWarp};
use std::fmt;
use warpproof_model::host::Refused;
use warpproof_model::paged::{Access, DeviceMemory, Place, Stream};
use warpproof_model::{ReadOrder, Words, WriteOrder};

/// The words of a table.
pub(super) const TABLE: usize = 2;

/// The images, one after the other.
pub(super) const IMAGES: usize = 0;
/// The frames, one after the other.
pub(super) const FRAMES: usize = 1;
/// What each job says.
pub(super) const ANSWERS: usize = 2;
/// Which events have come.
pub(super) const EVENTS: usize = 3;
/// The queues of the streams, in the order of [`STREAMS`].
pub(super) const QUEUES: usize = 4;

/// The streams. Their warps come after that of the host.
pub(super) const STREAMS: [Stream; 3] = [Stream::In, Stream::Run, Stream::Out];

/// What a job says of a table that is half of one state and half of another.
const TORN: u32 = 77;

/// What a frame or an image holds after a copy to it has failed.
const SPOILT: u32 = 66;

/// Work that the host puts on a stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Command {
    /// The queue ends.
    End,
    /// Wait for an event.
    Wait(u32),
    /// An event has come.
    Record(u32),
    /// Copy an image to a frame.
    CopyIn(u32, u32),
    /// Copy a frame to an image.
    CopyOut(u32, u32),
    /// Write anything into a frame or an image: a copy to it has failed in the middle.
    Spoil(Place, u32),
    /// Say what a table holds, and add one to it if it may be written: in an image or in a frame.
    Job(Place, u32, Access, u32),
}

/// Bits of a number in a command.
const BITS: u32 = 8;

impl Command {
    /// The command as a word that is not zero.
    const fn word(self) -> u32 {
        let (code, a, b) = match self {
            Self::End => (1, 0, 0),
            Self::Wait(event) => (2, event, 0),
            Self::Record(event) => (3, event, 0),
            Self::CopyIn(child, frame) => (4, child, frame),
            Self::CopyOut(frame, child) => (5, frame, child),
            Self::Job(Place::Image, child, Access::Reads, answer) => (6, child, answer),
            Self::Job(Place::Image, child, Access::Writes, answer) => (7, child, answer),
            Self::Job(Place::Frame(frame), _, Access::Reads, answer) => (8, frame, answer),
            Self::Job(Place::Frame(frame), _, Access::Writes, answer) => (9, frame, answer),
            Self::Spoil(Place::Frame(frame), _) => (10, frame, 0),
            Self::Spoil(Place::Image, child) => (11, child, 0),
        };
        code << (2 * BITS) | a << BITS | b
    }

    /// What a word says, or `None` if there is no command yet. The child table of a job in a frame is not
    /// known.
    pub(super) const fn of(word: u32) -> Option<Self> {
        let (a, b) = (word >> BITS & 0xff, word & 0xff);
        Some(match word >> (2 * BITS) {
            1 => Self::End,
            2 => Self::Wait(a),
            3 => Self::Record(a),
            4 => Self::CopyIn(a, b),
            5 => Self::CopyOut(a, b),
            6 => Self::Job(Place::Image, a, Access::Reads, b),
            7 => Self::Job(Place::Image, a, Access::Writes, b),
            8 => Self::Job(Place::Frame(a), 0, Access::Reads, b),
            9 => Self::Job(Place::Frame(a), 0, Access::Writes, b),
            10 => Self::Spoil(Place::Frame(a), 0),
            11 => Self::Spoil(Place::Image, a),
            _ => return None,
        })
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::End => write!(f, "end"),
            Self::Wait(event) => write!(f, "wait for event {event}"),
            Self::Record(event) => write!(f, "event {event}"),
            Self::CopyIn(child, frame) => write!(f, "copy image {child} to frame {frame}"),
            Self::CopyOut(frame, child) => write!(f, "copy frame {frame} to image {child}"),
            Self::Spoil(Place::Frame(frame), _) => write!(f, "spoil frame {frame}"),
            Self::Spoil(Place::Image, child) => write!(f, "spoil image {child}"),
            Self::Job(place, child, access, answer) => {
                let does = if *access == Access::Writes { "add one to" } else { "read" };
                match place {
                    Place::Image => write!(f, "job {answer}: {does} image {child}"),
                    Place::Frame(frame) => write!(f, "job {answer}: {does} frame {frame}"),
                }
            }
        }
    }
}

/// Why work is not put on a stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Failed;

impl From<Refused> for Failed {
    fn from(_: Refused) -> Self {
        Self
    }
}

/// The device as the host sees it.
pub(super) struct Device<'a, W, M> {
    warp: &'a mut W,
    m: M,
    /// Commands that were put on each stream.
    posted: [usize; 3],
    /// Events that were recorded.
    events: u32,
    /// Calls that may fail, so far.
    calls: u32,
    /// Bit `i` is set if call number `i` of them fails.
    fails: u32,
}

impl<'a, W: SimWarp, M: Memory> Device<'a, W, M> {
    pub(super) fn new(warp: &'a mut W, m: M, fails: u32) -> Self {
        Self { warp, m, posted: [0; 3], events: 0, calls: 0, fails }
    }

    fn post(&mut self, stream: Stream, command: Command) {
        let queue = stream as usize;
        // Release: pairs with the Acquire of `run_stream`.
        self.m.w32(QUEUES + queue).store(self.posted[queue], command.word(), WriteOrder::Release);
        self.posted[queue] += 1;
    }

    fn may_fail(&mut self) -> Result<(), Failed> {
        let call = self.calls;
        self.calls += 1;
        if self.fails.checked_shr(call).unwrap_or(0) & 1 != 0 { Err(Failed) } else { Ok(()) }
    }

    /// Puts a job on the stream, whose answer has this number.
    pub(super) fn job(
        &mut self,
        (child, place, access): (u32, Place, Access),
        answer: usize,
    ) -> Result<(), Failed> {
        self.may_fail()?;
        self.post(Stream::Run, Command::Job(place, child, access, answer as u32));
        Ok(())
    }

    /// One job on several child tables: as many answers, from this one on.
    pub(super) fn jobs(
        &mut self,
        tables: &[(u32, Place)],
        access: Access,
        answer: usize,
    ) -> Result<(), Failed> {
        self.may_fail()?;
        for (i, &(child, place)) in tables.iter().enumerate() {
            self.post(Stream::Run, Command::Job(place, child, access, (answer + i) as u32));
        }
        Ok(())
    }

    /// Waits until all jobs have run, and ends the streams.
    pub(super) fn end(&mut self) {
        let all = self.record(Stream::Run);
        self.wait_for(all);
        STREAMS.into_iter().for_each(|stream| self.post(stream, Command::End));
    }

    /// What a job said.
    pub(super) fn answer(&self, number: usize) -> u64 {
        // Relaxed: the host has joined an event of the stream that wrote it.
        self.m.w32(ANSWERS).load(number, ReadOrder::Relaxed).into()
    }

    fn wait_for(&mut self, event: u32) {
        wait_for(self.warp, self.m, event);
    }
}

/// Waits until an event has come.
fn wait_for<W: SimWarp, M: Memory>(w: &mut W, m: M, event: u32) {
    // Acquire: pairs with the Release of `run_stream`.
    while m.w32(EVENTS).load(event as usize, ReadOrder::Acquire) == 0 {
        w.pause();
    }
}

impl<W: SimWarp, M: Memory> DeviceMemory for Device<'_, W, M> {
    type Event = u32;
    type Error = Failed;

    fn copy_in(&mut self, child: u32, frame: u32) -> Result<(), Failed> {
        let may = self.may_fail();
        let spoil = Command::Spoil(Place::Frame(frame), child);
        self.post(Stream::In, may.map_or(spoil, |()| Command::CopyIn(child, frame)));
        may
    }
    fn copy_out(&mut self, frame: u32, child: u32) -> Result<(), Failed> {
        let may = self.may_fail();
        let spoil = Command::Spoil(Place::Image, child);
        self.post(Stream::Out, may.map_or(spoil, |()| Command::CopyOut(frame, child)));
        may
    }
    fn record(&mut self, stream: Stream) -> u32 {
        let event = self.events;
        self.events += 1;
        self.post(stream, Command::Record(event));
        event
    }
    fn wait(&mut self, stream: Stream, event: &u32) {
        self.post(stream, Command::Wait(*event));
    }
    fn join(&mut self, event: &u32) -> Result<(), Failed> {
        // One that fails has not waited.
        self.may_fail()?;
        self.wait_for(*event);
        Ok(())
    }
}

/// Runs what is put on a stream, to its end.
pub(super) fn run_stream<W: SimWarp, M: Memory>(w: &mut W, m: M, stream: usize) {
    let (images, frames) = (m.w32(IMAGES), m.w32(FRAMES));
    // Relaxed, here and below: events order what is in images and frames, or nothing does.
    let copy = |from: M::W32, at: u32, to: M::W32, there: u32| {
        for word in 0..TABLE {
            let value = from.load(at as usize * TABLE + word, ReadOrder::Relaxed);
            to.store(there as usize * TABLE + word, value, WriteOrder::Relaxed);
        }
    };
    let table_at = |place, child| match place {
        Place::Image => (images, child),
        Place::Frame(frame) => (frames, frame),
    };
    for at in 0.. {
        // Acquire: pairs with the Release of `post`.
        let command = loop {
            match Command::of(m.w32(QUEUES + stream).load(at, ReadOrder::Acquire)) {
                Some(command) => break command,
                None => w.pause(),
            }
        };
        match command {
            Command::End => return,
            Command::Wait(event) => wait_for(w, m, event),
            // Release: pairs with the Acquire of `wait_for`.
            Command::Record(event) => m.w32(EVENTS).store(event as usize, 1, WriteOrder::Release),
            Command::CopyIn(child, frame) => copy(images, child, frames, frame),
            Command::CopyOut(frame, child) => copy(frames, frame, images, child),
            Command::Spoil(place, child) => {
                let (table, at) = table_at(place, child);
                let words = at as usize * TABLE..(at as usize + 1) * TABLE;
                words.for_each(|word| table.store(word, SPOILT, WriteOrder::Relaxed));
            }
            Command::Job(place, child, access, answer) => {
                let (table, at) = table_at(place, child);
                let said = run_job(table, at, access);
                m.w32(ANSWERS).store(answer as usize, said, WriteOrder::Relaxed);
            }
        }
    }
}

/// What a table holds; one more is in it then if it may be written.
pub(super) fn run_job<T: Words<u32>>(tables: T, at: u32, access: Access) -> u32 {
    let words: [u32; TABLE] = std::array::from_fn(|word| {
        let word = at as usize * TABLE + word;
        // Relaxed, both: events order them, or nothing does.
        let held = tables.load(word, ReadOrder::Relaxed);
        if access == Access::Writes {
            tables.store(word, held + 1, WriteOrder::Relaxed);
        }
        held
    });
    if words.iter().all(|word| *word == words[0]) { words[0] } else { TORN }
}
