//! The scenarios of every structure.

pub mod family;
pub mod random;
pub mod slab;

use crate::check::{AnySubject, Scenario};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A scenario that cannot be run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ScenarioError {
    /// No such structure.
    Structure(String),
    /// Neither 1, 2 nor 4 lanes.
    Lanes(u32),
    /// A number of slots per lane that is not supported.
    Slots(u32),
    /// No warp, or more than four.
    Warps(usize),
}

impl core::fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Structure(name) => write!(f, "there is no structure `{name}`"),
            Self::Lanes(lanes) => write!(f, "a warp of {lanes} lanes: checks run with 1, 2 or 4"),
            Self::Slots(slots) => write!(f, "{slots} slots per lane: slabs have 2, 3 or 4"),
            Self::Warps(warps) => write!(f, "{warps} warps: checks run with 1 to 4"),
        }
    }
}

impl core::error::Error for ScenarioError {}

/// The subject of `scenario`.
///
/// # Errors
/// If the structure or its configuration is not known.
pub fn subject(scenario: &Scenario) -> Result<Arc<dyn AnySubject>, ScenarioError> {
    slab::subject(scenario)
}
