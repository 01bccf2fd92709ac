//! A program that explores scenarios for another one (see `engine::Workers::Processes`): questions on stdin,
//! answers on stdout.

use std::io::{Result, stdin, stdout};

fn main() -> Result<()> {
    warpproof_simt::engine::serve(stdin().lock(), stdout().lock())
}
