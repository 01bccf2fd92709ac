//! The tables that ours are compared with: baselines, unchecked by the explorer (`warpproof-baselines`).
//!
//! | Kernels | Table arguments |
//! |---|---|
//! | `chain_mixed` | pairs `u64*`, next `u32*`, nodes, heads `u32*`, buckets, taken `u32*` (1) |
//! | `linear_` `quadratic_` `cuckoo_` `insert` and `search` | slots `u64*`, length |
//!
//! Lengths are `u64`. The arguments of the operation follow, as those of maps; `cuckoo_insert` has, before n, an array
//! for the keys that were left out. Every operation is run by one lane.

use crate::entry::{per_tile, read, write};
use crate::layout::{Store, store};
use warpproof_baselines::{Chained, Cuckoo, Probing};
use warpproof_model::outcome::Insert;

/// Unique inserts, deletes and searches on chains.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn chain_mixed(
    pairs: *mut u64,
    next: *mut u32,
    nodes: usize,
    heads: *mut u32,
    buckets: usize,
    taken: *mut u32,
    ops: *const u8,
    keys: *const u32,
    values: *const u32,
    outcomes: *mut u8,
    found: *mut u32,
    n: u32,
) {
    // SAFETY: the launch passes `nodes` pairs and indices, `buckets` heads, one counter, and arrays of `n` elements.
    unsafe {
        let (pairs, next) = (store(pairs, nodes), store(next, nodes));
        let table = Chained::new(pairs, next, store(heads, buckets), store(taken, 1));
        per_tile::<1>(n, |w, op| {
            let said = table.mixed(read(ops, op), read(keys, op), read(values, op));
            write(w, outcomes, op, said.code);
            write(w, found, op, said.value);
        });
    }
}

/// The kernels of a table that is probed.
macro_rules! probing {
    ($insert:ident $search:ident $quadratic:literal) => {
        #[unsafe(no_mangle)]
        unsafe extern "ptx-kernel" fn $insert(
            slots: *mut u64,
            len: usize,
            keys: *const u32,
            values: *const u32,
            outcomes: *mut u8,
            n: u32,
        ) {
            // SAFETY: the launch passes `len` slots and arrays of `n` elements.
            unsafe {
                let table = Probing::<Store<u64>, $quadratic>::new(store(slots, len));
                per_tile::<1>(n, |w, op| {
                    let said = table.insert_unique(read(keys, op), read(values, op));
                    write(w, outcomes, op, said.code());
                });
            }
        }

        #[unsafe(no_mangle)]
        unsafe extern "ptx-kernel" fn $search(
            slots: *mut u64,
            len: usize,
            keys: *const u32,
            values: *mut u32,
            missing: u32,
            n: u32,
        ) {
            // SAFETY: as above.
            unsafe {
                let table = Probing::<Store<u64>, $quadratic>::new(store(slots, len));
                per_tile::<1>(n, |w, op| {
                    write(w, values, op, table.search(read(keys, op)).unwrap_or(missing));
                });
            }
        }
    };
}
probing!(linear_insert linear_search false);
probing!(quadratic_insert quadratic_search true);

/// Inserts of distinct keys. `left[op]` is the key that found no place, where the outcome says full.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn cuckoo_insert(
    slots: *mut u64,
    len: usize,
    keys: *const u32,
    values: *const u32,
    outcomes: *mut u8,
    left: *mut u32,
    n: u32,
) {
    // SAFETY: the launch passes `len` slots and arrays of `n` elements.
    unsafe {
        let table = Cuckoo::new(store(slots, len));
        per_tile::<1>(n, |w, op| {
            let said = match table.insert(read(keys, op), read(values, op)) {
                Ok(()) => Insert::Inserted,
                Err(key) => {
                    write(w, left, op, key);
                    Insert::Full
                }
            };
            write(w, outcomes, op, said.code());
        });
    }
}

/// Searches.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn cuckoo_search(
    slots: *mut u64,
    len: usize,
    keys: *const u32,
    values: *mut u32,
    missing: u32,
    n: u32,
) {
    // SAFETY: as above.
    unsafe {
        let table = Cuckoo::new(store(slots, len));
        per_tile::<1>(n, |w, op| write(w, values, op, table.search(read(keys, op)).unwrap_or(missing)));
    }
}
