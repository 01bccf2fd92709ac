//! `cargo xtask counts`: the files that a new structure, operation or entry type changes, and how much code
//! is repeated.

use crate::circles;
use crate::comments::{self, comments};
use crate::modules;
use crate::mutants;
use crate::shell::{Outcome, output, read, root};
use std::process::Command;
use syn::{Item, UseTree};

/// A file that a change of some kind touches, and the reason.
type Place = (&'static str, &'static str);

/// The files that a new structure touches outside of its own folders.
const STRUCTURE: [Place; 10] = [
    ("model/src/lib.rs", "declares its module"),
    ("model/src/host/structure.rs", "its type for the host, its sizes and numbers"),
    ("src/any/numbers.rs", "its sizes and numbers among those of any structure"),
    ("simt/src/cpu/mod.rs", "declares its tables on the CPU"),
    ("simt/src/scenarios/mod.rs", "declares its scenarios"),
    ("simt/src/scenarios/structures.rs", "its row for everything that explores"),
    ("gpu/kernels/src/matrix.rs", "declares its layouts; its rows of kernels"),
    ("gpu/src/structures/mod.rs", "declares its tables on the GPU"),
    ("src/registry/rows.rs", "its row for list, run, bench, join and kmers"),
    ("tests/suite/facts.rs", "what the suite knows of it, and its rows of tests"),
];

/// The files that a new operation of maps touches outside of the folders of its structures.
const OPERATION: [Place; 11] = [
    ("model/src/host/bulk.rs", "a method of the interface, or a capability of its own"),
    ("model/src/map.rs", "what a warp calls"),
    ("model/src/spec/call.rs", "its name in scenarios"),
    ("model/src/spec/map.rs", "what it is, sequentially"),
    ("simt/src/scenarios/form.rs", "if it stores: its calls have values"),
    ("gpu/kernels/src/matrix.rs", "the arguments of its kernel, and the tables that have it"),
    ("gpu/src/operations/mod.rs", "its name among the kernels"),
    ("gpu/src/operations/update.rs", "all ways to call it: a file for each family of operations"),
    ("src/any/capabilities.rs", "for tables of any structure"),
    ("src/registry/operations.rs", "its row for list"),
    ("tests/suite/maps.rs", "how the suite calls it, and the bodies of its tests"),
];

/// The operation that shows that [`OPERATION`] is right.
const AN_OPERATION: [&str; 4] = ["insert_or_add", "InsertOrAdd", "insert_or_update", "InsertOrUpdate"];

/// The files that name this operation though an operation need not be there.
const OPERATION_BY_CHOICE: [Place; 15] = [
    ("gpu/src/arguments.rs", "has the arguments of the launch for the sums that it leaves"),
    ("gpu/src/table/family.rs", "says which tables leave sums"),
    ("model/src/spec/containers.rs", "a counter takes its name"),
    ("python/src/device.rs", "Python has it"),
    ("python/src/table.rs", "Python has it"),
    ("simt/src/check/html/told.rs", "says in words what it asks for"),
    ("simt/src/check/linearization.rs", "tries sums, to say what it could have returned"),
    ("simt/src/cpu/by_key.rs", "calls it on one key"),
    ("simt/src/cpu/columns/added.rs", "adds up equal keys of a batch before it"),
    ("simt/src/cpu/columns/mod.rs", "passes that on"),
    ("simt/src/scenarios/aggregate/left.rs", "runs the sums that it leaves"),
    ("simt/src/scenarios/applied.rs", "puts other functions in its place"),
    ("src/bench/device/calls.rs", "measures it"),
    ("src/kmers/counts.rs", "counts with it"),
    ("src/registry/rows.rs", "some tables of one capability lack a part of it"),
];

/// The files that a new entry type touches outside of the folders of the structures that store it.
const ENTRY: [Place; 7] = [
    ("model/src/entry.rs", "the type"),
    ("simt/src/cpu/packed.rs", "its memory on the CPU"),
    ("simt/src/scenarios/entry.rs", "its name and its words in scenarios"),
    ("gpu/kernels/src/matrix.rs", "its layout in kernels, and the tables that hold it"),
    ("gpu/src/layout.rs", "its name on the GPU"),
    (ENTRIES, "its name on the command line"),
    ("src/registry/rows.rs", "the tables that hold it"),
];

/// The entry type that shows that [`ENTRY`] is right.
const AN_ENTRY: [&str; 3] = ["Set64", "set64", "Key64"];

/// The files that name this entry type though an entry type need not be there.
const ENTRY_BY_CHOICE: [Place; 7] = [
    ("gpu/kernels/src/paper.rs", "a published table holds it"),
    ("python/src/device.rs", "Python has it"),
    ("python/src/make.rs", "Python has it"),
    ("python/src/table.rs", "Python has it"),
    ("simt/src/explore/buffering/structures.rs", "one table of a kind is enough"),
    ("src/bench/mod.rs", "an example of a command"),
    ("src/bench/paper/sets.rs", "compares sets that hold it"),
];

/// The files that a new number type for keys or values touches. A table holds it by its bits.
const NUMBER: [Place; 5] = [
    ("model/src/bits.rs", "its bits"),
    ("simt/src/cpu/packed.rs", "its store on the CPU"),
    ("simt/src/cpu/slab/store.rs", "its store in chains of slabs"),
    ("gpu/src/layout.rs", "its layout on the GPU"),
    ("tests/number_types.rs", "its row of tests"),
];

/// The file that defines `--entry`.
const ENTRIES: &str = "src/entry.rs";

/// The tables of the library, from the rows of src/registry/rows.rs.
fn tables() -> Outcome<Vec<String>> {
    let text = read(&root().join("src/registry/rows.rs"))?;
    let names = text.lines().filter_map(|line| line.trim().strip_prefix("name: \"")?.strip_suffix("\","));
    let names: Vec<String> = names.map(str::to_owned).collect();
    if names.is_empty() { Err("src/registry/rows.rs has no row".to_owned()) } else { Ok(names) }
}

/// Prints all counts.
pub(crate) fn print() -> Outcome<()> {
    let kinds = [
        ("structure", &STRUCTURE[..]),
        ("operation", &OPERATION),
        ("entry type", &ENTRY),
        ("number type", &NUMBER),
    ];
    let show = |places: &[Place]| places.iter().for_each(|(file, why)| println!("  {file:<44} {why}"));
    for (what, places) in kinds {
        println!("A new {what} touches {} files outside of the folders of its structures:", places.len());
        show(places);
    }
    let by_choice = [(AN_OPERATION[0], &OPERATION_BY_CHOICE[..]), (AN_ENTRY[0], &ENTRY_BY_CHOICE)];
    for (name, files) in by_choice {
        println!("{} more files name {name}, by choice and not by need:", files.len());
        show(files);
    }
    let tables = tables()?;
    println!("\nTables: {}", tables.join(", "));
    for table in &tables {
        let others = others(table)?;
        println!("  {table}: {} other files name it, by choice and not by need", others.len());
    }
    println!("\nLines of Rust");
    for (what, paths) in GROUPS {
        println!("  {what:<44}{:>7}", lines(paths)?);
    }
    println!("\nBytes of gpu/ptx{:>39}", ptx_bytes());
    println!("\nPublic names");
    for (what, file) in [("GPU backend", "gpu/src/lib.rs"), ("CPU backend", "simt/src/cpu/mod.rs")] {
        println!("  {what:<44}{:>7}", public_names(file)?);
    }
    println!("\nCircles between files of different folders: {}", circles::between_folders()?.len());
    let comments = comments()?;
    println!("Comment lines over {} columns: {}", comments::COLUMNS, comments.long.len());
    println!("Doc comments that begin with \"The same\": {}", comments.dependent.len());
    println!("\nMutants");
    let mut all = 0;
    for structure in mutants::structures()? {
        let count = mutants::count(&structure)?;
        all += count;
        println!("  {structure:<44}{count:>7}");
    }
    println!("  {:<44}{all:>7}", "together");
    Ok(())
}

/// Bytes of the checked-in PTX.
pub(crate) fn ptx_bytes() -> u64 {
    let files = std::fs::read_dir(modules::folder()).into_iter().flatten().flatten();
    files.filter_map(|file| file.metadata().ok()).map(|data| data.len()).sum()
}

/// The code that used to be written once for each structure.
const GROUPS: [(&str, &[&str]); 7] = [
    ("GPU: tables, ways of access, structures", &["gpu/src", ":!gpu/src/arguments*", ":!gpu/src/bench"]),
    ("GPU: arguments of kernels", &["gpu/src/arguments*"]),
    ("GPU: kernels", &["gpu/kernels/src"]),
    ("registry, and bench of tables", &["src/registry*", "src/backend.rs", "src/bench", ":!src/bench/paper"]),
    ("tables of any structure", &["src/any*"]),
    ("scenarios", &["simt/src/scenarios"]),
    ("suite", &["tests/suite*"]),
];

fn listed(paths: &[&str]) -> Outcome<Vec<String>> {
    let text = output(Command::new("git").current_dir(root()).arg("ls-files").args(paths))?;
    Ok(text.lines().filter(|file| file.ends_with(".rs")).map(str::to_owned).collect())
}

fn lines(paths: &[&str]) -> Outcome<usize> {
    listed(paths)?.iter().map(|file| Ok(read(&root().join(file))?.lines().count())).sum()
}

/// The files that name a structure and are neither its own nor listed in [`STRUCTURE`].
fn others(structure: &str) -> Outcome<Vec<String>> {
    let is_own = |file: &str| file.split('/').any(|part| part.trim_end_matches(".rs") == structure);
    let is_place = |file: &str| STRUCTURE.iter().any(|(place, _)| *place == file);
    let mut found = Vec::new();
    for file in listed(&["*.rs"])? {
        if !is_own(&file) && !is_place(&file) && names(&read(&root().join(&file))?, structure) {
            found.push(file);
        }
    }
    Ok(found)
}

/// The lines of code before the tests.
fn code(text: &str) -> impl Iterator<Item = &str> {
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    code.lines().filter(|line| !line.trim_start().starts_with("//"))
}

/// Whether code names a structure: in an identifier, before the tests.
fn names(text: &str, structure: &str) -> bool {
    code(text).any(|line| {
        let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.any(|word| is_name(word, structure))
    })
}

/// Matches `open`, `OPEN`, `Open`, `OpenMap` and `open_map`, but not `Opened`. `waitfree` also matches
/// `WaitFree`.
fn is_name(word: &str, structure: &str) -> bool {
    let begins = |name: &str, next: fn(char) -> bool| {
        word.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(next))
    };
    let snake = |c| c == '_';
    let is_camel = word.split_at_checked(structure.len()).is_some_and(|(name, rest)| {
        let is_mixed = name.starts_with(char::is_uppercase) && name.contains(char::is_lowercase);
        is_mixed
            && name.eq_ignore_ascii_case(structure)
            && (rest.is_empty() || rest.starts_with(char::is_uppercase))
    });
    is_camel || begins(structure, snake) || begins(&structure.to_uppercase(), snake)
}

/// How many names a file makes public, including modules. For a glob, the names of the module that it refers
/// to.
fn public_names(file: &str) -> Outcome<usize> {
    let parsed = parsed(file)?;
    let mut count = 0;
    for item in &parsed.items {
        match item {
            Item::Use(item) if is_public(&item.vis) => count += leaves(&item.tree),
            Item::Mod(item) if is_public(&item.vis) => count += 1,
            _ => {}
        }
    }
    Ok(count)
}

fn parsed(file: &str) -> Outcome<syn::File> {
    syn::parse_file(&read(&root().join(file))?).map_err(|error| format!("{file}: {error}"))
}

fn is_public(visibility: &syn::Visibility) -> bool {
    matches!(visibility, syn::Visibility::Public(_))
}

fn leaves(tree: &UseTree) -> usize {
    match tree {
        UseTree::Path(path) => leaves(&path.tree),
        UseTree::Group(group) => group.items.iter().map(leaves).sum(),
        UseTree::Name(_) | UseTree::Rename(_) | UseTree::Glob(_) => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each structure is named in every file where a new one would be, so that the list is complete.
    #[test]
    fn every_table_is_named_in_every_place() {
        for table in tables().unwrap() {
            for (file, why) in STRUCTURE {
                let text = read(&root().join(file)).unwrap();
                // Their sizes are computed as those of open addressing.
                let shares = file == "src/any/numbers.rs" && ["cuckoo", "dynamic"].contains(&&*table);
                // A table that grows on a GPU is an open-addressing table.
                let shares = shares || file.starts_with("gpu/kernels") && table == "dynamic";
                // The shards of a table in shards are tables of the GPU.
                let shares = shares || file.starts_with("gpu/") && table == "sharded";
                // Kernels have short names.
                let short = if table == "hopscotch" { "hop" } else { &table };
                let named = names(&text, &table) || names(&text, short);
                assert!(shares || named, "{file} does not name {table}: {why}");
            }
        }
    }

    /// The lists are right for an existing operation, entry type and number type.
    #[test]
    fn an_operation_and_types_are_named_in_every_place() {
        let asked = [(&OPERATION[..], &AN_OPERATION[..]), (&ENTRY, &AN_ENTRY), (&NUMBER, &["f64"])];
        for (places, words) in asked {
            for (file, why) in places {
                let text = read(&root().join(file)).unwrap();
                let says = words.iter().any(|word| text.contains(word));
                assert!(says, "{file}: {why}");
            }
        }
    }

    /// The names of folders and files of structures, besides those of the tables: the map of reserved keys,
    /// paged tables with a board of fingerprints, and the short name of hopscotch.
    const OWN: [&str; 3] = ["reserved", "board", "hop"];

    /// The code in which an operation and an entry type are looked for.
    const LIBRARY: [&str; 6] = ["model/src", "simt/src", "gpu/src", "gpu/kernels/src", "src", "python/src"];

    /// The files of the library that say one of these words, outside of tests and of what structures own.
    fn that_say(words: &[&str]) -> Outcome<Vec<String>> {
        let tables = tables()?;
        let is_own = |name: &str| OWN.contains(&name) || tables.iter().any(|table| table == name);
        let is_left = |name: &str| is_own(name) || name == "tests";
        let mut found = listed(&LIBRARY)?;
        found.retain(|file| !file.split('/').any(|part| is_left(part.trim_end_matches(".rs"))));
        let mut said = Vec::new();
        for file in found {
            let text = read(&root().join(&file))?;
            let says = code(&text).any(|line| words.iter().any(|word| line.contains(word)));
            said.extend(says.then_some(file));
        }
        Ok(said)
    }

    /// The lists are complete: other files do not name the operation and the entry type.
    #[test]
    fn an_operation_and_an_entry_type_are_named_in_no_other_place() {
        let asked = [
            (&AN_OPERATION[..], &OPERATION[..], &OPERATION_BY_CHOICE[..]),
            (&AN_ENTRY, &ENTRY, &ENTRY_BY_CHOICE),
        ];
        for (words, places, by_choice) in asked {
            let said = that_say(words).unwrap();
            let is_in = |places: &[Place], file: &str| places.iter().any(|(place, _)| *place == file);
            let more: Vec<_> =
                said.iter().filter(|file| !is_in(places, file) && !is_in(by_choice, file)).collect();
            assert!(more.is_empty(), "these also name {}: {more:#?}", words[0]);
            for (file, why) in by_choice {
                assert!(said.iter().any(|said| said == file), "{file} does not name {}: {why}", words[0]);
            }
        }
    }

    #[test]
    fn a_structure_is_named_by_words_that_begin_with_it() {
        for word in ["open", "OPEN", "Open", "OpenMap", "open_map", "OPEN_LANES"] {
            assert!(is_name(word, "open"), "{word}");
        }
        for word in ["Opened", "opens", "reopen", "op", "OPENED"] {
            assert!(!is_name(word, "open"), "{word}");
        }
        assert!(!names("// open\n#[cfg(test)]\nopen", "open"));
    }
}
