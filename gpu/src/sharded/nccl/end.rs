//! One rank's end of an exchange over NCCL.

use super::id::{NcclId, Place};
use super::library::{Comm, Functions, functions};
use crate::device::{Array, Device};
use crate::error::Error;
use crate::sharded::memory::{DeviceExchange, Move, Mover, RankMemory};
use cudarc::driver::{CudaStream, PinnedHostSlice, result};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use warpproof_model::host::Refused;
use warpproof_model::sharded::{Exchange, Lost, Why};

/// The limits of an exchange. All ranks have the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NcclLimits {
    /// Words of a message of a batch on host slices: a bin.
    pub bin_words: usize,
    /// The most items that one rank sends another one in a round of a batch on device slices.
    pub most: usize,
    /// The longest time that a rank waits for the others.
    pub time: Duration,
}

impl Default for NcclLimits {
    /// Bins of 2^16 words, rounds of 2^26 items, and a minute.
    fn default() -> Self {
        Self { bin_words: 1 << 16, most: 1 << 26, time: Duration::from_secs(60) }
    }
}

/// One rank's end of an exchange over NCCL: a process of its own with a GPU, on this host or another one.
///
/// If a rank does not come, each of the others learns that by its own time limit: its communicator is then
/// ended, and all its later calls return the same error.
#[derive(Debug)]
pub struct Nccl {
    rank: u32,
    ranks: u32,
    limits: NcclLimits,
    line: Arc<Line>,
    memory: Arc<RankMemory>,
    staging: Staging,
    /// The number of the last message.
    number: u32,
    lost: Option<Lost>,
}

impl Nccl {
    /// The end of `rank` among `ranks`, all of which call this with one id.
    ///
    /// # Errors
    /// [`Error::NoNccl`], [`Error::Nccl`], also if not all ranks come in time; [`Error::Refused`] if there is
    /// no such rank; [`Error::OutOfMemory`], [`Error::Driver`].
    pub fn new(
        device: &Device,
        (rank, ranks): (u32, u32),
        id: NcclId,
        limits: NcclLimits,
    ) -> Result<Self, Error> {
        if rank >= ranks || ranks > i32::MAX as u32 {
            let (found, most) = (rank.into(), u64::from(ranks).saturating_sub(1));
            return Err(Refused::TooLarge { what: "number of a rank", found, most }.into());
        }
        let functions = functions()?;
        device.context().bind_to_thread().map_err(Error::driver("taking a device's context"))?;
        let comm = functions.begin((rank, ranks), id.raw())?;
        let line = Arc::new(Line { functions, comm: Mutex::new(Some(SendComm(comm))), time: limits.time });
        line.until_ready("finding the other ranks")?;
        let mover = NcclMoves { line: Arc::clone(&line) };
        let memory = RankMemory::new(device, limits.most, Box::new(mover))?;
        let staging = Staging::new(device, ranks as usize, limits.bin_words)?;
        Ok(Self { rank, ranks, limits, line, memory, staging, number: 0, lost: None })
    }

    /// The end of this process, whose launcher tells it its rank, how many there are, and its number on its
    /// host: torchrun, mpirun or srun. It takes the GPU of that number. The ranks find each other by a file
    /// ([`NcclId::by_file`]).
    ///
    /// # Errors
    /// As [`new`](Self::new), [`NcclId::by_file`] and [`Device::open`]; [`Error::Ranks`] if there is no
    /// launcher.
    pub fn from_launcher(id_file: &Path, limits: NcclLimits) -> Result<Self, Error> {
        let Place { rank, ranks, local } = Place::from_launcher(|name| std::env::var(name).ok())?;
        let device = Device::open(local as usize)?;
        let id = NcclId::by_file(id_file, rank, limits.time)?;
        Self::new(&device, (rank, ranks), id, limits)
    }

    /// The device of this rank.
    pub fn device(&self) -> &Device {
        &self.memory.device
    }

    /// Sends messages of at most a bin, and gets those of others in their place.
    fn exchange(&mut self, messages: &mut [Vec<u64>]) -> Result<(), Failure> {
        let bin = self.limits.bin_words;
        if messages.len() != self.ranks as usize || messages.iter().any(|message| message.len() > bin) {
            return Err(Failure::Malformed(self.rank));
        }
        let (own, peers) = (self.rank, self.ranks);
        let peers = || (0..peers).filter(move |&peer| peer != own);
        // First the length of each message and its first words, and then the rest of those that have more.
        for peer in peers() {
            let message = &messages[peer as usize];
            let first = self.staging.outgoing(peer, HEAD)?;
            first.fill(0);
            first[0] = message.len() as u64;
            let some = message.len().min(HEAD - 1);
            first[1..=some].copy_from_slice(&message[..some]);
        }
        let all: Vec<(u32, usize)> = peers().map(|peer| (peer, HEAD)).collect();
        self.staging.round(&self.line, &self.memory.stream, &all, &all)?;
        let mut sends = Vec::new();
        let mut receives = Vec::new();
        for peer in peers() {
            let message = &mut messages[peer as usize];
            let rest = message.get(HEAD - 1..).unwrap_or(&[]);
            if !rest.is_empty() {
                sends.push((peer, rest.len()));
            }
            let (len, some) = {
                let received = self.staging.incoming(peer, HEAD)?;
                let len = usize::try_from(received[0]).ok().filter(|&len| len <= bin);
                let len = len.ok_or(Failure::Malformed(peer))?;
                let mut some = [0; HEAD - 1];
                some.copy_from_slice(&received[1..]);
                (len, some)
            };
            if !rest.is_empty() {
                // The first words have been sent.
                self.staging.outgoing(peer, rest.len())?.copy_from_slice(rest);
            }
            message.clear();
            message.extend_from_slice(&some[..len.min(HEAD - 1)]);
            if len > HEAD - 1 {
                receives.push((peer, len - (HEAD - 1)));
            }
        }
        // Both ends of a pair know whether there is a rest.
        if !sends.is_empty() || !receives.is_empty() {
            self.staging.round(&self.line, &self.memory.stream, &sends, &receives)?;
        }
        for (peer, words) in receives {
            messages[peer as usize].extend_from_slice(self.staging.incoming(peer, words)?);
        }
        Ok(())
    }
}

/// Words that all ranks send each other at first: the length of a message, and its first words.
const HEAD: usize = 8;

/// Why messages were not exchanged.
enum Failure {
    /// The message of a rank is not what it should be.
    Malformed(u32),
    /// A call failed, or did not end in time.
    Line(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Line(error)
    }
}

impl Exchange for Nccl {
    fn rank(&self) -> u32 {
        self.rank
    }

    fn ranks(&self) -> u32 {
        self.ranks
    }

    fn bin_words(&self) -> usize {
        self.limits.bin_words
    }

    fn all_to_all(&mut self, messages: &mut [Vec<u64>]) -> Result<(), Lost> {
        if let Some(lost) = self.lost {
            return Err(lost);
        }
        self.number = self.number.wrapping_add(1);
        self.exchange(messages).map_err(|failure| match failure {
            Failure::Malformed(rank) => self.lose(Why::Malformed, rank),
            Failure::Line(Error::Nccl { code: super::library::IN_PROGRESS, .. }) => {
                self.lose(Why::Alone, self.rank)
            }
            Failure::Line(_) => self.lose(Why::Failed, self.rank),
        })
    }

    fn lose(&mut self, why: Why, rank: u32) -> Lost {
        self.line.end();
        *self.lost.get_or_insert(Lost { why, rank, message: self.number })
    }
}

impl DeviceExchange for Nccl {
    fn memory(&self) -> &Arc<RankMemory> {
        &self.memory
    }
}

/// A communicator that threads may pass on: calls on it are made one at a time.
struct SendComm(Comm);

// SAFETY: NCCL allows calls from any thread, one at a time.
unsafe impl Send for SendComm {}

/// The communicator of a rank.
struct Line {
    functions: &'static Functions,
    /// `None` after it was ended.
    comm: Mutex<Option<SendComm>>,
    time: Duration,
}

/// The error of a call that does not end in its time limit.
const fn late(what: &'static str) -> Error {
    Error::Nccl { what, code: super::library::IN_PROGRESS }
}

impl Line {
    /// Runs `call` on the communicator.
    fn with<T>(&self, call: impl FnOnce(&Functions, Comm) -> Result<T, Error>) -> Result<T, Error> {
        let comm = self.comm.lock().unwrap_or_else(PoisonError::into_inner);
        match &*comm {
            Some(comm) => call(self.functions, comm.0),
            None => Err(Error::Ranks("the exchange of the ranks is lost".into())),
        }
    }

    /// Waits until all calls have been queued.
    fn until_ready(&self, what: &'static str) -> Result<(), Error> {
        let start = Instant::now();
        // SAFETY: the communicator is alive.
        while !self.with(|functions, comm| unsafe { functions.is_ready(comm, what) })? {
            if start.elapsed() >= self.time {
                self.end();
                return Err(late(what));
            }
            std::thread::yield_now();
        }
        Ok(())
    }

    /// Waits for a stream on which ranks exchange something. If it takes too long, ends the communicator, so
    /// that nothing on the stream waits for other ranks any more.
    fn wait(&self, stream: &CudaStream) -> Result<(), Error> {
        const WHAT: &str = "waiting for other ranks";
        let failed = Error::driver(WHAT);
        let event = stream.record_event(None).map_err(&failed)?;
        let start = Instant::now();
        while !event.is_complete() {
            // SAFETY: the communicator is alive.
            let ready = self.with(|functions, comm| unsafe { functions.is_ready(comm, WHAT) });
            if ready.is_err() || start.elapsed() >= self.time {
                self.end();
                stream.synchronize().map_err(&failed)?;
                return ready.and(Err(late(WHAT)));
            }
            std::thread::yield_now();
        }
        stream.synchronize().map_err(failed)
    }

    /// Ends the communicator when the other ranks have what this one has sent them.
    fn close(&self) {
        const WHAT: &str = "ending a communicator";
        // SAFETY: the communicator is alive, and this is the last use of it.
        let closing = self.with(|functions, comm| unsafe { functions.finalize(comm) });
        if closing.and_then(|()| self.until_ready(WHAT)).is_err() {
            return self.end();
        }
        if let Some(comm) = self.comm.lock().unwrap_or_else(PoisonError::into_inner).take() {
            // SAFETY: it was finalized, and nobody has it any more.
            unsafe { self.functions.destroy(comm.0) };
        }
    }

    /// Ends the communicator, whatever it is doing.
    fn end(&self) {
        let comm = self.comm.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(comm) = comm {
            // SAFETY: it was alive, and nobody has it any more.
            unsafe { self.functions.abort(comm.0) };
        }
    }

    /// Queues a group of sends and receives.
    ///
    /// # Safety
    /// As [`Functions::exchange`].
    unsafe fn exchange(
        &self,
        stream: &CudaStream,
        sends: &[(u32, u64, usize)],
        receives: &[(u32, u64, usize)],
    ) -> Result<(), Error> {
        stream.context().bind_to_thread().map_err(Error::driver("taking a device's context"))?;
        // SAFETY: the communicator is alive; the rest is the contract of this function.
        self.with(|functions, comm| unsafe {
            functions.exchange(comm, stream.cu_stream().cast(), sends, receives)
        })?;
        self.until_ready("sending to other ranks")
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.end();
    }
}

impl core::fmt::Debug for Line {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Line").field("time", &self.time).finish_non_exhaustive()
    }
}

/// Moves columns over NCCL.
struct NcclMoves {
    line: Arc<Line>,
}

impl Mover for NcclMoves {
    /// # Safety
    /// As in the trait.
    unsafe fn columns(
        &self,
        stream: &Arc<CudaStream>,
        given: &[Vec<Move>],
        taken: &[Vec<Move>],
    ) -> Result<(), Error> {
        let others = |columns: &[Vec<Move>], address: fn(&Move) -> u64| -> Vec<(u32, u64, usize)> {
            let parts = columns.iter().flat_map(|column| (0..).zip(column));
            let some = parts.filter(|(_, part)| part.bytes > 0);
            some.map(|(rank, part)| (rank, address(part), part.bytes)).collect()
        };
        let (sends, receives) = (others(given, |part| part.from), others(taken, |part| part.to));
        if sends.is_empty() && receives.is_empty() {
            return Ok(());
        }
        // SAFETY: the contract of this function.
        unsafe { self.line.exchange(stream, &sends, &receives) }
    }

    fn wait(&self, stream: &CudaStream) -> Result<(), Error> {
        self.line.wait(stream)
    }
}

/// Memory through which messages go: a bin for each rank, to send and to receive, on the host and on the
/// device.
struct Staging {
    host: [PinnedHostSlice<u64>; 2],
    device: [Array; 2],
    bin: usize,
}

impl Staging {
    fn new(device: &Device, ranks: usize, bin: usize) -> Result<Self, Error> {
        const WHAT: &str = "messages to other ranks";
        let bin = bin.max(HEAD);
        let words = bin.saturating_mul(ranks);
        let host = || device.pinned(WHAT, words);
        let on_device = || device.array(WHAT, 8 * words as u64);
        Ok(Self { host: [host()?, host()?], device: [on_device()?, on_device()?], bin })
    }

    /// Where a message to a rank is written.
    fn outgoing(&mut self, peer: u32, words: usize) -> Result<&mut [u64], Error> {
        let first = peer as usize * self.bin;
        let all = self.host[0].as_mut_slice().map_err(Error::driver("writing a message"))?;
        Ok(&mut all[first..first + words])
    }

    /// What a rank has sent.
    fn incoming(&self, peer: u32, words: usize) -> Result<&[u64], Error> {
        let first = peer as usize * self.bin;
        let all = self.host[1].as_slice().map_err(Error::driver("reading a message"))?;
        Ok(&all[first..first + words])
    }

    /// Sends and receives so many words each, and waits.
    fn round(
        &mut self,
        line: &Line,
        stream: &Arc<CudaStream>,
        sends: &[(u32, usize)],
        receives: &[(u32, usize)],
    ) -> Result<(), Error> {
        let failed = Error::driver("copying messages");
        stream.context().bind_to_thread().map_err(&failed)?;
        let bin = self.bin;
        let [to, from] = [&self.device[0], &self.device[1]].map(Array::address);
        let at = |base: u64, peer: u32| base + 8 * (peer as usize * bin) as u64;
        for &(peer, words) in sends {
            let first = peer as usize * bin;
            let host = self.host[0].as_slice().map_err(&failed)?;
            // SAFETY: a bin of both memories; this function waits for the copy.
            let copied = unsafe {
                result::memcpy_htod_async(at(to, peer), &host[first..first + words], stream.cu_stream())
            };
            copied.map_err(&failed)?;
        }
        let of = |base: u64, list: &[(u32, usize)]| -> Vec<(u32, u64, usize)> {
            list.iter().map(|&(peer, words)| (peer, at(base, peer), 8 * words)).collect()
        };
        // SAFETY: bins of this rank's memory, which lives until the stream was waited for.
        unsafe { line.exchange(stream, &of(to, sends), &of(from, receives))? };
        for &(peer, words) in receives {
            let first = peer as usize * bin;
            let host = self.host[1].as_mut_slice().map_err(&failed)?;
            // SAFETY: as above.
            let copied = unsafe {
                result::memcpy_dtoh_async(&mut host[first..first + words], at(from, peer), stream.cu_stream())
            };
            copied.map_err(&failed)?;
        }
        line.wait(stream)
    }
}

/// Nothing reads the messages any more when their memory is freed.
impl Drop for Nccl {
    fn drop(&mut self) {
        let _ = self.line.wait(&self.memory.stream);
        self.line.close();
    }
}

impl core::fmt::Debug for Staging {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Staging").field("bin", &self.bin).finish_non_exhaustive()
    }
}
