//! Tables in shards on GPUs, with batches in device memory, against a map on the host. With one GPU the ranks
//! share it; without one each test says `skipped: no CUDA device`.

#![cfg(feature = "gpu")]

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Arc;
use std::thread;
use warpproof::gpu::cudarc::driver::CudaStream;
use warpproof::gpu::sharded::{DeviceExchange, OnRank, Peers};
use warpproof::gpu::structures::{Counter, Holds};
use warpproof::gpu::{
    CuckooMap, Device, Entry, Error, HopscotchMap, KeyScalar, Map, OpenMap, OpenSet, SlabMap,
};
use warpproof::model::Seed;
use warpproof::model::bits::{TableKey, TableValue};
use warpproof::model::outcome::{Add, Assign, Delete, Insert, Op};
use warpproof::model::sharded::{Error as ShardedError, Lost, ShardEntry, Sharded, Why};
use warpproof::simt::cpu::sharded::{Faults, InProcess, Limits};
use warpproof::{BulkMap, BulkTable, Refused};

/// The devices of so many ranks: one each, as far as there are.
fn devices(ranks: usize) -> Option<Vec<Device>> {
    let count = match Device::count() {
        Ok(count) if count > 0 => count,
        Ok(_) | Err(Error::NoDriver) => {
            println!("skipped: no CUDA device");
            return None;
        }
        Err(error) => panic!("{error}"),
    };
    Some((0..ranks).map(|rank| Device::open(rank % count).expect("a device")).collect())
}

/// The ends of ranks that send at most `most` items to one rank in a round.
fn peers(devices: &[Device], most: usize) -> Vec<Peers<InProcess>> {
    let ends = InProcess::ranks(devices.len() as u32, Limits::default()).expect("ends");
    Peers::ranks_with(devices, ends, most).expect("ends of peers")
}

/// Runs a rank in a thread each, and returns what they return.
fn each<X: Send, R: Send>(ends: Vec<X>, run: impl Fn(usize, X) -> R + Sync) -> Vec<R> {
    let run = &run;
    thread::scope(|scope| {
        let threads: Vec<_> =
            ends.into_iter().enumerate().map(|(rank, end)| scope.spawn(move || run(rank, end))).collect();
        threads.into_iter().map(|thread| thread.join().expect("a rank")).collect()
    })
}

/// Keys that look random, below `of`.
fn keys<K: TryFrom<u64, Error: Debug>>(n: usize, of: u64, seed: u64) -> Vec<K> {
    let key = |i: u64| {
        let mixed = (i ^ seed << 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        K::try_from((mixed >> 33 ^ mixed) % of).expect("a small key")
    };
    (0..n as u64).map(key).collect()
}

/// Each rank inserts keys of its own, searches those of all, deletes some, and assigns others. The outcomes
/// of keys that occur once in all batches are known.
fn follow<K, S>(ranks: usize, most: usize, n: usize, make: impl Fn(&Device) -> Map<K, K, S> + Sync)
where
    K: KeyScalar + TableKey + TableValue<u64> + TryFrom<u64, Error: Debug> + Into<u64>,
    S: Holds<(K, K)> + Counter,
    (K, K): Entry + ShardEntry,
    Map<K, K, S>: BulkTable<Entry = (K, K), Error = Error> + BulkMap<K, K>,
{
    let Some(devices) = devices(ranks) else { return };
    let own = |rank: usize| -> Vec<K> {
        // Every rank but the first has fewer; the last has none, if there are three or more.
        let n = if rank > 1 && rank + 1 == ranks { 0 } else { n / (rank + 1) };
        (0..n as u64).map(|i| K::try_from(1 + i * ranks as u64 + rank as u64).expect("a small key")).collect()
    };
    let value = |key: K| K::try_from(key.into() / 3 + 7).expect("a small value");
    let all: Vec<K> = (0..ranks).flat_map(&own).collect();
    let tables = each(peers(&devices, most), |rank, end| {
        let device = end.device().clone();
        let map = Sharded::new(make(&device), end, Seed::new(3)).expect("a table");
        let stream = device.context().new_stream().expect("a stream");
        let mine = own(rank);
        let values: Vec<K> = mine.iter().map(|&key| value(key)).collect();
        let (on_keys, on_values) = (stream.clone_htod(&mine).unwrap(), stream.clone_htod(&values).unwrap());
        let mut codes = stream.clone_htod(&vec![0xa5u8; mine.len()]).unwrap();
        let on = map.on_stream(&stream);
        on.insert_unique(&on_keys, &on_values, &mut codes).expect("an insert");
        assert!(stream.clone_dtoh(&codes).unwrap().iter().all(|&code| code == Insert::Inserted.code()));
        // All keys of all ranks, and as many absent ones.
        let absent = (0..all.len() as u64).map(|i| K::try_from(0x4000_0000 + i).expect("a small key"));
        let asked: Vec<K> = all.iter().copied().chain(absent).collect();
        let on_asked = stream.clone_htod(&asked).unwrap();
        let mut found = stream.alloc_zeros::<K>(asked.len()).unwrap();
        let mut there = stream.alloc_zeros::<u8>(asked.len()).unwrap();
        on.search(&on_asked, &mut found, Some(there.as_view_mut())).expect("a search");
        let (found, codes) = (stream.clone_dtoh(&found).unwrap(), stream.clone_dtoh(&there).unwrap());
        for (at, &key) in asked.iter().enumerate() {
            let expected = if at < all.len() { (1, value(key)) } else { (0, K::ONES) };
            assert_eq!((codes[at], found[at]), expected, "rank {rank}, key {key:?}");
        }
        on.contains(&on_asked, &mut there).expect("a search");
        assert_eq!(stream.clone_dtoh(&there).unwrap(), codes);
        // Again: present, assigned, added.
        let mut said = stream.alloc_zeros::<u8>(mine.len()).unwrap();
        on.insert_unique(&on_keys, &on_values, &mut said).expect("an insert");
        assert!(stream.clone_dtoh(&said).unwrap().iter().all(|&code| code == Insert::Present.code()));
        on.insert_or_assign(&on_keys, &on_keys, &mut said).expect("an assign");
        assert!(stream.clone_dtoh(&said).unwrap().iter().all(|&code| code == Assign::Replaced.code()));
        // Every third key of its own is deleted.
        let gone: Vec<K> = mine.iter().copied().step_by(3).collect();
        let on_gone = stream.clone_htod(&gone).unwrap();
        let mut said = stream.alloc_zeros::<u8>(gone.len()).unwrap();
        on.delete(&on_gone, &mut said).expect("a delete");
        assert!(stream.clone_dtoh(&said).unwrap().iter().all(|&code| code == Delete::Deleted.code()));
        // Operations of all kinds on keys of its own: search, delete, insert.
        let ops: Vec<u8> =
            (0..mine.len()).map(|at| [Op::InsertUnique, Op::Search, Op::Delete][at % 3].code()).collect();
        let on_ops = stream.clone_htod(&ops).unwrap();
        let mut codes = stream.alloc_zeros::<u8>(mine.len()).unwrap();
        let mut found = stream.alloc_zeros::<K>(mine.len()).unwrap();
        on.mixed(&on_ops, &on_keys, &on_values, &mut codes, &mut found).expect("a batch");
        let (codes, found) = (stream.clone_dtoh(&codes).unwrap(), stream.clone_dtoh(&found).unwrap());
        for (at, &key) in mine.iter().enumerate() {
            match at % 3 {
                0 => assert_eq!(codes[at], Insert::Inserted.code(), "key {key:?}"),
                1 => assert_eq!((codes[at], found[at]), (1, key), "key {key:?}"),
                _ => assert_eq!(codes[at], Delete::Deleted.code(), "key {key:?}"),
            }
        }
        let exchanged = map.exchanged();
        assert!(exchanged.batches == 7 && exchanged.rounds >= 7);
        (map.retrieve_own().expect("entries"), exchanged.rounds)
    });
    let entries: BTreeMap<K, K> = tables.iter().flat_map(|(entries, _)| entries.iter().copied()).collect();
    let mut expected = BTreeMap::new();
    for rank in 0..ranks {
        for (at, key) in own(rank).into_iter().enumerate() {
            match at % 3 {
                0 => drop(expected.insert(key, value(key))),
                1 => drop(expected.insert(key, key)),
                _ => {}
            }
        }
    }
    assert_eq!(entries, expected);
    let rounds = tables[0].1;
    assert!(tables.iter().all(|(_, other)| *other == rounds) && (most > n || rounds > 7));
}

fn open<K: KeyScalar>(device: &Device) -> OpenMap<K, K>
where
    (K, K): Entry,
{
    OpenMap::with_capacity(device, 200_000).expect("a table")
}

#[test]
fn batches_of_u64_pairs() {
    follow::<u64, _>(2, 1 << 20, 60_000, open::<u64>);
    follow::<u64, _>(1, 1 << 20, 5_000, open::<u64>);
    follow::<u64, _>(3, 1 << 20, 40_001, open::<u64>);
}

#[test]
fn batches_of_u32_pairs_and_many_rounds() {
    follow::<u32, _>(2, 1000, 60_000, open::<u32>);
    follow::<u32, _>(5, 777, 9_999, open::<u32>);
}

#[test]
fn batches_on_other_structures() {
    follow::<u64, _>(2, 1 << 20, 20_000, |device| {
        CuckooMap::with_capacity(device, 100_000).expect("a table")
    });
}

/// Every rank adds to all keys; a set says once that a key is new; slabs and hopscotch tables are shards too.
#[test]
fn counters_and_sets() {
    let Some(devices) = devices(3) else { return };
    let counts = each(peers(&devices, 500), |rank, end| {
        let device = end.device().clone();
        let map = Sharded::new(open::<u64>(&device), end, Seed::new(9)).expect("a table");
        let stream = device.context().new_stream().unwrap();
        let batch: Vec<u64> = keys(10_000, 300, rank as u64);
        let on_keys = stream.clone_htod(&batch).unwrap();
        let ones = stream.clone_htod(&vec![1u64; batch.len()]).unwrap();
        let mut codes = stream.alloc_zeros::<u8>(batch.len()).unwrap();
        map.on_stream(&stream).insert_or_add(&on_keys, &ones, &mut codes).expect("a batch");
        let inserted = stream.clone_dtoh(&codes).unwrap();
        let inserted = inserted.iter().filter(|&&code| code == Add::Inserted.code()).count();
        (batch, inserted, map.retrieve_own().expect("entries"))
    });
    let mut expected = BTreeMap::new();
    counts.iter().flat_map(|(batch, ..)| batch).for_each(|key| *expected.entry(*key).or_insert(0) += 1);
    let entries: BTreeMap<u64, u64> =
        counts.iter().flat_map(|(.., entries)| entries.iter().copied()).collect();
    assert_eq!(entries, expected);
    assert_eq!(counts.iter().map(|(_, inserted, _)| inserted).sum::<usize>(), expected.len());

    let new = each(peers(&devices, 1 << 20), |_, end| {
        let device = end.device().clone();
        let shard = OpenSet::<u32>::with_capacity(&device, 10_000).expect("a table");
        let set = Sharded::new(shard, end, Seed::new(9)).expect("a table");
        let stream = device.context().new_stream().unwrap();
        let on_keys = stream.clone_htod(&keys::<u32>(6_000, 4_000, 1)).unwrap();
        let mut codes = stream.alloc_zeros::<u8>(6_000).unwrap();
        set.on_stream(&stream).insert(&on_keys, &mut codes).expect("a batch");
        let new = stream.clone_dtoh(&codes).unwrap();
        set.on_stream(&stream).contains(&on_keys, &mut codes).expect("a batch");
        assert!(stream.clone_dtoh(&codes).unwrap().iter().all(|&code| code == 1));
        new.iter().filter(|&&code| code == Insert::Inserted.code()).count()
    });
    let distinct = keys::<u32>(6_000, 4_000, 1).into_iter().collect::<std::collections::BTreeSet<_>>().len();
    assert_eq!(new.iter().sum::<usize>(), distinct);

    // A shard of slabs, and one of groups: what is inserted on one rank is found on the others.
    fn found_by_all<S: Holds<(u32, u32)>>(
        ends: Vec<Peers<InProcess>>,
        make: impl Fn(&Device) -> Map<u32, u32, S> + Sync,
    ) where
        Map<u32, u32, S>: BulkTable<Error = Error>,
    {
        each(ends, |rank, end| {
            let device = end.device().clone();
            let map = Sharded::new(make(&device), end, Seed::new(1)).expect("a table");
            let stream = device.context().new_stream().unwrap();
            let batch: Vec<u32> = if rank == 0 { (0..5_000).collect() } else { Vec::new() };
            let on_keys = stream.clone_htod(&batch).unwrap();
            let mut codes = stream.alloc_zeros::<u8>(batch.len()).unwrap();
            map.on_stream(&stream).insert_unique(&on_keys, &on_keys, &mut codes).expect("a batch");
            let asked = stream.clone_htod(&(0..6_000).collect::<Vec<u32>>()).unwrap();
            let mut found = stream.alloc_zeros::<u8>(6_000).unwrap();
            map.on_stream(&stream).contains(&asked, &mut found).expect("a batch");
            let found = stream.clone_dtoh(&found).unwrap();
            assert!((0..6_000).all(|key| found[key] == u8::from(key < 5_000)));
        });
    }
    found_by_all(peers(&devices, 1 << 20), |device| {
        SlabMap::<u32, u32>::with_capacity(device, 5_000).expect("a table")
    });
    found_by_all(peers(&devices, 1 << 20), |device| {
        HopscotchMap::with_capacity(device, 5_000).expect("a table")
    });
}

/// A rank whose slices have different lengths gets an error; the others go on.
#[test]
fn a_refused_batch_is_an_error_of_its_rank() {
    let Some(devices) = devices(2) else { return };
    each(peers(&devices, 1 << 20), |rank, end| {
        let device = end.device().clone();
        let map = Sharded::new(open::<u32>(&device), end, Seed::new(1)).expect("a table");
        let stream = device.context().new_stream().unwrap();
        let insert = |rank: u32, short: bool| {
            let batch: Vec<u32> = (0..100).map(|i| 2 * i + rank).collect();
            let on_keys = stream.clone_htod(&batch).unwrap();
            let mut codes = stream.alloc_zeros::<u8>(if short { 99 } else { 100 }).unwrap();
            map.on_stream(&stream).insert_unique(&on_keys, &on_keys, &mut codes)
        };
        let said = insert(rank as u32, rank == 1);
        match rank {
            0 => said.expect("a batch"),
            _ => {
                let refused = Refused::Length { keys: 100, what: "outcomes", found: 99 };
                assert_eq!(said, Err(ShardedError::Refused(refused)));
            }
        }
        assert_eq!(map.len().expect("a number"), 100);
        insert(rank as u32, false).expect("a batch");
        assert_eq!(map.len().expect("a number"), 200);
    });
}

/// A rank that does not come is an error of the others after their time limit, in every later call too.
#[test]
fn a_rank_that_vanishes_is_an_error_of_the_others() {
    let Some(devices) = devices(2) else { return };
    let limits = Limits { time: std::time::Duration::from_millis(300), ..Limits::default() };
    // Message 1 makes the table, 2 and 3 are the first batch.
    let faults = Faults { vanish: vec![(1, 4)], ..Faults::default() };
    let ends = InProcess::with_faults(2, limits, &faults).expect("ends");
    each(Peers::ranks(&devices, ends).expect("ends of peers"), |rank, end| {
        let device = end.device().clone();
        let map = Sharded::new(open::<u64>(&device), end, Seed::new(1)).expect("a table");
        let stream = device.context().new_stream().unwrap();
        let on_keys = stream.clone_htod(&keys::<u64>(1_000, 1 << 30, rank as u64)).unwrap();
        let mut codes = stream.alloc_zeros::<u8>(1_000).unwrap();
        let mut insert = || map.on_stream(&stream).insert_unique(&on_keys, &on_keys, &mut codes);
        insert().expect("the first batch");
        for _ in 0..2 {
            let why = match insert().expect_err("the second batch") {
                ShardedError::Lost { call: "insert_unique", lost: Lost { why, rank: 1, message: 4 } } => why,
                other => panic!("{other}"),
            };
            assert_eq!(why, if rank == 0 { Why::Late } else { Why::Failed });
        }
    });
}

/// The program of a rank over NCCL, and of a thread over peers: the entries of its shard.
fn program<X: DeviceExchange>(device: &Device, end: X, rank: u32, ranks: u32) -> Vec<(u64, u64)> {
    let map = Sharded::new(open::<u64>(device), end, Seed::new(11)).expect("a table");
    let stream: Arc<CudaStream> = device.context().new_stream().unwrap();
    let batch: Vec<u64> = (0..50_000).map(|i| i * u64::from(ranks) + u64::from(rank)).collect();
    let on_keys = stream.clone_htod(&batch).unwrap();
    let mut codes = stream.alloc_zeros::<u8>(batch.len()).unwrap();
    map.on_stream(&stream).insert_unique(&on_keys, &on_keys, &mut codes).expect("a batch");
    assert!(stream.clone_dtoh(&codes).unwrap().iter().all(|&code| code == Insert::Inserted.code()));
    // Host slices go over the same exchange.
    let next = (batch[0] + 1) % u64::from(ranks);
    assert_eq!(
        map.search(&[batch[7], next, u64::MAX]).expect("a search"),
        [Some(batch[7]), Some(next), None]
    );
    assert_eq!(map.len().expect("a number"), 50_000 * u64::from(ranks));
    let half = stream.clone_htod(&batch[..25_000]).unwrap();
    let mut codes = stream.alloc_zeros::<u8>(25_000).unwrap();
    map.on_stream(&stream).delete(&half, &mut codes).expect("a batch");
    let mut entries = map.retrieve_own().expect("entries");
    entries.sort_unstable();
    entries
}

#[cfg(feature = "nccl")]
mod nccl {
    use super::*;
    use std::process::Command;
    use std::time::Duration;
    use warpproof::gpu::sharded::{Nccl, NcclLimits};

    /// The folder in which the ranks of a test meet.
    const FOLDER: &str = "WARPPROOF_TEST_RANKS";

    fn limits() -> NcclLimits {
        NcclLimits { time: Duration::from_secs(20), bin_words: 1000, ..NcclLimits::default() }
    }

    /// One rank of the test below, in a process of its own.
    #[test]
    fn rank_of_a_test() {
        let Ok(folder) = std::env::var(FOLDER) else {
            println!("skipped: a rank of other tests");
            return;
        };
        let folder = std::path::Path::new(&folder);
        let end = Nccl::from_launcher(&folder.join("id"), limits()).expect("an end");
        let rank: u32 = std::env::var("RANK").unwrap().parse().unwrap();
        if std::env::var_os("WARPPROOF_TEST_VANISH").is_some() && rank == 1 {
            std::process::exit(0);
        }
        let device = end.device().clone();
        let entries = program(&device, end, rank, 2);
        let text: String = entries.iter().map(|(key, value)| format!("{key} {value}\n")).collect();
        std::fs::write(folder.join(rank.to_string()), text).unwrap();
    }

    fn start(folder: &std::path::Path, vanish: bool) -> Vec<std::process::Output> {
        std::fs::create_dir_all(folder).unwrap();
        let start = |rank: u32| {
            let mut command = Command::new(std::env::current_exe().unwrap());
            command.args(["--exact", "nccl::rank_of_a_test", "--nocapture"]).env(FOLDER, folder);
            command.env("RANK", rank.to_string()).env("WORLD_SIZE", "2").env("LOCAL_RANK", rank.to_string());
            command.env("NCCL_NVLS_ENABLE", "0");
            if vanish {
                command.env("WARPPROOF_TEST_VANISH", "1");
            }
            command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap()
        };
        let children = [0, 1].map(start);
        children.map(|child| child.wait_with_output().unwrap()).into()
    }

    /// Two processes over NCCL, and two threads over peers, give equal shards.
    #[test]
    fn processes_and_threads_give_equal_tables() {
        let Some(devices) = devices(2) else { return };
        if devices[0].ordinal() == devices[1].ordinal() {
            println!("skipped: NCCL needs a GPU for each rank");
            return;
        }
        if let Err(error) = warpproof::gpu::sharded::NcclId::new() {
            println!("skipped: {error}");
            return;
        }
        let folder = std::env::temp_dir().join(format!("warpproof-ranks-{}", std::process::id()));
        let outputs = start(&folder, false);
        let said = outputs.iter().map(|output| {
            String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
        });
        let all = outputs.iter().all(|output| output.status.success());
        assert!(all, "{}", said.collect::<Vec<_>>().join("\n== the next rank\n"));
        let ends = peers(&devices, 1 << 20);
        let threads = each(ends, |rank, end| program(&devices[rank], end, rank as u32, 2));
        for (rank, entries) in threads.iter().enumerate() {
            let text = std::fs::read_to_string(folder.join(rank.to_string())).unwrap();
            let own: String = entries.iter().map(|(key, value)| format!("{key} {value}\n")).collect();
            assert!(!own.is_empty() && own == text, "rank {rank}");
        }
        // A rank that vanishes is an error of the other one, in its time limit.
        let gone = folder.join("gone");
        let outputs = start(&gone, true);
        let said = String::from_utf8_lossy(&outputs[0].stdout) + String::from_utf8_lossy(&outputs[0].stderr);
        assert!(!outputs[0].status.success() && said.contains("why: Alone, rank: 0"), "{said}");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}

/// The program runs over peers alone, too.
#[test]
fn the_program_of_nccl_ranks_over_peers() {
    let Some(devices) = devices(2) else { return };
    let entries = each(peers(&devices, 1 << 20), |rank, end| program(&devices[rank], end, rank as u32, 2));
    assert_eq!(entries.iter().map(Vec::len).sum::<usize>(), 50_000);
}
