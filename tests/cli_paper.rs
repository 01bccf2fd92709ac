//! `warpproof bench hopscotch --paper`, and of `waitfree`, as a program: tables that are verified, plots that
//! are well-formed.

#[path = "support/svg.rs"]
mod svg;

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};
use svg::well_formed;

fn bench(structure: &str, args: &[&str], folder: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpproof"));
    command
        .args(["bench", structure, "--backend", "cpu", "--quick"])
        .args(args)
        .arg(format!("--paper={}", folder.display()));
    command.output().expect("it starts")
}

#[test]
fn broken_plots_would_be_found() {
    assert_eq!(well_formed("<svg a=\"1\">\n<g x=\"2\"/><text>a</text></svg>\n"), Ok(()));
    for wrong in ["", "<svg>", "<svg></g></svg>", "<svg/><svg/>", "<svg a=\"></svg>", "a<svg/>", "<svg"] {
        assert!(well_formed(wrong).is_err(), "{wrong}");
    }
}

/// Runs the experiments on the CPU: two mixes on four ranges, of all these tables.
fn verified_and_plotted(structure: &str, tables: &[&str]) {
    let folder = tempfile::tempdir().expect("a folder");
    let plots = folder.path().join("made");
    let out = bench(structure, &["--json"], &plots);
    assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
    let object: Value = serde_json::from_slice(&out.stdout).expect("one JSON object");
    assert_eq!((&object["structure"], &object["verified"]), (&structure.into(), &true.into()));
    assert_eq!(object["skipped"], "no CUDA device");
    let rows = object["rows"].as_array().expect("a list");
    assert_eq!(rows.len(), 2 * 4 * tables.len());
    for row in rows {
        assert!(row["verified"] == true && row["ops"] == 100_000, "{row}");
        assert!(row["mops"].as_f64().is_some_and(|mops| mops > 0.0), "{row}");
    }
    let written = object["plots"].as_array().expect("a list");
    assert_eq!(written.len(), 2);
    for path in written {
        let path = Path::new(path.as_str().expect("a path"));
        assert!(path.starts_with(&plots));
        let svg = std::fs::read_to_string(path).expect("it was written");
        well_formed(&svg).unwrap_or_else(|wrong| panic!("{}: {wrong}", path.display()));
        for text in tables.iter().chain(&["<svg"]) {
            assert!(svg.contains(text), "{}: {text}", path.display());
        }
    }
}

#[test]
fn the_experiments_of_the_paper_are_verified_and_plotted() {
    let chaining = ["chaining (CPU)", "chaining, allocation counted (CPU)"];
    verified_and_plotted(
        "hopscotch",
        &["hopscotch (CPU)", "hopscotch with locks (CPU)", chaining[0], chaining[1]],
    );
}

#[test]
fn the_wait_free_table_is_measured_beside_a_list_with_locks() {
    verified_and_plotted("waitfree", &["wait-free (CPU)", "lock-based list (CPU)"]);
    let folder = tempfile::tempdir().expect("a folder");
    let out = bench("waitfree", &[], folder.path());
    let said = String::from_utf8_lossy(&out.stdout);
    assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
    assert!(said.contains("sets against a lock-based list: skipped: no CUDA device"), "{said}");
    let of_list = said.lines().filter(|line| line.starts_with("  lock-based list (CPU)"));
    assert_eq!(of_list.filter(|line| line.contains("verified")).count(), 2, "{said}");
}

#[test]
fn what_has_no_such_experiments_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let said = |out: Output| (out.status.code(), String::from_utf8_lossy(&out.stderr).into_owned());
    let (code, why) = said(bench("slab", &[], folder.path()));
    assert!(code == Some(2) && why.contains("hopscotch, waitfree and paged only, not for slab"), "{why}");
    assert_eq!(said(bench("hopscotch", &["--pairs", "2^16"], folder.path())).0, Some(2));
    let made = folder.path().join("made");
    let (code, why) = said(bench("paged", &[], &made));
    assert!(code == Some(2) && why.contains("measured only on a GPU"), "{why}");
    assert!(!made.exists(), "a refused call makes no folder");
    let (code, why) = said(bench("paged", &["--budget", "1G"], &made));
    assert!(code == Some(2) && why.contains("--budget"), "{why}");
    let file = folder.path().join("file");
    std::fs::write(&file, "").expect("it is written");
    let (code, why) = said(bench("hopscotch", &[], &file));
    assert!(code == Some(2) && why.contains("file"), "{why}");
}
