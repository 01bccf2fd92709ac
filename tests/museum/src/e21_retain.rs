//! Exhibit 21: a lock without an owner.
//!
//! Source: Shinde, "Wait-free set", 2016: REPLACE, which is claimed to be wait-free.
//!
//! REPLACE retains the link of the old node before it exchanges the link before it. A warp that stops between
//! the two leaves a retained link, and no word says whose it is: no other warp can finish the replacement or
//! take the link back. Every warp that reaches it begins again, readers too.
//!
//! Our wait-free set has an announcement instead of the bit: any warp that replaces a node also runs the
//! announced call.

use crate::exhibit::{Exhibit, Repair, Snapshot, calls, run};
use crate::shinde::List;
use warpproof_simt::check::{Config, Kind, Scenario, Stall};
use warpproof_simt::engine::{Engine, Options};

pub(crate) fn exhibits() -> Vec<Exhibit> {
    let config = Config { lanes: 2, pool: 6, ..Config::default() };
    let programs = vec![calls("insert_unique 1"), calls("search 9")];
    let mut scenario = Scenario::new("museum/21", "shinde", config, programs);
    scenario.stall = Some(Stall { warp: 0, after: None });
    let ours = |engine: &dyn Engine, scenario: &Scenario, options: &Options| {
        let mut scenario = Scenario { structure: "waitfree_set64".to_string(), ..scenario.clone() };
        scenario.config = Config { lanes: 2, slots: 2, buckets: 1, ..Config::default() };
        engine.explore(&scenario, options)
    };
    vec![Exhibit {
        id: "21",
        source: "Shinde",
        defect: "a warp that stops while it retains a link stops all others, readers too",
        kind: Kind::StepBound,
        shows: "retained",
        snapshot: Snapshot::Found,
        lanes: false,
        published: run(List { lanes: 2, held: &[&[4], &[u32::MAX]], ..List::RIGHT }),
        repairs: vec![Repair { what: "our wait-free set", run: Box::new(ours), small: true }],
        scenario,
    }]
}
