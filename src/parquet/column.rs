//! The values of a column of a file, some rows at a time.

use super::cells::{Column, Value};
use super::text::{Format, put, timestamp_96};
use parquet::column::page::PageReader;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_column_reader};
use parquet::data_type::{AsBytes, DataType};
use parquet::errors::ParquetError;
use parquet::schema::types::ColumnDescPtr;

/// What is wrong with the next rows of a column.
pub(super) enum Wrong {
    Broken(ParquetError),
    /// There are fewer rows.
    Short,
    /// One of the rows, counted from 0, has this.
    Cell(usize, &'static str),
}

/// The next rows of a column.
pub(super) trait Rows {
    /// Appends the next rows to a column, so many.
    fn read(&mut self, rows: usize, to: &mut Column) -> Result<(), Wrong>;
}

/// Appends values, which are all there. Returns whether they are of the column's type.
type PushAll<V> = fn(&[V], &mut Column) -> bool;

/// A column with values of a type.
struct Typed<T: DataType, F> {
    reader: ColumnReaderImpl<T>,
    /// Appends a value.
    push: F,
    /// Appends values at once, if they can be.
    push_all: Option<PushAll<T::T>>,
    /// Whether there may be rows without a value. Then the level of a row with one is 1.
    optional: bool,
    levels: Vec<i16>,
    values: Vec<T::T>,
}

/// Where a text is put together.
type Scratch = Vec<u8>;

/// What appending a value comes to: whether it is of the column's type, or what is wrong with it.
type Pushed = Result<bool, &'static str>;

/// A column in one group of rows.
pub(super) fn rows(descr: &ColumnDescPtr, pages: Box<dyn PageReader>, format: Format) -> Box<dyn Rows> {
    let optional = descr.max_def_level() > 0;
    let is_integer = matches!(format, Format::Integer | Format::Unsigned);
    let integer = move |value: i64, to: &mut Column, scratch: &mut Scratch| {
        if is_integer {
            return Ok(to.push_value(Value::Integer(value)));
        }
        format.integer(value, scratch);
        Ok(to.push_value(Value::Bytes(scratch)))
    };
    let bytes = move |value: &[u8], to: &mut Column, scratch: &mut Scratch| {
        let text = format.bytes(value, scratch)?;
        Ok(to.push_value(Value::Bytes(text)))
    };
    match get_column_reader(descr.clone(), pages) {
        ColumnReader::BoolColumnReader(reader) => {
            typed(reader, optional, None, |&value, to, _| Ok(to.push_value(Value::Boolean(value))))
        }
        ColumnReader::Int32ColumnReader(reader) => {
            typed(reader, optional, None, move |value, to, scratch| {
                let signed = format != Format::Unsigned;
                integer(if signed { i64::from(*value) } else { value.cast_unsigned().into() }, to, scratch)
            })
        }
        ColumnReader::Int64ColumnReader(reader) => {
            let all = |values: &[i64], to: &mut Column| to.push_integers(values);
            let all = is_integer.then_some(all as PushAll<i64>);
            typed(reader, optional, all, move |&value, to, scratch| integer(value, to, scratch))
        }
        ColumnReader::Int96ColumnReader(reader) => {
            typed(reader, optional, None, |value, to, scratch| match value.data() {
                &[low, high, day] => {
                    timestamp_96([low, high, day], scratch);
                    Ok(to.push_value(Value::Bytes(scratch)))
                }
                _ => Err("a timestamp of another length"),
            })
        }
        // It is kept as the number of 64 bits that its shortest text names: 0.1 stays 0.1.
        ColumnReader::FloatColumnReader(reader) => typed(reader, optional, None, |value, to, scratch| {
            put(scratch, format_args!("{value:?}"));
            Ok(to.push(scratch).is_ok())
        }),
        ColumnReader::DoubleColumnReader(reader) => {
            typed(reader, optional, None, |&value, to, _| Ok(to.push_value(Value::Float(value))))
        }
        ColumnReader::ByteArrayColumnReader(reader) => {
            typed(reader, optional, None, move |value, to, scratch| bytes(value.as_bytes(), to, scratch))
        }
        ColumnReader::FixedLenByteArrayColumnReader(reader) => {
            typed(reader, optional, None, move |value, to, scratch| bytes(value.as_bytes(), to, scratch))
        }
    }
}

fn typed<T: DataType, F>(
    reader: ColumnReaderImpl<T>,
    optional: bool,
    push_all: Option<PushAll<T::T>>,
    push: F,
) -> Box<dyn Rows>
where
    F: Fn(&T::T, &mut Column, &mut Scratch) -> Pushed + 'static,
{
    let (levels, values) = (Vec::new(), Vec::new());
    Box::new(Typed { reader, push, push_all, optional, levels, values })
}

impl<T: DataType, F: Fn(&T::T, &mut Column, &mut Scratch) -> Pushed> Rows for Typed<T, F> {
    fn read(&mut self, rows: usize, to: &mut Column) -> Result<(), Wrong> {
        const OTHER: &str = "a value of another type than its column, or for which there is no memory";
        self.levels.clear();
        self.values.clear();
        let mut read = 0;
        // A call may end at the end of a page.
        while read < rows {
            let (levels, values) = (&mut self.levels, &mut self.values);
            let more = self.reader.read_records(rows - read, Some(levels), None, values);
            let more = more.map_err(Wrong::Broken)?.0;
            if more == 0 {
                return Err(Wrong::Short);
            }
            read += more;
        }
        if let Some(push_all) = self.push_all
            && self.values.len() == rows
        {
            return if push_all(&self.values, to) { Ok(()) } else { Err(Wrong::Cell(0, OTHER)) };
        }
        let (mut values, mut scratch) = (self.values.iter(), Scratch::new());
        for row in 0..rows {
            if self.optional && self.levels.get(row) != Some(&1) {
                to.skip();
                continue;
            }
            scratch.clear();
            let value = values.next().ok_or(Wrong::Cell(row, "no value, though it should have one"))?;
            let pushed = (self.push)(value, to, &mut scratch);
            if !pushed.map_err(|what| Wrong::Cell(row, what))? {
                return Err(Wrong::Cell(row, OTHER));
            }
        }
        Ok(())
    }
}
