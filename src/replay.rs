//! `warpproof replay`: shows a saved counterexample.

use crate::failure::Failure;
use crate::output;
use std::path::PathBuf;
use warpproof::simt::check::Violation;

/// Show a saved counterexample as a timeline, a column per warp
///
/// `warpproof check` saves one for every violation that it finds.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  warpproof replay counterexample-map32-delete.json --html trace.html")]
pub(crate) struct Args {
    /// What `warpproof check` saved
    file: PathBuf,
    /// Print it as one JSON object
    #[arg(long)]
    json: bool,
    /// Write it as a page too
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

/// Shows it.
pub(crate) fn replay(args: &Args) -> Result<(), Failure> {
    let name = args.file.display();
    let violation = Violation::load(&args.file).map_err(|e| Failure::input(format_args!("{name}: {e}")))?;
    if let Some(path) = &args.html {
        std::fs::write(path, violation.to_html()).map_err(|e| Failure::write(path.display(), &e))?;
    }
    if args.json { output::json(&violation) } else { output::line(violation.timeline()) }
}
