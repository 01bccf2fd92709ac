//! Searches of a table that nothing changes meanwhile.

use super::device;
use std::sync::Arc;
use warpproof_gpu::cudarc::driver::CudaStream;
use warpproof_gpu::{Device, Entry, KeyScalar, OpenMap, OpenSet, Scalar, Tuning};
use warpproof_model::host::BulkSet;

/// A key or value of a number.
type Of<T> = fn(u64) -> T;

/// Keys that a batch asks for: each often, some of them absent, and the last ones reserved.
fn asked<K: KeyScalar>(of: impl Fn(u64) -> K, stored: u64, n: usize) -> Vec<K> {
    let hot = |i: u64| if i.is_multiple_of(16) { u64::MAX - i / 16 % 3 } else { i * i % (2 * stored) };
    (0..n as u64).map(|i| of(hot(i))).collect()
}

/// Each answer is that of a search on a stream, after every change of the table: also of words that the
/// caches of the multiprocessors have from the search before.
fn set_agrees<K: KeyScalar>(device: &Device, stream: &Arc<CudaStream>, of: Of<K>, stored: u64) {
    let mut set = OpenSet::<K>::with_capacity(device, 2 * stored + 3).unwrap();
    let keys = asked(of, stored, 300_000);
    let on_device = stream.clone_htod(&keys).unwrap();
    let mut answers =
        [stream.alloc_zeros::<u8>(keys.len()).unwrap(), stream.alloc_zeros(keys.len()).unwrap()];
    for round in 0..4 {
        let [frozen, shared] = &mut answers;
        set.frozen(stream).contains(&on_device, frozen).unwrap();
        set.on_stream(stream).contains(&on_device, shared).unwrap();
        let [frozen, shared] = answers.each_ref().map(|found| stream.clone_dtoh(found).unwrap());
        assert_eq!(frozen, shared, "round {round}");
        let found = frozen.iter().filter(|&&found| found == 1).count();
        assert_eq!(found == 0, round == 0, "round {round}: {found} of {}", keys.len());
        // Half of what is asked for, then all of it; then a part is gone.
        let part: Vec<K> =
            (0..stored * (round + 1) / 2).map(of).chain((0..3).map(|i| of(u64::MAX - i))).collect();
        if round < 2 {
            set.insert(&part).unwrap().all_stored().unwrap();
        } else {
            set.delete(&part[..part.len() / 3]).unwrap();
        }
    }
}

#[test]
fn frozen_sets_answer_as_others_after_every_change() {
    let Some(device) = device() else { return };
    let stream = device.context().new_stream().unwrap();
    // In the L2 cache, and beyond it: tiles of one lane and of two.
    for stored in [1_000, 20_000_000] {
        set_agrees(&device, &stream, |key| key, stored);
        set_agrees(&device, &stream, |key| key as u32, stored);
    }
}

fn map_agrees<K: KeyScalar, V: Scalar + PartialEq>(
    device: &Device,
    stream: &Arc<CudaStream>,
    (key, value): (Of<K>, Of<V>),
    (stored, tuning): (u64, Tuning),
) where
    (K, V): Entry,
{
    let size = OpenMap::<K, V>::size(2 * stored, 0.8).unwrap();
    let mut map = OpenMap::<K, V>::with_tuning(device, size, tuning).unwrap();
    let keys = stream.clone_htod(&asked(key, stored, 300_000)).unwrap();
    let new: Vec<u64> = (0..stored).chain((0..3).map(|i| u64::MAX - i)).collect();
    let new_keys = stream.clone_htod(&new.iter().map(|&i| key(i)).collect::<Vec<_>>()).unwrap();
    let mut codes = stream.alloc_zeros::<u8>(new.len()).unwrap();
    let n = 300_000;
    for round in 0..3 {
        let mut values = [stream.alloc_zeros::<V>(n).unwrap(), stream.alloc_zeros::<V>(n).unwrap()];
        let mut found = [stream.alloc_zeros::<u8>(n).unwrap(), stream.alloc_zeros::<u8>(n).unwrap()];
        {
            let ([a, b], [in_a, in_b]) = (&mut values, &mut found);
            map.frozen(stream).search_or(&keys, a, value(7), Some(in_a.as_view_mut())).unwrap();
            map.on_stream(stream).search_or(&keys, b, value(7), Some(in_b.as_view_mut())).unwrap();
        }
        let [a, b] = values.each_ref().map(|values| stream.clone_dtoh(values).unwrap());
        assert!(a == b, "round {round}: values");
        let [a, b] = found.each_ref().map(|found| stream.clone_dtoh(found).unwrap());
        assert_eq!(a, b, "round {round}");
        assert_eq!(a.contains(&1), round > 0, "round {round}");
        // Other values for the same keys.
        let stored: Vec<V> = new.iter().map(|&i| value(i.wrapping_mul(round + 3))).collect();
        let stored = stream.clone_htod(&stored).unwrap();
        map.on_stream(stream).insert_or_assign(&new_keys, &stored, &mut codes).unwrap();
    }
}

#[test]
fn frozen_maps_answer_as_others_after_every_change() {
    let Some(device) = device() else { return };
    let stream = device.context().new_stream().unwrap();
    for stored in [1_000, 300_000, 20_000_000] {
        for lock_word in [false, true] {
            let tuning = Tuning { lock_word, ..Tuning::default() };
            map_agrees(&device, &stream, (|key| key, |value| value), (stored, tuning));
        }
        map_agrees(&device, &stream, (|key| key as u32, |value| value as u32), (stored, Tuning::default()));
    }
}

/// A use by another stream waits until the searches have run.
#[test]
fn another_stream_waits_for_searches_of_a_frozen_table() {
    let Some(device) = device() else { return };
    let context = device.context();
    let (one, other) = (context.new_stream().unwrap(), context.new_stream().unwrap());
    let n = 50_000_000u64;
    let mut set = OpenSet::<u64>::build(&device, &(0..1000).collect::<Vec<u64>>()).unwrap();
    let keys = one.clone_htod(&(0..n).map(|i| i % 1000).collect::<Vec<u64>>()).unwrap();
    let mut found = one.alloc_zeros::<u8>(n as usize).unwrap();
    let gone = other.clone_htod(&(0..1000u64).collect::<Vec<_>>()).unwrap();
    let mut codes = other.alloc_zeros::<u8>(1000).unwrap();
    one.synchronize().unwrap();
    other.synchronize().unwrap();
    set.frozen(&one).contains(&keys, &mut found).unwrap();
    set.on_stream(&other).delete(&gone, &mut codes).unwrap();
    let found = one.clone_dtoh(&found).unwrap();
    assert!(found.iter().all(|&found| found == 1), "a delete began before the searches were over");
    assert!(other.clone_dtoh(&codes).unwrap().iter().all(|&code| code == 0));
}
