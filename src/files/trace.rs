//! Traces: operations in a CSV file, `op,key[,value]`.

use super::Malformed;
use super::lines::line_of_row;
use csv::{ReaderBuilder, StringRecord, Trim};
use std::collections::HashSet;
use std::ops::Range;
use warpproof_model::host::Op;

/// The operations in a file, in its order: lines of `op,key[,value]`, with or without a header.
///
/// Operations are `insert`, `insert_unique` and `assign`, with a value, and `delete` and `search`, without.
/// Keys and values are integers of 32 bits. Spaces around a field, empty lines and CR LF are allowed.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Trace {
    /// The operations.
    pub ops: Vec<Op>,
    /// Their keys.
    pub keys: Vec<u32>,
    /// Their values; 0 where an operation has none.
    pub values: Vec<u32>,
}

impl Trace {
    /// The trace in a file.
    ///
    /// # Errors
    /// The first line that is not an operation.
    pub fn parse(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut reader =
            ReaderBuilder::new().has_headers(false).flexible(true).trim(Trim::All).from_reader(bytes);
        // The reader drops a byte order mark, which would hide the line ends after it from `line_of_row`.
        let text = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        let malformed =
            |at: usize, what| Malformed { line: line_of_row(bytes, at.max(text)), row: None, what };
        let (mut trace, mut record, mut first) = (Self::default(), StringRecord::new(), true);
        loop {
            let at = reader.position().byte() as usize;
            match reader.read_record(&mut record) {
                Ok(false) => return Ok(trace),
                Ok(true) if first && is_header(&record) => {}
                Ok(true) => {
                    let (op, key, value) = operation(&record).map_err(|what| malformed(at, what))?;
                    trace.ops.push(op);
                    trace.keys.push(key);
                    trace.values.push(value);
                }
                Err(_) => return Err(malformed(at, "this line is not UTF-8 text".into())),
            }
            first = false;
        }
    }

    /// The most pairs that the operations add.
    pub fn inserts(&self) -> u64 {
        self.ops.iter().filter(|&&op| takes_value(op)).count() as u64
    }

    /// The file cut into runs of operations with distinct keys, each as long as possible. The operations of a
    /// run can run concurrently without changing any answer.
    pub fn batches(&self) -> Vec<Range<usize>> {
        let mut batches = Vec::new();
        let (mut seen, mut from) = (HashSet::new(), 0);
        for (i, &key) in self.keys.iter().enumerate() {
            if !seen.insert(key) {
                batches.push(from..i);
                seen.clear();
                seen.insert(key);
                from = i;
            }
        }
        if from < self.keys.len() {
            batches.push(from..self.keys.len());
        }
        batches
    }
}

fn is_header(record: &StringRecord) -> bool {
    record.get(0) == Some("op") && record.get(1) == Some("key")
}

fn operation(record: &StringRecord) -> Result<(Op, u32, u32), String> {
    let op = match record.get(0).unwrap_or("") {
        "insert" => Op::Insert,
        "insert_unique" => Op::InsertUnique,
        "assign" => Op::Assign,
        "delete" => Op::Delete,
        "search" => Op::Search,
        other => {
            return Err(format!(
                "field 1 (op): {other:?} is not one of insert, insert_unique, assign, delete, search"
            ));
        }
    };
    let key = match record.get(1) {
        None => return Err("field 2 (key) is missing".into()),
        Some(text) => number(text).map_err(|what| format!("field 2 (key): {what}"))?,
    };
    let value = match record.get(2).filter(|text| !text.is_empty()) {
        Some(text) if takes_value(op) => number(text).map_err(|what| format!("field 3 (value): {what}"))?,
        Some(text) => return Err(format!("field 3 (value): {} takes no value, found {text:?}", &record[0])),
        None if takes_value(op) => {
            return Err(format!("field 3 (value) is missing: {} needs one", &record[0]));
        }
        None => 0,
    };
    match record.get(3) {
        Some(extra) => Err(format!("field 4: {extra:?} is one field too many")),
        None => Ok((op, key, value)),
    }
}

const fn takes_value(op: Op) -> bool {
    matches!(op, Op::Insert | Op::InsertUnique | Op::Assign)
}

fn number(text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| format!("{text:?} is not an integer from 0 to {}", u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_optional_and_batches_have_distinct_keys() {
        let body = "insert,1,10\nsearch,2\n\nassign, 1 ,4\r\ndelete,1,\nsearch,3\n";
        let plain = Trace::parse(body.as_bytes()).unwrap();
        let headed = Trace::parse(format!("op,key,value\n{body}").as_bytes()).unwrap();
        assert_eq!((&plain.ops, &plain.keys, &plain.values), (&headed.ops, &headed.keys, &headed.values));
        assert_eq!(plain.keys, [1, 2, 1, 1, 3]);
        assert_eq!(plain.values, [10, 0, 4, 0, 0]);
        assert_eq!(plain.batches(), [0..2, 2..3, 3..5]);
        assert_eq!(plain.inserts(), 2);
        assert!(Trace::parse(b"").unwrap().batches().is_empty());
    }

    #[test]
    fn errors_name_line_and_field() {
        for (text, line, field) in [
            ("insert,1,1\nupsert,1,1\n", 2, "field 1 (op)"),
            ("op,key\nsearch,x\n", 2, "field 2 (key)"),
            ("search\n", 1, "field 2 (key)"),
            ("search,-1\n", 1, "field 2 (key)"),
            ("search,4294967296\n", 1, "field 2 (key)"),
            ("\n\ninsert,1\n", 3, "field 3 (value)"),
            ("insert,1,4294967296\n", 1, "field 3 (value)"),
            ("delete,1,5\n", 1, "field 3 (value)"),
            ("insert,1,5,6\n", 1, "field 4"),
            ("search,1\r\nsearch,2\r\nop,key\r\n", 3, "field 1 (op)"),
            ("\u{feff}\nsearch\n", 2, "field 2 (key)"),
        ] {
            let Malformed { line: at, what, .. } = Trace::parse(text.as_bytes()).unwrap_err();
            assert_eq!(at, line, "{text:?}: {what}");
            assert!(what.contains(field), "{text:?}: {what}");
        }
        assert_eq!(Trace::parse(b"search,1\nsearch,\xff\n").unwrap_err().line, 2);
    }
}
