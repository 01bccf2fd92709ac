//! Tables from iterators, and iterators over tables.

use super::dynamic::Dynamic;
use super::error::Error;
use super::grid::CpuTable;
use super::map::Map;
use super::open::FixedBuckets;
use super::set::Set;
use core::fmt;
use warpproof_model::AllKeys as _;
use warpproof_model::bits::{TableKey, TableValue};
use warpproof_model::host::structure::Open;
use warpproof_model::host::{BulkMap, BulkSet};

/// All entries of a table of one size, in no particular order. See [`Map::iter`] and [`Set::iter`].
pub struct Iter<'a, T: CpuTable, E> {
    table: &'a T,
    /// The next part of the table.
    part: u32,
    /// The entries of the part before that are left.
    entries: std::vec::IntoIter<E>,
    of: fn(T::Key, T::Value) -> E,
}

impl<'a, T: CpuTable, E> Iter<'a, T, E> {
    fn new(table: &'a T, of: fn(T::Key, T::Value) -> E) -> Self {
        Self { table, part: 0, entries: Vec::new().into_iter(), of }
    }
}

impl<T: CpuTable, E> Iterator for Iter<'_, T, E> {
    type Item = E;

    fn next(&mut self) -> Option<E> {
        loop {
            if let Some(entry) = self.entries.next() {
                return Some(entry);
            }
            let all = self.table.all_keys();
            if self.part >= all.parts() {
                return None;
            }
            let mut entries = Vec::new();
            let warp = &mut self.table.warp(0);
            all.visit(&mut **warp, self.part, |_, _, key, value| entries.push((self.of)(key, value)));
            self.entries = entries.into_iter();
            self.part += 1;
        }
    }
}

impl<T: CpuTable, E> fmt::Debug for Iter<'_, T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Iter").field("part", &self.part).finish_non_exhaustive()
    }
}

impl<K: TableKey, V: TableValue<T::Value>, T: CpuTable<Key = K::Bits>> Map<K, V, T> {
    /// All pairs, in no particular order, read part by part while the iterator runs. A pair that is inserted,
    /// deleted or moved meanwhile may be missing, or come twice.
    ///
    /// ```
    /// use warpproof_simt::cpu::OpenMap;
    ///
    /// let map = OpenMap::<u32, u32>::try_from_iter([(1, 10), (2, 20)])?;
    /// assert_eq!(map.iter().map(|(_, value)| value).sum::<u32>(), 30);
    /// # Ok::<(), warpproof_simt::cpu::Error>(())
    /// ```
    pub fn iter(&self) -> Iter<'_, T, (K, V)> {
        Iter::new(&self.table, |key, value| (K::from_word(key), V::from_word(value)))
    }

    /// A map of the pairs of an iterator, made for as many: as [`build`](Self::build).
    ///
    /// # Errors
    /// As `build`.
    pub fn try_from_iter(pairs: impl IntoIterator<Item = (K, V)>) -> Result<Self, Error> {
        let (keys, values): (Vec<K>, Vec<V>) = pairs.into_iter().unzip();
        Self::build(&keys, &values)
    }
}

impl<'a, K: TableKey, V: TableValue<T::Value>, T: CpuTable<Key = K::Bits>> IntoIterator for &'a Map<K, V, T> {
    type Item = (K, V);
    type IntoIter = Iter<'a, T, (K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<K: TableKey, T: CpuTable<Key = K::Bits, Value = ()>> Set<K, T> {
    /// All keys, in no particular order: as [`Map::iter`].
    pub fn iter(&self) -> Iter<'_, T, K> {
        Iter::new(&self.table, |key, ()| K::from_word(key))
    }

    /// A set of the keys of an iterator, made for as many: as [`build`](Self::build).
    ///
    /// # Errors
    /// As `build`.
    pub fn try_from_iter(keys: impl IntoIterator<Item = K>) -> Result<Self, Error> {
        Self::build(&keys.into_iter().collect::<Vec<K>>())
    }
}

impl<'a, K: TableKey, T: CpuTable<Key = K::Bits, Value = ()>> IntoIterator for &'a Set<K, T> {
    type Item = K;
    type IntoIter = Iter<'a, T, K>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<K, V, T> Dynamic<Map<K, V, T>>
where
    K: TableKey,
    V: TableValue<T::Value>,
    T: FixedBuckets<Key = K::Bits, Structure = Open> + Send,
{
    /// A map of the pairs of an iterator, stored a part at a time: as
    /// [`try_extend`](BulkMap::try_extend).
    ///
    /// # Errors
    /// As [`Dynamic::with_capacity`] and `try_extend`.
    pub fn try_from_iter(pairs: impl IntoIterator<Item = (K, V)>) -> Result<Self, Error> {
        let pairs = pairs.into_iter();
        let map = Self::with_capacity(pairs.size_hint().0 as u64)?;
        map.try_extend(pairs)?;
        Ok(map)
    }
}

impl<K, T> Dynamic<Set<K, T>>
where
    K: TableKey,
    T: FixedBuckets<Key = K::Bits, Value = (), Structure = Open> + Send,
{
    /// A set of the keys of an iterator, stored a part at a time: as [`try_extend`](BulkSet::try_extend).
    ///
    /// # Errors
    /// As [`Dynamic::with_capacity`] and `try_extend`.
    pub fn try_from_iter(keys: impl IntoIterator<Item = K>) -> Result<Self, Error> {
        let keys = keys.into_iter();
        let set = Self::with_capacity(keys.size_hint().0 as u64)?;
        set.try_extend(keys)?;
        Ok(set)
    }
}
