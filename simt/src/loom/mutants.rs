//! Small wrong structures, each with one mistake: loom must find the violation.

use super::Loom;
use crate::check::{
    Array, Breach, Config, Kind, Memory, Reads, Report, Scenario, SimWarp, Subject, Verdict, Violation,
};
use crate::engine::{Options, explore_subject};
use warpproof_model::spec::{Call, Map, Op, Ret};
use warpproof_model::{Order, ReadOrder, Words, WriteOrder};

/// A map of one bucket with two slots. A slot is 0, or key (low byte) and value; 1 is a tombstone.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tiny {
    pub(super) mistake: Option<Mistake>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mistake {
    /// Delete exchanges without looking.
    BlindDelete,
    /// Delete leaves the slot empty, and an insert fills it without a look at the rest.
    ReuseWithoutScan,
    /// An insert stores where it should compare.
    StoreForExchange,
    /// The key is there before its value.
    ValueLater,
    /// A delete never ends if it loses a race.
    EndlessDelete,
    /// One slot too many is read.
    OneTooMany,
}

const TOMBSTONE: u64 = 1;
/// The key in a slot.
const KEY: u64 = 0xff;

impl Tiny {
    fn is(self, mistake: Mistake) -> bool {
        self.mistake == Some(mistake)
    }

    fn insert<M: Memory>(self, m: M, key: u64, value: u64) -> Ret {
        let slots = m.w64(0);
        let last = if self.is(Mistake::OneTooMany) { 3 } else { 2 };
        let mut at = 0;
        while at < last {
            // Relaxed, all: a slot has one owner from the moment it is taken, and is one word.
            let seen = slots.load(at, ReadOrder::Relaxed);
            if seen & KEY == key {
                return Ret::Present;
            }
            if seen != 0 {
                at += 1;
                continue;
            }
            let whole = value << 8 | key;
            let first = if self.is(Mistake::ValueLater) { key } else { whole };
            if self.is(Mistake::StoreForExchange) {
                slots.store(at, whole, WriteOrder::Relaxed);
                return Ret::Inserted;
            }
            if slots.compare_exchange(at, 0, first, Order::Relaxed) == 0 {
                if first != whole {
                    slots.store(at, whole, WriteOrder::Relaxed);
                }
                return Ret::Inserted;
            }
        }
        Ret::Full
    }

    /// A slot that holds `key`, as it was read.
    fn find<M: Memory>(m: M, key: u64) -> Option<(usize, u64)> {
        // Relaxed: as in `insert`.
        (0..2).map(|at| (at, m.w64(0).load(at, ReadOrder::Relaxed))).find(|(_, seen)| seen & KEY == key)
    }

    fn delete<M: Memory>(self, m: M, key: u64) -> Ret {
        let slots = m.w64(0);
        let hole = self.is(Mistake::ReuseWithoutScan) || self.is(Mistake::BlindDelete);
        let dead = if hole { 0 } else { TOMBSTONE };
        let Some((at, seen)) = Self::find(m, key) else { return Ret::Absent };
        // Relaxed, both: as in `insert`.
        if self.is(Mistake::BlindDelete) {
            let old = slots.swap(at, dead, Order::Relaxed);
            return if old & KEY == key { Ret::Deleted } else { Ret::Absent };
        }
        while slots.compare_exchange(at, seen, dead, Order::Relaxed) != seen {
            if !self.is(Mistake::EndlessDelete) {
                return Ret::Absent;
            }
        }
        Ret::Deleted
    }
}

impl Subject for Tiny {
    type Spec = Map;

    fn spec(&self) -> Map {
        Map { may_fill: true }
    }

    fn arrays(&self) -> Vec<Array> {
        vec![Array::new("slots", 64, vec![0; 2])]
    }

    fn run<W: SimWarp, M: Memory>(&self, _w: &mut W, m: M, call: &Call) -> Ret {
        match call.op {
            Op::InsertUnique => self.insert(m, call.key, call.value),
            Op::Search => Ret::Value(Self::find(m, call.key).map(|(_, seen)| seen >> 8)),
            Op::Delete => self.delete(m, call.key),
            _ => Ret::Done,
        }
    }

    fn exhausted<M: Memory>(&self, m: M, _: u64) -> Option<bool> {
        // Relaxed: read alone.
        Some((0..2).all(|at| m.w64(0).load(at, ReadOrder::Relaxed) != 0))
    }

    fn check_quiescent<W: SimWarp, M: Memory>(&self, _w: &mut W, m: M) -> Result<(), Breach> {
        // Relaxed: read alone.
        let slot = |at| m.w64(0).load(at, ReadOrder::Relaxed) & KEY;
        if slot(0) > TOMBSTONE && slot(0) == slot(1) {
            return Err(Breach::new(Kind::DuplicateKey, format!("key {} stands twice", slot(0))));
        }
        Ok(())
    }
}

pub(super) fn program(calls: &str) -> Vec<Call> {
    calls
        .split(';')
        .filter(|call| !call.trim().is_empty())
        .map(|call| call.parse().expect("a call"))
        .collect()
}

fn check(mistake: Option<Mistake>, preload: &str, programs: &[&str], reads: Reads) -> Report {
    let config = Config { lanes: 1, ..Config::default() };
    let programs = programs.iter().map(|calls| program(calls)).collect();
    let mut scenario = Scenario::new("tiny", "tiny", config, programs);
    scenario.preload = program(preload);
    scenario.finally = program("search 5; search 6");
    scenario.reads = reads;
    explore_subject(&Loom, Tiny { mistake }, &scenario, &Options::default()).expect("a scenario")
}

/// The mistake is found as `kind`; without it the same scenario holds.
fn expect(mistake: Mistake, kind: Kind, preload: &str, programs: &[&str]) -> Violation {
    let right = check(None, preload, programs, Reads::Torn);
    assert_eq!(right.verdict, Verdict::Passed, "{:?}", right.violation.map(|v| v.timeline()));
    let wrong = check(Some(mistake), preload, programs, Reads::Torn);
    let violation = wrong.violation.expect("a violation");
    assert_eq!(violation.kind, kind, "{}", violation.timeline());
    *violation
}

#[test]
fn a_blind_delete_erases_another_key() {
    let violation = expect(
        Mistake::BlindDelete,
        Kind::NotLinearizable,
        "insert_unique 5 50",
        &["delete 5", "delete 5; insert_unique 6 60"],
    );
    let timeline = violation.timeline();
    assert!(timeline.contains("swap Relaxed slots[0]:"), "{timeline}");
    assert!(timeline.contains("before: insert_unique 5 50"), "{timeline}");
}

#[test]
fn a_hole_filled_without_a_scan_duplicates_the_key_with_one_warp() {
    let preload = "insert_unique 6 60; insert_unique 5 50";
    let violation =
        expect(Mistake::ReuseWithoutScan, Kind::DuplicateKey, preload, &["delete 6; insert_unique 5 51"]);
    assert!(violation.history.len() >= 4);
}

#[test]
fn a_store_for_an_exchange_loses_a_key() {
    expect(
        Mistake::StoreForExchange,
        Kind::NotLinearizable,
        "",
        &["insert_unique 5 50", "insert_unique 6 60"],
    );
}

#[test]
fn a_key_before_its_value_is_seen_torn() {
    let programs = ["insert_unique 5 50", "search 5"];
    let violation = expect(Mistake::ValueLater, Kind::NotLinearizable, "", &programs);
    assert!(violation.history.iter().any(|event| event.ret == Some(Ret::Value(Some(0)))));
    let snapshot = check(Some(Mistake::ValueLater), "", &programs, Reads::Snapshot);
    assert_eq!(snapshot.verdict, Verdict::Violated, "the protocol is wrong, not only its reads");
}

#[test]
fn an_endless_loop_exceeds_the_step_bound() {
    expect(Mistake::EndlessDelete, Kind::StepBound, "insert_unique 5 50", &["delete 5", "delete 5"]);
}

#[test]
fn one_slot_too_many_is_out_of_bounds() {
    let preload = "insert_unique 6 60; insert_unique 7 70";
    expect(Mistake::OneTooMany, Kind::OutOfBounds, preload, &["insert_unique 5 50"]);
}

#[test]
fn a_violation_is_saved_read_and_shown() {
    let violation = expect(
        Mistake::StoreForExchange,
        Kind::NotLinearizable,
        "",
        &["insert_unique 5 50", "insert_unique 6 60"],
    );
    let path = std::env::temp_dir().join(format!("warpproof-violation-{}.json", std::process::id()));
    violation.save(&path).expect("a file");
    let read = Violation::load(&path);
    std::fs::remove_file(&path).expect("the file");
    assert_eq!(read.expect("a violation"), violation);
    let html = violation.to_html();
    assert!(html.contains("<th>warp 1</th>") && html.contains("call insert_unique 6 60"));
    assert!(!html.contains("http"), "the page needs no network");
}

#[test]
fn a_file_that_is_no_violation_names_its_line() {
    let path = std::env::temp_dir().join(format!("warpproof-nonsense-{}.json", std::process::id()));
    std::fs::write(&path, "{\n  \"kind\": 7\n}").expect("a file");
    let error = Violation::load(&path).expect_err("no violation").to_string();
    std::fs::remove_file(&path).expect("the file");
    assert!(error.contains("line 2"), "{error}");
}
