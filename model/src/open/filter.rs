//! The filter: which keys went on from a full bucket to the next.

use crate::memory::{IntegerWords, Order, ReadOrder};
use crate::warp::Warp;

/// For each bucket, the classes of keys that have been inserted after it. Bits are set and never cleared.
/// `hash` is the low half of the hash of a key ([`Hash64::low`](crate::Hash64::low)); the high half decides
/// its home.
pub trait Filter: Copy {
    /// Whether a key of this class may have been inserted after `bucket`.
    fn passed<W: Warp>(self, w: &mut W, bucket: u32, hash: u32) -> bool;

    /// Records that a key of this class is inserted after `bucket`.
    fn pass<W: Warp>(self, w: &mut W, bucket: u32, hash: u32);
}

/// No filter: any key may be after a full bucket.
impl Filter for () {
    #[inline(always)]
    fn passed<W: Warp>(self, _: &mut W, _: u32, _: u32) -> bool {
        true
    }

    #[inline(always)]
    fn pass<W: Warp>(self, _: &mut W, _: u32, _: u32) {}
}

/// How many words a filter of `C` classes has for so many buckets.
pub const fn filter_words<const C: u32>(buckets: u32) -> usize {
    buckets.div_ceil(u32::BITS / C) as usize
}

/// The place of the class of a key for a bucket: a word, and a bit of it. `hash` is the low half of the key's
/// hash, whose lowest bits are the class.
#[inline(always)]
pub const fn filter_place<const C: u32>(bucket: u32, hash: u32) -> (usize, u32) {
    let buckets = u32::BITS / C;
    ((bucket / buckets) as usize, 1 << (bucket % buckets * C + hash % C))
}

/// One bit for each of `C` classes of keys, `C` a power of two up to 32: a word has `32 / C` buckets.
///
/// With `TEST` a bit is read first and set only if necessary: on a CPU, a write takes the line from other
/// cores. Without it, the bit is set at once: then a GPU waits for no answer.
#[derive(Clone, Copy, Debug)]
pub struct OverflowFilter<B, const C: u32, const TEST: bool = true>(B);

impl<B: IntegerWords<u32>, const C: u32, const TEST: bool> OverflowFilter<B, C, TEST> {
    /// The filter in these words, [`filter_words`] of them, which are zero at first.
    #[inline(always)]
    pub const fn new(words: B) -> Self {
        const { assert!(C.is_power_of_two() && C <= u32::BITS, "a bucket has 1, 2, 4, 8, 16 or 32 classes") };
        Self(words)
    }
}

impl<B: IntegerWords<u32>, const C: u32, const TEST: bool> Filter for OverflowFilter<B, C, TEST> {
    #[inline(always)]
    fn passed<W: Warp>(self, w: &mut W, bucket: u32, hash: u32) -> bool {
        let (at, bit) = filter_place::<C>(bucket, hash);
        // Relaxed: bits are only set. A warp that was told of an insert was told of its bits.
        w.elect(0, || self.0.load(at, ReadOrder::Relaxed) & bit != 0)
    }

    #[inline(always)]
    fn pass<W: Warp>(self, w: &mut W, bucket: u32, hash: u32) {
        if TEST && self.passed(w, bucket, hash) {
            return;
        }
        let (at, bit) = filter_place::<C>(bucket, hash);
        // Relaxed: as in `passed`.
        w.elect(0, || {
            self.0.fetch_or(at, bit, Order::Relaxed);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The classes of the buckets have the bits of the words one after the other.
    fn check<const C: u32>() {
        let buckets = 3 * u32::BITS / C;
        let places =
            (0..buckets).flat_map(|bucket| (0..C).map(move |class| filter_place::<C>(bucket, class)));
        let words = 0..filter_words::<C>(buckets);
        assert!(
            places.eq(words.flat_map(|word| (0..u32::BITS).map(move |bit| (word, 1 << bit)))),
            "{C} classes"
        );
    }

    #[test]
    fn every_class_of_every_bucket_has_a_bit_of_its_own() {
        check::<1>();
        check::<2>();
        check::<8>();
        check::<32>();
    }

    #[test]
    fn a_class_is_of_the_lowest_bits_of_a_hash() {
        assert_eq!(filter_place::<4>(9, 0xabc_defb), filter_place::<4>(9, 3));
        assert_eq!(filter_place::<4>(9, 3), (1, 1 << 7));
    }

    #[test]
    fn the_last_word_of_a_filter_may_be_for_fewer_buckets() {
        assert_eq!([0, 1, 16, 17, 32, 33].map(filter_words::<2>), [0, 1, 1, 2, 2, 3]);
    }
}
