//! Rows of an output, which any thread may prepare.

use super::lines::Lines;
use crate::parquet::Columns;

/// Rows that are not in the output yet.
#[derive(Clone)]
pub(crate) enum Block {
    Lines(Lines),
    Columns(Columns),
}

impl Block {
    /// No rows, of the same kind.
    pub(super) fn empty(&self) -> Self {
        match self {
            Self::Lines(lines) => Self::Lines(lines.empty()),
            Self::Columns(columns) => Self::Columns(columns.empty()),
        }
    }

    /// About as many bytes as the rows have.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Lines(lines) => lines.bytes().len(),
            Self::Columns(columns) => columns.bytes(),
        }
    }

    /// Appends a row.
    pub(super) fn row<'a>(&mut self, mut cells: impl Iterator<Item = &'a [u8]>) -> std::io::Result<()> {
        cells.try_for_each(|cell| self.cell(cell))?;
        self.end();
        Ok(())
    }

    /// Appends a cell to the row that was begun.
    ///
    /// # Errors
    /// The cell is of another type than its column.
    fn cell(&mut self, cell: &[u8]) -> std::io::Result<()> {
        match self {
            Self::Lines(lines) => {
                lines.cell(cell);
                Ok(())
            }
            Self::Columns(columns) => columns.cell(cell),
        }
    }

    /// Ends the row.
    fn end(&mut self) {
        match self {
            Self::Lines(lines) => lines.end(),
            Self::Columns(columns) => columns.end(),
        }
    }
}
