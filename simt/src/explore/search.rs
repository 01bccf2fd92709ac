//! The search: from an execution graph to the next one, each once.
//!
//! This is TruSt (Kokologiannakis, Marmanis, Gladstein, Vafeiadis, "Truly stateless, optimal dynamic partial
//! order reduction", POPL 2022). Events are added one by one. A read branches over the writes that it may
//! read, a write over its places in the order of its word. In addition, a write *revisits* reads that were
//! added before it: such a read reads the write after all, and events that were added since and do not lead
//! to the write are removed. So that no graph occurs twice, a write revisits only if everything to be removed
//! is as it would be if it were added last (`revisit.rs`).

use super::bound::Bound;
use super::branch::{Choice, Level};
use super::graph::{Graph, Halted, Id, MOST_OF_LANE, MOST_WRITES};
use super::judge::Judge;
use super::share::{Gift, Share};
use super::trace;
use super::walk::Walk;
use crate::check::{Breach, Case, Kind, Record, Twins};
use crate::engine::{Cap, Options};
use std::time::Instant;

/// A search.
pub(super) struct Search<'c> {
    pub(super) case: &'c Case,
    pub(super) judge: Judge,
    pub(super) twins: Twins,
    /// The preemptions that executions may have.
    pub(super) bound: Option<Bound>,
    /// The execution at random that this is a part of.
    pub(super) walk: Option<Walk>,
    pub(super) graph: Graph,
    pub(super) choices: Vec<Choice>,
    /// The graphs whose revisits led here.
    pub(super) below: Vec<Level>,
    pub(super) spare: Vec<Level>,
    pub(super) numbers: Vec<Id>,
    /// What is noted of executions, where somebody asks whether loads can be buffered.
    #[cfg(test)]
    pub(super) noted: Option<super::buffering::Noted>,
    pub(super) step_bound: u32,
    pub(super) stop: bool,
    /// How often it went on: now and then it looks at the time.
    turns: u64,
    shortest: bool,
    share: &'c Share,
}

/// The graph has no execution.
pub(super) struct Dead;

impl<'c> Search<'c> {
    pub(super) fn new(case: &'c Case, share: &'c Share, options: &Options) -> Self {
        Self {
            graph: Graph::new(case),
            judge: Judge::new(case),
            twins: Twins::new(case, options.symmetry),
            bound: None,
            walk: None,
            case,
            choices: Vec::new(),
            below: Vec::new(),
            spare: Vec::new(),
            numbers: Vec::new(),
            #[cfg(test)]
            noted: None,
            step_bound: options.step_bound,
            stop: false,
            turns: 0,
            shortest: options.shortest,
            share,
        }
    }

    /// Explores what there is, until no search has anything left or the limit is reached. The first search
    /// begins with the graph without events, the others with what they are given.
    pub(super) fn explore(&mut self, first: bool, limit: &Limit) {
        let mut more = first || self.receive(limit);
        while more {
            if self.run().is_ok() {
                self.finish();
            }
            if self.stop || self.share.is_stopped() {
                self.share.stop();
                break;
            }
            if self.share.is_hungry() {
                self.give();
            }
            more = self.next(limit) || self.receive(limit);
            if more && limit.cap.reached(limit.before + self.case.executions(), limit.started) {
                self.too_much();
                break;
            }
        }
    }

    /// Ends the exploration before its end.
    pub(super) fn too_much(&mut self) -> Dead {
        self.share.cap();
        self.stop = true;
        Dead
    }

    /// Gives away the oldest of what is left, if there is more than one way to go on.
    fn give(&mut self) {
        let level = match self.below.iter().position(|level| !level.choices.is_empty()) {
            Some(oldest) => self.below.remove(oldest),
            None if self.choices.len() > 1 => {
                Level { graph: self.graph.clone(), choices: vec![self.choices.remove(0)] }
            }
            None => return,
        };
        let ret = |&(ret, _): &(u32, usize)| self.judge.ret(ret).clone();
        let rets = level.graph.warps.iter().map(|warp| warp.rets.iter().map(ret).collect());
        let rets = rets.collect();
        self.share.give(Gift { level, rets });
    }

    /// Waits for what another search gives, and goes to its next graph.
    fn receive(&mut self, limit: &Limit) -> bool {
        while let Some(Gift { level, rets }) = self.share.take() {
            (self.graph, self.choices) = (level.graph, level.choices);
            for (warp, rets) in self.graph.warps.iter_mut().zip(rets) {
                for (slot, ret) in warp.rets.iter_mut().zip(rets) {
                    slot.0 = self.judge.number(ret);
                }
            }
            for event in &mut self.graph.events {
                if event.is_write {
                    event.value_id = self.judge.states.intern(event.word, event.value);
                }
            }
            if self.next(limit) {
                return true;
            }
        }
        false
    }

    /// Goes to the next graph.
    fn next(&mut self, limit: &Limit) -> bool {
        loop {
            self.turns += 1;
            if self.turns.is_multiple_of(LOOK) && limit.cap.is_late(limit.started) {
                self.too_much();
            }
            if self.stop {
                return false;
            }
            match self.choices.pop() {
                Some(choice) => {
                    if self.choose(choice).is_ok()
                        && self.bound.is_none_or(|bound| bound.follows(&self.graph))
                    {
                        return true;
                    }
                }
                None => {
                    let Some(level) = self.below.pop() else { return false };
                    let graph = std::mem::replace(&mut self.graph, level.graph);
                    let choices = std::mem::replace(&mut self.choices, level.choices);
                    self.spare.push(Level { graph, choices });
                }
            }
        }
    }

    fn choose(&mut self, choice: Choice) -> Result<(), Dead> {
        match choice {
            Choice::Read { read, from } => {
                self.graph.truncate(read as usize + 1);
                self.graph.unsettle(read);
                self.read_from(read, from);
                self.fenced()?;
                self.halve(read)
            }
            Choice::Write { write, before } => {
                self.graph.truncate(write as usize + 1);
                self.graph.unsettle(write);
                self.graph.displace(write);
                self.graph.place(write, before);
                self.fenced()?;
                self.placed(write)
            }
            Choice::Revisit { read, by } => {
                self.graph.truncate(by as usize + 1);
                self.revisit(read, by)
            }
            Choice::Place { by, before } => {
                self.graph.truncate(by as usize + 1);
                self.graph.displace(by);
                self.graph.place(by, before);
                self.revisited(by)
            }
        }
    }

    /// Looks at what a write has changed.
    pub(super) fn placed(&mut self, write: Id) -> Result<(), Dead> {
        if self.graph.count_writes() > MOST_WRITES {
            return Err(self.no_room(self.graph.event(write).warp as usize));
        }
        match self.judge.states.placed(self.case, &self.graph, write) {
            Ok(()) => Ok(()),
            Err(breach) => Err(self.breach(self.graph.event(write).warp as usize, breach)),
        }
    }

    /// The execution has no room for another event: a call of `warp` does not end, or the scenario is too
    /// large.
    pub(super) fn no_room(&mut self, warp: usize) -> Dead {
        let state = &self.graph.warps[warp];
        let begin = state.starts.last().map_or(0, |start| start.count);
        let fence = self.graph.words() as u16 - 1;
        let call = || state.events[begin..].iter().map(|&id| self.graph.event(id));
        let count = |lane: usize| call().filter(|event| usize::from(event.lane) == lane).count();
        let most = (0..self.case.subject.lanes() as usize).map(count).max().unwrap_or(0);
        let (limit, what) = if call().filter(|e| e.is_write || e.word == fence).count() > MOST_WRITES / 2 {
            (MOST_WRITES / 2, "writes or fences")
        } else if most > MOST_OF_LANE / 2 {
            (MOST_OF_LANE / 2, "accesses by one lane")
        } else {
            return self.too_much();
        };
        let detail = format!("warp {warp} made more than {limit} {what} in one call");
        self.breach(warp, Breach::new(Kind::StepBound, detail))
    }

    /// Notes a violation by a call of `warp`, before the execution has ended.
    pub(super) fn breach(&mut self, warp: usize, breach: Breach) -> Dead {
        self.case.begin_execution();
        let record = trace::record(self.case, &self.judge, &self.graph, trace::End::In(warp));
        self.violated(breach, &record);
        Dead
    }

    fn violated(&mut self, breach: Breach, record: &Record) {
        self.case.violated(breach, record);
        self.stop |= !self.shortest;
    }

    /// No warp goes on: judges the execution.
    pub(super) fn finish(&mut self) {
        if self.bound.is_some_and(|bound| !bound.counts(&self.graph)) {
            return;
        }
        let waits = self.graph.warps.iter().any(|w| matches!(w.halted, Some((Halted::Waits, _))));
        if waits && self.someone_goes_on() {
            self.share.unfinished();
            return;
        }
        #[cfg(test)]
        if let Some(noted) = &mut self.noted {
            noted.note(self.case, &self.graph);
        }
        self.case.begin_execution();
        if let Some(breach) = self.stuck() {
            let record = trace::record(self.case, &self.judge, &self.graph, trace::End::Stuck);
            return self.violated(breach, &record);
        }
        let interrupted = self.graph.warps.iter().any(|warp| warp.halted.is_some());
        if let Err((breach, after)) = self.judge.complete(self.case, (&self.graph, &self.twins), interrupted)
        {
            let end = trace::End::Over(after.as_ref(), interrupted);
            let record = trace::record(self.case, &self.judge, &self.graph, end);
            self.violated(breach, &record);
        }
    }

    /// A warp that never goes on, though the scenario does not allow that.
    fn stuck(&self) -> Option<Breach> {
        let stalled = self.graph.warps.iter().any(|w| matches!(w.halted, Some((Halted::Stalled, _))));
        if stalled {
            self.case.stall_reached();
        }
        let allowed = stalled && self.case.scenario.allows.blocking;
        self.graph.warps.iter().enumerate().find_map(|(warp, state)| match state.halted?.0 {
            Halted::AtBarrier(..) if !stalled => {
                let detail = format!("warp {warp} waits at a barrier, another warp has ended");
                Some(Breach::new(Kind::BarrierDivergence, detail))
            }
            Halted::Waits | Halted::AtBarrier(..) if !allowed => {
                let detail = format!("warp {warp} waits for ever: what it waits for is never written");
                Some(Breach::new(Kind::StepBound, detail))
            }
            _ => None,
        })
    }

    /// Hands over what it saw.
    pub(super) fn hand_over(&self) {
        self.judge.outcomes(self.case, &self.twins);
    }

    pub(super) fn width(&self, word: u16) -> u32 {
        self.judge.states.width(word)
    }
}

/// When an exploration ends before its end.
pub(super) struct Limit {
    pub(super) cap: Cap,
    /// Executions of the explorations before this one.
    pub(super) before: u64,
    pub(super) started: Instant,
}

/// After how many graphs a search looks at the time.
const LOOK: u64 = 64;
