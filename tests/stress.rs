//! Real threads on tiny tables: every history of the CPU backend must be linearizable.
//!
//! Each thread is a warp. All race over the same few keys of one or two buckets, or of a table of a fixed
//! size with fewer slots than keys. A clock that every call reads before and after gives real time. Thousands
//! of short histories are checked instead of one long one.

mod support;

use crossbeam_utils::Backoff;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use support::{OPS, run};
use warpproof::model::host::{HopscotchGeometry, OpenGeometry, SlabGeometry};
use warpproof::model::open::Probing;
use warpproof::model::slab::Multi;
use warpproof::model::spec::{Call, Map, Multimap, Op, Ret};
use warpproof::model::{Seed, UserKey, WarpMap, Word};
use warpproof::simt::check::{Event, linearizable};
use warpproof::simt::cpu::CpuTable;
use warpproof::simt::cpu::cuckoo::CuckooWords;
use warpproof::simt::cpu::hopscotch::HopscotchWords;
use warpproof::simt::cpu::open::OpenWords;
use warpproof::simt::cpu::packed::{PackedWords, Pair64Store, PairStore};
use warpproof::simt::cpu::slab::{SlabStore, SlabWords, WidePairStore};
use warpproof::simt::cpu::warp::{CpuWarp, GridWarp};

const WARPS: usize = 2;
const CALLS: usize = 8;
/// Rounds between two looks at the clock.
const ROUNDS: usize = 1_000;
/// Rounds whose calls overlapped, to be reached by each kind of table ...
const OVERLAPPING: usize = 300;
/// ... within this time, however busy the machine is.
const PATIENCE: Duration = Duration::from_secs(60);

/// A tiny table that threads race on.
trait Raced: CpuTable + Sync {
    /// Keys that are raced for.
    const KEYS: u64;

    /// An empty table.
    fn tiny() -> Self;

    /// The operation for a random number below 8.
    fn op(number: u64) -> Op;

    /// Runs one call.
    fn call(&self, w: &mut Self::Warp, call: &Call) -> Ret;

    /// Whether the calls of one key are linearizable.
    fn explained(key: u64, events: &[&Event]) -> bool;

    /// Checks what holds when nothing runs.
    fn check(&self) -> Result<(), String>;
}

impl<St: SlabStore, const L: usize, const S: usize> Raced for SlabWords<St, L, S, Multi> {
    const KEYS: u64 = 2;

    fn tiny() -> Self {
        let geometry = SlabGeometry { slab_slots: (L * S) as u32, buckets: 1, pool: 8 };
        Self::new(geometry, Seed::new(1)).expect("memory for a tiny table")
    }

    fn op(number: u64) -> Op {
        // An assign beside several pairs may let search_all return values of different instants: the
        // documentation says so, and the specification here knows no such call.
        match OPS[number as usize] {
            Op::SearchAll => Op::Count,
            op => op,
        }
    }

    fn call(&self, w: &mut CpuWarp<L>, call: &Call) -> Ret {
        run(self.all_keys(), w, call)
    }

    fn explained(key: u64, events: &[&Event]) -> bool {
        linearizable(&Multimap::default(), key, events)
    }

    fn check(&self) -> Result<(), String> {
        self.all_keys().check_quiescent(&mut CpuWarp::<L>::new(0), false).map_err(|broken| broken.to_string())
    }
}

/// The operations that race on a table that holds a key once: three inserts, an assign, two searches and two
/// deletes.
fn op_of_a_map(number: u64) -> Op {
    match number {
        0..3 => Op::InsertUnique,
        3 => Op::InsertOrAssign,
        4..6 => Op::Search,
        _ => Op::Delete,
    }
}

/// Runs one call on such a table.
fn call_of_a_map<T: CpuTable>(table: &T, w: &mut T::Warp, call: &Call) -> Ret {
    let key = UserKey::new(T::Key::from_bits(call.key.into())).expect("few keys");
    let (view, value) = (table.view(), T::Value::from_bits(call.value.into()));
    match call.op {
        Op::InsertUnique => view.insert_unique(w, key, value).into(),
        Op::InsertOrAssign => view.insert_or_assign(w, key, value).into(),
        Op::Search => Ret::Value(view.search(w, key).map(|value| value.to_bits() as u64)),
        _ => view.delete(w, key).into(),
    }
}

impl<St, const L: usize, const S: usize, const N: u32> Raced for HopscotchWords<St, L, S, N>
where
    St: PackedWords,
{
    // More than slots: inserts move entries, and find no room.
    const KEYS: u64 = 8;

    fn tiny() -> Self {
        let geometry = HopscotchGeometry { group_words: (L * S) as u32, reach: N, homes: 3 };
        assert!(geometry.slots() < Self::KEYS);
        Self::new(geometry, Seed::new(1)).expect("memory for a tiny table")
    }

    fn op(number: u64) -> Op {
        op_of_a_map(number)
    }

    fn call(&self, w: &mut CpuWarp<L>, call: &Call) -> Ret {
        call_of_a_map(self, w, call)
    }

    fn explained(key: u64, events: &[&Event]) -> bool {
        linearizable(&Map { may_fill: true }, key, events)
    }

    fn check(&self) -> Result<(), String> {
        self.view().check_quiescent(&mut CpuWarp::<L>::new(0)).map_err(|broken| broken.to_string())
    }
}

/// A table of buckets that does not grow.
macro_rules! raced_buckets {
    ($table:ident<St, L, S $(, $p:ident: $bound:ident)?>) => {
        impl<St: PackedWords, $($p: $bound,)? const L: usize, const S: usize> Raced
            for $table<St, L, S $(, $p)?>
        {
            // More than slots: inserts pass full buckets, move keys, and find no room.
            const KEYS: u64 = 8;

            fn tiny() -> Self {
                let geometry = OpenGeometry { bucket_slots: (L * S) as u32, buckets: 3 };
                assert!(geometry.slots() < Self::KEYS as usize);
                Self::new(geometry, Seed::new(1)).expect("memory for a tiny table")
            }

            fn op(number: u64) -> Op {
                op_of_a_map(number)
            }

            fn call(&self, w: &mut CpuWarp<L>, call: &Call) -> Ret {
                call_of_a_map(self, w, call)
            }

            fn explained(key: u64, events: &[&Event]) -> bool {
                linearizable(&Map { may_fill: true }, key, events)
            }

            fn check(&self) -> Result<(), String> {
                self.view().check_quiescent(&mut CpuWarp::<L>::new(0)).map_err(|broken| broken.to_string())
            }
        }
    };
}
raced_buckets! { OpenWords<St, L, S, P: Probing> }
raced_buckets! { CuckooWords<St, L, S> }

/// The calls of one warp in one round: a function of the seed, so that a failure can be run again.
fn program<T: Raced>(seed: u64, warp: usize) -> Vec<Call> {
    let mut state =
        seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (warp as u64 + 1).wrapping_mul(0xd134_2543_de82_ef95);
    let mut next = |n: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 16) % n
    };
    (0..CALLS).map(|i| Call::new(T::op(next(8)), next(T::KEYS), (warp * CALLS + i) as u64 + 1)).collect()
}

/// Runs rounds on tables `T` until enough of them raced.
fn stress<T: Raced>() {
    let begin = Instant::now();
    let (mut rounds, mut overlapping) = (0, 0);
    while overlapping < OVERLAPPING {
        assert!(begin.elapsed() < PATIENCE, "only {overlapping} of {rounds} rounds had overlapping calls");
        overlapping += batch::<T>(rounds as u64);
        rounds += ROUNDS;
    }
}

/// Runs and checks some rounds; returns in how many of them calls overlapped.
fn batch<T: Raced>(first_seed: u64) -> usize {
    let tables: Vec<T> = (0..ROUNDS).map(|_| T::tiny()).collect();
    let clock = AtomicU64::new(0);
    let arrived = AtomicUsize::new(0);
    let logs: Vec<Vec<Vec<Event>>> = crossbeam_utils::thread::scope(|scope| {
        let threads: Vec<_> = (0..WARPS)
            .map(|warp| {
                let (tables, clock, arrived) = (&tables, &clock, &arrived);
                scope.spawn(move |_| {
                    let mut w = T::Warp::numbered(warp as u32);
                    let mut log = Vec::with_capacity(ROUNDS);
                    for (round, table) in tables.iter().enumerate() {
                        let calls = program::<T>(first_seed + round as u64, warp);
                        meet(arrived, (round + 1) * WARPS);
                        log.push(history(table, &mut w, warp, &calls, clock));
                    }
                    log
                })
            })
            .collect();
        threads.into_iter().map(|t| t.join().expect("no thread panics")).collect()
    })
    .expect("no thread panics");
    for round in 0..ROUNDS {
        judge(&tables[round], first_seed + round as u64, logs.iter().flat_map(|log| &log[round]));
    }
    let raced = |round: usize| {
        logs[0][round].iter().any(|a| logs[1][round].iter().any(|b| a.start < b.end && b.start < a.end))
    };
    (0..ROUNDS).filter(|&round| raced(round)).count()
}

/// Waits until `all` arrivals were counted, this one included. It spins, so that all leave at once, and
/// yields only when another thread seems not to be running.
fn meet(arrived: &AtomicUsize, all: usize) {
    arrived.fetch_add(1, Ordering::SeqCst);
    for turn in 0u32.. {
        if arrived.load(Ordering::SeqCst) >= all {
            return;
        }
        if turn.is_multiple_of(4096) {
            Backoff::new().snooze();
        }
        std::hint::spin_loop();
    }
}

/// Checks the history of one round, and the table it left.
fn judge<'a, T: Raced>(table: &T, seed: u64, events: impl Iterator<Item = &'a Event> + Clone) {
    for key in 0..T::KEYS {
        let of_key: Vec<&Event> = events.clone().filter(|e| e.call.key == key).collect();
        assert!(T::explained(key, &of_key), "seed {seed}: key {key} is not linearizable: {of_key:#?}");
    }
    if let Err(broken) = table.check() {
        panic!("seed {seed}: {broken}");
    }
}

fn history<T: Raced>(
    table: &T,
    w: &mut T::Warp,
    warp: usize,
    calls: &[Call],
    clock: &AtomicU64,
) -> Vec<Event> {
    let mut events = Vec::with_capacity(calls.len());
    for call in calls {
        let start = clock.fetch_add(1, Ordering::SeqCst);
        let ret = table.call(w, call);
        let end = clock.fetch_add(1, Ordering::SeqCst);
        events.push(Event {
            warp: Some(warp),
            number: 0,
            call: call.clone(),
            ret: Some(ret),
            after: Vec::new(),
            start,
            end,
        });
    }
    events
}

/// One test, so that the kinds do not compete for the cores.
#[test]
fn histories_of_racing_threads_are_linearizable() {
    stress::<SlabWords<PairStore, 1, 3, Multi>>();
    stress::<SlabWords<PairStore, 4, 1, Multi>>();
    stress::<SlabWords<WidePairStore, 1, 3, Multi>>();
    stress::<SlabWords<WidePairStore, 2, 2, Multi>>();
    stress::<HopscotchWords<PairStore, 1, 2, 2>>();
    stress::<HopscotchWords<PairStore, 2, 1, 3>>();
    stress::<HopscotchWords<Pair64Store, 1, 2, 3>>();
    stress::<OpenWords<PairStore, 1, 2>>();
    stress::<OpenWords<PairStore, 2, 1>>();
    stress::<OpenWords<Pair64Store, 1, 2>>();
    stress::<CuckooWords<PairStore, 1, 2>>();
    stress::<CuckooWords<PairStore, 2, 1>>();
    stress::<CuckooWords<Pair64Store, 1, 2>>();
}
