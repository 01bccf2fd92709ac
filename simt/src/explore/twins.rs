//! Twins: warps that run the same calls on the same keys, perhaps with other values.
//!
//! If a structure uses no value and no warp's number, exchanging twins changes only names in an execution.
//! One such execution is explored. This is symmetry reduction as in Kokologiannakis, Marmanis, Vafeiadis,
//! "SPORE: Combining Symmetry and Partial Order Reduction" (PLDI 2024), with a different rule; the README has
//! the argument.
//!
//! Twins are *tied* while they read the same writes. The first event in which two neighbours differ decides
//! which is the earlier twin: the one that reads the older write, or writes first. Up to there, an event of
//! the later twin *waits* for that of the earlier one: the search treats this as one more dependency
//! ([`super::graph::Event::order`]). The rule does not apply if the later twin reads an older write that
//! depends on what the earlier one did there.

use super::clock::Clock;
use super::graph::{Event, Graph, Id, NONE};
use crate::check::Twins;

impl Twins {
    /// The event of the earlier twin that stands where `event` stands, if they are tied up to there.
    fn opposite(&self, graph: &Graph, event: &Event) -> Option<Id> {
        let twin = self.before(event.warp as usize)?;
        let at = event.seq as usize - 1;
        let tied = at == 0 || graph.event(graph.warps[event.warp as usize].events[at - 1]).tied;
        if tied { graph.warps[twin].events.get(at).copied() } else { None }
    }

    /// What the search takes an event to depend on, and whether its warp and the earlier twin are still tied
    /// after it.
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

    /// The rank after which a write must be placed, as far as its twins are concerned.
    pub(super) fn oldest(&self, graph: &Graph, write: Id) -> u16 {
        let opposite = self.opposite(graph, graph.event(write)).map(|id| (id, graph.event(id)));
        let stands = opposite.filter(|(_, event)| event.is_write && event.placed);
        stands.map_or(0, |(id, _)| graph.rank(id))
    }
}
