//! Checking, whatever the engine: subjects, scenarios, histories, violations, reports.
//!
//! A [`Subject`] is a structure in a tiny configuration, a [`Scenario`] says what its warps do. An engine (see
//! `crate::loom`) runs the scenario in every way that its memory model has, and asks of each execution: is the
//! history linearizable, do the invariants hold in every state, does every warp finish, is every index in its
//! array. A [`Violation`] carries the steps that lead to it.

mod bars;
#[cfg(feature = "loom")]
mod case;
mod explain;
mod fold;
mod history;
mod html;
mod linearization;
mod memory;
pub mod monitor;
#[cfg(feature = "loom")]
mod record;
mod report;
mod scenario;
mod subject;
mod text;
mod timeline;
mod violation;
mod warp;

pub use history::{Event, linearizable, linearize};
pub use html::{escape, page};
pub use linearization::{Linearization, Placed, Unplaced};
pub use memory::{Access, Cells, Handle, Memory, View};
pub use report::{Pass, Report, Verdict};
pub use scenario::{Allows, Config, Reads, Scenario, Stall};
pub use subject::{AnySubject, Array, LANES, Subject};
pub use violation::{Breach, Cell, Context, Kind, Loads, Reduced, Step, Violation};
pub use warp::{ArrayBlock, ArrayWarp, Hooks, SimWarp};

#[cfg(feature = "loom")]
pub(crate) use case::Case;
#[cfg(feature = "loom")]
pub(crate) use record::{Action, Record};
