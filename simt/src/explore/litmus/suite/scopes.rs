//! Scopes. PTX: only morally strong accesses synchronize. Two accesses of block scope are morally strong only
//! within one block.

use super::*;

/// A message of block scope from one block to another brings nothing.
#[test]
fn block_scope_does_not_reach_another_block() {
    threads(&[&[write(X, 1), release(Y, 1)], &[acquire(Y), read(X)]]).in_block(true).gives(&ANY);
}

/// In one block it does.
#[test]
fn block_scope_reaches_the_warps_of_a_block() {
    threads(&[&[write(X, 1), release(Y, 1)], &[acquire(Y), read(X)]]).in_block(false).gives(&CAUSAL);
}

/// The scope of the device reaches from block to block.
#[test]
fn device_scope_reaches_another_block() {
    threads(&[&[write(X, 1), release(Y, 1)], &[acquire(Y), read(X)]]).apart().gives(&CAUSAL);
}

/// Within a warp, which is in one block, block scope is enough, for its lanes too.
#[test]
fn block_scope_reaches_the_lanes_of_a_warp() {
    let warp = [each(&[&[write(X, 1), release(Y, 1)], &[acquire(Y), read(X)]])];
    lanes(2, &[&warp]).in_block(true).gives(&["0 0", "0 1", "1 1"]);
}

/// An addition of block scope in another block does not carry a release on. PTX, observation order: it goes
/// through morally strong pairs.
#[test]
fn block_scope_ends_a_release_sequence_at_the_block() {
    let (send, receive) = ([write(X, 1), release(Y, 1)], [acquire(Y), read(X)]);
    let test = || threads(&[&send, &[add(Y, Order::AcqRel)], &receive]);
    test().in_block(true).allows(&["- | 1 | 2 0", "- | 1 | 1 0"], &[]);
    test().in_block(false).allows(&["- | 1 | 2 1"], &["- | 1 | 2 0", "- | 1 | 1 0"]);
}

/// Fences are of the device's scope: SB with them is forbidden from block to block as well.
#[test]
fn fences_order_blocks() {
    let test = threads(&[&[write(X, 1), Ins::Fence, read(Y)], &[write(Y, 1), Ins::Fence, read(X)]]);
    test.in_block(true).gives(&["0 | 1", "1 | 0", "1 | 1"]);
}

/// MP with fences on a flag of block scope. PTX, Fence-SC and the axiom of causality: reading the flag cannot
/// contradict the order of the fences, whatever its scope.
#[test]
fn fences_order_what_a_flag_of_block_scope_tells() {
    let test = || threads(&[&[write(X, 1), Ins::Fence, write(Y, 1)], &[read(Y), Ins::Fence, read(X)]]);
    test().in_block(true).gives(&CAUSAL);
    test().in_block(false).gives(&CAUSAL);
}

/// Two additions of block scope from two blocks. PTX promises atomicity only within the scope; here none is
/// lost.
#[test]
fn no_addition_of_block_scope_is_lost_between_blocks() {
    threads(&[&[add(X, Order::Relaxed)], &[add(X, Order::Relaxed)]])
        .in_block(true)
        .gives(&["0 | 1", "1 | 0"]);
}
