//! Why a scenario cannot be run.

use super::LANES;
use serde::{Deserialize, Serialize};

/// A scenario that cannot be run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ScenarioError {
    /// No such structure.
    Structure(String),
    /// A number of lanes that the subject is not checked with.
    Lanes(u32),
    /// A shape in which the structure is not checked: the shape, and the shapes that exist.
    Shape(String),
    /// The programs do not fit the structure. A retrieval or a batch needs one call of `search_all` per warp;
    /// a pager needs a host and three streams.
    Programs,
    /// No warp, or more than the engine supports.
    Warps {
        /// Number of warps of the scenario.
        warps: usize,
        /// The most that the engine supports.
        most: usize,
    },
    /// The stalled warp does not exist.
    Stall(usize),
    /// The scenario reads snapshots, which the engine does not support.
    Snapshot,
}

impl core::fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Structure(name) => write!(f, "there is no structure `{name}`"),
            Self::Lanes(lanes) => {
                write!(f, "a warp of {lanes} lanes: this subject is checked with {LANES:?}")
            }
            Self::Shape(shape) => f.write_str(shape),
            Self::Programs => f.write_str(
                "each warp of a retrieval or a batch makes one call of search_all, and there is no other call; \
                 of a pager, warp 0 makes one call of op0, and warps 1 to 3 make one of op1 with the keys 0 to 2",
            ),
            Self::Warps { warps, most } => write!(f, "{warps} warps: this engine runs 1 to {most}"),
            Self::Stall(warp) => write!(f, "warp {warp} is stalled, and there is no such warp"),
            Self::Snapshot => f.write_str("reads are snapshots, and this engine has torn reads alone"),
        }
    }
}

impl core::error::Error for ScenarioError {}
