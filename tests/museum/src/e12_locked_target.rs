//! Exhibit 12: delete empties a slot that another warp has locked.
//!
//! Source: GLHT, delete. The key to be deleted stands in a slot that is the home of other keys. Delete asks
//! for flags on the home of its key alone, and exchanges the slot as it was read, flags and all, for an empty
//! one.
//!
//! 12a. `multiple_lock`: warp 0 inserts 2 and has locked its home, where 5 stands. Warp 1 deletes 5. The
//! exchange by which warp 0 would unlock the home expects 5 there and fails; it begins anew, and waits for
//! its own lock for ever.
//!
//! 12b. `swap_lock`: warp 0 inserts 7 and moves 2 out of the way. For that it has locked the home of 2, where
//! 6 stands, as a head. Warp 1 deletes 6. The head is never unlocked, nor is the home of 7.
//!
//! Look at warp 1's exchange that sets *empty* on a word with a flag, and at warp 0's next exchange of that
//! word.

use crate::exhibit::{Exhibit, Snapshot, calls, repair, run};
use crate::glht::Glht;
use warpproof_simt::check::{Config, Kind, Scenario};

pub(crate) fn exhibits() -> Vec<Exhibit> {
    let far = Glht { reach: 2, may_fill: true, ..Glht::published(6) };
    vec![
        exhibit(
            ("12a", "delete empties a slot with multiple_lock: the lock stays for ever"),
            Glht::published(4),
            "insert_unique 1; insert_unique 5",
            ["insert_unique 2", "delete 5"],
        ),
        exhibit(
            ("12b", "delete empties a slot with swap_lock: the lock stays for ever"),
            far,
            "insert_unique 0; insert_unique 1; insert_unique 6; insert_unique 2",
            ["insert_unique 7", "delete 6"],
        ),
    ]
}

fn exhibit(
    (id, defect): (&'static str, &'static str),
    table: Glht,
    preload: &str,
    programs: [&str; 2],
) -> Exhibit {
    let published = table.with(|repairs| repairs.keeps_bitmap = true);
    let repaired = published.clone().with(|repairs| repairs.checks_target = true);
    let config = Config { lanes: published.lanes(), ..Config::default() };
    let programs = programs.map(calls).to_vec();
    let mut scenario = Scenario::new(format!("museum/{id}"), "GLHT", config, programs);
    scenario.preload = calls(preload);
    Exhibit {
        id,
        source: "GLHT, delete",
        defect,
        kind: Kind::StepBound,
        shows: "warp 0",
        snapshot: Snapshot::Found,
        lanes: false,
        published: run(published),
        repairs: vec![repair("delete begins anew if its target has a flag", repaired)],
        scenario,
    }
}
