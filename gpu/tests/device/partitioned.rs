//! Batches that are inserted partition by partition.

use super::device;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use warpproof_gpu::{Device, Entry, Error, KeyScalar, OpenMap, OpenSet};
use warpproof_model::host::{BulkMap, BulkTable, OpenGeometry, Refused, Tally};
use warpproof_model::open::bulk::TALLY;
use warpproof_model::outcome::Insert;

/// Keys that look random, the same each time; `of` different ones.
fn keys<K: KeyScalar + TryFrom<u64, Error: Debug>>(n: usize, of: u64, seed: u64) -> Vec<K> {
    let key = |i: u64| {
        let mixed = (i ^ seed << 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        K::try_from((mixed >> 33 ^ mixed) % of).expect("a small key")
    };
    (0..n as u64).map(key).collect()
}

/// How many inserts of a batch ended in each way; with `told`, also how each of them ended.
fn insert<K: KeyScalar>(
    map: &mut OpenMap<K, K>,
    batch: &[K],
    values: &[K],
    told: bool,
) -> (Tally, Vec<Insert>)
where
    (K, K): Entry,
{
    if !told {
        return (map.insert_partitioned(batch, values).unwrap(), Vec::new());
    }
    let outcomes = map.insert_partitioned_with_outcomes(batch, values).unwrap();
    assert_eq!(outcomes.len(), batch.len());
    (tally(&outcomes), outcomes.into_vec())
}

/// How many of these there are.
fn tally(outcomes: &[Insert]) -> Tally {
    let of = |end| outcomes.iter().filter(|outcome| **outcome == end).count() as u64;
    Tally { inserted: of(Insert::Inserted), present: of(Insert::Present), full: of(Insert::Full) }
}

/// Inserts batches, and compares the map with one on the host after each.
fn follow<K: KeyScalar + TryFrom<u64, Error: Debug>>(device: &Device, pairs: u64, batches: &[Vec<K>])
where
    (K, K): Entry,
{
    let load = OpenGeometry::DEFAULT_LOAD;
    let own = OpenMap::<K, K>::size(pairs, load).unwrap();
    let large = OpenGeometry::new(pairs, load, OpenMap::<K, K>::BUCKET_SLOTS).unwrap();
    // Buckets of small tables, and of large ones where they are others.
    for size in [own, large].into_iter().take(1 + (own != large) as usize) {
        follow_told(device, size, batches, false);
        follow_told(device, size, batches, true);
    }
}

/// Inserts the batches into a table of this size. Checks each outcome, if operations are `told` theirs, and
/// the entries.
fn follow_told<K: KeyScalar + TryFrom<u64, Error: Debug>>(
    device: &Device,
    size: OpenGeometry,
    batches: &[Vec<K>],
    told: bool,
) where
    (K, K): Entry,
{
    let mut map = OpenMap::<K, K>::with_geometry(device, size).unwrap();
    let mut model = BTreeMap::<K, BTreeSet<K>>::new();
    for (number, batch) in batches.iter().enumerate() {
        let values: Vec<K> = (0..batch.len() as u64)
            .map(|i| K::try_from(1_000_000 * (number as u64 + 1) + i).expect("a small value"))
            .collect();
        let before = model.len();
        let mut came = BTreeMap::<K, BTreeSet<K>>::new();
        for (key, value) in batch.iter().zip(&values).filter(|(key, _)| !model.contains_key(key)) {
            came.entry(*key).or_default().insert(*value);
        }
        model.extend(came);
        let new = (model.len() - before) as u64;
        let (said, outcomes) = insert(&mut map, batch, &values, told);
        assert_eq!(said, Tally { inserted: new, present: batch.len() as u64 - new, full: 0 }, "{number}");
        let held: BTreeMap<K, K> = map.retrieve_all().unwrap().into_iter().collect();
        assert_eq!(held.len(), model.len());
        assert!(held.iter().all(|(key, value)| model[key].contains(value)), "a value of another key");
        // An operation with this outcome has inserted its value, which no other operation has.
        for (at, _) in outcomes.iter().enumerate().filter(|(_, outcome)| **outcome == Insert::Inserted) {
            assert_eq!(held[&batch[at]], values[at], "operation {at} of batch {number}");
        }
        // Of a key that is held, no later batch changes the value.
        model.iter_mut().for_each(|(key, values)| *values = BTreeSet::from([held[key]]));
        let found = map.search(batch).unwrap();
        assert!(batch.iter().zip(found).all(|(key, found)| found == Some(held[key])));
    }
}

#[test]
fn maps_are_what_a_map_on_the_host_is() {
    fn all<K: KeyScalar + TryFrom<u64, Error: Debug>>(device: &Device)
    where
        (K, K): Entry,
    {
        let one = |n, of| keys::<K>(n, of, 7);
        // One partition, one level, and two.
        for pairs in [100, 60_000, 3_000_000] {
            let many = pairs as usize * 3 / 4;
            follow(device, pairs, &[Vec::new(), one(1, 10), one(many, pairs / 2), one(many, pairs)]);
        }
        // Few keys, many times: their partitions are too small.
        follow(
            device,
            200_000,
            &[keys(150_000, 3, 1), vec![one(1, 9)[0]; 100_000], keys(150_000, 100_000, 2)],
        );
    }
    let Some(device) = device() else { return };
    all::<u32>(&device);
    if device.wide() {
        all::<u64>(&device);
    }
}

#[test]
fn sets_are_what_a_set_on_the_host_is() {
    fn all<K: KeyScalar + TryFrom<u64, Error: Debug>>(device: &Device) {
        let mut set = OpenSet::<K>::with_capacity(device, 100_000).unwrap();
        let mut told = OpenSet::<K>::with_capacity(device, 100_000).unwrap();
        let mut model = BTreeSet::new();
        for batch in [keys::<K>(50_000, 1 << 30, 1), keys(70_000, 20_000, 2), keys(60_000, 2, 3)] {
            let before = model.len();
            model.extend(batch.iter().copied());
            let new = (model.len() - before) as u64;
            let said = set.insert_partitioned(&batch).unwrap();
            assert_eq!(said, Tally { inserted: new, present: batch.len() as u64 - new, full: 0 });
            assert_eq!(set.retrieve_all().unwrap().into_iter().collect::<BTreeSet<_>>(), model);
            let mut before: BTreeSet<K> = told.retrieve_all().unwrap().into_iter().collect();
            let outcomes = told.insert_partitioned_with_outcomes(&batch).unwrap();
            assert_eq!(tally(&outcomes), said);
            let inserted = batch.iter().zip(&outcomes).filter(|(_, outcome)| **outcome == Insert::Inserted);
            inserted.for_each(|(key, _)| assert!(before.insert(*key), "{key:?} was there"));
            assert_eq!(before, model);
            assert_eq!(told.retrieve_all().unwrap().into_iter().collect::<BTreeSet<_>>(), model);
        }
    }
    let Some(device) = device() else { return };
    all::<u32>(&device);
    all::<u64>(&device);
}

#[test]
fn what_finds_no_room_is_counted_and_the_rest_is_there() {
    let Some(device) = device() else { return };
    let geometry = OpenGeometry { bucket_slots: 8, buckets: 1_009 };
    let mut map = OpenMap::<u32, u32>::with_geometry(&device, geometry).unwrap();
    let batch: Vec<u32> = (0..10_000).collect();
    let slots = geometry.slots() as u64;
    let said = map.insert_partitioned(&batch, &batch).unwrap();
    assert_eq!(said, Tally { inserted: slots, present: 0, full: 10_000 - slots });
    let again = map.insert_partitioned(&batch, &batch).unwrap();
    assert_eq!(again, Tally { inserted: 0, present: slots, full: 10_000 - slots });
    assert_eq!(map.stats().unwrap().live, slots);
    assert!(map.retrieve_all().unwrap().iter().all(|(key, value)| key == value));
    // The same, told one by one; the second time, and once with partitions that are too small for a batch of
    // few keys.
    map.clear().unwrap();
    let few: Vec<u32> = (0..100_000).map(|i| if i % 8 == 0 { i / 8 } else { i % 3 }).collect();
    for (batch, there) in [(&batch, 0), (&batch, slots), (&few, slots)] {
        let outcomes = map.insert_partitioned_with_outcomes(batch, batch).unwrap();
        assert_eq!(tally(&outcomes).inserted, slots - there);
        let found = map.search(batch).unwrap();
        for ((key, found), outcome) in batch.iter().zip(found).zip(outcomes) {
            let right = [found.map_or(Insert::Full, |_| Insert::Present), Insert::Inserted];
            assert!(
                right[..2 - (there > 0 || found.is_none()) as usize].contains(&outcome),
                "{key} {outcome:?}"
            );
        }
    }
    // Into an empty table that has no room for all.
    map.clear().unwrap();
    let outcomes = map.insert_partitioned_with_outcomes(&few, &few).unwrap();
    assert_eq!(tally(&outcomes).inserted, slots);
    let there: BTreeSet<u32> = map.retrieve_all().unwrap().into_iter().map(|(key, _)| key).collect();
    for (key, outcome) in few.iter().zip(&outcomes) {
        assert_eq!(*outcome == Insert::Full, !there.contains(key), "{key} {outcome:?}");
    }
}

#[test]
fn tombstones_are_no_room_and_deleted_keys_come_back() {
    let Some(device) = device() else { return };
    let mut map = OpenMap::<u32, u32>::with_capacity(&device, 100_000).unwrap();
    let batch: Vec<u32> = (0..40_000).collect();
    assert_eq!(map.insert_partitioned(&batch, &batch).unwrap().full, 0);
    map.delete(&batch[..20_000]).unwrap();
    let said = map.insert_partitioned(&batch, &batch).unwrap();
    assert_eq!(said, Tally { inserted: 20_000, present: 20_000, full: 0 });
    let stats = map.stats().unwrap();
    assert_eq!((stats.live, stats.tombstones), (40_000, 20_000));
    assert!(map.search(&batch).unwrap().iter().zip(&batch).all(|(found, key)| *found == Some(*key)));
}

#[test]
fn device_slices_and_their_partitions_are_looked_at() {
    let Some(device) = device() else { return };
    let stream = device.context().new_stream().unwrap();
    let mut map = OpenMap::<u32, u32>::with_capacity(&device, 100_000).unwrap();
    let mut partitions = map.partitions_on(&stream, 50_000).unwrap();
    let mut tally = stream.alloc_zeros::<u64>(TALLY).unwrap();
    // One key of a tenth of them: one that no slot holds.
    let batch: Vec<u32> = (0..50_000).map(|i| if i % 10 == 0 { u32::MAX } else { i }).collect();
    let on = stream.clone_htod(&batch).unwrap();
    for new in [45_001, 0] {
        map.insert_partitioned_on(&stream, &on, &on, &mut partitions, &mut tally).unwrap();
        let words: [u64; TALLY] = stream.clone_dtoh(&tally).unwrap().try_into().unwrap();
        assert_eq!(Tally::of(words), Tally { inserted: new, present: 50_000 - new, full: 0 });
    }
    // They serve smaller batches, and other tables.
    let mut other = OpenMap::<u32, u32>::with_capacity(&device, 10_000).unwrap();
    other
        .insert_partitioned_on(&stream, &on.slice(..5_000), &on.slice(..5_000), &mut partitions, &mut tally)
        .unwrap();
    assert_eq!(other.len().unwrap(), 4_501);
    // What is too large, or of another length, is refused, and nothing changes.
    let large = stream.alloc_zeros::<u32>(500_000).unwrap();
    let refused =
        map.insert_partitioned_on(&stream, &large, &large, &mut partitions, &mut tally).unwrap_err();
    assert!(matches!(refused, Error::Refused(Refused::TooLarge { found: 500_000, .. })), "{refused}");
    let refused = map.insert_partitioned_on(&stream, &on, &large, &mut partitions, &mut tally).unwrap_err();
    assert!(matches!(refused, Error::Refused(Refused::Length { what: "values", .. })), "{refused}");
    let mut short = stream.alloc_zeros::<u64>(TALLY - 1).unwrap();
    assert!(map.insert_partitioned_on(&stream, &on, &on, &mut partitions, &mut short).is_err());
    assert_eq!(map.len().unwrap(), 45_001);
    // Outcomes need partitions for them, and one for each pair.
    let mut codes = stream.alloc_zeros::<u8>(50_000).unwrap();
    let refused = map.insert_partitioned_with_outcomes_on(&stream, &on, &on, &mut partitions, &mut codes);
    assert!(matches!(refused, Err(Error::Refused(Refused::TooLarge { most: 0, .. }))), "{refused:?}");
    let mut telling = map.partitions_with_outcomes_on(&stream, 50_000).unwrap();
    assert!(telling.bytes() > partitions.bytes());
    let mut few = stream.alloc_zeros::<u8>(49_999).unwrap();
    let refused = map.insert_partitioned_with_outcomes_on(&stream, &on, &on, &mut telling, &mut few);
    assert!(matches!(refused, Err(Error::Refused(Refused::Length { what: "outcomes", .. }))), "{refused:?}");
    map.insert_partitioned_with_outcomes_on(&stream, &on, &on, &mut telling, &mut codes).unwrap();
    assert_eq!(stream.clone_dtoh(&codes).unwrap(), vec![Insert::Present.code(); 50_000]);
    map.insert_partitioned_on(&stream, &on, &on, &mut telling, &mut tally).unwrap();
    let words: [u64; TALLY] = stream.clone_dtoh(&tally).unwrap().try_into().unwrap();
    assert_eq!(Tally::of(words), Tally { inserted: 0, present: 50_000, full: 0 });
    // Another stream waits for a batch that runs alone.
    let (second, more) =
        (device.context().new_stream().unwrap(), map.insert_partitioned(&[70_000], &[1]).unwrap());
    let mut found = second.alloc_zeros::<u8>(50_000).unwrap();
    map.clear_on(&stream).unwrap();
    map.insert_partitioned_on(&stream, &on, &on, &mut partitions, &mut tally).unwrap();
    map.on_stream(&second).contains(&on, &mut found).unwrap();
    let there = second.clone_dtoh(&found).unwrap().iter().filter(|found| **found == 1).count();
    assert_eq!((more.inserted, there), (1, 50_000));
}
