//! All ranks of a table in shards, as one table.

use super::in_process::{InProcess, Limits};
use core::fmt;
use core::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{panic, thread};
use warpproof_model::bits::{Integer, TableKey, TableValue, Unsigned};
use warpproof_model::host::{
    Answer, BulkCounter, BulkMap, BulkMatches, BulkMultimap, BulkSet, BulkTable, BulkUpdate, GeometryOf,
    Matches, Op, Outcomes, StatsOf, same_length,
};
use warpproof_model::outcome::{Add, Assign, Delete, Insert};
use warpproof_model::sharded::{Error, ShardEntry, Sharded, ShardedGeometry, ShardedStats, ShardedStructure};
use warpproof_model::{Seed, Update};

/// All ranks of a table in shards `T`, in one process, as one table: each batch is divided among the ranks,
/// of which each is a thread for the time of a call.
///
/// Calls wait for each other, as those of ranks are collective.
///
/// ```
/// use warpproof_model::Seed;
/// use warpproof_model::host::{BulkMap, BulkTable};
/// use warpproof_simt::cpu::DynamicMap;
/// use warpproof_simt::cpu::sharded::{AllRanks, Limits};
///
/// // Three shards that grow.
/// let map = AllRanks::new(3, Limits::default(), Seed::random(), |_rank| {
///     DynamicMap::<u64, u64>::with_capacity(100)
/// })?;
/// let keys: Vec<u64> = (0..10_000).collect();
/// map.insert_unique(&keys, &keys)?.all_stored()?;
/// assert_eq!(map.search(&[9_999, 10_000])?, [Some(9_999), None]);
/// let stats = map.stats()?;
/// assert_eq!(stats.entries.iter().sum::<u64>(), 10_000);
/// assert!(stats.imbalance() < 1.1);
/// # Ok::<(), warpproof_model::sharded::Error<warpproof_simt::cpu::Error>>(())
/// ```
pub struct AllRanks<T> {
    ranks: Vec<Sharded<T, InProcess>>,
    turn: Mutex<()>,
}

/// A table in shards.
pub trait InShards {
    /// A shard of it.
    type Shard;
}

impl<T> InShards for AllRanks<T> {
    type Shard = T;
}

/// The error of such a table.
type ErrorOf<T> = Error<<T as BulkTable>::Error>;
/// What a rank returns.
type Said<T, R> = Result<R, ErrorOf<T>>;

impl<T: BulkTable<Error: Send> + Send + Sync> AllRanks<T> {
    /// A table of so many ranks. `make` makes the shard of each, and `seed` decides the owners of keys.
    ///
    /// # Errors
    /// Those of `make`, and of [`InProcess::ranks`]; [`Error::Refused`] if bins are too small.
    pub fn new(
        ranks: u32,
        limits: Limits,
        seed: Seed,
        make: impl Fn(u32) -> Result<T, T::Error>,
    ) -> Result<Self, ErrorOf<T>> {
        let ends = InProcess::ranks(ranks, limits)?;
        let shards = (0..ranks).map(make).collect::<Result<Vec<T>, _>>().map_err(Error::Shard)?;
        Self::with_ends(shards.into_iter().zip(ends).collect(), seed)
    }

    /// A table of these shards, each with its end of one exchange.
    ///
    /// # Errors
    /// [`Error::Refused`] if bins are too small; the errors of a lost exchange.
    pub fn with_ends(ends: Vec<(T, InProcess)>, seed: Seed) -> Result<Self, ErrorOf<T>> {
        let made = thread::scope(|scope| {
            let start = |(shard, end)| scope.spawn(move || Sharded::new(shard, end, seed));
            let threads: Vec<_> = ends.into_iter().map(start).collect();
            threads.into_iter().map(joined).collect::<Vec<_>>()
        });
        Ok(Self { ranks: all_of::<T, _>(made)?, turn: Mutex::new(()) })
    }

    /// The ranks.
    pub fn ranks(&self) -> &[Sharded<T, InProcess>] {
        &self.ranks
    }

    fn turn(&self) -> MutexGuard<'_, ()> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs `call` on all ranks at once.
    fn each<R: Send>(
        &self,
        call: impl Fn(usize, &Sharded<T, InProcess>) -> Said<T, R> + Sync,
    ) -> Result<Vec<R>, ErrorOf<T>> {
        let _turn = self.turn();
        let said = thread::scope(|scope| {
            let call = &call;
            let start = |(rank, map)| scope.spawn(move || call(rank, map));
            let threads: Vec<_> = self.ranks.iter().enumerate().map(start).collect();
            threads.into_iter().map(joined).collect::<Vec<_>>()
        });
        all_of::<T, _>(said)
    }

    /// Runs `call` on all ranks at once, each with its part of a batch of `len`, and puts the answers
    /// together.
    fn parts<A: Send>(
        &self,
        len: usize,
        call: impl Fn(&Sharded<T, InProcess>, Range<usize>) -> Said<T, Vec<A>> + Sync,
    ) -> Result<Vec<A>, ErrorOf<T>> {
        let count = self.ranks.len();
        let part = |rank: usize| len * rank / count..len * (rank + 1) / count;
        let mut said = self.each(|rank, map| call(map, part(rank)))?.into_iter();
        let mut all = said.next().unwrap_or_default();
        let bytes = (len * size_of::<A>()) as u64;
        let missing = len - all.len().min(len);
        all.try_reserve_exact(missing)
            .map_err(|_| Error::Refused(warpproof_model::host::Refused::OutOfMemory { bytes }))?;
        said.for_each(|answers| all.extend(answers));
        Ok(all)
    }
}

/// What a thread returned. A panic of the thread goes on in this one.
fn joined<R>(thread: thread::ScopedJoinHandle<'_, R>) -> R {
    thread.join().unwrap_or_else(|panicked| panic::resume_unwind(panicked))
}

/// What all ranks returned, or an error: rather one that says what is wrong than one that another rank
/// failed.
fn all_of<T: BulkTable, R>(said: Vec<Said<T, R>>) -> Result<Vec<R>, ErrorOf<T>> {
    let mut all = Vec::with_capacity(said.len());
    let mut failed: Option<ErrorOf<T>> = None;
    for said in said {
        match said {
            Ok(said) => all.push(said),
            Err(error) if matches!(failed, None | Some(Error::Peer { .. } | Error::Lost { .. })) => {
                failed = Some(error);
            }
            Err(_) => {}
        }
    }
    failed.map_or(Ok(all), Err)
}

impl<T> BulkTable for AllRanks<T>
where
    T: BulkTable<Entry: ShardEntry + Send, Error: Send + 'static> + Send + Sync,
    StatsOf<T>: Send,
{
    type Error = ErrorOf<T>;
    type Structure = ShardedStructure<T::Structure>;
    type Entry = T::Entry;

    fn retrieve_all(&self) -> Result<Vec<T::Entry>, Self::Error> {
        let each = self.each(|_, map| map.retrieve_own())?;
        Ok(each.into_iter().flatten().collect())
    }

    fn len(&self) -> Result<u64, Self::Error> {
        Ok(self.each(|_, map| map.shard().len().map_err(Error::Shard))?.iter().sum())
    }

    /// The sum of what all ranks have exchanged; the statistics of a shard are those of rank 0's.
    fn stats(&self) -> Result<ShardedStats<StatsOf<T>>, Self::Error> {
        let mut each = self.each(|_, map| map.stats())?.into_iter();
        let mut all = each.next().unwrap_or_default();
        for rank in each {
            all.exchanged.items += rank.exchanged.items;
            all.exchanged.words += rank.exchanged.words;
        }
        Ok(all)
    }

    /// The size of rank 0's shard stands for all.
    fn geometry(&self) -> ShardedGeometry<GeometryOf<T>> {
        self.ranks[0].geometry()
    }

    fn clear(&mut self) -> Result<(), Self::Error> {
        let said = thread::scope(|scope| {
            let threads: Vec<_> =
                self.ranks.iter_mut().map(|map| scope.spawn(move || BulkTable::clear(map))).collect();
            threads.into_iter().map(joined).collect::<Vec<_>>()
        });
        all_of::<T, _>(said).map(|_| ())
    }
}

impl<K, V, T> BulkMap<K, V> for AllRanks<T>
where
    K: TableKey,
    V: TableValue<u64>,
    T: BulkMap<K, V, Error: Send + 'static> + Send + Sync,
    StatsOf<T>: Send,
{
    fn insert_unique(&self, keys: &[K], values: &[V]) -> Result<Outcomes<Insert>, Self::Error> {
        same_length(keys, "values", values)?;
        let call = |map: &Sharded<T, _>, at: Range<usize>| map.insert_unique(&keys[at.clone()], &values[at]);
        Ok(self.parts(keys.len(), |map, at| Ok(call(map, at)?.into_vec()))?.into())
    }

    fn insert_or_assign(&self, keys: &[K], values: &[V]) -> Result<Outcomes<Assign>, Self::Error> {
        same_length(keys, "values", values)?;
        let call =
            |map: &Sharded<T, _>, at: Range<usize>| map.insert_or_assign(&keys[at.clone()], &values[at]);
        Ok(self.parts(keys.len(), |map, at| Ok(call(map, at)?.into_vec()))?.into())
    }

    fn search(&self, keys: &[K]) -> Result<Vec<Option<V>>, Self::Error> {
        self.parts(keys.len(), |map, at| map.search(&keys[at]))
    }

    fn contains(&self, keys: &[K]) -> Result<Vec<bool>, Self::Error> {
        self.parts(keys.len(), |map, at| BulkMap::contains(map, &keys[at]))
    }

    fn count(&self, keys: &[K]) -> Result<Vec<u32>, Self::Error> {
        self.parts(keys.len(), |map, at| map.count(&keys[at]))
    }

    fn delete(&self, keys: &[K]) -> Result<Vec<Delete>, Self::Error> {
        self.parts(keys.len(), |map, at| BulkMap::delete(map, &keys[at]))
    }

    fn mixed(&self, ops: &[Op], keys: &[K], values: &[V]) -> Result<Outcomes<Answer<V>>, Self::Error> {
        same_length(keys, "operations", ops)?;
        same_length(keys, "values", values)?;
        let call = |map: &Sharded<T, _>, at: Range<usize>| {
            map.mixed(&ops[at.clone()], &keys[at.clone()], &values[at])
        };
        Ok(self.parts(keys.len(), |map, at| Ok(call(map, at)?.into_vec()))?.into())
    }
}

impl<K, V, T> BulkCounter<K, V> for AllRanks<T>
where
    K: TableKey,
    V: TableValue<u64> + Integer,
    T: BulkCounter<K, V, Error: Send + 'static> + Send + Sync,
    StatsOf<T>: Send,
{
    fn insert_or_add(&self, keys: &[K], values: &[V]) -> Result<Outcomes<Add>, Self::Error> {
        same_length(keys, "values", values)?;
        let call = |map: &Sharded<T, _>, at: Range<usize>| map.insert_or_add(&keys[at.clone()], &values[at]);
        Ok(self.parts(keys.len(), |map, at| Ok(call(map, at)?.into_vec()))?.into())
    }
}

impl<K, V, T> BulkUpdate<K, V> for AllRanks<T>
where
    K: TableKey,
    V: TableValue<u64> + Unsigned,
    T: BulkUpdate<K, V, Error: Send + 'static> + Send + Sync,
    StatsOf<T>: Send,
{
    fn insert_or_update(
        &self,
        update: Update,
        keys: &[K],
        values: &[V],
    ) -> Result<Outcomes<Add>, Self::Error> {
        same_length(keys, "values", values)?;
        let call = |map: &Sharded<T, _>, at: Range<usize>| {
            map.insert_or_update(update, &keys[at.clone()], &values[at])
        };
        Ok(self.parts(keys.len(), |map, at| Ok(call(map, at)?.into_vec()))?.into())
    }
}

impl<K, V, T> BulkMatches<K, V> for AllRanks<T>
where
    K: TableKey,
    V: TableValue<u64>,
    T: BulkMatches<K, V, Error: Send + 'static> + Send + Sync,
    StatsOf<T>: Send,
{
    fn search_all(&self, keys: &[K]) -> Result<Matches<V>, Self::Error> {
        let count = self.ranks.len();
        let each = self.each(|rank, map| {
            map.search_all(&keys[keys.len() * rank / count..keys.len() * (rank + 1) / count])
        })?;
        let mut all = Matches { offsets: vec![0], values: Vec::new() };
        for of in each {
            let first = all.values.len() as u64;
            all.offsets.extend(of.offsets[1..].iter().map(|offset| first + offset));
            all.values.extend(of.values);
        }
        Ok(all)
    }

    fn delete_all(&self, keys: &[K]) -> Result<Vec<u32>, Self::Error> {
        self.parts(keys.len(), |map, at| map.delete_all(&keys[at]))
    }
}

impl<K, V, T> BulkMultimap<K, V> for AllRanks<T>
where
    K: TableKey,
    V: TableValue<u64>,
    T: BulkMultimap<K, V, Error: Send + 'static> + Send + Sync,
    StatsOf<T>: Send,
{
    fn insert(&self, keys: &[K], values: &[V]) -> Result<Outcomes<Insert>, Self::Error> {
        same_length(keys, "values", values)?;
        let call =
            |map: &Sharded<T, _>, at: Range<usize>| BulkMultimap::insert(map, &keys[at.clone()], &values[at]);
        Ok(self.parts(keys.len(), |map, at| Ok(call(map, at)?.into_vec()))?.into())
    }
}

impl<K, T> BulkSet<K> for AllRanks<T>
where
    K: TableKey,
    T: BulkSet<K, Error: Send + 'static> + Send + Sync,
    StatsOf<T>: Send,
{
    fn insert(&self, keys: &[K]) -> Result<Outcomes<Insert>, Self::Error> {
        let call = |map: &Sharded<T, _>, at: Range<usize>| BulkSet::insert(map, &keys[at]);
        Ok(self.parts(keys.len(), |map, at| Ok(call(map, at)?.into_vec()))?.into())
    }

    fn contains(&self, keys: &[K]) -> Result<Vec<bool>, Self::Error> {
        self.parts(keys.len(), |map, at| BulkSet::contains(map, &keys[at]))
    }

    fn delete(&self, keys: &[K]) -> Result<Vec<Delete>, Self::Error> {
        self.parts(keys.len(), |map, at| BulkSet::delete(map, &keys[at]))
    }
}

impl<T> fmt::Debug for AllRanks<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AllRanks").field("ranks", &self.ranks.len()).finish_non_exhaustive()
    }
}
