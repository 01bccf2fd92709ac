//! Random programs of one warp against an oracle, on tiny tables: at every width, for both pair types.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use std::collections::HashMap;
use warpproof::model::Seed;
use warpproof::model::host::{BulkFlush, BulkMatches, BulkMultimap, SlabGeometry, structure};
use warpproof::model::outcome::{Assign, Delete, Insert};
use warpproof::simt::cpu::SlabMultimap;

/// What the places of keys depend on: a program that fails does so again.
const SEED: Seed = Seed::new(1);

#[derive(Arbitrary, Debug)]
enum Call {
    Insert(u8, u8),
    InsertUnique(u8, u8),
    Assign(u8, u8),
    Search(u8),
    SearchAll(u8),
    Count(u8),
    Delete(u8),
    DeleteAll(u8),
    Flush,
}

#[derive(Arbitrary, Debug)]
struct Program {
    buckets: u8,
    pool: u8,
    calls: Vec<Call>,
}

fuzz_target!(|program: Program| {
    run::<u32, _>(&program, |g| SlabMultimap::<u32, u32, 1, 4>::with_seed(g, SEED).unwrap(), 4);
    run::<u32, _>(&program, |g| SlabMultimap::<u32, u32, 4, 2>::with_seed(g, SEED).unwrap(), 8);
    run::<u64, _>(&program, |g| SlabMultimap::<u64, u64, 2, 1>::with_seed(g, SEED).unwrap(), 2);
});

/// Runs the calls one by one and compares each answer with the oracle's.
fn run<K, M>(program: &Program, make: impl Fn(SlabGeometry) -> M, slab_slots: u32)
where
    K: warpproof::model::Key,
    M: BulkMultimap<K, K, Structure = structure::Slab> + BulkFlush,
{
    let geometry = SlabGeometry {
        slab_slots,
        buckets: program.buckets as u32 % 4 + 1,
        pool: program.pool as u32 % 8 + 1,
    };
    let mut map = make(geometry);
    let mut oracle: HashMap<K, Vec<K>> = HashMap::new();
    // The highest numbers are the highest words: no slot holds those as keys.
    let of = |n: u8| [K::from_bits(n.cast_signed() as u128)];
    for call in &program.calls {
        match *call {
            Call::Insert(k, v) => match map.insert(&of(k), &of(v)).unwrap()[0] {
                Insert::Inserted => oracle.entry(of(k)[0]).or_default().push(of(v)[0]),
                Insert::Full => full(&map),
                Insert::Present => panic!("a plain insert found the key"),
            },
            Call::InsertUnique(k, v) => {
                let pairs = oracle.entry(of(k)[0]).or_default();
                match map.insert_unique(&of(k), &of(v)).unwrap()[0] {
                    Insert::Inserted if pairs.is_empty() => pairs.push(of(v)[0]),
                    Insert::Present if !pairs.is_empty() => {}
                    Insert::Full if pairs.is_empty() => full(&map),
                    outcome => panic!("{call:?}: {outcome:?} with {pairs:?}"),
                }
            }
            Call::Assign(k, v) => {
                let pairs = oracle.entry(of(k)[0]).or_default();
                match map.insert_or_assign(&of(k), &of(v)).unwrap()[0] {
                    Assign::Inserted if pairs.is_empty() => pairs.push(of(v)[0]),
                    Assign::Replaced if !pairs.is_empty() => pairs[0] = of(v)[0],
                    Assign::Full if pairs.is_empty() => full(&map),
                    outcome => panic!("{call:?}: {outcome:?} with {pairs:?}"),
                }
            }
            Call::Search(k) => {
                let found = map.search(&of(k)).unwrap()[0];
                assert_eq!(found, oracle.get(&of(k)[0]).and_then(|p| p.first().copied()), "{call:?}");
            }
            Call::SearchAll(k) => {
                let mut found = map.search_all(&of(k)).unwrap().values;
                let mut expected = oracle.get(&of(k)[0]).cloned().unwrap_or_default();
                found.sort_unstable();
                expected.sort_unstable();
                assert_eq!(found, expected, "{call:?}");
            }
            Call::Count(k) => {
                let expected = oracle.get(&of(k)[0]).map_or(0, Vec::len);
                assert_eq!(map.count(&of(k)).unwrap()[0] as usize, expected, "{call:?}");
            }
            Call::Delete(k) => {
                let pairs = oracle.entry(of(k)[0]).or_default();
                match map.delete(&of(k)).unwrap()[0] {
                    Delete::Deleted => drop(pairs.remove(0)),
                    Delete::Absent => assert!(pairs.is_empty(), "{call:?} with {pairs:?}"),
                }
            }
            Call::DeleteAll(k) => {
                let expected = oracle.remove(&of(k)[0]).map_or(0, |p| p.len());
                assert_eq!(map.delete_all(&of(k)).unwrap()[0] as usize, expected, "{call:?}");
            }
            Call::Flush => {
                // A flush keeps each key's order, so the oracle's stays right.
                map.flush().unwrap();
                assert_eq!(map.stats().unwrap().tombstones, 0);
            }
        }
    }
    let live: usize = oracle.values().map(Vec::len).sum();
    let stats = map.stats().unwrap();
    assert_eq!(stats.live as usize, live);
    let mut found = map.retrieve_all().unwrap();
    let mut expected: Vec<(K, K)> =
        oracle.into_iter().flat_map(|(k, p)| p.into_iter().map(move |v| (k, v))).collect();
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected);
}

/// An insert may only find the table full when every slab of the pool is in a chain. The base slabs are no
/// part of the pool; the chain of the reserved keys is counted only while it has a pair or a tombstone.
fn full<K: warpproof::model::Key, M: BulkMatches<K, K, Structure = structure::Slab> + BulkFlush>(map: &M) {
    let (stats, geometry) = (map.stats().unwrap(), map.geometry());
    let base_slabs = stats.chains.iter().sum::<u64>();
    assert_eq!(stats.slabs - base_slabs, geometry.pool as u64, "full with free slabs");
}
