//! `cargo xtask ci`: everything that must hold before a change lands, in the order of what fails soonest.

use crate::shell::{Outcome, root, run};
use crate::{fuzz, ptx, ptxas};
use std::process::Command;
use std::time::Instant;

/// Seconds that each fuzz target runs.
const FUZZ_SECONDS: u32 = 20;

/// A step: its name, and what it does.
type Step = (&'static str, fn() -> Outcome<()>);

const STEPS: [Step; 8] = [
    ("fmt", format),
    ("clippy", clippy),
    ("docs", docs),
    ("test", test),
    ("ptx", ptx::check),
    ("ptxas", ptxas::run_all),
    ("readme", readme),
    ("fuzz", || fuzz::run_all(FUZZ_SECONDS)),
];

/// Runs the steps, or those named, and stops at the first that fails.
pub(crate) fn run_steps(names: &[&str]) -> Outcome<()> {
    if let Some(unknown) = names.iter().find(|name| STEPS.iter().all(|(step, _)| step != *name)) {
        let known: Vec<_> = STEPS.iter().map(|(step, _)| *step).collect();
        return Err(format!("there is no step {unknown}; the steps are {}", known.join(", ")));
    }
    for (name, step) in STEPS.iter().filter(|(step, _)| names.is_empty() || names.contains(step)) {
        println!("== {name}");
        let start = Instant::now();
        step().map_err(|message| format!("step {name}: {message}"))?;
        println!("== {name}: ok in {:.0} s", start.elapsed().as_secs_f64());
    }
    Ok(())
}

fn cargo(arguments: &[&str]) -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root()).args(arguments);
    cargo
}

fn format() -> Outcome<()> {
    run(&mut cargo(&["fmt", "--all", "--check"]))?;
    for manifest in ["fuzz/Cargo.toml", "examples/own_kernel/Cargo.toml"] {
        run(&mut cargo(&["fmt", "--manifest-path", manifest, "--check"]))?;
    }
    Ok(())
}

fn clippy() -> Outcome<()> {
    run(&mut cargo(&["clippy", "--all-targets", "--all-features", "--", "-D", "warnings"]))
}

fn docs() -> Outcome<()> {
    run(cargo(&["doc", "--no-deps", "--all-features"]).env("RUSTDOCFLAGS", "-D warnings"))
}

/// The README's test command: unit, integration and documentation tests.
fn test() -> Outcome<()> {
    run(&mut cargo(&["test"]))
}

/// The README's other command: the main job.
fn readme() -> Outcome<()> {
    run(&mut cargo(&["run", "--release", "--", "run", "slab"]))
}
