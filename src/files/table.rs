//! Tables: a file of rows in memory, with its header, the beginning of each row and a code for its key.
//!
//! Cells are not kept as separate strings, so a file of 10^7 rows takes its size and 16 bytes a row.

use super::Malformed;
use super::keys::{Coder, KeyType};
use super::lines::line_of_row;
use super::rows::{Read, RowReader};
use std::cell::RefCell;

/// Rows between two reports of progress.
const STEP: usize = 1 << 16;

const UNCLOSED: &str = "a quote is opened in this row and never closed";

thread_local! {
    /// For comparisons of keys, by any thread.
    static READERS: RefCell<[Option<RowReader>; 2]> = const { RefCell::new([None, None]) };
}

/// A file of rows with a header, and a key of one or several columns.
///
/// Cells are bytes, quoted or not. Every row has as many cells as the header.
#[derive(Debug)]
pub struct Table {
    bytes: Vec<u8>,
    delimiter: u8,
    header: Vec<Vec<u8>>,
    columns: Vec<usize>,
    coder: Coder,
    /// Where each row begins.
    starts: Vec<u64>,
    codes: Vec<u64>,
}

/// How a file is read.
#[derive(Clone, Debug)]
pub struct Layout {
    /// What is between two cells of a row.
    pub delimiter: u8,
    /// The columns of the key, by their names. None: all columns.
    pub keys: Vec<String>,
    /// How keys are compared and coded. Files whose keys are compared with each other have the same coder.
    pub coder: Coder,
}

impl Layout {
    /// A file with commas between its cells, whose key is one column of integers.
    pub fn integers(column: &str) -> Self {
        let coder = Coder::new(KeyType::Integer);
        Self { delimiter: b',', keys: vec![column.to_owned()], coder }
    }
}

impl Table {
    /// The table in a file, with a code for each key. From time to time `progress` gets the number of bytes
    /// read.
    ///
    /// # Errors
    /// There is no header; there is no column of a key's name, or two; a row has another length than the
    /// header; a key should be an integer and is none; a quote is never closed.
    pub fn parse(
        mut bytes: Vec<u8>,
        layout: &Layout,
        mut progress: impl FnMut(u64),
    ) -> Result<Self, Malformed> {
        if bytes.starts_with(b"\xef\xbb\xbf") {
            bytes.drain(..3);
        }
        // Then every row ends in a line end, and any row can be parsed by itself.
        bytes.push(b'\n');
        let (delimiter, coder) = (layout.delimiter, layout.coder.clone());
        let (header, columns, starts, codes) = (vec![], vec![], vec![], vec![]);
        let mut table = Self { bytes, delimiter, header, columns, coder, starts, codes };
        let mut reader = table.reader();
        let rows_from = table.read_header(&mut reader)?;
        table.columns = match &layout.keys[..] {
            [] => (0..table.header.len()).collect(),
            names => table.key_columns(names)?,
        };
        table.read_rows(&mut reader, rows_from, &mut progress)?;
        Ok(table)
    }

    /// The names of the columns.
    pub fn header(&self) -> &[Vec<u8>] {
        &self.header
    }

    /// The columns of the key.
    pub fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// Number of rows, the header not counted.
    pub fn rows(&self) -> usize {
        self.starts.len()
    }

    /// The code of the key of each row; empty after they were taken. Equal keys have equal codes. Of
    /// different keys with one code none is [exact](Self::exact).
    pub fn codes(&self) -> &[u64] {
        &self.codes
    }

    /// Takes the codes out, to free their memory.
    pub fn take_codes(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.codes)
    }

    /// Whether all keys of this code are equal. Else their cells have to be [compared](Self::equal).
    pub fn exact(&self, code: u64) -> bool {
        self.coder.exact(code, self.columns.len())
    }

    /// Whether two rows that are there have equal keys.
    pub fn equal(&self, row: usize, other: &Self, other_row: usize) -> bool {
        READERS.with_borrow_mut(|readers| {
            let [ours, theirs] = readers;
            let ours = self.cells_of_key(row, ours);
            let theirs = other.cells_of_key(other_row, theirs);
            let mut pairs = self.columns.iter().zip(&other.columns);
            self.columns.len() == other.columns.len()
                && pairs.all(|(&a, &b)| self.coder.equal(ours.cell(a), theirs.cell(b)))
        })
    }

    /// A reader for the rows of this table.
    pub fn reader(&self) -> RowReader {
        RowReader::new(self.delimiter)
    }

    /// Parses a row; a missing row has no cells.
    pub fn row<'r>(&self, row: usize, reader: &'r mut RowReader) -> impl Iterator<Item = &'r [u8]> + use<'r> {
        self.read(row, reader);
        reader.cells()
    }

    /// Parses a row, whose [cells](RowReader::cell) are then those of the reader; a missing row has none.
    pub fn read(&self, row: usize, reader: &mut RowReader) {
        let from = self.starts.get(row).map_or(self.bytes.len(), |&start| start as usize);
        reader.read(&self.bytes, from);
    }

    /// The column of this name.
    ///
    /// # Errors
    /// There is none, or there are two.
    pub fn column(&self, name: &str) -> Result<usize, Malformed> {
        let mut places = self.header.iter().enumerate().filter(|(_, other)| *other == name.as_bytes());
        match (places.next(), places.next()) {
            (Some((column, _)), None) => Ok(column),
            (Some(_), Some(_)) => Err(self.error(0, format_args!("two columns are named {name:?}"))),
            (None, _) => {
                let names: Vec<_> = self.header.iter().map(|n| String::from_utf8_lossy(n)).collect();
                let message = format_args!("there is no column {name:?}; there are {}", names.join(", "));
                Err(self.error(0, message))
            }
        }
    }

    /// An error about a cell.
    pub fn malformed(&self, row: usize, column: usize, cell: &[u8], what: &str) -> Malformed {
        let from = self.starts.get(row).map_or(self.bytes.len(), |&start| start as usize);
        self.malformed_at(from, column, cell, what)
    }

    fn malformed_at(&self, from: usize, column: usize, cell: &[u8], what: &str) -> Malformed {
        let name = self.header.get(column).map_or(&[][..], |name| name);
        let (name, at) = (String::from_utf8_lossy(name), column + 1);
        let cell = String::from_utf8_lossy(&cell[..cell.len().min(60)]);
        self.error(from, format_args!("column {at} ({name}): {cell:?} is {what}"))
    }

    /// Parses a row for a comparison.
    fn cells_of_key<'r>(&self, row: usize, reader: &'r mut Option<RowReader>) -> &'r RowReader {
        let reader = reader.get_or_insert_with(|| self.reader());
        reader.delimit_by(self.delimiter);
        self.read(row, reader);
        reader
    }

    fn read_header(&mut self, reader: &mut RowReader) -> Result<usize, Malformed> {
        let next = match reader.read(&self.bytes, 0) {
            Read::Row { next } => next,
            Read::End => return Err(self.error(0, "there is no header")),
            Read::Unclosed => return Err(self.error(0, UNCLOSED)),
        };
        self.header = reader.cells().map(<[u8]>::to_vec).collect();
        Ok(next)
    }

    fn key_columns(&self, names: &[String]) -> Result<Vec<usize>, Malformed> {
        let mut columns = Vec::with_capacity(names.len());
        for name in names {
            let column = self.column(name)?;
            if columns.contains(&column) {
                return Err(self.error(0, format_args!("column {name:?} is twice in the key")));
            }
            columns.push(column);
        }
        Ok(columns)
    }

    fn read_rows(
        &mut self,
        reader: &mut RowReader,
        mut from: usize,
        progress: &mut dyn FnMut(u64),
    ) -> Result<(), Malformed> {
        loop {
            let next = match reader.read(&self.bytes, from) {
                Read::Row { next } => next,
                Read::End => return Ok(()),
                Read::Unclosed => return Err(self.error(from, UNCLOSED)),
            };
            if reader.count() != self.header.len() {
                return Err(self.ragged(from, reader));
            }
            let cells = self.columns.iter().map(|&column| reader.cell(column));
            let code = match self.coder.code(cells) {
                Ok(code) => code,
                Err(at) => {
                    let column = self.columns[at];
                    let what = "not an integer of 64 bits";
                    return Err(self.malformed_at(from, column, reader.cell(column), what));
                }
            };
            self.starts.push(from as u64);
            self.codes.push(code);
            from = next;
            if self.codes.len().is_multiple_of(STEP) {
                progress(from as u64);
            }
        }
    }

    fn ragged(&self, from: usize, reader: &RowReader) -> Malformed {
        let (found, expected) = (reader.count(), self.header.len());
        let at = found.min(expected) + 1;
        self.error(from, format_args!("column {at}: the row has {found} cells, the header {expected}"))
    }

    /// An error about the row that begins at `from`.
    fn error(&self, from: usize, message: impl std::fmt::Display) -> Malformed {
        // The header is before all rows. The row that is being read is not in the list yet.
        let before = self.starts.partition_point(|&start| start < from as u64);
        let row = if from == 0 { 0 } else { before + 1 };
        Malformed { line: line_of_row(&self.bytes, from), row: Some(row), what: message.to_string() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &[u8]) -> Result<Table, Malformed> {
        Table::parse(text.to_vec(), &Layout::integers("id"), |_| {})
    }

    #[test]
    fn rows_are_parsed_one_by_one_in_any_order() {
        let table = parse(b"\xef\xbb\xbfname,id\n\"a,\"\"b\"\"\n\",7\r\n\n\xff,-8").expect("a table");
        let codes = [7i64, -8].map(i64::cast_unsigned);
        assert_eq!((table.rows(), table.columns(), table.codes()), (2, &[1][..], &codes[..]));
        let mut reader = table.reader();
        assert_eq!(table.row(1, &mut reader).collect::<Vec<_>>(), [&b"\xff"[..], b"-8"]);
        assert_eq!(table.row(0, &mut reader).collect::<Vec<_>>(), [&b"a,\"b\"\n"[..], b"7"]);
        assert_eq!(table.row(2, &mut reader).count(), 0);
    }

    #[test]
    fn errors_name_line_and_column() {
        for (text, line, row, what) in [
            (&b""[..], 1, 0, "there is no header"),
            (b"a,b\n", 1, 0, "there is no column \"id\"; there are a, b"),
            (b"id,id\n", 1, 0, "two columns are named"),
            (b"id,a\n1,2\n\n3\n", 4, 2, "column 2: the row has 1 cells, the header 2"),
            (b"id,a\n1,2,3\n", 2, 1, "column 3: the row has 3 cells"),
            (b"a,id\n1,2\n1,\"x\n\"\n", 3, 2, "column 2 (id): \"x\\n\" is not an integer"),
            (b"id\n1\n\"2\n", 3, 2, UNCLOSED),
        ] {
            let error = parse(text).expect_err("malformed");
            assert_eq!(error.line, line, "{error}");
            assert_eq!(error.row, Some(row), "{error}");
            assert!(error.what.contains(what), "{error}");
        }
    }

    #[test]
    fn keys_of_files_of_two_kinds_are_compared() {
        let coder = Coder::new(KeyType::Text);
        let keys = |names: [&str; 2]| names.map(str::to_owned).to_vec();
        let layout = Layout { delimiter: b',', keys: keys(["b", "a"]), coder: coder.clone() };
        let left = Table::parse(b"a,b\n1,\"x\ty\"\n1x,y\n".to_vec(), &layout, |_| {}).expect("a table");
        let layout = Layout { delimiter: b'\t', keys: keys(["bb", "aa"]), coder };
        let text = b"aa\tbb\n1\t\"x\ty\"\n1x\ty\n1\txy\n";
        let right = Table::parse(text.to_vec(), &layout, |_| {}).expect("a table");
        for row in 0..2 {
            for other in 0..3 {
                assert_eq!(left.equal(row, &right, other), row == other);
                assert_eq!(left.codes()[row] == right.codes()[other], row == other);
            }
        }
        assert!(!left.exact(left.codes()[0]));
        let twice = Layout { keys: keys(["aa", "aa"]), ..layout };
        let error = Table::parse(text.to_vec(), &twice, |_| {}).expect_err("malformed");
        assert!(error.to_string().contains("1: column \"aa\" is twice in the key"), "{error}");
    }
}
