//! A graph written down as one execution, step by step.

use super::graph::{Graph, Id, NONE};
use super::judge::{Judge, last_words};
use super::order::Returned;
use crate::check::{Access, Action, Case, Record};

/// How an execution ends that is written down.
pub(super) enum End<'a> {
    /// In a call of this warp, which may have made no step.
    In(usize),
    /// Some warps never go on.
    Stuck,
    /// All warps have ended, or some have stopped as the scenario allows (`true`); these calls must have
    /// returned before others began.
    Over(Option<&'a Returned>, bool),
}

/// The steps of a graph in an order that follows what they depend on and, where that is possible, the order
/// of writes. The final calls come last, if the execution got to them.
pub(super) fn record(case: &Case, judge: &Judge, graph: &Graph, end: End<'_>) -> Record {
    let returned = if let End::Over(returned, _) = end { returned } else { None };
    let mut writer = Writer {
        case,
        judge,
        graph,
        returned,
        record: Record::new(case),
        done: vec![false; graph.events.len()],
        counts: vec![0; graph.warps.len()],
        calls: vec![None; graph.warps.len()],
        returns: vec![0; graph.warps.len()],
    };
    writer.run();
    match end {
        End::In(warp) => writer.begin_last(warp),
        End::Stuck => {}
        End::Over(_, interrupted) => writer.finish(interrupted),
    }
    writer.record
}

struct Writer<'a> {
    case: &'a Case,
    judge: &'a Judge,
    graph: &'a Graph,
    returned: Option<&'a Returned>,
    record: Record,
    done: Vec<bool>,
    /// Events of each warp that were written down.
    counts: Vec<usize>,
    /// The call that each warp is in.
    calls: Vec<Option<usize>>,
    returns: Vec<usize>,
}

/// What a step waits for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Strict {
    /// All reads of older values of its word.
    Reads,
    /// The older writes of its word.
    Writes,
    /// What it depends on.
    Causes,
}

impl Writer<'_> {
    fn run(&mut self) {
        let mut last = 0;
        for warp in 0..self.counts.len() {
            self.turn(warp);
        }
        while let Some(id) = self.next(last) {
            last = self.graph.event(id).warp as usize;
            self.begin(last);
            self.step(id);
            self.turn(last);
        }
        for warp in 0..self.counts.len() {
            self.halt(warp);
        }
    }

    /// The next step: one of the warp that made the last one, if it can.
    fn next(&self, last: usize) -> Option<Id> {
        [Strict::Reads, Strict::Writes, Strict::Causes].into_iter().find_map(|strict| {
            let open = (0..self.graph.events.len() as Id).filter(|&id| !self.done[id as usize]);
            let ready = open.filter(|&id| self.is_ready(id, strict));
            let mut ready: Vec<_> = ready.collect();
            ready.sort_by_key(|&id| self.graph.event(id).warp as usize != last);
            ready.first().copied()
        })
    }

    fn is_ready(&self, id: Id, strict: Strict) -> bool {
        let event = self.graph.event(id);
        // A step that reads and writes is written down once: with its second half, if that is there.
        let whole = if event.half == NONE { event } else { self.graph.event(event.half) };
        if event.is_write && event.exclusive {
            return false;
        }
        let warp = event.warp as usize;
        let call = self.calls[warp].unwrap_or(self.returns[warp]);
        let waits_for_call = self.returned.is_some_and(|returned| {
            self.calls[warp].is_none()
                && returned
                    .before(warp, call)
                    .iter()
                    .enumerate()
                    .any(|(other, &count)| other != warp && (self.returns[other] as u64) < count)
        });
        if waits_for_call && strict != Strict::Causes {
            return false;
        }
        let mine = [id, event.half];
        let open = |other: Id| !mine.contains(&other) && !self.done[other as usize];
        let causes = (0..self.graph.events.len() as Id)
            .any(|other| open(other) && self.graph.event(other).is_known(&whole.porf));
        // Its call begins when the one before it has returned.
        if causes
            || self.graph.warps[warp].rets.get(call).is_some_and(|&(_, count)| self.counts[warp] >= count)
        {
            return false;
        }
        let rank = if whole.is_write {
            self.graph.rank(if event.half == NONE { id } else { event.half })
        } else {
            0
        };
        let older_write = whole.is_write
            && whole.placed
            && self.graph.writes(event.word).any(|other| open(other) && self.graph.rank(other) < rank);
        let older_read = whole.is_write
            && whole.placed
            && self.graph.accesses(event.word).any(|other| {
                let read = self.graph.event(other);
                !read.is_write && open(other) && self.graph.rank(read.from) < rank
            });
        match strict {
            Strict::Reads => !older_write && !older_read,
            Strict::Writes => !older_write,
            Strict::Causes => true,
        }
    }

    /// Begins the call that a warp is in.
    fn begin(&mut self, warp: usize) {
        if self.calls[warp].is_some() {
            return;
        }
        let number = self.returns[warp];
        let after = match self.returned {
            Some(returned) => returned.before(warp, number),
            None => {
                (0..self.counts.len()).map(|other| if other == warp { number as u64 } else { 0 }).collect()
            }
        };
        self.record.begin_call(self.case, warp, number, after);
        self.calls[warp] = Some(number);
    }

    fn step(&mut self, id: Id) {
        let event = self.graph.event(id);
        self.done[id as usize] = true;
        self.counts[event.warp as usize] += 1;
        let mut written = None;
        if event.half != NONE {
            self.done[event.half as usize] = true;
            self.counts[event.warp as usize] += 1;
            written = Some(self.graph.event(event.half).value);
        }
        if event.is_write {
            written = Some(event.value);
        }
        let (warp, word) = (event.warp as usize, event.word as usize);
        if word == self.case.initial.len() {
            self.record.note(warp, Action::Fence);
            return;
        }
        let (array, index) = self.case.place(word);
        let newest = self.record.shadow[word];
        let read = if matches!(event.access, Access::Store(..)) { newest } else { event.value };
        self.record.note(warp, Action::Access { array, index, access: event.access, read, newest, written });
        if let Some(value) = written {
            self.record.shadow[word] = value;
        }
    }

    /// Lets calls of a warp return that have no step left.
    fn turn(&mut self, warp: usize) {
        while let Some(&(ret, count)) = self.graph.warps[warp].rets.get(self.returns[warp]) {
            if self.counts[warp] < count {
                return;
            }
            self.begin(warp);
            self.record.end_call(warp, self.judge.ret(ret).clone());
            self.calls[warp] = None;
            self.returns[warp] += 1;
        }
    }

    /// Begins the call of a warp that ended the execution, if it made no step.
    fn begin_last(&mut self, warp: usize) {
        if self.returns[warp] < self.case.scenario.programs[warp].len() {
            self.begin(warp);
        }
    }

    /// Makes the final calls.
    fn finish(&mut self, interrupted: bool) {
        self.record.shadow = last_words(self.case, self.graph);
        let (finals, _) = self.case.finish(&self.record.shadow, interrupted);
        self.record.events.extend(finals);
    }

    /// Writes down why a warp does not go on.
    fn halt(&mut self, warp: usize) {
        use super::graph::Halted;
        let Some((why, _)) = self.graph.warps[warp].halted else { return };
        self.begin(warp);
        let action = match why {
            Halted::Waits | Halted::Yields => Action::Pause,
            Halted::AtBarrier(..) => Action::Barrier,
            Halted::Stalled => Action::Stalled,
            Halted::Blocked => Action::Blocked,
        };
        self.record.note(warp, action);
    }
}
