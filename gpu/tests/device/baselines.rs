//! The tables that the library's are compared with, on a device.

use super::{device, is_built};
use std::collections::HashSet;
use warpproof_gpu::bench::{Baselines, Extra, StarfishMap, StarfishSize, Static};
use warpproof_gpu::{Device, Error};
use warpproof_model::host::Op;
use warpproof_model::host::Refused;
use warpproof_model::outcome::{Delete, Insert, RESERVED_KEY};

const MISSING: u32 = u32::MAX;

#[test]
fn static_tables_find_what_was_inserted() {
    let Some(device) = device().filter(|_| is_built(Extra::Paper)) else { return };
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
    let Some(device) = device().filter(|_| is_built(Extra::Paper)) else { return };
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
    let Some(device) = device().filter(|_| is_built(Extra::Paper)) else { return };
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
    let Some(device) = device().filter(|_| is_built(Extra::Paper)) else { return };
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

/// Values of keys, of which the even ones below `end` are there. A key is its own value.
fn search(map: &mut StarfishMap, keys: &[u32], end: u32) {
    let mut found = vec![0xa5a5_a5a5; keys.len()];
    map.search(keys, &mut found).unwrap();
    for (key, found) in keys.iter().zip(found) {
        let there = key % 2 == 0 && *key < end;
        assert_eq!(found, if there { *key } else { StarfishMap::MISSING }, "key {key} of {end}");
    }
}

fn starfish(device: &Device, children: u32, slots: u32, frames: u32) -> StarfishMap {
    Baselines::new(device).unwrap().starfish(StarfishSize { children, slots, frames }).unwrap()
}

#[test]
fn starfish_pages_its_child_tables() {
    let Some(device) = device().filter(|_| is_built(Extra::Paper)) else { return };
    // A chunk has 2^20 pairs: parts of one chunk, and of more.
    for (children, slots, frames) in [(1, 1 << 10, 1), (7, 1 << 16, 2), (5, 1 << 21, 3), (3, 1 << 21, 5)] {
        let mut map = starfish(&device, children, slots, frames);
        let most = (children * slots / 10 * 8) & !1;
        let asked: Vec<u32> = (0..2 * most + 100).chain([u32::MAX]).collect();
        search(&mut map, &asked[..9], 0);
        let mut at = 0;
        for part in [1, most / 3, 0, most - most / 3 - 1] {
            let keys: Vec<u32> = (at..at + part).map(|i| 2 * i).collect();
            assert_eq!(map.insert_unique(&keys, &keys).unwrap(), []);
            at += part;
            assert_eq!((map.len(), map.is_empty()), (at.into(), at == 0));
            search(&mut map, &asked, 2 * at);
        }
        let [copied_in, copied_out] = map.copies();
        assert!(copied_out >= u64::from(children), "{copied_out}");
        // With a frame for each child table none comes in again.
        assert_eq!(copied_in == 0, frames >= children, "{copied_in}");
        // The frames' child tables come first: a search copies in the others alone.
        search(&mut map, &asked[..9], 2 * at);
        let again = map.copies()[0] - copied_in;
        assert_eq!(again, u64::from(children.saturating_sub(frames)), "{children} {frames}");
    }
}

/// More pairs than stash and slots hold by any constants, and some fewer.
#[test]
fn a_starfish_child_table_is_built_anew_or_its_pairs_are_given_back() {
    let Some(device) = device().filter(|_| is_built(Extra::Paper)) else { return };
    const SLOTS: u32 = 1 << 17;
    for percent in [90, 97, 98, 100] {
        let mut map = starfish(&device, 2, SLOTS, 1);
        let all: Vec<u32> = (0..2 * (SLOTS / 100 * percent)).map(|i| 3 * i).collect();
        let mut left = HashSet::new();
        for part in all.chunks(all.len() / 2) {
            left.extend(map.insert_unique(part, part).unwrap());
        }
        assert_eq!(map.len() + left.len() as u64, all.len() as u64, "{percent} %");
        let mut found = vec![0xa5a5_a5a5; all.len()];
        map.search(&all, &mut found).unwrap();
        for (key, found) in all.iter().zip(found) {
            let there = !left.contains(&(*key, *key));
            assert_eq!(found, if there { *key } else { StarfishMap::MISSING }, "key {key}, {percent} %");
        }
        let rebuilt = map.rebuilt();
        println!("{percent} %: built anew {rebuilt} times, {} left", left.len());
        assert!(percent > 90 || rebuilt == 0 && left.is_empty(), "{rebuilt}");
        assert!(percent < 100 || rebuilt >= 18 && !left.is_empty(), "{rebuilt}");
    }
}

#[test]
fn starfish_refuses_what_it_has_no_room_for() {
    let Some(device) = device().filter(|_| is_built(Extra::Paper)) else { return };
    let mut map = starfish(&device, 2, 100, 2);
    let keys: Vec<u32> = (0..201).collect();
    for (keys, values) in [(&keys[..], &keys[..]), (&keys[..2], &keys[..1]), (&[u32::MAX], &[0])] {
        assert!(matches!(map.insert_unique(keys, values), Err(Error::Refused(_))), "{} keys", keys.len());
    }
    assert!(map.is_empty());
    assert!(matches!(map.search(&keys, &mut [0]), Err(Error::Refused(Refused::Length { .. }))));
    assert_eq!(map.insert_unique(&keys[..160], &keys[..160]).unwrap(), []);
    let of = |size| Baselines::new(&device).unwrap().starfish(size).err();
    let size = StarfishSize { children: 1, slots: 8, frames: 1 };
    for wrong in [
        StarfishSize { children: 0, ..size },
        StarfishSize { slots: 0, ..size },
        StarfishSize { frames: 0, ..size },
        StarfishSize { slots: (1 << 23) + 1, ..size },
    ] {
        assert!(matches!(of(wrong), Some(Error::Refused(_))), "{wrong:?}");
    }
}
