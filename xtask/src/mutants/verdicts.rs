//! The fates of the mutants of tests/mutants: a row each, and a list of what is wrong.

use super::asker::{Set, Which};
use super::entries::Mutant;
use super::judge::{Fate, Judge};
use super::without_faults;
use crate::shell::Outcome;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The limit of CPU time for the scenarios of a mutant.
const LIMIT: Duration = Duration::from_secs(600);

/// Number of mutants from which a further copy of the project pays off: most of a build runs on one core, but
/// the first build of a copy takes as long as ten mutants.
const PER_COPY: usize = 30;

/// The result of one mutant.
struct Verdict {
    row: String,
    fault: Option<String>,
}

/// The rows of all mutants, and an error if one survives or contradicts its entry.
pub(super) fn judge_all(mutants: &[Mutant]) -> Outcome<(Vec<String>, Outcome<()>)> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let copies = (mutants.len() / PER_COPY).clamp(1, cores);
    let next = AtomicUsize::new(0);
    let judged: Vec<Outcome<Vec<Verdict>>> = std::thread::scope(|scope| {
        let one = |copy| {
            let next = &next;
            scope.spawn(move || {
                judge_in(
                    copy,
                    std::iter::from_fn(|| {
                        // Relaxed: the threads share nothing but this number.
                        mutants.get(next.fetch_add(1, Ordering::Relaxed))
                    }),
                )
            })
        };
        let threads: Vec<_> = (0..copies).map(one).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|p| std::panic::resume_unwind(p)))
            .collect()
    });
    let verdicts: Vec<Verdict> =
        judged.into_iter().collect::<Outcome<Vec<_>>>()?.into_iter().flatten().collect();
    let faults: Vec<String> = verdicts.iter().filter_map(|verdict| verdict.fault.clone()).collect();
    println!("{} mutants, {} not as they should be", mutants.len(), faults.len());
    Ok((verdicts.into_iter().map(|verdict| verdict.row).collect(), without_faults(&faults)))
}

/// Judges mutants in one copy of the project, one after the other.
fn judge_in<'a>(copy: usize, mutants: impl Iterator<Item = &'a Mutant>) -> Outcome<Vec<Verdict>> {
    let judge = Judge::new(copy, LIMIT)?;
    let optimized = judge.optimized();
    let judge_one = |mutant: &Mutant| {
        let start = Instant::now();
        let excused = mutant.excuse().is_some();
        let judge = if excused { &optimized } else { &judge };
        let fate = judge.judge(&mutant.edits, &[scenarios(mutant)]);
        let fate = fate.map_err(|error| format!("{} {}: {error}", mutant.structure, mutant.name))?;
        let row = format!("| {} | {} | {} |", mutant.name, mutant.what, cells(&fate, mutant));
        println!("{row}  {:.0} s", start.elapsed().as_secs_f64());
        let fault = match (&fate, excused) {
            (Fate::Unviable, _) => Some("does not compile"),
            (Fate::Killed { .. }, true) => Some("killed, though it says that nothing kills it"),
            (Fate::NotReached | Fate::Lives { .. } | Fate::Undecided { .. }, false) => Some("survived"),
            _ => None,
        };
        Ok(Verdict { row, fault: fault.map(|fault| format!("{}: {fault}", mutant.name)) })
    };
    mutants.map(judge_one).collect()
}

/// Verdict, scenario and executions of a mutant.
fn cells(fate: &Fate, mutant: &Mutant) -> String {
    let excuse = mutant.excuse();
    match fate {
        Fate::Killed { how, scenario, executions: Some(executions) } => {
            format!("{how} | {scenario} | {executions}")
        }
        Fate::Killed { how, scenario, executions: None } => format!("{how} | {scenario} | -"),
        Fate::Unviable => "**does not compile** | - | -".to_owned(),
        // The executions of the whole set are not printed: they change with each new scenario.
        Fate::NotReached | Fate::Lives { .. } | Fate::Undecided { .. } => {
            format!("{} | - | -", excuse.as_deref().unwrap_or("**survived**"))
        }
    }
}

/// The default set, or the scenarios that the entry names.
fn scenarios(mutant: &Mutant) -> Set {
    let named = mutant.scenario.clone().map(Which::Named);
    Set { structure: mutant.structure.clone(), which: named.unwrap_or(Which::Default) }
}
