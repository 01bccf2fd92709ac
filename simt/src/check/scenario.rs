//! Scenarios: what an engine runs, as data.

use super::text;
use serde::{Deserialize, Serialize};
use warpproof_model::spec::Call;

/// One situation to explore.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Scenario {
    /// Its name: `structure/what/where`.
    pub name: String,
    /// The structure.
    pub structure: String,
    /// Its configuration.
    pub config: Config,
    /// Calls that run first, one after the other.
    #[serde(with = "text::list", default)]
    pub preload: Vec<Call>,
    /// One program per warp. The engine limits their number.
    #[serde(with = "text::lists")]
    pub programs: Vec<Vec<Call>>,
    /// Calls that run last, one after the other: they see the final contents.
    #[serde(with = "text::list", default)]
    pub finally: Vec<Call>,
    /// How a warp reads several words at once.
    #[serde(default)]
    pub reads: Reads,
    /// Whether the lanes of a warp step from the last to the first. Hardware has no order among lanes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub backwards: bool,
    /// Whether every warp is a separate block. Otherwise all form one block.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub apart: bool,
    /// A warp that stops forever.
    #[serde(default)]
    pub stall: Option<Stall>,
    /// What the scenario allows.
    #[serde(default)]
    pub allows: Allows,
    /// Outcomes that must be seen, in addition to those of the programs run one call at a time. Each is a
    /// list of returns, warp by warp, as [`super::Report::outcomes`] prints them.
    #[serde(default)]
    pub expects: Vec<String>,
}

/// The size of a structure. Fields that do not apply to a structure are ignored.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Config {
    /// Lanes per warp. [`crate::scenarios::subject`] lists the numbers that a structure of this crate can
    /// have.
    pub lanes: u32,
    /// Words that each lane reads of a slab.
    #[serde(default)]
    pub slots: u32,
    /// Buckets.
    #[serde(default)]
    pub buckets: u32,
    /// Slabs in the pool; submaps that inserts may add.
    #[serde(default)]
    pub pool: u32,
    /// Groups of a neighbourhood; the most submaps.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub reach: u32,
    /// Bitmap words of a pool, if the scenario sets them.
    #[serde(default)]
    pub bitmap: Vec<u32>,
    /// Bits of the counters that wrap, in the order of the structure, if the scenario narrows some. 0 for a
    /// counter that keeps its normal width.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counters: Vec<u32>,
}

const fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// How a warp reads several words at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum Reads {
    /// Each word is read in a separate step, as on hardware.
    #[default]
    Torn,
    /// All lanes read in one step, and memory is sequentially consistent. Distinguishes torn reads from other
    /// bugs.
    Snapshot,
}

/// A warp that stops forever before one of its accesses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Stall {
    /// The warp.
    pub warp: usize,
    /// The number of accesses after which it stops; if none is given, each number is tried in turn.
    pub after: Option<u32>,
}

/// What a scenario allows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Allows {
    /// The pool can run out: a call may return `Full`. If the structure reports whether there is room
    /// ([`Subject::exhausted`](super::Subject::exhausted)), `Full` is allowed only when there was none.
    #[serde(default)]
    pub full: bool,
    /// The stalled warp may block other warps.
    #[serde(default)]
    pub blocking: bool,
}

impl Scenario {
    /// A scenario with the programs given, and nothing else.
    pub fn new(name: impl Into<String>, structure: &str, config: Config, programs: Vec<Vec<Call>>) -> Self {
        Self {
            name: name.into(),
            structure: structure.to_string(),
            config,
            preload: Vec::new(),
            programs,
            finally: Vec::new(),
            reads: Reads::default(),
            backwards: false,
            apart: false,
            stall: None,
            allows: Allows::default(),
            expects: Vec::new(),
        }
    }

    /// All calls: those of the preload, of the programs, and of `finally`.
    pub fn calls(&self) -> impl Iterator<Item = &Call> {
        self.preload.iter().chain(self.programs.iter().flatten()).chain(&self.finally)
    }
}
