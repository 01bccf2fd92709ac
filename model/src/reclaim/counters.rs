//! How wide the counters are in the words of a structure.

/// How many bits the counters have in the words of a structure whose nodes are of a [`Pool`](super::Pool):
/// each begins again after its last number. The README of the wait-free table, *Counters wrap*, says when
/// that is safe. With few bits they go round between two steps of another warp: for the checkers.
pub trait Counters {
    /// Of the announcements that a head counts: 1 to 32.
    const ANNOUNCEMENTS: u32;
    /// Of the number of a call among those that its warp has announced: 1 to 59. A receipt has 47 of them.
    const CALLS: u32;
    /// The lowest bit of the announcements in a head.
    const ANNOUNCEMENT: u32 = u64::BITS - Self::ANNOUNCEMENTS;
    /// The lowest bit of the number of a call in an announcement.
    const CALL: u32 = u64::BITS - Self::CALLS;
}

/// The counters of a structure that is used: as wide as there is room for.
#[derive(Clone, Copy, Debug)]
pub struct Wide;

impl Counters for Wide {
    const ANNOUNCEMENTS: u32 = 32;
    const CALLS: u32 = 59;
}
