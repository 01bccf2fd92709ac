//! A lock for each bucket.

use crate::memory::{IntegerWords, Order, ReadOrder};
use crate::open::{BucketBits, CLASSES, classes, filter_words};
use crate::warp::Warp;

/// The number of words for the locks of so many buckets: as many as for a filter of open addressing.
pub const fn lock_words(buckets: u32) -> usize {
    filter_words(classes(buckets), buckets)
}

/// One lock for each bucket. Only its holder moves, changes or deletes a key whose first bucket this is, or
/// puts such a key in the place of a deleted one.
///
/// The words are those of a filter of open addressing; the lock is the lowest of a bucket's bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Locks<B>(BucketBits<B, CLASSES>);

impl<B: IntegerWords<u32>> Locks<B> {
    /// The locks of so many buckets in these words, which are zero at first.
    #[inline(always)]
    pub(super) const fn new(words: B, buckets: u32) -> Self {
        Self(BucketBits::new(words, buckets))
    }

    /// The word and the bit of a bucket.
    #[inline(always)]
    fn place(self, bucket: u32) -> (usize, u32) {
        self.0.place(bucket, 0)
    }

    /// Waits for the lock of a bucket, and takes it.
    #[inline(always)]
    pub(super) fn lock<W: Warp>(self, w: &mut W, bucket: u32) {
        let (at, bit) = self.place(bucket);
        // Acquire: pairs with the Release of `unlock`. Keys of this bucket are as its last holder left them.
        while w.elect(0, || self.0.words.fetch_or(at, bit, Order::Acquire)) & bit != 0 {
            while self.is_locked(w, bucket) {
                w.pause();
            }
        }
        w.sync();
    }

    /// Releases the lock of a bucket.
    #[inline(always)]
    pub(super) fn unlock<W: Warp>(self, w: &mut W, bucket: u32) {
        let (at, bit) = self.place(bucket);
        w.sync();
        // Release: pairs with the Acquire of `lock`.
        w.elect(0, || self.0.words.fetch_and(at, !bit, Order::Release));
    }

    /// Whether a bucket is locked, as far as the first lane knows.
    #[inline(always)]
    pub(super) fn is_locked<W: Warp>(self, w: &mut W, bucket: u32) -> bool {
        let (at, bit) = self.place(bucket);
        // Relaxed: a caller that acts on this takes the lock afterwards.
        w.elect(0, || self.0.words.load(at, ReadOrder::Relaxed)) & bit != 0
    }
}
