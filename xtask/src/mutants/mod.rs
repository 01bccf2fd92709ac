//! `cargo xtask mutants`: applies each patch of tests/mutants to a copy of the project, and runs the default
//! set of scenarios of its structure on it.
//!
//! A mutant must be killed, or say in its patch why it is equivalent. The table in tests/mutants/README.md is what a
//! run wrote: exploration is deterministic, so that the scenario that kills and its executions can be compared.

mod generated;
mod judge;
mod listing;
mod readme;
mod reasons;
mod store;
mod table;

pub(crate) use generated::run_generated;

use crate::shell::{Outcome, read, root};
use judge::{Fate, Judge};
use readme::first_cell;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use warpproof_simt::check::Scenario;
use warpproof_simt::scenarios::structure;

/// The folders of tests/mutants.
const STRUCTURES: [&str; 6] = ["slab", "hopscotch", "open", "cuckoo", "dynamic", "retrieve"];

/// How many mutants CI checks.
const SAMPLE: usize = 10;

/// CPU time that the scenarios of a patch may take.
const LIMIT: Duration = Duration::from_secs(600);

/// A patch that makes the code wrong, or claims to leave it right.
struct Mutant {
    structure: &'static str,
    name: String,
    path: PathBuf,
    what: String,
    /// Why nobody can tell it from the original.
    equivalent: Option<String>,
    /// Why no scenario can show that it is wrong. It is not known to be equivalent.
    open: Option<String>,
    /// The scenario that is asked, if it is one of the deep set or far behind in the default one; all whose names begin so, if it
    /// ends with `/`.
    scenario: Option<String>,
}

/// Checks the mutants of every structure, and writes their rows.
pub(crate) fn run_all() -> Outcome<()> {
    let faults: Vec<String> =
        STRUCTURES.iter().filter_map(|structure| run_those(structure, &[]).err()).collect();
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n")) }
}

/// Checks the mutants of `structure`, or those named, and writes their rows.
pub(crate) fn run_those(structure: &str, names: &[&str]) -> Outcome<()> {
    let mut mutants = mutants(structure)?;
    if let Some(unknown) = names.iter().find(|name| mutants.iter().all(|m| m.name != **name)) {
        return Err(format!("{structure} has no mutant {unknown}"));
    }
    let known: Vec<String> = mutants.iter().map(|mutant| mutant.name.clone()).collect();
    mutants.retain(|mutant| names.is_empty() || names.contains(&mutant.name.as_str()));
    let (rows, verdict) = judge_all(&mutants)?;
    let asked: Vec<&str> = mutants.iter().map(|mutant| &*mutant.name).collect();
    readme::put(structure, &rows, &asked, &known)?;
    verdict
}

/// Checks ten mutants, spread over the list of all structures, against the tables.
pub(crate) fn sample() -> Outcome<()> {
    let (mut all, mut known) = (Vec::new(), Vec::new());
    for structure in STRUCTURES {
        let (mutants, rows) = (mutants(structure)?, readme::rows(structure)?);
        for mutant in &mutants {
            let begin = format!("{} {} | ", first_cell(&mutant.name), mutant.what);
            if !rows.iter().any(|row| row.starts_with(&begin)) {
                return Err(format!("tests/mutants/README.md has no row for {}", mutant.name));
            }
        }
        all.extend(mutants);
        known.extend(rows);
    }
    let every = all.len().div_ceil(SAMPLE).max(1);
    let chosen: Vec<Mutant> = all.into_iter().step_by(every).collect();
    let (rows, verdict) = judge_all(&chosen)?;
    verdict?;
    match rows.iter().find(|row| !known.contains(row)) {
        Some(row) => {
            Err(format!("tests/mutants/README.md has another row than (cargo xtask mutants):\n{row}"))
        }
        None => Ok(()),
    }
}

/// The rows of all, and an error if a mutant survives or is not what it says.
fn judge_all(mutants: &[Mutant]) -> Outcome<(Vec<String>, Outcome<()>)> {
    let (judge, to_the_end) = (Judge::new(LIMIT), Judge::to_the_end(LIMIT));
    let (mut rows, mut faults) = (Vec::new(), Vec::new());
    for mutant in mutants {
        let start = Instant::now();
        let excused = mutant.equivalent.is_some() || mutant.open.is_some();
        let judge = if excused { &to_the_end } else { &judge };
        let fate = judge.judge(Some(&mutant.path), &[scenarios(mutant)?])?;
        let row = format!("| {} | {} | {} |", mutant.name, mutant.what, cells(&fate, mutant)?);
        println!("{row}  {:.0} s", start.elapsed().as_secs_f64());
        let fault = match (matches!(fate, Fate::Lives { .. }), excused) {
            (false, true) => Some("killed, though it says that nothing kills it"),
            (true, false) => Some("survived"),
            _ => None,
        };
        faults.extend(fault.map(|fault| format!("{}: {fault}", mutant.name)));
        rows.push(row);
    }
    println!("{} mutants, {} not as they should be", mutants.len(), faults.len());
    Ok((rows, if faults.is_empty() { Ok(()) } else { Err(faults.join("\n")) }))
}

/// Verdict, scenario and executions of a mutant.
fn cells(fate: &Fate, mutant: &Mutant) -> Outcome<String> {
    let excuse = mutant.equivalent.as_ref().map(|reason| format!("equivalent: {reason}"));
    let excuse = excuse.or(mutant.open.as_ref().map(|reason| format!("open: {reason}")));
    Ok(match fate {
        Fate::Killed { how, scenario, executions: Some(executions) } => {
            format!("{how} | {scenario} | {executions}")
        }
        Fate::Killed { how, scenario, executions: None } => format!("{how} | {scenario} | -"),
        Fate::Unviable => return Err(format!("{} does not compile", mutant.path.display())),
        Fate::Lives { executions } => {
            format!("{} | - | {executions}", excuse.as_deref().unwrap_or("**survived**"))
        }
    })
}

/// The default set, or the scenarios that the patch names.
fn scenarios(mutant: &Mutant) -> Outcome<Vec<Scenario>> {
    let checked = structure(mutant.structure).ok_or(format!("{} has no scenarios", mutant.structure))?;
    let Some(name) = &mutant.scenario else { return Ok((checked.default_set)()) };
    let is_named = |of: &str| of == name || name.ends_with('/') && of.starts_with(name);
    let named: Vec<_> = checked.all().into_iter().filter(|scenario| is_named(&scenario.name)).collect();
    if named.is_empty() { Err(format!("{}: there is no scenario {name}", mutant.name)) } else { Ok(named) }
}

/// The patches of a structure, by name.
fn mutants(structure: &str) -> Outcome<Vec<Mutant>> {
    let structure = STRUCTURES.into_iter().find(|known| *known == structure);
    let structure = structure.ok_or(format!("mutants are of {}", STRUCTURES.join(" or of ")))?;
    let folder = root().join("tests/mutants").join(structure);
    let entries = std::fs::read_dir(&folder).map_err(|e| format!("cannot read {}: {e}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "patch"));
    paths.sort();
    paths.into_iter().map(|path| Mutant::read(structure, path)).collect()
}

impl Mutant {
    fn read(structure: &'static str, path: PathBuf) -> Outcome<Self> {
        let text = read(&path)?;
        let field =
            |name: &str| text.lines().find_map(|line| line.strip_prefix(name)).map(|v| v.trim().to_owned());
        let what = field("what:").ok_or_else(|| format!("{} has no line `what:`", path.display()))?;
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        Ok(Self {
            structure,
            name,
            what,
            equivalent: field("equivalent:"),
            open: field("open:"),
            scenario: field("scenario:"),
            path,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_patch_says_what_it_does() {
        for structure in STRUCTURES {
            let mutants = mutants(structure).expect("patches");
            assert!(mutants.len() >= 20);
            assert!(mutants.iter().all(|mutant| !mutant.what.is_empty()));
        }
        assert!(mutants("slabs").is_err());
    }

    /// Every ordering of a structure that is not relaxed has a mutant that changes its line.
    #[test]
    fn every_ordering_is_weakened_by_a_mutant() {
        for structure in STRUCTURES {
            let folder = match structure {
                "cuckoo" => root().join("model/src/open/cuckoo"),
                _ => root().join("model/src").join(structure),
            };
            let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
            let sources: Vec<String> =
                files.filter(|path| path.is_file()).map(|path| read(&path).unwrap()).collect();
            let code = |line: &&str| !line.trim_start().starts_with("//");
            let orders = ["Order::Acquire", "Order::Release", "Order::AcqRel", ".fence_acquire()"];
            let strong = |line: &&str| orders.iter().any(|order| line.contains(order));
            let lines = sources.iter().flat_map(|text| text.lines()).filter(code).filter(strong);
            let lines: Vec<&str> = lines.map(str::trim).collect();
            // Every access of a retrieval is relaxed, and of the open-addressing table all but two of the lock bit, and two
            // where keys move, whose locks and fence lie beside it.
            let least = match structure {
                "retrieve" => 0,
                "cuckoo" | "dynamic" => 3,
                "open" => 4,
                _ => 4,
            };
            assert!(lines.len() >= least, "where are the orderings? {lines:?}");
            let mut patches = mutants(structure).unwrap();
            if structure == "open" {
                patches.extend(mutants("cuckoo").unwrap());
            }
            let patches: Vec<String> = patches.iter().map(|mutant| read(&mutant.path).unwrap()).collect();
            let changed = patches.iter().flat_map(|text| text.lines());
            let removed: Vec<&str> = changed.filter_map(|line| line.strip_prefix('-')).collect();
            for line in lines {
                assert!(removed.iter().any(|removed| removed.trim() == line), "no mutant weakens `{line}`");
            }
        }
    }
}
