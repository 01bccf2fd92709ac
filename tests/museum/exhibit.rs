//! What an exhibit is, and the list of them.

use warpproof::model::spec::Call;
use warpproof::simt::check::{Kind, Reads, Report, Scenario, Subject};
use warpproof::simt::engine::Options;
use warpproof::simt::loom::{explore, explore_subject};
use warpproof::simt::scenarios::ScenarioError;

/// A published defect, the smallest scenario that shows it, and what repairs it.
pub(crate) struct Exhibit {
    /// Number in the list of the museum, with a letter where one source has several defects.
    pub(crate) id: &'static str,
    /// Where it was published.
    pub(crate) source: &'static str,
    /// What is wrong, in one line.
    pub(crate) defect: &'static str,
    /// What kind of violation the checker must find.
    pub(crate) kind: Kind,
    /// What its trace shows.
    pub(crate) shows: &'static str,
    /// Whether it is found if all lanes read at once and memory is sequentially consistent.
    pub(crate) snapshot: Snapshot,
    /// The situation.
    pub(crate) scenario: Scenario,
    /// Explores the published form.
    pub(crate) published: Run,
    /// Explores repaired forms, the smallest change first.
    pub(crate) repairs: Vec<Repair>,
}

/// What snapshot reads make of a defect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Snapshot {
    /// It is found all the same: the protocol is wrong.
    Found,
    /// It is hidden: it needs a torn read or weak memory.
    Hidden,
}

/// Explores a scenario.
pub(crate) type Run = Box<dyn Fn(&Scenario, &Options) -> Result<Report, ScenarioError> + Send + Sync>;

/// A repaired form.
pub(crate) struct Repair {
    /// What was changed.
    pub(crate) what: &'static str,
    /// Explores it.
    pub(crate) run: Run,
}

impl Exhibit {
    /// The scenario with reads as snapshots.
    pub(crate) fn snapshot_scenario(&self) -> Scenario {
        Scenario { reads: Reads::Snapshot, ..self.scenario.clone() }
    }
}

/// All exhibits, in the order of the list.
pub(crate) fn exhibits() -> Vec<Exhibit> {
    [
        crate::e01_hole::exhibits(),
        crate::e02_race::exhibits(),
        crate::e03_blind_delete::exhibits(),
        crate::e04_torn_pair::exhibits(),
        crate::e05_allocator::exhibits(),
        crate::e06_plan_one::exhibits(),
        crate::e07_plan_two::exhibits(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Explores a subject.
pub(crate) fn run<S: Subject>(subject: S) -> Run {
    Box::new(move |scenario, options| explore_subject(subject.clone(), scenario, options))
}

/// A repaired form that is a subject.
pub(crate) fn repair<S: Subject>(what: &'static str, subject: S) -> Repair {
    Repair { what, run: run(subject) }
}

/// The same calls on the slab hash of this project, a warp of one lane with `slots` words: one word of a slab is
/// its link.
pub(crate) fn ours(what: &'static str, structure: &'static str, slots: u32) -> Repair {
    let run = move |scenario: &Scenario, options: &Options| {
        let mut scenario = Scenario { structure: structure.to_string(), ..scenario.clone() };
        (scenario.config.lanes, scenario.config.slots, scenario.config.buckets) = (1, slots, 1);
        explore(&scenario, options)
    };
    Repair { what, run: Box::new(run) }
}

/// Calls from text: `delete 5; insert_unique 7 71`.
pub(crate) fn calls(text: &str) -> Vec<Call> {
    let calls = text.split(';').map(str::trim).filter(|call| !call.is_empty());
    calls.map(|call| call.parse().expect("the calls of an exhibit are written right")).collect()
}
