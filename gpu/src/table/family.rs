//! The kernels of a table, by name.

use super::Tuning;
use crate::arguments::{Operation, RETRIEVE_LANES, RETRIEVE_THREADS};
use crate::device::Device;
use crate::error::Error;
use crate::layout::Layout;
use crate::module::Kernel;
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
    /// Whether the slots are numbered through, so that whole warps copy its entries whatever the width of a
    /// tile is.
    pub(crate) one_array: bool,
}

/// Threads of a block that fills a partition, and of one that inserts its overflow, which is small.
pub(crate) const FILL_THREADS: u32 = 512;
pub(crate) const INSERT_THREADS: u32 = 64;
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
    /// The kernel of an operation for tiles of `lanes`.
    pub(crate) fn name(&self, operation: &str, lanes: u32) -> String {
        // Whole warps copy slots, whatever slabs or buckets are of.
        let suffix = if self.one_array && lanes == RETRIEVE_LANES { "" } else { self.suffix };
        format!("{}_{}_{operation}_l{lanes}{suffix}", self.structure, self.layout.name())
    }

    /// Lanes of an operation's kernel, unless a tuning says otherwise.
    pub(crate) const fn lanes(&self, operation: Operation) -> u32 {
        match operation {
            Operation::Mixed => self.mixed_lanes,
            _ if self.retrieves(operation) => RETRIEVE_LANES,
            _ if by_partitions(operation) => 1,
            _ => self.lanes,
        }
    }

    /// The kernel that copies all entries by blocks of whole warps.
    fn retrieve_name(&self, operation: Operation, tuning: Tuning) -> String {
        match operation {
            Operation::RetrieveAll => {
                let (name, lanes) = tuning.retrieve.kernel();
                format!("{}_{}_{name}_l{lanes}", self.structure, self.layout.name())
            }
            _ => self.name(operation.name(), RETRIEVE_LANES),
        }
    }

    /// Whether an operation copies entries by blocks of whole warps.
    const fn retrieves(&self, operation: Operation) -> bool {
        self.one_array && matches!(operation, Operation::RetrieveAll | Operation::RetrieveAllInOrder)
    }

    /// The kernel for the operations that the kernel of an operation defers.
    pub(crate) fn deferred_name(&self, operation: Operation) -> String {
        self.name(&format!("{}_deferred", operation.name()), self.lanes)
    }

    /// The last kernel, for the operations that were deferred twice.
    pub(crate) fn last_name(&self, operation: Operation) -> String {
        self.name(&format!("{}_last", operation.name()), self.lanes)
    }

    /// The kernel that a tuning asks for.
    pub(crate) fn tuned_name(&self, operation: Operation, tuning: Tuning) -> String {
        if self.retrieves(operation) {
            return self.retrieve_name(operation, tuning);
        }
        let own = if by_partitions(operation) { None } else { tuning.lanes };
        self.name(operation.name(), own.unwrap_or(self.lanes(operation)))
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
            let kernel = device.kernel(&self.name(operation.name(), common), common)?;
            return Ok(kernel.map(|kernel| match operation {
                Operation::Scatter => kernel.with_span(SCATTERED).with_threads(scatter_threads(self.layout)),
                Operation::ScatterAgain => kernel.with_threads(scatter_threads(self.layout)),
                Operation::Fill => kernel.with_threads(FILL_THREADS),
                _ => kernel.with_threads(INSERT_THREADS),
            }));
        }
        if self.retrieves(operation) {
            // Launched by whole warps, also if its tiles are narrower.
            let kernel = device.kernel(&self.retrieve_name(operation, tuning), common)?;
            return Ok(kernel.map(|kernel| kernel.with_threads(RETRIEVE_THREADS)));
        }
        for lanes in [tuning.lanes.unwrap_or(common), common] {
            let name = self.name(operation.name(), lanes);
            // The driver compiles the other shapes only on demand.
            let kernel = match device.kernel(&name, lanes)? {
                None if lanes != common || !self.suffix.is_empty() => device.tuning_kernel(&name, lanes)?,
                kernel => kernel,
            };
            if kernel.is_some() {
                return Ok(kernel);
            }
        }
        Ok(None)
    }

    /// The kernel for the operations that the kernel of an operation defers, if it defers any, and the last
    /// kernel for those that were deferred again.
    pub(crate) fn find_deferred(
        &self,
        device: &Device,
        operation: Operation,
    ) -> Result<[Option<Kernel>; 2], Error> {
        let find = |name: String| -> Result<_, Error> {
            let kernel = device.kernel(&name, self.lanes)?;
            Ok(kernel.map(|kernel| kernel.with_span(DEFERRED_SPAN)))
        };
        Ok([find(self.deferred_name(operation))?, find(self.last_name(operation))?])
    }
}

/// Whether an operation is a step of a batch that is inserted by partitions, with a thread for each entry.
const fn by_partitions(operation: Operation) -> bool {
    use Operation::{Fill, InsertLost, InsertOverflow, Scatter, ScatterAgain};
    matches!(operation, Scatter | ScatterAgain | Fill | InsertOverflow | InsertLost)
}
