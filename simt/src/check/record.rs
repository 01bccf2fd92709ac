//! The record of one execution, which engines keep hidden from their schedulers.

use super::case::Case;
use super::keys::KeySet;
use super::{Access, Breach, Event};
use std::any::Any;
use warpproof_model::spec::Ret;

/// A step, as cheap to note as possible.
pub(crate) struct RawStep {
    pub(crate) warp: usize,
    pub(crate) call: usize,
    pub(crate) action: Action,
}

/// What a step does.
pub(crate) enum Action {
    Access { array: usize, index: usize, access: Access, read: u128, newest: u128, written: Option<u128> },
    Fence,
    Pause,
    Barrier,
    Call,
    Return(Ret),
    Stalled,
    Blocked,
}

/// One execution so far.
#[cfg_attr(
    not(any(feature = "loom", feature = "shuttle")),
    expect(dead_code, reason = "what engines ask that run warps side by side")
)]
pub(crate) struct Record {
    /// The newest value of every word, arrays one after the other.
    pub(crate) shadow: Vec<u128>,
    pub(crate) steps: Vec<RawStep>,
    pub(crate) events: Vec<Event>,
    /// Index in `events` of the call that each warp is in.
    current: Vec<usize>,
    pub(super) calls: Vec<usize>,
    /// Accesses of each warp.
    pub(crate) taken: Vec<u32>,
    /// Calls of each warp that have returned.
    pub(crate) returned: Vec<u64>,
    /// Where reads are snapshots: whether the `each` that a warp is in has begun to read.
    pub(super) in_each: Vec<Option<bool>>,
    /// Barriers that each warp has arrived at.
    pub(super) arrived: Vec<u32>,
    /// Warps that wait at a barrier.
    pub(super) waiting: usize,
    time: u64,
    /// Warps that have not ended.
    pub(super) running: usize,
    /// A warp stopped for ever, as its scenario says.
    pub(crate) halted: bool,
    /// Keys for which there was no room in some state.
    pub(crate) exhausted: KeySet,
    /// A violation ends the execution.
    pub(crate) stopped: bool,
    pub(crate) breach: Option<Breach>,
}

impl Record {
    /// The record of an execution that begins.
    pub(crate) fn new(case: &Case) -> Self {
        let warps = case.scenario.programs.len();
        Self {
            shadow: case.initial.clone(),
            steps: Vec::with_capacity(64),
            events: case.before.clone(),
            current: vec![usize::MAX; warps],
            calls: vec![0; warps],
            taken: vec![0; warps],
            returned: vec![0; warps],
            in_each: vec![None; warps],
            arrived: vec![0; warps],
            waiting: 0,
            time: 2 * case.before.len() as u64,
            running: warps,
            halted: false,
            exhausted: case.exhausted,
            stopped: false,
            breach: None,
        }
    }

    pub(crate) fn note(&mut self, warp: usize, action: Action) {
        let call = self.calls[warp];
        self.steps.push(RawStep { warp, call, action });
    }

    /// `warp` begins call `number` of its program and knows that so many calls of each warp have returned.
    pub(crate) fn begin_call(&mut self, case: &Case, warp: usize, number: usize, after: Vec<u64>) {
        let call = case.scenario.programs[warp][number].clone();
        self.calls[warp] = number;
        self.current[warp] = self.events.len();
        let start = self.tick();
        self.events.push(Event { warp: Some(warp), number, call, ret: None, after, start, end: u64::MAX });
        self.note(warp, Action::Call);
    }

    /// The call of `warp` returns.
    pub(crate) fn end_call(&mut self, warp: usize, ret: Ret) {
        let at = self.current[warp];
        self.events[at].end = self.tick();
        self.events[at].ret = Some(ret.clone());
        self.returned[warp] += 1;
        self.note(warp, Action::Return(ret));
    }

    fn tick(&mut self) -> u64 {
        self.time += 1;
        self.time - 1
    }
}

/// What a panic said.
pub(crate) fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().cloned();
    text.or_else(|| payload.downcast_ref::<&str>().map(ToString::to_string)).unwrap_or_default()
}
