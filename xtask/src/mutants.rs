//! `cargo xtask mutants`: applies each patch of tests/mutants to a copy of the project, and runs the default
//! set of scenarios on it.
//!
//! A mutant must be killed, or say in its patch why it is equivalent. The table in tests/mutants/README.md is what a
//! run wrote: exploration is deterministic, so that the scenario that kills and its executions can be compared.

use crate::shell::{Outcome, output, read, root, run, scratch, write};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;
use warpproof_simt::check::{Report, Scenario};
use warpproof_simt::engine::{Options, Workers, run_all as run_all_scenarios};
use warpproof_simt::explore::Explore;
use warpproof_simt::scenarios::slab;

/// How many mutants CI checks.
const SAMPLE: usize = 10;

/// Where the table begins in tests/mutants/README.md.
const HEADING: &str = "| Mutant | What | Verdict | Scenario | Executions |";

/// A patch that makes the code wrong, or claims to leave it right.
struct Mutant {
    name: String,
    path: PathBuf,
    what: String,
    /// Why nobody can tell it from the original.
    equivalent: Option<String>,
    /// Why no scenario can show that it is wrong. It is not known to be equivalent.
    open: Option<String>,
    /// The scenario that is asked, if it is one of the deep set.
    scenario: Option<String>,
}

/// Checks the mutants of `structure`, or those named, and writes their rows.
pub(crate) fn run_all(structure: &str, names: &[&str]) -> Outcome<()> {
    let mut mutants = mutants(structure)?;
    if let Some(unknown) = names.iter().find(|name| mutants.iter().all(|m| m.name != **name)) {
        return Err(format!("{structure} has no mutant {unknown}"));
    }
    let known: Vec<String> = mutants.iter().map(|mutant| mutant.name.clone()).collect();
    mutants.retain(|mutant| names.is_empty() || names.contains(&mutant.name.as_str()));
    let (rows, verdict) = judge_all(structure, &mutants)?;
    let text = table()?;
    let (head, old) = text.split_once(HEADING).ok_or("tests/mutants/README.md has no table")?;
    // Mutants that were not asked for keep their rows, as long as they exist.
    let known = old.lines().filter(|row| known.iter().any(|name| row.starts_with(&first_cell(name))));
    let kept = known.filter(|row| mutants.iter().all(|m| !row.starts_with(&first_cell(&m.name))));
    let mut all: Vec<&str> = kept.chain(rows.iter().map(String::as_str)).collect();
    all.sort_unstable();
    write(&table_path(), &format!("{head}{HEADING}\n|---|---|---|---|---|\n{}\n", all.join("\n")))?;
    verdict
}

/// How the row of a mutant begins.
fn first_cell(name: &str) -> String {
    format!("| {name} |")
}

/// Checks ten mutants, spread over the list, against the table.
pub(crate) fn sample() -> Outcome<()> {
    let (mut mutants, table) = (mutants("slab")?, table()?);
    let every = mutants.len().div_ceil(SAMPLE).max(1);
    for mutant in &mutants {
        let row = format!("{} {} | ", first_cell(&mutant.name), mutant.what);
        if !table.contains(&row) {
            return Err(format!("tests/mutants/README.md has no row for {}", mutant.name));
        }
    }
    mutants = mutants.into_iter().step_by(every).collect();
    let (rows, verdict) = judge_all("slab", &mutants)?;
    verdict?;
    match rows.iter().find(|row| !table.contains(*row)) {
        Some(row) => {
            Err(format!("tests/mutants/README.md has another row than (cargo xtask mutants):\n{row}"))
        }
        None => Ok(()),
    }
}

fn table_path() -> PathBuf {
    root().join("tests/mutants/README.md")
}

fn table() -> Outcome<String> {
    read(&table_path())
}

/// The rows of all, and an error if a mutant survives or is not what it says.
fn judge_all(structure: &str, mutants: &[Mutant]) -> Outcome<(Vec<String>, Outcome<()>)> {
    let tree = scratch().join("mutants/tree");
    let (mut rows, mut faults) = (Vec::new(), Vec::new());
    for mutant in mutants {
        let start = Instant::now();
        let verdict = judge(structure, &tree, mutant)?;
        let row = format!("| {} | {} | {} |", mutant.name, mutant.what, verdict.cells);
        println!("{row}  {:.0} s", start.elapsed().as_secs_f64());
        faults.extend(verdict.fault.map(|fault| format!("{}: {fault}", mutant.name)));
        rows.push(row);
    }
    println!("{} mutants, {} not as they should be", mutants.len(), faults.len());
    Ok((rows, if faults.is_empty() { Ok(()) } else { Err(faults.join("\n")) }))
}

struct Verdict {
    cells: String,
    fault: Option<&'static str>,
}

fn judge(structure: &str, tree: &Path, mutant: &Mutant) -> Outcome<Verdict> {
    copy(tree)?;
    // Outside of any repository: otherwise git takes the paths for those of this one.
    let above = tree.parent().unwrap_or(tree);
    let mut apply = Command::new("git");
    run(apply.current_dir(tree).env("GIT_CEILING_DIRECTORIES", above).arg("apply").arg(&mutant.path))?;
    let worker = build(tree)?;
    let workers = Workers::Processes { count: cores(), program: worker, arguments: Vec::new() };
    let options = Options { fail_fast: true, ..Options::default() };
    let reports = run_all_scenarios(&Explore, &scenarios(structure, mutant)?, &options, &workers, |_| {});
    let reports = reports.map_err(|e| format!("{}: {e}", mutant.name))?;
    let first = reports.iter().find(|report| !report.passed());
    let excuse = mutant.equivalent.as_ref().map(|reason| format!("equivalent: {reason}"));
    let excuse = excuse.or(mutant.open.as_ref().map(|reason| format!("open: {reason}")));
    let cells = match (first, &excuse) {
        (Some(first), _) => format!("{} | {} | {}", killed(first), first.scenario, first.executions),
        (None, Some(excuse)) => format!("{excuse} | - | {}", executions(&reports)),
        (None, None) => format!("**survived** | - | {}", executions(&reports)),
    };
    let fault = match (first.is_none(), excuse) {
        (false, Some(_)) => Some("killed, though it says that nothing kills it"),
        (true, None) => Some("survived"),
        _ => None,
    };
    Ok(Verdict { cells, fault })
}

/// How a report that is no pass kills.
fn killed(report: &Report) -> String {
    match &report.violation {
        Some(violation) => format!("killed: {}", violation.kind),
        None => format!("killed: {}", report.verdict),
    }
}

fn executions(reports: &[Report]) -> u64 {
    reports.iter().map(|report| report.executions).sum()
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The default set, or the one scenario that the patch names.
fn scenarios(structure: &str, mutant: &Mutant) -> Outcome<Vec<Scenario>> {
    let (default, all) = match structure {
        "slab" => (slab::default_set(), slab::all()),
        _ => return Err(format!("there is no structure {structure}")),
    };
    let Some(name) = &mutant.scenario else { return Ok(default) };
    let named: Vec<_> = all.into_iter().filter(|scenario| scenario.name == *name).collect();
    if named.is_empty() { Err(format!("{}: there is no scenario {name}", mutant.name)) } else { Ok(named) }
}

/// Builds the worker of the copy.
fn build(tree: &Path) -> Outcome<PathBuf> {
    let target = scratch().join("mutants/target");
    let mut build = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    build.current_dir(tree).env("CARGO_TARGET_DIR", &target).args([
        "build",
        "--quiet",
        "--profile",
        "mutants",
    ]);
    output(build.args(["--package", "warpproof-simt", "--example", "worker"]))?;
    Ok(target.join("mutants/examples/worker"))
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

/// The patches of a structure, by name.
fn mutants(structure: &str) -> Outcome<Vec<Mutant>> {
    let folder = root().join("tests/mutants").join(structure);
    let entries = std::fs::read_dir(&folder).map_err(|e| format!("cannot read {}: {e}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "patch"));
    paths.sort();
    paths.into_iter().map(Mutant::read).collect()
}

impl Mutant {
    fn read(path: PathBuf) -> Outcome<Self> {
        let text = read(&path)?;
        let field =
            |name: &str| text.lines().find_map(|line| line.strip_prefix(name)).map(|v| v.trim().to_owned());
        let what = field("what:").ok_or_else(|| format!("{} has no line `what:`", path.display()))?;
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        Ok(Self {
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
        let mutants = mutants("slab").expect("patches");
        assert!(mutants.len() >= 25);
        assert!(mutants.iter().all(|mutant| !mutant.what.is_empty()));
    }

    /// Every ordering of the slab hash that is not relaxed has a mutant that changes its line.
    #[test]
    fn every_ordering_is_weakened_by_a_mutant() {
        let folder = root().join("model/src/slab");
        let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let sources: Vec<String> =
            files.filter(|path| path.is_file()).map(|path| read(&path).unwrap()).collect();
        let code = |line: &&str| !line.trim_start().starts_with("//");
        let orders = ["Order::Acquire", "Order::Release", "Order::AcqRel"];
        let strong = |line: &&str| orders.iter().any(|order| line.contains(order));
        let lines: Vec<&str> =
            sources.iter().flat_map(|text| text.lines()).filter(code).filter(strong).map(str::trim).collect();
        assert!(lines.len() >= 4, "where are the orderings? {lines:?}");
        let patches = mutants("slab").unwrap();
        let patches: Vec<String> = patches.iter().map(|mutant| read(&mutant.path).unwrap()).collect();
        let removed: Vec<&str> =
            patches.iter().flat_map(|text| text.lines()).filter_map(|line| line.strip_prefix('-')).collect();
        for line in lines {
            assert!(removed.iter().any(|removed| removed.trim() == line), "no mutant weakens `{line}`");
        }
    }
}
