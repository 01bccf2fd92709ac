//! The layout of a table in device memory, by its key and value types.

use core::fmt::Debug;
use core::hash::Hash;
use cudarc::driver::{DeviceRepr, ValidAsZeroBits};
use warpproof_model::entry::{Key32, Key64};
use warpproof_model::reserved::reserved_keys;

mod sealed {
    /// Implemented only here: each layout needs kernels.
    pub trait Sealed {}
}

/// A key or value of a GPU table, held by its bits: `u32`, `i32`, `f32`, `u64`, `i64` or `f64`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a key or value of a table on a GPU",
    note = "keys are `u32`, `i32`, `u64` and `i64`; values are also `f32` and `f64`"
)]
pub trait Scalar:
    Copy + Debug + DeviceRepr + ValidAsZeroBits + Default + Send + Sync + 'static + sealed::Sealed
{
    /// All bits set.
    const ONES: Self;

    /// The bits of the number, in the low end.
    #[doc(hidden)]
    fn bits(self) -> u64;
}

/// A key of a GPU table: an integer.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a key of a table on a GPU",
    note = "keys are `u32`, `i32`, `u64` and `i64`"
)]
pub trait KeyScalar: Scalar + Ord + Hash {
    /// The layout of a set of such keys.
    const SET: Layout;
}

macro_rules! scalars {
    ($($type:ty: $ones:expr, |$value:ident| $bits:expr;)*) => {$(
        impl sealed::Sealed for $type {}

        impl Scalar for $type {
            const ONES: Self = $ones;

            fn bits(self) -> u64 {
                let $value = self;
                $bits.into()
            }
        }
    )*};
}
scalars! {
    u32: u32::MAX, |value| value;
    i32: -1, |value| value.cast_unsigned();
    f32: f32::from_bits(u32::MAX), |value| value.to_bits();
    u64: u64::MAX, |value| value;
    i64: -1, |value| value.cast_unsigned();
    f64: f64::from_bits(u64::MAX), |value| value.to_bits();
}

macro_rules! keys {
    ($($layout:ident: $($key:ty)*;)*) => {
        $($(impl KeyScalar for $key {
            const SET: Layout = Layout::$layout;
        })*)*
    };
}
keys! {
    Set32: u32 i32;
    Set64: u64 i64;
}

/// A layout of slots, and how many pairs a key may have. Kernels are named after the structure and the
/// layout.
///
/// Slabs have all layouts but [`Layout::Set64`]. Open-addressing tables have those with unique keys.
/// Hopscotch and wait-free tables have those of them that keep an entry in one word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layout {
    /// Unique u32 keys in 32-bit words.
    Set32,
    /// Unique u64 keys in 64-bit words.
    Set64,
    /// u32 pairs with unique keys in 64-bit words.
    Map32,
    /// u32 pairs in 64-bit words; a key may have several.
    Multi32,
    /// u64 pairs with unique keys in 128-bit words: compute capability 9.0.
    Map64,
    /// u64 pairs in 128-bit words; a key may have several: compute capability 9.0.
    Multi64,
    /// u64 pairs with unique keys in two 64-bit words each, by the lock-word protocol.
    Map64Lock,
    /// u64 pairs in two 64-bit words each, by the lock-word protocol; a key may have several.
    Multi64Lock,
}

impl Layout {
    /// The layout's part of a kernel's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Set32 => "set32",
            Self::Set64 => "set64",
            Self::Map32 => "map32",
            Self::Multi32 => "multi32",
            Self::Map64 => "map64",
            Self::Multi64 => "multi64",
            Self::Map64Lock => "map64l",
            Self::Multi64Lock => "multi64l",
        }
    }

    /// Whether entries have no values.
    pub(crate) const fn is_set(self) -> bool {
        matches!(self, Self::Set32 | Self::Set64)
    }

    /// The layout with the same slots for unique keys.
    pub(crate) const fn unique(self) -> Self {
        match self {
            Self::Multi32 => Self::Map32,
            Self::Multi64 => Self::Map64,
            Self::Multi64Lock => Self::Map64Lock,
            unique => unique,
        }
    }

    /// Bytes that a slot takes.
    pub const fn slot_bytes(self) -> u32 {
        match self {
            Self::Set32 => 4,
            Self::Set64 | Self::Map32 | Self::Multi32 => 8,
            Self::Map64 | Self::Multi64 | Self::Map64Lock | Self::Multi64Lock => 16,
        }
    }

    /// Lanes of the tiles for which every operation has a kernel, at 8 slots per slab or words per group. In
    /// open-addressing tables, sets of u32 and maps of u64 by the lock word have one lane, and other maps of
    /// u64 two.
    pub const fn lanes(self) -> u32 {
        match self {
            Self::Map64 | Self::Multi64 => 4,
            _ => 2,
        }
    }

    /// How many keys are reserved: no slot can hold them ([`warpproof_model::reserved`]).
    pub(crate) fn reserved_keys(self) -> u64 {
        let keys = match self {
            Self::Set32 | Self::Map32 | Self::Multi32 => reserved_keys::<Key32>(),
            _ => reserved_keys::<Key64>(),
        };
        keys.into()
    }

    /// Whether the values are in an array of their own.
    pub(crate) const fn lock_word(self) -> bool {
        matches!(self, Self::Map64Lock | Self::Multi64Lock)
    }

    /// Bytes of a slot in the array that probes read.
    pub(crate) const fn probe_bytes(self) -> u32 {
        if self.lock_word() { self.slot_bytes() / 2 } else { self.slot_bytes() }
    }
}

/// The pairs of a map: keys `u32` or `i32` with 32-bit values, or keys `u64` or `i64` with 64-bit values.
#[diagnostic::on_unimplemented(
    message = "no table on a GPU holds `{Self}`, a key and its value",
    label = "not an entry of a table",
    note = "keys are `u32`, `i32`, `u64` and `i64`; values are numbers of as many bits: `u32`, `i32`, `f32`, or `u64`, `i64`, `f64`",
    note = "for other keys, number them or hash them to a `u64`; for larger values, keep them in an array and store their index"
)]
pub trait Entry: sealed::Sealed {
    /// The layout of a map in one word per pair.
    const PACKED: Layout;

    /// The layout: with 128-bit words (`wide`) or without, of a multimap (`multi`) or a map.
    fn layout(wide: bool, multi: bool) -> Layout {
        match (Self::PACKED, wide, multi) {
            (Layout::Map32, _, false) => Layout::Map32,
            (Layout::Map32, _, true) => Layout::Multi32,
            (_, true, false) => Layout::Map64,
            (_, true, true) => Layout::Multi64,
            (_, false, false) => Layout::Map64Lock,
            (_, false, true) => Layout::Multi64Lock,
        }
    }
}

macro_rules! entries {
    ($($layout:ident: $(($key:ty, $($value:ty)|+))*;)*) => {
        $($($(
            impl sealed::Sealed for ($key, $value) {}

            impl Entry for ($key, $value) {
                const PACKED: Layout = Layout::$layout;
            }
        )+)*)*
    };
}
entries! {
    Map32: (u32, u32 | i32 | f32) (i32, u32 | i32 | f32);
    Map64: (u64, u64 | i64 | f64) (i64, u64 | i64 | f64);
}
