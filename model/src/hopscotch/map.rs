//! The operations of every map, on the hopscotch table.

use super::HopscotchTable;
use crate::at_lane::AtLane;
use crate::entry::Packed;
use crate::key::UserKey;
use crate::map::{WarpMap, by_own_methods};
use crate::memory::Words;
use crate::outcome::{Assign, Delete, Insert, Mixed, Op};
use crate::warp::Warp;

impl<E: Packed, H: Words<E::Word>, const S: usize, const N: u32, const V: u32> WarpMap
    for HopscotchTable<E, H, S, N, V>
{
    type Key = E::Key;
    type Value = E::Value;

    by_own_methods! { tried }

    #[inline(always)]
    fn parts(self) -> u32 {
        self.groups()
    }

    #[inline(always)]
    fn live<W: Warp>(self, w: &mut W, group: u32) -> u32 {
        self.group_entries(w, group)
    }
}
