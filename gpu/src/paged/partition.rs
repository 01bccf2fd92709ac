//! Partitions a batch by child tables: the kernels, and their device memory.

use crate::arguments::paged::{Operations, SIFT, TALLY_THREADS};
use crate::arguments::{Argument, Arguments, Head};
use crate::device::Device;
use crate::error::Error;
use crate::faults::Faults;
use crate::layout::Layout;
use crate::module::Kernel;
use crate::operations::Operation;
use crate::row::Row;
use crate::sorter::{ColumnMemory, Sorter, named};
use crate::structures::open::sizes;
use crate::table::{Family, Tuning};
use cudarc::driver::CudaStream;
use warpproof_model::Seed;
use warpproof_model::host::OpenGeometry;
use warpproof_model::paged::partition::TALLIES;
use warpproof_model::paged::routed::HEAD;

/// Digits for keys of few child tables, so that neighbours in a batch are neighbours in a child table before
/// its tiles are arranged. Not tuned.
const DIGITS: u32 = 1024;

/// The kernels, besides those that sort.
struct Kernels {
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
    /// Sorts operations by child tables. Beside its own numbers it has tallies and places of child tables.
    pub(super) sorter: Sorter,
    pub(super) columns: ColumnMemory,
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
        // As many as in one table of the size of all of them.
        let slots = size.slots() as u64 * u64::from(children);
        let in_frames = sizes::family((layout, false), (slots, size.bucket_slots)).lanes;
        let routed = |lanes| routed(device, layout, tuning, lanes);
        let beside = u64::from(children) * 8 * (TALLIES + HEAD) as u64;
        let sorter =
            Sorter::new(device, (children, seed), (DIGITS, size_of::<R::Key>()), beside, faults.clone())?;
        let kernels = Kernels {
            tally: named(device, "paged_tally".into(), 1)?.with_span(1).with_threads(TALLY_THREADS),
            routed: [routed(in_frames)?, routed(LANES_IN_PLACE)?],
            runs: named(
                device,
                family(layout, LANES_IN_PLACE).name("search_runs", LANES_IN_PLACE),
                LANES_IN_PLACE,
            )?,
        };
        Ok(Self { kernels, sorter, columns: ColumnMemory::new(device.clone(), faults) })
    }

    fn tallies(&self) -> u64 {
        self.sorter.beside()
    }

    fn heads(&self) -> u64 {
        self.tallies() + 8 * TALLIES as u64 * u64::from(self.sorter.children())
    }

    /// Bytes of device memory.
    pub(super) fn bytes(&self) -> u64 {
        self.sorter.bytes() + self.columns.bytes()
    }

    /// Sets the places of the child tables from number `first` on; all have one size. Returns the first
    /// arguments of the kernel of an operation on them.
    pub(super) fn set_heads(
        &self,
        (first, heads): (u32, &[[u64; HEAD]]),
        size: (u64, Argument, u32),
        stream: &CudaStream,
    ) -> Result<Head, Error> {
        self.sorter.upload(self.heads() + 8 * HEAD as u64 * u64::from(first), heads, stream)?;
        Ok(head((self.heads(), self.sorter.children()), self.sorter.seed(), size))
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
        self.sorter.zero(left, size_of::<u32>(), stream)?;
        // SAFETY: the contract of this function.
        unsafe { self.sorter.launch(kernel, SIFT, &arguments.sift(to, left), stream)? };
        let mut n = [0u32];
        self.sorter.download(&mut n, left, stream)?;
        Ok(n[0])
    }

    /// Counts the outcomes of operations, by their codes, and waits: `tallies` gets for each child table how
    /// many stored an entry, deleted one, and found no room.
    ///
    /// # Safety
    /// As [`Sorter::scatter`].
    pub(super) unsafe fn tally(
        &self,
        of: (u64, u64, u8),
        tallies: &mut [[u64; TALLIES]],
        stream: &CudaStream,
    ) -> Result<(), Error> {
        let children = self.sorter.children();
        self.sorter.zero(self.tallies(), children as usize * 8 * TALLIES, stream)?;
        let arguments = Arguments::paged_tally(of, (self.sorter.starts(), children), self.tallies());
        // SAFETY: the kernel's arguments; the rest is the contract of this function.
        unsafe { self.sorter.launch(&self.kernels.tally, TALLY_THREADS, &arguments, stream)? };
        self.sorter.download(tallies, self.tallies(), stream)
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
    Family::new("paged", layout, lanes)
}

/// The kernels of operations on child tables at their places.
fn routed(device: &Device, layout: Layout, tuning: Tuning, lanes: u32) -> Result<Vec<Option<Kernel>>, Error> {
    find_all(&family(layout, lanes), device, tuning)
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
