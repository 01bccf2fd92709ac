//! The operations of every map, on the cuckoo table.

use super::CuckooTable;
use crate::at_lane::AtLane;
use crate::entry::Packed;
use crate::key::UserKey;
use crate::map::{BucketMap, CounterMap, WarpMap, by_own_methods};
use crate::memory::{IntegerWords, Words};
use crate::outcome::{Add, Assign, Delete, Insert, Mixed, Op};
use crate::retrieve::SlotArray;
use crate::warp::Warp;

impl<E: Packed, H: Words<E::Word>, B: IntegerWords<u32>, const S: usize> WarpMap for CuckooTable<E, H, B, S> {
    type Key = E::Key;
    type Value = E::Value;

    by_own_methods! { tried }

    #[inline(always)]
    fn parts(self) -> u32 {
        self.buckets()
    }

    #[inline(always)]
    fn live<W: Warp>(self, w: &mut W, bucket: u32) -> u32 {
        self.bucket_entries(w, bucket)
    }
}

impl<E: Packed, H: Words<E::Word>, B: IntegerWords<u32>, const S: usize> CounterMap
    for CuckooTable<E, H, B, S>
{
    by_own_methods! { counter }
}

impl<E: Packed, H: Words<E::Word>, B: IntegerWords<u32>, const S: usize> BucketMap
    for CuckooTable<E, H, B, S>
{
    type Entry = E;
    type Slots = H;

    by_own_methods! { buckets }
}
