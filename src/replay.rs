//! `warpproof replay`: shows a saved counterexample.

use crate::failure::Failure;
use crate::output;
use std::path::PathBuf;
use warpproof::simt::check::Violation;
use warpproof::simt::engine::{engine, explore_again};

/// Show a saved counterexample as a timeline, a column per warp
///
/// `warpproof check` saves one for every violation that it finds.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// What `warpproof check` saved
    file: PathBuf,
    /// Explore its scenario again, and tell whether the same steps are found: the code may have changed since
    #[arg(long)]
    again: bool,
    /// Print it as one JSON object
    #[arg(long)]
    json: bool,
    /// Write it as a page too
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  warpproof replay counterexample-map32-delete.json --html trace.html
  warpproof replay counterexample-map32-delete.json --again

Exit codes: 0 it was shown, and with --again nothing was found any more; 1 --again found a violation; 2 bad usage or
input.";

/// Shows it.
pub(crate) fn replay(args: &Args) -> Result<(), Failure> {
    let name = args.file.display();
    let violation = Violation::load(&args.file).map_err(|e| Failure::input(format_args!("{name}: {e}")))?;
    if let Some(path) = &args.html {
        std::fs::write(path, violation.to_html()).map_err(|e| Failure::write(path.display(), &e))?;
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
        None => {
            eprintln!("warpproof: explored again: {} after {} executions", report.verdict, report.executions);
            Ok(())
        }
        Some(found) if found.steps == violation.steps && found.execution == violation.execution => {
            let (execution, steps) = (found.execution, found.steps.len());
            Err(Failure::Violation(format!(
                "explored again: the same {steps} steps, in execution {execution}"
            )))
        }
        Some(found) => {
            Err(Failure::Violation(format!("explored again: another violation:\n{}", found.timeline())))
        }
    }
}
