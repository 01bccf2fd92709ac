//! Exhibit 25: an erased slot is filled before the rest of the walk was looked at.
//!
//! Source: NVIDIA/cuCollections, issue 606. One thread is enough. Keys 3 and 6 have the same home: 3 is in
//! slot 0, 6 in slot 1. 3 is erased; an insert of 6 meets the erased slot first and fills it. 6 stands twice.
//!
//! Look at the last insert: it reads slot 0 alone. (A full walk before an erased slot is filled is right for
//! one thread; exhibit 2 is what it does to two.)

use crate::exhibit::{Exhibit, Snapshot, calls, repair, run};
use crate::static_map::{Exchange, StaticMap};
use warpproof_simt::check::{Config, Kind, Scenario};

pub(crate) fn exhibits() -> Vec<Exhibit> {
    let config = Config { lanes: 1, slots: 3, ..Config::default() };
    let program = calls("insert_unique 3 30; insert_unique 6 60; delete 3; insert_unique 6 61");
    let scenario = Scenario::new("museum/25", "static_map", config, vec![program]);
    let published = StaticMap::published(3, Exchange::Dependent, Exchange::Dependent);
    vec![Exhibit {
        id: "25",
        source: "cuCollections, issue 606",
        defect: "an erased slot is filled without a look at the rest of the walk",
        kind: Kind::DuplicateKey,
        shows: "key 6 stands twice",
        snapshot: Snapshot::Found,
        lanes: false,
        published: run(published.clone()),
        repairs: vec![repair("the whole walk first", StaticMap { looks_on: true, ..published })],
        scenario,
    }]
}
