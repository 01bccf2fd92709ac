//! Exhibit 1: a unique insert fills a hole and never looks at the rest of the chain.
//!
//! Source: owensgroup/SlabHash, issue 17. Delete leaves an empty pair; the unique insert looks for its key
//! and for an empty pair in the slab in hand alone. One warp is enough: 5 is in the base slab, 7 in the next;
//! 5 is deleted; unique insert of 7 stops at the hole, and 7 stands twice.
//!
//! Look at the last insert: it reads the base slab, exchanges the hole and returns, without a load of the
//! slab where its key is.

use crate::exhibit::{Exhibit, Snapshot, calls, ours, repair, run};
use crate::slab_hash::{Repairs, SlabHash};
use warpproof_simt::check::{Config, Kind, Scenario};

pub(crate) fn exhibits() -> Vec<Exhibit> {
    let config = Config { lanes: 2, slots: 2, buckets: 1, pool: 1, ..Config::default() };
    let program = calls("insert_unique 5 50; insert_unique 7 70; delete 5; insert_unique 7 71");
    let mut scenario = Scenario::new("museum/1", "SlabHash", config, vec![program]);
    scenario.finally = calls("count 7");
    let tombstones = Repairs { tombstones: true, ..Repairs::default() };
    vec![Exhibit {
        id: "1",
        source: "SlabHash, issue 17",
        defect: "unique insert fills a freed slot without scanning the chain",
        kind: Kind::DuplicateKey,
        shows: "key 7 stands twice",
        snapshot: Snapshot::Found,
        lanes: false,
        published: run(SlabHash::<2>::new(&scenario, Repairs::default())),
        repairs: vec![
            repair("delete leaves a tombstone", SlabHash::<2>::new(&scenario, tombstones)),
            ours("our slab hash", "map32", 2),
        ],
        scenario,
    }]
}
