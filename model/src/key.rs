//! Keys: which ones a slot may hold, and how they are spread over buckets.

use crate::hash::{Hash64, Seed};
use crate::memory::Word;

/// A key type: 32 or 64 bits. Your own type is one too if it is part of an entry
/// ([`Packed`](crate::entry::Packed)): `examples/custom_hash.rs`. The order of keys must be that of their
/// bits as unsigned numbers, as the reserved keys are the highest.
pub trait Key: Word + Ord {
    /// The lowest reserved key. No slot of a table holds it or any key above it, as their bits say that there
    /// is no entry. They are kept beside the table ([`crate::reserved`]).
    ///
    /// u32: `0xFFFF_FFFE` (tombstone) and `0xFFFF_FFFF` (empty). u64: `2^64 - 3` (tombstone), `2^64 - 2` (an
    /// insert of the lock-word protocol is under way) and `2^64 - 1` (empty); the forms without a lock word
    /// keep the same limit, so that a table moves between devices unchanged.
    const FIRST_RESERVED: Self;

    /// The hash of the key in a table of this seed. Its high bits decide where a key is looked up first, its
    /// low ones where next, and its class in filters: all 64 should differ. Unless the hash depends on the
    /// seed, an attacker can choose many keys of one home.
    fn hash(self, seed: Seed) -> Hash64;
}

impl Key for u32 {
    const FIRST_RESERVED: Self = u32::MAX - 1;

    #[inline(always)]
    fn hash(self, seed: Seed) -> Hash64 {
        seed.hash32(self)
    }
}

impl Key for u64 {
    const FIRST_RESERVED: Self = u64::MAX - 2;

    #[inline(always)]
    fn hash(self, seed: Seed) -> Hash64 {
        seed.hash(self)
    }
}

/// A key that a slot may hold: not a reserved one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct UserKey<K>(K);

impl<K: Key> UserKey<K> {
    /// Accepts `key` unless it is reserved.
    #[inline(always)]
    pub fn new(key: K) -> Option<Self> {
        if key < K::FIRST_RESERVED { Some(Self(key)) } else { None }
    }

    /// The number of a reserved key, as a key: 0 for the lowest one. Any value for another key.
    #[inline(always)]
    pub fn of_reserved(key: K) -> Self {
        // Without a panic, whatever the key is: no kernel has one.
        let number = key.to_bits().wrapping_sub(K::FIRST_RESERVED.to_bits());
        Self(K::from_bits(number))
    }

    /// The key.
    #[inline(always)]
    pub const fn get(self) -> K {
        self.0
    }
}

/// A bijective mixer of 32 bits: two rounds of xor-shift and multiply (the finalizer of MurmurHash3).
#[inline(always)]
pub const fn mix(mut h: u32) -> u32 {
    h ^= h >> 16;
    h = h.wrapping_mul(0x85eb_ca6b);
    h ^= h >> 13;
    h = h.wrapping_mul(0xc2b2_ae35);
    h ^ (h >> 16)
}

/// Maps 32 uniform bits to `0..n` by one multiplication (Lemire, "Fast random integer generation in an
/// interval", 2019). `n` is not zero.
#[inline(always)]
pub const fn fastrange(hash: u32, n: u32) -> u32 {
    ((hash as u64 * n as u64) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reserved_key_is_no_user_key() {
        assert!(UserKey::new(0u32).is_some());
        assert!(UserKey::new(u32::MAX - 2).is_some());
        assert!(UserKey::new(u32::MAX - 1).is_none());
        assert!(UserKey::new(u32::MAX).is_none());
        assert!(UserKey::new(1u64 << 63).is_some());
        assert!(UserKey::new(u64::MAX - 3).is_some());
        assert!((u64::MAX - 2..=u64::MAX).all(|key| UserKey::new(key).is_none()));
    }

    #[test]
    fn reserved_keys_are_numbered_from_zero() {
        assert_eq!([u32::MAX - 1, u32::MAX].map(|key| UserKey::of_reserved(key).get()), [0, 1]);
        assert_eq!(
            [u64::MAX - 2, u64::MAX - 1, u64::MAX].map(|key| UserKey::of_reserved(key).get()),
            [0, 1, 2]
        );
    }

    #[test]
    fn the_mixer_is_the_finalizer_of_murmurhash3() {
        assert_eq!([0, 1, 0xdead_beef].map(mix), [0, 0x514e_28b7, 0x0de5_c6a9]);
    }

    #[test]
    fn fastrange_stays_in_range() {
        assert_eq!(fastrange(0, 7), 0);
        assert_eq!(fastrange(u32::MAX, 7), 6);
        assert_eq!(fastrange(u32::MAX, 1), 0);
    }
}
