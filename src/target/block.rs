//! Rows of an output, which any thread may prepare.

use super::lines::Lines;
use crate::keyed::{Reader, Rows};
use crate::parquet::{Columns, NO_ROW};
use warpproof::files::Row;

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

    /// Appends a row for each of these pairs: all cells of a row of `left`, and the cells of some columns of
    /// a row of `right`, which are empty if it is [`NO_ROW`].
    ///
    /// # Errors
    /// A cell is of another type than its column.
    pub(crate) fn pairs(
        &mut self,
        (left, right): (&Rows, &Rows),
        columns: &[usize],
        pairs: &[(usize, usize)],
        [ours, theirs]: &mut [Reader; 2],
    ) -> std::io::Result<()> {
        match self {
            Self::Lines(lines) => {
                for &(row, other) in pairs {
                    match left {
                        Rows::Text(table) => lines.copy(table, row, ours.of_lines(table)),
                        Rows::Columns(_) => {
                            left.row(row, ours).cells().for_each(|cell| lines.cell(cell));
                        }
                    }
                    let other = if other == NO_ROW { Row::default() } else { right.row(other, theirs) };
                    columns.iter().for_each(|&column| lines.cell(other.cell(column)));
                    lines.end();
                }
            }
            Self::Columns(to) => {
                let width = left.header().len();
                let ours_from: Vec<(usize, usize)> = (0..width).map(|column| (column, column)).collect();
                let theirs_from: Vec<(usize, usize)> = (width..).zip(columns.iter().copied()).collect();
                append(to, (left, ours), &ours_from, pairs.iter().map(|pair| pair.0))?;
                append(to, (right, theirs), &theirs_from, pairs.iter().map(|pair| pair.1))?;
                to.ends(pairs.len());
            }
        }
        Ok(())
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

/// Appends cells to columns. Of each pair the first is the column to which the second one's cells go.
fn append(
    to: &mut Columns,
    (from, reader): (&Rows, &mut Reader),
    columns: &[(usize, usize)],
    rows: impl Iterator<Item = usize> + Clone,
) -> std::io::Result<()> {
    match from {
        Rows::Columns(from) => {
            let mut columns = columns.iter();
            columns.try_for_each(|&(to_column, column)| {
                to.gather(to_column, (from.cells(), column), rows.clone())
            })
        }
        Rows::Text(_) => rows.into_iter().try_for_each(|row| {
            let cells = if row == NO_ROW { Row::default() } else { from.row(row, reader) };
            columns.iter().try_for_each(|&(to_column, column)| to.push(to_column, cells.cell(column)))
        }),
    }
}
