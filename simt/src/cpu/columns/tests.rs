//! Columns of all shapes, beside the standard library's maps.

use super::*;
use crate::cpu::Error;
use std::collections::{BTreeMap, HashMap};

/// Random numbers (SplitMix64).
fn mix(i: u64) -> u64 {
    let z = i.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb)
}

/// `rows` random keys among so many.
fn column(rows: usize, distinct: u64) -> Vec<u64> {
    (0..rows as u64).map(|i| mix(mix(i) % distinct)).collect()
}

/// Columns for each way to group: none, one chunk, several, many keys, and few keys where the sample looks.
fn columns() -> Vec<Vec<u64>> {
    if cfg!(miri) {
        return vec![vec![], vec![5], column(300, 40)];
    }
    let mut hidden = column(3_000_000, 100);
    // The sample takes every 183rd row; the rows between are all different.
    hidden.iter_mut().enumerate().filter(|(i, _)| i % 183 != 0).for_each(|(i, key)| *key = i as u64);
    let mut skewed = column(400_000, 300_000);
    skewed[100_000..300_000].fill(7);
    vec![
        vec![],
        vec![5],
        vec![u64::MAX; 1000],
        column(16_384, 1 << 40),
        column(2_500_000, 3000),
        column(300_000, 1 << 40),
        hidden,
        skewed,
        (0..200_000).rev().collect(),
    ]
}

fn groups_of(keys: &[u64]) -> (Vec<u32>, Vec<u32>, Vec<u32>) {
    let (mut numbers, mut first, mut sizes) = (HashMap::new(), Vec::new(), Vec::new());
    let each = keys.iter().zip(0..).map(|(&key, row)| {
        let number = *numbers.entry(key).or_insert_with(|| {
            first.push(row);
            sizes.push(0);
            sizes.len() as u32 - 1
        });
        sizes[number as usize] += 1;
        number
    });
    let each = each.collect();
    (first, sizes, each)
}

/// Rows as 64-bit numbers are the same rows, and all ones stay all ones.
#[test]
fn rows_may_have_64_bits() {
    let wide = |rows: &[u32]| -> Vec<i64> {
        rows.iter().map(|&row| if row == u32::MAX { -1 } else { row.into() }).collect()
    };
    let (progress, all) = (Progress::new(), columns());
    for (left, right) in all.iter().zip(all.iter().cycle().skip(1)) {
        let (first, _, numbers) = groups_of(left);
        let groups: Grouped<(), i64> = grouped(left, &(), true, &progress).expect("memory");
        assert_eq!((groups.first.len(), groups.states.len()), (first.len(), first.len()));
        assert!(groups.first == wide(&first) && groups.numbers == wide(&numbers), "{} rows", left.len());
        // Fewer rows: their pairs are few, too.
        let (left, right) = (&left[..left.len().min(3000)], &right[..right.len().min(2000)]);
        let by_key = RowsByKey::new(right, &progress).expect("memory");
        for join in [Join::Inner, Join::Left, Join::Outer] {
            let narrow: Pairs = by_key.joined(left, join, &progress).expect("memory");
            let pairs: Pairs<i64> = by_key.joined(left, join, &progress).expect("memory");
            assert!(pairs.left == wide(&narrow.left) && pairs.right == wide(&narrow.right), "{join:?}");
        }
        for there in [false, true] {
            let narrow: Vec<u32> = by_key.rows_where(left, there, &progress).expect("memory");
            let rows: Vec<i64> = by_key.rows_where(left, there, &progress).expect("memory");
            assert_eq!(rows, wide(&narrow));
        }
    }
}

#[test]
fn groups_are_in_the_order_of_their_first_rows() {
    for keys in columns() {
        let groups = Groups::of(&keys, &Progress::new()).expect("memory");
        assert_eq!(groups.is_empty(), keys.is_empty());
        assert!(groups.into_parts() == groups_of(&keys), "{} rows", keys.len());
        let keys: Vec<i32> = keys.iter().map(|&key| key as i32 % 1000).collect();
        let wide: Vec<u64> = keys.iter().map(|&key| key as u64).collect();
        let groups = Groups::of(&keys, &Progress::new()).expect("memory");
        assert!(groups.into_parts() == groups_of(&wide), "{} rows of 32 bits", keys.len());
    }
}

#[test]
fn folds_are_those_of_each_group() {
    for keys in columns() {
        let (first, sizes, numbers) = groups_of(&keys);
        let values: Vec<i64> = (0..keys.len() as u64).map(|i| mix(i) as i64).collect();
        let floats: Vec<f32> = values.iter().map(|&value| (value >> 44) as f32).collect();
        let empty = (0i64, i64::MAX, i64::MIN, 0f64);
        let mut expected = vec![empty; first.len()];
        for (&number, (&value, &float)) in numbers.iter().zip(values.iter().zip(&floats)) {
            let group = &mut expected[number as usize];
            *group = (
                group.0.wrapping_add(value),
                group.1.min(value),
                group.2.max(value),
                group.3 + f64::from(float),
            );
        }
        let progress = Progress::new();
        let (rows, counts) = fold_groups(&keys, &Count, &progress).expect("memory");
        assert!(rows == first && counts == sizes);
        let sums = fold_groups(&keys, &Sum(&values), &progress).expect("memory").1;
        assert!(sums.iter().zip(&expected).all(|(sum, group)| *sum == group.0) && sums.len() == first.len());
        let lows = fold_groups(&keys, &Min(&values), &progress).expect("memory").1;
        assert!(lows.iter().zip(&expected).all(|(low, group)| *low == group.1));
        let highs = fold_groups(&keys, &Max(&values), &progress).expect("memory").1;
        assert!(highs.iter().zip(&expected).all(|(high, group)| *high == group.2));
        // Whole numbers of few bits: their sums are exact in any order.
        let floats = fold_groups(&keys, &Mean(&floats), &progress).expect("memory").1;
        assert!(floats.iter().zip(expected.iter().zip(&sizes)).all(|(f, (g, &n))| *f == (g.3, n)));
    }
}

#[test]
fn sums_of_floats_do_not_depend_on_threads() {
    if cfg!(miri) {
        return;
    }
    for keys in [column(3_000_000, 100), column(300_000, 200_000)] {
        let values: Vec<f64> = (0..keys.len() as u64).map(|i| 1.0 / (mix(i) % 1000 + 1) as f64).collect();
        let sums = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            let sums = pool.install(|| fold_groups(&keys, &Sum(&values), &Progress::new()));
            let bits = sums.expect("memory").1.into_iter().map(f64::to_bits);
            bits.collect::<Vec<u64>>()
        };
        assert!(sums(1) == sums(4), "{} rows", keys.len());
    }
}

#[test]
fn a_nan_makes_a_result_a_nan() {
    let values = [1.0, f64::NAN, 3.0, 4.0];
    for order in [[0usize, 1, 2, 3], [1, 0, 2, 3], [3, 2, 0, 1]] {
        let values = order.map(|i| values[i]);
        let keys = [0u32; 4];
        let low = fold_groups(&keys, &Min(&values), &Progress::new()).expect("memory").1[0];
        let high = fold_groups(&keys, &Max(&values), &Progress::new()).expect("memory").1[0];
        let sum = fold_groups(&keys, &Sum(&values), &Progress::new()).expect("memory").1[0];
        assert!(low.is_nan() && high.is_nan() && sum.is_nan(), "{order:?}");
    }
}

#[test]
fn joins_are_those_of_nested_loops() {
    let sizes = if cfg!(miri) { [(40, 30, 20); 2] } else { [(70_000, 60_000, 50_000), (3000, 5000, 40)] };
    for (left, right, distinct) in sizes {
        let (left, right) = (column(left, distinct), column(right + 1, distinct * 2));
        let mut rows: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
        right.iter().zip(0..).for_each(|(&key, row)| rows.entry(key).or_default().push(row));
        let of = |key| rows.get(key).map_or(&[][..], |rows| &rows[..]);
        let by_key = RowsByKey::new(&right, &Progress::new()).expect("memory");
        let each = || left.iter().zip(0u32..);
        let inner: Vec<(u32, u32)> =
            each().flat_map(|(key, row)| of(key).iter().map(move |&right| (row, right))).collect();
        let pairs = by_key.inner(&left, &Progress::new()).expect("memory");
        assert!(pairs.left.into_iter().zip(pairs.right).eq(inner.iter().copied()));
        let outer: Vec<(u32, u32)> = each()
            .flat_map(|(key, row)| {
                let rights = if of(key).is_empty() { &[u32::MAX][..] } else { of(key) };
                rights.iter().map(move |&right| (row, right))
            })
            .collect();
        let pairs = by_key.left(&left, &Progress::new()).expect("memory");
        assert!(pairs.left.into_iter().zip(pairs.right).eq(outer.iter().copied()));
        let taken: std::collections::HashSet<u64> = left.iter().copied().collect();
        let alone = right.iter().zip(0u32..).filter(|(key, _)| !taken.contains(key));
        let outer = outer.into_iter().chain(alone.map(|(_, row)| (u32::MAX, row)));
        let pairs = by_key.outer(&left, &Progress::new()).expect("memory");
        assert!(pairs.left.into_iter().zip(pairs.right).eq(outer));
        let there = |wanted| each().filter(move |(key, _)| of(key).is_empty() != wanted).map(|(_, row)| row);
        assert!(by_key.semi(&left, &Progress::new()).expect("memory").into_iter().eq(there(true)));
        assert!(by_key.anti(&left, &Progress::new()).expect("memory").into_iter().eq(there(false)));
    }
}

/// Keys of which most are not there, of which half repeat, that are all different and there, and that are
/// there in a small table: each is looked up in another way.
#[test]
fn keys_are_found_in_every_way_to_look_them_up() {
    let rows = if cfg!(miri) { 5000 } else { 300_000 };
    let there: Vec<u64> = (0..rows / 3).map(mix).collect();
    let ways: [(Vec<u64>, &[u64]); 4] = [
        ((0..rows).map(|i| mix(i * 7)).collect(), &there),
        ((0..rows).map(|i| mix(mix(i) % (if i % 2 == 0 { 50 } else { rows / 2 }))).collect(), &there),
        ((0..rows / 3).map(mix).collect(), &there),
        ((0..rows).map(|i| mix(mix(i) % 100)).collect(), &there[..90]),
    ];
    for (keys, there) in ways {
        let rows: HashMap<u64, u32> = there.iter().copied().zip(0..).collect();
        let found = isin(&keys, there, &Progress::new()).expect("memory");
        assert!(keys.iter().zip(&found).all(|(key, &found)| rows.contains_key(key) == found));
        let by_key = RowsByKey::new(there, &Progress::new()).expect("memory");
        let pairs = by_key.inner(&keys, &Progress::new()).expect("memory");
        let expected: Vec<_> =
            (0u32..).zip(&keys).filter_map(|(row, key)| Some((row, *rows.get(key)?))).collect();
        assert_eq!(pairs.left.into_iter().zip(pairs.right).collect::<Vec<_>>(), expected);
    }
}

#[test]
fn keys_are_found_among_others() {
    let sizes = if cfg!(miri) { [(40, 10, 20); 2] } else { [(70_000, 60_000, 50_000), (3000, 30, 40)] };
    for (keys, others, distinct) in sizes {
        let (keys, others) = (column(keys, distinct), column(others, distinct * 2));
        let found = isin(&keys, &others, &Progress::new()).expect("memory");
        let expected = keys.iter().map(|key| others.contains(key));
        assert!(found.iter().copied().take(2000).eq(expected.take(2000)) && found.len() == keys.len());
        assert!(found.contains(&true) && found.contains(&false));
        assert_eq!(isin(&keys, &[], &Progress::new()).expect("memory"), vec![false; keys.len()]);
    }
}

#[test]
fn joins_with_nothing_have_no_pairs() {
    let by_key = RowsByKey::<u32>::new(&[], &Progress::new()).expect("memory");
    let pairs = by_key.left(&[3, 4], &Progress::new()).expect("memory");
    assert_eq!((pairs.left, pairs.right), (vec![0, 1], vec![u32::MAX; 2]));
    assert!(by_key.inner(&[3], &Progress::new()).expect("memory").left.is_empty());
    assert!(by_key.inner(&[], &Progress::new()).expect("memory").left.is_empty());
}

#[test]
fn a_call_stops_when_it_is_asked_to() {
    let progress = Progress::new();
    progress.stop();
    for keys in columns() {
        assert_eq!(Groups::of(&keys, &progress), Err(Error::Stopped));
    }
    let done = Progress::new();
    Groups::of(&column(1000, 5), &done).expect("memory");
    assert!(done.done() >= 1000);
}
