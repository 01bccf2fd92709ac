//! The paths that the source of a module names.

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use std::collections::BTreeMap;
use syn::UseTree;

/// The names of modules, starting at the root of a crate, perhaps followed by an item of the last one.
pub(super) type Path = Vec<String>;

/// The file of each module.
pub(super) type Modules<'a> = BTreeMap<Path, &'a str>;

/// What the tokens of files refer to.
pub(super) struct Found<'a> {
    pub(super) modules: &'a Modules<'a>,
    /// The paths that are used, from the root of the crate.
    pub(super) paths: Vec<Path>,
    /// For each name that a module has from a `use`: where it comes from.
    pub(super) names: &'a mut BTreeMap<Path, Path>,
}

impl Found<'_> {
    /// The paths that a module names outside of tests: in a `use`, and wherever a path is written out,
    /// including in macros. A path that is only re-exported (`pub use`) does not count as used.
    pub(super) fn of_tokens(&mut self, tokens: TokenStream, module: &[String]) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            let before = at.checked_sub(1).map(|before| &tokens[before]);
            at += 1;
            match token {
                TokenTree::Group(group) if is(before, "#") && is_test(group) => {
                    at += tokens[at..].iter().take_while(|token| !ends_item(token)).count() + 1;
                }
                TokenTree::Group(group) => {
                    let name = at.checked_sub(3).filter(|&of| is(tokens.get(of), "mod"));
                    let inner = name.map(|of| tokens[of + 1].to_string());
                    self.of_tokens(group.stream(), &[module, inner.as_slice()].concat());
                }
                TokenTree::Ident(word) if word == "use" => {
                    let len = tokens[at..].iter().take_while(|token| !is(Some(token), ";")).count();
                    // Something other than a declaration: `impl Trait + use<'_>`.
                    if let Ok(tree) = syn::parse2(tokens[at..at + len].iter().cloned().collect()) {
                        let passes_on = is(before, "pub") || before.is_some_and(is_parenthesis);
                        self.of_tree(&tree, Vec::new(), (module, !passes_on));
                        at += len;
                    }
                }
                TokenTree::Ident(_) if !(is(before, ":") && at > 2 && is(tokens.get(at - 3), ":")) => {
                    let rest = tokens[at - 1..].chunks(3);
                    let steps = rest.take_while(|step| {
                        step.len() == 3 && is(Some(&step[1]), ":") && is(Some(&step[2]), ":")
                    });
                    let len = 3 * steps.count();
                    let end = tokens.get(at - 1 + len).filter(|last| matches!(last, TokenTree::Ident(_)));
                    let path = tokens[at - 1..at - 1 + len].iter().step_by(3).chain(end);
                    let path: Path = path.map(ToString::to_string).collect();
                    if path.len() > 1 {
                        self.paths.extend(from_root(&path, module, self.modules));
                        // The token after the path may be a group that contains paths.
                        at += len - 1;
                    }
                }
                _ => {}
            }
        }
    }

    /// The paths of a `use` in a module, which uses or only re-exports them.
    fn of_tree(&mut self, tree: &UseTree, prefix: Path, of: (&[String], bool)) {
        let with = |name: &Ident| [&prefix[..], &[name.to_string()]].concat();
        match tree {
            UseTree::Path(path) => self.of_tree(&path.tree, with(&path.ident), of),
            UseTree::Group(group) => {
                group.items.iter().for_each(|tree| self.of_tree(tree, prefix.clone(), of));
            }
            UseTree::Name(name) => self.of_name(&with(&name.ident), &name.ident, of),
            UseTree::Rename(name) => self.of_name(&with(&name.ident), &name.rename, of),
            UseTree::Glob(_) if of.1 => self.paths.extend(from_root(&prefix, of.0, self.modules)),
            UseTree::Glob(_) => {}
        }
    }

    fn of_name(&mut self, path: &[String], name: &Ident, (module, used): (&[String], bool)) {
        let Some(path) = from_root(path, module, self.modules) else { return };
        self.names.insert([module, &[name.to_string()]].concat(), path.clone());
        self.paths.extend(used.then_some(path));
    }
}

/// The files through which a path passes: that of the longest module path that begins it; and if that module
/// imports the next name, the files of the imported path. Names imported by a `*` are not followed.
pub(super) fn files_of<'a>(
    path: &[String],
    modules: &Modules<'a>,
    names: &BTreeMap<Path, Path>,
) -> Vec<&'a str> {
    let mut path = path.to_vec();
    let mut files = Vec::new();
    while let Some(len) = (0..=path.len()).rev().find(|&len| modules.contains_key(&path[..len])) {
        let file = modules[&path[..len]];
        let further = path.get(..=len).and_then(|name| names.get(name));
        let further = further.map(|there| [there, &path[len + 1..]].concat());
        let seen = files.contains(&file);
        files.push(file);
        match further {
            Some(there) if !seen => path = there,
            _ => break,
        }
    }
    files
}

fn is(token: Option<&TokenTree>, text: &str) -> bool {
    token.is_some_and(|token| !matches!(token, TokenTree::Group(_)) && token.to_string() == text)
}

fn is_test(attribute: &Group) -> bool {
    attribute.to_string().replace(' ', "") == "[cfg(test)]"
}

fn is_parenthesis(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis)
}

fn ends_item(token: &TokenTree) -> bool {
    is(Some(token), ";") || matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace)
}

/// A path without `crate`, `self` and `super`. If it begins with a child of the module, the module's name
/// comes first. `None` if it begins otherwise; then it mostly leads to another crate.
fn from_root(path: &[String], module: &[String], modules: &Modules<'_>) -> Option<Path> {
    let (first, rest) = path.split_first()?;
    match &**first {
        "crate" => Some(rest.to_vec()),
        "self" => Some([module, rest].concat()),
        "super" => {
            let up = path.iter().take_while(|name| *name == "super").count();
            Some([&module[..module.len().checked_sub(up)?], &path[up..]].concat())
        }
        _ => {
            let path = [module, path].concat();
            modules.contains_key(&path[..=module.len()]).then_some(path)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read_from_the_root() {
        let names = |path: &str| path.split("::").map(str::to_owned).collect::<Path>();
        let module = names("a::b");
        let modules = Modules::from([(names("a::b::c"), "c.rs")]);
        let read = |path| from_root(&names(path), &module, &modules);
        assert_eq!(read("crate::x::Y"), Some(names("x::Y")));
        assert_eq!(read("super::Y"), Some(names("a::Y")));
        assert_eq!(read("super::super::x"), Some(names("x")));
        assert_eq!(read("c::Y"), Some(names("a::b::c::Y")));
        assert_eq!(read("std::x"), None);
    }

    #[test]
    fn uses_are_found_wherever_a_path_is_written() {
        let names = |path: &str| path.split("::").map(str::to_owned).collect::<Path>();
        let files = ["a", "b", "c", "d", "e", "f"];
        let modules: Modules<'_> = files.iter().map(|file| (names(file), *file)).collect();
        let mut passed = BTreeMap::new();
        let mut uses = |text: &str, module: &str| -> Vec<String> {
            let mut found = Found { modules: &modules, paths: Vec::new(), names: &mut passed };
            found.of_tokens(text.parse().unwrap(), &names(module));
            found.paths.iter().map(|path| path.join("::")).collect()
        };
        assert_eq!(uses("pub use crate::b::X; pub(crate) use crate::{c::Y as Z, d::*};", "a"), [""; 0]);
        let tests = "#[cfg(test)] mod tests { use crate::b::X; } use crate::{c::{X, Y}, d};";
        assert_eq!(uses(tests, "e"), ["c::X", "c::Y", "d"]);
        assert_eq!(uses("mod of { use super::g; } use self::of::h;", "f"), ["f::g", "f::of::h"]);
        let written = "fn f(x: crate::b::X<crate::c::Y>) { m!(crate::d::Z::new::<super::e>(std::x)) }";
        assert_eq!(uses(written, "f"), ["b::X", "c::Y", "d::Z::new", "e"]);
        assert_eq!(files_of(&names("a::Z"), &modules, &passed), ["a", "c"]);
        assert_eq!(files_of(&names("a::Other"), &modules, &passed), ["a"]);
    }
}
