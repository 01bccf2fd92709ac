//! Tables in shards on a CPU: what the exchange costs, and what adding up equal keys saves.
//!
//! `cargo bench --bench sharded -- [--ranks N] [--ops N] [--rounds N]`
//!
//! Batches of u64 pairs. *alone* is one table of open addressing with all threads. *exchanged* is as many
//! shards as ranks, each a thread with its part of the batch. *routed* are batches whose keys each rank owns
//! already, without an exchange. The counter adds one to keys by Zipf's law with exponent 0.99: *combined* as
//! the table does it, and *as they are* with every pair sent. Ways are interleaved in rounds; medians, in
//! Mop/s; answers are checked.

use std::thread;
use std::time::Instant;
use warpproof::model::Seed;
use warpproof::model::sharded::{Exchange, Kind, Rounds, Route, Said};
use warpproof::prelude::*;
use warpproof::simt::cpu::OpenMap;
use warpproof::simt::cpu::sharded::{AllRanks, InProcess, Limits, ShardedMap};

const SEED: Seed = Seed::new(5);

type Shard = OpenMap<u64, u64>;

/// What a rank does with keys of its own.
type Call = dyn Fn(&ShardedMap<u64, u64>, &[u64]) + Sync;

/// The rate of `ops` operations that `f` runs, in Mop/s.
fn rate<R>(ops: usize, f: impl FnOnce() -> R) -> (f64, R) {
    let started = Instant::now();
    let result = f();
    (ops as f64 / started.elapsed().as_secs_f64() / 1e6, result)
}

fn shard(entries: usize) -> Shard {
    Shard::with_seed(Shard::size(entries as u64, 0.8).expect("a size"), SEED).expect("memory")
}

/// Keys by Zipf's law with exponent 0.99, of `most`: the inverse of the integral of its density.
fn skewed(count: usize, most: u64) -> Vec<u64> {
    let whole = (most as f64).powf(0.01) - 1.0;
    let key = |at: u64| {
        let unit = (SEED.hash(at).bits() >> 11) as f64 / (1u64 << 53) as f64;
        ((unit * whole + 1.0).powf(100.0) as u64).min(most)
    };
    (0..count as u64).map(key).collect()
}

/// Inserts and searches: alone, exchanged, routed.
fn maps(ranks: u32, ops: usize) -> [f64; 6] {
    let keys: Vec<u64> = (0..ops as u64).map(|at| SEED.hash(at).bits() >> 1).collect();
    let alone = shard(ops);
    let (insert_alone, _) = rate(ops, || alone.insert_unique(&keys, &keys).expect("memory").all_stored());
    let (search_alone, found) = rate(ops, || alone.search(&keys).expect("memory"));
    assert!(found.iter().zip(&keys).all(|(found, key)| *found == Some(*key)));
    drop(alone);

    let part = ops / ranks as usize * 11 / 10 + 1000;
    let all = AllRanks::new(ranks, Limits::default(), SEED, |_| Ok(shard(part))).expect("memory");
    let (insert, said) = rate(ops, || all.insert_unique(&keys, &keys).expect("ranks"));
    said.all_stored().expect("room");
    let (search, found) = rate(ops, || all.search(&keys).expect("ranks"));
    assert!(found.iter().zip(&keys).all(|(found, key)| *found == Some(*key)));

    let mut own = vec![Vec::new(); ranks as usize];
    keys.iter().for_each(|&key| own[all.ranks()[0].owner(key) as usize].push(key));
    let empty = AllRanks::new(ranks, Limits::default(), SEED, |_| Ok(shard(part))).expect("memory");
    let on_each = |run: &Call| {
        rate(ops, || {
            thread::scope(|scope| {
                for (map, keys) in empty.ranks().iter().zip(&own) {
                    scope.spawn(move || run(map, keys));
                }
            });
        })
        .0
    };
    let insert_routed = on_each(&|map, keys| {
        let shard = map.routed(keys).expect("own keys");
        shard.insert_unique(keys, keys).expect("memory").all_stored().expect("room");
    });
    let search_routed = on_each(&|map, keys| {
        let found = map.routed(keys).expect("own keys").search(keys).expect("memory");
        assert!(found.iter().all(Option::is_some));
    });
    [insert_alone, insert, insert_routed, search_alone, search, search_routed]
}

/// The counter: combined, and as the pairs are.
fn counter(ranks: u32, ops: usize) -> [f64; 2] {
    const KEYS: u64 = 1 << 24;
    let keys = skewed(ops, KEYS);
    let ones = vec![1; ops];
    let room = ops.min(KEYS as usize) / ranks as usize * 11 / 10 + 1000;
    let all = AllRanks::new(ranks, Limits::default(), SEED, |_| Ok(shard(room))).expect("memory");
    let (combined, said) = rate(ops, || all.insert_or_add(&keys, &ones).expect("ranks"));
    said.all_stored().expect("room");
    let first = all.search(&[1]).expect("ranks");

    let ends = InProcess::ranks(ranks, Limits::default()).expect("memory");
    let owner = |key: u64| all.ranks()[0].owner(key);
    let shards: Vec<Shard> = (0..ranks).map(|_| shard(room)).collect();
    let (plain, ()) = rate(ops, || {
        thread::scope(|scope| {
            for ((at, end), shard) in ends.into_iter().enumerate().zip(&shards) {
                let part = &keys[ops * at / ranks as usize..ops * (at + 1) / ranks as usize];
                scope.spawn(move || every_pair(end, shard, part, owner));
            }
        });
    });
    let plain_first = shards[owner(1) as usize].search(&[1]).expect("memory");
    assert_eq!(first, plain_first, "both have counted the same");
    [combined, plain]
}

/// Sends each pair of a batch to its owner.
fn every_pair(end: InProcess, shard: &Shard, keys: &[u64], owner: impl Fn(u64) -> u32) {
    let mut rounds = Rounds::new(end).expect("memory");
    let kind = Kind { code: 200, width: 2, valued: false };
    let ranks = rounds.exchange().ranks();
    let route = Route::new(ranks, keys.len(), |at| owner(keys[at]));
    let put = |at: usize, message: &mut Vec<u64>| message.extend([keys[at], 1]);
    let ran = rounds.run(kind, route, put, |items| {
        let (keys, ones): (Vec<u64>, Vec<u64>) = items.chunks_exact(2).map(|pair| (pair[0], pair[1])).unzip();
        let said = shard.insert_or_add(&keys, &ones)?;
        Ok::<_, warpproof::simt::cpu::Error>(Said {
            codes: said.iter().map(|said| said.code()).collect(),
            values: Vec::new(),
        })
    });
    assert!(ran.expect("ranks").codes.iter().all(|code| *code < 2), "room for all");
}

fn median(mut rates: Vec<f64>) -> f64 {
    rates.sort_by(f64::total_cmp);
    rates[rates.len() / 2]
}

fn number(name: &str, default: usize) -> usize {
    let mut arguments = std::env::args().skip_while(|argument| argument != name).skip(1);
    arguments.next().map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{name}: not a number")))
}

fn main() {
    let (ranks, ops, rounds) = (number("--ranks", 2) as u32, number("--ops", 1 << 22), number("--rounds", 5));
    let measured: Vec<_> = (0..rounds).map(|_| (maps(ranks, ops), counter(ranks, ops))).collect();
    println!("{ranks} ranks, {ops} operations, {rounds} rounds: medians in Mop/s");
    let names = [
        "insert, alone",
        "insert, exchanged",
        "insert, routed",
        "search, alone",
        "search, exchanged",
        "search, routed",
    ];
    for (at, name) in names.into_iter().enumerate() {
        println!("{name:<24} {:>8.2}", median(measured.iter().map(|(maps, _)| maps[at]).collect()));
    }
    for (at, name) in ["counter, combined", "counter, as they are"].into_iter().enumerate() {
        println!("{name:<24} {:>8.2}", median(measured.iter().map(|(_, counter)| counter[at]).collect()));
    }
}
