//! `cargo xtask ci`: every check that a change must pass. The checks that fail soonest come first.

use crate::shell::{Outcome, cargo, read, root, run, scratch};
use crate::steps::{self, Done, Step, chosen, failures, table};
use crate::{book, browser, fuzz, modules, mutants, own_kernel, package, ptx, ptxas, python, report};
use std::collections::BTreeSet;
use std::process::Command;

/// Seconds to run each fuzz target.
const FUZZ_SECONDS: u32 = 10;

/// The variable that names the folder of the kernels that are not checked in.
pub(crate) const KERNELS: &str = "WARPPROOF_KERNELS";

const STEPS: [Step; 14] = [
    ("fmt", || done(format())),
    ("clippy", || done(clippy())),
    ("docs", || done(docs())),
    ("report", || done(report::check())),
    ("book", book::build),
    ("package", || done(package::check())),
    // Before the tests, which look at kernels that are not checked in.
    ("ptx", || done(ptx::check().and_then(|()| own_kernel::build()))),
    ("test", || done(test())),
    ("browser", browser::check),
    ("python", || done(python::check())),
    ("ptxas", || done(ptxas::run_all())),
    ("mutants", || done(mutants::sample())),
    ("readme", || done(readme())),
    ("fuzz", || done(fuzz::run_all(FUZZ_SECONDS, fuzz::Sanitizer::None))),
];

fn done(outcome: Outcome<()>) -> Outcome<Done> {
    outcome.map(|()| Done::Ok)
}

/// Runs all steps, or those named. Stops at the first that fails, and prints how long each took.
pub(crate) fn run_steps(names: &[&str]) -> Outcome<()> {
    let mut all = Vec::new();
    for step in chosen(&STEPS, names)? {
        all.push(steps::run(step));
        if all.last().is_some_and(|ran| ran.outcome.is_err()) {
            break;
        }
    }
    print!("{}", table(&all));
    failures(&all)
}

fn format() -> Outcome<()> {
    run(&mut cargo(&["fmt", "--all", "--check"]))?;
    for manifest in ["fuzz/Cargo.toml", "examples/own_kernel/Cargo.toml"] {
        run(&mut cargo(&["fmt", "--manifest-path", manifest, "--check"]))?;
    }
    Ok(())
}

fn clippy() -> Outcome<()> {
    run(&mut cargo(&["clippy", "--all-targets", "--all-features", "--", "-D", "warnings"]))?;
    // The host part of an example that is a separate workspace: no other step compiles it.
    run(&mut cargo(&["clippy", "--manifest-path", "examples/own_kernel/Cargo.toml", "--", "-D", "warnings"]))
}

fn docs() -> Outcome<()> {
    run(cargo(&["doc", "--no-deps", "--all-features"]).env("RUSTDOCFLAGS", "-D warnings"))
}

/// The README's test command: unit, integration and documentation tests. What needs kernels that are not
/// built fails and is not skipped. Then the tests of the features that this leaves out.
fn test() -> Outcome<()> {
    run(cargo(&["test"]).env(KERNELS, modules::built()))?;
    run(&mut cargo(&["test", "--features", "arrow", "--lib", "arrow"]))?;
    run(&mut cargo(&["test", "--features", "arrow", "--doc", "arrow"]))?;
    run(&mut cargo(&["test", "-p", "warpproof-gpu", "--features", "nccl", "--lib", "sharded"]))
}

/// The pages whose commands are run, besides those of the book.
const PAGES: [&str; 2] = ["README.md", "examples/README.md"];

/// Everything else that the README, the page of examples and the book tell people to type. It runs the
/// programs that the tests have built: `cargo run` would build the checker once more, for another set of
/// packages.
fn readme() -> Outcome<()> {
    // The packages of `cargo test`, so that nothing that it has built is built again.
    run(&mut cargo(&["test", "--no-run"]))?;
    let built = |name: &str, arguments: &[&str]| {
        let mut program = Command::new(scratch().join("debug").join(name));
        program.current_dir(root()).args(arguments);
        program
    };
    run_readme(|arguments| match arguments {
        ["run", "--release", "--", rest @ ..] => built("warpproof", rest),
        ["run", "--release", "--example", name, rest @ ..] => built(&format!("examples/{name}"), rest),
        _ => cargo(arguments),
    })
}

/// Runs the commands of the pages: `command` makes one of what follows `cargo`.
pub(crate) fn run_readme(command: impl Fn(&[&str]) -> Command) -> Outcome<()> {
    for page in PAGES {
        if commands(&read(&root().join(page))?)?.is_empty() {
            return Err(format!("{page} shows no command"));
        }
    }
    // What two pages show runs once.
    let mut ran = BTreeSet::new();
    for page in PAGES.map(str::to_owned).into_iter().chain(book::pages()?) {
        let text = read(&root().join(&page))?;
        for line in commands(&text).map_err(|wrong| format!("{page}: {wrong}"))? {
            println!("-- cargo {line}");
            let words = words(&line).map_err(|wrong| format!("{page}: {wrong}"))?;
            if ran.insert(line) {
                run(&mut command(&words.iter().map(String::as_str).collect::<Vec<_>>()))?;
            }
        }
    }
    Ok(())
}

/// The commands in the shell blocks of a text, as what follows `cargo`, except the one that the step `test`
/// runs.
fn commands(text: &str) -> Outcome<Vec<String>> {
    let mut all = Vec::new();
    let blocks = text.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    for line in blocks.flat_map(str::lines) {
        let line = line.split('#').next().unwrap_or_default().trim();
        match line.split_once(' ') {
            _ if line.is_empty() || line == "cargo test" => {}
            Some(("cargo", rest)) => all.push(rest.trim().to_owned()),
            Some(("warpproof", rest)) => all.push(format!("run --release -- {}", rest.trim())),
            _ => return Err(format!("`{line}` is neither of cargo nor of warpproof: nothing runs it")),
        }
    }
    Ok(all)
}

/// The words of a line, as a shell reads them.
fn words(line: &str) -> Outcome<Vec<String>> {
    shlex::split(line)
        .ok_or_else(|| format!("`{line}`: a quotation mark is not closed, or a backslash is last"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_readmes_commands_are_found() {
        let text =
            "```sh\ncargo run -- list    # all\ncargo test\n```\ncargo no\n```sh\n\nwarpproof list\n```\n";
        assert_eq!(commands(text).unwrap(), ["run -- list", "run --release -- list"]);
        assert!(commands("```sh\nmake\n```\n").unwrap_err().contains("`make`"));
    }

    #[test]
    fn an_argument_in_quotation_marks_is_one_word() {
        let words = |line| words(line).unwrap();
        assert_eq!(
            words("bench --cell \"search present\"  --quick"),
            ["bench", "--cell", "search present", "--quick"]
        );
        assert_eq!(words("bench --cell 'build'"), ["bench", "--cell", "build"]);
        assert!(super::words("bench \"search").unwrap_err().contains("not closed"));
    }
}
