//! The operations of every map, on open addressing.

use super::{Filter, OpenSlots, OpenTable, Probing};
use crate::at_lane::AtLane;
use crate::entry::Packed;
use crate::key::UserKey;
use crate::map::{BucketMap, CounterMap, WarpMap, by_own_methods};
use crate::outcome::{Add, Assign, Delete, Insert, Mixed, Op};
use crate::retrieve::SlotArray;
use crate::warp::Warp;

impl<E: Packed, H: OpenSlots<E>, F: Filter, P: Probing, const S: usize> WarpMap for OpenTable<E, H, F, P, S> {
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

impl<E: Packed, H: OpenSlots<E>, F: Filter, P: Probing, const S: usize> CounterMap
    for OpenTable<E, H, F, P, S>
{
    by_own_methods! { counter }
}

impl<E: Packed, H: OpenSlots<E>, F: Filter, P: Probing, const S: usize> BucketMap
    for OpenTable<E, H, F, P, S>
{
    type Entry = E;
    type Slots = H;

    by_own_methods! { buckets }
}
