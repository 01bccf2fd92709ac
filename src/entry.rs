//! The entries of a table, and a table by its entries.

use clap::ValueEnum;
use warpproof::any::{Map, Set};

/// What `--entry` accepts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum Entry {
    /// Map of u32 pairs
    #[default]
    Map32,
    /// Set of u32 keys
    Set32,
    /// Set of u64 keys
    Set64,
    /// Multimap of u32 pairs
    Multimap32,
    /// Multimap of u64 pairs
    Multimap64,
    /// Map of u64 pairs, in 128-bit words where the device has them, else by the lock word
    Map64,
    /// Map of u64 pairs by the lock word on every device
    Lock64,
}

impl Entry {
    /// Its name on the command line.
    pub(crate) const fn name(self) -> &'static str {
        self.row().0
    }

    /// The content of such a table, in words.
    pub(crate) const fn what(self) -> &'static str {
        self.row().1
    }

    /// Bytes of a slot.
    pub(crate) const fn slot(self) -> u32 {
        self.row().2
    }

    const fn row(self) -> (&'static str, &'static str, u32) {
        match self {
            Self::Map32 => ("map32", "map u32 -> u32", 8),
            Self::Set32 => ("set32", "set u32", 4),
            Self::Set64 => ("set64", "set u64", 8),
            Self::Multimap32 => ("multimap32", "multimap u32 -> u32", 8),
            Self::Multimap64 => ("multimap64", "multimap u64 -> u64", 16),
            Self::Map64 => ("map64", "map u64 -> u64", 16),
            Self::Lock64 => ("lock64", "map u64 -> u64 by the lock word", 16),
        }
    }

    /// How the kernels of such a table run.
    #[cfg(feature = "gpu")]
    pub(crate) fn tuning(self) -> warpproof::gpu::Tuning {
        warpproof::gpu::Tuning { lock_word: self == Self::Lock64, ..Default::default() }
    }
}

/// A table of any structure on any backend, by its keys and values.
pub(crate) enum Table {
    /// Pairs of u32.
    Map32(Map<u32, u32>),
    /// Pairs of u64.
    Map64(Map<u64, u64>),
    /// Keys of u32.
    Set32(Set<u32>),
    /// Keys of u64.
    Set64(Set<u64>),
}

/// A table by its entries.
macro_rules! of {
    ($($variant:ident($from:ty);)*) => {
        $(impl From<$from> for Table {
            fn from(table: $from) -> Self {
                Self::$variant(table)
            }
        })*
    };
}
of! {
    Map32(Map<u32, u32>);
    Map64(Map<u64, u64>);
    Set32(Set<u32>);
    Set64(Set<u64>);
}

/// Runs an expression on a table, whatever its entries are.
macro_rules! on_any {
    ($of:expr, |$table:ident| $run:expr) => {
        match $of {
            $crate::entry::Table::Map32($table) => $run,
            $crate::entry::Table::Map64($table) => $run,
            $crate::entry::Table::Set32($table) => $run,
            $crate::entry::Table::Set64($table) => $run,
        }
    };
}
pub(crate) use on_any;
