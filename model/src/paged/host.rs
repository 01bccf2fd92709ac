//! The size and the statistics of a paged table.

use super::{Choices, Traffic};
use crate::hash::Seed;
use crate::host::{OpenGeometry, OpenStats, Refused};

/// The child tables of a paged table, and how much of them the device's memory may hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PagedGeometry {
    /// Child tables. A key belongs to one of them, however full the others are.
    pub children: u32,
    /// The size of each.
    pub child: OpenGeometry,
    /// Bytes of the device's memory for frames.
    pub frame_bytes: u64,
    /// Bytes of the device's memory for the batches that run.
    pub batch_bytes: u64,
    /// Whether the device's memory also has a board of fingerprints, a byte for each slot
    /// ([`BoardSlots`](crate::open::BoardSlots)).
    pub board: bool,
}

/// The slots and buckets of child tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slots {
    /// Slots of a bucket.
    pub bucket_slots: u32,
    /// Bytes of a slot.
    pub slot_bytes: u32,
}

impl PagedGeometry {
    /// The most bytes of a child table by default: a bus with 50 GB/s moves them in 1.3 ms.
    pub const CHILD_BYTES: u64 = 64 << 20;

    /// The lowest limit for the bytes of a child table: one of a few slots would be much larger than its
    /// average share of the entries.
    pub const LEAST_CHILD_BYTES: u64 = 4 << 10;

    /// The part of the budget that batches may take, frames the rest: a fourth.
    const BATCH_SHARE: u64 = 4;

    /// The most bytes of a child table besides slots and filter: its reserved keys, and the ends of its
    /// arrays.
    const BESIDE: u64 = 512;

    /// A table for `entries` entries at a load, in as few child tables as possible with at most `child_bytes`
    /// bytes of slots each; at least [`LEAST_CHILD_BYTES`](Self::LEAST_CHILD_BYTES).
    ///
    /// Hashes spread entries over child tables, so some get more than others. Each has room, at this load,
    /// for its share and six standard deviations more. That is a thousandth of slots of 64 MiB, and a tenth
    /// of slots of 64 KiB. Batches get a fourth of the budget, and any memory that frames for all child
    /// tables leave.
    ///
    /// # Errors
    /// As [`OpenGeometry::new`]; [`Refused::TooLarge`] if there are more than 2^32 child tables.
    pub fn new(
        entries: u64,
        load: f64,
        slots: Slots,
        (child_bytes, budget): (u64, u64),
    ) -> Result<Self, Refused> {
        let most_bytes = child_bytes.max(Self::LEAST_CHILD_BYTES);
        let bytes = |child: OpenGeometry| child.slots() as u64 * slots.slot_bytes as u64;
        let mut children = 1;
        loop {
            let child = OpenGeometry::new(share(entries, children), load, slots.bucket_slots);
            match child {
                Ok(child) if bytes(child) <= most_bytes || children >= entries => {
                    let found = children;
                    let most = u32::MAX.into();
                    let children = u32::try_from(children).map_err(|_| Refused::TooLarge {
                        what: "child tables",
                        found,
                        most,
                    })?;
                    return Ok(Self::of_children(children, child, slots, budget));
                }
                Ok(child) => {
                    // As many as would be enough if none needed more than its share, and at least one more.
                    let wanted = children as u128 * bytes(child) as u128 / most_bytes as u128;
                    children = u64::try_from(wanted).unwrap_or(u64::MAX).max(children + 1);
                }
                Err(Refused::TooLarge { .. }) if children < entries => children *= 2,
                Err(refused) => return Err(refused),
            }
        }
    }

    /// This size with a board of fingerprints, for which frames and batches give up a part of the budget.
    ///
    /// # Errors
    /// [`Refused::TooLarge`] if the board alone takes more than the budget.
    pub fn with_board(self) -> Result<Self, Refused> {
        let (found, most) = (self.slots(), self.frame_bytes + self.batch_bytes);
        let left = most.checked_sub(found).ok_or(Refused::TooLarge {
            what: "bytes of a board of fingerprints in the budget",
            found,
            most,
        })?;
        let frame_bytes = self.frame_bytes.min(left - left / Self::BATCH_SHARE);
        Ok(Self { frame_bytes, batch_bytes: left - frame_bytes, board: true, ..self })
    }

    /// Bytes of the board of fingerprints, if there is one.
    pub const fn board_bytes(&self) -> u64 {
        if self.board { self.slots() } else { 0 }
    }

    /// So many child tables of this size, with the budget divided as in [`new`](Self::new).
    pub fn of_children(children: u32, child: OpenGeometry, slots: Slots, budget: u64) -> Self {
        let slots = (child.slots() as u64).saturating_mul(slots.slot_bytes.into());
        let all = slots.saturating_add(child.filter_bytes() as u64 + Self::BESIDE);
        let most = all.saturating_mul(children.into());
        let frame_bytes = (budget - budget / Self::BATCH_SHARE).min(most);
        Self { children, child, frame_bytes, batch_bytes: budget - frame_bytes, board: false }
    }

    /// Refuses a size that is impossible for a table of such buckets.
    ///
    /// # Errors
    /// [`Refused::Nothing`] if there is no child table; as [`OpenGeometry::admit`] for their size.
    pub fn admit(self, bucket_slots: u32) -> Result<(), Refused> {
        if self.children == 0 {
            return Err(Refused::Nothing { what: "child table" });
        }
        self.child.admit(bucket_slots)
    }

    /// The number of frames of `child_bytes` bytes that there is room for: at most as many as child tables.
    pub fn frames(&self, child_bytes: u64) -> u32 {
        (self.frame_bytes / child_bytes.max(1)).min(self.children.into()) as u32
    }

    /// How many operations of a batch may run at a time if each takes so many bytes: as many as there is room
    /// for, and at least `least`.
    pub fn operations(&self, operation_bytes: u64, least: usize) -> usize {
        let room = self.batch_bytes / operation_bytes.max(1);
        usize::try_from(room).unwrap_or(usize::MAX).max(least)
    }

    /// Number of slots.
    pub const fn slots(self) -> u64 {
        self.child.slots() as u64 * self.children as u64
    }
}

/// The first seed of a child table, in a table with this seed.
pub fn child_seed(seed: Seed, child: u32) -> Seed {
    Seed::new(seed.hash(child.into()).bits())
}

/// The entries that one of `children` child tables should have room for.
fn share(entries: u64, children: u64) -> u64 {
    if children == 1 {
        return entries;
    }
    let mean = entries as f64 / children as f64;
    // Standard deviations of a sum of many rare events: Poisson.
    ((mean + 6.0 * mean.sqrt()) as u64 + 1).min(entries)
}

/// Statistics of a paged table.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct PagedStats {
    /// The statistics of all child tables.
    pub slots: OpenStats,
    /// Child tables that are in frames.
    pub resident: u32,
    /// Child tables that were rebuilt.
    pub rebuilt: u64,
    /// How often child tables were copied, and where jobs ran.
    pub traffic: Traffic,
    /// The ways of the jobs of batches, and the reasons.
    pub choices: Choices,
    /// Bytes of a child table.
    pub child_bytes: u64,
}

impl PagedStats {
    /// Bytes that were copied to frames, and from frames.
    pub const fn bytes(&self) -> (u64, u64) {
        let Self { traffic, choices, child_bytes, .. } = *self;
        Paging { traffic, choices, child_bytes }.bytes()
    }
}

/// The part of [`PagedStats`] that is known without counting slots.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Paging {
    /// How often child tables were copied, and where jobs ran.
    pub traffic: Traffic,
    /// The ways of the jobs of batches, and the reasons.
    pub choices: Choices,
    /// Bytes of a child table.
    pub child_bytes: u64,
}

impl Paging {
    /// Bytes that were copied to frames, and from frames.
    pub const fn bytes(&self) -> (u64, u64) {
        (self.traffic.copies_in * self.child_bytes, self.traffic.copies_out * self.child_bytes)
    }
}

/// The known state of the slots of a child table, without counting them.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ChildSlots {
    /// Slots that are taken, by entries and by deleted ones.
    taken: u64,
    /// Slots of deleted entries.
    deleted: u64,
    /// Whether operations have begun whose outcomes were not recorded yet.
    begun: bool,
}

impl ChildSlots {
    /// The state of a table of so many entries, where none was deleted.
    pub const fn of_entries(entries: u64) -> Self {
        Self { taken: entries, deleted: 0, begun: false }
    }

    /// The state of a table that was counted.
    pub const fn of_stats(stats: &OpenStats) -> Self {
        Self { taken: stats.live + stats.tombstones, deleted: stats.tombstones, begun: false }
    }

    /// Begins operations that may store and delete entries. Until [`end`](Self::end), the state of the table
    /// is unknown; if an error came between, the table must be counted.
    pub fn begin(&mut self) {
        self.begun = true;
    }

    /// Ends those operations: their outcomes were [recorded](Self::note).
    pub fn end(&mut self) {
        self.begun = false;
    }

    /// Whether the state is known: all operations that have begun have ended.
    pub const fn are_known(&self) -> bool {
        !self.begun
    }

    /// How many entries there are.
    pub const fn live(&self) -> u64 {
        self.taken - self.deleted
    }

    /// Records that so many entries were stored, and so many deleted.
    pub fn note(&mut self, stored: u64, deleted: u64) {
        self.taken += stored;
        self.deleted += deleted;
    }

    /// Records that the table was rebuilt: no slots of deleted entries are left.
    pub fn note_rebuilt(&mut self) {
        *self = Self::of_entries(self.live());
    }

    /// Whether a table of so many slots should be rebuilt before it takes up to so many entries: they might
    /// fill it to a load at which operations get slow, and the rebuild frees enough slots to be worth reading
    /// them all.
    pub fn are_crowded(&self, slots: u64, more: u64) -> bool {
        self.taken.saturating_add(more) > most_taken(slots) && self.deleted > slots / 16
    }

    /// Whether a table in which an insert found no room should be rebuilt: slots of deleted entries become
    /// free; or it is not full, and keys were chosen for its seed.
    pub fn may_have_room(&self, slots: u64) -> bool {
        self.deleted > 0 || self.taken < most_taken(slots)
    }

    /// Whether the rebuilt table should get another seed.
    pub const fn needs_a_seed(&self) -> bool {
        self.deleted == 0
    }
}

/// Slots that may be taken before operations get slow: 63 of 64.
const fn most_taken(slots: u64) -> u64 {
    slots - slots.div_ceil(64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAIRS: Slots = Slots { bucket_slots: 4, slot_bytes: 16 };

    fn size(entries: u64, child_bytes: u64, budget: u64) -> PagedGeometry {
        PagedGeometry::new(entries, 0.8, PAIRS, (child_bytes, budget)).expect("a size")
    }

    #[test]
    fn child_tables_are_as_few_as_their_size_allows() {
        let large = size(858_993_459, PagedGeometry::CHILD_BYTES, 1 << 30);
        assert!((256..=258).contains(&large.children), "16 GiB: {large:?}");
        let one = size(1000, PagedGeometry::CHILD_BYTES, 1 << 30);
        assert_eq!((one.children, one.child), (1, OpenGeometry::new(1000, 0.8, 4).expect("a size")));
        for (entries, child_bytes) in
            [(0, 4096), (1, 4096), (100_000, 4096), (100_000, 1), (1 << 24, 64 << 10)]
        {
            let size = size(entries, child_bytes, 0);
            let bytes = size.child.slots() as u64 * 16;
            assert!(bytes <= child_bytes.max(4096), "{entries}: {size:?}");
            assert!(size.slots() * 8 / 10 >= entries, "{entries}: {size:?}");
            // Small tables have room for deviations.
            assert!(size.slots() <= 2 * entries + 1024, "{entries}: {size:?}");
        }
    }

    #[test]
    fn sizes_that_no_table_has_are_refused() {
        let new = |entries, load, slots| PagedGeometry::new(entries, load, slots, (4096, 0));
        assert_eq!(new(10, 0.0, PAIRS), Err(Refused::Load { load: 0.0 }));
        assert_eq!(new(10, 0.8, Slots { bucket_slots: 0, ..PAIRS }), Err(Refused::Nothing { what: "slot" }));
        assert!(matches!(new(u64::MAX, 0.8, PAIRS), Err(Refused::TooLarge { what: "child tables", .. })));
    }

    #[test]
    fn a_board_takes_its_part_of_the_budget() {
        let (plain, budget) = (size(1 << 20, 64 << 10, 4 << 20), 4 << 20);
        let with = plain.with_board().expect("room for a board");
        assert_eq!(with.frame_bytes + with.batch_bytes + with.board_bytes(), budget);
        assert_eq!((with.board_bytes(), plain.board_bytes()), (plain.slots(), 0));
        assert!(with.frame_bytes > 0 && with.batch_bytes > 0);
        let none = size(1 << 20, 64 << 10, 1 << 20).with_board();
        assert!(matches!(none, Err(Refused::TooLarge { found, most: 0x10_0000, .. }) if found > 1 << 20));
    }

    #[test]
    fn frames_and_batches_share_the_budget() {
        let child = 64 << 10;
        let of = |budget| size(1 << 20, child, budget);
        let (few, many) = (of(1 << 20), of(1 << 30));
        assert_eq!((few.frames(child), many.frames(child)), (12, many.children));
        assert_eq!(few.operations(32, 1), (256 << 10) / 32);
        assert!(many.operations(32, 1) >= (3 << 28) / 32, "what small tables leave");
        assert_eq!((of(0).frames(child), of(0).operations(32, 1000)), (0, 1000));
        assert_eq!(of(child).frames(child), 0, "a part is for batches");
        assert_eq!(of(2 * child).frames(child), 1);
    }

    #[test]
    fn a_table_is_rebuilt_when_that_gives_room() {
        let mut slots = ChildSlots::default();
        slots.note(900, 0);
        assert!(!slots.are_crowded(1000, 10) && slots.may_have_room(1000) && slots.needs_a_seed());
        assert!(!slots.are_crowded(1000, 200), "none was deleted");
        slots.note(84, 500);
        assert!(slots.are_crowded(1000, 1) && slots.may_have_room(1000) && !slots.needs_a_seed());
        assert_eq!(slots.live(), 484);
        slots.note_rebuilt();
        assert_eq!(slots, ChildSlots::of_entries(484));
        slots.note(516, 0);
        assert!(!slots.may_have_room(1000) && !slots.are_crowded(1000, 1), "it is full");
        slots.begin();
        assert!(!slots.are_known());
        slots.end();
        assert!(slots.are_known());
        let seen = ChildSlots::of_stats(&OpenStats { live: 3, tombstones: 5 });
        assert!(seen.are_known() && seen.live() == 3 && !seen.needs_a_seed());
    }
}
