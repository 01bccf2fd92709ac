//! Words that may be read as they were before.

use super::Global;
use crate::access::instruction;
use warpproof_model::{Order, ReadOrder, Words, WriteOrder};

/// Words of 32 bits that need not be read as they are now: hints, which all threads read and few write.
///
/// A relaxed load has the scope of the block (`ld.relaxed.cta`). So the cache of the multiprocessor may
/// answer it, with a value that a thread of another block has replaced since the launch began. Everything
/// else is as of a [`Global`]. Words of a table must not be read so: a later load may return an older value.
#[derive(Clone, Copy, Debug)]
pub struct Nearby<const CHECKED: bool = true>(Global<u32, CHECKED>);

impl<const CHECKED: bool> Nearby<CHECKED> {
    /// A handle to these words.
    #[inline(always)]
    pub const fn new(words: Global<u32, CHECKED>) -> Self {
        Self(words)
    }
}

impl<const CHECKED: bool> Words<u32> for Nearby<CHECKED> {
    #[inline(always)]
    fn len(self) -> usize {
        self.0.len()
    }

    #[inline(always)]
    fn load(self, index: usize, order: ReadOrder) -> u32 {
        if order == ReadOrder::Acquire {
            return self.0.load(index, order);
        }
        let Some(p) = self.0.address(index) else { return 0 };
        let value: u32;
        instruction!(["ld.relaxed.cta.global.b32 {0}, [{1}];"], out(reg32) value, in(reg64) p);
        value
    }

    #[inline(always)]
    fn store(self, index: usize, value: u32, order: WriteOrder) {
        self.0.store(index, value, order);
    }

    #[inline(always)]
    fn compare_exchange(self, index: usize, current: u32, new: u32, order: Order) -> u32 {
        self.0.compare_exchange(index, current, new, order)
    }

    #[inline(always)]
    fn swap(self, index: usize, value: u32, order: Order) -> u32 {
        self.0.swap(index, value, order)
    }
}
