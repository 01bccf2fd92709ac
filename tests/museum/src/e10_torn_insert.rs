//! Exhibit 10: an insert reads as in exhibit 9, and puts in the key once more.
//!
//! Source: GLHT, insert. Warp 0 inserts 2, which is there: it reads the slot after the home, empty. Warp 1
//! inserts 5, for which 2 is moved to that slot, and deletes 5 again. Warp 0 reads the home, which is empty
//! now, and takes it by an exchange, which succeeds: the home still holds what warp 0 read last.
//!
//! Look at warp 0's exchange: it compares the word that warp 0 read last. Nothing compares the word that it
//! read first.

use crate::exhibit::{Exhibit, Snapshot, calls, repair, run};
use crate::glht::Glht;
use warpproof_simt::check::{Config, Kind, Scenario};

pub(crate) fn exhibits() -> Vec<Exhibit> {
    let published = Glht { may_fill: true, ..Glht::published(4) };
    let published = published.with(|repairs| (repairs.keeps_bitmap, repairs.checks_target) = (true, true));
    let repaired = published.clone().with(|repairs| (repairs.rereads, repairs.versions) = (true, true));
    let config = Config { lanes: published.lanes(), ..Config::default() };
    let programs = vec![calls("insert_unique 2"), calls("insert_unique 5; delete 5")];
    let mut scenario = Scenario::new("museum/10", "GLHT", config, programs);
    scenario.preload = calls("insert_unique 1; insert_unique 2");
    scenario.backwards = true;
    vec![Exhibit {
        id: "10",
        source: "GLHT, insert",
        defect: "torn read beside a displacement: a key that is there is inserted again",
        kind: Kind::DuplicateKey,
        shows: "key 2 stands twice",
        snapshot: Snapshot::Hidden,
        lanes: false,
        published: run(published),
        repairs: vec![repair("the home word is read first and again, with a version", repaired)],
        scenario,
    }]
}
