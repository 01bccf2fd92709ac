//! Numbers of executions that a closed form gives.

use super::*;

/// A test of `count` threads.
pub(super) fn many(count: usize, thread: impl Fn(usize) -> Vec<Ins>) -> Test {
    let all: Vec<_> = (0..count).map(thread).collect();
    let slices: Vec<&[Ins]> = all.iter().map(Vec::as_slice).collect();
    threads(&slices)
}

/// A test of `count` threads, two lanes to a warp: threads `2 n` and `2 n + 1` run in one `each`.
pub(super) fn many_in_pairs(count: usize, thread: impl Fn(usize) -> Vec<Ins>) -> Test {
    let all: Vec<_> =
        (0..count / 2).map(|warp| [each(&[&thread(2 * warp), &thread(2 * warp + 1)])]).collect();
    let slices: Vec<&[Ins]> = all.iter().map(<[Ins; 1]>::as_slice).collect();
    lanes(2, &slices)
}

fn factorial(n: u64) -> u64 {
    (1..=n).product()
}

/// Every order of the additions is one execution: n!.
#[test]
fn additions_come_in_every_order() {
    for count in 1..7 {
        let executions = factorial(count as u64);
        assert_eq!(many(count, |_| vec![add(X, Order::AcqRel)]).executions(), executions, "{count} threads");
        assert_eq!(many(count, |_| vec![add(X, Order::Relaxed)]).executions(), executions, "{count} threads");
    }
}

/// Additions to one word by lanes: n!, as by threads.
#[test]
fn additions_of_lanes_come_in_every_order() {
    for count in [2, 4, 6] {
        let test = many_in_pairs(count, |_| vec![add(X, Order::Relaxed)]);
        assert_eq!(test.executions(), factorial(count as u64), "{count} lanes");
    }
}

fn reader_or_writer(thread: usize) -> Vec<Ins> {
    vec![if thread == 0 { write(X, 1) } else { read(X) }]
}

/// A writer and n readers: each reads the old value or the new one. 2^n.
#[test]
fn readers_read_what_they_like() {
    for count in 1..8 {
        assert_eq!(many(count + 1, reader_or_writer).executions(), 1 << count, "{count} readers");
    }
}

/// A writer and n readers as lanes: 2^n, as with threads.
#[test]
fn readers_in_lanes_read_what_they_like() {
    for count in [1, 3, 5, 7] {
        assert_eq!(many_in_pairs(count + 1, reader_or_writer).executions(), 1 << count, "{count} readers");
    }
}

/// k writers of one word and n readers: each reads one of k + 1 values in every order. k! (k + 1)^n.
#[test]
fn readers_of_many_writers() {
    for (writers, readers) in [(2, 1), (2, 3), (3, 1), (3, 2), (4, 1)] {
        let thread = |at: usize| vec![if at < writers { write(X, at as u64 + 1) } else { read(X) }];
        let expected = factorial(writers as u64) * (writers as u64 + 1).pow(readers as u32);
        assert_eq!(
            many(writers + readers, thread).executions(),
            expected,
            "{writers} writers, {readers} readers"
        );
    }
}

/// n writers of one word: every order, n!.
#[test]
fn writes_come_in_every_order() {
    for count in 2..6 {
        let test = many(count, |thread| vec![write(X, thread as u64 + 1)]);
        assert_eq!(test.executions(), factorial(count as u64), "{count} threads");
    }
}

/// n threads that write words of their own: one execution.
#[test]
fn what_is_apart_is_explored_once() {
    assert_eq!(many(6, |thread| vec![write(thread, 1), read(thread)]).executions(), 1);
    assert_eq!(many_in_pairs(6, |thread| vec![write(thread, 1), read(thread)]).executions(), 1);
}

/// n threads with two additions each: (2n)! / 2^n.
#[test]
fn additions_of_a_thread_keep_their_order() {
    for count in 2..5 {
        let test = many(count, |_| vec![add(X, Order::Relaxed), add(X, Order::Relaxed)]);
        assert_eq!(test.executions(), factorial(2 * count as u64) >> count, "{count} threads");
    }
}

/// Store buffering of n threads in a ring: each read reads one of two writes, all independent: 2^n.
#[test]
fn store_buffering_in_a_ring() {
    for count in 2..7 {
        let thread = |thread: usize| vec![write(thread, 1), read((thread + 1) % count)];
        assert_eq!(many(count, thread).executions(), 1 << count, "{count} threads");
        if count % 2 == 0 {
            assert_eq!(many_in_pairs(count, thread).executions(), 1 << count, "{count} lanes");
        }
    }
}

/// A ring in which each thread adds to its own word and reads the next one's: 2^n.
#[test]
fn additions_and_reads_in_a_ring() {
    for count in 2..7 {
        let thread = |thread: usize| vec![add(thread, Order::AcqRel), acquire((thread + 1) % count)];
        assert_eq!(many(count, thread).executions(), 1 << count, "{count} threads");
    }
}

/// Load buffering of n threads in a ring: each read reads one of two writes, but not all the new one:
/// 2^n - 1.
#[test]
fn load_buffering_in_a_ring() {
    for count in 2..7 {
        let thread = |thread: usize| vec![read(thread), write((thread + 1) % count, 1)];
        assert_eq!(many(count, thread).executions(), (1 << count) - 1, "{count} threads");
    }
}

/// Exchanges in rotation: thread i of n exchanges i for i + 1 in a word that is 0. Those that succeed are
/// threads 0 to k - 1 for some k, and they write the values 1 to k in this order. If k < n, thread k fails:
/// it reads one of the k + 1 values that is not k. Each of the n - k - 1 threads after it fails whatever it
/// reads. So there are k (k + 1)^(n - k - 1) executions for every k from 1 to n - 1, and one for k = n.
#[test]
fn exchanges_in_rotation() {
    let expected = |n: u64| 1 + (1..n).map(|k| k * (k + 1).pow((n - k - 1) as u32)).sum::<u64>();
    let exchange = |thread: usize| vec![Ins::Cas(X, thread as u64, thread as u64 + 1, Order::AcqRel)];
    for count in 1..8 {
        assert_eq!(many(count, exchange).executions(), expected(count as u64), "{count} threads");
        if count % 2 == 0 {
            assert_eq!(many_in_pairs(count, exchange).executions(), expected(count as u64), "{count} lanes");
        }
    }
}

/// Searches that share one scenario find as many executions, and the same outcomes.
#[test]
fn searches_that_share_find_as_much() {
    let tests = [
        many(6, |_| vec![add(X, Order::AcqRel)]),
        many(5, |thread| vec![write(thread, 1), read((thread + 1) % 5), add(Z, Order::Relaxed)]),
        many(4, |thread| vec![write(X, thread as u64 + 1), read(X)]),
    ];
    for test in tests {
        let alone = test.report_by(1);
        for threads in [2, 3, 8] {
            let shared = test.report_by(threads);
            assert_eq!(
                (alone.executions, &alone.outcomes, alone.verdict),
                (shared.executions, &shared.outcomes, shared.verdict)
            );
        }
    }
}
