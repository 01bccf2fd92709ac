//! The groups of rows with one key.

use super::fold::{Count, Fold};
use super::numbering::Numbering;
use super::progress::Progress;
use crate::cpu::batch::{Batch, Beside};
use crate::cpu::error::Error;
use crate::cpu::regions::{self, Piece, ranges, with_room};
use core::ops::Range;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use rayon::prelude::*;
use warpproof_model::Seed;
use warpproof_model::bits::TableKey;
use warpproof_model::partition::HashPartitions;

/// Rows of the sample.
const SAMPLE: usize = 1 << 14;
/// Rows that one thread numbers in one table of its own, if there are few keys.
const CHUNK: usize = 1 << 20;
/// The most keys of such a table: it fits a core's own cache.
const FEW: usize = 1 << 14;
/// Rows of a partition, about: a table of as many keys fits a core's own cache.
const PARTITION: usize = 1 << 15;
/// A piece is written to as many places as there are partitions.
const MOST_BITS: u32 = 11;
/// Rows between two looks at whether to stop.
const STEP: usize = 1 << 18;

/// The groups of the rows of a column that have one key, in the order of their first rows.
///
/// ```
/// use warpproof_simt::cpu::columns::{Groups, Progress};
///
/// let groups = Groups::of(&[30u32, 10, 30, 20], &Progress::new())?;
/// assert_eq!(groups.first_rows(), [0, 1, 3]);
/// assert_eq!(groups.sizes(), [2, 1, 1]);
/// assert_eq!(groups.numbers(), [0, 1, 0, 2]);
/// # Ok::<(), warpproof_simt::cpu::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Groups {
    first: Vec<u32>,
    sizes: Vec<u32>,
    numbers: Vec<u32>,
}

impl Groups {
    /// The groups of the rows of `keys`.
    ///
    /// Takes time proportional to the rows, and while it runs memory for up to 18 bytes for each row beside its
    /// result, of 4 bytes for each row and 8 for each group.
    ///
    /// # Errors
    /// [`Error::TooManyRows`]; [`Error::OutOfMemory`]; [`Error::Stopped`].
    pub fn of<K: TableKey>(keys: &[K], progress: &Progress) -> Result<Self, Error> {
        let (groups, sizes) = grouped(keys, &Count, true, progress)?;
        Ok(Self { sizes, ..groups })
    }

    /// How many groups there are.
    pub fn len(&self) -> usize {
        self.first.len()
    }

    /// Whether there are no groups, as there are no rows.
    pub fn is_empty(&self) -> bool {
        self.first.is_empty()
    }

    /// The first row of each group, in ascending order.
    pub fn first_rows(&self) -> &[u32] {
        &self.first
    }

    /// The rows of each group. Empty if a fold was asked for instead.
    pub fn sizes(&self) -> &[u32] {
        &self.sizes
    }

    /// The group of each row. Empty if a fold was asked for instead.
    pub fn numbers(&self) -> &[u32] {
        &self.numbers
    }

    /// First rows, sizes and numbers.
    pub fn into_parts(self) -> (Vec<u32>, Vec<u32>, Vec<u32>) {
        (self.first, self.sizes, self.numbers)
    }
}

/// The groups of the rows of `keys`, and for each the state that `fold` computes; no sizes and no numbers.
///
/// If there are few groups, the states of parts of the column are merged in the order of the rows; otherwise
/// each group's rows are added in their order. So sums of floating-point numbers do not depend on threads.
///
/// # Errors
/// As [`Groups::of`].
pub fn fold_groups<K: TableKey, F: Fold>(
    keys: &[K],
    fold: &F,
    progress: &Progress,
) -> Result<(Groups, Vec<F::State>), Error> {
    grouped(keys, fold, false, progress)
}

fn grouped<K: TableKey, F: Fold>(
    keys: &[K],
    fold: &F,
    numbered: bool,
    progress: &Progress,
) -> Result<Grouped<F::State>, Error> {
    admit(keys.len())?;
    progress.advance(0)?;
    let job = Job { keys, fold, numbered, progress, seed: Seed::random() };
    let few = if job.looks_few()? { job.by_chunks()? } else { None };
    match few {
        Some(grouped) => Ok(grouped),
        None => job.by_partitions(),
    }
}

/// Refuses columns whose rows are too many to be numbered.
pub(super) fn admit(rows: usize) -> Result<(), Error> {
    // The highest number marks a row that is not there.
    if rows < u32::MAX as usize { Ok(()) } else { Err(Error::TooManyRows { rows: rows as u64 }) }
}

/// Groups, and the state of each.
type Grouped<S> = (Groups, Vec<S>);

/// Groups with their first rows and their states, in the order of the first rows.
struct Found<S> {
    first: Vec<u32>,
    states: Vec<S>,
}

/// The groups of all chunks, and for each chunk the places of its groups among them.
type Merged<S> = (Found<S>, Vec<Vec<u32>>);

impl<S> Found<S> {
    const NONE: Self = Self { first: Vec::new(), states: Vec::new() };

    fn push(&mut self, row: u32, state: S) -> Result<(), Error> {
        self.first.try_reserve(1).and_then(|()| self.states.try_reserve(1)).map_err(no_memory::<S>)?;
        self.first.push(row);
        self.states.push(state);
        Ok(())
    }
}

fn no_memory<T>(_: std::collections::TryReserveError) -> Error {
    Error::no_memory_for::<T>(1)
}

struct Job<'a, K, F> {
    keys: &'a [K],
    fold: &'a F,
    /// Whether the group of each row is asked for.
    numbered: bool,
    progress: &'a Progress,
    seed: Seed,
}

impl<K: TableKey, F: Fold> Job<'_, K, F> {
    /// Whether a sample of the rows has few distinct keys.
    fn looks_few(&self) -> Result<bool, Error> {
        let mut table = Numbering::new(self.seed).map_err(no_memory::<K>)?;
        let step = (self.keys.len() / SAMPLE).max(1);
        let mut distinct = 0;
        for &key in self.keys.iter().step_by(step).take(SAMPLE) {
            distinct += usize::from(table.of(key.to_word()).map_err(no_memory::<K>)?.1);
        }
        Ok(self.keys.len() <= SAMPLE || distinct <= SAMPLE / 2)
    }

    /// Numbers the keys of some rows in a table that is empty. `each` gets the number of each row.
    fn number(
        &self,
        table: &mut Numbering<K::Bits>,
        found: &mut Found<F::State>,
        rows: impl Iterator<Item = (K, u32)>,
        mut each: impl FnMut(u32, u32),
    ) -> Result<(), Error> {
        for (key, row) in rows {
            let (number, new) = table.of(key.to_word()).map_err(no_memory::<K>)?;
            if new {
                found.push(row, self.fold.first(row))?;
            } else {
                self.fold.add(&mut found.states[number as usize], row);
            }
            each(row, number);
        }
        Ok(())
    }

    /// Groups the rows of each chunk, and merges the chunks in their order. `None` if a chunk has many keys.
    fn by_chunks(&self) -> Result<Option<Grouped<F::State>>, Error> {
        let keys = self.keys;
        let mut numbers = if self.numbered { zeros(keys.len())? } else { Vec::new() };
        let chunks: Vec<Range<usize>> = ranges(keys.len(), CHUNK).collect();
        let mut parts: Vec<&mut [u32]> = numbers.chunks_mut(CHUNK).collect();
        parts.resize_with(chunks.len(), Default::default);
        let found: Vec<Option<Found<F::State>>> = chunks
            .into_par_iter()
            .zip(&mut parts)
            .map(|(rows, numbers)| self.chunk(rows, numbers))
            .collect::<Result<_, _>>()?;
        let Some(found) = found.into_iter().collect::<Option<Vec<_>>>() else { return Ok(None) };

        let (whole, places) = self.merged(found)?;
        for_each_pair(&mut parts, &places, |numbers, places| {
            numbers.iter_mut().for_each(|number| *number = places[*number as usize]);
            self.progress.advance(numbers.len())
        })?;
        let groups = Groups { first: whole.first, sizes: Vec::new(), numbers };
        Ok(Some((groups, whole.states)))
    }

    /// The groups of a chunk, unless there are many.
    fn chunk(&self, rows: Range<usize>, numbers: &mut [u32]) -> Result<Option<Found<F::State>>, Error> {
        let mut table = Numbering::new(self.seed).map_err(no_memory::<K>)?;
        let mut found = Found::NONE;
        let first = rows.start;
        for part in ranges(rows.len(), FEW) {
            let here = first + part.start..first + part.end;
            let rows = self.keys[here.clone()].iter().copied().zip(here.start as u32..);
            // Two loops, so that the one without numbers is short.
            if self.numbered {
                self.number(&mut table, &mut found, rows, |row, number| {
                    numbers[row as usize - first] = number;
                })?;
            } else {
                self.number(&mut table, &mut found, rows, |_, _| ())?;
            }
            if found.first.len() > FEW {
                return Ok(None);
            }
        }
        self.progress.advance(rows.len())?;
        Ok(Some(found))
    }

    /// The groups of all chunks, and for each chunk the places of its groups among them.
    fn merged(&self, chunks: Vec<Found<F::State>>) -> Result<Merged<F::State>, Error> {
        let mut table = Numbering::new(self.seed).map_err(no_memory::<K>)?;
        let (mut whole, mut places) = (Found::NONE, room(chunks.len())?);
        for chunk in chunks {
            let mut here = room(chunk.first.len())?;
            for (row, state) in chunk.first.into_iter().zip(chunk.states) {
                let (number, new) = table.of(self.keys[row as usize].to_word()).map_err(no_memory::<K>)?;
                if new {
                    whole.push(row, state)?;
                } else {
                    self.fold.merge(&mut whole.states[number as usize], state);
                }
                here.push(number);
            }
            places.push(here);
        }
        Ok((whole, places))
    }

    /// Partitions the rows by their keys, groups each partition, and puts the groups in order.
    fn by_partitions(&self) -> Result<Grouped<F::State>, Error> {
        let rows = self.keys.len();
        let bits = rows.div_ceil(PARTITION).next_power_of_two().ilog2().min(MOST_BITS);
        let partitions = HashPartitions::new(1 << bits, self.seed);
        let batch = Batch { keys: self.keys, beside: Rows(0) };
        let pieces =
            regions::partitioned(batch, partitions).map_err(|_| Error::no_memory_for::<(K, u32)>(rows))?;
        self.progress.advance(rows)?;

        let first_rows = Marks::new(rows)?;
        let numbers: Vec<AtomicU32> =
            zeros(if self.numbered { rows } else { 0 })?.into_iter().map(AtomicU32::new).collect();
        let found: Vec<Found<F::State>> = (0..partitions.count() as usize)
            .into_par_iter()
            .map_init(
                || None,
                |table, partition| self.partition(table, &pieces, partition, &first_rows, &numbers),
            )
            .collect::<Result<_, _>>()?;
        drop(pieces);
        let ranks = Ranks::new(first_rows)?;
        let states = self.in_order(&found, &ranks)?;
        drop(found);

        let mut numbers: Vec<u32> = numbers.into_iter().map(AtomicU32::into_inner).collect();
        numbers.par_chunks_mut(STEP).try_for_each(|numbers| {
            numbers.iter_mut().for_each(|row| *row = ranks.of(*row));
            self.progress.advance(numbers.len())
        })?;
        Ok((Groups { first: ranks.rows()?, sizes: Vec::new(), numbers }, states))
    }

    /// The groups of a partition. Marks their first rows, and gives each row the first row of its group.
    fn partition(
        &self,
        table: &mut Option<Numbering<K::Bits>>,
        pieces: &[Piece<(K, u32)>],
        partition: usize,
        first_rows: &Marks,
        numbers: &[AtomicU32],
    ) -> Result<Found<F::State>, Error> {
        let table = match table {
            Some(table) => table,
            None => table.insert(Numbering::new(self.seed).map_err(no_memory::<K>)?),
        };
        table.clear();
        let mut found = Found::NONE;
        let mut done = 0;
        for piece in pieces {
            let records = piece.of(partition);
            for &(key, row) in records {
                let (number, new) = table.of(key.to_word()).map_err(no_memory::<K>)?;
                if new {
                    found.push(row, self.fold.first(row))?;
                } else {
                    self.fold.add(&mut found.states[number as usize], row);
                }
                if self.numbered {
                    // Relaxed: the end of the parallel loop orders it before the reads.
                    numbers[row as usize].store(found.first[number as usize], Ordering::Relaxed);
                }
            }
            done += records.len();
            if done >= STEP {
                self.progress.advance(core::mem::take(&mut done))?;
            }
        }
        found.first.iter().for_each(|&row| first_rows.mark(row));
        self.progress.advance(done)?;
        Ok(found)
    }

    /// The states of all partitions, in the order of the first rows of their groups.
    fn in_order(&self, found: &[Found<F::State>], ranks: &Ranks) -> Result<Vec<F::State>, Error> {
        let Some(&any) = found.iter().find_map(|found| found.states.first()) else { return Ok(Vec::new()) };
        let groups = ranks.count();
        let mut states = room(groups)?;
        states.resize(groups, any);
        for part in found {
            for (&row, &state) in part.first.iter().zip(&part.states) {
                states[ranks.of(row) as usize] = state;
            }
        }
        Ok(states)
    }
}

/// The numbers of rows, beside their keys.
#[derive(Clone, Copy)]
struct Rows(u32);

impl Beside for Rows {
    type Item = u32;

    #[inline(always)]
    fn item(self, i: usize) -> u32 {
        self.0 + i as u32
    }

    fn part(self, range: Range<usize>) -> Self {
        Self(self.0 + range.start as u32)
    }
}

/// A bit for each row.
struct Marks(Vec<AtomicU64>);

impl Marks {
    fn new(rows: usize) -> Result<Self, Error> {
        let mut words = room(rows.div_ceil(64))?;
        words.resize_with(rows.div_ceil(64), AtomicU64::default);
        Ok(Self(words))
    }

    fn mark(&self, row: u32) {
        // Relaxed: the end of the parallel loop orders it before the reads.
        self.0[row as usize / 64].fetch_or(1 << (row % 64), Ordering::Relaxed);
    }
}

/// How many marked rows are before a row.
struct Ranks {
    marks: Vec<u64>,
    /// The marked rows before each word, and last of all.
    before: Vec<u32>,
}

impl Ranks {
    fn new(marks: Marks) -> Result<Self, Error> {
        let marks: Vec<u64> = marks.0.into_iter().map(AtomicU64::into_inner).collect();
        let words = marks.len() + 1;
        let mut before = room(words)?;
        let mut sum = 0;
        before.push(0);
        before.extend(marks.iter().map(|word| {
            sum += word.count_ones();
            sum
        }));
        Ok(Self { marks, before })
    }

    fn count(&self) -> usize {
        self.before.last().map_or(0, |&count| count as usize)
    }

    #[inline(always)]
    fn of(&self, row: u32) -> u32 {
        let word = row as usize / 64;
        self.before[word] + (self.marks[word] & ((1 << (row % 64)) - 1)).count_ones()
    }

    /// The marked rows.
    fn rows(&self) -> Result<Vec<u32>, Error> {
        let mut rows = room(self.count())?;
        for (base, &word) in (0u32..).step_by(64).zip(&self.marks) {
            let mut rest = word;
            while rest != 0 {
                rows.push(base + rest.trailing_zeros());
                rest &= rest - 1;
            }
        }
        Ok(rows)
    }
}

/// An empty list with room for so many.
pub(super) fn room<T>(len: usize) -> Result<Vec<T>, Error> {
    with_room(len).map_err(|_| Error::no_memory_for::<T>(len))
}

/// So many zeros.
pub(super) fn zeros(len: usize) -> Result<Vec<u32>, Error> {
    let mut list = room(len)?;
    list.resize(len, 0);
    Ok(list)
}

/// Runs `run` on each pair of elements, with all threads.
fn for_each_pair<A: Send, B: Sync>(
    a: &mut [A],
    b: &[B],
    run: impl Fn(&mut A, &B) -> Result<(), Error> + Sync,
) -> Result<(), Error> {
    a.par_iter_mut().zip(b).try_for_each(|(a, b)| run(a, b))
}
