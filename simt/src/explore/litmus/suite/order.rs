//! R, S, 2+2W: shapes about the order of writes. Each shows the newest x and y at the end.

use super::*;

/// R. RC11 and PTX: all allowed, with release and acquire too (nothing is read from the other thread but x).
#[test]
fn r() {
    let all = ["- | 0 => 1 1 0", "- | 0 => 1 2 0", "- | 1 => 1 1 0", "- | 1 => 1 2 0"];
    threads(&[&[write(X, 1), write(Y, 1)], &[write(Y, 2), read(X)]]).last().gives(&all);
    threads(&[&[write(X, 1), release(Y, 1)], &[release(Y, 2), acquire(X)]]).last().gives(&all);
}

/// R+fences. RC11 (`psc`) and PTX (Fence-SC): y = 2 at the end and x read as 0 is forbidden.
#[test]
fn r_with_fences() {
    let test =
        threads(&[&[write(X, 1), Ins::Fence, write(Y, 1)], &[write(Y, 2), Ins::Fence, read(X)]]).last();
    test.gives(&["- | 0 => 1 1 0", "- | 1 => 1 1 0", "- | 1 => 1 2 0"]);
}

/// S. RC11 and PTX: all allowed.
#[test]
fn s() {
    let test = threads(&[&[write(X, 2), write(Y, 1)], &[read(Y), write(X, 1)]]).last();
    test.gives(&["- | 0 => 1 1 0", "- | 0 => 2 1 0", "- | 1 => 1 1 0", "- | 1 => 2 1 0"]);
}

/// S+rel+acq and S+fences. RC11 and PTX: a write that is seen to come first comes first.
#[test]
fn s_with_release_and_acquire_or_fences() {
    let ordered = ["- | 0 => 1 1 0", "- | 0 => 2 1 0", "- | 1 => 1 1 0"];
    threads(&[&[write(X, 2), release(Y, 1)], &[acquire(Y), write(X, 1)]]).last().gives(&ordered);
    let fences = [&[write(X, 2), Ins::Fence, write(Y, 1)][..], &[read(Y), Ins::Fence, write(X, 1)]];
    threads(&fences).last().gives(&ordered);
}

/// 2+2W. RC11 and PTX: all allowed, with releases too.
#[test]
fn two_writes_each() {
    let all = ["- | - => 1 1 0", "- | - => 1 2 0", "- | - => 2 1 0", "- | - => 2 2 0"];
    threads(&[&[write(X, 1), write(Y, 2)], &[write(Y, 1), write(X, 2)]]).last().gives(&all);
    threads(&[&[release(X, 1), release(Y, 2)], &[release(Y, 1), release(X, 2)]]).last().gives(&all);
}

/// 2+2W+fences. RC11 (`psc`) and PTX (Fence-SC): not both first writes are the last ones.
#[test]
fn two_writes_each_with_fences() {
    let test =
        threads(&[&[write(X, 1), Ins::Fence, write(Y, 2)], &[write(Y, 1), Ins::Fence, write(X, 2)]]).last();
    test.gives(&["- | - => 1 2 0", "- | - => 2 1 0", "- | - => 2 2 0"]);
}

/// Z6.3. RC11 and PTX: release and acquire allow the stale read (y's order is no synchronization), fences
/// forbid it.
#[test]
fn z6() {
    let stale = "- | - | 1 0 => 1 2 1";
    let weak = [&[write(X, 1), release(Y, 1)][..], &[write(Y, 2), release(Z, 1)], &[acquire(Z), read(X)]];
    threads(&weak).last().allows(&[stale], &[]);
    let strong = [
        &[write(X, 1), Ins::Fence, write(Y, 1)][..],
        &[write(Y, 2), Ins::Fence, write(Z, 1)],
        &[read(Z), Ins::Fence, read(X)],
    ];
    threads(&strong).last().allows(&["- | - | 1 1 => 1 2 1", "- | - | 1 0 => 1 1 1"], &[stale]);
}

/// Z6.2. RC11 and PTX: through two messages a write is known to come first.
#[test]
fn z6_with_two_messages() {
    let last = "- | 1 | 1 => 2 1 1";
    let relaxed = [&[write(X, 2), write(Y, 1)][..], &[read(Y), write(Z, 1)], &[read(Z), write(X, 1)]];
    threads(&relaxed).last().allows(&[last], &[]);
    let ordered =
        [&[write(X, 2), release(Y, 1)][..], &[acquire(Y), release(Z, 1)], &[acquire(Z), write(X, 1)]];
    threads(&ordered).last().allows(&["- | 1 | 1 => 1 1 1", "- | 0 | 1 => 2 1 1"], &[last]);
}

/// WWC. RC11 and PTX: a write is known to come first through a thread that has read it.
#[test]
fn wwc() {
    let last = "- | 2 | 1 => 2 1 0";
    threads(&[&[write(X, 2)], &[read(X), write(Y, 1)], &[read(Y), write(X, 1)]]).last().allows(&[last], &[]);
    let ordered = [&[write(X, 2)][..], &[read(X), release(Y, 1)], &[acquire(Y), write(X, 1)]];
    threads(&ordered).last().allows(&["- | 2 | 1 => 1 1 0", "- | 2 | 0 => 2 1 0"], &[last]);
}
