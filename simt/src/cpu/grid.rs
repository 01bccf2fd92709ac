//! What the bulk calls of every structure are made of: a batch over a table, one warp per chunk of it.

use super::error::Error;
use super::launch::{by_region, launch, launch_by_region};
use super::warp::GridWarp;
use super::words::ask_for;
use rayon::prelude::*;
use warpproof_model::host::{Op, Refused, admit, left_out};
use warpproof_model::outcome::Insert;
use warpproof_model::{Key, UserKey, WarpMap, Word};

/// Parts of a table that a thread visits one after the other.
const PARTS: usize = 4096;

/// A table in CPU memory, of any structure. [`super::Map`] and [`super::Set`] are written against it.
pub trait CpuTable: Sized {
    /// Key of an entry.
    type Key: Key;
    /// Value of an entry; `()` in a set.
    type Value: Word;
    /// Its size.
    type Geometry: Copy;
    /// The warps that work on it.
    type Warp: GridWarp;
    /// The handle that they are given.
    type View<'a>: WarpMap<Key = Self::Key, Value = Self::Value> + Send + Sync
    where
        Self: 'a;

    /// The size for `pairs` pairs.
    ///
    /// # Errors
    /// [`Refused::TooLarge`].
    fn geometry_for(pairs: u64) -> Result<Self::Geometry, Refused>;

    /// An empty table.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; [`Error::Refused`] if no table can have this size.
    fn new(geometry: Self::Geometry) -> Result<Self, Error>;

    /// Its size.
    fn geometry(&self) -> Self::Geometry;

    /// The handle.
    fn view(&self) -> Self::View<'_>;

    /// Makes the table empty, with all threads.
    fn clear(&mut self);

    /// Memory of the table in bytes.
    fn bytes(&self) -> usize;
}

/// Runs `f` for every key; reserved keys are refused before anything runs. `beside` is what else `f` reads of an operation, or empty.
///
/// Operations run in the order of the batch, or of the regions of the table that their keys belong to where that is faster.
pub(super) fn run<'a, C: CpuTable, V: Sync, T: Copy + Send + Sync>(
    table: &'a C,
    keys: &[C::Key],
    beside: &[V],
    blank: T,
    f: impl Fn(C::View<'a>, &mut C::Warp, UserKey<C::Key>, usize) -> T + Sync,
) -> Result<Vec<T>, Error> {
    admit(keys)?;
    let view = table.view();
    let mut out = vec![blank; keys.len()];
    let user = |i: usize| UserKey::new(keys[i]);
    let prefetch = |i| {
        if let Some(key) = user(i) {
            view.prefetch::<C::Warp>(key);
        }
    };
    let operation = |w: &mut C::Warp, i| match user(i) {
        Some(key) => f(view, w, key, i),
        // Not reached: `admit` refused the batch.
        None => blank,
    };
    if by_region(table.bytes(), keys.len()) {
        let near = |i| {
            ask_for(keys, i);
            ask_for(beside, i);
        };
        launch_by_region(&mut out, |i| keys[i].hash(), near, prefetch, operation);
    } else {
        launch(&mut out, prefetch, operation);
    }
    Ok(out)
}

/// A table of these entries, with room for as many. `values` are as many as the keys.
pub(super) fn build<C: CpuTable>(keys: &[C::Key], values: &[C::Value]) -> Result<C, Error> {
    admit(keys)?;
    let table = C::new(C::geometry_for(keys.len() as u64)?)?;
    let outcomes = run(&table, keys, values, Insert::Full, |t, w, key, i| {
        // In a table of unique keys this is a unique insert.
        let said = t.mixed(w, Op::Insert, key, values[i]).tell(w);
        Insert::from_code(said.code).unwrap_or(Insert::Full)
    })?;
    match left_out(&outcomes) {
        0 => Ok(table),
        left_out => Err(Error::TableFull { pairs: keys.len() as u64, left_out }),
    }
}

/// All entries, in no particular order. Exact if nothing changes meanwhile.
pub(super) fn entries<C: CpuTable>(table: &C) -> Vec<(C::Key, C::Value)> {
    let view = table.view();
    parts(view)
        .fold(Vec::new, |mut out, part| {
            view.visit(&mut C::Warp::numbered(part), part, |_, _, key, value| out.push((key, value)));
            out
        })
        .reduce(Vec::new, |mut a, mut b| {
            a.append(&mut b);
            a
        })
}

/// Number of entries. Exact if nothing changes meanwhile.
pub(super) fn live<C: CpuTable>(table: &C) -> u64 {
    let view = table.view();
    parts(view).map(|part| view.live(&mut C::Warp::numbered(part), part) as u64).sum()
}

/// The parts of a table, for all threads.
pub(super) fn parts<V: WarpMap>(view: V) -> impl IndexedParallelIterator<Item = u32> + use<V> {
    (0..view.parts()).into_par_iter().with_min_len(PARTS)
}

/// Adds all entries of one table to another, which has none of their keys; whether it had room for all. Nobody changes the first
/// one meanwhile.
pub(super) fn move_all<C: CpuTable>(from: &C, to: &C) -> bool {
    let (from, to) = (from.view(), to.view());
    let moved = |part| {
        let mut all = true;
        from.visit(&mut C::Warp::numbered(part), part, |w, _, key, value| {
            let said = UserKey::new(key).map(|key| to.insert_unique(w, key, value));
            all &= said == Some(Insert::Inserted);
        });
        all
    };
    parts(from).all(moved)
}

#[cfg(test)]
mod tests {
    use super::super::OpenMap;
    use super::*;
    use warpproof_model::host::BulkMap;
    use warpproof_model::outcome::Delete;

    /// Answers belong to their elements, in whatever order these run.
    #[test]
    fn a_large_batch_on_a_large_table_is_answered_in_its_own_order() {
        let n = 1 << 21;
        let map = OpenMap::<u64, u64>::with_capacity(n as u64).expect("memory for a test table");
        assert!(by_region(map.table().bytes(), n), "else this test is of something else");
        let keys: Vec<u64> = (0..n as u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 2).collect();
        let values: Vec<u64> = (0..n as u64).collect();
        let done = map.insert_unique(&keys, &values).expect("no reserved key");
        assert!(done.iter().all(|&outcome| outcome == Insert::Inserted));
        // Every second one.
        let gone: Vec<u64> = keys.iter().step_by(2).copied().collect();
        let said = map.delete(&gone).expect("no reserved key");
        assert!(said.iter().all(|&outcome| outcome == Delete::Deleted));
        let found = map.search(&keys).expect("no reserved key");
        let expected = values.iter().map(|&value| (value % 2 == 1).then_some(value));
        assert!(found.into_iter().eq(expected));
    }
}
