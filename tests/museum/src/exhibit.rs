//! What an exhibit is, and the list of them.

use warpproof_model::spec::Call;
use warpproof_simt::check::{Kind, Reads, Report, Scenario, ScenarioError, Subject, Violation};
use warpproof_simt::engine::{Engine, Options, explore_subject};

/// A published defect, the smallest scenario that shows it, and what repairs it.
pub struct Exhibit {
    /// Number in the list of the museum, with a letter where one source has several defects.
    pub id: &'static str,
    /// Where it was published.
    pub source: &'static str,
    /// What is wrong, in one line.
    pub defect: &'static str,
    /// What kind of violation the checker must find.
    pub kind: Kind,
    /// A text that the trace of an engine contains in which loads are read-modify-writes, or the lanes of a
    /// warp are one thread.
    pub shows: &'static str,
    /// Whether it is found if all lanes read at once and memory is sequentially consistent.
    pub snapshot: Snapshot,
    /// Whether it needs lanes that are threads, or scopes. An engine without them does not find it.
    pub lanes: bool,
    /// The scenario.
    pub scenario: Scenario,
    /// Explores the published form.
    pub published: Run,
    /// Explores repaired forms, the smallest change first.
    pub repairs: Vec<Repair>,
}

/// Whether a defect is found if a warp reads all words at one instant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Snapshot {
    /// It is found: the protocol itself is wrong.
    Found,
    /// It is hidden: it needs a torn read or weak memory.
    Hidden,
}

/// Lets an engine explore a scenario.
pub type Run = Box<dyn Fn(&dyn Engine, &Scenario, &Options) -> Result<Report, ScenarioError> + Send + Sync>;

/// A repaired form.
pub struct Repair {
    /// What was changed.
    pub what: &'static str,
    /// Explores it.
    pub run: Run,
    /// Whether it has so few interleavings that loom ends, too.
    pub small: bool,
}

impl Repair {
    /// Whether this engine can explore it to its end.
    pub fn is_for(&self, engine: &dyn Engine) -> bool {
        self.small || engine.name() != SEQUENTIAL
    }
}

impl Exhibit {
    /// The scenario with reads as snapshots.
    pub fn snapshot_scenario(&self) -> Scenario {
        Scenario { reads: Reads::Snapshot, ..self.scenario.clone() }
    }

    /// The violation of the published form, if it is the one that this exhibit is about.
    ///
    /// # Errors
    /// What was found instead.
    pub fn found<'r>(&self, report: &'r Report) -> Result<&'r Violation, String> {
        let Self { id, kind, shows, .. } = self;
        let Some(violation) = report.violation.as_deref() else {
            let (verdict, executions) = (report.verdict, report.executions);
            return Err(format!("exhibit {id}: {verdict} after {executions} executions, expected: {kind}"));
        };
        let trace = violation.timeline();
        // Under a weaker memory than the publication thought of, the same defect has more witnesses.
        let witness = violation.engine != SEQUENTIAL || trace.contains(shows);
        if violation.kind != *kind || !witness || violation.steps.is_empty() {
            return Err(format!("exhibit {id}: expected {kind} with {shows:?} in its trace:\n{trace}"));
        }
        Ok(violation)
    }

    /// Whether a form was explored to its end in every pass and holds.
    ///
    /// # Errors
    /// What was found instead.
    pub fn holds(&self, what: &str, report: &Report) -> Result<(), String> {
        if report.passed() && !report.passes.is_empty() && report.passes.iter().all(|p| p.executions > 0) {
            return Ok(());
        }
        let trace = report.violation.as_ref().map_or(String::new(), |violation| violation.timeline());
        let (id, verdict, unseen) = (self.id, report.verdict, &report.unseen);
        Err(format!("exhibit {id}, {what}: {verdict}; not seen: {unseen:?}; \n{trace}"))
    }
}

/// All exhibits, in the order of the list.
pub fn exhibits() -> Vec<Exhibit> {
    [
        crate::e01_hole::exhibits(),
        crate::e02_race::exhibits(),
        crate::e03_blind_delete::exhibits(),
        crate::e04_torn_pair::exhibits(),
        crate::e05_allocator::exhibits(),
        crate::e06_plan_one::exhibits(),
        crate::e07_plan_two::exhibits(),
        crate::e08_bitmap::exhibits(),
        crate::e09_torn_find::exhibits(),
        crate::e10_torn_insert::exhibits(),
        crate::e11_same_word::exhibits(),
        crate::e12_locked_target::exhibits(),
        crate::e13_open_hole::exhibits(),
        crate::e14_stalled::exhibits(),
        crate::e15_dropped::exhibits(),
        crate::e16_in_flight::exhibits(),
        crate::e17_frame::exhibits(),
        crate::e18_window::exhibits(),
        crate::e19_replace::exhibits(),
        crate::e20_free::exhibits(),
        crate::e21_retain::exhibits(),
        crate::e22_shared_counter::exhibits(),
        crate::e23_barrier::exhibits(),
        crate::e24_tail_lanes::exhibits(),
        crate::e25_tombstone::exhibits(),
        crate::e26_two_words::exhibits(),
        crate::e27_payload::exhibits(),
        crate::e28_endless_find::exhibits(),
        crate::e29_evicted::exhibits(),
        crate::e30_unlocked::exhibits(),
        crate::e31_link::exhibits(),
        crate::e32_erasers::exhibits(),
        crate::e33_flash_map::exhibits(),
        crate::e34_ballot::exhibits(),
        crate::e35_two_lanes::exhibits(),
        crate::e36_scope::exhibits(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The engine whose first witness is the published one.
const SEQUENTIAL: &str = "loom";

/// Explores a subject.
pub(crate) fn run<S: Subject>(subject: S) -> Run {
    Box::new(move |engine, scenario, options| explore_subject(engine, subject.clone(), scenario, options))
}

/// A repaired form that is a subject.
pub(crate) fn repair<S: Subject>(what: &'static str, subject: S) -> Repair {
    Repair { what, run: run(subject), small: true }
}

/// A repaired form that loom does not explore to its end.
pub(crate) fn large_repair<S: Subject>(what: &'static str, subject: S) -> Repair {
    Repair { small: false, ..repair(what, subject) }
}

/// The slab hash of this project under these calls: a warp of one lane with `slots` words, the last of which
/// is the link of the slab.
pub(crate) fn ours(what: &'static str, structure: &'static str, slots: u32) -> Repair {
    let run = move |engine: &dyn Engine, scenario: &Scenario, options: &Options| {
        let mut scenario = Scenario { structure: structure.to_string(), ..scenario.clone() };
        (scenario.config.lanes, scenario.config.slots, scenario.config.buckets) = (1, slots, 1);
        engine.explore(&scenario, options)
    };
    Repair { what, run: Box::new(run), small: true }
}

/// Calls from text: `delete 5; insert_unique 7 71`.
pub(crate) fn calls(text: &str) -> Vec<Call> {
    let calls = text.split(';').map(str::trim).filter(|call| !call.is_empty());
    calls.map(|call| call.parse().expect("the calls of an exhibit are written right")).collect()
}
