//! The operations of every map, on the table that grows.

use super::{DynamicTable, Submaps};
use crate::at_lane::AtLane;
use crate::entry::Packed;
use crate::key::UserKey;
use crate::map::{CounterMap, WarpMap, by_own_methods};
use crate::memory::IntegerWords;
use crate::outcome::{Add, Assign, Delete, Insert, Mixed, Op};
use crate::warp::Warp;

impl<D: Submaps<S>, B: IntegerWords<u32>, const S: usize> WarpMap for DynamicTable<D, B, S> {
    type Key = <D::Entry as Packed>::Key;
    type Value = <D::Entry as Packed>::Value;

    by_own_methods! {}

    #[inline(always)]
    fn parts(self) -> u32 {
        self.buckets()
    }

    #[inline(always)]
    fn live<W: Warp>(self, w: &mut W, bucket: u32) -> u32 {
        let (submap, bucket) = self.submap_of(bucket);
        submap.bucket_entries(w, bucket)
    }
}

impl<D: Submaps<S>, B: IntegerWords<u32>, const S: usize> CounterMap for DynamicTable<D, B, S> {
    by_own_methods! { counter }
}
