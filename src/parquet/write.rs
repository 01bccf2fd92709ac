//! Rows of text as a Parquet file.

use super::kind::Kind;
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{Type, TypePtr};
use std::io::Write;
use std::sync::Arc;

/// Bytes of cells, and rows, of a group, which is kept in memory until it is written.
const GROUP: usize = 1 << 25;
const ROWS: usize = 1 << 20;

/// Writes rows.
pub(crate) struct Writer<W: Write + Send> {
    file: SerializedFileWriter<W>,
    columns: Vec<Column>,
    rows: usize,
    bytes: usize,
}

/// The cells of a column that were not written yet.
struct Column {
    name: String,
    /// 1 for a row with a value, 0 for one without.
    levels: Vec<i16>,
    values: Values,
}

enum Values {
    Boolean(Vec<bool>),
    /// With or without a sign.
    Integer(Vec<i64>, bool),
    Float(Vec<f64>),
    /// Texts one after the other, and where each ends.
    Bytes(Vec<u8>, Vec<usize>),
}

impl<W: Write + Send> Writer<W> {
    /// Begins a file with columns of these names.
    pub(crate) fn new<'a>(
        to: W,
        names: impl Iterator<Item = &'a [u8]>,
        kinds: &[Kind],
    ) -> std::io::Result<Self> {
        let columns: Vec<Column> = names.zip(kinds).map(|(name, &kind)| Column::new(name, kind)).collect();
        let fields = columns.iter().zip(kinds).map(|(column, &kind)| field(&column.name, kind));
        let fields = fields.collect::<Result<Vec<TypePtr>>>().map_err(failed)?;
        let schema = Type::group_type_builder("schema").with_fields(fields).build().map_err(failed)?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_created_by(format!("warpproof version {}", env!("CARGO_PKG_VERSION")))
            .build();
        let file = SerializedFileWriter::new(to, Arc::new(schema), Arc::new(properties)).map_err(failed)?;
        Ok(Self { file, columns, rows: 0, bytes: 0 })
    }

    /// Writes a row. An empty cell is no value.
    pub(crate) fn row<'a>(&mut self, cells: impl Iterator<Item = &'a [u8]>) -> std::io::Result<()> {
        for (column, cell) in self.columns.iter_mut().zip(cells) {
            column.push(cell)?;
            self.bytes += cell.len() + size_of::<u64>();
        }
        self.rows += 1;
        if self.rows == ROWS || self.bytes >= GROUP { self.group().map_err(failed) } else { Ok(()) }
    }

    /// Ends the file.
    pub(crate) fn finish(mut self) -> std::io::Result<W> {
        if self.rows > 0 {
            self.group().map_err(failed)?;
        }
        self.file.into_inner().map_err(failed)
    }

    /// Writes a group of rows.
    fn group(&mut self) -> Result<()> {
        let mut group = self.file.next_row_group()?;
        for column in &mut self.columns {
            if let Some(mut writer) = group.next_column()? {
                column.write(&mut writer)?;
                writer.close()?;
            }
        }
        group.close()?;
        (self.rows, self.bytes) = (0, 0);
        Ok(())
    }
}

impl Column {
    fn new(name: &[u8], kind: Kind) -> Self {
        let values = match kind {
            Kind::Boolean => Values::Boolean(Vec::new()),
            Kind::Integer => Values::Integer(Vec::new(), true),
            Kind::Unsigned => Values::Integer(Vec::new(), false),
            Kind::Float => Values::Float(Vec::new()),
            Kind::Text | Kind::Bytes => Values::Bytes(Vec::new(), Vec::new()),
        };
        Self { name: String::from_utf8_lossy(name).into_owned(), levels: Vec::new(), values }
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

    /// Writes the cells, and forgets them.
    fn write(&mut self, writer: &mut SerializedColumnWriter<'_>) -> Result<()> {
        let levels = Some(&self.levels[..]);
        match &mut self.values {
            Values::Boolean(values) => {
                writer.typed::<BoolType>().write_batch(values, levels, None)?;
                values.clear();
            }
            Values::Integer(values, _) => {
                writer.typed::<Int64Type>().write_batch(values, levels, None)?;
                values.clear();
            }
            Values::Float(values) => {
                writer.typed::<DoubleType>().write_batch(values, levels, None)?;
                values.clear();
            }
            Values::Bytes(bytes, ends) => {
                let all = ByteArray::from(std::mem::take(bytes));
                let starts = std::iter::once(0).chain(ends.iter().copied());
                let cells: Vec<ByteArray> =
                    starts.zip(ends.iter()).map(|(from, &to)| all.slice(from, to - from)).collect();
                writer.typed::<ByteArrayType>().write_batch(&cells, levels, None)?;
                ends.clear();
            }
        }
        self.levels.clear();
        Ok(())
    }
}

/// A column of a schema.
fn field(name: &str, kind: Kind) -> Result<TypePtr> {
    let (physical, logical) = match kind {
        Kind::Boolean => (Physical::BOOLEAN, None),
        Kind::Integer => (Physical::INT64, None),
        Kind::Unsigned => (Physical::INT64, Some(LogicalType::integer(64, false))),
        Kind::Float => (Physical::DOUBLE, None),
        Kind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        Kind::Bytes => (Physical::BYTE_ARRAY, None),
    };
    let field = Type::primitive_type_builder(name, physical).with_repetition(Repetition::OPTIONAL);
    field.with_logical_type(logical).build().map(Arc::new)
}

/// The error of the output, if it is one.
fn failed(error: ParquetError) -> std::io::Error {
    match error {
        ParquetError::External(error) => match error.downcast::<std::io::Error>() {
            Ok(error) => *error,
            Err(error) => std::io::Error::other(error),
        },
        other => std::io::Error::other(other),
    }
}
