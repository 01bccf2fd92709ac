//! One execution, whatever the engine: the checks of every step.

use super::case::{Case, WordRef};
use super::record::{Action, Record};
use super::{Access, Breach, Kind, Reads};
use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use warpproof_model::spec::Ret;

/// Why a warp left its program before the end.
pub(crate) enum Halt {
    /// A violation was found; the execution ends.
    Stop,
    /// The warp stopped for ever, as its scenario demands.
    Stalled,
    /// The warp waits for a stalled one, which its scenario allows.
    Blocked,
}

/// One execution.
pub(crate) struct Execution {
    pub(crate) case: Arc<Case>,
    step_bound: u32,
    record: Mutex<Record>,
}

impl Execution {
    /// An execution that begins. A warp takes at most `step_bound` steps.
    pub(crate) fn new(case: Arc<Case>, step_bound: u32) -> Self {
        Self { record: Mutex::new(Record::new(&case)), step_bound, case }
    }

    /// The bookkeeping. Never held across a step: another warp would wait for it on the same thread.
    pub(crate) fn record(&self) -> MutexGuard<'_, Record> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Number of warps.
    pub(crate) fn warps(&self) -> usize {
        self.case.scenario.programs.len()
    }

    /// Ends the execution with `breach`. Returns to the warp's thread by unwinding.
    pub(crate) fn fail(&self, breach: Breach) -> ! {
        self.breach(breach);
        resume_unwind(Box::new(Halt::Stop))
    }

    /// Notes a breach; the first one counts.
    pub(crate) fn breach(&self, breach: Breach) {
        let mut record = self.record();
        record.stopped = true;
        record.breach.get_or_insert(breach);
    }

    /// Leaves the warp's program if a violation was found.
    pub(crate) fn go_on(&self) {
        if self.record().stopped {
            resume_unwind(Box::new(Halt::Stop));
        }
    }

    /// Counts a step of `warp`, which may be its last.
    pub(crate) fn begin_step(&self, warp: usize) {
        self.go_on();
        let mut record = self.record();
        if self.case.stall == Some((warp, record.taken[warp])) {
            record.note(warp, Action::Stalled);
            record.halted = true;
            drop(record);
            resume_unwind(Box::new(Halt::Stalled));
        }
        record.taken[warp] += 1;
        if record.taken[warp] <= self.step_bound {
            return;
        }
        if record.halted && self.case.scenario.allows.blocking {
            record.note(warp, Action::Blocked);
            drop(record);
            resume_unwind(Box::new(Halt::Blocked));
        }
        drop(record);
        let detail = format!("warp {warp} took more than {} steps", self.step_bound);
        self.fail(Breach::new(Kind::StepBound, detail));
    }

    /// The word that `warp` is about to access.
    pub(super) fn word_ref(&self, warp: usize, array: usize, index: usize) -> WordRef {
        match self.case.arrays.get(array) {
            Some(words) if index < words.initial.len() => {
                WordRef { array, index, at: self.case.offsets[array] + index, width: words.width }
            }
            _ => self.fail(self.case.out_of_bounds(warp, array, index)),
        }
    }

    /// Whether an access of `warp` is a step of its own. Where reads are snapshots, the accesses of one
    /// `each` are one step.
    pub(crate) fn is_step(&self, warp: usize) -> bool {
        match &mut self.record().in_each[warp] {
            Some(begun) => !std::mem::replace(begun, true),
            None => true,
        }
    }

    pub(super) fn begin_each(&self, warp: usize) {
        if self.case.scenario.reads == Reads::Snapshot {
            self.record().in_each[warp] = Some(false);
        }
    }

    pub(super) fn end_each(&self, warp: usize) {
        self.record().in_each[warp] = None;
    }

    /// An access that `read` this; returns what the warp gets.
    pub(super) fn accessed(&self, warp: usize, word_ref: WordRef, access: Access, read: u128) -> u128 {
        let WordRef { array, index, at, width } = word_ref;
        let mut record = self.record();
        let newest = record.shadow[at];
        // A store reads nothing; what it overwrites is for the trace.
        let read = if matches!(access, Access::Store(..)) { newest } else { read };
        let written = access.apply(read, width);
        record.note(warp, Action::Access { array, index, access, read, newest, written });
        let Some(new) = written else { return read };
        record.shadow[at] = new;
        self.case.written(warp, at);
        if let Err(breach) = self.case.judge_change(at, read, new) {
            drop(record);
            self.fail(breach)
        }
        match self.case.check_state(&record.shadow) {
            Ok(exhausted) => record.exhausted = record.exhausted.with(exhausted),
            Err(breach) => {
                drop(record);
                self.fail(breach)
            }
        }
        read
    }

    /// The call of `warp` returns.
    pub(super) fn end_call(&self, warp: usize, ret: Ret) {
        let mut record = self.record();
        let key = self.case.scenario.programs[warp][record.calls[warp]].key;
        let wrong = ret.is_full() && !record.exhausted.meets(self.case.keys.only(key));
        record.end_call(warp, ret);
        drop(record);
        if wrong {
            self.fail(Case::full_with_room(key));
        }
    }

    /// Whether all warps arrived at barrier `number`, or one never will.
    pub(super) fn is_met(&self, number: u32) -> Option<bool> {
        let record = self.record();
        let all = record.arrived.iter().all(|&arrived| arrived >= number);
        (all || record.running < record.arrived.len()).then_some(all)
    }
}
