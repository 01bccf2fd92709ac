//! Tables in shards whose ranks are threads: answers are those of one table, whatever the ranks go through.

use std::collections::HashMap;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};
use warpproof::model::Seed;
use warpproof::model::sharded::{
    Error, Exchange, Failed, Kind, Lost, Rounds, Route, Said, Sharded, Why, saved_ranks,
};
use warpproof::simt::cpu::sharded::{AllRanks, Faults, InProcess, Limits, ShardedMap};
use warpproof::simt::cpu::{self, DynamicMap, OpenMap, PagedMap, SlabMultimap};
use warpproof::{
    Add, BulkCounter, BulkMap, BulkMatches, BulkMultimap, BulkSave, BulkTable, Delete, Insert, Refused,
};

const SEED: Seed = Seed::new(7);

/// Small bins, so that batches take several rounds.
const SMALL: Limits = Limits { bin_words: 64, time: Duration::from_secs(20) };

/// Runs `rank` on a thread for each end.
fn on_each<R: Send>(ends: Vec<InProcess>, rank: impl Fn(u32, InProcess) -> R + Sync) -> Vec<R> {
    thread::scope(|scope| {
        let rank = &rank;
        let threads: Vec<_> =
            (0..).zip(ends).map(|(number, end)| scope.spawn(move || rank(number, end))).collect();
        threads.into_iter().map(|thread| thread.join().expect("a rank")).collect()
    })
}

fn map(end: InProcess) -> ShardedMap<u64, u64> {
    Sharded::new(OpenMap::with_capacity(20_000).expect("memory"), end, SEED).expect("ranks")
}

/// Random numbers: the hashes of 1, 2, 3 and so on.
struct Dice(Seed, u64);

impl Dice {
    fn below(&mut self, end: u64) -> u64 {
        self.1 += 1;
        self.0.hash(self.1).bits() % end
    }
}

/// Ranks that dawdle and turn to their peers in any order, each with batches of its own keys and lengths.
#[test]
fn ranks_that_dawdle_get_the_answers_of_one_table() {
    for ranks in [1, 2, 3, 5] {
        for seed in 0..4 {
            let faults =
                Faults { seed: Some(seed), dawdles: Duration::from_micros(300), ..Faults::default() };
            let ends = InProcess::with_faults(ranks, SMALL, &faults).expect("memory");
            let shares = on_each(ends, |rank, end| {
                let map = map(end);
                let mut dice = Dice(Seed::new(seed ^ u64::from(rank) << 8), 0);
                let mut oracle = HashMap::new();
                for _ in 0..12 {
                    // Keys of a rank: its number is their remainder. Every rank may be asked for any key.
                    let keys: Vec<u64> = (0..dice.below(150))
                        .map(|_| dice.below(300) * u64::from(ranks) + u64::from(rank))
                        .collect();
                    let values: Vec<u64> = keys.iter().map(|_| dice.below(1 << 40)).collect();
                    let deleted: Vec<u64> = keys.iter().take(1).copied().collect();
                    let said = map.delete(&deleted).expect("ranks");
                    assert_eq!(said.len(), deleted.len());
                    deleted.iter().for_each(|key| _ = oracle.remove(key));
                    // Of equal keys in a batch, which value stays is not specified: one of each.
                    let mut once = HashMap::new();
                    keys.iter().zip(&values).for_each(|(&key, &value)| _ = once.insert(key, value));
                    let (keys, values): (Vec<u64>, Vec<u64>) = once.into_iter().unzip();
                    map.insert_or_assign(&keys, &values).expect("ranks").all_stored().expect("room");
                    oracle.extend(keys.iter().copied().zip(values));
                    let asked: Vec<u64> =
                        (0..300).map(|key| key * u64::from(ranks) + u64::from(rank)).collect();
                    let found = map.search(&asked).expect("ranks");
                    assert!(asked.iter().zip(found).all(|(key, value)| oracle.get(key).copied() == value));
                }
                assert!(map.exchanged().rounds > map.exchanged().batches, "bins were too small");
                let own = map.retrieve_own().expect("memory");
                assert!(own.iter().all(|&(key, _)| map.owner(key) == rank));
                (map.len().expect("ranks"), map.retrieve_all().expect("ranks"), oracle)
            });
            let all: HashMap<u64, u64> = shares.iter().flat_map(|(.., oracle)| oracle.clone()).collect();
            for (len, entries, _) in shares {
                assert_eq!((len, entries.len()), (all.len() as u64, all.len()));
                assert_eq!(entries.into_iter().collect::<HashMap<_, _>>(), all, "every rank has all entries");
            }
        }
    }
}

#[test]
fn operations_of_ranks_on_the_same_keys_are_those_of_one_table() {
    let ends = InProcess::ranks(3, SMALL).expect("memory");
    let keys: Vec<u64> = (0..500).collect();
    let said = on_each(ends, |rank, end| {
        let map = map(end);
        let values = vec![u64::from(rank); keys.len()];
        let said = map.insert_unique(&keys, &values).expect("ranks").into_vec();
        let found = map.search(&keys).expect("ranks");
        let deleted = map.delete(&keys).expect("ranks");
        (said, found, deleted, map.len().expect("ranks"))
    });
    for key in 0..keys.len() {
        let stored: Vec<usize> = (0..3).filter(|&rank| said[rank].0[key] == Insert::Inserted).collect();
        assert_eq!(stored.len(), 1, "one rank has stored key {key}");
        assert!(said.iter().all(|(_, found, ..)| found[key] == Some(stored[0] as u64)));
        assert_eq!(said.iter().filter(|(_, _, deleted, _)| deleted[key] == Delete::Deleted).count(), 1);
    }
    assert!(said.iter().all(|(.., len)| *len == 0));
}

#[test]
fn a_rank_that_does_not_come_is_named_and_nobody_hangs() {
    let limits = Limits { bin_words: 64, time: Duration::from_millis(300) };
    // It never comes, or from some message on.
    for message in [1, 2, 3, 4] {
        let faults = Faults { vanish: vec![(1, message)], ..Faults::default() };
        let ends = InProcess::with_faults(3, limits, &faults).expect("memory");
        let begun = Instant::now();
        let said = on_each(ends, |_, end| {
            let made = Sharded::new(OpenMap::<u64, u64>::with_capacity(100).expect("memory"), end, SEED);
            let map = match made {
                Ok(map) => map,
                Err(error) => return (error.to_string(), String::new()),
            };
            let lost =
                |said: Result<Vec<Option<u64>>, Error<cpu::Error>>| said.expect_err("lost").to_string();
            let mut last = String::new();
            for _ in 0..3 {
                match map.search(&[1, 2, 3]) {
                    Ok(_) => {}
                    error => last = lost(error),
                }
            }
            // Lost for good.
            (last, lost(map.search(&[1])))
        });
        assert!(begun.elapsed() < Duration::from_secs(10), "nobody waits for longer than the limit");
        for (rank, (first, later)) in said.iter().enumerate() {
            if rank != 1 {
                assert!(first.contains("rank 1 did not come in time for message"), "{rank}: {first}");
                assert!(later.is_empty() || later.contains("rank 1 did not come"), "{rank}: {later}");
            }
        }
    }
}

#[test]
fn a_rank_that_is_late_is_waited_for() {
    let stop = vec![(2, 2, Duration::from_millis(150)), (0, 3, Duration::from_millis(80))];
    let ends = InProcess::with_faults(3, SMALL, &Faults { stop, ..Faults::default() }).expect("memory");
    on_each(ends, |rank, end| {
        let map = map(end);
        let key = u64::from(rank);
        map.insert_unique(&[key], &[key]).expect("ranks").all_stored().expect("room");
        assert_eq!(map.len().expect("ranks"), 3);
    });
}

#[test]
fn ranks_that_make_different_calls_are_told() {
    let said = on_each(InProcess::ranks(2, SMALL).expect("memory"), |rank, end| {
        let map = map(end);
        match rank {
            0 => map.search(&[1]).map(|_| ()),
            _ => map.delete(&[1]).map(|_| ()),
        }
    });
    for said in said {
        let error = said.expect_err("different calls").to_string();
        assert!(error.contains("made another call than the others"), "{error}");
    }
}

#[test]
fn ranks_with_different_seeds_are_told() {
    let said = on_each(InProcess::ranks(2, SMALL).expect("memory"), |rank, end| {
        let shard = OpenMap::<u64, u64>::with_capacity(10).expect("memory");
        Sharded::new(shard, end, Seed::new(rank.into())).map(|_| ())
    });
    assert!(matches!(said[0], Err(Error::Differs { rank: 0, other: 1 })));
    assert!(said[1].as_ref().expect_err("seeds").to_string().contains("ranks 1 and 0 have different seeds"));
}

#[test]
fn a_batch_that_is_refused_holds_nobody_up() {
    on_each(InProcess::ranks(3, SMALL).expect("memory"), |rank, end| {
        let map = map(end);
        let keys: Vec<u64> = (0..200).collect();
        let values = if rank == 1 { &keys[..7] } else { &keys };
        let said = map.insert_unique(&keys, values);
        match rank {
            1 => assert!(matches!(said, Err(Error::Refused(Refused::Length { keys: 200, found: 7, .. })))),
            _ => assert_eq!(said.expect("ranks").len(), 200),
        }
        assert_eq!(map.len().expect("ranks"), 200);
        let said = map.insert_or_add(&keys, values);
        assert_eq!(said.is_ok(), rank != 1);
        assert_eq!(map.search(&[5]).expect("ranks"), [Some(15)]);
    });
}

#[test]
fn a_shard_that_is_full_says_so_to_those_whose_keys_it_owns() {
    let ends = InProcess::ranks(2, SMALL).expect("memory");
    on_each(ends, |rank, end| {
        // One small shard, and a large one.
        let room = if rank == 0 { 10 } else { 2_000 };
        let shard = OpenMap::<u64, u64>::with_capacity(room).expect("memory");
        let map = Sharded::new(shard, end, SEED).expect("ranks");
        let keys: Vec<u64> = (0..500).map(|key| 2 * key + u64::from(rank)).collect();
        let said = map.insert_unique(&keys, &keys).expect("ranks");
        for (&key, outcome) in keys.iter().zip(&said) {
            assert!(*outcome == Insert::Inserted || *outcome == Insert::Full && map.owner(key) == 0);
        }
        let full = said.iter().filter(|outcome| **outcome == Insert::Full).count();
        assert!(full > 200, "{full}");
        let stored = said.iter().filter(|outcome| **outcome == Insert::Inserted).count() as u64;
        let found = map.search(&keys).expect("ranks");
        assert_eq!(found.iter().flatten().count() as u64, stored);
    });
}

/// A shard that grows holds the others up, and no longer.
#[test]
fn shards_grow_by_themselves() {
    let ends = InProcess::ranks(3, Limits { bin_words: 2_000, ..Limits::default() }).expect("memory");
    on_each(ends, |rank, end| {
        let shard = DynamicMap::<u32, u32>::with_capacity(1).expect("memory");
        let map = Sharded::new(shard, end, SEED).expect("ranks");
        let keys: Vec<u32> = (0..30_000).map(|key| 3 * key + rank).collect();
        map.insert_unique(&keys, &keys).expect("ranks").all_stored().expect("they grow");
        let stats = map.stats().expect("ranks");
        assert_eq!(stats.entries.iter().sum::<u64>(), 90_000);
        assert!(stats.imbalance() < 1.05, "{:?}", stats.entries);
        // Two of three items belong to other ranks: two words there, and an eighth of one back for each item.
        let exchanged = stats.exchanged;
        assert!((19_000..21_000).contains(&exchanged.items), "{exchanged:?}");
        assert!((42_000..46_000).contains(&exchanged.words), "{exchanged:?}");
    });
}

/// Homes of the keys of a rank are everywhere in its shard, though shard and ranks have the same seed.
#[test]
fn the_keys_of_a_rank_have_homes_all_over_its_shard() {
    on_each(InProcess::ranks(4, Limits::default()).expect("memory"), |_, end| {
        let keys: Vec<u64> = (0..40_000).collect();
        let shard =
            OpenMap::<u64, u64>::with_seed(OpenMap::<u64, u64>::size(10_600, 0.95).expect("a size"), SEED);
        let map = Sharded::new(shard.expect("memory"), end, SEED).expect("ranks");
        let part = &keys[10_000 * map.rank() as usize..][..10_000];
        map.insert_unique(part, part).expect("ranks").all_stored().expect("room");
        // Entries that all had their homes in a fourth of the buckets would be hundreds of buckets away.
        let probes = map.stats().expect("ranks").shard;
        assert!(probes.live > 9_000, "{probes:?}");
        let own: Vec<u64> = keys.iter().copied().filter(|&key| map.owner(key) == map.rank()).collect();
        let homes = |key: u64| SEED.hash(key).digit(4);
        let of = |home| own.iter().filter(|&&key| homes(key) == home).count();
        assert!((0..4).all(|home| of(home) * 5 > own.len()), "a fourth of the homes each");
    });
}

#[test]
fn pairs_of_equal_keys_travel_once() {
    on_each(InProcess::ranks(3, SMALL).expect("memory"), |rank, end| {
        let map = map(end);
        let keys: Vec<u64> = (0..6_000).map(|at| at % 3).collect();
        let said = map.insert_or_add(&keys, &vec![1; keys.len()]).expect("ranks");
        assert!(said.iter().all(|outcome| *outcome != Add::Full));
        assert!(map.exchanged().items <= 3, "rank {rank}: {:?}", map.exchanged());
        assert_eq!(map.search(&[0, 1, 2, 3]).expect("ranks"), [Some(6_000), Some(6_000), Some(6_000), None]);
    });
}

#[test]
fn all_pairs_of_a_key_are_found_and_deleted() {
    let make = |_| SlabMultimap::<u64, u64>::with_capacity(4_000);
    let map = AllRanks::new(3, SMALL, SEED, make).expect("memory");
    let keys: Vec<u64> = (0..3_000).map(|at| at % 100).collect();
    let values: Vec<u64> = (0..3_000).collect();
    BulkMultimap::insert(&map, &keys, &values).expect("ranks").all_stored().expect("room");
    let asked = [5, 100, 5, 99];
    let found = map.search_all(&asked).expect("ranks");
    let sorted = |key: usize| {
        let mut values = found.of(key).to_vec();
        values.sort_unstable();
        values
    };
    assert_eq!(sorted(0), (0..30).map(|at| 100 * at + 5).collect::<Vec<u64>>());
    assert_eq!((found.of(1).len(), sorted(2) == sorted(0), found.of(3).len()), (0, true, 30));
    assert_eq!(map.count(&asked).expect("ranks"), [30, 0, 30, 30]);
    assert_eq!(map.delete_all(&[5, 100]).expect("ranks"), [30, 0]);
    assert_eq!(map.len().expect("ranks"), 2_970);
}

#[test]
fn keys_that_the_caller_routes_need_no_exchange() {
    on_each(InProcess::ranks(2, SMALL).expect("memory"), |rank, end| {
        let map = map(end);
        let own: Vec<u64> = (0..100).filter(|&key| map.owner(key) == rank).collect();
        let before = map.exchanged();
        map.routed(&own)
            .expect("own keys")
            .insert_unique(&own, &own)
            .expect("memory")
            .all_stored()
            .expect("room");
        let other = (0..100).find(|&key| map.owner(key) != rank).expect("another's");
        let error = map.routed(&[own[0], other]).expect_err("another's key");
        assert_eq!(error, Error::NotOwned { index: 1, owner: 1 - rank, rank });
        assert_eq!(map.exchanged(), before);
        assert_eq!(map.len().expect("ranks"), 100);
    });
}

/// A folder with a table of three shards, in `folder`.
fn save(folder: &Path, keys: &[u64]) -> Result<(), Error<cpu::Error>> {
    let said = on_each(InProcess::ranks(3, SMALL).expect("memory"), |rank, end| {
        let shard = PagedMap::<u64, u64>::with_budget(2_000, 1 << 20).expect("memory");
        let map = Sharded::new(shard, end, SEED).expect("ranks");
        let part = &keys[keys.len() * rank as usize / 3..keys.len() * (rank as usize + 1) / 3];
        map.insert_unique(part, part).expect("ranks").all_stored().expect("room");
        map.save(folder)
    });
    said.into_iter().collect()
}

/// All pairs of a table that a rank has opened, or why it could not.
type Opened = Result<Vec<(u64, u64)>, Error<cpu::Error>>;

fn open(folder: &Path, ranks: u32) -> Vec<Opened> {
    on_each(InProcess::ranks(ranks, SMALL).expect("memory"), |_, end| {
        let map = Sharded::open(folder, end, |path| PagedMap::<u64, u64>::open(path, 1 << 20))?;
        assert_eq!(map.seed(), SEED);
        let mut all = map.retrieve_all()?;
        all.sort_unstable();
        Ok(all)
    })
}

#[test]
fn a_table_in_shards_is_saved_and_opened() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path().join("table");
    let keys: Vec<u64> = (0..3_000).collect();
    save(&folder, &keys[..10]).expect("a disk");
    save(&folder, &keys).expect("a disk");
    assert_eq!(saved_ranks(&folder), Ok(3));
    // The files of the older save are gone.
    assert_eq!(std::fs::read_dir(&folder).expect("a folder").count(), 4);
    let pairs: Vec<(u64, u64)> = keys.iter().map(|&key| (key, key)).collect();
    assert!(open(&folder, 3).into_iter().all(|all| all.as_ref() == Ok(&pairs)));

    for said in open(&folder, 2) {
        let error = said.expect_err("another number of ranks").to_string();
        assert!(
            error.contains("it is of a table with 3 ranks, and 2 open it") || error.contains("gave up"),
            "{error}"
        );
    }
    // A shard that is damaged: its rank says what is wrong, and the others that it gave up.
    let mut shard =
        std::fs::read_dir(&folder).expect("a folder").filter_map(Result::ok).map(|file| file.path());
    let shard = shard.find(|path| path.to_string_lossy().contains("shard-1-of-3")).expect("a shard");
    let mut bytes = std::fs::read(&shard).expect("a file");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&shard, &bytes).expect("a disk");
    let said = open(&folder, 3);
    assert!(said[1].as_ref().expect_err("damaged").to_string().contains("damaged"), "{said:?}");
    assert!(said[0].as_ref().expect_err("rank 1").to_string().contains("rank 1 gave up"), "{said:?}");
    std::fs::write(folder.join("ranks"), "something else").expect("a disk");
    let error = open(&folder, 3).swap_remove(0).expect_err("no list").to_string();
    assert!(error.contains("ranks: it does not list the shards of a table"), "{error}");
}

/// An end that changes a word of a message.
struct Spoils(InProcess);

impl Exchange for Spoils {
    fn rank(&self) -> u32 {
        self.0.rank()
    }
    fn ranks(&self) -> u32 {
        self.0.ranks()
    }
    fn bin_words(&self) -> usize {
        self.0.bin_words()
    }
    fn all_to_all(&mut self, messages: &mut [Vec<u64>]) -> Result<(), Lost> {
        if self.rank() == 0 {
            messages[1].push(0);
        }
        self.0.all_to_all(messages)
    }
    fn lose(&mut self, why: Why, rank: u32) -> Lost {
        self.0.lose(why, rank)
    }
}

#[test]
fn a_message_that_is_malformed_loses_the_exchange() {
    let kind = Kind { code: 1, width: 1, valued: false };
    let said = on_each(InProcess::ranks(2, SMALL).expect("memory"), |_, end| {
        let mut rounds = Rounds::new(Spoils(end)).expect("memory");
        let echo = |items: &[u64]| Ok::<_, ()>(Said { codes: vec![0; items.len()], values: Vec::new() });
        rounds.run(kind, Route::new(2, 4, |item| item as u32 % 2), |_, message| message.push(5), echo)
    });
    let lost = |said: &Result<Said, Failed<()>>| match said {
        Err(Failed::Lost(lost)) => (lost.why, lost.rank),
        said => panic!("{said:?}"),
    };
    assert!(said.iter().all(|said| lost(said) == (Why::Malformed, 0)));
}

#[test]
fn an_exchange_needs_ranks_and_bins() {
    let error = InProcess::ranks(0, SMALL).expect_err("no rank").to_string();
    assert_eq!(error, "a table needs at least one rank");
    let error = InProcess::ranks(5_000, SMALL).expect_err("too many").to_string();
    assert_eq!(error, "5000 ranks are more than the 4096 that a table can have");
    let huge = Limits { bin_words: usize::MAX / 64, ..SMALL };
    assert!(matches!(InProcess::ranks(2, huge), Err(Refused::OutOfMemory { .. })));
    let tiny = Limits { bin_words: 3, ..SMALL };
    let error = AllRanks::new(2, tiny, SEED, |_| OpenMap::<u32, u32>::with_capacity(10)).expect_err("bins");
    assert!(error.to_string().contains("bin with room for a header and an item"), "{error}");
}
