//! A program that asks workers about sets of scenarios, for one that does not know them: a question on stdin,
//! what became of it on stdout, both JSON. It is not the worker: a worker may loop, or end.

use serde::{Deserialize, Serialize};
use std::io::{Error, Result, stdin, stdout};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use warpproof_simt::check::{Report, Scenario};
use warpproof_simt::engine::{Options, RunError, Workers, run_all};
use warpproof_simt::explore::Explore;
use warpproof_simt::scenarios::structure;

/// The sets are asked in turn, until one finds something.
#[derive(Clone, Deserialize)]
struct Question {
    sets: Vec<Set>,
    /// Scenarios that come before the sets, as an answer has told them.
    given: Vec<Scenario>,
    /// How many workers.
    workers: usize,
    program: PathBuf,
    arguments: Vec<String>,
    /// A folder for files in which workers write what they reach. Then each scenario is explored by a worker
    /// of its own, which is told its file as a last argument.
    reached: Option<PathBuf>,
}

#[derive(Clone, Deserialize)]
struct Set {
    structure: String,
    which: Which,
}

#[derive(Clone, Deserialize)]
enum Which {
    Quick,
    Default,
    /// Scenarios of this name; if it ends with `/`, all whose names begin with it.
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
    /// What each scenario reaches.
    Reached { scenarios: Vec<Reached> },
}

/// How long a scenario was explored, and the numbers that its worker wrote.
#[derive(Serialize)]
struct Reached {
    scenario: Scenario,
    seconds: f64,
    numbers: Vec<u32>,
}

fn main() -> Result<()> {
    let question: Question = serde_json::from_reader(stdin().lock())?;
    let named = question.sets.iter().map(scenarios);
    let sets = std::iter::once(Ok(question.given.clone())).chain(named).collect::<Result<Vec<_>>>()?;
    let answer = match &question.reached {
        None => ask(&sets, &question)?,
        Some(folder) => ask_reached(&sets, &question, folder)?,
    };
    serde_json::to_writer(stdout().lock(), &answer).map_err(Error::from)
}

fn scenarios(set: &Set) -> Result<Vec<Scenario>> {
    let known = structure(&set.structure);
    let known = known.ok_or_else(|| Error::other(format!("{} has no scenarios", set.structure)))?;
    Ok(match &set.which {
        Which::Quick => (known.quick)(),
        Which::Default => (known.default_set)(),
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

/// What becomes of the sets, up to the first violation.
fn ask(sets: &[Vec<Scenario>], question: &Question) -> Result<Answer> {
    let Question { workers: count, program, arguments, .. } = question.clone();
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
            // The question is right: the worker's own sizes are not.
            Err(_) => {
                let how = "killed: no such scenario".to_owned();
                return Ok(Answer::Killed { how, scenario: "-".to_owned(), executions: 0 });
            }
        }
    }
    Ok(Answer::Lives { executions })
}

/// What each scenario reaches, which must hold.
fn ask_reached(sets: &[Vec<Scenario>], question: &Question, folder: &Path) -> Result<Answer> {
    let all: Vec<&Scenario> = sets.iter().flatten().collect();
    let next = AtomicUsize::new(0);
    let one = |worker: usize| {
        let file = folder.join(format!("reached-{worker}"));
        let mut answers = Vec::new();
        // Relaxed: a counter, nothing is published by it.
        while let Some(scenario) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
            answers.push(reached(scenario, question, &file)?);
        }
        Ok(answers)
    };
    let answers: Vec<Result<Vec<Answer>>> = std::thread::scope(|scope| {
        let one = &one;
        let threads: Vec<_> = (0..question.workers).map(|worker| scope.spawn(move || one(worker))).collect();
        let joined = threads.into_iter().map(std::thread::ScopedJoinHandle::join);
        joined.map(|answers| answers.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    });
    let mut scenarios = Vec::new();
    for answer in answers.into_iter().collect::<Result<Vec<_>>>()?.into_iter().flatten() {
        match answer {
            Answer::Reached { scenarios: one } => scenarios.extend(one),
            other => return Ok(other),
        }
    }
    Ok(Answer::Reached { scenarios })
}

fn reached(scenario: &Scenario, question: &Question, file: &Path) -> Result<Answer> {
    std::fs::write(file, "")?;
    let Question { program, mut arguments, .. } = question.clone();
    arguments.push(file.display().to_string());
    let workers = Workers::Processes { count: 1, program, arguments };
    let reports =
        match run_all(&Explore, std::slice::from_ref(scenario), &Options::default(), &workers, |_| {}) {
            Ok(reports) => reports,
            Err(error) => return Ok(Answer::Ended { error: error.to_string() }),
        };
    if let Some(first) = reports.iter().find(|report| !report.passed()) {
        return Ok(killed(first));
    }
    let numbers = std::fs::read_to_string(file)?.lines().filter_map(|line| line.parse().ok()).collect();
    let seconds = reports.iter().map(|report| report.seconds).sum();
    let reached = Reached { scenario: scenario.clone(), seconds, numbers };
    Ok(Answer::Reached { scenarios: vec![reached] })
}

/// How a report that is no pass kills.
fn killed(report: &Report) -> Answer {
    let how = match &report.violation {
        Some(violation) => format!("killed: {}", violation.kind),
        None => format!("killed: {}", report.verdict),
    };
    Answer::Killed { how, scenario: report.scenario.clone(), executions: report.executions }
}
