//! Memory for lists, and what is too long for one.

use crate::cpu::error::Error;
use crate::cpu::large_pages::with_room;

/// Refuses columns whose rows are too many to be numbered.
pub(super) fn admit(rows: usize) -> Result<(), Error> {
    // The highest number marks a row that is not there.
    if rows < u32::MAX as usize { Ok(()) } else { Err(Error::TooManyRows { rows: rows as u64 }) }
}

/// An empty list with room for so many.
pub(super) fn room<T>(len: usize) -> Result<Vec<T>, Error> {
    with_room(len).map_err(|_| Error::no_memory_for::<T>(len))
}

/// So many zeros.
pub(super) fn zeros(len: usize) -> Result<Vec<u32>, Error> {
    let mut list = room(len)?;
    list.resize(len, 0);
    Ok(list)
}

/// The error that there is no memory for one more.
pub(super) fn no_memory<T>(_: std::collections::TryReserveError) -> Error {
    Error::no_memory_for::<T>(1)
}
