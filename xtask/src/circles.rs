//! Circles between files: a file that uses another one, which uses the first, maybe by others in between.

use crate::shell::{Outcome, output, read, root};
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;
use syn::{Item, UseTree};

/// The crates, by the folders of their sources.
const CRATES: [&str; 6] =
    ["model/src/", "simt/src/", "gpu/src/", "gpu/device/src/", "gpu/kernels/src/", "src/"];

/// Of a file: what it uses, file by file.
type Uses = BTreeMap<String, BTreeSet<String>>;

/// The circles of all crates that go through files of several folders, each as the list of its files.
pub(crate) fn between_folders() -> Outcome<Vec<Vec<String>>> {
    let listed = output(Command::new("git").current_dir(root()).args(["ls-files", "*.rs"]))?;
    let mut found = Vec::new();
    for sources in CRATES {
        let files: Vec<&str> = listed.lines().filter(|file| file.starts_with(sources)).collect();
        let uses = uses(sources, &files)?;
        let folders = |circle: &Vec<String>| {
            circle.iter().map(|file| folder(file, &files)).collect::<BTreeSet<_>>().len() > 1
        };
        found.extend(circles(&uses).into_iter().filter(folders));
    }
    Ok(found)
}

fn uses(sources: &str, files: &[&str]) -> Outcome<Uses> {
    let modules: BTreeMap<Vec<String>, &str> =
        files.iter().filter_map(|file| Some((module(sources, file)?, *file))).collect();
    let mut uses = Uses::new();
    for (module, file) in &modules {
        let text = read(&root().join(file))?;
        let parsed = syn::parse_file(&text).map_err(|error| format!("{file}: {error}"))?;
        let mut paths = Vec::new();
        parsed.items.iter().for_each(|item| of_item(item, module, &mut paths));
        let used = paths.iter().filter_map(|path| file_of(path, &modules)).filter(|used| used != file);
        uses.insert((*file).to_owned(), used.map(str::to_owned).collect());
    }
    Ok(uses)
}

/// The module that a file is, but for files of other crates that lie in the folder.
fn module(sources: &str, file: &str) -> Option<Vec<String>> {
    let path = file.strip_prefix(sources)?.strip_suffix(".rs")?;
    let mut names: Vec<String> = path.split('/').map(str::to_owned).collect();
    if names.last().is_some_and(|name| name == "mod" || name == "lib" || name == "main") {
        names.pop();
    }
    Some(names)
}

/// The paths that a `use` names, from the root of the crate, outside of tests. A name that a module only passes
/// on (`pub use`) is of the module that it comes from, so that paths to children are left out where they are
/// passed on.
fn of_item(item: &Item, module: &[String], paths: &mut Vec<Vec<String>>) {
    match item {
        Item::Use(item) if !is_test(&item.attrs) && matches!(item.vis, syn::Visibility::Inherited) => {
            of_tree(&item.tree, Vec::new(), module, paths);
        }
        Item::Mod(item) if !is_test(&item.attrs) => {
            let inner = [module, &[item.ident.to_string()]].concat();
            item.content.iter().flat_map(|(_, items)| items).for_each(|item| of_item(item, &inner, paths));
        }
        _ => {}
    }
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        syn::Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string() == "test",
        _ => false,
    })
}

fn of_tree(tree: &UseTree, prefix: Vec<String>, module: &[String], paths: &mut Vec<Vec<String>>) {
    let with = |name: String| [&prefix[..], &[name]].concat();
    match tree {
        UseTree::Path(path) => of_tree(&path.tree, with(path.ident.to_string()), module, paths),
        UseTree::Group(group) => {
            group.items.iter().for_each(|tree| of_tree(tree, prefix.clone(), module, paths));
        }
        UseTree::Name(name) => paths.extend(from_root(&with(name.ident.to_string()), module)),
        UseTree::Rename(name) => paths.extend(from_root(&with(name.ident.to_string()), module)),
        UseTree::Glob(_) => paths.extend(from_root(&prefix, module)),
    }
}

/// A path without `crate`, `self` and `super`; none if it begins otherwise, which is mostly another crate.
fn from_root(path: &[String], module: &[String]) -> Option<Vec<String>> {
    let (first, rest) = path.split_first()?;
    match &**first {
        "crate" => Some(rest.to_vec()),
        "self" => Some([module, rest].concat()),
        "super" => {
            let up = path.iter().take_while(|name| *name == "super").count();
            Some([&module[..module.len().checked_sub(up)?], &path[up..]].concat())
        }
        _ => None,
    }
}

/// The file in which what has this path is: that of the longest module of which it begins with the name. A path
/// into a module's own name alone (`super::X`) is in the file of that module.
fn file_of<'a>(path: &[String], modules: &BTreeMap<Vec<String>, &'a str>) -> Option<&'a str> {
    (0..=path.len()).rev().find_map(|len| modules.get(&path[..len]).copied())
}

/// The folder of a module: that of its children, if it has any.
fn folder(file: &str, files: &[&str]) -> String {
    let children = format!("{}/", file.trim_end_matches(".rs"));
    match files.iter().any(|other| other.starts_with(&children)) {
        true => children,
        false => file.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned() + "/",
    }
}

/// The files that reach each other, each circle once.
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
    fn paths_are_read_from_the_root() {
        let names = |path: &str| path.split("::").map(str::to_owned).collect::<Vec<_>>();
        let module = names("a::b");
        assert_eq!(from_root(&names("crate::x::Y"), &module), Some(names("x::Y")));
        assert_eq!(from_root(&names("super::Y"), &module), Some(names("a::Y")));
        assert_eq!(from_root(&names("super::super::x"), &module), Some(names("x")));
        assert_eq!(from_root(&names("std::x"), &module), None);
    }

    #[test]
    fn no_circle_goes_through_files_of_several_folders() {
        let circles = between_folders().unwrap();
        assert!(circles.is_empty(), "{circles:#?}");
    }
}
