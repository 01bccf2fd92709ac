//! The list of kernels: tables x operations x shapes of a tile; and the arguments of each operation
//! (`operation!`) and the entry of each layout (`layout!`), for the macros of `kernel.rs`.
//!
//! A line lists operations, and then the tables that have them: a layout, and `SHAPE(LANES, SLOTS)`, the
//! lanes of a tile and the slots that each lane reads. Lanes times slots are the slots of a slab or bucket,
//! or the words of a group. The widths of the library are those that were fastest on an H200.
//!
//! Operations that read slots without regard to the structure have one kernel for several tables. The kernels
//! of maps serve multimaps too, and those of `open` serve `cuckoo`. (One exception: `cuckoo` has its own
//! `stats` of u64 pairs, as its buckets are larger.) A kernel that puts entries into bins does not depend on
//! the size of a bucket, so it has no `_x4` or `_x16`.
//!
//! For each structure a module has the functions that make its tables: `packed` if an entry is one word,
//! `lock_word` if it is a key word and a value word.

pub(crate) mod board;
pub(crate) mod cuckoo;
pub(crate) mod hop;
pub(crate) mod open;
pub(crate) mod paged;
pub(crate) mod slab;
pub(crate) mod waitfree;

/// The parts of a layout: its slots, its entry, and whether a table may hold a key more than once. Layouts in
/// 128-bit words are in modules of their own, for GPUs that have such words.
macro_rules! layout {
    (set32 $($rest:tt)*) => { layout! { @base packed $($rest)* Key32 Unique } };
    (set64 $($rest:tt)*) => { layout! { @base packed $($rest)* Key64 Unique } };
    (map32 $($rest:tt)*) => { layout! { @base packed $($rest)* Pair32 Unique } };
    (multi32 $($rest:tt)*) => { layout! { @base packed $($rest)* Pair32 Multi } };
    (map64l $($rest:tt)*) => { layout! { @base lock_word $($rest)* Pair64 Unique } };
    (multi64l $($rest:tt)*) => { layout! { @base lock_word $($rest)* Pair64 Multi } };
    (map64 $($rest:tt)*) => { layout! { @wide packed $($rest)* Pair64 Unique } };
    (multi64 $($rest:tt)*) => { layout! { @wide packed $($rest)* Pair64 Multi } };
    (@base $($rest:tt)*) => { #[cfg(not(feature = "b128"))] memory! { $($rest)* } };
    (@wide $($rest:tt)*) => { #[cfg(feature = "b128")] memory! { $($rest)* } };
}

/// The arguments of an operation after those of the table: `kernel! { TABLE [METHOD] (ARGUMENTS) }`.
///
/// The method of [`Launch`](crate::entry::Launch) takes these arguments, unless others follow them in
/// brackets. Arguments in braces are only for maps: the method of a set gets a value that means none.
macro_rules! operation {
    (insert_unique [$name:ident waitfree $($t:tt)*]) => {
        operation! { @put [$name waitfree $($t)*] [update::<UNIQUE>] }
    };
    (insert_or_assign [$name:ident waitfree $($t:tt)*]) => {
        operation! { @put [$name waitfree $($t)*] [update::<ASSIGN>] }
    };
    (delete [$name:ident waitfree $($t:tt)*]) => {
        kernel! { [$name waitfree $($t)*] [remove] (keys: In<Key>, outcomes: Out<u8>, n: Count) }
    };
    (search [$name:ident waitfree $($t:tt)*]) => { operation! { @search [$name waitfree $($t)*] [find] } };
    (mixed [$name:ident waitfree $($t:tt)*]) => {
        operation! { @mixed [$name waitfree $($t)*] [update_mixed] }
    };
    (mixed_counted $t:tt) => { operation! { @mixed $t [update_counted] } };
    (deferred [$name:ident waitfree $($t:tt)*]) => {
        operation! { @deferred [$name waitfree $($t)*] [update_deferred] }
    };
    (last $t:tt) => { operation! { @deferred $t [last] } };
    (stamped [$name:ident waitfree $($t:tt)*]) => {
        operation! { @stamped [$name waitfree $($t)*] [update_stamped] }
    };
    (stats [$name:ident waitfree $($t:tt)*]) => {
        operation! { @stats [$name waitfree $($t)*] [node_stats] }
    };
    (retrieve_all [$name:ident waitfree $($t:tt)*]) => {
        operation! { @retrieve_all [$name waitfree $($t)*] [retrieve_all_nodes] }
    };
    (reclaim $t:tt) => { kernel! { $t [reclaim] () } };

    (insert $t:tt) => { operation! { @put $t [insert] } };
    (insert_unique $t:tt) => { operation! { @put $t [put::<UNIQUE>] } };
    (insert_or_assign $t:tt) => { operation! { @put $t [put::<ASSIGN>] } };
    (insert_or_update [$name:ident open $kind:ident map32 $($t:tt)*]) => {
        operation! { @update [$name open $kind map32 $($t)*] [sum_or_update] }
    };
    (insert_or_update [$name:ident open $kind:ident map64 $($t:tt)*]) => {
        operation! { @update [$name open $kind map64 $($t)*] [try_update] }
    };
    (insert_or_update $t:tt) => { operation! { @update $t [insert_or_update] } };
    (@update $t:tt $method:tt) => {
        kernel! { $t $method
            (update: UpdateCode, keys: In<Key>, values: In<Value>, outcomes: Out<u8>, n: Count) }
    };
    (@put $t:tt $method:tt) => {
        kernel! { $t $method (keys: In<Key>, {values: In<Value>}, outcomes: Out<u8>, n: Count) }
    };
    (deferred [$name:ident open $($t:tt)*]) => {
        operation! { @deferred [$name open $($t)*] [add_deferred] }
    };
    (deferred $t:tt) => { operation! { @deferred $t [deferred] } };
    (@deferred $t:tt $method:tt) => {
        kernel! { $t $method
            (kind: u32, ops: MaybeIn<u8>, keys: In<Key>, {values: MaybeIn<Value>}, outcomes: Told,
             {found: MaybeOut<Value>}, n: Count)
            [Kinds::new(kind, ops), (keys, values), (outcomes, found), n] }
    };
    (absorb [$name:ident $structure:ident $kind:ident map64l $($t:tt)*]) => {
        kernel! { [$name $structure $kind map64l $($t)*] [absorb_pairs]
            (keys: In<Key>, values: In<Value>, n: Count, lost: Numbers<1>) [keys, values, n, lost.words()] }
    };
    (absorb $t:tt) => {
        kernel! { $t [absorb] (slots: In<Word>, n: Count, lost: Numbers<1>) [slots, n, lost.words()] }
    };
    (delete $t:tt) => { kernel! { $t [delete] (keys: In<Key>, outcomes: Out<u8>, n: Count) } };
    (delete_all $t:tt) => { kernel! { $t [delete_all] (keys: In<Key>, counts: Out<u32>, n: Count) } };
    (count $t:tt) => { kernel! { $t [count] (keys: In<Key>, counts: Out<u32>, n: Count) } };
    (search $t:tt) => { operation! { @search $t [search] } };
    (search_frozen $t:tt) => {
        kernel! { $t [search_frozen]
            (keys: In<Key>, {values: MaybeOut<Value>}, found: MaybeOut<u8>, {missing: Value}, n: Count,
             filter: Array<u64>, filter_words: u32)
            [keys, values, found, missing, n, (filter.words(filter_words as usize), filter_words)] }
    };
    (fill_filter $t:tt) => {
        kernel! { $t [fill_filter] (filter: Array<u64>, filter_words: u32)
            [(filter.words(filter_words as usize), filter_words)] }
    };
    (search_runs $t:tt) => { operation! { @search $t [search_runs] } };
    (sift $t:tt) => {
        kernel! { $t [sift]
            (keys: In<Key>, {values: MaybeOut<Value>}, found: MaybeOut<u8>, {missing: Value}, n: Count,
             to_keys: Array<Key>, to_numbers: Array<u32>, left: Array<u32>)
            [keys, values, found, missing, n, (to_keys, to_numbers, left)] }
    };
    (@search $t:tt $method:tt) => {
        kernel! { $t $method
            (keys: In<Key>, {values: MaybeOut<Value>}, found: MaybeOut<u8>, {missing: Value}, n: Count) }
    };
    (search_all $t:tt) => {
        kernel! { $t [search_all]
            (keys: In<Key>, offsets: Offsets, values: Array<Value>, counts: Out<u32>, n: Count) }
    };
    (mixed $t:tt) => { operation! { @mixed $t [mixed] } };
    (@mixed $t:tt $method:tt) => {
        kernel! { $t $method
            (ops: In<u8>, keys: In<Key>, values: In<Value>, outcomes: Out<u8>, found: Out<Value>, n: Count) }
    };
    (stamped $t:tt) => { operation! { @stamped $t [stamped] } };
    (@stamped $t:tt $method:tt) => {
        kernel! { $t $method
            (ops: In<u8>, keys: In<Key>, {values: In<Value>}, outcomes: Out<u8>, {found: MaybeOut<Value>},
             clock: Numbers<1>, starts: Out<u64>, ends: Out<u64>, n: Count)
            [ops, keys, values, outcomes, found, clock.words(), starts, ends, n] }
    };
    (flush $t:tt) => { kernel! { $t [flush] (freed: Numbers<1>) [freed.words()] } };
    (stats [$name:ident slab $($t:tt)*]) => { operation! { @stats [$name slab $($t)*] [chain_stats] } };
    (stats [$name:ident hop $($t:tt)*]) => { operation! { @stats [$name hop $($t)*] [group_stats] } };
    (stats $t:tt) => { operation! { @stats $t [stats] } };
    (@stats $t:tt $method:tt) => { kernel! { $t $method (numbers: Numbers<{ structure::NUMBERS }>) } };

    (retrieve_all [$name:ident slab $($t:tt)*]) => {
        operation! { @retrieve_all [$name slab $($t)*] [retrieve_all_parts] }
    };
    (retrieve_all [$name:ident hop $($t:tt)*]) => {
        operation! { @retrieve_all [$name hop $($t)*] [retrieve_all_parts] }
    };
    (retrieve_all $t:tt) => { operation! { @retrieve_all $t [retrieve_all] WarpCounter } };
    (retrieve_all_per_slot $t:tt) => { operation! { @retrieve_all $t [retrieve_all] PerSlot } };
    (retrieve_all_shared_counter $t:tt) => { operation! { @retrieve_all $t [retrieve_all] SharedCounter } };
    (retrieve_all_block_scan $t:tt) => { operation! { @retrieve_all $t [retrieve_all] BlockScan } };
    (@retrieve_all $t:tt $method:tt $($how:ident)?) => {
        kernel! { $t $method
            (keys: Array<Key>, {values: Array<Value>}, capacity: u64, total: Numbers<1>)
            [Columns { keys, values, room: capacity }, total.words() $(, $how)?] }
    };
    (retrieve_all_in_order $t:tt) => {
        kernel! { $t [retrieve_all_in_order]
            (keys: Array<Key>, {values: Array<Value>}, capacity: u64, total: Numbers<1>,
             chunks: Array<u64>, chunks_len: usize)
            [Columns { keys, values, room: capacity }, total.words(), chunks.words(chunks_len)] }
    };

    (scatter $t:tt) => {
        kernel! { $t [scatter]
            (keys: In<Key>, {values: In<Value>}, n: Count, fan: u32, shift: u32,
             to: Array<Word>, to_len: usize, taken: Array<u32>, bins: usize, room: u32,
             tally: Numbers<TALLY>, to_numbers: Array<u32>, outcomes: Array<u8>, told: usize)
            [entries_of::<Entry>(keys, values, n), (fan, shift),
             bins_of((to, to_numbers, to_len), taken.words(bins), room),
             (tally.words(), outcomes_of(outcomes, told))] }
    };
    (scatter_again $t:tt) => {
        kernel! { $t [scatter_again]
            (from: Array<Word>, from_len: usize, from_taken: Array<u32>, from_bins: usize, from_room: u32,
             parts: u32, fan: u32, shift: u32,
             to: Array<Word>, to_len: usize, taken: Array<u32>, bins: usize, room: u32,
             tally: Numbers<TALLY>, from_numbers: Array<u32>, to_numbers: Array<u32>,
             outcomes: Array<u8>, told: usize)
            [bins_of((from, from_numbers, from_len), from_taken.words(from_bins), from_room), parts,
             (fan, shift), bins_of((to, to_numbers, to_len), taken.words(bins), room),
             (tally.words(), outcomes_of(outcomes, told))] }
    };
    (fill $t:tt) => {
        kernel! { $t [fill]
            (shift: u32, words: Array<Word>, words_len: usize, taken: Array<u32>,
             overflow: Array<Word>, overflow_taken: Array<u32>, bins: usize, room: u32,
             tally: Numbers<TALLY>, numbers: Array<u32>, overflow_numbers: Array<u32>,
             outcomes: Array<u8>, told: usize)
            [shift, (bins_of((words, numbers, words_len), taken.words(bins), room),
             bins_of((overflow, overflow_numbers, words_len), overflow_taken.words(bins), room)),
             (tally.words(), outcomes_of(outcomes, told))] }
    };
    (insert_overflow $t:tt) => {
        kernel! { $t [insert_overflow]
            (overflow: Array<Word>, overflow_len: usize, taken: Array<u32>, bins: usize, room: u32,
             tally: Numbers<TALLY>, numbers: Array<u32>, outcomes: Array<u8>, told: usize)
            [bins_of((overflow, numbers, overflow_len), taken.words(bins), room),
             (tally.words(), outcomes_of(outcomes, told))] }
    };
    (insert_lost $t:tt) => {
        kernel! { $t [insert_lost]
            (keys: In<Key>, {values: In<Value>}, n: Count, blocks: u32,
             tally: Numbers<TALLY>, outcomes: Array<u8>, told: usize)
            [entries_of::<Entry>(keys, values, n), blocks, (tally.words(), outcomes_of(outcomes, told))] }
    };
}

// 2 lanes, or 4 for slabs and groups of 128-bit words. Multimaps also have `insert`.
#[cfg(feature = "tables")]
tables! {
    slab set [insert_unique delete search]: set32 l2(2, 4);
    slab map [insert_unique insert_or_assign delete delete_all search search_all count mixed]:
        map32 l2(2, 4), map64l l2(2, 4), map64 l4(4, 2),
        multi32 l2(2, 4), multi64l l2(2, 4), multi64 l4(4, 2);
    slab map [insert]: multi32 l2(2, 4), multi64l l2(2, 4), multi64 l4(4, 2);

    hop set [insert_unique delete search retrieve_all]: set32 l2(2, 4), set64 l2(2, 4);
    hop map [insert_unique insert_or_assign delete search retrieve_all]: map32 l2(2, 4), map64 l4(4, 2);
    hop map [mixed]: map32 l1(1, 8), map64 l4(4, 2);
}

// One lane runs an operation on a small table, two lanes run one on a large table; `gpu::OpenMap` has the
// size between them. `_x4` is for tables in the L2 cache, whose buckets have 32 bytes. In other tables a
// lane reads 32 bytes of a bucket. `_x16` is for large tables of u32 keys, whose buckets have 64 bytes.
// With the lock word a probe reads only the key words of the slots.
#[cfg(feature = "tables")]
tables! {
    open set [insert_unique absorb delete search]:
        set32 l1(1, 8), set32 l2_x16(2, 8), set64 l1(1, 8), set64 l2(2, 4);
    open map [insert_unique insert_or_assign insert_or_update absorb delete search]:
        map32 l1(1, 8), map32 l2(2, 4), map32 l1_x4(1, 4), map64l l1(1, 4), map64 l1(1, 4), map64 l2(2, 2);
    open map [mixed]: map32 l1(1, 8), map32 l1_x4(1, 4), map64l l1(1, 4), map64 l1(1, 4), map64 l2(2, 2);

    // While nothing changes the table.
    open set [search_frozen]: set32 l1(1, 8), set32 l2_x16(2, 8), set64 l1(1, 8), set64 l2(2, 4);
    open map [search_frozen]: map32 l1(1, 8), map32 l2(2, 4), map32 l1_x4(1, 4), map64 l1(1, 4), map64 l2(2, 2);
    open set [fill_filter]: set32 l1(1, 8), set64 l1(1, 8);
    open map [fill_filter]: map32 l1(1, 8), map64 l1(1, 4);

    // Tables in host memory: the lanes of a tile read 64 adjacent bytes at once over the bus.
    open set [insert_unique delete search]: set64 l4(4, 2);
    open map [insert_unique delete search mixed]: map32 l4(4, 2);
    open map [insert_unique insert_or_assign insert_or_update delete search mixed]: map64 l4(4, 1);

    // Child tables as one table. If all are in frames, as many lanes run an operation as on one table of that
    // size. The shapes of four lanes are for child tables in host memory.
    paged set [insert_unique delete search]:
        set32 l1(1, 8), set32 l4(4, 2), set64 l1(1, 8), set64 l2(2, 4), set64 l4(4, 2);
    paged map [insert_unique insert_or_assign insert_or_update delete search mixed]:
        map32 l1(1, 8), map32 l2(2, 4), map32 l4(4, 2), map64l l1(1, 4), map64l l4(4, 1),
        map64 l1(1, 4), map64 l2(2, 2), map64 l4(4, 1);

    paged set [search_runs]: set32 l4(4, 2), set64 l4(4, 2);
    paged map [search_runs]: map32 l4(4, 2), map64l l4(4, 1), map64 l4(4, 1);

    // Child tables with a board of fingerprints: one lane runs an operation, as it seldom reads more than one
    // slot.
    board set [insert_unique delete search search_runs sift]: set32 l1(1, 8), set64 l1(1, 8);
    board map [insert_unique insert_or_assign insert_or_update delete search search_runs sift mixed]:
        map32 l1(1, 8), map64 l1(1, 4);

    // A batch that is inserted bin by bin: a thread for each entry.
    open set [scatter scatter_again fill]: set32 l1(1, 8), set64 l1(1, 8);
    open map [scatter scatter_again fill]: map32 l1(1, 8), map64 l1(1, 4);
    open set [fill]: set32 l1_x16(1, 16);
    open map [fill]: map32 l1_x4(1, 4);

    // Whole warps copy all entries.
    open set [retrieve_all retrieve_all_in_order]: set32 l32(32, 1), set64 l32(32, 1);
    open map [retrieve_all retrieve_all_in_order]: map32 l32(32, 1), map64l l32(32, 1), map64 l32(32, 1);

    // Widths as those of `open`, except for u64 pairs, whose buckets are twice as wide.
    cuckoo set [insert_unique delete search]: set32 l1(1, 8), set64 l2(2, 4);
    cuckoo map [insert_unique insert_or_assign insert_or_update delete search]:
        map32 l1(1, 8), map32 l2(2, 4), map32 l1_x4(1, 4), map64 l4(4, 2);
    cuckoo map [mixed]: map32 l1(1, 8), map32 l1_x4(1, 4), map64 l4(4, 2);
}

// Four lanes read a node of 64 bytes. Nodes with entries of 16 bytes have 128 bytes, which eight lanes read.
#[cfg(feature = "tables")]
tables! {
    waitfree set [insert_unique delete search retrieve_all]: set32 l4(4, 4), set64 l4(4, 2);
    waitfree map [insert_unique insert_or_assign delete mixed search retrieve_all]:
        map32 l4(4, 2), map64 l8(8, 1);
}

// For sm_80 and up, and for tables larger than the L2 cache: the cache keeps the words of the filter, or of
// the locks. The kernels on 128-bit words have that hint as they are.
#[cfg(feature = "kept")]
tables! {
    open set [insert_unique delete search]: set32 l2_x16_kept(2, 8), set64 l2_kept(2, 4);
    open map [insert_unique insert_or_assign insert_or_update delete search]:
        map32 l1_kept(1, 8), map32 l2_kept(2, 4);
    open map [mixed insert_overflow]: map32 l1_kept(1, 8);
    cuckoo set [delete]: set32 l1_kept(1, 8), set64 l2_kept(2, 4);
    cuckoo map [insert_or_assign insert_or_update delete]: map32 l1_kept(1, 8), map32 l2_kept(2, 4);
    cuckoo map [mixed]: map32 l1_kept(1, 8);
}

// Second kernels, for what the operations above deferred, and operations that run once for many batches.
#[cfg(feature = "cold")]
tables! {
    slab set [flush stats retrieve_all]: set32 l2(2, 4);
    slab map [flush stats retrieve_all]: map32 l2(2, 4), map64l l2(2, 4), map64 l4(4, 2);
    hop set [deferred stats]: set32 l2(2, 4), set64 l2(2, 4);
    hop map [deferred stats]: map32 l2(2, 4), map64 l4(4, 2);
    // One width for all sizes of a table.
    open set [stats]: set32 l1(1, 8), set32 l2_x16(2, 8), set64 l1(1, 8);
    open map [stats]: map32 l1(1, 8), map32 l1_x4(1, 4), map64l l1(1, 4), map64 l1(1, 4);
    open set [insert_overflow insert_lost]: set32 l1(1, 8), set32 l1_x16(1, 16), set64 l1(1, 8);
    open map [insert_overflow insert_lost]: map32 l1(1, 8), map32 l1_x4(1, 4), map64 l1(1, 4);
    open map [deferred]: map64 l1(1, 4);
    cuckoo set [deferred absorb]: set32 l1(1, 8), set64 l2(2, 4);
    cuckoo map [deferred]: map32 l1(1, 8), map32 l2(2, 4), map32 l1_x4(1, 4), map64 l4(4, 2);
    cuckoo map [absorb]: map32 l2(2, 4), map32 l1_x4(1, 4), map64 l4(4, 2);
    cuckoo map [stats]: map64 l4(4, 2);
    waitfree set [deferred last reclaim stats]: set32 l4(4, 4), set64 l4(4, 2);
    waitfree map [deferred last reclaim stats]: map32 l4(4, 2), map64 l8(8, 1);
}

// Operations with two time stamps each, for the histories of stress tests, by tiles of the usual width. On
// hopscotch and cuckoo tables they run to their end and defer nothing to a second kernel.
#[cfg(feature = "stress")]
tables! {
    slab set [stamped]: set32 l2(2, 4);
    slab map [stamped]: map32 l2(2, 4), map64l l2(2, 4), map64 l4(4, 2);
    hop set [stamped]: set32 l2(2, 4), set64 l2(2, 4);
    hop map [stamped]: map32 l2(2, 4), map64 l4(4, 2);
    open set [stamped]: set32 l1(1, 8), set32 l2_x16(2, 8), set64 l1(1, 8), set64 l2(2, 4);
    open map [stamped]:
        map32 l1(1, 8), map32 l2(2, 4), map32 l1_x4(1, 4), map64l l1(1, 4), map64 l1(1, 4), map64 l2(2, 2);
    waitfree set [stamped]: set32 l4(4, 4), set64 l4(4, 2);
    waitfree map [stamped]: map32 l4(4, 2), map64 l8(8, 1);
    // Counts the exchanges that an operation loses.
    waitfree map [mixed_counted]: map32 l4(4, 2);
    cuckoo set [stamped]: set32 l1(1, 8), set64 l2(2, 4);
    cuckoo map [stamped]: map32 l1(1, 8), map32 l2(2, 4), map32 l1_x4(1, 4), map64 l4(4, 2);
}

// Other shapes of u32 pairs, for the benches, and slabs of 16 slots.
#[cfg(feature = "tuning")]
tables! {
    slab map [insert_unique delete search mixed]:
        map32 l1(1, 8), map32 l4(4, 2), map32 l8(8, 1), map32 l4_x16(4, 4), map32 l8_x16(8, 2);
    slab map [flush stats retrieve_all]: map32 l4_x16(4, 4);
    slab map [insert delete search]: multi32 l4(4, 2);
    hop map [insert_unique delete search]: map32 l1(1, 8), map32 l4(4, 2), map32 l8(8, 1);
    hop map [mixed]: map32 l2(2, 4), map32 l4(4, 2), map32 l8(8, 1);
    open map [insert_unique delete search]: map32 l8(8, 1);
    open map [mixed]: map32 l2(2, 4), map32 l8(8, 1);
    // The published ways to copy all entries.
    open map [retrieve_all_per_slot retrieve_all_shared_counter retrieve_all_block_scan]:
        map32 l32(32, 1), map64 l32(32, 1);
    open map [retrieve_all]: map32 l8(8, 1), map64 l8(8, 1);
}
