//! Whether a scenario can buffer loads: whether its reads and writes can form a cycle, which the engine never
//! explores.
//!
//! The engine lets a read read a write only if that write does not depend on the read, and takes for a
//! dependency all that a warp did before. Hardware may do more. If nothing keeps a read and a later write of
//! a warp in order, it may make the write visible first. Another warp may see it, and write in turn what the
//! read reads.
//!
//! In such an execution let the read read something older. The write is made all the same, because nothing
//! keeps the two in order; so the others do what they did. Nothing is a cycle any more, and the engine
//! explores this execution. So it is enough to look at each execution that it explores, for
//!
//! - a read, and a *loose* write of its warp after it: nothing keeps the two in order ([`loose`]);
//! - a write of the word that was read, by another lane, which depends on the loose write;
//! - and the read does not happen before that write: else it could not read it.
//!
//! A cycle does not matter if one of its reads is *indifferent*: the call does the same if it reads an older
//! value, of a write that does not depend on the loose one. Then an execution without this edge has the same
//! answers. And there is no cycle if other accesses, all kept in order, lead from the read to the last write.
//!
//! Where nothing is found, the executions that the engine explores have all answers that there are.

mod dry;
mod loose;
mod structures;

use super::graph::{Event, Graph, Id, NONE};
use super::model;
use super::search::{Limit, Search};
use super::share::Share;
use crate::check::{Access, Case};
use crate::engine::Options;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Instant;

/// The cycles that a scenario may have. `None` if there are more executions than `most`.
pub(super) fn cycles(case: &Case, most: u64) -> Option<BTreeSet<Cycle>> {
    let share = Share::new(1);
    let options = Options { symmetry: false, max_executions: Some(most), ..Options::default() };
    let mut search = Search::new(case, &share, &options);
    search.noted = Some(Noted::new(case));
    search.explore(true, &Limit { cap: options.cap(), before: 0, started: Instant::now() });
    let noted = search.noted.take().filter(|_| !share.is_capped())?;
    let violation = case.take_violation();
    assert!(violation.is_none(), "the search ended early: {}", violation.expect("one").timeline());
    Some(loose::cycles(case, &noted))
}

/// A cycle that may be. An execution of the engine lacks one edge of it: that the read reads what `last`
/// writes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Cycle {
    pub(super) read: Half,
    /// A later write of the warp.
    pub(super) write: Half,
    /// A write that depends on it.
    pub(super) last: Half,
}

/// An access of a cycle.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Half {
    pub(super) warp: usize,
    pub(super) call: usize,
    /// Its word among all words.
    pub(super) word: u16,
    /// What it is, in words.
    pub(super) name: String,
}

/// An access as its lane made it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Seen {
    call: u16,
    lane: u8,
    word: u16,
    access: Access,
    /// What it read; of a store, 0.
    value: u128,
}

/// A read of a warp, by its number in the history, and the values that it can read of writes that do not
/// depend on the loose write.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Reading {
    read: usize,
    older: BTreeSet<u128>,
    /// It and the loose write are read-modify-writes, the one after the other, which change places.
    swaps: bool,
}

/// What an execution lacks one edge to, if nothing keeps the read and the loose write in order.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Asked {
    read: Reading,
    /// The loose write, by its number in the history of its warp.
    write: usize,
    /// The write that the read could read: its warp, its number in the history of that, and what it writes.
    last: (usize, usize),
    value: u128,
    /// The history of that warp.
    other: Rc<[Seen]>,
    /// The reads by which that warp learned of the loose write. Nothing if it is the same warp.
    learned: Option<Vec<Reading>>,
    /// Writes of the first warp after the read, each with a read of it by the other warp before its write.
    links: Vec<(usize, usize)>,
}

/// What is to be asked of a history.
struct Questions {
    /// What memory held at the end of an execution that had it.
    last: Rc<[u128]>,
    asked: FxHashSet<Asked>,
}

/// What was noted of the executions of a scenario.
pub(super) struct Noted {
    /// The histories of each warp of which something is to be asked.
    warps: Vec<FxHashMap<Rc<[Seen]>, Questions>>,
    /// The values that each word had.
    values: Vec<BTreeSet<u128>>,
}

impl Noted {
    fn new(case: &Case) -> Self {
        let warps = case.scenario.programs.iter().map(|_| FxHashMap::default()).collect();
        Self { warps, values: case.initial.iter().map(|&value| BTreeSet::from([value])).collect() }
    }

    /// Notes an execution.
    pub(super) fn note(&mut self, case: &Case, graph: &Graph) {
        let fences = case.initial.len() as u16;
        let mut found = Vec::new();
        for (last, id) in graph.events.iter().zip(0..).filter(|(event, _)| event.is_write) {
            self.values[usize::from(last.word)].insert(last.value);
            for read in graph.accesses(last.word) {
                let reader = graph.event(read);
                if reader.is_write || !reader.is_known(&last.porf) || reader.is_known(&last.hb) {
                    continue;
                }
                let is_between = |&&write: &&Id| {
                    let event = graph.event(write);
                    let later = reader.lane == event.lane || reader.epoch < event.epoch;
                    event.is_write && later && reader.is_known(&event.porf) && event.is_known(&last.porf)
                };
                let writes = graph.warps[usize::from(reader.warp)].events.iter().filter(is_between);
                found.extend(writes.map(|&write| (read, write, id)));
            }
        }
        if found.is_empty() {
            return;
        }
        let histories: Vec<_> =
            (0..graph.warps.len()).map(|warp| History::new(graph, warp, fences)).collect();
        let words: Rc<[u128]> = super::judge::last_words(case, graph).into();
        for (read, write, last) in found {
            let warp = usize::from(graph.event(read).warp);
            let (history, last_event) = (&histories[warp], graph.event(last));
            let of_last = usize::from(last_event.warp);
            let other = &histories[of_last];
            let asked = Asked {
                read: history.reading(graph, read, write),
                write: history.at(graph, write),
                last: (of_last, other.at(graph, last)),
                value: last_event.value,
                other: Rc::clone(&other.seen),
                learned: (of_last != warp).then(|| other.learned(graph, write, last)),
                links: other.links(graph, (history, read), last),
            };
            let questions = self.warps[warp].entry(Rc::clone(&history.seen));
            let questions = questions
                .or_insert_with(|| Questions { last: Rc::clone(&words), asked: FxHashSet::default() });
            questions.asked.insert(asked);
        }
    }
}

/// The history of a warp in an execution, with its events.
struct History {
    ids: Vec<Id>,
    seen: Rc<[Seen]>,
}

impl History {
    fn new(graph: &Graph, warp: usize, fences: u16) -> Self {
        let state = &graph.warps[warp];
        let (mut ids, mut seen) = (Vec::new(), Vec::new());
        for (at, &id) in state.events.iter().enumerate() {
            let &Event { lane, word, access, is_write, value, .. } = graph.event(id);
            if !is_step(graph.event(id), fences) {
                continue;
            }
            let call = state.rets.partition_point(|&(_, count)| count <= at) as u16;
            ids.push(id);
            seen.push(Seen { call, lane, word, access, value: if is_write { 0 } else { value } });
        }
        Self { ids, seen: seen.into() }
    }

    /// The number of an event of the warp.
    fn at(&self, graph: &Graph, id: Id) -> usize {
        let event = graph.event(id);
        let step = if event.is_write && event.exclusive { event.from } else { id };
        self.ids.iter().position(|&id| id == step).expect("an access of the warp")
    }

    /// A read, and the values that it can read and that do not depend on the loose write. Of a
    /// read-modify-write, others may read what it wrote: it only keeps its value, or changes places with the
    /// loose write.
    fn reading(&self, graph: &Graph, read: Id, loose: Id) -> Reading {
        let (event, write) = (graph.event(read), graph.event(loose));
        let number = self.at(graph, read);
        let older = match event.access {
            Access::Load(_) => {
                let free = |&from: &Id| from == NONE || !write.is_known(&graph.event(from).porf);
                let older = model::readable(graph, event.word, &event.known).filter(free);
                older.map(|from| graph.value(event.word, from)).collect()
            }
            // The loose write is the last one of its word before this one, and comes after it as well.
            _ if event.from == loose => BTreeSet::from([graph.value(event.word, write.before)]),
            _ if event.warp == write.warp => BTreeSet::from([event.value]),
            _ => BTreeSet::new(),
        };
        Reading { read: number, swaps: event.from == loose && write.exclusive && event.exclusive, older }
    }

    /// The writes of another warp after one of its reads that this warp reads before its own write.
    fn links(&self, graph: &Graph, (of, first): (&Self, Id), last: Id) -> Vec<(usize, usize)> {
        let (first, last) = (graph.event(first), graph.event(last));
        let link = |&read: &Id| {
            let reader = graph.event(read);
            let from = (!reader.is_write && reader.from != NONE).then_some(reader.from)?;
            let write = graph.event(from);
            let later = first.lane == write.lane || first.epoch < write.epoch;
            let between = write.warp == first.warp
                && reader.warp != first.warp
                && later
                && first.is_known(&write.porf)
                && reader.is_known(&last.porf);
            between.then(|| (of.at(graph, from), self.at(graph, read)))
        };
        self.ids.iter().filter_map(link).collect()
    }

    /// The reads of the warp by which it learned of the loose write, before its own write.
    fn learned(&self, graph: &Graph, loose: Id, last: Id) -> Vec<Reading> {
        let (event, last) = (graph.event(loose), graph.event(last));
        let learns = |&&read: &&Id| {
            let reader = graph.event(read);
            let from = (!reader.is_write && reader.from != NONE).then(|| graph.event(reader.from));
            let from = from.filter(|from| from.warp != reader.warp);
            reader.is_known(&last.porf) && from.is_some_and(|from| event.is_known(&from.porf))
        };
        self.ids.iter().filter(learns).map(|&read| self.reading(graph, read, loose)).collect()
    }
}

/// Whether an event is an access to a word, and not the second half of one.
const fn is_step(event: &Event, fences: u16) -> bool {
    event.word != fences && !(event.is_write && event.exclusive)
}
