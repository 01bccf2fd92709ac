//! Errors of the CPU backend.

use core::fmt;
use warpproof_model::host::{NotStored, Refused};
use warpproof_model::paged::file::FileError;

/// An error of the CPU backend.
#[derive(Clone, PartialEq, Debug)]
pub enum Error {
    /// The input was refused; nothing ran.
    Refused(Refused),
    /// There is not enough memory, for a table or for answers. No entry is lost.
    OutOfMemory {
        /// How many bytes were asked for.
        bytes: u64,
        /// How many operations of the batch had run: the first ones. 0 unless the table grows between the
        /// parts of a batch.
        ran: u64,
    },
    /// A bulk build found no room for all pairs.
    TableFull {
        /// Pairs of the input.
        pairs: u64,
        /// How many of them did not fit.
        left_out: u64,
    },
    /// Some entries of a batch found no room ([`all_stored`](warpproof_model::host::Outcomes::all_stored)).
    NotStored(NotStored),
    /// A table cannot be saved to a file, or opened.
    File(FileError),
    /// A column has more rows than can be numbered: 2^32 - 2.
    TooManyRows {
        /// The rows of the column.
        rows: u64,
    },
    /// The caller stopped the call; it has no result.
    Stopped,
}

impl Error {
    /// The error that there is no memory for `count` values of type `T`.
    pub(super) fn no_memory_for<T>(count: usize) -> Self {
        Self::no_memory(count.saturating_mul(size_of::<T>()))
    }

    /// The error that there is no memory for so many bytes.
    pub(super) fn no_memory(bytes: usize) -> Self {
        Self::OutOfMemory { bytes: bytes as u64, ran: 0 }
    }

    /// This error, which came when so many operations of the batch had run.
    pub(super) fn after(self, ran: usize) -> Self {
        match self {
            Self::OutOfMemory { bytes, .. } => Self::OutOfMemory { bytes, ran: ran as u64 },
            other => other,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(refused) => refused.fmt(f),
            Self::OutOfMemory { bytes, ran: 0 } => write!(f, "out of memory: cannot allocate {bytes} bytes"),
            Self::OutOfMemory { bytes, ran } => {
                write!(f, "out of memory: cannot allocate {bytes} bytes, after {ran} operations of the batch")
            }
            Self::TableFull { pairs, left_out } => {
                write!(f, "the table is full: {left_out} of {pairs} pairs did not fit")
            }
            Self::NotStored(error) => error.fmt(f),
            Self::File(error) => error.fmt(f),
            Self::TooManyRows { rows } => {
                write!(f, "a column of {rows} rows is too long: at most {} can be numbered", u32::MAX - 1)
            }
            Self::Stopped => f.write_str("the caller stopped the call"),
        }
    }
}

impl core::error::Error for Error {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Refused(refused) => Some(refused),
            Self::NotStored(error) => Some(error),
            Self::File(error) => Some(error),
            _ => None,
        }
    }
}

impl From<Refused> for Error {
    fn from(refused: Refused) -> Self {
        Self::Refused(refused)
    }
}

impl From<NotStored> for Error {
    fn from(error: NotStored) -> Self {
        Self::NotStored(error)
    }
}

impl From<FileError> for Error {
    fn from(error: FileError) -> Self {
        Self::File(error)
    }
}
