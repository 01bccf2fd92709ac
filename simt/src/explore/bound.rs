//! Preemptions: how often an execution needs to interrupt a warp that could continue.
//!
//! Most bugs need one or two (Musuvathi, Qadeer, "Iterative context bounding for systematic testing of
//! multithreaded programs", PLDI 2007). A graph before a revisit may need more preemptions than the graph
//! after it: at most one for each warp that ran meanwhile, and once more after each barrier. So the search
//! follows graphs beyond the bound by that much, and does not judge executions beyond it.

use super::graph::{Event, Graph, Id};
use crate::check::Case;
use rustc_hash::FxHashSet;
use std::collections::VecDeque;

/// A bound on preemptions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    /// Of executions.
    pub(super) most: u32,
    /// How many more an intermediate graph may need, and again after each barrier.
    pub(super) slack: u32,
}

impl Bound {
    /// At most so many preemptions in an execution of a case.
    pub(super) fn new(case: &Case, most: u32) -> Self {
        Self { most, slack: case.scenario.programs.len() as u32 }
    }

    /// Whether a graph is followed. Dependency alone counts: what leads to an execution that needs few
    /// preemptions, because its memory was not sequentially consistent, may have been sequentially consistent
    /// itself.
    pub(super) fn follows(self, graph: &Graph) -> bool {
        let rounds = 1 + graph.barriers.len() as u32;
        let most = self.most.saturating_add(self.slack.saturating_mul(rounds));
        let steps = Steps::new(graph);
        steps.least(&steps.needs(false), most).is_some()
    }

    /// Whether an execution counts: there is an order of its events with so few preemptions that follows
    /// dependency, memory order and reads of old values; where memory was not sequentially consistent,
    /// dependency alone.
    pub(super) fn counts(self, graph: &Graph) -> bool {
        let steps = Steps::new(graph);
        let all = steps.needs(true);
        let needs = if steps.least(&all, u32::MAX).is_some() { all } else { steps.needs(false) };
        steps.least(&needs, self.most).is_some()
    }
}

/// The events of each warp in its order.
struct Steps<'g> {
    graph: &'g Graph,
    /// The place of each event among those of its warp.
    places: Vec<usize>,
}

/// For each event, how many events of each warp come before it.
type Needs = Vec<Vec<usize>>;

impl<'g> Steps<'g> {
    fn new(graph: &'g Graph) -> Self {
        let mut places = vec![0; graph.events.len()];
        for warp in &graph.warps {
            for (place, &id) in warp.events.iter().enumerate() {
                places[id as usize] = place;
            }
        }
        Self { graph, places }
    }

    fn needs(&self, memory: bool) -> Needs {
        self.graph.events.iter().map(|event| self.needs_of(event, memory)).collect()
    }

    fn needs_of(&self, event: &Event, memory: bool) -> Vec<usize> {
        let graph = self.graph;
        let mut needs = vec![0; graph.warps.len()];
        let mut need = |id: Id| {
            let (warp, place) = (graph.event(id).warp as usize, self.places[id as usize]);
            needs[warp] = needs[warp].max(place + 1);
        };
        let of_others = (0..graph.events.len() as Id).filter(|&id| graph.event(id).warp != event.warp);
        of_others.filter(|&id| graph.event(id).is_known(&event.porf)).for_each(&mut need);
        if memory && event.is_write && event.placed {
            let older = |id: Id| {
                let other = graph.event(id);
                let from = if other.is_write { id } else { other.from };
                graph.rank(from) < event.rank && other.warp != event.warp && (!other.is_write || other.placed)
            };
            graph.accesses(event.word).filter(|&id| older(id)).for_each(need);
        }
        needs
    }

    /// The least number of preemptions of an order that follows `needs`, if it is at most `most`.
    fn least(&self, needs: &Needs, most: u32) -> Option<u32> {
        let warps = &self.graph.warps;
        let run = |at: &[usize], warp: usize| {
            let mut at = at.to_vec();
            let ready = |at: &[usize], id: Id| {
                let needs = &needs[id as usize];
                (0..at.len()).all(|other| other == warp || at[other] >= needs[other])
            };
            while warps[warp].events.get(at[warp]).is_some_and(|&id| ready(&at, id)) {
                at[warp] += 1;
            }
            at
        };
        let mut open = VecDeque::new();
        let mut seen = FxHashSet::default();
        let start = vec![0; warps.len()];
        (0..warps.len()).for_each(|warp| open.push_back((0, run(&start, warp), warp)));
        while let Some((count, at, last)) = open.pop_front() {
            if (0..warps.len()).all(|warp| at[warp] == warps[warp].events.len()) {
                return Some(count);
            }
            if !seen.insert((at.clone(), last)) {
                continue;
            }
            let ended = at[last] == warps[last].events.len();
            for warp in (0..warps.len()).filter(|&warp| warp != last) {
                let next = run(&at, warp);
                match (next != at, ended) {
                    (false, _) => {}
                    (true, true) => open.push_front((count, next, warp)),
                    (true, false) if count < most => open.push_back((count + 1, next, warp)),
                    (true, false) => {}
                }
            }
        }
        None
    }
}
