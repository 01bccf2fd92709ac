//! Kernels that make the groups of a column: `columns_STEP_WIDTH`. They take no table.
//!
//! The rows are partitioned by the digits of their keys' hashes, level by level, until a partition fits a
//! block. At the first level a hot key has a digit of its own, after the others.

use super::{Array, At, Count, In, MaybeIn, Out};
use warpproof_device::{CtaBlock, Global, Shared, Tile};
use warpproof_model::aggregate::{Group, HOT_WORDS, HotKeys, Rows, TOTALS, Told, aggregate};
use warpproof_model::paged::partition::{Moves, SORTED, Share, count, scatter_sorted, scatter_words};
use warpproof_model::{Block, Hash64, Key, Seed, Warp, Words, WriteOrder};

/// Numbers of a task: the first of its rows, their end, and their partition at the level before.
const TASK: usize = 3;

/// How rows are assigned to the digits of a level.
#[derive(Clone, Copy)]
struct Level<K> {
    /// Digits of a partition of the level before, without those of hot keys.
    fan: u32,
    /// Partitions of the level before.
    before: u32,
    /// Hot keys, and their index; none after the first level.
    hot: u32,
    hot_keys: *const K,
    index: *const u32,
    seed: Seed,
}

impl<K: Key> Level<K> {
    /// How many digits a partition has.
    #[inline(always)]
    fn digits(self) -> u32 {
        self.fan + self.hot
    }

    /// The number of a hot key, which has this hash. The index begins at shared word `index`.
    #[inline(always)]
    fn number(self, key: K, hash: Hash64, shared: Shared, index: usize) -> Option<u32> {
        // SAFETY: the index has the numbers of hot keys, which nothing writes during the launch.
        let hot_key = |number: u32| unsafe { self.hot_keys.add(number as usize).read() };
        if self.hot == 0 { None } else { HotKeys::new(shared, index, hot_key).number(key, hash) }
    }

    /// The digit of a key. The index of hot keys begins at shared word `index`.
    #[inline(always)]
    fn digit(self, key: K, shared: Shared, index: usize) -> u32 {
        let hash = key.hash(self.seed);
        match self.number(key, hash, shared, index) {
            Some(number) => self.fan + number,
            None => hash.rest(self.before).digit(self.fan),
        }
    }

    /// Copies the index of hot keys to the shared words from `index` on. All threads of the block call this.
    #[inline(always)]
    fn copy_index(self, block: &mut CtaBlock<1>, index: usize) {
        if self.hot == 0 {
            return;
        }
        let (shared, mut word) = (block.shared(), block.rank());
        while word < HOT_WORDS {
            // SAFETY: so many words, which nothing writes during the launch.
            let read = unsafe { self.index.add(word as usize).read() };
            // Relaxed: the barrier orders it.
            shared.store(index + word as usize, read, WriteOrder::Relaxed);
            word += block.warps();
        }
        block.sync();
    }
}

/// The rows of a task, and the columns to which they are moved.
#[derive(Clone, Copy)]
struct Moved<K> {
    keys: In<K>,
    /// May be null.
    values: MaybeIn<u64>,
    end: u32,
    to_keys: Array<K>,
    to_values: Array<u64>,
    /// Rows with a place from here on are not moved.
    room: u32,
}

impl<K: Key> Moves for Moved<K> {
    type Key = K;

    #[inline(always)]
    fn operations(self) -> u32 {
        self.end
    }

    #[inline(always)]
    fn key(self, at: u32) -> K {
        // SAFETY: below `operations`, by the contract of `Moves`.
        self.keys.read(unsafe { At::new(at as usize) })
    }

    #[inline(always)]
    fn put(self, at: u32, place: u32) {
        if place < self.room {
            // SAFETY: below `operations`, by the contract of `Moves`; there is a place for each row below
            // `room`, and no other one goes there.
            unsafe {
                let row = At::new(at as usize);
                self.to_keys.set(place as u64, self.keys.read(row));
                if let Some(value) = self.values.read(row) {
                    self.to_values.set(place as u64, value);
                }
            }
        }
    }
}

/// The calling thread in its block, and the numbers of the block's task; `None` if it has none.
///
/// # Safety
///
/// As [`CtaBlock::new`], once for each kernel. `list` has the numbers of a task for each block with a thread
/// below `n`, and nothing writes them during the launch.
#[inline(always)]
unsafe fn here(list: *const u32, n: Count) -> Option<((Tile<1>, CtaBlock<1>), [u32; TASK])> {
    // SAFETY: the contract of this function.
    let (tile, block) = unsafe { (Tile::<1>::new(), CtaBlock::<1>::new()) };
    let task = block.number();
    if task as u64 * block.warps() as u64 >= n.0 as u64 {
        return None;
    }
    // SAFETY: a task below their number.
    let numbers = [0, 1, 2].map(|number| unsafe { list.add(TASK * task as usize + number).read() });
    Some(((tile, block), numbers))
}

/// Counts the digits of each task's rows.
///
/// # Safety
///
/// The contract of the kernel: columns and counters are as long as it says, and nothing else uses them.
#[inline(always)]
unsafe fn count_digits<K: Key>(
    keys: In<K>,
    (tasks, n): (*const u32, Count),
    level: Level<K>,
    counters: Array<u32>,
) {
    // SAFETY: the contract of the kernel.
    let Some((mut here, [from, end, partition])) = (unsafe { here(tasks, n) }) else { return };
    let (digits, none) = (level.digits(), Array(core::ptr::null_mut()));
    level.copy_index(&mut here.1, digits as usize);
    let shared = here.1.shared();
    // Nothing is moved.
    let (values, to_values) = (MaybeIn(core::ptr::null()), Array(core::ptr::null_mut()));
    let rows = Moved { keys, values, end, to_keys: none, to_values, room: 0 };
    let share = Share { from, each: SORTED };
    // SAFETY: a counter for each digit of each partition.
    let counters = unsafe { of_partition(counters, partition, digits) };
    count(&mut here, (rows, share), (digits, |key| level.digit(key, shared, digits as usize)), counters);
}

/// Moves the rows of each task to the places of their digits.
///
/// # Safety
///
/// The contract of the kernel: columns and counters are as long as it says, and nothing else uses them.
#[inline(always)]
unsafe fn scatter_by_digits<K: Key>(
    moved: Moved<K>,
    (tasks, n): (*const u32, Count),
    level: Level<K>,
    next: Array<u32>,
) {
    // SAFETY: the contract of the kernel.
    let Some((mut here, [from, end, partition])) = (unsafe { here(tasks, n) }) else { return };
    let digits = level.digits();
    let index = scatter_words(digits, (here.1.warps(), SORTED), true) as usize;
    level.copy_index(&mut here.1, index);
    let shared = here.1.shared();
    let share = Share { from, each: SORTED };
    // SAFETY: a counter for each digit of each partition.
    let next = unsafe { of_partition(next, partition, digits) };
    let digit = |key| level.digit(key, shared, index);
    scatter_sorted(&mut here, (Moved { end, ..moved }, share), (digits, digit), next);
}

/// The counters of a partition's digits.
///
/// # Safety
///
/// There are so many for each partition up to this one, and all code accesses them only by atomic
/// instructions.
#[inline(always)]
unsafe fn of_partition(counters: Array<u32>, partition: u32, digits: u32) -> Global<u32> {
    // SAFETY: the contract of this function.
    unsafe { Array(counters.0.add(partition as usize * digits as usize)).words(digits as usize) }
}

/// The rows of the partitions, and the columns of their groups.
#[derive(Clone, Copy)]
struct Grouped<K> {
    keys: In<K>,
    /// May be null, and then so are the sums.
    values: MaybeIn<u64>,
    to_keys: Array<K>,
    /// May be null.
    to_rows: Array<u64>,
    to_sums: Array<u64>,
    /// Groups with a place from here on are not written.
    room: u32,
}

impl<K: Key> Rows for Grouped<K> {
    type Key = K;

    #[inline(always)]
    fn key(self, row: u32) -> K {
        // SAFETY: a row of a partition, by the contract of `Rows`.
        self.keys.read(unsafe { At::new(row as usize) })
    }

    #[inline(always)]
    fn value(self, row: u32) -> u64 {
        // SAFETY: likewise.
        self.values.read(unsafe { At::new(row as usize) }).unwrap_or(0)
    }

    #[inline(always)]
    fn put(self, place: u32, group: Group<K>) {
        if place < self.room {
            let place = place as u64;
            // SAFETY: there is room, and no other group goes there.
            unsafe {
                self.to_keys.set(place, group.key);
                if !self.to_rows.0.is_null() {
                    self.to_rows.set(place, group.rows as u64);
                }
                if !self.to_sums.0.is_null() {
                    self.to_sums.set(place, group.sum);
                }
            }
        }
    }
}

/// Makes the groups of partitions that follow one another from row `first` on: `ends` has the end of each.
///
/// # Safety
///
/// The contract of the kernel: columns and counters are as long as it says, and nothing else uses them.
#[inline(always)]
unsafe fn group<K: Key>(
    rows: Grouped<K>,
    (first, ends, n): (u32, *const u32, Count),
    (slots, seed): (u32, Seed),
    totals: Array<u32>,
) {
    // SAFETY: the contract of the kernel.
    let mut here = unsafe { (Tile::<1>::new(), CtaBlock::<1>::new()) };
    let partition = here.1.number() as usize;
    if partition as u64 * here.1.warps() as u64 >= n.0 as u64 {
        return;
    }
    // SAFETY: a partition below their number.
    let [start, end] = [partition.wrapping_sub(1), partition]
        .map(|at| if at == usize::MAX { first } else { unsafe { ends.add(at).read() } });
    // Partitions go by the leading digits of the hash.
    let slot = |key: K| key.hash(seed).low();
    // SAFETY: that many.
    let totals = unsafe { totals.words(TOTALS) };
    let told = Told { rows: !rows.to_rows.0.is_null(), sum: !rows.to_sums.0.is_null() };
    aggregate(&mut here, (rows, start..end), (slots, slot), told, totals);
}

/// Whether each of `rows` rows has one of the hot keys: 1 or 0. A block has [`SORTED`] rows for each of its
/// threads, as one of a task has.
///
/// # Safety
///
/// The contract of the kernel: columns are as long as it says, and nothing else uses `found`.
#[inline(always)]
unsafe fn among<K: Key>(keys: In<K>, rows: u32, level: Level<K>, found: Out<u8>) {
    // SAFETY: the contract of this function.
    let mut block = unsafe { CtaBlock::<1>::new() };
    level.copy_index(&mut block, 0);
    let (shared, threads) = (block.shared(), block.warps() as usize);
    let each = SORTED as usize;
    let first = block.number() as usize * threads * each + block.rank() as usize;
    let end = (first + each * threads).min(rows as usize);
    // SAFETY: a row below their number.
    let read = |row: usize| keys.read(unsafe { At::new(row) });
    let (mut row, mut key) = (first, if first < end { read(first) } else { K::ZERO });
    while row < end {
        // The next key is read while this one is looked up.
        let next = row + threads;
        let next_key = if next < end { read(next) } else { key };
        let number = level.number(key, key.hash(level.seed), shared, 0);
        // SAFETY: a row below their number, which no other thread has.
        unsafe { found.at(At::new(row)).write(number.is_some().into()) }
        (row, key) = (next, next_key);
    }
}

/// Draws rows by the hashes of their numbers: writes the keys of `n` of the `rows` rows, each of `words`
/// words. A thread for each.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn columns_sample(
    keys: *const u32,
    words: u32,
    rows: u32,
    mask: u64,
    factor: u64,
    n: Count,
    to: Array<u32>,
) {
    // SAFETY: the contract of the kernel.
    let thread = unsafe { Tile::<1>::new() }.id();
    if thread < n.0 {
        let row = Seed::from_words([mask, factor]).hash(thread as u64).digit(rows);
        for word in 0..words as u64 {
            let from = row as u64 * words as u64 + word;
            // SAFETY: a word of the column, and one for each word of each thread.
            unsafe { to.set(thread as u64 * words as u64 + word, keys.add(from as usize).read()) }
        }
    }
}

/// The kernels for keys of one width.
macro_rules! of_keys {
    ($($width:literal $key:ty;)*) => { $(
        /// Adds to `counters` how often each digit occurs among the rows of each task. A block for each task,
        /// and a shared word for each digit and for each word of the index.
        #[unsafe(no_mangle)]
        unsafe extern "ptx-kernel" fn ${concat(columns_count_, $width)}(
            keys: In<$key>, tasks: *const u32, n: Count,
            fan: u32, before: u32, hot: u32, hot_keys: *const $key, index: *const u32, mask: u64, factor: u64,
            counters: Array<u32>,
        ) {
            let level = Level { fan, before, hot, hot_keys, index, seed: Seed::from_words([mask, factor]) };
            // SAFETY: the contract of the kernel.
            unsafe { count_digits(keys, (tasks, n), level, counters) }
        }

        /// Moves the rows of each task to the places of their digits, unless the place is `room` or more:
        /// `next` has the next place of each digit. A block for each task, with the shared words of
        /// `scatter_words` and those of the index.
        #[unsafe(no_mangle)]
        unsafe extern "ptx-kernel" fn ${concat(columns_scatter_, $width)}(
            keys: In<$key>, values: MaybeIn<u64>, tasks: *const u32, n: Count,
            fan: u32, before: u32, hot: u32, hot_keys: *const $key, index: *const u32, mask: u64, factor: u64,
            next: Array<u32>, to_keys: Array<$key>, to_values: Array<u64>, room: u32,
        ) {
            let level = Level { fan, before, hot, hot_keys, index, seed: Seed::from_words([mask, factor]) };
            let moved = Moved { keys, values, end: 0, to_keys, to_values, room };
            // SAFETY: the contract of the kernel.
            unsafe { scatter_by_digits(moved, (tasks, n), level, next) }
        }

        /// Writes to `found` whether each row has one of the hot keys: 1 or 0. A block for each [`SORTED`]
        /// rows of each of its threads, and the shared words of the index.
        #[unsafe(no_mangle)]
        unsafe extern "ptx-kernel" fn ${concat(columns_among_, $width)}(
            keys: In<$key>, rows: u32,
            hot: u32, hot_keys: *const $key, index: *const u32, mask: u64, factor: u64, found: Out<u8>,
        ) {
            let seed = Seed::from_words([mask, factor]);
            // SAFETY: the contract of the kernel.
            unsafe { among(keys, rows, Level { fan: 0, before: 1, hot, hot_keys, index, seed }, found) }
        }

        /// Makes the groups of the rows of each partition, and counts them in `totals`. A block for each
        /// partition, with the shared words of `aggregate_words`.
        #[unsafe(no_mangle)]
        unsafe extern "ptx-kernel" fn ${concat(columns_group_, $width)}(
            keys: In<$key>, values: MaybeIn<u64>, first: u32, ends: *const u32, n: Count,
            slots: u32, mask: u64, factor: u64,
            to_keys: Array<$key>, to_rows: Array<u64>, to_sums: Array<u64>, room: u32, totals: Array<u32>,
        ) {
            let rows = Grouped { keys, values, to_keys, to_rows, to_sums, room };
            let places = (slots, Seed::from_words([mask, factor]));
            // SAFETY: the contract of the kernel.
            unsafe { group(rows, (first, ends, n), places, totals) }
        }
    )* };
}
of_keys! {
    32 u32;
    64 u64;
}
