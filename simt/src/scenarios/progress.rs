//! The progress guarantees of operations. Scenarios in which a warp stops for ever are judged by them.

use super::Table;
use crate::check::Scenario;
use std::fmt;
use warpproof_model::spec::Op;

/// The progress guarantee of an operation, whatever other warps do and wherever they stop.
///
/// There is no weaker guarantee between the last two: if warps keep each other from finishing for ever,
/// although none stops, that is a violation for each of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// It ends within a number of rounds that is known in advance
    /// ([`Subject::bound`](crate::check::Subject::bound)).
    WaitFree,
    /// It begins again only if another call took effect. A warp that stops keeps no other from finishing.
    LockFree,
    /// It may wait for a warp that is in the middle of one of these operations.
    Blocking(&'static [Op]),
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WaitFree => write!(f, "wait-free"),
            Self::LockFree => write!(f, "lock-free"),
            Self::Blocking(by) => {
                let by: Vec<String> = by.iter().map(Op::to_string).collect();
                write!(f, "blocking, by {}", by.join(", "))
            }
        }
    }
}

impl Table {
    /// The progress guarantee of one of its operations.
    pub fn progress(&self, op: Op) -> Progress {
        (self.plan.progress)(self, op)
    }

    /// Whether a warp of a scenario may wait for the one that stops for ever.
    pub(super) fn may_wait(&self, scenario: &Scenario) -> bool {
        let Some(stall) = scenario.stall else { return false };
        let stopped = &scenario.programs[stall.warp];
        let waits = |op| match self.progress(op) {
            Progress::Blocking(by) => stopped.iter().any(|call| by.contains(&call.op)),
            _ => false,
        };
        let others = scenario.programs.iter().enumerate().filter(|(warp, _)| *warp != stall.warp);
        let mut others = others.map(|(_, calls)| calls);
        others.any(|other| {
            other.iter().any(|call| waits(call.op)) && (self.plan.meet)(&scenario.preload, [stopped, other])
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Kind;
    use crate::engine::{Engine as _, Options};
    use crate::explore::Explore;
    use crate::scenarios::waitfree::NEVER;
    use crate::scenarios::{Checked, STRUCTURES, subject};
    use std::collections::HashSet;
    use warpproof_model::spec::Call;

    /// The operations of all tables of a structure.
    fn operations(structure: &Checked) -> impl Iterator<Item = (&Table, Op)> {
        structure.tables.iter().flat_map(|table| table.ops.iter().map(move |&op| (table, op)))
    }

    /// The calls of an operation on a table in a set of scenarios, each with its scenario.
    fn calls<'a>(
        set: &'a [Scenario],
        table: &Table,
        op: Op,
    ) -> impl Iterator<Item = (&'a Scenario, &'a Call)> {
        let name = table.name;
        let of_table = set.iter().filter(move |scenario| scenario.structure == name);
        of_table
            .flat_map(|scenario| scenario.calls().map(move |call| (scenario, call)))
            .filter(move |(_, call)| call.op == op)
    }

    #[test]
    fn what_is_wait_free_has_a_bound() {
        for structure in &STRUCTURES {
            let set = (structure.default_set)();
            for (table, op) in operations(structure) {
                if table.progress(op) != Progress::WaitFree {
                    continue;
                }
                // Of calls that never ask for help, exchanges are explored that a bound would end.
                let asks = |scenario: &Scenario| {
                    structure.name != "waitfree" || op == Op::Search || scenario.config.reach < NEVER
                };
                let mut bounded = 0;
                for (scenario, call) in calls(&set, table, op).filter(|(scenario, _)| asks(scenario)) {
                    let subject = subject(scenario).expect("a subject");
                    assert!(subject.bound(call).is_some(), "{op} of {}", scenario.name);
                    bounded += 1;
                }
                assert!(bounded > 0, "{op} of {} is in no scenario", table.name);
            }
        }
    }

    /// Final calls are made after a stop, unless what looks at keys may wait by its promise.
    #[test]
    fn keys_are_looked_at_after_a_stop_unless_that_may_wait() {
        for structure in &STRUCTURES {
            let set = (structure.default_set)();
            for table in structure.tables {
                let waits = matches!(table.progress(table.plan.look), Progress::Blocking(_));
                let of_table = set.iter().filter(|scenario| scenario.structure == table.name);
                for scenario in of_table.filter(|scenario| scenario.stall.is_some()) {
                    let subject = subject(scenario).expect("a subject");
                    assert_eq!(subject.reads_after_stall(), !waits, "{}", scenario.name);
                }
            }
        }
    }

    /// Operations that are declared as blocking do block: if a table declares that an operation may wait for
    /// another one, there is a scenario of its structure in which it does. So no guarantee is weaker than
    /// what holds.
    #[test]
    fn who_may_wait_does_somewhere() {
        for structure in &STRUCTURES {
            let set = (structure.default_set)();
            let mut may = HashSet::new();
            for (table, op) in operations(structure) {
                if let Progress::Blocking(by) = table.progress(op) {
                    may.extend(by.iter().filter(|by| table.ops.contains(by)).map(|&by| (by, op)));
                }
            }
            for (by, op) in may {
                let waits = set.iter().filter(|scenario| stops(scenario, by, op)).any(waits_for_ever);
                assert!(waits, "{}: {op} never waits for {by}", structure.name);
            }
        }
    }

    /// Whether one warp stops in an operation, and another one calls one of its own.
    fn stops(scenario: &Scenario, stopped: Op, other: Op) -> bool {
        let Some(stall) = scenario.stall else { return false };
        let ops = |calls: &Vec<Call>| calls.iter().map(|call| call.op).collect::<Vec<_>>();
        let mut programs = scenario.programs.clone();
        programs.swap(0, stall.warp);
        programs.iter().map(ops).eq([vec![stopped], vec![other]])
    }

    /// Whether a scenario that may wait is violated where it may not.
    fn waits_for_ever(scenario: &Scenario) -> bool {
        let mut strict = scenario.clone();
        strict.allows.blocking = false;
        let options = Options { fail_fast: true, ..Options::default() };
        let violation = Explore.explore(&strict, &options).expect("a scenario").violation;
        scenario.allows.blocking && violation.is_some_and(|violation| violation.kind == Kind::StepBound)
    }

    #[test]
    fn promises_are_written_for_people() {
        let promises =
            [Progress::WaitFree, Progress::LockFree, Progress::Blocking(&[Op::Insert, Op::Delete])];
        let texts = promises.map(|progress| progress.to_string());
        assert_eq!(texts, ["wait-free", "lock-free", "blocking, by insert, delete"]);
    }
}
