//! Depths: all programs of a number of calls, a row for each number.

use crate::output::grouped;
use serde::Serialize;
use std::time::Duration;
use warpproof::simt::check::{Report, Verdict};

/// All programs of so many calls.
#[derive(Serialize)]
pub(crate) struct Row {
    depth: u32,
    programs: usize,
    executions: u64,
    seconds: f64,
    capped: usize,
    violations: usize,
}

impl Row {
    pub(crate) fn of(depth: u32, reports: &[Report], took: Duration) -> Self {
        let with = |verdict| reports.iter().filter(|report| report.verdict == verdict).count();
        Self {
            depth,
            programs: reports.len(),
            executions: reports.iter().map(|report| report.executions).sum(),
            seconds: took.as_secs_f64(),
            capped: with(Verdict::Capped),
            violations: with(Verdict::Violated),
        }
    }
}

/// The rows as a table; `counts` names what executions are.
pub(crate) fn table(rows: &[Row], counts: &str) -> String {
    let mut text = format!(
        "{:>5} {:>9} {:>14} {:>9} {:>7} {:>10}",
        "depth", "programs", counts, "seconds", "capped", "violations"
    );
    for Row { depth, programs, executions, seconds, capped, violations } in rows {
        let (programs, executions) = (grouped(*programs as u64), grouped(*executions));
        text += &format!(
            "\n{depth:>5} {programs:>9} {executions:>14} {seconds:>9.1} {capped:>7} {violations:>10}"
        );
    }
    text
}
