//! A structure that is checked: one row for everything that explores it.

use super::table::{Made, Maker, Table};
use crate::check::{Scenario, ScenarioError};

/// A structure that is checked. Everything that explores scenarios uses these rows ([`super::STRUCTURES`]).
#[derive(Debug)]
pub struct Checked {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is, in one line.
    pub what: &'static str,
    /// Its tables, for which there are all programs of a size and random ones. The first is used unless
    /// another is named.
    pub tables: &'static [Table],
    /// Some scenarios: at most some seconds.
    pub quick: fn() -> Vec<Scenario>,
    /// The scenarios that show that it is right.
    pub default_set: fn() -> Vec<Scenario>,
    /// Everything else that is explored to the end.
    pub deep: fn() -> Vec<Scenario>,
    /// Scenarios of real widths, for an engine that samples.
    pub wide: fn() -> Vec<Scenario>,
    /// The subjects of scenarios that use none of its tables.
    pub(super) others: Maker,
    /// Random scenarios that use none of its tables.
    pub(super) random: &'static [Draw],
}

/// Draws a random scenario. The argument returns a number below the given one.
pub(super) type Draw = fn(&mut dyn FnMut(u32) -> u32) -> Scenario;

impl Checked {
    /// The default set and the deep one, without duplicates.
    pub fn all(&self) -> Vec<Scenario> {
        [(self.default_set)(), (self.deep)()].concat()
    }

    /// The subject of a scenario.
    ///
    /// # Errors
    /// If the scenario is of another structure, or its configuration is not known.
    pub(super) fn subject(&self, scenario: &Scenario) -> Made {
        let table = self.tables.iter().find(|table| table.name == scenario.structure);
        table.map_or(self.others, |table| table.subject)(scenario)
    }
}

/// There is no other subject.
pub(super) fn none(scenario: &Scenario) -> Made {
    Err(ScenarioError::Structure(scenario.structure.clone()))
}
