//! How a table of given key and value types lies in device memory.

use cudarc::driver::{DeviceRepr, ValidAsZeroBits};
use warpproof_model::{Key, Word};

mod sealed {
    /// Implemented here alone: each layout needs kernels.
    pub trait Sealed {}
}

/// A key or value that a GPU table holds: `u32` or `u64`.
pub trait Scalar: Key + Word + DeviceRepr + ValidAsZeroBits + Default + Send + Sync + sealed::Sealed {
    /// All bits set.
    const ONES: Self;
}

impl sealed::Sealed for u32 {}
impl sealed::Sealed for u64 {}

impl Scalar for u32 {
    const ONES: Self = u32::MAX;
}

impl Scalar for u64 {
    const ONES: Self = u64::MAX;
}

/// A layout of slots. The kernels are named after it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layout {
    /// u32 pairs in 64-bit words.
    Map32,
    /// u32 keys in 32-bit words.
    Set32,
    /// u64 pairs in 128-bit words: compute capability 9.0.
    Map64,
    /// u64 pairs in two 64-bit words each, by the lock-bit protocol.
    Map64Lock,
}

impl Layout {
    /// The layout's part of a kernel's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Map32 => "map32",
            Self::Set32 => "set32",
            Self::Map64 => "map64",
            Self::Map64Lock => "map64l",
        }
    }

    /// Bytes that a slot takes.
    pub const fn slot_bytes(self) -> u32 {
        match self {
            Self::Set32 => 4,
            Self::Map32 => 8,
            Self::Map64 | Self::Map64Lock => 16,
        }
    }

    /// Bytes of a slot in the array that probes read.
    pub(crate) const fn probe_bytes(self) -> u32 {
        match self {
            Self::Set32 => 4,
            Self::Map32 | Self::Map64Lock => 8,
            Self::Map64 => 16,
        }
    }
}

/// What a table holds: `(u32, u32)`, `(u64, u64)`, or `(u32, ())` in a set.
pub trait Entry: sealed::Sealed {
    /// The layout, on a device with 128-bit words (`wide`) or without.
    fn layout(wide: bool) -> Layout;
}

impl sealed::Sealed for (u32, u32) {}
impl sealed::Sealed for (u64, u64) {}
impl sealed::Sealed for (u32, ()) {}

impl Entry for (u32, u32) {
    fn layout(_: bool) -> Layout {
        Layout::Map32
    }
}

impl Entry for (u64, u64) {
    fn layout(wide: bool) -> Layout {
        if wide { Layout::Map64 } else { Layout::Map64Lock }
    }
}

impl Entry for (u32, ()) {
    fn layout(_: bool) -> Layout {
        Layout::Set32
    }
}
