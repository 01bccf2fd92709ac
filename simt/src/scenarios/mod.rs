//! The scenarios of every structure.

pub mod bulk;
pub mod cuckoo;
mod dice;
pub mod dynamic;
pub mod entry;
pub mod family;
mod form;
mod home;
pub mod hopscotch;
mod member;
pub mod open;
mod part;
pub mod random;
pub mod retrieve;
mod shares;
pub mod slab;

use crate::check::{AnySubject, LANES, Scenario};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A scenario that cannot be run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ScenarioError {
    /// No such structure.
    Structure(String),
    /// A number of lanes that the subject is not checked with.
    Lanes(u32),
    /// A slab of a shape that is not supported.
    Shape {
        /// Lanes.
        lanes: u32,
        /// Words per lane.
        slots: u32,
    },
    /// A bucket of a shape that is not supported.
    Bucket {
        /// Lanes.
        lanes: u32,
        /// Slots per lane.
        slots: u32,
    },
    /// A neighbourhood of a shape that is not supported.
    Neighbourhood {
        /// Lanes.
        lanes: u32,
        /// Words per lane of a group.
        slots: u32,
        /// Groups.
        reach: u32,
    },
    /// Submaps that are none, or of which the last is too large for a key to probe all of it.
    Submaps {
        /// Submaps.
        submaps: u32,
        /// Buckets of the first.
        buckets: u32,
    },
    /// Lanes that read slots in a shape that is not supported.
    Lane {
        /// Lanes.
        lanes: u32,
        /// Slots of a row.
        slots: u32,
        /// Rows of a lane.
        rows: u32,
    },
    /// The programs are not one call of `search_all` each, or there are other calls.
    Programs,
    /// No warp, or more than the engine knows.
    Warps {
        /// So many are asked for.
        warps: usize,
        /// So many the engine knows.
        most: usize,
    },
    /// A warp is stalled that is not there.
    Stall(usize),
    /// Reads are snapshots, and the engine knows none.
    Snapshot,
}

impl core::fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Structure(name) => write!(f, "there is no structure `{name}`"),
            Self::Lanes(lanes) => {
                write!(f, "a warp of {lanes} lanes: this subject is checked with {LANES:?}")
            }
            Self::Shape { lanes, slots } => {
                write!(f, "a slab of {lanes} lanes with {slots} words each: slabs have {:?}", slab::SHAPES)
            }
            Self::Bucket { lanes, slots } => {
                write!(
                    f,
                    "a bucket of {lanes} lanes with {slots} slots each: buckets have {:?}",
                    open::SHAPES
                )
            }
            Self::Neighbourhood { lanes, slots, reach } => write!(
                f,
                "a neighbourhood of {reach} groups of {lanes} lanes with {slots} words each: they are, lanes first, {:?}",
                hopscotch::SHAPES
            ),
            Self::Submaps { submaps, buckets } => write!(
                f,
                "{submaps} submaps, the first of {buckets} buckets: there is one at least, and the last has two buckets at most"
            ),
            Self::Lane { lanes, slots, rows } => write!(
                f,
                "warps of {lanes} lanes that read {rows} rows of {slots} slots each: they are, lanes first, slots last, {:?}",
                retrieve::SHAPES
            ),
            Self::Programs => f.write_str(
                "each warp of a retrieval or a batch makes one call of search_all, and there is no other call",
            ),
            Self::Warps { warps, most } => write!(f, "{warps} warps: this engine runs 1 to {most}"),
            Self::Stall(warp) => write!(f, "warp {warp} is stalled, and there is no such warp"),
            Self::Snapshot => f.write_str("reads are snapshots, and this engine has torn reads alone"),
        }
    }
}

impl core::error::Error for ScenarioError {}

/// The subject of `scenario`.
///
/// # Errors
/// If the structure or its configuration is not known.
pub fn subject(scenario: &Scenario) -> Result<Arc<dyn AnySubject>, ScenarioError> {
    match scenario.structure.split_once('_') {
        Some(("bulk", _)) => bulk::subject(scenario),
        Some(("hop", _)) => hopscotch::subject(scenario),
        Some(("cuckoo", _)) => cuckoo::subject(scenario),
        Some(("dyn", _)) => dynamic::subject(scenario),
        Some(("open", _)) => open::subject(scenario),
        Some(("retrieve", _)) => retrieve::subject(scenario),
        _ => slab::subject(scenario),
    }
}

/// What every set of scenarios is: no name stands twice, and each is the same behind JSON.
#[cfg(test)]
fn assert_a_set(scenarios: &[Scenario]) {
    let names: std::collections::HashSet<_> = scenarios.iter().map(|scenario| &scenario.name).collect();
    assert_eq!(names.len(), scenarios.len());
    for scenario in scenarios {
        let text = serde_json::to_string(scenario).expect("JSON");
        assert_eq!(serde_json::from_str::<Scenario>(&text).expect("a scenario"), *scenario);
    }
}

/// Every tenth of those that are sampled holds in a few schedules.
#[cfg(all(test, feature = "shuttle"))]
fn assert_samples_hold(scenarios: &[Scenario]) {
    use crate::engine::{Engine, Options};
    let options = Options { schedules: 12, ..Options::default() };
    for scenario in scenarios.iter().step_by(10) {
        let report = crate::shuttle::Shuttle.explore(scenario, &options).expect("a scenario");
        assert!(report.is_clean(), "{}: {:?}", report.scenario, report.violation.map(|v| v.timeline()));
        assert_eq!(report.executions, 12, "{}", report.scenario);
    }
}
