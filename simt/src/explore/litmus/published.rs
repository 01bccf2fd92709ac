//! Numbers of executions that others have published: the expected numbers of GenMC's tests
//! (github.com/MPI-SWS/genmc, `tests/correct/synthetic/NAME/expected.rc11.mo.in`, commit b03f01ed) for the
//! programs of these names under RC11 with the order of writes tracked. The programs are equal, instruction
//! for instruction.

use super::counts::{many, many_in_pairs};
use super::*;

/// Compares for as many threads as the table says.
#[track_caller]
fn published(table: &[(usize, u64)], test: impl Fn(usize) -> Test) {
    for &(n, executions) in table {
        assert_eq!(test(n).executions(), executions, "N = {n}");
    }
}

const fn exchange(current: u64, new: u64) -> Ins {
    Ins::Cas(X, current, new, Order::Relaxed)
}

#[test]
fn ainc_binc_cinc() {
    let add = |word| add(word, Order::Relaxed);
    published(&[(2, 2), (3, 6), (4, 24), (5, 120), (6, 720)], |n| many(n, |_| vec![add(X)]));
    published(&[(2, 4), (3, 36), (4, 576)], |n| many(n, |_| vec![add(X), add(Y)]));
    published(&[(2, 8), (3, 216)], |n| many(n, |_| vec![add(X), add(Y), add(Z)]));
}

#[test]
fn cas() {
    published(&[(2, 2), (3, 3), (4, 4), (5, 5)], |n| many(n, |thread| vec![exchange(0, thread as u64 + 1)]));
}

#[test]
fn casrot() {
    let table = [(2, 2), (3, 5), (4, 14), (5, 43), (6, 144), (7, 523), (8, 2048)];
    published(&table, |n| many(n, |thread| vec![exchange(thread as u64, thread as u64 + 1)]));
}

#[test]
fn casw() {
    let thread = |thread| vec![exchange(0, 1), release(X, thread as u64 + 3)];
    published(&[(2, 6), (3, 66), (4, 1200)], |n| many(n, thread));
    published(&[(2, 6), (4, 1200)], |n| many_in_pairs(n, thread));
}

#[test]
fn wcas() {
    let thread = |thread| vec![if thread == 0 { release(X, 2) } else { exchange(2, 3) }];
    published(&[(2, 5), (3, 13), (4, 33), (5, 81), (6, 193), (7, 449)], |n| many(n + 1, thread));
    published(&[(3, 13), (5, 81), (7, 449)], |n| many_in_pairs(n + 1, thread));
}

#[test]
fn wainc() {
    let thread = |thread| vec![if thread == 0 { release(X, 42) } else { add(X, Order::Relaxed) }];
    published(&[(2, 6), (3, 24), (4, 120)], |n| many(n + 1, thread));
}

#[test]
fn rw() {
    let thread = |thread| vec![read(X), release(X, thread as u64)];
    published(&[(2, 4), (3, 36), (4, 576)], |n| many(n, thread));
    published(&[(2, 4), (4, 576)], |n| many_in_pairs(n, thread));
}

#[test]
fn readers() {
    let thread = |thread| vec![if thread == 0 { release(X, 42) } else { acquire(X) }];
    published(&[(2, 4), (8, 256)], |n| many(n + 1, thread));
    published(&[(13, 8192)], |n| many_in_pairs(n + 1, thread));
}

/// N = 4: five writers and a reader.
#[test]
fn n_writers_a_reader() {
    let thread = |thread| vec![if thread == 0 { acquire(X) } else { release(X, thread as u64 - 1) }];
    published(&[(4, 720)], |n| many(n + 2, thread));
}

#[test]
fn coa() {
    let thread = |thread| match thread {
        0 => vec![release(X, 1), acquire(Y), acquire(X)],
        1 => vec![release(X, 2), acquire(Z), acquire(X)],
        _ => vec![release(Y, thread as u64 - 2), release(Z, thread as u64 - 2)],
    };
    published(&[(1, 4), (2, 16), (3, 144), (4, 2304)], |n| many(n + 1, thread));
    published(&[(1, 4), (3, 144)], |n| many_in_pairs(n + 1, thread));
}

/// Thread i > 0 writes the word i: one more than it reads from the word before. Thread 0 looks for the last
/// zero.
#[test]
fn lastzero() {
    let thread = |n, thread| {
        vec![match thread {
            _ if thread > n => read(WORDS - 1),
            0 => Ins::Down(n, ReadOrder::Acquire),
            _ => Ins::Next(thread - 1, thread, ReadOrder::Acquire, WriteOrder::Release),
        }]
    };
    published(&[(5, 64)], |n| many(n + 1, |at| thread(n, at)));
    // The twelfth lane reads what nothing writes.
    published(&[(5, 64), (10, 3328)], |n| many_in_pairs((n + 1).next_multiple_of(2), |at| thread(n, at)));
}

/// Two threads read four words again and again, two write two of them each. As threads and as lanes.
#[test]
fn big0() {
    const W: usize = 3;
    let writes = |one, other| {
        (1..4).flat_map(|value| [release(one, value), release(other, value)]).collect::<Vec<_>>()
    };
    let reads = [X, Y, Z, W, X, Y, Z].map(acquire);
    let thread = |thread| match thread {
        0 => reads.to_vec(),
        1 => reads[..3].to_vec(),
        2 => writes(X, Y),
        _ => writes(Z, W),
    };
    published(&[(4, 82472)], |n| many(n, thread));
    published(&[(4, 82472)], |n| many_in_pairs(n, thread));
}
