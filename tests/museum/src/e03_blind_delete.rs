//! Exhibit 3: delete erases another key.
//!
//! Source: owensgroup/SlabHash, delete. Warp 0 deletes 1 and finds it in the first pair. Warp 1 deletes 1 and
//! inserts 5 into the same pair. Warp 0 *swaps* the pair for an empty one, whatever stands there: 5 is gone.
//! It notices that the pair was not the one it looked for and returns *absent*, but does not put 5 back.
//!
//! Look at the swap: its old value has another key than the loads before it.

use crate::exhibit::{Exhibit, Snapshot, calls, ours, repair, run};
use crate::slab_hash::{Repairs, SlabHash};
use warpproof_simt::check::{Config, Kind, Scenario};

pub(crate) fn exhibits() -> Vec<Exhibit> {
    let config = Config { lanes: 2, slots: 2, buckets: 1, pool: 1, ..Config::default() };
    let programs = vec![calls("delete 1"), calls("delete 1; insert 5 50")];
    let mut scenario = Scenario::new("museum/3", "SlabHash", config, programs);
    scenario.preload = calls("insert 1 10");
    scenario.finally = calls("search 5");
    let checked = Repairs { checked_delete: true, ..Repairs::default() };
    vec![Exhibit {
        id: "3",
        source: "SlabHash, delete",
        defect: "blind exchange after a stale read erases another key",
        kind: Kind::NotLinearizable,
        shows: "search 5 -> value none",
        snapshot: Snapshot::Found,
        lanes: false,
        published: run(SlabHash::<2>::new(&scenario, Repairs::default())),
        repairs: vec![
            repair("delete exchanges the pair as read", SlabHash::<2>::new(&scenario, checked)),
            ours("our slab hash", "multimap32", 2),
        ],
        scenario,
    }]
}
