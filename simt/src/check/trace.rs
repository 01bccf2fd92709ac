//! A violation in its external form: the steps of its execution and the values of words, as text.

use super::case::Case;
use super::record::{Action, RawStep, Record};
use super::{Access, Breach, Cell, Context, Step, Violation};

impl Case {
    /// Notes the violation of the execution that began last, with its trace. Of several the first counts,
    /// unless one of its kind is a better example.
    pub(crate) fn violated(&self, breach: Breach, record: &Record) {
        let worse = |best: &Violation| best.kind != breach.kind || best.steps.len() < record.steps.len();
        if self.known().violation.as_deref().is_some_and(worse) {
            return;
        }
        let violation = Violation {
            kind: breach.kind,
            detail: breach.detail,
            engine: self.engine.to_string(),
            sample: None,
            loads: self.loads,
            stalled_after: self.stall.map(|(_, after)| after),
            execution: self.executions(),
            scenario: self.scenario.clone(),
            steps: record.steps.iter().map(|step| self.step(step)).collect(),
            history: record.events.clone(),
            context: self.context(record),
        };
        let mut known = self.known();
        if known.violation.as_ref().is_none_or(|best| violation.improves(best)) {
            known.violation = Some(Box::new(violation));
        }
    }

    fn context(&self, record: &Record) -> Context {
        let places = self.arrays.iter().enumerate();
        let places = places.flat_map(|(array, it)| (0..it.initial.len()).map(move |index| (array, index)));
        let cell = |((array, index), (before, after)): ((usize, usize), (&u128, &u128))| Cell {
            word: self.subject.word(array, index),
            before: self.show(array, index, *before),
            after: self.show(array, index, *after),
        };
        Context {
            about: self.subject.about(),
            memory: places.zip(self.initial.iter().zip(&record.shadow)).map(cell).collect(),
            linearization: self.linearization(&record.events),
            reduced: None,
        }
    }

    fn step(&self, raw: &RawStep) -> Step {
        let mut step = Step {
            warp: raw.warp,
            call: raw.call,
            action: String::new(),
            word: String::new(),
            old: String::new(),
            new: None,
            stale: false,
            newest: None,
            expected: None,
        };
        step.action = match &raw.action {
            Action::Access { array, index, access, read, newest, written } => {
                step.word = self.subject.word(*array, *index);
                step.old = self.show(*array, *index, *read);
                step.new = written.map(|value| self.show(*array, *index, value));
                step.stale = read != newest;
                step.newest = step.stale.then(|| self.show(*array, *index, *newest));
                step.expected = match access {
                    Access::Exchange { current, .. } if written.is_none() => {
                        Some(self.show(*array, *index, *current))
                    }
                    _ => None,
                };
                access.name()
            }
            Action::Call => {
                step.old = self.scenario.programs[raw.warp][raw.call].to_string();
                "call".to_string()
            }
            Action::Return(ret) => {
                step.old = ret.to_string();
                "return".to_string()
            }
            Action::Fence => "fence".to_string(),
            Action::Pause => "pause".to_string(),
            Action::Barrier => "barrier".to_string(),
            Action::Stalled => "stops for ever".to_string(),
            Action::Blocked => "waits for the stalled warp".to_string(),
        };
        step
    }
}
