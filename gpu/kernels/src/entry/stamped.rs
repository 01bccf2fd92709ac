//! Operations between two looks at a clock.

use super::{per_key, read, write};
use warpproof_device::{Global, Tile};
use warpproof_model::map::WarpMap;
use warpproof_model::outcome::{Mixed, Op};
use warpproof_model::{AtLane, IntegerWords, Order, Warp};

use super::update::UNKNOWN_OPERATION;

/// As [`mixed`](super::mixed); `starts[op]` and `ends[op]` are the numbers that `clock[0]` had right before and right
/// after the operation, which are different for all. A reserved key has none. A set passes a null `found`.
///
/// # Safety
///
/// The contract of [`per_tile`](super::per_tile); every array has `n` elements.
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "the arrays of a kernel")]
pub(crate) unsafe fn stamped<const L: u32, T: WarpMap>(
    table: T,
    ops: *const u8,
    keys: *const T::Key,
    values: *const T::Value,
    outcomes: *mut u8,
    found: *mut T::Value,
    clock: Global<u64>,
    starts: *mut u64,
    ends: *mut u64,
    n: u32,
) {
    // SAFETY: the contract of this function; `op` is below `n`.
    unsafe {
        per_key::<L, _>(keys, outcomes, n, |w, op, key| {
            let Some(kind) = Op::from_code(read(ops, op)) else { return AtLane::known(w, UNKNOWN_OPERATION) };
            let value = read(values, op);
            let start = stamp(w, clock);
            let said = table.mixed(w, kind, key, value);
            // The stamp is word of this call to others.
            w.fence_acquire();
            let end = stamp(w, clock);
            write(w, starts, op, start);
            write(w, ends, op, end);
            said.give(w, |Mixed { code, value }| {
                if kind == Op::Search && code == 1 && !found.is_null() {
                    found.add(op).write(value);
                }
            });
            said.map(w, |said| said.code)
        });
    }
}

/// What the clock said before it went on by one. Lane 0 looks, the other lanes are threads of their own: the first
/// `sync` puts what they did before it, the second what they do next behind it.
#[inline(always)]
fn stamp<const L: u32>(w: &mut Tile<L>, clock: Global<u64>) -> u64 {
    w.sync();
    // AcqRel: pairs with the stamps of all other operations. What a tile did before its second stamp is visible to
    // every tile whose first stamp is later.
    let now = w.elect(0, || clock.fetch_add(0, 1, Order::AcqRel));
    w.sync();
    now
}
