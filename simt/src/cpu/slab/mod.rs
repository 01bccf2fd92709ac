//! Maps and sets in chains of slabs.

mod store;
mod table;

pub use store::{SlabEntry, SlabStore, WidePairStore};
pub use table::{SLAB_LANES, SlabWords};

use super::error::Error;
use super::grid::run;
use super::map::Map;
use super::packed::KeyStore;
use super::set::Set;
use super::warp::CpuWarp;
use rayon::prelude::*;
use table::LANE_SLOTS;
use warpproof_model::host::{BulkFlush, BulkMatches, BulkMultimap, Matches, admit};
use warpproof_model::outcome::Insert;
use warpproof_model::slab::{Multi, Multiplicity, Unique};
use warpproof_model::{Key, UserKey, Word};

/// A concurrent map in CPU memory; with `M` = [`Multi`] a [`SlabMultimap`].
///
/// `SlabMap<u32, u32>` or `SlabMap<u64, u64>`; bulk operations are those of
/// [`warpproof_model::host::BulkMap`]. As many pairs fit as it was made for, whatever their keys are. The
/// width of a warp (`L` lanes of `S` slots) is a matter of speed, not of meaning.
///
/// ```
/// use warpproof_simt::cpu::SlabMap;
/// use warpproof_model::host::BulkMap;
///
/// let map = SlabMap::<u32, u32>::with_capacity(100)?;
/// map.insert_unique(&[1, 2, 3], &[10, 20, 30])?;
/// assert_eq!(map.search(&[2, 4])?, [Some(20), None]);
/// # Ok::<(), warpproof_simt::cpu::Error>(())
/// ```
pub type SlabMap<K, V, const L: usize = SLAB_LANES, const S: usize = LANE_SLOTS, M = Unique> =
    Map<K, V, SlabWords<<(K, V) as SlabEntry>::Store, L, S, M>>;

/// A concurrent map in CPU memory in which a key may have several pairs.
pub type SlabMultimap<K, V, const L: usize = SLAB_LANES, const S: usize = LANE_SLOTS> =
    SlabMap<K, V, L, S, Multi>;

/// A concurrent set of u32 keys in CPU memory, in which as many fit as it was made for.
pub type SlabSet<const L: usize = SLAB_LANES, const S: usize = LANE_SLOTS> =
    Set<u32, SlabWords<KeyStore, L, S>>;

impl<K, V, St, M, const L: usize, const S: usize> BulkMatches<K, V> for Map<K, V, SlabWords<St, L, S, M>>
where
    K: Key,
    V: Word,
    St: SlabStore<Key = K, Value = V>,
    M: Multiplicity,
{
    fn search_all(&self, keys: &[K]) -> Result<Matches<V>, Error> {
        // One pass: each chunk of keys collects its values, then the chunks are put together.
        let counts_and_values = |keys: &[K]| {
            let mut counts = Vec::with_capacity(keys.len());
            let mut values = Vec::new();
            let view = self.table.view();
            let mut warp = CpuWarp::<L>::new(0);
            for key in keys.iter().filter_map(|&k| UserKey::new(k)) {
                let base = values.len();
                let count = view.search_all(&mut warp, key, |_, number, value| {
                    // A repeated scan starts again at 0.
                    values.truncate(base + number as usize);
                    values.push(value);
                });
                values.truncate(base + count as usize);
                counts.push(count);
            }
            (counts, values)
        };
        admit(keys)?;
        let parts: Vec<_> = keys.par_chunks(4096).map(counts_and_values).collect();
        let mut offsets = Vec::with_capacity(keys.len() + 1);
        let mut end = 0u64;
        offsets.push(end);
        for count in parts.iter().flat_map(|(counts, _)| counts) {
            end += *count as u64;
            offsets.push(end);
        }
        let values = parts.into_iter().flat_map(|(_, values)| values).collect();
        Ok(Matches { offsets, values })
    }

    fn delete_all(&self, keys: &[K]) -> Result<Vec<u32>, Error> {
        run(&self.table, keys, (), 0, |t, w, key, _| t.delete_all(w, key))
    }
}

impl<K, V, St, M, const L: usize, const S: usize> BulkFlush for Map<K, V, SlabWords<St, L, S, M>>
where
    K: Key,
    V: Word,
    St: SlabStore<Key = K, Value = V>,
    M: Multiplicity,
{
    fn flush(&mut self) -> Result<u64, Error> {
        Ok(self.table.flush())
    }
}

impl<K, V, St, const L: usize, const S: usize> BulkMultimap<K, V> for Map<K, V, SlabWords<St, L, S, Multi>>
where
    K: Key,
    V: Word,
    St: SlabStore<Key = K, Value = V>,
{
    fn insert(&self, keys: &[K], values: &[V]) -> Result<Vec<Insert>, Error> {
        Self::values_match(keys, values)?;
        run(&self.table, keys, values, Insert::Full, |t, w, key, value| t.insert(w, key, value))
    }
}

impl<St: SlabStore<Key = u32, Value = ()>, const L: usize, const S: usize> BulkFlush
    for Set<u32, SlabWords<St, L, S>>
{
    fn flush(&mut self) -> Result<u64, Error> {
        Ok(self.table.flush())
    }
}
