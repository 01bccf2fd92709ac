//! Cells of rows as the columns of a Parquet file.

use super::kind::Kind;
use bytes::Bytes;
use parquet::column::writer::{ColumnCloseResult, ColumnWriter, get_column_writer};
use parquet::data_type::ByteArray;
use parquet::errors::{ParquetError, Result};
use parquet::file::properties::WriterPropertiesPtr;
use parquet::file::writer::{SerializedPageWriter, TrackedWrite};
use parquet::schema::types::ColumnDescPtr;
use rayon::prelude::*;
use std::sync::Arc;

/// Bytes of cells, and rows, of a group, which is kept in memory until it is written.
const GROUP: usize = 1 << 25;
const ROWS: usize = 1 << 20;

/// Rows that were not written yet.
#[derive(Clone)]
pub(crate) struct Columns {
    columns: Vec<Column>,
    /// The column of the next cell.
    next: usize,
    rows: usize,
    bytes: usize,
}

/// The cells of a column that were not written yet.
#[derive(Clone)]
struct Column {
    name: String,
    kind: Kind,
    /// 1 for a row with a value, 0 for one without.
    levels: Vec<i16>,
    values: Values,
}

#[derive(Clone)]
enum Values {
    Boolean(Vec<bool>),
    /// With or without a sign.
    Integer(Vec<i64>, bool),
    Float(Vec<f64>),
    /// Texts one after the other, and where each ends.
    Bytes(Vec<u8>, Vec<usize>),
}

impl Columns {
    /// No rows yet, of columns of these names.
    pub(crate) fn new<'a>(names: impl Iterator<Item = &'a [u8]>, kinds: &[Kind]) -> Self {
        let column = |(name, &kind)| Column::new(String::from_utf8_lossy(name).into_owned(), kind);
        Self { columns: names.zip(kinds).map(column).collect(), next: 0, rows: 0, bytes: 0 }
    }

    /// No rows, of the same columns.
    pub(crate) fn empty(&self) -> Self {
        let columns = self.columns.iter().map(|column| Column::new(column.name.clone(), column.kind));
        Self { columns: columns.collect(), next: 0, rows: 0, bytes: 0 }
    }

    /// The name of each column, and what its cells are.
    pub(super) fn names(&self) -> impl Iterator<Item = (&str, Kind)> {
        self.columns.iter().map(|column| (&*column.name, column.kind))
    }

    /// Appends a cell to the row that was begun. An empty one is no value.
    ///
    /// # Errors
    /// The cell is of another type than its column.
    pub(crate) fn cell(&mut self, cell: &[u8]) -> std::io::Result<()> {
        let Some(column) = self.columns.get_mut(self.next) else { return Ok(()) };
        column.push(cell)?;
        self.next += 1;
        self.bytes += cell.len() + size_of::<u64>();
        Ok(())
    }

    /// Ends the row.
    pub(crate) fn end(&mut self) {
        // A row has a cell for each column. Were there fewer, columns would be of different lengths.
        self.columns.iter_mut().skip(self.next).for_each(|column| column.levels.push(0));
        self.next = 0;
        self.rows += 1;
    }

    /// Bytes of cells, and a word for each.
    pub(crate) const fn bytes(&self) -> usize {
        self.bytes
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

impl Column {
    fn new(name: String, kind: Kind) -> Self {
        let values = match kind {
            Kind::Boolean => Values::Boolean(Vec::new()),
            Kind::Integer => Values::Integer(Vec::new(), true),
            Kind::Unsigned => Values::Integer(Vec::new(), false),
            Kind::Float => Values::Float(Vec::new()),
            Kind::Text | Kind::Bytes => Values::Bytes(Vec::new(), Vec::new()),
        };
        Self { name, kind, levels: Vec::new(), values }
    }

    fn push(&mut self, cell: &[u8]) -> std::io::Result<()> {
        let there = !cell.is_empty();
        self.levels.push(there.into());
        if !there {
            return Ok(());
        }
        let text = || std::str::from_utf8(cell).ok();
        let pushed = match &mut self.values {
            Values::Boolean(values) => text().and_then(|t| t.parse().ok()).map(|value| values.push(value)),
            Values::Integer(values, true) => {
                text().and_then(|t| t.parse().ok()).map(|value| values.push(value))
            }
            Values::Integer(values, false) => {
                text().and_then(|t| t.parse::<u64>().ok()).map(|value| values.push(value.cast_signed()))
            }
            Values::Float(values) => text().and_then(|t| t.parse().ok()).map(|value| values.push(value)),
            Values::Bytes(bytes, ends) => {
                bytes.extend_from_slice(cell);
                ends.push(bytes.len());
                Some(())
            }
        };
        pushed.ok_or_else(|| {
            let (cell, name) = (String::from_utf8_lossy(cell), &self.name);
            std::io::Error::other(format!("column {name}: {cell:?} is of another type than its column"))
        })
    }

    /// Writes the cells.
    fn write(self, writer: &mut ColumnWriter<'_>) -> Result<()> {
        let levels = Some(&self.levels[..]);
        match (self.values, writer) {
            (Values::Boolean(values), ColumnWriter::BoolColumnWriter(writer)) => {
                writer.write_batch(&values, levels, None)?;
            }
            (Values::Integer(values, _), ColumnWriter::Int64ColumnWriter(writer)) => {
                writer.write_batch(&values, levels, None)?;
            }
            (Values::Float(values), ColumnWriter::DoubleColumnWriter(writer)) => {
                writer.write_batch(&values, levels, None)?;
            }
            (Values::Bytes(bytes, ends), ColumnWriter::ByteArrayColumnWriter(writer)) => {
                let all = ByteArray::from(bytes);
                let starts = std::iter::once(0).chain(ends.iter().copied());
                let cells: Vec<ByteArray> =
                    starts.zip(&ends).map(|(from, &to)| all.slice(from, to - from)).collect();
                writer.write_batch(&cells, levels, None)?;
            }
            _ => return Err(ParquetError::General(format!("column {} has another type", self.name))),
        }
        Ok(())
    }
}
