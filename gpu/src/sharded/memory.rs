//! The memory of a rank for batches, and how ranks move columns.

use crate::device::Device;
use crate::error::Error;
use crate::faults::Faults;
use crate::sorter::{ColumnMemory, Sorter};
use cudarc::driver::CudaStream;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use warpproof_model::Seed;
use warpproof_model::partition::HashPartitions;
use warpproof_model::sharded::Exchange;

/// An exchange between ranks of which each has a GPU, and which moves columns between their memories.
pub trait DeviceExchange: Exchange {
    /// The memory of this rank for batches, and what moves columns.
    #[doc(hidden)]
    fn memory(&self) -> &Arc<RankMemory>;
}

/// The memory of a rank for batches in device memory. It grows with the largest batch.
pub struct RankMemory {
    pub(super) device: Device,
    /// Where batches run.
    pub(super) stream: Arc<CudaStream>,
    /// Where the items of others are copied, while this rank runs its own.
    pub(super) copies: Arc<CudaStream>,
    /// The most items that one rank sends another one in a round.
    pub(super) most: usize,
    mover: Box<dyn Mover>,
    used: Mutex<Used>,
}

/// Digits of a batch, of all ranks together: the items for a shard come in that many parts of it. Measured
/// (notes/sharded.md).
const DIGITS: u32 = 64;

/// What a batch uses.
pub(super) struct Used {
    /// For keys of 32 bits, and of 64.
    sorters: [Option<Sorter>; 2],
    /// The items of this rank, sorted by owner, and their answers.
    pub(super) own: ColumnMemory,
    /// The items that others sent in a round, and their answers.
    pub(super) others: ColumnMemory,
}

/// A part of a column that one rank has for another one.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Move {
    /// Where the part is in the memory of the rank that has it.
    pub(super) from: u64,
    /// Where it goes in the memory of the rank that takes it. Of a part that is given it says nothing.
    pub(super) to: u64,
    pub(super) bytes: usize,
}

/// Moves columns between the memories of ranks.
pub(super) trait Mover: Send + Sync {
    /// Queues the moves of columns, each with a part for every rank: those that this rank gives, and those
    /// that it takes. All ranks have as many columns. A rank's part for itself has no bytes.
    ///
    /// # Safety
    /// The addresses are those of device memory of these ranks, as long as the parts say. What ranks give is
    /// written, and stays until they know that it was taken. What this rank takes stays until the stream has
    /// run this.
    unsafe fn columns(
        &self,
        stream: &Arc<CudaStream>,
        given: &[Vec<Move>],
        taken: &[Vec<Move>],
    ) -> Result<(), Error>;

    /// Waits for the stream.
    fn wait(&self, stream: &CudaStream) -> Result<(), Error> {
        stream.synchronize().map_err(Error::driver("waiting for the batch of a rank"))
    }

    /// Where this rank's columns of own items (0) or of others' (1) are: the address and the bytes.
    fn tell(&self, _which: usize, _region: (u64, u64)) {}

    /// Takes over memory that other ranks may still read, to be freed when no rank is left.
    fn keep(&self, memory: ColumnMemory) {
        drop(memory);
    }
}

impl RankMemory {
    pub(super) fn new(device: &Device, most: usize, mover: Box<dyn Mover>) -> Result<Arc<Self>, Error> {
        let columns = || ColumnMemory::new(device.clone(), Faults::default());
        Ok(Arc::new(Self {
            device: device.clone(),
            stream: device.new_stream()?,
            copies: device.new_stream()?,
            most: most.clamp(1, u32::MAX as usize),
            mover,
            used: Mutex::new(Used { sorters: [None, None], own: columns(), others: columns() }),
        }))
    }

    /// What batches use. They run one after the other.
    pub(super) fn used(&self) -> MutexGuard<'_, Used> {
        // Columns belong to one batch, and a batch writes them before it reads them.
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn mover(&self) -> &dyn Mover {
        &*self.mover
    }
}

impl Used {
    /// The sorter of keys of so many bytes by the ranks that own them. Neighbours in the shard of a rank,
    /// whose seed is `shard`, become neighbours among the items for it.
    pub(super) fn sorter(
        &mut self,
        device: &Device,
        (owners, shard): (HashPartitions, Seed),
        (key_bytes, stream): (usize, &CudaStream),
    ) -> Result<&Sorter, Error> {
        let place = &mut self.sorters[usize::from(key_bytes == size_of::<u64>())];
        let sorter = match place.take() {
            Some(sorter) => sorter,
            None => {
                let sorter = Sorter::new(
                    device,
                    (owners.count(), owners.seed()),
                    (DIGITS, key_bytes),
                    0,
                    Faults::default(),
                )?;
                sorter.set_seeds(0, &vec![shard.words(); owners.count() as usize], stream)?;
                sorter
            }
        };
        Ok(place.insert(sorter))
    }
}

impl Drop for RankMemory {
    fn drop(&mut self) {
        self.device.wait_idle();
        let empty = || ColumnMemory::new(self.device.clone(), Faults::default());
        let (own, others) = {
            let mut used = self.used();
            let own = core::mem::replace(&mut used.own, empty());
            (own, core::mem::replace(&mut used.others, empty()))
        };
        self.mover.keep(own);
        self.mover.keep(others);
    }
}

impl core::fmt::Debug for RankMemory {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("RankMemory")
            .field("device", &self.device)
            .field("most", &self.most)
            .finish_non_exhaustive()
    }
}
