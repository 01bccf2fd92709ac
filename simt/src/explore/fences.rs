//! Sequentially consistent fences: there is one order of them all in which each sees what the ones before it
//! saw.
//!
//! This is RC11's `psc`, restricted to fences. Two fences are related by happens-before, or if one leads to
//! the other through `hb ; eco ; hb`. This relation has no cycle exactly if the fences can be put in one
//! order that can be added to happens-before without making the graph inconsistent, which is the form in the
//! PTX memory model (*Fence-SC*). The relation includes accesses of every scope: no communication contradicts
//! causality.

use super::clock::Clock;
use super::graph::{Graph, Id};

/// Whether the fences of a graph can be put in one order. `hb`: what happens before each event.
pub(super) fn agree<'g>(graph: &'g Graph, hb: &impl Fn(Id) -> &'g Clock) -> bool {
    let word = graph.words() as u16 - 1;
    let fences: Vec<Id> = graph.accesses(word).collect();
    if fences.len() < 2 {
        return true;
    }
    let mut edges = edges(graph, hb, &fences);
    let count = fences.len();
    for through in 0..count {
        for from in 0..count {
            if edges[from] & 1 << through != 0 {
                edges[from] |= edges[through];
            }
        }
    }
    (0..count).all(|fence| edges[fence] & 1 << fence == 0)
}

/// For each fence those that must come after it.
fn edges<'g>(graph: &'g Graph, hb: &impl Fn(Id) -> &'g Clock, fences: &[Id]) -> Vec<u128> {
    let words = graph.words();
    // Per fence and word: the highest level of what happens before it, the lowest of what happens after.
    let mut before = vec![0; fences.len() * words];
    let mut after = vec![u16::MAX; fences.len() * words];
    for (event, id) in graph.events.iter().zip(0..) {
        if event.is_write && !event.placed {
            continue;
        }
        let (word, level) = (event.word as usize, graph.level(id));
        for (row, &fence) in fences.iter().enumerate() {
            if event.is_known(hb(fence)) {
                let highest = &mut before[row * words + word];
                *highest = level.max(*highest);
            }
            if graph.event(fence).is_known(hb(id)) {
                let lowest = &mut after[row * words + word];
                *lowest = level.min(*lowest);
            }
        }
    }
    let row = |of: usize| of * words..(of + 1) * words;
    let leads = |from: usize, to: usize| {
        from != to
            && (graph.event(fences[from]).is_known(hb(fences[to]))
                || after[row(from)].iter().zip(&before[row(to)]).any(|(after, before)| after < before))
    };
    (0..fences.len())
        .map(|from| (0..fences.len()).filter(|&to| leads(from, to)).fold(0, |edges, to| edges | 1 << to))
        .collect()
}
