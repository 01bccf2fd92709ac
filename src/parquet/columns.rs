//! Rows as the columns of a Parquet file.

use super::cells::Column;
use super::kind::Kind;
use bytes::Bytes;
use parquet::column::writer::{ColumnCloseResult, get_column_writer};
use parquet::errors::Result;
use parquet::file::properties::WriterPropertiesPtr;
use parquet::file::writer::{SerializedPageWriter, TrackedWrite};
use parquet::schema::types::ColumnDescPtr;
use rayon::prelude::*;
use std::collections::TryReserveError;
use std::sync::Arc;

/// Bytes of cells, and rows, of a group, which is kept in memory until it is written.
const GROUP: usize = 1 << 25;
const ROWS: usize = 1 << 20;

/// No row, where the number of one may be.
pub(crate) const NO_ROW: usize = usize::MAX;

/// Rows in memory, a list for each column.
#[derive(Clone)]
pub(crate) struct Columns {
    columns: Vec<Column>,
    /// Which of them have texts.
    texts: Vec<usize>,
    /// The column of the next cell.
    next: usize,
    rows: usize,
    bytes: usize,
}

impl Columns {
    /// No rows yet, of columns of these names.
    pub(crate) fn new<'a>(names: impl Iterator<Item = &'a [u8]>, kinds: &[Kind]) -> Self {
        let column = |(name, &kind)| Column::new(String::from_utf8_lossy(name).into(), kind);
        Self::of(names.zip(kinds).map(column).collect(), 0)
    }

    /// No rows, of the same columns.
    pub(crate) fn empty(&self) -> Self {
        Self::of(self.columns.iter().map(Column::empty).collect(), 0)
    }

    /// Rows of these columns, which all have so many.
    pub(super) fn of(columns: Vec<Column>, rows: usize) -> Self {
        let words = rows * columns.len() * size_of::<u64>();
        let bytes = words + columns.iter().map(Column::text_bytes).sum::<usize>();
        let texts = (0..columns.len()).filter(|&at| columns[at].is_text()).collect();
        Self { columns, texts, next: 0, rows, bytes }
    }

    /// The columns.
    pub(super) fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// How many rows there are.
    pub(crate) const fn rows(&self) -> usize {
        self.rows
    }

    /// Appends a cell to the row that was begun. An empty one is no value.
    ///
    /// # Errors
    /// The cell is of another type than its column.
    pub(crate) fn cell(&mut self, cell: &[u8]) -> std::io::Result<()> {
        self.next += 1;
        self.push(self.next - 1, cell)
    }

    /// Appends a cell to one of the columns.
    ///
    /// # Errors
    /// The cell is of another type than its column.
    pub(crate) fn push(&mut self, column: usize, cell: &[u8]) -> std::io::Result<()> {
        let Some(column) = self.columns.get_mut(column) else { return Ok(()) };
        column.push(cell)?;
        self.bytes += cell.len() + size_of::<u64>();
        Ok(())
    }

    /// Appends cells of a column of other rows to one of the columns; of [`NO_ROW`] an empty one.
    ///
    /// # Errors
    /// A cell is of another type than the column.
    pub(crate) fn gather(
        &mut self,
        column: usize,
        (other, of): (&Self, usize),
        rows: impl Iterator<Item = usize> + Clone,
    ) -> std::io::Result<()> {
        if let (Some(column), Some(of)) = (self.columns.get_mut(column), other.columns.get(of)) {
            self.bytes += column.gather(of, rows)?;
        }
        Ok(())
    }

    /// Ends the row.
    pub(crate) fn end(&mut self) {
        self.next = 0;
        self.ends(1);
    }

    /// Ends so many rows, whose cells were [pushed](Self::push) and [gathered](Self::gather).
    pub(crate) fn ends(&mut self, rows: usize) {
        self.rows += rows;
        // A row has a cell for each column. Were there fewer, columns would be of different lengths.
        self.columns.iter_mut().for_each(|column| column.fill(self.rows));
    }

    /// Appends rows of the same columns.
    ///
    /// # Errors
    /// There is no memory. Columns are of different lengths then.
    pub(crate) fn append(&mut self, other: Self) -> std::result::Result<(), TryReserveError> {
        let mut columns = self.columns.iter_mut().zip(other.columns);
        columns.try_for_each(|(ours, theirs)| ours.append(theirs))?;
        self.rows += other.rows;
        self.bytes += other.bytes;
        Ok(())
    }

    /// Appends the text of a cell.
    pub(crate) fn text(&self, row: usize, column: usize, out: &mut Vec<u8>) {
        if let Some(column) = self.columns.get(column) {
            column.text(row, out);
        }
    }

    /// Brings the texts of these rows to the cache. Rows in no order are read faster after that. Other cells
    /// are copied column by column, and the processor waits for many at once anyway.
    pub(crate) fn touch(&self, rows: impl Iterator<Item = usize> + Clone) {
        let first = |&column: &usize| {
            let column = &self.columns[column];
            rows.clone().fold(0, |all, row| all ^ column.first_byte(row))
        };
        std::hint::black_box(self.texts.iter().map(first).fold(0, |all, byte| all ^ byte));
    }

    /// A cell, if it is an integer with a sign.
    pub(crate) fn integer(&self, row: usize, column: usize) -> Option<i64> {
        self.columns.get(column)?.integer(row)
    }

    /// Whether two cells are equal, as text and as integers. None if their texts have to be compared.
    pub(crate) fn same(
        &self,
        (row, column): (usize, usize),
        (other, other_row, other_column): (&Self, usize, usize),
    ) -> Option<bool> {
        self.columns.get(column)?.same(row, other.columns.get(other_column)?, other_row)
    }

    /// Bytes of cells, and a word for each.
    pub(crate) const fn bytes(&self) -> usize {
        self.bytes
    }

    /// About as many bytes as a row has: a word for each cell, and its text.
    pub(crate) fn row_bytes(&self, row: usize) -> usize {
        let texts = self.texts.iter().map(|&column| self.columns[column].text_len(row));
        self.columns.len() * size_of::<u64>() + texts.sum::<usize>()
    }
}

/// The rows of a group that is not full yet: the parts of each column, in their order.
#[derive(Default)]
pub(super) struct Group {
    columns: Vec<Vec<Column>>,
    rows: usize,
    bytes: usize,
}

impl Group {
    /// Appends rows. All are of the same columns.
    pub(super) fn append(&mut self, rows: Columns) {
        if rows.rows == 0 {
            return;
        }
        self.columns.resize_with(rows.columns.len(), Vec::new);
        self.columns.iter_mut().zip(rows.columns).for_each(|(parts, part)| parts.push(part));
        self.rows += rows.rows;
        self.bytes += rows.bytes;
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Whether there are as many rows as a group may have.
    pub(super) const fn is_full(&self) -> bool {
        self.rows >= ROWS || self.bytes >= GROUP
    }

    /// Encodes the rows, a column by each thread.
    pub(super) fn encode(
        self,
        descriptors: &[ColumnDescPtr],
        properties: &WriterPropertiesPtr,
    ) -> Result<Vec<(Bytes, ColumnCloseResult)>> {
        let columns = self.columns.into_par_iter().zip(descriptors);
        columns.map(|(parts, descriptor)| encoded(parts, descriptor, properties)).collect()
    }
}

/// The pages of a column.
fn encoded(
    parts: Vec<Column>,
    descriptor: &ColumnDescPtr,
    properties: &WriterPropertiesPtr,
) -> Result<(Bytes, ColumnCloseResult)> {
    let mut sink = TrackedWrite::new(Vec::new());
    let pages = Box::new(SerializedPageWriter::new(&mut sink));
    let mut writer = get_column_writer(Arc::clone(descriptor), Arc::clone(properties), pages);
    parts.into_iter().try_for_each(|part| part.write(&mut writer))?;
    let close = writer.close()?;
    Ok((sink.into_inner()?.into(), close))
}
