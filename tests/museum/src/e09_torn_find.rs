//! Exhibit 9: a find misses a key that is there all the time.
//!
//! Source: GLHT, find. The lanes of a warp read the neighbourhood, each its own slot and when it comes to it,
//! while warp 0 inserts a key and moves 2 to another slot for that: copy, then erase. If all lanes read at
//! once the defect is hidden: the published argument claims that a warp's read is a snapshot.
//!
//! 9a. Warp 1 reads the slot after the home of 2, which is empty; 2 is moved there from its home; now warp 1
//! reads the home. Look at its two loads: one before the copy, one after the erasure.
//!
//! 9b. 2 is one slot after its home and is moved to the next. That one may be read too early, as in 9a;
//! or the home word is, and then its bitmap is old: warp 1 sees 2 where it is, but ignores it.
//!
//! The repaired form reads the home word, then the others, then the home word again; a displacement changes
//! it between copy and erasure. To read it again is not enough, if a lane may have read its slot long before
//! the home word. Nor is it enough that the bitmap is the same: exhibit 11.

use crate::exhibit::{Exhibit, Snapshot, calls, large_repair, repair, run};
use crate::glht::Glht;
use warpproof_simt::check::{Config, Kind, Scenario};

pub(crate) fn exhibits() -> Vec<Exhibit> {
    let far = Glht { reach: 2, ..Glht::published(5) };
    vec![
        Exhibit {
            defect: "torn read beside a displacement: slot before the copy, home after the erasure",
            ..exhibit("9a", Glht::published(4), "insert_unique 1; insert_unique 2", "insert_unique 5", true)
        },
        Exhibit {
            defect: "torn read beside a displacement: bitmap or target before it, the others after it",
            ..exhibit(
                "9b",
                far,
                "insert_unique 1; insert_unique 6; insert_unique 2",
                "insert_unique 11",
                false,
            )
        },
    ]
}

fn exhibit(id: &'static str, table: Glht, preload: &str, insert: &str, backwards: bool) -> Exhibit {
    let published = table.with(|repairs| repairs.keeps_bitmap = true);
    let repaired = published.clone().with(|repairs| (repairs.rereads, repairs.versions) = (true, true));
    // Loom ends 9a alone.
    let what = "the home word is read first and again, with a version";
    let repair = if published.reach == 1 { repair(what, repaired) } else { large_repair(what, repaired) };
    let config = Config { lanes: published.lanes(), ..Config::default() };
    let programs = vec![calls(insert), calls("search 2")];
    let mut scenario = Scenario::new(format!("museum/{id}"), "GLHT", config, programs);
    scenario.preload = calls(preload);
    scenario.backwards = backwards;
    Exhibit {
        id,
        source: "GLHT, find",
        defect: "",
        kind: Kind::NotLinearizable,
        shows: "search 2 -> value none",
        snapshot: Snapshot::Hidden,
        lanes: false,
        published: run(published),
        repairs: vec![repair],
        scenario,
    }
}
