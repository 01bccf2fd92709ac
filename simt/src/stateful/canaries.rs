//! Canaries: planted faults that this engine must find, what it must see of programs whose outcomes are
//! known, what it cannot see, and marks that lie.

use super::Stateful;
use crate::check::litmus::{
    LOAD, LOAD_THEN_STORE, LOOK, Litmus, MEET, PULSE, RECEIVE, SEND_RELAXED, STORE_LOAD, WAIT, WILD,
    scenario, set,
};
use crate::check::{
    Array, Config, Kind, Memory, Reads, Report, Scenario, ScenarioError, SimWarp, Stall, Subject, Verdict,
};
use crate::engine::{Engine, Options, explore_subject};
use crate::explore::Explore;
use crate::scenarios::{cuckoo, hopscotch, slab, waitfree};
use std::collections::BTreeSet;
use warpproof_model::spec::{Call, Op, Ret, Spec};
use warpproof_model::{IntegerWords, Order, ReadOrder, Words, WriteOrder};

fn litmus(scenario: &Scenario) -> Report {
    explore_subject(&Stateful, Litmus, scenario, &Options::default()).expect("a scenario")
}

/// All interleavings, and nothing else: of a store and a load each, of a word that is raised and lowered, of
/// two reads.
#[test]
fn the_outcomes_are_those_of_all_interleavings() {
    let buffering = litmus(&scenario(&[&[(STORE_LOAD, 0)], &[(STORE_LOAD, 1)]]));
    assert_eq!(buffering.outcomes, set(&["count 0 | count 1", "count 1 | count 0", "count 1 | count 1"]));
    assert_eq!(buffering.verdict, Verdict::Passed);
    let pulse = litmus(&scenario(&[&[(PULSE, 0)], &[(LOOK, 0)]]));
    assert_eq!(
        pulse.outcomes,
        set(&["done | count 0", "done | count 1", "done | count 10", "done | count 11"])
    );
}

/// Memory is sequentially consistent: a missing release is not seen. `explore` sees it.
#[test]
fn weak_memory_is_not_seen() {
    let relaxed = scenario(&[&[(SEND_RELAXED, 0)], &[(RECEIVE, 0)]]);
    let stale = "done | values 1 0";
    assert!(!litmus(&relaxed).outcomes.contains(stale));
    let weak = explore_subject(&Explore, Litmus, &relaxed, &Options::default()).expect("a scenario");
    assert!(weak.outcomes.contains(stale));
}

#[test]
fn waiting_for_a_stalled_warp_never_ends_unless_it_is_allowed() {
    let mut scenario = scenario(&[&[(LOAD_THEN_STORE, 0)], &[(WAIT, 0)]]);
    assert_eq!(litmus(&scenario).outcomes, set(&["done | done"]));
    scenario.stall = Some(Stall { warp: 0, after: None });
    let violation = litmus(&scenario).violation.expect("a violation");
    assert_eq!((violation.kind, violation.stalled_after), (Kind::StepBound, Some(0)));
    scenario.allows.blocking = true;
    let report = litmus(&scenario);
    assert_eq!(report.verdict, Verdict::Passed, "{:?}", report.violation);
    assert_eq!(report.outcomes, set(&["- | -", "done | done"]));
}

#[test]
fn a_warp_that_is_missing_at_a_barrier_is_found() {
    assert_eq!(litmus(&scenario(&[&[(MEET, 0)], &[(MEET, 0)]])).verdict, Verdict::Passed);
    let violation = litmus(&scenario(&[&[(MEET, 0)], &[(LOAD, 0)]])).violation.expect("a violation");
    assert_eq!(violation.kind, Kind::BarrierDivergence);
}

#[test]
fn a_wild_index_is_out_of_bounds() {
    let violation = litmus(&scenario(&[&[(WILD, 0)]])).violation.expect("a violation");
    assert_eq!(violation.kind, Kind::OutOfBounds);
}

#[test]
fn fewer_states_than_there_are_are_capped() {
    let programs = scenario(&[&[(STORE_LOAD, 0)], &[(STORE_LOAD, 1)]]);
    let options = Options { max_executions: Some(3), ..Options::default() };
    let report = explore_subject(&Stateful, Litmus, &programs, &options).expect("a scenario");
    assert_eq!((report.verdict, report.executions), (Verdict::Capped, 3));
}

#[test]
fn what_it_cannot_explore_is_refused() {
    let five = scenario(&[&[(LOAD, 0_u64)] as &[(Op, u64)]; 5]);
    let refused = |scenario: &Scenario| explore_subject(&Stateful, Litmus, scenario, &Options::default());
    assert_eq!(refused(&five).expect_err("too many"), ScenarioError::Warps { warps: 5, most: 4 });
    let mut snapshot = scenario(&[&[(LOAD, 0)]]);
    snapshot.reads = Reads::Snapshot;
    assert_eq!(refused(&snapshot).expect_err("snapshots"), ScenarioError::Snapshot);
}

/// A counter, and calls that go wrong in ways of their own.
#[derive(Clone)]
struct Planted {
    exchangeable: bool,
}

/// Adds one in two steps; returns the old value.
const ADD: Op = Op::Other(0);
/// Adds one by an exchange, again until no other warp was faster; returns the old value.
const ADD_AGAIN: Op = Op::Other(1);
/// Adds one as [`ADD_AGAIN`] does; whether it counts its tries is not in its mark.
const ADD_COUNTED: Op = Op::Other(2);
/// Takes the one thing there is, in two steps; returns whether another one had.
const CLAIM: Op = Op::Other(3);
/// Calls `mark` with the same arguments at two different places.
const MISPLACED: Op = Op::Other(5);
/// Goes round for ever, and changes words as it goes.
const SPIN: Op = Op::Other(4);

#[derive(Clone, Copy)]
struct Counting;

impl Spec for Counting {
    type State = u64;

    fn initial(&self, _key: u64) -> u64 {
        0
    }

    fn step(&self, state: &u64, _call: &Call, ret: Option<&Ret>, next: &mut Vec<u64>) {
        if ret.is_none_or(|ret| *ret == Ret::Count(*state)) {
            next.push(state + 1);
        }
    }
}

impl Subject for Planted {
    type Spec = Counting;

    fn spec(&self) -> Counting {
        Counting
    }

    fn arrays(&self) -> Vec<Array> {
        vec![Array::new("word", 64, vec![0; 2])]
    }

    fn exchangeable(&self) -> bool {
        self.exchangeable
    }

    fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
        let words = m.w64(0);
        // Relaxed, here and below: memory is sequentially consistent.
        let load = || words.load(0, ReadOrder::Relaxed);
        match call.op {
            ADD => {
                let seen = load();
                words.store(0, seen + 1, WriteOrder::Relaxed);
                return Ret::Count(seen);
            }
            CLAIM => {
                let seen = load();
                if seen == 0 {
                    words.store(0, 1, WriteOrder::Relaxed);
                }
                return Ret::Count(seen);
            }
            MISPLACED => {
                w.mark(0, 0);
                let seen = load();
                w.mark(0, 0);
                words.load(1, ReadOrder::Relaxed);
                return Ret::Count(seen);
            }
            SPIN => loop {
                words.fetch_add(1, 1, Order::Relaxed);
                words.swap(1, 0, Order::Relaxed);
                w.mark(0, 0);
            },
            _ => {}
        }
        for tries in 0_u64.. {
            w.mark(0, 0);
            let seen = load();
            // The fault: what it does depends on what the mark leaves out.
            let add = if call.op == ADD_COUNTED && tries == 1 { 2 } else { 1 };
            if words.compare_exchange(0, seen, seen + add, Order::Relaxed) == seen {
                return Ret::Count(seen);
            }
        }
        Ret::Done
    }
}

fn planted(programs: &[&[Op]], marks: bool) -> Report {
    let config = Config { lanes: 1, ..Config::default() };
    let calls = |ops: &&[Op]| ops.iter().map(|op| Call::new(*op, 0, 0)).collect();
    let scenario = Scenario::new("planted", "planted", config, programs.iter().map(calls).collect());
    let options = Options { marks, ..Options::default() };
    explore_subject(&Stateful, Planted { exchangeable: true }, &scenario, &options).expect("a scenario")
}

#[test]
fn a_lost_update_is_found_with_its_steps() {
    let report = planted(&[&[ADD], &[ADD]], true);
    let violation = report.violation.expect("a violation");
    assert_eq!((report.verdict, violation.kind), (Verdict::Violated, Kind::NotLinearizable));
    let steps: Vec<_> = violation.steps.iter().map(|step| (step.warp, step.action.as_str())).collect();
    let load = |warp| (warp, "load Relaxed");
    assert!(steps.contains(&load(0)) && steps.contains(&load(1)), "{steps:?}");
    assert_eq!(violation.history.iter().filter(|event| event.ret == Some(Ret::Count(0))).count(), 2);
    let right = planted(&[&[ADD_AGAIN, ADD_AGAIN], &[ADD_AGAIN], &[ADD_AGAIN]], true);
    assert_eq!(right.verdict, Verdict::Passed, "{:?}", right.violation);
}

/// Of twins the first one begins first. So what only a later one would do, the first one does, and counts for
/// both: here the second claim, which would find nothing to write.
#[test]
fn a_claim_in_two_steps_is_found_with_twins_and_without() {
    let twins = planted(&[&[CLAIM], &[CLAIM]], true).violation.expect("a violation");
    assert_eq!(twins.kind, Kind::NotLinearizable);
    let scenario = &twins.scenario;
    let alone = explore_subject(&Stateful, Planted { exchangeable: false }, scenario, &Options::default());
    assert_eq!(alone.expect("a scenario").verdict, Verdict::Violated);
}

/// With twins the outcomes are those without.
#[test]
fn twins_hide_nothing() {
    let mut scenarios = slab::MAP32.family(3, 1);
    scenarios.extend(cuckoo::MAP32.family(2, 1));
    let mut fewer = 0;
    for scenario in scenarios {
        let [with, without] = [true, false].map(|symmetry| {
            let options = Options { symmetry, ..Options::default() };
            Stateful.explore(&scenario, &options).expect("a scenario")
        });
        assert_eq!((with.verdict, without.verdict), (Verdict::Passed, Verdict::Passed), "{}", scenario.name);
        assert_eq!(with.outcomes, without.outcomes, "{}", scenario.name);
        fewer += u32::from(with.executions < without.executions);
    }
    assert!(fewer > 0);
}

/// Marks make states fewer, and change nothing else, if they are right.
#[test]
fn a_mark_makes_states_one() {
    let programs: &[&[Op]] = &[&[ADD_AGAIN, ADD_AGAIN], &[ADD_AGAIN, ADD_AGAIN]];
    let [with, without] = [true, false].map(|marks| planted(programs, marks));
    assert_eq!((with.verdict, &with.outcomes), (without.verdict, &without.outcomes));
    assert!(with.executions < without.executions, "{} {}", with.executions, without.executions);
}

/// A mark that leaves out something that matters hides states. [`marks_of_structures_hide_nothing`] therefore
/// compares exploration with marks and without.
#[test]
fn a_mark_that_lies_hides_a_fault() {
    let programs: &[&[Op]] = &[&[ADD_COUNTED], &[ADD_AGAIN, ADD_AGAIN]];
    let found = |marks| planted(programs, marks).violation.map(|violation| violation.kind);
    assert_eq!([found(false), found(true)], [Some(Kind::NotLinearizable), None]);
}

/// It is a violation if one mark stands at two places after which a call goes on differently.
#[test]
fn a_mark_at_two_places_is_found() {
    let violation = planted(&[&[MISPLACED]], true).violation.expect("a violation");
    assert!(violation.kind == Kind::Panic && violation.detail.contains("Mark(0, 0)"), "{}", violation.detail);
    assert_eq!(planted(&[&[MISPLACED]], false).verdict, Verdict::Passed);
}

/// An execution that has no end is found, though it has few states.
#[test]
fn a_warp_that_goes_round_for_ever_is_found() {
    for programs in [&[&[SPIN] as &[Op]] as &[&[Op]], &[&[SPIN], &[ADD_AGAIN]]] {
        let violation = planted(programs, true).violation.expect("a violation");
        assert_eq!(violation.kind, Kind::StepBound, "{}", violation.timeline());
    }
}

/// What every interleaving shows, weak memory shows too.
#[test]
fn outcomes_are_among_those_of_explore() {
    let options = Options::default();
    let mut scenarios = slab::quick();
    scenarios.extend(cuckoo::MAP32.family(2, 1));
    let few = |scenario: &&Scenario| !["/chain", "/pair"].iter().any(|many| scenario.name.contains(many));
    for scenario in scenarios.iter().filter(few) {
        let [all, weak] = [&Stateful as &dyn Engine, &Explore]
            .map(|engine| engine.explore(scenario, &options).expect("a scenario"));
        assert_eq!((all.verdict, weak.verdict), (Verdict::Passed, Verdict::Passed), "{}", scenario.name);
        assert!(all.outcomes.is_subset(&weak.outcomes), "{}", scenario.name);
    }
}

/// With the marks of structures the outcomes are those without, wherever these are not too many states; among
/// them are scenarios of these places where they save states.
#[test]
fn marks_of_structures_hide_nothing() {
    let places = ["room", "cross", "chain", "chain_three", "pair", "full", "tomb", "second"];
    let tables = [cuckoo::MAP32, cuckoo::TRIED32];
    marks_hide_nothing(tables.map(|table| table.family(2, 1)), 50_000, &places);
    let places = ["new", "room", "full", "one", "two", "chain", "emptied", "gap"];
    let tables = [waitfree::SET64, waitfree::EPOCHS64];
    marks_hide_nothing(tables.map(|table| table.family(2, 1)), 5_000, &places);
    let places = ["empty", "behind", "full", "hop", "hops", "far", "cross", "tail", "pair", "wide"];
    let tables = [hopscotch::MAP32, hopscotch::SET64];
    marks_hide_nothing(tables.map(|table| table.family(2, 1)), 20_000, &places);
}

/// As [`marks_of_structures_hide_nothing`], of programs of three calls on a cuckoo table and on a hopscotch
/// table. Of those on a wait-free table in which marks save states, too many states are left without.
#[test]
fn marks_hide_nothing_of_three_calls() {
    let places = ["chain", "chain_three", "cross", "full", "pair", "room", "second", "tomb", "tombs"];
    marks_hide_nothing([cuckoo::MAP32.family(3, 1)], 1_000, &places);
    let places = ["empty", "behind", "full", "tail"];
    marks_hide_nothing([hopscotch::MAP32.family(3, 1)], 1_000, &places);
}

fn marks_hide_nothing<const N: usize>(families: [Vec<Scenario>; N], most: u64, places: &[&str]) {
    let mut fewer = BTreeSet::new();
    for scenario in families.into_iter().flatten() {
        let [without, with] = [false, true].map(|marks| {
            let options = Options { marks, max_executions: Some(most), ..Options::default() };
            Stateful.explore(&scenario, &options).expect("a scenario")
        });
        if without.verdict == Verdict::Capped {
            continue;
        }
        let verdicts = (with.verdict, without.verdict);
        assert_eq!(verdicts, (Verdict::Passed, Verdict::Passed), "{}", scenario.name);
        assert_eq!(with.outcomes, without.outcomes, "{}", scenario.name);
        if with.executions < without.executions {
            fewer.insert(scenario.name.rsplit('/').next().unwrap_or_default().to_string());
        }
    }
    for &place in places {
        assert!(fewer.contains(place), "{place}: {fewer:?}");
    }
}
