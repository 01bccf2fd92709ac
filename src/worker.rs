//! `warpproof worker`: `check` starts one per core. Not for people.

use crate::failure::Failure;
use warpproof::simt::engine::serve;
use warpproof::simt::engines::engines;

/// The name of the command.
pub(crate) const NAME: &str = "worker";

/// Explores the scenarios that come in on stdin.
pub(crate) fn worker() -> Result<(), Failure> {
    serve(engines(), std::io::stdin().lock(), std::io::stdout().lock())
        .map_err(|e| Failure::input(format_args!("worker: {e}")))
}
