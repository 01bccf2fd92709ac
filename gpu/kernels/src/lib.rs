//! The entry points of the library's PTX.
//!
//! The name of a kernel is `STRUCTURE_LAYOUT_OPERATION_SHAPE`. `matrix.rs` lists all kernels. The macro
//! `memory!` in `kernel.rs` gives the first arguments of a kernel, those of its table, and `operation!` in
//! `matrix.rs` the rest, those of its operation. The code of the operations is in the methods of
//! [`entry::Launch`]. To add:
//!
//! - a structure: write a module in `matrix`, a block in `matrix.rs`, and its `stats` in `entry`;
//! - an operation: write a method, and in `matrix.rs` an arm of `operation!` and its name at the tables;
//! - an entry type: write in `matrix.rs` a line of `layout!`, and its tables.
//!
//! The structures are `slab`, `hop` (hopscotch), `open` (open addressing), `cuckoo`, `waitfree`, and `paged`
//! and `board` (paged tables without and with a board of fingerprints). A map or set holds a key once, a
//! multimap as often as it is inserted. Layouts in 128-bit words (`map64`, `multi64`) are for sm_90, in
//! modules of their own.
//!
//! A shape is `l` and the number of lanes of a tile. `_x16` follows for slabs or buckets of 16 slots, `_x4`
//! for buckets of 4 slots instead of 8, and `_kept` for tables larger than the L2 cache, which keeps their
//! filter. Tiles of different widths may use one table if they read the same number of slots of a slab or
//! bucket, or of words of a group. Whole warps copy all entries of an open-addressing table: each lane
//! reads 8 slots, whatever the size of a bucket is.
//!
//! An update of a hopscotch, cuckoo or wait-free table takes two kernels. The first gives the code 253
//! (`DEFERRED`) to each operation that it does not finish; then `deferred` runs those, with a tile for each
//! 32 operations. `deferred` takes the arguments of a mixed batch, or one code of an operation for the whole
//! batch. On a wait-free table it may leave operations for which there was no free node. `reclaim` makes
//! nodes free, and `deferred` runs again, perhaps several times; at the end `last` finishes what is left.
//!
//! So do the sums of `insert_or_update` on an open-addressing table of u64 pairs in 128-bit words. There
//! `deferred` runs in blocks of 512 threads with 48 KiB of shared memory, a thread has 32 operations, and the
//! first argument is the code of the update. It serves all widths. Keys that have lost exchanges are in a
//! variable of the module, 16 KiB: their sums are left at once.
//!
//! The size of a grid:
//!
//! | Kernel | One for each |
//! |---|---|
//! | operations | tile: operation; of updates of a wait-free table no more than the table has numbers |
//! | `absorb` | tile: slot |
//! | `flush`, `stats`, `retrieve_all` | tile: part (bucket or group), or 256 slots of open addressing |
//! | `reclaim` | thread: word of the bitmap, or stash |
//!
//! Blocks have one dimension and a multiple of 32 threads. The documentation of an operation says how many
//! shared words a block has; for `stats` it is one for each number. Shared words and counters are zero at
//! first. Lengths are `u64` and count words; `n`, `buckets` and `homes` are `u32`. The last two arguments of
//! a table are the words of its seed, `u64`.
//!
//! # Safety
//!
//! A kernel is unsafe because of its pointers. Each must point to as many words as the length after it says.
//! Until the launch has ended, other code may access these words only as the kernels of this crate do. Grid
//! and blocks must be as above.
//!
//! # Features
//!
//! Each PTX module is built with one of these features, and with `b128` if its layouts are in 128-bit words:
//!
//! - `tables`: the operations, and the floors of random access (`floor`);
//! - `cold`: the kernels of tables that run seldom;
//! - `kept`: kernels of `tables` once more, with hints to the L2 cache (sm_80);
//! - `tuning`: other shapes of `map32`, and other ways to copy all entries;
//! - `stress`: operations with time stamps;
//! - `paper`: tables of others that benches compare with (`paper`);
//! - `probes`: one kernel for each memory access and order.
#![cfg(target_arch = "nvptx64")]
#![no_std]
#![feature(abi_ptx, asm_experimental_arch, macro_metavar_expr_concat)]
#![allow(
    dead_code,
    unused_imports,
    unused_macros,
    reason = "each module needs a part of the operations and layouts"
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

#[cfg(all(feature = "tables", feature = "b128"))]
mod contended;
#[cfg(all(feature = "tables", not(feature = "b128")))]
mod floor;
#[cfg(feature = "paper")]
mod paper;
#[cfg(feature = "probes")]
mod probes;

warpproof_device::kernel_crate!();
