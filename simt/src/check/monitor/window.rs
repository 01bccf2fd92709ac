//! Reduces a history without an explanation to a few of its calls without one.

use super::Part;
use super::ops::{Class, Op};
use super::problem::{AtFirst, NEVER, Problem, Span};
use super::sweep::{First, Sweep};
use std::collections::HashSet;

/// A bound on the time: the number of calls that all tries at smaller parts may look at together. The part
/// that is left then has no explanation, but it need not be the smallest.
const BUDGET: usize = 50_000_000;

/// Up to this many writes under way at the beginning of a part, the search tries for each that it took effect
/// before the part, and that it took effect in it.
const EARLY: usize = 4;

/// A part of a history that nothing explains, whatever the key held before.
pub(super) struct Window {
    /// Its calls: numbers of operations and what they have to do with it.
    pub(super) ops: Vec<(u32, Part)>,
    /// The place at which it begins.
    pub(super) from: u32,
}

/// The earliest end and then the latest beginning with which a part has no explanation, without the reads and
/// assigns that do not matter. The history as a whole has none.
pub(super) fn shrink(ops: &[Op], named: bool) -> Window {
    let mut test = Test { named, problem: Problem::default(), sweep: Sweep::default(), seen: 0 };
    let places = 2 * ops.len() as u32;
    let until = first(places, |until| !test.explained(ops, Span { from: 0, until }));
    let from = first(until, |from| test.explained(ops, Span { from, until })).saturating_sub(1);
    let span = Span { from, until };
    let inside = |op: &Op| span.has(op);
    let read: HashSet<u64> =
        ops.iter().filter(|op| op.class == Class::Reads && inside(op)).map(|op| op.value).collect();
    let numbered = || ops.iter().zip(0u32..);
    let (reads, writes): (Vec<_>, Vec<_>) = numbered()
        .filter(|(op, _)| match op.class {
            Class::Reads | Class::Present | Class::Absent => inside(op),
            Class::Down => op.call < until && op.ret >= from,
            Class::Up | Class::Assign => op.call < until && (op.ret >= from || read.contains(&op.value)),
        })
        .partition(|(op, _)| matches!(op.class, Class::Reads | Class::Present | Class::Absent));
    let reads = test.needed(reads, &writes, span);
    let read: HashSet<u64> =
        reads.iter().filter(|(op, _)| op.class == Class::Reads).map(|(op, _)| op.value).collect();
    // Without an assign that no call reads, the value before it goes on.
    let (assigns, mut rest): (Vec<_>, Vec<_>) = writes
        .into_iter()
        .filter(|(op, _)| op.ret >= from || read.contains(&op.value))
        .partition(|(op, _)| op.class == Class::Assign && !read.contains(&op.value));
    rest.extend(reads);
    let assigns = test.needed(assigns, &rest, span);
    rest.extend(assigns);
    let part = |op: &Op| match op {
        _ if op.ret < from => Part::Before,
        _ if span.early(op) => Part::Early,
        _ if op.ret >= until => Part::Late,
        _ => Part::Inside,
    };
    Window { ops: rest.into_iter().map(|(op, number)| (number, part(op))).collect(), from }
}

/// The first number up to `to` for which `holds`, which stays true from there on; `to` if there is none
/// before.
fn first(mut to: u32, mut holds: impl FnMut(u32) -> bool) -> u32 {
    let mut from = 0;
    while from < to {
        let middle = from + (to - from) / 2;
        if holds(middle) {
            to = middle;
        } else {
            from = middle + 1;
        }
    }
    to
}

struct Test {
    named: bool,
    problem: Problem,
    sweep: Sweep,
    seen: usize,
}

impl Test {
    /// Of the operations that may be left out, the ones that are needed: without any one of them the part
    /// would have an explanation.
    fn needed<'a>(
        &mut self,
        mut some: Vec<(&'a Op, u32)>,
        rest: &[(&'a Op, u32)],
        span: Span,
    ) -> Vec<(&'a Op, u32)> {
        let mut piece = some.len();
        while piece > 0 {
            let mut at = 0;
            while at < some.len() && self.seen < BUDGET {
                let end = (at + piece).min(some.len());
                let fewer = [&some[..at], &some[end..]].concat();
                let ops: Vec<Op> = rest.iter().chain(&fewer).map(|(op, _)| **op).collect();
                if self.explained(&ops, span) {
                    at = end;
                } else {
                    some = fewer;
                }
            }
            piece = if piece == 1 { 0 } else { piece.div_ceil(2) };
        }
        some
    }

    /// Whether the calls that lie in `span` have an explanation from some state of the key. A write that is
    /// under way when it begins took effect before or in it, one that is under way when it ends in it or
    /// later.
    fn explained(&mut self, ops: &[Op], span: Span) -> bool {
        let writes = |op: &Op| matches!(op.class, Class::Up | Class::Assign | Class::Down);
        let early: Vec<usize> = (0..ops.len()).filter(|&i| span.early(&ops[i]) && writes(&ops[i])).collect();
        if early.len() > EARLY {
            return self.explained_from_some_state(ops, span);
        }
        let mut ops = ops.to_vec();
        let calls_and_returns: Vec<_> = early.iter().map(|&i| (ops[i].call, ops[i].ret)).collect();
        (0u32..1 << early.len()).any(|before| {
            for (bit, &i) in early.iter().enumerate() {
                let (call, ret) = calls_and_returns[bit];
                let took_effect = before & 1 << bit != 0;
                ops[i].call = if took_effect { call } else { span.from - 1 };
                ops[i].ret = if took_effect { span.from - 1 } else { ret };
            }
            self.explained_from_some_state(&ops, span)
        })
    }

    /// Whether some state at the beginning explains the operations. A write under way at the beginning may be
    /// left out, and is never due.
    fn explained_from_some_state(&mut self, ops: &[Op], span: Span) -> bool {
        self.seen += ops.len();
        if self.problem.take_apart(ops, span, self.named).is_err() {
            return false;
        }
        self.states(span).into_iter().any(|first| {
            let at_first = if let First::Value(v) = first { Some(v) } else { None };
            // Again, because the cut changes it.
            self.problem.take_apart(ops, span, self.named).is_ok()
                && self.problem.cut(at_first).is_ok()
                && self.sweep.run(&self.problem, first)
        })
    }

    /// The states that the key may be in when the span begins.
    fn states(&self, span: Span) -> Vec<First> {
        if span.from == 0 {
            return vec![First::Absent];
        }
        let values = |at_first| {
            let values = self.problem.values.iter().enumerate();
            let values = values.filter(move |(_, value)| value.at_first == at_first && value.due != NEVER);
            values.map(|(v, _)| First::Value(v))
        };
        match values(AtFirst::Must).count() {
            0 => [First::Absent, First::Present].into_iter().chain(values(AtFirst::May)).collect(),
            1 => values(AtFirst::Must).collect(),
            // Two values cannot both be current.
            _ => Vec::new(),
        }
    }
}
