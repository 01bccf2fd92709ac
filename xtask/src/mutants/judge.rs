//! One mutant against the scenarios: the changed copy is built and its worker asked.

use super::asker::{Answer, Asker, Set};
use super::edit::{Edit, apply};
use crate::shell::{Outcome, output, root, run, scratch};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// What became of a mutant.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) enum Fate {
    /// A scenario found it. Executions are not known if the worker did not answer.
    Killed { how: String, scenario: String, executions: Option<u64> },
    /// It does not compile.
    Unviable,
    /// No scenario found it, in so many executions.
    Lives { executions: u64 },
}

/// What is changed in a copy of the project.
#[derive(Clone, Copy)]
pub(super) enum Change<'a> {
    /// Nothing.
    Original,
    /// What an entry of tests/mutants says.
    Edits(&'a [Edit]),
    /// A patch for git.
    Patch(&'a Path),
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

impl Change<'_> {
    fn make(self, tree: &Path) -> Outcome<()> {
        match self {
            Self::Original => Ok(()),
            Self::Edits(edits) => apply(edits, tree),
            Self::Patch(patch) => {
                // Outside of any repository: otherwise git takes the paths for those of this one.
                let above = tree.parent().unwrap_or(tree);
                let mut apply = Command::new("git");
                run(apply.current_dir(tree).env("GIT_CEILING_DIRECTORIES", above).arg("apply").arg(patch))
            }
        }
    }
}

impl Judge {
    /// A judge in the copy of this number, whose workers end after `limit`. Builds the original.
    pub(super) fn new(number: usize, limit: Duration) -> Outcome<Self> {
        let folder = scratch().join("mutants").join(number.to_string());
        let (tree, target) = (folder.join("tree"), folder.join("target"));
        copy(&tree)?;
        let built = build(&tree, &target, PROFILE, "asker")?.ok_or("the project does not compile")?;
        let asker = Asker::keep(&built, &folder)?;
        Ok(Self { asker, tree, target, limit, profile: PROFILE })
    }

    /// The same for mutants that are explored to the end: the worker is optimized.
    pub(super) fn optimized(&self) -> Self {
        Self { profile: "survivors", ..self.clone() }
    }

    /// What becomes of the project with this change. The sets are asked in turn, until one finds something.
    pub(super) fn judge(&self, change: Change<'_>, sets: &[Set]) -> Outcome<Fate> {
        copy(&self.tree)?;
        change.make(&self.tree)?;
        let worker = build(&self.tree, &self.target, self.profile, "worker")?;
        let Some(worker) = worker else { return Ok(Fate::Unviable) };
        let start = Instant::now();
        Ok(match self.asker.ask(sets, cores(), "sh", self.limited(&worker, true))? {
            Answer::Killed { how, scenario, executions } => {
                Fate::Killed { how, scenario, executions: Some(executions) }
            }
            Answer::Lives { executions } => Fate::Lives { executions },
            Answer::Ended { error } => self.ended(&error, start),
        })
    }

    /// The same, and what no scenario finds is asked of the unit tests of the model. Only a mutant has to be: the tests
    /// of the original pass.
    pub(super) fn judge_with_tests(&self, change: Change<'_>, sets: &[Set]) -> Outcome<Fate> {
        let fate = self.judge(change, sets)?;
        let failed = if matches!(fate, Fate::Lives { .. }) { self.failed_test()? } else { None };
        Ok(match failed {
            Some(test) => Fate::Killed { how: UNIT_TEST.to_owned(), scenario: test, executions: None },
            None => fate,
        })
    }

    /// A unit test of the model in the copy that fails.
    fn failed_test(&self) -> Outcome<Option<String>> {
        let mut test = Command::new("sh");
        test.current_dir(&self.tree)
            .env("CARGO_TARGET_DIR", &self.target)
            .args(self.limited(&cargo_program(), false));
        test.args(["test", "--quiet", "--package", "warpproof-model", "--features", "host", "--lib"]);
        let (text, passed) = ran(&mut test)?;
        if passed {
            return Ok(None);
        }
        // `slab::packed::tests::entries_pack_and_unpack` stands in the list of failures.
        let list = text.rsplit("failures:\n").next().unwrap_or_default();
        let name = list.lines().map(str::trim).find(|line| line.contains("::tests::") && !line.contains(' '));
        match name {
            Some(name) => Ok(Some(name.to_owned())),
            // It was ended in the middle of one.
            None if text.contains("error: test failed, to rerun") => Ok(Some("-".to_owned())),
            None => Err(format!("the unit tests of the model did not run:\n{text}")),
        }
    }

    /// Arguments of a shell that runs a program within its limits: a mutant may loop, and it may take memory in its
    /// loop.
    fn limited(&self, program: &Path, of_worker: bool) -> Vec<String> {
        let seconds = self.limit.as_secs().max(1);
        // What a worker says of its panic stands in its report.
        let quiet = if of_worker { "2>/dev/null" } else { "" };
        let script = format!("ulimit -t {seconds}; ulimit -v {MEMORY}; exec \"$0\" \"$@\" {quiet}");
        vec!["-c".to_owned(), script, program.display().to_string()]
    }

    /// A worker that did not answer, from what the engine says of it.
    fn ended(&self, error: &str, start: Instant) -> Fate {
        // CPU time is limited, so that a worker that used it all was under way for at least as long.
        let how = if start.elapsed() >= self.limit { "killed: time limit" } else { "killed: worker ended" };
        let scenario = error.rsplit(' ').next().unwrap_or("-").to_owned();
        Fate::Killed { how: how.to_owned(), scenario, executions: None }
    }
}

/// How a unit test of the model kills.
pub(super) const UNIT_TEST: &str = "killed: unit test";

/// KiB of address space that a worker may take.
const MEMORY: u32 = 4 << 20;

/// The profile of mutants that something kills, and of the asker.
const PROFILE: &str = "mutants";

/// Builds a program of the copy. `None` if it does not compile.
fn build(tree: &Path, target: &Path, profile: &str, example: &str) -> Outcome<Option<PathBuf>> {
    let mut build = Command::new(cargo_program());
    build.current_dir(tree).env("CARGO_TARGET_DIR", target);
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
        // Cargo says so of a crate that the compiler refuses, and of nothing else.
        (text, false) if text.contains("error: could not compile `warpproof-") => Ok(None),
        (text, false) => Err(text),
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn cargo_program() -> PathBuf {
    std::env::var_os("CARGO").map_or_else(|| "cargo".into(), PathBuf::from)
}

/// What a command wrote, and whether it succeeded.
fn ran(command: &mut Command) -> Outcome<(String, bool)> {
    let output = command.output().map_err(|e| format!("cannot run {command:?}: {e}"))?;
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    Ok((text.into_owned(), output.status.success()))
}

/// Makes `tree` a copy of the project. Files that are right already keep their times, so that little is built again.
fn copy(tree: &Path) -> Outcome<()> {
    let listed =
        output(Command::new("git").current_dir(root()).args(["ls-files", "-co", "--exclude-standard"]))?;
    let names: HashSet<&str> = listed.lines().collect();
    prune(tree, tree, &names)?;
    for name in listed.lines() {
        let (from, to) = (root().join(name), tree.join(name));
        let Ok(wanted) = std::fs::read(&from) else { continue };
        if std::fs::read(&to).is_ok_and(|have| have == wanted) {
            continue;
        }
        let made = to.parent().map_or(Ok(()), std::fs::create_dir_all);
        made.and_then(|()| std::fs::write(&to, wanted))
            .map_err(|e| format!("cannot write {}: {e}", to.display()))?;
    }
    Ok(())
}

/// Removes from a folder of `tree` the files that the project no longer has.
fn prune(tree: &Path, folder: &Path, names: &HashSet<&str>) -> Outcome<()> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Ok(()) };
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        if path.is_dir() {
            prune(tree, &path, names)?;
        } else if !path.strip_prefix(tree).is_ok_and(|name| names.contains(&*name.to_string_lossy())) {
            std::fs::remove_file(&path).map_err(|e| format!("cannot remove {}: {e}", path.display()))?;
        }
    }
    Ok(())
}
