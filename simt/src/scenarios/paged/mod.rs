//! The scenarios of a pager: child tables of which only some are in frames of a device's memory.
//!
//! A warp of one lane is the host, and one each a stream of the device. The host gives the pager several jobs
//! without waiting for any; the streams delay and reorder whatever the events allow.

mod device;
mod sets;
mod subject;

pub use sets::{deep, default_set, quick};
pub use subject::PagedSubject;

use super::checked::{Checked, none};
use super::table::Made;
use crate::check::{OfLanes, Scenario, ScenarioError};
use std::sync::Arc;

/// What is checked of a pager. Its calls are rows of jobs: it is no table of calls of one key.
pub(super) const CHECKED: Checked = Checked {
    name: PagedSubject::STRUCTURE,
    what: "Tables larger than the memory of the device: which are in frames, and what waits for what",
    tables: &[],
    quick,
    default_set,
    deep,
    wide: Vec::new,
    others: subject,
    random: &[sets::random],
};

fn subject(scenario: &Scenario) -> Made {
    if scenario.structure != PagedSubject::STRUCTURE {
        return none(scenario);
    }
    match scenario.config.lanes {
        1 => Ok(Arc::new(OfLanes::<_, 1>(PagedSubject::new(scenario)))),
        lanes => Err(ScenarioError::Lanes(lanes)),
    }
}
