//! The coverage of a set of scenarios: for each operation of a table, the calls that it meets.

use super::{Progress, STRUCTURES};
use crate::check::Scenario;
use std::collections::{BTreeMap, BTreeSet};
use warpproof_model::spec::Op;

/// The coverage of one operation of a table by a set of scenarios.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Coverage {
    /// The table, by the name that scenarios use.
    pub table: String,
    /// The operation.
    pub op: String,
    /// How many scenarios have such calls, for each width: lanes, and words of a lane.
    pub widths: BTreeMap<(u32, u32), usize>,
    /// The operations that another warp calls meanwhile on the same key.
    pub beside: BTreeSet<String>,
    /// The operations that its own warp calls before or after it on the same key.
    pub in_row: BTreeSet<String>,
    /// How many of the scenarios have a warp that stops for ever.
    pub stalled: usize,
    /// Its progress guarantee, if it is an operation of a table.
    pub progress: Option<Progress>,
}

impl Coverage {
    /// How many scenarios have such calls.
    pub fn scenarios(&self) -> usize {
        self.widths.values().sum()
    }
}

/// The coverage of scenarios, in the order of tables and operations. Takes time proportional to the square of
/// the number of calls of each scenario.
pub fn coverage(scenarios: &[Scenario]) -> Vec<Coverage> {
    let mut of_operations = BTreeMap::<(String, String), Coverage>::new();
    for scenario in scenarios {
        let calls = || {
            let programs = scenario.programs.iter().enumerate();
            programs
                .flat_map(|(warp, calls)| calls.iter().enumerate().map(move |(at, call)| (warp, at, call)))
        };
        let mut counted = BTreeSet::new();
        for (warp, at, call) in calls() {
            let (table, op) = (scenario.structure.clone(), call.op.to_string());
            let first = counted.insert(op.clone());
            let of_op = of_operations.entry((table.clone(), op.clone())).or_default();
            (of_op.table, of_op.op, of_op.progress) = (table, op, promised(&scenario.structure, call.op));
            if first {
                *of_op.widths.entry((scenario.config.lanes, scenario.config.slots)).or_default() += 1;
                of_op.stalled += usize::from(scenario.stall.is_some());
            }
            for (its_warp, its_at, other) in calls().filter(|(.., other)| other.key == call.key) {
                if its_warp != warp {
                    of_op.beside.insert(other.op.to_string());
                } else if its_at != at {
                    of_op.in_row.insert(other.op.to_string());
                }
            }
        }
    }
    of_operations.into_values().collect()
}

/// The progress guarantee of an operation of the table with this name.
fn promised(table: &str, op: Op) -> Option<Progress> {
    let mut tables = STRUCTURES.iter().flat_map(|structure| structure.tables);
    tables.find(|known| known.name == table && known.ops.contains(&op)).map(|table| table.progress(op))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenarios::Checked;
    use warpproof_model::spec::Op::{InsertOrAssign, SearchAll};

    /// What the default set of a structure lacks of the required coverage of each operation of each of its
    /// tables.
    fn gaps(structure: &Checked) -> Vec<String> {
        let mut gaps = Vec::new();
        let covered = coverage(&(structure.default_set)());
        for table in structure.tables {
            for op in table.ops {
                let found = covered.iter().find(|c| c.table == table.name && c.op == op.to_string());
                let found = found.cloned().unwrap_or_default();
                // Values of several pairs may be of different instants, so no warp assigns to them meanwhile.
                let torn = |other| {
                    let both = [*op, other];
                    table.multi
                        && table.has_values()
                        && both.contains(&SearchAll)
                        && both.contains(&InsertOrAssign)
                };
                for other in table.ops.iter().filter(|other| !torn(**other)).map(ToString::to_string) {
                    if !found.beside.contains(&other) {
                        gaps.push(format!("{} {op}: not beside {other}", table.name));
                    }
                    if !found.in_row.contains(&other) {
                        gaps.push(format!("{} {op}: not in a row with {other}", table.name));
                    }
                }
                // A slot of a table of reserved keys is the key's own: there are no buckets.
                let buckets = structure.name != "reserved";
                if buckets && !found.widths.keys().any(|&(lanes, words)| lanes > 1 && words > 1) {
                    gaps.push(format!("{} {op}: not by several lanes of several words", table.name));
                }
                if found.stalled == 0 {
                    gaps.push(format!("{} {op}: not beside a warp that stops", table.name));
                }
            }
        }
        gaps
    }

    #[test]
    fn every_operation_of_every_table_meets_every_other() {
        // Growth, copies of all entries and the pager have no tables.
        let with_tables: Vec<_> =
            STRUCTURES.iter().filter(|structure| !structure.tables.is_empty()).collect();
        assert_eq!(with_tables.len(), 7);
        for structure in with_tables {
            assert_eq!(gaps(structure), [""; 0], "{}", structure.name);
        }
    }
}
