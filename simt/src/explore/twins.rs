//! Twins: warps that run the same calls on the same keys, with other values at most.
//!
//! Where a structure looks at no value and at no warp's number, two executions in which twins have changed places
//! differ in names alone. One of them is explored. This is symmetry reduction as in Kokologiannakis, Marmanis,
//! Vafeiadis, "SPORE: Combining Symmetry and Partial Order Reduction" (PLDI 2024), with a rule of our own; the README
//! has the argument.
//!
//! Twins are *tied* as long as they read the same writes. The first event in which two neighbours differ decides who
//! is the earlier one: the one that reads the older write, or writes first. Up to there, an event of the later twin
//! *waits* for that of the earlier one: the search takes it for one more dependency ([`super::graph::Event::order`]). The rule
//! does not bind where the later twin reads an older write that depends on what the earlier one did there.

use super::clock::Clock;
use super::graph::{Event, Graph, Id, NONE};
use crate::check::{Case, Event as Call};
use std::collections::BTreeMap;
use warpproof_model::spec::Ret;

/// The twins of a scenario.
pub(super) struct Twins {
    /// The twin before each warp.
    before: Vec<Option<usize>>,
}

impl Twins {
    /// The twins of a scenario whose structure lets warps be exchanged; otherwise none.
    pub(super) fn new(case: &Case, symmetry: bool) -> Self {
        let count = case.scenario.programs.len();
        let alike = symmetry
            && case.subject.exchangeable()
            && case.subject.lanes() == 1
            && case.scenario.stall.is_none();
        let before = |warp: usize| (0..warp).rev().find(|&other| alike && are_twins(case, other, warp));
        Self { before: (0..count).map(before).collect() }
    }

    /// Whether there are any.
    pub(super) fn any(&self) -> bool {
        self.before.iter().any(Option::is_some)
    }

    /// The event of the earlier twin that stands where `event` stands, if they are tied up to there.
    fn opposite(&self, graph: &Graph, event: &Event) -> Option<Id> {
        let twin = self.before[event.warp as usize]?;
        let at = event.seq as usize - 1;
        let tied = at == 0 || graph.event(graph.warps[event.warp as usize].events[at - 1]).tied;
        if tied { graph.warps[twin].events.get(at).copied() } else { None }
    }

    /// What the search takes an event to depend on, and whether its warp and the earlier twin are still tied behind it.
    pub(super) fn order(&self, graph: &Graph, event: &Event) -> (Clock, bool) {
        let mut order = event.porf;
        if !self.any() {
            return (order, false);
        }
        for (warp, state) in graph.warps.iter().enumerate() {
            let known = event.porf.of(warp as u8) as usize - (warp == event.warp as usize) as usize;
            if known > 0 {
                order.join(&graph.event(state.events[known - 1]).order);
            }
        }
        let Some(opposite) = self.opposite(graph, event) else { return (order, false) };
        let opposite = graph.event(opposite);
        // A read-modify-write is one step: what waits for its first half waits for the second.
        let whole = if opposite.half == NONE { opposite } else { graph.event(opposite.half) };
        order.join(&whole.order);
        (order, !event.is_write && !opposite.is_write && event.from == opposite.from)
    }

    /// Whether `read` may read `from`, as far as its twins are concerned.
    pub(super) fn may_read(&self, graph: &Graph, read: Id, from: Id) -> bool {
        let event = graph.event(read);
        let Some(opposite) = self.opposite(graph, event) else { return true };
        let earlier = graph.event(opposite);
        if earlier.is_write || graph.rank(earlier.from) <= graph.rank(from) {
            return true;
        }
        // An older write: only if that one depends on what an earlier twin did here.
        let mut next = Some(opposite);
        while let Some(id) = next {
            let earlier = graph.event(id);
            if from != NONE && earlier.is_known(&graph.event(from).order) {
                return true;
            }
            next = self.opposite(graph, earlier);
        }
        false
    }

    /// The rank behind which a write must stand, as far as its twins are concerned.
    pub(super) fn oldest(&self, graph: &Graph, write: Id) -> u16 {
        let opposite = self.opposite(graph, graph.event(write)).map(|id| (id, graph.event(id)));
        let stands = opposite.filter(|(_, event)| event.is_write && event.placed);
        stands.map_or(0, |(id, _)| graph.rank(id))
    }

    /// The same calls and returns with twins exchanged, in every way, those given among them.
    pub(super) fn exchanged(&self, case: &Case, calls: &[Call]) -> Vec<Vec<Call>> {
        let orders = self.orders();
        orders.iter().map(|order| calls.iter().map(|call| renamed(case, call, order)).collect()).collect()
    }

    /// All orders of the warps in which twins alone have changed places: who stands where each stood.
    fn orders(&self) -> Vec<Vec<usize>> {
        let first = |mut warp: usize| {
            while let Some(before) = self.before[warp] {
                warp = before;
            }
            warp
        };
        let class: Vec<usize> = (0..self.before.len()).map(first).collect();
        let mut orders: Vec<Vec<usize>> = vec![Vec::new()];
        for &of in &class {
            let longer = |order: &Vec<usize>| {
                let order = order.clone();
                let free: Vec<usize> =
                    (0..class.len()).filter(|warp| class[*warp] == of && !order.contains(warp)).collect();
                free.into_iter().map(move |warp| order.iter().copied().chain([warp]).collect())
            };
            orders = orders.iter().flat_map(longer).collect();
        }
        orders
    }
}

/// Whether two warps run the same calls, but for values that name nothing else in the scenario.
fn are_twins(case: &Case, one: usize, other: usize) -> bool {
    let [one, other] = [one, other].map(|warp| &case.scenario.programs[warp]);
    let own = |value: u64| case.scenario.calls().filter(|call| call.value == value).count() == 1;
    one.len() == other.len()
        && one.iter().zip(other).all(|(one, other)| {
            let same = (one.op, one.key) == (other.op, other.key);
            same && (one.value == other.value || own(one.value) && own(other.value))
        })
}

/// A call as it is when each warp stands where `order` says, with the values of the one that stood there.
fn renamed(case: &Case, call: &Call, order: &[usize]) -> Call {
    let programs = &case.scenario.programs;
    let values: BTreeMap<u64, u64> = (order.iter().enumerate())
        .flat_map(|(from, &to)| programs[from].iter().zip(&programs[to]))
        .map(|(from, to)| (from.value, to.value))
        .filter(|(from, to)| from != to)
        .collect();
    let value = |value: u64| values.get(&value).copied().unwrap_or(value);
    let ret = call.ret.clone().map(|ret| match ret {
        Ret::Value(Some(it)) => Ret::Value(Some(value(it))),
        Ret::Values(all) if !values.is_empty() => {
            let mut all: Vec<u64> = all.into_iter().map(value).collect();
            all.sort_unstable();
            Ret::Values(all)
        }
        ret => ret,
    });
    let warp = call.warp.map(|warp| order[warp]);
    let to = warp.and_then(|warp| programs[warp].get(call.number)).unwrap_or(&call.call).clone();
    Call { warp, call: to, ret, ..call.clone() }
}
