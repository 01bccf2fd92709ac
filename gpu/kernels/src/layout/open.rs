//! Open-addressing tables with the filter of the library, and buckets of a key near its home. Lanes times slots are the slots of a
//! bucket.

use super::{Store, packed_buckets};
use warpproof_model::entry::Pair64;
use warpproof_model::open::{CLASSES, LockBitSlots, Near, OpenTable, Passed};

/// Bits that are set and not tested before: who inserts waits for no answer.
type Filter = Passed<Store<u32>, CLASSES, false>;

packed_buckets! { super::Filter, Near }

/// u64 pairs in two 64-bit words by the lock-bit protocol.
pub(crate) mod map64l {
    use super::*;
    pub(crate) type Key = u64;
    pub(crate) type Value = u64;
    pub(crate) type Table<const S: usize> = OpenTable<Pair64, LockBitSlots<Store<u64>>, Filter, Near, S>;
}
