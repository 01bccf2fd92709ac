//! What tables are made for, and how large that makes them.

use warpproof::model::Seed;
use warpproof::model::host::Refused;
use warpproof::model::slab::SLAB_SLOTS;
use warpproof::{HopscotchGeometry, OpenGeometry, PagedGeometry, SlabGeometry};

/// The budget of a paged table, unless another one is asked for.
pub(crate) const BUDGET: u64 = 64 << 20;

/// What a table is made for.
#[derive(Clone, Copy)]
pub(crate) struct Room {
    /// Entries that are there at a time.
    pub(crate) expected: u64,
    /// Entries that are inserted in its life.
    pub(crate) total: u64,
    /// Entries per slot.
    pub(crate) load: f64,
    /// What the places of keys depend on.
    pub(crate) seed: Seed,
    /// Bytes of memory that frames and batches of a paged table may take.
    pub(crate) budget: u64,
}

impl Room {
    /// This room with a seed: the given one, or a random one.
    pub(crate) fn with_seed(self, seed: Option<u64>) -> Self {
        Self { seed: seed.map_or_else(Seed::random, Seed::new), ..self }
    }

    /// This room with a budget, if one was asked for.
    pub(crate) fn with_budget(self, budget: Option<u64>) -> Self {
        Self { budget: budget.unwrap_or(BUDGET), ..self }
    }
}

/// How the tables of a structure take in what they are made for.
#[derive(Clone, Copy)]
pub(crate) struct Capacity {
    /// Whether an insert may find no room in a table that was made for its entries. It stores nothing then.
    pub(crate) may_be_full: bool,
    /// Whether they grow: they are made for a part of what comes.
    pub(crate) grows: bool,
}

impl Capacity {
    /// What a table is made for that begins with room for so many entries.
    pub(crate) fn whole(&self, entries: u64, load: f64) -> Room {
        Room { expected: entries, ..self.room(entries, entries, load) }
    }

    /// What a table is made for into which `total` entries are inserted, of which `expected` are there at a
    /// time. One that grows begins with a sixteenth, and a million slots at most.
    pub(crate) fn room(&self, expected: u64, total: u64, load: f64) -> Room {
        /// A million slots, at the default load.
        const MOST: u64 = 838_860;
        let first = if self.grows { (expected / 16).clamp(1, MOST) } else { expected };
        Room { expected: first, total, load, seed: Seed::random(), budget: BUDGET }
    }
}

/// Tables of a structure with a seed and a budget, or those that are taken where none is asked for.
#[derive(Clone, Copy)]
pub(crate) struct Rooms {
    /// How they take in what they are made for.
    pub(crate) capacity: Capacity,
    /// What the places of keys depend on.
    pub(crate) seed: Option<u64>,
    /// Bytes for frames and batches of a paged table.
    pub(crate) budget: Option<u64>,
}

impl Rooms {
    /// As [`Capacity::room`].
    pub(crate) fn room(&self, expected: u64, total: u64, load: f64) -> Room {
        self.capacity.room(expected, total, load).with_seed(self.seed).with_budget(self.budget)
    }
}

/// A table whose base slabs have `load` of the expected entries per slot, and which all fit that are inserted
/// in its life, as deleted ones keep their slots until a flush, whatever their keys are.
pub(crate) fn slab(room: Room) -> Result<SlabGeometry, Refused> {
    let slots = SLAB_SLOTS as u32;
    let buckets = SlabGeometry::new(room.expected, room.load, slots)?;
    let pool = SlabGeometry::new(room.total, room.load, slots)?;
    Ok(SlabGeometry { pool: pool.pool, ..buckets })
}

/// A table whose homes have `load` of the expected entries per slot: a deleted one gives its slot back at
/// once.
pub(super) fn hopscotch(room: Room) -> Result<HopscotchGeometry, Refused> {
    HopscotchGeometry::at_load(room.expected, room.load)
}

/// A table with `load` per slot of the expected entries, or of all that are inserted in its life if those are
/// more, as the slot of a deleted one is not used again.
pub(super) fn open(room: Room) -> Result<OpenGeometry, Refused> {
    OpenGeometry::at_load(room.expected.max(room.total), room.load)
}

/// A table with `load` of the expected entries per slot: the slot of a deleted one is used again.
pub(super) fn cuckoo(room: Room) -> Result<OpenGeometry, Refused> {
    OpenGeometry::at_load(room.expected, room.load)
}

/// A table with `load` of the expected entries per slot, whose child tables are a sixteenth of the budget, so
/// that there are frames for some; larger ones where those would be too many. The slot of a deleted entry is
/// used again when its child table is full.
pub(super) fn paged(
    room: Room,
    size: impl Fn(u64, f64, u64, u64) -> Result<PagedGeometry, Refused>,
) -> Result<PagedGeometry, Refused> {
    /// Child tables that a table on a GPU may have.
    const MOST: u32 = 8192;
    let most_bytes = PagedGeometry::CHILD_BYTES;
    let mut child_bytes = (room.budget / 16).clamp(PagedGeometry::LEAST_CHILD_BYTES, most_bytes);
    loop {
        let geometry = size(room.expected, room.load, child_bytes, room.budget)?;
        if geometry.children <= MOST || child_bytes == most_bytes {
            return Ok(geometry);
        }
        child_bytes = (2 * child_bytes).min(most_bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::PAGED;
    use warpproof::simt::cpu::PagedMap;

    #[test]
    fn a_small_budget_makes_no_more_child_tables_than_there_may_be() {
        let size = |entries, budget| {
            let room = PAGED.capacity.whole(entries, 0.8).with_budget(Some(budget));
            paged(room, PagedMap::<u64, u64>::size).unwrap()
        };
        for (entries, budget) in [(1_000_000_000, 64 << 20), (1_000_000_000, 0), (100_000_000, 1 << 20)] {
            let size = size(entries, budget);
            assert!((2000..=8192).contains(&size.children), "{size:?}");
            assert!(size.slots() * 8 / 10 >= entries && size.frame_bytes + size.batch_bytes == budget);
        }
        // Where child tables are few, a dozen of them are in frames.
        let few = size(1_000_000, 1 << 20);
        assert!(few.children > 200 && few.frames(few.child.slots() as u64 * 17) > 10, "{few:?}");
    }
}
