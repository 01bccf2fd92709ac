//! Exhibit 28: a search for a key that is not there.
//!
//! Source: NVIDIA/cuCollections.
//!
//! 28a. Pull request 758 (issue 73 is its forerunner): a walk ends at a slot that was never filled. Two
//! slots, one key at a time: each slot was filled once and is erased, and a search goes round for ever. Look
//! at the loads: the same two keys again and again. The checker's step bound ends it.
//!
//! 28b. Issue 74: find says *not found* by the slot past the last one, and its kernel reads the value there.
//! Look at the last load.

use crate::exhibit::{Exhibit, Snapshot, calls, repair, run};
use crate::static_map::{Exchange, StaticMap};
use warpproof_simt::check::{Config, Kind, Scenario};

pub(crate) fn exhibits() -> Vec<Exhibit> {
    let right = StaticMap::published(2, Exchange::Dependent, Exchange::Dependent);
    let past = StaticMap { tests_end: false, ..right.clone() };
    let all_erased = "insert_unique 2 20; delete 2; insert_unique 3 30; delete 3; search 4";
    let (endless, wild) =
        ("a search never ends if no slot is empty", "a search reads the slot past the last");
    vec![
        Exhibit {
            kind: Kind::StepBound,
            shows: "warp 0",
            repairs: vec![repair(
                "a walk ends after all slots",
                StaticMap { bounded: true, ..right.clone() },
            )],
            ..exhibit("28a", "cuCollections, PR 758", endless, right.clone(), all_erased)
        },
        Exhibit {
            kind: Kind::OutOfBounds,
            shows: "values[2]",
            repairs: vec![repair("the end is tested first", right)],
            ..exhibit("28b", "cuCollections, issue 74", wild, past, "search 4")
        },
    ]
}

fn exhibit(
    id: &'static str,
    source: &'static str,
    defect: &'static str,
    published: StaticMap,
    program: &str,
) -> Exhibit {
    let config = Config { lanes: 1, slots: 2, ..Config::default() };
    let scenario = Scenario::new(format!("museum/{id}"), "static_map", config, vec![calls(program)]);
    Exhibit {
        id,
        source,
        defect,
        kind: Kind::StepBound,
        shows: "",
        snapshot: Snapshot::Found,
        lanes: false,
        published: run(published),
        repairs: Vec::new(),
        scenario,
    }
}
