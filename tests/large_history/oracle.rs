//! The monitor against the search of Wing, Gong and Lowe, on small random histories.

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::cell::Cell;
use warpproof::model::spec::{Call, Map, Op, Ret, Set, Spec};
use warpproof::simt::check::monitor::{Collection, Failure, Part, Unexplained, monitor};
use warpproof::simt::check::{Event, linearizable};

const KEY: u64 = 7;

/// One call of a random history: what it does, how long before and after its effect it begins and ends, and
/// what is then falsified.
#[derive(Clone, Debug)]
struct Step {
    op: usize,
    before: u64,
    after: u64,
    lie: Lie,
}

#[derive(Clone, Debug)]
enum Lie {
    Honest,
    /// Another answer.
    Answer(usize),
    /// Another time.
    Later(u64),
    Earlier(u64),
}

fn steps(reach: u64, honesty: u32) -> impl Strategy<Value = Vec<Step>> {
    let lie = prop_oneof![
        4 * honesty => Just(Lie::Honest),
        2 => (1..4usize).prop_map(Lie::Answer),
        1 => (1..3 * reach).prop_map(Lie::Later),
        1 => (1..3 * reach).prop_map(Lie::Earlier),
    ];
    let step = (0..10usize, 0..reach, 0..reach, lie).prop_map(|(op, before, after, lie)| Step {
        op,
        before,
        after,
        lie,
    });
    proptest::collection::vec(step, 1..13)
}

/// Runs the steps one after the other on a map or a set, and spreads them over time.
fn history(steps: &[Step], values: bool) -> Vec<Event> {
    let mut state: Option<u64> = None;
    let mut events = Vec::new();
    for (i, step) in steps.iter().enumerate() {
        let value = if values { i as u64 + 1 } else { 0 };
        let call = match step.op {
            0 | 1 => Call::new(Op::InsertUnique, KEY, value),
            2 | 3 => Call::new(Op::InsertOrAssign, KEY, value),
            4 | 5 => Call::new(Op::Delete, KEY, 0),
            6 => Call::new(Op::Count, KEY, 0),
            7 => Call::new(Op::SearchAll, KEY, 0),
            _ => Call::new(Op::Search, KEY, 0),
        };
        let mut rets = possible(&call, steps.len(), values);
        let spec = |state: Option<u64>, ret: &Ret| {
            let (mut next, state) = (Vec::new(), Vec::from_iter(state));
            match values {
                true => Map::default().step(&state, &call, Some(ret), &mut next),
                false => Set::default().step(&state, &call, Some(ret), &mut next),
            }
            next.pop()
        };
        let honest =
            rets.iter().position(|ret| spec(state, ret).is_some()).expect("an answer for every state");
        if let Some(next) = spec(state, &rets[honest]) {
            state = next.first().copied();
        }
        let (point, mut told) = (1_000 + 10 * i as u64, honest);
        let point = match step.lie {
            Lie::Honest => point,
            Lie::Answer(other) => {
                told = (honest + other) % rets.len();
                point
            }
            Lie::Later(by) => point + by,
            Lie::Earlier(by) => point - by,
        };
        events.push(Event {
            warp: Some(i),
            end: point + step.after,
            ..Event::alone(&call, rets.swap_remove(told), point - step.before)
        });
    }
    events
}

/// What the call might return. Values that were never written are among them.
fn possible(call: &Call, calls: usize, values: bool) -> Vec<Ret> {
    let known = if values { 1..=calls as u64 + 1 } else { 0..=1 };
    match call.op {
        Op::InsertUnique => vec![Ret::Inserted, Ret::Present],
        Op::InsertOrAssign => vec![Ret::Inserted, Ret::Replaced],
        Op::Delete => vec![Ret::Deleted, Ret::Absent],
        Op::Count => (0..3).map(Ret::Count).collect(),
        Op::Search => [Ret::Value(None)].into_iter().chain(known.map(|v| Ret::Value(Some(v)))).collect(),
        _ => [Ret::Values(vec![])].into_iter().chain(known.map(|v| Ret::Values(vec![v]))).collect(),
    }
}

/// Compares the verdicts on many histories; returns how many were linearizable and how many not.
fn compare<S: Spec<State = Vec<u64>> + Collection>(
    spec: &S,
    reach: u64,
    honesty: u32,
    cases: u32,
) -> [u32; 2] {
    let counts = [Cell::new(0), Cell::new(0)];
    let mut runner = TestRunner::new(ProptestConfig { cases, ..ProptestConfig::default() });
    let result = runner.run(&steps(reach, honesty), |steps| {
        let events = history(&steps, S::VALUES);
        let holds = linearizable(spec, KEY, &events.iter().collect::<Vec<_>>());
        match monitor(spec, &events) {
            Ok(_) => prop_assert!(holds, "a violation was overlooked in {}", show(&events)),
            Err(Failure::Unexplained(found)) => {
                prop_assert!(!holds, "accused without reason: {found}\n{}", show(&events));
                prop_assert!(shows(spec, &found), "not a violation by itself: {found}\n{}", show(&events));
            }
            Err(refused) => prop_assert!(false, "{refused}"),
        }
        counts[usize::from(!holds)].set(counts[usize::from(!holds)].get() + 1);
        Ok(())
    });
    if let Err(failure) = result {
        panic!("{failure}");
    }
    counts.map(|count| count.get())
}

/// Whether the calls that a failure names have no explanation by themselves, whatever the key held before.
fn shows<S: Spec<State = Vec<u64>> + Collection>(spec: &S, found: &Unexplained) -> bool {
    let mut first: Vec<Option<u64>> = vec![None];
    if found.from.is_some() {
        first.push(Some(if S::VALUES { u64::MAX } else { 0 }));
        let before = found.calls.iter().filter(|(_, part)| matches!(part, Part::Before | Part::Early));
        let inserts = before.filter(|(event, _)| event.call.op != Op::Delete);
        first.extend(inserts.map(|(event, _)| Some(event.call.value)));
    }
    first.into_iter().all(|value| {
        let setup =
            value.map(|value| Event::alone(&Call::new(Op::InsertUnique, KEY, value), Ret::Inserted, 0));
        let inside = found.calls.iter().filter(|(_, part)| *part == Part::Inside).map(|(event, _)| event);
        // A value that is there at first is not written again.
        let spent = |event: &Event| S::VALUES && Some(event.call.value) == value;
        let outside = found.calls.iter().filter_map(|(event, part)| match part {
            Part::Inside | Part::Before => None,
            Part::Early => (!spent(event)).then(|| event.clone()),
            Part::Late => Some(Event { end: u64::MAX, ..event.clone() }),
        });
        let outside: Vec<Event> = outside.collect();
        // What may have taken effect outside is there or not.
        (0u32..1 << outside.len()).all(|subset| {
            let there =
                outside.iter().enumerate().filter(|(i, _)| subset & 1 << i != 0).map(|(_, event)| event);
            let events: Vec<&Event> = setup.iter().chain(inside.clone()).chain(there).collect();
            !linearizable(spec, KEY, &events)
        })
    })
}

fn show(events: &[Event]) -> String {
    let line =
        |e: &Event| format!("{}..{} {} -> {}", e.start, e.end, e.call, e.ret.clone().unwrap_or(Ret::Done));
    events.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_monitor_agrees_with_the_search_on_maps() {
    for (reach, honesty) in [(8, 8), (25, 6), (60, 4), (130, 3)] {
        let [holds, not] = compare(&Map::default(), reach, honesty, 5_000);
        println!("map, reach {reach}: {holds} linearizable, {not} not");
        assert!(holds > 500 && not > 500, "one-sided: {holds} linearizable, {not} not");
    }
}

#[test]
fn the_monitor_agrees_with_the_search_on_sets() {
    for (reach, honesty) in [(8, 8), (25, 6), (60, 4), (130, 3)] {
        let [holds, not] = compare(&Set::default(), reach, honesty, 5_000);
        println!("set, reach {reach}: {holds} linearizable, {not} not");
        assert!(holds > 500 && not > 500, "one-sided: {holds} linearizable, {not} not");
    }
}
