//! The room in a table: how many slots may be taken, are taken, and are promised.

use crate::host::OpenStats;
use core::fmt;

/// The highest load of a table that grows: above it an insert may find its buckets full
/// ([`BoundedStride`](crate::open::BoundedStride)).
pub const MOST_LOAD: f64 = 0.98;

/// The load of a growing table for which `load` was asked: at most [`MOST_LOAD`]. An invalid load stays as it
/// is.
pub fn kept_load(load: f64) -> f64 {
    if (MOST_LOAD..=1.0).contains(&load) { MOST_LOAD } else { load }
}

/// The room in a table, in slots. It changes only under its lock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Room {
    /// The most slots that may be taken.
    pub limit: u64,
    /// Slots that are taken, by entries and tombstones: no fewer than there are.
    pub taken: u64,
    /// More slots that the chunks of batches that run now may take.
    pub promised: u64,
    /// Whether `taken` is the number of entries: none was deleted since the table was made or cleared, and no
    /// batch failed or was of all kinds of operations. Then no caller has to count them.
    pub exact: bool,
}

impl Room {
    /// The room of a table without entries; `limit` of its slots may be taken.
    pub const fn new(limit: u64) -> Self {
        Self { limit, taken: 0, promised: 0, exact: true }
    }

    /// The room of a table without entries; at most `load` of its `slots` slots may be taken, and at least
    /// one.
    pub fn at_load(slots: u64, load: f64) -> Self {
        Self::new(((slots as f64 * load) as u64).max(1))
    }

    /// Slots that are neither taken nor promised.
    pub fn free(&self) -> u64 {
        self.limit.saturating_sub(self.taken.saturating_add(self.promised))
    }

    /// A chunk of a batch is no smaller than this, unless the batch is: a table with less room grows.
    pub(super) fn least(&self) -> u64 {
        (self.limit / 8).max(1)
    }

    /// Whether there is room for a chunk of a batch with `left` inserts left.
    pub(super) fn suffices(&self, left: u64) -> bool {
        self.free() >= left.min(self.least())
    }

    /// Reserves room for the next chunk of `left` inserts, as large as there is room. Returns its size, or
    /// `None` if there is too little.
    pub(super) fn promise(&mut self, left: u64) -> Option<u64> {
        let size = left.min(self.free());
        self.suffices(left).then(|| {
            self.promised += size;
            size
        })
    }

    /// Ends a chunk that was promised `size` slots. It has taken `stored` of them; `None` if it failed: any
    /// of them may be taken.
    pub(super) fn settle(&mut self, size: u64, stored: Option<u64>) {
        self.promised -= size;
        self.taken += stored.unwrap_or(size);
        self.exact &= stored.is_some();
    }

    /// The content of the table, if the room knows it exactly.
    pub(super) fn known(&self) -> Option<OpenStats> {
        // A chunk that panicked has not withdrawn its promise.
        (self.exact && self.promised == 0).then_some(OpenStats { live: self.taken, tombstones: 0 })
    }

    /// Checks the invariants of the room against the content of the table. They hold while no thread has the
    /// lock of the room or exclusive access to the table.
    ///
    /// # Errors
    /// If more slots are used than the room knows of, more are taken and promised than may be, or there are
    /// tombstones that it does not know of.
    pub fn check(&self, stats: &OpenStats) -> Result<(), Overdrawn> {
        let (spoken_for, used) = (self.taken.saturating_add(self.promised), stats.live + stats.tombstones);
        if used <= spoken_for && spoken_for <= self.limit && !(self.exact && stats.tombstones > 0) {
            Ok(())
        } else {
            Err(Overdrawn { room: *self, used })
        }
    }
}

/// A violated invariant of a room.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Overdrawn {
    /// The room.
    pub room: Room,
    /// Slots of the table that are taken.
    pub used: u64,
}

impl fmt::Display for Overdrawn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { room: Room { limit, taken, promised, exact }, used } = self;
        let of = if *exact { "entries" } else { "taken" };
        write!(
            f,
            "{used} slots are used, but {taken} count as {of} and {promised} are promised; the limit is {limit}"
        )
    }
}

impl core::error::Error for Overdrawn {}

/// How many of `left` inserts will store an entry, if `stored` of the `ran` earlier ones did. A little is
/// added, so that a share measured a little too low does not make the table grow again at the very end. All
/// of them, if none ran before.
pub(super) fn expected(left: u64, ran: u64, stored: u64) -> u64 {
    const MORE_PERCENT: u128 = 102;
    if ran == 0 {
        return left;
    }
    let expected = (left as u128 * stored as u128 * MORE_PERCENT).div_ceil(ran as u128 * 100);
    left.min(u64::try_from(expected).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn loads_above_the_highest_are_lowered_and_what_is_no_load_stays() {
        assert_eq!([0.5, MOST_LOAD, 0.99, 1.0].map(kept_load), [0.5, MOST_LOAD, MOST_LOAD, MOST_LOAD]);
        assert_eq!([0.0, -1.0, 1.5].map(kept_load), [0.0, -1.0, 1.5]);
        assert!(kept_load(f64::NAN).is_nan());
    }

    #[test]
    fn a_chunk_is_as_large_as_the_room_and_no_smaller_than_an_eighth() {
        let mut room = Room::new(80);
        assert_eq!((room.promise(50), room.free()), (Some(50), 30));
        assert_eq!((room.promise(50), room.free()), (Some(30), 0));
        assert_eq!(room.promise(1), None);
        room.settle(50, Some(41));
        assert_eq!(room, Room { limit: 80, taken: 41, promised: 30, exact: true });
        assert_eq!(room.promise(50), None, "9 are fewer than an eighth of 80");
        assert_eq!(room.promise(9), Some(9), "but as many as are left");
    }

    #[test]
    fn a_room_is_overdrawn_if_more_is_used_than_it_knows_of() {
        let room = Room { limit: 8, taken: 5, promised: 2, exact: false };
        let holds = |live, tombstones| OpenStats { live, tombstones };
        assert_eq!(room.check(&holds(4, 3)), Ok(()));
        assert_eq!(room.check(&holds(8, 0)), Err(Overdrawn { room, used: 8 }));
        let exact = Room { exact: true, ..room };
        assert!(exact.check(&holds(7, 0)).is_ok() && exact.check(&holds(6, 1)).is_err());
        let room = Room { promised: 4, ..room };
        let overdrawn = room.check(&holds(5, 0)).expect_err("nine of eight");
        assert_eq!(
            overdrawn.to_string(),
            "5 slots are used, but 5 count as taken and 4 are promised; the limit is 8"
        );
    }

    #[test]
    fn what_a_table_holds_is_known_until_something_is_taken_out_or_fails() {
        let room = Room { taken: 5, ..Room::new(8) };
        assert_eq!(room.known(), Some(OpenStats { live: 5, tombstones: 0 }));
        assert_eq!(Room { promised: 1, ..room }.known(), None);
        let mut failed = room;
        assert_eq!(failed.promise(2), Some(2));
        failed.settle(2, None);
        assert_eq!((failed.known(), failed.taken), (None, 7));
    }

    #[test]
    fn a_load_leaves_one_slot_at_least() {
        assert_eq!(Room::at_load(10, 0.8), Room::new(8));
        assert_eq!(Room::at_load(1, 0.5), Room::new(1));
    }

    #[test]
    fn the_rest_is_expected_to_be_like_what_ran_and_a_little_more() {
        assert_eq!(expected(1000, 0, 0), 1000);
        assert_eq!(expected(1000, 100, 0), 0);
        assert_eq!(expected(1000, 100, 50), 510);
        assert_eq!(expected(1000, 100, 100), 1000, "no more than there are");
        assert_eq!(expected(10, 3, 1), 4, "rounded up");
        assert_eq!(expected(u64::MAX, 1 << 40, 1 << 39), 9_407_839_477_591_871_324);
    }
}
