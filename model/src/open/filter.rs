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

/// How many words a filter with so many classes, a power of two up to 32, has for so many buckets.
#[inline(always)]
pub const fn filter_words(classes: u32, buckets: u32) -> usize {
    buckets.div_ceil(u32::BITS / classes) as usize
}

/// The classes of the filter in the tables of the library: [`CLASSES`](super::CLASSES), or a half or a
/// quarter of them if the filter has about [`FILTER_BYTES`](super::FILTER_BYTES) at most then, and a quarter
/// if it is larger in any case.
pub const fn classes(buckets: u32) -> u32 {
    const fn bytes(classes: u32, buckets: u32) -> usize {
        filter_words(classes, buckets) * size_of::<u32>()
    }
    // A number of buckets is prime, and so often a little more than a power of two.
    let (most, most_bytes) = (super::CLASSES, super::FILTER_BYTES + super::FILTER_BYTES / 64);
    if bytes(most, buckets) <= most_bytes {
        most
    } else if bytes(most / 2, buckets) <= most_bytes {
        most / 2
    } else {
        most / 4
    }
}

/// Bits of each bucket in an array of 32-bit words: `C` of them, or a half or a quarter of `C` if there are
/// fewer words. `C` is a power of two up to 32.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BucketBits<B, const C: u32> {
    pub(crate) words: B,
    buckets: u32,
}

impl<B: IntegerWords<u32>, const C: u32> BucketBits<B, C> {
    /// The bits of so many buckets, in [`filter_words`] words; with zero `C` bits of each.
    #[inline(always)]
    pub(crate) const fn new(words: B, buckets: u32) -> Self {
        const { assert!(C.is_power_of_two() && C <= u32::BITS, "a bucket has 1, 2, 4, 8, 16 or 32 bits") };
        Self { words, buckets }
    }

    /// The logarithm of how many bits a bucket has. Computed here and not before: most operations need none.
    #[inline(always)]
    fn log_bits(self) -> u32 {
        if self.buckets == 0 {
            return C.ilog2();
        }
        let words = self.words.len() as u64;
        let too_few = |bits| words * ((u32::BITS / bits) as u64) < self.buckets as u64;
        C.ilog2().saturating_sub(too_few(C) as u32 + too_few(C.div_ceil(2)) as u32)
    }

    /// The place of a bit of a bucket: a word, and the bit in it. `class` is taken modulo the bits of a
    /// bucket.
    #[inline(always)]
    pub(crate) fn place(self, bucket: u32, class: u32) -> (usize, u32) {
        filter_place(self.log_bits(), bucket, class)
    }
}

/// The place of the class of a key for a bucket: a word, and a bit of it. A bucket has `2^log_classes` bits.
/// `hash` is the low half of the key's hash, whose lowest bits are the class.
#[inline(always)]
pub const fn filter_place(log_classes: u32, bucket: u32, hash: u32) -> (usize, u32) {
    let log_buckets = u32::BITS.ilog2() - log_classes;
    let (within, class) = (bucket & ((1 << log_buckets) - 1), hash & ((1 << log_classes) - 1));
    ((bucket >> log_buckets) as usize, 1 << (within << log_classes | class))
}

/// One bit for each of `C` classes of keys, `C` a power of two up to 32: a word has `32 / C` buckets. With
/// fewer words than these need there are half as many classes, or a quarter.
///
/// With `TEST` a bit is read first and set only if necessary: on a CPU, a write takes the line from other
/// cores. Without it, the bit is set at once: then a GPU waits for no answer.
#[derive(Clone, Copy, Debug)]
pub struct OverflowFilter<B, const C: u32, const TEST: bool = true>(BucketBits<B, C>);

impl<B: IntegerWords<u32>, const C: u32, const TEST: bool> OverflowFilter<B, C, TEST> {
    /// The filter of so many buckets in these words, which are zero at first: [`filter_words`] of them for
    /// `C` classes, or for a half or a quarter of `C`.
    #[inline(always)]
    pub const fn new(words: B, buckets: u32) -> Self {
        Self(BucketBits::new(words, buckets))
    }

    /// The filter in these words, which are zero at first and enough for all `C` classes. With fewer words it
    /// would lose keys. The place of a bit is computed sooner than by [`new`](Self::new), and is the same.
    #[inline(always)]
    pub const fn of_all_classes(words: B) -> Self {
        Self(BucketBits::new(words, 0))
    }
}

impl<B: IntegerWords<u32>, const C: u32, const TEST: bool> Filter for OverflowFilter<B, C, TEST> {
    #[inline(always)]
    fn passed<W: Warp>(self, w: &mut W, bucket: u32, hash: u32) -> bool {
        let (at, bit) = self.0.place(bucket, hash);
        // Relaxed: bits are only set. A warp that was told of an insert was told of its bits.
        w.elect(0, || self.0.words.load(at, ReadOrder::Relaxed) & bit != 0)
    }

    #[inline(always)]
    fn pass<W: Warp>(self, w: &mut W, bucket: u32, hash: u32) {
        if TEST && self.passed(w, bucket, hash) {
            return;
        }
        let (at, bit) = self.0.place(bucket, hash);
        // Relaxed: as in `passed`.
        w.elect(0, || {
            self.0.words.fetch_or(at, bit, Order::Relaxed);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The largest prime number of 32 bits.
    const MOST_BUCKETS: u32 = 4_294_967_291;

    /// The classes of the buckets have the bits of the words one after the other.
    fn check(log_classes: u32) {
        let classes = 1 << log_classes;
        let buckets = 3 * u32::BITS / classes;
        let places = (0..buckets)
            .flat_map(|bucket| (0..classes).map(move |class| filter_place(log_classes, bucket, class)));
        let words = 0..filter_words(classes, buckets);
        assert!(
            places.eq(words.flat_map(|word| (0..u32::BITS).map(move |bit| (word, 1 << bit)))),
            "{classes} classes"
        );
    }

    #[test]
    fn every_class_of_every_bucket_has_a_bit_of_its_own() {
        (0..=5).for_each(check);
    }

    #[test]
    fn a_class_is_of_the_lowest_bits_of_a_hash() {
        assert_eq!(filter_place(2, 9, 0xabc_defb), filter_place(2, 9, 3));
        assert_eq!(filter_place(2, 9, 3), (1, 1 << 7));
    }

    #[test]
    fn the_last_word_of_a_filter_may_be_for_fewer_buckets() {
        assert_eq!([0, 1, 16, 17, 32, 33].map(|buckets| filter_words(2, buckets)), [0, 1, 1, 2, 2, 3]);
    }

    #[test]
    fn a_large_table_has_fewer_classes() {
        // The first primes from powers of two on, and from a little more.
        let sizes = [1, 4_194_319, 4_259_891, 8_388_617, 8_519_713, MOST_BUCKETS];
        assert_eq!(sizes.map(classes), [16, 16, 8, 8, 4, 4]);
        assert_eq!(filter_words(classes(1 << 22), 1 << 22) * 4, super::super::FILTER_BYTES);
        // Who gets the words finds the same number.
        for buckets in sizes.into_iter().skip(1).chain([4_194_301, 4_259_867, 8_388_593]) {
            let words = Counted(filter_words(classes(buckets), buckets));
            let bits = BucketBits::<_, { crate::open::CLASSES }>::new(words, buckets);
            assert_eq!(bits.log_bits(), classes(buckets).ilog2(), "{buckets} buckets");
        }
    }

    /// Words that count, and nothing else.
    #[derive(Clone, Copy, Debug)]
    struct Counted(usize);

    impl crate::memory::Words<u32> for Counted {
        fn len(self) -> usize {
            self.0
        }
        fn load(self, _: usize, _: ReadOrder) -> u32 {
            0
        }
        fn store(self, _: usize, _: u32, _: crate::memory::WriteOrder) {}
        fn compare_exchange(self, _: usize, _: u32, _: u32, _: Order) -> u32 {
            0
        }
        fn swap(self, _: usize, _: u32, _: Order) -> u32 {
            0
        }
    }

    impl IntegerWords<u32> for Counted {
        fn fetch_add(self, _: usize, _: u32, _: Order) -> u32 {
            0
        }
        fn fetch_or(self, _: usize, _: u32, _: Order) -> u32 {
            0
        }
        fn fetch_and(self, _: usize, _: u32, _: Order) -> u32 {
            0
        }
    }

    /// All bits are within the words, and bits of different buckets differ, whatever the number of words.
    #[test]
    fn a_filter_fits_the_words_that_it_has() {
        fn check<const C: u32>(least: u32) {
            for buckets in [1, 2, 3, 7, 31, 32, 33, 100, 1009] {
                for classes in (0..=C.ilog2()).map(|log| 1 << log).filter(|&classes| classes >= least) {
                    let words = filter_words(classes, buckets);
                    let bits = BucketBits::<_, C>::new(Counted(words), buckets);
                    let places = |bucket| (0..64).map(move |class| bits.place(bucket, class));
                    assert!(places(buckets - 1).all(|(at, _)| at < words), "{C} {classes} {buckets}");
                    let last: [_; 64] = core::array::from_fn(|class| bits.place(buckets - 1, class as u32));
                    let apart = |bucket| places(bucket).all(|place| !last.contains(&place));
                    assert!((0..buckets - 1).all(apart), "{C} {classes} {buckets}");
                    // As many classes as the words have room for, if there are enough buckets to tell.
                    if buckets >= 1009 {
                        assert_eq!(bits.log_bits(), classes.ilog2(), "{C} {classes}");
                    }
                }
            }
        }
        check::<16>(4);
        check::<32>(8);
        check::<4>(1);
        check::<2>(1);
        check::<1>(1);
    }
}
