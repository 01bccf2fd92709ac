//! The states of an execution: what memory holds after some of its writes. Whatever was written so far, closed under
//! what it depends on, is a state; each is looked at when the last of its writes is added.

use super::graph::{Event, Graph, Id};
use crate::check::{Breach, Case, Kind};
use rustc_hash::FxHashMap;

/// What was seen of states.
pub(super) struct States {
    widths: Vec<u32>,
    /// The values seen of each word; the initial one has the number 0.
    values: Vec<Vec<u128>>,
    numbers: FxHashMap<(u16, u128), u32>,
    /// States that hold, and whether the pool is exhausted in them.
    known: FxHashMap<Box<[u32]>, bool>,
    key: Vec<u32>,
    ranks: Vec<u16>,
    writes: Vec<Id>,
    needs: Vec<u128>,
}

/// States that are kept.
const MEMO: usize = 1 << 18;

impl States {
    pub(super) fn new(case: &Case) -> Self {
        let widths = case.arrays.iter().flat_map(|array| array.initial.iter().map(|_| array.width));
        let values: Vec<_> = case.initial.iter().chain([&0]).map(|&value| vec![value]).collect();
        let numbers = values.iter().zip(0..).map(|(values, word)| ((word, values[0]), 0)).collect();
        let known = [(vec![0; case.initial.len()].into(), case.exhausted)].into_iter().collect();
        Self {
            widths: widths.chain([64]).collect(),
            values,
            numbers,
            known,
            key: Vec::new(),
            ranks: Vec::new(),
            writes: Vec::new(),
            needs: Vec::new(),
        }
    }

    pub(super) fn width(&self, word: u16) -> u32 {
        self.widths[word as usize]
    }

    /// The number of a value of a word.
    pub(super) fn intern(&mut self, word: u16, value: u128) -> u32 {
        let values = &mut self.values[word as usize];
        *self.numbers.entry((word, value)).or_insert_with(|| {
            values.push(value);
            values.len() as u32 - 1
        })
    }

    /// A value by its number.
    pub(super) fn value(&self, word: usize, number: u32) -> u128 {
        self.values[word][number as usize]
    }

    /// Looks at the states that a write leads to.
    ///
    /// # Errors
    /// What does not hold.
    pub(super) fn placed(&mut self, case: &Case, graph: &Graph, write: Id) -> Result<(), Breach> {
        let word = graph.event(write).word;
        if word as usize == case.initial.len() {
            return Ok(());
        }
        changes(case, graph, write)?;
        self.order(case, graph);
        let me = self.writes.iter().position(|&id| id == write).unwrap_or(0);
        self.from(case, graph, (self.needs[me], 0), false).map(drop)
    }

    /// Whether the pool is exhausted in some state without the writes that `left_out` names.
    ///
    /// # Errors
    /// What does not hold in a state.
    pub(super) fn exhausted(
        &mut self,
        case: &Case,
        graph: &Graph,
        left_out: impl Fn(&Event) -> bool,
    ) -> Result<bool, Breach> {
        self.order(case, graph);
        let writes = self.writes.iter().enumerate();
        let out = writes.filter(|&(_, &id)| left_out(graph.event(id))).fold(0, |out, (at, _)| out | 1 << at);
        self.from(case, graph, (0, out), true)
    }

    /// The writes, and which come before each.
    fn order(&mut self, case: &Case, graph: &Graph) {
        self.writes.clear();
        let writes = (0..graph.events.len() as Id).filter(|&id| {
            let event = graph.event(id);
            event.placed && (event.word as usize) < case.initial.len()
        });
        self.writes.extend(writes);
        self.needs.clear();
        for (at, &id) in self.writes.iter().enumerate() {
            let event = graph.event(id);
            let reads = || {
                let reads = graph.accesses(event.word).map(|read| graph.event(read));
                reads.filter(|read| !read.is_write && graph.rank(read.from) < event.rank)
            };
            let mut porf = event.porf;
            // What read an older value has done so before.
            for read in reads() {
                porf.join(&read.porf);
            }
            let mut needs = 1 << at;
            for (bit, &other) in self.writes.iter().enumerate() {
                let other = graph.event(other);
                let older = other.word == event.word && other.rank < event.rank;
                if older || other.is_known(&porf) {
                    needs |= 1 << bit;
                }
            }
            self.needs.push(needs);
        }
        loop {
            let mut changed = false;
            for at in 0..self.needs.len() {
                let mut all = self.needs[at];
                let mut left = all & !(1 << at);
                while left != 0 {
                    all |= self.needs[left.trailing_zeros() as usize];
                    left &= left - 1;
                }
                changed |= all != self.needs[at];
                self.needs[at] = all;
            }
            if !changed {
                return;
            }
        }
    }

    /// Looks at the states that have all writes of the first mask and none of the second: at all, or until the pool
    /// is exhausted in one. Tells whether it is in one.
    fn from(
        &mut self,
        case: &Case,
        graph: &Graph,
        (with, without): (u128, u128),
        until_exhausted: bool,
    ) -> Result<bool, Breach> {
        let open = (0..self.writes.len()).find(|at| (with | without) & 1 << at == 0);
        let Some(open) = open else { return self.look(case, graph, with) };
        let more = with | self.needs[open];
        let mut exhausted =
            more & without == 0 && self.from(case, graph, (more, without), until_exhausted)?;
        if !(exhausted && until_exhausted) {
            exhausted |= self.from(case, graph, (with, without | 1 << open), until_exhausted)?;
        }
        Ok(exhausted)
    }

    /// Looks at one state; tells whether the pool is exhausted in it.
    fn look(&mut self, case: &Case, graph: &Graph, with: u128) -> Result<bool, Breach> {
        self.key.clear();
        self.key.resize(case.initial.len(), 0);
        self.ranks.clear();
        self.ranks.resize(case.initial.len(), 0);
        let mut left = with;
        while left != 0 {
            let event = graph.event(self.writes[left.trailing_zeros() as usize]);
            left &= left - 1;
            let word = event.word as usize;
            if event.rank > self.ranks[word] {
                (self.ranks[word], self.key[word]) = (event.rank, event.value_id);
            }
        }
        if let Some(exhausted) = self.known.get(self.key.as_slice()) {
            return Ok(*exhausted);
        }
        let words: Vec<_> =
            self.key.iter().enumerate().map(|(word, &number)| self.value(word, number)).collect();
        let exhausted = case.judge_state(&words)?;
        if self.known.len() < MEMO {
            self.known.insert(self.key.as_slice().into(), exhausted);
        }
        Ok(exhausted)
    }
}

/// Whether a write, and the one that it now stands before, change their word as they may.
fn changes(case: &Case, graph: &Graph, write: Id) -> Result<(), Breach> {
    let event = graph.event(write);
    let (array, index) = case.place(event.word as usize);
    let changes = |before: Id, after: Id| {
        let (old, new) = (graph.value(event.word, before), graph.event(after).value);
        if case.subject.transition(array, index, old, new) {
            return Ok(());
        }
        let word = case.subject.word(array, index);
        let (old, new) = (case.show(array, index, old), case.show(array, index, new));
        Err(Breach::new(Kind::Transition, format!("{word} changed from {old} to {new}")))
    };
    changes(event.before, write)?;
    match event.after {
        super::graph::NONE => Ok(()),
        after => changes(write, after),
    }
}
