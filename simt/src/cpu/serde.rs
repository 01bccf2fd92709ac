//! Tables as data of serde (feature `serde`): a map is a map of its pairs, a set a sequence of its keys, in
//! no particular order. Seed and size are not kept: what is read is a new table, made for its entries.
//!
//! A multimap is a map in which a key may occur more than once.

use super::dynamic::Dynamic;
use super::error::Error;
use super::grid::CpuTable;
use super::map::Map;
use super::open::FixedBuckets;
use super::set::Set;
use core::fmt;
use core::marker::PhantomData;
use serde::de::{Error as _, MapAccess, SeqAccess, Visitor};
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use warpproof_model::bits::{TableKey, TableValue};
use warpproof_model::host::BulkTable;
use warpproof_model::host::structure::Open;

/// Reads the pairs of a map.
struct Pairs<K, V>(PhantomData<(K, V)>);

impl<'de, K: Deserialize<'de>, V: Deserialize<'de>> Visitor<'de> for Pairs<K, V> {
    type Value = Vec<(K, V)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map of keys and values")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = map.next_entry()? {
            pairs.try_reserve(1).map_err(A::Error::custom)?;
            pairs.push(pair);
        }
        Ok(pairs)
    }
}

/// Reads the keys of a set.
struct Keys<K>(PhantomData<K>);

impl<'de, K: Deserialize<'de>> Visitor<'de> for Keys<K> {
    type Value = Vec<K>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a sequence of keys")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut keys: A) -> Result<Self::Value, A::Error> {
        let mut all = Vec::new();
        while let Some(key) = keys.next_element()? {
            all.try_reserve(1).map_err(A::Error::custom)?;
            all.push(key);
        }
        Ok(all)
    }
}

macro_rules! data {
    ($($table:ty, <$($value:ident)?>, [$($words:tt)*], $collect:ident, $read:ident($visitor:expr);)*) => { $(
        impl<K, $($value,)? T> Serialize for $table
        where
            K: TableKey + Serialize,
            $($value: TableValue<T::Value> + Serialize,)?
            T: $($words)*,
        {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.$collect(self.retrieve_all().map_err(S::Error::custom)?)
            }
        }

        impl<'de, K, $($value,)? T> Deserialize<'de> for $table
        where
            K: TableKey + Deserialize<'de>,
            $($value: TableValue<T::Value> + Deserialize<'de>,)?
            T: $($words)*,
        {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let entries = deserializer.$read($visitor)?;
                Self::try_from_iter(entries).map_err(|error: Error| D::Error::custom(error))
            }
        }
    )* };
}

data! {
    Map<K, V, T>, <V>, [CpuTable<Key = K::Bits>], collect_map, deserialize_map(Pairs(PhantomData));
    Set<K, T>, <>, [CpuTable<Key = K::Bits, Value = ()>], collect_seq, deserialize_seq(Keys(PhantomData));
    Dynamic<Map<K, V, T>>, <V>, [FixedBuckets<Key = K::Bits, Structure = Open> + Send],
        collect_map, deserialize_map(Pairs(PhantomData));
    Dynamic<Set<K, T>>, <>, [FixedBuckets<Key = K::Bits, Value = (), Structure = Open> + Send],
        collect_seq, deserialize_seq(Keys(PhantomData));
}
