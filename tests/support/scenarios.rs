//! Random scenarios for property tests: drawn by their own mechanism, and made smaller step by step.

use proptest::prelude::RngExt;
use proptest::strategy::{NewTree, Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use std::fmt::{Debug, Formatter};
use warpproof::simt::check::Scenario;
use warpproof::simt::scenarios::random;

/// The scenarios that a function draws, which asks for numbers below the one that it gives.
pub(crate) struct Drawn<F>(pub(crate) F);

impl<F> Debug for Drawn<F> {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str("scenarios")
    }
}

impl<F: Fn(&mut dyn FnMut(u32) -> u32) -> Scenario> Strategy for Drawn<F> {
    type Tree = Shrinking;
    type Value = Scenario;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        let current = (self.0)(&mut |n| runner.rng().random_range(0..n));
        Ok(Shrinking { failing: current.clone(), current, open: Vec::new() })
    }
}

/// A scenario and those that are a step smaller than the last one that failed.
#[derive(Debug)]
pub(crate) struct Shrinking {
    current: Scenario,
    failing: Scenario,
    /// Not tried yet, the next one last.
    open: Vec<Scenario>,
}

impl ValueTree for Shrinking {
    type Value = Scenario;

    fn current(&self) -> Scenario {
        self.current.clone()
    }

    fn simplify(&mut self) -> bool {
        self.failing = self.current.clone();
        self.open = random::simpler(&self.failing);
        self.open.reverse();
        self.complicate()
    }

    fn complicate(&mut self) -> bool {
        let next = self.open.pop();
        let more = next.is_some();
        self.current = next.unwrap_or_else(|| self.failing.clone());
        more
    }
}
