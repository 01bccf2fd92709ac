//! All entries of a table whose slots lie in one array: a block of whole warps copies a part of them.

use warpproof_device::{CtaBlock, Global, Tile};
use warpproof_model::entry::Packed;
use warpproof_model::open::{Filter, OpenSlots, OpenTable, Probing};
use warpproof_model::retrieve::{LANE_SLOTS, Method, Retrieval, Sink, SlotArray};

pub(crate) use warpproof_model::retrieve::{BlockScan, PerSlot, SharedCounter, WarpCounter};

/// Output arrays of keys and of values.
struct Columns<K, V> {
    keys: *mut K,
    values: *mut V,
    room: u64,
}

impl<K, V> Clone for Columns<K, V> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<K, V> Copy for Columns<K, V> {}

impl<K, V> Columns<K, V> {
    /// Arrays of `room` elements each.
    ///
    /// # Safety
    ///
    /// They have so many elements, which nobody else uses while the sink does; no place is written twice. A [`Retrieval`]
    /// writes none twice.
    #[inline(always)]
    unsafe fn new(keys: *mut K, values: *mut V, room: u64) -> Self {
        Self { keys, values, room }
    }
}

impl<E: Packed> Sink<E> for Columns<E::Key, E::Value> {
    #[inline(always)]
    fn room(self) -> u64 {
        self.room
    }

    #[inline(always)]
    fn put(self, place: u64, key: E::Key, value: E::Value) {
        if place < self.room {
            // SAFETY: both arrays have an element `place`, and nobody else writes it (contract of `new`).
            unsafe {
                self.keys.add(place as usize).write(key);
                self.values.add(place as usize).write(value);
            }
        }
    }
}

/// A lane reads rows of one slot: neighbouring lanes then write neighbouring places, whatever the slots hold.
type Job<E, H> =
    Retrieval<SlotArray<E, H>, Columns<<E as Packed>::Key, <E as Packed>::Value>, Global<u64>, LANE_SLOTS, 1>;

/// Writes all pairs to `keys` and `values`, in no particular order, as many as `capacity`; adds how many there are to
/// `total[0]`, which is zero at first. Needs the shared words of the method, and a lane for each [`LANE_SLOTS`] slots.
///
/// # Safety
///
/// The contracts of [`Tile::new`] and [`CtaBlock::new`]. `keys` and `values` have `capacity` elements. No other
/// operation on the table runs meanwhile.
#[inline(always)]
pub(crate) unsafe fn retrieve<
    const L: u32,
    const S: usize,
    E: Packed,
    H: OpenSlots<E>,
    F: Filter,
    P: Probing,
    M: Method,
>(
    table: OpenTable<E, H, F, P, S>,
    keys: *mut E::Key,
    values: *mut E::Value,
    capacity: u64,
    total: Global<u64>,
    method: M,
) {
    // SAFETY: the contract of this function; every thread gets here.
    let (mut here, to) =
        unsafe { ((Tile::<L>::new(), CtaBlock::<L>::new()), Columns::new(keys, values, capacity)) };
    let block = here.1.number();
    Job::<E, H>::new(table.array(), to, total).run(&mut here, method, block, 1);
}

/// The same in the order of the slots; the total is stored. `chunks` are zero at first, and as many as
/// [`chunk_words`](warpproof_model::retrieve::chunk_words) says. Needs as many shared words as
/// [`shared_words`](warpproof_model::retrieve::shared_words) says.
///
/// # Safety
///
/// As [`retrieve`].
#[inline(always)]
pub(crate) unsafe fn retrieve_in_order<
    const L: u32,
    const S: usize,
    E: Packed,
    H: OpenSlots<E>,
    F: Filter,
    P: Probing,
>(
    table: OpenTable<E, H, F, P, S>,
    keys: *mut E::Key,
    values: *mut E::Value,
    capacity: u64,
    total: Global<u64>,
    chunks: Global<u64>,
) {
    // SAFETY: the contract of this function; every thread gets here.
    let (mut here, to) =
        unsafe { ((Tile::<L>::new(), CtaBlock::<L>::new()), Columns::new(keys, values, capacity)) };
    Job::<E, H>::new(table.array(), to, total).in_order(&mut here, chunks, 1);
}
