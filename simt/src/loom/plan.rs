//! What all executions of one exploration share: the scenario made ready, and what was judged already.

use super::machine::{Action, Machine, RawStep, State};
use crate::check::{
    Array, Breach, Event, Kind, Loads, Reads, Scenario, Step, Subject, View, Violation, linearizable,
};
use crate::seq::{SeqError, SeqMemory, SeqWarp};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use warpproof_model::spec::{Call, Ret};

pub(super) struct Plan<S: Subject> {
    pub(super) subject: S,
    pub(super) scenario: Scenario,
    pub(super) arrays: Vec<Array>,
    /// Where each array begins among all words.
    pub(super) offsets: Vec<usize>,
    /// All words after the preload.
    pub(super) initial: Vec<u128>,
    /// The calls of the preload.
    pub(super) before: Vec<Event>,
    /// Whether the pool is exhausted after the preload.
    pub(super) exhausted: bool,
    pub(super) loads: Loads,
    /// The warp that stops, and before which of its accesses.
    pub(super) stall: Option<(usize, u32)>,
    pub(super) step_bound: u32,
    /// Which loads, by warp and word, commute with the loads of others when loads are read-modify-writes.
    pub(super) commutes: Vec<Vec<bool>>,
    pub(super) executions: AtomicU64,
    stall_reached: AtomicBool,
    known: Mutex<Known>,
}

/// What was judged before. Executions repeat states and histories far more often than not.
#[derive(Default)]
pub(super) struct Known {
    /// States whose invariants hold, and whether the pool is exhausted in them.
    pub(super) states: HashMap<Vec<u128>, bool>,
    /// What the final calls return in a final state.
    finals: HashMap<Vec<u128>, Vec<Ret>>,
    histories: HashSet<Vec<Event>>,
    outcomes: HashSet<Vec<Event>>,
    writers: Vec<u8>,
    pub(super) violation: Option<Box<Violation>>,
}

impl<S: Subject> Plan<S> {
    pub(super) fn new(
        subject: S,
        scenario: Scenario,
        loads: Loads,
        stall_after: Option<u32>,
        step_bound: u32,
        writers: &[u8],
    ) -> Result<Self, Breach> {
        let arrays = subject.arrays();
        let offsets = offsets(&arrays);
        let memory = SeqMemory::new(&arrays);
        let mut before = Vec::new();
        for (number, call) in scenario.preload.iter().enumerate() {
            let ret = run_alone(&subject, scenario.config.lanes, &memory, call)?;
            let start = 2 * number as u64;
            before.push(Event::alone(call, ret, start));
        }
        let initial = memory.words().concat();
        let commutes = commuting(scenario.programs.len(), initial.len(), writers);
        let mut plan = Self {
            stall: scenario.stall.zip(stall_after).map(|(stall, after)| (stall.warp, after)),
            subject,
            scenario,
            arrays,
            offsets,
            initial,
            before,
            exhausted: false,
            loads,
            step_bound,
            commutes,
            executions: AtomicU64::new(0),
            stall_reached: AtomicBool::new(false),
            known: Mutex::default(),
        };
        plan.exhausted = plan.judge_state(&plan.initial)?;
        Ok(plan)
    }

    /// Whether memory is as weak as loom's. Otherwise every access sees the newest value.
    pub(super) fn weak(&self) -> bool {
        self.loads == Loads::AsLoads && self.scenario.reads == Reads::Torn
    }

    /// Notes that `warp` wrote word `at`.
    pub(super) fn written(&self, warp: usize, at: usize) {
        let mut known = self.known();
        known.writers.resize(self.initial.len(), 0);
        known.writers[at] |= 1 << warp;
    }

    /// Which warps wrote each word, in any execution.
    pub(super) fn writers(&self) -> Vec<u8> {
        let mut writers = self.known().writers.clone();
        writers.resize(self.initial.len(), 0);
        writers
    }

    pub(super) fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn stall_reached(&self) {
        // Relaxed: read when the exploration is over, on the same thread.
        self.stall_reached.store(true, Ordering::Relaxed);
    }

    /// Whether any execution got as far as the stall.
    pub(super) fn was_stall_reached(&self) -> bool {
        // Relaxed: as above.
        self.stall_reached.load(Ordering::Relaxed)
    }

    pub(super) fn show(&self, array: usize, index: usize, value: u128) -> String {
        self.subject.show(array, index, value)
    }

    /// Checks the invariants of a state; tells whether its pool is exhausted.
    pub(super) fn judge_state(&self, words: &[u128]) -> Result<bool, Breach> {
        let memory = self.memory(words);
        let verdict = memory.guard(|m| match self.scenario.config.lanes {
            1 => self.subject.check_state(&mut SeqWarp::<1>::default(), m),
            2 => self.subject.check_state(&mut SeqWarp::<2>::default(), m),
            _ => self.subject.check_state(&mut SeqWarp::<4>::default(), m),
        });
        verdict.map_err(|error| in_check(error, "state"))??;
        memory.guard(|m| self.subject.exhausted(m)).map_err(|error| in_check(error, "exhausted"))
    }

    fn judge_quiescent(&self, memory: &SeqMemory) -> Result<(), Breach> {
        let verdict = memory.guard(|m| match self.scenario.config.lanes {
            1 => self.subject.check_quiescent(&mut SeqWarp::<1>::default(), m),
            2 => self.subject.check_quiescent(&mut SeqWarp::<2>::default(), m),
            _ => self.subject.check_quiescent(&mut SeqWarp::<4>::default(), m),
        });
        verdict.map_err(|error| in_check(error, "quiescence"))?
    }

    fn memory(&self, words: &[u128]) -> SeqMemory {
        let mut flat = words.iter().copied();
        let nested = self.arrays.iter().map(|array| flat.by_ref().take(array.initial.len()).collect());
        SeqMemory::with_words(&self.arrays, nested.collect())
    }

    /// Judges an execution whose warps have all ended.
    pub(super) fn judge(&self, state: &mut State) -> Result<(), Breach> {
        let interrupted = state.halted;
        let rets = self.finish(&state.shadow, interrupted)?;
        let mut time = LATE;
        for (call, ret) in self.scenario.finally.iter().zip(rets) {
            state.events.push(Event::alone(call, ret, time));
            time += 2;
        }
        let timeless = timeless(&state.events);
        if self.known().histories.contains(&timeless) {
            return Ok(());
        }
        self.judge_history(&state.events)?;
        let mut known = self.known();
        known.outcomes.insert(outcome_events(&state.events));
        known.histories.insert(timeless);
        Ok(())
    }

    /// Checks a final state and runs the final calls on it.
    fn finish(&self, words: &Vec<u128>, interrupted: bool) -> Result<Vec<Ret>, Breach> {
        if !interrupted && let Some(rets) = self.known().finals.get(words) {
            return Ok(rets.clone());
        }
        let memory = self.memory(words);
        if interrupted {
            // A lock of the stalled warp may stand: nothing more can be asked of the structure.
            return Ok(Vec::new());
        }
        self.judge_quiescent(&memory)?;
        let rets = self.scenario.finally.iter();
        let rets = rets.map(|call| run_alone(&self.subject, self.scenario.config.lanes, &memory, call));
        let rets: Vec<Ret> = rets.collect::<Result<_, _>>()?;
        self.known().finals.insert(words.clone(), rets.clone());
        Ok(rets)
    }

    fn judge_history(&self, events: &[Event]) -> Result<(), Breach> {
        let mut keys: BTreeMap<u64, Vec<&Event>> = BTreeMap::new();
        for event in events {
            keys.entry(self.subject.key(&event.call)).or_default().push(event);
        }
        let spec = self.subject.spec();
        for (key, events) in keys {
            if !linearizable(&spec, key, &events) {
                let detail = format!("no sequential order explains the calls on key {key}");
                return Err(Breach::new(Kind::NotLinearizable, detail));
            }
        }
        Ok(())
    }

    /// The outcomes seen, as text.
    pub(super) fn outcomes(&self) -> BTreeSet<String> {
        self.known()
            .outcomes
            .iter()
            .map(|events| outcome_text(events, self.scenario.programs.len()))
            .collect()
    }

    /// The outcomes of the programs run one call at a time, in every order: each is one that the explorer must
    /// see. Orders in which a call does not end are left out.
    pub(super) fn sequential_outcomes(&self) -> BTreeSet<String> {
        let mut outcomes = BTreeSet::new();
        let lengths: Vec<_> = self.scenario.programs.iter().map(Vec::len).collect();
        let mut open = vec![(vec![0; lengths.len()], self.memory(&self.initial), Vec::<Event>::new())];
        while let Some((at, memory, events)) = open.pop() {
            if at == lengths {
                let finally = self.scenario.finally.iter().map(|call| (None, call));
                if let Some(events) = self.extended(&memory, events, finally) {
                    outcomes.insert(outcome_text(&outcome_events(&events), lengths.len()));
                }
                continue;
            }
            for warp in (0..lengths.len()).filter(|&warp| at[warp] < lengths[warp]) {
                let memory = memory.clone();
                let call = (Some(warp), &self.scenario.programs[warp][at[warp]]);
                if let Some(events) = self.extended(&memory, events.clone(), [call].into_iter()) {
                    let mut at = at.clone();
                    at[warp] += 1;
                    open.push((at, memory, events));
                }
            }
        }
        outcomes
    }

    fn extended<'a>(
        &self,
        memory: &SeqMemory,
        mut events: Vec<Event>,
        calls: impl Iterator<Item = (Option<usize>, &'a Call)>,
    ) -> Option<Vec<Event>> {
        for (warp, call) in calls {
            let ret = run_alone(&self.subject, self.scenario.config.lanes, memory, call).ok()?;
            let time = if warp.is_none() { LATE } else { 0 };
            events.push(Event { warp, ..Event::alone(call, ret, time) });
        }
        Some(events)
    }

    /// The violation of the execution that `machine` ran.
    pub(super) fn violation(&self, breach: Breach, machine: &Machine<S>) -> Box<Violation> {
        let state = machine.state();
        let steps = state.steps.iter().map(|step| self.step(step)).collect();
        // Relaxed: one thread counts and reads.
        let execution = self.executions.load(Ordering::Relaxed);
        Box::new(self.report(breach, execution, steps, state.events.clone()))
    }

    /// A violation with its trace.
    pub(super) fn report(
        &self,
        breach: Breach,
        execution: u64,
        steps: Vec<Step>,
        history: Vec<Event>,
    ) -> Violation {
        Violation {
            kind: breach.kind,
            detail: breach.detail,
            engine: super::explore::NAME.to_string(),
            loads: self.loads,
            stalled_after: self.stall.map(|(_, after)| after),
            execution,
            scenario: self.scenario.clone(),
            steps,
            history,
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
        };
        step.action = match &raw.action {
            Action::Access { array, index, access, read, newest, written } => {
                step.word = format!("{}[{index}]", self.arrays[*array].name);
                step.old = self.show(*array, *index, *read);
                step.new = written.map(|value| self.show(*array, *index, value));
                step.stale = read != newest;
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

/// Which loads need not be ordered among each other, given who writes each word.
///
/// Loom remembers only the last access to a word, so a write races with the last load alone, and a load of
/// another warp before that one is forgotten (issue 166). Loads of words that nobody writes cannot be raced
/// with. Of two warps, the load that hides the other's is one of the writer itself. Of more, any load can.
fn commuting(warps: usize, words: usize, writers: &[u8]) -> Vec<Vec<bool>> {
    let written = |at: usize| writers.get(at).copied().unwrap_or(0);
    let commutes = |warp: usize, at: usize| {
        if warps <= 2 { written(at) & 1 << warp == 0 } else { written(at) == 0 }
    };
    (0..warps).map(|warp| (0..words).map(|at| commutes(warp, at)).collect()).collect()
}

fn offsets(arrays: &[Array]) -> Vec<usize> {
    let ends = arrays.iter().scan(0, |end, array| {
        *end += array.initial.len();
        Some(*end)
    });
    [0].into_iter().chain(ends).take(arrays.len()).collect()
}

/// Runs one call with nobody else around.
fn run_alone<S: Subject>(subject: &S, lanes: u32, memory: &SeqMemory, call: &Call) -> Result<Ret, Breach> {
    let run = |m: View<'_, SeqMemory>| match lanes {
        1 => subject.run(&mut SeqWarp::<1>::default(), m, call),
        2 => subject.run(&mut SeqWarp::<2>::default(), m, call),
        _ => subject.run(&mut SeqWarp::<4>::default(), m, call),
    };
    memory.guard(run).map_err(|error| in_check(error, &call.to_string()))
}

fn in_check(error: SeqError, during: &str) -> Breach {
    let kind = match error {
        SeqError::OutOfBounds { .. } => Kind::OutOfBounds,
        SeqError::StepBound => Kind::StepBound,
    };
    Breach::new(kind, format!("{error} (alone, {during})"))
}

/// When the calls after the programs begin.
const LATE: u64 = 1 << 32;

/// The events without the times that only people look at, warp by warp: equal if the checker cannot tell them
/// apart.
fn timeless(events: &[Event]) -> Vec<Event> {
    let mut out: Vec<_> = events.to_vec();
    for event in out.iter_mut().filter(|event| event.warp.is_some()) {
        (event.start, event.end) = (0, 0);
    }
    out.sort_by_key(|event| (event.warp.unwrap_or(usize::MAX), event.number));
    out
}

/// The returns of programs and final calls, warp by warp.
fn outcome_events(events: &[Event]) -> Vec<Event> {
    let mut out = timeless(events);
    out.retain(|event| event.warp.is_some() || event.start >= LATE);
    for event in &mut out {
        event.after.clear();
    }
    out
}

fn outcome_text(events: &[Event], warps: usize) -> String {
    let who = |warp: Option<usize>| {
        let rets = events.iter().filter(|event| event.warp == warp);
        let rets = rets.map(|event| event.ret.as_ref().map_or("-".to_string(), ToString::to_string));
        rets.collect::<Vec<_>>().join(", ")
    };
    let mut text = (0..warps).map(|warp| who(Some(warp))).collect::<Vec<_>>().join(" | ");
    let last = who(None);
    if !last.is_empty() {
        text.push_str(" => ");
        text.push_str(&last);
    }
    text
}
