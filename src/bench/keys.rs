//! The keys of a bench, and the values that it stores with them.

use rayon::prelude::*;

/// A key, or the value stored with it.
pub(crate) trait Number: Copy + PartialEq + Send + Sync + std::fmt::Display {
    /// Key number `i`: distinct for `i` below 2^31, and never a reserved one.
    fn key(i: u32) -> Self;
    /// The value that is stored with this key.
    fn value(self) -> Self;
}

impl Number for u32 {
    fn key(i: u32) -> Self {
        key(i)
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

/// Key number `i`: distinct for `i` below 2^31, and never a reserved one.
pub(super) const fn key(i: u32) -> u32 {
    i.wrapping_mul(0x9e37_79b1) & 0x7fff_ffff
}

/// The keys number `from..to`.
pub(crate) fn keys<K: Number>(from: u32, to: u32) -> Vec<K> {
    (from..to).into_par_iter().map(K::key).collect()
}

/// The values stored with these keys.
pub(crate) fn values<K: Number>(keys: &[K]) -> Vec<K> {
    keys.par_iter().map(|key| key.value()).collect()
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
