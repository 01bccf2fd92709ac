//! Lanes are threads. PTX: `bar.warp.sync` and `bar.sync` synchronize those that take part; votes and
//! shuffles order no memory. [`Ins::Each`] alone has nothing between its lanes; after any other access comes
//! a collective.

use super::*;

/// The write by lane 0, the release by lane 1.
fn sent(between: &[Ins]) -> Vec<Ins> {
    [&[write(X, 1)], between, &[Ins::Lane(1), release(Y, 1)]].concat()
}

/// The acquire by lane 0, the read by lane 1.
fn received(between: &[Ins]) -> Vec<Ins> {
    [&[acquire(Y)], between, &[Ins::Lane(1), read(X)]].concat()
}

/// MP, and another lane releases. Only the lane's own writes are released.
#[test]
fn a_lane_does_not_release_what_another_wrote() {
    let receive = [acquire(Y), read(X)];
    lanes(2, &[&[each(&[&[write(X, 1)], &[release(Y, 1)]])], &receive]).gives(&ANY);
    lanes(2, &[&sent(&[Ins::Ballot]), &receive]).gives(&ANY);
}

/// MP, and another lane releases after `sync`.
#[test]
fn a_lane_releases_what_another_wrote_before_sync() {
    let receive = [acquire(Y), read(X)];
    lanes(2, &[&sent(&[Ins::Sync]), &receive]).gives(&CAUSAL);
    lanes(2, &[&sent(&[Ins::Fence]), &receive]).gives(&CAUSAL);
}

/// MP, and another lane reads. Only the lane that acquired knows.
#[test]
fn a_lane_does_not_acquire_for_another() {
    let send = [write(X, 1), release(Y, 1)];
    lanes(2, &[&send, &[each(&[&[acquire(Y)], &[read(X)]])]]).gives(&ANY);
    lanes(2, &[&send, &received(&[Ins::Ballot])]).gives(&ANY);
}

/// MP, and another lane reads after `sync`.
#[test]
fn a_lane_acquires_for_another_before_sync() {
    let send = [write(X, 1), release(Y, 1)];
    lanes(2, &[&send, &received(&[Ins::Sync])]).gives(&CAUSAL);
    lanes(2, &[&send, &received(&[Ins::Fence])]).gives(&CAUSAL);
}

/// MP with a fence of the warp between, flag written and read relaxed by the other lane: a fence is one of
/// every lane.
#[test]
fn a_fence_is_one_of_every_lane() {
    let send = [write(X, 1), Ins::Fence, Ins::Lane(1), write(Y, 1)];
    lanes(2, &[&send, &[read(Y), Ins::Fence, Ins::Lane(1), read(X)]]).gives(&CAUSAL);
    lanes(2, &[&send, &[read(Y), Ins::FenceAcquire, Ins::Lane(1), read(X)]]).gives(&CAUSAL);
}

/// MP between two lanes of one warp.
#[test]
fn lanes_send_messages() {
    let test = |programs: &[&[Ins]]| lanes(2, &[&[each(programs)]]);
    test(&[&[write(X, 1), write(Y, 1)], &[read(Y), read(X)]]).gives(&["0 0", "0 1", "1 0", "1 1"]);
    test(&[&[write(X, 1), release(Y, 1)], &[acquire(Y), read(X)]]).gives(&["0 0", "0 1", "1 1"]);
    test(&[&[acquire(Y), read(X)], &[write(X, 1), release(Y, 1)]]).gives(&["0 0", "0 1", "1 1"]);
}

/// The lanes of one `each` come in no order: an earlier lane reads what a later one writes.
#[test]
fn lanes_of_one_each_come_in_no_order() {
    lanes(2, &[&[each(&[&[read(X)], &[write(X, 1)]])]]).gives(&["0", "1"]);
    lanes(2, &[&[each(&[&[write(X, 1)], &[read(X)]])]]).gives(&["0", "1"]);
    lanes(2, &[&[each(&[&[write(X, 1)], &[write(X, 2)]])]]).last().gives(&["- => 1 0 0", "- => 2 0 0"]);
    let add = [add(X, Order::Relaxed)];
    lanes(2, &[&[each(&[&add, &add])]]).gives(&["0 1", "1 0"]);
}

/// SB between two lanes of one `each`.
#[test]
fn lanes_buffer_stores() {
    let test = lanes(2, &[&[each(&[&[write(X, 1), read(Y)], &[write(Y, 1), read(X)]])]]);
    test.gives(&["0 0", "0 1", "1 0", "1 1"]);
}

/// LB between two lanes of one `each`. RC11 (`sb ∪ rf` is acyclic): forbidden, as between threads.
#[test]
fn lanes_do_not_buffer_loads() {
    let test = lanes(2, &[&[each(&[&[read(X), write(Y, 1)], &[read(Y), write(X, 1)]])]]);
    test.gives(&["0 0", "0 1", "1 0"]);
}

/// A lane need not see what another wrote before a ballot, but after `sync` it does.
#[test]
fn a_ballot_orders_no_memory() {
    let test = |between| lanes(2, &[&[write(X, 1), between, Ins::Lane(1), read(X)]]);
    test(Ins::Ballot).gives(&["0", "1"]);
    test(Ins::Sync).gives(&["1"]);
    let test = |between| lanes(2, &[&[write(X, 1), between, Ins::Lane(1), write(X, 2)]]).last();
    test(Ins::Ballot).gives(&["- => 1 0 0", "- => 2 0 0"]);
    test(Ins::Sync).gives(&["- => 2 0 0"]);
}

/// LB, and a lane writes after a ballot that another lane's read comes before. The ballot's answer depends on
/// all lanes, so that the write does: forbidden (No-Thin-Air).
#[test]
fn what_follows_a_ballot_depends_on_all_lanes() {
    let test = |between: &[Ins]| {
        let one = [&[read(X)], between, &[Ins::Lane(1), write(Y, 1)]].concat();
        lanes(2, &[&one, &[read(Y), write(X, 1)]])
    };
    test(&[Ins::Ballot]).gives(&["0 | 0", "0 | 1", "1 | 0"]);
    // In one `each` nothing depends on the other lane.
    let each = [each(&[&[read(X)], &[write(Y, 1)]])];
    lanes(2, &[&each, &[read(Y), write(X, 1)]]).gives(&["0 | 0", "0 | 1", "1 | 0", "1 | 1"]);
}

/// PTX: `bar.sync` synchronizes the warps of a block.
#[test]
fn a_barrier_orders_warps() {
    threads(&[&[write(X, 1), Ins::Barrier], &[Ins::Barrier, read(X)]]).gives(&["- | 1"]);
    threads(&[&[read(X), Ins::Barrier], &[Ins::Barrier, write(X, 1)]]).gives(&["0 | -"]);
    let one = [write(X, 1), Ins::Barrier, Ins::Barrier, read(Y)];
    threads(&[&one, &[Ins::Barrier, write(Y, 1), Ins::Barrier, read(X)]]).gives(&["1 | 1"]);
}

/// PTX: `bar.sync` is of every lane, so that it orders those of one warp and of two.
#[test]
fn a_barrier_orders_lanes() {
    let read = [Ins::Barrier, Ins::Lane(1), read(X)];
    lanes(2, &[&[write(X, 1), Ins::Barrier], &read]).gives(&["- | 1"]);
    lanes(2, &[&[&[write(X, 1)], &read[..]].concat(), &[Ins::Barrier]]).gives(&["1 | -"]);
}

/// PTX: a barrier is of one block; warps of two blocks do not meet at it.
#[test]
fn a_barrier_does_not_order_blocks() {
    threads(&[&[write(X, 1), Ins::Barrier], &[Ins::Barrier, read(X)]]).apart().gives(&["- | 0", "- | 1"]);
}

/// PTX: a barrier that a warp never comes to is an error.
#[test]
fn a_barrier_waits_for_all_warps() {
    threads(&[&[Ins::Barrier], &[read(X)]]).breaks(Kind::BarrierDivergence);
}

/// A warp may pass a barrier and make no access after it: what precedes the barrier is read both ways.
#[test]
fn nothing_behind_a_barrier() {
    threads(&[&[write(X, 1), Ins::Barrier], &[read(X), Ins::Barrier]]).gives(&["- | 0", "- | 1"]);
}
