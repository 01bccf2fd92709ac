//! What a table holds, and the keys that a bench gives it.

use clap::ValueEnum;

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
    /// Map of u64 pairs, in 128-bit words where the device has them, else by the lock bit
    Map64,
    /// Map of u64 pairs by the lock bit on every device
    Lock64,
}

impl Entry {
    /// Its name on the command line.
    pub(crate) const fn name(self) -> &'static str {
        self.row().0
    }

    /// What such a table holds, in words.
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
            Self::Lock64 => ("lock64", "map u64 -> u64 by the lock bit", 16),
        }
    }

    /// How the kernels of such a table are run.
    #[cfg(feature = "gpu")]
    pub(crate) fn tuning(self) -> warpproof::gpu::Tuning {
        warpproof::gpu::Tuning { lock_bit: self == Self::Lock64, ..Default::default() }
    }
}

/// A key, or the value stored with it.
pub(crate) trait Number: Copy + PartialEq + std::fmt::Display {
    /// Key number `i`: distinct for `i` below 2^31, and never a reserved one.
    fn key(i: u32) -> Self;
    /// The value that is stored with this key.
    fn value(self) -> Self;
}

impl Number for u32 {
    fn key(i: u32) -> Self {
        super::key(i)
    }
    fn value(self) -> Self {
        !self
    }
}

impl Number for u64 {
    fn key(i: u32) -> Self {
        // An odd factor permutes the numbers below 2^62.
        (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) & (u64::MAX >> 2)
    }
    fn value(self) -> Self {
        !self
    }
}

/// The keys number `from..to`.
pub(crate) fn keys<K: Number>(from: u32, to: u32) -> Vec<K> {
    (from..to).map(K::key).collect()
}

/// The values stored with these keys.
pub(crate) fn values<K: Number>(keys: &[K]) -> Vec<K> {
    keys.iter().map(|key| key.value()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use warpproof::model::UserKey;

    #[test]
    fn keys_are_distinct_and_not_reserved() {
        let (small, large) = (keys::<u32>(0, 100_000), keys::<u64>(0, 100_000));
        assert_eq!(small.iter().collect::<HashSet<_>>().len(), small.len());
        assert_eq!(large.iter().collect::<HashSet<_>>().len(), large.len());
        assert!(small.iter().all(|&key| UserKey::new(key).is_some()));
        assert!(large.iter().all(|&key| UserKey::new(key).is_some()));
        assert!(large.iter().any(|&key| key > 1 << 60), "keys of 64 bits");
    }
}
