//! Maps and sets in chains of slabs.

mod store;
mod table;

pub use store::{SlabEntry, SlabStore, WidePairStore};
pub use table::{SLAB_LANES, SlabWords};

use super::error::Error;
use super::grid::{CpuTable, push, run};
use super::map::Map;
use super::packed::KeyStore;
use super::set::Set;
use super::warp::CpuWarp;
use rayon::prelude::*;
use std::collections::TryReserveError;
use table::LANE_SLOTS;
use warpproof_model::bits::{TableKey, TableValue};
use warpproof_model::host::{BulkFlush, BulkMatches, BulkMultimap, Matches, Outcomes};
use warpproof_model::outcome::Insert;
use warpproof_model::slab::{Multi, Multiplicity, Unique};

/// A concurrent map in CPU memory; with `M` = [`Multi`] a [`SlabMultimap`].
///
/// `SlabMap<u32, u32>`, `SlabMap<i64, f64>` and the like; bulk operations are those of
/// [`warpproof_model::host::BulkMap`]. As many pairs fit as it was made for, whatever their keys are. The
/// width of a warp (`L` lanes of `S` slots) only changes the speed.
///
/// ```
/// use warpproof_simt::cpu::SlabMap;
/// use warpproof_model::host::BulkMap;
///
/// let map = SlabMap::<u32, u32>::with_capacity(100)?;
/// map.insert_unique(&[1, 2, 3], &[10, 20, 30])?.all_stored()?;
/// assert_eq!(map.search(&[2, 4])?, [Some(20), None]);
/// # Ok::<(), warpproof_simt::cpu::Error>(())
/// ```
pub type SlabMap<K, V, const L: usize = SLAB_LANES, const S: usize = LANE_SLOTS, M = Unique> =
    Map<K, V, SlabWords<<(K, V) as SlabEntry>::Store, L, S, M>>;

/// A concurrent map in CPU memory in which a key may have several pairs.
///
/// ```
/// use warpproof_simt::cpu::SlabMultimap;
/// use warpproof_model::host::{BulkMatches, BulkMultimap};
///
/// let map = SlabMultimap::<u32, u32>::with_capacity(100)?;
/// map.insert(&[1, 1, 2], &[10, 11, 20])?.all_stored()?;
/// let found = map.search_all(&[1, 3])?;
/// assert_eq!((found.of(0).len(), found.of(1).len()), (2, 0));
/// assert_eq!(found.iter().map(|(_, value)| value).sum::<u32>(), 21);
/// # Ok::<(), warpproof_simt::cpu::Error>(())
/// ```
pub type SlabMultimap<K, V, const L: usize = SLAB_LANES, const S: usize = LANE_SLOTS> =
    SlabMap<K, V, L, S, Multi>;

/// A concurrent set of u32 keys in CPU memory. As many keys fit as it was made for.
///
/// ```
/// use warpproof_simt::cpu::SlabSet;
/// use warpproof_model::host::BulkSet;
///
/// let set: SlabSet = SlabSet::build(&[1, 2, 3])?;
/// assert_eq!(set.contains(&[2, 4])?, [true, false]);
/// # Ok::<(), warpproof_simt::cpu::Error>(())
/// ```
pub type SlabSet<const L: usize = SLAB_LANES, const S: usize = LANE_SLOTS> =
    Set<u32, SlabWords<KeyStore, L, S>>;

/// Keys whose values one thread collects.
const CHUNK: usize = 4096;

impl<K, V, St, M, const L: usize, const S: usize> BulkMatches<K, V> for Map<K, V, SlabWords<St, L, S, M>>
where
    K: TableKey,
    V: TableValue<St::Value>,
    St: SlabStore<Key = K::Bits>,
    M: Multiplicity,
{
    fn search_all(&self, keys: &[K]) -> Result<Matches<V>, Error> {
        // One pass: each chunk of keys collects its values, then the chunks are joined.
        let matches = || {
            let mut chunks = Vec::new();
            chunks.try_reserve_exact(keys.len().div_ceil(CHUNK))?;
            chunks.par_extend(keys.par_chunks(CHUNK).map(|keys| self.matches_of(keys)));
            joined(keys.len(), chunks)
        };
        matches().map_err(|_: TryReserveError| Error::no_memory_for::<(u64, V)>(keys.len()))
    }

    fn delete_all(&self, keys: &[K]) -> Result<Vec<u32>, Error> {
        run(&self.table, keys, (), |t, w, key, _| {
            let (table, key) = t.of(key);
            table.delete_all(w, key)
        })
    }
}

/// How many values each key has, and the values, key after key.
type Counted<V> = (Vec<u32>, Vec<V>);

impl<K, V, St, M, const L: usize, const S: usize> Map<K, V, SlabWords<St, L, S, M>>
where
    K: TableKey,
    V: TableValue<St::Value>,
    St: SlabStore<Key = K::Bits>,
    M: Multiplicity,
{
    /// The values of all pairs of some keys.
    fn matches_of(&self, keys: &[K]) -> Result<Counted<V>, TryReserveError> {
        let (mut counts, mut values) = (Vec::new(), Vec::new());
        counts.try_reserve_exact(keys.len())?;
        let (all, mut warp) = (self.table.all_keys(), CpuWarp::<L>::new(0));
        for &key in keys {
            let (table, key) = all.of(key.to_word());
            let (base, mut room) = (values.len(), Ok(()));
            let count = table.search_all(&mut warp, key, |_, number, value| {
                // A repeated scan starts again at 0.
                values.truncate(base + number as usize);
                push(&mut values, &mut room, V::from_word(value));
            });
            room?;
            values.truncate(base + count as usize);
            counts.push(count);
        }
        Ok((counts, values))
    }
}

/// Joins the values of all chunks of so many keys.
fn joined<V>(
    keys: usize,
    chunks: Vec<Result<Counted<V>, TryReserveError>>,
) -> Result<Matches<V>, TryReserveError> {
    let (mut offsets, mut values) = (Vec::new(), Vec::new());
    offsets.try_reserve_exact(keys + 1)?;
    values.try_reserve_exact(chunks.iter().flatten().map(|(_, values)| values.len()).sum())?;
    let mut end = 0u64;
    offsets.push(end);
    for chunk in chunks {
        let (counts, mut these) = chunk?;
        offsets.extend(counts.iter().map(|&count| {
            end += u64::from(count);
            end
        }));
        values.append(&mut these);
    }
    Ok(Matches { offsets, values })
}

impl<K, V, St, M, const L: usize, const S: usize> BulkFlush for Map<K, V, SlabWords<St, L, S, M>>
where
    K: TableKey,
    V: TableValue<St::Value>,
    St: SlabStore<Key = K::Bits>,
    M: Multiplicity,
{
    fn flush(&mut self) -> Result<u64, Error> {
        Ok(self.table.flush())
    }
}

impl<K, V, St, const L: usize, const S: usize> BulkMultimap<K, V> for Map<K, V, SlabWords<St, L, S, Multi>>
where
    K: TableKey,
    V: TableValue<St::Value>,
    St: SlabStore<Key = K::Bits>,
{
    fn insert(&self, keys: &[K], values: &[V]) -> Result<Outcomes<Insert>, Error> {
        Self::values_match(keys, values)?;
        run(&self.table, keys, values, |t, w, key, value| {
            let (table, key) = t.of(key);
            table.insert(w, key, value.to_word())
        })
        .map(Outcomes::from)
    }
}

impl<St: SlabStore<Key = u32, Value = ()>, const L: usize, const S: usize> BulkFlush
    for Set<u32, SlabWords<St, L, S>>
{
    fn flush(&mut self) -> Result<u64, Error> {
        Ok(self.table.flush())
    }
}
