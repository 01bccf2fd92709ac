//! Arrow arrays as keys, values and columns (feature `arrow`).
//!
//! A primitive array is a slice already, so tables take its numbers without a copy. [`numbers`] refuses an
//! array with nulls; [`with_mask`] says beside the numbers which of them are there, for the calls that take a
//! mask.
//!
//! ```
//! use arrow_array::{Int64Array, UInt32Array, UInt64Array};
//! use warpproof::arrow::{numbers, with_mask};
//! use warpproof::prelude::*;
//! use warpproof::simt::cpu::OpenMap;
//!
//! let (ids, prices) = (Int64Array::from(vec![7, -8, 9]), UInt64Array::from(vec![70, 80, 90]));
//! let map = OpenMap::<i64, u64>::with_capacity(100)?;
//! map.insert_unique(numbers(&ids)?, numbers(&prices)?)?.all_stored()?;
//! let asked = Int64Array::from(vec![Some(9), None, Some(-8)]);
//! assert_eq!(numbers(&asked).unwrap_err().to_string(), "1 null, the first in row 1");
//! let (keys, mask) = with_mask(&asked)?;
//! assert_eq!(map.contains_if(keys, &mask)?, [true, false, true]);
//! // Answers that may be none are an array again.
//! let found = UInt64Array::from(map.search(numbers(&Int64Array::from(vec![9, 10]))?)?);
//! assert_eq!(found, UInt64Array::from(vec![Some(90), None]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Columns`] are columns of any type, strings too, for
//! [`RowIndex`](crate::simt::cpu::columns::RowIndex): joins and groups on Arrow data.
//!
//! ```
//! use arrow_array::{Int32Array, StringArray};
//! use warpproof::arrow::Columns;
//! use warpproof::simt::cpu::columns::{Progress, RowIndex};
//!
//! let cities = StringArray::from(vec!["Halle", "Trier", "Halle"]);
//! let years = Int32Array::from(vec![1, 2, 1]);
//! let columns = Columns::new(&[&cities, &years])?;
//! let (asked, when) = (StringArray::from(vec![Some("Halle"), None]), Int32Array::from(vec![1, 1]));
//! let asked = columns.like(&[&asked, &when])?;
//! let index = RowIndex::new(columns, &Progress::new())?;
//! assert_eq!(index.matching(&asked, &Progress::new())?.of(0), [0, 2]);
//! assert_eq!(index.first(&asked)?, [Some(0), None]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod columns;
#[cfg(test)]
mod tests;
mod unfit;

pub use columns::Columns;
pub use unfit::Unfit;

use arrow_array::{Array, ArrowPrimitiveType, PrimitiveArray};

/// The numbers of an array in which no row is null, where they are: as keys or values of a table. Dates and
/// times are numbers too.
///
/// # Errors
/// [`Unfit::Nulls`].
pub fn numbers<T: ArrowPrimitiveType>(array: &PrimitiveArray<T>) -> Result<&[T::Native], Unfit> {
    match array.null_count() {
        0 => Ok(array.values()),
        nulls => Err(Unfit::Nulls { nulls, first: first_null(array) }),
    }
}

/// The numbers of an array, where they are, and for each row whether it is there: for calls with a mask, as
/// [`insert_if`](crate::BulkMap::insert_if) and [`contains_if`](crate::BulkMap::contains_if). The number of
/// a row that is null can be anything.
///
/// # Errors
/// [`Unfit::OutOfMemory`] if there is none for the mask.
pub fn with_mask<T: ArrowPrimitiveType>(
    array: &PrimitiveArray<T>,
) -> Result<(&[T::Native], Vec<bool>), Unfit> {
    Ok((array.values(), mask(array.len(), |row| array.is_valid(row))?))
}

/// What is true of each row.
fn mask(rows: usize, of: impl Fn(usize) -> bool) -> Result<Vec<bool>, Unfit> {
    let mut mask = Vec::new();
    mask.try_reserve_exact(rows).map_err(|_| Unfit::OutOfMemory { bytes: rows as u64 })?;
    mask.extend((0..rows).map(of));
    Ok(mask)
}

fn first_null(array: &dyn Array) -> usize {
    (0..array.len()).find(|&row| array.is_null(row)).unwrap_or(0)
}
