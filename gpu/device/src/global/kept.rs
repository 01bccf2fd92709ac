//! Words that the L2 cache keeps: sm_80 and PTX 7.4.

use super::Global;
#[cfg(feature = "hints")]
use crate::access::{atom, instruction};
use core::arch::asm;
use warpproof_model::{IntegerWords, Order, ReadOrder, Words, WriteOrder};

/// Words of 32 bits that all operations use, so few that the L2 cache has room for them beside the words that
/// an operation uses once.
///
/// Loads, ors and ands ask the cache to give up other words first (`evict_last`), with the feature `hints`.
/// It is only a hint: everything is as of a [`Global`].
#[derive(Clone, Copy, Debug)]
pub struct Kept<const CHECKED: bool = true>(Global<u32, CHECKED>);

impl<const CHECKED: bool> Kept<CHECKED> {
    /// A handle to these words.
    #[inline(always)]
    pub const fn new(words: Global<u32, CHECKED>) -> Self {
        Self(words)
    }
}

/// A load with the hint.
#[cfg(feature = "hints")]
macro_rules! hinted_load {
    ($load:literal, $value:ident, $p:ident) => {
        instruction!(
            [concat!(
                "{{ .reg .b64 kept; createpolicy.fractional.L2::evict_last.b64 kept, 1.0; ",
                $load, ".gpu.global.L2::cache_hint.b32 {0}, [{1}], kept; }}"
            )],
            out(reg32) $value, in(reg64) $p)
    };
}

/// A read-modify-write with the hint.
#[cfg(feature = "hints")]
macro_rules! hinted_atom {
    ($order:expr, $operation:literal, $($operand:tt)*) => {
        atom!(
            $order,
            "{{ .reg .b64 kept; createpolicy.fractional.L2::evict_last.b64 kept, 1.0; ",
            [concat!(".gpu.global.", $operation, ".L2::cache_hint.b32 {0}, [{1}], {2}, kept; }}")],
            $($operand)*
        )
    };
}

impl<const CHECKED: bool> Words<u32> for Kept<CHECKED> {
    /// The length, by an instruction that the compiler may not move. So what is computed from it stays
    /// where it is used: few operations need it, and in front of a loop it would take registers.
    #[inline(always)]
    fn len(self) -> usize {
        let len: usize;
        // SAFETY: it copies a register.
        unsafe {
            asm!("mov.u64 {0}, {1};", out(reg64) len, in(reg64) self.0.len(), options(nomem, nostack));
        }
        len
    }

    #[cfg(feature = "hints")]
    #[inline(always)]
    fn load(self, index: usize, order: ReadOrder) -> u32 {
        let Some(p) = self.0.address(index) else { return 0 };
        let value: u32;
        match order {
            ReadOrder::Relaxed => hinted_load!("ld.relaxed", value, p),
            ReadOrder::Acquire => hinted_load!("ld.acquire", value, p),
        }
        value
    }

    #[cfg(not(feature = "hints"))]
    #[inline(always)]
    fn load(self, index: usize, order: ReadOrder) -> u32 {
        self.0.load(index, order)
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

    #[inline(always)]
    fn prefetch(self, index: usize) {
        self.0.prefetch(index);
    }
}

impl<const CHECKED: bool> IntegerWords<u32> for Kept<CHECKED> {
    #[inline(always)]
    fn fetch_add(self, index: usize, value: u32, order: Order) -> u32 {
        self.0.fetch_add(index, value, order)
    }

    #[cfg(feature = "hints")]
    #[inline(always)]
    fn fetch_or(self, index: usize, value: u32, order: Order) -> u32 {
        let Some(p) = self.0.address(index) else { return 0 };
        let old: u32;
        hinted_atom!(order, "or", out(reg32) old, in(reg64) p, in(reg32) value);
        old
    }

    #[cfg(not(feature = "hints"))]
    #[inline(always)]
    fn fetch_or(self, index: usize, value: u32, order: Order) -> u32 {
        self.0.fetch_or(index, value, order)
    }

    #[cfg(feature = "hints")]
    #[inline(always)]
    fn fetch_and(self, index: usize, value: u32, order: Order) -> u32 {
        let Some(p) = self.0.address(index) else { return 0 };
        let old: u32;
        hinted_atom!(order, "and", out(reg32) old, in(reg64) p, in(reg32) value);
        old
    }

    #[cfg(not(feature = "hints"))]
    #[inline(always)]
    fn fetch_and(self, index: usize, value: u32, order: Order) -> u32 {
        self.0.fetch_and(index, value, order)
    }
}
