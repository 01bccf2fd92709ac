//! Exhibit 27: an insert that finds its key does not wait for the value.
//!
//! Source: NVIDIA/cuCollections, pull request 389 and issue 530 (insert_and_find); NVIDIA/cudf, issue 9317.
//! The key is exchanged, then the value is stored. Warp 1 inserts the same key, learns that it is there and
//! where, and reads the value there: it is that of an empty slot. (`insert_and_find` returns the place; here
//! it is an insert and then a search.)
//!
//! Look at warp 1's load of the value: it comes before warp 0's store, or does not see it.

use crate::exhibit::{Exhibit, Snapshot, calls, repair, run};
use crate::static_map::{Exchange, StaticMap};
use warpproof_simt::check::{Config, Kind, Scenario};

pub(crate) fn exhibits() -> Vec<Exhibit> {
    let config = Config { lanes: 1, slots: 1, ..Config::default() };
    let programs = vec![calls("insert_unique 5 10"), calls("insert_unique 5 20; search 5")];
    let mut scenario = Scenario::new("museum/27", "static_map", config, programs);
    scenario.finally = calls("search 5");
    let published = StaticMap::published(1, Exchange::Dependent, Exchange::Dependent);
    vec![Exhibit {
        id: "27",
        source: "cuCollections, PR 389, issue 530; cudf, issue 9317",
        defect: "insert_and_find returns before the value is there",
        kind: Kind::NotLinearizable,
        shows: "search 5 -> value none",
        snapshot: Snapshot::Found,
        lanes: false,
        published: run(published.clone()),
        repairs: vec![repair("it waits for the value", StaticMap { waits: true, ..published })],
        scenario,
    }]
}
