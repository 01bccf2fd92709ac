//! One build of all mutants of all files: a worker and the unit tests of the model. The environment tells
//! them which mutant to run as.

use super::copy::{cargo, copy};
use super::judge::limited;
use super::schemata::{Left, Schema, Written};
use crate::shell::{Outcome, read, root, scratch};
use serde::Deserialize;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The number of each mutant, and the module that asks for it.
const MODULE: &str = include_str!("mutant.rs.txt");
const LIB: &str = "model/src/lib.rs";

/// Optimized, since it is built once; with the checks of a test build.
const PROFILE: &str = "schemata";

/// CPU time that the unit tests of the model may use: ten times as much as they do on a fast machine.
const UNIT_TESTS: Duration = Duration::from_secs(150);

/// The programs.
#[derive(Clone)]
pub(super) struct Program {
    pub(super) worker: PathBuf,
    /// The unit tests of the model.
    pub(super) tests: PathBuf,
}

/// A line of cargo's output.
#[derive(Deserialize)]
struct Line {
    reason: String,
    message: Option<Message>,
    executable: Option<PathBuf>,
}

#[derive(Deserialize)]
struct Message {
    level: String,
    message: String,
    spans: Vec<At>,
    rendered: Option<String>,
}

#[derive(Deserialize)]
struct At {
    file_name: String,
    byte_start: usize,
    byte_end: usize,
    is_primary: bool,
}

/// The cargo commands, in turn. The first is fast.
const STEPS: [&[&str]; 3] = [
    &["check", "--package", "warpproof-model", "--features", "file"],
    &["build", "--package", "warpproof-simt", "--example", "worker"],
    &["test", "--no-run", "--package", "warpproof-model", "--features", "file", "--lib"],
];

impl Program {
    /// Builds it. Removes mutants that do not compile from `left` until it compiles.
    pub(super) fn build(schemas: &[Schema], count: usize, left: &mut Left) -> Outcome<Self> {
        let folder = folder();
        let (tree, target) = (folder.join("tree"), folder.join("target"));
        loop {
            let written: HashMap<&str, Written> =
                schemas.iter().map(|schema| (schema.file(), schema.write(left))).collect();
            copy(&tree, &changed(&written, count)?)?;
            match built(&tree, &target)? {
                Ok(program) => return Ok(program),
                Err(messages) => blame(&messages, &written, left)?,
            }
            println!("{} mutants do not compile so far", left.out.len());
        }
    }
}

impl Program {
    /// The unit tests of the model, one after the other. They end after [`UNIT_TESTS`].
    pub(super) fn unit_tests(&self) -> Command {
        let mut tests = Command::new("sh");
        tests.current_dir(folder().join("tree/model"));
        tests.args(limited(&self.tests, "", UNIT_TESTS)).args(["--quiet", "--test-threads", "1"]);
        tests
    }
}

/// Where the program is built.
pub(super) fn folder() -> PathBuf {
    scratch().join("mutants/generated")
}

/// The texts of the files that differ from those of the project.
fn changed(written: &HashMap<&str, Written>, count: usize) -> Outcome<HashMap<String, String>> {
    let mut all: HashMap<String, String> =
        written.iter().map(|(file, written)| ((*file).to_owned(), written.text.clone())).collect();
    let lib = all.remove(LIB).map_or_else(|| read(&root().join(LIB)), Ok)?;
    all.insert(LIB.to_owned(), format!("{lib}\n#[doc(hidden)]\npub mod mutant;\n"));
    let module = MODULE.replace("COUNT", &(count + 1).to_string());
    all.insert("model/src/mutant.rs".to_owned(), module);
    Ok(all)
}

/// The programs, or the compiler's errors.
fn built(tree: &Path, target: &Path) -> Outcome<Result<Program, Vec<Message>>> {
    let mut executables = Vec::new();
    for step in STEPS {
        let mut cargo = cargo(tree, target);
        // A mutant may do something that a lint forbids.
        cargo.env("RUSTFLAGS", "--cap-lints=allow");
        cargo.args(step).args(["--profile", PROFILE, "--message-format=json"]);
        let output = cargo.output().map_err(|e| format!("cannot run {cargo:?}: {e}"))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let lines: Vec<Line> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        if !output.status.success() {
            let messages: Vec<Message> = lines
                .into_iter()
                .filter(|line| line.reason == "compiler-message")
                .filter_map(|line| line.message)
                .filter(|message| message.level == "error")
                .collect();
            if messages.is_empty() {
                return Err(format!("{cargo:?} failed:\n{}", String::from_utf8_lossy(&output.stderr)));
            }
            return Ok(Err(messages));
        }
        executables.extend(lines.into_iter().filter_map(|line| line.executable));
    }
    match <[PathBuf; 2]>::try_from(executables) {
        Ok([worker, tests]) => Ok(Ok(Program { worker, tests })),
        Err(others) => Err(format!("cargo built {others:?} instead of two programs")),
    }
}

/// Removes the mutants that cause errors.
fn blame(messages: &[Message], written: &HashMap<&str, Written>, left: &mut Left) -> Outcome<()> {
    let before = (left.out.len(), left.constant.len());
    for message in messages {
        if let Some(name) = called_by_constant(&message.message) {
            left.constant.insert(name.to_owned());
            continue;
        }
        let (primary, others): (Vec<&At>, Vec<&At>) = message.spans.iter().partition(|at| at.is_primary);
        let mut blamed = primary.into_iter().chain(others).filter_map(|at| {
            written.get(&*at.file_name).and_then(|written| written.blamed(&(at.byte_start..at.byte_end)))
        });
        left.out.extend(blamed.next().into_iter().flatten());
    }
    if before != (left.out.len(), left.constant.len()) {
        return Ok(());
    }
    let rendered = messages.iter().filter_map(|message| message.rendered.as_deref());
    Err(format!(
        "the project does not compile, and no mutant is the cause:\n{}",
        rendered.collect::<Vec<_>>().join("\n")
    ))
}

/// The function that a constant calls, from the compiler's message.
fn called_by_constant(message: &str) -> Option<&str> {
    let path = message.strip_prefix("cannot call non-const ")?.split('`').nth(1)?;
    let name = path.split("::").filter(|part| !part.starts_with('<') && !part.ends_with('>')).last()?;
    (!path.ends_with("which_mutant")).then_some(name)
}
