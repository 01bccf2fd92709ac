//! `cargo xtask ci package`: every crate that a release would publish can be packaged, and what is in it.

use crate::shell::{Outcome, cargo, output, read, root, run, scratch, write};
use serde::Deserialize;
use serde_json::from_str;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The crates that a release publishes, each after those that it depends on.
const CRATES: [&str; 7] = [
    "warpproof-model",
    "warpproof-simt",
    "warpproof-device",
    "warpproof-gpu",
    "warpproof-baselines",
    "warpproof-museum",
    "warpproof",
];

/// Files that every package has.
const FILES: [&str; 4] = ["Cargo.toml", "README.md", "LICENSE-MIT", "LICENSE-APACHE"];

/// Crates that a program with the library alone does not build.
const NOT_IN_LIBRARY: [&str; 5] = ["serde", "serde_json", "clap", "warpproof-museum", "arrow-array"];

/// What cargo says about the workspace.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

/// The part of a manifest that a registry shows.
#[derive(Deserialize)]
struct Package {
    name: String,
    description: Option<String>,
    license: Option<String>,
    documentation: Option<String>,
    rust_version: Option<String>,
    readme: Option<String>,
    keywords: Vec<String>,
    categories: Vec<String>,
}

impl Package {
    /// What a release would lack.
    fn lacks(&self) -> Vec<&'static str> {
        let facts = [
            ("a description", self.description.is_some()),
            ("a licence", self.license.as_deref() == Some("MIT OR Apache-2.0")),
            ("documentation", self.documentation.is_some()),
            ("a rust-version", self.rust_version.is_some()),
            ("a README", self.readme.is_some()),
            ("one to five keywords of 20 letters at most", {
                (1..=5).contains(&self.keywords.len()) && self.keywords.iter().all(|word| word.len() <= 20)
            }),
            ("one to five categories", (1..=5).contains(&self.categories.len())),
        ];
        facts.into_iter().filter(|(_, is_there)| !is_there).map(|(what, _)| what).collect()
    }
}

/// Packages all crates as a release would, without building them: other steps build what is in them. Checks
/// what a registry would show, the files, and what the library alone depends on.
pub(crate) fn check() -> Outcome<()> {
    let text =
        output(cargo(&["metadata", "--no-deps", "--format-version", "1"]).env("CARGO_TERM_QUIET", "true"))?;
    let metadata: Metadata = from_str(&text).map_err(|error| format!("cargo metadata: {error}"))?;
    let copy = scratch().join("packaged");
    copy_for_release(&copy)?;
    for name in CRATES {
        let package = metadata.packages.iter().find(|package| package.name == name);
        let lacks = package.ok_or_else(|| format!("there is no crate {name}"))?.lacks();
        if !lacks.is_empty() {
            return Err(format!("{name} has no {}", lacks.join(", no ")));
        }
        let list = output(cargo(&["package", "--quiet", "--list", "-p", name]).current_dir(&copy))?;
        let wrong = wrong_files(&list);
        if !wrong.is_empty() {
            return Err(format!("the package of {name}: {}", wrong.join(", ")));
        }
    }
    let crates: Vec<_> = CRATES.iter().flat_map(|name| ["-p", name]).collect();
    let mut package = cargo(&["package", "--no-verify"]);
    run(package.args(crates).current_dir(&copy).env("CARGO_TARGET_DIR", copy.join("target")))?;
    let tree = ["tree", "-p", "warpproof", "--no-default-features", "-e", "normal", "--prefix", "none"];
    match built(&output(&mut cargo(&tree))?).as_slice() {
        [] => Ok(()),
        found => Err(format!("the library alone depends on {}", found.join(", "))),
    }
}

/// Copies the project's files to a folder, where its crates may be published: cargo does not package crates
/// together that may not be.
fn copy_for_release(to: &Path) -> Outcome<()> {
    let failed = |what: &Path, error| format!("cannot copy {}: {error}", what.display());
    if to.exists() {
        fs::remove_dir_all(to).map_err(|error| failed(to, error))?;
    }
    let list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    for file in
        output(Command::new("git").current_dir(root()).args(list))?.split('\0').filter(|f| !f.is_empty())
    {
        let (from, to) = (root().join(file), to.join(file));
        // A file that was deleted and not committed is listed too.
        if from.is_file() {
            fs::create_dir_all(to.parent().unwrap_or(&to)).map_err(|error| failed(&from, error))?;
            fs::copy(&from, &to).map_err(|error| failed(&from, error))?;
        }
    }
    let manifest = to.join("Cargo.toml");
    let text = read(&manifest)?;
    let released = text.replacen("\npublish = false\n", "\npublish = true\n", 1);
    if released == text {
        return Err("Cargo.toml no longer says `publish = false`: this step need not copy the project".into());
    }
    write(&manifest, &released)
}

/// What is wrong with the files of a package.
fn wrong_files(list: &str) -> Vec<String> {
    let files: Vec<&str> = list.lines().collect();
    let missing = FILES.iter().filter(|file| !files.contains(file)).map(|file| format!("no {file}"));
    let tests = files.iter().filter(|file| file.split('/').any(|part| part == "tests" || part == "fuzz"));
    missing.chain(tests.map(|file| format!("{file} is of tests"))).collect()
}

/// The crates of [`NOT_IN_LIBRARY`] in a tree of dependencies.
fn built(tree: &str) -> Vec<&'static str> {
    let name = |line: &str| line.split(' ').next().unwrap_or_default().to_owned();
    let names: Vec<String> = tree.lines().map(name).collect();
    NOT_IN_LIBRARY.into_iter().filter(|of| names.iter().any(|name| name == of)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_without_its_licence_or_with_tests_is_wrong() {
        let good = "Cargo.toml\nLICENSE-APACHE\nLICENSE-MIT\nREADME.md\nsrc/lib.rs\nsrc/growth/tests.rs\n";
        assert_eq!(wrong_files(good), Vec::<String>::new());
        let wrong = good.replace("LICENSE-MIT\n", "tests/contract.rs\n");
        assert_eq!(wrong_files(&wrong), ["no LICENSE-MIT", "tests/contract.rs is of tests"]);
    }

    #[test]
    fn the_library_alone_is_small() {
        assert_eq!(built("warpproof v0.1.0\nrayon v1.12.0\nserde_derive v1.0.0\n"), Vec::<&str>::new());
        assert_eq!(built("warpproof v0.1.0\nserde v1.0.0 (*)\n"), ["serde"]);
    }

    #[test]
    fn a_manifest_that_lacks_a_field_is_named() {
        let of = |text: &str| from_str::<Package>(text).expect("a package").lacks();
        let good = r#"{"name": "x", "description": "d", "license": "MIT OR Apache-2.0", "documentation": "u",
            "rust_version": "1", "readme": "README.md", "keywords": ["a"], "categories": ["b"]}"#;
        assert_eq!(of(good), Vec::<&str>::new());
        assert_eq!(of(&good.replace(r#"["b"]"#, "[]")), ["one to five categories"]);
        assert_eq!(of(&good.replace("MIT OR ", "")), ["a licence"]);
    }
}
