//! The sizes of tables, by the entries that they are made for.

use warpproof::model::Seed;
use warpproof::model::host::Refused;
use warpproof::model::sharded::Error;
use warpproof::model::slab::SLAB_SLOTS;
use warpproof::simt::cpu::sharded::{AllRanks, Limits};
use warpproof::{BulkTable, HopscotchGeometry, OpenGeometry, PagedGeometry, SlabGeometry};

/// The budget of a paged table, unless another one is asked for.
pub(crate) const BUDGET: u64 = 64 << 20;

/// The ranks of a table in shards, unless another number is asked for.
pub(crate) const RANKS: u32 = 2;

/// The entries that a table is made for.
#[derive(Clone, Copy)]
pub(crate) struct Room {
    /// Entries in the table at one time.
    pub(crate) expected: u64,
    /// Entries inserted over the life of the table.
    pub(crate) total: u64,
    /// Entries per slot.
    pub(crate) load: f64,
    /// The seed that decides the places of keys.
    pub(crate) seed: Seed,
    /// Bytes of memory that frames and batches of a paged table may take.
    pub(crate) budget: u64,
    /// The ranks of a table in shards.
    pub(crate) ranks: u32,
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

    /// This room with a number of ranks, if one was asked for.
    pub(crate) fn with_ranks(self, ranks: Option<u32>) -> Self {
        Self { ranks: ranks.unwrap_or(RANKS), ..self }
    }
}

/// How the size of a structure's tables follows from their entries.
#[derive(Clone, Copy)]
pub(crate) struct Capacity {
    /// Whether an insert may find no room in a table that was made for its entries. Then it stores nothing.
    pub(crate) may_be_full: bool,
    /// Whether they grow: then they are made for a part of the entries.
    pub(crate) grows: bool,
}

impl Capacity {
    /// The room of a table that begins with space for so many entries.
    pub(crate) fn whole(&self, entries: u64, load: f64) -> Room {
        Room { expected: entries, ..self.room(entries, entries, load) }
    }

    /// The room of a table into which `total` entries are inserted, with `expected` in it at one time. A
    /// table that grows begins with a sixteenth, and a million slots at most.
    pub(crate) fn room(&self, expected: u64, total: u64, load: f64) -> Room {
        /// A million slots, at the default load.
        const MOST: u64 = 838_860;
        let first = if self.grows { (expected / 16).clamp(1, MOST) } else { expected };
        Room { expected: first, total, load, seed: Seed::random(), budget: BUDGET, ranks: RANKS }
    }
}

/// Makes rooms for the tables of a structure, with a seed and a budget if they were asked for.
#[derive(Clone, Copy)]
pub(crate) struct Rooms {
    /// How the size follows from the entries.
    pub(crate) capacity: Capacity,
    /// The seed that decides the places of keys.
    pub(crate) seed: Option<u64>,
    /// Bytes for frames and batches of a paged table.
    pub(crate) budget: Option<u64>,
    /// The ranks of a table in shards.
    pub(crate) ranks: Option<u32>,
}

impl Rooms {
    /// The room of a table ([`Capacity::room`]), with the seed, the budget and the ranks, if given.
    pub(crate) fn room(&self, expected: u64, total: u64, load: f64) -> Room {
        self.capacity
            .room(expected, total, load)
            .with_seed(self.seed)
            .with_budget(self.budget)
            .with_ranks(self.ranks)
    }
}

/// A table whose base slabs have `load` of the expected entries per slot. All entries inserted over its life
/// fit, whatever their keys are; deleted ones keep their slots until a flush.
pub(crate) fn slab(room: Room) -> Result<SlabGeometry, Refused> {
    let slots = SLAB_SLOTS as u32;
    let buckets = SlabGeometry::new(room.expected, room.load, slots)?;
    let pool = SlabGeometry::new(room.total, room.load, slots)?;
    Ok(SlabGeometry { pool: pool.pool, ..buckets })
}

/// A table whose homes have `load` of the expected entries per slot: a deleted entry frees its slot at once.
pub(super) fn hopscotch(room: Room) -> Result<HopscotchGeometry, Refused> {
    HopscotchGeometry::at_load(room.expected, room.load)
}

/// A table with `load` per slot of the expected entries, or of all inserted entries if those are more, as the
/// slot of a deleted entry is not used again.
pub(super) fn open(room: Room) -> Result<OpenGeometry, Refused> {
    OpenGeometry::at_load(room.expected.max(room.total), room.load)
}

/// A table with `load` of the expected entries per slot: the slot of a deleted entry is used again.
pub(super) fn cuckoo(room: Room) -> Result<OpenGeometry, Refused> {
    OpenGeometry::at_load(room.expected, room.load)
}

/// A table with `load` of the expected entries per slot. Its child tables are a sixteenth of the budget, so
/// that there are frames for some; they are larger if there would be too many. The slot of a deleted entry is
/// used again when its child table is full.
pub(super) fn paged(
    room: Room,
    size: impl Fn(u64, f64, u64, u64) -> Result<PagedGeometry, Refused>,
) -> Result<PagedGeometry, Refused> {
    /// The most child tables of a table on a GPU.
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

/// A table in shards: `make` makes a shard for so many entries. Hashes spread entries over shards, so that
/// some get more than others: a shard has room for its part and six standard deviations more.
pub(super) fn sharded<T, E>(room: Room, make: impl Fn(u64) -> Result<T, E>) -> Result<AllRanks<T>, E>
where
    T: BulkTable<Error = E> + Send + Sync,
    E: From<Refused> + Send,
{
    let part = room.expected.max(room.total) as f64 / f64::from(room.ranks.max(1));
    let entries = (part + 6.0 * part.sqrt() + 16.0) as u64;
    AllRanks::new(room.ranks, Limits::default(), room.seed, |_| make(entries)).map_err(|error| match error {
        Error::Shard(error) => error,
        Error::Refused(refused) => refused.into(),
        // A machine on which a thread does not run for a minute.
        _ => Refused::Nothing { what: "rank that comes in time" }.into(),
    })
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
