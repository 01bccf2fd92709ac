//! Arbitrary bytes as a table with keys, as `join`, `group` and `dedup` read it. There is never a panic. An
//! error names its line and its column. A table that is accepted is equal to what another CSV reader finds in
//! it, and to its parts. Its keys are equal where their cells are, and so are its groups of rows, whatever
//! the hash.
//!
//! The first byte has the length of the names of the key's columns, and how the file is read; the names
//! follow, with commas between, and then the file.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::collections::HashMap;
use warpproof::files::{Coder, KeyType, Layout, Malformed, Parts, Table, Unread};
use warpproof::simt::cpu::Error;
use warpproof::simt::cpu::columns::{Leaders, Progress, RowsByHash};

/// Bits of the first byte, besides the length of the names.
const TEXT: u8 = 1 << 3;
const TABS: u8 = 1 << 4;
const SEVERAL: u8 = 1 << 5;
const ALL: u8 = 1 << 6;
const POOR_HASH: u8 = 1 << 7;

/// Rows that are compared with each other.
const COMPARED: usize = 64;

fuzz_target!(|bytes: &[u8]| {
    let Some((&first, rest)) = bytes.split_first() else { return };
    let Some((names, file)) = rest.split_at_checked(usize::from(first) % 8) else { return };
    let Ok(names) = std::str::from_utf8(names) else { return };
    let has = |bit| first & bit != 0;
    let keys: Vec<String> = match (has(ALL), has(SEVERAL)) {
        (true, _) => vec![],
        (_, true) => names.split(',').map(str::to_owned).collect(),
        _ => vec![names.to_owned()],
    };
    let kind = if has(TEXT) { KeyType::Text } else { KeyType::Integer };
    let delimiter = if has(TABS) { b'\t' } else { b',' };
    let coder = if has(POOR_HASH) { Coder::with_few_hashes(kind, 3) } else { Coder::new(kind) };
    let layout = Layout { delimiter, keys, coder };
    let table = Table::parse(file.to_vec(), &layout, |_| {});
    parts_are_those_of_the_table(file, &layout, &table, usize::from(first) + 1);
    match table {
        Ok(mut table) => {
            let rows = rows(&table);
            assert_eq!(rows, other(file, delimiter).expect("a reader that takes any row"));
            table_is_consistent(&table, &layout.keys, &rows);
            keys_are_compared(&table, kind, &rows[1..]);
            rows_are_grouped(&table, kind, &rows[1..], has(POOR_HASH));
            let codes = table.take_codes();
            assert!(table.codes().is_empty() && table.rows() == codes.len());
            let again = written(&rows, delimiter);
            let again = Table::parse(again, &layout, |_| {}).expect("what was read can be written");
            assert_eq!((self::rows(&again), again.codes()), (rows, &codes[..]));
        }
        Err(error) => is_located(&error, file),
    }
});

/// The file read in parts, each of about so many bytes.
fn parts_are_those_of_the_table(
    file: &[u8],
    layout: &Layout,
    whole: &Result<Table, Malformed>,
    bytes: usize,
) {
    let mut parts = Parts::new(file, layout.clone());
    let (mut all, mut codes) = (Vec::new(), Vec::new());
    let error = loop {
        match parts.next(bytes) {
            Ok(Some(part)) => {
                // Each part has the header.
                let rows = rows(&part);
                all.extend(rows.into_iter().skip(usize::from(!all.is_empty())));
                codes.extend_from_slice(part.codes());
            }
            Ok(None) => break None,
            Err(Unread::Malformed(error)) => break Some(error),
            Err(Unread::File(error)) => panic!("{error}"),
        }
    };
    match whole {
        Ok(table) => assert_eq!((error, all, &codes[..]), (None, rows(table), table.codes())),
        Err(expected) => assert_eq!(error.as_ref(), Some(expected)),
    }
}

/// Header and rows.
fn rows(table: &Table) -> Vec<Vec<Vec<u8>>> {
    let mut reader = table.reader();
    let mut rows = vec![table.header().to_vec()];
    for row in 0..table.rows() {
        let cells = table.row(row, &mut reader);
        assert_eq!(cells.cell(rows[0].len()), b"");
        let cells: Vec<_> = cells.cells().map(<[u8]>::to_vec).collect();
        if let Some(text) = table.text(row) {
            assert_eq!(text, cells.join(&table.delimiter()));
        }
        rows.push(cells);
    }
    assert_eq!(table.row(table.rows(), &mut reader).len(), 0);
    rows
}

fn table_is_consistent(table: &Table, keys: &[String], rows: &[Vec<Vec<u8>>]) {
    if keys.is_empty() {
        assert!(table.columns().iter().copied().eq(0..rows[0].len()));
    } else {
        assert_eq!(table.columns().len(), keys.len());
    }
    for (&column, name) in table.columns().iter().zip(keys) {
        assert_eq!(rows[0][column], name.as_bytes());
        assert_eq!(rows[0].iter().filter(|column| *column == name.as_bytes()).count(), 1);
    }
    assert_eq!(rows.len(), table.codes().len() + 1);
    assert!(rows.iter().all(|row| row.len() == rows[0].len()));
}

/// What two equal keys have in common.
fn key(table: &Table, kind: KeyType, row: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let cell = |&column: &usize| match kind {
        KeyType::Text => row[column].clone(),
        KeyType::Integer => {
            let integer: i64 =
                std::str::from_utf8(&row[column]).expect("digits").parse().expect("an integer");
            integer.to_string().into_bytes()
        }
    };
    table.columns().iter().map(cell).collect()
}

fn keys_are_compared(table: &Table, kind: KeyType, rows: &[Vec<Vec<u8>>]) {
    let keys: Vec<_> = rows.iter().take(COMPARED).map(|row| key(table, kind, row)).collect();
    for (a, ours) in keys.iter().enumerate() {
        for (b, theirs) in keys.iter().enumerate() {
            let (equal, codes) = (ours == theirs, (table.codes()[a], table.codes()[b]));
            assert_eq!(table.equal(a, table, b), equal);
            assert!(!equal || codes.0 == codes.1, "equal keys, other codes");
            assert!(equal || codes.0 != codes.1 || !table.exact(codes.0), "an exact code of two keys");
        }
    }
}

/// The last row of each hash.
struct Last(HashMap<u64, u32>);

impl Leaders for Last {
    type Error = Error;

    fn of(&self, hashes: &[u64], _: &Progress) -> Result<Vec<u32>, Error> {
        Ok(hashes.iter().map(|hash| self.0.get(hash).map_or(u32::MAX, |&row| row)).collect())
    }
}

fn rows_are_grouped(table: &Table, kind: KeyType, rows: &[Vec<Vec<u8>>], poor: bool) {
    // Of a poor hash all rows would be compared with all.
    let rows = &rows[..rows.len().min(if poor { COMPARED } else { usize::MAX })];
    let hashes = &table.codes()[..rows.len()];
    let last = Last(hashes.iter().copied().zip(0..).collect());
    let equal = |a: u32, b: u32| table.equal(a as usize, table, b as usize);
    let index = RowsByHash::new(last, hashes, equal, &Progress::new()).expect("memory");
    let mut expected: HashMap<_, Vec<u32>> = HashMap::new();
    rows.iter().zip(0..).for_each(|(row, i)| expected.entry(key(table, kind, row)).or_default().push(i));
    let found = index.find(hashes, |i, row| equal(i as u32, row), &Progress::new()).expect("memory");
    for (row, number) in rows.iter().zip(found) {
        assert_eq!(index.rows(number), expected[&key(table, kind, row)]);
    }
    let mut first: Vec<u32> = expected.values().map(|rows| rows[0]).collect();
    first.sort_unstable();
    assert_eq!(index.groups().expect("memory").first_rows(), first);
}

fn is_located(error: &Malformed, file: &[u8]) {
    let lines = file.iter().filter(|b| b"\r\n".contains(b)).count() + 1;
    assert!((1..=lines).contains(&error.line), "{error}");
    assert!(["column", "header", "quote"].iter().any(|word| error.what.contains(word)), "{error}");
}

/// The rows as the csv crate sees them in a stream.
fn other(file: &[u8], delimiter: u8) -> Result<Vec<Vec<Vec<u8>>>, csv::Error> {
    let mut reader = csv::ReaderBuilder::new();
    let reader = reader.has_headers(false).flexible(true).delimiter(delimiter).from_reader(file);
    reader.into_byte_records().map(|row| Ok(row?.iter().map(<[u8]>::to_vec).collect())).collect()
}

/// The rows as a file. All cells are quoted: else a first one that begins with a byte order mark would lose
/// it.
fn written(rows: &[Vec<Vec<u8>>], delimiter: u8) -> Vec<u8> {
    let mut writer = csv::WriterBuilder::new();
    let mut writer = writer.quote_style(csv::QuoteStyle::Always).delimiter(delimiter).from_writer(Vec::new());
    rows.iter().for_each(|row| writer.write_record(row).expect("memory"));
    writer.into_inner().expect("memory")
}
