//! Checking, independent of the engine: subjects, scenarios, histories, violations, reports.
//!
//! A [`Subject`] is a structure in a tiny configuration. A [`Scenario`] gives the calls of its warps. An
//! engine runs the scenario in all executions that its memory model allows, or in some of them, and checks
//! each: the history is linearizable, the invariants hold in every state, every warp finishes, and every
//! index is within its array. A [`Violation`] contains the steps that lead to it.

#[cfg(test)]
mod anything;
mod bars;
mod case;
#[cfg(test)]
mod decided;
#[cfg(any(feature = "loom", feature = "shuttle"))]
mod execution;
mod explain;
mod fold;
mod history;
mod html;
mod keys;
mod linearization;
#[cfg(test)]
pub(crate) mod litmus;
#[cfg(any(feature = "loom", feature = "shuttle"))]
mod machine;
mod memory;
pub mod monitor;
mod outcome;
pub(crate) mod panics;
mod progress;
mod record;
mod repeats;
mod report;
mod scenario;
pub mod seq;
mod subject;
mod text;
mod timeline;
mod trace;
mod twins;
mod unfit;
mod violation;
mod warp;

pub use history::{Event, linearizable, linearize};
pub use html::{escape, page};
pub use linearization::{Linearization, Placed, Unplaced};
pub use memory::{Access, Cells, Handle, Memory, View};
pub use report::{Pass, Report, Verdict};
pub use scenario::{Allows, Config, Reads, Scenario, Stall};
pub use subject::{AnySubject, Array, LANES, OfLanes, Scope, Subject, of_lanes};
pub use unfit::ScenarioError;
pub use violation::{Breach, Cell, Context, Kind, Loads, Reduced, Sample, Step, Violation};
pub use warp::{ArrayBlock, ArrayWarp, Hooks, SimWarp};

#[cfg(test)]
pub(crate) use anything::Anything;
pub(crate) use case::Case;
#[cfg(any(feature = "loom", feature = "shuttle"))]
pub(crate) use case::WordRef;
#[cfg(any(feature = "loom", feature = "shuttle"))]
pub(crate) use execution::Execution;
pub(crate) use keys::KeySet;
#[cfg(any(feature = "loom", feature = "shuttle"))]
pub(crate) use machine::{Machine, run_warp};
pub(crate) use outcome::LATE;
#[cfg(any(feature = "loom", feature = "shuttle"))]
pub(crate) use progress::is_thrown;
pub(crate) use progress::thrown;
pub(crate) use record::{Action, Record, message};
pub(crate) use twins::Twins;
