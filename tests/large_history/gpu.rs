//! Histories of the first GPU, if there is one: each operation takes two stamps on the device.

use super::device::device;
use super::extra::is_built;
use super::holds;
use warpproof::gpu::bench::{Extra, Stamped, StressClock};
use warpproof::gpu::structures::{Buckets, Holds};
use warpproof::gpu::{
    Device, Entry, HopscotchMap, HopscotchSet, KeyScalar, Map as GpuMap, Set as GpuSet, SlabMap, SlabSet,
    Tuning, WaitFreeMap, WaitFreeSet,
};
use warpproof::model::host::structure::{Cuckoo, Open};
use warpproof::model::host::{
    Answer, BulkFlush, BulkTable, HopscotchGeometry, Op, OpenGeometry, SlabGeometry,
};
use warpproof::model::open::MOST_PROBES;
use warpproof::model::outcome::{Assign, Delete, Insert};
use warpproof::model::slab::SLAB_SLOTS;
use warpproof::model::spec::{Call, Map, Op as Name, Ret, Set};
use warpproof::model::waitfree::rounds;
use warpproof::simt::check::Event;
use warpproof::simt::check::monitor::{Failure, monitor};

/// Operations of one history: several launches, with a flush of slabs between them.
const CALLS: u64 = 1 << 20;

/// The numbers of keys and of launches. With few keys every chain has tombstones until a flush.
const LOADS: [(u64, u64); 3] = [(1 << 18, 2), (1 << 10, 4), (16, 64)];

/// Exchanges that a call of a wait-free table on a GPU loses before it is announced.
const PATIENCE: u32 = 64;

/// What one launch does: an operation and a key each. Of sixteen, one is a delete; a set has no assigns.
fn program(keys: u64, launch: u64, len: u64, assigns: bool) -> (Vec<Op>, Vec<u64>) {
    let mut state = (launch + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let one = |_| {
        // Xorshift: a launch is a function of its number.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let op = match (state >> 40) % 16 {
            0 => Op::Delete,
            1..5 if assigns => Op::Assign,
            1..8 => Op::InsertUnique,
            _ => Op::Search,
        };
        (op, (state >> 16) % keys)
    };
    (0..len).map(one).unzip()
}

/// An operation as an event. Operations have no warp that runs several of them.
fn event<V: Into<u64>>(op: Op, key: u64, value: u64, stamped: Stamped<V>) -> Event {
    let name = match op {
        Op::Assign => Name::InsertOrAssign,
        Op::Delete => Name::Delete,
        Op::Search => Name::Search,
        Op::Insert | Op::InsertUnique => Name::InsertUnique,
    };
    let value = if matches!(name, Name::Delete | Name::Search) { 0 } else { value };
    let ret = match stamped.answer {
        Answer::Insert(outcome) => outcome.into(),
        Answer::Assign(outcome) => outcome.into(),
        Answer::Delete(outcome) => outcome.into(),
        Answer::Search(value) => Ret::Value(value.map(Into::into)),
    };
    Event { end: stamped.end, ..Event::alone(&Call::new(name, key, value), ret, stamped.start) }
}

/// The keys of these numbers, of which one is in no slot.
fn numbered<K: KeyScalar + TryFrom<u64, Error: std::fmt::Debug>>(numbers: &[u64]) -> Vec<K> {
    let mut keys = small::<K>(numbers);
    keys.iter_mut().zip(numbers).filter(|(_, number)| **number == 0).for_each(|(key, _)| *key = K::ONES);
    keys
}

/// Small numbers as keys or values.
fn small<K: TryFrom<u64, Error: std::fmt::Debug>>(numbers: &[u64]) -> Vec<K> {
    numbers.iter().map(|&number| K::try_from(number).expect("keys and values are small")).collect()
}

/// The history of one table, whose last launch deletes every key. `launch` runs operations with keys and
/// values; a set, which `assigns` nothing, has values of 0.
fn history(
    (keys, launches): (u64, u64),
    assigns: bool,
    mut launch: impl FnMut(&[Op], &[u64], &[u64]) -> Vec<Stamped<u64>>,
) -> Vec<Event> {
    let mut history: Vec<Event> = Vec::with_capacity((CALLS + keys) as usize);
    for number in 0..=launches {
        let (ops, on) = match number == launches {
            true => ((0..keys).map(|_| Op::Delete).collect(), (0..keys).collect()),
            false => program(keys, number, CALLS / launches, assigns),
        };
        let first = history.len() as u64;
        let value = |at| if assigns { first + at } else { 0 };
        let values: Vec<u64> = (0..on.len() as u64).map(value).collect();
        let stamped = launch(&ops, &on, &values);
        history.extend(
            stamped.into_iter().enumerate().map(|(i, stamped)| event(ops[i], on[i], values[i], stamped)),
        );
    }
    history
}

/// One launch on a map; what it found as u64.
fn on_map<K, S: Holds<(K, K)>>(
    clock: &mut StressClock,
    map: &GpuMap<K, K, S>,
    ops: &[Op],
    on: &[u64],
    values: &[u64],
) -> Vec<Stamped<u64>>
where
    K: KeyScalar + Into<u64> + TryFrom<u64, Error: std::fmt::Debug>,
    (K, K): Entry,
{
    let stamped = clock.map(map, ops, &numbered::<K>(on), &small::<K>(values)).expect("a launch");
    stamped.into_iter().map(|stamped| with_value(stamped, Into::into)).collect()
}

/// One launch on a set, whose value is 0.
fn on_set<K, S: Holds<(K,)>>(
    clock: &mut StressClock,
    set: &GpuSet<K, S>,
    ops: &[Op],
    on: &[u64],
) -> Vec<Stamped<u64>>
where
    K: KeyScalar + TryFrom<u64, Error: std::fmt::Debug>,
{
    let stamped = clock.set(set, ops, &numbered::<K>(on)).expect("a launch");
    stamped.into_iter().map(|stamped| with_value(stamped, |()| 0)).collect()
}

fn with_value<V, U>(stamped: Stamped<V>, value: impl Fn(V) -> U) -> Stamped<U> {
    let Stamped { start, end, answer } = stamped;
    let answer = match answer {
        Answer::Search(found) => Answer::Search(found.map(value)),
        Answer::Insert(outcome) => Answer::Insert(outcome),
        Answer::Assign(outcome) => Answer::Assign(outcome),
        Answer::Delete(outcome) => Answer::Delete(outcome),
    };
    Stamped { start, end, answer }
}

fn slabs(keys: u64) -> SlabGeometry {
    SlabGeometry { slab_slots: SLAB_SLOTS as u32, buckets: (keys / 4) as u32, pool: 1 << 20 }
}

/// A tenth fewer slots than keys. In the long run seven of eight keys are there, so inserts move entries, and
/// some find no room.
fn groups(keys: u64) -> HopscotchGeometry {
    HopscotchGeometry::at_load(keys * 9 / 10, 1.0).expect("a small table")
}

fn slab_map<K>(device: &Device, tuning: Tuning, load: (u64, u64)) -> Vec<Event>
where
    K: KeyScalar + Into<u64> + TryFrom<u64, Error: std::fmt::Debug>,
    (K, K): Entry,
{
    let mut map = SlabMap::<K, K>::with_tuning(device, slabs(load.0), tuning).expect("a test table");
    let mut clock = StressClock::new(device).expect("a clock");
    let history = history(load, true, |ops, on, values| {
        let stamped = on_map(&mut clock, &map, ops, on, values);
        map.flush().expect("a flush");
        stamped
    });
    assert_eq!(map.len().expect("numbers"), 0, "every key was deleted");
    history
}

fn slab_set(device: &Device, load: (u64, u64)) -> Vec<Event> {
    let mut set = SlabSet::with_geometry(device, slabs(load.0)).expect("a test table");
    let mut clock = StressClock::new(device).expect("a clock");
    let history = history(load, false, |ops, on, _| {
        let stamped = on_set(&mut clock, &set, ops, on);
        set.flush().expect("a flush");
        stamped
    });
    assert_eq!(set.len().expect("numbers"), 0, "every key was deleted");
    history
}

/// The history of a map in a table of a fixed size.
fn fixed_map<K, S: Holds<(K, K)>>(device: &Device, map: &GpuMap<K, K, S>, load: (u64, u64)) -> Vec<Event>
where
    K: KeyScalar + Into<u64> + TryFrom<u64, Error: std::fmt::Debug>,
    (K, K): Entry,
{
    let mut clock = StressClock::new(device).expect("a clock");
    let history = history(load, true, |ops, on, values| on_map(&mut clock, map, ops, on, values));
    assert_eq!(map.len().expect("numbers"), 0, "every key was deleted");
    history
}

/// The history of a set in a table of a fixed size.
fn fixed_set<K, S: Holds<(K,)>>(device: &Device, set: &GpuSet<K, S>, load: (u64, u64)) -> Vec<Event>
where
    K: KeyScalar + TryFrom<u64, Error: std::fmt::Debug>,
{
    let mut clock = StressClock::new(device).expect("a clock");
    let history = history(load, false, |ops, on, _| on_set(&mut clock, set, ops, on));
    assert_eq!(set.len().expect("numbers"), 0, "every key was deleted");
    history
}

fn hopscotch_map<K>(device: &Device, load: (u64, u64)) -> Vec<Event>
where
    K: KeyScalar + Into<u64> + TryFrom<u64, Error: std::fmt::Debug>,
    (K, K): Entry,
{
    let map = HopscotchMap::<K, K>::with_geometry(device, groups(load.0)).expect("a test table");
    fixed_map(device, &map, load)
}

fn hopscotch_set<K: KeyScalar + TryFrom<u64, Error: std::fmt::Debug>>(
    device: &Device,
    load: (u64, u64),
) -> Vec<Event> {
    let set = HopscotchSet::<K>::with_geometry(device, groups(load.0)).expect("a test table");
    fixed_set(device, &set, load)
}

fn waitfree_map<K>(device: &Device, load: (u64, u64)) -> Vec<Event>
where
    K: KeyScalar + Into<u64> + TryFrom<u64, Error: std::fmt::Debug>,
    (K, K): Entry,
{
    fixed_map(device, &WaitFreeMap::<K, K>::with_capacity(device, load.0).expect("a test table"), load)
}

fn waitfree_set<K: KeyScalar + TryFrom<u64, Error: std::fmt::Debug>>(
    device: &Device,
    load: (u64, u64),
) -> Vec<Event> {
    fixed_set(device, &WaitFreeSet::<K>::with_capacity(device, load.0).expect("a test table"), load)
}

/// Slots for nine tenths of the keys. In the long run seven of eight keys are there. In a cuckoo table both
/// buckets of most keys are full then, so inserts move keys, and some find no room.
const fn few_slots(keys: u64) -> u64 {
    keys * 9 / 10
}

/// A slot for every key and for twice as many deletes as there are.
const fn slots_for_all(keys: u64) -> u64 {
    keys + CALLS / 8
}

/// Whether deletes may take all slots that one key probes, as none is used again: one of sixteen calls is a
/// delete, and a key probes so many buckets, of four slots or more.
const fn may_fill(keys: u64) -> bool {
    CALLS / 8 / keys > MOST_PROBES as u64 * 4
}

/// With a number of lanes in the buckets of a large table, without one in those of a small table.
fn open_map<K, S: Holds<(K, K)> + Buckets>(
    device: &Device,
    slots: u64,
    lanes: Option<u32>,
    load: (u64, u64),
) -> Vec<Event>
where
    K: KeyScalar + Into<u64> + TryFrom<u64, Error: std::fmt::Debug>,
    (K, K): Entry,
{
    let small = GpuMap::<K, K, S>::size(1, OpenGeometry::DEFAULT_LOAD).expect("a small table");
    let bucket_slots = if lanes.is_some() { GpuMap::<K, K, S>::BUCKET_SLOTS } else { small.bucket_slots };
    let size = OpenGeometry::new(slots, 1.0, bucket_slots).expect("a small table");
    let tuning = Tuning { lanes, ..Tuning::default() };
    let map = GpuMap::<K, K, S>::with_tuning(device, size, tuning).expect("a test table");
    fixed_map(device, &map, load)
}

fn open_set<K, S: Holds<(K,)> + Buckets>(
    device: &Device,
    slots: u64,
    lanes: Option<u32>,
    load: (u64, u64),
) -> Vec<Event>
where
    K: KeyScalar + TryFrom<u64, Error: std::fmt::Debug>,
{
    let small = GpuSet::<K, S>::size(1, OpenGeometry::DEFAULT_LOAD).expect("a small table");
    let bucket_slots = if lanes.is_some() { GpuSet::<K, S>::BUCKET_SLOTS } else { small.bucket_slots };
    let size = OpenGeometry::new(slots, 1.0, bucket_slots).expect("a small table");
    let tuning = Tuning { lanes, ..Tuning::default() };
    let set = GpuSet::<K, S>::with_tuning(device, size, tuning).expect("a test table");
    fixed_set(device, &set, load)
}

/// Checks the stamps: each look at the clock moved it on by one.
fn stamped_once(history: &[Event]) {
    let mut stamps: Vec<u64> = history.iter().flat_map(|event| [event.start, event.end]).collect();
    stamps.sort_unstable();
    assert!(stamps.iter().copied().eq(0..2 * history.len() as u64), "a stamp is missing or stands twice");
    assert!(history.iter().all(|event| event.start < event.end));
}

/// Checks one history: a set if it has no values, where inserts `may_fill` the table if it does not grow.
fn check(name: &str, keys: u64, may_fill: bool, history: &[Event]) {
    stamped_once(history);
    let what = format!("gpu {name}, {keys} keys");
    let [calls, met] = match name.contains("set") {
        true => holds(&what, &Set { may_fill }, history),
        false => holds(&what, &Map { may_fill }, history),
    };
    assert!(calls as u64 > CALLS, "{what}: only {calls} calls");
    assert!(met > 1_000, "{what}: only {met} calls met another of their key");
}

#[test]
fn a_million_calls_of_the_gpu_are_linearizable() {
    let Some(device) = device().filter(|_| is_built(Extra::Stress)) else { return };
    let lock = Tuning { lock_word: true, ..Tuning::default() };
    for load in LOADS {
        check("map32", load.0, false, &slab_map::<u32>(device, Tuning::default(), load));
        check("map64", load.0, false, &slab_map::<u64>(device, Tuning::default(), load));
        check("map64, lock word", load.0, false, &slab_map::<u64>(device, lock, load));
        check("set32", load.0, false, &slab_set(device, load));
    }
}

#[test]
fn a_million_calls_of_the_gpu_on_waitfree_tables_are_linearizable() {
    let Some(device) = device().filter(|_| is_built(Extra::Stress)) else { return };
    for load in LOADS {
        check("waitfree map32", load.0, false, &waitfree_map::<u32>(device, load));
        check("waitfree set32", load.0, false, &waitfree_set::<u32>(device, load));
        check("waitfree set64", load.0, false, &waitfree_set::<u64>(device, load));
        if device.wide() {
            check("waitfree map64", load.0, false, &waitfree_map::<u64>(device, load));
        } else {
            println!("skipped: waitfree map64 without 128-bit words");
        }
    }
}

/// An exchange is lost to one that succeeds, or to an announcement. Hot keys are the worst case.
#[test]
fn no_call_on_a_wait_free_map_makes_more_rounds_than_its_bound() {
    let Some(device) = device().filter(|_| is_built(Extra::Stress)) else { return };
    let mut clock = StressClock::new(device).expect("a clock");
    for keys in [1, 10, 1_000, 1 << 18] {
        let map = WaitFreeMap::<u32, u32>::with_capacity(device, keys).expect("a test table");
        let size = map.geometry();
        // There are four nodes for each operation.
        let (ops, on) = program(keys, 0, 1 << 15, true);
        let on = small::<u32>(&on);
        let (answers, lost) = clock.exchanges(&map, &ops, &on, &on).expect("a launch");
        let change = |answer: &Answer<u32>| match answer {
            Answer::Insert(Insert::Inserted) | Answer::Assign(Assign::Inserted) => 1,
            Answer::Delete(Delete::Deleted) => -1,
            _ => 0,
        };
        assert_eq!(map.len().expect("numbers") as i64, answers.iter().map(change).sum::<i64>());
        let longest = 1 + lost.iter().max().expect("calls");
        let lost: u64 = lost.iter().map(|&lost| u64::from(lost)).sum();
        // A node has room for three receipts of two words.
        let bound = rounds(PATIENCE, size.warps, 3);
        println!(
            "{} calls on {keys} keys lost {lost} exchanges; the longest made {longest} rounds, of {bound}",
            ops.len()
        );
        assert!(keys > 1 || longest > PATIENCE, "no call was announced");
        assert!(longest <= bound, "{longest} rounds, more than {bound}");
        assert!(keys > 10 || lost > 0, "no call met another");
    }
}

#[test]
fn a_million_calls_of_the_gpu_on_hopscotch_tables_are_linearizable() {
    let Some(device) = device().filter(|_| is_built(Extra::Stress)) else { return };
    for load in LOADS {
        check("hopscotch map32", load.0, true, &hopscotch_map::<u32>(device, load));
        check("hopscotch set32", load.0, true, &hopscotch_set::<u32>(device, load));
        check("hopscotch set64", load.0, true, &hopscotch_set::<u64>(device, load));
        if device.wide() {
            check("hopscotch map64", load.0, true, &hopscotch_map::<u64>(device, load));
        } else {
            println!("skipped: hopscotch map64 without 128-bit words");
        }
    }
}

#[test]
fn a_million_calls_of_the_gpu_on_open_addressing_are_linearizable() {
    let Some(device) = device().filter(|_| is_built(Extra::Stress)) else { return };
    for load in LOADS {
        let (slots, may_fill) = (slots_for_all(load.0), may_fill(load.0));
        for lanes in [None, Some(1), Some(2)] {
            let name = |entry: &str| format!("open {entry}, {lanes:?} lanes");
            check(&name("map32"), load.0, may_fill, &open_map::<u32, Open>(device, slots, lanes, load));
        }
        for lanes in [None, Some(2)] {
            let name = |entry: &str| format!("open {entry}, {lanes:?} lanes");
            check(&name("set32"), load.0, may_fill, &open_set::<u32, Open>(device, slots, lanes, load));
            check(&name("set64"), load.0, may_fill, &open_set::<u64, Open>(device, slots, lanes, load));
            if device.wide() {
                check(&name("map64"), load.0, may_fill, &open_map::<u64, Open>(device, slots, lanes, load));
            }
        }
        if !device.wide() {
            println!("skipped: open map64 without 128-bit words");
        }
    }
}

#[test]
fn a_million_calls_of_the_gpu_where_keys_move_are_linearizable() {
    let Some(device) = device().filter(|_| is_built(Extra::Stress)) else { return };
    for load in LOADS {
        let slots = few_slots(load.0);
        for lanes in [None, Some(1)] {
            let name = format!("cuckoo map32, {lanes:?} lanes");
            check(&name, load.0, true, &open_map::<u32, Cuckoo>(device, slots, lanes, load));
        }
        check("cuckoo set32", load.0, true, &open_set::<u32, Cuckoo>(device, slots, None, load));
        check("cuckoo set64", load.0, true, &open_set::<u64, Cuckoo>(device, slots, None, load));
        if device.wide() {
            check("cuckoo map64", load.0, true, &open_map::<u64, Cuckoo>(device, slots, None, load));
        } else {
            println!("skipped: cuckoo map64 without 128-bit words");
        }
    }
}

/// A delete of an absent key that says it deleted: every key is absent at the end, so it is one too many.
#[test]
fn a_wrong_answer_of_the_gpu_is_found() {
    let Some(device) = device().filter(|_| is_built(Extra::Stress)) else { return };
    let mut history = slab_map::<u32>(device, Tuning::default(), LOADS[1]);
    let wrong = |event: &&mut Event| event.call.op == Name::Delete && event.ret == Some(Ret::Absent);
    let faulty = history.iter_mut().find(wrong).expect("a delete of an absent key");
    faulty.ret = Some(Ret::Deleted);
    let key = faulty.call.key;
    match monitor(&Map::default(), &history) {
        Err(Failure::Unexplained(found)) => {
            println!("{found}");
            assert_eq!(found.key, key);
        }
        other => panic!("the fault was not found: {other:?}"),
    }
}
