//! `warpproof join`, `group` and `dedup` on columns of any type: their results are those of sqlite3 and of
//! simple loops, however files are packed; bad input changes no file.

#[path = "../support/program.rs"]
mod program;

mod bad_input;
mod data;
mod parquet;
mod results;

use program::text;
use std::path::{Path, PathBuf};
use std::process::Output;

fn warpproof(folder: &Path, args: &[&str]) -> Output {
    program::warpproof(folder).args(args).args(["--backend", "cpu"]).output().expect("it starts")
}

/// What a command writes on stdout; it succeeds.
fn stdout(folder: &Path, args: &[&str]) -> Vec<u8> {
    let out = warpproof(folder, args);
    assert!(out.status.success(), "{args:?}: {}", text(&out.stderr));
    assert_eq!(text(&out.stderr), "", "{args:?}");
    out.stdout
}

/// An empty folder of its own for each test.
fn folder(test: &str) -> PathBuf {
    program::folder(&format!("columns_{test}"))
}
