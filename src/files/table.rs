//! Tables: a file of rows in memory, with its header, the beginning of each row and a code for its key.
//!
//! Cells are not kept as separate strings, so a file of 10^7 rows takes its size and 16 bytes a row. The rows
//! of a file without quotes are read by all threads.

use super::Malformed;
use super::keys::{Coder, KeyType};
use super::lines::{line_ends, line_of_row};
use super::rows::{Read, Row, RowReader};
use memchr::memchr;
use rayon::prelude::*;
use std::cell::RefCell;
use std::ops::Range;

/// Rows between two reports of progress.
const STEP: usize = 1 << 16;
/// Bytes that one thread reads at a time, and how many times that between two reports of progress.
const PIECE: usize = 1 << 20;
const PIECES: usize = 1 << 6;

/// A byte order mark.
const MARK: &[u8] = b"\xef\xbb\xbf";

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
    /// Whether a cell after the header may have quotes.
    quoted: bool,
    /// Where each row begins.
    starts: Vec<u64>,
    codes: Vec<u64>,
    /// What is before these bytes in the file.
    before: Before,
}

/// What is before a part of a file.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Before {
    lines: usize,
    rows: usize,
    /// The line of the header, if it is before them.
    header: Option<usize>,
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
        // Then every row ends in a line end, and any row can be parsed by itself.
        bytes.push(b'\n');
        // A file that has ended has a header, or this is an error.
        let begun = Self::begin(&mut bytes, layout, true)?;
        let (mut table, rows_from) = begun.unwrap_or_else(|| (Self::new(bytes, layout), 0));
        table.read_rows(rows_from, &mut progress).map_err(|wrong| table.wrong(wrong))?;
        Ok(table)
    }

    /// A table without a header yet.
    fn new(bytes: Vec<u8>, layout: &Layout) -> Self {
        Self {
            bytes,
            delimiter: layout.delimiter,
            header: vec![],
            columns: vec![],
            coder: layout.coder.clone(),
            quoted: true,
            starts: vec![],
            codes: vec![],
            before: Before::default(),
        }
    }

    /// The header of a file that begins with these bytes, which end with a line, and where its rows begin.
    /// None if they end before it does, and the file goes on: then the bytes stay.
    pub(super) fn begin(
        bytes: &mut Vec<u8>,
        layout: &Layout,
        ended: bool,
    ) -> Result<Option<(Self, usize)>, Malformed> {
        let mut table = Self::new(std::mem::take(bytes), layout);
        let mark = if table.bytes.starts_with(MARK) { MARK.len() } else { 0 };
        let mut reader = table.reader();
        let header = match reader.read(&table.bytes, mark) {
            Read::Row { row, next } => Ok((row.cells().map(<[u8]>::to_vec).collect(), next - mark)),
            Read::End | Read::Unclosed if !ended => {
                *bytes = table.bytes;
                return Ok(None);
            }
            Read::End => Err("there is no header"),
            Read::Unclosed => Err(UNCLOSED),
        };
        table.bytes.drain(..mark);
        let (header, rows_from) = header.map_err(|what| table.error(0, what))?;
        table.header = header;
        table.columns = match &layout.keys[..] {
            [] => (0..table.header.len()).collect(),
            names => table.key_columns(names)?,
        };
        Ok(Some((table, rows_from)))
    }

    /// A table without rows for what follows this part of a file.
    pub(super) fn after(&self) -> Self {
        let Self {
            ref header, ref columns, ref coder, delimiter, before: Before { lines, rows, .. }, ..
        } = *self;
        let header_line = self.before.header.unwrap_or_else(|| line_of_row(&self.bytes, 0));
        let lines = lines + line_ends(&self.bytes);
        let before = Before { lines, rows: rows + self.rows(), header: Some(header_line) };
        let (header, columns, coder) = (header.clone(), columns.clone(), coder.clone());
        let (bytes, starts, codes) = (vec![], vec![], vec![]);
        Self { bytes, delimiter, header, columns, coder, quoted: true, starts, codes, before }
    }

    /// This table with these bytes, whose rows are still to be read.
    pub(super) fn with_bytes(self, bytes: Vec<u8>) -> Self {
        Self { bytes, ..self }
    }

    /// Takes the bytes out from a row on that was not read.
    pub(super) fn split_off(&mut self, row: usize) -> Vec<u8> {
        // Lines end with CR LF as one: the parser of quotes stops between them.
        let between = row > 0 && self.bytes[row - 1..].starts_with(b"\r\n");
        self.bytes.split_off(row + usize::from(between))
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
            let ours = self.row_to_compare(row, ours);
            let theirs = other.row_to_compare(other_row, theirs);
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
    pub fn row<'r>(&'r self, row: usize, reader: &'r mut RowReader) -> Row<'r> {
        let from = self.starts.get(row).map_or(self.bytes.len(), |&start| start as usize);
        match reader.read(&self.bytes, from) {
            Read::Row { row, .. } => row,
            Read::End | Read::Unclosed => Row::default(),
        }
    }

    /// The text of a row, without its line end: its cells with delimiters between. None if the file has
    /// quotes after its header, or there is no such row.
    pub fn text(&self, row: usize) -> Option<&[u8]> {
        let from = *self.starts.get(row).filter(|_| !self.quoted)?;
        let to = self.starts.get(row + 1).map_or(self.bytes.len(), |&next| next as usize);
        // There may be empty lines before a row and, in the last one, after it.
        let is_end = |byte: &u8| b"\r\n".contains(byte);
        let line = &self.bytes[from as usize..to];
        let first = line.iter().position(|byte| !is_end(byte))?;
        let last = line.iter().rposition(|byte| !is_end(byte))?;
        Some(&line[first..=last])
    }

    /// About as many bytes as a row has; none if there is no such row.
    pub fn row_bytes(&self, row: usize) -> usize {
        let Some(&from) = self.starts.get(row) else { return 0 };
        self.starts.get(row + 1).map_or(self.bytes.len(), |&next| next as usize) - from as usize
    }

    /// Brings the beginnings of these rows to the cache. Rows in no order are read faster after that.
    pub fn touch(&self, rows: impl Iterator<Item = usize>) {
        let first = |row| self.bytes.get(*self.starts.get(row)? as usize);
        std::hint::black_box(rows.filter_map(first).fold(0, |all, byte| all ^ byte));
    }

    /// What is between the cells of a row.
    pub const fn delimiter(&self) -> u8 {
        self.delimiter
    }

    /// The column of this name.
    ///
    /// # Errors
    /// There is none, or there are two.
    pub fn column(&self, name: &str) -> Result<usize, Malformed> {
        let mut places = self.header.iter().enumerate().filter(|(_, other)| *other == name.as_bytes());
        match (places.next(), places.next()) {
            (Some((column, _)), None) => Ok(column),
            (Some(_), Some(_)) => Err(self.header_error(format_args!("two columns are named {name:?}"))),
            (None, _) => {
                let names: Vec<_> = self.header.iter().map(|n| String::from_utf8_lossy(n)).collect();
                let message = format_args!("there is no column {name:?}; there are {}", names.join(", "));
                Err(self.header_error(message))
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
    fn row_to_compare<'r>(&'r self, row: usize, reader: &'r mut Option<RowReader>) -> Row<'r> {
        let reader = reader.get_or_insert_with(|| self.reader());
        reader.delimit_by(self.delimiter);
        self.row(row, reader)
    }

    fn key_columns(&self, names: &[String]) -> Result<Vec<usize>, Malformed> {
        let mut columns = Vec::with_capacity(names.len());
        for name in names {
            let column = self.column(name)?;
            if columns.contains(&column) {
                return Err(self.header_error(format_args!("column {name:?} is twice in the key")));
            }
            columns.push(column);
        }
        Ok(columns)
    }

    /// Reads the rows from here on, up to one that is wrong.
    pub(super) fn read_rows(&mut self, mut from: usize, progress: &mut dyn FnMut(u64)) -> Result<(), Wrong> {
        self.quoted = memchr(b'"', &self.bytes[from..]).is_some();
        while from < self.bytes.len() {
            let parts = if self.quoted {
                // A line end may be between quotes: nobody knows where a row begins without those before it.
                let part = self.read_part(from..self.bytes.len(), STEP);
                from = part.next;
                vec![part]
            } else {
                let pieces = self.pieces(from);
                from = pieces.last().map_or(from, |piece| piece.end);
                pieces.into_par_iter().map(|piece| self.read_part(piece, usize::MAX)).collect()
            };
            for part in parts {
                self.starts.extend(part.starts);
                self.codes.extend(part.codes);
                if let Some(wrong) = part.wrong {
                    return Err(wrong);
                }
            }
            progress(from as u64);
        }
        Ok(())
    }

    /// Cuts what begins at `from` into pieces that end with a line.
    fn pieces(&self, mut from: usize) -> Vec<Range<usize>> {
        let mut pieces = Vec::with_capacity(PIECES);
        while pieces.len() < PIECES && from < self.bytes.len() {
            let least = (from + PIECE).min(self.bytes.len());
            let end = memchr(b'\n', &self.bytes[least..]).map_or(self.bytes.len(), |at| least + at + 1);
            pieces.push(from..end);
            from = end;
        }
        pieces
    }

    /// Reads the rows that begin in a part of the file, as many as `most`, up to one that is wrong.
    fn read_part(&self, part: Range<usize>, most: usize) -> Part {
        let (mut reader, mut from) = (self.reader(), part.start);
        let (mut starts, mut codes) = (Vec::new(), Vec::new());
        let mut wrong = None;
        while from < part.end && starts.len() < most {
            let (row, next) = match reader.read(&self.bytes[..part.end], from) {
                Read::Row { row, next } => (row, next),
                Read::End => {
                    from = part.end;
                    break;
                }
                Read::Unclosed => {
                    wrong = Some(Wrong { from, what: What::Unclosed });
                    break;
                }
            };
            if row.len() != self.header.len() {
                wrong = Some(Wrong { from, what: What::Cells(row.len()) });
                break;
            }
            match self.coder.code(self.columns.iter().map(|&column| row.cell(column))) {
                Ok(code) => codes.push(code),
                Err(at) => {
                    let column = self.columns[at];
                    wrong = Some(Wrong { from, what: What::NoInteger(column, row.cell(column).to_vec()) });
                    break;
                }
            }
            starts.push(from as u64);
            from = next;
        }
        Part { starts, codes, wrong, next: from }
    }

    /// The error about a row that is wrong, which comes after all rows that are known.
    pub(super) fn wrong(&self, Wrong { from, what }: Wrong) -> Malformed {
        match what {
            What::Unclosed => self.error(from, UNCLOSED),
            What::Cells(found) => {
                let expected = self.header.len();
                let at = found.min(expected) + 1;
                self.error(
                    from,
                    format_args!("column {at}: the row has {found} cells, the header {expected}"),
                )
            }
            What::NoInteger(column, cell) => {
                self.malformed_at(from, column, &cell, "not an integer of 64 bits")
            }
        }
    }

    /// An error about the header.
    fn header_error(&self, message: impl std::fmt::Display) -> Malformed {
        let line = self.before.header.unwrap_or_else(|| line_of_row(&self.bytes, 0));
        Malformed { line, row: Some(0), what: message.to_string() }
    }

    /// An error about the row that begins at `from`.
    fn error(&self, from: usize, message: impl std::fmt::Display) -> Malformed {
        // The header is before all rows. The row that is being read is not in the list yet.
        let Before { lines, rows, header } = self.before;
        let before = rows + self.starts.partition_point(|&start| start < from as u64);
        let row = if from == 0 && header.is_none() { 0 } else { before + 1 };
        Malformed { line: lines + line_of_row(&self.bytes, from), row: Some(row), what: message.to_string() }
    }
}

/// What was read of a part of a file.
struct Part {
    starts: Vec<u64>,
    codes: Vec<u64>,
    /// The row that ended it.
    wrong: Option<Wrong>,
    /// Where the next row begins.
    next: usize,
}

/// A row that is wrong.
pub(super) struct Wrong {
    from: usize,
    what: What,
}

impl Wrong {
    /// Where the row begins, if it has no end.
    pub(super) const fn unclosed(&self) -> Option<usize> {
        if let What::Unclosed = self.what { Some(self.from) } else { None }
    }
}

/// What is wrong with a row.
enum What {
    Unclosed,
    /// It has so many cells.
    Cells(usize),
    /// This cell of this column should be an integer.
    NoInteger(usize, Vec<u8>),
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
        assert_eq!(table.row(1, &mut reader).cells().collect::<Vec<_>>(), [&b"\xff"[..], b"-8"]);
        assert_eq!(table.row(0, &mut reader).cells().collect::<Vec<_>>(), [&b"a,\"b\"\n"[..], b"7"]);
        assert_eq!(table.row(2, &mut reader).len(), 0);
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
            (b"\xef\xbb\xbf\n\n\"id\n", 3, 0, UNCLOSED),
            (b"\xef\xbb\xbf\n\nname\n", 3, 0, "there is no column \"id\"; there are name"),
        ] {
            let error = parse(text).expect_err("malformed");
            assert_eq!(error.line, line, "{error}");
            assert_eq!(error.row, Some(row), "{error}");
            assert!(error.what.contains(what), "{error}");
        }
    }

    /// Files that are read in pieces, with line ends of all kinds; the same files with a quote at the end are
    /// read in one piece.
    #[test]
    fn pieces_give_the_rows_of_the_whole_file() {
        let mut text = b"id,a\n".to_vec();
        for row in 0..2 * PIECE / 10 {
            let end = ["\n", "\r\n", "\r", "\n\n"][row * 7 / 5 % 4];
            text.extend_from_slice(format!("{},{}{end}", row * 3, "x".repeat(row % 9)).as_bytes());
        }
        let whole = parse(&[&text[..], b"5,\"\"\n"].concat()).expect("a table");
        let table = parse(&text).expect("a table");
        assert!(table.bytes.len() > PIECE && table.rows() == 2 * PIECE / 10);
        assert!(table.starts[..] == whole.starts[..table.rows()]);
        let mut reader = table.reader();
        for row in (0..table.rows()).step_by(7) {
            let cells: Vec<_> = table.row(row, &mut reader).cells().collect();
            assert_eq!(table.text(row), Some(&cells.join(&b","[..])[..]));
        }
        assert_eq!((whole.text(0), table.text(table.rows())), (None, None));
        assert!((0..).map(|row| row * 3).zip(table.codes()).all(|(row, &code)| row == code));
        for (row, what) in [("1", "column 2: the row has 1 cells"), ("x,1", "column 1 (id): \"x\" is not")] {
            let [first, last] = [b"\n".to_vec(), text.clone()].map(|before| {
                let text = [&b"id,a\n"[..], &before, row.as_bytes(), b"\n,,\n", &text[5..]].concat();
                parse(&text[if before.len() > 1 { 5 } else { 0 }..]).expect_err("malformed")
            });
            assert_eq!((first.line, first.row), (3, Some(1)));
            assert_eq!((last.line, last.row), (line_of_row(&text, text.len()), Some(table.rows() + 1)));
            assert!(first.what.contains(what) && last.what == first.what, "{first} {last}");
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
