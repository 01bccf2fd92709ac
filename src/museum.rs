//! `warpproof museum`: published defects that the checker must find.

mod gallery;

use crate::check;
use crate::failure::Failure;
use crate::output::{self, Progress, grouped};
use serde::Serialize;
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;
use warpproof::simt::check::Violation;
use warpproof::simt::engine::{Engine, Options};
use warpproof_museum::{Exhibit, exhibits};

/// Find published defects of GPU hash tables again
///
/// Each exhibit is a published protocol with a published defect, in the smallest scenario that shows it. The
/// checker must find the defect. A repaired form must hold in every execution of the same scenario; loom does
/// not run the repaired forms on which it would not end. It takes a second on two cores;
/// tests/museum/README.md has the sources.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The engine
    #[arg(long, value_name = "ENGINE", default_value = check::DEFAULT_ENGINE, value_parser = check::known_engine)]
    engine: &'static dyn Engine,
    /// Print one JSON list
    #[arg(long)]
    json: bool,
    /// Also write a gallery: a page with a line for each exhibit, and a page for each counterexample, step by
    /// step
    #[arg(long, value_name = "FOLDER")]
    html: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  warpproof museum
  warpproof museum --html gallery      then open gallery/index.html in a browser
  warpproof museum --engine loom --json

Exit codes: 0 every defect was found and every repaired form that was explored holds; 1 otherwise.";

/// A longer exploration counts as broken.
const LIMIT: Duration = Duration::from_secs(300);

/// One exhibit of the list.
#[derive(Serialize)]
struct Line {
    id: &'static str,
    found: bool,
    executions: u64,
    /// Steps of the trace, calls and returns included.
    steps: usize,
    twin_passes: bool,
    /// Whether the engine explored no repaired form, as it would not end.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    too_large: bool,
    #[serde(skip)]
    what: String,
    /// What was found, if it is what the exhibit is about.
    #[serde(skip)]
    violation: Option<Violation>,
    /// What differs from the expected result.
    #[serde(skip)]
    wrong: Vec<String>,
}

/// Visits all exhibits.
pub(crate) fn museum(args: &Args) -> Result<(), Failure> {
    let exhibits = exhibits();
    if let Some(folder) = &args.html {
        gallery::admit(folder)?;
    }
    let lines = visit_all(args.engine, &exhibits);
    if let Some(folder) = &args.html {
        gallery::write(folder, &exhibits, &lines)?;
    }
    if args.json {
        output::json(&lines)?;
    } else {
        for line in &lines {
            output::line(line.text())?;
        }
        let (found, twins) = (lines.iter().filter(|l| l.found), lines.iter().filter(|l| l.twin_passes));
        let all = lines.len();
        output::line(format_args!(
            "{} of {all} found, {} of {all} hold repaired",
            found.count(),
            twins.count()
        ))?;
        if let Some(folder) = &args.html {
            output::line(format_args!("pages: {}", folder.join(gallery::INDEX).display()))?;
        }
    }
    let wrong: Vec<_> = lines.iter().flat_map(|line| &line.wrong).cloned().collect();
    if wrong.is_empty() { Ok(()) } else { Err(Failure::Violation(wrong.join("\n"))) }
}

/// Visits the exhibits with a thread per core, and keeps their order.
fn visit_all(engine: &dyn Engine, exhibits: &[Exhibit]) -> Vec<Line> {
    let progress = Mutex::new(Progress::new("visiting", exhibits.len() as u64));
    let (next, lines) = (Mutex::new(0..exhibits.len()), Mutex::new(Vec::new()));
    let visitor = || {
        loop {
            let taken = next.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some(number) = taken else { return };
            let line = Line::of(engine, &exhibits[number]);
            let mut lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
            lines.push((number, line));
            progress.lock().unwrap_or_else(PoisonError::into_inner).at(lines.len() as u64);
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, NonZero::get) {
            scope.spawn(visitor);
        }
    });
    let mut lines = lines.into_inner().unwrap_or_else(PoisonError::into_inner);
    lines.sort_by_key(|(number, _)| *number);
    lines.into_iter().map(|(_, line)| line).collect()
}

impl Line {
    fn of(engine: &dyn Engine, exhibit: &Exhibit) -> Self {
        let what = format!("{}: {}", exhibit.source, exhibit.defect);
        let mut line = Self {
            id: exhibit.id,
            found: false,
            executions: 0,
            steps: 0,
            twin_passes: false,
            too_large: false,
            what,
            violation: None,
            wrong: Vec::new(),
        };
        let options = Options { max_time: Some(LIMIT), ..Options::default() };
        let visit = match exhibit.visit(engine, &options) {
            Ok(visit) => visit,
            Err(error) => {
                line.wrong.push(format!("exhibit {}: {error}", exhibit.id));
                return line;
            }
        };
        line.executions = visit.published.executions;
        match exhibit.found(&visit.published) {
            Ok(violation) => {
                (line.found, line.steps) = (true, violation.steps.len());
                line.violation = Some(violation.clone());
            }
            Err(wrong) => line.wrong.push(wrong),
        }
        let twins = visit.repairs.iter().filter_map(|(what, report)| exhibit.holds(what, report).err());
        let twins: Vec<_> = twins.collect();
        line.twin_passes = twins.is_empty() && !visit.repairs.is_empty();
        line.too_large = visit.repairs.is_empty() && !exhibit.repairs.is_empty();
        if exhibit.repairs.is_empty() {
            line.wrong.push(format!("exhibit {}: it has no repaired form", exhibit.id));
        }
        line.wrong.extend(twins);
        line
    }

    fn text(&self) -> String {
        let found = if self.found { "found" } else { "NOT FOUND" };
        let twin = match (self.twin_passes, self.too_large) {
            (true, _) => "holds",
            (_, true) => "not explored, too large for this engine",
            _ => "DOES NOT HOLD",
        };
        let (id, executions, steps) = (self.id, grouped(self.executions), self.steps);
        format!(
            "{id:>4}  {found} in {executions} executions, {steps} steps; repaired: {twin}\n      {}",
            self.what
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpproof::simt::explore::Explore;
    use warpproof::simt::loom::Loom;

    fn exhibit(id: &str) -> Exhibit {
        exhibits().into_iter().find(|exhibit| exhibit.id == id).expect("an exhibit of the list")
    }

    fn erasers() -> Exhibit {
        exhibit("32")
    }

    #[test]
    fn an_exhibit_and_its_repair_are_as_they_should_be() {
        let line = Line::of(&Explore, &erasers());
        assert!(line.found && line.twin_passes && line.wrong.is_empty(), "{:?}", line.wrong);
    }

    #[test]
    fn a_defect_that_is_not_found_and_a_repair_that_does_not_hold_are_wrong() {
        let mut exhibit = erasers();
        std::mem::swap(&mut exhibit.published, &mut exhibit.repairs[0].run);
        let line = Line::of(&Explore, &exhibit);
        assert!(!line.found && !line.twin_passes);
        assert_eq!(line.wrong.len(), 2, "{:?}", line.wrong);
        assert!(line.text().contains("NOT FOUND") && line.text().contains("DOES NOT HOLD"));
    }

    #[test]
    fn a_repair_that_is_too_large_for_an_engine_does_not_pass_and_is_not_wrong() {
        let line = Line::of(&Loom, &exhibit("11"));
        assert!(line.found && !line.twin_passes && line.wrong.is_empty(), "{:?}", line.wrong);
        assert!(line.text().contains("not explored, too large"));
    }

    #[test]
    fn an_exhibit_without_a_repair_has_no_twin_that_passes() {
        let mut exhibit = erasers();
        exhibit.repairs.clear();
        let line = Line::of(&Explore, &exhibit);
        assert!(!line.twin_passes && !line.wrong.is_empty());
    }
}
