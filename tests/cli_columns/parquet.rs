//! Parquet: results are those of text files, files of other programs are read, and others read ours.

use crate::data::{Rows, file, random_rows, rows};
use crate::program::{read, text, write};
use crate::{folder, stdout, warpproof};
use std::path::Path;
use std::process::Command;

const HEADER: [&str; 4] = ["id", "a", "b", "v"];

/// Python with polars and pyarrow: that of `WARPPROOF_PYTHON`, or `python3`.
fn python() -> Option<String> {
    let given = std::env::var("WARPPROOF_PYTHON").ok();
    let python = given.clone().unwrap_or_else(|| "python3".to_owned());
    let found = Command::new(&python).args(["-c", "import polars, pyarrow"]).output();
    let found = found.is_ok_and(|out| out.status.success());
    assert!(found || given.is_none(), "WARPPROOF_PYTHON needs polars and pyarrow");
    if !found {
        println!("skipped: no Python with polars and pyarrow");
    }
    found.then_some(python)
}

/// Runs a script in a folder, and returns what it prints.
fn script(python: &str, folder: &Path, script: &str) -> String {
    let out = Command::new(python).current_dir(folder).args(["-c", script]).output().expect("it starts");
    assert!(out.status.success(), "{}", text(&out.stderr));
    text(&out.stdout)
}

/// The error of a command, whose output stays as it was.
fn refused(folder: &Path, args: &[&str]) -> String {
    write(folder, "out.csv", "as it was");
    let out = warpproof(folder, &[args, &["-o", "out.csv"]].concat());
    let said = text(&out.stderr);
    assert_eq!(out.status.code(), Some(2), "{args:?}: {said}");
    assert!(!said.contains("panicked"), "{args:?}: {said}");
    assert_eq!(read(folder, "out.csv"), "as it was");
    said
}

/// Cells that keep their text in a column of their type; the key columns are text.
fn typed_rows(count: usize, state: &mut u64) -> Rows {
    let mut rows = random_rows(count, state);
    for (at, row) in rows.iter_mut().enumerate() {
        let float = ["", "0.5", "-7.25", "1e16", "3.0"][at % 5];
        // The text of v is not that of a program.
        row.truncate(3);
        row.extend([float.to_owned(), ["true", "false", ""][at % 3].to_owned()]);
    }
    rows
}

#[test]
fn what_is_written_is_read_again() {
    let folder = folder("parquet_same");
    let mut state = 7;
    let header = [&HEADER[..3], &["f", "t"]].concat();
    for count in [0, 1, 5000] {
        let all = typed_rows(count, &mut state);
        write(&folder, "l.csv", file(&header, &all, b','));
        stdout(&folder, &["dedup", "l.csv", "-o", "l.parquet"]);
        stdout(&folder, &["dedup", "l.parquet", "-o", "again.parquet"]);
        let found = stdout(&folder, &["dedup", "again.parquet"]);
        assert!(text(&found) == read(&folder, "l.csv"), "{count}: see {}", folder.display());
    }
    // More than a group of rows.
    let many: String = (0..1_100_000).map(|row| format!("{row},{}\n", row % 7)).collect();
    write(&folder, "many.csv", format!("k,v\n{many}"));
    stdout(&folder, &["dedup", "many.csv", "-o", "many.parquet"]);
    assert!(text(&stdout(&folder, &["dedup", "many.parquet"])) == read(&folder, "many.csv"));
}

#[test]
fn results_are_those_of_text_files() {
    let folder = folder("parquet_results");
    let mut state = 99;
    write(&folder, "l.csv", file(&HEADER, &random_rows(700, &mut state), b','));
    write(&folder, "r.csv", file(&["id", "x", "y", "w"], &random_rows(500, &mut state), b','));
    // v has 12e2, which becomes 1200.0: the text of values is that of Parquet from here on.
    for name in ["l", "r"] {
        stdout(&folder, &["dedup", &format!("{name}.csv"), "-o", &format!("{name}.parquet")]);
        stdout(&folder, &["dedup", &format!("{name}.parquet"), "-o", &format!("{name}.csv")]);
    }
    let how = |how| ["join", "l", "r", "--on", "a=x,b=y", "--how", how].to_vec();
    let group = ["group", "l", "--by", "a,b", "--count", "--sum", "v", "--max", "id,v", "--mean", "id"];
    let dedup = ["dedup", "l", "--by", "a,v", "--keep", "last"];
    let all = [how("inner"), how("left"), how("outer"), how("semi"), how("anti"), group.into(), dedup.into()];
    for args in all {
        let run = |left: &str, right: &str, more: &[&str]| {
            let name = |arg: &&str| match *arg {
                "l" => format!("l{left}"),
                "r" => format!("r{right}"),
                other => other.to_owned(),
            };
            let args: Vec<String> = args.iter().map(name).collect();
            stdout(&folder, &[&args.iter().map(String::as_str).collect::<Vec<_>>()[..], more].concat())
        };
        let expected = run(".csv", ".csv", &[]);
        assert!(rows(&expected, b',').len() > 20, "{args:?}");
        for (left, right) in [(".parquet", ".parquet"), (".csv", ".parquet"), (".parquet", ".csv")] {
            assert!(run(left, right, &[]) == expected, "{args:?} {left} {right}");
            run(left, right, &["-o", "out.parquet"]);
            // No two rows are equal.
            assert!(stdout(&folder, &["dedup", "out.parquet"]) == expected, "{args:?} {left} {right}");
        }
    }
}

/// Keys of one file are integers, those of the other are texts.
#[test]
fn columns_of_other_types_are_joined_by_their_text() {
    let folder = folder("parquet_mixed");
    let integers = "k,x\n7,1\n,2\n1000000000000000000,3\n-5,4\n8,5\n";
    let texts = "k,y\n007,a\n7,b\n,c\n1000000000000000000,d\nx,e\n-5.0,f\n8,g\n";
    for (name, rows) in [("i", integers), ("t", texts)] {
        write(&folder, &format!("{name}.csv"), rows);
        let (from, to) = (format!("{name}.csv"), format!("{name}.parquet"));
        stdout(&folder, &["dedup", &from, "-o", &to]);
    }
    let files =
        [("i.csv", "t.csv"), ("i.parquet", "t.parquet"), ("i.csv", "t.parquet"), ("i.parquet", "t.csv")];
    for (left, right) in files {
        let outer = ["join", left, right, "--on", "k", "--how", "outer"];
        let expected = "k,x,y\n7,1,b\n,2,c\n1000000000000000000,3,d\n-5,4,\n8,5,g\n007,,a\nx,,e\n-5.0,,f\n";
        assert_eq!(text(&stdout(&folder, &outer)), expected, "{left} {right}");
        stdout(&folder, &[&outer[..], &["-o", "out.parquet"]].concat());
        assert_eq!(text(&stdout(&folder, &["dedup", "out.parquet"])), expected, "{left} {right}");
    }
    // As integers 007 is 7.
    write(&folder, "t.csv", "k,y\n007,a\n7,b\n1000000000000000000,d\n");
    write(&folder, "i.csv", "k,x\n7,1\n1000000000000000000,3\n-5,4\n");
    for name in ["i", "t"] {
        let (from, to) = (format!("{name}.csv"), format!("{name}.parquet"));
        stdout(&folder, &["dedup", &from, "-o", &to]);
    }
    for (left, right) in files {
        let found = stdout(&folder, &["join", left, right, "--on", "k", "--as", "integer"]);
        assert_eq!(text(&found), "k,x,y\n7,1,a\n7,1,b\n1000000000000000000,3,d\n", "{left} {right}");
    }
}

/// Left files that are read in several parts, of text, with quotes, and of columns; what is wrong in the last
/// part has the row of the file.
#[test]
fn large_left_files_are_joined_in_parts() {
    let folder = folder("columns_parts");
    let count = 1_200_000;
    let lines: String = (0..count).map(|row| format!("{row},{},abc\n", row % 1009)).collect();
    assert!(lines.len() > 1 << 24, "one part");
    write(
        &folder,
        "r.csv",
        (0..1009).step_by(3).fold("k,x\n".to_owned(), |r, k| r + &format!("{k},<{k}>\n")),
    );
    let expected = (0..count).filter(|row| row % 1009 % 3 == 0);
    let expected = expected.map(|row| format!("{row},{0},abc,<{0}>\n", row % 1009));
    let expected: String = std::iter::once("id,k,t,x\n".to_owned()).chain(expected).collect();
    write(&folder, "l.csv", format!("id,k,t\n{lines}"));
    write(&folder, "q.csv", format!("id,k,\"t\"\n\"0\",0,abc\n{}", &lines["0,0,abc\n".len()..]));
    write(&folder, "few.csv", "id,k,t\n");
    for name in ["l", "few"] {
        let (from, to) = (format!("{name}.csv"), format!("{name}.parquet"));
        stdout(&folder, &["dedup", &from, "--by", "id", "-o", &to]);
    }
    for left in ["l.csv", "q.csv", "l.parquet"] {
        let found = stdout(&folder, &["join", left, "r.csv", "--on", "k"]);
        assert!(text(&found) == expected, "{left}");
    }
    for left in ["few.csv", "few.parquet"] {
        assert_eq!(text(&stdout(&folder, &["join", left, "r.csv", "--on", "k"])), "id,k,t,x\n");
    }
    for (left, output) in [("l.csv", "csv.parquet"), ("l.parquet", "columns.parquet")] {
        stdout(&folder, &["join", left, "r.csv", "--on", "k", "-o", output]);
        assert!(text(&stdout(&folder, &["dedup", output, "--by", "id"])) == expected, "{left}");
    }
    write(&folder, "wrong.csv", format!("id,k,t\n{lines}1,2\n"));
    let said = refused(&folder, &["join", "wrong.csv", "r.csv", "--on", "k"]);
    assert!(said.contains(&format!("wrong.csv:{}: column 3: the row has 2 cells", count + 2)), "{said}");
    write(&folder, "wrong.csv", format!("id,k,t\n{lines}1,x,y\n"));
    let said = refused(&folder, &["join", "wrong.csv", "r.csv", "--on", "k", "--as", "integer"]);
    assert!(
        said.contains(&format!("wrong.csv:{}: column 2 (k): \"x\" is not an integer", count + 2)),
        "{said}"
    );
    stdout(&folder, &["dedup", "wrong.csv", "--by", "id,k", "-o", "wrong.parquet"]);
    let said = refused(&folder, &["join", "wrong.parquet", "r.csv", "--on", "k", "--as", "integer"]);
    assert!(
        said.contains(&format!("wrong.parquet: row {}: column 2 (k): \"x\" is not", count + 1)),
        "{said}"
    );
}

#[test]
fn other_programs_read_what_is_written() {
    let Some(python) = python() else { return };
    let folder = folder("parquet_written");
    write(&folder, "l.csv", "k,n,f,t,z\n007,1,0.5,true,\nx,,-1e3,false,\n\"a,b\",-3,,,\n");
    stdout(&folder, &["dedup", "l.csv", "-o", "l.parquet"]);
    let said = script(
        &python,
        &folder,
        "import polars, pyarrow.parquet as parquet
print(polars.read_parquet('l.parquet').rows())
table = parquet.read_table('l.parquet')
print([str(column.type) for column in table.schema], table.to_pylist() == polars.read_parquet('l.parquet').to_dicts())",
    );
    assert_eq!(
        said,
        "[('007', 1, 0.5, True, None), ('x', None, -1000.0, False, None), ('a,b', -3, None, None, None)]
['string', 'int64', 'double', 'bool', 'string'] True
"
    );
    let group = ["group", "l.csv", "--by", "t", "--count", "--sum", "n,f", "--min", "n", "--mean", "n"];
    stdout(&folder, &[&group[..], &["-o", "g.parquet"]].concat());
    let said = script(
        &python,
        &folder,
        "import polars; print(polars.read_parquet('g.parquet').to_dict(as_series=False))",
    );
    assert_eq!(
        said,
        "{'t': [True, False, None], 'count': [1, 1, 1], 'sum_n': [1, None, -3], 'sum_f': [0.5, -1000.0, None], \
         'min_n': [1, None, -3], 'mean_n': [1.0, None, -3.0]}\n"
    );
}

/// Writes files with all types, packed in all ways, and prints their rows as CSV.
const WRITE: &str = r#"
import datetime, decimal, itertools
import polars, pyarrow as pa, pyarrow.parquet as parquet
rows = 3000
def column(type, values):
    return pa.array([None if i % 7 == 3 else v for i, v in zip(range(rows), itertools.cycle(values))], type)
utc = datetime.timezone.utc
at = datetime.datetime
table = pa.table({
    'id': pa.array(range(rows), pa.int32()),
    'int8': column(pa.int8(), [-128, 0, 127]),
    'uint32': column(pa.uint32(), [0, 2**32 - 1]),
    'uint64': column(pa.uint64(), [0, 2**64 - 1]),
    'int64': column(pa.int64(), [-2**63, 2**63 - 1, 5]),
    'float': column(pa.float32(), [0.1, -2.5, float('inf')]),
    'double': column(pa.float64(), [0.1, 1e300, float('nan')]),
    'bool': column(pa.bool_(), [True, False]),
    'text': column(pa.string(), ['a,b', 'say "hi"', '\u00e9', '', 'two\nlines']),
    'category': column(pa.string(), ['x', 'y']).dictionary_encode(),
    'bytes': column(pa.binary(), [b'plain', b'other']),
    'fixed': column(pa.binary(3), [b'abc', b'def']),
    'date': column(pa.date32(), [datetime.date(1969, 12, 31), datetime.date(2024, 2, 29)]),
    'time': column(pa.time64('us'), [datetime.time(1, 2, 3, 400000), datetime.time(0, 0)]),
    'milli': column(pa.timestamp('ms'), [at(1969, 12, 31, 23, 59, 59, 999000)]),
    'micro': column(pa.timestamp('us', 'UTC'), [at(2024, 2, 29, 12, 0, 1, 250000, utc)]),
    'nano': column(pa.timestamp('ns'), [at(2024, 2, 29, 12, 0, 1)]),
    'decimal': column(pa.decimal128(9, 2), [decimal.Decimal('-0.05'), decimal.Decimal('1234567.89')]),
    'wide': column(pa.decimal128(38, 4), [decimal.Decimal('-1.5'), decimal.Decimal('9' * 30)]),
    'null': pa.nulls(rows),
})
for packed in ['none', 'snappy', 'gzip', 'zstd']:
    for version in ['1.0', '2.0']:
        for dictionary in [True, False]:
            parquet.write_table(table, f'{packed}_{version}_{dictionary}.parquet', compression=packed,
                data_page_version=version, use_dictionary=dictionary, row_group_size=1100,
                data_page_size=2000, write_page_checksum=True)
parquet.write_table(table, 'old.parquet', use_deprecated_int96_timestamps=True)
polars.from_arrow(table.drop_columns(['null', 'fixed'])).write_parquet('polars.parquet')
"#;

#[test]
fn files_of_other_programs_are_read() {
    let Some(python) = python() else { return };
    let folder = folder("parquet_read");
    script(&python, &folder, WRITE);
    let first = [
        "0",
        "-128",
        "0",
        "0",
        "-9223372036854775808",
        "0.1",
        "0.1",
        "true",
        "a,b",
        "x",
        "plain",
        "abc",
        "1969-12-31",
        "01:02:03.4",
        "1969-12-31T23:59:59.999",
        "2024-02-29T12:00:01.25Z",
        "2024-02-29T12:00:01",
        "-0.05",
        "-1.5000",
        "",
    ];
    let second = [
        "1",
        "0",
        "4294967295",
        "18446744073709551615",
        "9223372036854775807",
        "-2.5",
        "1e300",
        "false",
        "say \"hi\"",
        "y",
        "other",
        "def",
        "2024-02-29",
        "00:00:00",
        "1969-12-31T23:59:59.999",
        "2024-02-29T12:00:01.25Z",
        "2024-02-29T12:00:01",
        "1234567.89",
        "999999999999999999999999999999.0000",
        "",
    ];
    let mut third = second.map(str::to_owned);
    for (at, cell) in
        [(0, "2"), (1, "127"), (2, "0"), (3, "0"), (4, "5"), (5, "inf"), (6, "NaN"), (7, "true")]
    {
        third[at] = cell.to_owned();
    }
    let mut expected: Option<Rows> = None;
    for packed in ["none", "snappy", "gzip", "zstd"] {
        for version in ["1.0", "2.0"] {
            for dictionary in ["True", "False"] {
                let name = format!("{packed}_{version}_{dictionary}.parquet");
                let found = rows(&stdout(&folder, &["dedup", &name]), b',');
                assert_eq!(found.len(), 3001, "{name}");
                assert_eq!(found[1], first, "{name}");
                assert_eq!(found[2], second, "{name}");
                assert_eq!(found[3][..8], third[..8], "{name}");
                assert!(found[4][1..].iter().all(String::is_empty), "{name}: {:?}", found[4]);
                assert!(expected.get_or_insert_with(|| found.clone()) == &found, "{name}");
            }
        }
    }
    let expected = expected.expect("files");
    let old = rows(&stdout(&folder, &["dedup", "old.parquet"]), b',');
    let nano = expected[0].iter().position(|name| name == "nano").expect("a column");
    assert!(expected.iter().zip(&old).all(|(row, old)| row[nano] == old[nano]));
    let without = |row: &Vec<String>| [&row[..11], &row[12..19]].concat();
    let polars = rows(&stdout(&folder, &["dedup", "polars.parquet"]), b',');
    assert!(polars == expected.iter().map(without).collect::<Rows>());
    // Numbers and truth values stay what they are.
    stdout(&folder, &["dedup", "zstd_2.0_True.parquet", "-o", "again.parquet"]);
    let said = script(
        &python,
        &folder,
        "import pyarrow.parquet as parquet; print([str(column.type) for column in parquet.read_schema('again.parquet')])",
    );
    let types = "['int64', 'int64', 'uint64', 'uint64', 'int64', 'double', 'double', 'bool', 'string', 'string', \
                 'binary', 'binary', 'string', 'string', 'string', 'string', 'string', 'string', 'string', 'int64']\n";
    assert_eq!(said, types);
}

#[test]
fn what_is_not_read_is_an_error_with_its_column() {
    let Some(python) = python() else { return };
    let folder = folder("parquet_refused");
    script(
        &python,
        &folder,
        "import pyarrow as pa, pyarrow.parquet as parquet
one = pa.array([1])
parquet.write_table(pa.table({'k': one, 'tags': pa.array([[1, 2]])}), 'list.parquet')
parquet.write_table(pa.table({'k': one, 'pair': pa.array([{'a': 1}])}), 'group.parquet')
parquet.write_table(pa.table({'k': one, 'half': pa.array([1.5], pa.float16())}), 'half.parquet')
parquet.write_table(pa.table({'k': pa.array(['x' * 100])}), 'lz4.parquet', compression='lz4')
parquet.write_table(pa.table({'k': one}), 'brotli.parquet', compression='brotli')
parquet.write_table(pa.table({'k': pa.array([7, 'x'.__len__()]), 't': pa.array(['1', 'x'])}), 'type.parquet')
parquet.write_table(pa.table([one, one], names=['k', 'k']), 'twice.parquet')
parquet.write_table(pa.table({}), 'none.parquet')",
    );
    for (name, parts) in [
        ("list.parquet", &["column 2 (tags)", "a list"][..]),
        ("group.parquet", &["column 2 (pair)", "a group"]),
        ("half.parquet", &["column 2 (half)", "Float16"]),
        ("lz4.parquet", &["column 1 (k)", "packed with LZ4"]),
        ("brotli.parquet", &["column 1 (k)", "packed with BROTLI"]),
        ("twice.parquet", &["two columns are named \"k\""]),
        ("none.parquet", &["no column"]),
    ] {
        let said = refused(&folder, &["dedup", name, "--by", "k"]);
        for part in parts.iter().chain(&[name]) {
            assert!(said.contains(part), "{part:?} is not in {said:?}");
        }
    }
    let said = refused(&folder, &["dedup", "type.parquet", "--by", "k,t", "--as", "integer"]);
    assert!(said.contains("type.parquet: row 2: column 2 (t): \"x\" is not an integer"), "{said}");
    let said = refused(&folder, &["group", "type.parquet", "--by", "k", "--sum", "t"]);
    assert!(said.contains("type.parquet: row 2: column 2 (t): \"x\" is not a number"), "{said}");
    let said = refused(&folder, &["dedup", "type.parquet", "--by", "x"]);
    assert!(said.contains("type.parquet: there is no column \"x\"; there are k, t"), "{said}");
}

#[test]
fn broken_files_are_errors() {
    let folder = folder("parquet_broken");
    let all: String = (0..3000).map(|row| format!("{row},text {},{}.5\n", row % 50, row % 9)).collect();
    write(&folder, "f.csv", format!("k,t,f\n{all}"));
    stdout(&folder, &["dedup", "f.csv", "-o", "f.parquet"]);
    let whole = std::fs::read(folder.join("f.parquet")).expect("it was written");
    for (what, bytes) in [
        ("does not begin with PAR1", vec![]),
        ("does not begin with PAR1", read(&folder, "f.csv").into_bytes()),
        ("does not begin with PAR1", [b"PAR2", &whole[4..]].concat()),
        ("it is cut off", whole[..whole.len() - 1].to_vec()),
        ("it is cut off", whole[..whole.len() / 2].to_vec()),
        ("does not begin with PAR1", whole[..4].to_vec()),
        ("broken Parquet data", b"PAR1\xff\xff\xff\x7fPAR1".to_vec()),
        ("broken Parquet data", [&whole[..100], &whole[whole.len() - 8..]].concat()),
    ] {
        write(&folder, "f.parquet", bytes);
        let said = refused(&folder, &["dedup", "f.parquet"]);
        assert!(said.contains("f.parquet: ") && said.contains(what), "{said}");
    }
    // Any byte may be wrong: pages have sums, and what describes them is an error or leaves the rows alone.
    let expected = text(&stdout_of(&folder, &whole));
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let (mut errors, tries) = (0, 300);
    for at in 0..tries {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mut bytes = whole.clone();
        // Half of them in the description at the end.
        let from = if at % 2 == 0 { 0 } else { whole.len() * 9 / 10 };
        let place = from + (state >> 20) as usize % (whole.len() - from);
        bytes[place] ^= 1 << ((state >> 60) % 8);
        write(&folder, "f.parquet", &bytes);
        let out = warpproof(&folder, &["dedup", "f.parquet"]);
        let said = text(&out.stderr);
        assert!(!said.contains("panicked") && out.status.code().is_some(), "byte {place}: {said}");
        errors += u32::from(!out.status.success());
        let same = text(&out.stdout).lines().count() == expected.lines().count();
        assert!(same || out.status.code() == Some(2), "byte {place}: {said}");
    }
    assert!(errors > tries / 3, "{errors} of {tries}");
}

/// The rows of a file.
fn stdout_of(folder: &Path, bytes: &[u8]) -> Vec<u8> {
    write(folder, "f.parquet", bytes);
    stdout(folder, &["dedup", "f.parquet"])
}

#[test]
fn names_that_make_no_sense_are_errors() {
    let folder = folder("parquet_names");
    write(&folder, "f.csv", "k,v\n1,2\n");
    write(&folder, "f.parquet.gz", "k,v\n1,2\n");
    let said = refused(&folder, &["dedup", "f.parquet.gz"]);
    assert!(said.contains("packed inside"), "{said}");
    let out = warpproof(&folder, &["dedup", "f.csv", "-o", "out.parquet.zst"]);
    assert_eq!(out.status.code(), Some(2));
    assert!(text(&out.stderr).contains("has to end in .parquet"), "{}", text(&out.stderr));
    assert!(!folder.join("out.parquet.zst").exists());
    let said = refused(&folder, &["dedup", "missing.parquet"]);
    assert!(said.contains("missing.parquet"), "{said}");
    std::fs::create_dir(folder.join("d.parquet")).expect("a folder");
    let said = refused(&folder, &["dedup", "d.parquet"]);
    assert!(said.contains("it has to be a file"), "{said}");
    // A name may be in any case, and the output may replace the input.
    stdout(&folder, &["dedup", "f.csv", "-o", "F.PARQUET"]);
    stdout(&folder, &["join", "F.PARQUET", "f.csv", "--on", "k", "-o", "F.PARQUET"]);
    assert_eq!(text(&stdout(&folder, &["dedup", "F.PARQUET"])), "k,v,v_right\n1,2,2\n");
    // Numbers of several files are text if they are not all of one type.
    write(&folder, "l.csv", "k,v\n1,2\n");
    write(&folder, "r.csv", "k,w\nx,3\n1,4\n");
    stdout(&folder, &["join", "l.csv", "r.csv", "--on", "k", "--how", "outer", "-o", "o.parquet"]);
    assert_eq!(text(&stdout(&folder, &["dedup", "o.parquet"])), "k,v,w\n1,2,4\nx,,3\n");
}
