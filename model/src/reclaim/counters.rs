//! The width of the counters in the words of a structure.

/// How many bits the counters have in the words of a structure whose nodes are of a [`Pool`](super::Pool).
/// Each wraps after its last number. The README of the wait-free table, *Counters wrap*, says when that is
/// safe. With few bits they wrap between two steps of another warp: for the checkers.
pub trait Counters {
    /// The announcements that a head counts: 1 to 32.
    const ANNOUNCEMENTS: u32;
    /// The number of a call among those that its warp has announced: 1 to 59. A receipt has 47 of these bits.
    const CALLS: u32;
    /// The lowest bit of the announcements in a head.
    const ANNOUNCEMENT: u32 = u64::BITS - Self::ANNOUNCEMENTS;
    /// The lowest bit of the number of a call in an announcement.
    const CALL: u32 = u64::BITS - Self::CALLS;
}

/// The counters of a structure in use: as wide as there is room for.
#[derive(Clone, Copy, Debug)]
pub struct Wide;

impl Counters for Wide {
    const ANNOUNCEMENTS: u32 = 32;
    const CALLS: u32 = 59;
}
