//! Compares the CPU backend with dashmap, papaya and a partitioned map of the standard library: u32 or u64
//! pairs, in bulk, on the same threads, in one process.
//!
//! `cargo bench --bench peers -- [--bits 32|64] [--pairs N] [--threads N] [--rounds N] [--only NAMES]`
//!
//! Rounds are interleaved: in each round every map does all the work once, in turn, and the medians are
//! compared. *build* inserts distinct keys, if absent, into a new map that was created for their number.
//! *present* finds all of them in another order. *absent* searches for as many absent keys. Every map gives
//! an answer per operation, stored in a slice in the order of the input; answers are checked outside the
//! measured time. The peers run with their default hash and with a fast one. *new + build* includes the
//! creation of the map: ours writes all its memory then, while the peers touch theirs for the first time in
//! *build*. *by key* calls ours for one key at a time, as the peers are. *from 1/64* is a map that was
//! created for a sixty-fourth of the pairs, and grows. `--only` takes parts of names, separated by commas.
//!
//! With `--counters`, it adds ones to keys that repeat, beside a map of the standard library.

mod counters;
mod maps;
mod partitioned;

use maps::{Fast, FromFew, Number, OneByOne, Peer};
use partitioned::Partitioned;
use std::hash::RandomState;
use std::time::Instant;
use warpproof::model::key::mix;
use warpproof::simt::cpu::dynamic::SubmapMap;
use warpproof::simt::cpu::{DynamicMap, OpenMap, SlabMap};

const WORK: [&str; 4] = ["new + build", "build", "present", "absent"];

/// A map's name, and what runs one round of it.
type Contender<K> = (&'static str, fn(&Input<K>) -> [f64; 4]);

/// The input of all maps.
struct Input<K> {
    keys: Vec<K>,
    values: Vec<K>,
    shuffled: Vec<K>,
    absent: Vec<K>,
}

impl<K: Number> Input<K> {
    fn new(pairs: u32) -> Self {
        let keys: Vec<K> = (0..pairs).map(K::scattered).collect();
        let mut shuffled = keys.clone();
        for i in (1..shuffled.len()).rev() {
            let hash = mix(i as u32) as u64 | (mix(!(i as u32)) as u64) << 32;
            shuffled.swap(i, (hash % (i as u64 + 1)) as usize);
        }
        let values = keys.iter().map(|key| key.value()).collect();
        Self { keys, values, shuffled, absent: (pairs..2 * pairs).map(K::scattered).collect() }
    }
}

fn timed<T>(f: impl FnOnce() -> T) -> (f64, T) {
    let started = Instant::now();
    let result = f();
    (started.elapsed().as_secs_f64(), result)
}

/// One round of one map: seconds of each of [`WORK`].
fn round<K: Number, P: Peer<K>>(input: &Input<K>) -> [f64; 4] {
    let (new, mut map) = timed(|| P::new(input.keys.len()));
    let (build, done) = timed(|| map.build(&input.keys, &input.values));
    assert!(done.iter().all(|&new| new), "every key is new");
    let (present, found) = timed(|| map.search(&input.shuffled));
    assert!(found.iter().zip(&input.shuffled).all(|(&f, key)| f == Some(key.value())), "every key is found");
    let (absent, found) = timed(|| map.search(&input.absent));
    assert!(found.iter().all(Option::is_none), "no key is found");
    [new + build, build, present, absent]
}

fn peers<K: Number>() -> [Contender<K>; 6] {
    [
        ("dashmap", round::<K, dashmap::DashMap<K, K, RandomState>>),
        ("dashmap, fast hash", round::<K, dashmap::DashMap<K, K, Fast>>),
        ("papaya", round::<K, papaya::HashMap<K, K, RandomState>>),
        ("papaya, fast hash", round::<K, papaya::HashMap<K, K, Fast>>),
        ("partitioned std", round::<K, Partitioned<K, RandomState>>),
        ("... fast hash", round::<K, Partitioned<K, Fast>>),
    ]
}

fn compare<K: Number>(ours: &[Contender<K>]) {
    let (pairs, threads) = (argument("--pairs", 1 << 22), argument("--threads", 2));
    let rounds = argument("--rounds", 7).max(1);
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().expect("the first pool");
    let input = Input::<K>::new(u32::try_from(pairs).expect("at most 2^30 pairs"));
    let mut maps = [ours, &peers()].concat();
    let only = text("--only");
    maps.retain(|(name, _)| only.as_ref().is_none_or(|only| only.split(',').any(|part| name.contains(part))));
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
    let bits = 8 * size_of::<K>();
    println!(
        "{pairs} pairs of u{bits}, {threads} threads, medians of {rounds} rounds, Mop/s (speed of the first = 1)"
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

fn argument(name: &str, default: usize) -> usize {
    text(name).map_or(default, |text| text.parse().expect("a number"))
}

fn text(name: &str) -> Option<String> {
    std::env::args().skip_while(|arg| arg != name).nth(1)
}

fn main() {
    if std::env::args().any(|argument| argument == "--counters") {
        return counters::run();
    }
    match argument("--bits", 32) {
        32 => compare::<u32>(&[
            ("warpproof SlabMap", round::<_, SlabMap<u32, u32>>),
            ("warpproof OpenMap", round::<_, OpenMap<u32, u32>>),
            ("OpenMap by key", round::<_, OneByOne<OpenMap<u32, u32>>>),
            ("DynamicMap from 1/64", round::<_, FromFew<DynamicMap<u32, u32>>>),
            ("SubmapMap from 1/64", round::<_, FromFew<SubmapMap<u32, u32>>>),
        ]),
        64 => compare::<u64>(&[
            ("warpproof OpenMap", round::<_, OpenMap<u64, u64>>),
            ("warpproof SlabMap", round::<_, SlabMap<u64, u64>>),
            ("OpenMap by key", round::<_, OneByOne<OpenMap<u64, u64>>>),
            ("DynamicMap from 1/64", round::<_, FromFew<DynamicMap<u64, u64>>>),
            ("SubmapMap from 1/64", round::<_, FromFew<SubmapMap<u64, u64>>>),
        ]),
        bits => panic!("--bits is 32 or 64, not {bits}"),
    }
}
