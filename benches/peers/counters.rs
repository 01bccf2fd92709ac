//! Adding values to keys, in bulk: ours, one thread of the standard library's map, and maps of parts of the
//! batch that rayon folds and merges. All read a value for each key, which is one. Ours alone tells outcomes.

use super::maps::Fast;
use super::{argument, timed};
use rayon::prelude::*;
use std::collections::HashMap;
use warpproof::model::Seed;
use warpproof::prelude::*;
use warpproof::simt::cpu::OpenMap;

const SEED: Seed = Seed::new(9);

/// The keys of a batch, by name: as many different ones as there are keys, by Zipf's law with exponent 0.99
/// from a tenth as many, and a hundred.
const BATCHES: [&str; 3] = ["uniform", "zipf 0.99", "100 keys"];

fn batch(name: &str, len: usize) -> Vec<u64> {
    let most = len as u64 / 10;
    let whole = (most as f64).powf(0.01) - 1.0;
    let key = |at: u64| {
        let bits = SEED.hash(at).bits();
        let unit = (bits >> 11) as f64 / (1u64 << 53) as f64;
        match name {
            "uniform" => bits % len as u64,
            "100 keys" => bits % 100,
            _ => ((unit * whole + 1.0).powf(100.0) as u64).min(most),
        }
    };
    (0..len as u64).into_par_iter().map(key).collect()
}

/// Whether so many keys have these sums of ones.
fn check(keys: &[u64], found: impl Fn(u64) -> Option<u64>, len: usize, expected: &HashMap<u64, u64, Fast>) {
    assert_eq!(len, expected.len());
    assert!(keys.iter().step_by(1009).all(|key| found(*key) == expected.get(key).copied()));
}

/// Times of all three for each batch, in turn, and prints Mop/s.
pub(super) fn run() {
    let (len, threads) = (argument("--pairs", 10_000_000), argument("--threads", 2));
    let rounds = argument("--rounds", 5).max(1);
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().expect("the first pool");
    println!("{len} additions of u64 pairs, {threads} threads, medians of {rounds} rounds, Mop/s (ours = 1)");
    for name in BATCHES {
        let keys = batch(name, len);
        let ones = vec![1u64; len];
        let mut seconds: [Vec<f64>; 3] = Default::default();
        for round in 0..=rounds {
            let (one, expected) = timed(|| {
                let mut map = HashMap::<u64, u64, Fast>::default();
                keys.iter().zip(&ones).for_each(|(&key, one)| *map.entry(key).or_default() += one);
                map
            });
            let (merged, map) = timed(|| {
                let parts = keys.par_chunks(1 << 16).zip(ones.par_chunks(1 << 16));
                let part = parts.fold(HashMap::<u64, u64, Fast>::default, |mut map, (keys, ones)| {
                    keys.iter().zip(ones).for_each(|(&key, one)| *map.entry(key).or_default() += one);
                    map
                });
                part.reduce(HashMap::default, |one, other| {
                    let (mut all, few) = if one.len() < other.len() { (other, one) } else { (one, other) };
                    few.into_iter().for_each(|(key, count)| *all.entry(key).or_default() += count);
                    all
                })
            });
            check(&keys, |key| map.get(&key).copied(), map.len(), &expected);
            let size = OpenMap::<u64, u64>::size(expected.len() as u64, 0.8).expect("a size");
            let (ours, map) = timed(|| {
                let map = OpenMap::<u64, u64>::with_geometry(size).expect("memory");
                let outcomes = map.insert_or_add(&keys, &ones).expect("memory");
                outcomes.all_stored().expect("room");
                map
            });
            let len = map.len().expect("a length") as usize;
            check(&keys, |key| map.search(&[key]).expect("memory")[0], len, &expected);
            if round > 0 {
                seconds.iter_mut().zip([ours, one, merged]).for_each(|(all, time)| all.push(time));
            }
        }
        let median = |times: &mut Vec<f64>| {
            times.sort_by(f64::total_cmp);
            times[times.len() / 2]
        };
        let [ours, one, merged] = seconds.each_mut().map(median);
        let cell = |time: f64| format!("{:>9.1} ({:4.2})", len as f64 / time / 1e6, ours / time);
        println!(
            "{name:12} OpenMap, new and insert_or_add{} one thread of std{} rayon, fold and merge{}",
            cell(ours),
            cell(one),
            cell(merged)
        );
    }
}
