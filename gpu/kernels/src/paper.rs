//! The tables that ours are compared with: baselines, unchecked by the explorer (`warpproof-baselines`).
//!
//! | Kernels | Table arguments |
//! |---|---|
//! | `chain_mixed` | pairs `u64*`, next `u32*`, nodes, heads `u32*`, buckets, taken `u32*` (1) |
//! | `linear_` `quadratic_` `cuckoo_` `insert` and `search` | slots `u64*`, length |
//!
//! Lengths are `u64`. The arguments of the operation follow, as those of maps; `cuckoo_insert` has, before n,
//! an array for the keys that were left out. Every operation is run by one lane.

use crate::entry::{Count, In, Out, Tiles};
use crate::store::{Store, store};
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
    ops: In<u8>,
    keys: In<u32>,
    values: In<u32>,
    outcomes: Out<u8>,
    found: Out<u32>,
    n: Count,
) {
    // SAFETY: the launch passes `nodes` pairs and indices, `buckets` heads and one counter, and keeps to the
    // types.
    unsafe {
        let (pairs, next) = (store(pairs, nodes), store(next, nodes));
        let table = Chained::new(pairs, next, store(heads, buckets), store(taken, 1));
        Tiles::<1>::new().per_tile(n, |w, op| {
            let said = table.mixed(ops.read(op), keys.read(op), values.read(op));
            outcomes.write(w, op, said.code);
            found.write(w, op, said.value);
        });
    }
}

/// A kernel of a table that is an array of `len` slots, `PARAMETERS` besides.
macro_rules! kernel_of_slots {
    ($name:ident($table:ty)($($parameter:ident: $type:ty),*),
     |$w:ident, $at:ident, $map:ident| $run:expr) => {
        #[unsafe(no_mangle)]
        unsafe extern "ptx-kernel" fn $name(slots: *mut u64, len: usize, $($parameter: $type,)* n: Count) {
            // SAFETY: the launch passes `len` slots and keeps to the types of its arguments.
            unsafe {
                let $map = <$table>::new(store(slots, len));
                Tiles::<1>::new().per_tile(n, |$w, $at| $run);
            }
        }
    };
}

/// The kernels of a table that is probed.
macro_rules! probing {
    ($insert:ident $search:ident $table:ty) => {
        kernel_of_slots! {
            $insert($table)(keys: In<u32>, values: In<u32>, outcomes: Out<u8>), |w, op, table| {
                let said = table.insert_unique(keys.read(op), values.read(op));
                outcomes.write(w, op, said.code());
            }
        }
        searching! { $search $table }
    };
}

/// Searches.
macro_rules! searching {
    ($search:ident $table:ty) => {
        kernel_of_slots! {
            $search($table)(keys: In<u32>, values: Out<u32>, missing: u32), |w, op, table| {
                values.write(w, op, table.search(keys.read(op)).unwrap_or(missing));
            }
        }
    };
}

probing! { linear_insert linear_search Probing<Store<u64>, false> }
probing! { quadratic_insert quadratic_search Probing<Store<u64>, true> }
searching! { cuckoo_search Cuckoo<Store<u64>> }

// Inserts of distinct keys. `left` gets the key that found no place, where the outcome says full.
kernel_of_slots! {
    cuckoo_insert(Cuckoo<Store<u64>>)(keys: In<u32>, values: In<u32>, outcomes: Out<u8>, left: Out<u32>),
    |w, op, table| {
        let said = match table.insert(keys.read(op), values.read(op)) {
            Ok(()) => Insert::Inserted,
            Err(key) => {
                left.write(w, op, key);
                Insert::Full
            }
        };
        outcomes.write(w, op, said.code());
    }
}
