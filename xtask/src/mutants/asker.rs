//! The program that knows the scenarios: it is built from the original, so that a mutant changes no question.

use crate::shell::Outcome;
use serde::{Deserialize, Serialize};
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
    Deep,
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
}

#[derive(Serialize)]
struct Question<'a> {
    sets: &'a [Set],
    workers: usize,
    program: &'a str,
    arguments: Vec<String>,
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

    /// Asks so many workers. The sets are asked in turn, until one finds something.
    pub(super) fn ask(
        &self,
        sets: &[Set],
        workers: usize,
        program: &str,
        arguments: Vec<String>,
    ) -> Outcome<Answer> {
        let question = Question { sets, workers, program, arguments };
        let question = serde_json::to_string(&question).map_err(|e| e.to_string())?;
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
