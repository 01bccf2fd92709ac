//! What tables are made for, and how large that makes them.

use warpproof::model::Seed;
use warpproof::model::host::Refused;
use warpproof::model::slab::SLAB_SLOTS;
use warpproof::{HopscotchGeometry, OpenGeometry, SlabGeometry};

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
}

impl Room {
    /// The same with this seed, or with one that is chosen at random.
    pub(crate) fn with_seed(self, seed: Option<u64>) -> Self {
        Self { seed: seed.map_or_else(Seed::random, Seed::new), ..self }
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
    /// What a table is made for into which `total` entries are inserted, of which `expected` are there at a
    /// time. One that grows begins with a sixteenth, and a million slots at most.
    pub(crate) fn room(&self, expected: u64, total: u64, load: f64) -> Room {
        /// A million slots, at the default load.
        const MOST: u64 = 838_860;
        let first = if self.grows { (expected / 16).clamp(1, MOST) } else { expected };
        Room { expected: first, total, load, seed: Seed::random() }
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
