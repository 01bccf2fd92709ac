//! The locks of a table that grows, from the standard library.

use super::room::Room;
use super::table::{Growing, Monitor, Rehash};
use std::sync::{Mutex, PoisonError, RwLock, RwLockReadGuard};

/// The locks of a table and of its room: an `RwLock` and a `Mutex`.
#[derive(Debug)]
pub struct Locks<T> {
    table: RwLock<T>,
    room: Mutex<Room>,
}

impl<T: Rehash> Monitor for Locks<T> {
    type Table = T;

    // After a panic elsewhere, here and below, the table is whole, as one assignment replaces it, and the
    // room is whole.
    fn shared<R>(&self, f: impl FnOnce(&T) -> R) -> R {
        f(&self.table.read().unwrap_or_else(PoisonError::into_inner))
    }
    fn alone<R>(&self, f: impl FnOnce(&mut T) -> R) -> R {
        f(&mut self.table.write().unwrap_or_else(PoisonError::into_inner))
    }
    fn room<R>(&self, f: impl FnOnce(&mut Room) -> R) -> R {
        f(&mut self.room.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<T: Rehash> Growing<Locks<T>> {
    /// A table without entries; at most `load` of its slots may be taken.
    pub fn locked(table: T, load: f64) -> Self {
        let room = Room::at_load(table.slots(), load).into();
        Self::new(Locks { table: RwLock::new(table), room }, load)
    }

    /// The table, which does not grow meanwhile. The caller must call no other method while it has it.
    pub fn table(&self) -> RwLockReadGuard<'_, T> {
        self.monitor().table.read().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::OpenStats;
    use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
    use std::thread;
    use std::vec::Vec;

    /// A table without memory that counts its entries.
    #[derive(Debug)]
    struct Counted {
        live: AtomicU64,
        slots: u64,
        most: u64,
        moves: AtomicBool,
    }

    impl Rehash for Counted {
        /// The number of slots for which there is no memory.
        type Error = u64;

        fn rehash(&mut self, entries: u64, load: f64) -> Result<(), u64> {
            let slots = (entries as f64 / load).ceil() as u64;
            if slots > self.most {
                return Err(slots);
            }
            self.moves.store(true, Relaxed);
            thread::yield_now();
            self.slots = slots;
            self.moves.store(false, Relaxed);
            Ok(())
        }
        fn stats(&self) -> Result<OpenStats, u64> {
            Ok(OpenStats { live: self.live.load(Relaxed), tombstones: 0 })
        }
        fn slots(&self) -> u64 {
            self.slots
        }
        fn is_out_of_memory(_: &u64) -> bool {
            true
        }
    }

    const LOAD: f64 = 0.8;
    const THREADS: usize = 4;
    const KEYS: usize = 2000;

    /// Every thread inserts so many new keys.
    fn insert(growing: &Growing<Locks<Counted>>) -> Result<(), u64> {
        growing.insert(KEYS, |table, from, to| {
            for _ in from..to {
                let live = table.live.fetch_add(1, Relaxed) + 1;
                assert!(live as f64 <= LOAD * table.slots as f64, "{live} entries of {}", table.slots);
                assert!(!table.moves.load(Relaxed), "a chunk runs while the table is replaced");
            }
            Ok((to - from) as u64)
        })
    }

    fn counted(most: u64) -> Growing<Locks<Counted>> {
        Growing::locked(Counted { live: 0.into(), slots: 10, most, moves: false.into() }, LOAD)
    }

    #[test]
    fn threads_fill_a_table_no_further_than_its_load() {
        let growing = counted(u64::MAX);
        thread::scope(|scope| {
            (0..THREADS).for_each(|_| {
                scope.spawn(|| insert(&growing).expect("memory"));
            });
            // Others make it as small as possible meanwhile.
            scope.spawn(|| (0..100).for_each(|_| growing.resize_for(0).expect("memory")));
        });
        assert_eq!(growing.table().live.load(Relaxed), (THREADS * KEYS) as u64);
        let room = growing.monitor().room(|room| *room);
        assert_eq!((room.promised, room.taken), (0, (THREADS * KEYS) as u64));
    }

    #[test]
    fn threads_that_find_no_memory_say_so_and_promise_nothing() {
        let growing = counted(1000);
        let failed = thread::scope(|scope| {
            let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(|| insert(&growing))).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect::<Vec<_>>()
        });
        assert!(failed.iter().all(Result::is_err), "{failed:?}");
        assert_eq!(growing.monitor().room(|room| room.promised), 0);
        assert!(growing.table().live.load(Relaxed) as f64 > 0.8 * LOAD * 1000.0);
    }

    #[test]
    fn a_panic_leaves_a_table_that_can_be_used() {
        let growing = counted(u64::MAX);
        let panicked =
            thread::scope(|scope| scope.spawn(|| growing.insert(8, |_, _, _| panic!("in a chunk"))).join());
        assert!(panicked.is_err());
        insert(&growing).expect("memory");
        assert_eq!(growing.monitor().room(|room| room.promised), 0);
    }
}
