//! Single rows of a file in memory.

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

/// What a byte of a row may be.
const CELL: u8 = 0;
const DELIMITER: u8 = 1;
const LINE_FEED: u8 = 2;
/// A quote or a carriage return.
const OTHER: u8 = 3;

/// Parses single rows in memory. Its buffers are reused for every row.
#[derive(Debug)]
pub struct RowReader {
    core: Reader,
    delimiter: u8,
    /// What each byte is.
    class: [u8; 256],
    /// The cells of a row with quotes, without them.
    unquoted: Vec<u8>,
    ends: Vec<usize>,
}

/// A row of a file.
#[derive(Clone, Copy, Debug, Default)]
pub struct Row<'r> {
    /// The cells, with `gap` bytes between two.
    bytes: &'r [u8],
    /// Where each cell ends.
    ends: &'r [usize],
    gap: usize,
}

impl<'r> Row<'r> {
    /// A row whose cells are in these bytes one after the other, with the end of each. A cell whose end is
    /// before its beginning, or beyond the bytes, is empty.
    pub const fn new(bytes: &'r [u8], ends: &'r [usize]) -> Self {
        Self { bytes, ends, gap: 0 }
    }

    /// How many cells the row has.
    pub const fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether the row has no cell, as one has that is missing.
    pub const fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// One cell of the row; nothing beyond its end.
    pub fn cell(&self, i: usize) -> &'r [u8] {
        let Some(&end) = self.ends.get(i) else { return &[] };
        let from = if i == 0 { 0 } else { self.ends[i - 1] + self.gap };
        self.bytes.get(from..end).unwrap_or_default()
    }

    /// All cells.
    pub fn cells(self) -> impl ExactSizeIterator<Item = &'r [u8]> {
        (0..self.len()).map(move |i| self.cell(i))
    }
}

/// The result of [`RowReader::read`].
pub(super) enum Read<'r> {
    /// A row, and where the next one begins.
    Row { row: Row<'r>, next: usize },
    /// The end of the file.
    End,
    /// The end of the file between quotes.
    Unclosed,
}

impl RowReader {
    /// A reader of rows with this byte between their cells.
    pub(super) fn new(delimiter: u8) -> Self {
        let core = ReaderBuilder::new().delimiter(delimiter).build();
        let mut class = [CELL; 256];
        (class[usize::from(b'\n')], class[usize::from(delimiter)]) = (LINE_FEED, DELIMITER);
        (class[usize::from(b'"')], class[usize::from(b'\r')]) = (OTHER, OTHER);
        let mut reader = Self { core, delimiter, class, unquoted: vec![0; 1024], ends: vec![0; 64] };
        // The parser drops a byte order mark before the first row that it ever reads. This is that row.
        reader.parse(b"\n.\n", 0);
        reader
    }

    /// From now on reads rows with this byte between their cells.
    pub fn delimit_by(&mut self, delimiter: u8) {
        if self.delimiter != delimiter {
            *self = Self::new(delimiter);
        }
    }

    /// Reads the row that begins at `from`, after empty lines.
    pub(super) fn read<'r>(&'r mut self, bytes: &'r [u8], from: usize) -> Read<'r> {
        match self.split(bytes, from) {
            Some((end, next)) => {
                Read::Row { row: Row { bytes: &bytes[from..end], ends: &self.ends, gap: 1 }, next }
            }
            None => self.parse(bytes, from),
        }
    }

    /// Splits a row without a quote, as most are: its cells are what is between the delimiters. Returns where
    /// it ends and where the next row begins.
    fn split(&mut self, bytes: &[u8], from: usize) -> Option<(usize, usize)> {
        self.ends.clear();
        let (row, mut at) = (bytes.get(from..)?, 0);
        let end = 'row: loop {
            let mut places = self.places(row.get(at..).filter(|rest| !rest.is_empty())?);
            while places != 0 {
                let place = at + (places.trailing_zeros() / u8::BITS) as usize;
                match self.class[usize::from(row[place])] {
                    CELL => {}
                    DELIMITER => self.ends.push(place),
                    _ => break 'row place,
                }
                places &= places - 1;
            }
            at += size_of::<u64>();
        };
        let line_end = match row[end..] {
            [b'\n', ..] => 1,
            [b'\r', b'\n', ..] => 2,
            _ => return None,
        };
        // An empty line is no row.
        if end == 0 {
            return None;
        }
        self.ends.push(end);
        Some((from + end, from + end + line_end))
    }

    /// Where among the next eight bytes one may be that is more than a part of a cell: the highest bit of
    /// each such byte, and of some others.
    fn places(&self, rest: &[u8]) -> u64 {
        const ONES: u64 = u64::MAX / 0xff;
        let word = match rest.first_chunk() {
            Some(word) => u64::from_le_bytes(*word),
            None => {
                let mut word = [0xff; size_of::<u64>()];
                word[..rest.len()].copy_from_slice(rest);
                u64::from_le_bytes(word)
            }
        };
        // A quote and what is below, as line ends are, or a delimiter. A byte above one of them may count
        // too.
        let low = word.wrapping_sub(ONES * (u64::from(b'"') + 1)) & !word;
        let other = word ^ (ONES * u64::from(self.delimiter));
        (low | other.wrapping_sub(ONES) & !other) & ONES << 7
    }

    /// Reads a row of any kind.
    fn parse<'r>(&'r mut self, bytes: &[u8], mut from: usize) -> Read<'r> {
        let Self { core, unquoted, ends: all_ends, .. } = self;
        all_ends.resize(all_ends.capacity().max(64), 0);
        let (mut cells, mut ends) = (0, 0);
        while from < bytes.len() {
            let (result, read, wrote, ended) =
                core.read_record(&bytes[from..], &mut unquoted[cells..], &mut all_ends[ends..]);
            from += read;
            cells += wrote;
            ends += ended;
            match result {
                ReadRecordResult::Record => {
                    let row = Row { bytes: &unquoted[..cells], ends: &all_ends[..ends], gap: 0 };
                    return Read::Row { row, next: from };
                }
                ReadRecordResult::OutputFull => unquoted.resize(unquoted.len() * 2, 0),
                ReadRecordResult::OutputEndsFull => all_ends.resize(all_ends.len() * 2, 0),
                ReadRecordResult::InputEmpty | ReadRecordResult::End => break,
            }
        }
        // Every file here ends in a line end, so a row without an end is between quotes.
        if cells + ends > 0 { Read::Unclosed } else { Read::End }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows of a file, of which each is read by itself.
    fn rows(bytes: &[u8]) -> Vec<Vec<Vec<u8>>> {
        let mut reader = RowReader::new(b',');
        let (mut rows, mut from) = (Vec::new(), 0);
        while let Read::Row { row, next } = reader.read(bytes, from) {
            rows.push(row.cells().map(<[u8]>::to_vec).collect());
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
