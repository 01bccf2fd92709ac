//! One word: reads and writes agree with one order of its writes.

use super::*;

/// CoWW. RC11, coherence: writes of a thread are ordered as it made them.
#[test]
fn writes_of_a_thread_keep_their_order() {
    threads(&[&[write(X, 1), write(X, 2)]]).last().gives(&["- => 2 0 0"]);
}

/// CoRR. RC11, coherence: a read reads nothing older than the thread's read before it.
#[test]
fn reads_of_a_thread_go_forward() {
    threads(&[&[write(X, 1)], &[read(X), read(X)]]).gives(&CAUSAL);
}

/// CoWR. RC11, coherence: a read reads nothing older than the thread's own write.
#[test]
fn a_thread_reads_its_write_or_a_newer_one() {
    let test = threads(&[&[write(X, 1), read(X)], &[write(X, 2)]]).last();
    test.gives(&["1 | - => 1 0 0", "1 | - => 2 0 0", "2 | - => 2 0 0"]);
}

/// CoRW1. RC11, coherence: a read does not read what its thread writes later.
#[test]
fn a_read_does_not_see_the_write_behind_it() {
    threads(&[&[read(X), write(X, 1)]]).gives(&["0"]);
}

/// CoRW2. RC11, coherence: a write is later than the writes that its thread has read.
#[test]
fn a_write_stands_behind_what_was_read() {
    let test = threads(&[&[read(X), write(X, 1)], &[write(X, 2)]]).last();
    test.gives(&["0 | - => 1 0 0", "0 | - => 2 0 0", "2 | - => 1 0 0"]);
}

/// CoRR2. RC11, coherence: two readers agree about the order of two writers.
#[test]
fn two_readers_agree_about_two_writers() {
    let reads = [read(X), read(X)];
    threads(&[&[write(X, 1)], &[write(X, 2)], &reads, &reads]).allows(
        &["- | - | 1 2 | 1 2", "- | - | 2 1 | 2 1", "- | - | 1 2 | 0 2", "- | - | 1 2 | 2 2"],
        &["- | - | 1 2 | 2 1", "- | - | 2 1 | 1 2"],
    );
}

/// RC11, coherence: exactly what two readers can see that go forward in one order of three writes.
#[test]
fn two_readers_agree_about_three_writers() {
    let mut expected = BTreeSet::new();
    for [a, b, c] in [[1, 2, 3], [1, 3, 2], [2, 1, 3], [2, 3, 1], [3, 1, 2], [3, 2, 1]] {
        let order = [0, a, b, c];
        let forward = |i: usize| (i..4).flat_map(move |j| (j..4).map(move |k| [i, j, k].map(|at| order[at])));
        let paths: Vec<_> = (0..4).flat_map(forward).collect();
        for [i, j, k] in &paths {
            expected.extend(paths.iter().map(|[l, m, n]| format!("- | - | - | {i} {j} {k} | {l} {m} {n}")));
        }
    }
    let reads = [read(X), read(X), read(X)];
    let expected: Vec<_> = expected.iter().map(String::as_str).collect();
    threads(&[&[write(X, 1)], &[write(X, 2)], &[write(X, 3)], &reads, &reads]).gives(&expected);
}

/// CoWW across threads. RC11, coherence: a write is later than one that happens before it.
#[test]
fn a_write_stands_behind_one_that_happened_before() {
    let test = threads(&[&[write(X, 1), release(Y, 1)], &[acquire(Y), write(X, 2)]]).last();
    test.gives(&["- | 0 => 1 1 0", "- | 0 => 2 1 0", "- | 1 => 2 1 0"]);
}

/// CoRR across threads. RC11, coherence: a read reads nothing older than a read that happens before it.
#[test]
fn a_read_goes_forward_from_one_that_happened_before() {
    threads(&[&[write(X, 1)], &[read(X), release(Y, 1)], &[acquire(Y), read(X)]]).gives(&[
        "- | 0 | 0 0",
        "- | 0 | 0 1",
        "- | 0 | 1 0",
        "- | 0 | 1 1",
        "- | 1 | 0 0",
        "- | 1 | 0 1",
        "- | 1 | 1 1",
    ]);
}

/// CoRW across threads. RC11, coherence: a read does not read a write that it happens before, nor a later
/// one.
#[test]
fn a_read_does_not_see_what_it_happens_before() {
    let test = threads(&[&[read(X), release(Y, 1)], &[acquire(Y), write(X, 1)], &[write(X, 2)]]).last();
    test.allows(
        &["2 | 1 | - => 1 1 0", "0 | 1 | - => 2 1 0", "1 | 0 | - => 1 1 0"],
        &["1 | 1 | - => 1 1 0", "1 | 1 | - => 2 1 0", "2 | 1 | - => 2 1 0"],
    );
}
