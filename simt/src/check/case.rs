//! A scenario prepared for exploration, with the results judged so far. All executions share it, whatever the
//! engine.

use super::keys::{KeySet, Keys};
use super::outcome::{LATE, outcome_events, outcome_text};
use super::subject::AnySubject;
use super::{Allows, Array, Breach, Event, Kind, Linearization, Loads, Scenario, Scope, View, Violation};
use crate::check::seq::{Alone, SeqError, SeqMemory};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use warpproof_model::spec::{Call, Ret};

/// A scenario made ready.
pub(crate) struct Case {
    pub(crate) subject: Arc<dyn AnySubject>,
    pub(crate) scenario: Scenario,
    pub(super) engine: &'static str,
    pub(crate) loads: Loads,
    /// The warp that stops, and the number of accesses that it makes before.
    pub(crate) stall: Option<(usize, u32)>,
    pub(crate) arrays: Vec<Array>,
    /// Where each array begins among all words.
    pub(crate) offsets: Vec<usize>,
    /// All words after the preload.
    pub(crate) initial: Vec<u128>,
    /// The calls of the preload.
    pub(crate) before: Vec<Event>,
    /// The keys that calls of the programs name.
    pub(crate) keys: Keys,
    /// Keys without room after the preload.
    pub(crate) exhausted: KeySet,
    executions: AtomicU64,
    stall_reached: AtomicBool,
    /// Rounds of the longest call.
    pub(super) longest: AtomicU32,
    /// Results for states and histories that repeat.
    pub(super) repeats: Mutex<Repeats>,
    known: Mutex<Known>,
    expected: OnceLock<BTreeSet<String>>,
}

/// How many words of states are kept to recognize them. An exhaustive exploration of a small scenario stays
/// far below; random schedules of a large one hardly repeat.
pub(super) const MEMO_WORDS: usize = 1 << 22;
/// How many outcomes are kept, in addition to those that must be seen.
pub(super) const OUTCOMES: usize = 1 << 16;

/// Earlier results. Executions repeat states and histories far more often than not.
#[derive(Default)]
pub(super) struct Known {
    /// The final calls in a final state.
    finals: HashMap<Vec<u128>, Vec<Event>>,
    pub(super) outcomes: HashSet<Vec<Event>>,
    pub(super) violation: Option<Box<Violation>>,
}

/// Earlier results for executions that have one state after the other.
#[derive(Default)]
pub(super) struct Repeats {
    /// Which warps were seen to write each word, in any execution.
    pub(super) writers: Vec<u8>,
    /// States whose invariants hold, and the keys without room in them.
    pub(super) states: HashMap<Vec<u128>, KeySet>,
    pub(super) histories: HashSet<Vec<Event>>,
}

/// A word of a scenario.
#[cfg(any(feature = "loom", feature = "shuttle"))]
#[derive(Clone, Copy)]
pub(crate) struct WordRef {
    pub(crate) array: usize,
    pub(crate) index: usize,
    /// Its number among all words.
    pub(crate) at: usize,
    /// Its bits.
    pub(crate) width: u32,
}

impl Case {
    /// Runs the preload.
    ///
    /// # Errors
    /// The breach in the preload, and its calls up to there.
    pub(crate) fn new(
        subject: Arc<dyn AnySubject>,
        scenario: Scenario,
        engine: &'static str,
        loads: Loads,
        stall_after: Option<u32>,
    ) -> Result<Self, (Breach, Vec<Event>)> {
        let arrays = subject.arrays();
        let offsets = offsets(&arrays);
        let memory = SeqMemory::new(&arrays);
        let mut before = Vec::new();
        let ran = run_each(&*subject, scenario.allows, &memory, (&scenario.preload, 0), &mut before);
        if let Err(breach) = ran {
            return Err((breach, before));
        }
        let case = Self {
            stall: scenario.stall.zip(stall_after).map(|(stall, after)| (stall.warp, after)),
            subject,
            engine,
            loads,
            initial: memory.words().concat(),
            arrays,
            offsets,
            before,
            keys: Keys::new(&scenario),
            scenario,
            exhausted: KeySet::default(),
            executions: AtomicU64::new(0),
            stall_reached: AtomicBool::new(false),
            longest: AtomicU32::new(0),
            repeats: Mutex::default(),
            known: Mutex::default(),
            expected: OnceLock::new(),
        };
        #[cfg(any(feature = "loom", feature = "shuttle"))]
        case.writes_of(case.initial.len());
        match case.judge_state(&case.initial) {
            Ok(exhausted) => Ok(Self { exhausted, ..case }),
            Err(breach) => Err((breach, case.before)),
        }
    }

    /// Counts an execution that begins.
    pub(crate) fn begin_execution(&self) {
        self.count_executions(1);
    }

    /// Counts executions, or what an engine counts instead.
    pub(crate) fn count_executions(&self, count: u64) {
        // Relaxed, here and below: a count and a flag, read for good when all searches have ended.
        self.executions.fetch_add(count, Ordering::Relaxed);
    }

    /// Executions begun.
    pub(crate) fn executions(&self) -> u64 {
        self.executions.load(Ordering::Relaxed)
    }

    /// Called when an execution reaches the stall.
    pub(crate) fn stall_reached(&self) {
        self.stall_reached.store(true, Ordering::Relaxed);
    }

    /// Whether any execution reached the stall.
    pub(crate) fn was_stall_reached(&self) -> bool {
        self.stall_reached.load(Ordering::Relaxed)
    }

    /// Rounds of the call that took most, of those that have a bound.
    pub(crate) fn longest(&self) -> u32 {
        self.longest.load(Ordering::Relaxed)
    }

    pub(super) fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the violation out.
    pub(crate) fn take_violation(&self) -> Option<Box<Violation>> {
        self.known().violation.take()
    }

    /// Number of words of an array.
    pub(crate) fn len(&self, array: usize) -> usize {
        self.arrays.get(array).map_or(0, |array| array.initial.len())
    }

    /// All words, in order.
    #[cfg(feature = "loom")]
    pub(crate) fn word_refs(&self) -> impl Iterator<Item = WordRef> {
        let words =
            |(array, words): (usize, &Array)| (0..words.initial.len()).map(move |index| (array, index));
        let words = self.arrays.iter().enumerate().flat_map(words).enumerate();
        words.map(|(at, (array, index))| WordRef { array, index, at, width: self.arrays[array].width })
    }

    /// The array of a word, and its index there.
    pub(crate) fn place(&self, word: usize) -> (usize, usize) {
        let array = self.offsets.partition_point(|&offset| offset <= word) - 1;
        (array, word - self.offsets[array])
    }

    /// Whether two warps can synchronize on a word: both are in its scope.
    pub(crate) fn in_scope(&self, word: usize, one: usize, other: usize) -> bool {
        let block = || self.arrays.get(self.place(word).0).is_some_and(|array| array.scope == Scope::Block);
        !(self.scenario.apart && one != other && word < self.initial.len() && block())
    }

    /// Notes the outcome of an execution.
    pub(crate) fn outcome(&self, events: &[Event]) {
        let outcome = outcome_events(events);
        let mut known = self.known();
        let asked_for = || self.expected().contains(&outcome_text(&outcome, self.scenario.programs.len()));
        if known.outcomes.len() < OUTCOMES || asked_for() {
            known.outcomes.insert(outcome);
        }
    }

    pub(crate) fn show(&self, array: usize, index: usize, value: u128) -> String {
        self.subject.show(array, index, value)
    }

    /// The array of the words that the warps of a block share.
    pub(crate) fn shared(&self) -> usize {
        self.arrays.iter().position(|array| array.name == "shared").unwrap_or(usize::MAX)
    }

    /// The breach of a warp that accessed a word beyond its array.
    pub(crate) fn out_of_bounds(&self, warp: usize, array: usize, index: usize) -> Breach {
        let name = self.arrays.get(array).map_or("?", |words| words.name);
        Breach::new(Kind::OutOfBounds, format!("warp {warp} accessed {name}[{index}]"))
    }

    /// The breach of a call that returned `Full` for a key that had room in every state.
    pub(crate) fn full_with_room(key: u64) -> Breach {
        Breach::new(Kind::FullWithRoom, format!("there was always room for key {key}"))
    }

    /// Checks that a word may change from its old value to its new one.
    ///
    /// # Errors
    /// If it may not.
    pub(crate) fn judge_change(&self, word: usize, old: u128, new: u128) -> Result<(), Breach> {
        let (array, index) = self.place(word);
        if self.subject.transition(array, index, old, new) {
            return Ok(());
        }
        let word = self.subject.word(array, index);
        let (old, new) = (self.show(array, index, old), self.show(array, index, new));
        Err(Breach::new(Kind::Transition, format!("{word} changed from {old} to {new}")))
    }

    /// Checks the invariants of a state. Returns the keys for which there is no room in it.
    ///
    /// # Errors
    /// The invariant that is violated.
    pub(crate) fn judge_state(&self, words: &[u128]) -> Result<KeySet, Breach> {
        let memory = self.memory(words);
        let verdict = memory.guard(|m| self.subject.check_state(m));
        verdict.map_err(|error| in_check(error, "state"))??;
        self.exhausted(words)
    }

    /// The keys for which there is no room in a state.
    ///
    /// # Errors
    /// If the structure does not report it.
    pub(crate) fn exhausted(&self, words: &[u128]) -> Result<KeySet, Breach> {
        let memory = self.memory(words);
        let mut set = KeySet::default();
        for key in self.keys.all() {
            if is_exhausted(&*self.subject, self.scenario.allows, &memory, key)? {
                set = set.with(self.keys.only(key));
            }
        }
        Ok(set)
    }

    fn judge_quiescent(&self, memory: &SeqMemory) -> Result<(), Breach> {
        let verdict = memory.guard(|m| self.subject.check_quiescent(m));
        verdict.map_err(|error| in_check(error, "quiescence"))?
    }

    fn memory(&self, words: &[u128]) -> SeqMemory {
        let mut flat = words.iter().copied();
        let nested = self.arrays.iter().map(|array| flat.by_ref().take(array.initial.len()).collect());
        SeqMemory::with_words(&self.arrays, nested.collect())
    }

    /// Checks a final state and makes the final calls in it: all, or those up to the first that breaks a
    /// rule.
    pub(crate) fn finish(&self, words: &Vec<u128>, interrupted: bool) -> (Vec<Event>, Result<(), Breach>) {
        if !interrupted && let Some(events) = self.known().finals.get(words) {
            return (events.clone(), Ok(()));
        }
        let mut events = Vec::new();
        let verdict = self.run_finals(words, interrupted, &mut events);
        let mut known = self.known();
        if verdict.is_ok() && !interrupted && known.finals.len() * words.len() < MEMO_WORDS {
            known.finals.insert(words.clone(), events.clone());
        }
        (events, verdict)
    }

    fn run_finals(&self, words: &[u128], interrupted: bool, events: &mut Vec<Event>) -> Result<(), Breach> {
        if interrupted && !self.subject.reads_after_stall() {
            // A lock of the stalled warp may still be held: no more calls can be made.
            return Ok(());
        }
        let memory = self.memory(words);
        if !interrupted {
            self.judge_quiescent(&memory)?;
        }
        let Scenario { finally, allows, .. } = &self.scenario;
        run_each(&*self.subject, *allows, &memory, (finally, LATE), events)
    }

    /// The point where the search for an order ends, if some key has none.
    pub(crate) fn linearization(&self, events: &[Event]) -> Option<Linearization> {
        let mut keys: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        for (at, event) in events.iter().enumerate() {
            keys.entry(self.subject.key(&event.call)).or_default().push(at);
        }
        keys.into_iter().find_map(|(key, at)| {
            let events: Vec<_> = at.iter().map(|&at| &events[at]).collect();
            self.subject.linearize(key, &events).err().map(|end| end.renumbered(&at))
        })
    }

    /// The outcomes seen, as text.
    pub(crate) fn outcomes(&self) -> BTreeSet<String> {
        self.known()
            .outcomes
            .iter()
            .map(|events| outcome_text(events, self.scenario.programs.len()))
            .collect()
    }

    /// The outcomes that must be seen: those that the scenario names, and those of the programs run one call
    /// at a time, in every order.
    pub(crate) fn expected(&self) -> &BTreeSet<String> {
        self.expected.get_or_init(|| {
            let mut expected = self.sequential_outcomes();
            expected.extend(self.scenario.expects.iter().cloned());
            expected
        })
    }

    /// The outcomes of the programs run one call at a time. Orders in which a call does not end are left out.
    fn sequential_outcomes(&self) -> BTreeSet<String> {
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
            let ret = run_alone(&*self.subject, memory, warp.unwrap_or(0), call).ok()?;
            let time = if warp.is_none() { LATE } else { 0 };
            events.push(Event { warp, ..Event::alone(call, ret, time) });
        }
        Some(events)
    }
}

fn offsets(arrays: &[Array]) -> Vec<usize> {
    let ends = arrays.iter().scan(0, |end, array| {
        *end += array.initial.len();
        Some(*end)
    });
    [0].into_iter().chain(ends).take(arrays.len()).collect()
}

/// Runs calls one after the other and alone, the first at `time`, and adds them to `events`. Ends after a
/// call that breaks a rule.
fn run_each(
    subject: &dyn AnySubject,
    allows: Allows,
    memory: &SeqMemory,
    (calls, time): (&[Call], u64),
    events: &mut Vec<Event>,
) -> Result<(), Breach> {
    for (call, number) in calls.iter().zip(0..) {
        let start = time + 2 * number;
        let ran = run_alone(subject, memory, 0, call);
        events.push(match &ran {
            Ok(ret) => Event::alone(call, ret.clone(), start),
            Err(_) => Event { ret: None, end: u64::MAX, ..Event::alone(call, Ret::Done, start) },
        });
        if ran?.is_full() && !is_exhausted(subject, allows, memory, call.key)? {
            return Err(Case::full_with_room(call.key));
        }
    }
    Ok(())
}

/// Whether there is no room for a key, as reported by the structure or allowed by the scenario.
fn is_exhausted(
    subject: &dyn AnySubject,
    allows: Allows,
    memory: &SeqMemory,
    key: u64,
) -> Result<bool, Breach> {
    let told = memory.guard(|m| subject.exhausted(m, key)).map_err(|error| in_check(error, "exhausted"))?;
    Ok(told.unwrap_or(allows.full))
}

/// Runs one call of a warp alone.
fn run_alone(subject: &dyn AnySubject, memory: &SeqMemory, warp: usize, call: &Call) -> Result<Ret, Breach> {
    let run = |m: View<'_>| subject.run(&Alone(warp as u32), m, call);
    memory.guard(run).map_err(|error| in_check(error, &call.to_string()))
}

fn in_check(error: SeqError, during: &str) -> Breach {
    let kind = match error {
        SeqError::OutOfBounds { .. } => Kind::OutOfBounds,
        SeqError::StepBound => Kind::StepBound,
        SeqError::Panic(_) => Kind::Panic,
    };
    Breach::new(kind, format!("{error} (alone, {during})"))
}
