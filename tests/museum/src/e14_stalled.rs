//! Exhibit 14: operations that wait for a warp that has stopped.
//!
//! Source: GLHT, which is called lock-free, with wait-free reads. Warp 0 inserts 5 and stops for ever, at
//! each of its steps in turn. After some of these steps warp 1, the only one that runs, never ends its call:
//! so the table is not lock-free, and its finds are not wait-free.
//!
//! 14a. `multiple_lock` on the home of 5 excludes readers: a find of 1, which is there, waits for it.
//! 14b. So does an insert of 9.
//! 14c. The insert of 5 moves 2 out of its home and reserves the hole (as it must, exhibit 13), by the same
//! flag: a find of 2 waits.
//!
//! Look at the last loads: the same words with `multiple_lock`, again and again.
//!
//! A find that reads the home word first and again, with a version, need not wait for `multiple_lock`: 14a
//! and 14c end wherever warp 0 stops. A writer still waits; 14b is repaired by a table without locks, our
//! slab hash.

use crate::exhibit::{Exhibit, Repair, Snapshot, calls, ours, repair, run};
use crate::glht::Glht;
use warpproof_simt::check::{Config, Kind, Scenario, Stall};

pub(crate) fn exhibits() -> Vec<Exhibit> {
    let locks = Glht::published(4).with(|repairs| repairs.keeps_bitmap = true);
    let holes = locks.clone().with(|repairs| repairs.locks_hole = true);
    vec![
        exhibit(
            "14a",
            "a find waits for the lock of a stalled insert",
            &locks,
            "search 1",
            passes_by(&locks),
        ),
        exhibit(
            "14b",
            "an insert waits for the lock of a stalled insert",
            &locks,
            "insert_unique 9",
            ours("our slab hash", "map32", 4),
        ),
        exhibit(
            "14c",
            "a find waits for a slot that a stalled insert has reserved",
            &holes,
            "search 2",
            passes_by(&holes),
        ),
    ]
}

/// The published form with finds that never wait.
fn passes_by(published: &Glht) -> Repair {
    let repaired = published.clone().with(|repairs| {
        (repairs.rereads, repairs.versions, repairs.never_waits) = (true, true, true);
    });
    repair("find reads the home word first and again, with a version, and does not wait", repaired)
}

fn exhibit(
    id: &'static str,
    defect: &'static str,
    published: &Glht,
    beside: &str,
    repair: Repair,
) -> Exhibit {
    let config = Config { lanes: published.lanes(), pool: 1, ..Config::default() };
    let programs = vec![calls("insert_unique 5"), calls(beside)];
    let mut scenario = Scenario::new(format!("museum/{id}"), "GLHT", config, programs);
    scenario.preload = calls("insert_unique 1; insert_unique 2");
    scenario.stall = Some(Stall { warp: 0, after: None });
    Exhibit {
        id,
        source: "GLHT",
        defect,
        kind: Kind::StepBound,
        shows: "warp 1",
        snapshot: Snapshot::Found,
        lanes: false,
        published: run(published.clone()),
        repairs: vec![repair],
        scenario,
    }
}
