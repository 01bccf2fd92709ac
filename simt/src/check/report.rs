//! The result of an exploration.

use super::violation::{Loads, Violation};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// How an exploration ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Verdict {
    /// Explored to the end, nothing found.
    Passed,
    /// As many executions were tried as asked for, and nothing was found: nothing is proved.
    Sampled,
    /// A violation was found.
    Violated,
    /// A limit on executions or time was reached: nothing is proved.
    Capped,
    /// Explored to the end, but an outcome that exists was not seen: the engine is blind to it.
    Blind,
}

impl core::fmt::Display for Verdict {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::Passed => "passed",
            Self::Sampled => "sampled",
            Self::Violated => "VIOLATED",
            Self::Capped => "capped",
            Self::Blind => "BLIND",
        })
    }
}

impl Verdict {
    /// The verdict of two explorations together: the worse of the two.
    pub fn worse(self, other: Self) -> Self {
        let rank = |verdict| match verdict {
            Self::Passed => 0,
            Self::Sampled => 1,
            Self::Capped => 2,
            Self::Blind => 3,
            Self::Violated => 4,
        };
        if rank(other) > rank(self) { other } else { self }
    }
}

/// One pass over a scenario.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Pass {
    /// How loads were explored.
    pub loads: Loads,
    /// Executions.
    pub executions: u64,
    /// How it ended.
    pub verdict: Verdict,
    /// Distinct outcomes: the returns of all calls, warp by warp. At most 65,536 are kept.
    pub outcomes: BTreeSet<String>,
}

/// The result of the exploration of one scenario.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Report {
    /// The scenario's name.
    pub scenario: String,
    /// Its structure.
    pub structure: String,
    /// The engine.
    pub engine: String,
    /// Executions of all passes.
    pub executions: u64,
    /// Time taken.
    pub seconds: f64,
    /// The worst verdict of all passes.
    pub verdict: Verdict,
    /// The passes.
    pub passes: Vec<Pass>,
    /// Distinct outcomes over all passes.
    pub outcomes: BTreeSet<String>,
    /// Outcomes that were expected and not seen.
    pub unseen: BTreeSet<String>,
    /// The violation found.
    pub violation: Option<Box<Violation>>,
    /// Rounds of the longest call among those that have a bound ([`super::Subject::bound`]).
    #[serde(default)]
    pub longest: u32,
}

impl Report {
    /// Whether the scenario was explored to its end and holds.
    pub fn passed(&self) -> bool {
        self.verdict == Verdict::Passed
    }

    /// Whether the engine did everything that was asked of it and found nothing: passed, or sampled.
    pub fn is_clean(&self) -> bool {
        matches!(self.verdict, Verdict::Passed | Verdict::Sampled)
    }
}
