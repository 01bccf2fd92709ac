//! The CPU backend beside dashmap and papaya: u32 -> u32, in bulk, on the same threads, in one process.
//!
//! `cargo bench --bench peers -- [--pairs N] [--threads N] [--rounds N]`
//!
//! Rounds are interleaved: in each round every map does all the work once, in turn, and the medians are
//! compared. *build* inserts distinct keys if absent into a new map made for their number, *present* finds all
//! of them in another order, *absent* looks for as many that are not there. Every map gives an answer per
//! operation, stored in a slice; answers are checked outside the time. The peers run with their default hash
//! and with the mixer that ours uses. *new + build* counts the making of the map too: ours writes all its memory then,
//! the peers touch theirs for the first time in *build*.

use rayon::prelude::*;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Instant;
use warpproof::model::key::mix;
use warpproof::simt::cpu::SlabMap;
use warpproof::{BulkMap, Insert};

/// Operations that a thread runs one after the other: as ours.
const CHUNK: usize = 1024;
const WORK: [&str; 4] = ["new + build", "build", "present", "absent"];

/// The mixer of our keys, as a hash of the standard library.
#[derive(Clone, Copy, Default)]
struct Mixer(u32);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        // Both halves: dashmap takes its shard from the high bits, the tables use the low ones.
        self.0 as u64 | (mix(self.0) as u64) << 32
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = mix(self.0 ^ byte as u32);
        }
    }

    fn write_u32(&mut self, key: u32) {
        self.0 = mix(key);
    }
}

#[derive(Clone, Copy, Default)]
struct MixerState;

impl BuildHasher for MixerState {
    type Hasher = Mixer;

    fn build_hasher(&self) -> Mixer {
        Mixer(0)
    }
}

/// A map under test.
trait Peer: Sync + Sized {
    fn new(pairs: usize) -> Self;
    fn build(&self, keys: &[u32], values: &[u32]) -> Vec<bool>;
    fn search(&self, keys: &[u32]) -> Vec<Option<u32>>;
}

struct Ours(SlabMap<u32, u32>);

impl Peer for Ours {
    fn new(pairs: usize) -> Self {
        Self(SlabMap::with_capacity(pairs as u64).expect("memory for the table"))
    }

    fn build(&self, keys: &[u32], values: &[u32]) -> Vec<bool> {
        let done = self.0.insert_unique(keys, values).expect("keys are not reserved");
        done.into_iter().map(|outcome| outcome == Insert::Inserted).collect()
    }

    fn search(&self, keys: &[u32]) -> Vec<Option<u32>> {
        self.0.search(keys).expect("keys are not reserved")
    }
}

impl<H: BuildHasher + Default + Clone + Send + Sync> Peer for dashmap::DashMap<u32, u32, H> {
    fn new(pairs: usize) -> Self {
        Self::with_capacity_and_hasher(pairs, H::default())
    }

    fn build(&self, keys: &[u32], values: &[u32]) -> Vec<bool> {
        let mut out = vec![false; keys.len()];
        out.par_chunks_mut(CHUNK).enumerate().for_each(|(c, out)| {
            for (i, out) in out.iter_mut().enumerate() {
                let at = c * CHUNK + i;
                *out = self.insert(keys[at], values[at]).is_none();
            }
        });
        out
    }

    fn search(&self, keys: &[u32]) -> Vec<Option<u32>> {
        let mut out = vec![None; keys.len()];
        out.par_chunks_mut(CHUNK).enumerate().for_each(|(c, out)| {
            for (i, out) in out.iter_mut().enumerate() {
                *out = self.get(&keys[c * CHUNK + i]).map(|value| *value);
            }
        });
        out
    }
}

impl<H: BuildHasher + Default + Sync> Peer for papaya::HashMap<u32, u32, H> {
    fn new(pairs: usize) -> Self {
        Self::with_capacity_and_hasher(pairs, H::default())
    }

    fn build(&self, keys: &[u32], values: &[u32]) -> Vec<bool> {
        let mut out = vec![false; keys.len()];
        out.par_chunks_mut(CHUNK).enumerate().for_each(|(c, out)| {
            let map = self.pin();
            for (i, out) in out.iter_mut().enumerate() {
                let at = c * CHUNK + i;
                *out = map.insert(keys[at], values[at]).is_none();
            }
        });
        out
    }

    fn search(&self, keys: &[u32]) -> Vec<Option<u32>> {
        let mut out = vec![None; keys.len()];
        out.par_chunks_mut(CHUNK).enumerate().for_each(|(c, out)| {
            let map = self.pin();
            for (i, out) in out.iter_mut().enumerate() {
                *out = map.get(&keys[c * CHUNK + i]).copied();
            }
        });
        out
    }
}

/// The input of all maps.
struct Input {
    keys: Vec<u32>,
    values: Vec<u32>,
    shuffled: Vec<u32>,
    absent: Vec<u32>,
}

impl Input {
    fn new(pairs: u32) -> Self {
        // An odd factor permutes 31 bits.
        let key = |i: u32| i.wrapping_mul(0x9e37_79b1) & 0x7fff_ffff;
        let keys: Vec<u32> = (0..pairs).map(key).collect();
        let mut shuffled = keys.clone();
        for i in (1..shuffled.len()).rev() {
            let hash = mix(i as u32) as u64 | (mix(!(i as u32)) as u64) << 32;
            shuffled.swap(i, (hash % (i as u64 + 1)) as usize);
        }
        let values = keys.iter().map(|&key| !key).collect();
        Self { keys, values, shuffled, absent: (pairs..2 * pairs).map(key).collect() }
    }
}

fn timed<T>(f: impl FnOnce() -> T) -> (f64, T) {
    let started = Instant::now();
    let result = f();
    (started.elapsed().as_secs_f64(), result)
}

/// One round of one map: seconds of each of [`WORK`].
fn round<P: Peer>(input: &Input) -> [f64; 4] {
    let (new, map) = timed(|| P::new(input.keys.len()));
    let (build, done) = timed(|| map.build(&input.keys, &input.values));
    assert!(done.iter().all(|&new| new), "every key is new");
    let (present, found) = timed(|| map.search(&input.shuffled));
    assert!(found.iter().zip(&input.shuffled).all(|(&f, &key)| f == Some(!key)), "every key is found");
    let (absent, found) = timed(|| map.search(&input.absent));
    assert!(found.iter().all(Option::is_none), "no key is found");
    [new + build, build, present, absent]
}

fn argument(name: &str, default: usize) -> usize {
    let args: Vec<String> = std::env::args().collect();
    let at = args.iter().position(|arg| arg == name);
    at.and_then(|at| args.get(at + 1)).map_or(default, |text| text.parse().expect("a number"))
}

fn main() {
    type Round = fn(&Input) -> [f64; 4];
    let maps: [(&str, Round); 5] = [
        ("warpproof", round::<Ours>),
        ("dashmap", round::<dashmap::DashMap<u32, u32, RandomState>>),
        ("dashmap, our hash", round::<dashmap::DashMap<u32, u32, MixerState>>),
        ("papaya", round::<papaya::HashMap<u32, u32, RandomState>>),
        ("papaya, our hash", round::<papaya::HashMap<u32, u32, MixerState>>),
    ];
    let (pairs, threads) = (argument("--pairs", 1 << 22), argument("--threads", 2));
    let rounds = argument("--rounds", 7).max(1);
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().expect("the first pool");
    let input = Input::new(u32::try_from(pairs).expect("at most 2^30 pairs"));
    // The first round warms up and does not count.
    let mut seconds = vec![[const { Vec::new() }; 4]; maps.len()];
    for number in 0..=rounds {
        for (map, (_, run)) in maps.iter().enumerate() {
            for (work, time) in run(&input).into_iter().enumerate() {
                if number > 0 {
                    seconds[map][work].push(time);
                }
            }
        }
    }
    let median = |map: usize, work: usize| {
        let mut times: Vec<f64> = seconds[map][work].clone();
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    };
    println!(
        "{pairs} pairs of u32, {threads} threads, medians of {rounds} rounds, Mop/s (warpproof's speed = 1)"
    );
    println!("{:20} {}", "", WORK.map(|work| format!("{work:>18}")).join(""));
    for (map, (name, _)) in maps.iter().enumerate() {
        let cell = |work: usize| {
            let mops = pairs as f64 / median(map, work) / 1e6;
            format!("{mops:>11.1} ({:4.2})", median(0, work) / median(map, work))
        };
        println!("{name:20} {}", [0, 1, 2, 3].map(cell).join(""));
    }
}
