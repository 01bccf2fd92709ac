//! Why arrays cannot be used.

use core::fmt;

/// Why an array or a column of Arrow cannot be used. Columns are counted from 0.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Unfit {
    /// Some rows are null.
    Nulls {
        /// How many.
        nulls: usize,
        /// The first of them.
        first: usize,
    },
    /// A column is of a type whose cells are not compared.
    Type {
        /// The column.
        column: usize,
        /// The name of its type.
        name: String,
    },
    /// A column is of another type than the one that it is compared with.
    Unlike {
        /// The column.
        column: usize,
        /// The name of its type.
        name: String,
        /// The name of the other type.
        expected: String,
    },
    /// There are more columns, or fewer, than those that they are compared with.
    Columns {
        /// How many there are.
        found: usize,
        /// How many the others are.
        expected: usize,
    },
    /// There is no column, so rows have no key.
    NoColumn,
    /// There is not enough memory.
    OutOfMemory {
        /// How many bytes were asked for.
        bytes: u64,
    },
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nulls { nulls: 1, first } => write!(f, "1 null, the first in row {first}"),
            Self::Nulls { nulls, first } => write!(f, "{nulls} nulls, the first in row {first}"),
            Self::Type { column, name } => {
                write!(f, "column {column} is of type {name}, which cannot be a key")
            }
            Self::Unlike { column, name, expected } => {
                write!(
                    f,
                    "column {column} is of type {name}, and the one to compare it with of type {expected}"
                )
            }
            Self::Columns { found, expected } => {
                write!(f, "{found} columns, and {expected} to compare them with")
            }
            Self::NoColumn => f.write_str("there is no column"),
            Self::OutOfMemory { bytes } => write!(f, "out of memory: cannot allocate {bytes} bytes"),
        }
    }
}

impl core::error::Error for Unfit {}
