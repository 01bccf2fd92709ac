//! The operations of every map, on the slab hash.

use super::{SlabTable, Slots};
use crate::at_lane::AtLane;
use crate::key::UserKey;
use crate::map::{WarpMap, by_own_methods};
use crate::memory::IntegerWords;
use crate::outcome::{Assign, Delete, Insert, Mixed, Op};
use crate::warp::Warp;

impl<C: Slots, B: IntegerWords<u32>, const S: usize> WarpMap for SlabTable<C, B, S> {
    type Key = C::Key;
    type Value = C::Value;

    by_own_methods! {}

    #[inline(always)]
    fn count<W: Warp>(self, w: &mut W, key: UserKey<C::Key>) -> u32 {
        self.count(w, key)
    }

    #[inline(always)]
    fn parts(self) -> u32 {
        self.buckets()
    }

    #[inline(always)]
    fn live<W: Warp>(self, w: &mut W, bucket: u32) -> u32 {
        self.bucket_stats(w, bucket).live
    }
}
