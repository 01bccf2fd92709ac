//! Exhibit 4: a search returns another key's value.
//!
//! Source: owensgroup/SlabHash, search. One lane reads the key, the next lane the value, and each lane's load
//! is a step of its own. Between the two, warp 1 deletes 1 and inserts 5 into the same pair: the search for 1
//! returns the value of 5.
//!
//! Look at warp 0's loads of the pair: the first sees `1:10`, the second `5:70`. If all lanes read at once
//! the defect is hidden, so proofs that take a warp's read for a snapshot miss it.

use crate::exhibit::{Exhibit, Snapshot, calls, ours, repair, run};
use crate::slab_hash::{Repairs, SlabHash};
use warpproof_simt::check::{Config, Kind, Scenario};

pub(crate) fn exhibits() -> Vec<Exhibit> {
    let config = Config { lanes: 4, slots: 1, buckets: 1, pool: 1, ..Config::default() };
    let programs = vec![calls("search 1"), calls("delete 1; insert 5 70")];
    let mut scenario = Scenario::new("museum/4", "SlabHash", config, programs);
    scenario.preload = calls("insert 1 10");
    let whole = Repairs { whole_pairs: true, ..Repairs::default() };
    vec![Exhibit {
        id: "4",
        source: "SlabHash, search",
        defect: "key and value read as two words by two lanes",
        kind: Kind::NotLinearizable,
        shows: "search 1 -> value 70",
        snapshot: Snapshot::Hidden,
        lanes: false,
        published: run(SlabHash::<1>::new(&scenario, Repairs::default())),
        repairs: vec![
            repair("one lane reads the pair as one word", SlabHash::<1>::new(&scenario, whole)),
            ours("our slab hash", "multimap32", 2),
        ],
        scenario,
    }]
}
