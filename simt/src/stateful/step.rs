//! One step of a warp.

use super::program::{After, WARPS};
use super::replay::{Next, Step};
use super::search::{CallSet, STALLED, Search, State};
use crate::check::{Access, Action, Breach, Case, Record};

/// Some calls of a warp.
fn calls(warp: usize, numbers: std::ops::Range<usize>) -> CallSet {
    const EACH: usize = CallSet::BITS as usize / WARPS;
    numbers.fold(0, |set, number| set | 1 << (warp * EACH + number.min(EACH - 1)))
}

/// What an access returns of a word that holds `old`: a store returns nothing.
const fn read(access: Access, old: u128) -> u128 {
    match access {
        Access::Store(..) => 0,
        _ => old,
    }
}

impl Search<'_> {
    /// One step of a warp: an access that others can see, and everything before and after it that they
    /// cannot. With a record, it is written down.
    ///
    /// # Errors
    /// What does not hold.
    pub(super) fn step(
        &mut self,
        from: &State,
        warp: usize,
        mut record: Option<&mut Record>,
    ) -> Result<State, Breach> {
        let (case, mut state) = (self.case, *from);
        let mut node = state.warps[warp];
        if self.programs.is_idle(node) {
            let number = self.programs.calls(node);
            let after = self.after(from, warp, number);
            node = self.programs.begin(node, after);
            if let Some(record) = &mut record {
                record.begin_call(case, warp, number, self.programs.known(after));
            }
        }
        // What a call does its twins may do: of their executions some are left out.
        let number = self.programs.calls(node);
        let me = self.twins.of(warp).fold(0, |set, twin| set | calls(twin, number..number + 1));
        let others = self.others(from, warp);
        let mut seen = false;
        for taken in 0.. {
            match self.programs.next(node) {
                Some(&Next::Step(Step::Access(word, access))) => {
                    let unseen = matches!(access, Access::Load(_)) && self.writers[word] & others == 0;
                    if unseen {
                        self.unseen[word] |= others;
                    } else if std::mem::replace(&mut seen, true) {
                        break;
                    }
                    let stalls = case.stall.is_some_and(|(stalled, _)| stalled == warp);
                    if stalls && case.stall == Some((warp, state.taken)) {
                        state.taken = STALLED;
                        if let Some(record) = &mut record {
                            record.note(warp, Action::Stalled);
                            record.halted = true;
                        }
                        break;
                    }
                    let old = self.memories.words(state.memory)[word];
                    let written = access.apply(old, self.memories.width(word));
                    if let Some(record) = &mut record {
                        let (array, index) = case.place(word);
                        record.note(
                            warp,
                            Action::Access { array, index, access, read: old, newest: old, written },
                        );
                        record.shadow[word] = written.unwrap_or(old);
                    }
                    if let Some(new) = written {
                        case.judge_change(word, old, new)?;
                    }
                    if let Some(new) = written.filter(|&new| new != old) {
                        self.writers[word] |= me;
                        self.is_wrong |= self.unseen[word] & me != 0;
                        state.memory = self.memories.with(case, state.memory, word, new)?;
                        state.exhausted = state.exhausted.with(self.memories.exhausted(state.memory));
                    }
                    let (next, back) = self.programs.reads(&self.memories, node, read(access, old));
                    if stalls {
                        state.taken = state.taken + 1 - back;
                    }
                    node = next;
                    // It may go round for ever.
                    if back > 0 || taken > self.step_bound || unseen && self.programs.is_paused(node) {
                        break;
                    }
                }
                Some(Next::Return(ret)) => {
                    let (ret, number) = (ret.clone(), self.programs.calls(node));
                    if let Some(record) = &mut record {
                        record.end_call(warp, ret.clone());
                    }
                    let key = case.scenario.programs[warp][number].key;
                    if ret.is_full() && !state.exhausted.meets(case.keys.only(key)) {
                        return Err(Case::full_with_room(key));
                    }
                    node = self.programs.returns(node, ret);
                    break;
                }
                Some(Next::Breach(breach)) => return Err(breach.clone()),
                Some(Next::Step(Step::Meet)) | None => break,
            }
        }
        state.warps[warp] = node;
        Ok(state)
    }

    /// The calls of other warps that have not returned.
    fn others(&self, state: &State, warp: usize) -> CallSet {
        let left = |other: usize| {
            let returned = self.programs.calls(state.warps[other]);
            let stalled = self.is_stalled(state, other);
            calls(other, if stalled { 0..0 } else { returned..self.keys[other].len() })
        };
        (0..self.warps()).filter(|&other| other != warp).fold(0, |set, other| set | left(other))
    }

    /// How many calls of each warp have returned before a call begins, up to the last one of its history.
    fn after(&self, state: &State, warp: usize, number: usize) -> After {
        let key = self.keys[warp][number];
        let mut after = [0; WARPS];
        for (other, after) in after.iter_mut().enumerate().take(self.warps()) {
            let returned = self.programs.calls(state.warps[other]);
            let alike = |&call: &usize| other == warp || self.keys[other][call] == key;
            *after = (0..returned).rev().find(alike).map_or(0, |call| call as u16 + 1);
        }
        after
    }
}
