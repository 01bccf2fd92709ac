//! Judges one mutant by the scenarios: builds the changed copy and explores with its worker.

use super::asker::{Answer, Asker, Question, Set};
use super::copy::{cargo, copy, ran};
use super::edit::{Edit, apply};
use crate::shell::{Outcome, scratch};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The fate of a mutant.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) enum Fate {
    /// A scenario found it. The number of executions is unknown if the worker did not answer.
    Killed { how: String, scenario: String, executions: Option<u64> },
    /// It does not compile.
    Unviable,
    /// No scenario runs the place that it changes, and no unit test finds it.
    NotReached,
    /// No scenario found it, in so many executions.
    Lives { executions: u64 },
    /// The scenarios that take so many seconds together did not find it, in so many executions. `left` others
    /// reach its place too, and were not explored.
    Undecided { executions: u64, left: usize, within: u32 },
}

/// Builds mutants in one copy of the project, one after the other.
#[derive(Clone)]
pub(super) struct Judge {
    asker: Asker,
    tree: PathBuf,
    /// Where cargo builds it.
    target: PathBuf,
    /// CPU time that a worker may use for one set of scenarios.
    limit: Duration,
    /// The profile that cargo builds with.
    profile: &'static str,
}

impl Judge {
    /// A judge in the copy of this number, whose workers end after `limit`. Builds the original.
    pub(super) fn new(number: usize, limit: Duration) -> Outcome<Self> {
        let folder = folder(number);
        let (tree, target) = (folder.join("tree"), folder.join("target"));
        let asker = build_asker(&folder)?;
        Ok(Self { asker, tree, target, limit, profile: PROFILE })
    }

    /// This judge with an optimized worker, for mutants that are explored to the end.
    pub(super) fn optimized(&self) -> Self {
        Self { profile: "survivors", ..self.clone() }
    }

    /// The fate of the project with these edits. The sets are explored in turn, until one finds something.
    pub(super) fn judge(&self, edits: &[Edit], sets: &[Set]) -> Outcome<Fate> {
        copy(&self.tree, &HashMap::new())?;
        apply(edits, &self.tree)?;
        let worker = build(&self.tree, &self.target, self.profile, "worker")?;
        let Some(worker) = worker else { return Ok(Fate::Unviable) };
        let question = Question { sets, workers: cores(), ..Question::default() };
        explored(&self.asker, question, &worker, "", self.limit)
    }
}

/// The asker, for callers that judge no edits.
pub(super) fn asker() -> Outcome<Asker> {
    build_asker(&folder(0))
}

/// Where the copy of this number is.
fn folder(number: usize) -> PathBuf {
    scratch().join("mutants").join(number.to_string())
}

/// Builds the asker of the original in this folder.
fn build_asker(folder: &Path) -> Outcome<Asker> {
    let (tree, target) = (folder.join("tree"), folder.join("target"));
    copy(&tree, &HashMap::new())?;
    let built = build(&tree, &target, PROFILE, "asker")?.ok_or("the project does not compile")?;
    Asker::keep(&built, folder)
}

/// Explores with a program, after the shell commands in `script`, with a limit of CPU time for each worker.
pub(super) fn explored(
    asker: &Asker,
    question: Question<'_>,
    worker: &Path,
    script: &str,
    limit: Duration,
) -> Outcome<Fate> {
    let start = Instant::now();
    // A worker's panic message is in its report.
    let arguments = limited(worker, &format!("exec 2>/dev/null; {script}"), limit);
    Ok(match asker.ask(&Question { program: "sh", arguments, ..question })? {
        Answer::Killed { how, scenario, executions } => {
            Fate::Killed { how, scenario, executions: Some(executions) }
        }
        Answer::Lives { executions } => Fate::Lives { executions },
        Answer::Ended { error } => ended(&error, start.elapsed() >= limit),
        Answer::Reached { .. } => return Err("the asker answered another question".to_owned()),
    })
}

/// Arguments of a shell that runs a program within limits: a mutant may loop, and may take memory in its
/// loop.
pub(super) fn limited(program: &Path, script: &str, limit: Duration) -> Vec<String> {
    let seconds = limit.as_secs().max(1);
    let script = format!("{script}ulimit -t {seconds}; ulimit -v {MEMORY}; exec \"$0\" \"$@\"");
    vec!["-c".to_owned(), script, program.display().to_string()]
}

/// The fate of a worker that did not answer, from the engine's error message. A worker that used all of its
/// CPU time ran for at least as long.
fn ended(error: &str, late: bool) -> Fate {
    let how = if late { "killed: time limit" } else { "killed: worker ended" };
    let scenario = error.rsplit(' ').next().unwrap_or("-").to_owned();
    Fate::Killed { how: how.to_owned(), scenario, executions: None }
}

/// How a unit test of the model kills.
pub(super) const UNIT_TEST: &str = "killed: unit test";

/// KiB of address space that a worker may take.
const MEMORY: u32 = 4 << 20;

/// The profile of mutants that something kills, and of the asker.
const PROFILE: &str = "mutants";

/// Builds a program of the copy. `None` if it does not compile.
fn build(tree: &Path, target: &Path, profile: &str, example: &str) -> Outcome<Option<PathBuf>> {
    let mut build = cargo(tree, target);
    build.args([
        "build",
        "--quiet",
        "--profile",
        profile,
        "--package",
        "warpproof-simt",
        "--example",
        example,
    ]);
    match ran(&mut build)? {
        (_, true) => Ok(Some(target.join(profile).join("examples").join(example))),
        // Cargo writes this only of a crate that the compiler rejects.
        (text, false) if text.contains("error: could not compile `warpproof-") => Ok(None),
        (text, false) => Err(text),
    }
}

pub(super) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
