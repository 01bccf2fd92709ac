//! Which programs a set of scenarios has, for each table and operation.

use crate::check::Scenario;
use std::collections::{BTreeMap, BTreeSet};

/// The calls of one operation of a table in a set of scenarios.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Family {
    /// The table: what scenarios call their structure.
    pub table: String,
    /// The operation.
    pub op: String,
    /// How many scenarios have such calls, for each width: lanes, and words of a lane.
    pub widths: BTreeMap<(u32, u32), usize>,
    /// What another warp calls meanwhile, on the same key.
    pub beside: BTreeSet<String>,
    /// What the same warp calls before or after it, on the same key.
    pub in_row: BTreeSet<String>,
    /// How many of the scenarios have a warp that stops for ever.
    pub stalled: usize,
}

impl Family {
    /// How many scenarios have such calls.
    pub fn scenarios(&self) -> usize {
        self.widths.values().sum()
    }
}

/// The families of some scenarios, in the order of tables and operations.
pub fn families(scenarios: &[Scenario]) -> Vec<Family> {
    let mut families = BTreeMap::<(String, String), Family>::new();
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
            let family = families.entry((table.clone(), op.clone())).or_default();
            (family.table, family.op) = (table, op);
            if first {
                *family.widths.entry((scenario.config.lanes, scenario.config.slots)).or_default() += 1;
                family.stalled += usize::from(scenario.stall.is_some());
            }
            for (its_warp, its_at, other) in calls().filter(|(.., other)| other.key == call.key) {
                if its_warp != warp {
                    family.beside.insert(other.op.to_string());
                } else if its_at != at {
                    family.in_row.insert(other.op.to_string());
                }
            }
        }
    }
    families.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenarios::{Checked, STRUCTURES};
    use warpproof_model::spec::Op::{InsertOrAssign, SearchAll};

    /// What the default set of a structure has not, of what each operation of each of its tables has to have.
    fn gaps(structure: &Checked) -> Vec<String> {
        let mut gaps = Vec::new();
        let families = families(&(structure.default_set)());
        for table in structure.tables {
            for op in table.ops {
                let family = families.iter().find(|f| f.table == table.name && f.op == op.to_string());
                let family = family.cloned().unwrap_or_default();
                // Values of several pairs may be of different instants, so nobody assigns to them meanwhile.
                let torn = |other| {
                    let both = [*op, other];
                    table.multi
                        && table.has_values()
                        && both.contains(&SearchAll)
                        && both.contains(&InsertOrAssign)
                };
                let others = table.ops.iter().filter(|other| !torn(**other)).map(|other| other.to_string());
                for (others, missing) in others.map(|other| (other.clone(), other)) {
                    if !family.beside.contains(&others) {
                        gaps.push(format!("{} {op}: not beside {missing}", table.name));
                    }
                    if !family.in_row.contains(&others) {
                        gaps.push(format!("{} {op}: not in a row with {missing}", table.name));
                    }
                }
                // A slot of a table of reserved keys is the key's own: there are no buckets.
                let buckets = structure.name != "reserved";
                if buckets && !family.widths.keys().any(|&(lanes, words)| lanes > 1 && words > 1) {
                    gaps.push(format!("{} {op}: not by several lanes of several words", table.name));
                }
                if family.stalled == 0 {
                    gaps.push(format!("{} {op}: not beside a warp that stops", table.name));
                }
            }
        }
        gaps
    }

    #[test]
    fn every_operation_of_every_table_meets_every_other() {
        for structure in &STRUCTURES {
            assert_eq!(gaps(structure), [""; 0], "{}", structure.name);
        }
    }
}
