//! A lock for each bucket.

use crate::memory::{IntegerWords, Order, ReadOrder};
use crate::open::{Filter, filter_place};
use crate::warp::Warp;

/// One lock for each bucket: whoever has it is the only one that moves, changes or takes out a key whose first bucket this is, or
/// puts it in the place of a deleted one.
///
/// It stands where a filter does otherwise, in as many words ([`filter_words`](crate::open::filter_words)): the lowest of `C` bits of
/// a bucket, `C` a power of two up to 32. Any key may be behind a full bucket.
#[derive(Clone, Copy, Debug)]
pub struct Locks<B, const C: u32>(B);

impl<B: IntegerWords<u32>, const C: u32> Locks<B, C> {
    /// The locks in these words, which are zero at first.
    #[inline(always)]
    pub const fn new(words: B) -> Self {
        const { assert!(C.is_power_of_two() && C <= u32::BITS, "a bucket has 1, 2, 4, 8, 16 or 32 bits") };
        Self(words)
    }

    /// The word and the bit of a bucket.
    #[inline(always)]
    const fn place(bucket: u32) -> (usize, u32) {
        filter_place::<C>(bucket, 0)
    }
}

impl<B: IntegerWords<u32>, const C: u32> Filter for Locks<B, C> {
    const LOCKS: bool = true;

    #[inline(always)]
    fn passed<W: Warp>(self, _: &mut W, _: u32, _: u32) -> bool {
        true
    }

    #[inline(always)]
    fn pass<W: Warp>(self, _: &mut W, _: u32, _: u32) {}

    #[inline(always)]
    fn lock<W: Warp>(self, w: &mut W, bucket: u32) {
        let (at, bit) = Self::place(bucket);
        // Acquire: pairs with the Release of `unlock`. Keys of this bucket are as its last holder left them.
        while w.elect(0, || self.0.fetch_or(at, bit, Order::Acquire)) & bit != 0 {
            while self.is_locked(w, bucket) {
                w.pause();
            }
        }
        w.sync();
    }

    #[inline(always)]
    fn unlock<W: Warp>(self, w: &mut W, bucket: u32) {
        let (at, bit) = Self::place(bucket);
        w.sync();
        // Release: pairs with the Acquire of `lock`.
        w.elect(0, || self.0.fetch_and(at, !bit, Order::Release));
    }

    #[inline(always)]
    fn is_locked<W: Warp>(self, w: &mut W, bucket: u32) -> bool {
        let (at, bit) = Self::place(bucket);
        // Relaxed: who goes by it takes the lock behind.
        w.elect(0, || self.0.load(at, ReadOrder::Relaxed)) & bit != 0
    }
}
