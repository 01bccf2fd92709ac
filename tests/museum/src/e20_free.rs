//! Exhibit 20: a node is free at once.
//!
//! Source: Shinde, "Wait-free set", 2016: FREE.
//!
//! A node that was replaced is free at once, and the next CLONE takes it. Warp 0 clones the node after the
//! head, without 4, and waits. Warp 1 takes 4 out and adds 7: that replaces the node twice, and the second
//! time the same node comes back with new values. Warp 0 finds the node that it expects and replaces it by
//! its clone of the old values: 4 was taken out twice, and 7 is lost.

use crate::exhibit::{Exhibit, Snapshot, calls, large_repair, run};
use crate::shinde::List;
use warpproof_simt::check::{Config, Kind, Scenario};

pub(crate) fn exhibits() -> Vec<Exhibit> {
    let config = Config { lanes: 2, pool: 6, ..Config::default() };
    let programs = vec![calls("delete 4"), calls("delete 4; insert_unique 7")];
    let mut scenario = Scenario::new("museum/20", "shinde", config, programs);
    scenario.finally = calls("search 4; search 7");
    let right = List { lanes: 2, held: &[&[u32::MAX, 4]], ..List::RIGHT };
    vec![Exhibit {
        id: "20",
        source: "Shinde",
        defect: "a node is used again at once, and taken for what it was",
        kind: Kind::NotLinearizable,
        shows: "search",
        snapshot: Snapshot::Found,
        lanes: false,
        published: run(List { frees: true, spare: 4, ..right.clone() }),
        repairs: vec![large_repair("nodes are not used again", right)],
        scenario,
    }]
}
