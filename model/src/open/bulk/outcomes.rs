//! How each insert of a batch ended, if that is asked for.

use super::super::answer::End;
use crate::map::DEFERRED;
use crate::memory::StagedWords;
use crate::outcome::Insert;

/// The codes of a batch's outcomes, one for each operation, or nobody who is told.
///
/// Nearly all inserts of a batch end well. So all codes say that at first, and those are written again that
/// do not.
#[derive(Clone, Copy, Debug)]
pub struct Outcomes<O> {
    codes: O,
    told: bool,
}

impl<O: StagedWords<u8>> Outcomes<O> {
    /// The codes are told, if `told`: there is one for each operation of the batch. They hold anything at
    /// first. Else none is touched.
    #[inline(always)]
    pub const fn new(codes: O, told: bool) -> Self {
        Self { codes, told }
    }

    /// Whether anybody is told, so that entries carry the numbers of their operations. The same in all warps.
    #[inline(always)]
    pub fn are_told(self) -> bool {
        self.told
    }

    /// Says that an operation is going to be an insert that ends well.
    #[inline(always)]
    pub(super) fn begin(self, number: u32) {
        self.tell(number, End::Inserted);
    }

    /// Says that an operation is done once more.
    #[inline(always)]
    pub(super) fn defer(self, number: u32) {
        self.codes.store(number as usize, DEFERRED);
    }

    /// Says how an operation ended.
    #[inline(always)]
    pub(super) fn tell(self, number: u32, end: End) {
        self.codes.store(number as usize, end.of_insert().code());
    }

    /// Whether an operation is to be done once more.
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
