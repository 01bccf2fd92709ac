//! `warpproof bench`.

use crate::failure::Failure;

/// Not there yet
#[derive(clap::Args)]
pub(crate) struct Args {}

/// Runs it.
pub(crate) fn bench(_: &Args) -> Result<(), Failure> {
    Err(Failure::input("not there yet"))
}
