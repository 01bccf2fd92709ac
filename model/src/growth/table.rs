//! The protocol: batches of inserts in chunks, and the table that is replaced between them.

use super::room::{Room, expected};
use crate::host::OpenStats;
use core::cell::LazyCell;

/// A table that can be replaced by one of another size, with the same entries.
pub trait Rehash {
    /// Why a call failed.
    type Error;

    /// Moves the entries to a table of at least `entries / load` slots, without tombstones.
    ///
    /// # Errors
    /// That there is no memory for it, or another failure. Nothing has changed then.
    fn rehash(&mut self, entries: u64, load: f64) -> Result<(), Self::Error>;

    /// What it holds. No more than it does when the call returns, no less than it did when the call began.
    ///
    /// # Errors
    /// If it cannot be counted.
    fn stats(&self) -> Result<OpenStats, Self::Error>;

    /// Number of slots.
    fn slots(&self) -> u64;

    /// Whether an error says that there is no memory.
    fn is_out_of_memory(error: &Self::Error) -> bool;
}

/// Who holds a table, and who its room.
///
/// Each method waits until it may run `f`, runs it once and lets go when `f` has ended, also if it panics.
/// What was done under a hold before is seen by who holds after. Whoever holds the room asks for nothing
/// else, and who holds the table not for the table.
pub trait Monitor {
    /// The table.
    type Table: Rehash;

    /// Runs `f` on the table while nobody has it alone. Others may share it.
    fn shared<R>(&self, f: impl FnOnce(&Self::Table) -> R) -> R;

    /// Runs `f` on the table while nobody else has it.
    fn alone<R>(&self, f: impl FnOnce(&mut Self::Table) -> R) -> R;

    /// Runs `f` on the room while nobody else has it. The room is that of the table at first,
    /// [`Room::at_load`].
    fn room<R>(&self, f: impl FnOnce(&mut Room) -> R) -> R;
}

type Error<M> = <<M as Monitor>::Table as Rehash>::Error;

/// Each time that a table of the library grows it has room for at most so many times its entries: with the
/// default load of 0.8 it has less than four slots for each then.
pub const STEP: u64 = 3;

/// No table keeps more reserved keys than this beside its slots.
pub(super) const MOST_RESERVED: u64 = 3;

/// A table that grows before it is too full.
///
/// Calls on the table share it; growing it takes it alone. A batch of inserts goes in chunks, each no larger
/// than the room that there is. How many entries the chunks before have stored says how many the rest will,
/// and so how large the next table is.
#[derive(Clone, Copy, Debug)]
pub struct Growing<M> {
    monitor: M,
    load: f64,
    step: u64,
    small: u64,
    between_batches: bool,
}

impl<M: Monitor> Growing<M> {
    /// A table of whose slots at most `load`, above 0 and at most 1, are to be taken. The monitor's room is
    /// of that load.
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

    /// Who holds the table and the room.
    pub const fn monitor(&self) -> &M {
        &self.monitor
    }

    /// Runs `n` inserts in chunks: `chunk` runs those from the first number up to the second, which may store
    /// one entry each, waits for them, and says how many they have stored, or more.
    ///
    /// # Errors
    /// Those of `chunk`, and of replacing the table. The chunks before have run then.
    pub fn insert(
        &self,
        n: usize,
        chunk: impl FnMut(&M::Table, usize, usize) -> Result<u64, Error<M>>,
    ) -> Result<(), Error<M>> {
        self.insert_distinct(n, || 0, chunk)
    }

    /// Runs inserts that have about `distinct()` distinct keys, if nobody deletes those keys before the call
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

    /// Runs `n` operations of all kinds in chunks, of which any may be an insert: as
    /// [`insert`](Self::insert), but `chunk` does not say how many entries were stored, and the table is
    /// asked. What others stored meanwhile counts too, up to the size of the chunk.
    ///
    /// Up to three slots more count as taken than are: a chunk may have deleted reserved keys, which leaves
    /// no tombstones, and so fewer entries and tombstones are there than slots were taken.
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

    /// Says that entries may be taken out. Whoever takes them out shares the table, and calls this before.
    /// From then on the table is counted whenever it seems full, until it is cleared: deletes that a GPU
    /// queues end after the call that queued them.
    pub fn note_deletes(&self) {
        self.monitor.room(|room| room.exact = false);
    }

    /// Replaces the table by one that has room for `more` entries besides those that it has, and no
    /// tombstones.
    ///
    /// # Errors
    /// Those of [`Rehash::rehash`].
    pub fn resize_for(&self, more: u64) -> Result<(), Error<M>> {
        self.monitor.alone(|table| {
            let live = table.stats()?.live;
            self.resize(table, live.saturating_add(more).max(1), live)
        })
    }

    /// Takes out everything by `clear`; the size stays.
    ///
    /// # Errors
    /// Those of `clear`.
    pub fn clear(&self, clear: impl FnOnce(&mut M::Table) -> Result<(), Error<M>>) -> Result<(), Error<M>> {
        self.monitor.alone(|table| {
            clear(table)?;
            self.monitor.room(|room| *room = Room::new(room.limit));
            Ok(())
        })
    }

    /// Runs the next chunk of `left` inserts if there is room for one: how many they were, and what came of
    /// it. The room is promised while the table is held: who has the table alone knows that nothing is
    /// promised.
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
    /// `left` inserts: what the limit was. `None` if there is room without that. In the end the table will
    /// hold `at_end` entries at least.
    fn grow(&self, left: u64, new: u64, at_end: u64) -> Result<Option<u64>, Error<M>> {
        self.monitor.alone(|table| {
            let now = self.monitor.room(|room| *room);
            if now.suffices(left) {
                // Another thread did it.
                return Ok(None);
            }
            let stats = now.known().map_or_else(|| table.stats(), Ok)?;
            // Nothing is promised but what a chunk that panicked was: that counts no more.
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

    /// Makes the table smaller if it has grown from `before` for more entries than came. Without memory to
    /// move them it stays as it is.
    fn give_back(&self, before: u64) -> Result<(), Error<M>> {
        self.monitor.alone(|table| {
            let now = self.monitor.room(|room| *room);
            let stats = now.known().map_or_else(|| table.stats(), Ok)?;
            let most = self.most(stats.live, before).max(1);
            if now.limit <= most {
                return Ok(());
            }
            match self.resize(table, most, stats.live) {
                Err(error) if M::Table::is_out_of_memory(&error) => Ok(()),
                smaller => smaller,
            }
        })
    }

    /// The highest limit of a table of so many entries whose limit was `before`: never less, as the caller
    /// made it as large, or it once had as many entries.
    fn most(&self, live: u64, before: u64) -> u64 {
        live.saturating_mul(self.step).max(self.small).max(before)
    }

    /// Replaces the table by one of which `entries` slots may be taken; `live` are in it.
    fn resize(&self, table: &mut M::Table, entries: u64, live: u64) -> Result<(), Error<M>> {
        table.rehash(entries, self.load)?;
        let Room { limit, .. } = Room::at_load(table.slots(), self.load);
        // A load that is no binary fraction may have lost one of those that were asked for.
        let limit = limit.max(entries);
        self.monitor.room(|room| *room = Room { taken: live, exact: room.exact, ..Room::new(limit) });
        Ok(())
    }
}

/// How many entries a table that holds `live` has room for besides, at least, so that the next chunk can run
/// in it: an eighth of the limit, as it is and as it then will be.
fn least_more(room: Room, live: u64) -> u64 {
    room.least().max(live.div_ceil(7))
}

/// A number of distinct keys that was estimated, and three times the error of that besides: a table that is a
/// little too small would grow again at the very end of the batch.
fn with_slack(distinct: u64) -> u64 {
    distinct.saturating_add(distinct / 20)
}

/// Slots that are taken.
fn taken(stats: &OpenStats) -> u64 {
    stats.live + stats.tombstones
}
