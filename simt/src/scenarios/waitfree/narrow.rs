//! Scenarios whose counters are so narrow that they wrap between two steps of another warp.
//!
//! A head counts fewer announcements than its count has values. A chain with a receipt covers fewer calls of
//! its warp than there are call numbers. A pool has fewer epochs than a turn can distinguish. The tests show
//! what happens with one more of each.

use super::epochs::{KEY, OTHER, REPLACE, by_epochs};
use super::places::{self, full, with};
use super::tables::SET64;
use crate::check::Scenario;
use crate::scenarios::form::narrow;
use crate::scenarios::table::Name;
use warpproof_model::spec::Op::{self, Delete, InsertUnique, Search};

/// Counters that go up to their limits.
pub(super) fn rounds() -> Vec<Scenario> {
    vec![between(0, 1), between(1, 2), between(2, 2), refused(1, 2), refused(1, 3), turns(3)]
}

/// A warp makes a call on one bucket, some on another, and one more on the first one, whose chain still has
/// the receipt of the first. All are announced, with numbers of so many bits.
fn between(others: usize, bits: u32) -> Scenario {
    let first: Name = (0, 0);
    let there = [(InsertUnique, (1, 0)), (Delete, (1, 0))];
    let mut calls: Vec<(Op, Name)> = vec![(InsertUnique, first)];
    calls.extend(there.iter().cycle().take(others));
    calls.push((Delete, first));
    narrow(with(&SET64.of_names(places::BUCKETS, &[&calls, &[(Search, first)]]), 0), &[0, bits])
}

/// A warp has taken all nodes for a call that is announced; another one finds none for so many calls, each of
/// which adds twice to the head, whose count has so many bits.
fn refused(calls: usize, bits: u32) -> Scenario {
    let refused = [(InsertUnique, (0, 1)), (InsertUnique, (0, 2))];
    let mut scenario = SET64.of_names(places::ROOM, &[&[(Delete, (0, 0))], &refused[..calls]]);
    scenario.config.bitmap = vec![u32::MAX << 3];
    scenario.name += "_spare2";
    narrow(with(&full(scenario), 0), &[bits, 0])
}

/// A warp looks for a key which is there all the time, while another one replaces its node and uses that
/// again. Turns know so many bits of their epochs, and there are six of these.
fn turns(bits: u32) -> Scenario {
    narrow(by_epochs(4, &[&REPLACE, &[(Search, OTHER), (Search, KEY)]]), &[bits])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{Report, Verdict};
    use crate::engine::{Engine, Options};
    use crate::explore::Explore;

    fn explored(scenario: &Scenario) -> Report {
        Explore.explore(scenario, &Options::default()).expect("a scenario")
    }

    fn trace(report: Report) -> String {
        let violation = report.violation.expect("a violation");
        format!("{}: {}", violation.kind, violation.timeline())
    }

    /// A receipt is mistaken for that of a later call with an equal number.
    #[test]
    fn a_receipt_outlives_the_numbers_of_calls() {
        for (others, bits) in [(1, 1), (3, 2)] {
            let trace = trace(explored(&between(others, bits)));
            assert!(trace.contains("not linearizable") && trace.contains("RETURN absent"), "{trace}");
            assert_eq!(explored(&between(others - 1, bits)).verdict, Verdict::Passed);
        }
    }

    /// A count that has wrapped to zero means that no call is announced, so no warp runs the announced calls.
    #[test]
    fn a_head_forgets_announcements_after_a_whole_round() {
        let trace = trace(explored(&refused(2, 2)));
        assert!(trace.contains("step bound exceeded") && trace.contains("asked 3 -> receipts 0 "), "{trace}");
        assert_eq!(explored(&refused(1, 2)).verdict, Verdict::Passed);
        assert_eq!(explored(&refused(2, 3)).verdict, Verdict::Passed);
    }

    /// A node is used again while a turn may be at it.
    #[test]
    fn a_pool_ends_with_its_epochs() {
        let trace = trace(explored(&turns(2)));
        assert!(trace.contains("not linearizable") && trace.contains("epoch: 5"), "{trace}");
        assert_eq!(explored(&turns(3)).verdict, Verdict::Passed);
    }
}
