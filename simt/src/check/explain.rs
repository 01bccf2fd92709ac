//! Describes in plain words what went wrong.

use super::history::Event;
use super::linearization::said;
use super::outcome::LATE;
use super::violation::{Cell, Kind, Step, Violation};
use warpproof_model::spec::{Call, Ret};

impl Violation {
    /// What went wrong, in sentences.
    pub fn explanation(&self) -> Vec<String> {
        let mut out = self.told();
        out.extend(self.no_order());
        out.extend(self.broken());
        out.extend(self.idle_calls());
        out.extend(self.unseen_writes());
        out.extend(self.stale_reads());
        out.extend(self.unordered_stores());
        out
    }

    /// The step that broke what must hold, as its index, if it was one step.
    pub fn culprit(&self) -> Option<usize> {
        let open = |warp| self.history.iter().any(|event| event.warp == Some(warp) && event.ret.is_none());
        let stalled = |warp| self.stalled_after.and(self.scenario.stall).is_some_and(|s| s.warp == warp);
        let last = |is: &dyn Fn(&Step) -> bool| self.steps.iter().rposition(is);
        match self.kind {
            Kind::Transition | Kind::Invariant | Kind::LostSlab | Kind::DuplicateKey => {
                last(&|step| step.new.is_some() && open(step.warp) && !stalled(step.warp))
            }
            // A call that no warp made has no step.
            Kind::FullWithRoom if self.history.last().is_some_and(|e| e.warp.is_none() && is_full(e)) => None,
            Kind::FullWithRoom => last(&|step| step.action == "return" && step.old == "full"),
            Kind::BarrierDivergence => last(&|step| step.action == "barrier"),
            _ => None,
        }
    }

    /// The calls that matter: those of the key that has no order, or all.
    pub(super) fn told_events(&self) -> Vec<usize> {
        let Some(end) = &self.context.linearization else { return (0..self.history.len()).collect() };
        let mut events: Vec<_> = end.order.iter().map(|placed| placed.event).collect();
        events.extend(end.rest.iter().map(|unplaced| unplaced.event));
        events.sort_unstable();
        events.dedup();
        events
    }

    /// When a call was made: by which warp, or before or after the programs.
    pub(super) fn when(&self, event: &Event) -> String {
        match event.warp {
            Some(warp) => format!("warp {warp}"),
            None if event.start >= LATE => "after".to_string(),
            None => "before".to_string(),
        }
    }

    /// The calls that no warp made, each with what it was told: those before the warps began, or those after
    /// all had ended.
    pub(super) fn told_alone(&self, before: bool) -> impl Iterator<Item = (&Call, String)> {
        let alone = self.history.iter().filter(|event| event.warp.is_none());
        let alone = alone.filter(move |event| (event.start < LATE) == before);
        alone.map(|event| (&event.call, answer(event)))
    }

    /// Which warp called what, and what was returned.
    fn told(&self) -> Vec<String> {
        let mut events: Vec<_> = self.told_events().into_iter().map(|at| &self.history[at]).collect();
        events.sort_by_key(|event| event.start);
        let stalled = |warp| self.stalled_after.and(self.scenario.stall).is_some_and(|s| s.warp == warp);
        let mut out = Vec::new();
        let mut latest: Option<&Event> = None;
        for event in events {
            let told = match &event.ret {
                Some(ret) => format!("was told \"{}\"", said(ret)),
                None if event.warp.is_some_and(stalled) => "stopped for ever in it".to_string(),
                None if event.warp.is_none() => "had no answer".to_string(),
                None => "had no answer yet when the fault showed".to_string(),
            };
            let with = latest.is_some_and(|before| before.end > event.start);
            out.push(match (self.when(event).as_str(), event.warp) {
                ("before", _) => format!("Before the warps began, {} {told}.", event.call),
                ("after", _) => format!("When they had ended, {} {told}.", event.call),
                (_, Some(warp)) if with => format!("Meanwhile warp {warp} called {} and {told}.", event.call),
                (_, Some(warp)) if latest.is_some() => {
                    format!("Then warp {warp} called {} and {told}.", event.call)
                }
                (who, _) => format!("{} called {} and {told}.", who.replace("warp", "Warp"), event.call),
            });
            if event.warp.is_some() && latest.is_none_or(|before| event.end > before.end) {
                latest = Some(event);
            }
        }
        out
    }

    /// Why the answers do not fit.
    fn no_order(&self) -> Option<String> {
        let end = self.context.linearization.as_ref()?;
        let wrong: Vec<_> = end
            .rest
            .iter()
            .filter(|u| u.due)
            .map(|u| format!("{} {}", self.history[u.event].named(), u.why))
            .collect();
        let wrong = if wrong.is_empty() { "no call fits".to_string() } else { wrong.join(", and ") };
        let state = end.order.last().map_or(&end.before, |placed| &placed.state);
        let placed: Vec<_> = end.order.iter().map(|placed| self.history[placed.event].named()).collect();
        let after = match placed.as_slice() {
            [] => "At first".to_string(),
            placed => format!("After {}", placed.join(", then ")),
        };
        Some(format!(
            "If each call acted at one instant, some order of them would explain all answers, and there is none. \
             {after}, {state}: then {wrong}."
        ))
    }

    /// What else must hold and does not.
    fn broken(&self) -> Option<String> {
        let meaning = match self.kind {
            Kind::NotLinearizable => return None,
            Kind::Transition => "a word of this structure never changes in this way",
            Kind::LostSlab => "nothing leads to a slab that counts as in use, so nobody can use it again",
            Kind::DuplicateKey => "a key stands at most once in this table",
            Kind::OutOfBounds => "there is no such word",
            Kind::StepBound => "it would go on for ever",
            Kind::Bound => "a call of this structure ends in so many rounds, whatever other warps do",
            Kind::FullWithRoom => "at no instant was there no room for the key",
            Kind::BarrierDivergence => "all warps of a block must meet at each barrier",
            Kind::Invariant => "in a right structure this never happens",
            Kind::Panic => "the code must not panic",
        };
        let detail = &self.detail;
        Some(match self.culprit().map(|at| (at + 1, &self.steps[at])) {
            Some((number, step)) if step.new.is_some() => format!(
                "Step {number}, by warp {} in its {}, breaks the structure: {detail}; {meaning}.",
                step.warp,
                self.call_of(step)
            ),
            Some((number, _)) => format!("Step {number}: {detail}; {meaning}."),
            None => format!("What is wrong: {detail}; {meaning}."),
        })
    }

    fn call_of(&self, step: &Step) -> String {
        let call = self.scenario.programs.get(step.warp).and_then(|calls| calls.get(step.call));
        call.map_or("call".to_string(), ToString::to_string)
    }

    /// Calls that say that they changed something, and wrote nothing.
    fn idle_calls(&self) -> Vec<String> {
        let says = |event: &&Event| matches!(event.ret, Some(Ret::Inserted | Ret::Replaced | Ret::Deleted));
        let text = |event: &Event| {
            let mine = |step: &&Step| Some(step.warp) == event.warp && step.call == event.number;
            if self.steps.iter().filter(mine).any(|step| step.new.is_some()) {
                return None;
            }
            let failed = self.steps.iter().rposition(|step| mine(&step) && step.expected.is_some())?;
            let (warp, failed) = (event.warp?, failed + 1);
            Some(format!(
                "Warp {warp} changed no word in its {}: its exchange in step {failed} failed.",
                event.call
            ))
        };
        self.history.iter().filter(says).filter_map(text).collect()
    }

    /// Writes over values that the writer had not seen.
    fn unseen_writes(&self) -> Vec<String> {
        let blind = |(at, step): (usize, &Step)| {
            let new = step.new.as_ref()?;
            if !(step.action.starts_with("store") || step.action.starts_with("swap")) {
                return None;
            }
            let here =
                |other: &Step| (other.warp, other.call, &other.word) == (step.warp, step.call, &step.word);
            let seen = self.steps[..at].iter().rposition(here)?;
            let known = self.steps[seen].new.as_ref().unwrap_or(&self.steps[seen].old);
            (*known != step.old).then(|| {
                format!(
                    "Step {} of warp {} replaces {} by {new} in {}, but warp {} had seen {known} there, in step {}.",
                    at + 1,
                    step.warp,
                    step.old,
                    step.word,
                    step.warp,
                    seen + 1
                )
            })
        };
        self.steps.iter().enumerate().filter_map(blind).take(2).collect()
    }

    /// Words that do not end as the last step left them.
    fn unordered_stores(&self) -> Vec<String> {
        let text = |cell: &Cell| {
            let writes = |step: &Step| step.word == cell.word && step.new.is_some();
            let last = self.steps.iter().rposition(writes)?;
            let new = self.steps[last].new.as_ref()?;
            (*new != cell.after).then(|| {
                format!(
                    "In the end {} holds {}, not the {new} of step {}: no memory order puts the stores to it one after \
                     the other.",
                    cell.word,
                    cell.after,
                    last + 1
                )
            })
        };
        self.context.memory.iter().filter_map(text).take(2).collect()
    }

    /// Reads of old values.
    fn stale_reads(&self) -> Vec<String> {
        let stale = self.steps.iter().enumerate().filter(|(_, step)| step.stale);
        let text = |(at, step): (usize, &Step)| {
            let newest = step.newest.as_deref().unwrap_or("another value");
            format!(
                "Step {} of warp {} reads an old value of {}: {}, though it holds {newest} by then. No memory order \
                 puts that write before this read.",
                at + 1,
                step.warp,
                step.word,
                step.old
            )
        };
        stale.map(text).take(2).collect()
    }
}

fn is_full(event: &Event) -> bool {
    event.ret.as_ref().is_some_and(Ret::is_full)
}

/// What a call returned.
pub(super) fn answer(event: &Event) -> String {
    event.ret.as_ref().map_or("never returned".to_string(), said)
}

/// The text as a sentence begins.
pub(super) fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{Config, Context, Loads, Scenario};

    fn step(warp: usize, action: &str, old: &str, new: Option<&str>) -> Step {
        Step {
            warp,
            call: 0,
            action: action.to_string(),
            word: "slot 0".to_string(),
            old: old.to_string(),
            new: new.map(ToString::to_string),
            stale: false,
            newest: None,
            expected: None,
        }
    }

    fn violation(kind: Kind, steps: Vec<Step>) -> Violation {
        let config = Config { lanes: 1, ..Config::default() };
        let call: warpproof_model::spec::Call = "delete 5".parse().expect("a call");
        let event = |warp, ret| Event {
            warp: Some(warp),
            ret,
            start: warp as u64,
            end: if warp == 0 { u64::MAX } else { 5 },
            ..Event::alone(&call, Ret::Done, 0)
        };
        Violation {
            kind,
            detail: "it is wrong".to_string(),
            engine: "loom".to_string(),
            sample: None,
            loads: Loads::AsLoads,
            stalled_after: None,
            execution: 1,
            scenario: Scenario::new("x", "x", config, vec![vec![call.clone()], vec![call.clone()]]),
            steps,
            history: vec![event(0, None), event(1, Some(Ret::Deleted))],
            context: Context::default(),
        }
    }

    #[test]
    fn the_step_that_breaks_a_state_is_named() {
        let steps = vec![step(0, "load Relaxed", "5:0", None), step(0, "swap Relaxed", "6:0", Some("empty"))];
        let text = violation(Kind::Transition, steps.clone()).explanation().join(" ");
        assert!(
            text.contains("Step 2, by warp 0 in its delete 5, breaks the structure: it is wrong"),
            "{text}"
        );
        assert!(text.contains("Meanwhile warp 1 called delete 5 and was told \"deleted\"."), "{text}");
        let seen =
            "Step 2 of warp 0 replaces 6:0 by empty in slot 0, but warp 0 had seen 5:0 there, in step 1.";
        assert!(text.contains(seen), "{text}");
        assert_eq!(violation(Kind::StepBound, steps).culprit(), None);
    }

    #[test]
    fn a_call_that_wrote_nothing_is_named() {
        let mut failed = step(1, "cas Relaxed", "6:0", None);
        failed.expected = Some("5:0".to_string());
        let text = violation(Kind::NotLinearizable, vec![failed]).explanation().join(" ");
        assert!(
            text.contains("Warp 1 changed no word in its delete 5: its exchange in step 1 failed."),
            "{text}"
        );
    }

    #[test]
    fn a_stale_read_is_named() {
        let mut stale = step(0, "load Acquire", "empty", None);
        (stale.stale, stale.newest) = (true, Some("5:0".to_string()));
        let text = violation(Kind::NotLinearizable, vec![stale]).explanation().join(" ");
        assert!(text.contains("reads an old value of slot 0: empty, though it holds 5:0 by then"), "{text}");
    }
}
