//! Which buckets a key probes in a table under check, and what stands beside the slots.

use crate::check::Memory;
use core::fmt::Debug;
use warpproof_model::open::{Cuckoo, DoubleHashing, Filter, Locks, OverflowFilter, Probing, filter_words};

/// A scheme with its memory.
pub trait Scheme: Clone + Debug + Send + Sync + 'static {
    /// The order of buckets.
    type Probing: Probing;
    /// What stands beside the slots.
    type Filter<M: Memory>: Filter;
    /// What it is called in traces.
    const BESIDE: &'static str;

    /// How many words that is.
    fn words(buckets: u32) -> usize;
    /// It in these words.
    fn filter<M: Memory>(words: M::W32) -> Self::Filter<M>;
}

/// Bits of a bucket in the filter, so that keys share some.
const CLASSES: u32 = 2;
/// Bits of a bucket among the locks: two locks in a word.
const LOCK_BITS: u32 = 16;

/// Double hashing with a filter; without `TEST` its bits are set as on a GPU, whatever they are.
#[derive(Clone, Debug)]
pub struct DoubleHashed<const TEST: bool = true>;

impl<const TEST: bool> Scheme for DoubleHashed<TEST> {
    type Probing = DoubleHashing;
    type Filter<M: Memory> = OverflowFilter<M::W32, CLASSES, TEST>;
    const BESIDE: &'static str = "filter";

    fn words(buckets: u32) -> usize {
        filter_words::<CLASSES>(buckets)
    }
    fn filter<M: Memory>(words: M::W32) -> Self::Filter<M> {
        OverflowFilter::new(words)
    }
}

/// Two buckets to a key, and keys that move.
#[derive(Clone, Debug)]
pub struct Moved;

impl Scheme for Moved {
    type Probing = Cuckoo;
    type Filter<M: Memory> = Locks<M::W32, LOCK_BITS>;
    const BESIDE: &'static str = "locks";

    fn words(buckets: u32) -> usize {
        filter_words::<LOCK_BITS>(buckets)
    }
    fn filter<M: Memory>(words: M::W32) -> Self::Filter<M> {
        Locks::new(words)
    }
}
