//! Random executions: every outcome seen exists, and every outcome that exists is seen.

use super::random::Numbers;
use super::*;
use crate::engine::Mode;

fn walked(test: &Test, seed: u64, schedules: u64) -> Report {
    test.report_with(&Options { mode: Mode::Random, seed, schedules, ..Options::default() })
}

/// Random programs: the outcomes of a walk are among those of all executions, and nearly all of them are
/// seen.
#[test]
fn walks_see_nearly_everything_and_nothing_else() {
    let mut numbers = Numbers(1);
    let (mut exist, mut seen) = (0, 0);
    for _ in 0..100 {
        let program: Vec<Vec<Ins>> = (0..2 + numbers.below(2)).map(|_| numbers.thread(3)).collect();
        let program: Vec<&[Ins]> = program.iter().map(Vec::as_slice).collect();
        let test = threads(&program).last();
        let (all, some) = (test.report(), walked(&test, 1, 2000));
        assert_eq!((some.verdict, some.executions), (Verdict::Sampled, 2000), "{program:?}");
        assert!(some.outcomes.is_subset(&all.outcomes), "{program:?}");
        (exist, seen) = (exist + all.outcomes.len(), seen + some.outcomes.len());
    }
    assert!(100 * seen > 95 * exist, "{seen} of {exist}");
}

/// The weak outcome of MP, and the one that is only left when a lock does not work.
#[test]
fn a_walk_waits_and_reads_old_values() {
    let test = threads(&[&[write(X, 1), write(Y, 1)], &[Ins::Await(Y, 1, ReadOrder::Relaxed), read(X)]]);
    assert_eq!(walked(&test, 1, 100).outcomes, test.report().outcomes);
    let lock = [Ins::Lock(Z, Order::Acquire), next(X, X), Ins::Unlock(Z, WriteOrder::Release)];
    let test = threads(&[&lock, &lock, &lock]).last();
    assert_eq!(walked(&test, 1, 200).outcomes, test.report().outcomes);
}

/// One seed always finds one execution, and a deadlock counts as an outcome.
#[test]
fn a_seed_names_an_execution() {
    let both = |one, other| [one, other].map(|word| Ins::Lock(word, Order::Acquire));
    let test = threads(&[&both(X, Y), &both(Y, X)]);
    let [one, again] = [walked(&test, 7, 500), walked(&test, 7, 500)];
    let (one, again) = (one.violation.expect("a deadlock"), again.violation.expect("the same"));
    assert_eq!((one.kind, one.execution), (Kind::StepBound, again.execution));
    assert_eq!(one.steps, again.steps);
    assert_eq!(one.sample.expect("of a sample").seed, 7);
}
