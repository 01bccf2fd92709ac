//! A table in device memory, of any structure: the parts that all maps and sets share.

use crate::arguments::{Arguments, Head};
use crate::device::{Array, Device};
use crate::error::Error;
use crate::module::Kernel;
use crate::operations::Operation;
use crate::retrieve::RetrieveMethod;
use cudarc::driver::{CudaStream, sys};
use std::sync::Arc;

mod family;
mod phases;
mod replaced;
mod users;

#[cfg(test)]
pub(crate) use family::{DEFERRED, LAST};
pub(crate) use family::{
    FILL_THREADS, Family, INSERT_THREADS, LARGE_SLABS, SCATTER_BYTES, scatter_entries, scatter_threads,
};
pub(crate) use replaced::Replaced;
use replaced::{Turn, Turns};
use users::Users;

/// How a table is laid out and how its kernels run. It changes only the speed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tuning {
    /// Lanes per tile. `None` takes the width that was fastest:
    ///
    /// | Table | Lanes |
    /// |---|---|
    /// | all, unless below | [`Layout::lanes`](crate::Layout::lanes) |
    /// | slabs of 16 slots | 4 |
    /// | `HopscotchMap<u32, u32>`, `OpenMap<u32, u32>`: mixed batches | 1 |
    /// | `OpenMap<u64, u64>` by the lock word | 1 |
    /// | `OpenSet<u32>` with slots of up to 96 MiB | 1 |
    /// | `OpenMap<u32, u32>`, `OpenMap<u64, u64>`, `OpenSet<u64>` with slots of up to 256 MiB | 1 |
    ///
    /// Operations that a first kernel defers run at the width of `None` for operations of one kind.
    ///
    /// Other widths, and slabs of 16 slots, are for benches: their kernels are not part of the library
    /// ([`Extra::Tuning`](crate::bench::Extra::Tuning)). With them a `SlabMap<u32, u32>` has kernels for 1,
    /// 2, 4
    /// and 8 lanes at 8 slots per slab, and for 4 and 8 at 16 slots. A `HopscotchMap<u32, u32>` has them for
    /// 1,
    /// 2, 4 and 8: lanes beyond a group would have nothing to read. So has an `OpenMap<u32, u32>` with 8
    /// slots
    /// per bucket; with 4 it has them for 1 lane only. An operation without a kernel for the chosen width
    /// runs
    /// at the width of `None`. At 16 slots there are insert_unique, search, delete, mixed and, at 4 lanes,
    /// flush, stats and pairs; the others are [`Error::NoKernel`].
    pub lanes: Option<u32>,
    /// Threads per block, rounded to a multiple of 32 from 64 to 1024. Blocks of 256 copy all entries of an
    /// open-addressing table.
    pub threads: u32,
    /// Whether 64-bit pairs use the lock-word protocol also if the device has 128-bit words. It has no effect
    /// on sets, nor on hopscotch tables, which have no such protocol.
    pub lock_word: bool,
    /// How `retrieve_all` copies the entries of an open-addressing table to device slices.
    pub retrieve: RetrieveMethod,
}

impl Tuning {
    fn threads(self) -> u32 {
        (self.threads / 32 * 32).clamp(64, 1024)
    }
}

impl Default for Tuning {
    fn default() -> Self {
        Self { lanes: None, threads: 64, lock_word: false, retrieve: RetrieveMethod::default() }
    }
}

/// Words of a table's memory and their value when it is empty.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fill {
    pub(crate) address: u64,
    pub(crate) words: usize,
    pub(crate) word: u32,
}

/// How a table is made.
pub struct Plan {
    /// Its kernels.
    pub(crate) family: Family,
    /// The first arguments of the kernels.
    pub(crate) head: Head,
    /// The fills that make the table empty, in this order.
    pub(crate) fills: Vec<Fill>,
    /// The memory that `head` and `fills` name.
    pub(crate) memory: Vec<Array>,
    /// Set if its updates replace nodes.
    pub(crate) replaced: Option<Replaced>,
}

/// The memory of a table and its kernels.
pub(crate) struct DeviceTable {
    plan: Plan,
    tuning: Tuning,
    /// One per operation, in the order of [`Operation::ALL`]; `None` if the family or tuning has none.
    kernels: Vec<Option<Kernel>>,
    /// What runs after those that defer, to do what they left, and at last.
    deferred: [Option<Kernel>; 2],
    /// If its updates replace nodes.
    turns: Option<Turns>,
    users: Users,
    device: Device,
}

impl DeviceTable {
    /// An empty table.
    ///
    /// # Safety
    ///
    /// The plan's head has the first arguments of the kernels of its family. The memory that it names and
    /// that its fills cover is that of the plan, and nothing else uses it.
    pub(crate) unsafe fn new(device: &Device, plan: Plan, tuning: Tuning) -> Result<Self, Error> {
        let kernels = Operation::ALL
            .map(|operation| plan.family.find(device, operation, tuning))
            .into_iter()
            .collect::<Result<_, _>>()?;
        let deferred = plan.family.find_deferred(device)?;
        let turns = plan.replaced.map(|replaced| Turns::new(device, &plan, replaced)).transpose()?;
        let users = Users::default();
        let mut table = Self { plan, tuning, kernels, deferred, turns, users, device: device.clone() };
        for operation in Operation::ALL.into_iter().filter(|operation| operation.updates()) {
            let at = operation as usize;
            table.kernels[at] = table.kernels[at].take().map(|kernel| table.bounded(kernel)).transpose()?;
        }
        // The last one does not update by tiles with numbers.
        table.deferred[0] = table.deferred[0].take().map(|kernel| table.bounded(kernel)).transpose()?;
        let stream = device.stream();
        table.fill(stream)?;
        // From now on any stream may use the table.
        stream.synchronize().map_err(Error::driver("filling the table"))?;
        Ok(table)
    }

    /// A kernel that updates, with as many tiles as may do so at one time.
    pub(crate) fn bounded(&self, kernel: Kernel) -> Result<Kernel, Error> {
        match self.plan.replaced {
            Some(Replaced { warps, .. }) => kernel.with_most_tiles(warps, self.tuning.threads()),
            None => Ok(kernel),
        }
    }

    /// The table's part of the arguments.
    pub(crate) fn head(&self) -> &Head {
        &self.plan.head
    }

    /// Queues a copy of the memory of a table with memory of the same sizes.
    pub(crate) fn copy_from(&mut self, from: &Self, stream: &CudaStream) -> Result<(), Error> {
        let failed = Error::driver("copying a table");
        stream.context().bind_to_thread().map_err(&failed)?;
        for (to, from) in self.plan.memory.iter().zip(&from.plan.memory) {
            let bytes = to.bytes().min(from.bytes()) as usize;
            // SAFETY: so many bytes of both, which live until `drop`, and that waits for the device.
            unsafe { sys::cuMemcpyAsync(to.address(), from.address(), bytes, stream.cu_stream()) }
                .result()
                .map_err(&failed)?;
        }
        Ok(())
    }

    /// Replaces the table's part of the arguments by another one of the same memory.
    pub(crate) fn set_head(&mut self, head: Head) {
        self.plan.head = head;
    }

    /// The table's kernels.
    pub(crate) fn family(&self) -> &Family {
        &self.plan.family
    }

    /// How its kernels run.
    pub(crate) fn tuning(&self) -> Tuning {
        self.tuning
    }

    /// Bytes of its memory.
    pub(crate) fn bytes(&self) -> u64 {
        self.plan.memory.iter().map(Array::bytes).sum()
    }

    /// The device.
    pub(crate) fn device(&self) -> &Device {
        &self.device
    }

    /// The kernel of an operation.
    pub(crate) fn kernel(&self, operation: Operation) -> Result<&Kernel, Error> {
        match &self.kernels[operation as usize] {
            Some(kernel) => Ok(kernel),
            None => Err(Error::NoKernel { kernel: self.family().tuned_name(operation, self.tuning) }),
        }
    }

    /// The operation that does the same while nothing changes the table, if it has a kernel; otherwise this
    /// one.
    pub(crate) fn frozen(&self, operation: Operation) -> Operation {
        let frozen = Operation::SearchFrozen;
        match operation {
            Operation::Search if self.kernels[frozen as usize].is_some() => frozen,
            other => other,
        }
    }

    /// Queues an operation.
    ///
    /// # Safety
    ///
    /// `arguments` were made by the function of [`Head`] that `operation` belongs to, for this table's key
    /// and value types. The arrays that they point to live until the stream has run the kernel.
    pub(crate) unsafe fn launch(
        &self,
        operation: Operation,
        stream: &Arc<CudaStream>,
        arguments: &Arguments,
    ) -> Result<(), Error> {
        self.kernel(operation)?;
        self.users.used(stream)?;
        // SAFETY: the contract of this function; no caller has exclusive use of the table.
        unsafe { self.queue(operation, stream, arguments) }
    }

    /// Waits until no caller has exclusive use of the table: [`queue`](Self::queue) needs that.
    pub(crate) fn ready(&self) -> Result<(), Error> {
        self.users.ready()
    }

    /// Queues an operation of a call that does not return before `stream` has run it.
    ///
    /// # Safety
    ///
    /// As [`launch`](Self::launch), and the call was [`ready`](Self::ready) before.
    pub(crate) unsafe fn queue(
        &self,
        operation: Operation,
        stream: &Arc<CudaStream>,
        arguments: &Arguments,
    ) -> Result<(), Error> {
        let kernel = self.kernel(operation)?;
        let family = self.family();
        let left = match family.defers(operation) {
            true => arguments.left(operation, self.head(), family.layout),
            false => None,
        };
        // SAFETY: `Head` gives number, order and types and has checked the lengths; the rest is the contract
        // of this function.
        unsafe { self.queue_kernels((kernel, left.as_ref()), operation.updates(), stream, arguments) }
    }

    /// Queues a kernel, and with the arguments `left` those that do what it defers. Where `updates` replace
    /// nodes, in parts.
    ///
    /// # Safety
    ///
    /// The arguments are those of the kernel, on this table, and `left` what [`Arguments::left`] makes of
    /// them. The arrays behind them live until `stream` has run the kernels.
    pub(crate) unsafe fn queue_kernels(
        &self,
        (kernel, left): (&Kernel, Option<&Arguments>),
        updates: bool,
        stream: &Arc<CudaStream>,
        arguments: &Arguments,
    ) -> Result<(), Error> {
        let (threads, all) = (self.tuning.threads(), arguments.tiles);
        let turn = self.turns.as_ref().map(|turns| turns.turn(stream)).transpose()?;
        let replaces = turn.as_ref().filter(|_| updates);
        // As many at a time as there are nodes for.
        let most = replaces.map_or(all, Turn::part);
        let mut first = 0;
        while first < all {
            let part = first..all.min(first + most);
            first = part.end;
            // SAFETY: the contract of this function; the table's own memory lives until `drop`, which waits
            // for the device.
            let run = |kernel: &Kernel, arguments| unsafe {
                kernel.launch_part(stream, threads, arguments, part.clone())
            };
            run(kernel, arguments)?;
            // The stream runs what is deferred after the first kernel.
            let [deferred, last] = &self.deferred;
            let again = |kernel: &Option<Kernel>| match (kernel, left) {
                (Some(kernel), Some(left)) => run(kernel, left),
                _ => Ok(()),
            };
            for _ in 0..replaces.map_or(1, Turn::passes) {
                if let Some(turn) = replaces {
                    turn.reclaim(stream, threads)?;
                }
                again(deferred)?;
            }
            again(last)?;
        }
        Ok(())
    }

    /// Waits for our own stream, where `operation` was the last to run.
    pub(crate) fn wait(&self, operation: Operation) -> Result<(), Error> {
        match self.device.stream().synchronize() {
            Ok(()) => Ok(()),
            Err(error) => Err(self.kernel(operation)?.fault(error)),
        }
    }
}

impl Drop for DeviceTable {
    fn drop(&mut self) {
        // Callers' streams may still use the memory, which is freed after this.
        self.device.wait_idle();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_numbered_as_listed() {
        for (number, operation) in Operation::ALL.into_iter().enumerate() {
            assert_eq!(operation as usize, number);
        }
    }

    #[test]
    fn blocks_are_of_whole_warps() {
        let threads = |threads| Tuning { threads, ..Tuning::default() }.threads();
        assert_eq!([0, 64, 100, 128, 5_000].map(threads), [64, 64, 96, 128, 1024]);
    }
}
