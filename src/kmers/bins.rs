//! Counts on a CPU: super-k-mers go to bins, and each bin is counted by one thread, in a small table of its
//! own.

use super::kmer::Kmer;
use super::spill::Spill;
use super::superkmers::{Cutter, super_kmers};
use super::tally::Tally;
use crate::failure::Failure;
use crate::output::Progress;
use parking_lot::Mutex;
use rayon::prelude::*;
use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use warpproof::files::Letters;
use warpproof::model::Seed;

/// Letters that a thread cuts at a time.
const CHUNK: usize = 1 << 20;

/// K-mers of a bin, about.
const BIN: u64 = 1 << 17;
/// Bounds of the number of bins.
const FEWEST: u64 = 16;
const MOST: u64 = 1 << 10;

/// As many bins as so many letters need (0 if unknown).
pub(super) fn bins(letters: u64) -> usize {
    let letters = if letters == 0 { MOST * BIN / 4 } else { letters };
    letters.div_ceil(BIN).clamp(FEWEST, MOST).next_power_of_two() as usize
}

/// Collects letters, and sends them in chunks to the threads that cut them.
pub(super) struct Sender<'a> {
    /// Letters that a chunk has in common with the one before.
    overlap: usize,
    chunk: Vec<u8>,
    to: SyncSender<Vec<u8>>,
    /// Whether a thread has failed: then its error is the result.
    failed: &'a AtomicBool,
}

impl Sender<'_> {
    /// Whether there is more to do.
    ///
    /// # Errors
    /// A thread has failed.
    pub(super) fn go_on(&self) -> Result<(), Failure> {
        // Relaxed: nothing depends on it. The thread's error is taken when it has ended.
        if self.failed.load(Ordering::Relaxed) { Err(Failure::Closed) } else { Ok(()) }
    }

    /// Sends the chunk, and begins the next one with the letters that both have.
    fn send(&mut self) {
        let mut next = Vec::with_capacity(CHUNK + CHUNK / 4);
        next.extend_from_slice(&self.chunk[self.chunk.len().saturating_sub(self.overlap)..]);
        // It does not fail: the receiving end lives longer, and threads take chunks even after a failure.
        let _ = self.to.send(std::mem::replace(&mut self.chunk, next));
    }
}

impl Letters for Sender<'_> {
    fn letters(&mut self, piece: &[u8]) {
        self.chunk.extend_from_slice(piece);
        if self.chunk.len() >= CHUNK {
            self.send();
        }
    }

    fn end(&mut self) {
        self.chunk.push(b'N');
    }
}

/// Sends the super-k-mers of letters to bins, while `read` reads the letters. Returns how many k-mers they
/// have.
///
/// # Errors
/// Those of `read` and of the bins. After one of the bins `read` has no more to do, as [`Sender::go_on`]
/// says.
pub(super) fn fill(
    k: u32,
    bins: usize,
    spill: &Spill,
    read: impl FnOnce(&mut Sender<'_>) -> Result<(), Failure>,
) -> Result<u64, Failure> {
    let threads = rayon::current_num_threads();
    let (to, from) = sync_channel::<Vec<u8>>(threads);
    let from = Mutex::new(from);
    let failed = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let cut = || cut(k, bins, spill, &from, &failed);
        let spawn = |_| std::thread::Builder::new().spawn_scoped(scope, cut);
        let workers: std::io::Result<Vec<_>> = (0..threads).map(spawn).collect();
        // A thread that could not begin: the others end, as nobody sends.
        let workers = workers.map_err(|e| Failure::input(format_args!("cannot start a thread: {e}")));
        let mut sender = Sender { overlap: k as usize - 1, chunk: Vec::new(), to, failed: &failed };
        let done = if workers.is_ok() { read(&mut sender) } else { Ok(()) };
        sender.send();
        drop(sender);
        let mut total = 0;
        for worker in workers? {
            total += worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        }
        done.map(|()| total)
    })
}

/// Cuts chunks until there are no more.
fn cut(
    k: u32,
    bins: usize,
    spill: &Spill,
    chunks: &Mutex<Receiver<Vec<u8>>>,
    stop: &AtomicBool,
) -> Result<u64, Failure> {
    let mut cutter = Cutter::new(k, bins);
    let mut failed = None;
    loop {
        let chunk = chunks.lock().recv();
        let Ok(chunk) = chunk else { break };
        // After a failure chunks are only taken, so that the reader does not wait for ever.
        if failed.is_none() {
            cutter.cut(&chunk);
            failed = spill.append(&mut cutter.bins).err();
            if failed.is_some() {
                // Relaxed: as in `go_on`.
                stop.store(true, Ordering::Relaxed);
            }
        }
    }
    failed.map_or(Ok(cutter.kmers), Err)
}

/// Counts all bins, and adds the counts to a tally.
///
/// # Errors
/// There is no memory; those of the bins and the tally.
pub(super) fn count<K: Kmer>(
    k: u32,
    bins: usize,
    spill: &Spill,
    seed: Seed,
    tally: &Tally<K>,
) -> Result<(), Failure> {
    let progress = Mutex::new((Progress::new("counting", bins as u64), 0));
    let table = || HashMap::<K, u64, _>::with_hasher(Seeded(seed));
    (0..bins).into_par_iter().with_max_len(1).try_for_each_init(table, |table, bin| {
        let letters = spill.take(bin)?;
        for piece in super_kmers(&letters, k) {
            table.try_reserve(piece.kmers).map_err(|_| no_memory(table.len()))?;
            piece.each(|kmer| *table.entry(kmer).or_insert(0) += 1);
        }
        drop(letters);
        tally.add(table.drain())?;
        let (progress, done) = &mut *progress.lock();
        *done += 1;
        progress.at(*done);
        Ok(())
    })
}

fn no_memory(kmers: usize) -> Failure {
    Failure::input(format_args!("out of memory for more than {kmers} distinct k-mers of one bin"))
}

/// Makes hashers of a seed: who does not know it cannot choose k-mers that collide.
#[derive(Clone, Copy)]
struct Seeded(Seed);

/// A hash of words.
struct SeededHasher {
    seed: Seed,
    hash: u64,
}

impl BuildHasher for Seeded {
    type Hasher = SeededHasher;

    #[inline(always)]
    fn build_hasher(&self) -> SeededHasher {
        SeededHasher { seed: self.0, hash: 0 }
    }
}

impl Hasher for SeededHasher {
    #[inline(always)]
    fn write_u64(&mut self, word: u64) {
        self.hash = self.seed.hash(word ^ self.hash.rotate_left(32)).bits();
    }

    #[inline(always)]
    fn write_u128(&mut self, words: u128) {
        self.write_u64((words >> 64) as u64);
        self.write_u64(words as u64);
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(byte.into()));
    }

    #[inline(always)]
    fn finish(&self) -> u64 {
        self.hash
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_bit_of_a_long_kmer_changes_its_hash() {
        let seeded = Seeded(Seed::new(3));
        let word = 0x0123_4567_89ab_cdef_u128 * 0x1_0000_0000_0000_0007;
        for bit in 0..128 {
            assert_ne!(seeded.hash_one(word), seeded.hash_one(word ^ 1 << bit), "bit {bit}");
        }
    }

    /// A reader that asks whether to go on stops a few chunks after a failure, and the error is the bins'.
    #[test]
    fn a_failed_thread_stops_the_reading() {
        let spill = Spill::new(16, 0, "no/such/folder".into());
        let mut pieces = 0;
        let result = fill(5, 16, &spill, |to| {
            while pieces < 100_000 {
                to.go_on()?;
                to.letters(&[b'A'; CHUNK]);
                pieces += 1;
            }
            Ok(())
        });
        let Err(Failure::Input(why)) = result else { panic!("{result:?}") };
        assert!(why.contains("no/such/folder"), "{why}");
        assert!(pieces < 1000, "{pieces} pieces were read");
    }

    #[test]
    fn an_input_of_any_size_has_bins() {
        assert_eq!([1, 1 << 20, 1 << 24, u64::MAX].map(bins), [16, 16, 128, 1024]);
        assert_eq!(bins(0), 256);
    }
}
