//! A structure that is checked: one row for all that explore it.

use super::table::{Made, Maker, Table};
use crate::check::{Scenario, ScenarioError};

/// A structure that is checked. Whoever explores scenarios goes through such rows ([`super::STRUCTURES`]).
#[derive(Debug)]
pub struct Checked {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is, in one line.
    pub what: &'static str,
    /// Its tables, of which there are all programs of a size and random ones; the first is asked for unless
    /// another is named.
    pub tables: &'static [Table],
    /// Some scenarios: at most some seconds.
    pub quick: fn() -> Vec<Scenario>,
    /// What shows that it holds.
    pub default_set: fn() -> Vec<Scenario>,
    /// Everything else that is explored to the end.
    pub deep: fn() -> Vec<Scenario>,
    /// Those of real widths, for an engine that samples.
    pub wide: fn() -> Vec<Scenario>,
    /// The subjects of scenarios that are of none of its tables.
    pub(super) others: Maker,
    /// Random scenarios that are of none of its tables.
    pub(super) random: &'static [Draw],
}

/// Draws a random scenario: it asks for numbers below the one that it gives.
pub(super) type Draw = fn(&mut dyn FnMut(u32) -> u32) -> Scenario;

impl Checked {
    /// The default set and the deep one: no scenario twice.
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
