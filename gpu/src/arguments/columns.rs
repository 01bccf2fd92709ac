//! The arguments of the kernels that make the groups of a column.

use super::{Argument, Arguments, List};
use warpproof_model::Seed;
use warpproof_model::aggregate::{HOT_WORDS, Told, aggregate_words};
use warpproof_model::paged::partition::{SORTED, scatter_words};

/// Threads of a block that counts or moves the rows of a task.
const TASK_THREADS: u32 = 512;
/// The most rows of a task.
pub(crate) const TASK_ROWS: u32 = TASK_THREADS * SORTED;
/// Numbers of a task: its first row, their end, and their partition at the level before.
pub(crate) const TASK: usize = 3;
/// Threads of a block that draws a sample.
pub(crate) const SAMPLE_THREADS: u32 = 256;

/// Keys, and values or null.
#[derive(Clone, Copy)]
pub(crate) struct RowColumns {
    pub(crate) keys: u64,
    pub(crate) values: u64,
}

/// Tasks of a launch.
#[derive(Clone, Copy)]
pub(crate) struct Tasks {
    pub(crate) address: u64,
    pub(crate) count: u32,
}

/// How rows are assigned to the digits of a level.
#[derive(Clone, Copy)]
pub(crate) struct Level {
    /// Digits of a partition of the level before.
    pub(crate) fan: u32,
    /// Partitions of the level before.
    pub(crate) before: u32,
    /// How many hot keys there are, their keys and their index.
    pub(crate) hot: u32,
    pub(crate) hot_keys: u64,
    pub(crate) index: u64,
    pub(crate) seed: Seed,
}

impl Level {
    fn list(self) -> [Argument; 7] {
        let [mask, factor] = self.seed.words();
        [
            Argument::U32(self.fan),
            Argument::U32(self.before),
            Argument::U32(self.hot),
            Argument::Pointer(self.hot_keys),
            Argument::Pointer(self.index),
            Argument::U64(mask),
            Argument::U64(factor),
        ]
    }

    /// Digits of a partition of the level before, with those of hot keys.
    pub(crate) const fn digits(self) -> u32 {
        self.fan + self.hot
    }

    /// The index of hot keys, in shared words.
    const fn index_words(self) -> u32 {
        if self.hot == 0 { 0 } else { HOT_WORDS }
    }
}

/// Where groups go: keys, and the number of rows and the sum of values, if these are `told`; and for how
/// many there is room.
#[derive(Clone, Copy)]
pub(crate) struct GroupColumns {
    pub(crate) told: Told,
    pub(crate) keys: u64,
    pub(crate) rows: u64,
    pub(crate) sums: u64,
    pub(crate) room: u32,
}

/// Slots and threads of a block that makes groups. A block has 48 KiB of shared memory at most.
pub(crate) const fn shape(told: Told) -> (u32, u32) {
    if told.rows || told.sum { (2048, 256) } else { (4096, 512) }
}

fn of(lists: &[&[Argument]], (blocks, threads): (u32, u32), shared_words: u32) -> Arguments {
    let mut list = List::new(&[], &[]);
    lists.iter().for_each(|more| list.extend(more));
    let tiles = u64::from(blocks) * u64::from(threads);
    Arguments { list, tiles, shared: shared_words * size_of::<u32>() as u32 }
}

impl Arguments {
    /// `columns_sample`: keys, words of one, rows, seed, n, sample.
    pub(crate) fn columns_sample(
        (keys, words): (u64, u32),
        rows: u32,
        seed: Seed,
        (sample, n): (u64, u32),
    ) -> Self {
        let [mask, factor] = seed.words();
        let list = [
            Argument::Pointer(keys),
            Argument::U32(words),
            Argument::U32(rows),
            Argument::U64(mask),
            Argument::U64(factor),
            Argument::Count,
            Argument::Pointer(sample),
        ];
        of(&[&list], (n, 1), 0)
    }

    /// `columns_count`: keys, tasks, n, level, counters.
    pub(crate) fn columns_count(keys: u64, tasks: Tasks, level: Level, counters: u64) -> (Self, u32) {
        let own = [Argument::Pointer(keys), Argument::Pointer(tasks.address), Argument::Count];
        let words = level.digits() + level.index_words();
        let lists: [&[_]; 3] = [&own, &level.list(), &[Argument::Pointer(counters)]];
        (of(&lists, (tasks.count, TASK_THREADS), words), TASK_THREADS)
    }

    /// `columns_scatter`: columns, tasks, n, level, next places, columns to move to, room.
    pub(crate) fn columns_scatter(
        rows: RowColumns,
        tasks: Tasks,
        level: Level,
        (next, to, room): (u64, RowColumns, u32),
    ) -> (Self, u32) {
        let own = [rows.keys, rows.values, tasks.address].map(Argument::Pointer);
        let to = [next, to.keys, to.values].map(Argument::Pointer);
        let words = scatter_words(level.digits(), (TASK_THREADS, SORTED), true) + level.index_words();
        let lists: [&[_]; 5] = [&own, &[Argument::Count], &level.list(), &to, &[Argument::U32(room)]];
        (of(&lists, (tasks.count, TASK_THREADS), words), TASK_THREADS)
    }

    /// `columns_among`: keys, rows, hot keys of a level, found.
    pub(crate) fn columns_among((keys, rows): (u64, u32), level: Level, found: u64) -> (Self, u32) {
        let own = [Argument::Pointer(keys), Argument::U32(rows)];
        let [_, _, hot @ ..] = level.list();
        let lists: [&[_]; 3] = [&own, &hot, &[Argument::Pointer(found)]];
        (of(&lists, (rows.div_ceil(TASK_ROWS), TASK_THREADS), level.index_words()), TASK_THREADS)
    }

    /// `columns_group`: columns, first row, ends, n, slots, seed, groups, room, totals.
    pub(crate) fn columns_group(
        rows: RowColumns,
        (first, ends, partitions): (u32, u64, u32),
        seed: Seed,
        (to, totals): (GroupColumns, u64),
    ) -> (Self, u32) {
        let [mask, factor] = seed.words();
        let (slots, threads) = shape(to.told);
        let own = [rows.keys, rows.values].map(Argument::Pointer);
        let list = [
            Argument::U32(first),
            Argument::Pointer(ends),
            Argument::Count,
            Argument::U32(slots),
            Argument::U64(mask),
            Argument::U64(factor),
        ];
        // An output without elements may be null, too; then nothing is written.
        let rows_to = if to.told.rows { to.rows } else { 0 };
        let sums_to = if to.told.sum { to.sums } else { 0 };
        let groups = [to.keys, rows_to, sums_to].map(Argument::Pointer);
        let last = [Argument::U32(to.room), Argument::Pointer(totals)];
        let words = aggregate_words(slots, to.told);
        (of(&[&own, &list, &groups, &last], (partitions, threads), words), threads)
    }
}
