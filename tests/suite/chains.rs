//! Requirements of tables with chains of slabs: tombstones, flushes, long chains, an exhausted pool, and
//! statistics.

use super::facts::typed;
use super::number::{Number, slot_keys};
use super::row::Row;
use super::table::Table;
use super::tables::MANY;
use warpproof::model::host::{BulkMap, BulkTable, SlabGeometry, SlabStats};
use warpproof::model::outcome::Insert;

/// The backend's slab size, with these numbers of slabs.
fn of_slabs<K: Number>(row: &Row<K>, buckets: u32, pool: u32) -> SlabGeometry {
    SlabGeometry { buckets, pool, ..typed(row.size(1, 0.6)) }
}

fn stats<K: Number>(table: &Table<K>) -> SlabStats {
    table.stats().try_into().expect("chains of slabs")
}

fn flush<K: Number>(table: &mut Table<K>) -> u64 {
    table.flush().expect("chains of slabs are flushed")
}

/// The outcomes of the inserts of keys, with themselves as values, are all this one.
fn all_say<K: Number>(table: &Table<K>, keys: &[K], said: Insert) {
    assert!(table.insert(keys, keys).iter().all(|&outcome| outcome == said), "not all say {said:?}");
}

pub(crate) fn flush_reclaims_tombstones_and_slabs<K: Number>(row: &Row<K>) {
    let keys = slot_keys::<K>(MANY, 0);
    // A load of 3: most chains have several slabs.
    let mut table = row.table(row.size(MANY, 3.0));
    all_say(&table, &keys, Insert::Inserted);
    let full = stats(&table);
    let (gone, kept) = keys.split_at(MANY / 4 * 3);
    table.delete_those(gone);
    assert_eq!(stats(&table).slabs, full.slabs);
    let freed = flush(&mut table);
    let after = stats(&table);
    assert_eq!((after.live, after.tombstones), (kept.len() as u64, 0));
    assert_eq!(after.slabs + freed, full.slabs);
    assert!(freed > 0);
    table.holds(&kept.iter().map(|&key| (key, key)).collect(), &keys);
    assert_eq!(flush(&mut table), 0);
    // The slabs given back serve again.
    all_say(&table, gone, Insert::Inserted);
    assert_eq!(table.len(), MANY as u64);
    // One key is left: every chain is its base slab.
    table.delete_those(&keys[1..]);
    flush(&mut table);
    let (after, buckets) = (stats(&table), typed::<SlabGeometry>(table.geometry()).buckets as u64);
    assert_eq!((after.live, after.tombstones, after.slabs), (1, 0, buckets));
    assert_eq!(table.contains(&keys[..2]), [true, false]);
}

/// Their slabs come from the pool, and go back to it.
pub(crate) fn the_highest_keys_have_a_chain_that_is_flushed<K: Number>(row: &Row<K>) {
    let (mut table, highest) = (row.roomy(1_000), [K::FIRST_RESERVED, K::MAX]);
    let (there, buckets) = ([K::of(1), K::of(2)], typed::<SlabGeometry>(table.geometry()).buckets as u64);
    all_say(&table, &there, Insert::Inserted);
    for _ in 0..2 {
        for _ in 0..30 {
            all_say(&table, &highest, Insert::Inserted);
            table.delete_those(&highest);
        }
        all_say(&table, &highest[..1], Insert::Inserted);
        let full = stats(&table);
        assert_eq!((full.live, full.tombstones), (3, 60));
        assert!(full.slabs > buckets + 1 && full.longest as u64 == full.slabs - buckets, "{full:?}");
        assert_eq!(flush(&mut table), full.slabs - buckets - 1);
        let after = stats(&table);
        assert_eq!((after.live, after.tombstones, after.slabs), (3, 0, buckets + 1));
        assert_eq!(table.contains(&[there, highest].concat()), [true, true, true, false]);
        table.delete_those(&highest[..1]);
        flush(&mut table);
        assert_eq!(stats(&table).slabs, buckets);
    }
}

pub(crate) fn churn_with_flush_does_not_leak<K: Number>(row: &Row<K>) {
    let keys = slot_keys::<K>(5_000, 0);
    // If a round lost one slab in five, the last ones would be `Full`.
    let mut table = row.table(row.size(keys.len(), 5.0));
    for round in 0..40 {
        all_say(&table, &keys, Insert::Inserted);
        table.delete_those(&keys);
        flush(&mut table);
        let (stats, buckets) = (stats(&table), typed::<SlabGeometry>(table.geometry()).buckets as u64);
        assert_eq!((stats.live, stats.tombstones, stats.slabs), (0, 0, buckets), "round {round}");
    }
}

pub(crate) fn one_bucket_grows_a_long_chain<K: Number>(row: &Row<K>) {
    let keys = slot_keys::<K>(3_000, 0);
    // Every insert may hold a slab for a moment that it gives back: there is one for each.
    let per_slab = of_slabs(row, 1, 0).pairs_per_slab();
    let table = row.table(of_slabs(row, 1, 3_000 / per_slab + 1 + 3_000));
    all_say(&table, &keys, Insert::Inserted);
    table.holds(&keys.iter().map(|&key| (key, key)).collect(), &keys);
    let stats = stats(&table);
    assert_eq!(stats.slabs, 3_000u64.div_ceil(per_slab as u64));
    assert_eq!(stats.longest as u64, stats.slabs);
    table.delete_those(&keys);
    assert!(table.is_empty());
}

pub(crate) fn a_full_pool_loses_nothing<K: Number>(row: &Row<K>) {
    let size = of_slabs(row, 4, 33);
    let room = 37 * size.pairs_per_slab() as usize;
    let table = row.table(size);
    let keys = slot_keys::<K>(2_000, 0);
    let expected = table.fill(&keys);
    table.holds(&expected, &keys);
    assert!(expected.len() < keys.len(), "no insert said Full");
    assert_eq!(stats(&table).slabs, 37, "some slab is not in use although an insert found none");
    assert!(expected.len() <= room);
}

pub(crate) fn a_full_pool_recovers_after_a_flush<K: Number>(row: &Row<K>) {
    let size = of_slabs(row, 1, 2);
    let mut table = row.table(size);
    let keys = slot_keys::<K>(3 * size.pairs_per_slab() as usize, 0);
    let more = slot_keys::<K>(5, 1_000);
    // One after the other: of several that need a slab, one may find the last in the hands of another.
    for &key in &keys {
        assert_eq!(table.insert_one(key), Insert::Inserted);
    }
    all_say(&table, &more, Insert::Full);
    table.delete_those(&keys[..5]);
    // Slots are not reused before a flush.
    all_say(&table, &more, Insert::Full);
    flush(&mut table);
    all_say(&table, &more, Insert::Inserted);
    assert_eq!(table.contains(&more), [true; 5]);
}

pub(crate) fn the_smallest_table_works<K: Number>(row: &Row<K>) {
    let size = of_slabs(row, 1, 1);
    let table = row.table(size);
    let keys = slot_keys::<K>(2 * size.pairs_per_slab() as usize, 0);
    for &key in &keys {
        assert_eq!(table.insert_one(key), Insert::Inserted);
        assert_eq!(table.insert_one(key), Insert::Present);
    }
    assert_eq!(table.len(), keys.len() as u64);
}

pub(crate) fn stats_add_up<K: Number>(row: &Row<K>) {
    let table = row.table(row.size(10_000, 1.5));
    let keys = slot_keys::<K>(10_000, 0);
    all_say(&table, &keys, Insert::Inserted);
    table.delete_those(&keys[..1_000]);
    let (stats, size) = (stats(&table), typed::<SlabGeometry>(table.geometry()));
    assert_eq!((stats.live, stats.tombstones), (9_000, 1_000));
    assert_eq!(stats.chains.iter().sum::<u64>(), size.buckets as u64);
    let slabs: u64 = stats.chains.iter().zip(1..).map(|(&n, length)| n * length).sum();
    assert_eq!(slabs, stats.slabs, "no chain here is longer than 15 slabs");
    assert!(stats.longest > 1 && stats.longest < 16);
    assert!(stats.load(size) > 0.3 && stats.load(size) < 1.0);
}

pub(crate) fn counts_and_lists_say_what_searches_say<K: Number>(row: &Row<K>) {
    let keys = slot_keys::<K>(1_000, 0);
    let map = row.roomy_map(keys.len());
    let all = map.matches().expect("a map that works on all pairs of a key");
    map.insert_unique(&keys, &keys).unwrap().all_stored().unwrap();
    assert_eq!(all.search_all(&keys).unwrap().values, keys);
    assert_eq!(map.count(&keys).unwrap(), vec![1; keys.len()]);
    map.delete(&keys[..500]).unwrap();
    assert_eq!(all.search_all(&keys).unwrap().values, keys[500..]);
    assert_eq!(map.count(&keys).unwrap(), [[0; 500], [1; 500]].concat());
    assert_eq!(all.delete_all(&keys).unwrap(), [[0; 500], [1; 500]].concat());
    assert_eq!(map.stats().unwrap().tombstones(), keys.len() as u64);
}
