//! A visit: the published form must be found wrong, the repaired forms must hold.

use crate::exhibit::{Exhibit, Snapshot, exhibits};
use std::time::Duration;
use warpproof::simt::check::{Loads, Report, Scenario, Verdict, Violation};
use warpproof::simt::engine::Options;

/// The table of the museum.
pub(crate) const README: &str = include_str!("README.md");

/// Where the rows stand in it.
const HEADING: &str =
    "| # | Source | Defect | Violation | Found by | Executions | Steps | Snapshots | Repaired: executions |";

/// What was seen.
pub(crate) struct Visit {
    /// The published form's violation.
    violation: Violation,
    /// Executions until it was found.
    executions: u64,
    /// The violation as a timeline.
    pub(crate) trace: String,
    /// The repaired forms, with their executions.
    repairs: Vec<(&'static str, u64)>,
}

/// A limit that only a broken engine reaches; a capped exploration fails.
fn options() -> Options {
    Options { max_time: Some(Duration::from_secs(120)), ..Options::default() }
}

/// The exhibit of this number.
pub(crate) fn exhibit(id: &str) -> Exhibit {
    exhibits().into_iter().find(|exhibit| exhibit.id == id).expect("an exhibit of the list")
}

/// The numbers of the exhibits.
pub(crate) fn ids_of(exhibits: &[Exhibit]) -> Vec<&'static str> {
    exhibits.iter().map(|exhibit| exhibit.id).collect()
}

/// Visits an exhibit. Panics if it is not as it says.
pub(crate) fn visit(exhibit: &Exhibit) -> Visit {
    let (violation, executions) = find(exhibit, &exhibit.scenario);
    let snapshot = exhibit.snapshot_scenario();
    match exhibit.snapshot {
        Snapshot::Found => drop(find(exhibit, &snapshot)),
        Snapshot::Hidden => {
            holds(exhibit, &explored(exhibit, &exhibit.published, &snapshot), "with snapshots")
        }
    }
    let repairs = exhibit.repairs.iter().map(|repair| {
        let report = explored(exhibit, &repair.run, &exhibit.scenario);
        holds(exhibit, &report, repair.what);
        (repair.what, report.executions)
    });
    let repairs = repairs.collect();
    Visit { trace: violation.timeline(), violation, executions, repairs }
}

fn explored(exhibit: &Exhibit, run: &crate::exhibit::Run, scenario: &Scenario) -> Report {
    run(scenario, &options()).unwrap_or_else(|error| panic!("exhibit {}: {error}", exhibit.id))
}

/// Finds the violation that the exhibit names, twice, in equally many executions.
fn find(exhibit: &Exhibit, scenario: &Scenario) -> (Violation, u64) {
    let report = explored(exhibit, &exhibit.published, scenario);
    let Exhibit { id, kind, shows, .. } = exhibit;
    let Some(violation) = report.violation else {
        panic!(
            "exhibit {id}: {} after {} executions ({:?} reads), expected: {kind}",
            report.verdict, report.executions, scenario.reads
        );
    };
    let trace = violation.timeline();
    assert_eq!(report.verdict, Verdict::Violated, "exhibit {id}\n{trace}");
    assert_eq!(violation.kind, *kind, "exhibit {id}: another kind was expected\n{trace}");
    assert!(trace.contains(shows), "exhibit {id}: expected {shows:?} in\n{trace}");
    assert!(!violation.steps.is_empty(), "exhibit {id}: a violation without a trace");
    let again = explored(exhibit, &exhibit.published, scenario);
    assert_eq!(again.executions, report.executions, "exhibit {id}: the engine is not deterministic");
    (*violation, report.executions)
}

fn holds(exhibit: &Exhibit, report: &Report, what: &str) {
    let trace = report.violation.as_ref().map_or(String::new(), |violation| violation.timeline());
    let (id, unseen) = (exhibit.id, &report.unseen);
    assert!(report.passed(), "exhibit {id}, {what}: {}; not seen: {unseen:?}\n{trace}", report.verdict);
    assert!(report.passes.len() == 2 && report.passes.iter().all(|pass| pass.executions > 0));
}

/// The exhibit's row of the table.
pub(crate) fn row(exhibit: &Exhibit, visit: &Visit) -> String {
    let Exhibit { id, source, defect, kind, snapshot, .. } = exhibit;
    let snapshot = match snapshot {
        Snapshot::Found => "found",
        Snapshot::Hidden => "hidden",
    };
    let found_by = match visit.violation.loads {
        Loads::AsLoads => "loads",
        Loads::AsRmw => "rmw",
    };
    let repairs: Vec<_> = visit.repairs.iter().map(|(what, count)| format!("{what}: {count}")).collect();
    format!(
        "| {id} | {source} | {defect} | {kind} | {found_by} | {} | {} | {snapshot} | {} |",
        visit.executions,
        visit.violation.steps.len(),
        repairs.join("; ")
    )
}

/// `readme` with the rows of these exhibits for those that stand there.
pub(crate) fn table(readme: &str, exhibits: &[Exhibit]) -> String {
    let rows = exhibits.iter().map(|exhibit| row(exhibit, &visit(exhibit)));
    let table = [HEADING.to_string(), "|---|---|---|---|---|---|---|---|---|".to_string()];
    let table: Vec<_> = table.into_iter().chain(rows).collect();
    let before = readme.lines().take_while(|line| !line.starts_with('|'));
    let after = readme.lines().skip_while(|line| !line.starts_with('|')).skip_while(|l| l.starts_with('|'));
    let lines: Vec<_> = before.chain(table.iter().map(String::as_str)).chain(after).collect();
    lines.join("\n") + "\n"
}
