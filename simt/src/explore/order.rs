//! Real time: which calls can have returned before others began.
//!
//! A graph contains no times at which calls begin and return: it is explored once, not once per order of its
//! calls. When it is complete, every order is checked: could one warp have learned, before it began its own
//! call, that a call of another had returned (a release and an acquire from all lanes to all lanes)? It could
//! if the graph stays consistent with that edge in happens-before. This is equivalent to a word on which
//! every return is released and every beginning acquires, without the executions that such a word adds.

use super::clock::{Clock, Seq};
use super::fences;
use super::graph::Graph;
use crate::check::Case;

/// Calls that returned before others began: for each call and each warp, how many of that warp's.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Returned {
    /// Index of the first call of each warp; the last is the number of all.
    first: Vec<usize>,
    counts: Vec<u8>,
}

/// That call `number` of `warp` returned before `later` of `reader` began.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    warp: usize,
    number: usize,
    reader: usize,
    later: usize,
}

impl Returned {
    fn new(case: &Case) -> Self {
        let lengths = case.scenario.programs.iter().map(Vec::len);
        let mut first = vec![0];
        first.extend(lengths.scan(0, |sum, len| {
            *sum += len;
            Some(*sum)
        }));
        let warps = first.len() - 1;
        let mut this = Self { counts: vec![0; first[warps] * warps], first };
        for warp in 0..warps {
            for number in 0..this.calls(warp) {
                this.set(warp, number, warp, number);
            }
        }
        this
    }

    const fn warps(&self) -> usize {
        self.first.len() - 1
    }

    fn calls(&self, warp: usize) -> usize {
        self.first[warp + 1] - self.first[warp]
    }

    fn at(&self, warp: usize, number: usize, of: usize) -> usize {
        (self.first[warp] + number) * self.warps() + of
    }

    fn get(&self, warp: usize, number: usize, of: usize) -> usize {
        self.counts[self.at(warp, number, of)].into()
    }

    fn set(&mut self, warp: usize, number: usize, of: usize, count: usize) {
        let at = self.at(warp, number, of);
        self.counts[at] = count as u8;
    }

    /// How many calls of each warp returned before call `number` of `warp` began.
    pub(super) fn before(&self, warp: usize, number: usize) -> Vec<u64> {
        (0..self.warps()).map(|of| self.get(warp, number, of) as u64).collect()
    }

    /// All of it, in words of 32 bits.
    pub(super) fn key(&self, key: &mut Vec<u32>) {
        let word = |bytes: &[u8]| bytes.iter().fold(0, |word, &byte| word << 8 | u32::from(byte));
        key.extend(self.counts.chunks(4).map(word));
    }

    /// The edges between calls of different warps; of one call and a warp only the latest.
    fn edges(&self) -> impl Iterator<Item = Edge> {
        let calls =
            (0..self.warps()).flat_map(|reader| (0..self.calls(reader)).map(move |later| (reader, later)));
        calls.flat_map(move |(reader, later)| {
            let others = (0..self.warps()).filter(move |&warp| warp != reader);
            others.filter_map(move |warp| {
                let number = self.get(reader, later, warp).checked_sub(1)?;
                Some(Edge { warp, number, reader, later })
            })
        })
    }

    /// Two edges of which one must be wrong: each call before the other.
    pub(super) fn mutual(&self) -> Option<(Edge, Edge)> {
        self.edges().find_map(|edge| {
            let back = self.get(edge.warp, edge.number, edge.reader);
            let number = edge.later;
            let other = Edge { warp: edge.reader, number, reader: edge.warp, later: edge.number };
            (back > number).then_some((edge, other))
        })
    }

    /// This order without an edge, and without the edges that imply it.
    pub(super) fn without(&self, edge: Edge) -> Self {
        let mut fewer = self.clone();
        for later in 0..=edge.later {
            let count = fewer.get(edge.reader, later, edge.warp).min(edge.number);
            fewer.set(edge.reader, later, edge.warp, count);
        }
        fewer
    }

    /// All with one edge less.
    pub(super) fn smaller(&self) -> impl Iterator<Item = Self> {
        self.edges().map(|edge| self.without(edge))
    }
}

/// The calls of an execution.
pub(super) struct Calls<'g> {
    graph: &'g Graph,
    none: Returned,
    lanes: usize,
    /// The history that each call belongs to: real time matters within one alone.
    keys: Vec<u64>,
}

impl<'g> Calls<'g> {
    pub(super) fn new(case: &Case, graph: &'g Graph) -> Self {
        let keys = case.scenario.programs.iter().flatten().map(|call| case.subject.key(call)).collect();
        Self { graph, none: Returned::new(case), lanes: case.subject.lanes() as usize, keys }
    }

    /// The lanes of a warp where one of its calls begins: how many events each had.
    fn begun(&self, warp: usize, number: usize) -> Option<impl Iterator<Item = (u8, Seq)>> {
        let start = self.graph.warps[warp].starts.get(number)?;
        let first = warp * self.lanes;
        Some(start.lanes.iter().enumerate().map(move |(lane, it)| {
            let thread = (first + lane) as u8;
            (thread, it.porf.of(thread))
        }))
    }

    /// Whether an event after the beginning of a call precedes something that knows or depends on `clock`.
    pub(super) fn begins_before(&self, warp: usize, number: usize, clock: &Clock) -> bool {
        self.begun(warp, number).is_some_and(|mut begun| begun.any(|(thread, seq)| clock.of(thread) > seq))
    }

    /// What happens before the return of a call, and what it depends on.
    fn ended(&self, warp: usize, number: usize) -> Option<(Clock, Clock)> {
        let (mut hb, mut porf) = (Clock::default(), Clock::default());
        for lane in &self.graph.warps[warp].starts.get(number + 1)?.lanes {
            hb.join(&lane.hb);
            porf.join(&lane.porf);
        }
        Some((hb, porf))
    }

    /// All edges that dependency allows, each for itself: a call returned and depends on nothing of the
    /// other.
    pub(super) fn causal(&self) -> Returned {
        self.edges(|warp, number, reader, later| self.is_causal(warp, number, reader, later))
    }

    /// All edges that the graph allows, each for itself: those that dependency allows and coherence does too.
    pub(super) fn most(&self) -> Returned {
        let graph = self.graph;
        let words = graph.words();
        let warps = self.none.warps();
        let calls = self.none.first[warps];
        // Per call and word: the highest level before its return, the lowest after its beginning.
        let mut before = vec![0; calls * words];
        let mut after = vec![u16::MAX; calls * words];
        let spans: Vec<_> = (0..warps)
            .flat_map(|warp| (0..self.none.calls(warp)).map(move |number| (warp, number)))
            .map(|(warp, number)| {
                let begun: Vec<_> = self.begun(warp, number).into_iter().flatten().collect();
                (self.ended(warp, number).map(|(hb, _)| hb), begun)
            })
            .collect();
        for (event, id) in graph.events.iter().zip(0..) {
            let (level, word) = (graph.level(id), event.word as usize);
            for (call, (ended, begun)) in spans.iter().enumerate() {
                if ended.is_some_and(|hb| event.is_known(&hb)) {
                    let highest = &mut before[call * words + word];
                    *highest = level.max(*highest);
                }
                if begun.iter().any(|&(thread, seq)| event.hb.of(thread) > seq) {
                    let lowest = &mut after[call * words + word];
                    *lowest = level.min(*lowest);
                }
            }
        }
        let row = |warp: usize, number: usize| {
            let row = (self.none.first[warp] + number) * words;
            row..row + words
        };
        self.edges(|warp, number, reader, later| {
            let (before, after) = (&before[row(warp, number)], &after[row(reader, later)]);
            self.is_causal(warp, number, reader, later)
                && before.iter().zip(after).all(|(before, after)| before <= after)
        })
    }

    /// The edges that `possible` allows: from call `number` of `warp` to call `later` of `reader`.
    fn edges(&self, possible: impl Fn(usize, usize, usize, usize) -> bool) -> Returned {
        let warps = self.none.warps();
        let mut edges = self.none.clone();
        for reader in 0..warps {
            for later in 0..self.none.calls(reader) {
                for warp in (0..warps).filter(|&warp| warp != reader) {
                    let key = self.keys[self.none.first[reader] + later];
                    let alike = |&number: &usize| self.keys[self.none.first[warp] + number] == key;
                    let earlier =
                        (0..self.none.calls(warp)).take_while(|&it| possible(warp, it, reader, later));
                    edges.set(reader, later, warp, earlier.filter(alike).last().map_or(0, |it| it + 1));
                }
            }
        }
        edges
    }

    /// Whether a call returned and depends on nothing that happened after `later` of `reader` began.
    fn is_causal(&self, warp: usize, number: usize, reader: usize, later: usize) -> bool {
        let (Some((_, porf)), Some(mut begun)) = (self.ended(warp, number), self.begun(reader, later)) else {
            return false;
        };
        begun.all(|(thread, seq)| porf.of(thread) <= seq)
    }

    /// Whether the graph is consistent with all these edges in happens-before.
    pub(super) fn is_consistent(&self, graph: &Graph, returned: &Returned) -> bool {
        let mut clocks: Vec<_> = graph.events.iter().map(|event| (event.hb, event.porf)).collect();
        // What each call was told before it began: a call without accesses tells it too.
        let mut told = vec![(Clock::default(), Clock::default()); self.keys.len()];
        let join = |to: &mut (Clock, Clock), from: &(Clock, Clock)| {
            let old = *to;
            to.0.join(&from.0);
            to.1.join(&from.1);
            *to != old
        };
        loop {
            let mut changed = false;
            for edge in returned.edges() {
                let Some(mut tells) = self.ended(edge.warp, edge.number) else { return false };
                let count = graph.warps[edge.warp].rets[edge.number].1;
                for &id in &graph.warps[edge.warp].events[..count] {
                    join(&mut tells, &clocks[id as usize]);
                }
                let calls = self.none.first[edge.warp];
                for earlier in &told[calls..=calls + edge.number] {
                    join(&mut tells, earlier);
                }
                let later = |clock: &Clock| self.begins_before(edge.reader, edge.later, clock);
                if self.begun(edge.reader, edge.later).is_none() || later(&tells.1) {
                    return false;
                }
                changed |= join(&mut told[self.none.first[edge.reader] + edge.later], &tells);
                for clock in &mut clocks {
                    let old = *clock;
                    if later(&clock.0) {
                        clock.0.join(&tells.0);
                    }
                    if later(&clock.1) {
                        clock.1.join(&tells.1);
                    }
                    changed |= *clock != old;
                }
            }
            if !changed {
                break;
            }
        }
        if !fences::agree(graph, &|id| &clocks[id as usize].0) {
            return false;
        }
        (0..graph.words() as u16).all(|word| {
            graph.accesses(word).all(|later| {
                graph.accesses(word).all(|early| {
                    let other = graph.event(early);
                    !other.is_known(&clocks[later as usize].0) || graph.level(early) <= graph.level(later)
                })
            })
        })
    }
}
