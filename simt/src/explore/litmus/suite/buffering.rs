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

/// Of two threads that read one of two words each and write the other, these may write before they read, as
/// the other one then writes what they read.
#[track_caller]
fn buffers(test: &[&[Ins]], early: &[usize]) {
    let lb = [(0, X, Y, 1), (1, Y, X, 0)];
    let expected: Vec<_> = early.iter().map(|&thread| lb[thread]).collect();
    assert_eq!(threads(test).buffers(), expected);
}

/// LB, and LB with one thread that keeps its accesses in order. PTX allows both: the other thread may write
/// first. The engine does not explore it, and `explore/buffering` reports it.
#[test]
fn load_buffering_is_reported() {
    let loose = [[read(X), write(Y, 1)], [read(Y), write(X, 1)]];
    buffers(&[&loose[0], &loose[1]], &[0, 1]);
    for kept in [[read(Y), release(X, 1)], [acquire(Y), write(X, 1)], [next(Y, X), Ins::Ballot]] {
        buffers(&[&loose[0], &kept], &[0]);
    }
    // The value that thread 0 writes first is one that thread 1 reads only then.
    buffers(&[&loose[0], &[Ins::Await(Y, 1, ReadOrder::Relaxed), write(X, 1)]], &[0]);
    // A read-modify-write is no fence.
    buffers(&[&[add(X, Order::Relaxed), write(Y, 1)], &loose[1]], &[0, 1]);
    buffers(&[&[read(X), add(Y, Order::Relaxed)], &loose[1]], &[0, 1]);
    // A collective is none, nor is what the lanes of a warp order among themselves.
    buffers(&[&[read(X), Ins::Ballot, write(Y, 1)], &loose[1]], &[0, 1]);
    buffers(&[&[read(X), Ins::Sync, write(Y, 1)], &loose[1]], &[0, 1]);
}

/// LB in which each thread keeps its accesses in order: by a release, an acquire, a fence, or because what it
/// writes depends on what it read.
#[test]
fn load_buffering_that_cannot_be_is_not_reported() {
    let kept = |from: usize, to: usize| {
        [
            vec![read(from), release(to, 1)],
            vec![acquire(from), write(to, 1)],
            vec![read(from), Ins::Fence, write(to, 1)],
            vec![read(from), Ins::FenceAcquire, write(to, 1)],
            vec![next(from, to)],
            vec![add(from, Order::Acquire), write(to, 1)],
            vec![read(from), add(to, Order::Release)],
            // Through a read-modify-write of another word.
            vec![read(from), add(Z, Order::AcqRel), write(to, 1)],
        ]
    };
    for first in &kept(X, Y) {
        for second in &kept(Y, X) {
            buffers(&[first, second], &[]);
        }
    }
    // A thread that waits for the other one writes after it has read.
    for first in &kept(X, Y)[..2] {
        buffers(&[first, &[Ins::Await(Y, 1, ReadOrder::Relaxed), write(X, 1)]], &[]);
    }
}

/// LB in which one thread forgets what it read: the outcome is that of an execution in which it read
/// something older.
#[test]
fn load_buffering_that_nobody_learns_of_is_not_reported() {
    buffers(&[&[Ins::Look(X), write(Y, 1)], &[read(Y), release(X, 1)]], &[]);
    buffers(&[&[read(X), write(Y, 1)], &[Ins::Look(Y), release(X, 1)]], &[]);
}

/// LB in which the thread that keeps its accesses in order knows of the other one's read: it happens before
/// the write that it would have to read.
#[test]
fn no_load_is_buffered_that_happens_before_the_write() {
    let await_z = |order| Ins::Await(Z, 1, order);
    let first = [read(X), write(Y, 1), release(Z, 1)];
    buffers(&[&first, &[await_z(ReadOrder::Acquire), read(Y), release(X, 1)]], &[]);
    // It does not here, but all that leads from the read through Z to the write is in order.
    buffers(&[&first, &[await_z(ReadOrder::Relaxed), read(Y), release(X, 1)]], &[]);
}

/// CoRW: a thread that reads a word and then writes it keeps the two in order.
#[test]
fn one_word_does_not_buffer_loads() {
    buffers(&[&[read(X), write(X, 1)], &[read(X), write(X, 2)]], &[]);
}
