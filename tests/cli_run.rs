//! `warpproof run`, `check` and `replay` as programs: exit codes, JSON, errors.

#[path = "support/svg.rs"]
mod svg;

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use svg::well_formed;

fn warpproof(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_warpproof")).args(args).output().expect("it starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The one JSON object that is all of stdout.
fn json(out: &Output) -> Value {
    let value: Value = serde_json::from_slice(&out.stdout)
        .unwrap_or_else(|e| panic!("{e}: {:?}, {:?}", text(&out.stdout), text(&out.stderr)));
    assert!(value.is_object());
    value
}

fn file(name: &str, content: &[u8]) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, content).expect("the folder is writable");
    path
}

#[test]
fn a_table_that_grows_is_verified() {
    let args = ["run", "dynamic", "--backend", "cpu", "--json", "--keys", "20000", "--ops", "60000"];
    let out = warpproof(&args);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let object = json(&out);
    assert_eq!((&object["structure"], &object["verified"]), (&"dynamic".into(), &true.into()));
}

#[test]
fn a_table_that_is_paged_is_verified_and_says_what_was_copied() {
    let args = ["run", "paged", "--backend", "cpu", "--no-check", "--keys", "40000", "--ops", "60000"];
    let out = warpproof(&[&args[..], &["--json", "--budget", "64K"]].concat());
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let object = json(&out);
    assert_eq!((&object["structure"], &object["verified"]), (&"paged".into(), &true.into()));
    let paging = &object["paging"];
    let number = |name: &str| paging[name].as_u64().unwrap_or_else(|| panic!("{name}: {paging}"));
    assert!(number("child_tables") > 20 && number("hits") > 0, "{paging}");
    // Each of several batches copies most child tables in, and those out that it changed.
    let table = 40_000 / 2 * 8;
    assert!(number("bytes_in") > 3 * table && number("bytes_out") > table, "{paging}");
    let out = warpproof(&[&args[..], &["--budget", "1G"]].concat());
    let said = text(&out.stdout);
    assert!(
        out.status.success() && said.contains("1 child tables: ") && said.contains(" 0 bytes from"),
        "{said}"
    );
    let out = warpproof(&["run", "open", "--budget", "1G"]);
    assert_eq!(out.status.code(), Some(2));
    assert!(text(&out.stderr).contains("--budget: open tables are not paged"), "{}", text(&out.stderr));
    for wrong in ["1X", "", "64 M", "1.5G", "99999999999T"] {
        let out = warpproof(&["run", "paged", "--budget", wrong]);
        let said = text(&out.stderr);
        assert!(
            out.status.code() == Some(2) && said.contains("expected a number of bytes"),
            "{wrong}: {said}"
        );
    }
}

#[test]
fn the_choices_of_a_paged_table_are_explained() {
    let args =
        ["run", "paged", "--backend", "cpu", "--no-check", "--keys", "40000", "--ops", "60000", "--explain"];
    let out = warpproof(&[&args[..], &["--budget", "64K"]].concat());
    let said = text(&out.stdout);
    assert!(out.status.success(), "{}", text(&out.stderr));
    // Half of the keys are inserted, all are sought, twice, and the mix.
    assert!(said.contains("choices  160,000 operations; "), "{said}");
    for part in [
        "  writes ",
        "  reads ",
        "in a frame, after a copy: ",
        "in a frame: the child table was there",
        "no costs",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let out = warpproof(&[&args[..], &["--budget", "0", "--json"]].concat());
    let object = json(&out);
    assert_eq!(object["verified"], true);
    let paging = &object["paging"];
    assert_eq!(
        (&paging["bytes_in"], &paging["bytes_out"], &paging["hits"]),
        (&0.into(), &0.into(), &0.into())
    );
    let choices = paging["choices"].as_array().expect("a list");
    assert!(!choices.is_empty() && choices.iter().all(|choice| choice["reason"] == "no_frames"), "{paging}");
    let out = warpproof(&["run", "open", "--explain"]);
    assert_eq!(out.status.code(), Some(2));
    assert!(text(&out.stderr).contains("--explain: open tables are not paged"), "{}", text(&out.stderr));
}

/// 64 MiB of slots over 4 MiB: a table of 16 GiB over 1 GiB, at a scale of 1/256. Each answer is verified.
#[test]
fn a_table_of_many_times_its_budget_is_built_searched_and_changed() {
    const SLOTS: u64 = (64 << 20) / 8;
    let keys = (2 * SLOTS * 8 / 10).to_string();
    let args = ["run", "paged", "--backend", "cpu", "--no-check", "--keys", &keys, "--ops", "1000000"];
    let out = warpproof(&[&args[..], &["--budget", "4M", "--mix", "40,40,20", "--json"]].concat());
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let object = json(&out);
    let phases = object["phases"].as_array().expect("a list");
    let names: Vec<_> = phases.iter().filter_map(|phase| phase["name"].as_str()).collect();
    assert_eq!(names, ["prefill", "search present", "search absent", "mix", "search end"]);
    assert!(phases.iter().all(|phase| phase["verified"] == true && phase["full"] == 0), "{object}");
    let paging = &object["paging"];
    let number = |name: &str| paging[name].as_u64().unwrap_or_else(|| panic!("{name}: {paging}"));
    assert!((256..300).contains(&number("child_tables")), "{paging}");
    // No more than three sixteenths of a quarter are in frames: each part of a batch copies nearly all in.
    assert!(number("bytes_in") > 10 * (64 << 20) && number("bytes_out") > 5 * (64 << 20), "{paging}");
}

/// A trace of paged tables goes on where the one before has ended.
#[test]
fn a_paged_table_is_saved_and_opened() {
    let first = file("save_first.csv", b"insert_unique,1,10\ninsert_unique,2,20\ninsert_unique,3,30\n");
    let second = file("save_second.csv", b"search,1\nassign,2,21\ndelete,3\ninsert_unique,4294967295,40\n");
    let wrong = file("save_wrong.csv", b"key,value\n1,2\n");
    let table = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pairs.table");
    let _ = std::fs::remove_file(&table);
    let [first, second, wrong, table] = [&first, &second, &wrong, &table].map(|path| path.to_str().unwrap());
    let run = |more: &[&str]| {
        warpproof(&[&["run", "paged", "--backend", "cpu", "--no-check", "--json"], more].concat())
    };
    let phases = |more: &[&str]| {
        let out = run(more);
        assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
        let object = json(&out);
        assert_eq!(object["verified"], true);
        let phases = object["phases"].as_array().expect("a list");
        let phase = |phase: &Value| format!("{} {}", phase["name"].as_str().expect("a name"), phase["ops"]);
        phases.iter().map(phase).collect::<Vec<_>>()
    };
    assert_eq!(phases(&["--trace", first, "--save", table]), ["trace 3", "save 3", "open 3"]);
    let more = ["--open", table, "--trace", second, "--save", table, "--budget", "1K"];
    assert_eq!(phases(&more), ["open 3", "trace 4", "save 3", "open 3"]);
    let more = ["--keys", "20000", "--ops", "30000", "--budget", "64K", "--save", table];
    let said = phases(&more);
    assert!(
        said[said.len() - 2].starts_with("save ") && said[said.len() - 1].starts_with("open "),
        "{said:?}"
    );

    // The trace inserts what is there: the answers are right.
    assert_eq!(phases(&["--open", table, "--trace", first]).len(), 2);
    let refused = |more: &[&str], says: &str| {
        let out = run(more);
        assert_eq!(out.status.code(), Some(2), "{}", text(&out.stdout));
        assert!(text(&out.stderr).contains(says), "{}", text(&out.stderr));
    };
    refused(&["--open", wrong, "--trace", first], "save_wrong.csv: it is not the file of a paged table");
    refused(&["--open", "none.table", "--trace", first], "none.table: opening: ");
    refused(&["--open", table], "--trace");
    refused(&["--trace", first, "--save", "none/pairs.table"], "none/pairs.table: ");
    let mut bytes = std::fs::read(table).expect("the file");
    *bytes.last_mut().expect("a byte") ^= 1;
    let damaged = file("damaged.table", &bytes);
    refused(&["--open", damaged.to_str().unwrap(), "--trace", first], "damaged: its checksum is ");
    let out = warpproof(&["run", "open", "--save", table]);
    assert!(text(&out.stderr).contains("--save: open tables are not paged"), "{}", text(&out.stderr));
}

#[test]
fn run_verifies_and_reports() {
    for mix in ["20,20,60", "40,40,20", "100,0,0", "0,100,0"] {
        let args =
            ["run", "slab", "--backend", "cpu", "--no-check", "--json", "--keys", "1001", "--ops", "30000"];
        let out = warpproof(&[&args[..], &["--mix", mix, "--load", "0.9"]].concat());
        assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
        let object = json(&out);
        assert_eq!(object["structure"], "slab");
        assert_eq!(object["backend"], "cpu");
        assert!(object["device"].is_string());
        assert_eq!(object["ops"], 30000);
        assert!(object["seconds"].as_f64().is_some_and(|s| s > 0.0));
        assert!(object["mops"].as_f64().is_some_and(|m| m > 0.0));
        assert_eq!(object["verified"], true);
        assert!(object["check"].is_null());
        let phases: Vec<_> =
            object["phases"].as_array().expect("a list").iter().map(|p| p["name"].clone()).collect();
        assert_eq!(
            phases,
            ["prefill", "search present", "search absent", "mix", "search end", "flush", "search flushed"]
        );
    }
}

#[test]
fn a_hopscotch_run_verifies_and_counts_what_found_no_room() {
    let args = ["run", "hopscotch", "--backend", "cpu", "--no-check", "--keys", "20001", "--ops", "90000"];
    // Without deletes twice as many pairs come as were there: the table fills up.
    for (mix, load, fills_up) in
        [("20,20,60", "0.8", false), ("40,40,20", "0.85", false), ("100,0,0", "1", true)]
    {
        let out = warpproof(&[&args[..], &["--json", "--mix", mix, "--load", load]].concat());
        assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
        let object = json(&out);
        assert_eq!((&object["structure"], &object["backend"]), (&"hopscotch".into(), &"cpu".into()));
        assert_eq!((&object["verified"], &object["ops"]), (&true.into(), &90000.into()));
        let phases = object["phases"].as_array().expect("a list");
        let names: Vec<_> = phases.iter().map(|p| p["name"].clone()).collect();
        assert_eq!(names, ["prefill", "search present", "search absent", "mix", "search end"]);
        assert_eq!(phases[3]["full"].as_u64().is_some_and(|full| full > 0), fills_up, "{mix}: {}", phases[3]);
        assert_eq!(phases[4]["full"], 0);
    }
    let out = warpproof(&[&args[..], &["--mix", "100,0,0"]].concat());
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert!(text(&out.stdout).contains("inserts said Full"), "{}", text(&out.stdout));
    // Without --no-check the scenarios come first.
    let out = warpproof(&["run", "hopscotch", "--backend", "cpu", "--keys", "1000", "--ops", "1000"]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert!(text(&out.stdout).contains("0 violations"), "{}", text(&out.stdout));
}

#[test]
fn an_open_addressing_run_verifies_and_has_room_for_all() {
    let args = ["run", "open", "--backend", "cpu", "--no-check", "--keys", "20001", "--ops", "90000"];
    for (mix, load) in [("20,20,60", "0.8"), ("40,40,20", "0.97"), ("100,0,0", "0.98"), ("50,50,0", "0.5")] {
        let out = warpproof(&[&args[..], &["--json", "--mix", mix, "--load", load]].concat());
        assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
        let object = json(&out);
        assert_eq!((&object["structure"], &object["backend"]), (&"open".into(), &"cpu".into()));
        assert_eq!((&object["verified"], &object["ops"]), (&true.into(), &90000.into()));
        let phases = object["phases"].as_array().expect("a list");
        let names: Vec<_> = phases.iter().map(|p| p["name"].clone()).collect();
        assert_eq!(names, ["prefill", "search present", "search absent", "mix", "search end"]);
        assert!(phases.iter().all(|phase| phase["full"] == 0), "{mix}: {phases:?}");
    }
    // Without --no-check the scenarios come first.
    let out = warpproof(&["run", "open", "--backend", "cpu", "--keys", "1000", "--ops", "1000"]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert!(text(&out.stdout).contains("0 violations"), "{}", text(&out.stdout));
}

#[test]
fn a_trace_of_unique_keys_has_no_plain_insert() {
    for structure in ["hopscotch", "open", "cuckoo", "dynamic"] {
        a_trace_without_plain_inserts(structure);
    }
}

fn a_trace_without_plain_inserts(structure: &str) {
    let run = |name: &str, trace: &str| {
        let path = file(&format!("{structure}_{name}"), trace.as_bytes());
        let path = path.to_str().expect("a plain path");
        warpproof(&["run", structure, "--backend", "cpu", "--no-check", "--json", "--trace", path])
    };
    let good =
        "insert_unique,1,10\nassign,1,11\nsearch,1\ninsert_unique,1,12\ndelete,1\nassign,1,13\nsearch,2\n";
    let out = run("good.csv", good);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let object = json(&out);
    assert_eq!((&object["ops"], &object["verified"]), (&7.into(), &true.into()));
    assert_eq!(object["phases"][0]["full"], 0);
    let out = run("insert.csv", "op,key,value\nsearch,1\ninsert,1,10\n");
    let said = text(&out.stderr);
    assert_eq!((out.status.code(), text(&out.stdout)), (Some(2), String::new()), "{said}");
    assert!(
        said.contains(&format!("{structure}_insert.csv: operation 2: an insert"))
            && said.contains("write insert_unique"),
        "{said}"
    );
}

#[test]
fn a_trace_is_run_in_order_and_verified() {
    let trace = "op,key,value\ninsert,1,10\ninsert,1,11\nsearch,1\nsearch,2\ndelete,1\nassign,1,12\nassign,3,5\n\
                 insert_unique,3,6\ndelete,3\ndelete,3\ninsert_unique,3,7\nsearch,3\n";
    let path = file("trace_good.csv", trace.as_bytes());
    let out = warpproof(&[
        "run",
        "slab",
        "--backend",
        "cpu",
        "--no-check",
        "--json",
        "--trace",
        path.to_str().unwrap(),
    ]);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let object = json(&out);
    assert_eq!((&object["ops"], &object["verified"]), (&12.into(), &true.into()));
    assert_eq!(object["phases"][0]["name"], "trace");
}

#[test]
fn a_bad_trace_line_is_an_error_and_nothing_runs() {
    for (name, content, line, field) in [
        ("op", &b"op,key\nsearch,1\nfind,2\n"[..], 3, "field 1 (op)"),
        ("key", b"search,1\nsearch,abc\n", 2, "field 2 (key)"),
        ("large", b"search,4294967296\n", 1, "field 2 (key)"),
        ("value", b"insert,1,2\r\ninsert,1\r\n", 2, "field 3 (value)"),
        ("extra", b"\n\ninsert,1,2,3\n", 3, "field 4"),
    ] {
        let path = file(&format!("trace_{name}.csv"), content);
        let path = path.to_str().expect("a plain path");
        let out = warpproof(&["run", "slab", "--backend", "cpu", "--json", "--trace", path]);
        let said = text(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{said}");
        assert!(said.contains(&format!("trace_{name}.csv:{line}: ")) && said.contains(field), "{said}");
        assert_eq!(text(&out.stdout), "");
    }
    let out = warpproof(&["run", "slab", "--trace", "no_such_file.csv"]);
    assert_eq!(out.status.code(), Some(2));
    assert!(text(&out.stderr).contains("no_such_file.csv"));
}

#[test]
fn bad_usage_is_code_2() {
    for args in [
        &["run"][..],
        &["run", "heap"],
        &["run", "slab", "--mix", "50,50,50"],
        &["run", "slab", "--mix", "1,2"],
        &["run", "slab", "--load", "0"],
        &["run", "slab", "--load", "nan"],
        &["run", "slab", "--load", "101"],
        &["run", "hopscotch", "--load", "1.01"],
        &["run", "hopscotch", "--load", "0"],
        &["run", "open", "--load", "1"],
        &["check", "open", "--depth", "2", "--table", "multilock64"],
        &["run", "slab", "--keys", "1"],
        &["run", "slab", "--keys", "4294967295", "--no-check", "--backend", "cpu"],
        &["run", "slab", "--backend", "tpu"],
        &["run", "slab", "--trace", "x.csv", "--ops", "5"],
        &["check", "slab", "--engine", "guess"],
        &["check", "slab", "--depth", "0"],
        &["check", "slab", "--depth", "2", "--deep"],
        &["check", "slab", "--depth", "2", "--table", "map128"],
        &["check", "slab", "--keys", "2"],
        &["check", "slab", "--scenario", "no such scenario"],
        &["replay", "no_such_file.json"],
        &["bench", "slab", "--max-size", "3"],
        &["bench", "hopscotch", "--backend", "cpu", "--entry", "multimap32"],
        &["bench", "hopscotch", "--backend", "cpu", "--entry", "lock64"],
        &["bench", "open", "--backend", "cpu", "--entry", "multimap32"],
        &["bench", "open", "--backend", "cpu", "--paper"],
        &["frobnicate"],
        &[],
    ] {
        let out = warpproof(args);
        assert_eq!(out.status.code(), Some(2), "{args:?}: {}", text(&out.stderr));
        assert!(!out.stderr.is_empty(), "{args:?}");
        assert_eq!(text(&out.stdout), "", "{args:?}");
    }
}

#[test]
fn help_teaches_by_example() {
    for command in [
        &["--help"][..],
        &["run", "--help"],
        &["join", "--help"],
        &["check", "--help"],
        &["replay", "--help"],
    ] {
        let out = warpproof(command);
        assert_eq!(out.status.code(), Some(0));
        assert!(text(&out.stdout).contains("Example"), "{command:?}");
    }
}

#[test]
fn a_check_to_a_depth_has_a_row_per_depth() {
    let out = warpproof(&["check", "slab", "--depth", "2", "--json", "--scenario", "/empty"]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    let object: serde_json::Value = serde_json::from_slice(&out.stdout).expect("JSON");
    let rows = object["depths"].as_array().expect("rows");
    assert_eq!(rows.iter().map(|row| row["depth"].as_u64()).collect::<Vec<_>>(), [Some(1), Some(2)]);
    // Alone: 4. Two calls of one warp: 16. Of two warps: 10.
    assert_eq!((&rows[0]["programs"], &rows[1]["programs"]), (&4.into(), &26.into()));
    let sum: u64 = rows.iter().map(|row| row["executions"].as_u64().expect("a number")).sum();
    assert_eq!(object["executions"].as_u64(), Some(sum));
    let out = warpproof(&["check", "slab", "--depth", "1", "--table", "lock64", "--keys", "2"]);
    assert!(out.status.success() && text(&out.stdout).contains("depth  programs"), "{}", text(&out.stdout));
}

#[test]
fn open_addressing_is_checked_to_a_depth() {
    let out = warpproof(&["check", "open", "--depth", "2", "--json"]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    let object = json(&out);
    let programs: Vec<_> =
        object["depths"].as_array().expect("rows").iter().map(|row| row["programs"].as_u64()).collect();
    // In each of eight places, five operations on one of two or three keys.
    assert_eq!(programs[0], Some(5 * (5 * 2 + 3 * 3)));
    assert_eq!((&object["violations"], &object["capped"]), (&0.into(), &0.into()));
    let out = warpproof(&["check", "open", "--depth", "1", "--table", "set64", "--keys", "2"]);
    assert!(out.status.success() && text(&out.stdout).contains("depth  programs"), "{}", text(&out.stdout));
}

#[test]
fn a_check_of_one_scenario_reports_its_executions() {
    let name = warpproof::simt::scenarios::slab::quick().first().expect("there are some").name.clone();
    let page = Path::new(env!("CARGO_TARGET_TMPDIR")).join("check.html");
    let page_path = page.to_str().expect("a plain path");
    let out = warpproof(&["check", "slab", "--scenario", &name, "--json", "--html", page_path]);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let object = json(&out);
    assert_eq!(object["structure"], "slab");
    assert_eq!(object["engine"], "explore");
    assert_eq!(object["scenarios"], 1);
    assert!(object["executions"].as_u64().is_some_and(|n| n > 1));
    assert_eq!((&object["capped"], &object["violations"]), (&0.into(), &0.into()));
    assert!(object["seconds"].as_f64().is_some_and(|s| s > 0.0));
    assert!(std::fs::read_to_string(page).expect("written").contains(&name));
}

#[test]
fn replay_refuses_what_is_no_counterexample() {
    let path = file("no_counterexample.json", b"{\n  \"kind\": 5\n}");
    let out = warpproof(&["replay", path.to_str().expect("a plain path")]);
    assert_eq!(out.status.code(), Some(2));
    let said = text(&out.stderr);
    assert!(said.contains("no_counterexample.json") && said.contains("line 2"), "{said}");
}

#[test]
fn a_plot_has_a_bar_for_each_phase() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("phases.svg");
    let _ = std::fs::remove_file(&path);
    let plot = path.display().to_string();
    let args =
        ["run", "slab", "--backend", "cpu", "--no-check", "--keys", "20000", "--ops", "60000", "--json"];
    let out = warpproof(&[&args[..], &["--plot", &plot]].concat());
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let svg = std::fs::read_to_string(&path).expect("it was written");
    well_formed(&svg).unwrap_or_else(|wrong| panic!("{wrong}"));
    let object = json(&out);
    let phases = object["phases"].as_array().expect("a list");
    assert!(phases.len() >= 3, "{object}");
    for phase in phases {
        let (name, mops) =
            (phase["name"].as_str().expect("a name"), phase["mops"].as_f64().expect("a number"));
        assert!(svg.contains(name) && svg.contains(&format!("{mops:.1} Mop/s, ")), "{name}: {svg}");
    }
    // The background, and a bar for each.
    assert_eq!(svg.matches("<rect").count(), 1 + phases.len(), "{svg}");
    let out = warpproof(&[&args[..], &["--plot", "no/such/folder/p.svg"]].concat());
    assert_eq!(out.status.code(), Some(2));
    assert!(text(&out.stderr).contains("no/such/folder/p.svg") && out.stdout.is_empty());
}
