//! Cycles among files: a file uses another one, which uses the first, perhaps through others.

mod paths;

use crate::shell::{Outcome, output, read, root};
use paths::{Found, Modules, Path, files_of};
use proc_macro2::TokenStream;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// The crates, given by the folders of their sources.
const CRATES: [&str; 6] =
    ["model/src/", "simt/src/", "gpu/src/", "gpu/device/src/", "gpu/kernels/src/", "src/"];

/// For each file, the files that it uses.
type Uses = BTreeMap<String, BTreeSet<String>>;

/// The cycles of all crates that pass through files of several folders, with the uses that close them.
pub(crate) fn between_folders() -> Outcome<Vec<Vec<String>>> {
    let listed = output(Command::new("git").current_dir(root()).args(["ls-files", "*.rs"]))?;
    let mut found = Vec::new();
    for sources in CRATES {
        let files: Vec<&str> = listed.lines().filter(|file| file.starts_with(sources)).collect();
        let uses = uses(sources, &files)?;
        let folders = |circle: &Vec<String>| {
            circle.iter().map(|file| folder(file, &files)).collect::<BTreeSet<_>>().len() > 1
        };
        let circles = circles(&uses).into_iter().filter(folders);
        found.extend(circles.map(|circle| {
            let pairs = circle.iter().flat_map(|file| uses[file].iter().map(move |used| (file, used)));
            let within = pairs.filter(|(_, used)| circle.contains(used));
            within.map(|(file, used)| format!("{file} uses {used}")).collect()
        }));
    }
    Ok(found)
}

fn uses(sources: &str, files: &[&str]) -> Outcome<Uses> {
    let modules: Modules = files.iter().filter_map(|file| Some((module(sources, file)?, *file))).collect();
    let mut read_files = Vec::new();
    let mut names = BTreeMap::new();
    for (module, file) in &modules {
        let text = read(&root().join(file))?;
        let tokens: TokenStream = text.parse().map_err(|error| format!("{file}: {error}"))?;
        let mut found = Found { modules: &modules, paths: Vec::new(), names: &mut names };
        found.of_tokens(tokens, module);
        read_files.push((*file, found.paths));
    }
    let used = |(file, paths): (&str, Vec<Path>)| {
        let used = paths.iter().flat_map(|path| files_of(path, &modules, &names));
        (file.to_owned(), used.filter(|used| *used != file).map(str::to_owned).collect())
    };
    Ok(read_files.into_iter().map(used).collect())
}

/// The module of a file. Files of other crates in the folder have none.
fn module(sources: &str, file: &str) -> Option<Path> {
    let path = file.strip_prefix(sources)?.strip_suffix(".rs")?;
    let mut names: Path = path.split('/').map(str::to_owned).collect();
    if names.last().is_some_and(|name| name == "mod" || name == "lib" || name == "main") {
        names.pop();
    }
    Some(names)
}

/// The folder of a module: that of its children if it has any.
fn folder(file: &str, files: &[&str]) -> String {
    let children = format!("{}/", file.trim_end_matches(".rs"));
    match files.iter().any(|other| other.starts_with(&children)) {
        true => children,
        false => file.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned() + "/",
    }
}

/// The files that reach each other, each cycle once.
fn circles(uses: &Uses) -> Vec<Vec<String>> {
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        uses.keys().map(|file| (&**file, reached(file, uses))).collect();
    let mut found = BTreeSet::new();
    for (file, reaches) in &reached {
        let back = |other: &&&str| reached.get(**other).is_some_and(|from| from.contains(file));
        let circle: Vec<String> = reaches.iter().filter(back).map(|&file| file.to_owned()).collect();
        if circle.len() > 1 {
            found.insert(circle);
        }
    }
    found.into_iter().collect()
}

fn reached<'a>(file: &str, uses: &'a Uses) -> BTreeSet<&'a str> {
    let (mut seen, mut next) = (BTreeSet::new(), vec![file]);
    while let Some(file) = next.pop() {
        for used in uses.get(file).into_iter().flatten() {
            if seen.insert(&**used) {
                next.push(used);
            }
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_circle_is_found_and_a_chain_is_none() {
        let of = |list: &[(&str, &[&str])]| -> Uses {
            let row = |(file, used): &(&str, &[&str])| {
                ((*file).to_owned(), used.iter().map(|file| (*file).to_owned()).collect())
            };
            list.iter().map(row).collect()
        };
        assert_eq!(circles(&of(&[("a", &["b"]), ("b", &["c"]), ("c", &[])])), [[""; 0]; 0]);
        let circle = circles(&of(&[("a", &["b"]), ("b", &["c"]), ("c", &["b"]), ("d", &["a"])]));
        assert_eq!(circle, [["b", "c"]]);
    }

    #[test]
    fn no_circle_goes_through_files_of_several_folders() {
        let circles = between_folders().unwrap();
        assert!(circles.is_empty(), "{circles:#?}");
    }
}
