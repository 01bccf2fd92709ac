//! Exhibit 24: lanes beyond the last slot look up a submap too.
//!
//! Source: NVIDIA/cuCollections, pull request 709 (retrieve_all for dynamic_map). The loop is made uniform,
//! which cures exhibit 23; now lanes beyond the last slot take part, and the look-up of their submap reads a
//! prefix sum before it tests whether there is one. A submap of one slot and a warp of two lanes are enough.
//!
//! Look at the last load: lane 1 has seen `prefix[0]`, and reads `prefix[1]`, which does not exist.

use crate::exhibit::{Exhibit, Snapshot, calls, repair, run};
use crate::retrieve::{Retrieve, Variant};
use warpproof_simt::check::{Config, Kind, Scenario};

pub(crate) fn exhibits() -> Vec<Exhibit> {
    let config = Config { lanes: 2, slots: 1, ..Config::default() };
    let scenario = Scenario::new("museum/24", "retrieve_all", config, vec![calls("search_all 0")]);
    let published = Retrieve::published(Variant::Warp, &[1], 1);
    let published = Retrieve { resets: true, uniform: true, ..published };
    vec![Exhibit {
        id: "24",
        source: "cuCollections, PR 709",
        defect: "lanes beyond the last slot read a prefix sum that does not exist",
        kind: Kind::OutOfBounds,
        shows: "prefix[1]",
        snapshot: Snapshot::Found,
        lanes: false,
        published: run(published.clone()),
        repairs: vec![repair("the bound is tested first", Retrieve { bounded: true, ..published })],
        scenario,
    }]
}
