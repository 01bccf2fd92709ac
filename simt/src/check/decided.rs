//! Tests that every trace contains everything that decided the verdict, including the calls before and after
//! the programs: as text, as JSON and as a page, and also for a smaller scenario.

use super::{Array, Config, Kind, Memory, Scenario, SimWarp, Subject, Violation};
use crate::engine::{Limits, Options, explore_subject, minimise};
use crate::engines::engines;
use crate::explore::Explore;
use crate::own;
use crate::scenarios::slab::{self, Map32, SlabSubject};
use warpproof_model::slab::Unique;
use warpproof_model::spec::{Call, Map, Op, Ret};
use warpproof_model::{Order, ReadOrder, Words};

/// A map of the keys 1 and 2, each with a word of its own.
#[derive(Clone, Copy)]
struct Two(Fault);

#[derive(Clone, Copy, PartialEq)]
enum Fault {
    /// An insert stores nothing.
    Forgets,
    /// An insert stores another value.
    Changes,
    /// A search that finds a pair panics.
    PanicsLate,
    /// A delete panics before it looks.
    PanicsEarly,
    /// An insert says that there is no room.
    Full,
}

/// What [`Fault::Changes`] adds to a value.
const MORE: u64 = 1 << 20;

impl Subject for Two {
    type Spec = Map;

    fn spec(&self) -> Map {
        Map { may_fill: true }
    }
    fn arrays(&self) -> Vec<Array> {
        vec![Array::new("value", 64, vec![0; 2])]
    }
    fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
        let (values, at) = (m.w64(0), call.key as usize - 1);
        match call.op {
            Op::Search => {
                let value = w.elect(0, || values.load(at, ReadOrder::Relaxed));
                assert!(self.0 != Fault::PanicsLate || value == 0, "a search panics");
                Ret::Value(Some(value).filter(|&value| value != 0))
            }
            Op::Delete => panic!("a delete panics"),
            _ if self.0 == Fault::Full => Ret::Full,
            _ => {
                let value = match self.0 {
                    Fault::Forgets => 0,
                    Fault::Changes => call.value + MORE,
                    _ => call.value,
                };
                let was = w.elect(0, || values.compare_exchange(at, 0, value, Order::Relaxed));
                if was == 0 { Ret::Inserted } else { Ret::Present }
            }
        }
    }
}

/// A scenario of these calls: before, of each warp, after.
fn scenario(before: &str, programs: &[&str], after: &str) -> Scenario {
    let calls = |text: &str| text.split_terminator(';').map(|call| call.parse().expect("a call")).collect();
    let config = Config { lanes: 1, ..Config::default() };
    let mut scenario =
        Scenario::new("two", "two", config, programs.iter().map(|program| calls(program)).collect());
    (scenario.preload, scenario.finally) = (calls(before), calls(after));
    scenario
}

/// What each engine finds.
fn found(fault: Fault, scenario: &Scenario) -> Vec<Violation> {
    let explore = |engine| explore_subject(engine, Two(fault), scenario, &Options::default());
    let found = engines().iter().map(|&engine| explore(engine).expect("a scenario").violation);
    found.map(|violation| *violation.expect("a violation")).collect()
}

/// The text and the page say all of this, and the JSON has as many calls in its history.
fn tells(violation: &Violation, text: &[&str], page: &[&str], calls: usize) {
    let (timeline, html) = (violation.timeline(), violation.to_html());
    for said in text {
        assert!(timeline.contains(said), "{} does not say `{said}`:\n{timeline}", violation.engine);
    }
    for said in page {
        assert!(html.contains(said), "{} does not say `{said}`:\n{html}", violation.engine);
    }
    let json = violation.to_json().expect("JSON");
    let again: Violation = serde_json::from_str(&json).expect("a violation");
    assert_eq!(again.history.len(), calls, "{}: {json}", violation.engine);
}

#[test]
fn a_final_call_that_decides_is_told() {
    let wrong = scenario("insert_unique 2 7", &["insert_unique 1 100", "search 1"], "search 2;search 1");
    for violation in found(Fault::Forgets, &wrong) {
        assert_eq!(violation.kind, Kind::NotLinearizable);
        let text = [
            "before: insert_unique 2 7 -> inserted",
            "after:  search 1 -> value none",
            "  after   search",
            "HAS NO PLACE",
        ];
        let page = [
            "<p>Before the warps began: <code>insert_unique 2 7 \u{2192} inserted</code>.</p>",
            "<p>When all warps had ended: <code>search 2 \u{2192} value none</code>, <code>search 1 \u{2192} value none</code>.</p>",
            "after: search",
        ];
        tells(&violation, &text, &page, 5);
        let sentences = violation.explanation();
        let said = "When they had ended, search 1 was told \"value none\".".to_string();
        assert!(sentences.contains(&said), "{sentences:?}");
    }
}

#[test]
fn a_final_call_that_panics_is_told() {
    let wrong = scenario("", &["insert_unique 1 100", "insert_unique 2 7"], "search 1;search 2");
    for violation in found(Fault::PanicsLate, &wrong) {
        assert_eq!(violation.kind, Kind::Panic);
        let text = [
            "panicked: a search panics",
            "after:  search 1 -> never returned",
            "  after   search 1 -> never returned",
        ];
        tells(&violation, &text, &["after: search 1 \u{2192} never returned"], 3);
        assert!(!violation.timeline().contains("after:  search 2"), "it was not made");
        let sentences = violation.explanation();
        assert!(
            sentences.contains(&"When they had ended, search 1 had no answer.".to_string()),
            "{sentences:?}"
        );
    }
}

#[test]
fn a_call_before_the_programs_that_decides_is_told() {
    let wrong = scenario("insert_unique 2 7;search 2", &["search 1"], "search 1");
    for violation in found(Fault::Full, &wrong) {
        assert_eq!(violation.kind, Kind::FullWithRoom);
        let text = ["(in the preload)", "before: insert_unique 2 7 -> full"];
        tells(&violation, &text, &["<code>insert_unique 2 7 \u{2192} full</code>"], 1);
    }
}

#[test]
fn a_call_that_panics_before_it_looks_is_told() {
    let wrong = scenario("", &["insert_unique 1 100;delete 1", "search 1"], "");
    for violation in found(Fault::PanicsEarly, &wrong) {
        assert_eq!(violation.kind, Kind::Panic);
        let text = ["CALL delete 1", "  warp 0  delete 1 -> never returned"];
        tells(&violation, &text, &["warp 0: delete 1 \u{2192} never returned"], violation.history.len());
    }
}

#[test]
fn what_decided_is_told_of_the_smallest_scenario() {
    let suite = own::Suite::new("two", &[Op::InsertUnique]).keys(&[1, 2]).finally(&[Op::Search]);
    for engine in engines() {
        let explored =
            own::explore_with(*engine, &Two(Fault::Forgets), (&suite.triples(), &Options::default()));
        let Err(own::Failed::Violated(violation)) = explored else { panic!("{explored:?}") };
        assert_eq!(violation.scenario.calls().count(), 2, "{}", violation.timeline());
        let (text, page) = (["search 1 -> value none", "HAS NO PLACE"], ["search 1 \u{2192} value none"]);
        tells(&violation, &text, &page, 2);
    }
}

/// A table whose searches find nothing.
#[derive(Clone)]
struct Blind<S>(S);

impl<S: Subject> Subject for Blind<S> {
    type Spec = S::Spec;

    fn spec(&self) -> S::Spec {
        self.0.spec()
    }
    fn arrays(&self) -> Vec<Array> {
        self.0.arrays()
    }
    fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
        match (self.0.run(w, m, call), call.op) {
            (_, Op::Search) => Ret::Value(None),
            (ret, _) => ret,
        }
    }
}

#[test]
fn what_decided_is_told_of_a_table_of_this_crate() {
    let call = |text: &str| text.parse().expect("a call");
    let mut wrong = slab::quick().into_iter().find(|s| s.structure == "map32").expect("a scenario");
    wrong.preload = vec![call("insert_unique 5 50")];
    wrong.programs = vec![vec![call("delete 5")], vec![call("insert_unique 6 60")]];
    wrong.finally = vec![call("search 5"), call("search 6")];
    let table = Blind(SlabSubject::<Map32, Unique, 2>::new(wrong.config.clone(), true, true));
    for engine in engines() {
        let explore = |scenario: &Scenario, options: &Options| {
            explore_subject(*engine, table.clone(), scenario, options)
        };
        let report = explore(&wrong, &Options::default()).expect("a scenario");
        let violation = report.violation.expect("a violation");
        let text = ["before: insert_unique 5 50 -> inserted", "after:  search 6 -> value none"];
        tells(&violation, &text, &["<code>search 6 \u{2192} value none</code>"], 5);
        let small = minimise(&violation, &Options::default(), &Limits::default(), &explore);
        assert_eq!(small.scenario.calls().count(), 2, "{}", small.timeline());
        tells(&small, &["-> value none", "HAS NO PLACE"], &["\u{2192} value none"], 2);
    }
}

/// An attribute of an element.
fn attribute<'a>(element: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = element.split_once(&format!(" {name}=\""))?;
    rest.split_once('"').map(|(value, _)| value)
}

#[test]
fn a_page_shows_the_memory_beside_the_steps() {
    let wrong = scenario("insert_unique 2 7", &["insert_unique 1 100", "search 1"], "search 1");
    let report = explore_subject(&Explore, Two(Fault::Changes), &wrong, &Options::default());
    let violation = report.expect("a scenario").violation.expect("a violation");
    let page = violation.to_html();
    // Beside each other, in one box, which the keys step.
    let both = page.split_once("<div class=\"both\">").expect("a box").1;
    let (steps, side) = both.split_once("<div class=\"side\">").expect("two columns");
    assert!(steps.contains("<table class=\"steps\">") && side.contains("<table class=\"words\">"), "{page}");
    assert!(page.contains("How to read this page") && page.contains("ArrowRight: \"next\""), "{page}");
    // Words by name, with values as traces have them; those that changed are marked.
    let changed = "<td>[0]</td><td>0</td><td class=\"value changed\"><span class=\"held\">0x100064</span>";
    assert!(side.contains(changed), "{side}");
    let same = "<td>[1]</td><td>0x100007</td><td class=\"value\"><span class=\"held\">0x100007</span>";
    assert!(side.contains(same), "{side}");
    // What the rows write leads from what the words hold at first to what they hold in the end.
    let words: Vec<_> = side.lines().filter(|line| line.starts_with("<tr data-word")).collect();
    let mut held: Vec<_> = words.iter().map(|word| attribute(word, "data-before")).collect();
    for row in steps.lines().filter(|line| line.starts_with("<tr data-step")) {
        if let Some(word) = attribute(row, "data-writes") {
            held[word.parse::<usize>().expect("a number")] = attribute(row, "data-value");
        }
    }
    assert_eq!(held, words.iter().map(|word| attribute(word, "data-after")).collect::<Vec<_>>());
    assert_eq!(held, [Some("0x100064"), Some("0x100007")]);
    assert!(page.len() < 24_000, "{} bytes", page.len());
}
