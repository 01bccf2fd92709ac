//! What became of generated mutants in earlier runs, so that a run that was cut off goes on.

use super::judge::Fate;
use super::listing::Generated;
use crate::shell::{Outcome, output, root, scratch};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::PathBuf;
use std::process::Command;

/// What earlier runs found, one line of JSON each.
pub(super) struct Store {
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
    /// What is known of this version of the project.
    pub(super) fn open() -> Outcome<Self> {
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

    /// What became of it, if it is known.
    pub(super) fn get(&self, mutant: &Generated) -> Option<Fate> {
        self.known.get(&hash(&mutant.patch)).cloned()
    }

    /// Keeps what became of it, unless the project was changed meanwhile.
    pub(super) fn put(&mut self, mutant: &Generated, fate: &Fate) -> Outcome<()> {
        if self.versions != versions()? {
            return Err("the project was changed while its mutants were judged: run it again".to_owned());
        }
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
