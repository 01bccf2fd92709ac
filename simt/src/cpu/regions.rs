//! Large batches on large tables: partitioned by the regions of the table that their keys belong to, and run
//! region by region.
//!
//! There are three passes, each by all threads. *Partition*: a piece of the batch is copied to records, so
//! that those of one region are adjacent and in their order. *Run*: the operations of one region run, of all
//! pieces one after the other, so that the region stays in a core's cache; the answers are in the order of
//! the records. *Put in order*: a piece brings its answers into the order of its keys. It has kept the region
//! of each key, and the answers of a region come in order. Every pass accesses memory forwards, in as many
//! places as there are regions.

use super::batch::{Batch, Beside, Record, Run};
use super::large_pages::with_room;
use core::mem::{MaybeUninit, take};
use core::ops::Range;
use rayon::prelude::*;
use std::collections::TryReserveError;
use warpproof_model::Seed;
use warpproof_model::bits::TableKey;
use warpproof_model::partition::HashPartitions;

/// Bytes of a table that fit the cache that cores share, on the measured machine: random accesses to a larger
/// table cost more.
const LARGE: usize = 32 << 20;
/// Bytes of a table that about fit a core's own cache.
const SMALL: usize = 2 << 20;
/// The most bytes of a region, unless that makes too many regions. Measured from 2^18 to 2^20
/// (`notes/cpu.md`).
const REGION: usize = 1 << 19;
/// A piece is written to as many places as there are regions: at most as many as pages that a core can
/// translate.
const MOST_BITS: u32 = 11;
/// The most operations of a piece: its records and its answers stay in the cache that cores share, where they
/// are written to and read from many places.
const PIECE: usize = 1 << 18;
/// The least operations of a piece for each region, if there are so many: fewer are not worth the
/// bookkeeping.
const FEW: usize = 16;
/// Operations that a thread runs one after the other before it asks for more: if most keys are of one region,
/// several threads run it.
const CHUNK: usize = 1 << 14;

/// Whether `n` operations on a table of so many bytes should run region by region: if there is an operation
/// for each four lines of a large table, or for each half of a line of one that is not small.
pub(super) const fn by_region(bytes: usize, n: usize) -> bool {
    bytes >= SMALL && n >= bytes / if bytes >= LARGE { 256 } else { 32 }
}

const _: () =
    assert!(FEW << MOST_BITS <= PIECE && PIECE <= 1 << 31, "places in a piece are numbers of 32 bits");

/// The regions of a table of so many bytes, where `seed` decides the places of keys.
pub(super) const fn regions(bytes: usize, seed: Seed) -> HashPartitions {
    let bits = bytes.div_ceil(REGION).next_power_of_two().ilog2();
    of_bits(if bits < MOST_BITS { bits } else { MOST_BITS }, seed)
}

const fn of_bits(bits: u32, seed: Seed) -> HashPartitions {
    HashPartitions::new(1 << bits, seed)
}

/// Runs the operations of a batch region by region, and appends their answers, in the order of the batch, to
/// `out`, which has room for them.
///
/// Allocates memory before it begins: for the records, for up to five bytes for each of them (its region, the
/// list of chunks, where regions begin), and for the answers of a piece for each thread, which are no more
/// than all answers. If there is none, returns an error, and nothing has run.
pub(super) fn launch<K: TableKey, B: Beside, T: Copy + Send + Sync>(
    batch: Batch<'_, K, B>,
    regions: HashPartitions,
    run: &dyn Run<Record<K, B>, T>,
    out: &mut Vec<T>,
) -> Result<(), TryReserveError> {
    let (len, threads) = (batch.keys.len(), rayon::current_num_threads());
    let size = piece_len(len, regions);
    let mut pieces = partitioned(batch, (size, regions))?;
    let mut chunks = Chunks::with_room(len, regions, pieces.len())?;
    // One list for each share of the pieces.
    let share = pieces.len().div_ceil(threads).max(1);
    let mut scratch = with_room(threads)?;
    for _ in 0..pieces.len().div_ceil(share) {
        scratch.push(with_room(size.min(len))?);
    }

    let (first, room) = (out.len(), &mut out.spare_capacity_mut()[..len]);
    chunks.list(regions, &pieces, room.chunks_mut(size));
    let ran = chunks.all.into_par_iter().enumerate();
    ran.for_each(|(number, (records, answers))| run.run(number as u32, records, answers));
    // SAFETY: the chunks have all places of `room`, one for each record, and `run` has written every place of
    // a chunk.
    unsafe { out.set_len(first + len) };
    let shares = out[first..].par_chunks_mut(share * size).zip(pieces.par_chunks_mut(share));
    shares.zip(&mut scratch).for_each(|((answers, pieces), scratch)| {
        answers
            .chunks_mut(size)
            .zip(pieces)
            .for_each(|(answers, piece)| piece.put_in_order(answers, scratch));
    });
    Ok(())
}

/// The pieces of a batch, each of `size` operations but the last, and partitioned.
fn partitioned<K: TableKey, B: Beside>(
    batch: Batch<'_, K, B>,
    (size, partitions): (usize, HashPartitions),
) -> Result<Vec<Piece<Record<K, B>>>, TryReserveError> {
    let len = batch.keys.len();
    let mut pieces = with_room(len.div_ceil(size))?;
    for range in ranges(len, size) {
        pieces.push(Piece::with_room(range.len(), partitions)?);
    }
    pieces.par_iter_mut().enumerate().for_each(|(number, piece)| {
        let first = number * size;
        piece.partition(batch.part(first..len.min(first + size)), partitions);
    });
    Ok(pieces)
}

/// The operations of each piece of a batch of `len`, but for the last one.
fn piece_len(len: usize, regions: HashPartitions) -> usize {
    len.div_ceil(rayon::current_num_threads()).clamp(FEW * regions.count() as usize, PIECE)
}

/// The ranges of `len` elements, `size` in each but the last.
pub(super) fn ranges(len: usize, size: usize) -> impl Iterator<Item = Range<usize>> {
    (0..len).step_by(size).map(move |first| first..len.min(first + size))
}

/// A piece of a batch, partitioned by regions.
pub(super) struct Piece<R> {
    /// The region of each operation.
    region: Vec<u16>,
    /// Their records: those of one region are adjacent and in their order.
    records: Vec<R>,
    /// Where the records of each region begin, and last where they end.
    starts: Vec<u32>,
    /// The next place of each region.
    next: Vec<u32>,
}

impl<R> Piece<R> {
    /// An empty piece, with room for so many operations.
    pub(super) fn with_room(len: usize, regions: HashPartitions) -> Result<Self, TryReserveError> {
        let places = regions.count() as usize + 1;
        let (region, records) = (with_room(len)?, with_room(len)?);
        Ok(Self { region, records, starts: with_room(places)?, next: with_room(places)? })
    }

    /// The records of a region, in their order.
    pub(super) fn of(&self, region: usize) -> &[R] {
        &self.records[self.starts[region] as usize..self.starts[region + 1] as usize]
    }

    /// Brings answers from the order of the records into the order of the batch. `scratch` has room for them.
    fn put_in_order<T: Copy>(&mut self, answers: &mut [T], scratch: &mut Vec<T>) {
        scratch.clear();
        scratch.extend_from_slice(answers);
        self.next.copy_from_slice(&self.starts);
        for (answer, &region) in answers.iter_mut().zip(&self.region) {
            let next = &mut self.next[region as usize];
            *answer = scratch[*next as usize];
            *next += 1;
        }
    }
}

impl<K: TableKey, I: Copy + Send + Sync> Piece<(K, I)> {
    /// Partitions the operations of a batch, for which there is room.
    pub(super) fn partition<B: Beside<Item = I>>(&mut self, batch: Batch<'_, K, B>, regions: HashPartitions) {
        let Self { region, records, starts, next } = self;
        // Region `r` is counted in place `r + 1`, so that the sums are where the next region begins.
        starts.resize(regions.count() as usize + 1, 0);
        region.extend(batch.keys.iter().map(|&key| {
            let region = regions.of(key.to_word()) as usize;
            starts[region + 1] += 1;
            region as u16
        }));
        for r in 1..starts.len() {
            starts[r] += starts[r - 1];
        }
        next.extend_from_slice(starts);
        let room = &mut records.spare_capacity_mut()[..batch.keys.len()];
        for (i, &region) in region.iter().enumerate() {
            let next = &mut next[region as usize];
            room[*next as usize].write(batch.record(i));
            *next += 1;
        }
        // SAFETY: each region has as many places as operations, and each of those has written another place.
        unsafe { records.set_len(batch.keys.len()) };
    }
}

/// Records of one region, and where their answers go.
type Chunk<'a, R, T> = (&'a [R], &'a mut [MaybeUninit<T>]);

/// All records of all pieces, region by region, in chunks of at most [`CHUNK`].
struct Chunks<'a, R, T> {
    all: Vec<Chunk<'a, R, T>>,
    /// The rest of each piece while they are listed, and where its regions begin.
    left: Vec<(Chunk<'a, R, T>, &'a [u32])>,
}

impl<'a, R, T> Chunks<'a, R, T> {
    /// Empty lists, with room for the chunks of `len` records in so many pieces.
    fn with_room(len: usize, regions: HashPartitions, pieces: usize) -> Result<Self, TryReserveError> {
        // A region of a piece ends with a chunk that may not be full.
        let most = len.min(regions.count() as usize * pieces) + len / CHUNK;
        Ok(Self { all: with_room(most)?, left: with_room(pieces)? })
    }

    /// Lists the chunks. `answers` are those of each piece, as many as its records.
    fn list(
        &mut self,
        regions: HashPartitions,
        pieces: &'a [Piece<R>],
        answers: impl Iterator<Item = &'a mut [MaybeUninit<T>]>,
    ) {
        let whole = pieces.iter().zip(answers);
        self.left.extend(whole.map(|(piece, answers)| ((&piece.records[..], answers), &piece.starts[..])));
        for region in 0..regions.count() as usize {
            for ((records, answers), starts) in &mut self.left {
                let len = (starts[region + 1] - starts[region]) as usize;
                let (here, rest) = records.split_at(len);
                *records = rest;
                let (answers_here, rest) = take(answers).split_at_mut(len);
                *answers = rest;
                self.all.extend(here.chunks(CHUNK).zip(answers_here.chunks_mut(CHUNK)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::batch::Operations;
    use super::super::warp::{CpuWarp, Own};
    use super::*;
    use core::sync::atomic::{AtomicU32, Ordering};
    use warpproof_model::Key as _;

    const SEED: Seed = Seed::new(1);

    /// As many operations as pieces are long, and one more or less, in one region and in many.
    #[test]
    fn every_operation_runs_once_and_is_answered_in_its_place() {
        let most = of_bits(MOST_BITS, SEED);
        let last: u32 = (0..).find(|&key: &u32| most.of(key) == most.count() - 1).unwrap();
        let numbers: Vec<u64> = (0..3 * PIECE as u64 + 17).collect();
        let lengths = [0, 1, 2, 100, 1000, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE + 17];
        // Miri takes a second for a hundred.
        let (lengths, most_bits) = if cfg!(miri) { (&lengths[..4], 5) } else { (&lengths[..], MOST_BITS) };
        for bits in [0, 1, 5, most_bits] {
            for &len in lengths {
                for keys in [(0..len as u32).collect(), vec![7; len], vec![last; len]] {
                    let ran: Vec<_> = (0..len).map(|_| AtomicU32::new(0)).collect();
                    let operations = Operations::new(
                        |number| Own(CpuWarp::<2>::new(number)),
                        |_| {},
                        |_: &mut CpuWarp<2>, (key, number): (u32, u64)| {
                            ran[number as usize].fetch_add(1, Ordering::Relaxed);
                            number << 32 | key as u64
                        },
                    );
                    let batch = Batch { keys: &keys, beside: &numbers[..len] };
                    let mut out = Vec::with_capacity(len + 1);
                    out.push(9);
                    let regions = of_bits(bits, SEED);
                    launch(batch, regions, &operations, &mut out).expect("memory for a test");
                    assert_eq!(out.remove(0), 9);
                    let expected = keys.iter().zip(&numbers).map(|(&key, number)| number << 32 | key as u64);
                    assert!(out.into_iter().eq(expected), "{len} at {bits} bits");
                    assert!(ran.iter().all(|ran| ran.load(Ordering::Relaxed) == 1), "{len} at {bits} bits");
                }
            }
        }
    }

    #[test]
    fn records_of_a_region_lie_together_in_their_order() {
        let regions = of_bits(6, SEED);
        let (first, len) = if cfg!(miri) { (100, 400) } else { (1000, 8000) };
        let keys: Vec<u32> = (0..(first + len) as u32).collect();
        let mut piece = Piece::with_room(len, regions).expect("memory for a test");
        piece.partition(Batch { keys: &keys, beside: () }.part(first..first + len), regions);
        let place = |&(key, ()): &(u32, ())| (regions.of(key), key);
        assert!(piece.records.is_sorted_by_key(place) && piece.records.len() == len);
        for (region, ends) in piece.starts.windows(2).enumerate() {
            let records = &piece.records[ends[0] as usize..ends[1] as usize];
            assert!(records.iter().all(|&(key, ())| regions.of(key.to_word()) as usize == region));
        }
    }

    #[test]
    fn regions_are_by_the_highest_bits() {
        let regions = |bytes| regions(bytes, SEED);
        assert_eq!(regions(0).count(), 1);
        assert_eq!(regions(REGION).count(), 1);
        assert_eq!(regions(REGION + 1).count(), 2);
        assert_eq!(regions(336 << 20).count(), 1024);
        assert_eq!(regions(1 << 40).count(), 1 << MOST_BITS);
        for key in 0..1000u32 {
            let high = (key.hash(SEED).bits() >> 61) as u32;
            assert_eq!((regions(0).of(key), regions(8 * REGION).of(key)), (0, high));
        }
    }

    #[test]
    fn large_batches_on_large_tables_are_partitioned() {
        assert!(by_region(LARGE, 1 << 20) && by_region(1 << 38, 1 << 31) && by_region(SMALL, 1 << 16));
        assert!(!by_region(LARGE, 1000) && !by_region(1 << 40, 1 << 31));
        assert!(!by_region(SMALL - 1, 1 << 20) && !by_region(SMALL, 1000) && !by_region(LARGE - 1, 1 << 18));
    }
}
