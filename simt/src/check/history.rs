//! Histories, and whether a sequential order explains them.

use super::linearization::{Linearization, Placed, Unplaced, allowed, either, said};
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
    /// What it returned; `None` if it never returned.
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
    /// A call that runs alone, at `time`.
    pub fn alone(call: &Call, ret: Ret, time: u64) -> Self {
        let (call, ret) = (call.clone(), Some(ret));
        Self { warp: None, number: 0, call, ret, after: Vec::new(), start: time, end: time + 1 }
    }

    /// The caller, in one word or two.
    pub fn who(&self) -> String {
        self.warp.map_or("alone".to_string(), |warp| format!("warp {warp}"))
    }

    /// The call and its caller: `delete 5 of warp 1`.
    pub fn named(&self) -> String {
        match self.warp {
            Some(warp) => format!("{} of warp {warp}", self.call),
            None => self.call.to_string(),
        }
    }

    /// Whether this call returned before `other` began. For calls of two warps, it counts what the later warp
    /// could know; calls outside the programs are compared by their times.
    fn precedes(&self, other: &Self) -> bool {
        let known = self.warp.filter(|_| other.warp.is_some()).and_then(|warp| other.after.get(warp));
        self.ret.is_some()
            && known.map_or(self.end < other.start, |&returned| (self.number as u64) < returned)
    }
}

/// An atomic part of an event.
struct Part {
    /// The event it belongs to.
    event: usize,
    call: Call,
    ret: Option<Ret>,
    /// The parts that come before it in real time or in the order of its call.
    before: u64,
}

/// Some parts in an order, and the state that they lead to.
struct Node<S> {
    done: u64,
    state: S,
    /// The previous node, and the part that led here; none for the first.
    from: Option<(usize, usize)>,
}

/// Whether the events, all of one key, are linearizable to `spec`; see [`linearize`].
pub fn linearizable<S: Spec>(spec: &S, key: u64, events: &[&Event]) -> bool {
    linearize(spec, key, events).is_ok()
}

/// Searches an order of the events, all of one key, that `spec` explains: the search of Wing and Gong with
/// the memo of Lowe ("Testing for linearizability", 2017). Calls that never returned may be left out.
///
/// Histories of more than 64 parts are reported as not linearizable; no scenario has nearly as many.
///
/// # Errors
/// The point where the search ends: the first that it found of the longest orders that can be explained.
pub fn linearize<S: Spec>(spec: &S, key: u64, events: &[&Event]) -> Result<(), Linearization> {
    let before = spec.initial(key);
    let refused =
        || Linearization { key, before: spec.show(key, &before), order: Vec::new(), rest: Vec::new() };
    let parts = parts(spec, events).ok_or_else(refused)?;
    let due = parts.iter().enumerate().fold(0, |due, (i, p)| due | (p.ret.is_some() as u64) << i);
    let mut seen = HashSet::new();
    let mut nodes = vec![Node { done: 0, state: before, from: None }];
    let (mut open, mut deepest) = (vec![0], 0);
    let mut next = Vec::new();
    while let Some(at) = open.pop() {
        let done = nodes[at].done;
        if done & due == due {
            return Ok(());
        }
        if (done & due).count_ones() > (nodes[deepest].done & due).count_ones() {
            deepest = at;
        }
        // The earliest call is tried first, so that the reported order is close to what happened.
        for (i, part) in parts.iter().enumerate().rev() {
            if done & 1 << i != 0 || part.before & !done != 0 {
                continue;
            }
            spec.step(&nodes[at].state, &part.call, part.ret.as_ref(), &mut next);
            for state in next.drain(..) {
                if seen.insert((done | 1 << i, state.clone())) {
                    open.push(nodes.len());
                    nodes.push(Node { done: done | 1 << i, state, from: Some((at, i)) });
                }
            }
        }
    }
    Err(end(spec, key, events, &parts, &nodes, deepest))
}

/// The order that leads to node `deepest`, and why no part can come next.
fn end<S: Spec>(
    spec: &S,
    key: u64,
    events: &[&Event],
    parts: &[Part],
    nodes: &[Node<S::State>],
    deepest: usize,
) -> Linearization {
    let mut order = Vec::new();
    let mut at = deepest;
    while let Some((from, part)) = nodes[at].from {
        let state = spec.show(key, &nodes[at].state);
        order.push(Placed { event: parts[part].event, what: parts[part].text(events), state });
        at = from;
    }
    order.reverse();
    let Node { done, state, .. } = &nodes[deepest];
    let history = || events.iter().map(|event| (&event.call, event.ret.as_ref()));
    let left = parts.iter().enumerate().filter(|(i, part)| done & 1 << i == 0 && part.ret.is_some());
    let mut rest: Vec<Unplaced> = Vec::new();
    for (_, part) in left {
        if rest.iter().any(|unplaced| unplaced.event == part.event) {
            continue;
        }
        let missing = part.before & !done;
        let (due, why) = if missing != 0 {
            let first = &parts[missing.trailing_zeros() as usize];
            (false, format!("must come after {}", events[first.event].named()))
        } else {
            let returned = part.ret.as_ref().map_or(String::new(), said);
            let whole = part.call == events[part.event].call;
            let who = if whole { String::new() } else { format!("has a part, {}, that ", part.call) };
            let why = match allowed(spec, state, &part.call, history()) {
                rets if rets.is_empty() => format!("{who}is not allowed here"),
                rets => format!("{who}would have to return {} here, not {returned}", either(&rets)),
            };
            (true, why)
        };
        rest.push(Unplaced { event: part.event, why, due });
    }
    // Those whose turn has come are listed first, with what is wrong.
    rest.sort_by_key(|unplaced| !unplaced.due);
    Linearization { key, before: spec.show(key, &nodes[0].state), order, rest }
}

impl Part {
    /// Describes the part in words.
    fn text(&self, events: &[&Event]) -> String {
        let event = events[self.event];
        let ret = self.ret.as_ref().map_or("takes effect, though it never returned".to_string(), said);
        match event.call == self.call {
            true => format!("{} -> {ret}", self.call),
            false => format!("{} -> {ret} (a part of {})", self.call, event.call),
        }
    }
}

fn parts<S: Spec>(spec: &S, events: &[&Event]) -> Option<Vec<Part>> {
    let mut parts: Vec<Part> = Vec::new();
    for (event, it) in events.iter().enumerate() {
        let mut before = 0;
        for (call, ret) in spec.expand(&it.call, it.ret.as_ref()) {
            let bit = 1u64.checked_shl(parts.len() as u32)?;
            parts.push(Part { event, call, ret, before });
            if spec.in_order(&it.call) {
                before |= bit;
            }
        }
    }
    for i in 0..parts.len() {
        let mine = events[parts[i].event];
        let before = (0..parts.len()).filter(|&j| events[parts[j].event].precedes(mine));
        parts[i].before |= before.fold(0, |m, j| m | 1 << j);
    }
    Some(parts)
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

    /// A multimap, where the parts of a `delete_all` come in any order.
    struct AnyOrder;

    impl Spec for AnyOrder {
        type State = Vec<u64>;

        fn initial(&self, key: u64) -> Vec<u64> {
            Multimap::default().initial(key)
        }
        fn step(&self, state: &Vec<u64>, call: &Call, ret: Option<&Ret>, next: &mut Vec<Vec<u64>>) {
            Multimap::default().step(state, call, ret, next);
        }
        fn expand(&self, call: &Call, ret: Option<&Ret>) -> Vec<(Call, Option<Ret>)> {
            Multimap::default().expand(call, ret)
        }
        fn in_order(&self, _: &Call) -> bool {
            false
        }
    }

    #[test]
    fn parts_of_a_call_may_come_in_any_order_where_the_specification_says_so() {
        // From the first insert on there is a pair. So the part that finds none comes first, and the one that
        // deletes comes after the count of 2.
        let with = |all| {
            let two = [event("insert 5 1", "inserted", 1, 2), event("insert 5 2", "inserted", 3, 4)];
            let counts = [event("count 5", "count 2", 5, 6), event("count 5", "count 1", 10, 11)];
            [[event("delete_all 5", all, 0, 9)].as_slice(), &two, &counts].concat()
        };
        let in_any = |events: &[Event]| linearizable(&AnyOrder, 5, &events.iter().collect::<Vec<_>>());
        let (one, both) = (with("count 1"), with("count 2"));
        assert!(in_any(&one) && !holds(&one));
        assert!(!in_any(&both), "one of two pairs is left");
    }

    fn ends(events: &[Event]) -> Linearization {
        linearize(&Multimap::default(), 5, &events.iter().collect::<Vec<_>>()).expect_err("no order")
    }

    #[test]
    fn the_search_says_where_it_ends() {
        let end = ends(&[
            event("insert_unique 5 10", "inserted", 0, 1),
            event("search 5", "value none", 2, 3),
            event("delete 5", "deleted", 4, 5),
        ]);
        assert_eq!(end.before, "key 5 is absent");
        let order: Vec<_> = end.order.iter().map(|p| (p.what.as_str(), p.state.as_str())).collect();
        assert_eq!(order, [("insert_unique 5 10 -> inserted", "key 5 has the value 10")]);
        let rest: Vec<_> = end.rest.iter().map(|u| (u.event, u.why.as_str())).collect();
        let search = "would have to return value 10 here, not value none";
        assert_eq!(rest, [(1, search), (2, "must come after search 5")]);
    }

    #[test]
    fn of_a_multimap_every_return_that_fits_is_named() {
        let end = ends(&[
            event("insert 5 1", "inserted", 0, 1),
            event("insert 5 2", "inserted", 0, 1),
            event("search_all 5", "values 1", 2, 3),
            event("search 5", "value 3", 2, 3),
        ]);
        let whys: Vec<_> = end.rest.iter().map(|unplaced| unplaced.why.as_str()).collect();
        assert_eq!(whys[0], "would have to return values 1 2 here, not values 1");
        assert_eq!(whys[1], "would have to return value 1 or value 2 here, not value 3");
    }

    #[test]
    fn a_part_of_delete_all_is_named_as_one() {
        let end = ends(&[event("insert 5 1", "inserted", 0, 1), event("delete_all 5", "count 2", 2, 3)]);
        assert_eq!(end.order[1].what, "delete 5 -> deleted (a part of delete_all 5)");
        assert_eq!(
            end.rest[0].why,
            "has a part, delete 5, that would have to return absent here, not deleted"
        );
    }
}
