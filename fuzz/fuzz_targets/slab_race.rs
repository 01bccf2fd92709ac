//! Random batches that race over few keys, checked by accounting: what was inserted and not deleted is
//! present.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use std::collections::HashMap;
use warpproof::model::Seed;
use warpproof::model::host::{Answer, BulkMap, Op, SlabGeometry};
use warpproof::model::outcome::{Delete, Insert};
use warpproof::simt::cpu::SlabMap;

#[derive(Arbitrary, Debug)]
struct Batch {
    pool: u8,
    ops: Vec<(u8, u8)>,
}

fuzz_target!(|batch: Batch| {
    // Long enough to be cut into several chunks, so that two threads work at once.
    let ops: Vec<(u8, u8)> =
        batch.ops.iter().copied().cycle().take(if batch.ops.is_empty() { 0 } else { 4096 }).collect();
    let geometry = SlabGeometry { slab_slots: 8, buckets: 2, pool: batch.pool as u32 + 1 };
    let map = SlabMap::<u32, u32>::with_seed(geometry, Seed::new(1)).unwrap();
    let kinds: Vec<Op> =
        ops.iter().map(|(op, _)| [Op::InsertUnique, Op::Delete, Op::Search][*op as usize % 3]).collect();
    let keys: Vec<u32> = ops.iter().map(|(_, key)| *key as u32 % 16).collect();
    let values: Vec<u32> = keys.iter().zip(0..).map(|(key, n)| n << 4 | key).collect();
    let mut balance: HashMap<u32, i32> = HashMap::new();
    for (i, answer) in map.mixed(&kinds, &keys, &values).unwrap().into_iter().enumerate() {
        match answer {
            Answer::Insert(Insert::Inserted) => *balance.entry(keys[i]).or_default() += 1,
            Answer::Delete(Delete::Deleted) => *balance.entry(keys[i]).or_default() -= 1,
            Answer::Search(Some(value)) => assert_eq!(value & 15, keys[i], "a value of another key"),
            _ => {}
        }
    }
    for key in 0..16 {
        let count = map.count(&[key]).unwrap()[0] as i32;
        assert_eq!(count, balance.get(&key).copied().unwrap_or(0), "key {key}");
        assert!(count <= 1, "key {key} stands {count} times");
    }
});
