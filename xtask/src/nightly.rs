//! `cargo xtask nightly`: the checks that take too long for every change. Adds a row per step to
//! tests/nightly.csv.

use crate::ci;
use crate::shell::{Outcome, cargo, output, read, root, run, write};
use crate::steps::{Done, Ran, Step, chosen, failures, table};
use crate::{fuzz, modules, mutants, ptx, python, report, sanitizers, steps};
use std::process::Command;

/// Seconds to run each fuzz target.
const FUZZ_SECONDS: u32 = 600;

/// Minutes to run all structures of a backend without a pause.
const SOAK_MINUTES: f64 = 10.0;

/// All mutants of a structure. Each structure has its own step, because all of them take more than an hour.
macro_rules! mutants_of {
    ($structure:literal) => {
        (concat!("mutants/", $structure), || mutants::run_those($structure, &[]).map(|()| Done::Ok))
    };
}

const STEPS: [Step; 25] = [
    ("readme", || ci::run_readme(cargo).map(|()| Done::Ok)),
    mutants_of!("aggregate"),
    mutants_of!("cuckoo"),
    mutants_of!("dynamic"),
    mutants_of!("growth"),
    mutants_of!("hopscotch"),
    mutants_of!("open"),
    mutants_of!("paged"),
    mutants_of!("reserved"),
    mutants_of!("retrieve"),
    mutants_of!("sharded"),
    mutants_of!("sketch"),
    mutants_of!("slab"),
    mutants_of!("waitfree"),
    ("generated", || mutants::run_generated("", mutants::WITHIN).map(|()| Done::Ok)),
    ("deep", deep),
    ("soak", || soak(SOAK_MINUTES).map(|()| Done::Ok)),
    ("miri", sanitizers::miri),
    ("tsan", sanitizers::thread),
    ("asan", sanitizers::address),
    ("fuzz", || fuzz::run_all(FUZZ_SECONDS, fuzz::Sanitizer::None).map(|()| Done::Ok)),
    ("deny", deny),
    ("gpu", gpu),
    ("speed", speed),
    ("ray", || python::ray().map(|()| Done::Ok)),
];

/// The columns of tests/nightly.csv.
const COLUMNS: &str = "date,commit,cores,step,seconds,outcome\n";

/// Runs all steps, or those named, even after one has failed. Records each as it ends.
pub(crate) fn run_steps(names: &[&str]) -> Outcome<()> {
    let commit = commit()?;
    let mut all = Vec::new();
    for step in chosen(&STEPS, names)? {
        let ran = steps::run(step);
        record(&ran, &commit)?;
        all.push(ran);
    }
    print!("{}", table(&all));
    failures(&all)
}

/// Explores every scenario of every structure, including those that take minutes.
fn deep() -> Outcome<Done> {
    for structure in mutants::structures()? {
        run(&mut cargo(&["run", "--quiet", "--release", "--", "check", &structure, "--deep"]))?;
    }
    Ok(Done::Ok)
}

/// Runs all structures of each available backend, for so many minutes in total.
pub(crate) fn soak(minutes: f64) -> Outcome<()> {
    let mut test = cargo(&["test", "--release", "--test", "soak", "--", "--nocapture", "--test-threads=1"]);
    run(test.env("WARPPROOF_SOAK_MINUTES", minutes.to_string()))
}

/// Checks the dependencies, as far as possible without the network.
fn deny() -> Outcome<Done> {
    if output(&mut cargo(&["deny", "--version"])).is_err() {
        return Ok(Done::Skipped("cargo-deny is not installed"));
    }
    run(&mut cargo(&["deny", "--all-features", "check", "bans", "licenses", "sources"])).map(|()| Done::Ok)
}

/// All tests that need a GPU, and the kernels that are built for them.
fn gpu() -> Outcome<Done> {
    ptx::write(&["tuning", "stress", "paper"])?;
    let with_kernels = |arguments: &[&str]| {
        let mut tests = cargo(arguments);
        tests.env(ci::KERNELS, modules::built());
        tests
    };
    let mut tests = with_kernels(&["test", "--release", "--package", "warpproof-gpu", "--test", "device"]);
    let said = output(tests.args(["--", "--nocapture"]))?;
    if said.contains("skipped: no CUDA device") {
        return Ok(Done::Skipped("no CUDA device"));
    }
    run(&mut with_kernels(&["test", "--release", "--test", "suite_gpu"]))?;
    Ok(Done::Ok)
}

/// Measures what the report shows of tables on one GPU, and makes the report anew.
fn speed() -> Outcome<Done> {
    let program = |arguments: &[String]| {
        let mut program = cargo(&["run", "--quiet", "--release", "--"]);
        program.args(arguments);
        program
    };
    // As `list` says it.
    if output(&mut program(&["list".to_owned()]))?.contains("gpu      not found") {
        return Ok(Done::Skipped("no CUDA device"));
    }
    for command in report::on_one_gpu() {
        run(&mut program(&command))?;
    }
    report::write().map(|()| Done::Ok)
}

/// The commit that is checked, followed by `+` if a file was changed since. The record itself does not count.
fn commit() -> Outcome<String> {
    let git = |arguments: &[&str]| output(Command::new("git").current_dir(root()).args(arguments));
    let hash = git(&["rev-parse", "--short=12", "HEAD"])?;
    let changed = git(&["status", "--porcelain", "--", ":!tests/nightly.csv", ":!tests/mutants/README.md"])?;
    Ok(format!("{}{}", hash.trim(), if changed.is_empty() { "" } else { "+" }))
}

fn record(ran: &Ran, commit: &str) -> Outcome<()> {
    let date = output(Command::new("date").args(["-u", "+%Y-%m-%d"]))?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let row = format!("{},{commit},{cores},{},{:.0},{}\n", date.trim(), ran.name, ran.seconds, ran.said());
    let path = root().join("tests/nightly.csv");
    let old = if path.exists() { read(&path)? } else { COLUMNS.to_owned() };
    write(&path, &(old + &row))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mutants_of_every_structure_are_a_step() {
        let steps = STEPS.iter().filter_map(|(name, _)| name.strip_prefix("mutants/"));
        assert_eq!(steps.collect::<Vec<_>>(), mutants::structures().unwrap());
    }
}
