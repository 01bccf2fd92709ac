//! SB and LB: writes that come late, and reads that do not come early.

use super::*;

const EITHER: [&str; 4] = ["0 | 0", "0 | 1", "1 | 0", "1 | 1"];

/// SB. RC11 and PTX: both may read the old value.
#[test]
fn store_buffering() {
    threads(&[&[write(X, 1), read(Y)], &[write(Y, 1), read(X)]]).gives(&EITHER);
}

/// SB+rel+acq. RC11 and PTX: release and acquire order no write before a later read.
#[test]
fn store_buffering_with_release_and_acquire() {
    threads(&[&[release(X, 1), acquire(Y)], &[release(Y, 1), acquire(X)]]).gives(&EITHER);
}

/// SB+fences. RC11 (`psc`) and PTX (Fence-SC): forbidden.
#[test]
fn store_buffering_with_fences() {
    let test = threads(&[&[write(X, 1), Ins::Fence, read(Y)], &[write(Y, 1), Ins::Fence, read(X)]]);
    test.gives(&["0 | 1", "1 | 0", "1 | 1"]);
}

/// SB+fence+po. RC11 and PTX: one fence has none to be ordered with.
#[test]
fn store_buffering_with_one_fence() {
    threads(&[&[write(X, 1), Ins::Fence, read(Y)], &[write(Y, 1), read(X)]]).gives(&EITHER);
    let acquires = [[write(X, 1), Ins::FenceAcquire, read(Y)], [write(Y, 1), Ins::FenceAcquire, read(X)]];
    threads(&[&acquires[0], &acquires[1]]).gives(&EITHER);
}

/// SB with swaps for the writes. RC11 and PTX: a read-modify-write of one word is no fence for another.
#[test]
fn store_buffering_with_swaps() {
    let swap = |word| Ins::Swap(word, 1, Order::AcqRel);
    threads(&[&[swap(X), read(Y)], &[swap(Y), read(X)]]).gives(&[
        "0 0 | 0 0",
        "0 0 | 0 1",
        "0 1 | 0 0",
        "0 1 | 0 1",
    ]);
}

/// SB with an addition to one word between. RC11: if it acquires and releases, the second addition knows what
/// came before the first.
#[test]
fn store_buffering_with_additions_to_one_word() {
    let test =
        |order| threads(&[&[write(X, 1), add(Z, order), read(Y)], &[write(Y, 1), add(Z, order), read(X)]]);
    test(Order::AcqRel).gives(&["0 0 | 1 1", "0 1 | 1 1", "1 1 | 0 0", "1 1 | 0 1"]);
    test(Order::Relaxed).allows(&["0 0 | 1 0", "1 0 | 0 0"], &[]);
}

/// LB. RC11 (`sb ∪ rf` is acyclic): forbidden. PTX allows it in principle where neither write depends on
/// the read.
#[test]
fn load_buffering() {
    threads(&[&[read(X), write(Y, 1)], &[read(Y), write(X, 1)]]).gives(&["0 | 0", "0 | 1", "1 | 0"]);
}

/// LB+datas. RC11 and PTX (No-Thin-Air): forbidden.
#[test]
fn no_value_comes_out_of_thin_air() {
    threads(&[&[next(X, Y)], &[next(Y, X)]]).gives(&["0 | 0", "0 | 1", "1 | 0"]);
}
