//! Exhibit 2: insert, delete and insert race, and the key stands twice.
//!
//! Source: owensgroup/SlabHash, issue 27. Two pairs to a slab, the first one taken by 1. Warp 0, a unique
//! insert of 5, sees the second pair empty. Warp 1 deletes 1 and inserts 5 into the first pair, which is
//! empty now. Warp 0's exchange of the second pair succeeds all the same: both return *inserted*.
//!
//! Look at the two exchanges with 5: neither touches what the other read. As long as nothing is deleted the
//! unique insert is sound, because pairs are filled in order and all inserts meet at the first empty one.

use crate::exhibit::{Exhibit, Snapshot, calls, ours, repair, run};
use crate::slab_hash::{Repairs, SlabHash};
use warpproof_simt::check::{Config, Kind, Scenario};

pub(crate) fn exhibits() -> Vec<Exhibit> {
    let config = Config { lanes: 2, slots: 3, buckets: 1, pool: 1, ..Config::default() };
    let programs = vec![calls("insert_unique 5 50"), calls("delete 1; insert_unique 5 51")];
    let mut scenario = Scenario::new("museum/2", "SlabHash", config, programs);
    scenario.preload = calls("insert_unique 1 10");
    scenario.finally = calls("count 5");
    let tombstones = Repairs { tombstones: true, ..Repairs::default() };
    vec![Exhibit {
        id: "2",
        source: "SlabHash, issue 27",
        defect: "insert, delete and insert race: the key stands twice",
        kind: Kind::DuplicateKey,
        shows: "key 5 stands twice",
        snapshot: Snapshot::Found,
        lanes: false,
        published: run(SlabHash::<3>::new(&scenario, Repairs::default())),
        repairs: vec![
            repair("delete leaves a tombstone", SlabHash::<3>::new(&scenario, tombstones)),
            ours("our slab hash", "map32", 3),
        ],
        scenario,
    }]
}
