//! The common parts of the bulk calls of every structure: a batch over a table, one warp per chunk of it.

use super::batch::{Batch, Beside, Operations, Record};
use super::error::Error;
use super::large_pages::with_room;
use super::launch::launch;
use super::regions::{self, by_region, regions};
use super::warp::{GridWarp, Own};
use core::ops::DerefMut;
use rayon::prelude::*;
use std::collections::TryReserveError;
use warpproof_model::bits::{TableKey, TableValue};
use warpproof_model::host::{Op, Refused, Structure, left_out};
use warpproof_model::outcome::Insert;
use warpproof_model::{AllKeys, Key, Seed, WarpMap, Word};

/// Parts of a table that a thread visits one after the other.
const PARTS: usize = 4096;

/// The size of a table.
pub(super) type Size<T> = <<T as CpuTable>::Structure as Structure>::Geometry;

/// A table in CPU memory, of any structure. [`super::Map`] and [`super::Set`] are written against it.
pub trait CpuTable: Sized + Sync {
    /// Key of an entry.
    type Key: Key;
    /// Value of an entry; `()` in a set.
    type Value: Word;
    /// Its structure.
    type Structure: Structure;
    /// The warps that work on it.
    type Warp: GridWarp;
    /// The handle that the warps use.
    type View<'a>: WarpMap<Key = Self::Key, Value = Self::Value> + Send + Sync
    where
        Self: 'a;
    /// The handle that also takes the keys that slots cannot hold.
    type AllKeys<'a>: AllKeys<Key = Self::Key, Value = Self::Value> + Send + Sync
    where
        Self: 'a;

    /// The size for `pairs` pairs.
    ///
    /// # Errors
    /// [`Refused::TooLarge`].
    fn geometry_for(pairs: u64) -> Result<Size<Self>, Refused>;

    /// An empty table. `seed` decides the places of its keys.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; [`Error::Refused`] if no table can have this size.
    fn new(geometry: Size<Self>, seed: Seed) -> Result<Self, Error>;

    /// Its size.
    fn geometry(&self) -> Size<Self>;

    /// The seed that decides the places of its keys.
    fn seed(&self) -> Seed;

    /// Its statistics. Exact if nothing changes meanwhile.
    fn stats(&self) -> <Self::Structure as Structure>::Stats;

    /// The handle to the table, for the warps of [`warp`](Self::warp).
    fn view(&self) -> Self::View<'_>;

    /// The handle to the table and to the keys that it cannot hold: every word is a key.
    fn all_keys(&self) -> Self::AllKeys<'_>;

    /// A warp for some operations on this table: number `number` of a launch, or with a number that the table
    /// chooses. A thread has at most one warp of a table at a time.
    fn warp(&self, number: u32) -> impl DerefMut<Target = Self::Warp> {
        Own(Self::Warp::numbered(number))
    }

    /// Makes the table empty, with all threads.
    fn clear(&mut self);

    /// Memory of the table in bytes.
    fn bytes(&self) -> usize;
}

/// Runs `f(table, warp, key, beside)` for every key and its other argument. Memory for the answers is
/// allocated before anything runs.
pub(super) fn run<'a, C: CpuTable, K: TableKey<Bits = C::Key>, B: Beside, T: Copy + Send + Sync>(
    table: &'a C,
    keys: &[K],
    beside: B,
    f: impl Fn(C::AllKeys<'a>, &mut C::Warp, C::Key, B::Item) -> T + Sync,
) -> Result<Vec<T>, Error> {
    let mut answers = room_for_answers(keys)?;
    run_in(table, Batch { keys, beside }, f, &mut answers);
    Ok(answers)
}

/// Memory for an answer to each key.
pub(super) fn room_for_answers<K, T>(keys: &[K]) -> Result<Vec<T>, Error> {
    room_for(keys.len())
}

/// An empty list with room for `len` elements.
pub(super) fn room_for<T>(len: usize) -> Result<Vec<T>, Error> {
    with_room(len).map_err(|_| Error::no_memory_for::<T>(len))
}

/// Runs `f(table, warp, key, beside)` for every key and its other argument. Appends the answers to a list
/// that has room for them.
///
/// Operations run in the order of the batch; or in the order of the table's regions, if that is faster and
/// there is memory for it.
pub(super) fn run_in<'a, C: CpuTable, K: TableKey<Bits = C::Key>, B: Beside, T: Copy + Send + Sync>(
    table: &'a C,
    batch: Batch<'_, K, B>,
    f: impl Fn(C::AllKeys<'a>, &mut C::Warp, C::Key, B::Item) -> T + Sync,
    answers: &mut Vec<T>,
) {
    let all = table.all_keys();
    let prefetch = |(key, _): Record<K, B>| all.prefetch::<C::Warp>(key.to_word());
    let operation = |w: &mut C::Warp, (key, beside): Record<K, B>| f(all, w, key.to_word(), beside);
    let operations = Operations::new(|number| table.warp(number), prefetch, operation);
    if !by_region(table.bytes(), batch.keys.len())
        || regions::launch(batch, regions(table.bytes(), table.seed()), &operations, answers).is_err()
    {
        launch(batch, &operations, answers);
    }
}

/// A table of these entries, with room for as many. There are as many `values` as keys.
pub(super) fn build<C: CpuTable>(
    keys: &[impl TableKey<Bits = C::Key>],
    values: &[impl TableValue<C::Value>],
    seed: Seed,
) -> Result<C, Error> {
    let table = C::new(C::geometry_for(keys.len() as u64)?, seed)?;
    let outcomes = run(&table, keys, values, |t, w, key, value| {
        // In a table of unique keys this is a unique insert.
        let said = t.mixed(w, Op::Insert, key, value.to_word()).tell(w);
        Insert::from_code(said.code).unwrap_or(Insert::Full)
    })?;
    match left_out(&outcomes) {
        0 => Ok(table),
        left_out => Err(Error::TableFull { pairs: keys.len() as u64, left_out }),
    }
}

/// The result of `of` for each entry, in no particular order. Exact if nothing changes meanwhile. Takes
/// memory for up to three times as many results while it joins them.
pub(super) fn entries<C: CpuTable, T: Send>(
    table: &C,
    of: impl Fn(C::Key, C::Value) -> T + Send + Sync,
) -> Result<Vec<T>, Error> {
    let all = table.all_keys();
    let step = |list: List<T>, w: &mut C::Warp, part| {
        let mut list = list?;
        let mut room = Ok(());
        all.visit(w, part, |_, _, key, value| push(&mut list, &mut room, of(key, value)));
        room.map(|()| list)
    };
    let merge = |a: List<T>, b: List<T>| {
        let (mut a, mut b) = (a?, b?);
        a.try_reserve_exact(b.len())?;
        a.append(&mut b);
        Ok(a)
    };
    fold(table, || Ok(Vec::new()), step, merge).map_err(|_| Error::no_memory_for::<T>(live(table) as usize))
}

/// Appends a value, unless there is no memory for it, or there was none for an earlier one: then `room` is an
/// error.
pub(super) fn push<T>(list: &mut Vec<T>, room: &mut Result<(), TryReserveError>, value: T) {
    if room.is_ok() {
        *room = list.try_reserve(1);
    }
    if room.is_ok() {
        list.push(value);
    }
}

/// A list, or the error that there was no memory for it.
type List<T> = Result<Vec<T>, TryReserveError>;

/// Number of entries. Exact if nothing changes meanwhile.
pub(super) fn live<C: CpuTable>(table: &C) -> u64 {
    let all = table.all_keys();
    fold(table, || 0, |sum, w, part| sum + all.live(w, part) as u64, |a, b| a + b)
}

/// The results of `step` for all parts of a table, its reserved keys included, joined by `merge`. A thread
/// visits its parts one after the other.
pub(super) fn fold<C: CpuTable, T: Send>(
    table: &C,
    first: impl Fn() -> T + Send + Sync,
    step: impl Fn(T, &mut C::Warp, u32) -> T + Send + Sync,
    merge: impl Fn(T, T) -> T + Send + Sync,
) -> T {
    let parts = table.all_keys().parts();
    let run = |number: u32| {
        let first_part = number * PARTS as u32;
        let mut warp = table.warp(number);
        (first_part..parts.min(first_part.saturating_add(PARTS as u32)))
            .fold(first(), |sum, part| step(sum, &mut warp, part))
    };
    (0..parts.div_ceil(PARTS as u32)).into_par_iter().map(run).reduce(&first, merge)
}

/// `parts` parts of a table, for all threads.
pub(super) fn each_part(parts: u32) -> impl IndexedParallelIterator<Item = u32> {
    (0..parts).into_par_iter().with_min_len(PARTS)
}

/// Adds all entries of one table to another, which has none of their keys. Returns whether it had room for
/// all. The first table must not be changed meanwhile.
pub(super) fn move_all<C: CpuTable>(from: &C, to: &C) -> bool {
    let (from, to) = (from.all_keys(), to.all_keys());
    let moved = |part| {
        let mut all = true;
        from.visit(&mut C::Warp::numbered(part), part, |w, _, key, value| {
            all &= to.insert_unique(w, key, value) == Insert::Inserted;
        });
        all
    };
    each_part(from.parts()).all(moved)
}

#[cfg(test)]
mod tests {
    use super::super::OpenMap;
    use super::*;
    use std::collections::HashMap;
    use warpproof_model::host::{Answer, BulkCounter, BulkMap, BulkTable};
    use warpproof_model::outcome::{Add, Assign, Delete};

    /// Different keys.
    fn key(i: u64) -> u64 {
        i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 2
    }

    fn map_for(keys: &[u64]) -> OpenMap<u64, u64> {
        let map = OpenMap::<u64, u64>::with_capacity(keys.len() as u64).expect("memory for a test table");
        assert!(by_region(map.table().bytes(), keys.len()), "else this test is of something else");
        map
    }

    /// Answers belong to their elements, in whatever order these run.
    #[test]
    fn a_large_batch_on_a_large_table_is_answered_in_its_own_order() {
        let n = 1 << 21;
        let keys: Vec<u64> = (0..n).map(key).collect();
        let values: Vec<u64> = (0..n).collect();
        let map = map_for(&keys);
        let done = map.insert_unique(&keys, &values).expect("memory");
        assert!(done.iter().all(|&outcome| outcome == Insert::Inserted));
        // Every second one.
        let gone: Vec<u64> = keys.iter().step_by(2).copied().collect();
        let said = map.delete(&gone).expect("memory");
        assert!(said.iter().all(|&outcome| outcome == Delete::Deleted));
        let found = map.search(&keys).expect("memory");
        let expected = values.iter().map(|&value| (value % 2 == 1).then_some(value));
        assert!(found.into_iter().eq(expected));
    }

    /// If a key occurs several times, one of its pairs is inserted, and counts add up, for batches of any
    /// length.
    #[test]
    fn large_batches_with_duplicates_are_as_a_map_of_the_standard_library() {
        for (n, different) in [(200_003, 150_000), (300_000, 1), (262_145, 1000), (262_143, 262_143)] {
            let keys: Vec<u64> = (0..n).map(|i| key(i * 7 % different)).collect();
            let values: Vec<u64> = (0..n).collect();
            let (map, counts) = (map_for(&keys), map_for(&keys));
            let done = map.insert_unique(&keys, &values).expect("memory");
            let mut expected = HashMap::new();
            for ((&key, &value), outcome) in keys.iter().zip(&values).zip(done) {
                if outcome == Insert::Inserted {
                    assert_eq!(expected.insert(key, value), None, "{n}, {different}: inserted twice");
                } else {
                    assert_eq!(outcome, Insert::Present, "{n}, {different}");
                }
            }
            let found = map.search(&keys).expect("memory");
            assert!(
                found.into_iter().eq(keys.iter().map(|key| expected.get(key).copied())),
                "{n}, {different}"
            );
            let absent: Vec<u64> = (n..2 * n).map(key).collect();
            assert!(map.contains(&absent).expect("memory").into_iter().all(|found| !found));

            let added = counts.insert_or_add(&keys, &values).expect("memory");
            let mut sums = HashMap::<u64, u64>::new();
            keys.iter().zip(&values).for_each(|(&key, &value)| *sums.entry(key).or_default() += value);
            assert_eq!(added.iter().filter(|&&said| said == Add::Inserted).count(), sums.len());
            assert_eq!(counts.retrieve_all().expect("pairs").into_iter().collect::<HashMap<_, _>>(), sums);
        }
    }

    #[test]
    fn operations_of_a_large_mixed_batch_are_answered_each_by_its_kind() {
        let n = 200_003;
        let keys: Vec<u64> = (0..2 * n).map(key).collect();
        let map = map_for(&keys);
        map.insert_unique(&keys[..n as usize], &keys[..n as usize])
            .expect("memory")
            .all_stored()
            .expect("room");
        let op = |i| [Op::Search, Op::Delete, Op::Assign, Op::InsertUnique][i as usize % 4];
        let ops: Vec<Op> = (0..2 * n).map(op).collect();
        let said = map.mixed(&ops, &keys, &keys).expect("memory");
        for (i, said) in said.into_iter().enumerate() {
            let there = i < n as usize;
            let expected = match ops[i] {
                Op::Search => Answer::Search(there.then_some(keys[i])),
                Op::Delete => Answer::Delete(if there { Delete::Deleted } else { Delete::Absent }),
                Op::Assign => Answer::Assign(if there { Assign::Replaced } else { Assign::Inserted }),
                _ => Answer::Insert(if there { Insert::Present } else { Insert::Inserted }),
            };
            assert_eq!(said, expected, "operation {i}");
        }
    }

    #[test]
    fn the_highest_keys_are_keys_in_a_large_batch_too() {
        let mut keys: Vec<u64> = (0..300_000).map(key).collect();
        let map = map_for(&keys);
        (keys[299_999], keys[123_456]) = (u64::MAX, u64::FIRST_RESERVED);
        let done = map.insert_unique(&keys, &keys).expect("memory for answers");
        assert!(done.iter().all(|&outcome| outcome == Insert::Inserted));
        assert_eq!(map.len(), Ok(300_000));
        assert!(map.search(&keys).expect("memory").into_iter().eq(keys.iter().map(|&key| Some(key))));
    }
}
