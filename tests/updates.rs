//! Ready updates of values, on tables of a CPU and of a GPU: they hold what a map of the standard library
//! holds.

#[cfg(feature = "gpu")]
#[path = "support/device.rs"]
mod device;

use std::collections::HashMap;
use warpproof::model::{Seed, Word};
use warpproof::prelude::*;
use warpproof::simt::cpu::sharded::{AllRanks, Limits};
use warpproof::simt::cpu::{CuckooMap, DynamicMap, OpenMap, PagedMap};

/// How many keys are updated, and how many updates a batch has of each. Deleted ones leave tombstones, so
/// tables have room for far more.
const KEYS: u64 = 500;
const TIMES: usize = 8;

/// Numbers that look random, all of 64 bits.
fn numbers(seed: u64) -> impl Iterator<Item = u64> {
    (1..).map(move |i: u64| {
        let mixed = (seed << 32 | i).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
    })
}

/// The value of both, in any order, of a word with room for a sum.
fn both(update: Update, a: u128, b: u128) -> u128 {
    match update {
        Update::Add => a + b,
        Update::Min => [a, b][usize::from(b < a)],
        Update::Max => [a, b][usize::from(b > a)],
        Update::Or => a | b,
        Update::And => a & b,
        Update::Xor => (a | b) - (a & b),
        Update::First | Update::Last => unreachable!("these have an order"),
    }
}

/// A batch: every key some times, in no order, with values of all bits.
fn batch<K: Word, V: Word>(keys: &[K], seed: u64) -> (Vec<K>, Vec<V>) {
    let mut keyed: Vec<(u64, K)> =
        numbers(seed).zip((0..TIMES).flat_map(|_| keys)).map(|(number, &key)| (number, key)).collect();
    keyed.sort_unstable_by_key(|&(number, _)| number);
    let values = numbers(seed + 1).take(keyed.len());
    (
        keyed.into_iter().map(|(_, key)| key).collect(),
        values.map(|value| V::from_bits(value.into())).collect(),
    )
}

/// Keys one by one: on tables of a fixed size, and on one that grows.
#[test]
fn one_key_is_updated_at_a_time() {
    let fixed = OpenMap::<u64, u32>::with_capacity(100).unwrap();
    let growing = DynamicMap::<u64, u32>::with_capacity(1).unwrap();
    for (key, update) in (0..).zip(Update::ALL) {
        let given = [12u32, 10, u32::MAX, 9];
        let expected = given[1..].iter().fold(given[0], |old, &given| update.apply(old, given));
        let new = given.map(|value| {
            let in_fixed = fixed.by_key().insert_or_update(update, key, value).unwrap();
            (in_fixed, growing.by_key().insert_or_update(update, key, value).unwrap())
        });
        assert_eq!(new, [(true, true), (false, false), (false, false), (false, false)], "{update:?}");
        assert_eq!(fixed.by_key().get(key), Some(expected), "{update:?}");
        assert_eq!(growing.by_key().get(key), Some(expected), "{update:?}");
    }
}

/// Each update on keys that are there and keys that are absent, a thread each for two batches at once. Of the
/// first and the last value of some that race, any may be the one.
fn follows<K: Word, V: Word>(name: &str, map: &(impl BulkUpdate<K, V> + Sync)) {
    // The reserved keys too.
    let ones = (0..3).map(|less| K::from_bits(u128::MAX - less));
    let keys: Vec<K> = (0..KEYS).map(|key| K::from_bits(key.into())).chain(ones).collect();
    let mut there: HashMap<K, V> = HashMap::new();
    for (seed, update) in (1..).zip(Update::ALL) {
        let gone: Vec<K> = keys.iter().copied().step_by(3).collect();
        map.delete(&gone).unwrap();
        there.retain(|key, _| !gone.contains(key));
        let batches = [batch(&keys, 2 * seed), batch::<K, V>(&keys[..keys.len() / 2], 2 * seed + 1)];
        let said = std::thread::scope(|scope| {
            let run = |(keys, values): &(Vec<K>, Vec<V>)| {
                let said = map.insert_or_update(update, keys, values).unwrap();
                said.to_vec()
            };
            let [first, second] = batches.each_ref().map(|batch| scope.spawn(move || run(batch)));
            [first, second].map(|ran| ran.join().unwrap())
        });
        let mut given: HashMap<K, Vec<V>> = HashMap::new();
        let mut inserted: HashMap<K, u32> = HashMap::new();
        for ((keys, values), said) in batches.iter().zip(&said) {
            for ((&key, &value), said) in keys.iter().zip(values).zip(said) {
                given.entry(key).or_default().push(value);
                *inserted.entry(key).or_default() += u32::from(*said == Add::Inserted);
                assert_ne!(*said, Add::Full, "{name}: {update:?} of {key:?}");
            }
        }
        let found = map.search(&keys).unwrap();
        for (key, found) in keys.iter().zip(found) {
            let (old, given, found) = (there.get(key).copied(), &given[key], found.expect("a value"));
            assert_eq!(inserted[key], u32::from(old.is_none()), "{name}: {update:?} of {key:?}");
            let expected = match (update, old) {
                (Update::First, Some(old)) => old == found,
                (Update::First | Update::Last, _) => given.contains(&found),
                _ => {
                    let all = old.iter().chain(given).map(|value| value.to_bits());
                    all.reduce(|a, b| both(update, a, b)).map(V::from_bits) == Some(found)
                }
            };
            assert!(expected, "{name}: {update:?} of {key:?}: {found:?} of {old:?} and {given:?}");
            there.insert(*key, found);
        }
    }
}

#[test]
fn tables_on_a_cpu_update_values() {
    macro_rules! on_cpu {
        ($($key:ty, $value:ty;)*) => {$(
            follows("open", &OpenMap::<$key, $value>::with_capacity(8 * KEYS).unwrap());
            follows("cuckoo", &CuckooMap::<$key, $value>::with_capacity(8 * KEYS).unwrap());
            follows("dynamic", &DynamicMap::<$key, $value>::with_capacity(1).unwrap());
            follows("paged", &PagedMap::<$key, $value>::with_budget(8 * KEYS, 1 << 20).unwrap());
            let shard = |_| OpenMap::<$key, $value>::with_capacity(8 * KEYS);
            follows("sharded", &AllRanks::new(3, Limits::default(), Seed::new(5), shard).unwrap());
        )*};
    }
    on_cpu! {
        u32, u32;
        u64, u64;
        u64, u32;
    }
}

#[cfg(feature = "gpu")]
#[test]
fn tables_on_a_gpu_update_values() {
    use warpproof::gpu;
    let Some(device) = device::device() else { return };
    let n = 8 * KEYS;
    macro_rules! on_gpu {
        ($($type:ty),*) => {$(
            follows("open", &gpu::OpenMap::<$type, $type>::with_capacity(device, n).unwrap());
            follows("dynamic", &gpu::DynamicMap::<$type, $type>::with_capacity(device, 1).unwrap());
            if size_of::<$type>() == 4 || device.wide() {
                follows("cuckoo", &gpu::CuckooMap::<$type, $type>::with_capacity(device, n).unwrap());
            }
            follows("paged", &gpu::PagedMap::<$type, $type>::with_budget(device, n, 64 << 20).unwrap());
            let shard = |_| gpu::OpenMap::<$type, $type>::with_capacity(device, n);
            follows("sharded", &AllRanks::new(2, Limits::default(), Seed::new(5), shard).unwrap());
        )*};
    }
    on_gpu!(u32, u64);
    // Large enough for buckets of eight slots.
    let large = gpu::OpenMap::<u32, u32>::size(20_000_000, 0.8).unwrap();
    follows("large", &gpu::OpenMap::<u32, u32>::with_geometry(device, large).unwrap());
    let tuning = gpu::Tuning { lock_word: true, ..Default::default() };
    let size = gpu::OpenMap::<u64, u64>::size(n, 0.8).unwrap();
    follows("lock word", &gpu::OpenMap::<u64, u64>::with_tuning(device, size, tuning).unwrap());
}
