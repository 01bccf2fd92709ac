//! The files that the command line reads: traces of operations, tables to join, sequences (feature `files`).
//!
//! Traces and tables are parsed out of memory, sequences in pieces. No input is a panic; what is malformed is
//! told with its line and its field.

mod lines;
mod sequence;
mod table;
mod trace;

pub use sequence::{Letters, SequenceFile};
pub use table::{RowReader, Table};
pub use trace::Trace;

/// What is wrong with a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Malformed {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there, and in which field.
    pub what: String,
}

impl core::fmt::Display for Malformed {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{}: {}", self.line, self.what)
    }
}

impl core::error::Error for Malformed {}
