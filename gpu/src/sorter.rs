//! Sorts the operations of a batch by a digit of their keys, and brings the answers back: the kernels, and
//! their device memory. A *digit* names a child table, or a rank, and a part of that.

use crate::arguments::paged::{ARRANGE, COUNT, Digits, MOST_DIGITS, Operations};
use crate::arguments::{Arguments, Span};
use crate::device::{Array, Device};
use crate::error::Error;
use crate::faults::Faults;
use crate::module::Kernel;
use crate::row::Row;
use cudarc::driver::{CudaStream, result};
use warpproof_model::Seed;
use warpproof_model::host::Refused;

/// The kernels.
struct Kernels {
    count: Kernel,
    /// For keys only, and with values.
    scatter: [Kernel; 2],
    arrange: [Kernel; 2],
    /// For values of 32 bits, and of 64.
    answer: [Kernel; 2],
    gather: [Kernel; 2],
}

/// Sorts batches of keys of one width.
pub(crate) struct Sorter {
    kernels: Kernels,
    digits: Digits,
    /// Numbers for the kernels: seeds, counters, next places, starts, and what the owner asked for.
    control: Array,
    /// Where the owner's numbers begin.
    beside: u64,
    faults: Faults,
}

impl Sorter {
    /// A sorter by so many child tables, for keys of `key_bytes` bytes, with `beside` bytes for the caller.
    /// It has `most` digits, or one for each child table if these are more.
    ///
    /// # Errors
    /// [`Error::Refused`] if there are more than 8,192; [`Error::OutOfMemory`].
    pub(crate) fn new(
        device: &Device,
        (children, seed): (u32, Seed),
        (most, key_bytes): (u32, usize),
        beside: u64,
        faults: Faults,
    ) -> Result<Self, Error> {
        if children > MOST_DIGITS {
            let (found, most) = (children.into(), MOST_DIGITS.into());
            return Err(Refused::TooLarge { what: "child tables of a table on a GPU", found, most }.into());
        }
        let find = |name: &str, (threads, span): (u32, u32)| -> Result<Kernel, Error> {
            Ok(named(device, name.into(), 1)?.with_span(span).with_threads(threads))
        };
        let parts = (most / children.max(1)).max(1);
        let mut digits = Digits { children, parts, seed, seeds: 0 };
        let bits = 8 * key_bytes;
        let of = |step: &str, entry: &str, shape| find(&format!("paged_{step}_{entry}{bits}"), shape);
        let scatter = digits.scatter();
        let kernels = Kernels {
            count: of("count", "", COUNT)?,
            scatter: [of("scatter", "set", scatter)?, of("scatter", "map", scatter)?],
            arrange: [of("arrange", "set", ARRANGE)?, of("arrange", "map", ARRANGE)?],
            answer: [find("paged_answer_32", (256, 1))?, find("paged_answer_64", (256, 1))?],
            gather: [find("paged_gather_32", (256, 1))?, find("paged_gather_64", (256, 1))?],
        };
        let (children, all) = (u64::from(children), u64::from(digits.count()));
        let own = 16 * children + 8 * all + 4 * (children + 1);
        let bytes = own.next_multiple_of(8) + beside;
        let control = device.array("numbers of the digits of a batch", bytes)?;
        digits.seeds = control.address();
        let beside = control.address() + own.next_multiple_of(8);
        Ok(Self { kernels, digits, control, beside, faults })
    }

    /// How many child tables there are.
    pub(crate) const fn children(&self) -> u32 {
        self.digits.children
    }

    /// The seed that decides the child table of a key.
    pub(crate) const fn seed(&self) -> Seed {
        self.digits.seed
    }

    /// Where the caller's numbers begin.
    pub(crate) const fn beside(&self) -> u64 {
        self.beside
    }

    fn counters(&self) -> u64 {
        self.digits.seeds + 16 * u64::from(self.digits.children)
    }

    fn next(&self) -> u64 {
        self.counters() + 4 * u64::from(self.digits.count())
    }

    /// Where the starts of the child tables' operations are.
    pub(crate) fn starts(&self) -> u64 {
        self.next() + 4 * u64::from(self.digits.count())
    }

    /// Bytes of device memory.
    pub(crate) fn bytes(&self) -> u64 {
        self.control.bytes()
    }

    /// Sets the seeds of the child tables from number `first` on: their words.
    pub(crate) fn set_seeds(&self, first: u32, seeds: &[[u64; 2]], stream: &CudaStream) -> Result<(), Error> {
        self.upload(self.digits.seeds + 16 * u64::from(first), seeds, stream)?;
        stream.synchronize().map_err(Error::driver("copying seeds"))
    }

    /// Counts the operations of each digit, and waits. Returns where those of each digit begin, and last
    /// where they end.
    pub(crate) fn count(&self, batch: Operations, stream: &CudaStream) -> Result<Vec<u32>, Error> {
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

    /// Queues the move of operations to their digits' places, as [`count`](Self::count) has counted them. If
    /// it is `placed`, the column of numbers gets the place of each operation in the order of the batch, and
    /// not the number of each in the order of their places.
    ///
    /// # Safety
    /// The columns are those of the rows that this was made for, and live until the stream has run this.
    pub(crate) unsafe fn scatter(
        &self,
        batch: Operations,
        (to, placed): (Operations, bool),
        stream: &CudaStream,
    ) -> Result<(), Error> {
        let kernel = &self.kernels.scatter[usize::from(batch.values.is_some())];
        let to = if placed { (Operations { numbers: 0, ..to }, to.numbers) } else { (to, 0) };
        let arguments = Arguments::paged_scatter(batch, self.digits, self.next(), to);
        // SAFETY: the kernel's arguments; the rest is the contract of this function.
        unsafe { self.launch(kernel, self.digits.scatter().0, &arguments, stream) }
    }

    /// Queues the move of answers (codes, values, or null) from the places of operations to the order of the
    /// batch. Values have `bytes` bytes, as keys have.
    ///
    /// # Safety
    /// As [`scatter`](Self::scatter).
    pub(crate) unsafe fn gather(
        &self,
        places: Span<u32>,
        bytes: usize,
        (from, to): ([u64; 2], [u64; 2]),
        stream: &CudaStream,
    ) -> Result<(), Error> {
        let kernel = &self.kernels.gather[usize::from(bytes == size_of::<u64>())];
        // SAFETY: the kernel's arguments; the rest is the contract of this function.
        unsafe { self.launch(kernel, 256, &Arguments::paged_gather(places, from, to), stream) }
    }

    /// Queues arranging the tiles of scattered operations.
    ///
    /// # Safety
    /// As [`scatter`](Self::scatter).
    pub(crate) unsafe fn arrange(
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
    pub(crate) unsafe fn answer(
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
    pub(crate) unsafe fn launch(
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
    pub(crate) fn zero(&self, address: u64, bytes: usize, stream: &CudaStream) -> Result<(), Error> {
        let failed = Error::driver("filling device memory");
        self.faults.call().and_then(|()| stream.context().bind_to_thread()).map_err(&failed)?;
        // SAFETY: of a part of memory that lives until the device was waited for.
        unsafe { result::memset_d8_async(address, 0, bytes, stream.cu_stream()) }.map_err(&failed)
    }

    /// Copies numbers to control words or columns. The caller may change them when this returns.
    pub(crate) fn upload<T: Copy>(
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
    pub(crate) fn download<T: Copy>(
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
}

/// The addresses of the columns.
#[derive(Clone, Copy)]
pub(crate) struct Columns<const SIDES: usize = 2> {
    /// Operations sorted by digits, and arranged.
    pub(crate) sides: [Operations; SIDES],
    /// The codes of the operations.
    pub(crate) codes: u64,
    /// The values of the operations, found values, or counts.
    pub(crate) found: u64,
}

/// Which columns a batch has besides its keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Shape {
    pub(crate) values: bool,
    pub(crate) ops: bool,
}

impl Shape {
    /// Bytes of a value that goes with a key of rows `R`, and of a kind of operation.
    const fn beside<R: Row>(self) -> (usize, usize) {
        (if self.values { size_of::<R::Value>() } else { 0 }, self.ops as usize)
    }

    /// Bytes of the input of an operation.
    pub(crate) const fn staged_bytes<R: Row>(self) -> u64 {
        let (value, op) = self.beside::<R>();
        (size_of::<R::Key>() + value + op) as u64
    }

    /// Bytes of an operation in [`Columns`] of so many sides.
    pub(crate) const fn operation_bytes<R: Row>(self, sides: usize) -> u64 {
        let (value, op) = self.beside::<R>();
        // On each side; and the answer.
        (sides * (size_of::<R::Key>() + value + op + size_of::<u32>()) + 1 + size_of::<R::Value>()) as u64
    }
}

/// The memory of columns, for some number of operations.
pub(crate) struct ColumnMemory {
    array: Option<Array>,
    device: Device,
    faults: Faults,
}

impl ColumnMemory {
    /// No memory yet.
    pub(crate) const fn new(device: Device, faults: Faults) -> Self {
        Self { array: None, device, faults }
    }

    /// Bytes of device memory.
    pub(crate) fn bytes(&self) -> u64 {
        self.array.as_ref().map_or(0, Array::bytes)
    }

    /// The address of the memory, and its bytes.
    pub(crate) fn region(&self) -> (u64, u64) {
        self.array.as_ref().map_or((0, 0), |array| (array.address(), array.bytes()))
    }

    /// Makes room before a batch of `n` operations. It takes `operation` bytes for the columns of each, and
    /// `beside` bytes more. If the columns of larger batches do not leave that much in `budget` bytes, frees
    /// them.
    pub(crate) fn leave_room(&mut self, n: usize, (operation, beside): (u64, u64), budget: u64) {
        let (n, bytes) = (n as u64, self.bytes());
        if bytes > n * operation + COLUMNS * ALIGNED && bytes + n * beside > budget {
            self.device.wait_idle();
            self.array = None;
        }
    }

    /// Columns for a batch of `n` operations on rows `R`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub(crate) fn columns<R: Row, const SIDES: usize>(
        &mut self,
        n: usize,
        shape: Shape,
    ) -> Result<Columns<SIDES>, Error> {
        let bytes = n as u64 * shape.operation_bytes::<R>(SIDES) + COLUMNS * ALIGNED;
        if self.array.as_ref().is_none_or(|array| array.bytes() < bytes) {
            // The old memory is freed first: nothing uses it between batches.
            self.device.wait_idle();
            self.array = None;
            self.faults.memory("columns of a batch", bytes)?;
            self.array = Some(self.device.array("columns of a batch", bytes)?);
        }
        let mut next = self.array.as_ref().map_or(0, Array::address);
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
        let sides = core::array::from_fn(|_| side());
        Ok(Columns { sides, codes: take(1), found: take(size_of::<R::Value>()) })
    }
}

/// A kernel of its own.
///
/// # Errors
/// [`Error::NoKernel`] if the device has none of this name.
pub(crate) fn named(device: &Device, name: String, lanes: u32) -> Result<Kernel, Error> {
    match device.kernel(&name, lanes)? {
        Some(kernel) => Ok(kernel),
        None => Err(Error::NoKernel { kernel: name }),
    }
}

/// Where columns begin, in bytes.
const ALIGNED: u64 = 256;
/// The most columns.
const COLUMNS: u64 = 10;
