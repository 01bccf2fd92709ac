//! One thread: the sizes of tables, and their state after failures. Several threads: the scenarios of
//! `growth`.

use super::table::MOST_RESERVED;
use super::{Growing, Monitor, Rehash, Room, STEP};
use crate::entry::{Pair32, Pair64};
use crate::host::{OpenGeometry, OpenStats};
use crate::reserved::reserved_keys;
use alloc::vec;
use alloc::vec::Vec;
use core::cell::{Cell, RefCell};

/// Entries that a table may have room for, even if it has fewer.
const SMALL: u64 = 1 << 14;

/// A table without memory that records the calls on it.
#[derive(Debug)]
struct Noted {
    geometry: OpenGeometry,
    live: Cell<u64>,
    tombstones: Cell<u64>,
    sizes: Vec<usize>,
    /// How often it was counted.
    counts: Cell<u32>,
    /// The number of slots for which there is memory.
    most: usize,
    /// What the next change of its size comes to, if that is an error.
    fails: Cell<Option<Error>>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Error {
    OutOfMemory,
    Other,
}

impl Noted {
    fn new(geometry: OpenGeometry, most: usize) -> Self {
        let (sizes, fails) = (Vec::new(), None.into());
        Self { geometry, live: 0.into(), tombstones: 0.into(), sizes, counts: 0.into(), most, fails }
    }

    /// All entries are deleted.
    fn delete_all(&self) {
        self.tombstones.set(self.tombstones.get() + self.live.replace(0));
    }
}

impl Rehash for Noted {
    type Error = Error;

    fn rehash(&mut self, entries: u64, load: f64) -> Result<(), Error> {
        let geometry = OpenGeometry::at_load(entries, load).map_err(|_| Error::Other)?;
        self.fails.take().map_or(Ok(()), Err)?;
        if geometry.slots() > self.most {
            return Err(Error::OutOfMemory);
        }
        assert!(self.live.get() <= geometry.slots() as u64);
        self.geometry = geometry;
        self.tombstones.set(0);
        self.sizes.push(geometry.slots());
        Ok(())
    }
    fn stats(&self) -> Result<OpenStats, Error> {
        self.counts.set(self.counts.get() + 1);
        Ok(OpenStats { live: self.live.get(), tombstones: self.tombstones.get() })
    }
    fn slots(&self) -> u64 {
        self.geometry.slots() as u64
    }
    fn is_out_of_memory(error: &Error) -> bool {
        *error == Error::OutOfMemory
    }
}

/// One thread, which never waits. A request for the table while it is held panics.
struct OneThread {
    table: RefCell<Noted>,
    room: RefCell<Room>,
}

impl Monitor for OneThread {
    type Table = Noted;

    fn shared<R>(&self, f: impl FnOnce(&Noted) -> R) -> R {
        f(&self.table.borrow())
    }
    fn alone<R>(&self, f: impl FnOnce(&mut Noted) -> R) -> R {
        f(&mut self.table.borrow_mut())
    }
    fn room<R>(&self, f: impl FnOnce(&mut Room) -> R) -> R {
        f(&mut self.room.borrow_mut())
    }
}

const LOAD: f64 = 0.8;

fn growing(pairs: u64, most: usize) -> Growing<OneThread> {
    growing_at(LOAD, pairs, most)
}

fn growing_at(load: f64, pairs: u64, most: usize) -> Growing<OneThread> {
    let geometry = OpenGeometry::at_load(pairs, load).expect("a size");
    let table = Noted::new(geometry, most);
    let room = Room::at_load(geometry.slots() as u64, load).into();
    Growing::new(OneThread { table: table.into(), room }, load)
}

fn room(growing: &Growing<OneThread>) -> Room {
    growing.monitor().room(|room| *room)
}

fn live(growing: &Growing<OneThread>) -> u64 {
    growing.monitor().shared(|table| table.live.get())
}

fn delete_all(growing: &Growing<OneThread>) {
    growing.monitor().shared(|table| {
        growing.note_deletes();
        table.delete_all();
    });
}

fn sizes(growing: &Growing<OneThread>) -> Vec<usize> {
    growing.monitor().shared(|table| table.sizes.clone())
}

/// Inserts `n` keys, of which one in `every` is new. Returns the sizes of the chunks.
fn insert(growing: &Growing<OneThread>, n: usize, every: usize) -> Result<Vec<usize>, Error> {
    insert_distinct(growing, n, every, 0)
}

/// Inserts `n` keys, of which one in `every` is new, as a batch with so many distinct keys.
fn insert_distinct(
    growing: &Growing<OneThread>,
    n: usize,
    every: usize,
    distinct: u64,
) -> Result<Vec<usize>, Error> {
    let mut chunks = Vec::new();
    growing.insert_distinct(
        n,
        || distinct,
        |table, from, to| {
            let new = ((from..to).filter(|i| i % every == 0)).count() as u64;
            table.live.set(table.live.get() + new);
            let load = table.live.get() as f64 / table.geometry.slots() as f64;
            assert!(load <= LOAD, "{} entries at {:?}", table.live.get(), table.geometry);
            chunks.push(to - from);
            Ok(new)
        },
    )?;
    Ok(chunks)
}

#[test]
fn new_keys_grow_a_table_once() {
    let growing = growing(1000, usize::MAX);
    let chunks = insert(&growing, 1_000_000, 1).expect("room");
    assert_eq!(chunks.len(), 2, "{chunks:?}");
    let sizes = sizes(&growing);
    assert!(matches!(sizes[..], [size] if (1_250_000..1_260_000).contains(&size)), "{sizes:?}");
}

#[test]
fn a_table_that_grows_in_steps_grows_once_for_keys_that_are_known_to_be_distinct() {
    let steps = || growing(1000, usize::MAX).in_steps_of(STEP, SMALL);
    let table = steps();
    insert(&table, 1_000_000, 1).expect("room");
    assert!(sizes(&table).len() > 4, "{:?}", sizes(&table));
    let table = steps();
    insert_distinct(&table, 1_000_000, 1, 990_000).expect("room");
    let one = sizes(&table);
    assert!(matches!(one[..], [size] if (1_250_000..1_310_000).contains(&size)), "{one:?}");
    // Fewer are said to be distinct than there are.
    let table = steps();
    insert_distinct(&table, 1_000_000, 1, 500_000).expect("room");
    assert_eq!(sizes(&table)[0], OpenGeometry::at_load(525_000, LOAD).expect("a size").slots());
}

#[test]
fn distinct_keys_that_are_there_already_take_no_more_memory_than_they_have() {
    let table = growing(1000, usize::MAX).in_steps_of(STEP, SMALL);
    insert_distinct(&table, 100_000, 1, 100_000).expect("room");
    let slots = table.monitor().shared(|table| table.geometry.slots());
    // Most keys of the next batch are there.
    insert_distinct(&table, 1_000_000, 10, 100_000).expect("room");
    assert_eq!(live(&table), 200_000);
    let most = (STEP * live(&table)) as f64 / LOAD;
    let now = table.monitor().shared(|table| table.geometry.slots());
    assert!(slots < now && (now as f64) < most, "{:?}", sizes(&table));
}

#[test]
fn keys_that_are_there_do_not_make_it_grow_for_them() {
    let growing = growing(1000, usize::MAX);
    insert(&growing, 1_000_000, 500).expect("room");
    assert_eq!(live(&growing), 2000);
    let slots = growing.monitor().shared(|table| table.geometry.slots());
    assert!(slots < 3 * 2500, "{:?}", sizes(&growing));
}

#[test]
fn it_grows_for_as_many_as_the_chunks_before_say() {
    let growing = growing(1000, usize::MAX);
    let chunk = room(&growing).least() as usize;
    insert(&growing, room(&growing).limit as usize - chunk, 1).expect("room");
    // One key of the chunk is new, so that the next one finds too little room.
    insert(&growing, 1_000_000, 1_000_000).expect("memory");
    let expected = 1_000_000 / chunk * 102 / 100;
    let sizes = sizes(&growing);
    let entries = |slots: usize| slots as f64 * LOAD - 1000.0;
    assert!(
        matches!(sizes[..], [slots] if (entries(slots) / expected as f64 - 1.0).abs() < 0.05),
        "{sizes:?}"
    );
}

#[test]
fn many_small_batches_grow_it_twofold() {
    let growing = growing(1000, usize::MAX);
    (0..1000).for_each(|_| assert_eq!(insert(&growing, 100, 1).expect("room"), [100]));
    let sizes = sizes(&growing);
    assert!(sizes.is_sorted() && (6..=8).contains(&sizes.len()), "{sizes:?}");
}

#[test]
fn tombstones_are_lost_before_it_grows() {
    let growing = growing(1000, usize::MAX);
    let slots = growing.monitor().shared(|table| table.geometry.slots());
    for _ in 0..20 {
        insert(&growing, 400, 1).expect("room");
        delete_all(&growing);
    }
    assert!(sizes(&growing).iter().all(|&size| size == slots), "{:?}", sizes(&growing));
}

#[test]
fn it_grows_if_more_than_half_of_its_slots_have_entries() {
    let size_with = |live: u64| {
        let growing = growing(1000, usize::MAX);
        let limit = room(&growing).limit;
        insert(&growing, limit as usize, 1).expect("room");
        delete_all(&growing);
        growing.monitor().shared(|table| {
            table.live.set(live);
            table.tombstones.set(limit - live);
        });
        insert(&growing, 1, 1).expect("memory");
        sizes(&growing)
    };
    let limit = Room::at_load(OpenGeometry::at_load(1000, LOAD).expect("a size").slots() as u64, LOAD).limit;
    let slots = |entries| OpenGeometry::at_load(entries, LOAD).expect("a size").slots();
    assert_eq!([limit / 2, limit / 2 + 1].map(size_with), [vec![slots(limit)], vec![slots(2 * limit)]]);
}

#[test]
fn without_memory_for_all_it_takes_what_there_is_and_then_says_so() {
    let growing = growing(1000, 4000);
    let error = insert(&growing, 1_000_000, 1).expect_err("no memory");
    assert_eq!(error, Error::OutOfMemory);
    let live = live(&growing);
    assert!(live as f64 > 0.8 * LOAD * 4000.0, "{live} entries");
    // It is usable: nothing is promised any more, and deleted entries make room again.
    assert_eq!(room(&growing).promised, 0);
    delete_all(&growing);
    assert_eq!(insert(&growing, 100, 1), Ok(vec![100]));
}

/// Without memory a smaller table is tried, if one would do; after another error none is.
#[test]
fn a_table_that_cannot_grow_as_far_as_it_would_grows_as_far_as_it_must() {
    let limit = room(&growing(1000, usize::MAX)).limit;
    let full = |step: u64, error: Error| {
        let growing = growing(1000, usize::MAX).in_steps_of(step, 0);
        insert(&growing, limit as usize, 1).expect("room");
        growing.monitor().shared(|table| table.fails.set(Some(error)));
        insert(&growing, limit as usize, 1).map(|_| sizes(&growing)[0])
    };
    let must = OpenGeometry::at_load(limit + limit.div_ceil(7), LOAD).expect("a size").slots();
    assert_eq!(full(STEP, Error::OutOfMemory), Ok(must));
    assert_eq!(full(STEP, Error::Other), Err(Error::Other));
    assert_eq!(full(1, Error::OutOfMemory), Err(Error::OutOfMemory), "it must grow as far as it would");
}

#[test]
fn without_memory_for_all_each_table_is_large_enough_for_the_next_chunk() {
    let growing = growing(1000, 10_000);
    insert(&growing, 1_000_000, 1).expect_err("no memory");
    // A chunk of an eighth runs between two sizes, so they grow by that at least.
    let sizes = sizes(&growing);
    assert!(sizes.windows(2).all(|pair| pair[1] * 7 >= pair[0] * 8), "{sizes:?}");
}

#[test]
fn a_chunk_that_fails_gives_its_room_back() {
    let growing = growing(1000, usize::MAX);
    let failed = growing.insert(10, |_, _, _| Err(Error::Other));
    assert_eq!(failed, Err(Error::Other));
    let room = room(&growing);
    assert_eq!((room.promised, room.taken), (0, 10), "any of the ten may be stored");
}

#[test]
fn what_is_counted_beyond_a_chunk_does_not_count() {
    let growing = growing(1000, usize::MAX);
    // Others store as many meanwhile.
    let others = |table: &Noted| table.live.set(table.live.get() + 500);
    let chunk = |table: &Noted, _, _| {
        others(table);
        Ok(())
    };
    growing.mixed(10, chunk).expect("room");
    assert_eq!(room(&growing).taken, 10);
}

/// A batch makes room, in one growth, for all entries that it seems to store, and gives back the rest.
#[test]
fn a_table_that_is_bounded_between_batches_keeps_to_its_entries_then() {
    let most = |entries: u64| (1.02 * entries as f64 / LOAD) as usize;
    let kept = || growing(1000, usize::MAX).in_steps_of(STEP, 2000).between_batches();
    let growing = kept();
    insert(&growing, 1_000_000, 1).expect("memory");
    assert!(matches!(sizes(&growing)[..], [size] if size <= most(1_020_000)), "{:?}", sizes(&growing));
    // The first thousand are new, and then none: the table is made for all, and smaller again.
    let growing = kept();
    let chunk = |table: &Noted, from: usize, to: usize| {
        let new = 1000usize.saturating_sub(from).min(to - from) as u64;
        table.live.set(table.live.get() + new);
        Ok(new)
    };
    growing.insert(1_000_000, chunk).expect("memory");
    let sizes_now = sizes(&growing);
    assert!(
        matches!(sizes_now[..], [large, small] if large > 1_000_000 && small <= most(3100)),
        "{sizes_now:?}"
    );
    assert_eq!((room(&growing).taken, live(&growing)), (1000, 1000));
    // A table that the caller made large stays large.
    let growing = kept();
    growing.resize_for(100_000).expect("memory");
    insert(&growing, 100_010, 1).expect("memory");
    delete_all(&growing);
    insert(&growing, 100_010, 1_000_000).expect("memory");
    assert!(sizes(&growing).iter().all(|&slots| slots >= 100_000), "{:?}", sizes(&growing));
}

/// It keeps to the size that it had before the batch, not to one that it had meanwhile.
#[test]
fn a_table_is_made_as_small_after_a_batch_as_before() {
    const OPERATIONS: usize = 1_000_000;
    let growing = growing(1000, usize::MAX).in_steps_of(STEP, 2000).between_batches();
    // The first five hundred keys are present, so half of the others are new. In the end all are deleted.
    let chunk = |table: &Noted, from: usize, to: usize| {
        table.live.set(table.live.get() + to.saturating_sub(from.max(500)) as u64);
        if to == OPERATIONS {
            table.delete_all();
        }
        Ok(())
    };
    growing.mixed(OPERATIONS, chunk).expect("memory");
    let sizes = sizes(&growing);
    assert!(
        matches!(sizes[..], [half, all, small] if small < 3000 && 3000 < half && half < all),
        "{sizes:?}"
    );
}

/// A table that cannot be made smaller after a batch stays as it is, if memory is all that it lacks.
#[test]
fn a_batch_fails_if_its_table_cannot_be_made_smaller_for_want_of_more_than_memory() {
    let batch = |error: Option<Error>| {
        let growing = growing(1000, usize::MAX).in_steps_of(STEP, 2000).between_batches();
        let chunk = |table: &Noted, from: usize, to: usize| {
            let new = 1000usize.saturating_sub(from).min(to - from) as u64;
            table.live.set(table.live.get() + new);
            table.fails.set(error.filter(|_| to == 1_000_000));
            Ok(new)
        };
        growing.insert(1_000_000, chunk).map(|()| sizes(&growing).len())
    };
    assert_eq!(batch(None), Ok(2));
    assert_eq!(batch(Some(Error::OutOfMemory)), Ok(1));
    assert_eq!(batch(Some(Error::Other)), Err(Error::Other));
}

/// A table that deletes nothing is never counted. One that has deleted something is, also when it has grown:
/// on a GPU the deletes may still run.
#[test]
fn a_table_is_counted_from_the_first_delete_until_it_is_cleared() {
    let counts = |growing: &Growing<OneThread>| growing.monitor().shared(|table| table.counts.get());
    let growing = growing(1000, usize::MAX);
    insert(&growing, 100_000, 1).expect("room");
    assert_eq!((counts(&growing), room(&growing).known().map(|known| known.live)), (0, Some(100_000)));
    delete_all(&growing);
    insert(&growing, 100_000, 1).expect("room");
    assert_eq!((counts(&growing), room(&growing).known()), (1, None));
    growing.resize_for(1_000_000).expect("memory");
    assert_eq!((counts(&growing), room(&growing).known()), (2, None));
    let clear = |table: &mut Noted| {
        table.live.set(0);
        Ok(())
    };
    growing.clear(clear).expect("cleared");
    insert(&growing, 10_000_000, 1).expect("room");
    assert_eq!((counts(&growing), room(&growing).known().map(|known| known.live)), (2, Some(10_000_000)));
}

#[test]
fn a_reserved_key_that_is_deleted_hides_no_insert() {
    let growing = growing(1000, usize::MAX);
    // Two reserved keys are deleted, which are in no slot, while three keys are stored in slots.
    growing.monitor().shared(|table| table.live.set(2));
    let chunk = |table: &Noted, _, _| {
        table.live.set(3);
        Ok(())
    };
    growing.mixed(10, chunk).expect("room");
    assert!(room(&growing).taken >= 3, "{:?}", room(&growing));
    assert!(
        [reserved_keys::<Pair32>(), reserved_keys::<Pair64>()]
            .iter()
            .all(|&most| u64::from(most) <= MOST_RESERVED)
    );
}

#[test]
fn no_load_takes_away_what_was_asked_for() {
    // Eleven buckets have 88 slots; 60 / 88 of them, by floats, are 59.
    let loads = (1..=88).map(|load| f64::from(load) / 88.0);
    for load in loads {
        let growing = growing_at(load, 1, usize::MAX);
        for more in 1..100 {
            growing.resize_for(more).expect("memory");
            assert!(growing.monitor().room(|room| room.limit) >= more, "{more} at {load}");
        }
    }
}

#[test]
fn a_table_for_no_entry_has_room_for_one() {
    for load in [0.01, 0.1, LOAD] {
        let growing = growing_at(load, 1000, usize::MAX);
        growing.resize_for(0).expect("memory");
        assert_eq!(sizes(&growing), [OpenGeometry::at_load(1, load).expect("a size").slots()]);
    }
}

#[test]
fn a_chunk_that_panicked_is_forgotten_when_the_table_grows() {
    let growing = growing(1000, usize::MAX);
    growing.monitor().room(|room| room.promised = room.limit);
    assert_eq!(insert(&growing, 100, 1), Ok(vec![100]));
    assert_eq!(room(&growing).promised, 0);
}

#[test]
fn a_cleared_table_has_all_its_room_again() {
    let growing = growing(1000, usize::MAX);
    insert(&growing, 700, 1).expect("room");
    let before = room(&growing);
    growing.clear(|_| Err(Error::Other)).expect_err("it fails");
    assert_eq!(room(&growing), before);
    let clear = |table: &mut Noted| {
        table.live.set(0);
        Ok(())
    };
    growing.clear(clear).expect("cleared");
    assert_eq!(room(&growing), Room::new(before.limit));
}

/// In every case a table has room for at most three times the most entries that it ever had, or it is small.
#[test]
fn a_table_that_grows_in_steps_keeps_to_its_entries() {
    // A table has some more slots than it must.
    let most = |entries: u64| (1.02 * entries as f64 / LOAD) as usize;
    // All keys are new: each step is three times as large as the last.
    let steps = growing(1000, usize::MAX).in_steps_of(STEP, SMALL);
    insert(&steps, 1_000_000, 1).expect("memory");
    assert_eq!(live(&steps), 1_000_000);
    assert!(sizes(&steps).len() <= 6 && sizes(&steps)[0] <= most(SMALL), "{:?}", sizes(&steps));
    assert!(sizes(&steps).windows(2).all(|pair| pair[1] <= most(3 * (LOAD * pair[0] as f64) as u64)));
    // A thousand new keys, and then none.
    let steps = growing(1000, usize::MAX).in_steps_of(STEP, SMALL);
    insert(&steps, 1000, 1).expect("room");
    insert(&steps, 10_000_000, 100_000_000).expect("room");
    assert!(sizes(&steps).iter().all(|&slots| slots <= most(SMALL)), "{:?}", sizes(&steps));
    // One key, inserted and deleted again and again.
    let steps = growing(1000, usize::MAX).in_steps_of(STEP, SMALL);
    for _ in 0..100_000 {
        insert(&steps, 1, 1).expect("room");
        delete_all(&steps);
    }
    assert!(sizes(&steps).iter().all(|&slots| slots <= most(1000)), "{:?}", sizes(&steps));
    // A table that the caller made large stays large.
    let steps = growing(1_000_000, usize::MAX).in_steps_of(STEP, SMALL);
    insert(&steps, 1_000_000, 1).expect("room");
    delete_all(&steps);
    insert(&steps, 1_000_000, 1).expect("room");
    assert_eq!(sizes(&steps), [OpenGeometry::at_load(1_000_000, LOAD).expect("a size").slots()]);
}
