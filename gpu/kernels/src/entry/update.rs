//! Operations that change a table.

use super::{per_key, per_left, per_tile, read, write};
use warpproof_device::Global;
use warpproof_model::entry::Packed;
use warpproof_model::map::{LEFT, WarpMap};
use warpproof_model::open::{Filter, OpenSlots, OpenTable, Probing};
use warpproof_model::outcome::{Mixed, Op, RESERVED_KEY};
use warpproof_model::slab::{Multi, SlabTable, Slots};
use warpproof_model::{AtLane, IntegerWords, Order, UserKey, Warp, Word};

/// Adds pairs, duplicates allowed.
///
/// # Safety
///
/// The contract of [`per_tile`]; every array has `n` elements. The same for the other functions of this module.
#[inline(always)]
pub(crate) unsafe fn insert<
    const L: u32,
    const S: usize,
    C: Slots<Multiplicity = Multi>,
    B: IntegerWords<u32>,
>(
    table: SlabTable<C, B, S>,
    keys: *const C::Key,
    values: *const C::Value,
    outcomes: *mut u8,
    n: u32,
) {
    // SAFETY: the contract of this function; `op` is below `n`.
    unsafe {
        per_key::<L, _>(keys, outcomes, n, |w, op, key| {
            table.mixed(w, Op::Insert, key, read(values, op)).map(w, |said| said.code)
        });
    }
}

/// The code of an insert that [`put`] runs: of pairs whose keys are absent.
pub(crate) const UNIQUE: u8 = Op::InsertUnique.code();
/// The other one: of pairs, or of values for keys that are present.
pub(crate) const ASSIGN: u8 = Op::Assign.code();

/// Adds pairs: `INSERT` is [`UNIQUE`] or [`ASSIGN`]. What is left to [`put_left`] has the code [`LEFT`].
///
/// # Safety
///
/// As [`insert`].
#[inline(always)]
pub(crate) unsafe fn put<const L: u32, const INSERT: u8, T: WarpMap>(
    table: T,
    keys: *const T::Key,
    values: *const T::Value,
    outcomes: *mut u8,
    n: u32,
) {
    // SAFETY: the contract of this function; `op` is below `n`.
    unsafe {
        per_key::<L, _>(keys, outcomes, n, |w, op, key| {
            match table.try_mixed(w, const { coded(INSERT) }, key, read(values, op)) {
                Some(said) => said.map(w, |said| said.code),
                None => AtLane::known(w, LEFT),
            }
        });
    }
}

/// Does what [`put`] left.
///
/// # Safety
///
/// As [`insert`]; behind a launch of `put` with the same arguments and the same `INSERT`.
#[inline(always)]
pub(crate) unsafe fn put_left<const L: u32, const INSERT: u8, T: WarpMap>(
    table: T,
    keys: *const T::Key,
    values: *const T::Value,
    outcomes: *mut u8,
    n: u32,
) {
    // SAFETY: the contract of this function; `op` is below `n`.
    unsafe {
        per_left::<L, _>(keys, outcomes, n, |w, op, key| {
            table.mixed(w, const { coded(INSERT) }, key, read(values, op)).map(w, |said| said.code)
        });
    }
}

/// Adds pairs to an open-addressing table, or their values to those of keys that are present.
///
/// # Safety
///
/// As [`insert`].
#[inline(always)]
pub(crate) unsafe fn add<const L: u32, const S: usize, E: Packed, H: OpenSlots<E>, F: Filter, P: Probing>(
    table: OpenTable<E, H, F, P, S>,
    keys: *const E::Key,
    values: *const E::Value,
    outcomes: *mut u8,
    n: u32,
) {
    // SAFETY: the contract of this function; `op` is below `n`.
    unsafe {
        per_key::<L, _>(keys, outcomes, n, |w, op, key| {
            let said = table.insert_or_add(w, key, read(values, op));
            AtLane::known(w, said.code())
        });
    }
}

/// Adds the entries of another table, whose `n` slots are `slots`; adds to `lost[0]` how many found no room.
///
/// # Safety
///
/// The contract of [`per_tile`]; `slots` has `n` elements, which nobody writes meanwhile. Nobody else works on the table, and
/// it has no key of theirs.
#[inline(always)]
pub(crate) unsafe fn absorb<
    const L: u32,
    const S: usize,
    E: Packed,
    H: OpenSlots<E>,
    F: Filter,
    P: Probing,
>(
    table: OpenTable<E, H, F, P, S>,
    slots: *const E::Word,
    n: u32,
    lost: Global<u64>,
) {
    // SAFETY: the contract of this function; `absorb_each` asks for slots below `n`.
    unsafe { absorb_each::<L, _, _, _, _, _>(table, |at| read(slots, at), n, lost) }
}

/// The same of slots whose keys and values are arrays of `n` elements each.
///
/// # Safety
///
/// As [`absorb`].
#[inline(always)]
pub(crate) unsafe fn absorb_pairs<
    const L: u32,
    const S: usize,
    E: Packed,
    H: OpenSlots<E>,
    F: Filter,
    P: Probing,
>(
    table: OpenTable<E, H, F, P, S>,
    keys: *const E::Key,
    values: *const E::Value,
    n: u32,
    lost: Global<u64>,
) {
    // SAFETY: the contract of this function; `absorb_each` asks for slots below `n`.
    unsafe {
        absorb_each::<L, _, _, _, _, _>(table, |at| E::pack(read(keys, at), read(values, at)), n, lost);
    }
}

/// The same of slots that `slot` reads, by their numbers below `n`.
///
/// # Safety
///
/// As [`absorb`].
#[inline(always)]
unsafe fn absorb_each<const L: u32, const S: usize, E: Packed, H: OpenSlots<E>, F: Filter, P: Probing>(
    table: OpenTable<E, H, F, P, S>,
    slot: impl FnOnce(usize) -> E::Word,
    n: u32,
    lost: Global<u64>,
) {
    // SAFETY: the contract of this function.
    unsafe {
        per_tile::<L>(n, |w, at| {
            if !table.absorb(w, slot(at)) {
                // Relaxed: a counter, read after the launch.
                w.elect(0, || lost.fetch_add(0, 1, Order::Relaxed));
            }
        });
    }
}

/// Takes out one pair of each key.
///
/// # Safety
///
/// As [`insert`].
#[inline(always)]
pub(crate) unsafe fn delete<const L: u32, T: WarpMap>(
    table: T,
    keys: *const T::Key,
    outcomes: *mut u8,
    n: u32,
) {
    // SAFETY: the contract of this function.
    unsafe {
        per_key::<L, _>(keys, outcomes, n, |w, _, key| {
            table.mixed(w, Op::Delete, key, T::Value::ZERO).map(w, |said| said.code)
        });
    }
}

/// Takes out all pairs of each key; writes how many there were.
///
/// # Safety
///
/// As [`insert`].
#[inline(always)]
pub(crate) unsafe fn delete_all<const L: u32, const S: usize, C: Slots, B: IntegerWords<u32>>(
    table: SlabTable<C, B, S>,
    keys: *const C::Key,
    counts: *mut u32,
    n: u32,
) {
    // SAFETY: the contract of this function; `op` is below `n`.
    unsafe {
        per_tile::<L>(n, |w, op| {
            let erased = UserKey::new(read(keys, op)).map_or(0, |key| table.delete_all(w, key));
            write(w, counts, op, erased);
        });
    }
}

/// Code of an operation that does not exist: nothing was done.
pub(super) const UNKNOWN_OPERATION: u8 = 254;

/// Operations of all kinds: `ops[op]` is the code of an [`Op`]. A search that finds its key has outcome 1 and writes
/// `found[op]`; one that does not has outcome 0.
///
/// # Safety
///
/// As [`insert`].
#[inline(always)]
pub(crate) unsafe fn mixed<const L: u32, T: WarpMap>(
    table: T,
    ops: *const u8,
    keys: *const T::Key,
    values: *const T::Value,
    outcomes: *mut u8,
    found: *mut T::Value,
    n: u32,
) {
    // SAFETY: the contract of this function; `op` is below `n`.
    unsafe {
        per_key::<L, _>(keys, outcomes, n, |w, op, key| {
            let Some(kind) = Op::from_code(read(ops, op)) else { return AtLane::known(w, UNKNOWN_OPERATION) };
            let Some(said) = table.try_mixed(w, kind, key, read(values, op)) else {
                return AtLane::known(w, LEFT);
            };
            said.give(w, |Mixed { code, value }| {
                if kind == Op::Search && code == 1 {
                    found.add(op).write(value);
                }
            });
            said.map(w, |said| said.code)
        });
    }
}

/// Does what `mixed` left: inserts and assigns.
///
/// # Safety
///
/// As [`insert`]; behind a launch of `mixed` with the same arguments.
#[inline(always)]
pub(crate) unsafe fn mixed_left<const L: u32, T: WarpMap>(
    table: T,
    ops: *const u8,
    keys: *const T::Key,
    values: *const T::Value,
    outcomes: *mut u8,
    _found: *mut T::Value,
    n: u32,
) {
    // SAFETY: the contract of this function; `op` is below `n`.
    unsafe {
        per_left::<L, _>(keys, outcomes, n, |w, op, key| match Op::from_code(read(ops, op)) {
            Some(kind @ (Op::Insert | Op::InsertUnique | Op::Assign)) => {
                table.mixed(w, kind, key, read(values, op)).map(w, |said| said.code)
            }
            _ => AtLane::known(w, UNKNOWN_OPERATION),
        });
    }
}

/// The operation with a code, of which there must be one to compile.
const fn coded(code: u8) -> Op {
    match Op::from_code(code) {
        Some(op) => op,
        None => panic!("the code of an operation"),
    }
}

const _: () = assert!(UNKNOWN_OPERATION != RESERVED_KEY && LEFT != RESERVED_KEY && LEFT != UNKNOWN_OPERATION);
