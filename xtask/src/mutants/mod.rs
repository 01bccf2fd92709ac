//! `cargo xtask mutants`: applies the change of each entry of tests/mutants to a copy of the project, and
//! explores the default set of scenarios of its structure with it.
//!
//! A mutant must be killed, or its entry must give the reason why it is equivalent. A run writes the table in
//! tests/mutants/README.md. Exploration is deterministic, so the scenario that kills a mutant and its
//! executions can be compared.

mod asker;
mod copy;
mod edit;
mod entries;
mod files;
mod generated;
mod judge;
mod places;
mod program;
mod reach;
mod readme;
mod reasons;
mod schemata;
mod source;
mod store;
mod table;
mod verdicts;

pub(crate) use generated::{WITHIN, run_generated};

use crate::shell::{Outcome, output, root};
use edit::Edit;
use entries::Mutant;
use readme::first_cell;
use std::process::Command;
use verdicts::judge_all;

/// How many mutants CI checks.
const SAMPLE: usize = 10;

/// Checks the mutants of every structure, and writes their rows.
pub(crate) fn run_all() -> Outcome<()> {
    let structures = structures()?;
    let faults = structures.iter().filter_map(|structure| run_those(structure, &[]).err());
    without_faults(&faults.collect::<Vec<_>>())
}

/// Checks the mutants in files that differ from those of a revision, and writes their rows.
pub(crate) fn run_since(revision: &str) -> Outcome<()> {
    let differing =
        output(Command::new("git").current_dir(root()).args(["diff", "--name-only", revision, "--"]))?;
    let differs = |edit: &Edit| differing.lines().any(|file| file == edit.file);
    let mut faults = Vec::new();
    for structure in &structures()? {
        let mutants = mutants(structure)?;
        let asked = mutants.iter().filter(|mutant| mutant.edits.iter().any(differs));
        let names: Vec<&str> = asked.map(|mutant| &*mutant.name).collect();
        // An empty list of names would mean all.
        if !names.is_empty() {
            faults.extend(run_those(structure, &names).err());
        }
    }
    without_faults(&faults)
}

fn without_faults(faults: &[String]) -> Outcome<()> {
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

/// All mutants and the rows of all tables. Fails if a mutant has no row, or one with another excuse.
fn with_their_rows() -> Outcome<(Vec<Mutant>, Vec<String>)> {
    let (mut all, mut known) = (Vec::new(), Vec::new());
    for structure in &structures()? {
        let (mutants, rows) = (mutants(structure)?, readme::rows(structure)?);
        for mutant in &mutants {
            let begin = format!("{} {} | ", first_cell(&mutant.name), mutant.what);
            let begin = mutant.excuse().map_or(begin.clone(), |excuse| format!("{begin}{excuse} | "));
            if !rows.iter().any(|row| row.starts_with(&begin)) {
                return Err(format!("tests/mutants/README.md has no row that begins with\n{begin}"));
            }
        }
        all.extend(mutants);
        known.extend(rows);
    }
    Ok((all, known))
}

/// Checks ten mutants, spread over the list of all structures, and compares them with the tables.
pub(crate) fn sample() -> Outcome<()> {
    let (all, known) = with_their_rows()?;
    let every = all.len().div_ceil(SAMPLE).max(1);
    let chosen: Vec<Mutant> = all.into_iter().step_by(every).collect();
    let (rows, verdict) = judge_all(&chosen)?;
    verdict?;
    match rows.iter().find(|row| !known.contains(row)) {
        Some(row) => {
            Err(format!("tests/mutants/README.md lacks this row; `cargo xtask mutants` writes it:\n{row}"))
        }
        None => Ok(()),
    }
}

/// Applies the change of a mutant to the working tree.
pub(crate) fn apply(structure: &str, name: &str) -> Outcome<()> {
    let mutants = mutants(structure)?;
    let mutant = mutants.iter().find(|mutant| mutant.name == name);
    edit::apply(&mutant.ok_or(format!("{structure} has no mutant {name}"))?.edits, &root())
}

/// The structures that are checked, by name. tests/mutants has a file of mutants for each.
pub(crate) fn structures() -> Outcome<Vec<String>> {
    let folder = root().join("tests/mutants");
    let files = std::fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let names = files.filter_map(|file| file.ok()?.file_name().into_string().ok());
    let mut structures: Vec<String> =
        names.filter_map(|name| Some(name.strip_suffix(".toml")?.to_owned())).collect();
    structures.sort_unstable();
    Ok(structures)
}

/// How many mutants a structure has.
pub(crate) fn count(structure: &str) -> Outcome<usize> {
    Ok(mutants(structure)?.len())
}

/// The mutants of a structure, by name.
fn mutants(structure: &str) -> Outcome<Vec<Mutant>> {
    let known = structures()?;
    if known.iter().all(|known| known != structure) {
        return Err(format!("there are no mutants of {structure}; there are some of {}", known.join(", ")));
    }
    entries::of(structure)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::read;
    use edit::{by_file, changed, places};
    use source::Source;
    use std::collections::HashSet;
    use std::ops::Range;
    use std::path::PathBuf;

    #[test]
    fn every_mutant_has_its_row() {
        let (mutants, rows) = with_their_rows().expect("rows as the mutants say");
        assert_eq!(mutants.len(), rows.len());
    }

    #[test]
    fn every_entry_changes_what_it_says() {
        for structure in &structures().unwrap() {
            let mutants = mutants(structure).expect("entries");
            assert!(mutants.len() >= 20);
            for mutant in &mutants {
                for (file, edits) in by_file(&mutant.edits) {
                    let text = read(&root().join(file)).expect("a file of the project");
                    let changed = changed(&text, &edits);
                    let changed =
                        changed.unwrap_or_else(|e| panic!("{structure}: {}: {file}: {e}", mutant.name));
                    assert_ne!(changed, text, "{structure}: {} changes nothing in {file}", mutant.name);
                    let rust = Source::new(&changed).err();
                    assert_eq!(rust, None, "{structure}: {} makes no Rust of {file}", mutant.name);
                }
            }
        }
        assert!(mutants("slabs").is_err());
    }

    /// Every ordering of a structure that is not relaxed, and every wait of a stream for an event, has a
    /// mutant that changes its line.
    #[test]
    fn every_ordering_is_weakened_by_a_mutant() {
        for structure in structures().unwrap() {
            let structure = &*structure;
            let own = std::fs::read_dir(root().join(format!("model/src/{structure}"))).unwrap();
            let own = own.map(|entry| entry.unwrap().path());
            let shared = (structure == "slab").then_some("model/src/reclaim/bitmap.rs");
            let files = own.chain(shared.map(|file| root().join(file)));
            let orders: Vec<(PathBuf, usize, String)> =
                files.filter(|path| path.is_file()).flat_map(orders).collect();
            // Growth accesses no word, and all accesses of a retrieval, an aggregation and a sketch are
            // relaxed.
            // Open addressing has two for the lock word. The cuckoo table takes and releases locks, writes
            // slots in two ways, and fences.
            let least = match structure {
                "aggregate" | "growth" | "retrieve" | "sketch" => 0,
                "open" => 2,
                "dynamic" | "sharded" => 3,
                "cuckoo" => 5,
                _ => 4,
            };
            assert!(orders.len() >= least, "where are the orderings? {orders:?}");
            let mutants = mutants(structure).unwrap();
            let changed: HashSet<(PathBuf, usize)> = mutants.iter().flat_map(changed_lines).collect();
            for (path, line, text) in orders {
                let place = format!("{}:{}", path.display(), line + 1);
                assert!(changed.contains(&(path, line)), "{place}: no mutant weakens `{text}`");
            }
        }
    }

    /// The lines of a file with an ordering other than relaxed, and their texts.
    fn orders(path: PathBuf) -> Vec<(PathBuf, usize, String)> {
        let strong =
            ["Order::Acquire", "Order::Release", "Order::AcqRel", ".fence_acquire()", "device.wait("];
        let text = read(&path).unwrap();
        let lines = text.lines().map(str::trim).enumerate().filter(|(_, line)| !line.starts_with("//"));
        let lines = lines.filter(|(_, line)| strong.iter().any(|order| line.contains(order)));
        lines.map(|(at, line)| (path.clone(), at, line.to_owned())).collect()
    }

    /// The lines that a mutant changes or removes, except those that its replacement repeats.
    fn changed_lines(mutant: &Mutant) -> Vec<(PathBuf, usize)> {
        let mut lines = Vec::new();
        for (file, edits) in by_file(&mutant.edits) {
            let path = root().join(file);
            let text = read(&path).unwrap();
            for (bytes, replacement) in places(&text, &edits).unwrap() {
                let first = text[..bytes.start].matches('\n').count();
                let whole = whole_lines(&text, &bytes);
                let (begin, end) = (&text[whole.start..bytes.start], &text[bytes.end..whole.end]);
                let new = format!("{begin}{replacement}{end}");
                let old = text[whole].lines().enumerate();
                let gone = old.filter(|(_, line)| new.lines().all(|kept| kept.trim() != line.trim()));
                lines.extend(gone.map(|(at, _)| (path.clone(), first + at)));
            }
        }
        lines
    }

    /// From the start of the first line to the end of the last.
    fn whole_lines(text: &str, bytes: &Range<usize>) -> Range<usize> {
        let start = text[..bytes.start].rfind('\n').map_or(0, |end| end + 1);
        start..text[bytes.end..].find('\n').map_or(text.len(), |end| bytes.end + end)
    }
}
