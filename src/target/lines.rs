//! Rows as lines of text.

use warpproof::files::{RowReader, Table};

/// Lines of cells, in memory.
#[derive(Clone)]
pub(crate) struct Lines {
    delimiter: u8,
    bytes: Vec<u8>,
    /// Where the line begins that has no end yet.
    start: usize,
    /// Whether that line has a cell.
    begun: bool,
}

impl Lines {
    /// No lines yet, of lines with `delimiter` between their cells.
    pub(crate) const fn new(delimiter: u8) -> Self {
        Self { delimiter, bytes: Vec::new(), start: 0, begun: false }
    }

    /// No lines, of the same kind.
    pub(super) const fn empty(&self) -> Self {
        Self::new(self.delimiter)
    }

    /// The lines.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The lines, by themselves.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Appends a line of cells.
    pub(crate) fn row<'a>(&mut self, cells: impl Iterator<Item = &'a [u8]>) {
        cells.for_each(|cell| self.cell(cell));
        self.end();
    }

    /// Appends all cells of a row to the line.
    pub(crate) fn copy(&mut self, table: &Table, row: usize, reader: &mut RowReader) {
        match table.text(row).filter(|_| table.delimiter() == self.delimiter) {
            Some(text) => {
                self.next();
                self.bytes.extend_from_slice(text);
            }
            None => table.row(row, reader).cells().for_each(|cell| self.cell(cell)),
        }
    }

    /// Appends a cell to the line, between quotes if it has a delimiter, a quote or a line end.
    pub(crate) fn cell(&mut self, cell: &[u8]) {
        self.next();
        let special = |&byte: &u8| byte == self.delimiter || matches!(byte, b'"' | b'\r' | b'\n');
        if !cell.iter().any(special) {
            self.bytes.extend_from_slice(cell);
            return;
        }
        self.bytes.push(b'"');
        for part in cell.split_inclusive(|&byte| byte == b'"') {
            self.bytes.extend_from_slice(part);
            if part.ends_with(b"\"") {
                self.bytes.push(b'"');
            }
        }
        self.bytes.push(b'"');
    }

    /// Ends the line. One of a single empty cell has quotes: an empty line would be no row.
    pub(crate) fn end(&mut self) {
        if self.bytes.len() == self.start {
            self.bytes.extend_from_slice(b"\"\"");
        }
        self.bytes.push(b'\n');
        (self.start, self.begun) = (self.bytes.len(), false);
    }

    /// Appends what is before the next cell.
    fn next(&mut self) {
        if self.begun {
            self.bytes.push(self.delimiter);
        }
        self.begun = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpproof::files::{Coder, KeyType, Layout};

    /// Cells of all kinds, and cells that need no quotes with one of the delimiters.
    #[test]
    fn lines_are_those_that_the_crate_csv_writes() {
        let plain = ["", "a", " x ", "\u{feff}", "#"];
        let cells = ["7,5", "tab\there", "say \"hi\"", "\"", "two\nlines", "cr\r"];
        for cells in [&plain[..], &[&plain[..], &cells[..2]].concat(), &[&plain[..], &cells].concat()] {
            for (delimiter, columns) in
                [b',', b'\t'].into_iter().flat_map(|d| (1..=3u32).map(move |n| (d, n)))
            {
                let mut csv = csv::WriterBuilder::new().delimiter(delimiter).from_writer(Vec::new());
                let mut lines = Lines::new(delimiter);
                for number in 0..cells.len().pow(columns) {
                    let row = (0..columns).map(|i| cells[number / cells.len().pow(i) % cells.len()]);
                    csv.write_record(row.clone()).unwrap();
                    lines.row(row.map(str::as_bytes));
                }
                let expected = csv.into_inner().unwrap();
                assert!(lines.bytes() == expected, "{delimiter} {columns}");
                rows_are_copied(&expected, delimiter, columns);
            }
        }
    }

    /// To lines with the same and with another delimiter.
    fn rows_are_copied(rows: &[u8], delimiter: u8, columns: u32) {
        let header = vec!["name"; columns as usize].join(&char::from(delimiter).to_string());
        let layout = Layout { delimiter, keys: vec![], coder: Coder::new(KeyType::Text) };
        let table = Table::parse([header.as_bytes(), b"\n", rows].concat(), &layout, |_| {}).unwrap();
        let mut reader = table.reader();
        for to in [b',', b'\t'] {
            let (mut copies, mut written) = (Lines::new(to), Lines::new(to));
            for row in 0..table.rows() {
                copies.copy(&table, row, &mut reader);
                copies.cell(b"7,5");
                copies.end();
                written.row(table.row(row, &mut reader).cells().chain([&b"7,5"[..]]));
            }
            assert!(copies.bytes() == written.bytes() && !copies.bytes().is_empty());
        }
    }
}
