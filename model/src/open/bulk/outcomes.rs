//! The outcome of each insert of a batch, if that is wanted.

use super::super::answer::End;
use crate::map::DEFERRED;
use crate::memory::StagedWords;
use crate::outcome::Insert;

/// The codes of a batch's outcomes, one for each operation, or none.
///
/// Nearly all inserts of a batch store their entry. So all codes say that at first, and the others are
/// written again.
#[derive(Clone, Copy, Debug)]
pub struct Outcomes<O> {
    codes: O,
    told: bool,
}

impl<O: StagedWords<u8>> Outcomes<O> {
    /// Outcomes are told if `told`: then there is a code for each operation of the batch, uninitialized at
    /// first. Otherwise no code is accessed.
    #[inline(always)]
    pub const fn new(codes: O, told: bool) -> Self {
        Self { codes, told }
    }

    /// Whether outcomes are told, so that entries carry the numbers of their operations. Equal in all warps.
    #[inline(always)]
    pub fn are_told(self) -> bool {
        self.told
    }

    /// Writes that an operation is an insert that stores its entry.
    #[inline(always)]
    pub(super) fn begin(self, number: u32) {
        self.tell(number, End::Inserted);
    }

    /// Writes that an operation is to run once more.
    #[inline(always)]
    pub(super) fn defer(self, number: u32) {
        self.codes.store(number as usize, DEFERRED);
    }

    /// Writes how an operation ended.
    #[inline(always)]
    pub(super) fn tell(self, number: u32, end: End) {
        self.codes.store(number as usize, end.of_insert().code());
    }

    /// Whether an operation is to run once more.
    #[inline(always)]
    pub(super) fn is_deferred(self, number: u32) -> bool {
        self.codes.load(number as usize) == DEFERRED
    }

    /// Whether an operation found no room.
    #[inline(always)]
    pub(super) fn is_full(self, number: u32) -> bool {
        self.codes.load(number as usize) == Insert::Full.code()
    }
}
