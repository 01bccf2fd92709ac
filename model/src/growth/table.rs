//! The protocol: batches of inserts in chunks, and replacing the table between them.

use super::room::{Room, expected};
use crate::host::OpenStats;
use core::cell::LazyCell;

/// A table that can be replaced by one of another size, with the same entries.
pub trait Rehash {
    /// The error of a call.
    type Error;

    /// Moves the entries to a table of at least `entries / load` slots, without tombstones.
    ///
    /// # Errors
    /// There is no memory for it, or another failure. Nothing has changed then.
    fn rehash(&mut self, entries: u64, load: f64) -> Result<(), Self::Error>;

    /// Its content: no more than it holds when the call returns, no less than it held when the call began.
    ///
    /// # Errors
    /// If it cannot be counted.
    fn stats(&self) -> Result<OpenStats, Self::Error>;

    /// Number of slots.
    fn slots(&self) -> u64;

    /// Whether an error means that there is no memory.
    fn is_out_of_memory(error: &Self::Error) -> bool;
}

/// Access to a table and to its room.
///
/// Each method waits until it may run `f`, runs it once and releases when `f` has ended, also if it panics. A
/// later holder sees all that an earlier holder did. The holder of the room asks for nothing else, and the
/// holder of the table does not ask for the table.
pub trait Monitor {
    /// The table.
    type Table: Rehash;

    /// Runs `f` with shared access to the table.
    fn shared<R>(&self, f: impl FnOnce(&Self::Table) -> R) -> R;

    /// Runs `f` with exclusive access to the table.
    fn alone<R>(&self, f: impl FnOnce(&mut Self::Table) -> R) -> R;

    /// Runs `f` with exclusive access to the room. At first it is the room of the table,
    /// [`Room::at_load`].
    fn room<R>(&self, f: impl FnOnce(&mut Room) -> R) -> R;
}

type Error<M> = <<M as Monitor>::Table as Rehash>::Error;

/// When a table of the library grows, it gets room for at most so many times its entries: with the default
/// load of 0.8 less than four slots for each.
pub const STEP: u64 = 3;

/// The most reserved keys that any table keeps beside its slots.
pub(super) const MOST_RESERVED: u64 = 3;

/// A table that grows before it is too full.
///
/// Calls on the table share it; growth takes it alone. A batch of inserts runs in chunks, each no larger than
/// the present room. The entries stored by earlier chunks predict how many the rest will store, and so how
/// large the next table is.
#[derive(Clone, Copy, Debug)]
pub struct Growing<M> {
    monitor: M,
    load: f64,
    step: u64,
    small: u64,
    between_batches: bool,
}

impl<M: Monitor> Growing<M> {
    /// A table in which at most `load` of the slots, above 0 and at most 1, may be taken. The monitor's room
    /// has that load.
    pub const fn new(monitor: M, load: f64) -> Self {
        Self { monitor, load, step: u64::MAX, small: 0, between_batches: false }
    }

    /// This table, where no growth makes room for more than `step` times its entries, or for more than
    /// `small`, unless the next chunk needs it. So a batch of few distinct keys takes little memory.
    #[must_use]
    pub fn in_steps_of(self, step: u64, small: u64) -> Self {
        Self { step, small, ..self }
    }

    /// This table, whose steps bound it between batches only. A batch makes room, in one growth, for all
    /// entries that it seems to store; if fewer came, the table shrinks again at the end of the batch.
    #[must_use]
    pub fn between_batches(self) -> Self {
        Self { between_batches: true, ..self }
    }

    /// The access to the table and the room.
    pub const fn monitor(&self) -> &M {
        &self.monitor
    }

    /// Runs `n` inserts in chunks. `chunk` runs those from the first number up to the second, each of which
    /// may store one entry, waits for them, and returns how many entries they stored, or more.
    ///
    /// # Errors
    /// Those of `chunk`, and of replacing the table. The earlier chunks have run then.
    pub fn insert(
        &self,
        n: usize,
        chunk: impl FnMut(&M::Table, usize, usize) -> Result<u64, Error<M>>,
    ) -> Result<(), Error<M>> {
        self.insert_distinct(n, || 0, chunk)
    }

    /// Runs inserts that have about `distinct()` distinct keys, if no call deletes those keys before the call
    /// ends. As the table will hold so many entries in the end, one growth may make room for as many, and 5 %
    /// more, whatever the [steps](Self::in_steps_of) are. `distinct` is called once, and only if the table
    /// has to grow.
    ///
    /// # Errors
    /// As [`insert`](Self::insert).
    pub fn insert_distinct(
        &self,
        n: usize,
        distinct: impl FnOnce() -> u64,
        chunk: impl FnMut(&M::Table, usize, usize) -> Result<u64, Error<M>>,
    ) -> Result<(), Error<M>> {
        let mut before = None;
        let ran = self.run_chunks(n, distinct, chunk, &mut before);
        let kept = before.filter(|_| self.between_batches).map_or(Ok(()), |before| self.give_back(before));
        ran.and(kept)
    }

    /// As [`insert_distinct`](Self::insert_distinct). `before` becomes the lowest limit from which this call
    /// has grown the table, if it has.
    fn run_chunks(
        &self,
        n: usize,
        distinct: impl FnOnce() -> u64,
        mut chunk: impl FnMut(&M::Table, usize, usize) -> Result<u64, Error<M>>,
        before: &mut Option<u64>,
    ) -> Result<(), Error<M>> {
        let (mut done, mut stored) = (0, 0);
        let distinct = LazyCell::new(|| with_slack(distinct()));
        while done < n {
            let left = (n - done) as u64;
            let ran = self.run_chunk(left, |table, size| chunk(table, done, done + size as usize));
            match ran {
                Some((size, outcome)) => (done, stored) = (done + size as usize, stored + outcome?),
                None => {
                    let grown = self.grow(left, expected(left, done as u64, stored), *distinct)?;
                    *before = [*before, grown].into_iter().flatten().min();
                }
            }
        }
        Ok(())
    }

    /// Runs `n` operations of all kinds in chunks, any of which may be an insert: as
    /// [`insert`](Self::insert), but `chunk` does not return how many entries were stored; the table is
    /// counted. Entries that others stored meanwhile count too, up to the size of the chunk.
    ///
    /// Up to three more slots count as taken than are: a chunk may have deleted reserved keys. That leaves no
    /// tombstones, so there are fewer entries and tombstones than slots were taken.
    ///
    /// # Errors
    /// As `insert`.
    pub fn mixed(
        &self,
        n: usize,
        mut chunk: impl FnMut(&M::Table, usize, usize) -> Result<(), Error<M>>,
    ) -> Result<(), Error<M>> {
        self.insert(n, |table, from, to| {
            self.note_deletes();
            let before = taken(&table.stats()?);
            chunk(table, from, to)?;
            Ok((taken(&table.stats()?) + MOST_RESERVED).saturating_sub(before))
        })
    }

    /// Records that entries may be deleted. A caller that deletes shares the table, and calls this before.
    /// From then on the table is counted whenever it seems full, until it is cleared: deletes that a GPU
    /// queues end after the call that queued them.
    pub fn note_deletes(&self) {
        self.monitor.room(|room| room.exact = false);
    }

    /// Replaces the table by one that has room for `more` entries besides its present ones, and no
    /// tombstones.
    ///
    /// # Errors
    /// The errors of [`Rehash::rehash`].
    pub fn resize_for(&self, more: u64) -> Result<(), Error<M>> {
        self.monitor.alone(|table| {
            let live = table.stats()?.live;
            self.resize(table, live.saturating_add(more).max(1), live)
        })
    }

    /// Deletes everything by `clear`; the size stays.
    ///
    /// # Errors
    /// The errors of `clear`.
    pub fn clear(&self, clear: impl FnOnce(&mut M::Table) -> Result<(), Error<M>>) -> Result<(), Error<M>> {
        self.monitor.alone(|table| {
            clear(table)?;
            self.monitor.room(|room| *room = Room::new(room.limit));
            Ok(())
        })
    }

    /// Runs the next chunk of `left` inserts if there is room for one. Returns how many they were, and their
    /// result. The room is promised while the table is shared: so a thread that has the table alone knows
    /// that nothing is promised.
    fn run_chunk(
        &self,
        left: u64,
        run: impl FnOnce(&M::Table, u64) -> Result<u64, Error<M>>,
    ) -> Option<(u64, Result<u64, Error<M>>)> {
        self.monitor.shared(|table| {
            let size = self.monitor.room(|room| room.promise(left))?;
            let stored = run(table, size).map(|stored| stored.min(size));
            let known = stored.as_ref().ok().copied();
            self.monitor.room(|room| room.settle(size, known));
            Some((size, stored))
        })
    }

    /// Replaces the table by one that has room for `new` more entries, or at least for the next chunk of
    /// `left` inserts. Returns the old limit; `None` if there is room already. At the end the table will hold
    /// at least `at_end` entries.
    fn grow(&self, left: u64, new: u64, at_end: u64) -> Result<Option<u64>, Error<M>> {
        self.monitor.alone(|table| {
            let now = self.monitor.room(|room| *room);
            if now.suffices(left) {
                // Another thread did it.
                return Ok(None);
            }
            let stats = now.known().map_or_else(|| table.stats(), Ok)?;
            // Only a chunk that panicked may have left a promise, which no longer counts.
            let counted = Room { taken: taken(&stats), exact: now.exact, ..Room::new(now.limit) };
            if counted.suffices(left) {
                self.monitor.room(|room| *room = counted);
                return Ok(None);
            }
            let least = stats.live + left.min(least_more(now, stats.live));
            // A table half of whose slots are tombstones only needs to lose them.
            let double = if stats.live > now.limit / 2 { now.limit.saturating_mul(2) } else { now.limit };
            let steps = self.most(stats.live, now.limit).max(at_end);
            let most = if self.between_batches { u64::MAX } else { steps };
            let wanted = stats.live.saturating_add(new).max(double).min(most).max(least);
            match self.resize(table, wanted, stats.live) {
                // Perhaps there is memory for what is needed now.
                Err(error) if M::Table::is_out_of_memory(&error) && least < wanted => {
                    self.resize(table, least, stats.live)?;
                }
                grown => grown?,
            }
            Ok(Some(now.limit))
        })
    }

    /// Makes the table smaller if it has grown from `before` for more entries than came. If there is no
    /// memory to move them, it stays as it is.
    fn give_back(&self, before: u64) -> Result<(), Error<M>> {
        self.monitor.alone(|table| {
            let now = self.monitor.room(|room| *room);
            let stats = now.known().map_or_else(|| table.stats(), Ok)?;
            let most = self.most(stats.live, before);
            if now.limit <= most {
                return Ok(());
            }
            match self.resize(table, most, stats.live) {
                Err(error) if M::Table::is_out_of_memory(&error) => Ok(()),
                smaller => smaller,
            }
        })
    }

    /// The highest limit of a table of `live` entries whose limit was `before`. It is at least `before`, as
    /// the caller made the table so large, or it once had so many entries.
    fn most(&self, live: u64, before: u64) -> u64 {
        live.saturating_mul(self.step).max(self.small).max(before)
    }

    /// Replaces the table by one in which `entries` slots may be taken; it holds `live` entries.
    fn resize(&self, table: &mut M::Table, entries: u64, live: u64) -> Result<(), Error<M>> {
        table.rehash(entries, self.load)?;
        let Room { limit, .. } = Room::at_load(table.slots(), self.load);
        // A load that is no binary fraction may have lost one of the slots that were asked for.
        let limit = limit.max(entries);
        self.monitor.room(|room| *room = Room { taken: live, exact: room.exact, ..Room::new(limit) });
        Ok(())
    }
}

/// How many more entries a table that holds `live` must have room for, so that the next chunk can run in it:
/// an eighth of the limit, of the old one and of the new one.
fn least_more(room: Room, live: u64) -> u64 {
    room.least().max(live.div_ceil(7))
}

/// An estimated number of distinct keys, plus three times the error of the estimate: a table that is a little
/// too small would grow again at the very end of the batch.
fn with_slack(distinct: u64) -> u64 {
    distinct.saturating_add(distinct / 20)
}

/// Slots that are taken.
fn taken(stats: &OpenStats) -> u64 {
    stats.live + stats.tombstones
}
