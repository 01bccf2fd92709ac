//! Exhibit 18: one warp alone loses keys.
//!
//! Source: Shinde, "Wait-free set", 2016: WINDOW and CLONE.
//!
//! 18a. WINDOW compares the wrong way round: it says *not here* of just the node that may hold the key. So no
//! key is ever found, and the walk leaves the list.
//!
//! 18b. CLONE makes two nodes of a full one and hands the first to REPLACE, which overwrites its link:
//! nothing leads to the second one, which has the key.
//!
//! 18c. The key goes into the upper half. If it is below all values, that has no empty lane, and a value is
//! overwritten.

use crate::exhibit::{Exhibit, Snapshot, calls, repair, run};
use crate::shinde::{List, Split};
use warpproof_simt::check::{Config, Kind, Scenario};

/// A full node, and the last one.
const FULL: &[&[u32]] = &[&[4, 8], &[u32::MAX]];

pub(crate) fn exhibits() -> Vec<Exhibit> {
    let scenario = |id: &str, program: &str, finally: &str| {
        let config = Config { lanes: 2, pool: 4, ..Config::default() };
        let mut scenario = Scenario::new(format!("museum/{id}"), "shinde", config, vec![calls(program)]);
        scenario.finally = calls(finally);
        scenario
    };
    let right = List { lanes: 2, held: FULL, ..List::RIGHT };
    let exhibit = |id, defect, kind, shows, published: List, what, scenario| Exhibit {
        id,
        source: "Shinde",
        defect,
        kind,
        shows,
        snapshot: Snapshot::Found,
        lanes: false,
        published: run(published),
        repairs: vec![repair(what, right.clone())],
        scenario,
    };
    vec![
        exhibit(
            "18a",
            "WINDOW compares the wrong way round: the walk passes the key and leaves the list",
            Kind::OutOfBounds,
            "accessed values",
            List { window: false, ..right.clone() },
            "a node is asked for keys up to its largest",
            scenario("18a", "search 4", ""),
        ),
        exhibit(
            "18b",
            "a split links its lower half alone",
            Kind::NotLinearizable,
            "search 5",
            List { split: Split::LosesUpper, ..right.clone() },
            "both halves are linked",
            scenario("18b", "insert_unique 5", "search 5; search 8"),
        ),
        exhibit(
            "18c",
            "a split puts the key into a half without room",
            Kind::NotLinearizable,
            "search 4",
            List { split: Split::IntoUpper, ..right.clone() },
            "the key goes into the half that has room",
            scenario("18c", "insert_unique 2", "search 2; search 4"),
        ),
    ]
}
