//! The scenarios of every structure, and what runs them.

pub mod slab;

use crate::check::{Scenario, Subject};
use serde::{Deserialize, Serialize};

/// What an engine does with the subject of a scenario.
pub trait Visitor {
    /// What it returns.
    type Output;

    /// Takes the subject.
    fn visit<S: Subject>(self, subject: S, scenario: &Scenario) -> Self::Output;
}

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

/// Hands the subject of `scenario` to `visitor`.
///
/// # Errors
/// If the structure or its configuration is not known.
pub fn with_subject<V: Visitor>(scenario: &Scenario, visitor: V) -> Result<V::Output, ScenarioError> {
    slab::with_subject(scenario, visitor)
}
