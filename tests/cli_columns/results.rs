//! The right results.

use crate::data::{Rows, file, has, random_rows, rows, sqlite};
use crate::program::{read, text, write};
use crate::{folder, stdout, warpproof};
use std::collections::HashMap;
use std::io::Write;
use std::path::Path;
use std::process::Command;

const LEFT: [&str; 4] = ["id", "a", "b", "v"];
const RIGHT: [&str; 4] = ["id", "x", "y", "v"];

/// Sizes of the two files of a test, the largest first.
const SIZES: [(usize, usize); 6] = [(700, 500), (0, 20), (20, 0), (0, 0), (1, 1), (90, 400)];

/// Writes `l.csv` and `r.csv` and returns their rows.
fn two_files(folder: &Path, (left, right): (usize, usize), state: &mut u64) -> (Rows, Rows) {
    let (left, right) = (random_rows(left, state), random_rows(right, state));
    write(folder, "l.csv", file(&LEFT, &left, b','));
    write(folder, "r.csv", file(&RIGHT, &right, b','));
    (left, right)
}

/// A join by loops.
fn joined(how: &str, left: &Rows, right: &Rows) -> Rows {
    let matches = |l: &Vec<String>, r: &Vec<String>| l[1] == r[1] && l[2] == r[2];
    let pair = |l: &[String], r: &[String]| [l, &r[..1], &r[3..]].concat();
    let empty = vec![String::new(); 4];
    let mut out = Vec::new();
    for l in left {
        let all: Vec<_> = right.iter().filter(|r| matches(l, r)).collect();
        match how {
            "semi" => out.extend((!all.is_empty()).then(|| l.clone())),
            "anti" => out.extend(all.is_empty().then(|| l.clone())),
            "left" | "outer" if all.is_empty() => out.push(pair(l, &empty)),
            _ => out.extend(all.into_iter().map(|r| pair(l, r))),
        }
    }
    if how == "outer" {
        for r in right.iter().filter(|r| !left.iter().any(|l| matches(l, r))) {
            out.push(pair(&[String::new(), r[1].clone(), r[2].clone(), String::new()], r));
        }
    }
    out
}

/// A join by sqlite3.
fn joined_by_sqlite(folder: &Path, how: &str) -> Rows {
    const ON: &str = "l.a = r.x and l.b = r.y";
    let both = |columns: &str, join: &str| {
        format!(
            "select {columns}, l.v, r.id, r.v from l {join} join r on {ON} order by l.rowid is null, l.rowid, r.rowid"
        )
    };
    let exists =
        |not: &str| format!("select * from l where {not} exists (select 1 from r where {ON}) order by rowid");
    let query = match how {
        "inner" => both("l.id, l.a, l.b", "inner"),
        "left" => both("l.id, l.a, l.b", "left"),
        "outer" => both("l.id, coalesce(l.a, r.x), coalesce(l.b, r.y)", "full"),
        "semi" => exists(""),
        _ => exists("not"),
    };
    sqlite(folder, &query)
}

/// sqlite3 writes numbers in its own way: 12e2 as 1200.
fn numbers_as_values(mut rows: Rows) -> Rows {
    for cell in rows.iter_mut().flatten() {
        if cell == "12e2" {
            *cell = "1200".into();
        }
    }
    rows
}

#[test]
fn joins_on_two_columns_equal_loops_and_sqlite() {
    let with_sqlite = has("sqlite3");
    let mut state = 0x9e37_79b9_7f4a_7c15;
    for (at, &sizes) in SIZES.iter().chain(&SIZES).enumerate() {
        let folder = folder(&format!("join_{at}"));
        let (left, right) = two_files(&folder, sizes, &mut state);
        for how in ["inner", "left", "outer", "semi", "anti"] {
            let budget: &[&str] =
                if at % 2 == 1 { &["--budget", "64K", "-o", "out.csv"] } else { &["-o", "out.csv"] };
            let args = [&["join", "l.csv", "r.csv", "--on", "a=x,b=y", "--how", how], budget].concat();
            let out = warpproof(&folder, &args);
            assert!(out.status.success(), "{}", text(&out.stderr));
            let mut found = rows(read(&folder, "out.csv").as_bytes(), b',');
            let header = found.remove(0);
            let expected: &[&str] = if matches!(how, "semi" | "anti") {
                &LEFT
            } else {
                &["id", "a", "b", "v", "id_right", "v_right"]
            };
            assert_eq!(header, expected);
            assert!(found == joined(how, &left, &right), "{how}: see {}", folder.display());
            assert!(at > 0 || found.len() > 50, "{how}: too few rows to tell: {}", found.len());
            if with_sqlite {
                let theirs = joined_by_sqlite(&folder, how);
                assert!(numbers_as_values(found) == theirs, "{how}: see {}", folder.display());
            }
        }
    }
}

/// The groups of the columns a and b, in the order of their first rows.
fn groups(rows: &Rows) -> Vec<Vec<&Vec<String>>> {
    let mut numbers = HashMap::new();
    let mut groups: Vec<Vec<&Vec<String>>> = Vec::new();
    for row in rows {
        let number = *numbers.entry((&row[1], &row[2])).or_insert(groups.len());
        if number == groups.len() {
            groups.push(Vec::new());
        }
        groups[number].push(row);
    }
    groups
}

/// Key, count, sum, minimum, maximum and mean of each group, by loops.
fn folded(rows: &Rows) -> Vec<(Vec<String>, [Option<f64>; 5])> {
    let of = |group: Vec<&Vec<String>>| {
        let values: Vec<f64> =
            group.iter().filter(|row| !row[3].is_empty()).map(|row| number(&row[3])).collect();
        let some = |value: f64| (!values.is_empty()).then_some(value);
        let sum: f64 = values.iter().sum();
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let results =
            [Some(group.len() as f64), some(sum), some(low), some(high), some(sum / values.len() as f64)];
        (group[0][1..3].to_vec(), results)
    };
    groups(rows).into_iter().map(of).collect()
}

/// Whether two numbers are equal in the 15 digits that sqlite3 writes.
fn close(a: Option<f64>, b: Option<f64>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() <= a.abs() * 1e-14,
        (a, b) => a == b,
    }
}

fn number(cell: &str) -> f64 {
    cell.parse().unwrap_or_else(|_| panic!("{cell:?} is no number"))
}

/// Key and results of rows of text.
fn as_numbers(rows: Rows) -> Vec<(Vec<String>, [Option<f64>; 5])> {
    let results = |row: Vec<String>| {
        let cell = |i: usize| (!row[i].is_empty()).then(|| number(&row[i]));
        (row[..2].to_vec(), [cell(2), cell(3), cell(4), cell(5), cell(6)])
    };
    rows.into_iter().map(results).collect()
}

#[test]
fn groups_equal_loops_and_sqlite() {
    let with_sqlite = has("sqlite3");
    let mut state = 0x1234_5678_9abc_def1;
    for (at, &sizes) in SIZES.iter().chain(&SIZES).enumerate() {
        let folder = folder(&format!("group_{at}"));
        let (left, _) = two_files(&folder, sizes, &mut state);
        let what = ["--mean", "v", "--count", "--max", "v", "--sum", "v", "--min", "v"];
        let mut found =
            rows(&stdout(&folder, &[&["group", "l.csv", "--by", "a,b"], &what[..]].concat()), b',');
        assert_eq!(found.remove(0), ["a", "b", "count", "sum_v", "min_v", "max_v", "mean_v"]);
        let found = as_numbers(found);
        assert!(found == folded(&left), "see {}", folder.display());
        assert!(at > 0 || found.len() > 20 && found.len() < 500, "{} groups", found.len());
        if with_sqlite {
            let v = "nullif(v, '')";
            let query = format!(
                "select a, b, count(*), sum({v}), min({v}), max({v}), avg({v}) from l group by a, b order by min(rowid)"
            );
            let theirs = as_numbers(sqlite(&folder, &query));
            assert_eq!(found.len(), theirs.len());
            for ((key, ours), (their_key, theirs)) in found.iter().zip(&theirs) {
                assert_eq!(key, their_key);
                assert!(ours.iter().zip(theirs).all(|(a, b)| close(*a, *b)), "{key:?}: {ours:?} {theirs:?}");
            }
        }
    }
}

#[test]
fn distinct_rows_equal_loops_and_sqlite() {
    let with_sqlite = has("sqlite3");
    let mut state = 0x0fed_cba9_8765_4321;
    for (at, &sizes) in SIZES.iter().chain(&SIZES).enumerate() {
        let folder = folder(&format!("dedup_{at}"));
        let (left, _) = two_files(&folder, sizes, &mut state);
        for (keep, pick) in [("first", "min"), ("last", "max")] {
            let mut found = rows(&stdout(&folder, &["dedup", "l.csv", "--by", "a,b", "--keep", keep]), b',');
            assert_eq!(found.remove(0), LEFT);
            let row =
                |group: Vec<&Vec<String>>| group[if keep == "first" { 0 } else { group.len() - 1 }].clone();
            let mut expected: Rows = groups(&left).into_iter().map(row).collect();
            expected.sort_by_key(|row| number(&row[0]) as u64);
            assert!(found == expected, "{keep}: see {}", folder.display());
            assert!(at > 0 || found.len() > 20 && found.len() < 500, "{} rows", found.len());
            if with_sqlite {
                let query = format!(
                    "select * from l where rowid in (select {pick}(rowid) from l group by a, b) order by rowid"
                );
                assert!(
                    numbers_as_values(found) == sqlite(&folder, &query),
                    "{keep}: see {}",
                    folder.display()
                );
            }
        }
    }
    let folder = folder("dedup_all");
    write(&folder, "l.csv", "a,b\n1,2\n12,\n1,2\n\"1\",\"2\"\n,12\n");
    assert_eq!(text(&stdout(&folder, &["dedup", "l.csv"])), "a,b\n1,2\n12,\n,12\n");
}

#[test]
fn text_is_compared_byte_for_byte_and_integers_as_numbers() {
    let folder = folder("as");
    write(&folder, "l.csv", "k,j\n7,1\n007,1\n\"+7\",01\n-0,1\n");
    write(&folder, "r.csv", "k,j\n7,1\n0,1\n");
    let join = |compare| text(&stdout(&folder, &["join", "l.csv", "r.csv", "--on", "k,j", "--as", compare]));
    assert_eq!(join("text"), "k,j\n7,1\n");
    assert_eq!(join("integer"), "k,j\n7,1\n007,1\n+7,01\n-0,1\n");
    let group =
        |compare| text(&stdout(&folder, &["group", "l.csv", "--by", "k", "--count", "--as", compare]));
    assert_eq!(group("text"), "k,count\n7,1\n007,1\n+7,1\n-0,1\n");
    assert_eq!(group("integer"), "k,count\n7,3\n-0,1\n");
    let dedup = ["dedup", "l.csv", "--by", "k", "--as", "integer", "--keep", "last"];
    assert_eq!(text(&stdout(&folder, &dedup)), "k,j\n+7,01\n-0,1\n");
}

#[test]
fn sums_of_integers_are_exact_and_extremes_are_as_they_are_written() {
    let folder = folder("exact");
    let most = i64::MAX;
    write(&folder, "l.csv", format!("k,v,count\na,{most},1\na,{most},2\nb,1.50,3\nb,01.5,4\nb,,5\nc,,6\n"));
    let args = ["group", "l.csv", "--by", "k,count", "--sum", "v", "--count"];
    assert_eq!(text(&stdout(&folder, &args)).lines().next(), Some("k,count,count_group,sum_v"));
    let args =
        ["group", "l.csv", "--by", "k", "--sum", "v,count", "--min", "v", "--max", "v", "--mean", "count"];
    assert_eq!(
        text(&stdout(&folder, &args)),
        format!(
            "k,sum_v,sum_count,min_v,max_v,mean_count\na,18446744073709551614,3,{most},{most},1.5\n\
             b,3.0,12,1.50,1.50,4.0\nc,,6,,,6.0\n"
        )
    );
}

/// Files of all kinds have the same rows: with tabs, marks and other line ends, packed by this program and by
/// others.
#[test]
fn files_of_all_kinds_give_the_same_rows() {
    let folder = folder("kinds");
    let mut state = 77;
    let (left, _) = two_files(&folder, (2000, 300), &mut state);
    let join = |left: &str, right: &str, out: &str| {
        stdout(&folder, &["join", left, right, "--on", "a=x,b=y", "--how", "outer", "-o", out]);
        std::fs::read(folder.join(out)).expect("it was written")
    };
    let expected = join("l.csv", "r.csv", "out.csv");
    let tabs = file(&LEFT, &left, b'\t');
    let marked = [&b"\xef\xbb\xbf"[..], &file(&LEFT, &left, b',')].concat();
    let mut crlf = csv::WriterBuilder::new();
    let mut crlf = crlf.terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    std::iter::once(LEFT.map(str::to_owned).to_vec())
        .chain(left)
        .for_each(|row| crlf.write_record(row).expect("memory"));
    write(&folder, "l.tsv", &tabs);
    write(&folder, "marked.csv", marked);
    write(&folder, "crlf.csv", crlf.into_inner().expect("memory"));
    write(&folder, "l.TSV.gz", gzip(&tabs));
    let members = tabs.split_at(tabs.len() / 3);
    write(&folder, "members.tsv.gz", [gzip(members.0), gzip(members.1), vec![0; 512]].concat());
    let zstd =
        |bytes: &[u8]| ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest);
    let skipped = [0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3];
    write(&folder, "frames.tab.zst", [&zstd(members.0)[..], &skipped, &zstd(members.1)].concat());
    let mut all = vec!["l.tsv", "marked.csv", "crlf.csv", "l.TSV.gz", "members.tsv.gz", "frames.tab.zst"];
    if has("zstd") {
        for (level, name) in [("-1", "one.tsv.zst"), ("-19", "nineteen.tsv.zst")] {
            let packed =
                Command::new("zstd").current_dir(&folder).args([level, "-q", "l.tsv", "-o", name]).output();
            assert!(packed.expect("zstd starts").status.success());
            all.push(name);
        }
    }
    for name in all {
        assert!(join(name, "r.csv", "out.csv") == expected, "{name}");
    }
    let tabs = join("l.csv", "r.csv", "out.tsv");
    assert!(rows(&tabs, b'\t') == rows(&expected, b','));
    assert!(stdout(&folder, &["join", "l.tsv", "r.csv", "--on", "a=x,b=y", "--how", "outer"]) == tabs);

    let packed = join("l.csv", "r.csv", "out.csv.gz");
    let mut unpacked = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&packed[..]), &mut unpacked).expect("gzip");
    assert!(unpacked == expected && packed.len() < expected.len() / 2);
    let packed = join("l.csv", "r.csv", "out.csv.zst");
    assert!(packed.len() < expected.len() / 2);
    if has("zstd") {
        let out = Command::new("zstd").current_dir(&folder).args(["-dcq", "out.csv.zst"]).output();
        assert!(out.expect("zstd starts").stdout == expected);
    }
    // What was written is read again: it has no row twice.
    stdout(&folder, &["dedup", "out.csv.zst", "-o", "again.csv"]);
    let again = std::fs::read(folder.join("again.csv")).expect("it was written");
    assert!(again == expected);
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

/// More rows than a frame of zstd data or a batch has, of keys that have to be compared.
#[test]
fn many_rows_and_a_hot_key_take_linear_time() {
    let folder = folder("many");
    let mut left = String::from("k,n\n");
    for row in 0..400_000 {
        let key = if row % 2 == 0 { 5 } else { row };
        left += &format!("\"a key, number {key}\",{row}\n");
    }
    write(&folder, "l.csv", &left);
    write(&folder, "r.csv", "k,m\n\"a key, number 5\",x\n\"a key, number 7\",y\n");
    let started = std::time::Instant::now();
    let all = ["dedup", "l.csv", "--by", "k,n", "--threads", "3", "--quiet", "-o", "all.csv.zst"];
    stdout(&folder, &all);
    let args = ["group", "all.csv.zst", "--by", "k", "--count", "--sum", "n", "--threads", "1", "-q"];
    let groups = text(&stdout(&folder, &args));
    let hot: u64 = (0..400_000).step_by(2).sum::<u64>() + 5;
    assert_eq!(groups.lines().nth(1), Some(&format!("\"a key, number 5\",200001,{hot}")[..]));
    assert_eq!(groups.lines().count(), 200_000 + 1);
    let joined = text(&stdout(&folder, &["join", "l.csv", "r.csv", "--on", "k"]));
    assert_eq!(joined.lines().count(), 1 + 200_001 + 1);
    // Each row beside each other one of the hot key would take minutes.
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
}

#[test]
fn names_may_have_commas_and_equals_signs() {
    let folder = folder("names");
    write(&folder, "l.csv", "\"a,b\",c=d\n1,x\n2,y\n");
    write(&folder, "r.csv", "c,\"say \"\"k\"\"\"\n10,1\n");
    let join = ["join", "l.csv", "r.csv", "--on", "\"a,b\"=\"say \"\"k\"\"\""];
    assert_eq!(text(&stdout(&folder, &join)), "\"a,b\",c=d,c\n1,x,10\n");
    let group = ["group", "l.csv", "--by", "c=d", "--sum", "\"a,b\""];
    assert_eq!(text(&stdout(&folder, &group)), "c=d,\"sum_a,b\"\nx,1\ny,2\n");
}
