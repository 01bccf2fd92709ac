//! Exhibit 13: an insert overwrites the key of another one.
//!
//! Source: GLHT, insert. Warp 0 inserts 5 and moves 2 out of its home. The hole that this leaves is to be
//! filled with 5; it is empty and not reserved. Warp 1 inserts 6, whose home it is, and is done. Warp 0
//! exchanges whatever the hole holds now for 5, and does not check that it is still empty. 6 is lost.
//!
//! Look at the exchange that writes 5: its old value is 6.

use crate::exhibit::{Exhibit, Snapshot, calls, repair, run};
use crate::glht::Glht;
use warpproof_simt::check::{Config, Kind, Scenario};

pub(crate) fn exhibits() -> Vec<Exhibit> {
    let published = Glht { may_fill: true, ..Glht::published(4) };
    let published = published.with(|repairs| repairs.keeps_bitmap = true);
    let repaired = published.clone().with(|repairs| repairs.locks_hole = true);
    let config = Config { lanes: published.lanes(), ..Config::default() };
    let programs = vec![calls("insert_unique 5"), calls("insert_unique 6")];
    let mut scenario = Scenario::new("museum/13", "GLHT", config, programs);
    scenario.preload = calls("insert_unique 1; insert_unique 2; insert_unique 3; insert_unique 7; delete 3");
    scenario.finally = calls("search 6");
    vec![Exhibit {
        id: "13",
        source: "GLHT, insert",
        defect: "the hole of a displacement is not locked, and filled without a look: a key is lost",
        kind: Kind::NotLinearizable,
        shows: "search 6 -> value none",
        snapshot: Snapshot::Found,
        lanes: false,
        published: run(published),
        repairs: vec![repair("the hole is reserved, and only a reserved slot is filled", repaired)],
        scenario,
    }]
}
