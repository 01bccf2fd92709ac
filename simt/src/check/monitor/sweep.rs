//! The sweep over the due calls of one key: each call takes effect as late as it can. See the README for the
//! proof.
//!
//! Time is counted in gaps: gap g lies before place g. A call that begins at place c can take effect in gaps
//! after c; one that is due at place d, in gaps up to d.

use super::earliest::Tournament;
use super::problem::{Item, NEVER, Problem};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What the key holds before all calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum First {
    /// Nothing.
    Absent,
    /// A value that is never read.
    Present,
    /// A value of the problem.
    Value(usize),
}

/// An operation that must have taken effect by its place; the number is its index in the problem.
#[derive(Clone, Copy)]
enum Due {
    Value(u32),
    Down(u32),
    Present(u32),
    Absent(u32),
}

/// The state of the key during the sweep.
#[derive(Clone, Copy, Default)]
struct State {
    present: bool,
    /// The current value stays until this place.
    settle: u32,
    /// The last gap in which the key became present, so that it was absent in it; 0 if none.
    last_up: u32,
    /// The last gap in which it became absent, so that it was present in it.
    last_down: u32,
    /// The last gap in which it was present and the value could be left, unless it is so now.
    last_free: u32,
}

/// The sweep, with memory that is used again for each key.
#[derive(Default)]
pub(super) struct Sweep {
    dues: Vec<(u64, Due)>,
    state: State,
    /// Inserts, by the time at which their value may be left: numbers of values.
    ups: Vec<u32>,
    /// The place of a value in `ups`.
    rank: Vec<u32>,
    ups_by_call: Vec<u32>,
    ups_by_due: Vec<u32>,
    entered: Vec<bool>,
    called_ups: Tournament,
    downs_by_call: Vec<u32>,
    downs_by_due: Vec<u32>,
    taken: Vec<bool>,
    called_downs: BinaryHeap<Reverse<(u32, u32)>>,
    next: Next,
    /// (call or settle, due) of absent reads and of assigns, ordered; the due is the earliest of this and all
    /// later ones.
    absents: Vec<(u32, u32)>,
    passing: Vec<(u32, u32)>,
}

/// How far the sweep is in its lists.
#[derive(Default)]
struct Next {
    up: usize,
    up_due: usize,
    down: usize,
    down_due: usize,
}

impl Sweep {
    /// Whether the calls can take effect one after the other, each in its interval.
    pub(super) fn run(&mut self, p: &Problem, first: First) -> bool {
        self.reset(p, first);
        for i in 0..self.dues.len() {
            let (key, due) = self.dues[i];
            let at = (key >> 1) as u32;
            self.call_before(p, at);
            let done = match due {
                Due::Value(v) if p.values[v as usize].assign => self.assign(p, v, at),
                Due::Value(v) => self.entered[v as usize] || self.up(p, v, at),
                Due::Down(d) => self.taken[d as usize] || self.down(p, d, at),
                Due::Present(i) => self.present(p, p.present[i as usize], at),
                Due::Absent(i) => self.absent(p.absent[i as usize], at),
            };
            if !done {
                return false;
            }
        }
        true
    }

    /// An insert: the key is absent before it.
    fn up(&mut self, p: &Problem, v: u32, at: u32) -> bool {
        if self.state.present && !self.any_down(at) {
            return false;
        }
        self.enter(p, v, at);
        true
    }

    /// An assign: the key is present before it. One whose reads have all been called needs only an instant at
    /// which the value before it may be left.
    fn assign(&mut self, p: &Problem, v: u32, at: u32) -> bool {
        let value = p.values[v as usize];
        let passed = !value.forward() && self.state.last_free > value.settle;
        if passed || self.free(at) && !value.forward() {
            return true;
        }
        if self.state.present && !self.free(at) || !self.state.present && !self.settled_up(p, at) {
            return false;
        }
        if value.forward() {
            (self.state.settle, self.state.last_free) = (value.settle, at);
        }
        true
    }

    /// A delete: the key is present before it.
    fn down(&mut self, p: &Problem, d: u32, at: u32) -> bool {
        if !self.state.present && !self.settled_up(p, at) {
            return false;
        }
        self.leave(d, at)
    }

    /// A call that saw the key.
    fn present(&mut self, p: &Problem, item: Item, at: u32) -> bool {
        self.state.present || self.state.last_down > item.call || self.some_up(p, at)
    }

    /// A call that saw no key.
    fn absent(&mut self, item: Item, at: u32) -> bool {
        !self.state.present || self.state.last_up > item.call || self.any_down(at)
    }

    /// Whether the key is present and its value may be left.
    fn free(&self, at: u32) -> bool {
        self.state.present && self.state.settle < at
    }

    /// Inserts the value of `v`.
    fn enter(&mut self, p: &Problem, v: u32, at: u32) {
        let place = self.rank[v as usize];
        self.entered[v as usize] = true;
        self.called_ups.unset(place as usize);
        self.state.present = true;
        self.state.settle = p.values[v as usize].settle;
        self.state.last_up = at;
    }

    /// Deletes, if the value may be left.
    fn leave(&mut self, down: u32, at: u32) -> bool {
        if !self.free(at) {
            return false;
        }
        self.taken[down as usize] = true;
        self.state.present = false;
        (self.state.last_down, self.state.last_free) = (at, at);
        true
    }

    /// Lets the delete that is due first take effect.
    fn any_down(&mut self, at: u32) -> bool {
        while let Some(Reverse((_, down))) = self.called_downs.pop() {
            if !self.taken[down as usize] {
                return self.leave(down, at);
            }
        }
        false
    }

    /// Lets an insert take effect whose value may be left at once. If there are several, takes the one that
    /// is due first.
    fn settled_up(&mut self, p: &Problem, at: u32) -> bool {
        self.up_settled_before(p, at, at)
    }

    fn up_settled_before(&mut self, p: &Problem, limit: u32, at: u32) -> bool {
        let places = self.ups.partition_point(|&v| p.values[v as usize].settle < limit);
        let Some(key) = self.called_ups.smallest(places) else { return false };
        self.enter(p, (key & ((1 << VALUE_BITS) - 1)) as u32, at);
        true
    }

    /// Lets an insert take effect whose value may be left before anything else is due: of these the one that
    /// is due first.
    fn some_up(&mut self, p: &Problem, at: u32) -> bool {
        let limit = self.next_due(p, at);
        while self.ups_by_due.get(self.next.up_due).is_some_and(|&v| self.entered[v as usize]) {
            self.next.up_due += 1;
        }
        let Some(&v) = self.ups_by_due.get(self.next.up_due) else { return false };
        // It settles before the other inserts are due: if it is forward they are not due inside its interval.
        let value = p.values[v as usize];
        if value.call < at && value.settle < limit {
            self.enter(p, v, at);
            return true;
        }
        self.up_settled_before(p, limit.min(value.due), at)
    }

    /// When the next call is due that needs the key absent or its value left, inserts not counted. The key is
    /// absent.
    fn next_due(&mut self, p: &Problem, at: u32) -> u32 {
        while self.downs_by_due.get(self.next.down_due).is_some_and(|&d| self.taken[d as usize]) {
            self.next.down_due += 1;
        }
        let down = self.downs_by_due.get(self.next.down_due).map_or(NEVER, |&d| p.downs[d as usize].due);
        down.min(earliest_from(&self.absents, at)).min(earliest_from(&self.passing, self.state.last_free))
    }

    /// What is called before `at` can take effect from now on.
    fn call_before(&mut self, p: &Problem, at: u32) {
        while let Some(&v) = self.ups_by_call.get(self.next.up)
            && p.values[v as usize].call < at
        {
            if !self.entered[v as usize] {
                let value = &p.values[v as usize];
                let key = due_key(value.due, value.forward()) << VALUE_BITS | v as u64;
                self.called_ups.set(self.rank[v as usize] as usize, key);
            }
            self.next.up += 1;
        }
        while let Some(&d) = self.downs_by_call.get(self.next.down)
            && p.downs[d as usize].call < at
        {
            self.called_downs.push(Reverse((p.downs[d as usize].due, d)));
            self.next.down += 1;
        }
    }
}

/// Bits of a value's number beside its due in a key; an operation has two places of 32 bits.
const VALUE_BITS: u32 = 31;

/// Orders what is due: at the same place a value that then stays comes last.
fn due_key(due: u32, forward: bool) -> u64 {
    (due as u64) << 1 | forward as u64
}

/// The earliest due from `from` on.
fn earliest_from(list: &[(u32, u32)], from: u32) -> u32 {
    list.get(list.partition_point(|item| item.0 < from)).map_or(NEVER, |item| item.1)
}

/// Sorts, and replaces each due by the earliest from there on.
fn earliest_behind(list: &mut [(u32, u32)]) {
    list.sort_unstable();
    let mut earliest = NEVER;
    for item in list.iter_mut().rev() {
        earliest = earliest.min(item.1);
        item.1 = earliest;
    }
}

impl Sweep {
    fn reset(&mut self, p: &Problem, first: First) {
        let at_first = if let First::Value(v) = first { Some(v) } else { None };
        let settle = at_first.map_or(0, |v| p.values[v].settle);
        self.state = State { present: first != First::Absent, settle, ..State::default() };
        self.next = Next::default();
        self.reset_ups(p, at_first);
        self.reset_downs(p);
        self.absents.clear();
        self.absents.extend(p.absent.iter().map(|item| (item.call, item.due)));
        earliest_behind(&mut self.absents);
        self.passing.clear();
        let assigns = p.values.iter().enumerate().filter(|(v, value)| value.assign && Some(*v) != at_first);
        self.passing.extend(assigns.map(|(_, value)| (value.settle, value.due)));
        earliest_behind(&mut self.passing);
        self.dues.clear();
        let values = p.values.iter().enumerate().filter(|(v, _)| Some(*v) != at_first);
        let values = values.map(|(v, value)| (due_key(value.due, value.forward()), Due::Value(v as u32)));
        self.dues.extend(values.filter(|(key, _)| *key < due_key(NEVER, false)));
        let downs = p.downs.iter().enumerate().filter(|(_, item)| item.due != NEVER);
        self.dues.extend(downs.map(|(i, item)| (due_key(item.due, false), Due::Down(i as u32))));
        let present = p.present.iter().enumerate();
        self.dues.extend(present.map(|(i, item)| (due_key(item.due, false), Due::Present(i as u32))));
        let absent = p.absent.iter().enumerate();
        self.dues.extend(absent.map(|(i, item)| (due_key(item.due, false), Due::Absent(i as u32))));
        self.dues.sort_unstable_by_key(|due| due.0);
    }

    fn reset_ups(&mut self, p: &Problem, at_first: Option<usize>) {
        let value = |&v: &u32| &p.values[v as usize];
        let ups = (0..p.values.len()).filter(|&v| !p.values[v].assign && Some(v) != at_first);
        self.ups.clear();
        self.ups.extend(ups.map(|v| v as u32));
        self.ups_by_call.clone_from(&self.ups);
        self.ups_by_due.clone_from(&self.ups);
        self.ups.sort_unstable_by_key(|v| value(v).settle);
        self.ups_by_call.sort_unstable_by_key(|v| value(v).call);
        self.ups_by_due.sort_unstable_by_key(|v| (due_key(value(v).due, value(v).forward()), *v));
        self.rank.clear();
        self.rank.resize(p.values.len(), 0);
        self.ups.iter().enumerate().for_each(|(place, &v)| self.rank[v as usize] = place as u32);
        self.entered.clear();
        self.entered.resize(p.values.len(), false);
        self.called_ups.reset(self.ups.len());
    }

    fn reset_downs(&mut self, p: &Problem) {
        self.downs_by_call.clear();
        self.downs_by_call.extend(0..p.downs.len() as u32);
        self.downs_by_due.clone_from(&self.downs_by_call);
        self.downs_by_call.sort_unstable_by_key(|&d| p.downs[d as usize].call);
        self.downs_by_due.sort_unstable_by_key(|&d| p.downs[d as usize].due);
        self.taken.clear();
        self.taken.resize(p.downs.len(), false);
        self.called_downs.clear();
    }
}

#[cfg(test)]
mod tests {
    use crate::check::Event;
    use crate::check::monitor::{Failure, monitor};
    use warpproof_model::spec::{Map, Ret};

    fn event(call: &str, ret: &str, start: u64, end: u64) -> Event {
        let call = call.parse().expect("a call");
        Event { end, ret: Some(ret.parse().expect("a return")), ..Event::alone(&call, Ret::Done, start) }
    }

    /// The key must be there by 10. Value 1 is due before value 2, but stays until 40.
    fn early() -> Vec<Event> {
        vec![
            event("insert_unique 5 1", "inserted", 0, 50),
            event("search 5", "value 1", 40, 60),
            event("insert_unique 5 2", "inserted", 0, 90),
            event("count 5", "count 1", 1, 10),
            event("delete 5", "deleted", 5, 100),
        ]
    }

    /// Something between 20 and 30 decides which value comes first: 2, or 1 if there is no 2.
    fn decided_by(between: Event) {
        let mut events = early();
        assert!(monitor(&Map::default(), &events).is_ok());
        events.push(between);
        assert!(monitor(&Map::default(), &events).is_ok());
        events.remove(2);
        assert!(matches!(monitor(&Map::default(), &events), Err(Failure::Unexplained(_))));
    }

    #[test]
    fn a_value_that_stays_too_long_is_not_taken() {
        decided_by(event("search 5", "value none", 20, 30));
        decided_by(event("insert_or_assign 5 3", "replaced", 20, 30));
        decided_by(event("delete 5", "deleted", 20, 30));
    }
}
