//! The CPU backend under criterion: bulk calls on u32 and u64 pairs, and the set.
//!
//! `cargo bench --bench slab`: two minutes on two cores.

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput};
use std::hint::black_box;
use warpproof::simt::cpu::{SlabMap, SlabSet};
use warpproof::{BulkMap, BulkSet};

const SIZES: [u32; 2] = [1 << 16, 1 << 20];

fn key(i: u32) -> u32 {
    // An odd factor permutes 31 bits.
    i.wrapping_mul(0x9e37_79b1) & 0x7fff_ffff
}

fn new_map(pairs: u32) -> SlabMap<u32, u32> {
    SlabMap::with_capacity(pairs.into()).expect("memory for the table")
}

fn pairs32(c: &mut Criterion) {
    let mut group = c.benchmark_group("map32");
    group.sample_size(10);
    for size in SIZES {
        group.throughput(Throughput::Elements(size.into()));
        let keys: Vec<u32> = (0..size).map(key).collect();
        let absent: Vec<u32> = (size..2 * size).map(key).collect();
        group.bench_function(BenchmarkId::new("insert_unique", size), |b| {
            let build = |map: SlabMap<u32, u32>| {
                black_box(map.insert_unique(&keys, &keys).expect("memory")).all_stored().expect("room");
                map
            };
            b.iter_batched(|| new_map(size), build, BatchSize::PerIteration);
        });
        let map = new_map(size);
        map.insert_unique(&keys, &keys).expect("memory").all_stored().expect("room");
        group.bench_function(BenchmarkId::new("search present", size), |b| {
            b.iter(|| map.search(black_box(&keys)).expect("memory"));
        });
        group.bench_function(BenchmarkId::new("search absent", size), |b| {
            b.iter(|| map.search(black_box(&absent)).expect("memory"));
        });
        group.bench_function(BenchmarkId::new("insert_or_assign present", size), |b| {
            b.iter(|| map.insert_or_assign(black_box(&keys), &keys).expect("memory"));
        });
    }
}

fn pairs64(c: &mut Criterion) {
    let mut group = c.benchmark_group("map64");
    group.sample_size(10);
    for size in SIZES {
        group.throughput(Throughput::Elements(size.into()));
        let keys: Vec<u64> = (0..size).map(|i| key(i).into()).collect();
        let map = SlabMap::<u64, u64>::with_capacity(size.into()).expect("memory for the table");
        map.insert_unique(&keys, &keys).expect("memory").all_stored().expect("room");
        group.bench_function(BenchmarkId::new("search present", size), |b| {
            b.iter(|| map.search(black_box(&keys)).expect("memory"));
        });
    }
}

fn set32(c: &mut Criterion) {
    let mut group = c.benchmark_group("set32");
    group.sample_size(10);
    for size in SIZES {
        group.throughput(Throughput::Elements(size.into()));
        let keys: Vec<u32> = (0..size).map(key).collect();
        let set = <SlabSet>::with_capacity(size.into()).expect("memory for the table");
        set.insert(&keys).expect("memory").all_stored().expect("room");
        group.bench_function(BenchmarkId::new("contains present", size), |b| {
            b.iter(|| set.contains(black_box(&keys)).expect("memory"));
        });
    }
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    pairs32(&mut criterion);
    pairs64(&mut criterion);
    set32(&mut criterion);
    criterion.final_summary();
}
