//! Operations that read a table.

use super::{per_tile, read, write};
use warpproof_model::map::WarpMap;
use warpproof_model::outcome::{Mixed, Op, RESERVED_KEY};
use warpproof_model::slab::{SlabTable, Slots};
use warpproof_model::{AtLane, IntegerWords, UserKey, Word};

/// The value of one pair of each key, `missing` where there is none. `found[op]` is 1, 0, or [`RESERVED_KEY`]. A null
/// `values` or `found` is not written.
///
/// # Safety
///
/// The contract of [`per_tile`]; every array that is not null has `n` elements.
#[inline(always)]
pub(crate) unsafe fn search<const L: u32, T: WarpMap>(
    table: T,
    keys: *const T::Key,
    values: *mut T::Value,
    found: *mut u8,
    missing: T::Value,
    n: u32,
) {
    // SAFETY: the contract of this function; `op` is below `n`, and one lane of its tile writes.
    unsafe {
        per_tile::<L>(n, |w, op| {
            let said = match UserKey::new(read(keys, op)) {
                Some(key) => table.mixed(w, Op::Search, key, T::Value::ZERO),
                None => AtLane::known(w, Mixed { code: RESERVED_KEY, value: missing }),
            };
            said.give(w, |Mixed { code, value }| {
                if !values.is_null() {
                    values.add(op).write(if code == 1 { value } else { missing });
                }
                if !found.is_null() {
                    found.add(op).write(code);
                }
            });
        });
    }
}

/// How many pairs each key has.
///
/// # Safety
///
/// As [`search`].
#[inline(always)]
pub(crate) unsafe fn count<const L: u32, const S: usize, C: Slots, B: IntegerWords<u32>>(
    table: SlabTable<C, B, S>,
    keys: *const C::Key,
    counts: *mut u32,
    n: u32,
) {
    // SAFETY: the contract of this function; `op` is below `n`.
    unsafe {
        per_tile::<L>(n, |w, op| {
            let pairs = UserKey::new(read(keys, op)).map_or(0, |key| table.count(w, key));
            write(w, counts, op, pairs);
        });
    }
}

/// The values of all pairs of each key: of key `op` at `values[offsets[op]..offsets[op + 1]]`, as many as fit there,
/// and how many there are in `counts[op]`.
///
/// # Safety
///
/// The contract of [`per_tile`]. `keys` and `counts` have `n` elements; `offsets` has `n + 1`, ascending, and `values`
/// as many as the last offset says.
#[inline(always)]
pub(crate) unsafe fn search_all<const L: u32, const S: usize, C: Slots, B: IntegerWords<u32>>(
    table: SlabTable<C, B, S>,
    keys: *const C::Key,
    offsets: *const u64,
    values: *mut C::Value,
    counts: *mut u32,
    n: u32,
) {
    // SAFETY: the contract of this function; `op` is below `n`, and each place is below the key's end.
    unsafe {
        per_tile::<L>(n, |w, op| {
            let (start, end) = (read(offsets, op), read(offsets, op + 1));
            let pairs = UserKey::new(read(keys, op)).map_or(0, |key| {
                table.search_all(w, key, |w, number, value| {
                    let place = start + number as u64;
                    if place < end {
                        write(w, values, place as usize, value);
                    }
                })
            });
            write(w, counts, op, pairs);
        });
    }
}
