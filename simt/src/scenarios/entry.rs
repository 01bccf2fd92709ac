//! Entries of one word, and the memory that their words need.

use crate::check::Memory;
use warpproof_model::Words;
use warpproof_model::entry::{Key32, Key64, Packed, Pair32, Pair64};

/// An entry type in some memory.
pub trait Entry: Packed + Send + Sync + 'static {
    /// Handles to its words.
    type Words<M: Memory>: Words<Self::Word>;
    /// Bits of a word.
    const WIDTH: u32;
    /// An array of a memory, of such words.
    fn array<M: Memory>(m: M, array: usize) -> Self::Words<M>;
    /// The first array of a memory.
    fn words<M: Memory>(m: M) -> Self::Words<M> {
        Self::array(m, 0)
    }
}

macro_rules! entry {
    ($($entry:ident: $width:literal, $handle:ident, $get:ident;)*) => {$(
        impl Entry for $entry {
            type Words<M: Memory> = M::$handle;
            const WIDTH: u32 = $width;
            fn array<M: Memory>(m: M, array: usize) -> M::$handle {
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
