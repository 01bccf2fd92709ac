//! A program that explores scenarios for another one (see `engine::Workers::Processes`): questions on stdin,
//! answers on stdout.

use std::io::{Result, stdin, stdout};
use warpproof_simt::engine::serve;
use warpproof_simt::engines::engines;

fn main() -> Result<()> {
    serve(engines(), stdin().lock(), stdout().lock())
}
