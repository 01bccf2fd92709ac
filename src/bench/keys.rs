//! The keys of a bench, and the values that it stores with them.

use rayon::prelude::*;

/// A key, or the value stored with it.
pub(crate) trait Number: Copy + PartialEq + Send + Sync + std::fmt::Display {
    /// Key number `i`: distinct for `i` below 2^31, and never a reserved one.
    fn key(i: u32) -> Self;
    /// The value that is stored with this key.
    fn value(self) -> Self;
    /// The number of this key, if it is one of the first `n`.
    fn number(self, n: u32) -> Option<u32>;
}

impl Number for u32 {
    fn key(i: u32) -> Self {
        key(i)
    }
    fn value(self) -> Self {
        !self
    }
    fn number(self, n: u32) -> Option<u32> {
        let number = self.wrapping_mul(inverse(FACTOR_32 as u64) as u32) & MASK_32;
        (number < n && key(number) == self).then_some(number)
    }
}

impl Number for u64 {
    fn key(i: u32) -> Self {
        // An odd factor permutes the numbers below 2^62.
        (i as u64).wrapping_mul(FACTOR_64) & (u64::MAX >> 2)
    }
    fn value(self) -> Self {
        !self
    }
    fn number(self, n: u32) -> Option<u32> {
        let number = self.wrapping_mul(inverse(FACTOR_64)) & (u64::MAX >> 2);
        (number < n.into() && Self::key(number as u32) == self).then_some(number as u32)
    }
}

const FACTOR_32: u32 = 0x9e37_79b1;
const FACTOR_64: u64 = 0x9e37_79b9_7f4a_7c15;
const MASK_32: u32 = 0x7fff_ffff;

/// The number by which an odd factor is multiplied to one, modulo 2^64 (Newton's iteration).
const fn inverse(factor: u64) -> u64 {
    let (mut inverse, mut right) = (factor, 3);
    while right < u64::BITS {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(factor.wrapping_mul(inverse)));
        right *= 2;
    }
    inverse
}

/// Key number `i`: distinct for `i` below 2^31, and never a reserved one.
pub(super) const fn key(i: u32) -> u32 {
    i.wrapping_mul(FACTOR_32) & MASK_32
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
    fn a_key_tells_its_number() {
        for number in [0, 1, 2, 99_999, (1 << 31) - 1] {
            let (small, large) = (u32::key(number), u64::key(number));
            assert_eq!((small.number(1 << 31), large.number(1 << 31)), (Some(number), Some(number)));
            assert_eq!((small.number(number), large.number(number)), (None, None));
        }
        assert_eq!((u32::MAX.number(9), u64::MAX.number(9), 5u64.number(9)), (None, None, None));
    }

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
