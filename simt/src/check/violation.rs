//! Violations with their traces.

use super::history::Event;
use super::linearization::Linearization;
use super::scenario::Scenario;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The kind of claim that is violated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Kind {
    /// No sequential order explains the history.
    NotLinearizable,
    /// An invariant of every state, or of quiescence.
    Invariant,
    /// A slab is in use, but no chain reaches it.
    LostSlab,
    /// A key occurs twice.
    DuplicateKey,
    /// A word changed in a way that is not allowed.
    Transition,
    /// An index beyond its array.
    OutOfBounds,
    /// A warp took more steps than its bound: it waits for ever.
    StepBound,
    /// A call took more rounds than its bound, though its warp made steps.
    Bound,
    /// `Full` though there was room for the key in every state.
    FullWithRoom,
    /// A warp does not arrive at a barrier, or arrives at another one.
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
            Self::Bound => "bound exceeded",
            Self::FullWithRoom => "full though there was room",
            Self::BarrierDivergence => "barrier divergence",
            Self::Panic => "panic",
        })
    }
}

/// A violated claim, without its trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Breach {
    /// Its kind.
    pub kind: Kind,
    /// The details.
    pub detail: String,
}

/// How loads are explored.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Loads {
    /// As loads: stale values are seen, but some interleavings may be skipped.
    AsLoads,
    /// As read-modify-writes: every interleaving is seen, but no stale value.
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
    /// The word, by the name that its structure gives it; empty for a step that accesses none.
    pub word: String,
    /// The old value of the word, or the call, or the return.
    pub old: String,
    /// The new value of the word, if it was written.
    pub new: Option<String>,
    /// Whether the value read was no longer the newest.
    pub stale: bool,
    /// The newest value, if the one read was stale.
    #[serde(default)]
    pub newest: Option<String>,
    /// The value that a failed exchange expected.
    #[serde(default)]
    pub expected: Option<String>,
}

/// Information for readers besides the steps.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Context {
    /// What the structure is and how its words are written, in sentences.
    pub about: Vec<String>,
    /// Every word, with its value when the programs begin.
    pub memory: Vec<Cell>,
    /// The point where the search for a sequential order ends, if there is none.
    pub linearization: Option<Linearization>,
    /// The size of the scenario before it was reduced.
    pub reduced: Option<Reduced>,
}

/// A word of memory.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Cell {
    /// Its name, as in the steps.
    pub word: String,
    /// Its value when the programs begin.
    pub before: String,
    /// Its value at the end.
    pub after: String,
}

/// The size of a scenario before it was reduced.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Reduced {
    /// Its name.
    pub scenario: String,
    /// Its warps.
    pub warps: usize,
    /// All its calls.
    pub calls: usize,
    /// Executions after which the search for the shortest trace ended.
    pub executions: u64,
    /// Whether every smaller scenario was tried. Otherwise time ran out, or one was capped.
    pub complete: bool,
}

/// The schedules that an engine tried. Equal seeds and numbers of schedules give equal schedules.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Sample {
    /// The seed of the first schedule.
    pub seed: u64,
    /// The number of schedules to try.
    pub schedules: u64,
    /// The scheduler that found the violation.
    pub scheduler: String,
}

impl core::fmt::Display for Sample {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let Self { seed, schedules, scheduler } = self;
        write!(f, "--seed {seed} --schedules {schedules} ({scheduler})")
    }
}

/// A violation with everything needed to examine it again.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Violation {
    /// The kind of claim that is violated.
    pub kind: Kind,
    /// The details.
    pub detail: String,
    /// The engine that found it.
    pub engine: String,
    /// The schedules that it tried, if it samples.
    #[serde(default)]
    pub sample: Option<Sample>,
    /// How loads were explored.
    pub loads: Loads,
    /// The number of accesses after which the scenario's stalled warp stopped.
    pub stalled_after: Option<u32>,
    /// The number of the execution, from 1.
    pub execution: u64,
    /// The scenario.
    pub scenario: Scenario,
    /// The steps, in the order in which they were taken.
    pub steps: Vec<Step>,
    /// The calls with their intervals.
    pub history: Vec<Event>,
    /// Further information for readers.
    #[serde(default)]
    pub context: Context,
}

impl Violation {
    /// Whether this is a better example of the same kind than `other`: fewer steps, then fewer stale values,
    /// then fewer changes from warp to warp.
    pub fn improves(&self, other: &Self) -> bool {
        let rank = |violation: &Self| {
            let stale = violation.steps.iter().filter(|step| step.stale).count();
            let changes = violation.steps.windows(2).filter(|pair| pair[0].warp != pair[1].warp).count();
            (violation.steps.len(), stale, changes)
        };
        self.kind == other.kind && rank(self) < rank(other)
    }

    /// The numbers of its warps, calls and steps: the smallest is the easiest to understand.
    pub fn size(&self) -> (usize, usize, usize) {
        (self.scenario.programs.len(), self.scenario.calls().count(), self.steps.len())
    }

    /// Writes the violation as JSON.
    ///
    /// # Errors
    /// Any error of the file system.
    pub fn save(&self, path: &Path) -> std::io::Result<()> {
        std::fs::write(path, self.to_json()?)
    }

    /// The violation as JSON, as [`Violation::load`] reads it.
    ///
    /// # Errors
    /// None is known.
    pub fn to_json(&self) -> std::io::Result<String> {
        serde_json::to_string_pretty(self).map_err(std::io::Error::other)
    }

    /// Reads what [`Violation::save`] wrote.
    ///
    /// # Errors
    /// Any error of the file system; a text that is not a violation (with line and column); or a part that
    /// refers to a call or a warp that does not exist.
    pub fn load(path: &Path) -> std::io::Result<Self> {
        let text = std::fs::read_to_string(path)?;
        let invalid = |e: String| std::io::Error::new(std::io::ErrorKind::InvalidData, e);
        let violation: Self = serde_json::from_str(&text).map_err(|e| invalid(e.to_string()))?;
        violation.admit().map_err(invalid)?;
        Ok(violation)
    }

    /// Checks that all calls and warps that it refers to exist.
    fn admit(&self) -> Result<(), String> {
        let (calls, warps) = (self.history.len(), self.scenario.programs.len());
        let end = self.context.linearization.iter();
        let events = end.flat_map(|end| {
            let placed = end.order.iter().map(|placed| placed.event);
            placed.chain(end.rest.iter().map(|unplaced| unplaced.event))
        });
        if let Some(event) = events.into_iter().find(|&event| event >= calls) {
            return Err(format!("context.linearization names event {event}, and the history has {calls}"));
        }
        let steps = self.steps.iter().map(|step| step.warp);
        let callers = self.history.iter().filter_map(|event| event.warp);
        match steps.chain(callers).find(|&warp| warp >= warps) {
            Some(warp) => {
                Err(format!("a step or call is of warp {warp}, and the scenario has {warps} programs"))
            }
            None => Ok(()),
        }
    }
}
