//! `warpproof replay`: shows a saved counterexample.

use crate::failure::Failure;
use crate::output;
use crate::target::write_whole;
use std::path::PathBuf;
use warpproof::simt::check::{Verdict, Violation};
use warpproof::simt::engine::explore_again;
use warpproof::simt::engines::engine;

/// Show a saved counterexample as a timeline, a column per warp
///
/// `warpproof check` saves one for every violation.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// A file that `warpproof check` saved
    file: PathBuf,
    /// Explore its scenario again, and report whether the same steps are found: the code may have changed
    /// since
    #[arg(long)]
    again: bool,
    /// Print it as one JSON object
    #[arg(long)]
    json: bool,
    /// Also write it as a page
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  warpproof replay counterexample-map32-delete.json --html trace.html
  warpproof replay counterexample-map32-delete.json --again

With --again the whole scenario is explored, for a minute at most, if the violation is not found in its old place.

Exit codes: 0 it was shown, and with --again nothing was found any more; 1 --again found a violation, or did not
come to the end; 2 bad usage or input.";

/// Shows it.
pub(crate) fn replay(args: &Args) -> Result<(), Failure> {
    let name = args.file.display();
    let violation = Violation::load(&args.file).map_err(|e| Failure::input(format_args!("{name}: {e}")))?;
    if let Some(path) = &args.html {
        write_whole(path, &violation.to_html())?;
    }
    if args.json {
        output::json(&violation)?;
    } else {
        output::line(violation.timeline())?;
    }
    if args.again { again(&violation) } else { Ok(()) }
}

/// Explores the scenario again.
fn again(violation: &Violation) -> Result<(), Failure> {
    let name = &violation.engine;
    let engine = engine(name).ok_or_else(|| Failure::input(format_args!("there is no engine {name:?}")))?;
    let report = explore_again(violation, &|scenario, options| engine.explore(scenario, options));
    let report = report.map_err(Failure::input)?;
    match report.violation {
        None => unviolated(report.verdict, format_args!("{} {}", report.executions, engine.counts())),
        Some(found) if found.steps == violation.steps && found.execution == violation.execution => {
            let (execution, steps) = (found.execution, found.steps.len());
            Err(Failure::Violation(format!(
                "explored again: found the same {steps} steps, in execution {execution}"
            )))
        }
        Some(found) => {
            Err(Failure::Violation(format!("explored again: found another violation:\n{}", found.timeline())))
        }
    }
}

/// Reports an exploration that found nothing. As for `check`, an exploration that did not end does not count
/// as success.
fn unviolated(verdict: Verdict, executions: impl std::fmt::Display) -> Result<(), Failure> {
    let said = format!("explored again: {verdict} after {executions}");
    match verdict {
        Verdict::Passed | Verdict::Sampled => {
            eprintln!("warpproof: {said}");
            Ok(())
        }
        Verdict::Capped => Err(Failure::Violation(format!("{said}: not explored to its end"))),
        Verdict::Blind => Err(Failure::Violation(format!("{said}: an outcome that exists was not seen"))),
        // There would be a violation to show.
        Verdict::Violated => Err(Failure::Violation(said)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_exploration_to_its_end_holds() {
        assert!(unviolated(Verdict::Passed, 7).is_ok() && unviolated(Verdict::Sampled, 7).is_ok());
        for verdict in [Verdict::Capped, Verdict::Blind, Verdict::Violated] {
            assert!(matches!(unviolated(verdict, 7), Err(Failure::Violation(_))), "{verdict}");
        }
    }
}
