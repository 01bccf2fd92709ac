//! Partitions a batch by child tables: the kernels, and their device memory.

use super::faults::Faults;
use crate::arguments::paged::{
    ARRANGE, COUNT, Digits, MOST_DIGITS, Operations, SCATTER, SIFT, TALLY_THREADS,
};
use crate::arguments::{Argument, Arguments, Head, Operation, Span};
use crate::device::{Array, Device};
use crate::error::Error;
use crate::layout::Layout;
use crate::module::Kernel;
use crate::row::Row;
use crate::structures::open::sizes;
use crate::table::{Family, Tuning};
use cudarc::driver::{CudaStream, result};
use warpproof_model::Seed;
use warpproof_model::host::{OpenGeometry, Refused};
use warpproof_model::paged::partition::TALLIES;
use warpproof_model::paged::routed::HEAD;

/// Digits for keys of few child tables, so that neighbours in a batch are neighbours in a child table before
/// its tiles are arranged. Not tuned.
const DIGITS: u32 = 1024;

/// The kernels.
struct Kernels {
    count: Kernel,
    /// For keys only, and with values.
    scatter: [Kernel; 2],
    arrange: [Kernel; 2],
    /// For values of 32 bits, and of 64.
    answer: [Kernel; 2],
    tally: Kernel,
    /// Operations on child tables at their places, in the order of [`Operation::ALL`]: for tables in frames
    /// only, and for others too.
    routed: [Vec<Option<Kernel>>; 2],
    /// Searches over the bus, of runs of operations on one key.
    runs: Kernel,
}

/// Lanes of a tile that works over the bus, unless a tuning says otherwise: together they read a bucket at
/// once. Measured (notes/paged.md): a single lane would make a request for each slot of the bucket.
pub(super) const LANES_IN_PLACE: u32 = 4;

/// Partitions batches of rows `R`.
pub(super) struct Partitioner {
    kernels: Kernels,
    digits: Digits,
    /// Numbers for the kernels: seeds, tallies, counters, next places, starts.
    control: Array,
    /// Columns of a batch and its answers, for some number of operations.
    columns: Option<Array>,
    device: Device,
    faults: Faults,
}

/// The addresses of the columns.
#[derive(Clone, Copy)]
pub(super) struct Columns {
    /// Operations sorted by digits, and arranged.
    pub(super) sides: [Operations; 2],
    /// The codes of the operations.
    pub(super) codes: u64,
    /// The values of the operations, found values, or counts.
    pub(super) found: u64,
}

/// Which columns a batch has besides its keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Shape {
    pub(super) values: bool,
    pub(super) ops: bool,
}

impl Shape {
    /// Bytes of a value that goes with a key of rows `R`, and of a kind of operation.
    const fn beside<R: Row>(self) -> (usize, usize) {
        (if self.values { size_of::<R::Value>() } else { 0 }, self.ops as usize)
    }

    /// Bytes of the input of an operation.
    pub(super) const fn staged_bytes<R: Row>(self) -> u64 {
        let (value, op) = self.beside::<R>();
        (size_of::<R::Key>() + value + op) as u64
    }

    /// Bytes of an operation in [`Columns`].
    pub(super) const fn operation_bytes<R: Row>(self) -> u64 {
        let (value, op) = self.beside::<R>();
        // On two sides; and the answer.
        (2 * (size_of::<R::Key>() + value + op + size_of::<u32>()) + 1 + size_of::<R::Value>()) as u64
    }
}

impl Partitioner {
    /// A partitioner for so many child tables.
    ///
    /// # Errors
    /// [`Error::Refused`] if there are more than 8,192; [`Error::OutOfMemory`].
    pub(super) fn new<R: Row>(
        device: &Device,
        (children, seed): (u32, Seed),
        (size, layout): (OpenGeometry, Layout),
        (tuning, faults): (Tuning, Faults),
    ) -> Result<Self, Error> {
        if children > MOST_DIGITS {
            let (found, most) = (children.into(), MOST_DIGITS.into());
            return Err(Refused::TooLarge { what: "child tables of a table on a GPU", found, most }.into());
        }
        let find = |name: &str, (threads, span): (u32, u32)| -> Result<Kernel, Error> {
            Ok(named(device, name.into(), 1)?.with_span(span).with_threads(threads))
        };
        let bits = 8 * size_of::<R::Key>();
        let of = |step: &str, entry: &str, shape| find(&format!("paged_{step}_{entry}{bits}"), shape);
        // As many as in one table of the size of all of them.
        let slots = size.slots() as u64 * u64::from(children);
        let in_frames = sizes::family((layout, false), (slots, size.bucket_slots)).lanes;
        let routed = |lanes| routed(device, layout, tuning, lanes);
        let kernels = Kernels {
            count: of("count", "", COUNT)?,
            scatter: [of("scatter", "set", SCATTER)?, of("scatter", "map", SCATTER)?],
            arrange: [of("arrange", "set", ARRANGE)?, of("arrange", "map", ARRANGE)?],
            answer: [find("paged_answer_32", (256, 1))?, find("paged_answer_64", (256, 1))?],
            tally: find("paged_tally", (TALLY_THREADS, 1))?,
            routed: [routed(in_frames)?, routed(LANES_IN_PLACE)?],
            runs: named(
                device,
                family(layout, LANES_IN_PLACE).name("search_runs", LANES_IN_PLACE),
                LANES_IN_PLACE,
            )?,
        };
        let parts = (DIGITS / children.max(1)).max(1);
        let mut digits = Digits { children, parts, seed, seeds: 0 };
        let (children, all) = (u64::from(children), u64::from(digits.count()));
        let bytes = children * 8 * (2 + TALLIES + HEAD) as u64 + 8 * all + 4 * (children + 1);
        let control = device.array("numbers of a paged table", bytes)?;
        digits.seeds = control.address();
        Ok(Self { kernels, digits, control, columns: None, device: device.clone(), faults })
    }

    /// How many child tables there are.
    pub(super) const fn children(&self) -> u32 {
        self.digits.children
    }

    fn tallies(&self) -> u64 {
        self.digits.seeds + 16 * u64::from(self.digits.children)
    }

    fn heads(&self) -> u64 {
        self.tallies() + 8 * TALLIES as u64 * u64::from(self.digits.children)
    }

    fn counters(&self) -> u64 {
        self.heads() + 8 * HEAD as u64 * u64::from(self.digits.children)
    }

    fn next(&self) -> u64 {
        self.counters() + 4 * u64::from(self.digits.count())
    }

    fn starts(&self) -> u64 {
        self.next() + 4 * u64::from(self.digits.count())
    }

    /// Bytes of device memory.
    pub(super) fn bytes(&self) -> u64 {
        self.control.bytes() + self.columns.as_ref().map_or(0, Array::bytes)
    }

    /// Sets the seeds of the child tables from number `first` on: their words.
    pub(super) fn set_seeds(&self, first: u32, seeds: &[[u64; 2]], stream: &CudaStream) -> Result<(), Error> {
        self.upload(self.digits.seeds + 16 * u64::from(first), seeds, stream)?;
        stream.synchronize().map_err(Error::driver("copying seeds"))
    }

    /// Makes room before a batch of `n` operations. It takes `operation` bytes for the columns of each, and
    /// `beside` bytes more. If the columns of larger batches do not leave that much in `budget` bytes, frees
    /// them.
    pub(super) fn leave_room(&mut self, n: usize, (operation, beside): (u64, u64), budget: u64) {
        let (n, bytes) = (n as u64, self.columns.as_ref().map_or(0, Array::bytes));
        if bytes > n * operation + COLUMNS * ALIGNED && bytes + n * beside > budget {
            self.device.wait_idle();
            self.columns = None;
        }
    }

    /// Columns for a batch of `n` operations on rows `R`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub(super) fn columns<R: Row>(&mut self, n: usize, shape: Shape) -> Result<Columns, Error> {
        let bytes = n as u64 * shape.operation_bytes::<R>() + COLUMNS * ALIGNED;
        if self.columns.as_ref().is_none_or(|array| array.bytes() < bytes) {
            // The old memory is freed first: nothing uses it between batches.
            self.device.wait_idle();
            self.columns = None;
            self.faults.memory("columns of a batch", bytes)?;
            self.columns = Some(self.device.array("columns of a batch", bytes)?);
        }
        let mut next = self.columns.as_ref().map_or(0, Array::address);
        let mut take = |bytes: usize| {
            let at = next;
            next += (bytes as u64 * n as u64).next_multiple_of(ALIGNED);
            at
        };
        let (value, op) = shape.beside::<R>();
        let mut side = || Operations {
            n: n as u32,
            keys: take(size_of::<R::Key>()),
            values: if shape.values { Some(take(value)) } else { None },
            ops: if shape.ops { take(op) } else { 0 },
            numbers: take(size_of::<u32>()),
        };
        let sides = [side(), side()];
        Ok(Columns { sides, codes: take(1), found: take(size_of::<R::Value>()) })
    }

    /// Counts the operations of each digit, and waits. Returns where those of each digit begin, and last
    /// where they end.
    pub(super) fn count(&self, batch: Operations, stream: &CudaStream) -> Result<Vec<u32>, Error> {
        let all = self.digits.count() as usize;
        self.zero(self.counters(), 4 * all, stream)?;
        let arguments = Arguments::paged_count(batch, self.digits, self.counters());
        // SAFETY: the kernel's arguments; what they point to lives until the stream was waited for, below.
        unsafe { self.launch(&self.kernels.count, COUNT.0, &arguments, stream)? };
        let mut starts = crate::host::room("counters", all + 1)?;
        starts.resize(all, 0u32);
        self.download(&mut starts, self.counters(), stream)?;
        let mut begin = 0u32;
        for start in &mut starts {
            let n = core::mem::replace(start, begin);
            begin += n;
        }
        starts.push(begin);
        self.upload(self.next(), &starts[..all], stream)?;
        // Sums for each child table.
        let mut of_children = crate::host::room("counters", self.digits.children as usize + 1)?;
        of_children.extend(starts.iter().copied().step_by(self.digits.parts as usize));
        self.upload(self.starts(), &of_children, stream)?;
        Ok(of_children)
    }

    /// Queues the move of operations to their digits' places, as [`count`](Self::count) has counted them.
    ///
    /// # Safety
    /// The columns are those of the rows that this was made for, and live until the stream has run this.
    pub(super) unsafe fn scatter(
        &self,
        batch: Operations,
        to: Operations,
        stream: &CudaStream,
    ) -> Result<(), Error> {
        let kernel = &self.kernels.scatter[usize::from(batch.values.is_some())];
        let arguments = Arguments::paged_scatter(batch, self.digits, self.next(), to);
        // SAFETY: the kernel's arguments; the rest is the contract of this function.
        unsafe { self.launch(kernel, SCATTER.0, &arguments, stream) }
    }

    /// Queues arranging the tiles of scattered operations.
    ///
    /// # Safety
    /// As [`scatter`](Self::scatter).
    pub(super) unsafe fn arrange(
        &self,
        batch: Operations,
        to: Operations,
        stream: &CudaStream,
    ) -> Result<(), Error> {
        let kernel = &self.kernels.arrange[usize::from(batch.values.is_some())];
        // SAFETY: the kernel's arguments; the rest is the contract of this function.
        unsafe { self.launch(kernel, ARRANGE.0, &Arguments::paged_arrange(batch, self.digits, to), stream) }
    }

    /// Queues the move of answers (codes, values, or null) to the order of the batch. With keys, the first
    /// operation of each run on one key has the answer for all. Values have `bytes` bytes, as keys have.
    ///
    /// # Safety
    /// As [`scatter`](Self::scatter).
    pub(super) unsafe fn answer(
        &self,
        (numbers, keys): (Span<u32>, u64),
        bytes: usize,
        (from, to): ([u64; 2], [u64; 2]),
        stream: &CudaStream,
    ) -> Result<(), Error> {
        let kernel = &self.kernels.answer[usize::from(bytes == size_of::<u64>())];
        // SAFETY: the kernel's arguments; the rest is the contract of this function.
        unsafe { self.launch(kernel, 256, &Arguments::paged_answer(numbers, keys, from, to), stream) }
    }

    /// Queues a kernel.
    ///
    /// # Safety
    /// As [`Kernel::launch`].
    pub(super) unsafe fn launch(
        &self,
        kernel: &Kernel,
        threads: u32,
        arguments: &Arguments,
        stream: &CudaStream,
    ) -> Result<(), Error> {
        self.faults.call().map_err(Error::driver("starting a kernel"))?;
        // SAFETY: the contract of this function.
        unsafe { kernel.launch(stream, threads, arguments) }
    }

    /// Fills a part of the control words, or of a board, with zeros.
    pub(super) fn zero(&self, address: u64, bytes: usize, stream: &CudaStream) -> Result<(), Error> {
        let failed = Error::driver("filling device memory");
        self.faults.call().and_then(|()| stream.context().bind_to_thread()).map_err(&failed)?;
        // SAFETY: of a part of memory that lives until the device was waited for.
        unsafe { result::memset_d8_async(address, 0, bytes, stream.cu_stream()) }.map_err(&failed)
    }

    /// Copies numbers to control words or columns. The caller may change them when this returns.
    pub(super) fn upload<T: Copy>(
        &self,
        address: u64,
        numbers: &[T],
        stream: &CudaStream,
    ) -> Result<(), Error> {
        let failed = Error::driver("copying to the device");
        self.faults.call().and_then(|()| stream.context().bind_to_thread()).map_err(&failed)?;
        if numbers.is_empty() {
            return Ok(());
        }
        // SAFETY: there is memory for as many; the driver has copied pageable memory when this returns.
        unsafe { result::memcpy_htod_async(address, numbers, stream.cu_stream()) }.map_err(&failed)
    }

    /// Copies numbers from control words or columns, and waits.
    pub(super) fn download<T: Copy>(
        &self,
        numbers: &mut [T],
        address: u64,
        stream: &CudaStream,
    ) -> Result<(), Error> {
        let failed = Error::driver("copying from the device");
        self.faults.call().and_then(|()| stream.context().bind_to_thread()).map_err(&failed)?;
        if !numbers.is_empty() {
            // SAFETY: there are as many, and this waits.
            unsafe { result::memcpy_dtoh_async(numbers, address, stream.cu_stream()) }.map_err(&failed)?;
        }
        stream.synchronize().map_err(&failed)
    }

    /// Sets the places of the child tables from number `first` on; all have one size. Returns the first
    /// arguments of the kernel of an operation on them.
    pub(super) fn set_heads(
        &self,
        (first, heads): (u32, &[[u64; HEAD]]),
        size: (u64, Argument, u32),
        stream: &CudaStream,
    ) -> Result<Head, Error> {
        self.upload(self.heads() + 8 * HEAD as u64 * u64::from(first), heads, stream)?;
        Ok(head((self.heads(), self.digits.children), self.digits.seed, size))
    }

    /// The kernel of an operation on child tables at their places: all in frames, or not.
    pub(super) fn routed(&self, operation: Operation, in_frames: bool) -> Result<&Kernel, Error> {
        let kernel = self.kernels.routed[usize::from(!in_frames)].get(operation as usize);
        let missing = || Error::NoKernel { kernel: format!("paged {}", operation.name()) };
        kernel.and_then(Option::as_ref).ok_or_else(missing)
    }

    /// The kernel that searches over the bus, of runs of operations on one key.
    pub(super) fn runs(&self) -> &Kernel {
        &self.kernels.runs
    }

    /// Moves the searches of keys that may be there to other columns, and waits. Returns how many there are.
    /// The other searches have been answered.
    ///
    /// # Safety
    /// `arguments` are those of a search by the table's kernel. Its arrays, and those to which operations are
    /// moved, live until the stream was waited for.
    pub(super) unsafe fn sift(
        &self,
        kernel: &Kernel,
        arguments: Arguments,
        to: Operations,
        stream: &CudaStream,
    ) -> Result<u32, Error> {
        // Outcomes are counted only after batches that do more than search, so these words are free.
        let left = self.tallies();
        self.zero(left, size_of::<u32>(), stream)?;
        // SAFETY: the contract of this function.
        unsafe { self.launch(kernel, SIFT, &arguments.sift(to, left), stream)? };
        let mut n = [0u32];
        self.download(&mut n, left, stream)?;
        Ok(n[0])
    }

    /// Counts the outcomes of operations, by their codes, and waits: `tallies` gets for each child table how
    /// many stored an entry, deleted one, and found no room.
    ///
    /// # Safety
    /// As [`scatter`](Self::scatter).
    pub(super) unsafe fn tally(
        &self,
        of: (u64, u64, u8),
        tallies: &mut [[u64; TALLIES]],
        stream: &CudaStream,
    ) -> Result<(), Error> {
        let children = self.digits.children;
        self.zero(self.tallies(), children as usize * 8 * TALLIES, stream)?;
        let arguments = Arguments::paged_tally(of, (self.starts(), children), self.tallies());
        // SAFETY: the kernel's arguments; the rest is the contract of this function.
        unsafe { self.launch(&self.kernels.tally, TALLY_THREADS, &arguments, stream)? };
        self.download(tallies, self.tallies(), stream)
    }
}

/// The first arguments of the kernels of operations on child tables at their places: the address of the
/// places, and the size of each table; `beside` is the number of words of its filter, or the address of a
/// board.
pub(crate) fn head(
    (heads, children): (u64, u32),
    seed: Seed,
    (len, beside, buckets): (u64, Argument, u32),
) -> Head {
    let [mask, factor] = seed.words();
    let list = vec![
        Argument::Pointer(heads),
        Argument::U32(children),
        Argument::U64(mask),
        Argument::U64(factor),
        Argument::U64(len),
        beside,
        Argument::U32(buckets),
    ];
    Head { list, parts: 0, numbers: 0, slots: 0 }
}

/// The names of these kernels.
pub(crate) const fn family(layout: Layout, lanes: u32) -> Family {
    Family { structure: "paged", layout, suffix: "", lanes, mixed_lanes: lanes, one_array: false }
}

/// The kernels of operations on child tables at their places.
fn routed(device: &Device, layout: Layout, tuning: Tuning, lanes: u32) -> Result<Vec<Option<Kernel>>, Error> {
    find_all(&family(layout, lanes), device, tuning)
}

/// A kernel of its own.
///
/// # Errors
/// [`Error::NoKernel`] if the device has none of this name.
pub(super) fn named(device: &Device, name: String, lanes: u32) -> Result<Kernel, Error> {
    match device.kernel(&name, lanes)? {
        Some(kernel) => Ok(kernel),
        None => Err(Error::NoKernel { kernel: name }),
    }
}

/// The kernels of a family, in the order of [`Operation::ALL`].
pub(super) fn find_all(
    family: &Family,
    device: &Device,
    tuning: Tuning,
) -> Result<Vec<Option<Kernel>>, Error> {
    let mut all = crate::host::room("kernels", Operation::ALL.len())?;
    for operation in Operation::ALL {
        all.push(family.find(device, operation, tuning)?);
    }
    Ok(all)
}

/// Where columns begin, in bytes.
const ALIGNED: u64 = 256;
/// The most columns.
const COLUMNS: u64 = 10;
