//! A call that runs dry: it reads what a history says, and changes no memory.

use super::Seen;
use crate::check::{Access, Case, Cells, Handle, Hooks, Memory, View};
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use warpproof_model::spec::Ret;

/// The most accesses of a dry run, and the most times that it waits.
const STEPS: u32 = 2_000;
const PAUSES: u32 = 24;

/// Which call runs, and what it reads.
#[derive(Clone, Copy)]
pub(super) struct Call<'a> {
    pub(super) case: &'a Case,
    pub(super) warp: usize,
    pub(super) number: usize,
    /// Its accesses, as a history has them.
    pub(super) seen: &'a [Seen],
    /// What it reads beyond those.
    pub(super) last: &'a [u128],
}

/// An access of a dry run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Made {
    /// Its number in the history.
    pub(super) at: usize,
    /// Whether all lanes make it, and not one.
    pub(super) by_all: bool,
    /// Fences of the call before it, and how often its lanes met.
    pub(super) fences: u32,
    pub(super) meetings: u32,
}

/// A read that reads something else than the history says.
#[derive(Clone, Copy)]
pub(super) struct Change {
    /// The number of the read, and what it reads.
    pub(super) read: usize,
    pub(super) value: u128,
    /// Whether reads of this word that the history does not have read this too. Otherwise they read what
    /// memory held last.
    pub(super) stays: bool,
}

/// What a dry run did.
#[derive(Default)]
pub(super) struct Run {
    /// The accesses of the history that it made, in the order in which it made them.
    pub(super) made: Vec<Made>,
    /// All accesses that it made.
    pub(super) all: Vec<(u8, u16, Access)>,
    /// How many of them it made before the read that was changed, that one included.
    pub(super) before: usize,
    pub(super) fences: u32,
    pub(super) meetings: u32,
    /// What the call returned, if it came to its end.
    pub(super) ret: Option<Ret>,
}

struct Dry<'a> {
    call: Call<'a>,
    change: Option<Change>,
    state: RefCell<State>,
}

#[derive(Default)]
struct State {
    used: Vec<bool>,
    lane: u8,
    alone: bool,
    steps: u32,
    pauses: u32,
    run: Run,
}

/// Why a dry run ends early.
struct Over;

fn over() -> ! {
    resume_unwind(Box::new(Over))
}

impl Call<'_> {
    /// Runs the call. Without a change it ends where its history does.
    pub(super) fn run(self, change: Option<Change>) -> Run {
        let state = State { used: vec![false; self.seen.len()], ..State::default() };
        let dry = Dry { call: self, change, state: RefCell::new(state) };
        let call = &self.case.scenario.programs[self.warp][self.number];
        // However it ends: what it did up to there counts.
        let ret = catch_unwind(AssertUnwindSafe(|| self.case.run(&dry, &dry, call)));
        Run { ret: ret.ok(), ..dry.state.into_inner().run }
    }
}

impl Dry<'_> {
    fn order(&self) {
        self.state.borrow_mut().run.fences += 1;
        self.sync();
    }

    /// What an access to a word reads.
    fn read(&self, word: u16, access: Access) -> u128 {
        let mut state = self.state.borrow_mut();
        let state = &mut *state;
        let is_store = |access| matches!(access, Access::Store(..));
        let (lane, seen) = (state.lane, self.call.seen);
        let is_next = |&at: &usize| {
            let next = &seen[at];
            let alike =
                next.access == access || self.change.is_some() && !is_store(access) && !is_store(next.access);
            !state.used[at] && (next.lane, next.word) == (lane, word) && alike
        };
        let next = (0..seen.len()).find(is_next);
        if next.is_none() && self.change.is_none() {
            // The warp has come no further.
            over()
        }
        state.run.all.push((lane, word, access));
        let changed = self.change.filter(|change| next == Some(change.read));
        if let (Some(change), None) = (self.change, next) {
            let same = seen[change.read].word == word;
            return if same && change.stays { change.value } else { self.call.last[usize::from(word)] };
        }
        let Some(at) = next else { return 0 };
        state.used[at] = true;
        let Run { fences, meetings, .. } = state.run;
        state.run.made.push(Made { at, by_all: !state.alone, fences, meetings });
        match changed {
            Some(change) => {
                state.run.before = state.run.all.len();
                change.value
            }
            None => seen[at].value,
        }
    }
}

impl Hooks for Dry<'_> {
    fn id(&self) -> u32 {
        self.call.warp as u32
    }
    fn warps(&self) -> u32 {
        self.call.case.scenario.programs.len() as u32
    }
    fn turn(&self, lane: Option<u32>) {
        let mut state = self.state.borrow_mut();
        (state.lane, state.alone) = (lane.unwrap_or(0) as u8, lane.is_some());
    }
    fn fence(&self) {
        self.order();
    }
    fn fence_acquire(&self) {
        self.order();
    }
    fn sync(&self) {
        self.state.borrow_mut().run.meetings += 1;
    }
    fn meet(&self) {
        self.sync();
    }
    fn pause(&self) {
        let mut state = self.state.borrow_mut();
        state.pauses += 1;
        if state.pauses > PAUSES {
            over()
        }
    }
    fn shared(&self) -> Handle<'_, u32> {
        View(self).w32(self.call.case.shared())
    }
}

impl Cells for Dry<'_> {
    fn len(&self, array: usize) -> usize {
        self.call.case.len(array)
    }

    fn access(&self, array: usize, index: usize, access: Access) -> u128 {
        let case = self.call.case;
        let steps = {
            let mut state = self.state.borrow_mut();
            state.steps += 1;
            state.steps
        };
        if index >= case.len(array) || steps > STEPS {
            over()
        }
        self.read((case.offsets[array] + index) as u16, access)
    }
}
