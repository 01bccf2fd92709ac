//! The entry points of our own PTX: the rows of a matrix, nothing but instantiation.
//!
//! A kernel is `STRUCTURE_LAYOUT_OPERATION_SHAPE`. `matrix.rs` says which there are, `operation!` in
//! `kernel.rs` what an operation takes, `memory!` what its table takes before that, the methods of
//! [`entry::Launch`] what it does. To add:
//!
//! - a structure: a module in `matrix`, a block in `matrix.rs`, its `stats` in `entry`;
//! - an operation: a method, an arm of `operation!`, a name in the matrix;
//! - an entry type: a line of `layout!`, and its tables in the matrix.
//!
//! The structures are `slab`, `hop`, `open`, `cuckoo` (open addressing where keys move) and `waitfree`. A map
//! or set holds a key once, a multimap as often as it is inserted. Layouts in 128-bit words (`map64`,
//! `multi64`) are for sm_90.
//!
//! A shape is `lLANES`, with `_x16` for slabs of 16 slots and `_x4` for buckets of 4 where others have 8.
//! Tiles of different widths work on one table as long as its slabs or buckets have the same number of slots,
//! or its groups of words. All entries of an open-addressing table are copied by whole warps, whose lanes
//! read 8 slots each, of whatever bucket.
//!
//! An insert, assign or mixed batch of a hopscotch table, or of one in which keys move, has a second kernel,
//! `OPERATION_deferred`, with the same arguments and a tile per 32 operations: it does those whose outcome is
//! 253 after the first. So has every update of a wait-free table. After `reclaim` has made nodes free, it may
//! run several times, and `OPERATION_last` ends what it has left.
//!
//! A grid has a tile per operation, and of updates of a wait-free table no more than the table has numbers
//! for; of `absorb` per slot, of `flush`, `stats` and `retrieve_all` per part of the table (bucket or group),
//! or per 256 slots of open addressing; of `reclaim` a thread per word of the bitmap, or stash. Blocks have
//! one dimension and a multiple of 32 threads, and zeroed shared words as the operation says: of `stats` one
//! for each number. Counters are zero at first. Lengths are `u64` and count words; `n`, `buckets` and `homes`
//! are `u32`. The last two arguments of a table are the words of its seed, `u64`.
//!
//! # Safety
//!
//! A kernel is unsafe as its pointers are: each leads to as many words as the length beside it says, which
//! nothing else uses otherwise until the launch has ended, and grid and blocks are as above.
//!
//! With the feature `tuning` the module holds other shapes of `map32` and the floors of random access
//! (`floor`) instead; with `stress`, only `stamped` of the maps and the sets; with `paper`, the tables that
//! ours are compared with (`paper`); with `probes`, one kernel per memory access and order.
#![cfg(target_arch = "nvptx64")]
#![no_std]
#![feature(abi_ptx, asm_experimental_arch, macro_metavar_expr_concat)]
#![cfg_attr(
    any(feature = "tuning", feature = "stress", feature = "paper"),
    allow(
        dead_code,
        unused_imports,
        unused_macros,
        reason = "benches and stress tests need a part of the operations and layouts"
    )
)]

#[cfg(not(feature = "probes"))]
mod entry;
#[cfg(not(feature = "probes"))]
#[macro_use]
mod kernel;
#[cfg(not(feature = "probes"))]
mod matrix;
#[cfg(not(feature = "probes"))]
mod store;

#[cfg(feature = "tuning")]
mod floor;
#[cfg(feature = "paper")]
mod paper;
#[cfg(feature = "probes")]
mod probes;

warpproof_device::kernel_crate!();
