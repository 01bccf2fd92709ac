//! Warps that run the same thread: of executions that differ only in the order of such warps, exploring one
//! loses no outcome.

use super::random::Numbers;
use super::*;

/// Warps that run these threads, by number, and what is explored with and without regard to that.
fn compared(threads: &[Vec<Ins>], warps: &[usize]) -> [Report; 2] {
    let config = Config { lanes: 1, ..Config::default() };
    let programs = warps.iter().map(|&thread| vec![Call::new(RUN, thread as u64, 0)]).collect();
    let mut scenario = Scenario::new("twins", "litmus", config, programs);
    scenario.finally = vec![Call::new(LAST, 0, 0)];
    let subject = Threads { threads: threads.to_vec(), in_block: false, twins: true };
    [true, false].map(|symmetry| {
        let options = Options { symmetry, ..Options::default() };
        explore_subject(&Explore, subject.clone(), &scenario, &options).expect("a scenario")
    })
}

/// A thread that adds and reads on: of n! executions one is left.
#[test]
fn of_the_orders_of_twins_one_is_left() {
    let thread = vec![add(X, Order::Relaxed), read(Y)];
    for (twins, orders) in [(2, 2), (3, 6), (4, 24), (5, 120)] {
        let [one, all] = compared(std::slice::from_ref(&thread), &vec![0; twins]);
        assert_eq!((one.executions, all.executions), (1, orders));
        assert_eq!(one.outcomes, all.outcomes);
    }
}

/// Two pairs of twins.
#[test]
fn pairs_of_twins_are_ordered_each() {
    let threads = [vec![add(X, Order::Relaxed)], vec![add(X, Order::Relaxed), add(Y, Order::Relaxed)]];
    let [one, all] = compared(&threads, &[0, 1, 0, 1]);
    assert_eq!(one.outcomes, all.outcomes);
    assert_eq!(all.executions, 4 * one.executions);
}

/// Pairs of twins that depend on each other: what waits for one half of an exchange waits for the other.
#[test]
fn pairs_of_twins_wait_for_whole_steps() {
    let threads = [
        vec![Ins::Next(X, Y, ReadOrder::Relaxed, WriteOrder::Relaxed)],
        vec![Ins::Cas(Y, 0, 2, Order::Relaxed), Ins::Swap(X, 2, Order::Relaxed)],
    ];
    let [one, all] = compared(&threads, &[0, 0, 1, 1]);
    assert_eq!(one.outcomes, all.outcomes);
    assert_eq!((one.executions, all.executions), (28, 112));
}

/// Random threads, run by two to four warps: the outcomes, final memory included, are the same.
#[test]
fn no_outcome_of_random_twins_is_lost() {
    let mut numbers = Numbers(1);
    let shapes: [&[usize]; 6] = [&[0, 0], &[0, 0, 1], &[0, 1, 0], &[0, 0, 0], &[0, 0, 1, 1], &[0, 0, 0, 0]];
    let (mut fewer, mut explored) = (0, 0);
    for round in 0..2000 {
        let shape = shapes[round % shapes.len()];
        let longest = if shape.len() < 4 { 3 } else { 2 };
        let threads = [numbers.thread(longest), numbers.thread(longest)];
        let [one, all] = compared(&threads, shape);
        assert_eq!(one.verdict, Verdict::Passed, "{shape:?} {threads:?}: {:?}", one.unseen);
        assert_eq!(one.outcomes, all.outcomes, "{shape:?} {threads:?}");
        assert!(one.executions <= all.executions);
        (fewer, explored) = (fewer + one.executions, explored + all.executions);
    }
    assert!(2 * fewer < explored, "{fewer} of {explored}");
}
