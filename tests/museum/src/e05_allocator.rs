//! Exhibit 5: the allocator never gives up, and forgets a slab.
//!
//! Source: owensgroup/SlabAlloc and the insert of owensgroup/SlabHash.
//!
//! 5a. No slab is free: the warp changes its resident block for ever. One warp and one insert are enough.
//! Look at the loads of the bitmap: the same words again and again, while there is no warp that could free a
//! slab. The checker's step bound ends it.
//!
//! 5b. Two warps extend the same chain. One takes the first slab; the other fails on that bit, copies the
//! word, takes the second slab and links it. The first gives its slab back: the bit is cleared in memory and
//! stays set in its own copy, and in the other's. The slab is free and every warp takes it for used. Only a
//! failed exchange of that word would correct a copy; but the copies say *full*, so neither warp ever tries
//! one. Look at the last `and` on the bitmap and at the copies. (In 5b the torn read of exhibit 4 is
//! repaired.)

use crate::exhibit::{Exhibit, Snapshot, calls, ours, repair, run};
use crate::slab_hash::{Repairs, SlabHash};
use warpproof_simt::check::{Config, Kind, Scenario};

pub(crate) fn exhibits() -> Vec<Exhibit> {
    vec![exhausted(), lost_link()]
}

fn exhausted() -> Exhibit {
    let config = Config { lanes: 2, slots: 2, buckets: 1, pool: 1, ..Config::default() };
    let mut scenario = Scenario::new("museum/5a", "SlabHash", config, vec![calls("insert_unique 3 30")]);
    scenario.preload = calls("insert_unique 1 10; insert_unique 2 20");
    scenario.finally = calls("search 3");
    scenario.allows.full = true;
    let bounded = Repairs { bounded_walk: true, ..Repairs::default() };
    Exhibit {
        id: "5a",
        source: "SlabAlloc, warpAllocate",
        defect: "pool full: the warp changes its resident block for ever",
        kind: Kind::StepBound,
        shows: "warp 0",
        snapshot: Snapshot::Found,
        lanes: false,
        published: run(SlabHash::<2>::new(&scenario, Repairs::default())),
        repairs: vec![
            repair("one change per block, then Full", SlabHash::<2>::new(&scenario, bounded)),
            ours("our slab hash", "map32", 2),
        ],
        scenario,
    }
}

fn lost_link() -> Exhibit {
    let config = Config { lanes: 1, slots: 6, buckets: 1, pool: 2, ..Config::default() };
    let programs = vec![calls("insert_unique 3 30"), calls("insert_unique 4 40")];
    let mut scenario = Scenario::new("museum/5b", "SlabHash", config, programs);
    scenario.preload = calls("insert_unique 1 10; insert_unique 2 20");
    scenario.finally = calls("search 3; search 4");
    let published = Repairs { whole_pairs: true, ..Repairs::default() };
    let forgets = Repairs { forgets_freed: true, ..published };
    Exhibit {
        id: "5b",
        source: "SlabAlloc, freeUntouched",
        defect: "lost link exchange: the slab given back stays taken in the warps' copies",
        kind: Kind::LostSlab,
        shows: "every warp takes it for used",
        snapshot: Snapshot::Found,
        lanes: false,
        published: run(SlabHash::<6>::new(&scenario, published)),
        repairs: vec![
            repair("the bit is cleared in the copy too", SlabHash::<6>::new(&scenario, forgets)),
            ours("our slab hash, which keeps no copies", "map32", 3),
        ],
        scenario,
    }
}
