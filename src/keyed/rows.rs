//! Rows of a file in memory, with a code for the key of each.

use crate::parquet::Columns;
use crate::target::Lines;
use rayon::prelude::*;
use std::cell::RefCell;
use std::sync::Arc;
use warpproof::files::{Layout, Malformed, Row, RowReader, Table};

/// Rows whose codes a thread makes at a time.
const PART: usize = 1 << 12;

thread_local! {
    /// For comparisons of keys, by any thread.
    static READERS: RefCell<[Reader; 2]> = const { RefCell::new([Reader::NEW, Reader::NEW]) };
}

/// Rows of a file, or of a part of one.
pub(crate) enum Rows {
    /// The lines of a text file.
    Text(Table),
    /// The columns of a Parquet file.
    Columns(Keyed),
}

/// Columns, with a code for the key of each row.
pub(crate) struct Keyed {
    cells: Columns,
    head: Head,
    codes: Vec<u64>,
    /// The rows of the file before these.
    before: usize,
}

/// The names of columns, and which of them are the key.
#[derive(Clone)]
pub(crate) struct Head {
    /// A text file with the names and no rows.
    names: Arc<Table>,
    layout: Arc<Layout>,
}

impl Head {
    /// The head of columns with these names.
    ///
    /// # Errors
    /// There is no column of a key's name, or there are two.
    pub(crate) fn new<'a>(names: impl Iterator<Item = &'a [u8]>, layout: Layout) -> Result<Self, Malformed> {
        let mut line = Lines::new(layout.delimiter);
        line.row(names);
        let names = Table::parse(line.into_bytes(), &layout, |_| ())?;
        Ok(Self { names: Arc::new(names), layout: Arc::new(layout) })
    }

    /// Makes a code for the key of each row.
    ///
    /// # Errors
    /// A key should be an integer and is none.
    pub(crate) fn code(&self, cells: Columns, before: usize) -> Result<Keyed, Malformed> {
        let mut keyed = Keyed { cells, head: self.clone(), codes: Vec::new(), before };
        let rows = keyed.cells.rows();
        let parts: Vec<_> = (0..rows).step_by(PART).map(|from| from..rows.min(from + PART)).collect();
        let part = |part: std::ops::Range<usize>| {
            let mut reader = Reader::NEW;
            part.map(|row| keyed.code(row, &mut reader)).collect::<Result<Vec<u64>, Malformed>>()
        };
        let codes = parts.into_par_iter().map(part).collect::<Vec<_>>();
        let codes = codes.into_iter().collect::<Result<Vec<_>, _>>()?;
        keyed.codes = codes.concat();
        Ok(keyed)
    }
}

impl Keyed {
    /// The cells.
    pub(crate) const fn cells(&self) -> &Columns {
        &self.cells
    }

    /// The code of the key of a row.
    fn code(&self, row: usize, reader: &mut Reader) -> Result<u64, Malformed> {
        let Head { names, layout } = &self.head;
        let keys = names.columns();
        if let &[key] = keys
            && let Some(integer) = self.cells.integer(row, key)
            && let Some(code) = layout.coder.integer(integer)
        {
            return Ok(code);
        }
        let cells = reader.read(&self.cells, row, keys.iter().copied());
        let code = layout.coder.code(cells.cells());
        code.map_err(|at| self.malformed(row, keys[at], cells.cell(at), "not an integer of 64 bits"))
    }

    /// Whether two rows have equal keys.
    fn equal(&self, row: usize, other: &Self, other_row: usize) -> bool {
        let [keys, others] = [self, other].map(|columns| columns.head.names.columns());
        if keys.len() != others.len() {
            return false;
        }
        let mut pairs = keys.iter().zip(others);
        READERS.with_borrow_mut(|[ours, theirs]| {
            pairs.all(|(&ours_at, &theirs_at)| {
                self.cells.same((row, ours_at), (&other.cells, other_row, theirs_at)).unwrap_or_else(|| {
                    let ours = ours.read(&self.cells, row, [ours_at].into_iter());
                    let theirs = theirs.read(&other.cells, other_row, [theirs_at].into_iter());
                    self.head.layout.coder.equal(ours.cell(0), theirs.cell(0))
                })
            })
        })
    }

    fn malformed(&self, row: usize, column: usize, cell: &[u8], what: &str) -> Malformed {
        let row = Some(self.before + row + 1);
        Malformed { row, ..self.head.names.malformed(0, column, cell, what) }
    }
}

/// Reads single rows.
pub(crate) struct Reader {
    text: Option<RowReader>,
    /// The cells of a row of columns, one after the other, and where each ends.
    cells: Vec<u8>,
    ends: Vec<usize>,
}

impl Reader {
    /// A reader for rows of any kind.
    pub(crate) const NEW: Self = Self { text: None, cells: Vec::new(), ends: Vec::new() };

    /// The text of some cells of a row.
    fn read(&mut self, from: &Columns, row: usize, columns: impl Iterator<Item = usize>) -> Row<'_> {
        self.cells.clear();
        self.ends.clear();
        for column in columns {
            from.text(row, column, &mut self.cells);
            self.ends.push(self.cells.len());
        }
        Row::new(&self.cells, &self.ends)
    }

    /// The reader of lines of this table.
    pub(crate) fn of_lines(&mut self, table: &Table) -> &mut RowReader {
        let reader = self.text.get_or_insert_with(|| table.reader());
        reader.delimit_by(table.delimiter());
        reader
    }
}

impl Rows {
    fn head(&self) -> &Table {
        match self {
            Self::Text(table) => table,
            Self::Columns(columns) => &columns.head.names,
        }
    }

    /// The names of the columns.
    pub(crate) fn header(&self) -> &[Vec<u8>] {
        self.head().header()
    }

    /// The columns of the key.
    pub(crate) fn columns(&self) -> &[usize] {
        self.head().columns()
    }

    /// The column of this name.
    ///
    /// # Errors
    /// There is none, or there are two.
    pub(crate) fn column(&self, name: &str) -> Result<usize, Malformed> {
        self.head().column(name)
    }

    /// Number of rows.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Text(table) => table.rows(),
            Self::Columns(columns) => columns.cells.rows(),
        }
    }

    /// The code of the key of each row; empty after they were taken.
    pub(crate) fn codes(&self) -> &[u64] {
        match self {
            Self::Text(table) => table.codes(),
            Self::Columns(columns) => &columns.codes,
        }
    }

    /// Takes the codes out, to free their memory.
    pub(crate) fn take_codes(&mut self) -> Vec<u64> {
        match self {
            Self::Text(table) => table.take_codes(),
            Self::Columns(columns) => std::mem::take(&mut columns.codes),
        }
    }

    /// Whether all keys of this code are equal. Else their cells have to be [compared](Self::equal).
    pub(crate) fn exact(&self, code: u64) -> bool {
        self.head().exact(code)
    }

    /// Whether two rows that are there have equal keys.
    pub(crate) fn equal(&self, row: usize, other: &Self, other_row: usize) -> bool {
        match (self, other) {
            (Self::Text(ours), Self::Text(theirs)) => ours.equal(row, theirs, other_row),
            (Self::Columns(ours), Self::Columns(theirs)) => ours.equal(row, theirs, other_row),
            (Self::Text(table), Self::Columns(columns)) => equal((columns, other_row), (table, row)),
            (Self::Columns(columns), Self::Text(table)) => equal((columns, row), (table, other_row)),
        }
    }

    /// The cells of a row; a missing row has none, or empty ones.
    pub(crate) fn row<'r>(&'r self, row: usize, reader: &'r mut Reader) -> Row<'r> {
        match self {
            Self::Text(table) => table.row(row, reader.of_lines(table)),
            Self::Columns(columns) => reader.read(&columns.cells, row, 0..self.header().len()),
        }
    }

    /// About as many bytes as a row has.
    pub(crate) fn row_bytes(&self, row: usize) -> usize {
        match self {
            Self::Text(table) => table.row_bytes(row),
            Self::Columns(columns) => columns.cells.row_bytes(row),
        }
    }

    /// Brings the texts of these rows to the cache. Rows in no order are read faster after that.
    pub(crate) fn touch(&self, rows: impl Iterator<Item = usize> + Clone) {
        match self {
            Self::Text(table) => table.touch(rows),
            Self::Columns(columns) => columns.cells.touch(rows),
        }
    }

    /// An error about a cell.
    pub(crate) fn malformed(&self, row: usize, column: usize, cell: &[u8], what: &str) -> Malformed {
        match self {
            Self::Text(table) => table.malformed(row, column, cell, what),
            Self::Columns(columns) => columns.malformed(row, column, cell, what),
        }
    }
}

/// Whether a row of columns and a line have equal keys.
fn equal((columns, row): (&Keyed, usize), (table, line): (&Table, usize)) -> bool {
    READERS.with_borrow_mut(|[ours, theirs]| {
        let (head, keys) = (&columns.head, columns.head.names.columns());
        let cells = ours.read(&columns.cells, row, keys.iter().copied());
        let line = table.row(line, theirs.of_lines(table));
        let mut pairs = cells.cells().zip(table.columns());
        keys.len() == table.columns().len()
            && pairs.all(|(cell, &column)| head.layout.coder.equal(cell, line.cell(column)))
    })
}
