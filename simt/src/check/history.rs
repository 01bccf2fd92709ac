//! Histories, and whether a sequential order explains them.

use super::text;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use warpproof_model::spec::{Call, Ret, Spec};

/// A call with its interval.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Event {
    /// The warp; none for calls before and after the programs.
    pub warp: Option<usize>,
    /// Which call of its warp.
    #[serde(default)]
    pub number: usize,
    /// The call.
    #[serde(with = "text::call")]
    pub call: Call,
    /// What it returned, or nothing if it never did.
    #[serde(with = "text::ret")]
    pub ret: Option<Ret>,
    /// How many calls of each warp had returned when it began.
    #[serde(default)]
    pub after: Vec<u64>,
    /// When it began.
    pub start: u64,
    /// When it returned.
    pub end: u64,
}

impl Event {
    /// A call with nobody else around, at `time`.
    pub fn alone(call: &Call, ret: Ret, time: u64) -> Self {
        let (call, ret) = (call.clone(), Some(ret));
        Self { warp: None, number: 0, call, ret, after: Vec::new(), start: time, end: time + 1 }
    }

    /// Whether this call returned before `other` began. Of two warps, what the later one could know counts; calls
    /// outside the programs go by their times.
    fn precedes(&self, other: &Self) -> bool {
        let known = self.warp.filter(|_| other.warp.is_some()).and_then(|warp| other.after.get(warp));
        self.ret.is_some()
            && known.map_or(self.end < other.start, |&returned| (self.number as u64) < returned)
    }
}

/// An atomic part of an event.
struct Part {
    call: Call,
    ret: Option<Ret>,
    /// The parts that come before it in real time or in the order of its call.
    before: u64,
}

/// Whether the events, all of one key, are linearizable to `spec`: the search of Wing and Gong with the memo of
/// Lowe ("Testing for linearizability", 2017). Calls that never returned may be left out.
///
/// Histories of more than 64 parts are refused as not linearizable; no scenario comes near.
pub fn linearizable<S: Spec>(spec: &S, key: u64, events: &[&Event]) -> bool {
    let Some(parts) = parts(spec, events) else { return false };
    let due = parts.iter().enumerate().fold(0, |due, (i, p)| due | (p.ret.is_some() as u64) << i);
    let mut seen = HashSet::new();
    let mut open = vec![(0u64, spec.initial(key))];
    let mut next = Vec::new();
    while let Some((done, state)) = open.pop() {
        if done & due == due {
            return true;
        }
        for (i, part) in parts.iter().enumerate() {
            if done & 1 << i != 0 || part.before & !done != 0 {
                continue;
            }
            spec.step(&state, &part.call, part.ret.as_ref(), &mut next);
            for state in next.drain(..) {
                let node = (done | 1 << i, state);
                if seen.insert(node.clone()) {
                    open.push(node);
                }
            }
        }
    }
    false
}

fn parts<S: Spec>(spec: &S, events: &[&Event]) -> Option<Vec<Part>> {
    let mut parts: Vec<(usize, Part)> = Vec::new();
    for (number, event) in events.iter().enumerate() {
        let mut before = 0;
        for (call, ret) in spec.expand(&event.call, event.ret.as_ref()) {
            let bit = 1u64.checked_shl(parts.len() as u32)?;
            parts.push((number, Part { call, ret, before }));
            before |= bit;
        }
    }
    for i in 0..parts.len() {
        let mine = events[parts[i].0];
        let before =
            (0..parts.len()).filter(|&j| events[parts[j].0].precedes(mine)).fold(0, |m, j| m | 1 << j);
        parts[i].1.before |= before;
    }
    Some(parts.into_iter().map(|(_, part)| part).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpproof_model::spec::Multimap;

    fn event(call: &str, ret: &str, start: u64, end: u64) -> Event {
        let call: Call = call.parse().expect("a call");
        let ret = if ret.is_empty() { None } else { Some(ret.parse().expect("a return")) };
        Event { ret, end, ..Event::alone(&call, Ret::Done, start) }
    }

    fn holds(events: &[Event]) -> bool {
        linearizable(&Multimap::default(), 5, &events.iter().collect::<Vec<_>>())
    }

    #[test]
    fn overlapping_calls_may_take_either_order() {
        let insert = event("insert_unique 5 1", "inserted", 0, 9);
        for ret in ["value none", "value 1"] {
            assert!(holds(&[insert.clone(), event("search 5", ret, 1, 2)]));
        }
        assert!(!holds(&[insert, event("search 5", "value 2", 1, 2)]));
    }

    #[test]
    fn real_time_binds() {
        let insert = event("insert_unique 5 1", "inserted", 0, 1);
        assert!(!holds(&[insert.clone(), event("search 5", "value none", 2, 3)]));
        assert!(holds(&[insert, event("search 5", "value none", 1, 3)]));
    }

    #[test]
    fn an_interrupted_call_may_count_or_not() {
        let insert = event("insert_unique 5 1", "", 0, u64::MAX);
        for ret in ["value none", "value 1"] {
            assert!(holds(&[insert.clone(), event("search 5", ret, 5, 6)]));
        }
        let first = event("search 5", "value 1", 5, 6);
        assert!(!holds(&[insert, first, event("search 5", "value none", 7, 8)]));
    }

    #[test]
    fn two_unique_inserts_cannot_both_store() {
        let a = event("insert_unique 5 1", "inserted", 0, 9);
        let b = event("insert_unique 5 2", "inserted", 1, 8);
        assert!(!holds(&[a.clone(), b.clone()]));
        assert!(holds(&[a, b, event("delete 5", "deleted", 2, 7)]));
    }

    #[test]
    fn delete_all_overlapping_an_insert() {
        let insert = event("insert 5 1", "inserted", 0, 1);
        let all = event("delete_all 5", "count 2", 2, 9);
        let other = event("insert 5 2", "inserted", 3, 4);
        assert!(holds(&[insert.clone(), all.clone(), other.clone()]));
        assert!(!holds(&[insert, all, other, event("count 5", "count 1", 10, 11)]));
    }
}
