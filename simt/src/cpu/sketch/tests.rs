//! Sketches beside what they promise, by keys of all types and by several threads.

use super::{BloomFilter, HyperLogLog};
use crate::cpu::Error;
use rayon::prelude::*;
use warpproof_model::Seed;
use warpproof_model::host::Refused;

/// Miri takes a second for a hundred.
const KEYS: u64 = if cfg!(miri) { 100 } else { 100_000 };

fn seed(number: u64) -> Seed {
    Seed::new(number.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// No key that was inserted is missed, and of others no more are found than promised, at each of some sizes.
#[test]
fn a_filter_finds_all_its_keys_and_few_others() {
    for (number, rate) in [0.5, 0.1, 0.01, 0.001].into_iter().enumerate() {
        for keys in [KEYS / 1000, KEYS / 37, KEYS] {
            let filter = BloomFilter::<u64>::with_seed(keys, rate, seed(number as u64 + 1)).expect("memory");
            let inserted: Vec<u64> = (0..keys).map(|i| i * 3).collect();
            filter.insert(&inserted);
            assert!(filter.contains(&inserted).expect("memory").into_iter().all(|may| may));
            let others: Vec<u64> = (0..10 * KEYS).map(|i| i * 3 + 1).collect();
            let found = filter.contains(&others).expect("memory").into_iter().filter(|&may| may).count();
            // Four standard deviations more than promised, of the choice of others and of a few blocks.
            let promised = others.len() as f64 * rate;
            let most = promised * 1.1 + 4.0 * promised.sqrt() + 1.0;
            assert!((found as f64) < most, "{keys} keys at {rate}: {found} of {}", others.len());
            if keys == KEYS && !cfg!(miri) {
                assert!(found as f64 > promised * 0.9 - 4.0 * promised.sqrt(), "larger than needed: {found}");
            }
            assert!(filter.rate_with(keys) <= rate);
        }
    }
}

#[test]
fn keys_are_of_all_types_and_may_come_one_at_a_time() {
    fn check<K: warpproof_model::bits::TableKey>(keys: &[K], other: K) {
        let filter = BloomFilter::<K>::with_seed(1000, 1e-6, seed(1)).expect("memory");
        let distinct = HyperLogLog::<K>::with_seed(12, seed(2)).expect("memory");
        assert!(keys.iter().all(|&key| !filter.contains_key(key)));
        for &key in keys {
            filter.insert_key(key);
            distinct.insert_key(key);
            distinct.insert_key(key);
            assert!(filter.contains_key(key));
        }
        assert!(!filter.contains_key(other));
        assert_eq!(distinct.count(), keys.len() as u64);
    }
    check(&[0, 7, u32::MAX], 8);
    check(&[0, -7, i32::MIN], 8);
    check(&[0, 7, u64::MAX, u64::MAX - 1], 8);
    check(&[0, -7, i64::MIN, i64::MAX], 8);
}

#[test]
fn filters_that_are_alike_are_merged_and_others_refused() {
    let whole = BloomFilter::<u64>::with_capacity(KEYS, 0.01).expect("memory");
    let parts: Vec<_> = (0..3).map(|_| whole.empty_like().expect("memory")).collect();
    let all: Vec<u64> = (0..KEYS).collect();
    let merged = whole.empty_like().expect("memory");
    for (part, keys) in parts.iter().zip(all.chunks(all.len().div_ceil(3))) {
        part.insert(keys);
        merged.merge(part).expect("alike");
    }
    whole.insert(&all);
    let others: Vec<u64> = (0..2 * KEYS).collect();
    assert_eq!(merged.contains(&others), whole.contains(&others), "bit for bit");
    let refused = Err(Error::Refused(Refused::Unlike));
    let of = |keys, seed| BloomFilter::<u64>::with_seed(keys, 0.01, seed).expect("memory");
    assert_eq!(whole.merge(&of(KEYS, seed(9))), refused);
    assert_eq!(whole.merge(&of(2 * KEYS, whole.seed())), refused);
}

#[test]
fn what_cannot_be_is_refused() {
    for rate in [0.0, 1.0, -1.0, f64::NAN] {
        let refused = BloomFilter::<u64>::with_capacity(10, rate).expect_err("no such rate");
        assert!(matches!(refused, Error::Refused(Refused::Rate { .. })), "{refused}");
    }
    let large = BloomFilter::<u64>::with_capacity(u64::MAX, 0.5).expect_err("too large");
    assert!(matches!(large, Error::Refused(Refused::TooLarge { .. })), "{large}");
    for precision in [0, 3, 19, u32::MAX] {
        let refused = HyperLogLog::<u64>::new(precision).expect_err("no such precision");
        assert_eq!(refused, Error::Refused(Refused::Precision { found: precision }));
    }
}

/// Four threads insert at once: a filter misses nothing, and registers are those of one thread.
#[test]
fn threads_that_insert_at_once_lose_nothing() {
    let filter = BloomFilter::<u32>::with_seed(KEYS, 0.01, seed(1)).expect("memory");
    let together = HyperLogLog::<u32>::with_seed(6, seed(1)).expect("memory");
    let alone = together.empty_like().expect("memory");
    let keys: Vec<u32> = (0..KEYS as u32).collect();
    std::thread::scope(|threads| {
        for thread in 0..4 {
            let (filter, together, keys) = (&filter, &together, &keys);
            threads.spawn(move || {
                for &key in keys.iter().skip(thread).step_by(4) {
                    filter.insert_key(key);
                    together.insert_key(key);
                    assert!(filter.contains_key(key));
                }
            });
        }
    });
    assert!(filter.contains(&keys).expect("memory").into_iter().all(|may| may));
    keys.iter().for_each(|&key| alone.insert_key(key));
    assert_eq!(together.count(), alone.count());
    alone.merge(&together).expect("alike");
    assert_eq!(together.count(), alone.count());
}

/// Over many seeds, at two precisions: the promise of the type's documentation.
#[test]
fn counts_are_as_exact_as_promised() {
    for (precision, keys) in [(8, KEYS / 10), (12, KEYS)] {
        let seeds = if cfg!(miri) { 2 } else { 100 };
        let values: Vec<u64> = (0..keys).chain(0..keys / 2).collect();
        let error = |number: u64| {
            let distinct = HyperLogLog::<u64>::with_seed(precision, seed(number)).expect("memory");
            distinct.insert(&values);
            (distinct.count() as f64 / keys as f64 - 1.0, distinct.standard_error())
        };
        let errors: Vec<(f64, f64)> = (1..=seeds).into_par_iter().map(error).collect();
        let promised = errors[0].1;
        let found = (errors.iter().map(|(error, _)| error * error).sum::<f64>() / seeds as f64).sqrt();
        assert!(found < 1.25 * promised, "{found} at {precision}, not {promised}");
        let within = errors.iter().filter(|(error, _)| error.abs() < 2.0 * promised).count();
        assert!(within * 100 >= errors.len() * 88, "{within} within two standard errors");
    }
}

#[test]
fn two_counts_are_merged_as_one_and_cleared() {
    let [a, b] = [(); 2].map(|()| HyperLogLog::<u64>::with_seed(10, seed(3)).expect("memory"));
    let mut whole = a.empty_like().expect("memory");
    let keys: Vec<u64> = (0..KEYS).collect();
    a.insert(&keys[..keys.len() / 2]);
    b.insert(&keys[keys.len() / 3..]);
    whole.insert(&keys);
    a.merge(&b).expect("alike");
    assert_eq!(a.count(), whole.count());
    whole.clear();
    assert_eq!(whole.count(), 0);
    let other = HyperLogLog::<u64>::with_seed(11, seed(3)).expect("memory");
    assert_eq!(a.merge(&other), Err(Error::Refused(Refused::Unlike)));
}
