//! `cargo xtask fuzz [SECONDS]`: builds the fuzz targets and runs each for a while from its checked-in seeds.
//! What it finds on the way stays in target/corpus: the seeds are few, small and chosen.

use crate::shell::{Outcome, read, root, run, scratch};
use rayon::prelude::*;
use std::process::Command;

/// What watches the accesses to memory while a target runs.
#[derive(Clone, Copy)]
pub(crate) enum Sanitizer {
    /// Nothing: the targets are fast.
    None,
    /// AddressSanitizer: building them takes more than twice as long.
    Address,
}

impl Sanitizer {
    /// Whether a target is of any use with it. AddressSanitizer does not know the stacks that loom's threads
    /// have: it takes what is left of a thread that panicked there for a fault
    /// (<https://github.com/google/sanitizers/issues/189>).
    fn admits(self, target: &str) -> bool {
        match self {
            Self::None => true,
            Self::Address => target != "scenario_random",
        }
    }
}

/// Runs every target that the sanitizer admits for `seconds`, as many at a time as there are cores.
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

/// How many inputs were run, and how fast.
const STATS: &str = "-print_final_stats=1";

/// An input that takes longer, in seconds, is a failure.
const SLOW: &str = "-timeout=60";

/// cargo-fuzz, with a stable compiler told to take the coverage flags. What a sanitizer needs has a folder of
/// its own, so that builds with and without it keep each other's.
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
