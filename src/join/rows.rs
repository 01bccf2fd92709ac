//! The rows of a join: cells of left and right rows, as text or in columns.

use crate::keyed::{Reader, Rows};
use crate::parquet::{Columns, NO_ROW};
use crate::target::Block;
use warpproof::files::Row;

/// Appends a row for each of these pairs: all cells of a row of `left`, and the cells of some columns of
/// a row of `right`, which are empty if it is [`NO_ROW`].
///
/// # Errors
/// A cell is of another type than its column.
pub(super) fn append(
    block: &mut Block,
    (left, right): (&Rows, &Rows),
    columns: &[usize],
    pairs: &[(usize, usize)],
    [ours, theirs]: &mut [Reader; 2],
) -> std::io::Result<()> {
    match block {
        Block::Lines(lines) => {
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
        Block::Columns(to) => {
            let width = left.header().len();
            let ours_from: Vec<(usize, usize)> = (0..width).map(|column| (column, column)).collect();
            let theirs_from: Vec<(usize, usize)> = (width..).zip(columns.iter().copied()).collect();
            cells(to, (left, ours), &ours_from, pairs.iter().map(|pair| pair.0))?;
            cells(to, (right, theirs), &theirs_from, pairs.iter().map(|pair| pair.1))?;
            to.ends(pairs.len());
        }
    }
    Ok(())
}

/// Appends cells to columns. Of each pair the first is the column to which the second one's cells go.
fn cells(
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
