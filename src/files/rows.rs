//! Single rows of a file in memory.

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

/// Parses single rows in memory. Its buffers are reused for every row.
#[derive(Debug)]
pub struct RowReader {
    core: Reader,
    delimiter: u8,
    cells: Vec<u8>,
    ends: Vec<usize>,
    count: usize,
}

/// The result of [`RowReader::read`].
pub(super) enum Read {
    /// A row, and where the next one begins.
    Row { next: usize },
    /// The end of the file.
    End,
    /// The end of the file between quotes.
    Unclosed,
}

impl RowReader {
    /// A reader of rows with this byte between their cells.
    pub(super) fn new(delimiter: u8) -> Self {
        let core = ReaderBuilder::new().delimiter(delimiter).build();
        let mut reader = Self { core, delimiter, cells: vec![0; 1024], ends: vec![0; 64], count: 0 };
        // The parser drops a byte order mark before the first row that it ever reads. This is that row.
        reader.read(b"\n.\n", 0);
        reader
    }

    /// From now on reads rows with this byte between their cells.
    pub(super) fn delimit_by(&mut self, delimiter: u8) {
        if self.delimiter != delimiter {
            *self = Self::new(delimiter);
        }
    }

    /// How many cells the row has.
    pub(super) const fn count(&self) -> usize {
        self.count
    }

    /// Parses the row that begins at `from`, after empty lines.
    pub(super) fn read(&mut self, bytes: &[u8], mut from: usize) -> Read {
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

    pub(super) fn cells(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.count).map(|i| self.cell(i))
    }

    /// One cell of the row; nothing beyond its end.
    pub fn cell(&self, i: usize) -> &[u8] {
        if i >= self.count {
            return &[];
        }
        let from = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.cells[from..self.ends[i]]
    }
}
