//! What tables hold; entries of one word, and the memory that their words need.

use crate::check::Memory;
use warpproof_model::Words;
use warpproof_model::entry::{Key32, Key64, Packed, Pair32, Pair64};

/// What a table holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Entries {
    /// u32 pairs.
    Map32,
    /// u32 keys.
    Set32,
    /// u64 pairs.
    Map64,
    /// u64 keys.
    Set64,
}

impl Entries {
    /// Chooses one of two values, for u32 keys and for u64 keys.
    pub(super) fn by_keys<T>(self, of_u32: T, of_u64: T) -> T {
        match self {
            Self::Map32 | Self::Set32 => of_u32,
            Self::Map64 | Self::Set64 => of_u64,
        }
    }
    /// Whether they have values.
    pub(super) fn have_values(self) -> bool {
        matches!(self, Self::Map32 | Self::Map64)
    }
}

/// An entry type in some memory.
pub trait Entry: Packed + Send + Sync + 'static {
    /// Handles to its words.
    type Words<M: Memory>: Words<Self::Word>;
    /// Bits of a word.
    const WIDTH: u32;
    /// An array of a memory.
    fn words<M: Memory>(m: M, array: usize) -> Self::Words<M>;
}

macro_rules! entry {
    ($($entry:ident: $width:literal, $handle:ident, $get:ident;)*) => {$(
        impl Entry for $entry {
            type Words<M: Memory> = M::$handle;
            const WIDTH: u32 = $width;
            fn words<M: Memory>(m: M, array: usize) -> M::$handle {
                m.$get(array)
            }
        }
    )*};
}
entry! {
    Key32: 32, W32, w32;
    Key64: 64, W64, w64;
    Pair32: 64, W64, w64;
    Pair64: 128, W128, w128;
}
