//! One call of a warp, run from its beginning with the values that it has read.

use crate::check::{Access, Breach, Case, Cells, Handle, Hooks, Kind, Memory, View, thrown};
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use warpproof_model::spec::Ret;

/// What a warp does that others can see.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Step {
    /// An access to a word, by its number among all words.
    Access(usize, Access),
    /// The barrier of the block.
    Meet,
}

/// The arguments of [`warpproof_model::Warp::mark`], by which a warp says where it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Mark(pub(super) u32, pub(super) u64);

/// What comes next in a call.
#[derive(PartialEq, Eq)]
pub(super) enum Next {
    Step(Step),
    Return(Ret),
    Breach(Breach),
}

/// A call, run as far as the given values lead.
#[derive(Default)]
pub(super) struct Replay {
    /// What it did, a step for each value.
    pub(super) steps: Vec<Step>,
    /// After how many steps it said that it waits, in ascending order, none twice.
    pub(super) pauses: Vec<usize>,
    /// Where it said that it was last, and after how many steps.
    mark: Option<(usize, Mark)>,
    /// What follows the values given, if that is not its return.
    end: Option<Next>,
    /// The pauses and fences since its last step.
    idle: u32,
}

/// The panic that ends a call where the values end.
struct Leave;

/// A call that runs.
struct Runner<'c> {
    case: &'c Case,
    warp: usize,
    values: &'c [u128],
    step_bound: u32,
    replay: RefCell<Replay>,
}

impl Replay {
    /// Where the call says that it is when it has taken so many steps.
    pub(super) fn marked(&self, steps: usize) -> Option<Mark> {
        self.mark.filter(|&(at, _)| at == steps).map(|(_, mark)| mark)
    }

    /// Runs call `number` of `warp`, whose steps read these values, up to the step after them.
    pub(super) fn of(
        case: &Case,
        (warp, number): (usize, usize),
        values: &[u128],
        step_bound: u32,
    ) -> (Self, Next) {
        let runner = Runner { case, warp, values, step_bound, replay: RefCell::default() };
        let call = &case.scenario.programs[warp][number];
        let result = catch_unwind(AssertUnwindSafe(|| case.run(&runner, &runner, call)));
        let mut replay = runner.replay.into_inner();
        let end = match (result, replay.end.take()) {
            (Ok(ret), _) => Next::Return(ret),
            (Err(_), Some(end)) => end,
            (Err(payload), None) => Next::Breach(thrown(warp, &*payload)),
        };
        (replay, end)
    }
}

impl Runner<'_> {
    fn leave(&self, end: Next) -> ! {
        self.replay.borrow_mut().end = Some(end);
        resume_unwind(Box::new(Leave))
    }

    /// The value that the next step reads.
    fn step(&self, step: Step) -> u128 {
        let mut replay = self.replay.borrow_mut();
        let value = self.values.get(replay.steps.len()).copied();
        if let Some(value) = value {
            replay.steps.push(step);
            replay.idle = 0;
            return value;
        }
        drop(replay);
        if self.values.len() >= self.step_bound as usize {
            self.too_long();
        }
        self.leave(Next::Step(step))
    }

    fn too_long(&self) -> ! {
        let detail = format!("warp {} took more than {} steps in one call", self.warp, self.step_bound);
        self.leave(Next::Breach(Breach::new(Kind::StepBound, detail)))
    }

    fn idle(&self) {
        let mut replay = self.replay.borrow_mut();
        replay.idle += 1;
        if replay.idle > self.step_bound {
            drop(replay);
            self.too_long();
        }
    }
}

impl Hooks for Runner<'_> {
    fn id(&self) -> u32 {
        self.warp as u32
    }

    fn warps(&self) -> u32 {
        self.case.scenario.programs.len() as u32
    }

    fn backwards(&self) -> bool {
        self.case.scenario.backwards
    }

    /// Does nothing: memory is sequentially consistent.
    fn fence(&self) {
        self.idle();
    }

    /// Does nothing, for the same reason.
    fn fence_acquire(&self) {}

    fn pause(&self) {
        self.idle();
        let mut replay = self.replay.borrow_mut();
        let steps = replay.steps.len();
        if steps > 0 && replay.pauses.last() != Some(&steps) {
            replay.pauses.push(steps);
        }
    }

    fn mark(&self, place: u32, state: u64) {
        let mut replay = self.replay.borrow_mut();
        replay.mark = Some((replay.steps.len(), Mark(place, state)));
    }

    fn meet(&self) {
        if !self.case.scenario.apart {
            self.step(Step::Meet);
        }
    }

    /// The array named `shared`.
    fn shared(&self) -> Handle<'_, u32> {
        View(self).w32(self.case.shared())
    }
}

impl Cells for Runner<'_> {
    fn len(&self, array: usize) -> usize {
        self.case.len(array)
    }

    fn access(&self, array: usize, index: usize, access: Access) -> u128 {
        if index < self.case.len(array) {
            return self.step(Step::Access(self.case.offsets[array] + index, access));
        }
        self.leave(Next::Breach(self.case.out_of_bounds(self.warp, array, index)))
    }
}
