//! Real threads on tiny tables: every history of the CPU backend must be linearizable.
//!
//! Each thread is a warp. All race over the same few keys of one or two buckets; a clock that every call reads
//! before and after gives real time. Thousands of short histories are checked, not one long one.

mod support;

use crossbeam_utils::Backoff;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use support::{OPS, run};
use warpproof::model::host::SlabGeometry;
use warpproof::model::slab::Multi;
use warpproof::model::spec::{Call, Multimap, Op};
use warpproof::simt::check::{Event, linearizable};
use warpproof::simt::cpu::{CpuWarp, PairStore, Store, Table, WidePairStore};

const WARPS: usize = 2;
const CALLS: usize = 8;
/// Rounds between two looks at the clock.
const ROUNDS: usize = 1_000;
/// Rounds whose calls overlapped, to be reached by each kind of table ...
const OVERLAPPING: usize = 300;
/// ... within this time, however busy the machine is.
const PATIENCE: Duration = Duration::from_secs(60);
const KEYS: u64 = 2;

/// The calls of one warp in one round: a function of the seed, so that a failure can be run again.
fn program(seed: u64, warp: usize) -> Vec<Call> {
    let mut state =
        seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (warp as u64 + 1).wrapping_mul(0xd134_2543_de82_ef95);
    let mut next = |n: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 16) % n
    };
    (0..CALLS).map(|i| Call::new(OPS[next(8) as usize], next(KEYS), (warp * CALLS + i) as u64 + 1)).collect()
}

/// Runs rounds on tables of slots `St`, with warps of `L` lanes, until enough of them raced.
fn stress<St: Store, const L: usize, const S: usize>() {
    let begin = Instant::now();
    let (mut rounds, mut overlapping) = (0, 0);
    while overlapping < OVERLAPPING {
        assert!(begin.elapsed() < PATIENCE, "only {overlapping} of {rounds} rounds had overlapping calls");
        overlapping += batch::<St, L, S>(rounds as u64);
        rounds += ROUNDS;
    }
}

/// Runs and checks some rounds; returns in how many of them calls overlapped.
fn batch<St: Store, const L: usize, const S: usize>(first_seed: u64) -> usize {
    let geometry = SlabGeometry { slab_slots: (L * S) as u32, buckets: 1, pool: 8 };
    let tables: Vec<Table<St, L, S, Multi>> =
        (0..ROUNDS).map(|_| Table::new(geometry).expect("memory for a tiny table")).collect();
    let clock = AtomicU64::new(0);
    let arrived = AtomicUsize::new(0);
    let logs: Vec<Vec<Vec<Event>>> = crossbeam_utils::thread::scope(|scope| {
        let threads: Vec<_> = (0..WARPS)
            .map(|warp| {
                let (tables, clock, arrived) = (&tables, &clock, &arrived);
                scope.spawn(move |_| {
                    let mut w = CpuWarp::<L>::new(warp as u32);
                    let mut log = Vec::with_capacity(ROUNDS);
                    for (round, table) in tables.iter().enumerate() {
                        let calls = program(first_seed + round as u64, warp);
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

/// Waits until `all` arrivals were counted, this one included. It spins, so that all leave at once, and yields only
/// when another thread seems not to be running.
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
fn judge<'a, St: Store, const L: usize, const S: usize>(
    table: &Table<St, L, S, Multi>,
    seed: u64,
    events: impl Iterator<Item = &'a Event> + Clone,
) {
    for key in 0..KEYS {
        let of_key: Vec<&Event> = events.clone().filter(|e| e.call.key == key).collect();
        assert!(
            linearizable(&Multimap::default(), key, &of_key),
            "seed {seed}: key {key} is not linearizable: {of_key:#?}"
        );
    }
    if let Err(broken) = table.view().check_quiescent(&mut CpuWarp::<L>::new(0), false) {
        panic!("seed {seed}: {broken}");
    }
}

fn history<St: Store, const L: usize, const S: usize>(
    table: &Table<St, L, S, Multi>,
    w: &mut CpuWarp<L>,
    warp: usize,
    calls: &[Call],
    clock: &AtomicU64,
) -> Vec<Event> {
    let view = table.view();
    let mut events = Vec::with_capacity(calls.len());
    for call in calls {
        // An assign beside several pairs may let search_all return values of different instants: the
        // documentation says so, and the specification here knows no such call.
        let op = if call.op == Op::SearchAll { Op::Count } else { call.op };
        let call = Call { op, ..call.clone() };
        let start = clock.fetch_add(1, Ordering::SeqCst);
        let ret = run(view, w, &call);
        let end = clock.fetch_add(1, Ordering::SeqCst);
        events.push(Event {
            warp: Some(warp),
            number: 0,
            call,
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
    stress::<PairStore, 1, 3>();
    stress::<PairStore, 4, 1>();
    stress::<WidePairStore, 1, 3>();
    stress::<WidePairStore, 2, 2>();
}
