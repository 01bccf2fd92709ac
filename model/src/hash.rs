//! The hash of a key: 64 bits that depend on a seed.
//!
//! A hash is read as a number between 0 and 1. Its leading digit, to a chosen base, says where the key
//! belongs: [`Hash64::digit`], by one multiplication (Lemire, "Fast random integer generation in an
//! interval", 2019). The low half of the product is the hash for the next digit. So a shard, a page of it and
//! a bucket of the page are three digits, each of other bits. Distances between buckets and the classes of
//! filters come from the low half of the whole hash.
//!
//! **What it resists.** A folded multiplication, as in wyhash (Wang Yi) and foldhash (Orson Peters): the key,
//! masked by a secret word, times a secret odd number, and the exclusive or of both halves of the product. A
//! bijection then spreads it over all bits. No way is known to choose keys of one home without the seed. It
//! is not a cryptographic hash: an attacker who knows the seed can choose such keys, and one who measures the
//! time of single calls may learn about it. The documentation of each structure says what such keys can do at
//! worst.

/// The parameter of a table's hashes: 64 bits, chosen at random for each table unless the caller chooses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Seed {
    /// The word for the exclusive or with the key: the number of the seed.
    mask: u64,
    /// The factor of the multiplication: odd.
    factor: u64,
}

impl Seed {
    /// The seed with this number.
    #[inline(always)]
    pub const fn new(bits: u64) -> Self {
        Self { mask: bits, factor: spread(bits) | 1 }
    }

    /// An unpredictable seed, a new one each time: from the random keys of the standard library's
    /// hash maps.
    #[cfg(feature = "host")]
    pub fn random() -> Self {
        use core::hash::{BuildHasher, Hasher};
        Self::new(std::hash::RandomState::new().build_hasher().finish())
    }

    /// The number of the seed.
    #[inline(always)]
    pub const fn bits(self) -> u64 {
        self.mask
    }

    /// The seed as two words, so that a kernel need not compute the second one.
    #[inline(always)]
    pub const fn words(self) -> [u64; 2] {
        [self.mask, self.factor]
    }

    /// The seed of the two words from [`words`](Self::words). Other words may hash badly.
    #[inline(always)]
    pub const fn from_words([mask, factor]: [u64; 2]) -> Self {
        Self { mask, factor }
    }

    /// The hash of a number of 64 bits.
    #[inline(always)]
    pub const fn hash(self, key: u64) -> Hash64 {
        Hash64(finish(fold(key ^ self.mask, self.factor)))
    }

    /// The hash of a number of 32 bits. It is that of the same number of 64 bits, but without half of the
    /// mask, so that the first multiplication is shorter.
    #[inline(always)]
    pub const fn hash32(self, key: u32) -> Hash64 {
        // Both products have 64 bits: so a kernel that hashes all keys of a bucket keeps them in registers.
        let key = (key ^ self.mask as u32) as u64;
        let (low, high) = (key * (self.factor as u32 as u64), key * (self.factor >> 32));
        Hash64(finish(low.wrapping_add(high << 32) ^ (high + (low >> 32)) >> 32))
    }
}

/// A hash: 64 bits, all of which are used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hash64(u64);

impl Hash64 {
    /// A hash of these bits. The high bits decide where a key is looked up first, the low ones where next,
    /// and its class in filters: all 64 should differ.
    #[inline(always)]
    pub const fn new(bits: u64) -> Self {
        Self(bits)
    }

    /// Its bits.
    #[inline(always)]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// Its leading digit to a base that is not zero: a number below the base. The hashes with one digit are
    /// consecutive numbers.
    #[inline(always)]
    pub const fn digit(self, base: u32) -> u32 {
        // The high half of the product of 96 bits, by two products of 64.
        let (high, low, base) = (self.0 >> 32, self.0 & u32::MAX as u64, base as u64);
        ((high * base + ((low * base) >> 32)) >> 32) as u32
    }

    /// The rest without the leading digit: the hash for the next digit.
    #[inline(always)]
    pub const fn rest(self, base: u32) -> Self {
        Self(self.0.wrapping_mul(base as u64))
    }

    /// Its low half. Leading digits whose bases multiply to less than 2^32 hardly depend on it: only by a
    /// carry.
    #[inline(always)]
    pub const fn low(self) -> u32 {
        self.0 as u32
    }
}

/// The golden ratio in 64 bits.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
/// The factor of the bijection: the fraction of pi.
const FACTOR: u64 = 0x243f_6a88_85a3_08d3;

/// Both halves of a product of 128 bits, one over the other.
#[inline(always)]
const fn fold(a: u64, b: u64) -> u64 {
    let product = a as u128 * b as u128;
    product as u64 ^ (product >> 64) as u64
}

/// Spreads differences over all bits: a bijection, by one product of 64 bits.
#[inline(always)]
const fn finish(bits: u64) -> u64 {
    let bits = (bits ^ bits >> 32).wrapping_mul(FACTOR);
    bits ^ bits >> 32
}

/// A bijective mixer of 64 bits: Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
/// 2014, with the constants of David Stafford's variant 13.
#[inline(always)]
const fn spread(bits: u64) -> u64 {
    let bits = bits.wrapping_add(GOLDEN);
    let bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tables move between devices: the home of a key is the same everywhere.
    #[test]
    fn hashes_are_what_they_always_were() {
        let keys = [0, 1, 1 << 32, 0x0123_4567_89ab_cdef];
        let hashes = |seed: u64| keys.map(|key| Seed::new(seed).hash(key).bits());
        assert_eq!(
            hashes(0),
            [0x0000_0000_0000_0000, 0x5c0d_ffd1_8944_9573, 0x8601_9013_5348_fab1, 0x9913_06f9_8c39_7c4b]
        );
        assert_eq!(
            hashes(1),
            [0x340e_ac6c_b72b_1c7b, 0x0000_0000_0000_0000, 0x3668_9b06_cc72_c855, 0x1311_769f_82f5_d899]
        );
        assert_eq!(
            [0, 7].map(|key| Seed::new(0).hash32(key).bits()),
            [0x0000_0000_0000_0000, 0x0c79_6c24_fe32_4a83]
        );
    }

    #[test]
    fn a_number_of_32_bits_is_hashed_as_one_of_64_is() {
        for seed in [0, 1, 0xffff_ffff].map(Seed::new) {
            for key in [0, 1, 7, 0xdead_beef, u32::MAX] {
                assert_eq!(seed.hash32(key), seed.hash(key.into()), "{key} by {seed:?}");
            }
        }
    }

    #[test]
    fn a_digit_is_the_high_half_of_the_product() {
        for hash in [0, 1, u64::MAX, 1 << 63, 0x0123_4567_89ab_cdef].map(Hash64::new) {
            for base in [1, 2, 3, 7, 65_537, u32::MAX] {
                let product = hash.bits() as u128 * base as u128;
                assert_eq!(hash.digit(base) as u128, product >> 64);
                assert_eq!(hash.rest(base).bits(), product as u64);
            }
        }
    }

    #[test]
    fn digits_follow_each_other() {
        for (a, b) in [(1, 1), (2, 8), (3, 1000), (8, 100_003), (1000, 7)] {
            for hash in (0..5000).map(|key| Seed::new(3).hash(key)).chain([0, u64::MAX].map(Hash64::new)) {
                assert_eq!(hash.digit(a) * b + hash.rest(a).digit(b), hash.digit(a * b), "{hash:?}");
            }
        }
    }

    /// Every bit of a key and of the seed changes every bit of the hash about half of the time.
    #[test]
    fn every_bit_of_the_hash_depends_on_every_bit_of_key_and_seed() {
        const KEYS: u64 = 4096;
        let flips = |hash: &dyn Fn(u64) -> [u64; 2]| {
            let mut counts = [0u64; 64];
            for key in 0..KEYS {
                let [a, b] = hash(key);
                (0..64).for_each(|bit| counts[bit] += (a ^ b) >> bit & 1);
            }
            counts
        };
        let fair = |counts: [u64; 64], what: &str| {
            for (bit, count) in counts.into_iter().enumerate() {
                // Half of them, within an eighth.
                let off = count.abs_diff(KEYS / 2);
                assert!(off < KEYS / 16, "{what}: bit {bit} of the hash changes {count} times of {KEYS}");
            }
        };
        let seed = Seed::new(0x5eed);
        for bit in 0..64 {
            // Keys that follow each other, and keys that differ in the high half.
            fair(flips(&|key| [key, key ^ 1 << bit].map(|key| seed.hash(key).bits())), "low keys");
            fair(flips(&|key| [key << 40, key << 40 ^ 1 << bit].map(|key| seed.hash(key).bits())), "high");
            fair(
                flips(&|key| [0, 1u64 << bit].map(|change| Seed::new(0x5eed ^ change).hash(key).bits())),
                "seed",
            );
        }
        for bit in 0..32 {
            fair(flips(&|key| [key as u32, key as u32 ^ 1 << bit].map(|key| seed.hash32(key).bits())), "32");
        }
    }

    /// How unevenly keys of a pattern fill homes: the variance of their numbers, relative to that of random
    /// keys.
    fn unevenness(hashes: impl Iterator<Item = Hash64>) -> f64 {
        const HOMES: usize = 1 << 12;
        let (mut counts, mut n) = ([0u32; HOMES], 0);
        for hash in hashes {
            counts[hash.digit(HOMES as u32) as usize] += 1;
            n += 1;
        }
        let mean = n as f64 / HOMES as f64;
        counts.iter().map(|&count| (count as f64 - mean).powi(2)).sum::<f64>() / n as f64
    }

    #[test]
    fn keys_of_a_pattern_fill_homes_evenly_under_any_seed() {
        for seed in (0..50).map(Seed::new) {
            for shift in [0, 1, 7, 16, 31, 32, 40, 46] {
                let found = unevenness((0..1 << 16).map(|i: u64| seed.hash(i << shift)));
                assert!((0.8..1.25).contains(&found), "{found} by {shift} bits, {seed:?}");
            }
            for shift in [0, 3, 8, 16] {
                let found = unevenness((0..1 << 16).map(|i: u32| seed.hash32(i << shift)));
                assert!((0.8..1.25).contains(&found), "{found} of u32 by {shift} bits, {seed:?}");
            }
            // Both halves equal, and one the complement of the other.
            let found = unevenness((0..1 << 16).map(|i: u64| seed.hash(i << 32 | i)));
            assert!((0.8..1.25).contains(&found), "{found} of twins, {seed:?}");
            let found = unevenness((0..1 << 16).map(|i: u64| seed.hash(i << 32 | !i & 0xffff_ffff)));
            assert!((0.8..1.25).contains(&found), "{found} of opposites, {seed:?}");
        }
    }

    #[test]
    fn a_seed_and_a_hash_say_what_they_are_made_of() {
        assert_eq!(Seed::new(77).bits(), 77);
        let hash = Hash64::new(0x0123_4567_89ab_cdef);
        assert_eq!((hash.bits(), hash.low()), (0x0123_4567_89ab_cdef, 0x89ab_cdef));
    }
}
