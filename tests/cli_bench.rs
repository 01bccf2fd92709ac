//! `warpproof bench` as a program: every entry type is measured, verified and reported.

#[path = "support/svg.rs"]
mod svg;

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};
use svg::well_formed;

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

/// `--seed` and `--budget` reach the tables: their answers are verified, and impossible budgets are refused.
#[test]
fn tables_are_made_with_a_seed_and_a_budget() {
    let small = ["--pairs", "2^16", "--rounds", "1", "--entry", "map64", "--seed", "7"];
    let out = bench_of("paged", &[&small[..], &["--budget", "256K", "--json"]].concat());
    assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
    let object: Value = serde_json::from_slice(&out.stdout).expect("one JSON object");
    assert!(object["rows"].as_array().expect("a list").iter().all(|row| row["verified"] == true));
    assert_eq!(bench_of("open", &small).status.code(), Some(0));
    let refused = |structure, args: &[&str], why: &str| {
        let out = bench_of(structure, args);
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(out.status.code() == Some(2) && said.contains(why), "{said}");
    };
    refused("open", &["--budget", "1M"], "--budget: open tables are not paged");
    refused("slab", &["--table", "1G"], "--table: slab tables are not paged");
    refused("paged", &["--batch", "1G"], "--table <BYTES>");
    refused("paged", &["--explain"], "--table <BYTES>");
    refused("paged", &["--budget", "1X"], "expected a number of bytes");
    refused(
        "paged",
        &["--table", "1G"],
        "--table: tables larger than device memory are measured only on a GPU",
    );
}

#[test]
fn mixes_run_on_as_few_keys_as_asked_for() {
    let out = bench_of("waitfree", &["--pairs", "2^16", "--keys", "10", "--rounds", "1", "--json"]);
    assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
    let object: Value = serde_json::from_slice(&out.stdout).expect("one JSON object");
    let rows = object["rows"].as_array().expect("a list");
    assert!(rows.iter().all(|row| row["verified"] == true));
    let of_mixes = |row: &&Value| row["workload"].as_str().is_some_and(|name| name.starts_with("mix"));
    let (mixes, others): (Vec<&Value>, Vec<&Value>) = rows.iter().partition(of_mixes);
    assert_eq!((mixes.len(), others.len()), (2, 4));
    assert!(mixes.iter().all(|row| row["size"] == 10) && others.iter().all(|row| row["size"] == 65_536));

    assert_eq!(bench(&["--keys", "10"]).status.code(), Some(2), "keys of mixes go with pairs");
    for (args, said) in [
        (
            ["--keys", "65537", "--entry", "map32"],
            "--keys: 65537 keys need a table of at least 65537 pairs, not 65536",
        ),
        (["--keys", "10", "--entry", "set32"], "--keys works only with --entry map32"),
    ] {
        let out = bench(&[&["--pairs", "2^16"], args.as_slice()].concat());
        assert_eq!(out.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&out.stderr).contains(said), "{args:?}");
    }
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
        said.contains("65,536 pairs, load 0.8: 11.") && said.contains("groups after their home"),
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
fn every_entry_of_every_structure_is_verified() {
    let out =
        Command::new(env!("CARGO_BIN_EXE_warpproof")).args(["list", "--json"]).output().expect("it starts");
    let listing: Value = serde_json::from_slice(&out.stdout).expect("one JSON object");
    for of in listing["structures"].as_array().expect("a list") {
        let structure = of["name"].as_str().expect("a name");
        for entry in of["entries"].as_array().expect("a list") {
            let entry = entry.as_str().expect("a name");
            let out = bench_of(structure, &["--json", "--quick", "--entry", entry]);
            let said = String::from_utf8_lossy(&out.stderr);
            assert_eq!(out.status.code(), Some(0), "{structure} {entry}: {said}");
            let object: Value = serde_json::from_slice(&out.stdout).expect("one JSON object");
            assert_eq!((&object["structure"], &object["entry"]), (&structure.into(), &entry.into()));
            assert_eq!(object["verified"], true, "{structure} {entry}");
            let rows = object["rows"].as_array().expect("a list");
            assert_eq!(rows.len(), if entry == "map32" { 6 } else { 4 }, "{structure} {entry}");
        }
    }
}

/// The lines of a record, which begins with its header.
fn recorded(folder: &Path, structure: &str) -> Vec<Vec<String>> {
    let path = folder.join(structure).with_extension("csv");
    let mut rows = csv::Reader::from_path(path).expect("it is there");
    let columns = "machine,card,date,commit,command,row,size,load,entry,figure,unit,floor,verified";
    assert_eq!(rows.headers().expect("a header").iter().collect::<Vec<_>>().join(","), columns);
    rows.records().map(|row| row.expect("a row").iter().map(str::to_owned).collect()).collect()
}

#[test]
fn rows_are_recorded_behind_those_that_are_there() {
    let folder = tempfile::tempdir().expect("a folder");
    // It is made.
    let records = folder.path().join("some/records");
    let flag = format!("--record={}", records.display());
    for (run, entry) in ["map32", "set64"].into_iter().enumerate() {
        let out = bench_of("open", &["--quick", "--entry", entry, &flag]);
        let said = String::from_utf8_lossy(&out.stdout);
        assert!(out.status.success() && said.contains("open.csv, commit unknown"), "{said}");
        let rows = recorded(&records, "open");
        assert_eq!(rows.len(), [7, 7 + 5][run], "{rows:?}");
        let names = ["build", "search present", "search absent", "delete half"];
        let new = &rows[7 * run..];
        for (row, name) in new.iter().zip(names) {
            assert!(row[0].ends_with(" threads") && row[1] == "none" && row[3] == "unknown", "{row:?}");
            assert!(row[2].len() == 20 && row[2].starts_with("20") && row[2].ends_with('Z'), "{row:?}");
            assert_eq!(row[4], format!("warpproof bench open --backend cpu --quick --entry {entry}"));
            assert_eq!(row[5..9], [name, "65536", "0.8", entry]);
            assert!(row[9].parse::<f64>().is_ok_and(|figure| figure > 0.0), "{row:?}");
            // On a CPU no floor is measured.
            assert_eq!(row[10..], ["Mop/s", "", "true"]);
        }
        let memory = new.last().expect("a row");
        assert_eq!((&memory[5][..], &memory[10][..]), ("memory", "bytes per pair"), "{memory:?}");
    }
    // Another structure has another file.
    let out = bench_of("slab", &["--quick", "--json", &flag]);
    let object: Value = serde_json::from_slice(&out.stdout).expect("one JSON object, and nothing else");
    assert_eq!((&object["verified"], recorded(&records, "slab").len()), (&true.into(), 7));
    assert_eq!(recorded(&records, "open").len(), 12);
}

/// The names of the rows of an object.
fn names(out: &Output) -> Vec<String> {
    let said = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(0), "{said}");
    let object: Value = serde_json::from_slice(&out.stdout).expect("one JSON object");
    let rows = object["rows"].as_array().expect("a list");
    assert!(rows.iter().all(|row| row["verified"] == true), "{rows:?}");
    rows.iter().map(|row| row["workload"].as_str().expect("a name").to_owned()).collect()
}

/// A row of a small table.
const SMALL: [&str; 4] = ["--pairs", "2^16", "--rounds", "1"];

#[test]
fn a_row_is_measured_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let flag = format!("--record={}", folder.path().display());
    let out = bench_of("open", &[&SMALL[..], &["--cell", "search present", &flag]].concat());
    let said = String::from_utf8_lossy(&out.stdout);
    assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
    let rows: Vec<&str> = said.lines().filter(|line| line.contains("Mop/s")).collect();
    assert!(matches!(rows[..], [row] if row.starts_with("  search present ")), "{said}");
    assert!(rows[0].ends_with("  verified") && said.contains("recorded 1 rows in "), "{said}");
    // The memory of its table is shown, and not recorded.
    assert!(said.contains("65,536 pairs, load 0.8: 10.6"), "{said}");
    let records = recorded(folder.path(), "open");
    let command =
        "warpproof bench open --backend cpu --pairs 2^16 --rounds 1 --cell \"search present\"".to_owned();
    assert_eq!((records.len(), &records[0][4]), (1, &command));
    assert_eq!(records[0][5..9], ["search present", "65536", "0.8", "map32"]);
    assert_eq!(records[0][10..], ["Mop/s", "", "true"]);
}

#[test]
fn each_row_can_be_measured_alone_and_with_others() {
    for (structure, entry) in [("open", "map32"), ("dynamic", "set64"), ("slab", "multimap32")] {
        let of = |cells: &[&str]| {
            let cells = cells.iter().flat_map(|cell| ["--cell", cell]);
            let args = SMALL.into_iter().chain(["--json", "--entry", entry]).chain(cells);
            bench_of(structure, &args.collect::<Vec<_>>())
        };
        let all = names(&of(&[]));
        for name in &all {
            assert_eq!(names(&of(&[name])), [name.as_str()], "{structure} {entry}");
        }
        // In the order of a whole run, each once.
        let (first, last) = (&all[0], &all[all.len() - 1]);
        assert_eq!(names(&of(&[last, first, last])), [first.as_str(), last]);
        // Neither a wrong name nor a row of other tables is passed over.
        let rows: Vec<String> = all.iter().map(|name| format!("{name:?}")).collect();
        let rows =
            format!("the rows of bench {structure} --entry {entry} --backend cpu: {}", rows.join(", "));
        for (missing, why) in [
            ("search", "no row has this name"),
            ("memory", "no row has this name"),
            ("floor: find", "these tables have no such row"),
        ] {
            let out = of(&[first, missing]);
            let said = String::from_utf8_lossy(&out.stderr);
            assert!(out.status.code() == Some(2) && out.stdout.is_empty(), "{said}");
            assert!(said.contains(&format!("--cell {missing:?}: {why}; {rows}\n")), "{said}");
        }
    }
    let mixes = bench_of("slab", &[&SMALL[..], &["--entry", "set32", "--cell", "mix 20,20,60"]].concat());
    let said = String::from_utf8_lossy(&mixes.stderr);
    assert!(mixes.status.code() == Some(2) && said.contains("these tables have no such row"), "{said}");
    for args in [&[][..], &["--quick"], &["--max-size", "2^16"], &["--paper"], &["--table", "1G"]] {
        let out = bench_of("paged", &[&["--cell", "build"], args].concat());
        assert_eq!(out.status.code(), Some(2), "{args:?}");
    }
    let sharded = [&SMALL[..], &["--cell", "build", "--gpus", "2"]].concat();
    assert_eq!(bench_of("sharded", &sharded).status.code(), Some(2));
}

#[test]
fn a_file_of_other_columns_is_refused_and_stays_as_it_was() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, flag) = (folder.path().join("open.csv"), format!("--record={}", folder.path().display()));
    let header = "machine,card,date,commit,command,row,size,load,entry,figure,unit,floor,verified\n";
    for (content, why) in [
        ("machine,figure\nm,1\n".to_owned(), "line 1: the columns must be machine,card"),
        (format!("{header}m,1\n"), "line: 2"),
    ] {
        std::fs::write(&path, &content).expect("it is written");
        let out = bench_of("open", &["--quick", &flag]);
        let said = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.code() == Some(2) && said.contains("open.csv") && said.contains(why), "{said}");
        assert!(out.stdout.is_empty(), "nothing was measured");
        assert_eq!(std::fs::read_to_string(&path).expect("it is there"), content);
    }
    // A file is no folder, and the plots of the paper have files of their own.
    let out = bench_of("open", &["--quick", &format!("--record={}", path.display())]);
    assert_eq!(out.status.code(), Some(2), "{}", String::from_utf8_lossy(&out.stderr));
    assert_eq!(bench_of("hopscotch", &["--quick", "--paper", &flag]).status.code(), Some(2));
}

#[test]
fn a_plot_has_a_line_for_each_workload() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("slab.svg");
    let plot = path.display().to_string();
    let args = ["--max-size", "2^18", "--rounds", "1", "--entry", "set32", "--json", "--plot", &plot];
    let out = bench(&args);
    assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
    let svg = std::fs::read_to_string(&path).expect("it was written");
    well_formed(&svg).unwrap_or_else(|wrong| panic!("{wrong}"));
    let object: Value = serde_json::from_slice(&out.stdout).expect("one JSON object");
    let rows = object["rows"].as_array().expect("a list");
    let of_load: Vec<&Value> = rows.iter().filter(|row| row["load"] == rows[0]["load"]).collect();
    let names: std::collections::BTreeSet<&str> =
        of_load.iter().map(|row| row["workload"].as_str().expect("a name")).collect();
    assert!(names.len() == 4 && of_load.len() == 8 && rows.len() > 8, "{rows:?}");
    // Each point once, and a line of each workload, with its mark in the legend.
    assert_eq!(svg.matches("<circle").count(), of_load.len(), "{svg}");
    for name in names.iter().chain(&["slab, set32, load 0.6, cpu: ", "2^16", "pairs", "Mop/s"]) {
        assert!(svg.contains(name), "{name}: {svg}");
    }
    for args in [&["--plot", &plot, "--paper"][..], &["--plot", "no/such/folder/p.svg", "--quick"]] {
        assert_eq!(bench(args).status.code(), Some(2), "{args:?}");
    }
}
