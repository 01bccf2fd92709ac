//! Signed keys, and values of other types than the keys, in every structure: a table stores them by their
//! bits.

#[cfg(feature = "gpu")]
#[path = "support/device.rs"]
mod device;

use std::collections::HashMap;
use std::fmt::Debug;
use std::hash::Hash;
use warpproof::simt::cpu::dynamic::SubmapMap;
use warpproof::simt::cpu::{
    CuckooMap, CuckooSet, DynamicMap, DynamicSet, HopscotchMap, HopscotchSet, OpenMap, OpenSet, PagedMap,
    PagedSet, SlabMap, SlabMultimap, WaitFreeMap, WaitFreeSet,
};
use warpproof::{
    Add, Answer, Assign, BulkCounter, BulkMap, BulkMatches, BulkMultimap, BulkOrdered, BulkSet, BulkTable,
    Delete, Insert, Op,
};

/// The number of this type with a given index; the first indices give the extremes.
trait Number: Copy + PartialEq + Debug {
    fn of(number: i64) -> Self;
}

macro_rules! numbers {
    ($($type:ty: $first:expr;)*) => {$(
        impl Number for $type {
            fn of(number: i64) -> Self {
                $first.get(number as usize).copied().unwrap_or(number.wrapping_mul(-0x61c8_8646_80b5_83eb) as Self)
            }
        }
    )*};
}
numbers! {
    u32: [u32::MAX, 0, u32::MAX - 1];
    i32: [-1, 0, -2, i32::MIN, i32::MAX];
    u64: [u64::MAX, 0, u64::MAX - 1, u64::MAX - 2];
    i64: [-1, 0, -2, i64::MIN, i64::MAX, -3];
    f32: [-1.5, 0.0, f32::INFINITY, f32::MIN_POSITIVE];
    f64: [-1.5, 0.0, f64::NEG_INFINITY, f64::MIN_POSITIVE];
}

/// Keys of a test.
const N: i64 = 1000;

fn numbers<T: Number>(from: i64) -> Vec<T> {
    (from..from + N).map(T::of).collect()
}

/// A map holds these keys and values, and gives them back as they are.
fn holds<K: Number + Eq + Hash, V: Number, M: BulkMap<K, V>>(name: &str, map: &mut M) {
    let (keys, values) = (numbers::<K>(0), numbers::<V>(7));
    assert_eq!(map.insert_unique(&keys, &values).unwrap(), vec![Insert::Inserted; N as usize], "{name}");
    assert_eq!(map.insert_unique(&keys, &values).unwrap(), vec![Insert::Present; N as usize], "{name}");
    let found = map.search(&keys).unwrap();
    assert_eq!(found, values.iter().copied().map(Some).collect::<Vec<_>>(), "{name}");
    let expected: HashMap<K, V> = keys.iter().copied().zip(values).collect();
    assert_eq!(map.retrieve_all().unwrap().into_iter().collect::<HashMap<_, _>>(), expected, "{name}");
    let (more, new) = (numbers::<K>(N / 2), numbers::<V>(0));
    let said = map.insert_or_assign(&more, &new).unwrap();
    assert!(said.iter().take(N as usize / 2).all(|&said| said == Assign::Replaced), "{name}");
    assert!(said.iter().skip(N as usize / 2).all(|&said| said == Assign::Inserted), "{name}");
    let ops = [Op::Search, Op::Delete, Op::Search];
    let said = map.mixed(&ops, &[K::of(0), K::of(2), K::of(N)], &[V::of(1); 3]).unwrap();
    let found = Answer::Search(Some(V::of(7)));
    assert_eq!((said[0], said[1]), (found, Answer::Delete(Delete::Deleted)), "{name}");
    assert_eq!(said[2], Answer::Search(Some(new[N as usize / 2])), "{name}");
    assert_eq!(map.contains(&[K::of(1), K::of(2)]).unwrap(), [true, false], "{name}");
    assert_eq!(map.count(&[K::of(1), K::of(2)]).unwrap(), [1, 0], "{name}");
    map.clear().unwrap();
    assert_eq!(map.len().unwrap(), 0, "{name}");
}

fn holds_keys<K: Number + Eq + Hash, S: BulkSet<K>>(name: &str, set: &mut S) {
    let keys = numbers::<K>(0);
    assert_eq!(set.insert(&keys).unwrap(), vec![Insert::Inserted; N as usize], "{name}");
    assert!(set.contains(&keys).unwrap().iter().all(|&found| found), "{name}");
    let all: std::collections::HashSet<K> = set.retrieve_all().unwrap().into_iter().collect();
    assert_eq!(all, keys.iter().copied().collect(), "{name}");
    assert_eq!(set.delete(&keys).unwrap(), vec![Delete::Deleted; N as usize], "{name}");
    assert!(set.is_empty().unwrap(), "{name}");
}

/// Every map of a structure on a CPU, with these types.
macro_rules! on_cpu {
    ($($key:ty, $value:ty;)*) => {$(
        holds("open", &mut OpenMap::<$key, $value>::with_capacity(2 * N as u64).unwrap());
        holds("cuckoo", &mut CuckooMap::<$key, $value>::with_capacity(2 * N as u64).unwrap());
        holds("hopscotch", &mut HopscotchMap::<$key, $value>::with_capacity(2 * N as u64).unwrap());
        holds("dynamic", &mut DynamicMap::<$key, $value>::with_capacity(1).unwrap());
        holds("submaps", &mut SubmapMap::<$key, $value>::with_capacity(1).unwrap());
        holds("slab", &mut SlabMap::<$key, $value>::with_capacity(2 * N as u64).unwrap());
        holds("waitfree", &mut WaitFreeMap::<$key, $value>::with_capacity(2 * N as u64).unwrap());
        holds("paged", &mut PagedMap::<$key, $value>::with_budget(2 * N as u64, 1 << 20).unwrap());
    )*};
}

#[test]
fn every_structure_on_a_cpu_holds_signed_keys_and_other_values() {
    on_cpu! {
        i32, i32;
        i32, f32;
        u32, i32;
        i64, i64;
        i64, f64;
        u64, f32;
        i64, u32;
        u64, i32;
    }
}

#[test]
fn every_set_on_a_cpu_holds_signed_keys() {
    holds_keys("open", &mut OpenSet::<i64>::with_capacity(N as u64).unwrap());
    holds_keys("cuckoo", &mut CuckooSet::<i32>::with_capacity(N as u64).unwrap());
    holds_keys("hopscotch", &mut HopscotchSet::<i64>::with_capacity(N as u64).unwrap());
    holds_keys("dynamic", &mut DynamicSet::<i32>::with_capacity(1).unwrap());
    holds_keys("waitfree", &mut WaitFreeSet::<i64>::with_capacity(N as u64).unwrap());
    holds_keys("paged", &mut PagedSet::<i32>::with_budget(N as u64, 1 << 20).unwrap());
}

/// Sums of negative numbers, and of numbers of fewer bits than the table's.
#[test]
fn counters_add_signed_numbers() {
    let sums = OpenMap::<i64, i64>::with_capacity(10).unwrap();
    let added = sums.insert_or_add(&[-1, -1, 5, -1], &[-10, 3, i64::MIN, 2]).unwrap();
    assert_eq!(added.iter().filter(|&&said| said == Add::Inserted).count(), 2);
    assert_eq!(sums.search(&[-1, 5]).unwrap(), [Some(-5), Some(i64::MIN)]);
    let narrow = DynamicMap::<u64, i32>::with_capacity(10).unwrap();
    narrow.insert_or_add(&[u64::MAX; 3], &[-1, -2, i32::MAX]).unwrap().all_stored().unwrap();
    assert_eq!(narrow.search(&[u64::MAX]).unwrap(), [Some(i32::MAX - 3)]);
    assert_eq!(narrow.retrieve_all_in_order().unwrap(), [(u64::MAX, i32::MAX - 3)]);
}

/// Every key moves with its value, also the reserved keys, which no slot holds.
macro_rules! moves {
    ($map:expr, |$moved:ident| $move:expr) => {{
        let (keys, values) = (numbers::<i64>(0), numbers::<i64>(7));
        let $moved = &mut $map.unwrap();
        $moved.insert_unique(&keys, &values).unwrap().all_stored().unwrap();
        $moved.delete(&keys[1..2]).unwrap();
        $move.unwrap();
        let mut expected: HashMap<i64, i64> = keys.into_iter().zip(values).collect();
        expected.remove(&i64::of(1));
        assert_eq!($moved.len().unwrap(), expected.len() as u64);
        assert_eq!($moved.retrieve_all().unwrap().into_iter().collect::<HashMap<_, _>>(), expected);
        assert_eq!($moved.search(&[i64::of(0), i64::of(1)]).unwrap(), [Some(i64::of(7)), None]);
    }};
}

#[test]
fn every_key_moves_when_a_table_is_replaced() {
    moves!(OpenMap::<i64, i64>::with_capacity(2 * N as u64), |map| map.rehash(map.geometry()));
    moves!(CuckooMap::<i64, i64>::with_capacity(2 * N as u64), |map| map.rehash(map.geometry()));
    moves!(SubmapMap::<i64, i64>::with_capacity(1), |map| map.compact());
    moves!(DynamicMap::<i64, i64>::with_capacity(1), |map| map.shrink());
}

#[cfg(feature = "gpu")]
#[test]
fn every_key_moves_when_a_table_on_a_gpu_is_replaced() {
    use warpproof::gpu;
    let Some(device) = device::device() else { return };
    let n = 2 * N as u64;
    moves!(gpu::OpenMap::<i64, i64>::with_capacity(device, n), |map| map.rehash(map.geometry()));
    moves!(gpu::DynamicMap::<i64, i64>::with_capacity(device, 1), |map| map.shrink());
    if device.wide() {
        moves!(gpu::CuckooMap::<i64, i64>::with_capacity(device, n), |map| map.rehash(map.geometry()));
    }
}

/// A key that no slot holds may have many pairs.
#[test]
fn a_multimap_holds_many_pairs_of_any_key() {
    let map = SlabMultimap::<i64, f64>::with_capacity(3000).unwrap();
    let values: Vec<f64> = (0..1000).map(f64::from).collect();
    for key in [-1, -3, 7] {
        assert_eq!(map.insert(&vec![key; 1000], &values).unwrap(), vec![Insert::Inserted; 1000]);
    }
    let matches = map.search_all(&[-1, -2, -3]).unwrap();
    let sorted = |at| {
        let mut values = matches.of(at).to_vec();
        values.sort_by(f64::total_cmp);
        values
    };
    assert_eq!([sorted(0), sorted(1), sorted(2)], [values.clone(), vec![], values]);
    assert_eq!(map.len().unwrap(), 3000);
    assert_eq!(map.delete_all(&[-1, 7, 8]).unwrap(), [1000, 1000, 0]);
    assert_eq!(map.count(&[-1, -3]).unwrap(), [0, 1000]);
}

/// Every structure on a GPU holds signed keys and other number types; a value there has as many bits as the
/// key.
#[cfg(feature = "gpu")]
#[test]
fn every_structure_on_a_gpu_holds_signed_keys_and_other_values() {
    use warpproof::gpu;
    let Some(device) = device::device() else { return };
    let n = 2 * N as u64;
    macro_rules! on_gpu {
        ($($key:ty, $value:ty;)*) => {$(
            holds("open", &mut gpu::OpenMap::<$key, $value>::with_capacity(device, n).unwrap());
            holds("dynamic", &mut gpu::DynamicMap::<$key, $value>::with_capacity(device, 1).unwrap());
            holds("slab", &mut gpu::SlabMap::<$key, $value>::with_capacity(device, n).unwrap());
            if size_of::<$key>() == 4 || device.wide() {
                holds("cuckoo", &mut gpu::CuckooMap::<$key, $value>::with_capacity(device, n).unwrap());
                holds("hopscotch", &mut gpu::HopscotchMap::<$key, $value>::with_capacity(device, n).unwrap());
                holds("waitfree", &mut gpu::WaitFreeMap::<$key, $value>::with_capacity(device, n).unwrap());
            }
        )*};
    }
    on_gpu! {
        i32, i32;
        u32, f32;
        i64, f64;
        u64, i64;
    }
    holds_keys("open", &mut gpu::OpenSet::<i64>::with_capacity(device, n).unwrap());
    holds_keys("cuckoo", &mut gpu::CuckooSet::<i32>::with_capacity(device, n).unwrap());
    holds_keys("hopscotch", &mut gpu::HopscotchSet::<i64>::with_capacity(device, n).unwrap());
    holds_keys("waitfree", &mut gpu::WaitFreeSet::<i32>::with_capacity(device, n).unwrap());
    let sums = gpu::OpenMap::<i64, i64>::with_capacity(device, 10).unwrap();
    sums.insert_or_add(&[-1, -1, 5, -1], &[-10, 3, i64::MIN, 2]).unwrap().all_stored().unwrap();
    assert_eq!(sums.search(&[-1, 5]).unwrap(), [Some(-5), Some(i64::MIN)]);
    let tuning = gpu::Tuning { lock_word: true, ..Default::default() };
    let size = gpu::OpenMap::<i64, f64>::size(n, 0.8).unwrap();
    holds("lock word", &mut gpu::OpenMap::<i64, f64>::with_tuning(device, size, tuning).unwrap());
    let map = gpu::SlabMultimap::<i64, f64>::with_capacity(device, 3000).unwrap();
    let values: Vec<f64> = (0..1000).map(f64::from).collect();
    map.insert(&[-1; 1000], &values).unwrap().all_stored().unwrap();
    let matches = map.search_all(&[-2, -1]).unwrap();
    assert_eq!((matches.of(0).len(), matches.of(1).iter().sum::<f64>()), (0, 499_500.0));
    assert_eq!(map.delete_all(&[-1]).unwrap(), [1000]);
}
