//! Host memory for the input and output of a batch; an allocation may be refused.

use crate::error::Error;

/// An empty list with room for `len` elements.
///
/// # Errors
/// [`Error::OutOfMemory`].
pub(crate) fn room<T>(what: &'static str, len: usize) -> Result<Vec<T>, Error> {
    let mut list = Vec::new();
    reserve(&mut list, what, len)?;
    Ok(list)
}

/// Makes room for `more` elements.
///
/// # Errors
/// [`Error::OutOfMemory`].
pub(crate) fn reserve<T>(list: &mut Vec<T>, what: &'static str, more: usize) -> Result<(), Error> {
    let bytes = more.saturating_mul(size_of::<T>()) as u64;
    list.try_reserve(more).map_err(|_| Error::OutOfMemory { what, bytes, ran: 0 })
}
