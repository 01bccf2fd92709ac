//! Loops that wait. A loop that only reads is explored as the one read that ends it; what never ends is a
//! violation (liveness as in Lahav, Namakonov, Oberhauser, Podkopaev, Vafeiadis, "Making weak memory models
//! fair", OOPSLA 2021: a write is seen at last).

use super::*;

const fn wait(word: usize, value: u64) -> Ins {
    Ins::Await(word, value, ReadOrder::Acquire)
}

/// MP, and the receiver waits for the flag: one execution.
#[test]
fn waiting_ends_when_the_flag_is_seen() {
    let test = threads(&[&[write(X, 1), release(Y, 1)], &[wait(Y, 1), read(X)]]);
    test.gives(&["- | 1"]);
    assert_eq!(test.executions(), 1);
}

/// MP, and the receiver waits without acquiring: it may miss the message.
#[test]
fn waiting_relaxed_brings_nothing() {
    let wait = Ins::Await(Y, 1, ReadOrder::Relaxed);
    threads(&[&[write(X, 1), release(Y, 1)], &[wait, read(X)]]).gives(&["- | 0", "- | 1"]);
}

/// Two threads take turns: each waits for the other's flag.
#[test]
fn threads_take_turns() {
    let one = [release(X, 1), wait(Y, 1), release(X, 2)];
    let test = threads(&[&one, &[wait(X, 1), release(Y, 1), wait(X, 2), read(Z)]]);
    test.gives(&["- | 0"]);
}

/// Nobody writes the flags.
#[test]
fn waiting_for_what_nobody_writes_is_a_violation() {
    threads(&[&[wait(X, 1)], &[wait(Y, 1)]]).breaks(Kind::StepBound);
}

/// Each writes its flag after it has seen the other's. Since LB is forbidden, neither continues.
#[test]
fn waiting_for_each_other_is_a_violation() {
    threads(&[&[wait(X, 1), release(Y, 1)], &[wait(Y, 1), release(X, 1)]]).breaks(Kind::StepBound);
}

/// A flag that stands for a while only may be missed.
#[test]
fn waiting_for_a_value_that_goes_is_a_violation() {
    threads(&[&[write(X, 1), write(X, 2)], &[wait(X, 1)]]).breaks(Kind::StepBound);
}

/// A call may make 126 accesses by one lane; one that makes more is taken for one that does not end.
#[test]
fn a_call_with_too_many_accesses_is_a_violation() {
    let reads = |count| threads(&[&vec![read(X); count], &[write(X, 1)]]);
    assert_eq!(reads(126).report().verdict, Verdict::Passed);
    reads(260).breaks(Kind::StepBound);
}

fn locked(lock: Order, unlock: WriteOrder) -> Vec<Ins> {
    vec![Ins::Lock(Z, lock), next(X, X), Ins::Unlock(Z, unlock)]
}

/// A spin lock: what one thread wrote the next one reads.
#[test]
fn a_lock_excludes() {
    let thread = locked(Order::Acquire, WriteOrder::Release);
    let test = threads(&[&thread, &thread]).last();
    test.gives(&["0 | 1 => 2 0 0", "1 | 0 => 2 0 0"]);
    assert_eq!(test.executions(), 2);
}

/// A lock that is given back without a release, or taken without an acquire: the next one may read the old
/// value.
#[test]
fn a_relaxed_lock_does_not_exclude() {
    for thread in [locked(Order::Acquire, WriteOrder::Relaxed), locked(Order::Relaxed, WriteOrder::Release)] {
        threads(&[&thread, &thread]).last().allows(&["0 | 0 => 1 0 0", "0 | 1 => 2 0 0"], &[]);
    }
}

/// Two locks taken in two orders: each may hold the one that the other waits for.
#[test]
fn two_locks_in_two_orders_are_a_violation() {
    let both = |one, other| [one, other].map(|word| Ins::Lock(word, Order::Acquire));
    threads(&[&both(X, Y), &both(Y, X)]).breaks(Kind::StepBound);
    let give = [Y, X].map(|word| Ins::Unlock(word, WriteOrder::Release));
    let thread = [both(X, Y), give].concat();
    threads(&[&thread, &thread]).last().gives(&["- | - => 0 0 0"]);
}

/// Three threads under a lock: every order, each once.
#[test]
fn three_threads_take_turns_at_a_lock() {
    let thread = locked(Order::Acquire, WriteOrder::Release);
    let test = threads(&[&thread, &thread, &thread]);
    test.gives(&["0 | 1 | 2", "0 | 2 | 1", "1 | 0 | 2", "1 | 2 | 0", "2 | 0 | 1", "2 | 1 | 0"]);
    assert_eq!(test.executions(), 6);
}

/// A loop that looks at another word in each turn, of which one is written.
#[test]
fn a_loop_with_two_ends_takes_either() {
    let poll = Ins::Poll(&[X, Y], usize::MAX);
    threads(&[&[write(Y, 1)], std::slice::from_ref(&poll)]).gives(&["- | 1"]);
    threads(&[&[write(X, 1), write(Y, 1)], &[poll]]).gives(&["- | 0", "- | 1"]);
}

/// A loop that gives up after three turns: also if no thread writes, and beside a write that it may miss.
#[test]
fn a_loop_that_gives_up_may_see_nothing() {
    let poll = || Ins::Poll(&[X], 3);
    threads(&[&[write(X, 1)], &[poll()]]).gives(&["- | 0", "- | 99"]);
    threads(&[&[write(Y, 1)], &[poll()]]).gives(&["- | 99"]);
    threads(&[&[poll(), write(Y, 1)], &[Ins::Await(Y, 1, ReadOrder::Acquire)]]).gives(&["99 | -"]);
}

/// Each waits for the other's flag, and one of them gives up.
#[test]
fn giving_up_ends_a_deadlock() {
    let one = [Ins::Poll(&[Y], 2), release(X, 1)];
    let other = [wait(X, 1), release(Y, 1)];
    threads(&[&one, &other]).gives(&["99 | -"]);
    threads(&[&other, &one]).gives(&["- | 99"]);
}

/// A lock that is taken by overwriting it: each turn writes.
#[test]
fn a_lock_that_is_overwritten_excludes() {
    let thread = [Ins::SwapLock(Z, Order::Acquire), next(X, X), Ins::Unlock(Z, WriteOrder::Release)];
    let test = threads(&[&thread, &thread]).last();
    test.gives(&["0 | 1 => 2 0 0", "1 | 0 => 2 0 0"]);
}

/// A search that waits for more to do is woken when another one finds a violation.
#[test]
fn searches_end_together() {
    let both = |one, other| [one, other].map(|word| Ins::Lock(word, Order::Acquire));
    let test = threads(&[&both(X, Y), &both(Y, X)]);
    for _ in 0..300 {
        assert_eq!(test.report_by(4).verdict, Verdict::Violated);
    }
}
