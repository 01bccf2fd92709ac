//! Columns of Arrow as keys of rows.

use super::{Unfit, mask};
use crate::Refused;
use crate::simt::cpu::Error;
use crate::simt::cpu::columns::KeyColumns;
use arrow_array::types::*;
use arrow_array::{
    Array, BinaryArray, BooleanArray, FixedSizeBinaryArray, GenericByteArray, LargeBinaryArray,
    LargeStringArray, PrimitiveArray, StringArray,
};
use core::fmt;
use core::hash::Hasher;

/// One or several columns of Arrow: the key of a row is what the columns have there. They stay where they
/// are.
///
/// A column is of numbers (also dates, times, decimals), of booleans, of strings (`Utf8`, `LargeUtf8`) or of
/// bytes (`Binary`, `LargeBinary`, `FixedSizeBinary`). Two cells are equal if their bytes are: 0.0 and -0.0
/// differ, and a NaN equals itself.
///
/// **Nulls.** A null equals another null and nothing else, as in a `GROUP BY` of SQL. In a join of SQL a null
/// matches nothing: then leave out the rows for which [`mask`](Self::mask) is false.
///
/// Keys that are looked up must be of the same types as those of the index: [`like`](Self::like) makes sure
/// of that. Otherwise no row is found.
#[derive(Clone)]
pub struct Columns<'a> {
    columns: Vec<Column<'a>>,
}

#[derive(Clone, Copy)]
struct Column<'a> {
    array: &'a dyn Array,
    cells: Cells<'a>,
}

/// The cells of a column.
#[derive(Clone, Copy)]
enum Cells<'a> {
    /// So many bytes each.
    Fixed(&'a [u8], usize),
    Bool(&'a BooleanArray),
    Text(&'a StringArray),
    LargeText(&'a LargeStringArray),
    Bytes(&'a BinaryArray),
    LargeBytes(&'a LargeBinaryArray),
}

/// A cell that is not null.
#[derive(PartialEq, Eq)]
enum Cell<'a> {
    Bool(bool),
    Bytes(&'a [u8]),
}

impl<'a> Columns<'a> {
    /// These columns.
    ///
    /// # Errors
    /// [`Unfit::Type`] for a column of another type than those above; [`Unfit::NoColumn`].
    pub fn new(arrays: &[&'a dyn Array]) -> Result<Self, Unfit> {
        if arrays.is_empty() {
            return Err(Unfit::NoColumn);
        }
        let mut columns = Vec::new();
        let bytes = size_of_val(arrays).saturating_mul(2) as u64;
        columns.try_reserve_exact(arrays.len()).map_err(|_| Unfit::OutOfMemory { bytes })?;
        for (column, &array) in arrays.iter().enumerate() {
            let name = || array.data_type().to_string();
            let cells = Cells::of(array).ok_or_else(|| Unfit::Type { column, name: name() })?;
            columns.push(Column { array, cells });
        }
        Ok(Self { columns })
    }

    /// Columns whose rows are compared with those of these: of the same types. Strings may be `Utf8` in one
    /// and `LargeUtf8` in the other, and bytes likewise.
    ///
    /// # Errors
    /// [`Unfit::Unlike`]; [`Unfit::Columns`]; those of [`new`](Self::new).
    pub fn like<'b>(&self, arrays: &[&'b dyn Array]) -> Result<Columns<'b>, Unfit> {
        let (found, expected) = (arrays.len(), self.columns.len());
        if found != expected {
            return Err(Unfit::Columns { found, expected });
        }
        let others = Columns::new(arrays)?;
        for (column, (ours, others)) in self.columns.iter().zip(&others.columns).enumerate() {
            if !ours.is_like(others) {
                let name = |column: &Column<'_>| column.array.data_type().to_string();
                return Err(Unfit::Unlike { column, name: name(others), expected: name(ours) });
            }
        }
        Ok(others)
    }

    /// For each row whether none of its cells is null: for a join in which a null matches nothing.
    ///
    /// # Errors
    /// [`Unfit::OutOfMemory`].
    pub fn mask(&self) -> Result<Vec<bool>, Unfit> {
        let rows = self.columns.iter().map(|column| column.array.len()).min().unwrap_or(0);
        mask(rows, |row| self.columns.iter().all(|column| column.array.is_valid(row)))
    }
}

impl fmt::Debug for Columns<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.columns.iter().map(|column| column.array.data_type())).finish()
    }
}

impl Column<'_> {
    #[inline]
    fn cell(&self, row: usize) -> Option<Cell<'_>> {
        self.array.is_valid(row).then(|| self.cells.at(row))
    }

    fn is_like(&self, other: &Column<'_>) -> bool {
        use Cells::{Bytes, LargeBytes, LargeText, Text};
        match (self.cells, other.cells) {
            (Text(_) | LargeText(_), Text(_) | LargeText(_)) => true,
            (Bytes(_) | LargeBytes(_), Bytes(_) | LargeBytes(_)) => true,
            _ => self.array.data_type() == other.array.data_type(),
        }
    }
}

impl<'a> Cells<'a> {
    /// Those of an array, if they can be compared.
    fn of(array: &'a dyn Array) -> Option<Self> {
        let any = array.as_any();
        let fixed = any.downcast_ref::<FixedSizeBinaryArray>();
        None.or_else(|| fixed_width(array))
            .or_else(|| any.downcast_ref().map(Self::Bool))
            .or_else(|| any.downcast_ref().map(Self::Text))
            .or_else(|| any.downcast_ref().map(Self::LargeText))
            .or_else(|| any.downcast_ref().map(Self::Bytes))
            .or_else(|| any.downcast_ref().map(Self::LargeBytes))
            .or_else(|| fixed.map(|cells| Self::Fixed(cells.value_data(), cells.value_length() as usize)))
    }

    /// The cell of a row that is not null.
    #[inline]
    fn at(self, row: usize) -> Cell<'a> {
        fn bytes<T: ByteArrayType>(array: &GenericByteArray<T>, row: usize) -> Cell<'_> {
            Cell::Bytes(array.value(row).as_ref())
        }
        match self {
            Self::Fixed(cells, width) => Cell::Bytes(&cells[row * width..(row + 1) * width]),
            Self::Bool(array) => Cell::Bool(array.value(row)),
            Self::Text(array) => bytes(array, row),
            Self::LargeText(array) => bytes(array, row),
            Self::Bytes(array) => bytes(array, row),
            Self::LargeBytes(array) => bytes(array, row),
        }
    }
}

/// The cells of an array of numbers of any type.
fn fixed_width(array: &dyn Array) -> Option<Cells<'_>> {
    macro_rules! numbers {
        ($($of:ty)*) => {
            None$(.or_else(|| array.as_any().downcast_ref::<PrimitiveArray<$of>>().map(cells)))*
        };
    }
    fn cells<T: ArrowPrimitiveType>(array: &PrimitiveArray<T>) -> Cells<'_> {
        Cells::Fixed(array.values().inner().as_slice(), size_of::<T::Native>())
    }
    numbers! {
        Int8Type Int16Type Int32Type Int64Type UInt8Type UInt16Type UInt32Type UInt64Type
        Float16Type Float32Type Float64Type Decimal32Type Decimal64Type Decimal128Type Decimal256Type
        Date32Type Date64Type Time32SecondType Time32MillisecondType Time64MicrosecondType Time64NanosecondType
        TimestampSecondType TimestampMillisecondType TimestampMicrosecondType TimestampNanosecondType
        DurationSecondType DurationMillisecondType DurationMicrosecondType DurationNanosecondType
        IntervalYearMonthType IntervalDayTimeType IntervalMonthDayNanoType
    }
}

impl KeyColumns for Columns<'_> {
    fn rows(&self) -> Result<usize, Error> {
        let mut lengths = self.columns.iter().map(|column| column.array.len());
        let keys = lengths.next().unwrap_or(0);
        match lengths.find(|&found| found != keys) {
            Some(found) => Err(Refused::Length { keys, what: "another column", found }.into()),
            None => Ok(keys),
        }
    }

    fn hash_row(&self, row: usize, state: &mut impl Hasher) {
        for column in &self.columns {
            match column.cell(row) {
                None => state.write_u8(0),
                Some(Cell::Bool(cell)) => state.write_u8(1 + u8::from(cell)),
                Some(Cell::Bytes(cell)) => {
                    // The length keeps cells of several columns apart.
                    state.write_u64(1 + cell.len() as u64);
                    state.write(cell);
                }
            }
        }
    }

    fn equal_row(&self, row: usize, other: &Self, other_row: usize) -> bool {
        self.columns.len() == other.columns.len()
            && self.columns.iter().zip(&other.columns).all(|(a, b)| a.cell(row) == b.cell(other_row))
    }
}
