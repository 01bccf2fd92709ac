//! The types in which rows are written.

use super::room::room;
use crate::cpu::error::Error;
use rayon::prelude::*;

/// How a row is written: as `u32`, or as `i64`, as the arrays of other languages are indexed.
pub trait RowNumber: Copy + Send + Sync + private::Sealed {
    /// No row: all ones.
    const NONE: Self;
    /// A row.
    fn of(row: u32) -> Self;
    /// All rows of a list.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    fn of_all(rows: Vec<u32>) -> Result<Vec<Self>, Error> {
        let mut all = room(rows.len())?;
        all.par_extend(rows.into_par_iter().map(Self::of));
        Ok(all)
    }
}

mod private {
    pub trait Sealed {}
    impl Sealed for u32 {}
    impl Sealed for i64 {}
}

impl RowNumber for u32 {
    const NONE: Self = Self::MAX;
    #[inline(always)]
    fn of(row: u32) -> Self {
        row
    }
    fn of_all(rows: Vec<u32>) -> Result<Vec<u32>, Error> {
        Ok(rows)
    }
}

impl RowNumber for i64 {
    const NONE: Self = -1;
    #[inline(always)]
    fn of(row: u32) -> Self {
        row.into()
    }
}
