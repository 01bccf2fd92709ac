//! `cargo xtask ci`: everything that must hold before a change lands, in the order of what fails soonest.

use crate::shell::{Outcome, read, root, run};
use crate::{fuzz, mutants, ptx, ptxas};
use std::process::Command;
use std::time::Instant;

/// Seconds that each fuzz target runs.
const FUZZ_SECONDS: u32 = 20;

/// A step: its name, and what it does.
type Step = (&'static str, fn() -> Outcome<()>);

const STEPS: [Step; 9] = [
    ("fmt", format),
    ("clippy", clippy),
    ("docs", docs),
    ("test", test),
    ("ptx", ptx::check),
    ("ptxas", ptxas::run_all),
    ("mutants", mutants::sample),
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

/// Everything else that the README tells people to type.
fn readme() -> Outcome<()> {
    let text = read(&root().join("README.md"))?;
    let commands = commands(&text);
    if commands.is_empty() {
        return Err("README.md shows no command".to_owned());
    }
    for arguments in commands {
        println!("-- cargo {}", arguments.join(" "));
        run(&mut cargo(&arguments))?;
    }
    Ok(())
}

/// The cargo commands in the shell blocks of a text, but for the one that the step `test` runs.
fn commands(text: &str) -> Vec<Vec<&str>> {
    let blocks = text.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    let lines =
        blocks.flat_map(str::lines).filter_map(|line| line.split('#').next()?.trim().strip_prefix("cargo "));
    lines.filter(|line| *line != "test").map(|line| line.split_whitespace().collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_readmes_commands_are_found() {
        let text = "```sh\ncargo run -- list    # all\ncargo test\n```\ncargo no\n```sh\ncargo build\n```\n";
        assert_eq!(commands(text), [vec!["run", "--", "list"], vec!["build"]]);
    }
}
