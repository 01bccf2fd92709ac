//! The values of a column, as text, some rows at a time.

use super::text::{Format, put, timestamp_96};
use parquet::column::page::PageReader;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_column_reader};
use parquet::data_type::{AsBytes, DataType};
use parquet::errors::Result;
use parquet::schema::types::ColumnDescPtr;

/// The next rows of a column.
pub(super) trait Column {
    /// Reads the next rows. Returns how many there are.
    fn fill(&mut self, rows: usize) -> Result<usize>;

    /// Appends the text of the next value of the rows that were read; nothing if there is none. Else says
    /// what is wrong with the value.
    fn next(&mut self, out: &mut Vec<u8>) -> std::result::Result<(), &'static str>;
}

/// Appends the text of a value.
type Text<T> = Box<dyn Fn(&T, &mut Vec<u8>) -> std::result::Result<(), &'static str>>;

/// A column with values of a type.
struct Typed<T: DataType> {
    reader: ColumnReaderImpl<T>,
    text: Text<T::T>,
    /// Whether there may be rows without a value. Then the level of a row with one is 1.
    optional: bool,
    levels: Vec<i16>,
    values: Vec<T::T>,
    row: usize,
    value: usize,
}

/// A column in one group of rows.
pub(super) fn column(descr: &ColumnDescPtr, pages: Box<dyn PageReader>, format: Format) -> Box<dyn Column> {
    let optional = descr.max_def_level() > 0;
    let integer = move |value: i64, out: &mut Vec<u8>| {
        format.integer(value, out);
        Ok(())
    };
    match get_column_reader(descr.clone(), pages) {
        ColumnReader::BoolColumnReader(reader) => typed(reader, optional, |value, out| {
            put(out, format_args!("{value}"));
            Ok(())
        }),
        ColumnReader::Int32ColumnReader(reader) => typed(reader, optional, move |value, out| {
            let signed = format != Format::Unsigned;
            integer(if signed { i64::from(*value) } else { value.cast_unsigned().into() }, out)
        }),
        ColumnReader::Int64ColumnReader(reader) => {
            typed(reader, optional, move |&value, out| integer(value, out))
        }
        ColumnReader::Int96ColumnReader(reader) => typed(reader, optional, |value, out| match value.data() {
            &[low, high, day] => {
                timestamp_96([low, high, day], out);
                Ok(())
            }
            _ => Err("a timestamp of another length"),
        }),
        ColumnReader::FloatColumnReader(reader) => typed(reader, optional, |value, out| {
            put(out, format_args!("{value:?}"));
            Ok(())
        }),
        ColumnReader::DoubleColumnReader(reader) => typed(reader, optional, |value, out| {
            put(out, format_args!("{value:?}"));
            Ok(())
        }),
        ColumnReader::ByteArrayColumnReader(reader) => {
            typed(reader, optional, move |value, out| format.bytes(value.as_bytes(), out))
        }
        ColumnReader::FixedLenByteArrayColumnReader(reader) => {
            typed(reader, optional, move |value, out| format.bytes(value.as_bytes(), out))
        }
    }
}

fn typed<T: DataType>(
    reader: ColumnReaderImpl<T>,
    optional: bool,
    text: impl Fn(&T::T, &mut Vec<u8>) -> std::result::Result<(), &'static str> + 'static,
) -> Box<dyn Column> {
    let (levels, values, text) = (Vec::new(), Vec::new(), Box::new(text));
    Box::new(Typed { reader, text, optional, levels, values, row: 0, value: 0 })
}

impl<T: DataType> Column for Typed<T> {
    fn fill(&mut self, rows: usize) -> Result<usize> {
        (self.row, self.value) = (0, 0);
        self.levels.clear();
        self.values.clear();
        let mut read = 0;
        // A call may end at the end of a page.
        while read < rows {
            let more =
                self.reader.read_records(rows - read, Some(&mut self.levels), None, &mut self.values)?.0;
            if more == 0 {
                break;
            }
            read += more;
        }
        Ok(read)
    }

    fn next(&mut self, out: &mut Vec<u8>) -> std::result::Result<(), &'static str> {
        let there = !self.optional || self.levels.get(self.row) == Some(&1);
        self.row += 1;
        if !there {
            return Ok(());
        }
        let value = self.values.get(self.value).ok_or("without the value that it should have")?;
        self.value += 1;
        (self.text)(value, out)
    }
}
