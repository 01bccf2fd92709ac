//! Exhibit 22: the counter of a block is never reset, and is its base as well.
//!
//! Source: the blog on retrieve_all, variants 2a and 3a, run with fewer threads than slots, so that a thread
//! goes round more than once.
//!
//! 22a. Variant 2a, one thread, three filled slots: in the third round the counter begins at the base of the
//! second. The keys are written at 0, 1 and 3, and 4 are counted. Look at the addition to the counter: the
//! first two rounds it finds 0, the third it finds 1. (After the first round it holds the base, which is 0 by
//! luck.)
//!
//! 22b. Variant 2a, two warps, two rounds, a filled slot for warp 0 in the first and for warp 1 in the
//! second: nothing stands between a slow warp's load of the base and a fast warp's addition to the same word
//! in its next round. Look at warp 0's load of `shared[0]` before its store: it finds what warp 1 has added.
//!
//! 22c. Variant 3a: the base has a word of its own, the counter is not reset either. One thread, two filled
//! slots: indices 0 and 2, and 3 are counted.

use crate::exhibit::{Exhibit, Snapshot, calls, repair, run};
use crate::retrieve::{Retrieve, Variant};
use warpproof_simt::check::{Config, Kind, Scenario};

pub(crate) fn exhibits() -> Vec<Exhibit> {
    let own_base = "the base has a word of its own and the counter is reset";
    let reset = "the counter is reset";
    vec![
        exhibit("22a", "2a", "the counter is never reset", Variant::Counter, (&[1, 2, 3], 1), own_base),
        exhibit("22b", "2a", "the counter is the base too", Variant::Counter, (&[1, 0, 0, 4], 2), own_base),
        exhibit("22c", "3a", "the counter is never reset", Variant::Warp, (&[1, 2], 1), reset),
    ]
}

fn exhibit(
    id: &'static str,
    number: &'static str,
    defect: &'static str,
    variant: Variant,
    (slots, warps): (&'static [u32], usize),
    what: &'static str,
) -> Exhibit {
    let config = Config { lanes: 1, slots: slots.len() as u32, ..Config::default() };
    let scenario =
        Scenario::new(format!("museum/{id}"), "retrieve_all", config, vec![calls("search_all 0"); warps]);
    let published = Retrieve::published(variant, slots, warps);
    Exhibit {
        id,
        source: if number == "2a" { "retrieve_all, 2a" } else { "retrieve_all, 3a" },
        defect,
        kind: Kind::Invariant,
        shows: "was never written",
        snapshot: Snapshot::Found,
        lanes: false,
        published: run(published.clone()),
        repairs: vec![repair(what, Retrieve { resets: true, ..published })],
        scenario,
    }
}
