//! Exhibit 23: a barrier that not all warps of the block reach.
//!
//! Source: the blog on retrieve_all, variants 2b and 2a.
//!
//! 23a. The scan of variant 2b, run as published: as many threads as slots, rounded up to blocks. In the last
//! block the threads beyond the last slot skip the scan. One slot, a block of two warps: warp 0 waits for
//! warp 1, which has nothing to do. (Where the barrier counts an ended warp as arrived, the scan reads what
//! nobody wrote.)
//!
//! 23b. The loop of variant 2a with three slots and a block of two warps: warp 0 goes round twice, warp 1
//! once. (The counter of exhibit 22 is put right: it plays no part.)
//!
//! Look at the end: one warp stands at a barrier, the other one has returned.

use crate::exhibit::{Exhibit, Snapshot, calls, repair, run};
use crate::retrieve::{Retrieve, Variant};
use warpproof_simt::check::{Config, Kind, Scenario};

pub(crate) fn exhibits() -> Vec<Exhibit> {
    let scan = Retrieve::published(Variant::Scan, &[1], 2);
    let counter = Retrieve { resets: true, ..Retrieve::published(Variant::Counter, &[1, 2, 3], 2) };
    vec![
        exhibit("23a", "retrieve_all, 2b", "threads beyond the last slot skip the block's scan", scan, 1),
        exhibit("23b", "retrieve_all, 2a", "a barrier in a loop that ends earlier for some", counter, 3),
    ]
}

fn exhibit(
    id: &'static str,
    source: &'static str,
    defect: &'static str,
    published: Retrieve,
    slots: u32,
) -> Exhibit {
    let config = Config { lanes: 1, slots, ..Config::default() };
    let programs = vec![calls("search_all 0"); 2];
    Exhibit {
        id,
        source,
        defect,
        kind: Kind::BarrierDivergence,
        shows: "another warp has ended",
        snapshot: Snapshot::Found,
        lanes: false,
        published: run(published.clone()),
        repairs: vec![repair(
            "all warps go round as often, without a slot they add nothing",
            Retrieve { uniform: true, bounded: true, ..published },
        )],
        scenario: Scenario::new(format!("museum/{id}"), "retrieve_all", config, programs),
    }
}
