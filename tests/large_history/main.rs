//! Histories of hundreds of thousands of calls, checked as a whole: of real threads on the tables of the CPU
//! backend, and of the first GPU.
//!
//! The monitor that checks them is first compared with the exhaustive search, on small histories.

#[cfg(feature = "gpu")]
#[path = "../support/device.rs"]
mod device;
mod drive;
mod driven;
#[cfg(feature = "gpu")]
#[path = "../support/extra.rs"]
mod extra;
mod faults;
#[cfg(feature = "gpu")]
mod gpu;
mod oracle;

use drive::{Load, drive};
use driven::Driven;
use std::collections::HashMap;
use std::time::{Duration, Instant};
use warpproof::model::slab::Unique;
use warpproof::model::spec::{Call, Map, Op, Ret, Set};
use warpproof::simt::check::Event;
use warpproof::simt::check::monitor::{Collection, monitor};
use warpproof::simt::cpu::dynamic::SubmapMap;
use warpproof::simt::cpu::hopscotch::HopscotchWords;
use warpproof::simt::cpu::packed::{Key64Store, KeyStore, Pair64Store, PairStore};
use warpproof::simt::cpu::slab::{SlabWords, WidePairStore};
use warpproof::simt::cpu::waitfree::WaitFreeMemory;
use warpproof::simt::cpu::{CuckooMap, OpenMap, OpenSet};

/// Few keys, so that calls meet. Deletes are rare: their slots come back only when the threads rest.
const FEW: Load = Load { keys: 8, calls: 4_000, rounds: 15, deletes: 1 };
const MANY: Load = Load { keys: 50_000, calls: 60_000, rounds: 1, deletes: 4 };

/// Checks one history. Returns how many calls it has, and how many of them overlapped others.
pub(crate) fn holds<C: Collection>(what: &str, collection: &C, events: &[Event]) -> [usize; 2] {
    let begin = Instant::now();
    let found = match monitor(collection, events) {
        Ok(found) => found,
        Err(failure) => panic!("{what}: {failure}"),
    };
    println!(
        "{what}: {} calls on {} keys, {} met others, up to {} at once, checked in {:.3} s",
        found.calls,
        found.keys,
        found.met,
        found.overlap,
        begin.elapsed().as_secs_f64()
    );
    [found.calls, found.met]
}

/// The histories of one kind of table, with few keys and with many: calls, and those that met others.
fn both<C: Collection + Default, Few: Driven, Many: Driven>(what: &str) -> [usize; 2] {
    let collection = C::default();
    let few = holds(&format!("{what}, {} keys", FEW.keys), &collection, &drive::<Few>(FEW));
    let many = holds(&format!("{what}, {} keys", MANY.keys), &collection, &drive::<Many>(MANY));
    [few[0] + many[0], few[1] + many[1]]
}

/// One test, so that the tables do not compete for the cores.
#[test]
fn millions_of_calls_of_real_threads_are_linearizable() {
    type Slab<St, const L: usize, const S: usize> = SlabWords<St, L, S, Unique>;
    let found = [
        both::<Map, Slab<PairStore, 1, 8>, Slab<PairStore, 4, 2>>("slab map32"),
        both::<Set, Slab<KeyStore, 1, 8>, Slab<KeyStore, 8, 1>>("slab set32"),
        both::<Map, Slab<WidePairStore, 1, 8>, Slab<WidePairStore, 2, 4>>("slab map64"),
        both::<Map, HopscotchWords<PairStore, 1, 8>, HopscotchWords<PairStore, 4, 2>>("hopscotch map32"),
        both::<Map, OpenMap<u32, u32, 1, 8>, OpenMap<u32, u32, 4, 2>>("open map32"),
        both::<Map, OpenMap<u64, u64>, OpenMap<u64, u64, 2, 2>>("open map64"),
        both::<Set, OpenSet<u32, 1, 8>, OpenSet<u32, 8, 1>>("open set32"),
        both::<Map, CuckooMap<u32, u32, 1, 8>, CuckooMap<u32, u32, 4, 2>>("cuckoo map32"),
        both::<Map, WaitFreeMemory<PairStore, 1, 8>, WaitFreeMemory<PairStore, 4, 2>>("waitfree map32"),
        both::<Map, WaitFreeMemory<Pair64Store, 1, 4>, WaitFreeMemory<Pair64Store, 4, 2>>("waitfree map64"),
        both::<Set, WaitFreeMemory<KeyStore, 1, 8>, WaitFreeMemory<KeyStore, 8, 1>>("waitfree set32"),
        both::<Set, WaitFreeMemory<Key64Store, 1, 8>, WaitFreeMemory<Key64Store, 4, 2>>("waitfree set64"),
        both::<Map, SubmapMap<u32, u32, 1, 8>, SubmapMap<u32, u32, 4, 2>>("dynamic map32"),
        both::<Map, SubmapMap<u64, u64>, SubmapMap<u64, u64, 1, 4>>("dynamic map64"),
    ];
    assert!(found.iter().all(|[calls, _]| *calls >= 500_000), "a short history: {found:?}");
    // How many of one kind met is a matter of what else the machine does.
    let met: usize = found.iter().map(|[_, met]| met).sum();
    assert!(met >= 1_000, "only {met} calls met another of their key");
}

/// Measures the speed of the monitor: `cargo test --release --test large_history figure -- --nocapture`
#[test]
fn figure_of_a_million_calls() {
    for (keys, reach) in [(1_000_000, 10), (1_000, 100), (64, 1_000), (1, 10), (1, 100_000)] {
        let events = spread(1_000_000, keys, reach);
        let begin = Instant::now();
        let [calls, _] = holds(&format!("{keys} keys, reach {reach}"), &Map::default(), &events);
        assert_eq!(calls, 1_000_000);
        // Ten times what is claimed: tests run on busy machines and unoptimized.
        assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
    }
}

/// A history that is linearizable: call i takes effect at 10 i, begins and ends up to 10 `reach` away from
/// it.
fn spread(calls: u64, keys: u64, reach: u64) -> Vec<Event> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = |n: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 16) % n
    };
    let mut held = HashMap::new();
    let mut call = |i: u64| {
        let (key, kind) = (next(keys), next(8));
        let (op, ret) = match (kind, held.get(&key)) {
            (0 | 1, None) => (Op::InsertUnique, Ret::Inserted),
            (0, Some(_)) => (Op::InsertUnique, Ret::Present),
            (1 | 2, Some(_)) => (Op::InsertOrAssign, Ret::Replaced),
            (2, None) => (Op::InsertOrAssign, Ret::Inserted),
            (3, Some(_)) => (Op::Delete, Ret::Deleted),
            (3, None) => (Op::Delete, Ret::Absent),
            (_, held) => (Op::Search, Ret::Value(held.copied())),
        };
        match ret {
            Ret::Inserted | Ret::Replaced => drop(held.insert(key, i)),
            Ret::Deleted => drop(held.remove(&key)),
            _ => {}
        }
        let point = 10 * (i + reach);
        let event = Event::alone(&Call::new(op, key, i), ret, point - next(10 * reach));
        Event { end: point + next(10 * reach), ..event }
    };
    (0..calls).map(&mut call).collect()
}
