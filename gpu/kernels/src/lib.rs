//! The entry points of our own PTX: one line each, nothing but instantiation.
//!
//! # Names
//!
//! `slab_LAYOUT_OPERATION_lLANES`, `hop_LAYOUT_OPERATION_lLANES`, `open_LAYOUT_OPERATION_lLANES` and
//! `cuckoo_LAYOUT_OPERATION_lLANES` (open addressing where keys move); `_x16` for slabs of
//! 16 slots, without it a slab has 8. A group of a hopscotch table has 8 words, a bucket of an open-addressing table 8
//! slots, or 4 of u64 pairs that do not move. The tables of the library have one width each: `_l4` for 128-bit words, `_l2` for all others, but
//! `hop_map32_mixed_l1`, `open_map32_mixed_l1`, `cuckoo_map32_mixed_l1` and all of `open_set32`, `cuckoo_set32` and `open_map64l`;
//! `open_map32` and `cuckoo_map32` have `_l1` too, and so have `open_map64` and `open_set64`; `open_map32` and `cuckoo_map32` in buckets of 4 slots `_l1_x4`. An insert, assign or mixed batch of a hopscotch table, or of one in which keys
//! move, has a second kernel, `OPERATION_left`, with the same arguments and a tile per 32
//! operations: it does those whose outcome is 253 behind the first. Tiles of different widths work on one table as long
//! as its slabs or buckets have the same number of slots, or its groups of words. No tile is wider than a group: its
//! other lanes would have nothing to read. All entries of an open-addressing table are copied by whole warps (`_l32`), whose
//! lanes read 8 slots each, of whatever bucket.
//!
//! | Layout | Table arguments | Modules |
//! |---|---|---|
//! | slab `map32` `multi32` | words `u64*`, length, bitmap `u32*`, length, buckets | all |
//! | slab `set32` | words `u32*`, length, bitmap `u32*`, length, buckets | all |
//! | slab `map64l` `multi64l` (lock bit) | keys `u64*`, values `u64*`, length of each, bitmap `u32*`, length, buckets | all |
//! | slab `map64` `multi64` (128-bit words) | words `u128*`, length, bitmap `u32*`, length, buckets | sm_90 |
//! | hop `map32` | words `u64*`, length, homes | all |
//! | hop `set32` `set64` | words `u32*` `u64*`, length, homes | all |
//! | hop `map64` (128-bit words) | words `u128*`, length, homes | sm_90 |
//! | open `map32` | words `u64*`, length, filter `u32*`, length, buckets | all |
//! | open `set32` `set64` | words `u32*` `u64*`, length, filter `u32*`, length, buckets | all |
//! | open `map64l` (lock bit) | keys `u64*`, values `u64*`, length of each, filter `u32*`, length, buckets | all |
//! | open `map64` (128-bit words) | words `u128*`, length, filter `u32*`, length, buckets | sm_90 |
//! | cuckoo `map32` `set32` `set64` `map64` | as open, with locks in place of the filter | as open |
//!
//! A map or set holds a key once, a multimap as often as it is inserted. A table is used by the kernels of one layout.
//!
//! Lengths are `u64` and count words, `buckets` and `homes` are `u32`. The arguments of the operation follow:
//!
//! | Operation | Arguments | Grid |
//! |---|---|---|
//! | `insert` `insert_unique` `insert_or_assign` `insert_or_add` | keys, values, outcomes `u8*`, n | a tile per operation |
//! | `absorb` | slots of another table (of `map64l`: keys, values), n, lost `u64*` (1) | a tile per slot |
//! | `delete` | keys, outcomes `u8*`, n | a tile per operation |
//! | `delete_all` `count` | keys, counts `u32*`, n | a tile per operation |
//! | `search` | keys, values, found `u8*` or null, missing value, n | a tile per operation |
//! | `search_all` | keys, offsets `u64*`, values, counts `u32*`, n | a tile per operation |
//! | `mixed` | ops `u8*`, keys, values, outcomes `u8*`, found values, n | a tile per operation |
//! | `stamped` | as `mixed`, before n: clock `u64*` (1), starts `u64*`, ends `u64*` | a tile per operation |
//! | `flush` | freed `u64*` (1) | a tile per bucket |
//! | `stats` of slabs | numbers `u64*` (20) | a tile per bucket, 80 bytes of shared memory |
//! | `stats` of a hopscotch table | numbers `u64*` (9) | a tile per group, 36 bytes of shared memory |
//! | `stats` of an open-addressing table | numbers `u64*` (2) | a tile per bucket, 8 bytes of shared memory |
//! | `collect` | keys, values, capacity `u64`, total `u64*` (1) | a tile per bucket or group, or per 256 slots of open addressing; 12 bytes of shared memory; `_l8` of `open_map32` and `open_map64`, by tiles of 8 lanes |
//! | `collect_per_slot` `collect_shared_counter` `collect_block_scan` | as `collect`, of `open_map32` and `open_map64` | as `collect`, with `retrieve::shared_words` |
//! | `collect_in_order` | as `collect`, then chunks `u64*`, length | a tile per 256 slots, `retrieve::shared_words` of shared memory |
//!
//! `n` is `u32`. Only a multimap has `insert`, only slabs have `delete_all`, `count`, `search_all` and `flush`,
//! only open addressing `insert_or_add`, `absorb` and `collect_in_order`, whose chunks are zero at first,
//! `retrieve::chunk_words` of them. `count_stored` (outcomes `u8*`, n, total `u64*` (1)) belongs to no table: a thread per
//! 32 outcomes, 4 bytes of shared memory. A set
//! has no `insert_or_assign`, `delete_all`, `count`, `search_all` and `mixed`, and no values: its `search` takes keys,
//! found, n, its `stamped` no values and no found. Blocks have one dimension and a multiple of 32 threads.
//!
//! With the feature `tuning` the module holds other shapes of `map32` and the floors of random access
//! ([`floor`]) instead; with `stress`, only `stamped` of the maps and the sets; with `paper`, the tables that ours are
//! compared with ([`paper`]); with `probes`, one kernel per memory access and order.
#![cfg(target_arch = "nvptx64")]
#![no_std]
#![feature(abi_ptx, asm_experimental_arch, macro_metavar_expr_concat)]
#![cfg_attr(
    any(feature = "tuning", feature = "stress", feature = "paper"),
    allow(dead_code, unused_macros, reason = "benches and stress tests need a part of the operations and layouts")
)]

#[cfg(not(feature = "probes"))]
mod entry;
#[cfg(not(feature = "probes"))]
#[macro_use]
mod kernel;
#[cfg(not(feature = "probes"))]
mod layout;
#[cfg(not(any(feature = "paper", feature = "probes")))]
mod matrix;

#[cfg(feature = "tuning")]
mod floor;
#[cfg(feature = "paper")]
mod paper;
#[cfg(feature = "probes")]
mod probes;

warpproof_device::kernel_crate!();
