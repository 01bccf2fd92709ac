//! The results of generated mutants from earlier runs, so that an interrupted run can continue.

use super::judge::Fate;
use super::program::folder;
use super::schemata::{Generated, Left};
use crate::shell::{Outcome, output, root, write};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::PathBuf;
use std::process::Command;

/// The results of earlier runs, one line of JSON each.
pub(super) struct Store {
    path: PathBuf,
    versions: Versions,
    /// Hash of all mutants and their numbers.
    numbers: u64,
    known: HashMap<u64, Judged>,
    /// The scenarios that have ever killed mutants of a file, by their names.
    killers: HashMap<String, HashSet<String>>,
}

/// The fate of a mutant, and how long it took to find out.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct Judged {
    pub(super) fate: Fate,
    pub(super) seconds: f64,
}

/// The versions that the fate of a mutant depends on.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Versions {
    /// Hash of the model without its tests, which come last in their files or are files of their own.
    model: u64,
    /// Hash of the model and the checker.
    all: u64,
}

fn versions() -> Outcome<Versions> {
    let without_tests = |name: &str, text: String| {
        let tests = if name.ends_with("/tests.rs") { 0 } else { tests_at(&text) };
        text[..tests].trim_end().to_owned()
    };
    let model = version(&["model/src"], without_tests)?;
    Ok(Versions { model, all: version(&["model/src", "simt"], |_, text| text)? })
}

#[derive(Serialize, Deserialize)]
struct Entry {
    name: String,
    versions: Versions,
    /// Hash of its name and text.
    mutant: u64,
    judged: Judged,
}

impl Store {
    /// The results for this version of the project, from scenarios that take `within` seconds or more. What
    /// is undecided and has a reason, which is about the model, stays so until the model changes.
    pub(super) fn open(
        mutants: &[Generated],
        within: u32,
        has_reason: impl Fn(&str) -> bool,
    ) -> Outcome<Self> {
        let path = folder().join("fates.jsonl");
        let versions = versions()?;
        let (mut known, mut killers) = (HashMap::new(), HashMap::<String, HashSet<String>>::new());
        for line in std::fs::read_to_string(&path).unwrap_or_default().lines() {
            // The mutant of a truncated line is judged again.
            let Ok(entry) = serde_json::from_str::<Entry>(line) else { continue };
            if let (Fate::Killed { scenario, .. }, Some((file, _))) =
                (&entry.judged.fate, entry.name.split_once(": "))
            {
                killers.entry(file.to_owned()).or_default().insert(scenario.clone());
            }
            let stays = match entry.judged.fate {
                // Scenarios and tests are only added.
                Fate::Killed { .. } | Fate::Unviable => true,
                Fate::Undecided { .. } if has_reason(&entry.name) => true,
                Fate::Lives { .. } | Fate::NotReached => entry.versions == versions,
                Fate::Undecided { within: was, .. } => entry.versions == versions && was >= within,
            };
            if entry.versions.model == versions.model && stays {
                known.insert(entry.mutant, entry.judged);
            }
        }
        let numbers = hash(&mutants.iter().map(|one| (one.number, key(one))).collect::<Vec<_>>());
        Ok(Self { path, versions, numbers, known, killers })
    }

    /// The fate of a mutant, if it is known.
    pub(super) fn get(&self, mutant: &Generated) -> Option<Judged> {
        self.known.get(&key(mutant)).cloned()
    }

    /// Whether a scenario has killed a mutant of this file.
    pub(super) fn kills(&self, file: &str, scenario: &str) -> bool {
        self.killers.get(file).is_some_and(|killers| killers.contains(scenario))
    }

    /// Stores the fate of a mutant, unless the project was changed meanwhile.
    pub(super) fn put(&mut self, mutant: &Generated, judged: &Judged) -> Outcome<()> {
        if self.versions != versions()? {
            return Err("the project was changed while its mutants were judged: run it again".to_owned());
        }
        self.known.insert(key(mutant), judged.clone());
        let (name, judged) = (mutant.name.clone(), judged.clone());
        let entry = Entry { name, versions: self.versions, mutant: key(mutant), judged };
        let line = serde_json::to_string(&entry).map_err(|e| e.to_string())?;
        let file = std::fs::OpenOptions::new().create(true).append(true).open(&self.path);
        file.and_then(|mut file| writeln!(file, "{line}"))
            .map_err(|e| format!("cannot write {}: {e}", self.path.display()))
    }

    /// The mutants that were left of this version of the model when it was built.
    pub(super) fn left(&self) -> Outcome<Left> {
        let known = std::fs::read_to_string(self.path_of_left()).ok();
        Ok(known.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
    }

    /// Stores the mutants that are left.
    pub(super) fn keep_left(&self, left: &Left) -> Outcome<()> {
        write(&self.path_of_left(), &serde_json::to_string(left).map_err(|e| e.to_string())?)
    }

    fn path_of_left(&self) -> PathBuf {
        self.path.with_file_name(format!("left-{:x}.json", hash(&(self.versions.model, self.numbers))))
    }

    /// A name of this version of the project and of its mutants.
    pub(super) fn version(&self) -> u64 {
        hash(&(self.versions.model, self.versions.all, self.numbers))
    }
}

/// The identity of a mutant, which does not include its number.
fn key(mutant: &Generated) -> u64 {
    hash(&(&mutant.name, &mutant.text))
}

/// Where the tests of a file begin.
fn tests_at(text: &str) -> usize {
    let begins = ["#[cfg(test)]", "#[cfg(all(test"].into_iter().filter_map(|begin| text.find(begin));
    begins.min().unwrap_or(text.len())
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// A hash of what `part` leaves of each source file in these folders, by its name.
fn version(folders: &[&str], part: impl Fn(&str, String) -> String) -> Outcome<u64> {
    let mut list = Command::new("git");
    list.current_dir(root()).args(["ls-files", "-co", "--exclude-standard", "--"]).args(folders);
    let listed = output(&mut list)?;
    let mut names: Vec<&str> = listed.lines().filter(|name| name.ends_with(".rs")).collect();
    names.sort_unstable();
    names.dedup();
    let text = |name: &str| std::fs::read_to_string(root().join(name)).ok().map(|text| part(name, text));
    let texts: Vec<_> = names.iter().map(|name| (name, text(name))).collect();
    Ok(hash(&texts))
}
