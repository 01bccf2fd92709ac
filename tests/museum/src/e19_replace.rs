//! Exhibit 19: another node is replaced than the one that was cloned.
//!
//! Source: Shinde, "Wait-free set", 2016: REPLACE.
//!
//! REPLACE reads the link before the node again, and replaces whatever follows by now. Warp 0 clones a node
//! with 5; warp 1 replaces that node by one with 7; warp 0 replaces the one with 7. Both say that they have
//! added their key.

use crate::exhibit::{Exhibit, Snapshot, calls, large_repair, run};
use crate::shinde::List;
use warpproof_simt::check::{Config, Kind, Scenario};

pub(crate) fn exhibits() -> Vec<Exhibit> {
    let config = Config { lanes: 4, pool: 6, ..Config::default() };
    let programs = vec![calls("insert_unique 5"), calls("insert_unique 7")];
    let mut scenario = Scenario::new("museum/19", "shinde", config, programs);
    scenario.finally = calls("search 5; search 7");
    vec![Exhibit {
        id: "19",
        source: "Shinde",
        defect: "REPLACE replaces what follows now, not what was cloned: an update is lost",
        kind: Kind::NotLinearizable,
        shows: "search",
        snapshot: Snapshot::Found,
        lanes: false,
        published: run(List { expects: false, ..List::RIGHT }),
        repairs: vec![large_repair("it compares with the node that was cloned", List::RIGHT)],
        scenario,
    }]
}
