//! Indexes of rows beside the standard library's maps, with good hashes and with poor ones.

use super::*;
use crate::cpu::Error;
use core::hash::{BuildHasher, Hasher};
use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use warpproof_model::host::Refused;

/// A hash of so many values: at 1 all keys have one hash.
#[derive(Clone)]
struct Poor(u64, RandomState);

struct PoorHasher(u64, std::hash::DefaultHasher);

impl BuildHasher for Poor {
    type Hasher = PoorHasher;

    fn build_hasher(&self) -> PoorHasher {
        PoorHasher(self.0, self.1.build_hasher())
    }
}

impl Hasher for PoorHasher {
    fn finish(&self) -> u64 {
        self.1.finish() % self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        self.1.write(bytes);
    }
}

/// The hashes of all tests.
fn hashes() -> impl Iterator<Item = Poor> {
    [1, 2, 7, 50, u64::MAX].into_iter().map(|values| Poor(values, RandomState::new()))
}

/// Random numbers (SplitMix64).
fn mix(i: u64) -> u64 {
    let z = i.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb)
}

/// Keys of two columns.
type Keys = (Vec<String>, Vec<i64>);

/// `rows` random keys among up to `distinct`.
fn keys(rows: usize, (seed, distinct): (u64, u64)) -> Keys {
    let key = |row: usize| mix(mix(seed + row as u64) % distinct);
    // Strings of many lengths, whose ends are alike; some are empty.
    let text = |key: u64| "éx".repeat((key % 5) as usize) + &(key % 7).to_string()[(key % 2) as usize..];
    (0..rows).map(|row| (text(key(row)), (key(row) % 11) as i64 - 5)).unzip()
}

/// The rows of each key.
fn by_key(keys: &Keys) -> HashMap<(&str, i64), Vec<u32>> {
    let mut rows: HashMap<_, Vec<u32>> = HashMap::new();
    keys.0.iter().zip(&keys.1).zip(0..).for_each(|((a, &b), row)| {
        rows.entry((a.as_str(), b)).or_default().push(row);
    });
    rows
}

/// Compares every answer with that of a map.
fn equals_a_map(left: &Keys, right: &Keys, hash: Poor) {
    let progress = Progress::new();
    let index = RowIndex::with_hasher(right.clone(), hash, &progress).expect("memory");
    assert_eq!((index.len(), index.columns()), (right.0.len(), right));
    let rows = by_key(right);
    let sought = || left.0.iter().zip(&left.1).map(|(a, &b)| (a.as_str(), b)).zip(0u32..);
    let of = |key| rows.get(&key).map_or(&[][..], |rows| &rows[..]);

    let matched = index.matching(left, &progress).expect("memory");
    assert!(matched.iter().eq(sought().map(|(key, _)| of(key))) && matched.len() == left.0.len());
    assert!(matched.of(left.0.len()).is_empty());
    let first = index.first(left).expect("memory");
    assert!(first.into_iter().eq(sought().map(|(key, _)| of(key).first().copied())));
    let inner = sought().flat_map(|(key, row)| of(key).iter().map(move |&right| (row, right)));
    let pairs = index.inner(left, &progress).expect("memory");
    assert!(pairs.left.into_iter().zip(pairs.right).eq(inner));
    let or_none = |key| if of(key).is_empty() { &[u32::MAX][..] } else { of(key) };
    let kept = || sought().flat_map(|(key, row)| or_none(key).iter().map(move |&right| (row, right)));
    let pairs = index.left(left, &progress).expect("memory");
    assert!(pairs.left.into_iter().zip(pairs.right).eq(kept()));
    let taken = by_key(left);
    let keys = right.0.iter().zip(&right.1).map(|(a, &b)| (a.as_str(), b)).zip(0u32..);
    let alone = keys.filter(|(key, _)| !taken.contains_key(key)).map(|(_, row)| (u32::MAX, row));
    let pairs = index.outer(left, &progress).expect("memory");
    assert!(pairs.left.into_iter().zip(pairs.right).eq(kept().chain(alone)));
    let there = |there| {
        sought().filter(move |&(key, _)| rows_there(of(key)) == there).map(|(_, row)| row).collect::<Vec<_>>()
    };
    assert_eq!(index.semi(left, &progress).expect("memory"), there(true));
    assert_eq!(index.anti(left, &progress).expect("memory"), there(false));

    let mut groups: Vec<Vec<u32>> = rows.into_values().collect();
    groups.sort_unstable();
    let (first, sizes, numbers) = index.groups().expect("memory").into_parts();
    assert!(first.into_iter().zip(sizes).eq(groups.iter().map(|rows| (rows[0], rows.len() as u32))));
    for (number, rows) in (0u32..).zip(&groups) {
        assert!(rows.iter().all(|&row| numbers[row as usize] == number));
    }
    assert_eq!(&index.into_columns(), right);
}

fn rows_there(rows: &[u32]) -> bool {
    !rows.is_empty()
}

#[test]
fn an_index_equals_a_map_whatever_the_hash() {
    let sizes: &[(usize, usize, u64)] = if cfg!(miri) {
        &[(0, 3, 2), (30, 20, 10)]
    } else {
        &[(0, 0, 1), (0, 5, 3), (5, 0, 3), (1, 1, 1), (300, 200, 40), (2000, 3000, 900), (70_000, 3000, 400)]
    };
    for &(left, right, distinct) in sizes {
        for hash in hashes() {
            equals_a_map(&keys(left, (1, distinct)), &keys(right, (9, distinct * 2)), hash);
        }
    }
}

#[test]
fn a_good_hash_is_fast_for_many_keys() {
    if cfg!(miri) {
        return;
    }
    let column: Vec<String> = (0..300_000).map(|i| format!("customer {}", mix(i) % 200_000)).collect();
    let index = RowIndex::new(&column[..], &Progress::new()).expect("memory");
    let distinct: std::collections::HashSet<_> = column.iter().collect();
    assert_eq!(index.groups().expect("memory").len(), distinct.len());
    let found = index.first(&&column[..]).expect("memory");
    assert!(found.iter().zip(&column).all(|(row, key)| row.is_some_and(|row| column[row as usize] == *key)));
}

/// A table whose leaders are any row of a hash, or forgotten.
struct Table(HashMap<u64, u32>, u32);

impl Leaders for Table {
    type Error = Error;

    fn of(&self, hashes: &[u64], _: &Progress) -> Result<Vec<u32>, Error> {
        Ok(hashes.iter().map(|hash| self.0.get(hash).map_or(self.1, |&row| row)).collect())
    }
}

#[test]
fn the_leader_of_a_hash_makes_no_difference() {
    let keys: Vec<u64> = (0..400).map(|i| mix(i) % 60).collect();
    let hashes: Vec<u64> = keys.iter().map(|key| key % 8).collect();
    let groups = Groups::of(&keys, &Progress::new()).expect("memory");
    for seed in 0..20 {
        let mut table = Table(HashMap::new(), [u32::MAX, 5000][seed as usize % 2]);
        for i in 0..200 {
            let row = mix(seed * 1000 + i) % 400;
            table.0.insert(hashes[row as usize], row as u32);
        }
        if seed > 9 {
            table.0.remove(&3);
        }
        let equal = |a: u32, b: u32| keys[a as usize] == keys[b as usize];
        let rows = RowsByHash::new(table, &hashes, equal, &Progress::new()).expect("memory");
        assert!(rows.groups().expect("memory") == groups, "{seed}");
        let sought: Vec<u64> = (0..70).collect();
        let (of, equal) = (|key: &u64| key % 8, |i: usize, row: u32| sought[i] == keys[row as usize]);
        let found = rows.find(&sought.iter().map(of).collect::<Vec<_>>(), equal, &Progress::new());
        for (&key, number) in sought.iter().zip(found.expect("memory")) {
            let expected = (0u32..400).filter(|&row| keys[row as usize] == key);
            assert!(rows.rows(number).iter().copied().eq(expected), "{seed}: {key}");
        }
        assert!(rows.rows(u32::MAX - 1).is_empty());
    }
}

#[test]
fn columns_of_different_lengths_are_refused() {
    let refused = |keys, found| Some(Error::Refused(Refused::Length { keys, what: "another column", found }));
    let columns = (vec![1u8, 2], vec!["a", "b"], vec![1i64]);
    assert_eq!(RowIndex::new(columns, &Progress::new()).err(), refused(2, 1));
    let index = RowIndex::new((vec![1u8], vec!["a"]), &Progress::new()).expect("memory");
    assert_eq!(index.first(&(vec![1], vec![])).err(), refused(1, 0));
    let stopped = Progress::new();
    stopped.stop();
    assert_eq!(index.inner(&(vec![1], vec!["a"]), &stopped).err(), Some(Error::Stopped));
}
