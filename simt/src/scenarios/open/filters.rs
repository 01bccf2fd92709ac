//! The filters of tables: how many bits they have, and how these are set.

use crate::check::Memory;
use warpproof_model::open::{Filter, OverflowFilter, filter_words};

/// What says which keys passed a full bucket. `()` is that of slots with a board, which have no filter.
pub trait Filters: Copy + Send + Sync + 'static {
    /// The filter over some memory.
    type Of<M: Memory>: Filter;

    /// The words of a table of so many buckets; `None` if there is no filter.
    fn words(buckets: u32) -> Option<usize>;
    /// The filter, in this array.
    fn of<M: Memory>(m: M, array: usize, buckets: u32) -> Self::Of<M>;
    /// What a scenario's text says of it.
    fn about(buckets: u32) -> String;
}

impl Filters for () {
    type Of<M: Memory> = ();

    fn words(_: u32) -> Option<usize> {
        None
    }
    fn of<M: Memory>(_: M, _: usize, _: u32) {}
    fn about(_: u32) -> String {
        "the board has a fingerprint of each slot's key, in eight bits".to_owned()
    }
}

/// Two bits for each bucket, so that keys share some. Without `TEST` they are set as on a GPU, whatever they
/// are.
#[derive(Clone, Copy, Debug)]
pub struct Bits<const TEST: bool = true>;

const BITS: u32 = 2;

impl<const TEST: bool> Filters for Bits<TEST> {
    type Of<M: Memory> = OverflowFilter<M::W32, BITS, TEST>;

    fn words(buckets: u32) -> Option<usize> {
        Some(filter_words(BITS, buckets))
    }
    fn of<M: Memory>(m: M, array: usize, buckets: u32) -> Self::Of<M> {
        OverflowFilter::new(m.w32(array), buckets)
    }
    fn about(_: u32) -> String {
        format!("the filter has {BITS} bits for each bucket")
    }
}

/// As in a large table: a quarter of the words that 32 bits for each bucket need. So a bucket of a table of
/// two has 16 bits, and one of three or four has 8. Bits are set as on a GPU.
#[derive(Clone, Copy, Debug)]
pub struct FewWords;

const MOST_BITS: u32 = u32::BITS;

/// Whether the words have so many bits for each bucket.
const fn fits(bits: u32, buckets: u32) -> bool {
    filter_words(bits, buckets) <= filter_words(MOST_BITS / 4, buckets)
}

impl Filters for FewWords {
    type Of<M: Memory> = OverflowFilter<M::W32, MOST_BITS, false>;

    fn words(buckets: u32) -> Option<usize> {
        Some(filter_words(MOST_BITS / 4, buckets))
    }
    fn of<M: Memory>(m: M, array: usize, buckets: u32) -> Self::Of<M> {
        OverflowFilter::new(m.w32(array), buckets)
    }
    fn about(buckets: u32) -> String {
        let bits = [MOST_BITS, MOST_BITS / 2].into_iter().find(|&bits| fits(bits, buckets));
        format!("the filter has {} bits for each bucket", bits.unwrap_or(MOST_BITS / 4))
    }
}
