//! What a map in chains of slabs must do: tombstones, flushes, counts.

use super::SlabMaps;
use super::map::{MANY, map};
use super::number::{Number, distinct};
use warpproof::model::host::{BulkFlush, BulkMap, BulkMatches, BulkTable};
use warpproof::model::outcome::{Delete, Insert};

pub(crate) fn flush_reclaims_tombstones_and_slabs<B: SlabMaps<K>, K: Number>(b: &B) {
    let keys = distinct::<K>(MANY, 0);
    // A load of 3: most chains have several slabs.
    let mut map = b.map(b.geometry(MANY as u64, 3.0));
    map.insert_unique(&keys, &keys).unwrap();
    let full = map.stats().unwrap();
    let (gone, kept) = keys.split_at(MANY / 4 * 3);
    map.delete(gone).unwrap();
    assert_eq!(map.stats().unwrap().slabs, full.slabs);
    let freed = map.flush().unwrap();
    let after = map.stats().unwrap();
    assert_eq!(after.tombstones, 0);
    assert_eq!(after.live, kept.len() as u64);
    assert_eq!(after.slabs + freed, full.slabs);
    assert!(freed > 0);
    assert_eq!(map.search(kept).unwrap(), kept.iter().map(|&k| Some(k)).collect::<Vec<_>>());
    assert!(map.search(gone).unwrap().iter().all(Option::is_none));
    assert_eq!(map.flush().unwrap(), 0);
    // The slabs given back serve again.
    assert!(map.insert_unique(gone, gone).unwrap().iter().all(|&o| o == Insert::Inserted));
    assert_eq!(map.len().unwrap(), MANY as u64);
}

pub(crate) fn churn_with_flush_does_not_leak<B: SlabMaps<K>, K: Number>(b: &B) {
    let keys = distinct::<K>(5_000, 0);
    // If a round lost one slab in five, the last ones would be `Full`.
    let mut map = b.map(b.geometry(keys.len() as u64, 5.0));
    for round in 0..40 {
        assert!(
            map.insert_unique(&keys, &keys).unwrap().iter().all(|&o| o == Insert::Inserted),
            "round {round}"
        );
        assert!(map.delete(&keys).unwrap().iter().all(|&o| o == Delete::Deleted), "round {round}");
        map.flush().unwrap();
        let stats = map.stats().unwrap();
        assert_eq!((stats.live, stats.tombstones), (0, 0), "round {round}");
        assert_eq!(stats.slabs, map.geometry().buckets as u64, "round {round}");
    }
}

pub(crate) fn counts_and_lists_say_what_searches_say<B: SlabMaps<K>, K: Number>(b: &B) {
    let keys = distinct::<K>(1_000, 0);
    let map = map(b, keys.len());
    map.insert_unique(&keys, &keys).unwrap();
    assert_eq!(map.search_all(&keys).unwrap().values, keys);
    assert_eq!(map.count(&keys).unwrap(), vec![1; keys.len()]);
    map.delete(&keys[..500]).unwrap();
    assert_eq!(map.search_all(&keys).unwrap().values, keys[500..]);
    assert_eq!(map.count(&keys).unwrap(), [[0; 500], [1; 500]].concat());
    assert_eq!(map.delete_all(&keys).unwrap(), [[0; 500], [1; 500]].concat());
    assert_eq!(map.stats().unwrap().tombstones, keys.len() as u64);
}

pub(crate) fn reserved_keys_are_refused_by_what_counts_too<B: SlabMaps<K>, K: Number>(b: &B) {
    let map = map(b, 10);
    for reserved in [K::FIRST_RESERVED, K::MAX] {
        let keys = [K::of(1), K::of(2), reserved];
        for message in [
            map.search_all(&keys).unwrap_err().to_string(),
            map.count(&keys).unwrap_err().to_string(),
            map.delete_all(&keys).unwrap_err().to_string(),
        ] {
            assert!(message.contains("index 2"), "{message}");
        }
    }
}

pub(crate) fn empty_batches_of_chains_do_nothing<B: SlabMaps<K>, K: Number>(b: &B) {
    let mut map = map(b, 0);
    assert_eq!(map.search_all(&[]).unwrap().keys(), 0);
    assert!(map.count(&[]).unwrap().is_empty());
    assert_eq!(map.flush().unwrap(), 0);
    assert!(map.is_empty().unwrap());
}
