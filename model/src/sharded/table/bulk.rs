//! The bulk calls.

use super::calls::Call;
use super::error::Error;
use super::{Sharded, ShardedStructure};
use crate::bits::{Integer, TableKey, TableValue, Unsigned};
use crate::host::room;
use crate::host::{
    Answer, BulkCounter, BulkMap, BulkSet, BulkTable, BulkUpdate, GeometryOf, Op, Outcomes, Refused, StatsOf,
    same_length,
};
use crate::outcome::{Add, Assign, Delete, Insert, Mixed};
use crate::sharded::combine::Combined;
use crate::sharded::entry::{ShardEntry, key_of};
use crate::sharded::exchange::Exchange;
use crate::sharded::lost::Why;
use crate::sharded::rounds::Said;
use crate::update::Update;
use alloc::vec::Vec;

/// The error of a table with shards `T`.
pub(super) type ErrorOf<T> = Error<<T as BulkTable>::Error>;

impl<T: BulkTable<Entry: ShardEntry>, X: Exchange> BulkTable for Sharded<T, X>
where
    T::Error: 'static,
{
    type Error = ErrorOf<T>;
    type Structure = ShardedStructure<T::Structure>;
    type Entry = T::Entry;

    /// All entries of all shards, on every rank: memory for all of them, and as many rounds as the largest
    /// shard has bins. [`Sharded::retrieve_own`] has those of this rank alone.
    fn retrieve_all(&self) -> Result<Vec<T::Entry>, Self::Error> {
        let own = self.retrieve_own();
        let (entries, error) = match own {
            Ok(entries) => (entries, None),
            // Takes part all the same, as others wait.
            Err(error) => (Vec::new(), Some(error)),
        };
        let mut all = Vec::new();
        let mut full = None;
        let gathered = self.rounds().gather(Call::RetrieveAll.kind(), &entries, |words| {
            if full.is_none() && all.try_reserve(words.len() / 2).is_err() {
                full = Some(Refused::OutOfMemory { bytes: 8 * words.len() as u64 });
            }
            if full.is_none() {
                all.extend(words.chunks_exact(2).map(|pair| T::Entry::from_words([pair[0], pair[1]])));
            }
        });
        gathered.map_err(|lost| Call::RetrieveAll.lost(lost))?;
        match (error, full) {
            (Some(error), _) => Err(error),
            (_, Some(full)) => Err(full.into()),
            _ => Ok(all),
        }
    }

    fn len(&self) -> Result<u64, Self::Error> {
        let own = self.shard.len();
        let all = self.words(Call::Len, own.as_ref().map_or(0, |len| *len))?;
        own.map_err(Error::Shard)?;
        Ok(all.iter().sum())
    }

    fn stats(&self) -> Result<StatsOf<Self>, Self::Error> {
        self.all_stats()
    }

    /// Not collective.
    fn geometry(&self) -> GeometryOf<Self> {
        self.size()
    }

    fn clear(&mut self) -> Result<(), Self::Error> {
        let cleared = self.shard.clear();
        // No rank goes on before all shards are empty.
        self.words(Call::Clear, 0)?;
        cleared.map_err(Error::Shard)
    }
}

/// The keys of items of one word.
pub(super) fn keys_of<K: TableKey>(items: &[u64]) -> Result<Vec<K>, Refused> {
    let mut keys = room(items.len())?;
    keys.extend(items.iter().map(|&word| key_of::<K>(word)));
    Ok(keys)
}

/// The keys and values of items of two words.
pub(super) fn pairs_of<K: TableKey, V: TableValue<u64>>(items: &[u64]) -> Result<(Vec<K>, Vec<V>), Refused> {
    let (mut keys, mut values) = (room(items.len() / 2)?, room(items.len() / 2)?);
    for pair in items.chunks_exact(2) {
        keys.push(key_of(pair[0]));
        values.push(V::from_word(pair[1]));
    }
    Ok((keys, values))
}

/// Answers that have a code alone.
pub(super) fn codes<A>(answers: impl IntoIterator<Item = A>, code: impl Fn(A) -> u8) -> Said {
    Said { codes: answers.into_iter().map(code).collect(), values: Vec::new() }
}

/// Answers that have a value besides their code.
pub(super) fn valued(answers: impl IntoIterator<Item = (u8, u64)>) -> Said {
    let (codes, values) = answers.into_iter().unzip();
    Said { codes, values }
}

impl<T: BulkTable, X: Exchange> Sharded<T, X> {
    /// The outcomes of codes. A rank of another version may send codes that are none: no answer can be
    /// trusted then.
    pub(super) fn outcomes<A>(
        &self,
        call: Call,
        outcomes: impl IntoIterator<Item = Option<A>>,
    ) -> Result<Vec<A>, ErrorOf<T>> {
        let all: Option<Vec<A>> = outcomes.into_iter().collect();
        let rank = self.rank();
        all.ok_or_else(|| call.lost(self.rounds().lose(Why::Malformed, rank)))
    }

    /// A batch of pairs.
    pub(super) fn pairs<K: TableKey, V: TableValue<u64>, A>(
        &self,
        call: Call,
        (keys, values): (&[K], &[V]),
        of: impl Fn(u8) -> Option<A>,
        run: impl Fn(&T, &[K], &[V]) -> Result<Said, T::Error>,
    ) -> Result<Outcomes<A>, ErrorOf<T>> {
        let both = same_length(keys, "values", values).map(|()| keys);
        let put = |place: usize, message: &mut Vec<u64>| message.push(values[place].to_word());
        let said = self.batch(call, both, put, |shard, items| {
            let (keys, values) = pairs_of(items)?;
            run(shard, &keys, &values)
        })?;
        Ok(self.outcomes(call, said.codes.into_iter().map(of))?.into())
    }

    /// A batch of keys.
    pub(super) fn keys<K: TableKey>(
        &self,
        call: Call,
        keys: &[K],
        run: impl Fn(&T, &[K]) -> Result<Said, T::Error>,
    ) -> Result<Said, ErrorOf<T>> {
        self.batch(call, Ok(keys), |_, _| (), |shard, items| run(shard, &keys_of(items)?))
    }
}

impl<K, V, T, X> BulkMap<K, V> for Sharded<T, X>
where
    K: TableKey,
    V: TableValue<u64>,
    T: BulkMap<K, V, Error: 'static>,
    X: Exchange,
{
    fn insert_unique(&self, keys: &[K], values: &[V]) -> Result<Outcomes<Insert>, Self::Error> {
        self.pairs(Call::InsertUnique, (keys, values), Insert::from_code, |shard, keys, values| {
            Ok(codes(shard.insert_unique(keys, values)?, Insert::code))
        })
    }

    fn insert_or_assign(&self, keys: &[K], values: &[V]) -> Result<Outcomes<Assign>, Self::Error> {
        self.pairs(Call::InsertOrAssign, (keys, values), Assign::from_code, |shard, keys, values| {
            Ok(codes(shard.insert_or_assign(keys, values)?, Assign::code))
        })
    }

    fn search(&self, keys: &[K]) -> Result<Vec<Option<V>>, Self::Error> {
        let said = self.keys(Call::Search, keys, |shard, keys| {
            let found = shard.search(keys)?;
            Ok(valued(found.into_iter().map(|value| value.map_or((0, 0), |value| (1, value.to_word())))))
        })?;
        let pairs = said.codes.into_iter().zip(said.values);
        Ok(pairs.map(|(code, value)| (code == 1).then(|| V::from_word(value))).collect())
    }

    fn contains(&self, keys: &[K]) -> Result<Vec<bool>, Self::Error> {
        let said =
            self.keys(Call::Contains, keys, |shard, keys| Ok(codes(shard.contains(keys)?, u8::from)))?;
        Ok(said.codes.into_iter().map(|code| code == 1).collect())
    }

    fn count(&self, keys: &[K]) -> Result<Vec<u32>, Self::Error> {
        let said = self.keys(Call::Count, keys, |shard, keys| {
            Ok(valued(shard.count(keys)?.into_iter().map(|count| (0, count.into()))))
        })?;
        Ok(said.values.into_iter().map(|count| count as u32).collect())
    }

    fn delete(&self, keys: &[K]) -> Result<Vec<Delete>, Self::Error> {
        let said =
            self.keys(Call::Delete, keys, |shard, keys| Ok(codes(shard.delete(keys)?, Delete::code)))?;
        self.outcomes(Call::Delete, said.codes.into_iter().map(Delete::from_code))
    }

    fn mixed(&self, ops: &[Op], keys: &[K], values: &[V]) -> Result<Outcomes<Answer<V>>, Self::Error> {
        let all = same_length(keys, "operations", ops).and_then(|()| same_length(keys, "values", values));
        let put = |place: usize, message: &mut Vec<u64>| {
            message.extend([values[place].to_word(), ops[place].code().into()]);
        };
        let said = self.batch(Call::Mixed, all.map(|()| keys), put, |shard, items| {
            let len = items.len() / 3;
            let (mut ops, mut keys, mut values) = (room(len)?, room(len)?, room(len)?);
            for item in items.chunks_exact(3) {
                keys.push(key_of::<K>(item[0]));
                values.push(V::from_word(item[1]));
                ops.push(Op::from_code(item[2] as u8).unwrap_or(Op::Search));
            }
            let said = shard.mixed(&ops, &keys, &values)?;
            Ok(valued(said.into_iter().map(|answer| match answer {
                Answer::Insert(said) => (said.code(), 0),
                Answer::Assign(said) => (said.code(), 0),
                Answer::Delete(said) => (said.code(), 0),
                Answer::Search(found) => found.map_or((0, 0), |value| (1, value.to_word())),
            })))
        })?;
        let answers = ops
            .iter()
            .zip(said.codes.iter().zip(&said.values))
            .map(|(&op, (&code, &value))| Answer::new(op, Mixed { code, value: V::from_word(value) }));
        Ok(self.outcomes(Call::Mixed, answers)?.into())
    }
}

impl<K, V, T, X> BulkCounter<K, V> for Sharded<T, X>
where
    K: TableKey,
    V: TableValue<u64> + Integer,
    T: BulkCounter<K, V, Error: 'static>,
    X: Exchange,
{
    /// Adds pairs. Pairs of equal keys in a rank's batch are added up before they travel. A key comes up at
    /// most about once for each few thousand other pairs, so a key that occurs often costs the exchange much
    /// less than an item for each of its pairs. A key that occurs seldom is hardly combined.
    fn insert_or_add(&self, keys: &[K], values: &[V]) -> Result<Outcomes<Add>, Self::Error> {
        let insert = |shard: &T, keys: &[K], values: &[V]| shard.insert_or_add(keys, values);
        self.insert_combined(Update::Add, (keys, values), insert)
    }
}

impl<K, V, T, X> BulkUpdate<K, V> for Sharded<T, X>
where
    K: TableKey,
    V: TableValue<u64> + Unsigned,
    T: BulkUpdate<K, V, Error: 'static>,
    X: Exchange,
{
    /// Changes values. All ranks give the same `update`. Pairs of equal keys in a rank's batch are
    /// combined before they travel, as those of [`insert_or_add`](BulkCounter::insert_or_add).
    fn insert_or_update(
        &self,
        update: Update,
        keys: &[K],
        values: &[V],
    ) -> Result<Outcomes<Add>, Self::Error> {
        let insert = |shard: &T, keys: &[K], values: &[V]| shard.insert_or_update(update, keys, values);
        self.insert_combined(update, (keys, values), insert)
    }
}

impl<T: BulkTable<Entry: ShardEntry, Error: 'static>, X: Exchange> Sharded<T, X> {
    /// Inserts pairs whose equal keys are combined before they travel; `insert` puts them into a shard.
    fn insert_combined<K: TableKey, V: TableValue<u64>>(
        &self,
        update: Update,
        (keys, values): (&[K], &[V]),
        insert: impl Fn(&T, &[K], &[V]) -> Result<Outcomes<Add>, T::Error>,
    ) -> Result<Outcomes<Add>, ErrorOf<T>> {
        let call = Call::updating(update);
        let combined = same_length(keys, "values", values).and_then(|()| Combined::new(update, keys, values));
        let (combined, refused) = match combined {
            Ok(combined) => (combined, None),
            Err(refused) => (Combined::default(), Some(refused)),
        };
        let put = |place: usize, message: &mut Vec<u64>| message.push(combined.values[place].to_word());
        let keys = refused.map_or(Ok(combined.keys.as_slice()), Err);
        let said = self.batch(call, keys, put, |shard, items| {
            let (keys, values): (Vec<K>, Vec<V>) = pairs_of(items)?;
            Ok(codes(insert(shard, &keys, &values)?, Add::code))
        })?;
        let said = self.outcomes(call, said.codes.into_iter().map(Add::from_code))?;
        Ok(combined.outcomes(&said)?.into())
    }
}

impl<K, T, X> BulkSet<K> for Sharded<T, X>
where
    K: TableKey,
    T: BulkSet<K, Error: 'static>,
    X: Exchange,
{
    fn insert(&self, keys: &[K]) -> Result<Outcomes<Insert>, Self::Error> {
        let said =
            self.keys(Call::InsertKey, keys, |shard, keys| Ok(codes(shard.insert(keys)?, Insert::code)))?;
        Ok(self.outcomes(Call::InsertKey, said.codes.into_iter().map(Insert::from_code))?.into())
    }

    fn contains(&self, keys: &[K]) -> Result<Vec<bool>, Self::Error> {
        let said =
            self.keys(Call::Contains, keys, |shard, keys| Ok(codes(shard.contains(keys)?, u8::from)))?;
        Ok(said.codes.into_iter().map(|code| code == 1).collect())
    }

    fn delete(&self, keys: &[K]) -> Result<Vec<Delete>, Self::Error> {
        let said =
            self.keys(Call::Delete, keys, |shard, keys| Ok(codes(shard.delete(keys)?, Delete::code)))?;
        self.outcomes(Call::Delete, said.codes.into_iter().map(Delete::from_code))
    }
}
