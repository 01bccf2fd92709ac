//! Shapes of three and four threads that read: what one has seen, the next one sees.

use super::*;

/// IRIW. RC11 and PTX: two readers may disagree about the order of writes to two words, acquiring or not.
#[test]
fn readers_may_disagree_about_two_words() {
    let all: Vec<_> = (0..16)
        .map(|bits| format!("- | - | {} {} | {} {}", bits & 1, bits >> 1 & 1, bits >> 2 & 1, bits >> 3))
        .collect();
    let all: Vec<_> = all.iter().map(String::as_str).collect();
    threads(&[&[write(X, 1)], &[write(Y, 1)], &[read(X), read(Y)], &[read(Y), read(X)]]).gives(&all);
    threads(&[&[release(X, 1)], &[release(Y, 1)], &[acquire(X), acquire(Y)], &[acquire(Y), acquire(X)]])
        .gives(&all);
}

/// IRIW+fences. RC11 (`psc`, repaired in that paper) and PTX (Fence-SC): forbidden.
#[test]
fn readers_with_fences_agree_about_two_words() {
    let test = threads(&[
        &[write(X, 1)],
        &[write(Y, 1)],
        &[read(X), Ins::Fence, read(Y)],
        &[read(Y), Ins::Fence, read(X)],
    ]);
    let seen = test.outcomes();
    assert_eq!(seen.len(), 15);
    assert!(!seen.contains("- | - | 1 0 | 1 0"));
}

/// WRC. RC11 and PTX: relaxed, all eight outcomes.
#[test]
fn what_one_read_the_next_may_miss() {
    let test = threads(&[&[write(X, 1)], &[read(X), write(Y, 1)], &[read(Y), read(X)]]);
    assert_eq!(test.outcomes().len(), 8);
    test.allows(&["- | 1 | 1 0"], &[]);
}

/// WRC+rel+acq. RC11 and PTX (causality is cumulative): forbidden.
#[test]
fn what_one_read_the_next_sees() {
    let test = threads(&[&[write(X, 1)], &[acquire(X), release(Y, 1)], &[acquire(Y), read(X)]]);
    assert_eq!(test.outcomes().len(), 7);
    test.allows(&["- | 1 | 1 1"], &["- | 1 | 1 0"]);
}

/// ISA2. RC11 and PTX: forbidden where every message synchronizes, allowed where the middle thread does not.
#[test]
fn messages_through_a_third_thread() {
    let stale = "- | 1 | 1 0";
    let (send, receive) = ([write(X, 1), release(Y, 1)], [acquire(Z), read(X)]);
    threads(&[&send, &[acquire(Y), release(Z, 1)], &receive]).allows(&["- | 1 | 1 1"], &[stale]);
    threads(&[&send, &[read(Y), release(Z, 1)], &receive]).allows(&[stale], &[]);
    threads(&[&send, &[acquire(Y), write(Z, 1)], &receive]).allows(&[stale], &[]);
    threads(&[&send, &[read(Y), Ins::Fence, write(Z, 1)], &receive]).allows(&["- | 1 | 1 1"], &[stale]);
}

/// RWC. RC11 and PTX: allowed with release and acquire, forbidden with fences in the threads that read.
#[test]
fn rwc() {
    let stale = "- | 1 0 | 0";
    threads(&[&[release(X, 1)], &[acquire(X), acquire(Y)], &[release(Y, 1), acquire(X)]])
        .allows(&[stale], &[]);
    threads(&[&[write(X, 1)], &[read(X), Ins::Fence, read(Y)], &[write(Y, 1), Ins::Fence, read(X)]])
        .allows(&["- | 1 1 | 0", "- | 1 0 | 1", "- | 0 0 | 0"], &[stale]);
}

/// ISA2 with fences at the ends and a relaxed middle. RC11 and PTX: allowed, the middle thread orders
/// nothing, and the order of two fences need not follow what one thread reads.
#[test]
fn fences_at_the_ends_do_not_order_the_middle() {
    threads(&[
        &[write(X, 1), Ins::Fence, write(Y, 1)],
        &[read(Y), write(Z, 1)],
        &[read(Z), Ins::Fence, read(X)],
    ])
    .allows(&["- | 1 | 1 0", "- | 1 | 1 1"], &[]);
}
