//! Histories of the first GPU, if there is one: each operation takes two stamps on the device.

use super::device::device;
use super::holds;
use warpproof::gpu::{Device, Entry, Scalar, SlabMap, SlabSet, Stamped, StressClock, Tuning};
use warpproof::model::host::{Answer, BulkSlabMap, BulkSlabSet, Op, SlabGeometry};
use warpproof::model::slab::SLAB_SLOTS;
use warpproof::model::spec::{Call, Map, Op as Name, Ret, Set};
use warpproof::simt::check::Event;
use warpproof::simt::check::monitor::{Failure, monitor};

/// Operations of one history: several launches, with a flush between them.
const CALLS: u64 = 1 << 20;

/// Tables of so many keys, by so many launches. Few keys: tombstones are a part of every chain until a flush.
const LOADS: [(u64, u64); 3] = [(1 << 18, 2), (1 << 10, 4), (16, 64)];

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

/// The history of one map, whose last launch deletes every key.
fn map_history<K>(device: &Device, tuning: Tuning, (keys, launches): (u64, u64)) -> Vec<Event>
where
    K: Scalar + Into<u64> + TryFrom<u64, Error: std::fmt::Debug>,
    (K, K): Entry,
{
    let small = |value: u64| K::try_from(value).expect("keys and values are small");
    let geometry = SlabGeometry { slab_slots: SLAB_SLOTS as u32, buckets: (keys / 4) as u32, pool: 1 << 20 };
    let mut map =
        SlabMap::<K, K>::with_tuning(device, geometry, tuning).expect("device memory for a test table");
    let mut clock = StressClock::new(device).expect("a clock");
    let mut history = Vec::with_capacity((CALLS + keys) as usize);
    for launch in 0..=launches {
        let (ops, on) = match launch == launches {
            true => ((0..keys).map(|_| Op::Delete).collect(), (0..keys).collect()),
            false => program(keys, launch, CALLS / launches, true),
        };
        let first = history.len() as u64;
        let values: Vec<u64> = (first..first + on.len() as u64).collect();
        let [of_keys, of_values] =
            [&on, &values].map(|list| list.iter().map(|&v| small(v)).collect::<Vec<K>>());
        let stamped = clock.map(&map, &ops, &of_keys, &of_values).expect("a launch");
        let events =
            stamped.into_iter().enumerate().map(|(i, stamped)| event(ops[i], on[i], values[i], stamped));
        history.extend(events);
        map.flush().expect("a flush");
    }
    assert_eq!(map.stats().expect("numbers").live, 0, "every key was deleted");
    history
}

fn set_history(device: &Device, (keys, launches): (u64, u64)) -> Vec<Event> {
    let geometry = SlabGeometry { slab_slots: SLAB_SLOTS as u32, buckets: (keys / 4) as u32, pool: 1 << 20 };
    let mut set = SlabSet::with_geometry(device, geometry).expect("device memory for a test table");
    let mut clock = StressClock::new(device).expect("a clock");
    let mut history = Vec::with_capacity((CALLS + keys) as usize);
    for launch in 0..=launches {
        let (ops, on) = match launch == launches {
            true => ((0..keys).map(|_| Op::Delete).collect(), (0..keys).collect()),
            false => program(keys, launch, CALLS / launches, false),
        };
        let of_keys: Vec<u32> = on.iter().map(|&key| key as u32).collect();
        let stamped = clock.set(&set, &ops, &of_keys).expect("a launch");
        // A set's value is 0.
        let zero = |stamped: Stamped<()>| {
            let Stamped { start, end, answer } = stamped;
            let answer = match answer {
                Answer::Search(found) => Answer::Search(found.map(|()| 0u64)),
                Answer::Insert(outcome) => Answer::Insert(outcome),
                Answer::Assign(outcome) => Answer::Assign(outcome),
                Answer::Delete(outcome) => Answer::Delete(outcome),
            };
            Stamped { start, end, answer }
        };
        let events =
            stamped.into_iter().enumerate().map(|(i, stamped)| event(ops[i], on[i], 0, zero(stamped)));
        history.extend(events);
        set.flush().expect("a flush");
    }
    history
}

/// The stamps are those of a clock that each look moved on.
fn stamped_once(history: &[Event]) {
    let mut stamps: Vec<u64> = history.iter().flat_map(|event| [event.start, event.end]).collect();
    stamps.sort_unstable();
    assert!(stamps.iter().copied().eq(0..2 * history.len() as u64), "a stamp is missing or stands twice");
    assert!(history.iter().all(|event| event.start < event.end));
}

#[test]
fn a_million_calls_of_the_gpu_are_linearizable() {
    let Some(device) = device() else { return };
    let lock = Tuning { lock_bit: true, ..Tuning::default() };
    for load in LOADS {
        let histories = [
            ("map32", map_history::<u32>(device, Tuning::default(), load)),
            ("map64", map_history::<u64>(device, Tuning::default(), load)),
            ("map64, lock bit", map_history::<u64>(device, lock, load)),
            ("set32", set_history(device, load)),
        ];
        for (name, history) in &histories {
            stamped_once(history);
            let what = format!("gpu {name}, {} keys", load.0);
            let [calls, met] = match *name {
                "set32" => holds(&what, &Set::default(), history),
                _ => holds(&what, &Map::default(), history),
            };
            assert!(calls as u64 > CALLS, "{what}: only {calls} calls");
            assert!(met > 1_000, "{what}: only {met} calls met another of their key");
        }
    }
}

/// A delete of an absent key that says it deleted: every key is absent at the end, so it is one too many.
#[test]
fn a_wrong_answer_of_the_gpu_is_found() {
    let Some(device) = device() else { return };
    let mut history = map_history::<u32>(device, Tuning::default(), LOADS[1]);
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
