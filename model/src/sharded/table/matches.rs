//! All pairs of a key at once: the calls of multimaps.

use super::Sharded;
use super::bulk::{ErrorOf, codes, keys_of, pairs_of, valued};
use super::calls::Call;
use crate::bits::{TableKey, TableValue};
use crate::host::room;
use crate::host::{BulkMap, BulkMatches, BulkMultimap, Matches, Outcomes, Refused};
use crate::outcome::Insert;
use crate::sharded::exchange::Exchange;
use crate::sharded::rounds::Said;
use alloc::vec::Vec;

impl<K, V, T, X> BulkMatches<K, V> for Sharded<T, X>
where
    K: TableKey,
    V: TableValue<u64>,
    T: BulkMatches<K, V, Error: 'static>,
    X: Exchange,
{
    /// The values of all pairs of each key, in no particular order: a batch that counts them, and one in
    /// which each value is an item. Keys must not be changed meanwhile.
    fn search_all(&self, keys: &[K]) -> Result<Matches<V>, Self::Error> {
        let counts = self.count(keys)?;
        let wanted = Wanted::new(keys, &counts);
        let (items, refused) = match wanted {
            Ok(wanted) => (wanted, None),
            Err(refused) => (Wanted::default(), Some(refused)),
        };
        let put = |place: usize, message: &mut Vec<u64>| message.push(items.nth[place]);
        let of = refused.map_or(Ok(items.keys.as_slice()), Err);
        let said = self.batch(Call::SearchAll, of, put, values_of::<K, V, T>)?;
        Ok(found(&counts, &said)?)
    }

    fn delete_all(&self, keys: &[K]) -> Result<Vec<u32>, Self::Error> {
        let said = self.keys(Call::DeleteAll, keys, |shard, keys| {
            Ok(valued(shard.delete_all(keys)?.into_iter().map(|count| (0, count.into()))))
        })?;
        Ok(said.values.into_iter().map(|count| count as u32).collect())
    }
}

impl<K, V, T, X> BulkMultimap<K, V> for Sharded<T, X>
where
    K: TableKey,
    V: TableValue<u64>,
    T: BulkMultimap<K, V, Error: 'static>,
    X: Exchange,
{
    fn insert(&self, keys: &[K], values: &[V]) -> Result<Outcomes<Insert>, ErrorOf<T>> {
        self.pairs(Call::Insert, (keys, values), Insert::from_code, |shard, keys: &[K], values: &[V]| {
            Ok(codes(shard.insert(keys, values)?, Insert::code))
        })
    }
}

/// An item for each value that is expected: its key, and which of the key's values it is.
struct Wanted<K> {
    keys: Vec<K>,
    nth: Vec<u64>,
}

impl<K> Default for Wanted<K> {
    fn default() -> Self {
        Self { keys: Vec::new(), nth: Vec::new() }
    }
}

impl<K: Copy> Wanted<K> {
    fn new(keys: &[K], counts: &[u32]) -> Result<Self, Refused> {
        let all = counts.iter().map(|&count| count as usize).sum();
        let mut wanted = Self { keys: room(all)?, nth: room(all)? };
        for (&key, &count) in keys.iter().zip(counts) {
            wanted.keys.extend((0..count).map(|_| key));
            wanted.nth.extend(0..u64::from(count));
        }
        Ok(wanted)
    }
}

/// The values that items want, of a shard: value number `nth` of a key is that in the order of its bits.
fn values_of<K, V, T>(shard: &T, items: &[u64]) -> Result<Said, T::Error>
where
    K: TableKey,
    V: TableValue<u64>,
    T: BulkMatches<K, V>,
{
    let (keys, nth): (Vec<K>, Vec<u64>) = pairs_of(items)?;
    // Items of one key that one rank sent follow each other.
    let mut distinct = keys_of::<K>(&[])?;
    distinct
        .try_reserve_exact(keys.len())
        .map_err(|_| Refused::OutOfMemory { bytes: 8 * keys.len() as u64 })?;
    for &key in &keys {
        if distinct.last() != Some(&key) {
            distinct.push(key);
        }
    }
    let found = shard.search_all(&distinct)?;
    let mut sorted = room::<u64>(found.values.len())?;
    sorted.extend(found.values.iter().map(|value| value.to_word()));
    for of in found.offsets.windows(2) {
        sorted[of[0] as usize..of[1] as usize].sort_unstable();
    }
    let mut number = 0;
    Ok(valued(keys.iter().zip(nth).map(|(key, nth)| {
        number += usize::from(distinct[number] != *key);
        let (first, last) = (found.offsets[number], found.offsets[number + 1]);
        let at = first.saturating_add(nth);
        if at < last { (1, sorted[at as usize]) } else { (0, 0) }
    })))
}

/// The values of each key. One that was deleted since it was counted is missing.
fn found<V: TableValue<u64>>(counts: &[u32], said: &Said) -> Result<Matches<V>, Refused> {
    let mut matches = Matches { offsets: room(counts.len() + 1)?, values: room(said.values.len())? };
    matches.offsets.push(0);
    let mut answers = said.codes.iter().zip(&said.values);
    for &count in counts {
        let there = answers.by_ref().take(count as usize).filter(|(code, _)| **code == 1);
        matches.values.extend(there.map(|(_, &value)| V::from_word(value)));
        matches.offsets.push(matches.values.len() as u64);
    }
    Ok(matches)
}
