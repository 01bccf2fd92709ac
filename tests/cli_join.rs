//! `warpproof join` as a program: its result equals that of sqlite3, and bad input changes no file.

#[cfg(feature = "gpu")]
#[path = "support/device.rs"]
mod device;
#[path = "support/program.rs"]
mod program;

use program::{read, text, write};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn warpproof(folder: &Path, args: &[&str]) -> Output {
    program::warpproof(folder).args(args).output().expect("it starts")
}

/// An empty folder of its own for each test.
fn folder(test: &str) -> PathBuf {
    program::folder(&format!("join_{test}"))
}

fn random(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

/// A file with many duplicate keys, keys at both ends of the range, and cells that need quotes.
fn random_file(rows: usize, header: &str, state: &mut u64) -> String {
    const TEXTS: [&str; 7] =
        ["plain", "\"a,b\"", "\"say \"\"hi\"\"\"", "\"two\nlines\"", "", "\" spaces \"", "\"crlf\r\nline\""];
    let mut out = format!("{header}\n");
    for row in 0..rows {
        let key = match random(state) % 8 {
            0 => 7,
            1 => i64::MAX - (random(state) % 3) as i64,
            2 => i64::MIN + (random(state) % 3) as i64,
            3 => (1 << 62) - 2 + (random(state) % 3) as i64,
            4 => -(1 << 62) + (random(state) % 3) as i64 - 1,
            5 => random(state) as i64,
            _ => (random(state) % 400) as i64 - 200,
        };
        let cell = TEXTS[(random(state) % 7) as usize];
        writeln!(out, "{row},{key},{cell}").expect("a string");
    }
    out
}

fn records(bytes: &[u8]) -> Vec<csv::StringRecord> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(bytes);
    reader.records().collect::<Result<_, _>>().expect("the output is CSV")
}

#[test]
fn join_equals_sqlite() {
    if Command::new("sqlite3").arg("--version").output().is_err() {
        assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "CI needs sqlite3");
        println!("skipped: no sqlite3");
        return;
    }
    for (seed, left_rows, right_rows) in [(1u64, 600, 400), (2, 0, 50), (3, 50, 0), (4, 1, 1), (5, 300, 900)]
    {
        let folder = folder(&format!("sqlite_{seed}"));
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        write(&folder, "l.csv", random_file(left_rows, "id,k,text", &mut state));
        write(&folder, "r.csv", random_file(right_rows, "id,k,note", &mut state));
        let join = |compare: &str, out: &str| {
            let args =
                ["join", "l.csv", "r.csv", "--on", "k", "--as", compare, "-o", out, "--backend", "cpu"];
            let ours = warpproof(&folder, &args);
            assert!(ours.status.success(), "{}", text(&ours.stderr));
        };
        join("text", "out.csv");
        join("integer", "integer.csv");
        assert!(read(&folder, "out.csv") == read(&folder, "integer.csv"), "seed {seed}");
        let script = "create table l(id,k integer,text); create table r(id,k integer,note);
.mode csv
.import --skip 1 l.csv l
.import --skip 1 r.csv r
.headers on
select l.id as id, l.k as k, l.text as text, r.id as id_right, r.note as note
from l join r on l.k = r.k order by l.rowid, r.rowid;
";
        write(&folder, "script.sql", script);
        let theirs = Command::new("sqlite3")
            .current_dir(&folder)
            .args(["-batch", ":memory:", ".read script.sql"])
            .output()
            .expect("sqlite3 starts");
        assert!(theirs.status.success(), "{}", text(&theirs.stderr));
        let (mut found, mut expected) =
            (records(&std::fs::read(folder.join("out.csv")).expect("written")), records(&theirs.stdout));
        // sqlite3 prints no header where there is no row.
        let header = found.remove(0);
        assert_eq!(header, vec!["id", "k", "text", "id_right", "note"]);
        if !expected.is_empty() {
            assert_eq!(expected.remove(0), header);
        }
        if seed == 1 {
            assert!(found.len() > 5000, "too few rows to tell: {}", found.len());
        }
        assert_eq!(found.len(), expected.len(), "seed {seed}");
        assert!(found == expected, "seed {seed}: see {}", folder.display());
    }
}

/// Rows of one key on both sides: more of them than a thread keeps in memory.
#[test]
fn a_key_may_have_many_rows_in_both_files() {
    const ROWS: usize = 1500;
    let folder = folder("many");
    let file = |header: &str| (0..ROWS).fold(format!("{header}\n"), |all, row| all + &format!("7,{row}\n"));
    write(&folder, "l.csv", file("k,left") + "8,last\n");
    write(&folder, "r.csv", file("k,right"));
    for (how, out) in [("inner", "out.csv"), ("left", "out.tsv"), ("outer", "out.parquet")] {
        let done = warpproof(&folder, &["join", "l.csv", "r.csv", "--on", "k", "--how", how, "-o", out]);
        assert!(done.status.success(), "{}", text(&done.stderr));
    }
    let lines = read(&folder, "out.csv");
    let pairs = (0..ROWS).flat_map(|left| (0..ROWS).map(move |right| format!("7,{left},{right}")));
    assert!(lines.lines().eq(std::iter::once("k,left,right".to_owned()).chain(pairs)));
    assert!(read(&folder, "out.tsv").replace('\t', ",") == lines.clone() + "8,last,\n");
    let again = warpproof(&folder, &["dedup", "out.parquet", "-o", "again.csv"]);
    assert!(again.status.success(), "{}", text(&again.stderr));
    assert!(read(&folder, "again.csv") == lines + "8,last,\n");
}

/// In shards on as many GPUs as there are, up to two.
#[cfg(feature = "gpu")]
#[test]
fn a_join_by_shards_on_gpus_is_that_of_the_cpu() {
    let folder = folder("gpus");
    let mut state = 77;
    write(&folder, "l.csv", random_file(60_000, "id,k,text", &mut state));
    write(&folder, "r.csv", random_file(500, "id,k,note", &mut state));
    let join = |out: &str, on: [&str; 2]| {
        warpproof(&folder, &["join", "l.csv", "r.csv", "--on", "k", "-o", out, on[0], on[1]])
    };
    let none = join("none.csv", ["--gpus", "64"]);
    assert_eq!(none.status.code(), Some(2));
    assert!(text(&none.stderr).contains("--gpus 64: "), "{}", text(&none.stderr));
    if device::device().is_none() {
        return;
    }
    let gpus = warpproof::gpu::Device::count().expect("a driver").min(2).to_string();
    for (out, on) in [("cpu.csv", ["--backend", "cpu"]), ("gpus.csv", ["--gpus", &gpus])] {
        let joined = join(out, on);
        assert!(joined.status.success(), "{}", text(&joined.stderr));
    }
    assert!(read(&folder, "gpus.csv") == read(&folder, "cpu.csv"), "{gpus} GPUs");
}

#[test]
fn stdout_gets_the_same_rows_as_a_file() {
    let folder = folder("stdout");
    write(&folder, "l.csv", "\u{feff}k,a\r\n1,x\r\n\r\n2,y\r\n1,\"q,\"\"r\"");
    write(&folder, "r.csv", "b,k\n10,1\n20,3\n30,1\n");
    let out = warpproof(&folder, &["join", "l.csv", "r.csv", "--on", "k", "--backend", "cpu"]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert_eq!(text(&out.stdout), "k,a,b\n1,x,10\n1,x,30\n1,\"q,\"\"r\",10\n1,\"q,\"\"r\",30\n");
    assert_eq!(text(&out.stderr), "");
}

/// The result of a table many times the budget is that without one: in place, with one frame, with some, and
/// all in frames.
#[test]
fn a_budget_changes_no_row() {
    let folder = folder("budget");
    let mut state = 17;
    let mut rows = |n: usize, header: &str| {
        (0..n).fold(format!("{header}\n"), |mut out, row| {
            let key = (random(&mut state) % 30_000) as i64 - 15_000;
            writeln!(out, "{row},{}", key * ((1 << 40) + 1)).expect("a string");
            out
        })
    };
    write(&folder, "l.csv", rows(15_000, "id,k"));
    write(&folder, "r.csv", rows(20_000, "note,k"));
    let join = |more: &[&str]| {
        let args = ["join", "l.csv", "r.csv", "--on", "k", "--backend", "cpu"];
        let out = warpproof(&folder, &[&args[..], more].concat());
        assert!(out.status.success(), "{more:?}: {}", text(&out.stderr));
        (out.stdout, text(&out.stderr))
    };
    let (expected, nothing) = join(&[]);
    assert!(expected.len() > 100_000 && nothing.is_empty(), "{nothing}");
    for budget in ["0", "2K", "7K", "64K", "1G"] {
        let (rows, said) = join(&["--budget", budget]);
        assert!(rows == expected, "{budget}");
        assert!(said.starts_with("paging   ") && said.lines().count() == 1, "{said}");
        let copied = !said.contains(": 0 bytes to frames, 0 bytes from frames");
        assert_eq!(copied, !["0", "2K"].contains(&budget), "{said}");
    }
    for (budget, reason) in [("0", "no room for a frame"), ("64K", "in a frame, after a copy")] {
        let (rows, said) = join(&["--budget", budget, "--explain", "-o", "out.csv"]);
        assert!(rows.is_empty() && read(&folder, "out.csv").into_bytes() == expected, "{budget}");
        // 20,000 rows are inserted and sought, and 15,000 sought.
        assert!(said.contains("choices  55,000 operations; "), "{said}");
        assert!(said.contains("  writes ") && said.contains("  reads ") && said.contains(reason), "{said}");
    }
    let args = ["join", "l.csv", "r.csv", "--on", "k", "-o", "no.csv"];
    for (more, why) in [
        (&["--budget", "1X"][..], "expected a number of bytes"),
        (&["--budget", ""], "expected a number of bytes"),
        (&["--explain"], "--budget <BYTES>"),
    ] {
        let out = warpproof(&folder, &[&args[..], more].concat());
        assert_eq!(out.status.code(), Some(2), "{more:?}");
        assert!(text(&out.stderr).contains(why), "{}", text(&out.stderr));
        assert!(!folder.join("no.csv").exists());
    }
}

#[test]
fn clashing_names_get_a_suffix() {
    let folder = folder("names");
    write(&folder, "l.csv", "k,a,a_right\n1,2,3\n");
    write(&folder, "r.csv", "a,k,b\n4,1,5\n");
    let out = warpproof(&folder, &["join", "l.csv", "r.csv", "--on", "k", "--backend", "cpu"]);
    assert_eq!(text(&out.stdout), "k,a,a_right,a_right2,b\n1,2,3,4,5\n");
}

/// A join is fast even if all columns have one name. It took 38 seconds when each name was compared with all
/// before it.
#[test]
fn names_take_time_in_proportion_to_the_header() {
    const COLUMNS: usize = 20_000;
    let folder = folder("columns");
    let row = |key: &str, cell: &str| format!("{key}{}\n", format!(",{cell}").repeat(COLUMNS));
    write(&folder, "l.csv", row("k", "x") + &row("1", "2"));
    write(&folder, "r.csv", row("k", "x") + &row("1", "3"));
    let started = std::time::Instant::now();
    let out = warpproof(&folder, &["join", "l.csv", "r.csv", "--on", "k", "--backend", "cpu"]);
    assert!(started.elapsed().as_secs() < 10, "{:?}", started.elapsed());
    let rows = records(&out.stdout);
    assert_eq!(rows[0].len(), 1 + 2 * COLUMNS);
    assert_eq!(
        (&rows[0][COLUMNS], &rows[0][COLUMNS + 1], &rows[0][COLUMNS + 2]),
        ("x", "x_right", "x_right2")
    );
    assert_eq!(&rows[0][2 * COLUMNS], format!("x_right{COLUMNS}"));
    assert_eq!((&rows[1][COLUMNS], &rows[1][COLUMNS + 1]), ("2", "3"));
}

#[test]
fn one_hot_key_takes_linear_time() {
    let folder = folder("hot");
    let mut right = String::from("k,b\n");
    for row in 0..300_000 {
        writeln!(right, "5,{row}").expect("a string");
    }
    write(&folder, "r.csv", &right);
    write(&folder, "l.csv", "k\n4\n5\n");
    let started = std::time::Instant::now();
    let out = warpproof(&folder, &["join", "l.csv", "r.csv", "--on", "k", "--backend", "cpu"]);
    assert_eq!(text(&out.stdout).lines().count(), 300_001);
    // A chain of 300,000 pairs would be walked 300,000 times: minutes.
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}

#[test]
fn errors_name_file_line_and_column_and_leave_the_output_alone() {
    let good = "k,b\n1,2\n";
    for (left, right, parts) in [
        ("k,a\n1,2\nx,3\n", good, &["l.csv:3:", "column 1 (k)", "\"x\""][..]),
        ("k,a\n1,2\n\n\n1.5,3\n", good, &["l.csv:5:", "column 1 (k)"]),
        ("k,a\r\n1,2\r\n,3\r\n", good, &["l.csv:3:", "column 1 (k)"]),
        ("k,a\n9223372036854775808,2\n", good, &["l.csv:2:", "column 1 (k)"]),
        (good, "b,k\n\"two\nlines\",1\n3,z\n", &["r.csv:4:", "column 2 (k)", "\"z\""]),
        (good, "k,b\n1,2\n1,2,3\n", &["r.csv:3:", "column 3", "3 cells", "2"]),
        (good, "k,b\n1\n", &["r.csv:2:", "column 2"]),
        (good, "x,y\n1,2\n", &["r.csv:1:", "\"k\"", "x, y"]),
        ("k,k\n1,2\n", good, &["l.csv:1:", "two columns"]),
        (good, "", &["r.csv:1:", "no header"]),
        (good, "k,b\n1,\"open\n2,3\n", &["r.csv:2:", "never closed"]),
    ] {
        let folder = folder("errors");
        write(&folder, "l.csv", left);
        write(&folder, "r.csv", right);
        write(&folder, "out.csv", "as it was");
        let args =
            ["join", "l.csv", "r.csv", "--on", "k", "--as", "integer", "-o", "out.csv", "--backend", "cpu"];
        let out = warpproof(&folder, &args);
        let said = text(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{said}");
        for part in parts {
            assert!(said.contains(part), "{part:?} is not in {said:?}");
        }
        assert_eq!(read(&folder, "out.csv"), "as it was");
        let files = std::fs::read_dir(&folder).expect("readable").count();
        assert_eq!(files, 3, "a temporary file was left");
    }
}

#[test]
fn files_that_cannot_be_read_or_written_are_errors() {
    let folder = folder("io");
    write(&folder, "l.csv", "k\n1\n");
    let missing = warpproof(&folder, &["join", "l.csv", "none.csv", "--on", "k", "--backend", "cpu"]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(text(&missing.stderr).contains("none.csv"), "{}", text(&missing.stderr));
    for target in ["no/such/folder/out.csv", "."] {
        let out =
            warpproof(&folder, &["join", "l.csv", "l.csv", "--on", "k", "--backend", "cpu", "-o", target]);
        assert_eq!(out.status.code(), Some(2));
        assert!(text(&out.stderr).contains(target), "{}", text(&out.stderr));
    }
    let usage = warpproof(&folder, &["join", "l.csv", "l.csv"]);
    assert_eq!(usage.status.code(), Some(2));
}

#[test]
fn the_output_may_replace_an_input() {
    let folder = folder("replace");
    write(&folder, "l.csv", "k,a\n1,x\n");
    write(&folder, "r.csv", "k,b\n1,y\n");
    let out = warpproof(&folder, &["join", "l.csv", "r.csv", "--on", "k", "--backend", "cpu", "-o", "l.csv"]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert_eq!(read(&folder, "l.csv"), "k,a,b\n1,x,y\n");
}
