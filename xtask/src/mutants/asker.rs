//! The program that knows the scenarios. It is built from the original, so that a mutant changes no question.

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

/// Selects scenarios of the set.
#[derive(Clone, Debug, Serialize)]
pub(super) enum Which {
    Quick,
    Default,
    /// The scenario of this name; if the name ends with `/`, all scenarios whose names begin with it.
    Named(String),
}

/// The answer to a question.
#[derive(Deserialize)]
pub(super) enum Answer {
    /// A scenario found something.
    Killed { how: String, scenario: String, executions: u64 },
    /// No scenario found anything.
    Lives { executions: u64 },
    /// A worker did not answer, with the engine's error message.
    Ended { error: String },
    /// The places that each scenario of the sets reaches.
    Reached { scenarios: Vec<Reached> },
}

/// How long the exploration of a scenario took, and the numbers that its worker wrote.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Reached {
    pub(super) scenario: Value,
    pub(super) seconds: f64,
    pub(super) numbers: Vec<u32>,
}

/// The sets are explored in turn, until one finds something.
#[derive(Default, Serialize)]
pub(super) struct Question<'a> {
    pub(super) sets: &'a [Set],
    /// Scenarios that are explored before the sets, in the form in which an answer names them.
    pub(super) given: &'a [Value],
    pub(super) workers: usize,
    pub(super) program: &'a str,
    pub(super) arguments: Vec<String>,
    /// A folder for files in which workers write the places that they reach, if that is the question. Then
    /// each scenario is explored by a separate worker, which gets the name of its file as last argument.
    pub(super) reached: Option<&'a Path>,
}

/// `simt/examples/asker.rs`, built.
#[derive(Clone)]
pub(super) struct Asker(PathBuf);

impl Asker {
    /// Keeps a built program in a folder that later builds do not touch.
    pub(super) fn keep(built: &Path, folder: &Path) -> Outcome<Self> {
        let kept = folder.join("asker");
        std::fs::copy(built, &kept).map_err(|e| format!("cannot write {}: {e}", kept.display()))?;
        Ok(Self(kept))
    }

    /// Returns the places that each scenario reaches. Every scenario must hold.
    pub(super) fn ask_reached(&self, question: &Question<'_>) -> Outcome<Vec<Reached>> {
        match self.ask(question)? {
            Answer::Reached { scenarios } => Ok(scenarios),
            Answer::Killed { how, scenario, .. } => {
                Err(format!("a check fails without any mutant: {scenario}: {how}"))
            }
            Answer::Ended { error } => Err(format!("a check fails without any mutant: {error}")),
            Answer::Lives { .. } => Err("the asker answered another question".to_owned()),
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
