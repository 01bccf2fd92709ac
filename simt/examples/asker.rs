//! A program that asks workers about sets of scenarios, for one that does not know them: a question on stdin,
//! what became of it on stdout, both JSON. It is not the worker: a worker may loop, or end.

use serde::{Deserialize, Serialize};
use std::io::{Error, Result, stdin, stdout};
use std::path::PathBuf;
use warpproof_simt::check::{Report, Scenario};
use warpproof_simt::engine::{Options, RunError, Workers, run_all};
use warpproof_simt::explore::Explore;
use warpproof_simt::scenarios::structure;

/// The sets are asked in turn, until one finds something.
#[derive(Deserialize)]
struct Question {
    sets: Vec<Set>,
    /// How many workers.
    workers: usize,
    program: PathBuf,
    arguments: Vec<String>,
}

#[derive(Deserialize)]
struct Set {
    structure: String,
    which: Which,
}

#[derive(Deserialize)]
enum Which {
    Quick,
    Default,
    Deep,
    /// Those of this name; if it ends with `/`, all whose names begin so.
    Named(String),
}

#[derive(Serialize)]
enum Answer {
    /// A scenario found something.
    Killed { how: String, scenario: String, executions: u64 },
    /// No scenario found anything.
    Lives { executions: u64 },
    /// A worker did not answer, and what the engine says of it.
    Ended { error: String },
}

fn main() -> Result<()> {
    let question: Question = serde_json::from_reader(stdin().lock())?;
    let sets = question.sets.iter().map(scenarios).collect::<Result<Vec<_>>>()?;
    let answer = ask(&sets, question)?;
    serde_json::to_writer(stdout().lock(), &answer).map_err(Error::from)
}

fn scenarios(set: &Set) -> Result<Vec<Scenario>> {
    let known = structure(&set.structure);
    let known = known.ok_or_else(|| Error::other(format!("{} has no scenarios", set.structure)))?;
    Ok(match &set.which {
        Which::Quick => (known.quick)(),
        Which::Default => (known.default_set)(),
        Which::Deep => (known.deep)(),
        Which::Named(name) => {
            let is_named = |of: &str| of == name || name.ends_with('/') && of.starts_with(name);
            let named: Vec<_> = known.all().into_iter().filter(|scenario| is_named(&scenario.name)).collect();
            if named.is_empty() {
                return Err(Error::other(format!("{} has no scenario {name}", known.name)));
            }
            named
        }
    })
}

fn ask(sets: &[Vec<Scenario>], question: Question) -> Result<Answer> {
    let Question { workers: count, program, arguments, .. } = question;
    let workers = Workers::Processes { count, program, arguments };
    let options = Options { fail_fast: true, ..Options::default() };
    let mut executions = 0;
    for set in sets {
        match run_all(&Explore, set, &options, &workers, |_| {}) {
            Ok(reports) => {
                if let Some(first) = reports.iter().find(|report| !report.passed()) {
                    return Ok(killed(first));
                }
                executions += reports.iter().map(|report| report.executions).sum::<u64>();
            }
            Err(RunError::Worker(error)) => return Ok(Answer::Ended { error: error.to_string() }),
            Err(error) => return Err(Error::other(error.to_string())),
        }
    }
    Ok(Answer::Lives { executions })
}

/// How a report that is no pass kills.
fn killed(report: &Report) -> Answer {
    let how = match &report.violation {
        Some(violation) => format!("killed: {}", violation.kind),
        None => format!("killed: {}", report.verdict),
    };
    Answer::Killed { how, scenario: report.scenario.clone(), executions: report.executions }
}
