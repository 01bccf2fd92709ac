//! Whether anything keeps a read and a later write of a warp in order.
//!
//! These do:
//!
//! - the read acquires, or the write releases, and one lane makes both, or the lanes meet between (`sync`, a
//!   barrier);
//! - one lane makes both, and they are of one word;
//! - a fence stands between, an acquiring one or a full one. That the lanes meet is not enough: it orders the
//!   lanes that take part, and on a GPU a warp of one lane does nothing there;
//! - the write *depends* on the read: for some value that the word has in some execution, the call does not
//!   make this write. Then the read must be done before the write is known. Dry runs of the call tell
//!   ([`super::dry`]);
//! - a read-modify-write between, which is in order with both.
//!
//! Two calls never depend on each other.

use super::dry::{Call, Change, Made, Run};
use super::{Cycle, Half, Noted, Reading, Seen};
use crate::check::{Access, Case};
use crate::explore::model;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// An access of a warp, in order.
struct Step {
    /// Its number in the history of the warp.
    number: usize,
    seen: Seen,
    by_all: bool,
    fences: u32,
    meetings: u32,
    writes: bool,
}

/// The dry runs of calls with other values for a read, by the warp, the call, its history and the read.
type Memo<'h> = FxHashMap<(usize, usize, &'h [Seen], usize), Rc<Runs>>;

/// For each value the two dry runs of a call in which a read reads that.
type Runs = BTreeMap<u128, [Run; 2]>;

/// The cycles that executions that were noted may lack.
pub(super) fn cycles(case: &Case, noted: &Noted) -> BTreeSet<Cycle> {
    let mut all = BTreeSet::new();
    let mut memo = Memo::default();
    for (warp, histories) in noted.warps.iter().enumerate() {
        for (history, questions) in histories {
            let last = &questions.last;
            let about = About { case, noted, warp, history, last };
            let mut run = DryRun::of(&about);
            for asked in &questions.asked {
                let kept = run.keeps(&mut memo, (asked.read.read, asked.write));
                if kept || about.is_indifferent(&mut memo, &asked.read, Some(asked.value)) {
                    continue;
                }
                let (by, write) = asked.last;
                let other = About { case, noted, warp: by, history: &asked.other, last };
                let learns = asked.learned.as_ref().is_none_or(|readings| {
                    readings.iter().any(|reading| {
                        !other.is_indifferent(&mut memo, reading, None)
                            || reading.swaps && !about.is_dead(&mut memo, asked.write)
                    })
                });
                let mut run_of_other = DryRun::of(&other);
                let orders = |&(from, to): &(usize, usize)| {
                    run.keeps(&mut memo, (asked.read.read, from))
                        && (to == write || run_of_other.keeps(&mut memo, (to, write)))
                };
                if learns && !asked.links.iter().any(orders) {
                    all.insert(Cycle {
                        read: about.half(asked.read.read),
                        write: about.half(asked.write),
                        last: other.half(write),
                    });
                }
            }
        }
    }
    all
}

/// The dry run of a history, and what is known of its accesses.
struct DryRun<'a, 'h> {
    about: &'a About<'h>,
    steps: Vec<Step>,
    known: FxHashMap<(usize, usize), bool>,
}

impl<'a, 'h> DryRun<'a, 'h> {
    fn of(about: &'a About<'h>) -> Self {
        Self { about, steps: about.steps(), known: FxHashMap::default() }
    }

    /// Whether something keeps two accesses in order, by their numbers in the history.
    fn keeps(&mut self, memo: &mut Memo<'h>, (early, later): (usize, usize)) -> bool {
        let step = |number| self.steps.iter().position(|step| step.number == number);
        let (Some(early), Some(later)) = (step(early), step(later)) else {
            unreachable!("a dry run makes the accesses of its history")
        };
        self.about.keeps(memo, &mut self.known, &self.steps, (early, later))
    }
}

struct About<'h> {
    case: &'h Case,
    noted: &'h Noted,
    warp: usize,
    history: &'h [Seen],
    last: &'h [u128],
}

impl<'h> About<'h> {
    fn call(&self, number: u16) -> Call<'h> {
        let first = self.history.partition_point(|seen| seen.call < number);
        let end = self.history.partition_point(|seen| seen.call <= number);
        let Self { case, warp, last, history, .. } = *self;
        Call { case, warp, number: number.into(), seen: &history[first..end], last }
    }

    fn steps(&self) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut before = [0, 0];
        for number in 0..self.case.scenario.programs[self.warp].len() {
            let call = self.call(number as u16);
            let first = self.history.partition_point(|seen| usize::from(seen.call) < number);
            let run = call.run(None);
            steps.extend(run.made.iter().map(|&Made { at, by_all, fences, meetings }| {
                let seen = call.seen[at];
                let width = self.case.arrays[self.case.place(seen.word.into()).0].width;
                let writes = model::writes(seen.access, seen.value, width);
                let (fences, meetings) = (before[0] + fences, before[1] + meetings);
                Step { number: first + at, seen, by_all, fences, meetings, writes }
            }));
            before = [before[0] + run.fences, before[1] + run.meetings];
        }
        steps
    }

    /// Whether something keeps two accesses in order.
    fn keeps(
        &self,
        memo: &mut Memo<'h>,
        known: &mut FxHashMap<(usize, usize), bool>,
        steps: &[Step],
        (early, later): (usize, usize),
    ) -> bool {
        if let Some(&known) = known.get(&(early, later)) {
            return known;
        }
        let is_rmw = |&at: &usize| steps[at].writes && reads(steps[at].seen.access);
        let kept = by_order(&steps[early], &steps[later])
            || self.depends(memo, steps, early, later)
            || (early + 1..later).filter(is_rmw).any(|middle| {
                self.keeps(memo, known, steps, (early, middle))
                    && self.keeps(memo, known, steps, (middle, later))
            });
        known.insert((early, later), kept);
        kept
    }

    fn half(&self, number: usize) -> Half {
        let seen = &self.history[number];
        let (array, index) = self.case.place(seen.word.into());
        let name = format!("{} of {}", seen.access.name(), self.case.subject.word(array, index));
        Half { warp: self.warp, call: seen.call.into(), word: seen.word, name }
    }

    /// Dry runs of the call of a read in which that reads, one after the other, what its word held in any
    /// execution.
    fn runs(&self, memo: &mut Memo<'h>, read: usize) -> Rc<Runs> {
        let seen = &self.history[read];
        let first = self.history.partition_point(|other| other.call < seen.call);
        let (call, read) = (self.call(seen.call), read - first);
        let runs = memo.entry((self.warp, call.number, call.seen, read)).or_insert_with(|| {
            let run = |value| [true, false].map(|stays| call.run(Some(Change { read, value, stays })));
            let values = &self.noted.values[usize::from(seen.word)];
            Rc::new(values.iter().map(|&value| (value, run(value))).collect())
        });
        Rc::clone(runs)
    }

    /// Whether a write of a call depends on a read of the same call.
    fn depends(&self, memo: &mut Memo<'h>, steps: &[Step], early: usize, later: usize) -> bool {
        let (read, write) = (&steps[early], &steps[later].seen);
        if read.seen.call != write.call {
            return false;
        }
        let is_like = |of: &(u8, u16, Access)| *of == (write.lane, write.word, write.access);
        let of = |step: &Step| (step.seen.lane, step.seen.word, step.seen.access);
        let nth = steps[early + 1..=later].iter().filter(|step| is_like(&of(step))).count();
        let makes = |run: &Run| run.all[run.before..].iter().filter(|of| is_like(of)).count() >= nth;
        self.runs(memo, read.number).values().flatten().any(|run| !makes(run))
    }

    /// Whether a call does the same whatever one of its accesses reads.
    fn is_dead(&self, memo: &mut Memo<'h>, read: usize) -> bool {
        let runs = self.runs(memo, read);
        let mut runs = runs.values().flatten();
        let first = runs.next();
        runs.all(|run| first.is_some_and(|first| same(first, run)))
    }

    /// Whether a call does the same if its read reads this value, or what it read, as if it reads an older
    /// one.
    fn is_indifferent(&self, memo: &mut Memo<'h>, reading: &Reading, value: Option<u128>) -> bool {
        let runs = self.runs(memo, reading.read);
        let value = value.unwrap_or(self.history[reading.read].value);
        let alike = |older| match (runs.get(older), runs.get(&value)) {
            (Some(one), Some(other)) => one.iter().zip(other).all(|(one, other)| same(one, other)),
            _ => false,
        };
        reading.older.iter().any(alike)
    }
}

fn same(one: &Run, other: &Run) -> bool {
    (&one.all, &one.ret) == (&other.all, &other.ret)
}

/// Whether the orders of a read and a write, or what stands between them, keep them in order.
fn by_order(read: &Step, write: &Step) -> bool {
    let one_lane = read.seen.lane == write.seen.lane || read.by_all || write.by_all;
    let by_order = model::acquires(read.seen.access) || model::releases(write.seen.access);
    read.fences != write.fences
        || by_order && (one_lane || read.meetings != write.meetings)
        || one_lane && read.seen.word == write.seen.word
}

const fn reads(access: Access) -> bool {
    !matches!(access, Access::Store(..))
}
