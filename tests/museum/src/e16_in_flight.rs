//! Exhibit 16: a key in flight.
//!
//! Source: Starfish, insert and search kernels of a child table on two streams.
//!
//! Between two exchanges of an insert the evicted pair is in a register alone. A search in between finds it
//! at no home and not in the stash (16a). A delete finds nothing to delete, and then the key is back (16b).
//!
//! What exhibit 15 shows is put right.

use crate::cuckoo::{keys, ours};
use crate::exhibit::{Exhibit, Snapshot, calls, repair, run};
use crate::starfish::ChildTable;
use warpproof_simt::check::{Config, Kind, Scenario};

pub(crate) fn exhibits() -> Vec<Exhibit> {
    let published = ChildTable { carries: true, knows_deleted: true, ..ChildTable::PRINTED };
    let in_turns = ChildTable { in_turns: true, ..published };
    // A key that comes to a home that is taken, and the one that has to go.
    let ([comes], [moved]) = (keys(0, 1), keys(0, 2));
    let exhibit = |id, defect, call: &'static str, finally| {
        let config = Config { lanes: 1, ..Config::default() };
        let programs = vec![calls(&format!("insert_unique {comes} 40")), calls(&format!("{call} {moved}"))];
        let mut scenario = Scenario::new(format!("museum/{id}"), "starfish", config, programs);
        (scenario.preload, scenario.finally) = (calls(&format!("insert_unique {moved} 10")), calls(finally));
        scenario.allows.full = true;
        Exhibit {
            id,
            source: "Starfish",
            defect,
            kind: Kind::NotLinearizable,
            shows: call,
            snapshot: Snapshot::Found,
            lanes: false,
            published: run(published),
            repairs: vec![repair("kernels on one child table take turns", in_turns), ours()],
            scenario,
        }
    };
    vec![
        exhibit(
            "16a",
            "an evicted key is in a register alone: a search misses it",
            "search",
            &format!("search {comes}"),
        ),
        exhibit(
            "16b",
            "an evicted key is in a register alone: a delete misses it, and it comes back",
            "delete",
            &format!("search {comes}; search {moved}"),
        ),
    ]
}
