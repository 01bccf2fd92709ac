//! Exhibit 26: key and value are exchanged one after the other, and a value comes back.
//!
//! Source: NVIDIA/cuCollections, pull request 541. Key and value are exchanged one after the other, each for
//! the word as it was read.
//!
//! 26a. Warp 0 deletes 1 and has read its value, 7. Warp 1 deletes 1 and puts 5 into the slot, with the same
//! value. Warp 0's exchange of the key fails; that of the value succeeds all the same, because 7 is there
//! again. Warp 0 now stores back the 7 that it took; but warp 1 has assigned 8 to its key meanwhile, and the
//! 8 is lost. Look at warp 0's last two accesses to the value: the exchange, and the store that should undo
//! it. (Two stores to one word may take effect in another order than the printed one: here 8 comes before the
//! 7 that is stored back. The defect of 26b is repaired here: insert expects no value.)
//!
//! 26b. Warp 1 inserts 3 and reads the slot when warp 0 has erased its key and not yet its value. It wins the
//! key, and repeats its exchange of the value for ever: the value that it read never comes again. The
//! checker's step bound ends it.

use crate::exhibit::{Exhibit, Snapshot, calls, repair, run};
use crate::static_map::{Exchange, StaticMap};
use warpproof_simt::check::{Config, Kind, Scenario};

pub(crate) fn exhibits() -> Vec<Exhibit> {
    let published = StaticMap::published(2, Exchange::BackToBack, Exchange::BackToBack);
    let again = ["delete 1", "delete 1; insert_unique 5 7; insert_or_assign 5 8"];
    vec![
        Exhibit {
            kind: Kind::NotLinearizable,
            shows: "search 5 -> value 7",
            ..exhibit(
                "26a",
                "two exchanges back to back: the value is the same again, the key is not",
                StaticMap { expects_none: true, ..published.clone() },
                again,
            )
        },
        exhibit(
            "26b",
            "two exchanges back to back: an insert waits for a value that never comes",
            published,
            ["delete 1", "insert_unique 5 50"],
        ),
    ]
}

fn exhibit(id: &'static str, defect: &'static str, published: StaticMap, programs: [&str; 2]) -> Exhibit {
    let config = Config { lanes: 1, slots: 2, ..Config::default() };
    let programs = programs.map(calls).to_vec();
    let mut scenario = Scenario::new(format!("museum/{id}"), "static_map", config, programs);
    scenario.preload = calls("insert_unique 1 7");
    scenario.finally = calls("search 5");
    let repaired = StaticMap { expects_none: true, erase: Exchange::Dependent, ..published.clone() };
    Exhibit {
        id,
        source: "cuCollections, PR 541",
        defect,
        kind: Kind::StepBound,
        shows: "warp 1",
        snapshot: Snapshot::Found,
        lanes: false,
        published: run(published),
        repairs: vec![repair("insert expects no value, erase stores its value after the key", repaired)],
        scenario,
    }
}
