//! Arbitrary bytes as a table to join. There is never a panic. An error names its line and its column. A
//! table that is accepted is equal to what another CSV reader finds in it.
//!
//! The first byte is the length of the key column's name, which follows; the rest is the file.
#![no_main]

use libfuzzer_sys::fuzz_target;
use warpproof::files::{Malformed, RowReader, Table};

fuzz_target!(|bytes: &[u8]| {
    let Some((&length, rest)) = bytes.split_first() else { return };
    let Some((name, file)) = rest.split_at_checked(usize::from(length) % 8) else { return };
    let Ok(name) = std::str::from_utf8(name) else { return };
    match Table::parse(file.to_vec(), name, |_| {}) {
        Ok(mut table) => {
            let rows = rows(&table);
            assert_eq!(rows, other(file).expect("a reader that takes any row"));
            table_is_consistent(&table, name, &rows);
            let keys = table.take_keys();
            assert!(table.keys().is_empty() && table.rows() == keys.len());
            let again = Table::parse(written(&rows), name, |_| {}).expect("what was read can be written");
            assert_eq!((self::rows(&again), again.keys()), (rows, &keys[..]));
        }
        Err(error) => is_located(&error, file),
    }
});

/// Header and rows.
fn rows(table: &Table) -> Vec<Vec<Vec<u8>>> {
    let mut reader = RowReader::new();
    let mut rows = vec![table.header().to_vec()];
    for row in 0..table.rows() {
        rows.push(table.row(row, &mut reader).map(<[u8]>::to_vec).collect());
    }
    assert_eq!(table.row(table.rows(), &mut reader).count(), 0);
    rows
}

fn table_is_consistent(table: &Table, name: &str, rows: &[Vec<Vec<u8>>]) {
    assert_eq!(rows[0][table.column()], name.as_bytes());
    assert_eq!(rows[0].iter().filter(|column| *column == name.as_bytes()).count(), 1);
    assert_eq!(rows.len(), table.keys().len() + 1);
    for (row, key) in rows[1..].iter().zip(table.keys()) {
        assert_eq!(row.len(), rows[0].len());
        let cell = std::str::from_utf8(&row[table.column()]).expect("digits");
        assert_eq!(cell.parse(), Ok(*key));
    }
}

fn is_located(error: &Malformed, file: &[u8]) {
    let lines = file.iter().filter(|b| b"\r\n".contains(b)).count() + 1;
    assert!((1..=lines).contains(&error.line), "{error}");
    assert!(["column", "header", "quote"].iter().any(|word| error.what.contains(word)), "{error}");
}

/// The rows as the csv crate sees them in a stream.
fn other(file: &[u8]) -> Result<Vec<Vec<Vec<u8>>>, csv::Error> {
    let reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(file);
    reader.into_byte_records().map(|row| Ok(row?.iter().map(<[u8]>::to_vec).collect())).collect()
}

/// The rows as a file. All cells are quoted: else a first one that begins with a byte order mark would lose
/// it.
fn written(rows: &[Vec<Vec<u8>>]) -> Vec<u8> {
    let mut writer = csv::WriterBuilder::new().quote_style(csv::QuoteStyle::Always).from_writer(Vec::new());
    rows.iter().for_each(|row| writer.write_record(row).expect("memory"));
    writer.into_inner().expect("memory")
}
