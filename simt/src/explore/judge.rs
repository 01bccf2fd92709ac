//! Judges complete executions. Most repeat one that was judged before.

use super::graph::{self, Graph};
use super::order::{Calls, Returned};
use super::states::States;
use crate::check::{Breach, Case, Event, Kind, Twins};
use rustc_hash::{FxHashMap, FxHashSet};
use warpproof_model::spec::Ret;

/// What was judged.
pub(super) struct Judge {
    pub(super) states: States,
    rets: Vec<Ret>,
    numbers: FxHashMap<Ret, u32>,
    /// Returns and possible orders of calls: whether each order has a linearization.
    holds: FxHashMap<Box<[u32]>, bool>,
    /// Returns and an order of calls: whether it has a linearization.
    linearizable: FxHashMap<Box<[u32]>, bool>,
    /// Final states: what the final calls return.
    finals: FxHashMap<Vec<u128>, u32>,
    outcomes: FxHashSet<Box<[u32]>>,
    key: Vec<u32>,
}

/// What memory holds when all warps have ended.
pub(super) fn last_words(case: &Case, graph: &Graph) -> Vec<u128> {
    (0..case.initial.len() as u16).map(|word| graph.value(word, graph.last(word))).collect()
}

/// Final calls that were not made.
const NO_FINALS: u32 = u32::MAX;
/// A call that did not return.
const NO_RET: u32 = u32::MAX;
/// Final states, histories and outcomes that are kept.
const MEMO: usize = 1 << 16;

/// A violation, and the calls that must have returned before each for it.
type Wrong = (Breach, Option<Returned>);

impl Judge {
    pub(super) fn new(case: &Case) -> Self {
        Self {
            states: States::new(case),
            rets: Vec::new(),
            numbers: FxHashMap::default(),
            holds: FxHashMap::default(),
            linearizable: FxHashMap::default(),
            finals: FxHashMap::default(),
            outcomes: FxHashSet::default(),
            key: Vec::new(),
        }
    }

    /// The number of a return.
    pub(super) fn number(&mut self, ret: Ret) -> u32 {
        let rets = &mut self.rets;
        *self.numbers.entry(ret).or_insert_with_key(|ret| {
            rets.push(ret.clone());
            rets.len() as u32 - 1
        })
    }

    /// A return by its number.
    pub(super) fn ret(&self, number: u32) -> &Ret {
        &self.rets[number as usize]
    }

    /// The violation that a call returned `Full` though there was room for its key in every state that can
    /// have come before.
    fn full_with_room(&mut self, case: &Case, graph: &Graph, calls: &Calls) -> Result<(), Breach> {
        for (warp, state) in graph.warps.iter().enumerate() {
            for (number, &(ret, _)) in state.rets.iter().enumerate() {
                if !self.ret(ret).is_full() {
                    continue;
                }
                let key = case.scenario.programs[warp][number].key;
                let keys = case.keys.only(key);
                if case.exhausted.meets(keys) {
                    continue;
                }
                let later = |event: &graph::Event| calls.begins_before(warp, number + 1, &event.porf);
                if !self.states.exhausted(case, graph, keys, later)? {
                    let detail = format!("call {number} of warp {warp}: there was always room for key {key}");
                    return Err(Breach::new(Kind::FullWithRoom, detail));
                }
            }
        }
        Ok(())
    }

    /// Judges an execution whose warps have all ended, or stopped where the scenario allows that.
    ///
    /// # Errors
    /// What does not hold.
    pub(super) fn complete(
        &mut self,
        case: &Case,
        (graph, twins): (&Graph, &Twins),
        interrupted: bool,
    ) -> Result<(), Wrong> {
        let finals = match interrupted && !case.subject.reads_after_stall() {
            // A lock of the stalled warp may stand: nothing more can be asked of the structure.
            true => NO_FINALS,
            false => self.finals(case, graph, interrupted).map_err(|breach| (breach, None))?,
        };
        let calls = Calls::new(case, graph);
        self.full_with_room(case, graph, &calls).map_err(|breach| (breach, None))?;
        self.key.clear();
        for warp in &graph.warps {
            self.key.extend(warp.rets.iter().map(|&(ret, _)| ret));
            if warp.halted.is_some() {
                self.key.push(NO_RET);
            }
        }
        self.key.push(finals);
        if !self.outcomes.contains(self.key.as_slice()) {
            if self.outcomes.len() >= MEMO {
                self.outcomes(case, twins);
                self.outcomes.clear();
            }
            self.outcomes.insert(self.key.as_slice().into());
        }
        // Orders that dependency alone allows are found fast, and mostly have a linearization each.
        if self.holds(case, graph, &calls.causal()) {
            return Ok(());
        }
        let most = calls.most();
        if self.holds(case, graph, &most) {
            return Ok(());
        }
        let rets = self.key.clone();
        let wrong = self.refuted(case, graph, (&calls, &rets), most, &mut FxHashSet::default());
        if let Some(returned) = wrong {
            let events = self.events(case, graph, &rets, &returned);
            let detail = case.linearization(&events).map_or(String::new(), |end| {
                format!("no sequential order explains the calls on key {}", end.key)
            });
            return Err((Breach::new(Kind::NotLinearizable, detail), Some(returned)));
        }
        Ok(())
    }

    /// Whether every order in real time within `possible` has a linearization of the returns that the key
    /// names, so that the graph need not be asked which of them it can have had.
    fn holds(&mut self, case: &Case, graph: &Graph, possible: &Returned) -> bool {
        let rets = self.key.len();
        possible.key(&mut self.key);
        let key: Box<[u32]> = match self.holds.get(self.key.as_slice()) {
            Some(&holds) => {
                self.key.truncate(rets);
                return holds;
            }
            None => self.key.as_slice().into(),
        };
        self.key.truncate(rets);
        let mut holds = true;
        let mut seen = FxHashSet::default();
        let mut left = vec![possible.clone()];
        while let Some(returned) = left.pop().filter(|_| holds) {
            if !seen.insert(returned.clone()) {
                continue;
            }
            match returned.mutual() {
                Some((one, other)) => left.extend([returned.without(one), returned.without(other)]),
                None => holds = self.is_linearizable(case, graph, &key[..rets], &returned),
            }
        }
        if self.holds.len() < MEMO {
            self.holds.insert(key, holds);
        }
        holds
    }

    /// Looks for an order in real time, within `returned`, that the execution can have had and that no
    /// linearization follows. Fewer orders are easier to follow: where those of `returned` have a
    /// linearization, nothing is left to look for.
    fn refuted(
        &mut self,
        case: &Case,
        graph: &Graph,
        about: (&Calls, &[u32]),
        returned: Returned,
        left: &mut FxHashSet<Returned>,
    ) -> Option<Returned> {
        if !left.insert(returned.clone()) {
            return None;
        }
        let (calls, rets) = about;
        if let Some((one, other)) = returned.mutual() {
            // Not both come first.
            let found = self.refuted(case, graph, about, returned.without(one), left);
            return found.or_else(|| self.refuted(case, graph, about, returned.without(other), left));
        }
        if self.is_linearizable(case, graph, rets, &returned) {
            return None;
        }
        if calls.is_consistent(graph, &returned) {
            return Some(returned);
        }
        returned.smaller().find_map(|fewer| self.refuted(case, graph, about, fewer, left))
    }

    fn is_linearizable(&mut self, case: &Case, graph: &Graph, rets: &[u32], returned: &Returned) -> bool {
        let mut key = rets.to_vec();
        returned.key(&mut key);
        if let Some(&holds) = self.linearizable.get(key.as_slice()) {
            return holds;
        }
        let events = self.events(case, graph, rets, returned);
        let holds = case.linearization(&events).is_none();
        if self.linearizable.len() < MEMO {
            self.linearizable.insert(key.into(), holds);
        }
        holds
    }

    /// The history, with the calls that returned before each.
    fn events(&self, case: &Case, graph: &Graph, rets: &[u32], returned: &Returned) -> Vec<Event> {
        let mut events = case.before.clone();
        let early = 2 * case.before.len() as u64;
        for (warp, state) in graph.warps.iter().enumerate() {
            let halted = state.halted.is_some() as usize;
            for number in 0..state.rets.len() + halted {
                let call = case.scenario.programs[warp][number].clone();
                let ret = state.rets.get(number).map(|&(ret, _)| self.ret(ret).clone());
                let after = returned.before(warp, number);
                let end = if ret.is_some() { early + 1 } else { u64::MAX };
                events.push(Event { warp: Some(warp), number, call, ret, after, start: early, end });
            }
        }
        if let Some(&finals) = rets.last().filter(|&&finals| finals != NO_FINALS)
            && let Ret::Values(numbers) = self.ret(finals)
        {
            for (at, (call, &number)) in case.scenario.finally.iter().zip(numbers).enumerate() {
                let ret = self.ret(number as u32).clone();
                events.push(Event::alone(call, ret, crate::check::LATE + 2 * at as u64));
            }
        }
        events
    }

    /// Checks a final state; the number of what the final calls return in it: the list of their numbers.
    fn finals(&mut self, case: &Case, graph: &Graph, interrupted: bool) -> Result<u32, Breach> {
        let words = last_words(case, graph);
        // A state in which a warp has stopped may be one in which none has: more is asked of that.
        if !interrupted && let Some(&finals) = self.finals.get(&words) {
            return Ok(finals);
        }
        let (events, verdict) = case.finish(&words, interrupted);
        verdict?;
        let numbers = events.into_iter().filter_map(|event| event.ret).map(|ret| self.number(ret).into());
        let numbers = numbers.collect();
        let finals = self.number(Ret::Values(numbers));
        if !interrupted && self.finals.len() < MEMO {
            self.finals.insert(words, finals);
        }
        Ok(finals)
    }

    /// Hands the outcomes over.
    pub(super) fn outcomes(&self, case: &Case, twins: &Twins) {
        let warps = case.scenario.programs.len();
        for key in &self.outcomes {
            let mut events = Vec::new();
            let mut at = 0;
            for warp in 0..warps {
                for number in 0..case.scenario.programs[warp].len() {
                    let ret = (key[at] != NO_RET).then(|| self.ret(key[at]).clone());
                    let over = ret.is_none();
                    let call = case.scenario.programs[warp][number].clone();
                    let event = Event { warp: Some(warp), number, ret, ..Event::alone(&call, Ret::Done, 0) };
                    events.push(event);
                    at += 1;
                    if over {
                        break;
                    }
                }
            }
            if key[at] != NO_FINALS
                && let Ret::Values(numbers) = self.ret(key[at])
            {
                for (call, &number) in case.scenario.finally.iter().zip(numbers) {
                    events.push(Event::alone(call, self.ret(number as u32).clone(), crate::check::LATE));
                }
            }
            for events in twins.exchanged(case, &events) {
                case.outcome(&events);
            }
        }
    }
}
