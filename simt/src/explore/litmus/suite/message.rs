//! MP: a message that is seen brings what was written before it, or not.

use super::*;

/// MP. RC11 and PTX (relaxed, "weak message passing"): nothing is ordered.
#[test]
fn relaxed_messages_bring_nothing() {
    threads(&[&[write(X, 1), write(Y, 1)], &[read(Y), read(X)]]).gives(&ANY);
}

/// MP+rel+acq. RC11 and PTX: forbidden.
#[test]
fn message_passing() {
    threads(&[&[write(X, 1), release(Y, 1)], &[acquire(Y), read(X)]]).gives(&CAUSAL);
}

/// MP+rel+po. RC11 and PTX: one side alone orders nothing.
#[test]
fn a_release_alone_brings_nothing() {
    threads(&[&[write(X, 1), release(Y, 1)], &[read(Y), read(X)]]).gives(&ANY);
}

/// MP+po+acq. RC11 and PTX: one side alone orders nothing.
#[test]
fn an_acquire_alone_brings_nothing() {
    threads(&[&[write(X, 1), write(Y, 1)], &[acquire(Y), read(X)]]).gives(&ANY);
}

/// MP+fence+fence. RC11, synchronizes-with of fences; PTX, release and acquire patterns.
#[test]
fn fences_make_relaxed_messages_bring() {
    threads(&[&[write(X, 1), Ins::Fence, write(Y, 1)], &[read(Y), Ins::Fence, read(X)]]).gives(&CAUSAL);
}

/// MP+fence+acq. The same: a fence pairs with an acquire.
#[test]
fn a_fence_pairs_with_an_acquire() {
    threads(&[&[write(X, 1), Ins::Fence, write(Y, 1)], &[acquire(Y), read(X)]]).gives(&CAUSAL);
}

/// MP+rel+fence: a release pairs with a fence.
#[test]
fn a_release_pairs_with_a_fence() {
    threads(&[&[write(X, 1), release(Y, 1)], &[read(Y), Ins::Fence, read(X)]]).gives(&CAUSAL);
}

/// A fence that only acquires pairs with a release and with a fence, and publishes nothing that came before
/// it.
#[test]
fn a_fence_that_acquires_is_half_a_fence() {
    let receive = [read(Y), Ins::FenceAcquire, read(X)];
    threads(&[&[write(X, 1), release(Y, 1)], &receive]).gives(&CAUSAL);
    threads(&[&[write(X, 1), Ins::Fence, write(Y, 1)], &receive]).gives(&CAUSAL);
    threads(&[&[write(X, 1), Ins::FenceAcquire, write(Y, 1)], &receive]).gives(&ANY);
    threads(&[&[write(X, 1), release(Y, 1)], &[Ins::FenceAcquire, read(Y), read(X)]]).gives(&ANY);
}

/// MP with the fences at the wrong places. RC11: a fence releases the writes after it, and acquires the reads
/// before it.
#[test]
fn a_fence_on_the_wrong_side_of_the_flag_brings_nothing() {
    threads(&[&[write(X, 1), write(Y, 1), Ins::Fence], &[read(Y), Ins::Fence, read(X)]]).gives(&ANY);
    threads(&[&[write(X, 1), Ins::Fence, write(Y, 1)], &[Ins::Fence, read(Y), read(X)]]).gives(&ANY);
}

/// MP through another thread's addition. RC11, release sequences (`rf ; rmw`); PTX, observation order.
#[test]
fn a_read_modify_write_carries_a_release_on() {
    let (send, receive) = ([write(X, 1), release(Y, 1)], [acquire(Y), read(X)]);
    threads(&[&send, &[add(Y, Order::Relaxed)], &receive])
        .allows(&["- | 1 | 2 1", "- | 0 | 1 0", "- | 1 | 1 1"], &["- | 1 | 2 0", "- | 1 | 1 0"]);
}

/// MP through two threads' additions. The same, twice.
#[test]
fn a_chain_of_read_modify_writes_carries_a_release_on() {
    let (send, receive) = ([write(X, 1), release(Y, 1)], [acquire(Y), read(X)]);
    let other = [add(Y, Order::Relaxed)];
    threads(&[&send, &other, &other, &receive]).allows(
        &["- | 1 | 2 | 3 1", "- | 2 | 1 | 3 1", "- | 0 | 1 | 2 0"],
        &["- | 1 | 2 | 3 0", "- | 2 | 1 | 3 0", "- | 1 | 2 | 2 0"],
    );
}

/// MP, and another thread writes the flag. RC11 and PTX: its write is no part of the release sequence.
#[test]
fn a_write_of_another_thread_ends_a_release_sequence() {
    let (send, receive) = ([write(X, 1), release(Y, 1)], [acquire(Y), read(X)]);
    threads(&[&send, &[write(Y, 2)], &receive])
        .allows(&["- | - | 2 0", "- | - | 2 1", "- | - | 1 1"], &["- | - | 1 0"]);
}

/// MP, and the sender writes the flag again, relaxed. C++20 (P0982: release sequences are read-modify-writes
/// alone) allows the stale read; RC11 as published and PTX do not. The model has the weaker rule.
#[test]
fn a_later_write_of_the_sender_does_not_release() {
    threads(&[&[write(X, 1), release(Y, 1), write(Y, 2)], &[acquire(Y), read(X)]])
        .allows(&["- | 2 0", "- | 2 1", "- | 1 1"], &["- | 1 0"]);
}

/// MP+swap.rel+acq. RC11 and PTX: a read-modify-write releases as a write does.
#[test]
fn a_swap_releases() {
    let send = |order| [write(X, 1), Ins::Swap(Y, 1, order)];
    let receive = [acquire(Y), read(X)];
    threads(&[&send(Order::Release), &receive]).gives(&["0 | 0 0", "0 | 0 1", "0 | 1 1"]);
    threads(&[&send(Order::Acquire), &receive]).allows(&["0 | 1 0"], &[]);
}

/// MP+rel+add.acq. RC11 and PTX: a read-modify-write acquires as a read does.
#[test]
fn an_addition_acquires() {
    let send = [write(X, 1), release(Y, 1)];
    threads(&[&send, &[add(Y, Order::Acquire), read(X)]]).gives(&CAUSAL);
    threads(&[&send, &[add(Y, Order::Release), read(X)]]).gives(&ANY);
}

/// MP+rel+cas.acq, and the exchange fails. C++11 29.6.5 as `compare_exchange` of this crate says: it is a
/// read, an acquiring one if its order acquires.
#[test]
fn an_exchange_that_fails_acquires() {
    let send = [write(X, 1), release(Y, 1)];
    let receive = |order| [Ins::Cas(Y, 5, 6, order), read(X)];
    threads(&[&send, &receive(Order::AcqRel)]).gives(&CAUSAL);
    threads(&[&send, &receive(Order::Acquire)]).gives(&CAUSAL);
    threads(&[&send, &receive(Order::Release)]).gives(&ANY);
}
