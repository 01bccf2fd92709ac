//! Executions with few preemptions: tests which they are, and that the search loses none of them.

use super::random::Numbers;
use super::*;
use crate::engine::Mode;
use crate::explore::bound::Bound;
use crate::explore::search::Limit;
use std::time::Instant;

fn bounded(test: &Test, most: u32) -> Report {
    test.report_with(&Options { mode: Mode::Preemptions(most), ..Options::default() })
}

/// Two additions that are not atomic: without a preemption none is lost; with one, one.
#[test]
fn an_update_is_lost_with_one_preemption() {
    let lossy = [Ins::Next(X, X, ReadOrder::Acquire, WriteOrder::Release)];
    let test = threads(&[&lossy, &lossy]).last();
    let seen = |most| bounded(&test, most).outcomes.len();
    assert_eq!((seen(0), seen(1), seen(2)), (2, 3, 3));
    assert_eq!(bounded(&test, 0).verdict, Verdict::Sampled);
}

/// Two threads that hand a value over k times need k - 1 preemptions in all.
#[test]
fn every_message_back_is_a_preemption() {
    let pass = |word: usize, value| [wait(word, value), release(word + 1, value)];
    let back = |word: usize, value| [release(word, value), wait(word + 1, value)];
    let one: Vec<Ins> = [back(X, 1), back(X, 2)].concat();
    let other: Vec<Ins> = [pass(X, 1), pass(X, 2)].concat();
    let test = threads(&[&one, &other]);
    let executions = |most| bounded(&test, most).executions;
    assert_eq!((executions(2), executions(3)), (0, 1));
}

const fn wait(word: usize, value: u64) -> Ins {
    Ins::Await(word, value, ReadOrder::Acquire)
}

/// Random programs: the search that leaves graphs beyond the bound sees what the search sees that leaves
/// none.
#[test]
fn no_execution_within_the_bound_is_lost() {
    let mut numbers = Numbers(5);
    let (mut followed, mut all) = (0, 0);
    for _ in 0..200 {
        let program: Vec<Vec<Ins>> = (0..2 + numbers.below(2)).map(|_| numbers.thread(3)).collect();
        let program: Vec<&[Ins]> = program.iter().map(Vec::as_slice).collect();
        let test = threads(&program).last();
        for most in 0..3 {
            let some = bounded(&test, most);
            let case = test.case();
            let verdict = crate::explore::explore(
                &case,
                &Options { mode: Mode::Preemptions(most), ..Options::default() },
                Some(Bound { most, slack: u32::MAX }),
                &Limit { cap: Options::default().cap(), before: 0, started: Instant::now() },
            );
            assert_eq!(verdict, Verdict::Passed);
            assert_eq!(some.outcomes, case.outcomes(), "{most}: {program:?}");
            assert_eq!(some.executions, case.executions(), "{most}: {program:?}");
            (followed, all) = (followed + some.executions, all + test.executions());
        }
    }
    assert!(followed < all, "{followed} of {all}");
}
