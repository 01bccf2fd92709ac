//! A board of fingerprints: a byte in device memory for each slot of the child tables.

use super::partition::{self, Partitioner, find_all};
use crate::arguments::paged::WRITE_BOARD;
use crate::arguments::{Argument, Arguments};
use crate::device::{Array, Device};
use crate::error::Error;
use crate::layout::Layout;
use crate::module::Kernel;
use crate::operations::Operation;
use crate::sorter::named;
use crate::structures::open::OpenParts;
use crate::table::{Family, Tuning};
use cudarc::driver::CudaStream;
use warpproof_model::host::OpenGeometry;
use warpproof_model::open::board_words;

/// The board of a paged table, and the kernels that use it.
pub(super) struct Board {
    words: Array,
    /// Words of each child table.
    of_each: u64,
    write: Kernel,
    /// In the order of [`Operation::ALL`].
    operations: Vec<Option<Kernel>>,
    /// Searches of runs of operations on one key.
    runs: Kernel,
    sift: Kernel,
    /// Child tables whose part of the board must be rewritten: other kernels may have changed them.
    stale: Vec<bool>,
}

impl Board {
    /// The board of child tables that are all empty.
    ///
    /// # Errors
    /// [`Error::NoKernel`] for u64 pairs where the device has no 128-bit words; [`Error::OutOfMemory`].
    pub(super) fn new(
        device: &Device,
        (children, size): (u32, OpenGeometry),
        layout: Layout,
        (partitioner, stream): (&Partitioner, &CudaStream),
    ) -> Result<Self, Error> {
        let of_each = board_words(size.slots()) as u64;
        let mut stale = crate::host::room("child tables", children as usize)?;
        stale.resize(children as usize, false);
        // One lane runs an operation, whatever the tuning says.
        let family = family(layout);
        let find = |operation: &str| named(device, family.name(operation, 1), 1);
        let (runs, sift) = (find("search_runs")?, find("sift")?);
        let operations = find_all(&family, device, Tuning { lanes: None, ..Tuning::default() })?;
        let write = named(device, format!("paged_board_{}", layout.name()), 1)?.with_threads(WRITE_BOARD);
        let words = device.array("a board of fingerprints", 4 * of_each * u64::from(children))?;
        let board = Self { words, of_each, write, operations, runs, sift, stale };
        board.clear(partitioner, stream)?;
        Ok(board)
    }

    /// Bytes of device memory.
    pub(super) fn bytes(&self) -> u64 {
        self.words.bytes()
    }

    /// The address of its words.
    pub(super) fn address(&self) -> u64 {
        self.words.address()
    }

    /// The kernel of an operation.
    pub(super) fn kernel(&self, operation: Operation) -> Result<&Kernel, Error> {
        let kernel = self.operations.get(operation as usize).and_then(Option::as_ref);
        kernel.ok_or_else(|| Error::NoKernel { kernel: format!("board {}", operation.name()) })
    }

    /// The kernel that searches, of runs of operations on one key.
    pub(super) fn runs(&self) -> &Kernel {
        &self.runs
    }

    /// The kernel that answers searches of keys that the board shows to be absent.
    pub(super) fn sifts(&self) -> &Kernel {
        &self.sift
    }

    /// Queues filling all of it with zeros: all child tables are empty.
    pub(super) fn clear(&self, partitioner: &Partitioner, stream: &CudaStream) -> Result<(), Error> {
        partitioner.sorter.zero(self.words.address(), 4 * self.of_each as usize * self.stale.len(), stream)
    }

    /// Queues rewriting the part of a child table from its slots at these addresses.
    pub(super) fn write(
        &self,
        (child, parts): (u32, &OpenParts),
        (partitioner, stream): (&Partitioner, &CudaStream),
    ) -> Result<(), Error> {
        let [mask, factor] = parts.seed.words();
        let board = self.words.address() + 4 * self.of_each * u64::from(child);
        let arguments =
            Arguments::paged_board((parts.slots, parts.len), [mask, factor], (board, self.of_each as u32));
        // SAFETY: the kernel's arguments: slots of a child table, and its words of the board. Later work on
        // them waits for this stream.
        unsafe { partitioner.sorter.launch(&self.write, WRITE_BOARD, &arguments, stream) }
    }

    /// Marks the part of a child table, or of all, as stale or not.
    pub(super) fn set_stale(&mut self, child: Option<u32>, stale: bool) {
        match child {
            Some(child) => {
                if let Some(of_child) = self.stale.get_mut(child as usize) {
                    *of_child = stale;
                }
            }
            None => self.stale.fill(stale),
        }
    }

    /// A child table whose part is stale, if there is one.
    pub(super) fn any_stale(&self) -> Option<u32> {
        self.stale.iter().position(|&stale| stale).map(|child| child as u32)
    }
}

/// The names of the kernels of operations.
pub(crate) const fn family(layout: Layout) -> Family {
    Family { structure: "board", ..partition::family(layout, 1) }
}

/// The argument in place of the words of the filter, for kernels that use a board.
pub(super) fn beside(board: Option<&Board>, filter_len: u64) -> Argument {
    board.map_or(Argument::U64(filter_len), |board| Argument::Pointer(board.address()))
}
