//! Tables: a CSV file in memory, with its header and the beginning of each row.
//!
//! Cells are not kept as separate strings, so a file of 10^7 rows takes its size and 16 bytes a row.

use super::Malformed;
use super::lines::line_of_row;
use csv_core::{ReadRecordResult, Reader};

/// Rows between two reports of progress.
const STEP: usize = 1 << 16;

const UNCLOSED: &str = "a quote is opened in this row and never closed";

/// A CSV file with a header and an integer column.
///
/// Cells are bytes, quoted or not. Every row has as many cells as the header. The key is a decimal integer of
/// 64 bits.
#[derive(Debug)]
pub struct Table {
    bytes: Vec<u8>,
    header: Vec<Vec<u8>>,
    column: usize,
    /// Where each row begins.
    starts: Vec<u64>,
    keys: Vec<i64>,
}

/// Parses single rows in memory. Its buffers are reused for every row.
#[derive(Debug)]
pub struct RowReader {
    core: Reader,
    cells: Vec<u8>,
    ends: Vec<usize>,
    count: usize,
}

/// The result of [`RowReader::read`].
enum Read {
    /// A row, and where the next one begins.
    Row { next: usize },
    /// The end of the file.
    End,
    /// The end of the file between quotes.
    Unclosed,
}

impl Table {
    /// The table in a file, with the integers of column `on` as its keys. From time to time `progress` gets
    /// the number of bytes read.
    ///
    /// # Errors
    /// There is no header; there is no column `on`, or two; a row has another length than the header; a key
    /// is no integer; a quote is never closed.
    pub fn parse(mut bytes: Vec<u8>, on: &str, mut progress: impl FnMut(u64)) -> Result<Self, Malformed> {
        if bytes.starts_with(b"\xef\xbb\xbf") {
            bytes.drain(..3);
        }
        // Then every row ends in a line end, and any row can be parsed by itself.
        bytes.push(b'\n');
        let mut table = Self { bytes, header: vec![], column: 0, starts: vec![], keys: vec![] };
        let mut reader = RowReader::new();
        let rows_from = table.read_header(&mut reader, on)?;
        table.read_rows(&mut reader, rows_from, &mut progress)?;
        Ok(table)
    }

    /// The names of the columns.
    pub fn header(&self) -> &[Vec<u8>] {
        &self.header
    }

    /// The index of the column with the keys.
    pub const fn column(&self) -> usize {
        self.column
    }

    /// Number of rows, the header not counted.
    pub fn rows(&self) -> usize {
        self.starts.len()
    }

    /// The key of each row; empty after they were taken.
    pub fn keys(&self) -> &[i64] {
        &self.keys
    }

    /// Takes the keys out, to free their memory.
    pub fn take_keys(&mut self) -> Vec<i64> {
        std::mem::take(&mut self.keys)
    }

    /// Parses a row; a missing row has no cells.
    pub fn row<'r>(&self, row: usize, reader: &'r mut RowReader) -> impl Iterator<Item = &'r [u8]> + use<'r> {
        let from = self.starts.get(row).map_or(self.bytes.len(), |&s| s as usize);
        reader.read(&self.bytes, from);
        reader.cells()
    }

    fn read_header(&mut self, reader: &mut RowReader, on: &str) -> Result<usize, Malformed> {
        let next = match reader.read(&self.bytes, 0) {
            Read::Row { next } => next,
            Read::End => return Err(self.error(0, "there is no header")),
            Read::Unclosed => return Err(self.error(0, UNCLOSED)),
        };
        self.header = reader.cells().map(<[u8]>::to_vec).collect();
        let mut places = self.header.iter().enumerate().filter(|(_, name)| name.as_slice() == on.as_bytes());
        match (places.next(), places.next()) {
            (Some((column, _)), None) => self.column = column,
            (Some(_), Some(_)) => return Err(self.error(0, format_args!("two columns are named {on:?}"))),
            (None, _) => {
                let names: Vec<_> = self.header.iter().map(|n| String::from_utf8_lossy(n)).collect();
                let message = format_args!("there is no column {on:?}; there are {}", names.join(", "));
                return Err(self.error(0, message));
            }
        }
        Ok(next)
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
            if reader.count != self.header.len() {
                return Err(self.ragged(from, reader));
            }
            let cell = reader.cell(self.column);
            let key = std::str::from_utf8(cell).ok().and_then(|text| text.parse().ok());
            let Some(key) = key else { return Err(self.not_an_integer(from, cell)) };
            self.starts.push(from as u64);
            self.keys.push(key);
            from = next;
            if self.keys.len().is_multiple_of(STEP) {
                progress(from as u64);
            }
        }
    }

    fn ragged(&self, from: usize, reader: &RowReader) -> Malformed {
        let (found, expected) = (reader.count, self.header.len());
        let at = found.min(expected) + 1;
        self.error(from, format_args!("column {at}: the row has {found} cells, the header {expected}"))
    }

    fn not_an_integer(&self, from: usize, cell: &[u8]) -> Malformed {
        let name = String::from_utf8_lossy(&self.header[self.column]);
        let cell = String::from_utf8_lossy(&cell[..cell.len().min(60)]);
        let at = self.column + 1;
        self.error(from, format_args!("column {at} ({name}): {cell:?} is not an integer of 64 bits"))
    }

    /// An error about the row that begins at `from`.
    fn error(&self, from: usize, message: impl std::fmt::Display) -> Malformed {
        Malformed { line: line_of_row(&self.bytes, from), what: message.to_string() }
    }
}

impl Default for RowReader {
    fn default() -> Self {
        Self::new()
    }
}

impl RowReader {
    /// A reader.
    pub fn new() -> Self {
        let mut reader = Self { core: Reader::new(), cells: vec![0; 1024], ends: vec![0; 64], count: 0 };
        // The parser drops a byte order mark before the first row that it ever reads. This is that row.
        reader.read(b"\n.\n", 0);
        reader
    }

    /// Parses the row that begins at `from`, after empty lines.
    fn read(&mut self, bytes: &[u8], mut from: usize) -> Read {
        let (mut cells, mut ends) = (0, 0);
        while from < bytes.len() {
            let (result, read, wrote, ended) =
                self.core.read_record(&bytes[from..], &mut self.cells[cells..], &mut self.ends[ends..]);
            from += read;
            cells += wrote;
            ends += ended;
            match result {
                ReadRecordResult::Record => {
                    self.count = ends;
                    return Read::Row { next: from };
                }
                ReadRecordResult::OutputFull => self.cells.resize(self.cells.len() * 2, 0),
                ReadRecordResult::OutputEndsFull => self.ends.resize(self.ends.len() * 2, 0),
                ReadRecordResult::InputEmpty | ReadRecordResult::End => break,
            }
        }
        self.count = 0;
        // Every file here ends in a line end, so a row without an end is between quotes.
        if cells + ends > 0 { Read::Unclosed } else { Read::End }
    }

    fn cells(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.count).map(|i| self.cell(i))
    }

    /// One cell of the row.
    fn cell(&self, i: usize) -> &[u8] {
        let from = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.cells[from..self.ends[i]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &[u8]) -> Result<Table, Malformed> {
        Table::parse(text.to_vec(), "id", |_| {})
    }

    #[test]
    fn rows_are_parsed_one_by_one_in_any_order() {
        let table = parse(b"\xef\xbb\xbfname,id\n\"a,\"\"b\"\"\n\",7\r\n\n\xff,-8").expect("a table");
        assert_eq!((table.rows(), table.column(), table.keys()), (2, 1, &[7, -8][..]));
        let mut reader = RowReader::new();
        assert_eq!(table.row(1, &mut reader).collect::<Vec<_>>(), [&b"\xff"[..], b"-8"]);
        assert_eq!(table.row(0, &mut reader).collect::<Vec<_>>(), [&b"a,\"b\"\n"[..], b"7"]);
        assert_eq!(table.row(2, &mut reader).count(), 0);
    }

    #[test]
    fn errors_name_line_and_column() {
        for (text, line, what) in [
            (&b""[..], 1, "there is no header"),
            (b"a,b\n", 1, "there is no column \"id\"; there are a, b"),
            (b"id,id\n", 1, "two columns are named"),
            (b"id,a\n1,2\n\n3\n", 4, "column 2: the row has 1 cells, the header 2"),
            (b"id,a\n1,2,3\n", 2, "column 3: the row has 3 cells"),
            (b"a,id\n1,2\n1,\"x\n\"\n", 3, "column 2 (id): \"x\\n\" is not an integer"),
            (b"id\n1\n\"2\n", 3, UNCLOSED),
        ] {
            let error = parse(text).expect_err("malformed");
            assert_eq!(error.line, line, "{error}");
            assert!(error.what.contains(what), "{error}");
        }
    }
}
