//! Real threads on one table, each a warp; every call is stamped.

use super::driven::Driven;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering};
use warpproof::model::Word;
use warpproof::model::reserved::AllKeys;
use warpproof::model::spec::{Call, Op, Ret};
use warpproof::simt::check::Event;
use warpproof::simt::cpu::CpuTable;

/// Warps that race. More than most machines of a test farm have cores: a warp that is interrupted within a
/// call makes the call long.
const WARPS: usize = 4;

/// Calls that a thread makes with one warp.
const CALLS_OF_A_WARP: usize = 32;

/// The size of a history.
#[derive(Clone, Copy)]
pub(crate) struct Load {
    /// Different keys.
    pub(crate) keys: u64,
    /// Calls of each warp in a round; between two rounds no warp runs.
    pub(crate) calls: usize,
    /// How often the warps run that many calls.
    pub(crate) rounds: usize,
    /// Of 16 calls, so many are deletes.
    pub(crate) deletes: u64,
}

impl Load {
    /// Deletes of a round, about.
    pub(crate) fn deletes_of_a_round(self) -> u64 {
        (WARPS * self.calls) as u64 * self.deletes / KINDS
    }
}

/// Kinds of calls, some of which are the same.
const KINDS: u64 = 16;

/// Runs the rounds on a new table; the history ends with a delete of every key.
pub(crate) fn drive<D: Driven>(load: Load) -> Vec<Event> {
    let mut driven = D::made(load);
    let clock = AtomicU64::new(0);
    let mut history = Vec::with_capacity(load.rounds * load.calls * WARPS + load.keys as usize);
    let together = Barrier::new(WARPS);
    for round in 0..load.rounds {
        let logs = crossbeam_utils::thread::scope(|scope| {
            let start = |warp| {
                let (table, clock, together) = (driven.table(), &clock, &together);
                scope.spawn(move |_| {
                    together.wait();
                    program(table, clock, load, round, warp)
                })
            };
            let threads: Vec<_> = (0..WARPS).map(start).collect();
            threads.into_iter().map(|t| t.join().expect("no thread panics")).collect::<Vec<_>>()
        });
        logs.expect("no thread panics").into_iter().for_each(|log| history.extend(log));
        driven.rest();
    }
    let table = driven.table();
    let mut w = table.warp(0);
    for key in 0..load.keys {
        history.push(stamped(table, &mut w, &clock, 0, Call::new(Op::Delete, key, 0)));
    }
    let view = table.all_keys();
    let left: u64 = (0..view.parts()).map(|part| u64::from(view.live(&mut *w, part))).sum();
    assert_eq!(left, 0, "every key was deleted");
    history
}

/// The calls of one warp in one round.
fn program<T: CpuTable>(table: &T, clock: &AtomicU64, load: Load, round: usize, warp: usize) -> Vec<Event> {
    let mut log = Vec::with_capacity(load.calls);
    let first = (round * WARPS + warp) * load.calls;
    let mut state = (first as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut w = table.warp(warp as u32);
    for call in 0..load.calls {
        if call % CALLS_OF_A_WARP == 0 {
            // Where warps are lent, others wait for the end of this one now and then.
            drop(w);
            w = table.warp(warp as u32);
        }
        // Xorshift: the calls of a warp are a function of the load.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let (kind, key) = ((state >> 40) % KINDS, (state >> 16) % load.keys);
        // A set has no values.
        let value = if size_of::<T::Value>() == 0 { 0 } else { (first + call) as u64 };
        let call = match kind {
            kind if kind < load.deletes => Call::new(Op::Delete, key, 0),
            kind if kind < load.deletes + 3 => Call::new(Op::InsertUnique, key, value),
            kind if kind < load.deletes + 6 => Call::new(Op::InsertOrAssign, key, value),
            _ => Call::new(Op::Search, key, 0),
        };
        log.push(stamped(table, &mut w, clock, warp, call));
    }
    log
}

/// Runs one call between two looks at the clock.
fn stamped<T: CpuTable>(table: &T, w: &mut T::Warp, clock: &AtomicU64, warp: usize, call: Call) -> Event {
    // AcqRel: pairs with the stamp after every call that returned before. What it did is visible to this
    // call.
    let start = clock.fetch_add(1, Ordering::AcqRel);
    let ret = run(table, w, &call);
    // AcqRel: pairs with the stamp in front of every call that begins later.
    let end = clock.fetch_add(1, Ordering::AcqRel);
    Event { warp: Some(warp), number: 0, call, ret: Some(ret), after: Vec::new(), start, end }
}

fn run<T: CpuTable>(table: &T, w: &mut T::Warp, call: &Call) -> Ret {
    let view = table.all_keys();
    // One of the keys is in no slot.
    let key = T::Key::from_bits(if call.key == 0 { u128::MAX } else { call.key.into() });
    let value = T::Value::from_bits(call.value.into());
    match call.op {
        Op::InsertUnique => view.insert_unique(w, key, value).into(),
        Op::InsertOrAssign => view.insert_or_assign(w, key, value).into(),
        Op::Delete => view.delete(w, key).into(),
        _ => Ret::Value(view.search(w, key).map(|value| value.to_bits() as u64)),
    }
}
