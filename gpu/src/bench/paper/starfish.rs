//! Starfish as published: child tables that are paged as a whole, for a batch of whatever size.

use super::Baselines;
use crate::arguments::{Argument, Head, Span};
use crate::device::Slot;
use crate::error::Error;
use crate::host::{reserve, room};
use crate::module::Kernel;
use crate::table::Tuning;
use core::fmt;
use core::ops::Range;
use cudarc::driver::{CudaEvent, CudaSlice, PinnedHostSlice, result};
use warpproof_model::host::{Refused, same_length};
use warpproof_model::key::mix;
use warpproof_model::outcome::Insert;

/// Pairs of a chunk, which a stream copies and inserts at a time.
const CHUNK: usize = 1 << 20;
/// The most slots of a child table: 64 MiB.
const MOST_SLOTS: u32 = 1 << 23;
/// Words of the stash, after the slots.
const STASH: usize = 101;
/// The highest load for which a size is computed.
const FULLEST: f64 = 0.9;
/// How often a child table is rebuilt before its pairs are returned.
const REBUILDS: u32 = 9;
/// An empty word.
const EMPTY: u64 = u64::MAX;
/// The value of each byte of an empty word.
const EMPTY_BYTE: u8 = u8::MAX;
/// The answer of a search for an absent key.
const MISSING: u32 = u32::MAX;

const COPYING: &str = "copying child tables";
const WAITING: &str = "waiting for child tables";

/// How large a [`StarfishMap`] is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StarfishSize {
    /// Child tables.
    pub children: u32,
    /// Slots of each, without its stash.
    pub slots: u32,
    /// Child tables that fit the device's memory: the x of Starfish-x.
    pub frames: u32,
}

impl StarfishSize {
    /// The size for `pairs` pairs at a load of the slots: child tables of one size, at most 64 MiB each.
    ///
    /// # Errors
    /// [`Refused::Load`] for a load that is not above 0 and at most 0.9; [`Refused::TooLarge`] for more than
    /// 2^32 - 1 child tables.
    pub fn for_pairs(pairs: u64, load: f64, frames: u32) -> Result<Self, Refused> {
        if !(load > 0.0 && load <= FULLEST) {
            return Err(Refused::Load { load });
        }
        let slots = ((pairs.max(1) as f64 / load).ceil() as u64).max(1);
        let found = slots.div_ceil(MOST_SLOTS.into());
        let most = u32::MAX.into();
        let children =
            u32::try_from(found).map_err(|_| Refused::TooLarge { what: "child tables", found, most })?;
        Ok(Self { children, slots: slots.div_ceil(found) as u32, frames })
    }

    /// Pairs that a child table may be given.
    fn room(self) -> usize {
        self.slots as usize
    }

    /// Words of a child table.
    fn words(self) -> usize {
        self.slots as usize + STASH
    }

    /// The part of an input of `n` pairs that goes to a child table.
    fn part(self, n: usize, child: u32) -> Range<usize> {
        let bound = |child: u64| (n as u128 * u128::from(child) / u128::from(self.children)) as usize;
        bound(child.into())..bound(u64::from(child) + 1)
    }
}

impl Baselines {
    /// Starfish as published: a map of u32 pairs in child tables that are paged as a whole. Allocates the
    /// memory of the frames. The memory of each child table is page-locked host memory, allocated when it is
    /// first needed.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], [`Error::Driver`]; [`Error::Refused`] for no child tables, slots or frames, or
    /// more slots than 2^23.
    pub fn starfish(&self, size: StarfishSize) -> Result<StarfishMap, Error> {
        let StarfishSize { children, slots, frames } = size;
        for (what, number) in [("child tables", children), ("slots", slots), ("frames", frames)] {
            if number == 0 {
                return Err(Refused::Nothing { what }.into());
            }
        }
        if slots > MOST_SLOTS {
            let (what, found, most) = ("slots of a child table", slots.into(), MOST_SLOTS.into());
            return Err(Refused::TooLarge { what, found, most }.into());
        }
        let mut all = room("child tables", children as usize)?;
        let child = |number| Child { image: None, seed: mix(number), pairs: 0, left: Vec::new() };
        all.extend((0..children).map(child));
        let frames = frames.min(children);
        let mut places = room("frames", frames as usize)?;
        for _ in 0..frames {
            places.push(Frame {
                words: self.device.buffer("frames", size.words())?,
                slot: self.device.slot(CHUNK)?,
                child: None,
                running: None,
            });
        }
        let (insert, search) = (self.kernel("starfish_insert", 1)?, self.kernel("starfish_search", 1)?);
        // The frames' streams use memory that our own stream has allocated.
        self.device.synchronize()?;
        let size = StarfishSize { frames, ..size };
        Ok(StarfishMap {
            insert,
            search,
            children: all,
            frames: places,
            size,
            copies: [0; 2],
            rebuilt: 0,
            of: self.clone(),
        })
    }
}

/// A child table. Its constants are computed from its seed.
struct Child {
    /// Its words in the host's memory, from the first use on.
    image: Option<PinnedHostSlice<u64>>,
    seed: u32,
    pairs: usize,
    /// Pairs for which it had no place.
    left: Vec<u64>,
}

/// A frame with a stream of its own. The stream runs in order, so a child table is copied to the frame after
/// the one before was copied back.
struct Frame {
    words: CudaSlice<u64>,
    /// The stream, and the memory of a chunk.
    slot: Slot,
    child: Option<u32>,
    running: Option<Running>,
}

/// A chunk whose outcomes are still to be read.
struct Running {
    child: u32,
    pairs: usize,
    ended: CudaEvent,
}

/// A chunk of an input: pairs for a child table, and whether they are its last.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Step {
    child: u32,
    pairs: Range<usize>,
    last: bool,
}

/// Pairs to insert.
#[derive(Clone, Copy)]
enum Source<'a> {
    /// Keys and values.
    Columns(&'a [u32], &'a [u32]),
    /// Pairs in one word each.
    Pairs(&'a [u64]),
}

impl Source<'_> {
    /// Writes the words of some pairs.
    fn write(self, pairs: Range<usize>, to: &mut [u8]) {
        let words = to.chunks_exact_mut(size_of::<u64>());
        match self {
            Self::Columns(keys, values) => {
                let columns = keys[pairs.clone()].iter().zip(&values[pairs]);
                words.zip(columns).for_each(|(word, (&key, &value))| {
                    word.copy_from_slice(&(u64::from(key) << 32 | u64::from(value)).to_ne_bytes());
                });
            }
            Self::Pairs(all) => {
                words.zip(&all[pairs]).for_each(|(word, pair)| word.copy_from_slice(&pair.to_ne_bytes()));
            }
        }
    }
}

/// The steps of each frame, for the parts of an input that go to child tables.
fn steps(parts: &[(u32, Range<usize>)], frames: usize) -> Result<Vec<Vec<Step>>, Error> {
    let mut of_frames = room("frames", frames)?;
    of_frames.resize_with(frames, Vec::new);
    for (child, part) in parts {
        let steps: &mut Vec<Step> = &mut of_frames[*child as usize % frames];
        reserve(steps, "chunks of a batch", part.len().div_ceil(CHUNK))?;
        let chunk = |first: usize| {
            let end = part.end.min(first + CHUNK);
            Step { child: *child, pairs: first..end, last: end == part.end }
        };
        steps.extend(part.clone().step_by(CHUNK).map(chunk));
    }
    Ok(of_frames)
}

/// The child tables that a frame loads for a search, one after the other; the one that it holds is the first.
fn searched(children: &[bool], frames: usize, frame: usize, resident: Option<u32>) -> Vec<u32> {
    let resident = resident.filter(|&child| children.get(child as usize) == Some(&true));
    let others = (frame..children.len()).step_by(frames).filter(|&child| children[child]);
    let others = others.map(|child| child as u32).filter(|&child| Some(child) != resident);
    resident.into_iter().chain(others).collect()
}

/// Starfish as published (Starfish-x, with x frames): a map of u32 pairs, larger than the memory of the
/// device.
///
/// Its *child tables* are cuckoo tables with a stash, each with constants of its own. All are in page-locked
/// memory of the host, and each frame of the device's memory holds one.
///
/// **Insert.** The input is split into as many parts as there are child tables: the position of a pair in the
/// input decides its child table, not its key. A frame has a stream: it copies a child table to the frame,
/// copies a chunk of its part, runs the kernel, and copies the child table back. Streams overlap. If a child
/// table has no place for a pair, it is rebuilt with other constants.
///
/// **Search.** All queries are copied to the device once. The child tables in frames are searched first. Then
/// each frame loads its other child tables, one after the other, and copies none back, as none has changed. A
/// query that is answered is skipped. An absent key costs a probe of every child table.
///
/// **Corrections.** As printed, the evicted pair is dropped, a frame may be filled before it was copied back,
/// and the output of an absent key is not written. Here the kernel returns a pair without a place, so that
/// none is lost. **As published.** Keys of all inserts must be distinct: if a key is inserted twice, a search
/// may find either value. There is no delete, as none is printed.
///
/// Calls wait for the device. After an error of the device, or if there is no host memory for pairs that
/// found no place, the map may lack pairs; drop it then.
///
/// **Memory.** On the device, a frame takes 8 bytes for each slot, and 26 MiB for chunks; a search needs 8
/// bytes for each query. On the host, the child tables in use take 8 page-locked bytes for each slot.
pub struct StarfishMap {
    insert: Kernel,
    search: Kernel,
    children: Vec<Child>,
    frames: Vec<Frame>,
    size: StarfishSize,
    copies: [u64; 2],
    rebuilt: u64,
    of: Baselines,
}

impl StarfishMap {
    /// The answer of a search for an absent key.
    pub const MISSING: u32 = MISSING;

    /// Adds pairs whose keys are absent and distinct, and not `u32::MAX`. Returns the pairs without a place:
    /// those of a child table that was rebuilt nine times, and none at a load of 0.8. They may be pairs of an
    /// earlier call.
    ///
    /// # Errors
    /// [`Error::Refused`] if slices have different lengths, a key is `u32::MAX`, or a child table would get
    /// more pairs than it has slots; [`Error::OutOfMemory`] for the memory of child tables. Nothing has
    /// changed then. [`Error::Driver`], [`Error::Kernel`].
    pub fn insert_unique(&mut self, keys: &[u32], values: &[u32]) -> Result<Vec<(u32, u32)>, Error> {
        same_length(keys, "values", values)?;
        if keys.contains(&u32::MAX) {
            let (found, most) = (u32::MAX.into(), u64::from(u32::MAX) - 1);
            return Err(Refused::TooLarge { what: "a key", found, most }.into());
        }
        let mut parts = room("parts of a batch", self.children.len())?;
        parts.extend((0..self.size.children).map(|child| (child, self.size.part(keys.len(), child))));
        parts.retain(|(_, part)| !part.is_empty());
        for (child, part) in &parts {
            let (found, most) = (self.children[*child as usize].pairs + part.len(), self.size.room());
            if found > most {
                let (found, most) = (found as u64, most as u64);
                return Err(Refused::TooLarge { what: "pairs of a child table", found, most }.into());
            }
        }
        for (child, _) in &parts {
            let image = &mut self.children[*child as usize].image;
            if image.is_none() {
                *image = Some(self.of.device.pinned("a child table", self.size.words())?);
            }
        }
        let ran = self.run(&parts, Source::Columns(keys, values)).and_then(|()| self.rebuild());
        if ran.is_err() {
            self.stop();
        }
        ran
    }

    /// The values of keys; [`MISSING`](Self::MISSING) for absent keys.
    ///
    /// # Errors
    /// [`Error::Refused`] if slices have different lengths; [`Error::OutOfMemory`] for 8 bytes of device
    /// memory for each key; [`Error::Driver`], [`Error::Kernel`].
    pub fn search(&mut self, keys: &[u32], values: &mut [u32]) -> Result<(), Error> {
        same_length(keys, "values", values)?;
        if keys.is_empty() {
            return Ok(());
        }
        let device = self.of.device.clone();
        let queries = device.upload("queries", keys)?;
        let mut found = device.buffer::<u32>("values", keys.len())?;
        device.fill(&mut found, MISSING as u8)?;
        device.stream().synchronize().map_err(Error::driver("copying to the device"))?;
        let on_device = (
            Span::<u32>::new(self.of.address(&queries), keys.len()),
            Span::<u32>::new(self.of.address(&found), keys.len()),
        );
        let ran = self.answer(on_device);
        if ran.is_err() {
            self.stop();
        }
        ran?;
        device.download_to(&found, values)
    }

    /// The number of pairs.
    pub fn len(&self) -> u64 {
        self.children.iter().map(|child| child.pairs as u64).sum()
    }

    /// Whether the map is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many child tables were copied to frames, and how many back.
    pub fn copies(&self) -> [u64; 2] {
        self.copies
    }

    /// How often a child table was rebuilt.
    pub fn rebuilt(&self) -> u64 {
        self.rebuilt
    }

    /// Device memory of the frames and of their chunks, in bytes.
    pub fn bytes(&self) -> u64 {
        self.frames.iter().map(|frame| frame.words.num_bytes() as u64 + frame.slot.bytes()).sum()
    }

    /// Waits for all streams, and empties the frames.
    fn stop(&mut self) {
        self.of.device.wait_idle();
        for frame in &mut self.frames {
            (frame.child, frame.running) = (None, None);
        }
    }

    /// Inserts parts of an input, and waits until the child tables are copied back.
    fn run(&mut self, parts: &[(u32, Range<usize>)], source: Source<'_>) -> Result<(), Error> {
        let context = self.of.device.stream().context();
        context.bind_to_thread().map_err(Error::driver(COPYING))?;
        let steps = steps(parts, self.frames.len())?;
        let rounds = steps.iter().map(Vec::len).max().unwrap_or(0);
        // One chunk of each frame in turn, so that streams overlap.
        for round in 0..rounds {
            for (frame, steps) in steps.iter().enumerate() {
                if let Some(step) = steps.get(round) {
                    self.step(frame, step, source)?;
                }
            }
        }
        for frame in 0..self.frames.len() {
            self.settle(frame)?;
            self.frames[frame].slot.stream.synchronize().map_err(Error::driver(WAITING))?;
        }
        Ok(())
    }

    /// Queues a chunk on the stream of a frame.
    fn step(&mut self, frame: usize, step: &Step, source: Source<'_>) -> Result<(), Error> {
        self.settle(frame)?;
        let (n, address) = (step.pairs.len(), self.load(frame, step.child)?);
        let (frame, child) = (&mut self.frames[frame], &mut self.children[step.child as usize]);
        source.write(step.pairs.clone(), frame.slot.host()?);
        frame.slot.copy_in(0..n * size_of::<u64>())?;
        let (pairs, codes) = frame.slot.addresses();
        let arguments = child_head(address, self.size, child.seed)
            .per_key(Span::<u64>::new(pairs, n), Span::new(codes, n))?;
        // SAFETY: the arguments are those of `starfish_insert`: a child table of so many words, and pairs and
        // codes in memory of the slot, which has room for a chunk. All of it lives until `drop` has waited
        // for the device.
        unsafe { self.insert.launch(&frame.slot.stream, Tuning::default().threads, &arguments)? };
        frame.slot.copy_out(n)?;
        let ended = frame.slot.stream.record_event(None).map_err(Error::driver(WAITING))?;
        frame.running = Some(Running { child: step.child, pairs: n, ended });
        child.pairs += n;
        if step.last
            && let Some(image) = &mut child.image
        {
            let failed = Error::driver(COPYING);
            let image = image.as_mut_slice().map_err(&failed)?;
            // SAFETY: both have the words of a child table, and live until the device was waited for;
            // nothing reads the image before.
            unsafe { result::memcpy_dtoh_async(image, address, frame.slot.stream.cu_stream()) }
                .map_err(failed)?;
            self.copies[1] += 1;
        }
        Ok(())
    }

    /// Loads a child table into a frame, unless it is there. Returns the address of its words.
    ///
    /// The old child table of the frame needs no copy back: this stream copied it when it was changed.
    fn load(&mut self, frame: usize, number: u32) -> Result<u64, Error> {
        let (frame, child) = (&mut self.frames[frame], &self.children[number as usize]);
        let address = self.of.address(&frame.words);
        if frame.child == Some(number) {
            return Ok(address);
        }
        let (failed, stream) = (Error::driver(COPYING), &frame.slot.stream);
        frame.child = None;
        stream.context().bind_to_thread().map_err(&failed)?;
        match child.image.as_ref().filter(|_| child.pairs > 0) {
            Some(image) => {
                let image = image.as_slice().map_err(&failed)?;
                // SAFETY: as in `step`; the image is not changed before the stream was waited for, except by
                // what this stream runs later.
                unsafe { result::memcpy_htod_async(address, image, stream.cu_stream()) }.map_err(failed)?;
                self.copies[0] += 1;
            }
            None => {
                let bytes = frame.words.num_bytes();
                // SAFETY: so many bytes, which live until the device was waited for.
                unsafe { result::memset_d8_async(address, EMPTY_BYTE, bytes, stream.cu_stream()) }
                    .map_err(failed)?;
            }
        }
        frame.child = Some(number);
        Ok(address)
    }

    /// Waits for the chunk of a frame, and keeps the pairs that found no place.
    fn settle(&mut self, frame: usize) -> Result<(), Error> {
        let frame = &mut self.frames[frame];
        let Some(Running { child, pairs: n, ended }) = frame.running.take() else { return Ok(()) };
        ended.synchronize().map_err(Error::driver(WAITING))?;
        let host = &frame.slot.host()?[..n];
        let [inserted, full] = [Insert::Inserted, Insert::Full].map(Insert::code);
        if let Some(index) = host.iter().position(|&code| code != inserted && code != full) {
            return Err(Error::Code { kernel: self.insert.name().into(), index, code: host[index] });
        }
        let count = host.iter().filter(|&&code| code == full).count();
        if count == 0 {
            return Ok(());
        }
        let mut codes = room("outcomes", n)?;
        codes.extend_from_slice(host);
        let mut pairs = room("pairs without a place", n)?;
        pairs.resize(n, 0u64);
        let (failed, stream) = (Error::driver("copying from the device"), frame.slot.stream.clone());
        // SAFETY: the slot has a chunk of pairs, whose kernel has ended, and nothing is copied there before
        // the next chunk. `pairs` lives until the stream was waited for, here.
        unsafe { result::memcpy_dtoh_async(&mut pairs, frame.slot.addresses().0, stream.cu_stream()) }
            .map_err(&failed)?;
        stream.synchronize().map_err(failed)?;
        let all = &mut self.children[child as usize].left;
        reserve(all, "pairs without a place", count)?;
        all.extend(pairs.into_iter().zip(codes).filter(|&(_, code)| code == full).map(|(pair, _)| pair));
        Ok(())
    }

    /// Rebuilds child tables that had no place for a pair. Returns the pairs that have no place after that.
    fn rebuild(&mut self) -> Result<Vec<(u32, u32)>, Error> {
        let mut without = Vec::new();
        for number in 0..self.size.children {
            let at = number as usize;
            if self.children[at].left.is_empty() {
                continue;
            }
            let image = self.children[at].image.as_ref().map(PinnedHostSlice::as_slice);
            let image = image.transpose().map_err(Error::driver(COPYING))?.unwrap_or_default();
            let mut pairs = room("pairs of a child table", self.size.words() + self.children[at].left.len())?;
            pairs.extend(image.iter().copied().filter(|&pair| pair != EMPTY));
            pairs.extend_from_slice(&self.children[at].left);
            for _ in 0..REBUILDS {
                let child = &mut self.children[at];
                (child.seed, child.pairs) = (mix(child.seed.wrapping_add(1)), 0);
                child.left.clear();
                self.frames[at % self.size.frames as usize].child = None;
                self.rebuilt += 1;
                self.run(&[(number, 0..pairs.len())], Source::Pairs(&pairs))?;
                if self.children[at].left.is_empty() {
                    break;
                }
            }
            let child = &mut self.children[at];
            child.pairs -= child.left.len();
            reserve(&mut without, "pairs without a place", child.left.len())?;
            without.extend(child.left.drain(..).map(|pair| ((pair >> 32) as u32, pair as u32)));
        }
        Ok(without)
    }

    /// Searches all child tables for queries in device memory.
    fn answer(&mut self, (queries, values): (Span<u32>, Span<u32>)) -> Result<(), Error> {
        let mut filled = room("child tables", self.children.len())?;
        filled.extend(self.children.iter().map(|child| child.pairs > 0));
        let frames = self.frames.len();
        let order = |(at, frame): (usize, &Frame)| searched(&filled, frames, at, frame.child);
        let orders: Vec<Vec<u32>> = self.frames.iter().enumerate().map(order).collect();
        let rounds = orders.iter().map(Vec::len).max().unwrap_or(0);
        for round in 0..rounds {
            for (frame, order) in orders.iter().enumerate() {
                let Some(&number) = order.get(round) else { continue };
                let address = self.load(frame, number)?;
                let head = child_head(address, self.size, self.children[number as usize].seed);
                let arguments = head.number(queries, values)?;
                let stream = &self.frames[frame].slot.stream;
                // SAFETY: the arguments are those of `starfish_search`; `search` waits before it frees the
                // queries and values. Kernels of other child tables touch them by atomic accesses.
                unsafe { self.search.launch(stream, Tuning::default().threads, &arguments)? };
            }
        }
        let wait = |frame: &Frame| frame.slot.stream.synchronize().map_err(Error::driver(WAITING));
        self.frames.iter().try_for_each(wait)
    }
}

/// The first arguments of both kernels: the words of a child table, their number, its seed.
fn child_head(address: u64, size: StarfishSize, seed: u32) -> Head {
    let list = vec![Argument::Pointer(address), Argument::U64(size.words() as u64), Argument::U32(seed)];
    Head { list, parts: 0, numbers: 0, slots: 0 }
}

impl Drop for StarfishMap {
    fn drop(&mut self) {
        // The frames' streams may still use the memory; it is freed in the order of our own stream.
        self.of.device.wait_idle();
    }
}

impl fmt::Debug for StarfishMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StarfishMap").field("size", &self.size).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
