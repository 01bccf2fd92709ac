//! Scenarios whose versions have one bit or two, so that they wrap between two steps of another warp.
//!
//! A version of `n` bits occurs again after `2^n - 1` changes. So an insert that looks for room sees up to
//! `2^n - 2` changes of the homes around it, and may miss `2^n - 1`.

use super::places;
use super::tables::MAP32;
use crate::check::Scenario;
use crate::scenarios::form;
use crate::scenarios::table::{Name, Place};
use warpproof_model::spec::Call;
use warpproof_model::spec::Op::{self, *};

/// One change, at the beginning, in the middle and at the end of a round.
pub(super) fn seen() -> Vec<Scenario> {
    vec![missed(1, 0, 1), missed(2, 1, 1), missed(2, 3, 1)]
}

/// Two changes with three versions, in the middle and at the end of a round.
pub(super) fn deep() -> Vec<Scenario> {
    vec![missed(2, 1, 2), missed(2, 3, 2)]
}

/// A scenario in which a member has left its slot before and has come back: the next one that leaves ends a
/// round.
pub(super) fn after_one(mut scenario: Scenario) -> Scenario {
    let there = scenario.preload[0].clone();
    scenario.preload.extend([Call::new(Delete, there.key, 0), there]);
    scenario.name += "_version1";
    scenario
}

/// A scenario whose versions have so many bits.
pub(super) fn narrow(scenario: Scenario, bits: u32) -> Scenario {
    form::narrow(scenario, &[bits])
}

/// An insert looks for room while members leave their slots, those of home 1 first, whose version then is
/// `version`. Before the second leaves its slot, an insert fills the only empty one. So there is an empty
/// slot at every instant.
fn missed(bits: u32, version: usize, changes: usize) -> Scenario {
    const GAP: Place = Place { keys: &[(0, 0), (1, 1), (2, 2), (0, 1)], ..places::GAP };
    const LEAVING: [Name; 3] = [(1, 1), (0, 1), (2, 1)];
    let mut moves = LEAVING[..changes].iter().map(|&name| (Delete, name)).collect::<Vec<(Op, Name)>>();
    moves.insert(1, (InsertUnique, (2, 2)));
    let mut scenario = MAP32.of_names(GAP, &[&moves, &[(InsertUnique, (0, 0))]]);
    let key = MAP32.key(GAP.homes, LEAVING[0]);
    for _ in 0..version {
        scenario.preload.extend([Delete, InsertUnique].map(|op| Call::new(op, key, 0)));
    }
    scenario.name += &format!("_version{version}");
    narrow(scenario, bits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{Kind, Verdict};
    use crate::engine::{Engine, Options};
    use crate::explore::Explore;

    fn explored(scenario: &Scenario) -> crate::check::Report {
        Explore.explore(scenario, &Options { threads: 2, ..Options::default() }).expect("a scenario")
    }

    /// A whole round of versions is not seen: the insert returns `Full`, although a slot was empty at every
    /// instant.
    fn is_missed(bits: u32, version: usize, changes: usize) {
        let violation = explored(&missed(bits, version, changes)).violation.expect("a false `Full`");
        assert_eq!(violation.kind, Kind::FullWithRoom);
        let trace = violation.timeline();
        let line = |text| trace.lines().position(|line| line.contains(text)).expect("a line of the trace");
        assert!(line("CALL delete") < line("RETURN full"), "{trace}");
    }

    /// With one change less, or with a version that is one bit longer, the insert looks again: that is in the
    /// default set.
    #[test]
    fn a_round_of_one_version_is_missed() {
        is_missed(1, 1, 1);
        let seen = [missed(1, 0, 1), missed(2, 1, 1)];
        assert!(seen.iter().all(|scenario| explored(scenario).verdict == Verdict::Passed));
    }

    /// Two changes are seen, in the deep set.
    #[test]
    fn a_round_of_three_versions_is_missed() {
        is_missed(2, 3, 3);
    }
}
