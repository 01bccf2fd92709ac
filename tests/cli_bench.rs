//! `warpproof bench` as a program: every entry type is measured, verified and reported.

use serde_json::Value;
use std::process::{Command, Output};

fn bench_of(structure: &str, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpproof"));
    command.args(["bench", structure, "--backend", "cpu"]).args(args).output().expect("it starts")
}

fn bench(args: &[&str]) -> Output {
    bench_of("slab", args)
}

#[test]
fn each_entry_type_is_verified() {
    for (entry, workloads, bytes, published) in [
        ("map32", 6, 16.2, Some(14.54)),
        ("set32", 4, 8.1, Some(6.9)),
        ("multimap32", 4, 16.2, Some(14.54)),
        ("map64", 4, 32.4, None),
        ("lock64", 4, 32.4, None),
    ] {
        let out = bench(&["--json", "--quick", "--entry", entry]);
        assert_eq!(out.status.code(), Some(0), "{entry}: {}", String::from_utf8_lossy(&out.stderr));
        let object: Value = serde_json::from_slice(&out.stdout).expect("one JSON object");
        assert_eq!((&object["entry"], &object["verified"]), (&entry.into(), &true.into()));
        let rows = object["rows"].as_array().expect("a list");
        assert_eq!(rows.len(), workloads, "{entry}");
        assert!(rows.iter().all(|row| row["verified"] == true && row["load"] == 0.6), "{entry}");
        let near =
            |value: &Value, expected: f64| (value.as_f64().expect("a number") / expected - 1.0).abs() < 0.01;
        let memory = &object["memory"][0];
        assert!(near(&memory["bytes_per_pair"], bytes), "{entry}: {memory}");
        match published {
            Some(bytes) => assert!(near(&memory["published_bytes_per_pair"], bytes), "{entry}: {memory}"),
            None => assert!(memory["published_bytes_per_pair"].is_null(), "{entry}"),
        }
    }
}

#[test]
fn one_size_is_measured_alone_with_the_published_layout_beside_it() {
    let out = bench(&["--pairs", "2^16", "--entry", "set32"]);
    let said = String::from_utf8_lossy(&out.stdout);
    assert_eq!(out.status.code(), Some(0), "{said}");
    assert_eq!(said.matches("bytes per pair in chains").count(), 1, "{said}");
    assert!(said.contains("65,536 pairs, load 0.6: 8.") && said.contains("(published layout 6."), "{said}");
    assert_eq!(bench(&["--pairs", "2^16", "--quick"]).status.code(), Some(2));
    assert_eq!(bench(&["--entry", "map128"]).status.code(), Some(2));
}

#[test]
fn each_entry_type_of_a_hopscotch_table_is_verified() {
    // A pair takes 8 / 7 of a word at a load of 0.8.
    for (entry, workloads, word) in
        [("map32", 6, 8.0), ("set32", 4, 4.0), ("set64", 4, 8.0), ("map64", 4, 16.0)]
    {
        let out = bench_of("hopscotch", &["--json", "--quick", "--entry", entry]);
        assert_eq!(out.status.code(), Some(0), "{entry}: {}", String::from_utf8_lossy(&out.stderr));
        let object: Value = serde_json::from_slice(&out.stdout).expect("one JSON object");
        assert_eq!((&object["structure"], &object["verified"]), (&"hopscotch".into(), &true.into()));
        let rows = object["rows"].as_array().expect("a list");
        assert_eq!(rows.len(), workloads, "{entry}");
        assert!(rows.iter().all(|row| row["verified"] == true && row["load"] == 0.8), "{entry}");
        let memory = &object["memory"][0];
        let bytes = memory["bytes_per_pair"].as_f64().expect("a number");
        let slots = warpproof::model::hopscotch::GROUP_WORDS as f64 - 1.0;
        assert!((bytes / (word * (slots + 1.0) / slots / 0.8) - 1.0).abs() < 0.01, "{entry}: {memory}");
        let pairs: u64 =
            memory["distances"].as_array().expect("a list").iter().filter_map(Value::as_u64).sum();
        let full = memory["full"]["build"].as_u64().unwrap_or(0);
        assert_eq!(pairs + full, 1 << 16, "{memory}");
    }
    let out = bench_of("hopscotch", &["--entry", "multimap32"]);
    let said = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.code() == Some(2) && said.contains("multimap32") && said.contains("map64"), "{said}");
}

#[test]
fn a_hopscotch_table_says_where_pairs_stand() {
    let out = bench_of("hopscotch", &["--quick"]);
    let said = String::from_utf8_lossy(&out.stdout);
    assert_eq!(out.status.code(), Some(0), "{said}");
    assert!(
        said.contains("65,536 pairs, load 0.8: 11.") && said.contains("groups behind their home"),
        "{said}"
    );
}

#[test]
fn an_open_addressing_table_is_verified() {
    let out = bench_of("open", &["--json", "--quick"]);
    assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
    let object: Value = serde_json::from_slice(&out.stdout).expect("one JSON object");
    assert_eq!((&object["structure"], &object["verified"]), (&"open".into(), &true.into()));
    let rows = object["rows"].as_array().expect("a list");
    assert_eq!(rows.len(), 6);
    assert!(rows.iter().all(|row| row["verified"] == true && row["load"] == 0.8));
    // A slot has a word and half a byte of the filter.
    let memory = &object["memory"][0];
    let bytes = memory["bytes_per_pair"].as_f64().expect("a number");
    assert!((bytes / (8.5 / 0.8) - 1.0).abs() < 0.01, "{memory}");
    assert!((memory["taken"].as_f64().expect("a number") - 0.8).abs() < 0.01, "{memory}");
    assert_eq!(memory["full"], Value::Object(Default::default()));
    let out = bench_of("open", &["--quick"]);
    let said = String::from_utf8_lossy(&out.stdout);
    assert!(said.contains("65,536 pairs, load 0.8: 10.6") && said.contains("79.9 % of the slots"), "{said}");
    for (entry, bytes) in [("map64", "20.6"), ("set32", "5.3"), ("set64", "10.3")] {
        let out = bench_of("open", &["--quick", "--entry", entry]);
        let said = String::from_utf8_lossy(&out.stdout);
        let memory = format!("load 0.8: {bytes}");
        assert!(out.status.success() && said.contains(&memory) && said.contains("verified"), "{said}");
    }
    for (structure, entry) in [("open", "lock64"), ("slab", "set64")] {
        let out = bench_of(structure, &["--entry", entry]);
        let said = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.code() == Some(2) && said.contains(entry) && said.contains("map64"), "{said}");
    }
}

#[test]
fn a_table_that_grows_is_verified() {
    for entry in ["map32", "map64"] {
        let out = bench_of("dynamic", &["--json", "--quick", "--entry", entry]);
        assert_eq!(out.status.code(), Some(0), "{entry}: {}", String::from_utf8_lossy(&out.stderr));
        let object: Value = serde_json::from_slice(&out.stdout).expect("one JSON object");
        assert_eq!((&object["structure"], &object["verified"]), (&"dynamic".into(), &true.into()));
    }
    let out = bench_of("dynamic", &["--quick", "--entry", "set32"]);
    assert_eq!(out.status.code(), Some(2));
    assert!(
        String::from_utf8_lossy(&out.stderr).contains("map32 or map64"),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
}
