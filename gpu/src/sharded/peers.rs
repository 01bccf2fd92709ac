//! Ranks that are threads of one process, and copy from each other's memory.

use super::memory::{DeviceExchange, Move, Mover, RankMemory};
use crate::device::Device;
use crate::error::Error;
use crate::sorter::ColumnMemory;
use cudarc::driver::sys::{self, CUresult};
use cudarc::driver::{CudaContext, CudaStream, DriverError, result};
use std::sync::{Arc, Mutex, PoisonError};
use warpproof_model::host::Refused;
use warpproof_model::sharded::{Exchange, Lost, Why};

/// One rank's end of an exchange between the GPUs of a process: a rank is a thread, with a GPU of its own or
/// one that it shares with other ranks. Items and answers are copied from GPU to GPU, over NVLink where there
/// is one; `X` is an exchange between the threads, for the messages that say where they are.
#[derive(Debug)]
pub struct Peers<X> {
    control: X,
    memory: Arc<RankMemory>,
}

impl<X: Exchange> Peers<X> {
    /// The most items that one rank sends another one in a round, unless [`ranks_with`](Self::ranks_with)
    /// says otherwise.
    pub const MOST: usize = 1 << 26;

    /// The ends of ranks with these devices; `ends` are their ends of an exchange between the threads.
    ///
    /// # Errors
    /// [`Error::Refused`] if there are not as many ends as devices; [`Error::OutOfMemory`],
    /// [`Error::Driver`].
    pub fn ranks(devices: &[Device], ends: Vec<X>) -> Result<Vec<Self>, Error> {
        Self::ranks_with(devices, ends, Self::MOST)
    }

    /// The ends of ranks which send at most `most` items to one rank in a round: what a batch has beyond them
    /// takes more rounds. Of device memory, a rank takes for its items and answers 4 bytes and the bytes of
    /// an entry and of an answer for each operation of its largest batch, and the same without the 4 bytes
    /// for each operation that others send it in a round.
    ///
    /// # Errors
    /// As [`ranks`](Self::ranks).
    pub fn ranks_with(devices: &[Device], ends: Vec<X>, most: usize) -> Result<Vec<Self>, Error> {
        if ends.len() != devices.len() {
            let (keys, found) = (devices.len(), ends.len());
            return Err(Refused::Length { keys, what: "ends of an exchange", found }.into());
        }
        enable_access(devices)?;
        let contexts: Arc<[_]> = devices.iter().map(|device| device.context().clone()).collect();
        let kept = Arc::default();
        let regions = Arc::new(Mutex::new(vec![[(0, 0); 2]; devices.len()]));
        devices
            .iter()
            .zip(ends)
            .enumerate()
            .map(|(rank, (device, control))| {
                let (contexts, kept, regions) =
                    (Arc::clone(&contexts), Arc::clone(&kept), Arc::clone(&regions));
                let mover = PeerCopies { rank, contexts, kept, regions };
                Ok(Self { control, memory: RankMemory::new(device, most, Box::new(mover))? })
            })
            .collect()
    }

    /// The device of this rank.
    pub fn device(&self) -> &Device {
        &self.memory.device
    }
}

/// Lets the devices of all pairs access each other's memory, where they can. Otherwise the driver copies
/// through host memory.
fn enable_access(devices: &[Device]) -> Result<(), Error> {
    let failed = Error::driver("letting a device access the memory of another one");
    let pairs = devices.iter().flat_map(|from| devices.iter().map(move |to| (from, to)));
    for (from, to) in pairs.filter(|(from, to)| from.ordinal() != to.ordinal()) {
        let (from, to) = (from.context(), to.context());
        let mut can = 0;
        // SAFETY: the call writes one integer.
        unsafe { sys::cuDeviceCanAccessPeer(&raw mut can, from.cu_device(), to.cu_device()) }
            .result()
            .map_err(&failed)?;
        if can == 0 {
            continue;
        }
        from.bind_to_thread().map_err(&failed)?;
        // SAFETY: both contexts are alive, and the flags are the only ones that there are.
        match unsafe { sys::cuCtxEnablePeerAccess(to.cu_ctx(), 0) }.result() {
            Ok(()) | Err(DriverError(CUresult::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED)) => {}
            Err(error) => return Err(failed(error)),
        }
    }
    Ok(())
}

impl<X: Exchange> Exchange for Peers<X> {
    fn rank(&self) -> u32 {
        self.control.rank()
    }

    fn ranks(&self) -> u32 {
        self.control.ranks()
    }

    fn bin_words(&self) -> usize {
        self.control.bin_words()
    }

    fn all_to_all(&mut self, messages: &mut [Vec<u64>]) -> Result<(), Lost> {
        self.control.all_to_all(messages)
    }

    fn lose(&mut self, why: Why, rank: u32) -> Lost {
        self.control.lose(why, rank)
    }
}

impl<X: Exchange> DeviceExchange for Peers<X> {
    fn memory(&self) -> &Arc<RankMemory> {
        &self.memory
    }
}

/// Address and bytes of two columns.
type Regions = [(u64, u64); 2];

/// Copies from the memories of other ranks.
struct PeerCopies {
    rank: usize,
    contexts: Arc<[Arc<CudaContext>]>,
    /// Where the columns of each rank are: address and bytes, of its own items and of others'. A rank reads
    /// there alone, whatever a message says.
    regions: Arc<Mutex<Vec<Regions>>>,
    /// Memory of ranks that are gone, which others may still read.
    kept: Arc<Mutex<Vec<ColumnMemory>>>,
}

impl PeerCopies {
    /// Whether a part is in the columns of a rank.
    fn is_of(&self, rank: usize, part: &Move) -> bool {
        let regions = self.regions.lock().unwrap_or_else(PoisonError::into_inner);
        let inside = |&(address, bytes): &(u64, u64)| {
            let end = part.from.checked_add(part.bytes as u64);
            address <= part.from && end.is_some_and(|end| end <= address + bytes)
        };
        regions.get(rank).is_some_and(|regions| regions.iter().any(inside))
    }
}

impl Mover for PeerCopies {
    /// # Safety
    /// As in the trait.
    unsafe fn columns(
        &self,
        stream: &Arc<CudaStream>,
        _: &[Vec<Move>],
        taken: &[Vec<Move>],
    ) -> Result<(), Error> {
        let failed = Error::driver("copying from the memory of another rank");
        stream.context().bind_to_thread().map_err(&failed)?;
        let here = &self.contexts[self.rank];
        for column in taken {
            // Each rank begins with the one after it, so that not all read from one.
            let (before, after) = column.split_at(self.rank.min(column.len()));
            let ranks = (self.rank..column.len()).chain(0..self.rank);
            for (rank, part) in ranks.zip(after.iter().chain(before)).filter(|(_, part)| part.bytes > 0) {
                if !self.is_of(rank, part) {
                    return Err(failed(DriverError(CUresult::CUDA_ERROR_INVALID_VALUE)));
                }
                let there = &self.contexts[rank];
                // SAFETY: the contract of this function.
                let copied = unsafe {
                    if there.cu_device() == here.cu_device() {
                        result::memcpy_dtod_async(part.to, part.from, part.bytes, stream.cu_stream())
                    } else {
                        let (to, from) = (here.cu_ctx(), there.cu_ctx());
                        let stream = stream.cu_stream();
                        result::memcpy_peer_async(to, part.to, from, part.from, part.bytes, stream)
                    }
                };
                copied.map_err(&failed)?;
            }
        }
        Ok(())
    }

    fn tell(&self, which: usize, region: (u64, u64)) {
        let mut regions = self.regions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(of) = regions.get_mut(self.rank).and_then(|of| of.get_mut(which)) {
            *of = region;
        }
    }

    fn keep(&self, memory: ColumnMemory) {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).push(memory);
    }
}
