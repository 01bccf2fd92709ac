//! Columns of keys that are wider than a word.

use crate::cpu::error::Error;
use core::hash::{Hash, Hasher};
use warpproof_model::host::Refused;

/// One or several columns: the key of a row is what the columns have there.
///
/// Slices and lists of anything that is `Hash + Eq` are a column, and tuples of columns are several.
/// Implement it for columns that are stored in another way:
///
/// ```
/// use std::hash::{Hash, Hasher};
/// use warpproof_simt::cpu::Error;
/// use warpproof_simt::cpu::columns::{KeyColumns, Progress, RowIndex};
///
/// /// Strings, one after the other.
/// struct Strings<'a> {
///     bytes: &'a str,
///     ends: &'a [usize],
/// }
/// impl Strings<'_> {
///     fn at(&self, row: usize) -> &str {
///         &self.bytes[if row == 0 { 0 } else { self.ends[row - 1] }..self.ends[row]]
///     }
/// }
/// impl KeyColumns for Strings<'_> {
///     fn rows(&self) -> Result<usize, Error> {
///         Ok(self.ends.len())
///     }
///     fn hash_row(&self, row: usize, state: &mut impl Hasher) {
///         self.at(row).hash(state);
///     }
///     fn equal_row(&self, row: usize, other: &Self, other_row: usize) -> bool {
///         self.at(row) == other.at(other_row)
///     }
/// }
/// let names = Strings { bytes: "annbobann", ends: &[3, 6, 9] };
/// assert_eq!(RowIndex::new(names, &Progress::new())?.groups()?.sizes(), [2, 1]);
/// # Ok::<(), Error>(())
/// ```
pub trait KeyColumns: Sync {
    /// How many rows there are.
    ///
    /// # Errors
    /// [`Error::Refused`] if the columns differ in length.
    fn rows(&self) -> Result<usize, Error>;

    /// Feeds the key of a row to a hasher. Equal keys feed it the same.
    fn hash_row(&self, row: usize, state: &mut impl Hasher);

    /// Whether the key of a row equals that of a row of other columns.
    fn equal_row(&self, row: usize, other: &Self, other_row: usize) -> bool;
}

macro_rules! lists {
    ($($list:ty),*) => {$(
        impl<T: Hash + Eq + Sync> KeyColumns for $list {
            fn rows(&self) -> Result<usize, Error> {
                Ok(self.len())
            }
            #[inline]
            fn hash_row(&self, row: usize, state: &mut impl Hasher) {
                self[row].hash(state);
            }
            #[inline]
            fn equal_row(&self, row: usize, other: &Self, other_row: usize) -> bool {
                self[row] == other[other_row]
            }
        }
    )*};
}
lists!([T], Vec<T>);

impl<C: KeyColumns + ?Sized> KeyColumns for &C {
    fn rows(&self) -> Result<usize, Error> {
        (**self).rows()
    }
    #[inline]
    fn hash_row(&self, row: usize, state: &mut impl Hasher) {
        (**self).hash_row(row, state);
    }
    #[inline]
    fn equal_row(&self, row: usize, other: &Self, other_row: usize) -> bool {
        (**self).equal_row(row, other, other_row)
    }
}

macro_rules! tuples {
    ($(($first:ident $($more:ident $at:tt)*)),*) => {$(
        impl<$first: KeyColumns, $($more: KeyColumns),*> KeyColumns for ($first, $($more),*) {
            fn rows(&self) -> Result<usize, Error> {
                let keys = self.0.rows()?;
                for found in [$(self.$at.rows()?),*] {
                    if found != keys {
                        return Err(Refused::Length { keys, what: "another column", found }.into());
                    }
                }
                Ok(keys)
            }
            #[inline]
            fn hash_row(&self, row: usize, state: &mut impl Hasher) {
                self.0.hash_row(row, state);
                $(self.$at.hash_row(row, state);)*
            }
            #[inline]
            fn equal_row(&self, row: usize, other: &Self, other_row: usize) -> bool {
                self.0.equal_row(row, &other.0, other_row) $(&& self.$at.equal_row(row, &other.$at, other_row))*
            }
        }
    )*};
}
tuples!((A B 1), (A B 1 C 2), (A B 1 C 2 D 3), (A B 1 C 2 D 3 E 4), (A B 1 C 2 D 3 E 4 F 5));
