//! Which buckets a key probes in a table under check, and what stands beside the slots.

use crate::check::Memory;
use core::fmt::Debug;
use warpproof_model::open::{Cuckoo, DoubleHashing, Filter, Locks, Passed, Probing};

/// A scheme with its memory.
pub trait Scheme: Clone + Debug + Send + Sync + 'static {
    /// The scheme.
    type Probing: Probing;
    /// What stands beside the slots.
    type Filter<M: Memory>: Filter;
    /// Bits of a bucket there.
    const CLASSES: u32;
    /// What it is called in traces.
    const BESIDE: &'static str;

    /// It in array 1.
    fn filter<M: Memory>(m: M) -> Self::Filter<M>;
}

/// Double hashing with a filter of two classes.
#[derive(Clone, Debug)]
pub struct DoubleHashed;

impl Scheme for DoubleHashed {
    type Probing = DoubleHashing;
    type Filter<M: Memory> = Passed<M::W32, 2>;
    const CLASSES: u32 = 2;
    const BESIDE: &'static str = "filter";

    fn filter<M: Memory>(m: M) -> Self::Filter<M> {
        Passed::new(m.w32(1))
    }
}

/// Two buckets to a key, and keys that move. Two locks in a word.
#[derive(Clone, Debug)]
pub struct Moved;

impl Scheme for Moved {
    type Probing = Cuckoo;
    type Filter<M: Memory> = Locks<M::W32, 16>;
    const CLASSES: u32 = 16;
    const BESIDE: &'static str = "locks";

    fn filter<M: Memory>(m: M) -> Self::Filter<M> {
        Locks::new(m.w32(1))
    }
}
