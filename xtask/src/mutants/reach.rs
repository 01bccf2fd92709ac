//! The mutants that each scenario and the unit tests reach: the original writes down the places that it
//! passes.

use super::asker::{Asker, Question, Reached, Set, Which};
use super::copy::ran;
use super::judge::cores;
use super::program::{Program, folder};
use crate::shell::{Outcome, read, write};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::path::PathBuf;
use std::time::Instant;

/// What a set of scenarios reaches.
#[derive(Serialize, Deserialize)]
pub(super) struct Reach {
    /// The version of the project for which this holds.
    version: u64,
    pub(super) scenarios: Vec<Reached>,
}

/// The mutants that the unit tests of the model reach.
pub(super) struct ByTests {
    pub(super) numbers: HashSet<u32>,
}

impl Reach {
    /// Finds those of a set. Every scenario of the set holds.
    pub(super) fn of(set: &Set, asker: &Asker, program: &Program, version: u64) -> Outcome<Self> {
        let which = match set.which {
            Which::Quick => "quick",
            _ => "default",
        };
        let path = folder().join(format!("reach-{}-{which}.json", set.structure));
        let known = std::fs::read_to_string(&path).ok();
        let known = known.and_then(|text| serde_json::from_str::<Self>(&text).ok());
        if let Some(known) = known.filter(|known| known.version == version) {
            return Ok(known);
        }
        let start = Instant::now();
        let script = "export WARPPROOF_REACHED=\"$1\"; exec \"$0\" 2>/dev/null".to_owned();
        let arguments = vec!["-c".to_owned(), script, program.worker.display().to_string()];
        let (sets, reached) = (std::slice::from_ref(set), folder());
        let question = Question {
            sets,
            workers: cores(),
            program: "sh",
            arguments,
            reached: Some(&reached),
            ..Question::default()
        };
        let scenarios = asker.ask_reached(&question)?;
        let took = start.elapsed().as_secs_f64();
        println!("{} {which}: {} scenarios hold, {took:.0} s", set.structure, scenarios.len());
        let reach = Self { version, scenarios };
        write(&path, &serde_json::to_string(&reach).map_err(|error| error.to_string())?)?;
        Ok(reach)
    }
}

impl ByTests {
    /// The tests pass.
    pub(super) fn of(program: &Program) -> Outcome<Self> {
        let path: PathBuf = folder().join("reached-by-tests");
        write(&path, "")?;
        let mut tests = program.unit_tests();
        let (text, passed) = ran(tests.env("WARPPROOF_REACHED", &path))?;
        if !passed {
            return Err(format!("the unit tests of the original fail:\n{text}"));
        }
        let numbers = read(&path)?.lines().filter_map(|line| line.parse().ok()).collect();
        Ok(Self { numbers })
    }
}
