//! The files of the model that mutants are made of, and the scenarios that judge them.

use super::asker::{Set, Which};
use crate::shell::{Outcome, output, root};
use std::process::Command;

/// Files and folders of which no mutants are made, and why.
const EXCLUDED: [(&str, &str); 9] = [
    ("model/src/spec/", "sequential specifications: the checker's own"),
    ("model/src/host/", "the bulk interface of the backends: no warp runs it"),
    ("model/src/paged/file/", "files on a disk: no exploration writes one"),
    (
        "model/src/sharded/table/",
        "the calls and files of a host, around the exchange: no exploration runs them",
    ),
    ("invariants.rs", "invariants: the checker's own"),
    ("spec.rs", "a sequential specification: the checker's own"),
    ("host.rs", "what a host knows of its table: no warp runs it"),
    ("tests.rs", "tests"),
    ("model/src/bits.rs", "floating-point numbers as bits: no exploration has any"),
];

/// The structures that use a folder, in addition to the structure of its name.
const BESIDE: [(&str, &[&str]); 2] = [("reclaim", &["slab", "waitfree"]), ("open", &["open", "reserved"])];

/// The reason why no mutant is made of a file, if there is one.
pub(super) fn excluded(file: &str) -> Option<&'static str> {
    EXCLUDED.iter().find(|(what, _)| is_of(file, what)).map(|(_, why)| *why)
}

/// Whether a file has this path or this name, or is in this folder.
fn is_of(file: &str, what: &str) -> bool {
    if what.ends_with('/') {
        file.starts_with(what)
    } else {
        file == what || file.ends_with(&format!("/{what}"))
    }
}

/// All files of the model.
pub(super) fn all() -> Outcome<Vec<String>> {
    let mut list = Command::new("git");
    list.current_dir(root()).args(["ls-files", "-co", "--exclude-standard", "--", "model/src"]);
    let listed = output(&mut list)?;
    let mut files: Vec<String> =
        listed.lines().filter(|file| file.ends_with(".rs")).map(str::to_owned).collect();
    files.sort_unstable();
    files.dedup();
    files.retain(|file| root().join(file).exists());
    Ok(files)
}

/// The scenarios that judge the mutants of a file: the default sets of the structures that it belongs to.
/// Code that all structures use is judged by the set of the slab hash, and by some scenarios of each other
/// structure.
pub(super) fn sets(file: &str, structures: &[String]) -> Vec<Set> {
    let folder = file.split('/').nth(2).unwrap_or_default();
    let beside = BESIDE.iter().find(|(of, _)| *of == folder).map(|(_, beside)| *beside);
    let default = |structure: &str| Set { structure: structure.to_owned(), which: Which::Default };
    if let Some(beside) = beside {
        return beside.iter().map(|structure| default(structure)).collect();
    }
    if structures.iter().any(|structure| structure == folder) {
        return vec![default(folder)];
    }
    let quick = structures.iter().filter(|structure| *structure != "slab");
    let quick = quick.map(|structure| Set { structure: structure.clone(), which: Which::Quick });
    [default("slab")].into_iter().chain(quick).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutants::places::places;
    use crate::shell::read;
    use std::collections::BTreeSet;
    use std::path::Path;

    /// The Rust files of a folder, by their paths from the root of the project.
    fn on_disk(folder: &Path, all: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                on_disk(&path, all);
            } else if path.extension().is_some_and(|end| end == "rs") {
                all.insert(path.strip_prefix(root()).expect("of the project").display().to_string());
            }
        }
    }

    /// Every file of the model has mutants, or has nothing to change, or is excluded with a reason.
    #[test]
    fn every_file_has_mutants_or_a_reason_to_have_none() {
        let all = all().expect("files");
        let mut have = BTreeSet::new();
        on_disk(&root().join("model/src"), &mut have);
        assert!(all.iter().eq(&have), "git and the disk have the same files");
        for file in all.iter().filter(|file| excluded(file).is_none()) {
            let text = read(&root().join(file)).expect("a file");
            let found = places(&text).unwrap_or_else(|error| panic!("{file}: {error}"));
            let has_reason = NOTHING.iter().any(|(what, _)| is_of(file, what));
            assert!(!found.places.is_empty() || has_reason, "{file} has no mutants and no reason");
        }
        for (what, _) in NOTHING {
            assert!(all.iter().any(|file| is_of(file, what)), "there is no file {what}");
        }
        for (what, _) in EXCLUDED {
            assert!(all.iter().any(|file| is_of(file, what)), "{what} excludes nothing");
        }
    }

    /// Files, or names of files, that contain nothing to change, and why.
    const NOTHING: [(&str, &str); 8] = [
        ("lib.rs", "declarations"),
        ("mod.rs", "declarations"),
        ("model/src/block.rs", "a trait"),
        ("model/src/entry.rs", "a trait, and macros that write entries down"),
        ("model/src/growth/locks.rs", "locks of a host, which hold nothing but calls"),
        ("model/src/paged/device.rs", "a trait"),
        ("model/src/reclaim/counters.rs", "traits, and how wide counters are"),
        ("model/src/slab/multiplicity.rs", "constants"),
    ];

    #[test]
    fn every_file_has_scenarios_of_its_structures() {
        let structures = crate::mutants::structures().expect("structures");
        let of = |file: &str| -> Vec<String> {
            let sets = sets(file, &structures);
            sets.into_iter().map(|set| format!("{} {:?}", set.structure, set.which)).collect()
        };
        assert_eq!(of("model/src/cuckoo/find.rs"), ["cuckoo Default"]);
        assert_eq!(of("model/src/reclaim/pool.rs"), ["slab Default", "waitfree Default"]);
        let shared = of("model/src/key.rs");
        assert_eq!(shared.len(), structures.len());
        assert!(shared[0] == "slab Default" && shared[1..].iter().all(|set| set.ends_with(" Quick")));
        for (_, beside) in BESIDE {
            assert!(beside.iter().all(|of| structures.iter().any(|structure| structure == of)));
        }
    }
}
