//! Kernels that partition a batch by the child tables of a paged table, and bring the answers back:
//! `paged_STEP_WIDTH`. They take no table.
//!
//! The *digit* of a key names its child table and a part of that. It is made of the leading digits of two
//! hashes: one with the seed of the whole table gives the child table, and one with the seed of the child
//! table gives the part, as it gives the home.

use super::{Array, At, Count, In, MaybeIn};
use warpproof_device::{CtaBlock, Tile};
use warpproof_model::outcome::{Delete, Insert, Op};
use warpproof_model::paged::partition::{
    ARRANGED, COUNTED, Moves, SCATTERED, SORTED, SORTED_DIGITS, Share, TALLIES, arrange, count, leader,
    scatter,
};
use warpproof_model::{Block, Hash64, IntegerWords, Key, Order, ReadOrder, Seed, Warp, Words};

/// How keys are assigned to digits.
#[derive(Clone, Copy)]
struct Digits {
    children: u32,
    /// Parts of each child table.
    parts: u32,
    seed: Seed,
    /// Two words of a seed for each child table.
    seeds: *const u64,
}

impl Digits {
    /// How many digits there are.
    #[inline(always)]
    fn count(self) -> u32 {
        self.children * self.parts
    }

    /// The child table of a key.
    #[inline(always)]
    fn child<K: Key>(self, key: K) -> u32 {
        key.hash(self.seed).digit(self.children)
    }

    /// The hash of a key in its child table.
    #[inline(always)]
    fn hash_in<K: Key>(self, child: u32, key: K) -> Hash64 {
        // SAFETY: two words for each child table, which nothing writes during the launch.
        let words = [0, 1].map(|word| unsafe { self.seeds.add(2 * child as usize + word).read() });
        key.hash(Seed::from_words(words))
    }

    /// The digit of a key.
    #[inline(always)]
    fn of<K: Key>(self, key: K) -> u32 {
        let child = self.child(key);
        if self.parts == 1 {
            return child;
        }
        child * self.parts + self.hash_in(child, key).digit(self.parts)
    }

    /// The digit of a key, and the number of its bin among the `bins` of that digit.
    #[inline(always)]
    fn with_bin<K: Key>(self, key: K, bins: u32) -> (u32, u32) {
        let child = self.child(key);
        let hash = self.hash_in(child, key);
        (child * self.parts + hash.digit(self.parts), hash.rest(self.parts).digit(bins))
    }
}

/// Columns of operations, and the columns to which they are moved.
#[derive(Clone, Copy)]
struct Columns<K, V> {
    keys: In<K>,
    values: In<V>,
    ops: MaybeIn<u8>,
    /// The numbers of the operations in the batch; null if they are still in the order of the batch.
    numbers: MaybeIn<u32>,
    n: u32,
    to_keys: Array<K>,
    to_values: Array<V>,
    to_ops: Array<u8>,
    to_numbers: Array<u32>,
    /// If not null, gets the place of each operation, in the order of the batch; then `to_numbers` is null.
    places: Array<u32>,
}

impl<K: Key, V: Copy> Moves for Columns<K, V> {
    type Key = K;

    #[inline(always)]
    fn operations(self) -> u32 {
        self.n
    }

    #[inline(always)]
    fn key(self, at: u32) -> K {
        // SAFETY: below `operations`, by the contract of `Moves`.
        self.keys.read(unsafe { At::new(at as usize) })
    }

    #[inline(always)]
    fn put(self, at: u32, place: u32) {
        // SAFETY: below `operations`, by the contract of `Moves`.
        let op = unsafe { At::new(at as usize) };
        let place = place as u64;
        // SAFETY: there is a place for each operation, and no other one goes there.
        unsafe {
            self.to_keys.set(place, self.keys.read(op));
            if size_of::<V>() != 0 {
                self.to_values.set(place, self.values.read(op));
            }
            if let Some(kind) = self.ops.read(op) {
                self.to_ops.set(place, kind);
            }
            if self.places.0.is_null() {
                self.to_numbers.set(place, self.numbers.read(op).unwrap_or(at));
            } else {
                self.places.set(at as u64, place as u32);
            }
        }
    }
}

/// The calling thread in its block, and the operations of the block, `each` of every thread.
///
/// # Safety
///
/// As [`CtaBlock::new`], once for each kernel.
#[inline(always)]
unsafe fn here(each: u32) -> ((Tile<1>, CtaBlock<1>), Share) {
    // SAFETY: the contract of this function.
    let (tile, block) = unsafe { (Tile::<1>::new(), CtaBlock::<1>::new()) };
    let from = block.number().saturating_mul(block.warps() * each);
    ((tile, block), Share { from, each })
}

/// Counts of digits.
///
/// # Safety
///
/// The contract of the kernel: columns and counters are as long as it says, and nothing else uses them.
#[inline(always)]
unsafe fn count_digits<K: Key>(keys: In<K>, n: Count, digits: Digits, counters: Array<u32>) {
    // SAFETY: the contract of the kernel.
    let (mut here, share) = unsafe { here(COUNTED) };
    // Nothing is moved.
    let columns = Columns {
        keys,
        values: In::<()>(core::ptr::null()),
        ops: MaybeIn(core::ptr::null()),
        numbers: MaybeIn(core::ptr::null()),
        n: n.0,
        to_keys: Array(core::ptr::null_mut()),
        to_values: Array(core::ptr::null_mut()),
        to_ops: Array(core::ptr::null_mut()),
        to_numbers: Array(core::ptr::null_mut()),
        places: Array(core::ptr::null_mut()),
    };
    // SAFETY: a counter for each digit.
    let counters = unsafe { counters.words(digits.count() as usize) };
    count(&mut here, (columns, share), (digits.count(), |key| digits.of(key)), counters);
}

/// Sorts the operations of a batch by digits.
///
/// # Safety
///
/// The contract of the kernel: columns and counters are as long as it says, and nothing else uses them.
#[inline(always)]
unsafe fn scatter_by_digits<K: Key, V: Copy>(columns: Columns<K, V>, digits: Digits, next: Array<u32>) {
    let sorted = digits.count() <= SORTED_DIGITS;
    // SAFETY: the contract of the kernel.
    let (mut here, share) = unsafe { here(if sorted { SORTED } else { SCATTERED }) };
    // SAFETY: a counter for each digit.
    let next = unsafe { next.words(digits.count() as usize) };
    scatter(&mut here, (columns, share), (digits.count(), |key| digits.of(key)), next, sorted);
}

/// Sorts operations that are already sorted by digits: within each tile, by the `bins` parts of its span.
///
/// # Safety
///
/// The contract of the kernel: columns and counters are as long as it says, and nothing else uses them.
#[inline(always)]
unsafe fn arrange_tiles<K: Key, V: Copy>(columns: Columns<K, V>, digits: Digits, bins: u32) {
    // SAFETY: the contract of the kernel.
    let (mut here, share) = unsafe { here(ARRANGED) };
    let from = share.from;
    let last = from.saturating_add(here.1.warps() * ARRANGED).min(columns.n);
    // The span of the tile, from the digit of its first key to that of its last. All threads of the block
    // know it.
    let first = if from < last { digits.of(columns.key(from)) } else { 0 };
    let span = if from < last { digits.of(columns.key(last - 1)).saturating_sub(first) + 1 } else { 1 };
    // Bins of each digit; or digits of each bin. Avoids a division by zero, and its panic.
    let each = bins.checked_div(span).unwrap_or(1).max(1);
    let shared_by = span.div_ceil(bins.max(1)).max(1);
    let bin = |key| {
        let (digit, bin) = digits.with_bin(key, each);
        (digit.saturating_sub(first) / shared_by * each + bin).min(bins - 1)
    };
    arrange(&mut here, (columns, share), (bins, bin));
}

/// Brings answers back into the order of the batch.
///
/// # Safety
///
/// The contract of the kernel: columns and counters are as long as it says, and nothing else uses them.
#[inline(always)]
unsafe fn give_back<K: Key, V: Copy>(
    numbers: In<u32>,
    (keys, codes, values): (MaybeIn<K>, MaybeIn<u8>, MaybeIn<V>),
    n: Count,
    (to_codes, to_values): (Array<u8>, Array<V>),
) {
    // SAFETY: the contract of the kernel.
    let thread = unsafe { Tile::<1>::new() };
    if thread.id() < n.0 {
        // SAFETY: below `n`; numbers are those of operations, each once.
        unsafe {
            let number = numbers.read(At::new(thread.id() as usize)) as u64;
            let op = At::new(match keys {
                MaybeIn(keys) if keys.is_null() => thread.id(),
                MaybeIn(keys) => leader(thread.id(), |at| In(keys).read(At::new(at as usize))),
            } as usize);
            if let Some(code) = codes.read(op) {
                to_codes.set(number, code);
            }
            if let Some(value) = values.read(op) {
                to_values.set(number, value);
            }
        }
    }
}

/// Brings answers from the places of operations into the order of the batch.
///
/// # Safety
///
/// The contract of the kernel: columns are as long as it says, and nothing else uses them.
#[inline(always)]
unsafe fn gather<V: Copy>(
    places: In<u32>,
    (codes, values): (MaybeIn<u8>, MaybeIn<V>),
    n: Count,
    (to_codes, to_values): (Array<u8>, Array<V>),
) {
    // SAFETY: the contract of the kernel.
    let thread = unsafe { Tile::<1>::new() };
    if thread.id() < n.0 {
        let number = thread.id() as u64;
        // SAFETY: below `n`; places are those of operations, each once.
        unsafe {
            let place = At::new(places.read(At::new(number as usize)) as usize);
            if let Some(code) = codes.read(place) {
                to_codes.set(number, code);
            }
            if let Some(value) = values.read(place) {
                to_values.set(number, value);
            }
        }
    }
}

/// The kernels for keys of one width.
macro_rules! of_keys {
    ($($width:literal $key:ty;)*) => { $(
        /// Adds to `counters` how often each digit occurs. A thread for each 32 operations, and a shared word
        /// for each digit.
        #[unsafe(no_mangle)]
        unsafe extern "ptx-kernel" fn ${concat(paged_count_, $width)}(
            keys: In<$key>, n: Count,
            children: u32, parts: u32, mask: u64, factor: u64, seeds: *const u64, counters: Array<u32>,
        ) {
            let digits = Digits { children, parts, seed: Seed::from_words([mask, factor]), seeds };
            // SAFETY: the contract of the kernel.
            unsafe { count_digits(keys, n, digits, counters) }
        }

        /// Brings answers (codes, numbers or both) into the order of the batch. If keys are given, only the
        /// first operation of each run of equal keys has an answer, which is copied to the others. A thread
        /// for each operation.
        #[unsafe(no_mangle)]
        unsafe extern "ptx-kernel" fn ${concat(paged_answer_, $width)}(
            numbers: In<u32>, keys: MaybeIn<$key>, codes: MaybeIn<u8>, values: MaybeIn<$key>, n: Count,
            to_codes: Array<u8>, to_values: Array<$key>,
        ) {
            // SAFETY: the contract of the kernel.
            unsafe { give_back(numbers, (keys, codes, values), n, (to_codes, to_values)) }
        }

        /// Brings answers (codes, numbers or both) from the `places` of operations into the order of the
        /// batch. A thread for each operation.
        #[unsafe(no_mangle)]
        unsafe extern "ptx-kernel" fn ${concat(paged_gather_, $width)}(
            places: In<u32>, codes: MaybeIn<u8>, values: MaybeIn<$key>, n: Count,
            to_codes: Array<u8>, to_values: Array<$key>,
        ) {
            // SAFETY: the contract of the kernel.
            unsafe { gather(places, (codes, values), n, (to_codes, to_values)) }
        }
    )* };
}
of_keys! {
    32 u32;
    64 u64;
}

/// The kernels for keys of one width, with values or without.
macro_rules! of_entries {
    ($($entry:ident $key:ty, {$($values:ident $to_values:ident $value:ty)?};)*) => { $(
        /// Moves operations to the places of their digits: `next` has the next place of each. A thread for
        /// each 32 operations, and a shared word for each digit; up to 1,024 digits a thread for each 16, and
        /// the shared words of `scatter_words`.
        #[unsafe(no_mangle)]
        unsafe extern "ptx-kernel" fn ${concat(paged_scatter_, $entry)}(
            keys: In<$key>, $($values: In<$value>,)? ops: MaybeIn<u8>, numbers: MaybeIn<u32>, n: Count,
            children: u32, parts: u32, mask: u64, factor: u64, seeds: *const u64, next: Array<u32>,
            to_keys: Array<$key>, $($to_values: Array<$value>,)? to_ops: Array<u8>, to_numbers: Array<u32>, places: Array<u32>,
        ) {
            let digits = Digits { children, parts, seed: Seed::from_words([mask, factor]), seeds };
            let (values, to_values) = columns!($($values $to_values)?);
            let columns =
                Columns { keys, values, ops, numbers, n: n.0, to_keys, to_values, to_ops, to_numbers, places };
            // SAFETY: the contract of the kernel.
            unsafe { scatter_by_digits(columns, digits, next) }
        }

        /// Brings the operations of each tile into the order of their homes. A thread for each 8 operations;
        /// a shared word for each of the `bins`, and one for each thread.
        #[unsafe(no_mangle)]
        unsafe extern "ptx-kernel" fn ${concat(paged_arrange_, $entry)}(
            keys: In<$key>, $($values: In<$value>,)? ops: MaybeIn<u8>, numbers: MaybeIn<u32>, n: Count,
            children: u32, parts: u32, mask: u64, factor: u64, seeds: *const u64, bins: u32,
            to_keys: Array<$key>, $($to_values: Array<$value>,)? to_ops: Array<u8>, to_numbers: Array<u32>,
        ) {
            let digits = Digits { children, parts, seed: Seed::from_words([mask, factor]), seeds };
            let (values, to_values) = columns!($($values $to_values)?);
            let places = Array(core::ptr::null_mut());
            let columns =
                Columns { keys, values, ops, numbers, n: n.0, to_keys, to_values, to_ops, to_numbers, places };
            // SAFETY: the contract of the kernel.
            unsafe { arrange_tiles(columns, digits, bins) }
        }
    )* };
}

/// Values and where they are moved to; keys only have none.
macro_rules! columns {
    () => {
        (In::<()>(core::ptr::null()), Array::<()>(core::ptr::null_mut()))
    };
    ($values:ident $to_values:ident) => {
        ($values, $to_values)
    };
}
of_entries! {
    set32 u32, {};
    set64 u64, {};
    map32 u32, {values to_values u32};
    map64 u64, {values to_values u64};
}

/// Counts outcomes by the codes of operations, and adds them to the three `tallies` of each child table. The
/// operations of a child table are those from its number of `starts` to the next one. `kind` is the kind of
/// all operations, unless there are `ops`. A block for each child table, and three shared words.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn paged_tally(
    ops: MaybeIn<u8>,
    codes: In<u8>,
    starts: *const u32,
    kind: u32,
    children: u32,
    tallies: Array<u64>,
) {
    // SAFETY: the contract of the kernel.
    let (mut thread, mut block) = unsafe { (Tile::<1>::new(), CtaBlock::<1>::new()) };
    let (child, shared) = (block.number(), block.shared());
    if child < children {
        // SAFETY: one more than child tables, which nothing writes during the launch.
        let [start, end] = [0, 1].map(|next| unsafe { starts.add(child as usize + next).read() });
        let mut mine = [0u32; TALLIES];
        let mut at = start.saturating_add(block.rank());
        while at < end {
            // SAFETY: below the last start, which is the number of operations.
            let op = unsafe { At::new(at as usize) };
            let kind = ops.read(op).map_or(kind, Into::into);
            let code = codes.read(op);
            let deletes = kind == Op::Delete as u32;
            let stores = !deletes & (kind != Op::Search as u32);
            mine[0] += (stores & (code == Insert::Inserted.code())) as u32;
            mine[1] += (deletes & (code == Delete::Deleted.code())) as u32;
            mine[2] += (stores & (code == Insert::Full.code())) as u32;
            at = at.saturating_add(block.warps());
        }
        for (word, n) in mine.into_iter().enumerate() {
            if n != 0 {
                // Relaxed, all: the barrier orders them; tallies are read after the launch.
                shared.fetch_add(word, n, Order::Relaxed);
            }
        }
    }
    block.sync();
    if child < children && (block.rank() as usize) < TALLIES {
        let word = block.rank() as usize;
        let n = thread.elect(0, || shared.load(word, ReadOrder::Relaxed));
        // SAFETY: three for each child table.
        let tallies = unsafe { tallies.words(TALLIES * children as usize) };
        tallies.fetch_add(TALLIES * child as usize + word, n as u64, Order::Relaxed);
    }
}
