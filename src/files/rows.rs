//! Single rows of a file in memory.

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};
use memchr::{memchr, memchr_iter, memchr2};

/// Parses single rows in memory. Its buffers are reused for every row.
#[derive(Debug)]
pub struct RowReader {
    core: Reader,
    delimiter: u8,
    cells: Vec<u8>,
    ends: Vec<usize>,
    count: usize,
    /// Bytes between two cells in `cells`.
    gap: usize,
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
        let mut reader = Self { core, delimiter, cells: vec![0; 1024], ends: vec![0; 64], count: 0, gap: 0 };
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
        if let Some(next) = self.read_plain(bytes, from) {
            return Read::Row { next };
        }
        self.gap = 0;
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

    /// Reads a row without a quote that ends in LF, as most do: its cells are what is between the delimiters.
    /// Returns where the next row begins.
    fn read_plain(&mut self, bytes: &[u8], from: usize) -> Option<usize> {
        let rest = bytes.get(from..)?;
        let line = &rest[..memchr(b'\n', rest)?];
        if line.is_empty() || memchr2(b'"', b'\r', line).is_some() {
            return None;
        }
        self.cells.resize(self.cells.len().max(line.len()), 0);
        self.cells[..line.len()].copy_from_slice(line);
        self.count = 0;
        for end in memchr_iter(self.delimiter, line).chain([line.len()]) {
            match self.ends.get_mut(self.count) {
                Some(place) => *place = end,
                None => self.ends.push(end),
            }
            self.count += 1;
        }
        self.gap = 1;
        Some(from + line.len() + 1)
    }

    pub(super) fn cells(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.count).map(|i| self.cell(i))
    }

    /// One cell of the row; nothing beyond its end.
    pub fn cell(&self, i: usize) -> &[u8] {
        if i >= self.count {
            return &[];
        }
        let from = if i == 0 { 0 } else { self.ends[i - 1] + self.gap };
        &self.cells[from..self.ends[i]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows of a file, of which each is read by itself.
    fn rows(bytes: &[u8]) -> Vec<Vec<Vec<u8>>> {
        let mut reader = RowReader::new(b',');
        let (mut rows, mut from) = (Vec::new(), 0);
        while let Read::Row { next } = reader.read(bytes, from) {
            rows.push(reader.cells().map(<[u8]>::to_vec).collect());
            from = next;
        }
        rows
    }

    /// The rows of a file, by the crate that reads all of it.
    fn all_rows(bytes: &[u8]) -> Vec<Vec<Vec<u8>>> {
        let reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(bytes);
        let row = |row: csv::Result<csv::ByteRecord>| row.unwrap().iter().map(<[u8]>::to_vec).collect();
        reader.into_byte_records().map(row).collect()
    }

    #[test]
    fn plain_rows_are_read_as_the_parser_reads_them() {
        let long = [&b"a".repeat(5000)[..], b",", &b",".repeat(200), b"\n"].concat();
        let file = [
            &b"a,b\n,\n\n\n\xef\xbb\xbfx,y,\n \n1\r\n2,3\r\n\"q\",\"r\ns\"\nx\"y,z\n"[..],
            &long,
            b"\"w\"\nlast\n",
        ]
        .concat();
        let found = rows(&file);
        assert_eq!(found.len(), 11);
        assert!(found == all_rows(&file));
        assert_eq!(found[0], [b"a", b"b"]);
        assert_eq!(found[1], [b"", b""]);
        assert_eq!(found[2], [&b"\xef\xbb\xbfx"[..], b"y", b""]);
        assert_eq!(found[6], [&b"q"[..], b"r\ns"]);
    }
}
