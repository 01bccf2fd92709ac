//! The files that the command line reads: traces of operations, tables to join, sequences (feature `files`).
//!
//! Traces and tables are parsed in memory, sequences in pieces. No input causes a panic. An error names the
//! line and the field that is malformed.

mod keys;
mod lines;
mod parts;
mod rows;
mod sequence;
mod table;
mod trace;

pub use keys::{Coder, KeyType};
pub use parts::{Parts, Unread};
pub use rows::{Row, RowReader};
pub use sequence::{Letters, SequenceFile};
pub use table::{Layout, Table};
pub use trace::Trace;

/// An error in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Malformed {
    /// The line, counted from 1.
    pub line: usize,
    /// The row, if the file is a table: counted from 1 after the header, which is 0.
    pub row: Option<usize>,
    /// The error, and its field.
    pub what: String,
}

impl core::fmt::Display for Malformed {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{}: {}", self.line, self.what)
    }
}

impl core::error::Error for Malformed {}
