//! Exhibit 11: the home word is the same again, the neighbourhood is not.
//!
//! Source: GLHT, insert. Warp 0 inserts 9 and does not find it. Warp 1 deletes 5, a neighbour, and inserts 9
//! into its place: the bitmap loses a bit and gets it back. Warp 0 locks the home by an exchange that expects
//! the word as it was, and it is; 9 stands twice.
//!
//! Look at the home word before warp 1 and after it. Snapshots do not help, nor does reading the home word
//! again (the form here does: the torn reads of exhibits 9 and 10 play no part). A version does.

use crate::exhibit::{Exhibit, Snapshot, calls, large_repair, run};
use crate::glht::Glht;
use warpproof_simt::check::{Config, Kind, Scenario};

pub(crate) fn exhibits() -> Vec<Exhibit> {
    let published = Glht { reach: 2, ..Glht::published(4) };
    let published = published.with(|repairs| (repairs.keeps_bitmap, repairs.rereads) = (true, true));
    let repaired = published.clone().with(|repairs| repairs.versions = true);
    let config = Config { lanes: published.lanes(), ..Config::default() };
    let programs = vec![calls("insert_unique 9"), calls("delete 5; insert_unique 9")];
    let mut scenario = Scenario::new("museum/11", "GLHT", config, programs);
    scenario.preload = calls("insert_unique 1; insert_unique 5");
    vec![Exhibit {
        id: "11",
        source: "GLHT, insert",
        defect: "a delete and an insert restore the home word: a key is inserted twice",
        kind: Kind::DuplicateKey,
        shows: "key 9 stands twice",
        snapshot: Snapshot::Found,
        lanes: false,
        published: run(published),
        repairs: vec![large_repair("the home word has a version", repaired)],
        scenario,
    }]
}
