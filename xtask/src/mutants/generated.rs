//! `cargo xtask mutants --generated`: the mutants that cargo-mutants makes of the slab hash.
//!
//! What became of each is kept in the target folder, so that a run that was cut off goes on. The table is written for
//! the files that were asked for; the others keep their rows.

use super::judge::{Fate, Judge, UNIT_TEST};
use super::listing::{Generated, list};
use super::reasons::{self, Reason};
use crate::shell::{Outcome, output, read, root, scratch, write};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};
use warpproof_simt::check::Scenario;
use warpproof_simt::scenarios::slab;

/// The least CPU time that a worker may use for one set.
const LEAST: Duration = Duration::from_secs(20);

/// Where the rows of the files and those of the mutants begin.
const FILES: &str = "| File | Mutants | Killed by scenarios | By unit tests | Unviable | Equivalent | Open | Survived |\n|---|---|---|---|---|---|---|---|\n";
const MUTANTS: &str =
    "| File | Place | Mutant | Why nothing kills it | Executions |\n|---|---|---|---|---|\n";

/// Checks the mutants of the files with `filter` in their path, and writes their rows.
pub(crate) fn run_generated(filter: &str) -> Outcome<()> {
    let mutants = list()?;
    let names: HashSet<&str> = mutants.iter().map(|mutant| &*mutant.name).collect();
    let reasons_path = root().join("tests/mutants/generated.txt");
    let reasons = reasons::parse(&read(&reasons_path)?, &names)
        .map_err(|error| format!("{}: {error}", reasons_path.display()))?;
    let asked: Vec<&Generated> = mutants.iter().filter(|mutant| mutant.file.contains(filter)).collect();
    if asked.is_empty() {
        return Err(format!(
            "cargo-mutants makes no mutant of a file of the slab hash with {filter} in its path"
        ));
    }
    let fates = judge_all(&asked)?;
    let rows: Vec<Row<'_>> = asked
        .iter()
        .zip(&fates)
        .map(|(mutant, fate)| Row { mutant, fate, reason: reasons.get(&mutant.name) })
        .collect();
    let path = root().join("tests/mutants/generated.md");
    write(&path, &table(&read(&path)?, &rows)?)?;
    let faults: Vec<String> = rows.iter().filter_map(Row::fault).collect();
    println!("{} mutants, {} not as they should be", rows.len(), faults.len());
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n")) }
}

/// What became of each.
fn judge_all(mutants: &[&Generated]) -> Outcome<Vec<Fate>> {
    let sets = [slab::default_set(), slab::deep()];
    let mut store = Store::open()?;
    let (known, start) = (mutants.iter().filter(|m| store.get(m).is_some()).count(), Instant::now());
    println!("{} mutants, {known} known from an earlier run", mutants.len());
    let mut judge = None;
    let mut fates = Vec::new();
    for (number, mutant) in mutants.iter().enumerate() {
        if let Some(fate) = store.get(mutant) {
            fates.push(fate);
            continue;
        }
        let judge: &Judge = match &mut judge {
            Some(judge) => judge,
            none => none.insert(calibrated(&sets)?),
        };
        let begun = Instant::now();
        let patch = scratch().join("mutants/generated.patch");
        write(&patch, &mutant.patch)?;
        let fate = judge.judge_with_tests(Some(&patch), &sets)?;
        if store.versions != versions()? {
            return Err("the project was changed while its mutants were judged: run it again".to_owned());
        }
        store.put(mutant, &fate)?;
        let (at, took) = (number + 1, begun.elapsed().as_secs_f64());
        println!("{at}/{} {} ({}): {fate:?}  {took:.0} s", mutants.len(), mutant.name, mutant.place);
        fates.push(fate);
    }
    println!("{:.0} s", start.elapsed().as_secs_f64());
    Ok(fates)
}

/// A judge that gives a mutant ten times the time of the original, which must hold.
fn calibrated(sets: &[Vec<Scenario>]) -> Outcome<Judge> {
    // Builds what no mutant changes.
    let judge = Judge::new(Duration::from_secs(600));
    if let fate @ Fate::Killed { .. } = judge.judge_with_tests(None, &[])? {
        return Err(format!("the original does not hold: {fate:?}"));
    }
    let start = Instant::now();
    match judge.judge(None, sets)? {
        Fate::Lives { executions } => {
            let limit = (start.elapsed() * 10).max(LEAST);
            println!("the original holds, {executions} executions; a worker ends after {} s", limit.as_secs());
            Ok(Judge::new(limit))
        }
        fate => Err(format!("the original does not hold: {fate:?}")),
    }
}

/// What earlier runs found, one line of JSON each.
struct Store {
    path: PathBuf,
    versions: Versions,
    known: HashMap<u64, Fate>,
}

/// What the fate of a mutant depends on.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Versions {
    /// Hash of the model without its tests, which come last in their files.
    model: u64,
    /// Hash of the model and the checker.
    all: u64,
}

fn versions() -> Outcome<Versions> {
    let without_tests = |text: String| text.split("#[cfg(test)]").next().map(str::to_owned);
    let model = version(&["model/src"], without_tests)?;
    Ok(Versions { model, all: version(&["model/src", "simt"], Some)? })
}

#[derive(Serialize, Deserialize)]
struct Entry {
    name: String,
    versions: Versions,
    /// Hash of the patch.
    patch: u64,
    fate: Fate,
}

impl Store {
    fn open() -> Outcome<Self> {
        let path = scratch().join("mutants/generated.jsonl");
        let versions = versions()?;
        let mut known = HashMap::new();
        for line in std::fs::read_to_string(&path).unwrap_or_default().lines() {
            // A line that was cut off is asked again.
            let Ok(entry) = serde_json::from_str::<Entry>(line) else { continue };
            // Who was killed stays so: scenarios and tests only come.
            let lives = matches!(entry.fate, Fate::Lives { .. });
            if entry.versions.model == versions.model && (!lives || entry.versions == versions) {
                known.insert(entry.patch, entry.fate);
            }
        }
        Ok(Self { path, versions, known })
    }

    fn get(&self, mutant: &Generated) -> Option<Fate> {
        self.known.get(&hash(&mutant.patch)).cloned()
    }

    fn put(&mut self, mutant: &Generated, fate: &Fate) -> Outcome<()> {
        let (patch, fate) = (hash(&mutant.patch), fate.clone());
        let entry = Entry { name: mutant.name.clone(), versions: self.versions, patch, fate };
        let line = serde_json::to_string(&entry).map_err(|e| e.to_string())?;
        let file = std::fs::OpenOptions::new().create(true).append(true).open(&self.path);
        file.and_then(|mut file| writeln!(file, "{line}"))
            .map_err(|e| format!("cannot write {}: {e}", self.path.display()))
    }
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// A hash of what `part` says of each source file in these folders.
fn version(folders: &[&str], part: impl Fn(String) -> Option<String>) -> Outcome<u64> {
    let mut list = Command::new("git");
    list.current_dir(root()).args(["ls-files", "-co", "--exclude-standard", "--"]).args(folders);
    let listed = output(&mut list)?;
    let mut names: Vec<&str> = listed.lines().filter(|name| name.ends_with(".rs")).collect();
    names.sort_unstable();
    names.dedup();
    let text = |name: &&str| std::fs::read_to_string(root().join(name)).ok().and_then(&part);
    let texts: Vec<_> = names.iter().map(|name| (name, text(name))).collect();
    Ok(hash(&texts))
}

/// A mutant in the table.
struct Row<'a> {
    mutant: &'a Generated,
    fate: &'a Fate,
    reason: Option<&'a Reason>,
}

impl Row<'_> {
    /// What is not as it should be.
    fn fault(&self) -> Option<String> {
        let fault = match (self.fate, self.reason) {
            (Fate::Lives { .. }, None) => "survived",
            (Fate::Killed { .. } | Fate::Unviable, Some(_)) => {
                "killed or unviable, though it has a reason to live"
            }
            _ => return None,
        };
        Some(format!("{} ({}): {fault}", self.mutant.name, self.mutant.place))
    }

    /// The row, if nothing killed it.
    fn line(&self) -> Option<String> {
        let Fate::Lives { executions } = self.fate else { return None };
        let why = self.reason.map_or("**survived**", |reason| &*reason.text);
        let (file, place) = (&self.mutant.file, &self.mutant.place);
        let what = self.mutant.what.replace('|', "\\|");
        Some(format!("| {file} | {place} | {what} | {why} | {executions} |\n"))
    }
}

/// The text of the table with the rows of all files in `rows` put in the place of their old ones.
fn table(old: &str, rows: &[Row<'_>]) -> Outcome<String> {
    let parts = old.split_once(FILES).and_then(|(head, rest)| {
        let (files, rest) = rest.split_once("\n\n")?;
        Some((head, files, rest.split_once(MUTANTS)?))
    });
    let (head, files, (middle, lines)) = parts.ok_or("tests/mutants/generated.md has not its two tables")?;
    let mut asked: Vec<&str> = rows.iter().map(|row| &*row.mutant.file).collect();
    asked.dedup();
    let kept = |line: &&str| {
        line.starts_with("| model/") && !asked.iter().any(|file| line.starts_with(&format!("| {file} |")))
    };
    let mut files: Vec<String> = files.lines().filter(kept).map(str::to_owned).collect();
    files.extend(asked.iter().map(|file| counts(file, rows)));
    files.sort_unstable();
    files.push(sum(&files));
    // Those of a file stay in the order of their places.
    let mut lines: Vec<String> = lines.lines().filter(kept).map(|line| format!("{line}\n")).collect();
    lines.extend(rows.iter().filter_map(Row::line));
    lines.sort_by_key(|line| line.split(" |").next().map(str::to_owned));
    Ok(format!("{head}{FILES}{}\n\n{middle}{MUTANTS}{}", files.join("\n"), lines.concat()))
}

/// The row of a file.
fn counts(file: &str, rows: &[Row<'_>]) -> String {
    let of = |wanted: &dyn Fn(&Row<'_>) -> bool| {
        rows.iter().filter(|r| r.mutant.file == file && wanted(r)).count()
    };
    let lives = |row: &Row<'_>| matches!(row.fate, Fate::Lives { .. });
    let excused =
        |row: &Row<'_>, equivalent| lives(row) && row.reason.is_some_and(|r| r.equivalent == equivalent);
    let numbers = [
        of(&|_| true),
        of(&|row| matches!(row.fate, Fate::Killed { how, .. } if how != UNIT_TEST)),
        of(&|row| matches!(row.fate, Fate::Killed { how, .. } if how == UNIT_TEST)),
        of(&|row| *row.fate == Fate::Unviable),
        of(&|row| excused(row, true)),
        of(&|row| excused(row, false)),
        of(&|row| lives(row) && row.reason.is_none()),
    ];
    format!("| {file} | {} |", numbers.map(|number| number.to_string()).join(" | "))
}

/// The row of all files.
fn sum(files: &[String]) -> String {
    let mut sums = [0u32; 7];
    for line in files {
        for (sum, cell) in sums.iter_mut().zip(line.split('|').skip(2)) {
            *sum += cell.trim().parse::<u32>().unwrap_or(0);
        }
    }
    format!("| all | {} |", sums.map(|sum| sum.to_string()).join(" | "))
}
