//! Real histories with one answer changed: the change is found, and the report is short.

use super::drive::{Load, drive};
use warpproof::model::slab::Unique;
use warpproof::model::spec::{Map, Op, Ret, Set};
use warpproof::simt::check::Event;
use warpproof::simt::check::monitor::{Collection, Failure, Unexplained, monitor};
use warpproof::simt::cpu::packed::{KeyStore, PairStore};
use warpproof::simt::cpu::slab::SlabWords;

const LOAD: Load = Load { keys: 8, calls: 2_000, rounds: 5, deletes: 1 };
/// Calls that a person can look at.
const SHORT: usize = 8;

fn found<C: Collection>(collection: &C, events: &[Event], key: u64) -> Unexplained {
    match monitor(collection, events) {
        Err(Failure::Unexplained(found)) => {
            println!("{found}");
            assert_eq!(found.key, key, "another key is accused: {found}");
            assert!(found.calls.len() <= SHORT, "too much to read: {found}");
            *found
        }
        other => panic!("the fault was not found: {other:?}"),
    }
}

/// A search that answers a value which was replaced before it began.
#[test]
fn an_older_value_is_found() {
    let mut events = drive::<SlabWords<PairStore, 1, 8, Unique>>(LOAD);
    events.sort_by_key(|event| event.start);
    let value = |event: &Event| match (event.call.op, &event.ret) {
        (Op::Search, Some(Ret::Value(value))) => *value,
        _ => None,
    };
    let written = |key: u64, value: u64| {
        let writes = |event: &&Event| matches!(event.call.op, Op::InsertUnique | Op::InsertOrAssign);
        let mut of_key = events.iter().filter(|event| event.call.key == key).filter(writes);
        of_key.find(|event| event.call.value == value).expect("each value was written")
    };
    let (at, old) = (0..events.len())
        .rev()
        .find_map(|late| {
            let (key, new) = (events[late].call.key, value(&events[late])?);
            let write = written(key, new);
            let before =
                events[..late].iter().rev().filter(|event| event.call.key == key && event.end < write.start);
            let old = before.filter_map(value).next()?;
            (write.end < events[late].start).then_some((late, old))
        })
        .expect("a value was read, then replaced, and the new one read");
    let faulty = events[at].clone();
    events[at].ret = Some(Ret::Value(Some(old)));
    let shown = found(&Map::default(), &events, faulty.call.key);
    assert!(shown.calls.iter().any(|(event, _)| event.start == faulty.start), "the faulty call is not shown");
}

/// An answer of `op` that becomes another one; every key is absent at the end, so that one of them is too
/// many.
fn one_too_many(events: &mut [Event], op: Op, from: &Ret, to: Ret) -> u64 {
    let middle = events.len() / 2;
    let faulty =
        events[middle..].iter_mut().find(|event| event.call.op == op && event.ret.as_ref() == Some(from));
    let faulty = faulty.expect("such a call");
    faulty.ret = Some(to);
    faulty.call.key
}

#[test]
fn a_second_delete_of_a_pair_is_found() {
    let mut events = drive::<SlabWords<PairStore, 1, 8, Unique>>(LOAD);
    let key = one_too_many(&mut events, Op::Delete, &Ret::Absent, Ret::Deleted);
    found(&Map::default(), &events, key);
    let mut events = drive::<SlabWords<KeyStore, 1, 8, Unique>>(LOAD);
    let key = one_too_many(&mut events, Op::Delete, &Ret::Absent, Ret::Deleted);
    found(&Set::default(), &events, key);
}

#[test]
fn a_lost_pair_is_found() {
    let mut events = drive::<SlabWords<PairStore, 1, 8, Unique>>(LOAD);
    let key = one_too_many(&mut events, Op::InsertUnique, &Ret::Present, Ret::Inserted);
    found(&Map::default(), &events, key);
    let mut events = drive::<SlabWords<KeyStore, 1, 8, Unique>>(LOAD);
    let key = one_too_many(&mut events, Op::InsertUnique, &Ret::Present, Ret::Inserted);
    found(&Set::default(), &events, key);
}
