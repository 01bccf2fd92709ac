//! Random tables of hostile cells, and what sqlite3 makes of them.

use crate::program::{text, write};
use std::path::Path;
use std::process::Command;

/// Rows of cells.
pub(crate) type Rows = Vec<Vec<String>>;

/// Cells of keys: alike, empty, short, long, and such as have to be quoted.
const KEYS: [&str; 22] = [
    "",
    "7",
    "007",
    "-7",
    "7.0",
    " 7",
    "0",
    "-0",
    "seven",
    "\u{e9}",
    "a,b",
    "a\tb",
    "say \"hi\"",
    "two\nlines",
    "crlf\r\nline",
    "'",
    "a long cell with text",
    "a long cell with texT",
    "123456789012345678901234567890",
    "999999999999999999",
    "NULL",
    "exactly8",
];

/// Values: integers, decimal numbers whose sums are exact, and none.
const VALUES: [&str; 10] = ["1", "-20", "0.25", "1234567890123", "", "-7.5", "3", "0.5", "12e2", "-1"];

fn random(state: &mut u64) -> usize {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    (*state >> 11) as usize
}

/// Random rows of the columns id, a, b and v.
pub(crate) fn random_rows(rows: usize, state: &mut u64) -> Rows {
    let cells = 2 + random(state) % (KEYS.len() - 2);
    let row = |row: usize| {
        let (a, b, v) = (random(state) % cells, random(state) % cells, random(state) % VALUES.len());
        vec![row.to_string(), KEYS[a].to_owned(), KEYS[b].to_owned(), VALUES[v].to_owned()]
    };
    (0..rows).map(row).collect()
}

/// A file of these rows.
pub(crate) fn file(header: &[&str], rows: &Rows, delimiter: u8) -> Vec<u8> {
    let mut writer = csv::WriterBuilder::new().delimiter(delimiter).from_writer(Vec::new());
    writer.write_record(header).expect("memory");
    rows.iter().for_each(|row| writer.write_record(row).expect("memory"));
    writer.into_inner().expect("memory")
}

/// The rows of a file, the header first.
pub(crate) fn rows(bytes: &[u8], delimiter: u8) -> Rows {
    let mut reader = csv::ReaderBuilder::new();
    let mut reader = reader.has_headers(false).delimiter(delimiter).from_reader(bytes);
    let row =
        |row: Result<csv::StringRecord, csv::Error>| row.expect("CSV").iter().map(str::to_owned).collect();
    reader.records().map(row).collect()
}

/// Whether there is a program; CI has all.
pub(crate) fn has(program: &str) -> bool {
    if Command::new(program).arg("--version").output().is_ok() {
        return true;
    }
    assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "CI needs {program}");
    println!("skipped: no {program}");
    false
}

/// The rows of a query on `l.csv` and `r.csv` of a folder, without a header.
pub(crate) fn sqlite(folder: &Path, query: &str) -> Rows {
    let script = format!(
        "create table l(id integer, a text, b text, v numeric);
create table r(id integer, x text, y text, v numeric);
.mode csv
.import --skip 1 l.csv l
.import --skip 1 r.csv r
{query};
"
    );
    write(folder, "script.sql", script);
    let mut sqlite = Command::new("sqlite3");
    let out = sqlite.current_dir(folder).args(["-batch", ":memory:", ".read script.sql"]).output();
    let out = out.expect("sqlite3 starts");
    assert!(out.status.success() && out.stderr.is_empty(), "{}", text(&out.stderr));
    rows(&out.stdout, b',')
}
