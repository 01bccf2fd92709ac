//! Rows of an output that a thread prepares, beside others.

use super::lines::Lines;
use crate::parquet::Columns;
use warpproof::files::{RowReader, Table};

/// Rows that are not in the output yet.
#[derive(Clone)]
pub(crate) enum Block {
    Lines(Lines),
    Columns(Columns),
}

impl Block {
    /// Appends all cells of a row to the row that was begun.
    pub(crate) fn copy(&mut self, table: &Table, row: usize, reader: &mut RowReader) -> std::io::Result<()> {
        match self {
            Self::Lines(lines) => {
                lines.copy(table, row, reader);
                Ok(())
            }
            Self::Columns(columns) => table.row(row, reader).cells().try_for_each(|cell| columns.cell(cell)),
        }
    }

    /// Appends a cell to the row that was begun.
    ///
    /// # Errors
    /// The cell is of another type than its column.
    pub(crate) fn cell(&mut self, cell: &[u8]) -> std::io::Result<()> {
        match self {
            Self::Lines(lines) => {
                lines.cell(cell);
                Ok(())
            }
            Self::Columns(columns) => columns.cell(cell),
        }
    }

    /// Ends the row.
    pub(crate) fn end(&mut self) {
        match self {
            Self::Lines(lines) => lines.end(),
            Self::Columns(columns) => columns.end(),
        }
    }
}
