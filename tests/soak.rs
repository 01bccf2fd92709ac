//! Runs all structures on all threads without a pause, for a given time: `cargo xtask soak --minutes M`.
//!
//! Each thread has its own keys, whose answers are known exactly. All threads share some keys, on which
//! insertions and deletions must balance. Deleted keys come back all the time. At the end the table holds
//! exactly what it should, and hardly more memory is allocated than after a quarter of the time. The memory
//! of submaps is not asserted.

#[path = "support/device.rs"]
mod device;

use device::device;
use std::alloc::{GlobalAlloc, Layout, System};
use std::collections::HashMap;
use std::fmt::Debug;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError, RwLock};
use std::thread;
use std::time::{Duration, Instant};
use warpproof::gpu;
use warpproof::simt::cpu::dynamic::SubmapMap;
use warpproof::simt::cpu::{CuckooMap, DynamicMap, HopscotchMap, OpenMap, SlabMap, WaitFreeMap};
use warpproof::{Answer, Assign, BulkFlush, BulkMap, BulkTable, Delete, Insert, Op};

/// Minutes that all structures of a backend run together.
const MINUTES: &str = "WARPPROOF_SOAK_MINUTES";
/// Seconds that they run if no minutes are given.
const SHORT: f64 = 8.0;

/// Keys of a thread of its own.
const OWN: usize = 40_000;
/// Keys of all threads: a power of two, so that a value tells the key that it belongs to.
const SHARED: usize = 1 << 10;
/// The operations of batches. An operation that occurs twice is twice as frequent.
const OPS: [Op; 6] = [Op::InsertUnique, Op::Assign, Op::Delete, Op::Delete, Op::Search, Op::Insert];

/// After how many deletes dead slots must be freed, and the call that frees them while nothing else runs.
type Tidy<M> = (u64, fn(&mut M));

/// A map under test.
struct Subject<M> {
    name: &'static str,
    map: RwLock<M>,
    tidy: Option<Tidy<M>>,
    /// Whether the memory is bounded.
    bounded: bool,
    /// Deletes since slots were last freed.
    deleted: AtomicU64,
    tidied: AtomicU64,
    ran: AtomicU64,
}

/// xorshift64*.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % n
    }
}

/// Different keys. An odd factor permutes 64 bits.
fn scattered(i: u64) -> u64 {
    i.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// The answer of an operation on a key that no other thread works on.
fn answer(op: Op, held: &mut Option<u64>, value: u64) -> Answer<u64> {
    match op {
        Op::Insert | Op::InsertUnique if held.is_some() => Answer::Insert(Insert::Present),
        Op::Insert | Op::InsertUnique => {
            *held = Some(value);
            Answer::Insert(Insert::Inserted)
        }
        Op::Assign => match held.replace(value) {
            Some(_) => Answer::Assign(Assign::Replaced),
            None => Answer::Assign(Assign::Inserted),
        },
        Op::Delete => match held.take() {
            Some(_) => Answer::Delete(Delete::Deleted),
            None => Answer::Delete(Delete::Absent),
        },
        Op::Search => Answer::Search(*held),
    }
}

/// What a thread knows of the table.
struct Worker {
    random: Random,
    own: Vec<(u64, Option<u64>)>,
    /// How often it inserted each shared key, less how often it deleted it.
    balance: Vec<i64>,
    /// The last value that it has stored.
    value: u64,
}

impl Worker {
    fn new(number: usize) -> Self {
        let own = (0..OWN).map(|i| (scattered((SHARED + number * OWN + i) as u64), None)).collect();
        let random = Random(0x9e37_79b9_7f4a_7c15 ^ (number as u64 + 1));
        Self { random, own, balance: vec![0; SHARED], value: number as u64 }
    }

    /// A value that is stored only once.
    fn next_value(&mut self, key: usize) -> u64 {
        self.value += 1 << 16;
        (self.value << 10) | (key as u64 % SHARED as u64)
    }

    /// A batch on keys of its own, each once; how many operations it had.
    fn own_batch<M: BulkMap<u64, u64, Error: Debug>>(&mut self, map: &M, most: usize) -> (usize, usize) {
        let n = 1 + if self.random.below(8) == 0 { self.random.below(64) } else { self.random.below(most) };
        // Any odd step goes through `OWN` keys, but for multiples of 5.
        let (first, step) = (self.random.below(OWN), [1, 3, 7, 11, 13, 9_999][self.random.below(6)]);
        let places: Vec<usize> = (0..n.min(OWN)).map(|i| (first + i * step) % OWN).collect();
        let keys: Vec<u64> = places.iter().map(|&at| self.own[at].0).collect();
        let values: Vec<u64> = places.iter().map(|&at| self.next_value(at)).collect();
        let uniform = self.random.below(10);
        let ops: Vec<Op> = match OPS.get(uniform) {
            Some(&op) => vec![op; keys.len()],
            None => keys.iter().map(|_| OPS[self.random.below(OPS.len())]).collect(),
        };
        let expected: Vec<_> =
            (0..keys.len()).map(|i| answer(ops[i], &mut self.own[places[i]].1, values[i])).collect();
        let said: Vec<_> = match OPS.get(uniform) {
            Some(Op::Insert | Op::InsertUnique) => {
                map.insert_unique(&keys, &values).expect("memory").into_iter().map(Answer::Insert).collect()
            }
            Some(Op::Assign) => map
                .insert_or_assign(&keys, &values)
                .expect("memory")
                .into_iter()
                .map(Answer::Assign)
                .collect(),
            Some(Op::Delete) => map.delete(&keys).expect("memory").into_iter().map(Answer::Delete).collect(),
            Some(Op::Search) => {
                let there = map.contains(&keys).expect("memory");
                let found = map.search(&keys).expect("memory");
                assert!(found.iter().map(Option::is_some).eq(there), "contains and search differ");
                found.into_iter().map(Answer::Search).collect()
            }
            None => map.mixed(&ops, &keys, &values).expect("memory").into_vec(),
        };
        for (i, (said, expected)) in said.iter().zip(&expected).enumerate() {
            assert_eq!(said, expected, "{:?} of {}", ops[i], keys[i]);
        }
        assert_eq!(said.len(), expected.len());
        let deleted = said.iter().filter(|&&said| said == Answer::Delete(Delete::Deleted)).count();
        (keys.len(), deleted)
    }

    /// A batch on keys that all threads work on.
    fn shared_batch<M: BulkMap<u64, u64, Error: Debug>>(&mut self, map: &M) -> (usize, usize) {
        let places: Vec<usize> = (0..1 + self.random.below(500)).map(|_| self.random.below(SHARED)).collect();
        let keys: Vec<u64> = places.iter().map(|&at| scattered(at as u64)).collect();
        let values: Vec<u64> = places.iter().map(|&at| self.next_value(at)).collect();
        let ops: Vec<Op> = keys.iter().map(|_| OPS[self.random.below(OPS.len())]).collect();
        let said = map.mixed(&ops, &keys, &values).expect("memory");
        assert_eq!(said.len(), keys.len());
        let mut deleted = 0;
        for (&at, said) in places.iter().zip(said) {
            match said {
                Answer::Insert(Insert::Inserted) | Answer::Assign(Assign::Inserted) => self.balance[at] += 1,
                Answer::Delete(Delete::Deleted) => {
                    self.balance[at] -= 1;
                    deleted += 1;
                }
                Answer::Search(Some(value)) => {
                    assert_eq!(value as usize % SHARED, at, "the value of another key");
                }
                Answer::Insert(Insert::Full) | Answer::Assign(Assign::Full) => panic!("{at}: full"),
                _ => {}
            }
        }
        (keys.len(), deleted)
    }
}

impl<M: BulkMap<u64, u64, Error: Debug> + Send + Sync> Subject<M> {
    fn new(name: &'static str, map: M) -> Self {
        let zero = || AtomicU64::new(0);
        let (map, tidy) = (RwLock::new(map), None);
        Self { name, map, tidy, bounded: true, deleted: zero(), tidied: zero(), ran: zero() }
    }

    /// A map that must be tidied after so many deletes.
    fn tidied(self, deletes: usize, tidy: fn(&mut M)) -> Self {
        Self { tidy: Some((deletes as u64, tidy)), ..self }
    }

    /// A map whose memory is not bounded.
    fn unbounded(self) -> Self {
        Self { bounded: false, ..self }
    }

    /// Runs batches in `threads` threads for `time`, of up to `most` operations. How many operations ran.
    fn soak(&self, threads: usize, time: Duration, most: usize) -> u64 {
        let begin = Instant::now();
        let settled = AtomicU64::new(0);
        let work = |number| {
            let mut worker = Worker::new(number);
            while begin.elapsed() < time {
                if let Some((after, tidy)) = self.tidy
                    && self.deleted.load(Relaxed) > after
                {
                    let mut map = self.map.write().unwrap();
                    if self.deleted.swap(0, Relaxed) > after {
                        tidy(&mut map);
                        self.tidied.fetch_add(1, Relaxed);
                    }
                }
                let map = self.map.read().unwrap();
                let (ran, deleted) = if worker.random.below(4) == 0 {
                    worker.shared_batch(&*map)
                } else {
                    worker.own_batch(&*map, most)
                };
                drop(map);
                self.ran.fetch_add(ran as u64, Relaxed);
                self.deleted.fetch_add(deleted as u64, Relaxed);
                if number == 0 && settled.load(Relaxed) == 0 && (time / 4..time).contains(&begin.elapsed()) {
                    settled.store(ALLOCATED.load(Relaxed), Relaxed);
                }
            }
            worker
        };
        let workers: Vec<Worker> = thread::scope(|scope| {
            let running: Vec<_> = (0..threads).map(|number| scope.spawn(move || work(number))).collect();
            running.into_iter().map(|thread| thread.join().expect("a thread found a fault")).collect()
        });
        let (before, now) = (settled.load(Relaxed), ALLOCATED.load(Relaxed));
        assert!(before > 0, "{}: no batch of the first thread ended in the last three quarters", self.name);
        // The largest table that there may be, once more, and the batches of all threads.
        let slack = 64 * (SHARED + threads * OWN) + 64 * threads * most;
        let bounded = now <= before + slack as u64 || !self.bounded;
        assert!(bounded, "{}: {before} bytes, and {now} in the end", self.name);
        self.holds_what_it_should(&workers);
        let (ran, seconds) = (self.ran.load(Relaxed), begin.elapsed().as_secs_f64());
        println!(
            "{}: {ran} operations of {threads} threads in {seconds:.0} s, {:.1} Mop/s, tidied {} times",
            self.name,
            ran as f64 / seconds / 1e6,
            self.tidied.load(Relaxed)
        );
        ran
    }

    fn holds_what_it_should(&self, workers: &[Worker]) {
        let map = self.map.read().unwrap();
        let mut held: HashMap<u64, u64> = HashMap::new();
        for (key, value) in map.retrieve_all().expect("memory") {
            assert_eq!(held.insert(key, value), None, "{}: {key} twice", self.name);
        }
        assert_eq!(map.len().expect("memory"), held.len() as u64, "{}", self.name);
        for (key, value) in workers.iter().flat_map(|worker| &worker.own) {
            assert_eq!(held.remove(key), *value, "{}: {key}", self.name);
        }
        for at in 0..SHARED {
            let balance: i64 = workers.iter().map(|worker| worker.balance[at]).sum();
            let there = held.remove(&scattered(at as u64)).is_some();
            assert_eq!(balance, i64::from(there), "{}: inserted less deleted, of key {at}", self.name);
        }
        assert!(held.is_empty(), "{}: {} keys that nobody inserted", self.name, held.len());
    }
}

/// The allocator of the system, which counts. What a process has resident says less: freed memory stays with
/// the threads that had it.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Bytes that are allocated.
static ALLOCATED: AtomicU64 = AtomicU64::new(0);

// SAFETY: the allocator of the system does what is asked.
unsafe impl GlobalAlloc for Counting {
    // SAFETY: as the trait's.
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATED.fetch_add(layout.size() as u64, Relaxed);
        // SAFETY: passed on.
        unsafe { System.alloc(layout) }
    }
    // SAFETY: as the trait's.
    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        ALLOCATED.fetch_sub(layout.size() as u64, Relaxed);
        // SAFETY: passed on; `old` comes from the same allocator.
        unsafe { System.dealloc(old, layout) }
    }
}

/// How long each of so many structures runs.
fn time(structures: u32) -> Duration {
    let seconds = match std::env::var(MINUTES) {
        Ok(minutes) => 60.0 * minutes.parse::<f64>().expect("minutes are a number"),
        Err(_) => SHORT,
    };
    Duration::from_secs_f64(seconds) / structures
}

/// One backend at a time.
static RUNS: Mutex<()> = Mutex::new(());

#[test]
fn tables_of_the_cpu_answer_right_and_keep_to_their_memory() {
    let _runs = RUNS.lock().unwrap_or_else(PoisonError::into_inner);
    // One more than there are cores, so that they are interrupted.
    let threads = 1 + thread::available_parallelism().map_or(1, usize::from);
    let (n, time, most) = (SHARED + threads * OWN, time(7), 1 << 14);
    let room = 2 * n as u64;
    let total = [
        Subject::new("open", OpenMap::<u64, u64>::with_capacity(room).unwrap())
            .tidied(n / 2, |map| map.rehash(map.geometry()).unwrap())
            .soak(threads, time, most),
        Subject::new("cuckoo", CuckooMap::<u64, u64>::with_capacity(room).unwrap()).soak(threads, time, most),
        Subject::new("hopscotch", HopscotchMap::<u64, u64>::with_capacity(room).unwrap())
            .soak(threads, time, most),
        Subject::new("slab", SlabMap::<u64, u64>::with_capacity(room).unwrap())
            .tidied(n / 2, |map| _ = map.flush().unwrap())
            .soak(threads, time, most),
        Subject::new("waitfree", WaitFreeMap::<u64, u64>::with_capacity(room).unwrap())
            .soak(threads, time, most),
        Subject::new("submaps", SubmapMap::<u64, u64>::with_capacity(1000).unwrap())
            .tidied(n / 2, |map| map.compact().unwrap())
            // Between two times it takes whatever the deletes of all threads make it take.
            .unbounded()
            .soak(threads, time, most),
        {
            let growing = Subject::new("dynamic", DynamicMap::<u64, u64>::with_capacity(1).unwrap());
            let ran = growing.soak(threads, time, most);
            let slots = growing.map.read().unwrap().geometry().slots();
            assert!(slots <= 4 * n, "{slots} slots for at most {n} entries");
            ran
        },
    ];
    println!("{} operations", total.iter().sum::<u64>());
}

#[test]
fn tables_of_the_gpu_answer_right() {
    let Some(device) = device() else { return };
    let _runs = RUNS.lock().unwrap_or_else(PoisonError::into_inner);
    let threads = 1 + thread::available_parallelism().map_or(1, usize::from).min(7);
    let (n, time, most) = (SHARED + threads * OWN, time(6), OWN);
    let room = 2 * n as u64;
    let total = [
        Subject::new("open", gpu::OpenMap::<u64, u64>::with_capacity(device, room).unwrap())
            .tidied(n / 2, |map| map.rehash(map.geometry()).unwrap())
            .soak(threads, time, most),
        Subject::new("cuckoo", gpu::CuckooMap::<u64, u64>::with_capacity(device, room).unwrap())
            .soak(threads, time, most),
        Subject::new("hopscotch", gpu::HopscotchMap::<u64, u64>::with_capacity(device, room).unwrap())
            .soak(threads, time, most),
        Subject::new("slab", gpu::SlabMap::<u64, u64>::with_capacity(device, room).unwrap())
            .tidied(n / 2, |map| _ = map.flush().unwrap())
            .soak(threads, time, most),
        Subject::new("waitfree", gpu::WaitFreeMap::<u64, u64>::with_capacity(device, room).unwrap())
            .soak(threads, time, most),
        {
            let growing =
                Subject::new("dynamic", gpu::DynamicMap::<u64, u64>::with_capacity(device, 1).unwrap());
            let ran = growing.soak(threads, time, most);
            let slots = growing.map.read().unwrap().geometry().slots();
            // It has room for a whole batch besides.
            assert!(slots <= 4 * (n + most), "{slots} slots for at most {n} entries");
            ran
        },
    ];
    println!("{} operations", total.iter().sum::<u64>());
}
