//! The probing schemes that there are kernels for.

use crate::layout::Layout;
use crate::table::Family;
use warpproof_model::open::{BUCKET_SLOTS, Cuckoo, Near, WIDE_BUCKET_SLOTS};

mod sealed {
    /// Implemented here alone: each scheme needs kernels.
    pub trait Sealed {}
}

/// Which buckets a key of an [`OpenMap`](super::OpenMap) probes: [`Near`], or [`Cuckoo`] of chains as the library has them.
pub trait OpenScheme: sealed::Sealed {
    /// Whether keys move. Then there are locks where the filter is otherwise.
    const MOVES: bool;
}

impl sealed::Sealed for Near {}
impl sealed::Sealed for Cuckoo {}

impl OpenScheme for Near {
    const MOVES: bool = false;
}

impl OpenScheme for Cuckoo {
    const MOVES: bool = true;
}

/// Slots of a bucket: no more than 64 bytes, which are read as fast as less; where keys move 8, so that nearly all find room.
pub(super) const fn bucket_slots(layout: Layout, moves: bool) -> u32 {
    match layout {
        // In two words too: a table has the same size whatever the device.
        Layout::Map64 | Layout::Map64Lock if !moves => WIDE_BUCKET_SLOTS as u32,
        _ => BUCKET_SLOTS as u32,
    }
}

/// Bytes of the slots up to which one lane is the fastest that reads all slots of a bucket. Measured (BENCHMARKS.md): in a
/// larger table the addresses of its loads, which are as many as its lanes are few, are too many to translate.
const ONE_LANE_BYTES: u64 = 256 << 20;

/// The kernels of a layout, for so many bytes of slots.
pub(crate) fn family(layout: Layout, moves: bool, bytes: u64) -> Family {
    let common = layout.lanes();
    let (lanes, mixed_lanes) = match layout {
        Layout::Map64 if moves => (common, common),
        Layout::Map32 if bytes <= ONE_LANE_BYTES => (1, 1),
        Layout::Map32 => (common, 1),
        // 32 bytes for a lane, as in a large table of pairs. No other width was measured.
        Layout::Set32 | Layout::Map64Lock => (1, 1),
        Layout::Map64 => (2, 2),
        _ => (common, common),
    };
    let structure = if moves { "cuckoo" } else { "open" };
    Family { structure, layout, suffix: "", lanes, mixed_lanes, one_array: true }
}
