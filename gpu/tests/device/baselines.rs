//! The tables that ours are compared with, on a device.

use super::device;
use warpproof_gpu::bench::{Baselines, Static};
use warpproof_model::host::Op;
use warpproof_model::outcome::{Delete, Insert, RESERVED_KEY};

const MISSING: u32 = u32::MAX;

#[test]
fn static_tables_find_what_was_inserted() {
    let Some(device) = device() else { return };
    let (baselines, stream) = (Baselines::new(&device).unwrap(), device.context().default_stream());
    let keys: Vec<u32> = (0..52_000).map(|i| i * 3).collect();
    let (on_keys, absent) =
        (stream.clone_htod(&keys).unwrap(), stream.clone_htod(&vec![1u32; keys.len()]).unwrap());
    for kind in [Static::Linear, Static::Quadratic, Static::Cuckoo] {
        let table = baselines.table(kind, 16).unwrap();
        let mut outcomes = stream.clone_htod(&vec![0xa5u8; keys.len()]).unwrap();
        let mut left = stream.clone_htod(&vec![MISSING; keys.len()]).unwrap();
        table.insert(&stream, &on_keys, &on_keys, &mut outcomes, &mut left).unwrap();
        let said = stream.clone_dtoh(&outcomes).unwrap();
        assert!(said.iter().all(|&code| code == Insert::Inserted.code()), "{kind:?}");
        let mut found = stream.clone_htod(&vec![0xa5a5_a5a5u32; keys.len()]).unwrap();
        table.search(&stream, &on_keys, &mut found, MISSING).unwrap();
        assert!(stream.clone_dtoh(&found).unwrap() == keys, "{kind:?}");
        table.search(&stream, &absent, &mut found, MISSING).unwrap();
        assert!(stream.clone_dtoh(&found).unwrap().iter().all(|&value| value == MISSING), "{kind:?}");
    }
}

#[test]
fn of_racing_inserts_on_chains_one_succeeds() {
    let Some(device) = device() else { return };
    let (baselines, stream) = (Baselines::new(&device).unwrap(), device.context().default_stream());
    let (distinct, n) = (1000u32, 100_000);
    let map = baselines.chained(distinct as usize, 2 * n).unwrap();
    let keys: Vec<u32> = (0..n as u32).map(|i| i % distinct).collect();
    let on_keys = stream.clone_htod(&keys).unwrap();
    let run = |op: Op| {
        let codes = stream.clone_htod(&vec![op as u8; n]).unwrap();
        let mut outcomes = stream.clone_htod(&vec![0xa5u8; n]).unwrap();
        let mut found = stream.clone_htod(&vec![MISSING; n]).unwrap();
        map.mixed(&stream, &codes, &on_keys, &on_keys, &mut outcomes, &mut found).unwrap();
        (stream.clone_dtoh(&outcomes).unwrap(), stream.clone_dtoh(&found).unwrap())
    };
    let times = |codes: &[u8], code: u8| codes.iter().filter(|&&c| c == code).count();
    for _ in 0..3 {
        let (said, _) = run(Op::InsertUnique);
        assert_eq!(times(&said, Insert::Inserted.code()), distinct as usize);
        assert_eq!(times(&said, Insert::Present.code()), n - distinct as usize);
        let (said, found) = run(Op::Search);
        assert!(times(&said, 1) == n && found == keys);
        let (said, _) = run(Op::Delete);
        assert_eq!(times(&said, Delete::Deleted.code()), distinct as usize);
        assert_eq!(times(&run(Op::Search).0, 0), n);
    }
}

#[test]
fn of_racing_inserts_on_lists_with_locks_one_succeeds() {
    let Some(device) = device() else { return };
    let (baselines, stream) = (Baselines::new(&device).unwrap(), device.context().default_stream());
    let n = 100_000;
    // Few buckets: tiles of one hardware warp wait for each other's locks. Many: they do not.
    for (distinct, buckets) in [(10, 1), (1000, 10), (1000, 1000)] {
        let mut set = baselines.lock_set(buckets, distinct / 7 + 1).unwrap();
        let keys: Vec<u64> = (0..n as u64).map(|i| i % distinct as u64 + (1 << 40)).collect();
        let on_keys = stream.clone_htod(&keys).unwrap();
        let times = |codes: &[u8], code: u8| codes.iter().filter(|&&c| c == code).count();
        for round in 0..3 {
            let mut said = stream.clone_htod(&vec![0xa5u8; n]).unwrap();
            set.insert(&stream, &on_keys, &mut said).unwrap();
            let codes = stream.clone_dtoh(&said).unwrap();
            assert_eq!(times(&codes, Insert::Inserted.code()), distinct as usize);
            assert_eq!(times(&codes, Insert::Present.code()), n - distinct as usize);
            assert_eq!(set.len().unwrap(), distinct as u64);
            set.contains(&stream, &on_keys, &mut said).unwrap();
            assert_eq!(times(&stream.clone_dtoh(&said).unwrap(), 1), n);
            if round == 1 {
                set.clear().unwrap();
            } else {
                set.delete(&stream, &on_keys, &mut said).unwrap();
                let codes = stream.clone_dtoh(&said).unwrap();
                assert_eq!(times(&codes, Delete::Deleted.code()), distinct as usize);
                assert_eq!(times(&codes, Delete::Absent.code()), n - distinct as usize);
            }
            assert!(set.is_empty().unwrap());
            set.contains(&stream, &on_keys, &mut said).unwrap();
            assert_eq!(times(&stream.clone_dtoh(&said).unwrap(), 0), n);
        }
    }
}

#[test]
fn a_reserved_key_is_not_put_into_a_list_with_locks() {
    let Some(device) = device() else { return };
    let (baselines, stream) = (Baselines::new(&device).unwrap(), device.context().default_stream());
    let (set, map) = (baselines.lock_set(5, 0).unwrap(), baselines.lock_map(5, 0).unwrap());
    let keys = stream.clone_htod(&[u64::MAX, 3]).unwrap();
    let mut said = stream.clone_htod(&[0xa5u8; 2]).unwrap();
    set.insert(&stream, &keys, &mut said).unwrap();
    assert_eq!(stream.clone_dtoh(&said).unwrap(), [RESERVED_KEY, Insert::Inserted.code()]);
    assert_eq!(set.len().unwrap(), 1);
    // A search of an absent key, and an insert of a reserved one.
    let ops = stream.clone_htod(&[Op::Search as u8, Op::InsertUnique as u8]).unwrap();
    let keys = stream.clone_htod(&[3u32, u32::MAX]).unwrap();
    let mut found = stream.clone_htod(&[MISSING; 2]).unwrap();
    map.mixed(&stream, &ops, &keys, &keys, &mut said, &mut found).unwrap();
    assert_eq!(stream.clone_dtoh(&said).unwrap(), [0, RESERVED_KEY]);
    assert_eq!(stream.clone_dtoh(&found).unwrap(), [0, 0]);
}
