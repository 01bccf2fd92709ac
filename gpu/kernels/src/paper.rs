//! Tables that benches compare with (`warpproof-baselines`). The checker does not explore them.
//!
//! | Kernels | Table arguments |
//! |---|---|
//! | `chain_mixed` | pairs `u64*`, next `u32*`, nodes, heads `u32*`, buckets, taken `u32*` (1) |
//! | `linear_` `quadratic_` `cuckoo_` `insert` and `search` | slots `u64*`, length |
//! | `lock_list_` `insert` `delete` `contains` `mixed` | nodes `u64*`, length, buckets `u32`, taken `u64*` |
//! | `starfish_` `insert` and `search` | words of a child table `u64*`, length, seed `u32` |
//!
//! Lengths are `u64`. The arguments of the operation follow, as for maps; `cuckoo_insert` has one more before
//! `n`, an array for the keys that found no place. One lane runs an operation.
//!
//! `starfish_insert` takes pairs `u64*`, outcomes, `n`. If an outcome is `Full`, the pair that found no place
//! is written over the pair. `starfish_search` takes queries `u32*`, values `u32*`, `n`. An answered query
//! becomes `ANSWERED`; the value of an unanswered query is not written.
//!
//! On lists with locks a tile of four lanes runs an operation, as on the wait-free table. `mixed` is for u32
//! pairs. The others are for u64 keys and take keys, codes, `n`.

use crate::entry::{Count, In, Out, Tiles};
use crate::store::{Store, store};
use warpproof_baselines::{Chained, ChildTable, Cuckoo, LockList, Probing};
use warpproof_model::entry::{Key64, Pair32};
use warpproof_model::outcome::{Insert, Mixed, RESERVED_KEY};
use warpproof_model::{UserKey, Words, WriteOrder};

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

/// The kernels of a table that probes.
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

// Inserts of distinct keys. If the outcome is `Full`, `left` gets the key that found no place.
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

/// Lanes of a tile on a list with locks, and words of a node that each reads.
const LIST_LANES: u32 = 4;
const LIST_WORDS: usize = 2;

/// A kernel of a list with locks, by a tile for each operation.
macro_rules! kernel_of_list {
    ($name:ident($entry:ty)($($parameter:ident: $type:ty),*),
     |$w:ident, $at:ident, $list:ident| $run:expr) => {
        #[unsafe(no_mangle)]
        unsafe extern "ptx-kernel" fn $name(
            nodes: *mut u64,
            len: usize,
            buckets: u32,
            taken: *mut u64,
            $($parameter: $type,)*
            n: Count,
        ) {
            // SAFETY: the launch passes `len` words of nodes and one counter, and keeps to the types.
            unsafe {
                let $list =
                    LockList::<$entry, _, LIST_WORDS>::new(store(nodes, len), buckets, store(taken, 1));
                Tiles::<LIST_LANES>::new().per_tile(n, |$w, $at| $run);
            }
        }
    };
}

/// The kernels of a set of u64 keys: each writes codes.
macro_rules! kernels_of_list_set {
    ($($name:ident |$w:ident, $list:ident, $key:ident| $code:expr;)*) => {$(
        kernel_of_list! {
            $name(Key64)(keys: In<u64>, outcomes: Out<u8>), |$w, op, $list| {
                let code = match UserKey::new(keys.read(op)) {
                    Some($key) => $code,
                    None => RESERVED_KEY,
                };
                outcomes.write($w, op, code);
            }
        }
    )*};
}

kernels_of_list_set! {
    lock_list_insert |w, list, key| list.insert_unique(w, key, ()).code();
    lock_list_delete |w, list, key| list.delete(w, key).code();
    lock_list_contains |w, list, key| list.contains(w, key).into();
}

// Unique inserts, deletes and searches of u32 pairs.
kernel_of_list! {
    lock_list_mixed(Pair32)
        (ops: In<u8>, keys: In<u32>, values: In<u32>, outcomes: Out<u8>, found: Out<u32>),
    |w, op, list| {
        let said = match UserKey::new(keys.read(op)) {
            Some(key) => list.mixed(w, ops.read(op), key, values.read(op)),
            None => Mixed { code: RESERVED_KEY, value: 0 },
        };
        outcomes.write(w, op, said.code);
        found.write(w, op, said.value);
    }
}

/// Inserts of distinct keys into a child table of Starfish.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn starfish_insert(
    words: *mut u64,
    len: usize,
    seed: u32,
    pairs: Out<u64>,
    outcomes: Out<u8>,
    n: Count,
) {
    // SAFETY: the launch passes `len` words, and a pair for each operation, which is written; it keeps to the
    // types.
    unsafe {
        let table = ChildTable::new(store(words, len), seed);
        Tiles::<1>::new().per_tile(n, |w, op| {
            let said = match table.insert(pairs.at(op).read()) {
                Ok(()) => Insert::Inserted,
                Err(left) => {
                    pairs.write(w, op, left);
                    Insert::Full
                }
            };
            outcomes.write(w, op, said.code());
        });
    }
}

/// Answers queries that have no answer yet and whose keys are in this child table of Starfish.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn starfish_search(
    words: *mut u64,
    len: usize,
    seed: u32,
    queries: *mut u32,
    values: *mut u32,
    n: u32,
) {
    // SAFETY: the launch passes `len` words, `n` queries and as many values, and keeps to the types.
    unsafe {
        let table = ChildTable::new(store(words, len), seed);
        let (queries, values) = (store(queries, n as usize), store(values, n as usize));
        Tiles::<1>::new().per_number(n, |_, at| {
            if let Some(value) = table.answer(queries, at) {
                // Relaxed: read by later launches.
                values.store(at, value, WriteOrder::Relaxed);
            }
        });
    }
}
