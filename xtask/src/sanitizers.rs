//! The CPU backend under Miri, ThreadSanitizer and AddressSanitizer: steps of `cargo xtask nightly`.
//!
//! All unsafe code of the CPU backend is in `simt/src/cpu`; `model` forbids it.

use crate::fuzz::{self, Sanitizer};
use crate::shell::{Outcome, output, root, run, scratch};
use crate::steps::Done;
use std::path::Path;
use std::process::Command;

/// The unit tests of the CPU backend.
const TESTS: [&str; 4] = ["test", "--package", "warpproof-simt", "--lib"];

/// The tests that Miri finishes in minutes: those of all modules with unsafe code, and of one other module,
/// without large batches.
const OF_MIRI: [&str; 5] = ["cpu::batch", "cpu::launch", "cpu::regions", "cpu::waitfree", "cpu::words"];

/// Why a step did not run.
const NO_MIRI: Done = Done::Skipped("no Miri: rustup component add --toolchain nightly miri rust-src");
const NO_COMPILER: Done = Done::Skipped("no nightly compiler: rustup toolchain install nightly");
const NO_SOURCE: Done = Done::Skipped("no source of std: rustup component add --toolchain nightly rust-src");

/// Undefined behaviour in the unsafe code of the CPU backend, interpreted by Miri.
pub(crate) fn miri() -> Outcome<Done> {
    if output(nightly("miri").args(["miri", "--version"])).is_err() {
        return Ok(NO_MIRI);
    }
    // rayon's queues violate Stacked Borrows, Miri's default, and its threads outlive a test.
    let flags = "-Zmiri-tree-borrows -Zmiri-ignore-leaks -Zmiri-disable-isolation";
    let mut tests = nightly("miri");
    tests.env("MIRIFLAGS", flags).arg("miri").args(TESTS).arg("--").args(OF_MIRI);
    run(&mut tests).map(|()| Done::Ok)
}

/// Data races of the CPU backend. The standard library is built with the sanitizer too; otherwise the
/// ordering by its locks would not be seen.
pub(crate) fn thread() -> Outcome<Done> {
    let source = output(Command::new("rustup").args(["run", "nightly", "rustc", "--print", "sysroot"]));
    let std = source.map(|root| Path::new(root.trim()).join("lib/rustlib/src/rust/library/std"));
    if !std.is_ok_and(|std| std.exists()) {
        return Ok(NO_SOURCE);
    }
    sanitized("thread", &["-Zbuild-std"])
}

/// Accesses outside of an allocation, or after it was freed: in the unit tests, and in one minute of each
/// fuzz target.
pub(crate) fn address() -> Outcome<Done> {
    fuzz::run_all(60, Sanitizer::Address)?;
    sanitized("address", &[])
}

fn sanitized(sanitizer: &str, arguments: &[&str]) -> Outcome<Done> {
    let Ok(compiler) = output(Command::new("rustup").args(["run", "nightly", "rustc", "-vV"])) else {
        return Ok(NO_COMPILER);
    };
    let host = compiler.lines().find_map(|line| line.strip_prefix("host: ")).ok_or("rustc names no host")?;
    let mut tests = nightly(sanitizer);
    // If a target is named, programs that the build runs are not instrumented.
    tests.env("RUSTFLAGS", format!("-Zsanitizer={sanitizer}")).args(TESTS).args(["--target", host]);
    run(tests.args(arguments).args(["--", "cpu::"])).map(|()| Done::Ok)
}

/// Cargo of rustup's nightly, with a separate build folder.
fn nightly(name: &str) -> Command {
    let mut cargo = Command::new("rustup");
    cargo.current_dir(root()).args(["run", "nightly", "cargo"]).env_remove("RUSTC").env_remove("CARGO");
    cargo.env("CARGO_TARGET_DIR", scratch().join(name));
    cargo
}
