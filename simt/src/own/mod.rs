//! A structure of your own: families of programs on it, and one call that explores them.
//!
//! ```
//! use warpproof_model::spec::{Call, Counter, Op, Ret};
//! use warpproof_model::{IntegerWords, Order};
//! use warpproof_simt::arrays;
//! use warpproof_simt::check::{Array, Memory, SimWarp, Subject};
//! use warpproof_simt::own::{Suite, explore};
//!
//! arrays! { Parts: count: w32 = vec![0] }
//!
//! /// A counter to which a warp adds as one.
//! #[derive(Clone)]
//! struct Sum;
//!
//! impl Subject for Sum {
//!     type Spec = Counter;
//!
//!     fn spec(&self) -> Counter {
//!         Counter
//!     }
//!     fn arrays(&self) -> Vec<Array> {
//!         Parts::arrays()
//!     }
//!     fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
//!         let add = || Parts::count(m).fetch_add(0, call.value as u32, Order::Relaxed);
//!         Ret::Count(w.elect(0, add).into())
//!     }
//! }
//!
//! let suite = Suite::new("sum", &[Op::InsertOrAdd]).lanes(2);
//! let explored = explore(&Sum, &[suite.pairs(), suite.triples()].concat())?;
//! assert_eq!(explored.scenarios, 3);
//! # Ok::<(), warpproof_simt::own::Failed>(())
//! ```
//!
//! In a test, [`check!`](crate::check!) does the same and shows the trace of a violation.

mod macros;
mod suite;
#[cfg(test)]
mod tests;

pub use suite::Suite;

use crate::check::{Scenario, ScenarioError, Subject, Verdict, Violation};
use crate::engine::{Engine, Limits, Options, explore_subject, minimise};
use crate::explore::Explore;
use core::fmt;
use rayon::prelude::*;

/// The result of an exploration in which no scenario was violated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Explored {
    /// Number of scenarios.
    pub scenarios: usize,
    /// Total number of their executions.
    pub executions: u64,
    /// Number of scenarios of which the engine tried only some executions, which proves nothing.
    pub sampled: usize,
}

impl fmt::Display for Explored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} scenarios, {} executions: no violation", self.scenarios, self.executions)?;
        match self.sampled {
            0 => Ok(()),
            sampled => write!(f, " found; {sampled} scenarios were only sampled"),
        }
    }
}

/// Why an exploration failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum Failed {
    /// A scenario is violated: the first one in their order, made smaller. Its text shows the trace.
    Violated(Box<Violation>),
    /// The scenario of this name was not explored to the end.
    NotComplete(String),
    /// The scenario of this name cannot be run.
    Scenario(String, ScenarioError),
    /// There were no scenarios, so nothing was shown.
    Nothing,
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Violated(violation) => f.write_str(violation.timeline().trim_end()),
            Self::NotComplete(name) => write!(f, "{name} was not explored to its end"),
            Self::Scenario(name, error) => write!(f, "{name}: {error}"),
            Self::Nothing => f.write_str("there are no scenarios"),
        }
    }
}

impl core::error::Error for Failed {}

/// Explores all executions of scenarios of a user's structure, side by side on rayon's threads.
///
/// # Errors
/// [`Failed`] if a scenario is violated, cannot be run or was not explored to the end, or if there is none.
pub fn explore<S: Subject>(subject: &S, scenarios: &[Scenario]) -> Result<Explored, Failed> {
    explore_with(&Explore, subject, (scenarios, &Options::default()))
}

/// Explores scenarios as [`explore`] does, with another engine or other options.
///
/// # Errors
/// As [`explore`].
pub fn explore_with<S: Subject>(
    engine: &dyn Engine,
    subject: &S,
    (scenarios, options): (&[Scenario], &Options),
) -> Result<Explored, Failed> {
    if scenarios.is_empty() {
        return Err(Failed::Nothing);
    }
    let one = |scenario: &Scenario, options: &Options| {
        explore_subject(engine, subject.clone(), scenario, &options.from_now())
    };
    let reports: Vec<_> = scenarios.par_iter().map(|scenario| one(scenario, options)).collect();
    let mut explored = Explored { scenarios: scenarios.len(), executions: 0, sampled: 0 };
    for (scenario, report) in scenarios.iter().zip(reports) {
        let report = report.map_err(|error| Failed::Scenario(scenario.name.clone(), error))?;
        if let Some(violation) = report.violation {
            let smaller = minimise(&violation, options, &Limits::default(), &one);
            return Err(Failed::Violated(Box::new(smaller)));
        }
        if !report.is_clean() {
            return Err(Failed::NotComplete(report.scenario));
        }
        explored.sampled += usize::from(report.verdict == Verdict::Sampled);
        explored.executions += report.executions;
    }
    Ok(explored)
}

/// The code of the guide is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../GUIDE.md")]
pub struct Guide;
