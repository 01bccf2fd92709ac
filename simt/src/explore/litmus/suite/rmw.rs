//! Read-modify-writes. RC11, atomicity: nothing comes between their two halves; PTX, Atomicity: the same.

use super::*;

/// Two additions: one comes first, none is lost.
#[test]
fn no_addition_is_lost() {
    let add = [add(X, Order::Relaxed)];
    threads(&[&add, &add]).last().gives(&["0 | 1 => 2 0 0", "1 | 0 => 2 0 0"]);
}

/// Three additions: every order, and each reads what the one before it wrote.
#[test]
fn three_additions_read_each_other() {
    let add = [add(X, Order::Relaxed)];
    let test = threads(&[&add, &add, &add]);
    test.gives(&["0 | 1 | 2", "0 | 2 | 1", "1 | 0 | 2", "1 | 2 | 0", "2 | 0 | 1", "2 | 1 | 0"]);
}

/// A read and a write are no addition: one of two can be lost.
#[test]
fn a_read_and_a_write_lose_one() {
    let test = threads(&[&[next(X, X)], &[next(X, X)]]).last();
    test.gives(&["0 | 0 => 1 0 0", "0 | 1 => 2 0 0", "1 | 0 => 2 0 0"]);
}

/// Two exchanges of the same value: one wins, the other reads what it wrote.
#[test]
fn one_of_two_exchanges_wins() {
    let cas = |new| [Ins::Cas(X, 0, new, Order::Relaxed)];
    threads(&[&cas(1), &cas(2)]).last().gives(&["0 | 1 => 1 0 0", "2 | 0 => 2 0 0"]);
}

/// A swap against a store: the swap reads what stands right before it.
#[test]
fn nothing_comes_between_the_halves_of_a_swap() {
    let test = threads(&[&[Ins::Swap(X, 1, Order::Relaxed)], &[write(X, 2)]]).last();
    test.gives(&["0 | - => 2 0 0", "2 | - => 1 0 0"]);
}

/// An addition against a store: the sum is of what stands right before it.
#[test]
fn nothing_comes_between_the_halves_of_an_addition() {
    let test = threads(&[&[add(X, Order::Relaxed)], &[write(X, 5)]]).last();
    test.gives(&["0 | - => 5 0 0", "5 | - => 6 0 0"]);
}

/// An exchange that fails is a read: it writes nothing, and two of them may read the same.
#[test]
fn an_exchange_that_fails_writes_nothing() {
    let fails = [Ins::Cas(X, 7, 8, Order::AcqRel)];
    let test = threads(&[&fails, &fails, &[write(X, 1)]]).last();
    test.gives(&["0 | 0 | - => 1 0 0", "0 | 1 | - => 1 0 0", "1 | 0 | - => 1 0 0", "1 | 1 | - => 1 0 0"]);
}

/// An exchange that fails releases nothing. RC11: only a write releases.
#[test]
fn an_exchange_that_fails_does_not_release() {
    let test = threads(&[&[write(X, 1), Ins::Cas(Y, 7, 8, Order::AcqRel)], &[acquire(Y), read(X)]]);
    test.gives(&["0 | 0 0", "0 | 0 1"]);
}

/// An exchange may read a value that is not the newest and fail on it. RC11: a failed one is bound by
/// coherence alone.
#[test]
fn an_exchange_may_fail_on_an_old_value() {
    let test = threads(&[&[write(X, 1), write(X, 2)], &[Ins::Cas(X, 2, 3, Order::AcqRel), read(X)]]).last();
    test.gives(&[
        "- | 0 0 => 2 0 0",
        "- | 0 1 => 2 0 0",
        "- | 0 2 => 2 0 0",
        "- | 1 1 => 2 0 0",
        "- | 1 2 => 2 0 0",
        "- | 2 3 => 3 0 0",
    ]);
}
