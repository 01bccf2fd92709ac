//! `cargo xtask fuzz [SECONDS]`: builds the fuzz targets and runs each for a while from its checked-in seeds.
//! New inputs stay in target/corpus: the seeds are few, small and selected.

use crate::shell::{Outcome, read, root, run, scratch};
use rayon::prelude::*;
use std::process::Command;

/// The sanitizer that watches memory accesses while a target runs.
#[derive(Clone, Copy)]
pub(crate) enum Sanitizer {
    /// None: the targets are fast.
    None,
    /// AddressSanitizer: the targets take more than twice as long to build.
    Address,
}

impl Sanitizer {
    /// Whether a target can run with it. AddressSanitizer does not know the stacks of loom's threads: it
    /// reports the remains of a thread that panicked there as a fault
    /// (<https://github.com/google/sanitizers/issues/189>).
    fn admits(self, target: &str) -> bool {
        match self {
            Self::None => true,
            Self::Address => target != "scenario_random",
        }
    }
}

/// Runs every target that supports the sanitizer for `seconds`, as many at a time as there are cores.
pub(crate) fn run_all(seconds: u32, sanitizer: Sanitizer) -> Outcome<()> {
    let mut targets = targets()?;
    targets.retain(|target| sanitizer.admits(target));
    run(&mut cargo_fuzz(&["build"], sanitizer))?;
    targets.par_iter().try_for_each(|target| fuzz(target, seconds, sanitizer))?;
    println!("{} fuzz targets ran, no failure", targets.len());
    Ok(())
}

fn fuzz(target: &str, seconds: u32, sanitizer: Sanitizer) -> Outcome<()> {
    println!("-- {target}, {seconds} s");
    let found = scratch().join("corpus").join(target);
    std::fs::create_dir_all(&found).map_err(|e| format!("{}: {e}", found.display()))?;
    let mut fuzz = cargo_fuzz(&["run", target], sanitizer);
    fuzz.arg(&found).arg(format!("corpus/{target}")).arg("--");
    run(fuzz.arg(format!("-max_total_time={seconds}")).args([SLOW, STATS, "-verbosity=0"]))
}

/// Prints how many inputs were run, and how fast.
const STATS: &str = "-print_final_stats=1";

/// An input that takes longer than this, in seconds, is a failure.
const SLOW: &str = "-timeout=60";

/// cargo-fuzz, with a stable compiler that is told to accept the coverage flags. A sanitizer has a separate
/// build folder, so that builds with and without it do not replace each other.
fn cargo_fuzz(arguments: &[&str], sanitizer: Sanitizer) -> Command {
    let (name, folder) = match sanitizer {
        Sanitizer::None => ("none", None),
        Sanitizer::Address => ("address", Some(scratch().join("fuzz_address"))),
    };
    let mut command = Command::new("cargo-fuzz");
    command.current_dir(root().join("fuzz")).env("RUSTC_BOOTSTRAP", "1").arg("fuzz");
    command.args([arguments[0], "--sanitizer", name]).args(&arguments[1..]);
    command.envs(folder.map(|folder| ("CARGO_TARGET_DIR", folder)));
    command
}

/// The names of the targets, from the manifest.
fn targets() -> Outcome<Vec<String>> {
    let manifest = read(&root().join("fuzz/Cargo.toml"))?;
    let names: Vec<String> = manifest
        .split("[[bin]]")
        .skip(1)
        .filter_map(|section| section.lines().find_map(|line| line.strip_prefix("name = ")))
        .map(|name| name.trim_matches('"').to_owned())
        .collect();
    if names.is_empty() { Err("fuzz/Cargo.toml names no target".to_owned()) } else { Ok(names) }
}
