//! Violations with their traces.

use super::history::Event;
use super::scenario::Scenario;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// What kind of claim does not hold.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Kind {
    /// No sequential order explains the history.
    NotLinearizable,
    /// An invariant of every state, or of quiescence.
    Invariant,
    /// A slab is in use and nothing reaches it.
    LostSlab,
    /// A key stands twice.
    DuplicateKey,
    /// A word changed as it may not.
    Transition,
    /// An index beyond its array.
    OutOfBounds,
    /// A warp took more steps than its bound: it waits for ever.
    StepBound,
    /// `Full` though the pool was never exhausted.
    FullWithRoom,
    /// A warp is missing at a barrier, or at another one.
    BarrierDivergence,
    /// The code panicked.
    Panic,
}

impl core::fmt::Display for Kind {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::NotLinearizable => "not linearizable",
            Self::Invariant => "invariant broken",
            Self::LostSlab => "lost slab",
            Self::DuplicateKey => "duplicate key",
            Self::Transition => "forbidden transition",
            Self::OutOfBounds => "out of bounds",
            Self::StepBound => "step bound exceeded",
            Self::FullWithRoom => "full though there was room",
            Self::BarrierDivergence => "barrier divergence",
            Self::Panic => "panic",
        })
    }
}

/// A claim that does not hold, without its trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Breach {
    /// Its kind.
    pub kind: Kind,
    /// What exactly.
    pub detail: String,
}

/// How loads are explored.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Loads {
    /// As loads: stale values are seen, some interleavings may be skipped.
    AsLoads,
    /// As read-modify-writes: every interleaving is seen, no stale value.
    AsRmw,
}

impl core::fmt::Display for Loads {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::AsLoads => "loads as loads",
            Self::AsRmw => "loads as rmw",
        })
    }
}

/// One step of a warp.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Step {
    /// The warp.
    pub warp: usize,
    /// Which call of its program.
    pub call: usize,
    /// What it did: `load Relaxed`, `cas Release`, `fence`, `call`, `return` ...
    pub action: String,
    /// The word, as `array[index]`; empty for steps that touch none.
    pub word: String,
    /// What the word held, or the call, or the return.
    pub old: String,
    /// What it holds afterwards, if it was written.
    pub new: Option<String>,
    /// The value read was no longer the newest.
    pub stale: bool,
}

/// A violation with everything needed to look at it again.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Violation {
    /// What kind of claim does not hold.
    pub kind: Kind,
    /// What exactly.
    pub detail: String,
    /// The engine that found it.
    pub engine: String,
    /// How loads were explored.
    pub loads: Loads,
    /// After how many accesses the scenario's stalled warp stopped.
    pub stalled_after: Option<u32>,
    /// The number of the execution, from 1.
    pub execution: u64,
    /// The scenario.
    pub scenario: Scenario,
    /// The steps, in the order in which they were taken.
    pub steps: Vec<Step>,
    /// The calls with their intervals.
    pub history: Vec<Event>,
}

impl Violation {
    /// Writes the violation as JSON.
    ///
    /// # Errors
    /// What the file system says.
    pub fn save(&self, path: &Path) -> std::io::Result<()> {
        let text = serde_json::to_string_pretty(self).map_err(std::io::Error::other)?;
        std::fs::write(path, text)
    }

    /// Reads what [`Violation::save`] wrote.
    ///
    /// # Errors
    /// What the file system says, or where the text is no violation (line and column).
    pub fn load(path: &Path) -> std::io::Result<Self> {
        let text = std::fs::read_to_string(path)?;
        serde_json::from_str(&text).map_err(|e| std::io::Error::new(std::io::ErrorKind::InvalidData, e))
    }
}
