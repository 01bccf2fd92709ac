//! What a map in chains must do at the edges of its size.

use super::SlabMaps;
use super::number::{Number, distinct};
use warpproof::model::host::{BulkFlush, BulkMap, BulkTable, SlabGeometry};
use warpproof::model::outcome::{Delete, Insert};

/// The backend's slab size, with these numbers of slabs.
fn of_slabs<B: SlabMaps<K>, K: Number>(b: &B, buckets: u32, pool: u32) -> SlabGeometry {
    SlabGeometry { buckets, pool, ..b.geometry(1, 0.6) }
}

pub(crate) fn one_bucket_grows_a_long_chain<B: SlabMaps<K>, K: Number>(b: &B) {
    let keys = distinct::<K>(3_000, 0);
    // Every insert may hold a slab for a moment that it gives back: there is one for each.
    let geometry = of_slabs(b, 1, 3_000 / b.geometry(1, 0.6).pairs_per_slab() + 1 + 3_000);
    let map = b.map(geometry);
    assert!(map.insert_unique(&keys, &keys).unwrap().iter().all(|&o| o == Insert::Inserted));
    assert_eq!(map.search(&keys).unwrap(), keys.iter().map(|&k| Some(k)).collect::<Vec<_>>());
    let stats = map.stats().unwrap();
    assert_eq!(stats.slabs, 3_000u64.div_ceil(geometry.pairs_per_slab() as u64));
    assert_eq!(stats.longest as u64, stats.slabs);
    assert!(map.delete(&keys).unwrap().iter().all(|&o| o == Delete::Deleted));
    assert!(map.is_empty().unwrap());
}

pub(crate) fn a_full_pool_loses_nothing<B: SlabMaps<K>, K: Number>(b: &B) {
    let geometry = of_slabs(b, 4, 33);
    let room = 37 * geometry.pairs_per_slab() as u64;
    let map = b.map(geometry);
    let keys = distinct::<K>(2_000, 0);
    let outcomes = map.insert_unique(&keys, &keys).unwrap();
    let found = map.search(&keys).unwrap();
    for i in 0..keys.len() {
        assert_eq!(
            found[i].is_some(),
            outcomes[i] == Insert::Inserted,
            "key {:?}: {:?}",
            keys[i],
            outcomes[i]
        );
    }
    let inserted = outcomes.iter().filter(|&&o| o == Insert::Inserted).count() as u64;
    assert!(outcomes.contains(&Insert::Full));
    let stats = map.stats().unwrap();
    assert_eq!(stats.live, inserted);
    assert_eq!(stats.slabs, 37, "some slab is not in use although an insert found none");
    assert!(inserted <= room);
}

pub(crate) fn a_full_pool_recovers_after_a_flush<B: SlabMaps<K>, K: Number>(b: &B) {
    let mut map = b.map(of_slabs(b, 1, 2));
    let keys = distinct::<K>(3 * map.geometry().pairs_per_slab() as usize, 0);
    let more = distinct::<K>(5, 1_000);
    // One after the other: of several that need a slab, one may find the last in the hands of another.
    for &key in &keys {
        assert_eq!(map.insert_unique(&[key], &[key]).unwrap(), [Insert::Inserted]);
    }
    assert!(map.insert_unique(&more, &more).unwrap().iter().all(|&o| o == Insert::Full));
    map.delete(&keys[..5]).unwrap();
    assert!(
        map.insert_unique(&more, &more).unwrap().iter().all(|&o| o == Insert::Full),
        "slots are not reused"
    );
    map.flush().unwrap();
    assert!(map.insert_unique(&more, &more).unwrap().iter().all(|&o| o == Insert::Inserted));
    assert!(map.search(&more).unwrap().iter().all(Option::is_some));
}

pub(crate) fn the_smallest_table_works<B: SlabMaps<K>, K: Number>(b: &B) {
    let map = b.map(of_slabs(b, 1, 1));
    let keys = distinct::<K>(2 * map.geometry().pairs_per_slab() as usize, 0);
    for &key in &keys {
        assert_eq!(map.insert_unique(&[key], &[key]).unwrap(), [Insert::Inserted]);
        assert_eq!(map.insert_unique(&[key], &[key]).unwrap(), [Insert::Present]);
    }
    assert_eq!(map.len().unwrap(), keys.len() as u64);
}

pub(crate) fn stats_add_up<B: SlabMaps<K>, K: Number>(b: &B) {
    let map = b.map(b.geometry(10_000, 1.5));
    let keys = distinct::<K>(10_000, 0);
    map.insert_unique(&keys, &keys).unwrap();
    map.delete(&keys[..1_000]).unwrap();
    let stats = map.stats().unwrap();
    let geometry = map.geometry();
    assert_eq!((stats.live, stats.tombstones), (9_000, 1_000));
    assert_eq!(stats.chains.iter().sum::<u64>(), geometry.buckets as u64);
    let slabs: u64 = stats.chains.iter().zip(1..).map(|(&n, length)| n * length).sum();
    assert_eq!(slabs, stats.slabs, "no chain here is longer than 15 slabs");
    assert!(stats.longest > 1 && stats.longest < 16);
    assert!(stats.load(geometry) > 0.3 && stats.load(geometry) < 1.0);
}

pub(crate) fn a_table_without_a_pool_is_its_base_slabs<B: SlabMaps<K>, K: Number>(b: &B) {
    let map = b.map(of_slabs(b, 1, 0));
    let room = map.geometry().pairs_per_slab() as usize;
    let keys = distinct::<K>(room + 1, 0);
    for (i, &key) in keys.iter().enumerate() {
        let expected = if i < room { Insert::Inserted } else { Insert::Full };
        assert_eq!(map.insert_unique(&[key], &[key]).unwrap(), [expected], "key {i}");
    }
    assert_eq!(map.len().unwrap(), room as u64);
}

pub(crate) fn impossible_sizes_are_refused<B: SlabMaps<K>, K: Number>(b: &B) {
    let right = of_slabs::<B, K>(b, 4, 4);
    for (wrong, says) in [
        (SlabGeometry { buckets: 0, ..right }, "at least one bucket"),
        (SlabGeometry { buckets: 0, pool: 0, ..right }, "at least one bucket"),
        (SlabGeometry { slab_slots: right.slab_slots + 1, ..right }, "slots"),
        (SlabGeometry { slab_slots: 0, ..right }, "slots"),
        (SlabGeometry { slab_slots: u32::MAX, ..right }, "slots"),
        (SlabGeometry { buckets: u32::MAX, ..right }, "more than"),
        (SlabGeometry { buckets: u32::MAX, pool: u32::MAX, ..right }, "more than"),
        (SlabGeometry { pool: u32::MAX - 4, ..right }, "more than"),
    ] {
        let message = b.try_map(wrong).err().expect("an impossible size").to_string();
        assert!(message.contains(says), "{wrong:?}: {message}");
    }
}
