//! `warpproof check --engine shuttle` and `--random` as a program: their output, their options, and that a
//! seed reproduces them.

use serde_json::Value;
use std::process::{Command, Output};

const SCENARIO: &str = "map32/insert_unique+delete/present";

fn warpproof(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_warpproof")).args(args).output().expect("it starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn check(more: &[&str]) -> Output {
    warpproof(&[&["check", "slab", "--engine", "shuttle", "--scenario", SCENARIO], more].concat())
}

#[test]
fn a_sample_says_that_it_is_one_and_exits_0() {
    let out = check(&["--schedules", "20"]);
    let said = text(&out.stdout);
    assert_eq!(out.status.code(), Some(0), "{said}{}", text(&out.stderr));
    assert!(said.contains("no violation in 20 schedules"), "{said}");
    assert!(said.contains("1 sampled: nothing is proved"), "{said}");
    assert!(!said.contains("passed"), "{said}");
}

#[test]
fn the_json_tells_a_sample_from_a_proof() {
    let out = check(&["--schedules", "20", "--seed", "3", "--json"]);
    let found: Value = serde_json::from_slice(&out.stdout).expect("one object");
    assert_eq!(
        (&found["sampled"], &found["capped"], &found["violations"]),
        (&1.into(), &0.into(), &0.into())
    );
    assert_eq!((&found["engine"], &found["executions"]), (&"shuttle".into(), &20.into()));
    assert_eq!(found["results"][0]["verdict"], "sampled");
}

#[test]
fn an_exhaustive_engine_has_no_seed() {
    for option in ["--seed", "--schedules"] {
        let out = warpproof(&["check", "slab", "--scenario", SCENARIO, option, "3"]);
        assert_eq!(out.status.code(), Some(2), "{option}");
        assert!(text(&out.stderr).contains("are for random schedules"), "{}", text(&out.stderr));
    }
    assert_eq!(check(&["--schedules", "0"]).status.code(), Some(2));
}

#[test]
fn random_executions_are_a_sample_too() {
    let random = |more: &[&str]| {
        warpproof(&[&["check", "slab", "--scenario", SCENARIO, "--random", "--json"], more].concat())
    };
    let out = random(&["--schedules", "20", "--seed", "3"]);
    let found: Value = serde_json::from_slice(&out.stdout).expect("one object");
    assert_eq!(out.status.code(), Some(0));
    assert_eq!((&found["engine"], &found["executions"]), (&"explore".into(), &20.into()));
    assert_eq!((&found["sampled"], &found["results"][0]["verdict"]), (&1.into(), &"sampled".into()));
    assert_eq!(random(&["--engine", "loom"]).status.code(), Some(2));
}

#[test]
fn bounded_preemptions_are_a_sample_too() {
    let found = |more: &[&str]| -> Value {
        let scenario = ["check", "slab", "--scenario", "map32/insert_unique+insert_unique/full", "--json"];
        let out = warpproof(&[&scenario, more].concat());
        serde_json::from_slice(&out.stdout).expect("one object")
    };
    let (few, many) = (found(&["--preemptions", "0"]), found(&["--preemptions", "9"]));
    assert_eq!(few["results"][0]["verdict"], "sampled");
    assert!(few["executions"].as_u64() < many["executions"].as_u64());
    assert_eq!(many["executions"], found(&[])["executions"]);
}

#[test]
fn wide_scenarios_are_not_offered_to_loom() {
    let out = warpproof(&["check", "slab", "--scenario", "8_warps"]);
    assert_eq!(out.status.code(), Some(2));
    assert!(text(&warpproof(&["list"]).stdout).contains("shuttle"));
}
