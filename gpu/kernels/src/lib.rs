//! The entry points of our own PTX: the rows of a matrix, only instantiation.
//!
//! A kernel is `STRUCTURE_LAYOUT_OPERATION_SHAPE`. `matrix.rs` lists the kernels, `operation!` in `kernel.rs`
//! the arguments of an operation, `memory!` the arguments of its table before those. The methods of
//! [`entry::Launch`] are the code. To add:
//!
//! - a structure: a module in `matrix`, a block in `matrix.rs`, its `stats` in `entry`;
//! - an operation: a method, an arm of `operation!`, a name in the matrix;
//! - an entry type: a line of `layout!`, and its tables in the matrix.
//!
//! The structures are `slab`, `hop`, `open`, `cuckoo` (open addressing where keys move) and `waitfree`. A map
//! or set holds a key once, a multimap as often as it is inserted. Layouts in 128-bit words (`map64`,
//! `multi64`) are for sm_90, in modules of their own.
//!
//! A shape is `lLANES`, with `_x16` for slabs of 16 slots and `_x4` for buckets of 4 where others have 8.
//! Tiles of different widths may use one table as long as its slabs or buckets have the same number of slots,
//! or its groups the same number of words. Whole warps copy all entries of an open-addressing table; each
//! lane reads 8 slots, whatever the buckets.
//!
//! After an insert, assign or mixed batch of a hopscotch table, or of one in which keys move, `deferred` does
//! those operations whose outcome is 253, with a tile per 32 operations. It takes the arguments of a mixed
//! batch, and the code of all operations where there are none for each. So it does after every update of a
//! wait-free table. After `reclaim` has made nodes free, it may run several times, and `last` ends what it
//! has left.
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
//! Blocks have one dimension and a multiple of 32 threads. Their shared words are zero at first, and as many
//! as the operation says: for `stats` one for each number. Counters are zero at first. Lengths are `u64` and
//! count words; `n`, `buckets` and `homes` are `u32`. The last two arguments of a table are the words of its
//! seed, `u64`.
//!
//! # Safety
//!
//! A kernel is unsafe because of its pointers. Each points to as many words as the length beside it says;
//! nothing else uses them in another way until the launch has ended; and grid and blocks are as above.
//!
//! A feature says what a module holds: `tables` the operations and the floors of random access (`floor`);
//! `cold` the kernels of tables that run seldom; `tuning` other shapes of `map32`, and other ways to copy all
//! entries; `stress` the operations between stamps; `paper` the tables that ours are compared with (`paper`);
//! `probes` one kernel per memory access and order.
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

#[cfg(all(feature = "tables", not(feature = "b128")))]
mod floor;
#[cfg(feature = "paper")]
mod paper;
#[cfg(feature = "probes")]
mod probes;

warpproof_device::kernel_crate!();
