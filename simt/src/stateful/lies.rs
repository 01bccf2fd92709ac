//! Marks that lie, planted in the structures: each is found.
//!
//! A planted mark says, after so many steps of every call, that nothing before matters. That hides
//! executions, unless a call has read nothing yet that it needs. To see it, exploration with the mark must
//! find a violation, or other outcomes than exploration without marks.

use super::Stateful;
use crate::check::{Scenario, Verdict};
use crate::engine::{Engine, Options};
use crate::scenarios::{cuckoo, dynamic, hopscotch, open, slab, waitfree};
use std::cell::Cell;

thread_local! {
    /// After how many steps of a call a mark is planted.
    static PLANTED: Cell<Option<usize>> = const { Cell::new(None) };
}

/// After how many steps of a call a mark is planted.
pub(super) fn planted() -> Option<usize> {
    PLANTED.get()
}

/// Whether some scenario shows that a mark after so many steps hides something. Scenarios with more than
/// `most` states are left out.
fn is_found(scenarios: &[Scenario], steps: usize, most: u64) -> bool {
    let explore = |scenario: &Scenario, marks| {
        let options = Options { marks, max_executions: Some(most), ..Options::default() };
        Stateful.explore(scenario, &options).expect("a scenario")
    };
    scenarios.iter().any(|scenario| {
        let right = explore(scenario, false);
        if right.verdict == Verdict::Capped {
            return false;
        }
        assert_eq!(right.verdict, Verdict::Passed, "{}", scenario.name);
        PLANTED.set(Some(steps));
        let planted = explore(scenario, true);
        PLANTED.set(None);
        (planted.verdict, planted.outcomes) != (right.verdict, right.outcomes)
    })
}

/// Sixty marks, after each of ten steps of every call on six structures. What the first step reads may never
/// change while there is one key: then calls with two keys show the mark. On a hopscotch table it decides
/// nothing in these programs, so its marks begin after the second step.
#[test]
fn every_planted_mark_is_found() {
    type Family = fn(keys: usize) -> Vec<Scenario>;
    let families: [(&str, Family); 6] = [
        ("cuckoo", |keys| cuckoo::MAP32.family(2, keys)),
        ("open", |keys| open::LOCK64.family(2, keys)),
        ("dynamic", |keys| dynamic::MAP32.family(2, keys)),
        ("hopscotch", |keys| hopscotch::MAP32.family(2, keys)),
        ("slab", |keys| slab::LOCK64.family(2, keys)),
        ("waitfree", |keys| waitfree::SET64.family(2, keys)),
    ];
    let mut missed = Vec::new();
    for (name, family) in families {
        let one_key = family(1);
        let found = |&steps: &usize| {
            is_found(&one_key, steps, 50_000) || steps == 1 && is_found(&family(2), steps, 50_000)
        };
        let first = if name == "hopscotch" { 2 } else { 1 };
        let hidden = (first..first + 10).filter(|steps| !found(steps));
        missed.extend(hidden.map(|steps| format!("{name}, after {steps} steps")));
    }
    assert_eq!(missed, [""; 0]);
}
