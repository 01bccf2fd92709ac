//! What can go wrong on the CPU.

use core::fmt;
use warpproof_model::host::Refused;

/// What can go wrong on the CPU.
#[derive(Clone, PartialEq, Debug)]
pub enum Error {
    /// The input was refused; nothing ran.
    Refused(Refused),
    /// The table's memory cannot be had.
    OutOfMemory {
        /// Bytes of the table.
        bytes: u64,
    },
    /// A bulk build found no room for all pairs.
    TableFull {
        /// Pairs of the input.
        pairs: u64,
        /// How many of them did not fit.
        left_out: u64,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(refused) => refused.fmt(f),
            Self::OutOfMemory { bytes } => write!(f, "out of memory: a table of {bytes} bytes cannot be had"),
            Self::TableFull { pairs, left_out } => {
                write!(f, "the table is full: {left_out} of {pairs} pairs did not fit")
            }
        }
    }
}

impl core::error::Error for Error {}

impl From<Refused> for Error {
    fn from(refused: Refused) -> Self {
        Self::Refused(refused)
    }
}
