//! The program that knows the scenarios: it is built from the original, so that a mutant changes no question.

use crate::shell::Outcome;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Scenarios of a structure.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Set {
    pub(super) structure: String,
    pub(super) which: Which,
}

/// Which of them.
#[derive(Clone, Debug, Serialize)]
pub(super) enum Which {
    Quick,
    Default,
    /// Those of this name; if it ends with `/`, all whose names begin so.
    Named(String),
}

/// What became of a question.
#[derive(Deserialize)]
pub(super) enum Answer {
    /// A scenario found something.
    Killed { how: String, scenario: String, executions: u64 },
    /// No scenario found anything.
    Lives { executions: u64 },
    /// A worker did not answer, and what the engine says of it.
    Ended { error: String },
    /// What each scenario of the sets reaches.
    Reached { scenarios: Vec<Reached> },
}

/// What the exploration of a scenario took, and which numbers its worker wrote.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Reached {
    pub(super) scenario: Value,
    pub(super) seconds: f64,
    pub(super) numbers: Vec<u32>,
}

/// The sets are asked in turn, until one finds something.
#[derive(Default, Serialize)]
pub(super) struct Question<'a> {
    pub(super) sets: &'a [Set],
    /// Scenarios that come before the sets, as an answer has told them.
    pub(super) given: &'a [Value],
    pub(super) workers: usize,
    pub(super) program: &'a str,
    pub(super) arguments: Vec<String>,
    /// A folder for files in which workers write what they reach, if that is the question. Then each scenario
    /// is explored by a worker of its own, which is told its file as a last argument.
    pub(super) reached: Option<&'a Path>,
}

/// `simt/examples/asker.rs`, built.
#[derive(Clone)]
pub(super) struct Asker(PathBuf);

impl Asker {
    /// Keeps a program that was built in a folder where later builds leave it alone.
    pub(super) fn keep(built: &Path, folder: &Path) -> Outcome<Self> {
        let kept = folder.join("asker");
        std::fs::copy(built, &kept).map_err(|e| format!("cannot write {}: {e}", kept.display()))?;
        Ok(Self(kept))
    }

    /// What each scenario reaches, of which every one must hold.
    pub(super) fn ask_reached(&self, question: &Question<'_>) -> Outcome<Vec<Reached>> {
        match self.ask(question)? {
            Answer::Reached { scenarios } => Ok(scenarios),
            Answer::Killed { how, scenario, .. } => {
                Err(format!("the original does not hold: {scenario}: {how}"))
            }
            Answer::Ended { error } => Err(format!("the original does not hold: {error}")),
            Answer::Lives { .. } => Err("an answer to another question".to_owned()),
        }
    }

    /// Asks a question.
    pub(super) fn ask(&self, question: &Question<'_>) -> Outcome<Answer> {
        let sets = question.sets;
        let question = serde_json::to_string(question).map_err(|e| e.to_string())?;
        let failed = |e: std::io::Error| format!("{}: {e}", self.0.display());
        let mut asker = Command::new(&self.0);
        let mut asker = asker.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(failed)?;
        if let Some(mut input) = asker.stdin.take() {
            input.write_all(question.as_bytes()).map_err(failed)?;
        }
        let answer = asker.wait_with_output().map_err(failed)?;
        if !answer.status.success() {
            return Err(format!("{} ended without an answer to {sets:?}", self.0.display()));
        }
        serde_json::from_slice(&answer.stdout).map_err(|e| format!("{}: {e}", self.0.display()))
    }
}
