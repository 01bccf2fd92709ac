//! The groups of columns, beside groups that the host makes.

use super::device;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::time::Instant;
use warpproof_gpu::{Device, Error, Grouping, KeyScalar};
use warpproof_model::host::Refused;

/// A column of `n` keys: number `i` is `draw` of a number that looks random, and of `i`.
fn column<K: TryFrom<u64, Error: Debug>>(n: usize, draw: impl Fn(u64, u64) -> u64) -> Vec<K> {
    let key = |i: u64| {
        let mixed = (i ^ 0x5bd1_e995).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        K::try_from(draw((mixed ^ mixed >> 32) >> 16, i)).expect("a small key")
    };
    (0..n as u64).map(key).collect()
}

/// Kinds of columns.
const KINDS: [&str; 7] = ["uniform", "few", "one", "half", "skewed", "ascending", "distinct"];

/// A column of `n` keys: of as many, of a hundred, of one, half of which is one key, of which few keys have
/// most rows, ascending, or all distinct.
fn columns<K: TryFrom<u64, Error: Debug>>(n: usize, kind: &str) -> Vec<K> {
    let of = n.max(1) as u64;
    match kind {
        "uniform" => column(n, |drawn, _| drawn % of),
        "few" => column(n, |drawn, _| drawn % 100),
        "one" => column(n, |_, _| 7),
        "half" => column(n, |drawn, i| if drawn % 2 == 0 { 3 } else { i }),
        "skewed" => column(n, |drawn, _| of / (drawn % of + 1)),
        "ascending" => column(n, |_, i| i / 5),
        _ => column(n, |_, i| i),
    }
}

/// A value for each row; sums of them need more than 32 bits, and wrap.
fn values(n: usize) -> Vec<u64> {
    (0..n as u64).map(|i| i.wrapping_mul(0xd605_1cc9_a1b2_c3d5)).collect()
}

/// Bytes after the scratch memory, and how many are looked at.
const GUARD: u8 = 0x5a;
const GUARDS: usize = 4096;

/// Makes the groups of a column in all three ways, and compares them.
fn compare<K: KeyScalar>(device: &Device, what: &str, keys: &[K]) {
    let stream = device.context().default_stream();
    let grouping = Grouping::<K>::new(device).expect("kernels");
    let values = values(keys.len());
    let mut expected = BTreeMap::new();
    for (&key, &value) in keys.iter().zip(&values) {
        let (rows, sum) = expected.entry(key).or_insert((0u64, 0u64));
        (*rows, *sum) = (*rows + 1, sum.wrapping_add(value));
    }
    let (n, groups) = (keys.len(), expected.len());
    let on_device = |keys: &[K]| stream.clone_htod(if keys.is_empty() { &[][..] } else { keys });
    let keys = on_device(keys).expect("memory");
    let values = stream.clone_htod(&values).expect("memory");
    // One more than groups: nothing is written after the last one.
    let room = groups + 1;
    let filled = || stream.clone_htod(&vec![99u64; room]).expect("memory");
    for sums in [false, true] {
        let bytes = grouping.scratch_bytes(n, sums) as usize;
        // The memory may begin anywhere, and what comes after it stays as it is.
        let mut memory = stream.clone_htod(&vec![GUARD; bytes + 1 + GUARDS]).expect("memory");
        let mut scratch = memory.slice_mut(1..=bytes);
        let mut found = stream.alloc_zeros::<K>(room).expect("memory");
        if !sums {
            let n = grouping.distinct(&stream, &keys, &mut scratch, &mut found).expect("groups");
            assert_eq!(n, groups, "{what}, {} rows", keys.len());
            let mut found = stream.clone_dtoh(&found).expect("a copy");
            found[..groups].sort_unstable();
            assert!(found[..groups].iter().eq(expected.keys()), "{what}, {} rows", keys.len());
        }
        let (mut rows, mut added) = (filled(), filled());
        let made = if sums {
            let to = (&mut found, &mut rows, &mut added);
            grouping.sum(&stream, (&keys, &values), &mut scratch, to)
        } else {
            grouping.count(&stream, &keys, &mut scratch, (&mut found, &mut rows))
        };
        assert_eq!(made, Ok(groups), "{what}, {n} rows, sums: {sums}");
        let behind = stream.clone_dtoh(&memory.slice(bytes + 1..)).expect("a copy");
        assert_eq!(behind, [GUARD; GUARDS], "{what}, {n} rows");
        let found = stream.clone_dtoh(&found).expect("a copy");
        let [rows, added] = [rows, added].map(|numbers| stream.clone_dtoh(&numbers).expect("a copy"));
        assert_eq!((rows[groups], added[groups]), (99, 99), "{what}, {n} rows");
        let told = found.into_iter().zip(rows.into_iter().zip(added)).take(groups);
        let told: BTreeMap<_, _> =
            told.map(|(key, (rows, sum))| (key, (rows, if sums { sum } else { 0 }))).collect();
        let expected = expected.iter().map(|(&key, &(rows, sum))| (key, (rows, if sums { sum } else { 0 })));
        assert!(told.into_iter().eq(expected), "{what}, {n} rows, sums: {sums}");
    }
}

/// Columns in one block, in one level of partitions, with a sample of hot keys, and in two levels.
#[test]
fn groups_are_those_of_the_host() {
    let Some(device) = device() else { return };
    for n in [0, 1, 1000, 3000, 140_000, 2_500_000] {
        for what in KINDS {
            compare(&device, what, &columns::<u32>(n, what));
            let keys = columns::<u64>(n, what);
            let keys: Vec<u64> =
                keys.into_iter().map(|key| key.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
            compare(&device, what, &keys);
        }
    }
    let ends: Vec<i64> =
        column(1000, |drawn, _| drawn % 3).into_iter().map(|key: i64| i64::MAX * (key - 1)).collect();
    compare(&device, "ends", &ends);
}

/// Compares the look-up of all rows among some keys, which may repeat and be absent, with that of the host.
fn compare_among<K: KeyScalar>(device: &Device, keys: &[K], few: &[K]) {
    let stream = device.context().default_stream();
    let grouping = Grouping::<K>::new(device).expect("kernels");
    let bytes = grouping.scratch_bytes(0, false) as usize;
    let mut scratch = stream.alloc_zeros::<u8>(bytes + 1).expect("memory");
    let on_device = stream.clone_htod(if keys.is_empty() { &[][..] } else { keys }).expect("memory");
    let mut memory = stream.clone_htod(&vec![GUARD; keys.len() + GUARDS]).expect("memory");
    let mut found = memory.slice_mut(..keys.len());
    grouping.among(&stream, (&on_device, few), &mut scratch.slice_mut(1..), &mut found).expect("a look-up");
    let expected = keys.iter().map(|key| few.contains(key).into()).chain([GUARD; GUARDS]);
    let found = stream.clone_dtoh(&memory).expect("a copy");
    assert!(found.into_iter().eq(expected), "{} rows among {few:?}", keys.len());
}

#[test]
fn rows_are_looked_up_among_few_keys() {
    let Some(device) = device() else { return };
    for n in [0, 1, 100, 4095, 4096, 4097, 1_000_000] {
        for len in [0, 1, 2, 100, 256] {
            let few: Vec<u64> = (0..len).map(|i| i * i % 300).collect();
            compare_among(&device, &column::<u64>(n, |drawn, _| drawn % 1000), &few);
            let few: Vec<u32> = few.iter().map(|&key| (key as u32).wrapping_sub(3)).collect();
            compare_among(
                &device,
                &column::<u32>(n, |drawn, _| (drawn as u32 % 1000).wrapping_sub(5).into()),
                &few,
            );
        }
    }
}

#[test]
fn too_many_keys_to_be_found_are_refused() {
    let Some(device) = device() else { return };
    let stream = device.context().default_stream();
    let grouping = Grouping::<u32>::new(&device).expect("kernels");
    let keys = stream.clone_htod(&[5u32, 6, 5]).expect("memory");
    let mut scratch = stream.alloc_zeros::<u8>(grouping.scratch_bytes(0, false) as usize).expect("memory");
    let mut found = stream.alloc_zeros::<u8>(3).expect("memory");
    let refused = grouping.among(&stream, (&keys, &[1; 257]), &mut scratch, &mut found);
    let (what, most) = ("keys to be found", Grouping::<u32>::MOST_FEW as u64);
    assert_eq!(refused, Err(Error::Refused(Refused::TooLarge { what, found: 257, most })));
    let refused = grouping.among(&stream, (&keys, &[1]), &mut scratch, &mut found.slice_mut(..2));
    assert_eq!(refused, Err(Error::Refused(Refused::Length { keys: 3, what: "found", found: 2 })));
    let refused = grouping.among(&stream, (&keys, &[1]), &mut scratch.slice_mut(..9), &mut found);
    assert!(refused.unwrap_err().to_string().contains("bytes of scratch memory"));
}

#[test]
fn what_does_not_fit_is_refused() {
    let Some(device) = device() else { return };
    let stream = device.context().default_stream();
    let grouping = Grouping::<u32>::new(&device).expect("kernels");
    let keys = stream.clone_htod(&[5u32, 6, 5]).expect("memory");
    let bytes = grouping.scratch_bytes(3, true);
    let mut scratch = stream.alloc_zeros::<u8>(bytes as usize).expect("memory");
    let (mut one, mut two) = (stream.alloc_zeros::<u32>(1).unwrap(), stream.alloc_zeros::<u32>(2).unwrap());
    let mut numbers = stream.alloc_zeros::<u64>(1).expect("memory");
    let refused = grouping.distinct(&stream, &keys, &mut scratch, &mut one);
    assert_eq!(refused, Err(Error::Refused(Refused::TooLarge { what: "distinct keys", found: 2, most: 1 })));
    assert_eq!(grouping.distinct(&stream, &keys, &mut scratch, &mut two), Ok(2));
    let refused = grouping.distinct(&stream, &keys, &mut scratch.slice_mut(..1), &mut two).unwrap_err();
    assert!(refused.to_string().contains("bytes of scratch memory"), "{refused}");
    let refused = grouping.count(&stream, &keys, &mut scratch, (&mut two, &mut numbers)).unwrap_err();
    let unequal = Refused::Length { keys: 2, what: "numbers of rows to write", found: 1 };
    assert_eq!(refused, Error::Refused(unequal));
    let mut sums = stream.alloc_zeros::<u64>(1).expect("memory");
    let values = stream.clone_htod(&[1u64, 2]).expect("memory");
    let to = (&mut one, &mut numbers, &mut sums);
    let refused = grouping.sum(&stream, (&keys, &values), &mut scratch, to).unwrap_err();
    assert_eq!(refused, Error::Refused(Refused::Length { keys: 3, what: "values", found: 2 }));
}

/// Outputs that are too short, also none at all, for columns with hot keys and without. What is written is
/// right, and nothing else is.
#[test]
fn outputs_may_be_too_short() {
    let Some(device) = device() else { return };
    let stream = device.context().default_stream();
    let grouping = Grouping::<u32>::new(&device).expect("kernels");
    for n in [5_000, 200_000] {
        for kind in ["few", "half", "distinct"] {
            let host = columns::<u32>(n, kind);
            let groups = host.iter().collect::<BTreeSet<_>>().len();
            let keys = stream.clone_htod(&host).expect("memory");
            let numbers = stream.clone_htod(&values(n)).expect("memory");
            let bytes = grouping.scratch_bytes(n, true) as usize;
            let mut scratch = stream.alloc_zeros::<u8>(bytes).expect("memory");
            for room in [0, 1, 50] {
                let mut found = stream.alloc_zeros::<u32>(room).expect("memory");
                let [mut rows, mut sums] = [0, 1].map(|_| stream.alloc_zeros::<u64>(room).expect("memory"));
                let to = (&mut found, &mut rows, &mut sums);
                let refused = grouping.sum(&stream, (&keys, &numbers), &mut scratch, to);
                let (what, found, most) = ("distinct keys", groups as u64, room as u64);
                let expected = Err(Error::Refused(Refused::TooLarge { what, found, most }));
                assert_eq!(refused, expected, "{kind}, {n} rows, room for {room}");
            }
        }
    }
}

/// A large column, in two levels of partitions. Prints how fast that is, if nothing else uses the device.
#[test]
fn the_groups_of_a_large_column_add_up() {
    let Some(device) = device() else { return };
    let stream = device.context().default_stream();
    let grouping = Grouping::<u64>::new(&device).expect("kernels");
    let n = 1 << 26;
    let bytes = grouping.scratch_bytes(n, true) as usize;
    let mut scratch = stream.alloc_zeros::<u8>(bytes).expect("memory");
    let mut found = stream.alloc_zeros::<u64>(n).expect("memory");
    let [mut rows, mut sums] = [0, 1].map(|_| stream.alloc_zeros::<u64>(n).expect("memory"));
    let numbers = stream.clone_htod(&values(n)).expect("memory");
    let all: u64 = values(n).into_iter().fold(0, u64::wrapping_add);
    for what in KINDS {
        let host = columns::<u64>(n, what);
        let expected = match what {
            "few" => Some(100),
            "one" => Some(1),
            "distinct" => Some(n),
            "ascending" => Some(n.div_ceil(5)),
            _ => None,
        };
        let keys = stream.clone_htod(&host).expect("memory");
        drop(host);
        let time = |step: &str, call: &mut dyn FnMut() -> Result<usize, Error>| {
            call().expect("groups");
            let start = Instant::now();
            let groups = call().expect("groups");
            let seconds = start.elapsed().as_secs_f64();
            println!("{what} {step}: {:.0} million rows/s, {groups} groups", n as f64 / seconds / 1e6);
            assert!(expected.is_none_or(|expected| expected == groups), "{what} {step}: {groups} groups");
            groups
        };
        let distinct = time("distinct", &mut || grouping.distinct(&stream, &keys, &mut scratch, &mut found));
        time("count", &mut || grouping.count(&stream, &keys, &mut scratch, (&mut found, &mut rows)));
        let groups = time("sum", &mut || {
            grouping.sum(&stream, (&keys, &numbers), &mut scratch, (&mut found, &mut rows, &mut sums))
        });
        assert_eq!(groups, distinct, "{what}");
        let total = |numbers| {
            let host: Vec<u64> = stream.clone_dtoh(numbers).expect("a copy");
            host.into_iter().fold(0, u64::wrapping_add)
        };
        let totals = [total(&rows.slice(..groups)), total(&sums.slice(..groups))];
        assert_eq!(totals, [n as u64, all], "{what}");
    }
}
