//! Large batches on large tables: partitioned by where their keys belong, and run region by region of the table.
//!
//! Three passes, each by all threads. *Partition*: a piece of the batch is copied to records, those of one region next to each other
//! and in their order. *Run*: the operations of one region, of all pieces one after the other, so that the region stays in a core's
//! cache; answers lie as the records do. *Put in order*: a piece takes its answers in the order of its keys. It has kept the region of
//! each key, and the answers of a region come in order. Every pass reads and writes memory forwards, in as many places as there are
//! regions.

use super::launch::LOOKAHEAD;
use super::warp::GridWarp;
use core::mem::{MaybeUninit, take};
use core::ops::Range;
use rayon::prelude::*;
use std::collections::TryReserveError;

/// Bytes of a table that cores keep in the cache that they share, where it was measured: random accesses to it cost more where it is
/// larger.
const LARGE: usize = 32 << 20;
/// Bytes of a table that a core keeps in the cache of its own, and a bit.
const SMALL: usize = 2 << 20;
/// Bytes of a region at most, if there are not too many then. Measured from 2^18 to 2^20 (BENCHMARKS.md).
const REGION: usize = 1 << 19;
/// A piece is written to as many places as there are regions: no more of them than pages that a core can translate.
const MOST_BITS: u32 = 11;
/// Operations of a piece at most: its records and its answers stay in the cache that cores share, where they are written to and read
/// from many places.
const PIECE: usize = 1 << 18;
/// Operations of a piece for each region at least, if there are so many: less are not worth the bookkeeping.
const FEW: usize = 16;
/// Operations that a thread runs one after the other before it asks for more: where most keys are of one region, several run it.
const CHUNK: usize = 1 << 14;

/// Whether `n` operations on a table of so many bytes are to be run region by region: if there is an operation for each four lines of
/// a large table, or for each half of a line of one that is not small.
pub(super) const fn by_region(bytes: usize, n: usize) -> bool {
    bytes >= SMALL && n >= bytes / if bytes >= LARGE { 256 } else { 32 }
}

/// The regions of a table: the highest bits of the hash, as many, say in which one a key's home is.
#[derive(Clone, Copy)]
pub(super) struct Regions {
    bits: u32,
}

const _: () =
    assert!(FEW << MOST_BITS <= PIECE && PIECE <= 1 << 31, "places in a piece are numbers of 32 bits");

impl Regions {
    /// Those of a table of so many bytes.
    pub(super) const fn of(bytes: usize) -> Self {
        let bits = bytes.div_ceil(REGION).next_power_of_two().ilog2();
        Self { bits: if bits < MOST_BITS { bits } else { MOST_BITS } }
    }

    const fn count(self) -> usize {
        1 << self.bits
    }

    /// The region of a hash.
    #[inline(always)]
    const fn of_hash(self, hash: u32) -> usize {
        // In two steps: there may be one region, of no bits.
        (hash >> 1 >> (u32::BITS - 1 - self.bits)) as usize
    }
}

/// A batch of `len` operations: `record(i)` is what operation `i` works on, and `hash(i)` the hash of its key.
pub(super) struct Batch<H, F> {
    pub(super) len: usize,
    pub(super) hash: H,
    pub(super) record: F,
}

impl<R: Copy + Send + Sync, H: Fn(usize) -> u32 + Sync, F: Fn(usize) -> R + Sync> Batch<H, F> {
    /// Runs `f(warp, record)` for every record and returns what it returned, in the order of the batch. `prefetch(record)` is called
    /// [`LOOKAHEAD`] operations ahead.
    ///
    /// Takes memory for the records and two bytes for each meanwhile; `None`, and nothing ran, if that cannot be had. The lists of
    /// chunks, up to two bytes for each more, are taken as a `Vec` takes memory.
    pub(super) fn launch<W: GridWarp, T: Copy + Send + Sync>(
        &self,
        regions: Regions,
        prefetch: impl Fn(R) + Sync,
        f: impl Fn(&mut W, R) -> T + Sync,
    ) -> Option<Vec<T>> {
        let size = self.len.div_ceil(rayon::current_num_threads()).clamp(FEW * regions.count(), PIECE);
        let mut out = Vec::new();
        out.try_reserve_exact(self.len).ok()?;
        let piece = |number| {
            let range = number * size..self.len.min((number + 1) * size);
            Piece::new(regions, range, &self.hash, &self.record).ok()
        };
        let pieces: Vec<_> =
            (0..self.len.div_ceil(size)).into_par_iter().map(piece).collect::<Option<_>>()?;
        let room = &mut out.spare_capacity_mut()[..self.len];
        chunks(regions, &pieces, room.chunks_mut(size)).into_par_iter().enumerate().for_each(
            |(number, (records, answers))| {
                run(&mut W::numbered(number as u32), records, answers, &prefetch, &f);
            },
        );
        // SAFETY: the chunks have all places of `room`, one for each record, and `run` has written every place of a chunk.
        unsafe { out.set_len(self.len) };
        let in_order = |scratch: &mut Vec<T>, (answers, piece): (&mut [T], Piece<R>)| {
            piece.put_in_order(answers, scratch)
        };
        out.par_chunks_mut(size).zip(pieces).for_each_init(Vec::new, in_order);
        Some(out)
    }
}

/// A piece of a batch, by regions.
struct Piece<R> {
    /// The region of each operation.
    region: Vec<u16>,
    /// What they work on: those of one region next to each other, in their order.
    records: Vec<R>,
    /// Where the records of each region begin, and at the end where they end.
    starts: Vec<u32>,
}

impl<R: Copy> Piece<R> {
    /// Of the operations `range`.
    fn new(
        regions: Regions,
        range: Range<usize>,
        hash: impl Fn(usize) -> u32,
        record: impl Fn(usize) -> R,
    ) -> Result<Self, TryReserveError> {
        let (mut region, mut records) = (Vec::new(), Vec::new());
        region.try_reserve_exact(range.len())?;
        records.try_reserve_exact(range.len())?;
        // Of region `r` in the place `r + 1`: what they add up to is where the next one begins.
        let mut starts = vec![0u32; regions.count() + 1];
        region.extend(range.clone().map(|i| {
            let region = regions.of_hash(hash(i));
            starts[region + 1] += 1;
            region as u16
        }));
        for r in 1..starts.len() {
            starts[r] += starts[r - 1];
        }
        let mut next = starts.clone();
        let room = &mut records.spare_capacity_mut()[..range.len()];
        for (&region, i) in region.iter().zip(range.clone()) {
            let next = &mut next[region as usize];
            room[*next as usize].write(record(i));
            *next += 1;
        }
        // SAFETY: each region was given as many places as it has operations, and each of those has written another one.
        unsafe { records.set_len(range.len()) };
        Ok(Self { region, records, starts })
    }

    /// Puts answers that are in the order of the records, as many, into the order of the batch.
    fn put_in_order<T: Copy>(&self, answers: &mut [T], scratch: &mut Vec<T>) {
        scratch.clear();
        scratch.extend_from_slice(answers);
        let mut next = self.starts.clone();
        for (answer, &region) in answers.iter_mut().zip(&self.region) {
            let next = &mut next[region as usize];
            *answer = scratch[*next as usize];
            *next += 1;
        }
    }
}

/// Records of one region, and where their answers go.
type Chunk<'a, R, T> = (&'a [R], &'a mut [MaybeUninit<T>]);

/// All records of all pieces, region by region, [`CHUNK`] at most in each. `answers` are those of each piece, as many as its records.
fn chunks<'a, R, T>(
    regions: Regions,
    pieces: &'a [Piece<R>],
    answers: impl Iterator<Item = &'a mut [MaybeUninit<T>]>,
) -> Vec<Chunk<'a, R, T>> {
    let mut left: Vec<_> = pieces
        .iter()
        .zip(answers)
        .map(|(piece, answers)| (&piece.records[..], answers, &piece.starts))
        .collect();
    let mut chunks = Vec::with_capacity(regions.count() * left.len());
    for region in 0..regions.count() {
        for (records, answers, starts) in &mut left {
            let len = (starts[region + 1] - starts[region]) as usize;
            let (here, behind) = records.split_at(len);
            *records = behind;
            let (answers_here, behind) = take(answers).split_at_mut(len);
            *answers = behind;
            chunks.extend(here.chunks(CHUNK).zip(answers_here.chunks_mut(CHUNK)));
        }
    }
    chunks
}

/// Runs the operations of some records one after the other, and writes every answer.
fn run<W: GridWarp, R: Copy, T>(
    w: &mut W,
    records: &[R],
    answers: &mut [MaybeUninit<T>],
    prefetch: impl Fn(R),
    f: impl Fn(&mut W, R) -> T,
) {
    records.iter().take(LOOKAHEAD).for_each(|&record| prefetch(record));
    for (i, (&record, answer)) in records.iter().zip(answers).enumerate() {
        if let Some(&ahead) = records.get(i + LOOKAHEAD) {
            prefetch(ahead);
        }
        answer.write(f(w, record));
    }
}

#[cfg(test)]
mod tests {
    use super::super::warp::CpuWarp;
    use super::*;
    use core::sync::atomic::{AtomicU32, Ordering};

    fn spread(i: usize) -> u32 {
        (i as u32).wrapping_mul(0x9e37_79b9)
    }

    /// As many operations as pieces are long, and one more or less, in one region and in many.
    #[test]
    fn every_operation_runs_once_and_is_answered_in_its_place() {
        let hashes: [fn(usize) -> u32; 4] = [spread, |_| 7, |_| u32::MAX, |i| i as u32];
        for bits in [0, 1, 5, MOST_BITS] {
            for len in [0, 1, 2, 1000, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE + 17] {
                for hash in hashes {
                    let ran: Vec<_> = (0..len).map(|_| AtomicU32::new(0)).collect();
                    let batch = Batch { len, hash, record: |i| i };
                    let operation = |_: &mut CpuWarp<2>, i: usize| {
                        ran[i].fetch_add(1, Ordering::Relaxed);
                        i as u64 + 7
                    };
                    let out = batch.launch(Regions { bits }, |_| {}, operation).expect("memory for a test");
                    assert!(out.into_iter().eq((0..len as u64).map(|i| i + 7)), "{len} at {bits} bits");
                    assert!(ran.iter().all(|ran| ran.load(Ordering::Relaxed) == 1), "{len} at {bits} bits");
                }
            }
        }
    }

    #[test]
    fn records_of_a_region_lie_together_in_their_order() {
        let regions = Regions { bits: 6 };
        let piece = Piece::new(regions, 1000..9000, spread, |i| i).expect("memory for a test");
        let place = |&i: &usize| (regions.of_hash(spread(i)), i);
        assert!(piece.records.is_sorted_by_key(place) && piece.records.len() == 8000);
        for (region, ends) in piece.starts.windows(2).enumerate() {
            let records = &piece.records[ends[0] as usize..ends[1] as usize];
            assert!(records.iter().all(|&i| regions.of_hash(spread(i)) == region));
        }
    }

    #[test]
    fn regions_are_by_the_highest_bits() {
        assert_eq!(Regions::of(0).count(), 1);
        assert_eq!(Regions::of(REGION).count(), 1);
        assert_eq!(Regions::of(REGION + 1).count(), 2);
        assert_eq!(Regions::of(336 << 20).count(), 1024);
        assert_eq!(Regions::of(1 << 40).count(), 1 << MOST_BITS);
        assert_eq!([0, u32::MAX].map(|hash| Regions { bits: 0 }.of_hash(hash)), [0, 0]);
        assert_eq!([0, 1 << 29, u32::MAX].map(|hash| Regions { bits: 3 }.of_hash(hash)), [0, 1, 7]);
    }

    #[test]
    fn large_batches_on_large_tables_are_partitioned() {
        assert!(by_region(LARGE, 1 << 20) && by_region(1 << 38, 1 << 31) && by_region(SMALL, 1 << 16));
        assert!(!by_region(LARGE, 1000) && !by_region(1 << 40, 1 << 31));
        assert!(!by_region(SMALL - 1, 1 << 20) && !by_region(SMALL, 1000) && !by_region(LARGE - 1, 1 << 18));
    }
}
