//! Searches of a table that nothing changes meanwhile.

use super::device;
use std::sync::Arc;
use std::time::Instant;
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
    let mut answers: [_; 3] = core::array::from_fn(|_| stream.alloc_zeros::<u8>(keys.len()).unwrap());
    // A filter of another length each time: none for the empty set, then one word with nearly all of its
    // bits, and the longest when keys were deleted.
    let most = stored as usize / 2;
    let mut words = stream.alloc_zeros::<u64>(most).unwrap();
    for round in 0..4 {
        let [frozen, filtered, shared] = &mut answers;
        set.frozen(stream).contains(&on_device, frozen).unwrap();
        let mut words = words.slice_mut(..[0, 1, most / 2, most][round as usize]);
        let mut searches = set.frozen(stream).with_filter(&mut words).unwrap();
        searches.contains(&on_device, filtered).unwrap();
        set.on_stream(stream).contains(&on_device, shared).unwrap();
        let [frozen, filtered, shared] = answers.each_ref().map(|found| stream.clone_dtoh(found).unwrap());
        assert_eq!(frozen, shared, "round {round}");
        assert_eq!(filtered, shared, "round {round}, with a filter");
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
    let mut words = stream.alloc_zeros::<u64>(stored as usize / 4).unwrap();
    let n = 300_000;
    for round in 0..3 {
        let mut values: [_; 3] = core::array::from_fn(|_| stream.alloc_zeros::<V>(n).unwrap());
        let mut found: [_; 3] = core::array::from_fn(|_| stream.alloc_zeros::<u8>(n).unwrap());
        {
            let ([a, b, c], [in_a, in_b, in_c]) = (&mut values, &mut found);
            map.frozen(stream).search_or(&keys, a, value(7), Some(in_a.as_view_mut())).unwrap();
            map.on_stream(stream).search_or(&keys, b, value(7), Some(in_b.as_view_mut())).unwrap();
            let mut searches = map.frozen(stream).with_filter(&mut words).unwrap();
            searches.search_or(&keys, c, value(7), Some(in_c.as_view_mut())).unwrap();
        }
        let [a, b, c] = values.each_ref().map(|values| stream.clone_dtoh(values).unwrap());
        assert!(a == b && b == c, "round {round}: values");
        let [a, b, c] = found.each_ref().map(|found| stream.clone_dtoh(found).unwrap());
        assert_eq!(a, b, "round {round}");
        assert_eq!(b, c, "round {round}, with a filter");
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

/// A word for every four keys: one absent key in 16 is looked up. Prints how fast that is beside a search
/// without a filter, if nothing else uses the device.
#[test]
fn a_filter_spares_most_absent_keys_their_bucket() {
    let Some(device) = device() else { return };
    let stream = device.context().default_stream();
    let (stored, n) = (10_000_000u64, 1usize << 26);
    let spread = |i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut set = OpenSet::<u64>::build(&device, &(0..stored).map(spread).collect::<Vec<_>>()).unwrap();
    let mut found = stream.alloc_zeros::<u8>(n).unwrap();
    let mut words = stream.alloc_zeros::<u64>(stored as usize / 4).unwrap();
    // Of ten keys so many are there.
    for there in [0, 1, 5, 10] {
        let key = |i: u64| spread(if i % 10 < there { i % stored } else { stored + i });
        let keys = stream.clone_htod(&(0..n as u64).map(key).collect::<Vec<_>>()).unwrap();
        let expected = (0..n as u64).filter(|i| i % 10 < there).count();
        for filtered in [false, true] {
            let mut seconds = [0.0; 5];
            for seconds in &mut seconds {
                let start = Instant::now();
                let mut searches = set.frozen(&stream);
                if filtered {
                    searches = searches.with_filter(&mut words).unwrap();
                }
                searches.contains(&keys, &mut found).unwrap();
                stream.synchronize().unwrap();
                *seconds = start.elapsed().as_secs_f64();
            }
            if filtered {
                // Of 16 bits for each key so many are set: 16 * (1 - exp(-1/16)).
                let words = stream.clone_dtoh(&words).unwrap();
                let bits: u64 = words.iter().map(|word| u64::from(word.count_ones())).sum();
                assert!((stored * 95 / 100..stored).contains(&bits), "{bits} bits of {stored} keys");
            }
            seconds.sort_by(f64::total_cmp);
            println!("{there} of 10 there, filter: {filtered}: {:.0} Mop/s", n as f64 / seconds[2] / 1e6);
            let answers = stream.clone_dtoh(&found).unwrap();
            assert_eq!(answers.iter().filter(|&&found| found == 1).count(), expected, "{there} of 10");
        }
    }
}
