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
    /// A structure of a shape that it is not checked in: which one, and which there are.
    Shape(String),
    /// The programs are not those of the structure: of a retrieval or a batch one call of `search_all` each,
    /// of a pager a host and three streams.
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
