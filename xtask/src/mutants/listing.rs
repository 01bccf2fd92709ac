//! The mutants that cargo-mutants makes of the slab hash, as patches.

use crate::shell::{Outcome, root};
use serde::Deserialize;
use std::collections::HashMap;
use std::process::Command;

/// Files of the model that every protocol stands on.
const FILES: [&str; 5] = [
    "model/src/entry.rs",
    "model/src/key.rs",
    "model/src/memory.rs",
    "model/src/row.rs",
    "model/src/warp.rs",
];
/// The folders of the slab hash, and of its allocator.
const FOLDERS: [&str; 2] = ["model/src/slab/", "model/src/reclaim/"];
/// It is the checker's own: a weaker invariant is no mistake of the protocol.
const CHECKER: &str = "model/src/slab/invariants.rs";

/// A mutant that cargo-mutants made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Generated {
    /// The file and what is changed in it, without the line, so that it stays the same when others move: the second
    /// one of a name in its file has `#2` behind it.
    pub(super) name: String,
    pub(super) file: String,
    /// Line and column.
    pub(super) place: String,
    /// What is changed.
    pub(super) what: String,
    pub(super) patch: String,
}

/// What cargo-mutants says of one.
#[derive(Deserialize)]
struct Listed {
    name: String,
    file: String,
    diff: String,
}

/// Asks cargo-mutants for all mutants of the files of the slab hash.
pub(super) fn list() -> Outcome<Vec<Generated>> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root()).args(["mutants", "--list", "--json", "--diff", "-p", "warpproof-model"]);
    let answer = cargo.output().map_err(|e| format!("cannot run {cargo:?}: {e}"))?;
    let errors = String::from_utf8_lossy(&answer.stderr);
    if errors.contains("no such command") {
        return Err("cargo-mutants is missing: cargo install cargo-mutants".to_owned());
    }
    if !answer.status.success() {
        return Err(format!("{cargo:?} failed: {}\n{errors}", answer.status));
    }
    parse(&String::from_utf8_lossy(&answer.stdout))
}

/// The mutants of the files of the slab hash in a list of cargo-mutants.
fn parse(json: &str) -> Outcome<Vec<Generated>> {
    let listed: Vec<Listed> =
        serde_json::from_str(json).map_err(|e| format!("cargo-mutants lists something else: {e}"))?;
    let mut seen = HashMap::new();
    listed
        .into_iter()
        .filter(|one| {
            let is_in = |folder: &&str| one.file.starts_with(folder);
            FILES.contains(&&*one.file) || FOLDERS.iter().any(is_in) && one.file != CHECKER
        })
        .map(|one| one.generated(&mut seen))
        .collect()
}

impl Listed {
    fn generated(self, seen: &mut HashMap<String, u32>) -> Outcome<Generated> {
        let strange = || format!("cargo-mutants lists a mutant of another form: {}", self.name);
        // FILE:LINE:COLUMN: WHAT
        let rest = self.name.strip_prefix(&*self.file).and_then(|rest| rest.strip_prefix(':'));
        let (place, what) = rest.and_then(|rest| rest.split_once(": ")).ok_or_else(strange)?;
        let mut name = format!("{}: {what}", self.file);
        let number = seen.entry(name.clone()).or_insert(0);
        *number += 1;
        if *number > 1 {
            name += &format!(" #{number}");
        }
        // Its headings name no path behind `+++`.
        let hunks = self.diff.find("\n@@ ").map(|at| &self.diff[at + 1..]).ok_or_else(strange)?;
        Ok(Generated {
            patch: format!("--- a/{0}\n+++ b/{0}\n{hunks}", self.file),
            place: place.to_owned(),
            what: what.to_owned(),
            name,
            file: self.file.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(entries: &[(&str, &str)]) -> String {
        let entry = |(file, at_and_what): &(&str, &str)| {
            serde_json::json!({
                "name": format!("{file}:{at_and_what}"),
                "file": file,
                "genre": "BinaryOperator",
                "diff": format!("--- {file}\n+++ replace\n@@ -1 +1 @@\n-a\n+b\n"),
            })
        };
        serde_json::Value::from(entries.iter().map(entry).collect::<Vec<_>>()).to_string()
    }

    #[test]
    fn a_list_becomes_patches() {
        let chain = "model/src/slab/chain.rs";
        let twice = "replace + with - in f";
        let list = json(&[
            ("model/src/host/mod.rs", "1:1: replace f with ()"),
            (CHECKER, "1:1: replace f with ()"),
            (chain, &format!("7:9: {twice}")),
            (chain, &format!("7:30: {twice}")),
            ("model/src/reclaim/bitmap.rs", "3:1: replace f with ()"),
            ("model/src/key.rs", "2:1: replace f -> u32 with 0"),
        ]);
        let all = parse(&list).expect("a list");
        let names: Vec<_> = all.iter().map(|one| &*one.name).collect();
        assert_eq!(
            names,
            [
                "model/src/slab/chain.rs: replace + with - in f",
                "model/src/slab/chain.rs: replace + with - in f #2",
                "model/src/reclaim/bitmap.rs: replace f with ()",
                "model/src/key.rs: replace f -> u32 with 0",
            ]
        );
        assert_eq!((&*all[1].place, &*all[1].what, &*all[1].file), ("7:30", twice, chain));
        assert_eq!(all[0].patch, format!("--- a/{chain}\n+++ b/{chain}\n@@ -1 +1 @@\n-a\n+b\n"));
    }

    #[test]
    fn another_form_is_an_error() {
        assert!(parse("{}").is_err());
        assert!(parse("[{}]").is_err());
        assert!(parse(&json(&[("model/src/key.rs", "no place")])).is_err());
        let no_hunk = json(&[("model/src/key.rs", "1:1: replace f with ()")]).replace("@@", "");
        assert!(parse(&no_hunk).is_err());
    }
}
