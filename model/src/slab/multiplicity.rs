//! Whether a key may have several pairs: the choice between a map and a multimap.
//!
//! A table of unique keys needs weaker orders: the slots of a key follow one another, and each is taken only
//! after the one before was seen dead. So the lowest slot that is not dead shows the state of the key, and
//! coherence alone orders what a warp sees of it. See the README of this module.

use crate::memory::Order;

mod sealed {
    pub trait Sealed {}
}

/// [`Unique`] or [`Multi`].
pub trait Multiplicity: sealed::Sealed + Copy + Send + Sync + 'static {
    /// Whether a key may have several pairs.
    const MULTI: bool;

    /// The order of every change of a slot.
    const CHANGE: Order;
}

/// A key has at most one pair: a map or a set.
#[derive(Clone, Copy, Debug)]
pub struct Unique;

/// A key may have any number of pairs: a multimap.
#[derive(Clone, Copy, Debug)]
pub struct Multi;

impl sealed::Sealed for Unique {}
impl sealed::Sealed for Multi {}

impl Multiplicity for Unique {
    const MULTI: bool = false;
    // Relaxed: an answer about a unique key never depends on two words at one instant.
    const CHANGE: Order = Order::Relaxed;
}

impl Multiplicity for Multi {
    const MULTI: bool = true;
    // Release: pairs with the fence between two scans (`settle`). A warp that sees this change and then makes
    // a fence sees what this warp changed in the chain before.
    const CHANGE: Order = Order::Release;
}
