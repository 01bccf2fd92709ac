//! The states of an execution: the memory after some of its writes. Every set of writes that is closed under
//! dependency is a state. Each state is checked when the last of its writes is added.

use super::cuts::{Cuts, Older};
use super::graph::{Event, Graph, Id, NONE};
use crate::check::{Breach, Case, KeySet};
use rustc_hash::{FxHashMap, FxHashSet};

/// What was seen of states.
pub(super) struct States {
    widths: Vec<u32>,
    /// The values seen of each word; the initial one has the number 0.
    values: Vec<Vec<u128>>,
    numbers: FxHashMap<(u16, u128), u32>,
    /// States that hold.
    known: FxHashSet<Box<[u32]>>,
    /// The keys for which there is no room in a state.
    exhausted: FxHashMap<Box<[u32]>, KeySet>,
    key: Vec<u32>,
    ranks: Vec<u16>,
    cuts: Cuts,
}

/// States that are kept.
const MEMO: usize = 1 << 18;

impl States {
    pub(super) fn new(case: &Case) -> Self {
        let widths = case.arrays.iter().flat_map(|array| array.initial.iter().map(|_| array.width));
        let values: Vec<_> = case.initial.iter().chain([&0]).map(|&value| vec![value]).collect();
        let numbers = values.iter().zip(0..).map(|(values, word)| ((word, values[0]), 0)).collect();
        Self {
            widths: widths.chain([64]).collect(),
            values,
            numbers,
            known: FxHashSet::default(),
            exhausted: FxHashMap::default(),
            key: Vec::new(),
            ranks: Vec::new(),
            cuts: Cuts::default(),
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
        if graph.event(write).word as usize == case.initial.len() {
            return Ok(());
        }
        changes(case, graph, write)?;
        let mut cuts = std::mem::take(&mut self.cuts);
        cuts.order(case, graph, Older::First);
        let seen = cuts.each(cuts.with(write), &mut |with| {
            self.look(case, graph, &cuts, with)?;
            Ok(false)
        });
        self.cuts = cuts;
        seen.map(drop)
    }

    /// Whether there is no room for one of `keys` in some state without the writes that `left_out` names. An
    /// older value bounds nothing here: under weak memory it may be read late, and written late.
    ///
    /// # Errors
    /// If a state cannot be asked.
    pub(super) fn exhausted(
        &mut self,
        case: &Case,
        graph: &Graph,
        keys: KeySet,
        left_out: impl Fn(&Event) -> bool,
    ) -> Result<bool, Breach> {
        let mut cuts = std::mem::take(&mut self.cuts);
        cuts.order(case, graph, Older::AnyTime);
        let seen = cuts.each(cuts.without(|id| left_out(graph.event(id))), &mut |with| {
            self.name(case, graph, &cuts, with);
            if let Some(&exhausted) = self.exhausted.get(self.key.as_slice()) {
                return Ok(exhausted.meets(keys));
            }
            let exhausted = case.exhausted(&self.words())?;
            if self.exhausted.len() < MEMO {
                self.exhausted.insert(self.key.as_slice().into(), exhausted);
            }
            Ok(exhausted.meets(keys))
        });
        self.cuts = cuts;
        seen
    }

    /// Looks at one state.
    fn look(&mut self, case: &Case, graph: &Graph, cuts: &Cuts, with: u128) -> Result<(), Breach> {
        self.name(case, graph, cuts, with);
        if self.known.contains(self.key.as_slice()) {
            return Ok(());
        }
        case.judge_state(&self.words())?;
        if self.known.len() < MEMO {
            self.known.insert(self.key.as_slice().into());
        }
        Ok(())
    }

    /// Names the state after a cut: for each word the number of its value.
    fn name(&mut self, case: &Case, graph: &Graph, cuts: &Cuts, with: u128) {
        self.key.clear();
        self.key.resize(case.initial.len(), 0);
        self.ranks.clear();
        self.ranks.resize(case.initial.len(), 0);
        let mut left = with;
        while left != 0 {
            let event = graph.event(cuts.writes[left.trailing_zeros() as usize].id);
            left &= left - 1;
            let word = event.word as usize;
            if event.rank > self.ranks[word] {
                (self.ranks[word], self.key[word]) = (event.rank, event.value_id);
            }
        }
    }

    /// The words of the state that was named.
    fn words(&self) -> Vec<u128> {
        self.key.iter().enumerate().map(|(word, &number)| self.value(word, number)).collect()
    }
}

/// Whether a write, and the one that it now stands before, change their word as they may.
fn changes(case: &Case, graph: &Graph, write: Id) -> Result<(), Breach> {
    let event = graph.event(write);
    let changes = |before: Id, after: Id| {
        let (old, new) = (graph.value(event.word, before), graph.event(after).value);
        case.judge_change(event.word.into(), old, new)
    };
    changes(event.before, write)?;
    match event.after {
        NONE => Ok(()),
        after => changes(write, after),
    }
}
