//! The kernels of a table, by name.

use super::Tuning;
use crate::arguments::{RETRIEVE_LANES, RETRIEVE_THREADS};
use crate::device::Device;
use crate::error::Error;
use crate::layout::Layout;
use crate::module::Kernel;
use crate::operations::Operation;
use crate::retrieve::RetrieveMethod;
use warpproof_model::map::DEFERRED_SPAN;

/// The common parts of the names of a table's kernels.
#[derive(Clone, Debug)]
pub(crate) struct Family {
    /// The structure's part of the names.
    pub(crate) structure: &'static str,
    /// The layout.
    pub(crate) layout: Layout,
    /// The end of the names, if slabs or buckets are not of the library's size.
    pub(crate) suffix: &'static str,
    /// The usual lanes of the kernels.
    pub(crate) lanes: u32,
    /// Lanes of mixed batches.
    pub(crate) mixed_lanes: u32,
    /// Whether the table is larger than an L2 cache. Then kernels come first that ask the cache to keep the
    /// words of a filter or of locks, if there are such.
    pub(crate) large: bool,
    /// Whether the slots are numbered through, so that whole warps copy its entries whatever the width of a
    /// tile is.
    pub(crate) one_array: bool,
}

/// What the names of kernels end in that ask the L2 cache to keep some words.
const KEPT: &str = "_kept";
/// What the names of kernels end in on slabs or buckets of 16 slots.
pub(crate) const LARGE_SLABS: &str = "_x16";
/// The parts of names of the kernels that do what others leave.
pub(crate) const DEFERRED: &str = "deferred";
pub(crate) const LAST: &str = "last";

/// Threads of a block that fills a partition, and of one that inserts what it had no room for, which is
/// little.
pub(crate) const FILL_THREADS: u32 = 512;
pub(crate) const INSERT_THREADS: u32 = 64;
/// Threads of a block that adds up the sums of equal keys.
const SUM_THREADS: u32 = 512;
/// Entries that a thread puts into partitions.
const SCATTERED: u32 = 4;
/// Bytes of the entries that a block puts into partitions.
pub(crate) const SCATTER_BYTES: u32 = 16 << 10;

/// How many entries these are.
pub(crate) const fn scatter_entries(layout: Layout) -> u32 {
    SCATTER_BYTES / layout.slot_bytes()
}

/// Threads of such a block.
pub(crate) const fn scatter_threads(layout: Layout) -> u32 {
    scatter_entries(layout) / SCATTERED
}

impl Family {
    /// The kernels of a structure that all have so many lanes, whatever the size of the table is.
    pub(crate) const fn new(structure: &'static str, layout: Layout, lanes: u32) -> Self {
        Self { structure, layout, suffix: "", lanes, mixed_lanes: lanes, large: false, one_array: false }
    }

    /// The kernel of an operation for tiles of `lanes`, by the operation's part of the name.
    pub(crate) fn name(&self, operation: &str, lanes: u32) -> String {
        format!("{}_{}_{operation}_l{lanes}{}", self.structure, self.layout.name(), self.suffix)
    }

    /// The kernel of an operation for tiles of `lanes`. One that only looks at slots serves all tables that
    /// have the same slots.
    pub(crate) fn kernel_name(&self, operation: Operation, lanes: u32) -> String {
        self.serving(operation).name(operation.name(), lanes)
    }

    /// The kernel of this name. Of a large table it is the one that keeps some words in the cache, if there
    /// is one.
    fn kernel(&self, device: &Device, name: &str, lanes: u32) -> Result<Option<Kernel>, Error> {
        if self.large
            && let Some(kernel) = device.kernel(&format!("{name}{KEPT}"), lanes)?
        {
            return Ok(Some(kernel));
        }
        device.kernel(name, lanes)
    }

    /// Whose kernel of an operation it is.
    fn serving(&self, operation: Operation) -> Self {
        use Operation::{FillFilter, Flush, RetrieveAll, RetrieveAllInOrder, Scatter, ScatterAgain, Stats};
        // Whole warps copy slots, and threads take one slot or entry each, whatever buckets are of.
        let whole = self.retrieves(operation) || matches!(operation, Scatter | ScatterAgain | FillFilter);
        let suffix = if whole { "" } else { self.suffix };
        let looks = matches!(operation, Flush | RetrieveAll | RetrieveAllInOrder | Stats);
        // Only where keys move has a bucket of u64 pairs eight slots.
        let own = operation == Stats && self.layout == Layout::Map64;
        let structure = if looks && self.structure == "cuckoo" && !own { "open" } else { self.structure };
        let layout = if looks && self.structure == "slab" { self.layout.unique() } else { self.layout };
        Self { structure, layout, suffix, ..self.clone() }
    }

    /// Lanes of an operation's kernel, unless a tuning says otherwise.
    pub(crate) fn lanes(&self, operation: Operation) -> u32 {
        match operation {
            Operation::Mixed => self.mixed_lanes,
            _ if self.retrieves(operation) => RETRIEVE_LANES,
            _ if by_partitions(operation) => 1,
            Operation::FillFilter => 1,
            // What runs seldom has one width for all sizes of a table with the same buckets.
            Operation::Absorb if self.moves(Layout::Map32) && self.suffix.is_empty() => self.layout.lanes(),
            Operation::Stats
                if self.one_array && self.suffix != LARGE_SLABS && !self.moves(Layout::Map64) =>
            {
                1
            }
            _ => self.lanes,
        }
    }

    /// Whether it is a cuckoo table of this layout.
    const fn moves(&self, layout: Layout) -> bool {
        matches!(self.structure.as_bytes(), b"cuckoo") && self.layout as u8 == layout as u8
    }

    /// The kernel that copies all entries by blocks of whole warps.
    fn retrieve_name(&self, operation: Operation, tuning: Tuning) -> String {
        match operation {
            Operation::RetrieveAll => {
                let (name, lanes) = tuning.retrieve.kernel();
                self.serving(operation).name(name, lanes)
            }
            _ => self.kernel_name(operation, RETRIEVE_LANES),
        }
    }

    /// Whether an operation copies entries by blocks of whole warps.
    const fn retrieves(&self, operation: Operation) -> bool {
        self.one_array && matches!(operation, Operation::RetrieveAll | Operation::RetrieveAllInOrder)
    }

    /// Whether the kernel of an operation leaves some of a batch to `deferred`.
    pub(crate) fn defers(&self, operation: Operation) -> bool {
        let inserts = operation != Operation::Delete;
        match operation {
            Operation::InsertOrUpdate => self.leaves_sums(),
            _ => {
                operation.updates()
                    && (self.structure == "waitfree" || inserts && matches!(self.structure, "hop" | "cuckoo"))
            }
        }
    }

    /// Whether sums that lost an exchange are left, and then those of equal keys in a block become one.
    fn leaves_sums(&self) -> bool {
        self.structure == "open" && self.layout == Layout::Map64
    }

    /// Lanes of the kernel that does what others defer.
    pub(crate) fn deferred_lanes(&self) -> u32 {
        // A thread for each sum, on tables of all sizes.
        if self.leaves_sums() { 1 } else { self.lanes }
    }

    /// The kernel that a tuning asks for.
    pub(crate) fn tuned_name(&self, operation: Operation, tuning: Tuning) -> String {
        if self.retrieves(operation) {
            return self.retrieve_name(operation, tuning);
        }
        let own = if by_partitions(operation) { None } else { tuning.lanes };
        self.kernel_name(operation, own.unwrap_or(self.lanes(operation)))
    }

    /// The kernel for the tuning's width, or else for the usual one.
    pub(crate) fn find(
        &self,
        device: &Device,
        operation: Operation,
        tuning: Tuning,
    ) -> Result<Option<Kernel>, Error> {
        let common = self.lanes(operation);
        if by_partitions(operation) {
            let kernel = self.kernel(device, &self.kernel_name(operation, common), common)?;
            return Ok(kernel.map(|kernel| match operation {
                Operation::Scatter => kernel.with_span(SCATTERED).with_threads(scatter_threads(self.layout)),
                Operation::ScatterAgain => kernel.with_threads(scatter_threads(self.layout)),
                Operation::Fill => kernel.with_threads(FILL_THREADS),
                _ => kernel.with_threads(INSERT_THREADS),
            }));
        }
        if self.retrieves(operation) {
            // Launched by whole warps, also where its tiles are narrower.
            let name = self.retrieve_name(operation, tuning);
            let kernel = match device.kernel(&name, common)? {
                None if tuning.retrieve != RetrieveMethod::default() => {
                    device.tuning_kernel(&name, common)?
                }
                kernel => kernel,
            };
            return Ok(kernel.map(|kernel| kernel.with_threads(RETRIEVE_THREADS)));
        }
        for lanes in [tuning.lanes.unwrap_or(common), common] {
            let name = self.kernel_name(operation, lanes);
            // The driver compiles the other shapes only when one of them is asked for.
            let kernel = match self.kernel(device, &name, lanes)? {
                None if lanes != common || self.structure == "slab" && self.suffix == LARGE_SLABS => {
                    device.tuning_kernel(&name, lanes)?
                }
                kernel => kernel,
            };
            if kernel.is_some() {
                return Ok(kernel);
            }
        }
        Ok(None)
    }

    /// The kernel that does what others defer, if any does, and the one that ends what that one deferred
    /// again.
    pub(crate) fn find_deferred(&self, device: &Device) -> Result<[Option<Kernel>; 2], Error> {
        let find = |step: &str| -> Result<_, Error> {
            let lanes = self.deferred_lanes();
            let kernel = device.kernel(&self.name(step, lanes), lanes)?;
            let kernel = kernel.map(|kernel| kernel.with_span(DEFERRED_SPAN));
            Ok(if self.leaves_sums() {
                kernel.map(|kernel| kernel.with_threads(SUM_THREADS))
            } else {
                kernel
            })
        };
        Ok([find(DEFERRED)?, find(LAST)?])
    }
}

/// Whether an operation is a step of a batch that is inserted by partitions, with a thread for each entry.
const fn by_partitions(operation: Operation) -> bool {
    use Operation::{Fill, InsertLost, InsertOverflow, Scatter, ScatterAgain};
    matches!(operation, Scatter | ScatterAgain | Fill | InsertOverflow | InsertLost)
}
