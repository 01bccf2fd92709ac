//! A CSV file in memory: its bytes, its header, and where each row begins.
//!
//! No cell is kept as a string of its own, so a file of 10^7 rows takes its size and 16 bytes a row.

use crate::failure::Failure;
use crate::lines::line_of_row;
use crate::output::Progress;
use csv_core::{ReadRecordResult, Reader};
use std::path::{Path, PathBuf};

/// Rows between two updates of a progress bar.
const STEP: usize = 1 << 16;

const UNCLOSED: &str = "a quote is opened in this row and never closed";

/// A CSV file with a header and an integer column.
pub(crate) struct Table {
    path: PathBuf,
    bytes: Vec<u8>,
    /// The names of the columns.
    pub(crate) header: Vec<Vec<u8>>,
    /// Which column holds the keys.
    pub(crate) column: usize,
    /// Where each row begins.
    starts: Vec<u64>,
    /// The key of each row.
    pub(crate) keys: Vec<i64>,
}

/// Parses single rows out of memory. Its buffers are used again for every row.
pub(crate) struct RowReader {
    core: Reader,
    cells: Vec<u8>,
    ends: Vec<usize>,
    count: usize,
}

/// What [`RowReader::read`] found.
enum Read {
    /// A row; where the next begins.
    Row { next: usize },
    /// The end of the file.
    End,
    /// The end of the file between quotes.
    Unclosed,
}

impl Table {
    /// Reads a file and the integers of column `on`.
    pub(crate) fn open(path: &Path, on: &str) -> Result<Self, Failure> {
        let mut bytes =
            std::fs::read(path).map_err(|e| Failure::input(format_args!("{}: {e}", path.display())))?;
        if bytes.starts_with(b"\xef\xbb\xbf") {
            bytes.drain(..3);
        }
        // Every row then ends in a line end, and any row can be parsed by itself.
        bytes.push(b'\n');
        let path = path.to_path_buf();
        let mut table = Self { path, bytes, header: vec![], column: 0, starts: vec![], keys: vec![] };
        let mut reader = RowReader::new();
        let rows_from = table.read_header(&mut reader, on)?;
        table.read_rows(&mut reader, rows_from)?;
        Ok(table)
    }

    /// Number of rows, the header not counted.
    pub(crate) fn rows(&self) -> usize {
        self.keys.len()
    }

    /// Parses a row.
    pub(crate) fn parse(&self, row: usize, reader: &mut RowReader) {
        let from = self.starts.get(row).map_or(self.bytes.len(), |&s| s as usize);
        reader.read(&self.bytes, from);
    }

    fn read_header(&mut self, reader: &mut RowReader, on: &str) -> Result<usize, Failure> {
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

    fn read_rows(&mut self, reader: &mut RowReader, mut from: usize) -> Result<(), Failure> {
        let mut progress = Progress::new("reading", self.bytes.len() as u64);
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
                progress.at(from as u64);
            }
        }
    }

    fn ragged(&self, from: usize, reader: &RowReader) -> Failure {
        let (found, expected) = (reader.count, self.header.len());
        let at = found.min(expected) + 1;
        self.error(from, format_args!("column {at}: the row has {found} cells, the header {expected}"))
    }

    fn not_an_integer(&self, from: usize, cell: &[u8]) -> Failure {
        let name = String::from_utf8_lossy(&self.header[self.column]);
        let cell = String::from_utf8_lossy(&cell[..cell.len().min(60)]);
        let at = self.column + 1;
        self.error(from, format_args!("column {at} ({name}): {cell:?} is not an integer of 64 bits"))
    }

    /// An error about the row that begins at `from`.
    fn error(&self, from: usize, message: impl std::fmt::Display) -> Failure {
        let line = line_of_row(&self.bytes, from);
        Failure::input(format_args!("{}:{line}: {message}", self.path.display()))
    }
}

impl RowReader {
    /// A reader.
    pub(crate) fn new() -> Self {
        let mut reader = Self { core: Reader::new(), cells: vec![0; 1024], ends: vec![0; 64], count: 0 };
        // The parser drops a byte order mark before the first row it ever reads. This is that row.
        reader.read(b"\n.\n", 0);
        reader
    }

    /// Parses the row that begins at `from`, empty lines skipped.
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
        // Every file ends in a line end here, so a row that goes on does so between quotes.
        if cells + ends > 0 { Read::Unclosed } else { Read::End }
    }

    /// The cells of the row.
    pub(crate) fn cells(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.count).map(|i| self.cell(i))
    }

    /// One cell of the row.
    fn cell(&self, i: usize) -> &[u8] {
        let from = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.cells[from..self.ends[i]]
    }
}
