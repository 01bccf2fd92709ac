//! The search: from a state to those that one step of a warp leads to. Each state is visited once.

use super::memories::Memories;
use super::program::{Node, Programs, WARPS};
use crate::check::{Action, Breach, Case, KeySet, Kind, Record, Twins, Verdict};
use crate::engine::{Cap, Options};
use rustc_hash::FxHashMap;
use std::time::Instant;

/// A set of calls, with a bit for each. The calls of a warp for which there is no further bit share the last
/// one.
pub(super) type CallSet = u64;

/// A state of executions.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct State {
    /// What memory holds.
    pub(super) memory: u32,
    /// Steps of the warp that stops for ever, if one does; [`STALLED`] when it has stopped.
    pub(super) taken: u32,
    /// Keys for which there was no room at some time.
    pub(super) exhausted: KeySet,
    /// Where each warp is.
    pub(super) warps: [Node; WARPS],
}

/// The warp that stops for ever has stopped.
pub(super) const STALLED: u32 = u32::MAX;

/// A state on the path from the first state to the current one.
struct Frame {
    state: State,
    /// The warp whose step led here; [`ALL`] if all warps did, at a barrier.
    by: usize,
    /// The warp that is tried next.
    next: usize,
    /// Its number among the visited states, and the lowest number of a state on the path that it leads back
    /// to.
    number: u32,
    low: u32,
    /// Whether it leads to a state that does not lead back, or ends the execution.
    leads_on: bool,
}

/// Stands for the number of a state that leads back to no state on the path.
const LEFT: u32 = u32::MAX;

/// All warps together.
const ALL: usize = WARPS;

/// Limits at which an exploration stops before its end.
pub(super) struct Limit {
    pub(super) cap: Cap,
    /// States of the explorations before this one.
    pub(super) before: u64,
    pub(super) started: Instant,
}

/// A search.
pub(super) struct Search<'c> {
    pub(super) case: &'c Case,
    pub(super) twins: Twins,
    /// A word that was read unseen has changed.
    pub(super) is_wrong: bool,
    pub(super) programs: Programs<'c>,
    pub(super) memories: Memories,
    /// The calls that change each word, as far as it is known.
    pub(super) writers: Vec<CallSet>,
    /// For each word that others read unseen, the calls that were assumed not to change it.
    pub(super) unseen: Vec<CallSet>,
    /// Keys of the calls of each warp.
    pub(super) keys: Vec<Vec<u64>>,
    /// The states that were visited: each one's number, or [`LEFT`].
    states: FxHashMap<State, u32>,
    /// The states that are on the path, or lead back to one on it.
    open: Vec<State>,
    path: Vec<Frame>,
    /// Whether the execution that breaks a rule had ended by then.
    is_over: bool,
    pub(super) step_bound: u32,
}

impl<'c> Search<'c> {
    pub(super) fn new(case: &'c Case, options: &Options) -> Self {
        let words = case.initial.len();
        let keys = |calls: &Vec<_>| calls.iter().map(|call| case.subject.key(call)).collect();
        Self {
            twins: Twins::new(case, options.symmetry),
            is_wrong: false,
            programs: Programs::new(case, options),
            memories: Memories::new(case),
            writers: vec![0; words],
            unseen: vec![0; words],
            keys: case.scenario.programs.iter().map(keys).collect(),
            states: FxHashMap::default(),
            open: Vec::new(),
            path: Vec::new(),
            is_over: false,
            step_bound: options.step_bound,
            case,
        }
    }

    /// Visits all states, unless there is a violation or a limit is reached.
    pub(super) fn explore(&mut self, limit: &Limit) -> Verdict {
        loop {
            self.states.clear();
            self.open.clear();
            self.is_wrong = false;
            self.is_over = false;
            self.unseen.fill(0);
            let round = self.round(limit);
            if self.is_wrong {
                continue;
            }
            self.case.count_executions(self.states.len() as u64);
            return round.unwrap_or_else(|breach| {
                let record = self.trace();
                self.case.violated(breach, &record);
                Verdict::Violated
            });
        }
    }

    fn start(&self) -> State {
        let mut warps = [0; WARPS];
        for (warp, node) in warps.iter_mut().enumerate().take(self.warps()) {
            *node = warp as Node;
        }
        State { memory: 0, taken: 0, exhausted: self.case.exhausted, warps }
    }

    pub(super) fn warps(&self) -> usize {
        self.keys.len()
    }

    /// Visits all states, assuming that only the calls known to change a word change it. If that turns out to
    /// be wrong (`is_wrong`), the result does not count.
    fn round(&mut self, limit: &Limit) -> Result<Verdict, Breach> {
        self.path.clear();
        self.visit(self.start(), ALL)?;
        while let Some(frame) = self.path.last_mut() {
            let (state, warp) = (frame.state, frame.next);
            frame.next += 1;
            if warp >= ALL {
                self.leave()?;
                continue;
            }
            if !self.may_go(&state, warp) {
                continue;
            }
            let to = self.step(&state, warp, None);
            if self.is_wrong {
                return Ok(Verdict::Passed);
            }
            match to {
                Ok(to) => self.visit(to, warp)?,
                Err(breach) => {
                    // The path leads up to the step that breaks a rule.
                    self.push(state, warp);
                    return Err(breach);
                }
            }
            let seen = self.states.len() as u64;
            if limit.cap.reached(limit.before + seen, limit.started) {
                return Ok(Verdict::Capped);
            }
        }
        Ok(Verdict::Passed)
    }

    /// Whether a warp has a step to take.
    fn goes(&self, state: &State, warp: usize) -> bool {
        let Some(&node) = state.warps[..self.warps()].get(warp) else { return false };
        !self.programs.is_over(node) && !self.programs.meets(node) && !self.is_stalled(state, warp)
    }

    pub(super) fn is_stalled(&self, state: &State, warp: usize) -> bool {
        state.taken == STALLED && self.case.stall.is_some_and(|(stalled, _)| stalled == warp)
    }

    /// Whether a warp can go on; of twins, the first begins first.
    fn may_go(&self, state: &State, warp: usize) -> bool {
        let begins = state.warps[warp] == warp as Node;
        let first = |twin: usize| state.warps[twin] != twin as Node;
        self.goes(state, warp) && (!begins || self.twins.before(warp).is_none_or(first))
    }

    fn push(&mut self, state: State, by: usize) {
        let number = self.states.len() as u32;
        self.path.push(Frame { state, by, next: 0, number, low: number, leads_on: false });
    }

    /// Comes to a state; looks at it if it is new.
    fn visit(&mut self, state: State, by: usize) -> Result<(), Breach> {
        if let (Some(&number), Some(frame)) = (self.states.get(&state), self.path.last_mut()) {
            if number == LEFT {
                frame.leads_on = true;
            } else {
                frame.low = frame.low.min(number);
            }
            return Ok(());
        }
        self.push(state, by);
        self.states.insert(state, self.states.len() as u32);
        self.open.push(state);
        let warps = 0..self.warps();
        if warps.clone().any(|warp| self.goes(&state, warp)) {
            return Ok(());
        }
        let meets = |&warp: &usize| self.programs.meets(state.warps[warp]);
        if warps.clone().all(|warp| meets(&warp)) {
            let mut to = state;
            for warp in warps {
                to.warps[warp] = self.programs.reads(&self.memories, state.warps[warp], 0).0;
            }
            return self.visit(to, ALL);
        }
        match warps.clone().find(meets) {
            Some(warp) if state.taken != STALLED => {
                let detail = format!("warp {warp} waits at a barrier, another warp has ended");
                Err(Breach::new(Kind::BarrierDivergence, detail))
            }
            Some(_) => Ok(()),
            None => {
                if let Some(frame) = self.path.last_mut() {
                    frame.leads_on = true;
                }
                self.judge(&state)
            }
        }
    }

    /// Goes back from a state. If it is the first one of a group of states that lead only to each other, and
    /// no execution ends in the group, then no execution that enters the group ever ends.
    fn leave(&mut self) -> Result<(), Breach> {
        let Some(Frame { state, number, low, leads_on, .. }) = self.path.last() else { return Ok(()) };
        let (state, number, low, leads_on) = (*state, *number, *low, *leads_on);
        let last = low == number;
        if last {
            if !leads_on {
                self.never_ends(&state)?;
            }
            while let Some(left) = self.open.pop() {
                self.states.insert(left, LEFT);
                if left == state {
                    break;
                }
            }
        }
        self.path.pop();
        if let Some(frame) = self.path.last_mut() {
            frame.leads_on |= last || leads_on;
            frame.low = frame.low.min(low);
        }
        Ok(())
    }

    /// No execution that comes to this state ends.
    fn never_ends(&mut self, state: &State) -> Result<(), Breach> {
        if state.taken == STALLED && self.case.scenario.allows.blocking {
            return self.judge(state);
        }
        let open = |&warp: &usize| !self.programs.is_over(state.warps[warp]) && !self.is_stalled(state, warp);
        let Some(warp) = (0..self.warps()).find(open) else { return Ok(()) };
        let detail = format!("warp {warp} never ends, whatever the others do");
        Err(Breach::new(Kind::StepBound, detail))
    }

    /// Judges an execution that has ended in a state.
    fn judge(&mut self, state: &State) -> Result<(), Breach> {
        let stalled = state.taken == STALLED;
        if stalled {
            self.case.stall_reached();
        }
        let mut record = Record::new(self.case);
        record.halted = stalled;
        record.shadow.copy_from_slice(self.memories.words(state.memory));
        for &node in &state.warps[..self.warps()] {
            self.programs.events(node, &mut record.events);
        }
        let verdict = self.case.judge(&mut record);
        self.is_over = verdict.is_err();
        verdict?;
        if self.twins.any() {
            for events in self.twins.exchanged(self.case, &record.events) {
                self.case.outcome(&events);
            }
        }
        Ok(())
    }

    /// The execution that leads along the path, step by step.
    fn trace(&mut self) -> Record {
        let mut record = Record::new(self.case);
        for at in 1..self.path.len() {
            let (from, by) = (self.path[at - 1].state, self.path[at].by);
            if by == ALL {
                (0..self.warps()).for_each(|warp| record.note(warp, Action::Barrier));
            } else {
                // The last step may be the one that breaks a rule.
                let _: Result<State, Breach> = self.step(&from, by, Some(&mut record));
            }
        }
        if self.is_over {
            // Adds the final calls; what is wrong is known.
            let _: Result<(), Breach> = self.case.judge(&mut record);
        }
        record
    }
}
