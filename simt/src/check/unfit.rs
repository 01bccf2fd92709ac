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
                write!(f, "warps of {lanes} lanes: this structure is checked with {LANES:?} lanes")
            }
            Self::Shape(shape) => f.write_str(shape),
            Self::Programs => f.write_str(
                "in a scenario of a retrieval or a batch each warp makes one call of search_all and no other call; in one \
                 of a pager warp 0 makes one call of op0, and warps 1 to 3 make one call of op1 each, with the keys 0 to 2",
            ),
            Self::Warps { warps, most } => write!(f, "the scenario has {warps} warps; this engine runs 1 to {most}"),
            Self::Stall(warp) => write!(f, "the scenario stalls warp {warp}, which does not exist"),
            Self::Snapshot => f.write_str("the scenario reads snapshots; this engine has only torn reads"),
        }
    }
}

impl core::error::Error for ScenarioError {}
