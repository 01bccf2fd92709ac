//! When a table grows, and to which size.

use crate::error::Error;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use warpproof_model::host::{OpenGeometry, OpenStats, Refused};

/// A table that can be replaced by one of another size, with the same entries.
pub(super) trait Rehash {
    /// Moves the entries to a table of another size. After an error nothing has changed.
    fn rehash(&mut self, geometry: OpenGeometry) -> Result<(), Error>;
    /// What it holds.
    fn stats(&self) -> Result<OpenStats, Error>;
    /// Its size.
    fn geometry(&self) -> OpenGeometry;
    /// The size of one for so many entries at a load.
    fn size(entries: u64, load: f64) -> Result<OpenGeometry, Refused>;
}

/// Slots that may be taken.
#[derive(Clone, Copy, Debug)]
struct Room {
    /// How many slots at most are to be taken.
    limit: u64,
    /// Slots that are taken, by entries and tombstones. No less than there are: what one thread inserts while another
    /// one grows the table may count twice until the next growth.
    taken: u64,
    /// Slots that inserts under way may take.
    promised: u64,
}

impl Room {
    fn free(&self) -> u64 {
        self.limit.saturating_sub(self.taken.saturating_add(self.promised))
    }

    /// A part of a batch is no smaller than this, unless the batch is: a table that has less room grows.
    fn least(&self) -> u64 {
        (self.limit / 8).max(1)
    }
}

/// A table that grows before it is too full.
///
/// Calls on the table share it; growing it takes it alone. A batch of inserts goes in parts, each no larger than the room that
/// there is. How many entries a part has stored says how many the rest will, and so how large the next table is.
#[derive(Debug)]
pub(super) struct Growing<T> {
    table: RwLock<T>,
    room: Mutex<Room>,
    load: f64,
}

impl<T: Rehash> Growing<T> {
    /// A table without entries, at most `load` of whose slots are to be taken.
    pub(super) fn new(table: T, load: f64) -> Self {
        let room = Mutex::new(Room { limit: limit(table.geometry(), load), taken: 0, promised: 0 });
        Self { table: RwLock::new(table), room, load }
    }

    /// The table, which does not grow meanwhile.
    pub(super) fn table(&self) -> RwLockReadGuard<'_, T> {
        // What a panic left behind is a whole table: it is replaced by one assignment.
        self.table.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn alone(&self) -> RwLockWriteGuard<'_, T> {
        self.table.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn room(&self) -> MutexGuard<'_, Room> {
        self.room.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs `n` inserts in parts: `part` runs those from the first number up to the second, which may store one entry each,
    /// waits for them, and says how many they have stored.
    ///
    /// # Errors
    /// Those of `part`, and of growing. The parts before have run then.
    pub(super) fn insert(
        &self,
        n: usize,
        mut part: impl FnMut(&T, usize, usize) -> Result<u64, Error>,
    ) -> Result<(), Error> {
        let mut done = 0;
        // Of the first part nothing is known: as if all its keys were new, but no more than the room there is.
        let (mut ran, mut stored) = (0u64, 0u64);
        while done < n {
            let left = (n - done) as u64;
            let share = if ran == 0 { 1.0 } else { stored as f64 / ran as f64 };
            let size = self.promise(left, expected(left, share))?;
            let more = part(&self.table(), done, done + size as usize);
            let mut room = self.room();
            room.promised -= size;
            // After an error any of them may be stored.
            room.taken += more.as_ref().map_or(size, |more| *more);
            drop(room);
            (ran, stored) = (ran + size, stored + more?);
            done += size as usize;
        }
        Ok(())
    }

    /// Runs `n` operations of all kinds in parts, of which any may be an insert: as [`insert`](Self::insert), but `part` does not
    /// say how many entries were stored, and the table is asked.
    ///
    /// # Errors
    /// As `insert`.
    pub(super) fn mixed(
        &self,
        n: usize,
        mut part: impl FnMut(&T, usize, usize) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.insert(n, |table, from, to| {
            let before = table.stats()?;
            part(table, from, to)?;
            Ok(taken(&table.stats()?).saturating_sub(taken(&before)))
        })
    }

    /// Reserves room for the next part of `left` inserts, of which `new` are expected to store an entry; grows the table if
    /// there is too little. Returns how many inserts that part has.
    fn promise(&self, left: u64, new: u64) -> Result<u64, Error> {
        loop {
            let mut room = self.room();
            if room.free() >= left.min(room.least()) {
                let size = left.min(room.free());
                room.promised += size;
                return Ok(size);
            }
            drop(room);
            self.grow(left, new)?;
        }
    }

    /// Replaces the table by one that has room for `new` more entries, or at least for the next part.
    fn grow(&self, left: u64, new: u64) -> Result<(), Error> {
        let mut table = self.alone();
        let now = *self.room();
        if now.free() >= left.min(now.least()) {
            // Another thread did it.
            return Ok(());
        }
        let stats = table.stats()?;
        let exact = Room { taken: taken(&stats), ..now };
        if exact.free() >= left.min(exact.least()) {
            self.room().taken = exact.taken;
            return Ok(());
        }
        let here = stats.live + now.promised;
        let least = here + left.min(now.least());
        // A table half of whose slots are tombstones only needs to lose them.
        let double = if here > now.limit / 2 { 2 * now.limit } else { now.limit };
        let wanted = (here + new).max(double).max(least);
        let grown = self.resize(&mut table, wanted, stats.live);
        match grown {
            // There is no memory for so much: perhaps there is for what is needed now.
            Err(Error::OutOfMemory { .. }) if least < wanted => self.resize(&mut table, least, stats.live),
            grown => grown,
        }
    }

    /// Replaces the table by one whose limit is `pairs`; `live` are in it.
    fn resize(&self, table: &mut T, pairs: u64, live: u64) -> Result<(), Error> {
        table.rehash(T::size(pairs, self.load)?)?;
        let mut room = self.room();
        (room.limit, room.taken) = (limit(table.geometry(), self.load), live);
        Ok(())
    }

    /// Replaces the table by one that has room for `more` entries besides those that it has, and no tombstones.
    ///
    /// # Errors
    /// Those of [`Rehash::rehash`].
    pub(super) fn resize_for(&self, more: u64) -> Result<(), Error> {
        let mut table = self.alone();
        let live = table.stats()?.live;
        let promised = self.room().promised;
        self.resize(&mut table, live.saturating_add(promised).saturating_add(more).max(1), live)
    }

    /// Takes out everything by `clear`.
    ///
    /// # Errors
    /// Those of `clear`.
    pub(super) fn clear(&mut self, clear: impl FnOnce(&mut T) -> Result<(), Error>) -> Result<(), Error> {
        clear(self.table.get_mut().unwrap_or_else(PoisonError::into_inner))?;
        self.room.get_mut().unwrap_or_else(PoisonError::into_inner).taken = 0;
        Ok(())
    }
}

/// Slots of a table that may be taken at a load.
fn limit(geometry: OpenGeometry, load: f64) -> u64 {
    ((geometry.slots() as f64 * load) as u64).max(1)
}

/// Slots that are taken.
fn taken(stats: &OpenStats) -> u64 {
    stats.live + stats.tombstones
}

/// How many of `left` inserts store an entry, if this share of those before did; a little more, so that a share that was
/// measured a little too low does not make the table grow again at the very end.
fn expected(left: u64, share: f64) -> u64 {
    const MORE: f64 = 1.02;
    left.min((left as f64 * share * MORE).ceil() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    /// A table without memory, which notes what is asked of it.
    #[derive(Debug)]
    struct Noted {
        geometry: OpenGeometry,
        live: AtomicU64,
        tombstones: AtomicU64,
        sizes: Vec<usize>,
        /// Slots that there is memory for.
        most: usize,
    }

    impl Rehash for Noted {
        fn rehash(&mut self, geometry: OpenGeometry) -> Result<(), Error> {
            if geometry.slots() > self.most {
                return Err(Error::OutOfMemory { what: "the table's slots", bytes: geometry.slots() as u64 });
            }
            assert!(self.live.load(Relaxed) <= geometry.slots() as u64);
            self.geometry = geometry;
            self.tombstones = 0.into();
            self.sizes.push(geometry.slots());
            Ok(())
        }
        fn stats(&self) -> Result<OpenStats, Error> {
            Ok(OpenStats { live: self.live.load(Relaxed), tombstones: self.tombstones.load(Relaxed) })
        }
        fn geometry(&self) -> OpenGeometry {
            self.geometry
        }
        fn size(entries: u64, load: f64) -> Result<OpenGeometry, Refused> {
            OpenGeometry::at_load(entries, load)
        }
    }

    const LOAD: f64 = 0.8;

    fn growing(pairs: u64, most: usize) -> Growing<Noted> {
        let geometry = OpenGeometry::at_load(pairs, LOAD).expect("a size");
        let sizes = Vec::new();
        Growing::new(Noted { geometry, live: 0.into(), tombstones: 0.into(), sizes, most }, LOAD)
    }

    /// Inserts `n` keys, of which one in `every` is new; the parts.
    fn insert(growing: &Growing<Noted>, n: usize, every: usize) -> Result<Vec<usize>, Error> {
        let mut parts = Vec::new();
        growing.insert(n, |table, from, to| {
            let new = ((from..to).filter(|i| i % every == 0)).count() as u64;
            let live = table.live.fetch_add(new, Relaxed) + new;
            let load = live as f64 / table.geometry.slots() as f64;
            assert!(load <= LOAD, "{live} entries at {:?}", table.geometry);
            parts.push(to - from);
            Ok(new)
        })?;
        Ok(parts)
    }

    #[test]
    fn new_keys_grow_a_table_once() {
        let growing = growing(1000, usize::MAX);
        let parts = insert(&growing, 1_000_000, 1).expect("room");
        assert_eq!(parts.len(), 2, "{parts:?}");
        let sizes = &growing.table().sizes;
        assert!(matches!(sizes[..], [size] if (1_250_000..1_260_000).contains(&size)), "{sizes:?}");
    }

    #[test]
    fn keys_that_are_there_do_not_make_it_grow_for_them() {
        let growing = growing(1000, usize::MAX);
        insert(&growing, 1_000_000, 500).expect("room");
        let table = growing.table();
        assert_eq!(table.live.load(Relaxed), 2000);
        assert!(table.geometry.slots() < 3 * 2500, "{:?}", table.sizes);
    }

    #[test]
    fn many_small_batches_grow_it_twofold() {
        let growing = growing(1000, usize::MAX);
        (0..1000).for_each(|_| assert_eq!(insert(&growing, 100, 1).expect("room"), [100]));
        let sizes = &growing.table().sizes;
        assert!(sizes.is_sorted() && (6..=8).contains(&sizes.len()), "{sizes:?}");
    }

    #[test]
    fn tombstones_are_lost_before_it_grows() {
        let growing = growing(1000, usize::MAX);
        let slots = growing.table().geometry.slots();
        for _ in 0..20 {
            insert(&growing, 400, 1).expect("room");
            // All of them are deleted.
            let table = growing.table();
            table.tombstones.fetch_add(table.live.swap(0, Relaxed), Relaxed);
        }
        assert!(growing.table().sizes.iter().all(|&size| size == slots), "{:?}", growing.table().sizes);
    }

    #[test]
    fn without_memory_for_all_it_takes_what_there_is_and_then_says_so() {
        let growing = growing(1000, 4000);
        let error = insert(&growing, 1_000_000, 1).expect_err("no memory");
        assert!(matches!(error, Error::OutOfMemory { .. }), "{error}");
        let live = growing.table().live.load(Relaxed);
        assert!(live as f64 > 0.8 * LOAD * 4000.0, "{live} entries");
        // It is usable: nothing is promised any more, and what was deleted makes room again.
        assert_eq!(growing.room().promised, 0);
        let table = growing.table();
        table.tombstones.fetch_add(table.live.swap(0, Relaxed), Relaxed);
        drop(table);
        assert_eq!(insert(&growing, 100, 1), Ok(vec![100]));
    }

    #[test]
    fn a_part_that_fails_gives_its_room_back() {
        let growing = growing(1000, usize::MAX);
        let failed = growing.insert(10, |_, _, _| Err(Error::NoDriver));
        assert_eq!(failed, Err(Error::NoDriver));
        let room = *growing.room();
        assert_eq!((room.promised, room.taken), (0, 10), "any of the ten may be stored");
    }
}
