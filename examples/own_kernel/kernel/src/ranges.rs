//! The lowest and the highest reading of each sensor, by an update of a value that the library does not have.
//!
//! A value holds both, in 16 bits each. `Applying` is a view of the words of a table, by which
//! `insert_or_add` puts a function of the old value in place of the sum. It changes an entry as a whole, by
//! an exchange, so readers never see one bound without the other. The function must give the same result in
//! any order.

use warpproof_device::{Global, Tile};
use warpproof_model::entry::Pair32;
use warpproof_model::open::{Applying, BoundedStride, CLASSES, OpenTable, OverflowFilter};
use warpproof_model::reserved::{AllKeysCounter, ReservedSlots, WithSlots, reserved_keys};
use warpproof_model::{Add, Seed, Warp};

/// Lanes of a tile, and slots per lane: a bucket of a large `warpproof_gpu::OpenMap<u32, u32>` has eight.
const LANES: u32 = 2;
const SLOTS: usize = 4;

/// Widens the range of `sensors[row]` by `readings[row]`, of 16 bits, and writes the outcome to
/// `outcomes[row]`: [`Add::code`].
///
/// # Safety
///
/// The first seven arguments are the parts of a table of u32 pairs, with buckets of eight slots. `sensors`,
/// `readings` and `outcomes` have `rows` elements. Blocks have a multiple of 32 threads, the grid a tile per
/// row.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn widen_ranges(
    slots: *mut u64,
    len: usize,
    filter: *mut u32,
    filter_len: usize,
    buckets: u32,
    mask: u64,
    factor: u64,
    sensors: *const u32,
    readings: *const u32,
    outcomes: *mut u8,
    rows: u32,
) {
    // SAFETY: the branch below is the same for both lanes of a tile, and so is all control flow in the table.
    let w = &mut unsafe { Tile::<LANES>::new() };
    let row = w.id();
    if row >= rows {
        return;
    }
    // SAFETY: the contract of this function. The slots of the reserved keys follow the others.
    let (slots, reserved, filter) = unsafe {
        let reserved = Global::new(slots.add(len), reserved_keys::<Pair32>() as usize);
        (Global::new(slots, len), reserved, Global::new(filter, filter_len))
    };
    // SAFETY: `row` is below `rows`, and nothing writes the inputs.
    let (sensor, reading) = unsafe { (sensors.add(row as usize).read(), readings.add(row as usize).read()) };

    let widened = move |old: u32| {
        let (lowest, highest) = (old & 0xffff, old >> 16);
        highest.max(reading) << 16 | lowest.min(reading)
    };
    let filter = OverflowFilter::<_, CLASSES, false>::new(filter, buckets);
    let seed = Seed::from_words([mask, factor]);
    let slots = Applying::<Pair32, _, _>::new(slots, widened);
    let table = OpenTable::<Pair32, _, _, BoundedStride, SLOTS>::new(slots, filter, buckets, seed);
    let reserved = ReservedSlots::<Pair32, _>::new(Applying::<Pair32, _, _>::new(reserved, widened));
    let outcome: Add = WithSlots::new(table, reserved).insert_or_add(w, sensor, reading << 16 | reading);

    let _ = w.each(|lane| {
        if lane == 0 {
            // SAFETY: `row` is below `rows` and this tile's own; one lane writes.
            unsafe { outcomes.add(row as usize).write(outcome.code()) }
        }
    });
}
