//! The schedulers, each one of shuttle's.

use crate::check::Case;
use crate::engine::Cap;
use ::shuttle::scheduler::{
    PctScheduler, RandomScheduler, Schedule, Scheduler, Task, TaskId, UrwRandomScheduler,
};
use std::sync::Arc;
use std::time::Instant;

/// A scheduler of the portfolio.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Strategy {
    /// At each step, any warp that can go on, with the same probability.
    Uniform,
    /// A walk that takes every interleaving with the same probability, as far as the lengths of programs are
    /// known.
    Walk,
    /// PCT of this depth: warps have priorities, which change at `depth - 1` places.
    Pct(usize),
}

/// In this order. Each takes its share of the schedules.
pub(super) const PORTFOLIO: [Strategy; 4] =
    [Strategy::Uniform, Strategy::Pct(2), Strategy::Pct(3), Strategy::Walk];

impl core::fmt::Display for Strategy {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Uniform => f.write_str("uniform"),
            Self::Walk => f.write_str("uniform walk"),
            Self::Pct(depth) => write!(f, "pct of depth {depth}"),
        }
    }
}

impl Strategy {
    /// The share of scheduler number `at` of the portfolio.
    pub(super) fn share(at: usize, schedules: u64) -> u64 {
        let (number, at) = (PORTFOLIO.len() as u64, at as u64);
        schedules / number + u64::from(at < schedules % number)
    }

    /// The scheduler, for `schedules` schedules.
    fn scheduler(self, seed: u64, schedules: u64) -> Box<dyn Scheduler + Send> {
        let schedules = usize::try_from(schedules).unwrap_or(usize::MAX);
        match self {
            Self::Uniform => Box::new(RandomScheduler::new_from_seed(seed, schedules)),
            Self::Walk => Box::new(UrwRandomScheduler::new_from_seed(seed, schedules)),
            Self::Pct(depth) => Box::new(PctScheduler::new_from_seed(seed, depth, schedules)),
        }
    }
}

/// A scheduler of the portfolio that ends when a violation was found or a limit is reached.
pub(super) struct Guide {
    strategy: Strategy,
    inner: Box<dyn Scheduler + Send>,
    case: Arc<Case>,
    /// Executions of this pass before those of `case`.
    before: u64,
    cap: Cap,
    started: Instant,
}

impl Guide {
    pub(super) fn new(
        (strategy, seed, schedules): (Strategy, u64, u64),
        case: Arc<Case>,
        before: u64,
        cap: Cap,
        started: Instant,
    ) -> Self {
        let inner = strategy.scheduler(seed, schedules);
        Self { strategy, inner, case, before, cap, started }
    }
}

impl Scheduler for Guide {
    fn new_execution(&mut self) -> Option<Schedule> {
        let executions = self.before + self.case.executions();
        if self.case.is_violated() || self.cap.reached(executions, self.started) {
            // Dropped before its end the uniform scheduler would announce a failure.
            while self.strategy == Strategy::Uniform && self.inner.new_execution().is_some() {}
            return None;
        }
        self.inner.new_execution()
    }

    fn next_task(&mut self, runnable: &[&Task], current: Option<TaskId>, yields: bool) -> Option<TaskId> {
        let main = runnable.iter().map(|task| task.id()).find(|&id| usize::from(id) == 0);
        // The main thread, which only starts the warps, is no business of a scheduler; but the walk counts
        // the steps of each thread from the one that started it.
        match main.filter(|_| self.strategy != Strategy::Walk) {
            Some(main) => Some(main),
            None => self.inner.next_task(runnable, current, yields),
        }
    }

    fn next_u64(&mut self) -> u64 {
        self.inner.next_u64()
    }
}
