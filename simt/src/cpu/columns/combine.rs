//! How the rows of a column are grouped.

use super::fold::Fold;
use super::numbering::Numbering;
use super::partition::{Rows, partitions, piece, piece_ranges};
use super::progress::Progress;
use super::ranks::{Marks, Ranks};
use super::room::{no_memory, room, zeros};
use super::row_number::RowNumber;
use crate::cpu::batch::Batch;
use crate::cpu::error::Error;
use crate::cpu::regions::{Piece, ranges};
use core::mem::MaybeUninit;
use core::ops::Range;
use core::sync::atomic::{AtomicU32, Ordering};
use rayon::prelude::*;
use warpproof_model::bits::TableKey;
use warpproof_model::partition::HashPartitions;
use warpproof_model::{Key, Seed};

/// Rows of the sample.
const SAMPLE: usize = 1 << 14;
/// The most rows that one thread combines in one table, and the least if there are so many.
const CHUNK: usize = 1 << 20;
const LEAST: usize = 1 << 16;
/// Chunks of a column that is between them.
const CHUNKS: usize = 16;
/// The most keys of such a table: it fits a core's own cache.
const FEW: u32 = 1 << 14;
/// How many records ahead a thread prefetches what a record's row adds to its group.
const AHEAD: usize = 16;
/// Rows for which memory is asked for at once, if they are left.
const LEFT: usize = 1 << 12;
/// Rows between two looks at whether to stop.
const STEP: usize = 1 << 18;

/// The groups of a column, in the order of their first rows: of [`grouped`](super::grouped). Rows and groups
/// are of type `R`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Grouped<S, R = u32> {
    /// The first row of each group, in ascending order.
    pub first: Vec<R>,
    /// The state of each group.
    pub states: Vec<S>,
    /// The group of each row, if that was asked for.
    pub numbers: Vec<R>,
}

/// Groups with their first rows and their states.
pub(super) struct Found<S> {
    pub(super) first: Vec<u32>,
    pub(super) states: Vec<S>,
}

impl<S> Found<S> {
    const NONE: Self = Self { first: Vec::new(), states: Vec::new() };

    fn push(&mut self, row: u32, state: S) -> Result<(), Error> {
        self.first.try_reserve(1).and_then(|()| self.states.try_reserve(1)).map_err(no_memory::<S>)?;
        self.first.push(row);
        self.states.push(state);
        Ok(())
    }
}

/// How the rows of a column are grouped.
///
/// Chunks of rows are *combined* first, if keys repeat: a thread groups the rows of the keys that it meets
/// first, in a table that fits its cache, and leaves the rows of all other keys. What is left, and the groups
/// of the chunks, are partitioned by the hashes of their keys; one thread joins each partition, chunk by
/// chunk, so that the first row of a group is its lowest one.
pub(super) struct Job<'a, K, F> {
    pub(super) keys: &'a [K],
    pub(super) fold: &'a F,
    /// Whether the group of each row is asked for.
    pub(super) numbered: bool,
    pub(super) progress: &'a Progress,
    pub(super) seed: Seed,
}

/// The rows of a chunk after they were combined.
struct Chunk<K, S> {
    rows: Range<usize>,
    /// The groups of some keys, and those keys.
    groups: Found<S>,
    group_keys: Vec<K>,
    /// The rows of other keys, and those keys; all rows of the chunk if `None`.
    left: Option<(Vec<K>, Vec<u32>)>,
}

/// A chunk, partitioned.
struct Parted<K, S> {
    rows: Range<usize>,
    groups: Found<S>,
    /// The keys of the groups, and the numbers of the groups in the chunk.
    by_group: Piece<(K, u32)>,
    /// The rows that are left.
    by_row: Vec<Piece<(K, u32)>>,
    /// For each group of the chunk, the first row of all with its key.
    places: Vec<AtomicU32>,
    left: Option<Vec<u32>>,
}

/// The chunks, and the groups of each partition.
type Joined<K, S> = (Vec<Parted<K, S>>, Vec<Found<S>>);

impl<K: TableKey, F: Fold> Job<'_, K, F> {
    /// The groups, in the order of their first rows.
    pub(super) fn run<R: RowNumber>(&self) -> Result<Grouped<F::State, R>, Error> {
        let (rows, combines) = (self.keys.len(), self.repeats()?);
        // Where each row has its number, or what that follows from, until all groups are known.
        let numbers: Vec<AtomicU32> =
            zeros(if self.numbered { rows } else { 0 })?.into_iter().map(AtomicU32::new).collect();
        if let Some(Found { first, states }) = self.alone(combines, &numbers)? {
            let numbers = R::of_all(numbers.into_iter().map(AtomicU32::into_inner).collect())?;
            return Ok(Grouped { first: R::of_all(first)?, states, numbers });
        }
        let first_rows = Marks::new(rows)?;
        let (chunks, found) = self.joined(combines, &numbers, Some(&first_rows))?;
        let ranks = Ranks::new(first_rows)?;
        let ranked = self.ranked(&chunks, numbers, &ranks)?;
        drop(chunks);
        let states = self.in_order(&found, &ranks)?;
        Ok(Grouped { first: ranks.rows()?, states, numbers: ranked })
    }

    /// The groups in no order, in lists. Keys [repeat](Self::repeats), and no row is numbered.
    pub(super) fn unordered(&self) -> Result<Vec<Found<F::State>>, Error> {
        Ok(self.joined(true, &[], None)?.1)
    }

    /// The rows of each chunk. Not by the number of threads: sums of floating-point numbers depend on the
    /// chunks.
    fn chunks(&self) -> impl Iterator<Item = Range<usize>> {
        let rows = self.keys.len();
        ranges(rows, rows.div_ceil(CHUNKS).clamp(LEAST, CHUNK))
    }

    /// The groups of rows that are one chunk: so few are not worth a second thread. `None` if they are more,
    /// or if many keys are left.
    fn alone(&self, combines: bool, numbers: &[AtomicU32]) -> Result<Option<Found<F::State>>, Error> {
        if !combines || self.chunks().count() != 1 {
            return Ok(None);
        }
        let chunk = self.combine(0..self.keys.len(), numbers)?;
        let is_whole = chunk.left.as_ref().is_some_and(|(keys, _)| keys.is_empty());
        Ok(is_whole.then_some(chunk.groups))
    }

    /// The groups of each partition, and the chunks of which they were made. Marks the first rows.
    fn joined(
        &self,
        combines: bool,
        numbers: &[AtomicU32],
        first_rows: Option<&Marks>,
    ) -> Result<Joined<K, F::State>, Error> {
        let chunks: Vec<Range<usize>> = self.chunks().collect();
        let chunks: Vec<Chunk<K, F::State>> = chunks
            .into_par_iter()
            .map(|rows| if combines { self.combine(rows, numbers) } else { Ok(Chunk::whole(rows)) })
            .collect::<Result<_, _>>()?;
        let records = chunks.iter().map(Chunk::records).sum::<usize>();
        let partitions = partitions(records, self.seed);
        let chunks: Vec<Parted<K, F::State>> =
            chunks.into_par_iter().map(|chunk| self.part(chunk, partitions)).collect::<Result<_, _>>()?;
        let found = (0..partitions.count() as usize)
            .into_par_iter()
            .with_min_len(partitions.count() as usize / (4 * rayon::current_num_threads()))
            .map_init(|| None, |table, partition| self.join((table, partition), &chunks, first_rows, numbers))
            .collect::<Result<_, _>>()?;
        Ok((chunks, found))
    }

    /// Whether keys repeat so often that chunks should be combined: by a sample, in which keys that occur
    /// once stand for what a chunk would leave (Good, "The population frequencies of species", 1953).
    pub(super) fn repeats(&self) -> Result<bool, Error> {
        if self.keys.len() <= SAMPLE {
            return Ok(true);
        }
        let mut table = Numbering::sparse(self.seed).map_err(no_memory::<K>)?;
        let step = self.keys.len() / SAMPLE;
        let mut seen: Vec<u32> = room(SAMPLE)?;
        for &key in self.keys.iter().step_by(step).take(SAMPLE) {
            let number = table.number(key.to_word(), u32::MAX).map_err(no_memory::<K>)?;
            match number {
                Some((number, false)) => seen[number as usize] += 1,
                _ => seen.push(1),
            }
        }
        let once = seen.iter().filter(|&&times| times == 1).count();
        Ok(once <= SAMPLE / 2)
    }

    /// Groups the rows of the keys of a chunk that come first, as many keys as fit a cache.
    fn combine(&self, rows: Range<usize>, numbers: &[AtomicU32]) -> Result<Chunk<K, F::State>, Error> {
        let mut table = Numbering::sparse(self.seed).map_err(no_memory::<K>)?;
        let (mut groups, mut group_keys) = (Found::NONE, room(0)?);
        let mut at = rows.start;
        loop {
            let rest = at..rows.end;
            at += add_known(&table, self.fold, (self.keys, rest), &mut groups.states, numbers, |_, _| false);
            if at == rows.end || table.len() == FEW as usize {
                break;
            }
            let (key, row) = (self.keys[at], at as u32);
            let number = table.number(key.to_word(), FEW).map_err(no_memory::<K>)?;
            let Some((number, _)) = number else { break };
            groups.push(row, self.fold.first(row))?;
            group_keys.try_reserve(1).map_err(no_memory::<K>)?;
            group_keys.push(key);
            note(numbers, row, number);
            at += 1;
        }
        // No key is new any more.
        let (mut left_keys, mut left_rows) = (Vec::new(), Vec::new());
        for some in ranges(rows.end - at, LEFT).map(|some| at + some.start..at + some.end) {
            left_keys.try_reserve(some.len()).map_err(no_memory::<K>)?;
            left_rows.try_reserve(some.len()).map_err(no_memory::<u32>)?;
            add_known(&table, self.fold, (self.keys, some), &mut groups.states, numbers, |key, row| {
                left_keys.push(key);
                left_rows.push(row);
                true
            });
        }
        self.progress.advance(rows.len())?;
        Ok(Chunk { rows, groups, group_keys, left: Some((left_keys, left_rows)) })
    }

    /// Partitions the groups of a chunk, and the rows that are left.
    fn part(
        &self,
        chunk: Chunk<K, F::State>,
        partitions: HashPartitions,
    ) -> Result<Parted<K, F::State>, Error> {
        let Chunk { rows, groups, group_keys, left } = chunk;
        let by_group = piece(Batch { keys: &group_keys, beside: Rows(0) }, partitions)?;
        let pieces = |rows| piece_ranges(rows, partitions);
        let by_row = match &left {
            Some((keys, rows)) => pieces(keys.len())
                .map(|range| piece(Batch { keys: &keys[range.clone()], beside: &rows[range] }, partitions))
                .collect::<Result<_, _>>()?,
            None => pieces(rows.len())
                .map(|range| {
                    let range = rows.start + range.start..rows.start + range.end;
                    piece(
                        Batch { keys: &self.keys[range.clone()], beside: Rows(range.start as u32) },
                        partitions,
                    )
                })
                .collect::<Result<_, _>>()?,
        };
        let mut places = room(group_keys.len())?;
        places.resize_with(group_keys.len(), AtomicU32::default);
        self.progress.advance(rows.len())?;
        Ok(Parted { rows, groups, by_group, by_row, places, left: left.map(|(_, rows)| rows) })
    }

    /// Joins the groups of a partition. Marks their first rows, and gives each row that was left, and each
    /// group of a chunk, the first row of its key.
    fn join(
        &self,
        (table, partition): (&mut Option<Numbering<K::Bits>>, usize),
        chunks: &[Parted<K, F::State>],
        first_rows: Option<&Marks>,
        numbers: &[AtomicU32],
    ) -> Result<Found<F::State>, Error> {
        let table = match table {
            Some(table) => table,
            None => table.insert(Numbering::sparse(self.seed).map_err(no_memory::<K>)?),
        };
        table.clear();
        let mut found = Found::NONE;
        let number_of = |table: &mut Numbering<K::Bits>, key: K| {
            let number = table.number(key.to_word(), u32::MAX).map_err(no_memory::<K>)?;
            // There are fewer keys than numbers.
            number.ok_or_else(|| Error::no_memory_for::<K>(1))
        };
        let mut done = 0;
        for chunk in chunks {
            for &(key, group) in chunk.by_group.of(partition) {
                let (row, state) = (chunk.groups.first[group as usize], chunk.groups.states[group as usize]);
                let (number, new) = number_of(table, key)?;
                if new {
                    found.push(row, state)?;
                } else {
                    self.fold.merge(&mut found.states[number as usize], state);
                }
                // Relaxed: as in `note`.
                chunk.places[group as usize].store(found.first[number as usize], Ordering::Relaxed);
            }
            for piece in &chunk.by_row {
                let records = piece.of(partition);
                for (at, &(key, row)) in records.iter().enumerate() {
                    if let Some(&(later_key, later)) = records.get(at + AHEAD) {
                        table.prefetch(later_key.to_word().hash(self.seed));
                        self.fold.prefetch(later);
                    }
                    let (number, new) = number_of(table, key)?;
                    if new {
                        found.push(row, self.fold.first(row))?;
                    } else {
                        self.fold.add(&mut found.states[number as usize], row);
                    }
                    note(numbers, row, found.first[number as usize]);
                }
                done += records.len();
            }
            if done >= STEP {
                self.progress.advance(core::mem::take(&mut done))?;
            }
        }
        if let Some(marks) = first_rows {
            found.first.iter().for_each(|&row| marks.mark(row));
        }
        self.progress.advance(done)?;
        Ok(found)
    }

    /// Turns what the rows have been given into the numbers of their groups; nothing if they were given none.
    fn ranked<R: RowNumber>(
        &self,
        chunks: &[Parted<K, F::State>],
        numbers: Vec<AtomicU32>,
        ranks: &Ranks,
    ) -> Result<Vec<R>, Error> {
        let mut ranked = room(numbers.len())?;
        if self.numbered {
            let mut rest = &mut ranked.spare_capacity_mut()[..numbers.len()];
            let mut parts: Vec<_> = Vec::new();
            for chunk in chunks {
                let (part, after) = rest.split_at_mut(chunk.rows.len());
                parts.push((chunk, part));
                rest = after;
            }
            assert!(rest.is_empty(), "chunks are all rows");
            parts.into_par_iter().try_for_each(|(chunk, part)| self.rank(chunk, &numbers, ranks, part))?;
        }
        // SAFETY: the parts are all places, and `rank` has written every place of a part. If rows are not
        // numbered, there is no place.
        unsafe { ranked.set_len(numbers.len()) };
        Ok(ranked)
    }

    /// Writes the number of the group of each row of a chunk: every place.
    fn rank<R: RowNumber>(
        &self,
        chunk: &Parted<K, F::State>,
        numbers: &[AtomicU32],
        ranks: &Ranks,
        ranked: &mut [MaybeUninit<R>],
    ) -> Result<(), Error> {
        let mut of_group: Vec<u32> = room(chunk.places.len())?;
        // Relaxed, as all here: the end of the parallel loop ordered the stores.
        of_group.extend(chunk.places.iter().map(|place| ranks.of(place.load(Ordering::Relaxed))));
        let numbers = numbers[chunk.rows.clone()].iter().map(|number| number.load(Ordering::Relaxed));
        assert_eq!(numbers.len(), ranked.len(), "a place for each row");
        match &chunk.left {
            None => {
                for (number, ranked) in numbers.zip(ranked) {
                    ranked.write(R::of(ranks.of(number)));
                }
            }
            Some(left) => {
                let mut left = left.iter().map(|&row| row as usize - chunk.rows.start).peekable();
                for ((row, number), ranked) in numbers.enumerate().zip(ranked) {
                    let is_left = left.next_if_eq(&row).is_some();
                    ranked.write(R::of(if is_left { ranks.of(number) } else { of_group[number as usize] }));
                }
            }
        }
        self.progress.advance(chunk.rows.len())
    }

    /// The states of all partitions, in the order of the first rows of their groups.
    fn in_order(&self, found: &[Found<F::State>], ranks: &Ranks) -> Result<Vec<F::State>, Error> {
        let Some(&any) = found.iter().find_map(|found| found.states.first()) else { return Ok(Vec::new()) };
        let groups = ranks.count();
        let mut states = room(groups)?;
        states.resize(groups, any);
        if size_of::<F::State>() == 0 {
            return Ok(states);
        }
        for part in found {
            for (&row, &state) in part.first.iter().zip(&part.states) {
                states[ranks.of(row) as usize] = state;
            }
        }
        Ok(states)
    }
}

/// Adds rows whose keys have a group to these groups. Each other row goes to `unknown`; at the first for
/// which that returns false it stops. Returns how many rows come before that one.
///
/// A function of its own, in which the compiler knows that nothing changes the table and the fold: it keeps
/// what it reads of them in registers.
#[inline(never)]
fn add_known<K: TableKey, F: Fold>(
    table: &Numbering<K::Bits>,
    fold: &F,
    (keys, rows): (&[K], Range<usize>),
    states: &mut [F::State],
    numbers: &[AtomicU32],
    mut unknown: impl FnMut(K, u32) -> bool,
) -> usize {
    let first = rows.start as u32;
    debug_assert!(numbers.is_empty() || numbers.len() == keys.len(), "a place for each row");
    let numbers = numbers.get(rows.clone()).unwrap_or_default();
    for (at, &key) in (0u32..).zip(&keys[rows.clone()]) {
        match table.known(key.to_word()) {
            Some(number) => {
                fold.add(&mut states[number as usize], first + at);
                note(numbers, at, number);
            }
            None if unknown(key, first + at) => {}
            None => return at as usize,
        }
    }
    rows.len()
}

/// Notes the number of a row, if rows are numbered.
#[inline(always)]
fn note(numbers: &[AtomicU32], row: u32, number: u32) {
    if let Some(noted) = numbers.get(row as usize) {
        // Relaxed: the end of the parallel loop orders it before the reads.
        noted.store(number, Ordering::Relaxed);
    }
}

impl<K, S> Chunk<K, S> {
    /// A chunk that is not combined.
    const fn whole(rows: Range<usize>) -> Self {
        Self { rows, groups: Found::NONE, group_keys: Vec::new(), left: None }
    }

    /// How many records it is partitioned into.
    fn records(&self) -> usize {
        self.group_keys.len() + self.left.as_ref().map_or(self.rows.len(), |(keys, _)| keys.len())
    }
}
