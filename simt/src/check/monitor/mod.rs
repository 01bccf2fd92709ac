#![doc = include_str!("README.md")]

mod earliest;
mod failure;
mod ops;
mod problem;
mod sweep;
mod window;

pub use failure::{Failure, Part, Refusal, Unexplained};

use super::Event;
use ops::{Asks, Crowd, Op};
use problem::{Conflict, Problem, Span};
use sweep::{First, Sweep};
use warpproof_model::spec::{Map, Set};

/// A specification that [`monitor`] decides: a [`Map`] or a [`Set`].
pub trait Collection {
    /// Whether keys have values, each written once.
    const VALUES: bool;

    /// Whether an insert may find no room.
    fn may_fill(&self) -> bool;
}

impl Collection for Map {
    const VALUES: bool = true;

    fn may_fill(&self) -> bool {
        self.may_fill
    }
}

impl Collection for Set {
    const VALUES: bool = false;

    fn may_fill(&self) -> bool {
        self.may_fill
    }
}

/// What was found linearizable.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Monitored {
    /// Calls.
    pub calls: usize,
    /// Keys.
    pub keys: usize,
    /// The most calls of one key that were under way at once.
    pub overlap: usize,
    /// Calls that began while another of their key was under way.
    pub met: usize,
}

/// Whether a history of any length is linearizable to a map or a set that is empty at first.
///
/// The calls: `insert_unique`, `insert_or_assign`, `search`, `search_all`, `count`, `delete`; all have
/// returned. In a map no two calls store the same value under the same key. Real time is that of
/// [`Event::start`] and [`Event::end`]: a call comes before another if it ends at a smaller number than the
/// other starts at.
///
/// Exact. Takes O(n log n) time and O(n) memory for n calls, however many of them overlap.
///
/// # Errors
/// [`Failure::Unexplained`] if the history is not linearizable, with a few calls that show it;
/// [`Failure::Refused`] if it is not as described here.
pub fn monitor<C: Collection>(collection: &C, events: &[Event]) -> Result<Monitored, Failure> {
    let mut order = Vec::with_capacity(events.len());
    order.extend(events.iter().enumerate().map(|(i, event)| (event.call.key, i as u32)));
    order.sort_unstable();
    let mut key = Key { collection, events, ops: Vec::new(), memory: Memory::default() };
    let mut found = Monitored { calls: events.len(), ..Monitored::default() };
    for group in order.chunk_by(|a, b| a.0 == b.0) {
        found.keys += 1;
        let Crowd { overlap, met } = key.check(group)?;
        found.overlap = found.overlap.max(overlap);
        found.met += met;
    }
    Ok(found)
}

/// Memory that is used again for each key.
#[derive(Default)]
struct Memory {
    order: Vec<(u64, u32)>,
    problem: Problem,
    sweep: Sweep,
}

/// The calls of one key.
struct Key<'a, C> {
    collection: &'a C,
    events: &'a [Event],
    ops: Vec<Op>,
    memory: Memory,
}

impl<C: Collection> Key<'_, C> {
    /// Checks one key.
    fn check(&mut self, group: &[(u64, u32)]) -> Result<Crowd, Failure> {
        self.ops.clear();
        for &(_, event) in group {
            let refused = |why| Failure::Refused { event: event as usize, why };
            let asks = ops::classify(C::VALUES, self.collection.may_fill(), &self.events[event as usize]);
            match asks.map_err(refused)? {
                Asks::Of(class, value) => self.ops.push(Op { class, value, call: 0, ret: 0, event }),
                Asks::Nothing => {}
                Asks::Never => {
                    return Err(self.unexplained(
                        "no state allows this return",
                        vec![(event, Part::Inside)],
                        0,
                    ));
                }
            }
        }
        let crowd = ops::place(&mut self.ops, self.events, &mut self.memory.order);
        self.decide()?;
        Ok(crowd)
    }

    fn decide(&mut self) -> Result<(), Failure> {
        let Memory { problem, sweep, .. } = &mut self.memory;
        let taken_apart = problem.take_apart(&self.ops, Span::ALL, C::VALUES);
        if let Some((_, second)) = problem.twice() {
            return Err(Failure::Refused { event: self.event(second) as usize, why: Refusal::ValueTwice });
        }
        if let Err(Conflict { why, ops }) = taken_apart.and_then(|()| problem.cut(None)) {
            let events = ops.into_iter().map(|op| (self.event(op), Part::Inside)).collect();
            return Err(self.unexplained(why, events, 0));
        }
        if sweep.run(problem, First::Absent) {
            return Ok(());
        }
        let window = window::shrink(&self.ops, C::VALUES);
        let events = window.ops.into_iter().map(|(op, part)| (self.event(op), part)).collect();
        Err(self.unexplained("no order of these calls explains what they returned", events, window.from))
    }

    fn event(&self, op: u32) -> u32 {
        self.ops[op as usize].event
    }

    /// The failure that these events show, of a window that begins at the place `from`.
    fn unexplained(&self, why: &str, mut events: Vec<(u32, Part)>, from: u32) -> Failure {
        events.sort_unstable_by_key(|&(event, _)| (self.events[event as usize].start, event));
        events.dedup();
        let calls: Vec<_> =
            events.iter().map(|&(event, part)| (self.events[event as usize].clone(), part)).collect();
        let key = calls.first().map_or(0, |(event, _)| event.call.key);
        let inside = calls.iter().find(|(_, part)| *part == Part::Inside);
        let from = inside.filter(|_| from > 0).map(|(event, _)| event.start);
        Failure::Unexplained(Box::new(Unexplained { key, why: why.to_string(), calls, from }))
    }
}
