//! Rows as a Parquet file.

use super::columns::{Columns, Group};
use super::kind::Kind;
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::errors::{ParquetError, Result};
use parquet::file::properties::{WriterProperties, WriterPropertiesPtr};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{Type, TypePtr};
use std::io::Write;
use std::sync::Arc;

/// Writes rows.
pub(crate) struct Writer<W: Write + Send> {
    file: SerializedFileWriter<W>,
    properties: WriterPropertiesPtr,
    /// The rows that were not written yet.
    group: Group,
}

impl<W: Write + Send> Writer<W> {
    /// Begins a file with these columns.
    pub(crate) fn new(to: W, columns: &Columns) -> std::io::Result<Self> {
        let fields = columns.columns().iter().map(|column| field(column.name(), column.kind()));
        let fields = fields.collect::<Result<Vec<TypePtr>>>().map_err(failed)?;
        let schema = Type::group_type_builder("schema").with_fields(fields).build().map_err(failed)?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_created_by(format!("warpproof version {}", env!("CARGO_PKG_VERSION")));
        let properties = Arc::new(properties.build());
        let file =
            SerializedFileWriter::new(to, Arc::new(schema), Arc::clone(&properties)).map_err(failed)?;
        Ok(Self { file, properties, group: Group::default() })
    }

    /// Writes rows of the same columns. An empty cell is no value.
    pub(crate) fn append(&mut self, rows: Columns) -> std::io::Result<()> {
        self.group.append(rows);
        if self.group.is_full() { self.flush().map_err(failed) } else { Ok(()) }
    }

    /// Ends the file.
    pub(crate) fn finish(mut self) -> std::io::Result<W> {
        if !self.group.is_empty() {
            self.flush().map_err(failed)?;
        }
        self.file.into_inner().map_err(failed)
    }

    /// Writes the rows as a group.
    fn flush(&mut self) -> Result<()> {
        let group = std::mem::take(&mut self.group);
        let encoded = group.encode(self.file.schema_descr().columns(), &self.properties)?;
        let mut group = self.file.next_row_group()?;
        for (bytes, close) in encoded {
            group.append_column(&bytes, close)?;
        }
        group.close()?;
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
