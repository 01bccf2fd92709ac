//! The list of kernels: tables x operations x shapes of a tile.
//!
//! A line lists operations, and then the tables that have them: a layout, and `SHAPE(LANES, SLOTS)`, the
//! lanes of a tile and the slots that each lane reads. Lanes times slots are the slots of a slab or bucket,
//! or the words of a group. The widths of the library are those that were fastest on an H200.
//!
//! Operations that read slots without regard to the structure have one kernel for several tables. The kernels
//! of maps serve multimaps too, and those of `open` serve `cuckoo`. (One exception: `cuckoo` has its own
//! `stats` of u64 pairs, as its buckets are larger.) A kernel that puts entries into bins does not depend on
//! the size of a bucket, so it has no `_x4`.
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
// size between them. `_x4` is for tables in the L2 cache, whose buckets have 32 bytes. In other tables a lane
// reads 32 bytes of a bucket. With the lock word a probe reads only the key words of the slots.
#[cfg(feature = "tables")]
tables! {
    open set [insert_unique absorb delete search]: set32 l1(1, 8), set64 l1(1, 8), set64 l2(2, 4);
    open map [insert_unique insert_or_assign insert_or_update absorb delete search]:
        map32 l1(1, 8), map32 l2(2, 4), map32 l1_x4(1, 4), map64l l1(1, 4), map64 l1(1, 4), map64 l2(2, 2);
    open map [mixed]: map32 l1(1, 8), map32 l1_x4(1, 4), map64l l1(1, 4), map64 l1(1, 4), map64 l2(2, 2);

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

// Second kernels, for what the operations above deferred, and operations that run once for many batches.
#[cfg(feature = "cold")]
tables! {
    slab set [flush stats retrieve_all]: set32 l2(2, 4);
    slab map [flush stats retrieve_all]: map32 l2(2, 4), map64l l2(2, 4), map64 l4(4, 2);
    hop set [deferred stats]: set32 l2(2, 4), set64 l2(2, 4);
    hop map [deferred stats]: map32 l2(2, 4), map64 l4(4, 2);
    // One width for all sizes of a table.
    open set [stats]: set32 l1(1, 8), set64 l1(1, 8);
    open map [stats]: map32 l1(1, 8), map32 l1_x4(1, 4), map64l l1(1, 4), map64 l1(1, 4);
    open set [insert_overflow insert_lost]: set32 l1(1, 8), set64 l1(1, 8);
    open map [insert_overflow insert_lost]: map32 l1(1, 8), map32 l1_x4(1, 4), map64 l1(1, 4);
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
    open set [stamped]: set32 l1(1, 8), set64 l1(1, 8), set64 l2(2, 4);
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
