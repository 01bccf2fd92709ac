//! Errors in files.

use crate::host::Refused;
use core::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::string::{String, ToString as _};

/// Why a table could not be saved or opened: the file, the part of it, and the problem.
#[derive(Clone, PartialEq, Debug)]
pub struct FileError {
    /// The file.
    pub path: PathBuf,
    /// The part of it.
    pub part: Part,
    /// The problem.
    pub problem: Problem,
}

/// A part of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// All of it.
    File,
    /// The part before the entries.
    Header,
    /// The entries of this child table.
    Child(u32),
}

/// A problem with a part of a file.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Problem {
    /// The system returned an error.
    Io {
        /// The purpose of the call.
        doing: &'static str,
        /// The kind of the error.
        kind: io::ErrorKind,
        /// The message of the system.
        said: String,
    },
    /// It is a folder, a device or a pipe.
    NotRegular,
    /// It is not a file of a paged table.
    Foreign,
    /// It is not the list of the shards of a table.
    NoShards,
    /// It is of a version that this program does not read.
    Version {
        /// The version.
        found: u32,
    },
    /// It holds other entries than the table that was to be opened.
    Entries {
        /// Types of keys and values in the file.
        found: [u16; 2],
        /// Types of keys and values of the table.
        expected: [u16; 2],
    },
    /// The length of the file differs from that in its header.
    Length {
        /// Its bytes.
        found: u64,
        /// The bytes that it should have; at least so many if this is about the header.
        expected: u64,
    },
    /// The bytes differ from those that were written.
    Checksum {
        /// The checksum of the present bytes.
        found: u32,
        /// The checksum of the bytes that were written.
        expected: u32,
    },
    /// It is of a table with another number of ranks.
    Ranks {
        /// The ranks of the table in the file.
        found: u32,
        /// The ranks that open it.
        expected: u32,
    },
    /// No table can have this size.
    Size(Refused),
    /// The slots would take more memory than they may.
    TooLarge {
        /// The bytes that they would take.
        bytes: u64,
        /// The bytes that they may take.
        most: u64,
    },
    /// A key belongs to another child table.
    Elsewhere,
    /// A key occurs twice.
    Twice,
    /// There is no room for all entries, with any seed.
    Full,
    /// There is no memory to read or write it.
    Memory {
        /// How many bytes were asked for.
        bytes: u64,
    },
}

impl FileError {
    /// An error about a part of the file at `path`.
    pub(super) fn new(path: &Path, part: Part, problem: Problem) -> Self {
        Self { path: path.to_path_buf(), part, problem }
    }

    /// Turns an error of the system into an error of this crate.
    pub(super) fn io<'a>(
        path: &'a Path,
        part: Part,
        doing: &'static str,
    ) -> impl Fn(io::Error) -> Self + use<'a> {
        move |error| {
            let (kind, said) = (error.kind(), error.to_string());
            Self::new(path, part, Problem::Io { doing, kind, said })
        }
    }
}

/// Types of keys and values.
struct Types([u16; 2]);

impl fmt::Display for Types {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const NAMES: [&str; 7] = ["nothing", "u32", "i32", "u64", "i64", "f32", "f64"];
        let name = |number: u16| NAMES.get(usize::from(number)).copied();
        match self.0.map(name) {
            [Some(key), Some(_)] if self.0[1] == 0 => write!(f, "a set of {key}"),
            [Some(key), Some(value)] => write!(f, "a map of {key} to {value}"),
            _ => write!(f, "entries of the unknown types {} and {}", self.0[0], self.0[1]),
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File => f.write_str("the file"),
            Self::Header => f.write_str("header"),
            Self::Child(child) => write!(f, "child table {child}"),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { doing, said, .. } => write!(f, "{doing}: {said}"),
            Self::NotRegular => f.write_str("it is a folder, a device or a pipe"),
            Self::Foreign => f.write_str("it is not the file of a paged table"),
            Self::NoShards => f.write_str("it does not list the shards of a table"),
            Self::Version { found } => {
                write!(
                    f,
                    "it has version {found} of the format; this program reads version {}",
                    super::VERSION
                )
            }
            Self::Entries { found, expected } => {
                write!(f, "it holds {}, not {}", Types(*found), Types(*expected))
            }
            Self::Length { found, expected } => {
                write!(f, "it has {found} bytes instead of {expected}")
            }
            Self::Checksum { found, expected } => {
                write!(f, "damaged: its checksum is {found:08x}, but {expected:08x} was saved")
            }
            Self::Ranks { found, expected } => {
                write!(f, "it is of a table with {found} ranks, and {expected} open it")
            }
            Self::Size(refused) => refused.fmt(f),
            Self::TooLarge { bytes, most } => {
                write!(f, "its table takes {bytes} bytes; {most} are allowed")
            }
            Self::Elsewhere => f.write_str("it holds a key that belongs to another child table"),
            Self::Twice => f.write_str("it holds a key twice"),
            Self::Full => f.write_str("there is no room for all of its entries"),
            Self::Memory { bytes } => write!(f, "out of memory: cannot allocate {bytes} bytes"),
        }
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, part, problem } = self;
        match part {
            Part::File => write!(f, "{}: {problem}", path.display()),
            part => write!(f, "{}: {part}: {problem}", path.display()),
        }
    }
}

impl core::error::Error for FileError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match &self.problem {
            Problem::Size(refused) => Some(refused),
            _ => None,
        }
    }
}
