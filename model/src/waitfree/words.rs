//! The words of a wait-free table: heads of buckets, announcements, receipts.

use crate::reclaim::Counters;

/// Most nodes of a pool: a head and a link have 31 bits for a node.
pub const MOST_NODES: u32 = NIL - 1;
/// Most warps that can run at one time: a receipt has 16 bits for a warp.
pub const MOST_WARPS: u32 = 1 << 16;

/// The most exchanges of a head that one call makes. `patience`: a call is announced after it has lost so
/// many exchanges. `warps`: so many warps run at one time. `receipts`: a node has room for so many receipts.
///
/// An exchange is lost to one that succeeds, or to an announcement. After an announcement, the exchanges that
/// succeed serve the announced calls in turn: `warps / receipts` of them have served all calls. Meanwhile
/// each other warp announces at most two calls on the bucket: one that was not served when this one was
/// announced, and one after it. Each call that answers `Full` after it was announced costs two more.
pub const fn rounds(patience: u32, warps: u32, receipts: u32) -> u32 {
    patience + 2 * (warps - 1) + warps.div_ceil(receipts)
}

/// No node.
pub(super) const NIL: u32 = (1 << 31) - 1;

/// The head of a bucket.
///
/// | Bits | |
/// |---|---|
/// | 0..31 | the first node of the chain, or none: all bits turned, so that none is zero |
/// | 31 | whether that node holds receipts |
/// | 32..64 | announcements since the chain was published, plus one if it left calls unserved |
///
/// During one launch a head takes each value once unless its count wraps: a chain begins with a node that no
/// chain has begun with before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Head(pub(super) u64);

impl Head {
    /// A bucket that has never held anything.
    pub(super) const EMPTY: Self = Self(0);

    /// What an announcement adds to a head.
    #[inline(always)]
    pub(super) const fn announcement<C: Counters>() -> u64 {
        1 << C::ANNOUNCEMENT
    }

    /// The head of a chain that has not been published yet.
    #[inline(always)]
    pub(super) const fn new<C: Counters>(first: u32, has_receipts: bool, left_some: bool) -> Self {
        Self((first ^ NIL) as u64 | (has_receipts as u64) << 31 | (left_some as u64) << C::ANNOUNCEMENT)
    }

    /// The first node.
    #[inline(always)]
    pub(super) const fn first(self) -> u32 {
        (self.0 as u32 & NIL) ^ NIL
    }

    /// Whether the first node holds receipts.
    #[inline(always)]
    pub(super) const fn has_receipts(self) -> bool {
        self.0 & 1 << 31 != 0
    }

    /// Whether calls may be announced that this chain does not serve.
    #[inline(always)]
    pub(super) const fn is_asked<C: Counters>(self) -> bool {
        self.0 >= Self::announcement::<C>()
    }
}

/// What a call does with its key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Update {
    /// Adds an entry if the key is absent.
    Add,
    /// Adds an entry, or replaces the entry of the key.
    Assign,
    /// Removes the entry.
    Remove,
}

impl Update {
    const fn from_bits(bits: u64) -> Self {
        match bits & 3 {
            0 => Self::Add,
            1 => Self::Assign,
            _ => Self::Remove,
        }
    }
}

/// The progress of an announced call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Progress {
    /// No warp needs to run it: its warp has the answer, or has never announced anything.
    Idle,
    /// A warp that replaces the chain of its bucket has to run it.
    Pending,
    /// Its warp has no node left. Another warp may have run it before that was seen.
    Withdrawn,
    /// It was run, and its answer is in the announcement.
    Done,
}

/// The announcement of a warp.
///
/// | Bits | |
/// |---|---|
/// | 0..2 | [`Progress`] |
/// | 2..4 | [`Update`] |
/// | 4 | whether the key was there, if done |
/// | 5..64 | the number of this call among those that the warp has announced |
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Announcement(pub(super) u64);

impl Announcement {
    const PRESENT: u64 = 1 << 4;

    /// The announcement of the next call of this warp.
    #[inline(always)]
    pub(super) const fn next<C: Counters>(self, update: Update) -> Self {
        Self((self.sequence::<C>() + 1) << C::CALL | (update as u64) << 2).so(Progress::Pending)
    }

    #[inline(always)]
    pub(super) const fn sequence<C: Counters>(self) -> u64 {
        self.0 >> C::CALL
    }

    #[inline(always)]
    pub(super) const fn progress(self) -> Progress {
        match self.0 & 3 {
            0 => Progress::Idle,
            1 => Progress::Pending,
            2 => Progress::Withdrawn,
            _ => Progress::Done,
        }
    }

    #[inline(always)]
    pub(super) const fn update(self) -> Update {
        Update::from_bits(self.0 >> 2)
    }

    /// Whether the key was there.
    #[inline(always)]
    pub(super) const fn present(self) -> bool {
        self.0 & Self::PRESENT != 0
    }

    /// This call, with that progress.
    #[inline(always)]
    pub(super) const fn so(self, progress: Progress) -> Self {
        Self(self.0 & !3 | progress as u64)
    }

    /// This call as done, with the answer whether its key was present.
    #[inline(always)]
    pub(super) const fn done(self, present: bool) -> Self {
        Self(self.so(Progress::Done).0 | if present { Self::PRESENT } else { 0 })
    }

    #[inline(always)]
    pub(super) fn is_pending(self) -> bool {
        self.progress() == Progress::Pending
    }
}

/// A record in a chain of an announced call that this chain was the first to contain.
///
/// | Bits | |
/// |---|---|
/// | 0..16 | the warp |
/// | 16 | whether the key was there |
/// | 17..64 | the number of the call |
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Receipt(pub(super) u64);

impl Receipt {
    /// No receipt: no warp announces so many calls.
    const NONE: u64 = u64::MAX;

    #[inline(always)]
    pub(super) const fn new<C: Counters>(warp: u32, call: Announcement, present: bool) -> Self {
        Self(warp as u64 | (present as u64) << 16 | call.sequence::<C>() << 17)
    }

    /// Decodes a receipt from a word that may hold none.
    #[inline(always)]
    pub(super) const fn from_bits(bits: u64) -> Option<Self> {
        if bits == Self::NONE { None } else { Some(Self(bits)) }
    }

    /// Its bits from those of its two halves, the lower one first.
    #[inline(always)]
    pub(super) const fn joined(lower: u64, upper: u64) -> u64 {
        lower | upper << 32
    }

    /// Its bits from half `i` on.
    #[inline(always)]
    pub(super) const fn half(self, i: u32) -> u64 {
        self.0 >> (32 * i)
    }

    #[inline(always)]
    pub(super) const fn warp(self) -> u32 {
        self.0 as u32 & 0xffff
    }

    #[inline(always)]
    pub(super) const fn present(self) -> bool {
        self.0 & 1 << 16 != 0
    }

    /// Whether it is the receipt of this call of that warp.
    #[inline(always)]
    pub(super) const fn is_of<C: Counters>(self, warp: u32, call: Announcement) -> bool {
        self.warp() == warp && self.0 >> 17 == call.sequence::<C>()
    }
}

/// A head as text for a trace.
#[cfg(feature = "host")]
pub fn show_head<C: Counters>(bits: u64) -> alloc::string::String {
    let head = Head(bits);
    let first = match (head.first(), head.has_receipts()) {
        (NIL, _) => alloc::string::String::from("nothing"),
        (node, false) => alloc::format!("node {node}"),
        (node, true) => alloc::format!("receipts {node}"),
    };
    let asked = bits >> C::ANNOUNCEMENT;
    if head.is_asked::<C>() { alloc::format!("{first}, asked {asked}") } else { first }
}

/// An announcement as text for a trace.
#[cfg(feature = "host")]
pub fn show_announcement<C: Counters>(bits: u64) -> alloc::string::String {
    let call = Announcement(bits);
    let answer = match (call.progress(), call.present()) {
        (Progress::Done, true) => ", there",
        (Progress::Done, false) => ", not there",
        _ => "",
    };
    alloc::format!("{} {:?} {:?}{answer}", call.sequence::<C>(), call.update(), call.progress())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reclaim::Wide;

    /// Bounds worked out by hand: an own exchange for each lost one before, two for each other warp, and one
    /// for each node full of receipts.
    #[test]
    fn a_call_makes_so_many_exchanges() {
        let bounds = [(0, 1, 1), (3, 1, 7), (0, 2, 1), (1, 3, 2), (2, 5, 2), (0, 9, 4)]
            .map(|(patience, warps, receipts)| rounds(patience, warps, receipts));
        assert_eq!(bounds, [1, 4, 4, 7, 13, 19]);
    }

    #[test]
    fn heads_are_their_parts() {
        let head = Head::new::<Wide>(77, true, false);
        assert_eq!((head.first(), head.has_receipts(), head.is_asked::<Wide>()), (77, true, false));
        let asked = Head(head.0 + Head::announcement::<Wide>());
        assert_eq!((asked.first(), asked.has_receipts(), asked.is_asked::<Wide>()), (77, true, true));
        assert_eq!((Head::EMPTY.first(), Head::EMPTY.is_asked::<Wide>()), (NIL, false));
        assert!(Head::new::<Wide>(0, false, true).is_asked::<Wide>());
    }

    #[test]
    fn announcements_go_on() {
        let call = Announcement(0).next::<Wide>(Update::Remove);
        assert_eq!(
            (call.sequence::<Wide>(), call.progress(), call.update()),
            (1, Progress::Pending, Update::Remove)
        );
        let done = call.done(true);
        assert_eq!((done.sequence::<Wide>(), done.progress(), done.present()), (1, Progress::Done, true));
        let next = done.next::<Wide>(Update::Assign);
        assert_eq!((next.sequence::<Wide>(), next.update(), next.present()), (2, Update::Assign, false));
        assert_eq!(call.so(Progress::Withdrawn).progress(), Progress::Withdrawn);
    }

    #[test]
    fn receipts_know_their_call() {
        let call = Announcement(0).next::<Wide>(Update::Add).next::<Wide>(Update::Add);
        let receipt = Receipt::new::<Wide>(65_535, call, true);
        assert_eq!((receipt.warp(), receipt.present()), (65_535, true));
        assert!(receipt.is_of::<Wide>(65_535, call) && !receipt.is_of::<Wide>(1, call));
        assert!(!receipt.is_of::<Wide>(65_535, call.next::<Wide>(Update::Add)));
        assert_eq!(Receipt::from_bits(receipt.0), Some(receipt));
        assert_eq!(Receipt::from_bits(u64::MAX), None);
    }

    /// Words of 32 bits hold a receipt in two halves, whatever the number of its call.
    #[test]
    fn receipts_have_two_halves() {
        let call = Announcement(0x1234_5678_9abc << Wide::CALL).next::<Wide>(Update::Add);
        let receipt = Receipt::new::<Wide>(65_535, call, true);
        let halves = [0, 1].map(|i| receipt.half(i) & 0xffff_ffff);
        assert_eq!(halves, [0x357b_ffff, 0x2468_acf1]);
        assert_eq!(Receipt::joined(halves[0], halves[1]), receipt.0);
        assert_eq!(Receipt::joined(u64::from(u32::MAX), u64::from(u32::MAX)), Receipt::NONE);
    }

    #[cfg(feature = "host")]
    #[test]
    fn words_are_shown_with_all_that_they_say() {
        let shown = [Head::EMPTY, Head::new::<Wide>(3, false, false), Head::new::<Wide>(4, true, true)]
            .map(|head| show_head::<Wide>(head.0));
        assert_eq!(shown, ["nothing", "node 3", "receipts 4, asked 1"]);
        let call = Announcement(0).next::<Wide>(Update::Remove);
        let shown = [call, call.done(true), call.done(false)].map(|call| show_announcement::<Wide>(call.0));
        assert_eq!(shown, ["1 Remove Pending", "1 Remove Done, there", "1 Remove Done, not there"]);
    }
}
