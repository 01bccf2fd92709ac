//! What every map does, of the wait-free table.

use super::WaitFreeTable;
use super::words::Update;
use crate::at_lane::AtLane;
use crate::entry::Packed;
use crate::key::UserKey;
use crate::map::{WarpMap, by_own_methods};
use crate::memory::{IntegerWords, Words};
use crate::outcome::{Assign, Delete, Insert, Mixed, Op};
use crate::warp::Warp;

impl<E, N, H, B, const S: usize> WaitFreeTable<E, N, H, B, S>
where
    E: Packed,
    N: Words<E::Word>,
    H: IntegerWords<u64>,
    B: IntegerWords<u32>,
{
    /// Runs an operation whose kind is a value, and leaves the answer to the lane that has it.
    #[inline(always)]
    pub fn mixed<W: Warp>(
        self,
        w: &mut W,
        op: Op,
        key: UserKey<E::Key>,
        value: E::Value,
    ) -> AtLane<W, Mixed<E::Value>> {
        let Some(update) = Update::of(op) else {
            return self.look(w, key).map(w, Mixed::of_search);
        };
        let code = match (self.update(w, update, key, value), update) {
            (Some(present), Update::Add | Update::Assign) => present as u8,
            (Some(present), Update::Remove) => !present as u8,
            (None, _) => Insert::Full.code(),
        };
        AtLane::known(w, Mixed::of(code))
    }
}

impl<E, N, H, B, const S: usize> WarpMap for WaitFreeTable<E, N, H, B, S>
where
    E: Packed,
    N: Words<E::Word>,
    H: IntegerWords<u64>,
    B: IntegerWords<u32>,
{
    type Key = E::Key;
    type Value = E::Value;

    by_own_methods! {}

    #[inline(always)]
    fn parts(self) -> u32 {
        self.buckets()
    }

    #[inline(always)]
    fn live<W: Warp>(self, w: &mut W, bucket: u32) -> u32 {
        self.bucket_entries(w, bucket)
    }
}
