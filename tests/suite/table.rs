//! A map or a set under test, and what is checked of both alike.

use super::number::{Number, numbers, repeat, values};
use std::collections::HashMap;
use std::path::Path;
use warpproof::any::{Error, Geometry, Map, Set, Stats};
use warpproof::model::host::{BulkMap, BulkSet, BulkTable, Outcomes};
use warpproof::model::outcome::{Delete, Insert};

/// A map or a set under test. A set stores no values: where a call takes some, it leaves them.
pub(crate) enum Table<K> {
    Map(Map<K, K>),
    Set(Set<K>),
}

/// Calls that are those of the map or the set.
macro_rules! of_both {
    ($(fn $call:ident(&self $(, $keys:ident: $from:ty)?) -> $to:ty;)*) => {
        $(pub(crate) fn $call(&self $(, $keys: $from)?) -> $to {
            match self {
                Self::Map(map) => map.$call($($keys)?).unwrap(),
                Self::Set(set) => set.$call($($keys)?).unwrap(),
            }
        })*
    };
}

impl<K: Number> Table<K> {
    of_both! {
        fn contains(&self, keys: &[K]) -> Vec<bool>;
        fn delete(&self, keys: &[K]) -> Vec<Delete>;
        fn len(&self) -> u64;
        fn is_empty(&self) -> bool;
        fn stats(&self) -> Stats;
    }

    /// The map, if it is one.
    pub(crate) fn map(&self) -> Option<&Map<K, K>> {
        match self {
            Self::Map(map) => Some(map),
            Self::Set(_) => None,
        }
    }

    /// Adds entries whose keys are absent.
    pub(crate) fn insert(&self, keys: &[K], values: &[K]) -> Outcomes<Insert> {
        match self {
            Self::Map(map) => map.insert_unique(keys, values).unwrap(),
            Self::Set(set) => set.insert(keys).unwrap(),
        }
    }

    /// The outcome of the insert of one key, whose value is the key.
    pub(crate) fn insert_one(&self, key: K) -> Insert {
        self.insert(&[key], &[key])[0]
    }

    /// Deletes keys that are there.
    pub(crate) fn delete_those(&self, keys: &[K]) {
        assert!(self.delete(keys).iter().all(|&outcome| outcome == Delete::Deleted), "a key was not there");
    }

    pub(crate) fn geometry(&self) -> Geometry {
        match self {
            Self::Map(map) => map.geometry(),
            Self::Set(set) => set.geometry(),
        }
    }

    pub(crate) fn clear(&mut self) {
        match self {
            Self::Map(map) => map.clear().unwrap(),
            Self::Set(set) => set.clear().unwrap(),
        }
    }

    /// Reclaims the slots of deleted entries; how many slabs. `None` if the table needs no flush.
    pub(crate) fn flush(&mut self) -> Option<u64> {
        let flush = match self {
            Self::Map(map) => map.flush(),
            Self::Set(set) => set.flush(),
        };
        flush.map(|table| table.flush().unwrap())
    }

    /// Whether there are files of such tables.
    pub(crate) fn is_saved(&self) -> bool {
        match self {
            Self::Map(map) => map.save().is_some(),
            Self::Set(set) => set.save().is_some(),
        }
    }

    /// Saves the table, in a row of those that are saved.
    pub(crate) fn save(&self, path: &Path) -> Result<(), Error> {
        let save = match self {
            Self::Map(map) => map.save(),
            Self::Set(set) => set.save(),
        };
        save.expect("a body about files runs for others").save(path)
    }

    /// A pair as an entry of such a table.
    pub(crate) fn entry(&self, (key, value): (K, K)) -> (K, Option<K>) {
        (key, self.map().map(|_| value))
    }

    /// All entries, sorted.
    pub(crate) fn entries(&self) -> Vec<(K, Option<K>)> {
        let mut entries: Vec<_> = match self {
            Self::Map(map) => map.retrieve_all().unwrap().into_iter().map(|(k, v)| (k, Some(v))).collect(),
            Self::Set(set) => set.retrieve_all().unwrap().into_iter().map(|key| (key, None)).collect(),
        };
        entries.sort_unstable();
        entries
    }

    /// All entries, in the order of their slots. `None` if the table knows none.
    pub(crate) fn in_order(&self) -> Option<Vec<(K, Option<K>)>> {
        match self {
            Self::Map(map) => {
                let pairs = map.ordered()?.retrieve_all_in_order().unwrap();
                Some(pairs.into_iter().map(|(key, value)| (key, Some(value))).collect())
            }
            Self::Set(set) => {
                let keys = set.ordered()?.retrieve_all_in_order().unwrap();
                Some(keys.into_iter().map(|key| (key, None)).collect())
            }
        }
    }

    /// Inserts keys that are absent; what stands there then.
    pub(crate) fn fill(&self, keys: &[K]) -> HashMap<K, K> {
        let stored = values(keys);
        let done = self.insert(keys, &stored);
        assert!(done.iter().all(|&outcome| outcome != Insert::Present), "no key was there");
        let pairs = keys.iter().copied().zip(stored).zip(done);
        pairs.filter(|(_, outcome)| *outcome == Insert::Inserted).map(|(pair, _)| pair).collect()
    }

    /// Inserts that race, so many of each key, each with a different value: which one won, and how many found
    /// no room. No key is inserted twice.
    pub(crate) fn race(&self, few: &[K], times: usize) -> (HashMap<K, K>, usize) {
        let many = repeat(few, times);
        let values = numbers::<K>(many.len());
        let (mut winners, mut left_out) = (HashMap::new(), 0);
        for ((&key, value), outcome) in many.iter().zip(&values).zip(self.insert(&many, &values)) {
            match outcome {
                Insert::Inserted => assert!(winners.insert(key, *value).is_none(), "key {key:?} twice"),
                Insert::Present => {}
                Insert::Full => left_out += 1,
            }
        }
        (winners, left_out)
    }

    /// Checks that the table holds exactly these entries, each once, and none of the other `asked` keys, and
    /// that its statistics say so.
    pub(crate) fn holds(&self, expected: &HashMap<K, K>, asked: &[K]) {
        if let Some(map) = self.map() {
            for (key, found) in asked.iter().zip(map.search(asked).unwrap()) {
                assert_eq!(found, expected.get(key).copied(), "key {key:?}");
            }
            let counts: Vec<u32> = asked.iter().map(|key| expected.contains_key(key).into()).collect();
            assert_eq!(map.count(asked).unwrap(), counts);
        } else {
            let is_in: Vec<bool> = asked.iter().map(|key| expected.contains_key(key)).collect();
            assert_eq!(self.contains(asked), is_in);
        }
        let mut right: Vec<_> = expected.iter().map(|(&key, &value)| self.entry((key, value))).collect();
        right.sort_unstable();
        assert_eq!(self.entries(), right);
        let (live, stats) = (right.len() as u64, self.stats());
        assert_eq!((self.len(), stats.live()), (live, live));
        match stats {
            Stats::Hopscotch(stats) => assert_eq!(stats.distances.iter().sum::<u64>(), live),
            stats => assert!(live + stats.tombstones() <= self.geometry().slots(), "{stats:?}"),
        }
    }
}
