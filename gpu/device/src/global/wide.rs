//! 128-bit words: sm_90 and PTX 8.3.
//!
//! Rust has no register class for them, so each instruction is in a block that builds the 128-bit registers
//! from halves.

use super::Global;
use crate::access::{atom, instruction};
use warpproof_model::{Order, ReadOrder, Words, WriteOrder};

#[inline(always)]
const fn join(low: u64, high: u64) -> u128 {
    low as u128 | (high as u128) << 64
}

#[inline(always)]
const fn low(word: u128) -> u64 {
    word as u64
}

#[inline(always)]
const fn high(word: u128) -> u64 {
    (word >> 64) as u64
}

/// A load of order `$order`.
macro_rules! load {
    ($order:literal, $p:ident, $low:ident, $high:ident) => {
        instruction!(
            [concat!(
                "{{ .reg .b128 word; ld.", $order, ".gpu.global.b128 word, [{2}]; mov.b128 {{{0}, {1}}}, word; }}"
            )],
            out(reg64) $low, out(reg64) $high, in(reg64) $p)
    };
}

/// A store of order `$order`.
macro_rules! store {
    ($order:literal, $p:ident, $value:ident) => {
        instruction!(
            [concat!(
                "{{ .reg .b128 word; mov.b128 word, {{{1}, {2}}}; st.", $order, ".gpu.global.b128 [{0}], word; }}"
            )],
            in(reg64) $p, in(reg64) low($value), in(reg64) high($value))
    };
}

impl<const CHECKED: bool> Words<u128> for Global<u128, CHECKED> {
    #[inline(always)]
    fn len(self) -> usize {
        self.words()
    }

    #[inline(always)]
    fn load(self, index: usize, order: ReadOrder) -> u128 {
        let Some(p) = self.address(index) else { return 0 };
        let (l, h): (u64, u64);
        match order {
            ReadOrder::Relaxed => load!("relaxed", p, l, h),
            ReadOrder::Acquire => load!("acquire", p, l, h),
        }
        join(l, h)
    }

    #[inline(always)]
    fn store(self, index: usize, value: u128, order: WriteOrder) {
        let Some(p) = self.address(index) else { return };
        match order {
            WriteOrder::Relaxed => store!("relaxed", p, value),
            WriteOrder::Release => store!("release", p, value),
        }
    }

    #[inline(always)]
    fn compare_exchange(self, index: usize, current: u128, new: u128, order: Order) -> u128 {
        let Some(p) = self.address(index) else { return 0 };
        let (l, h): (u64, u64);
        atom!(order,
            "{{ .reg .b128 old, was, new; mov.b128 was, {{{3}, {4}}}; mov.b128 new, {{{5}, {6}}}; ",
            [".gpu.global.cas.b128 old, [{2}], was, new; mov.b128 {{{0}, {1}}}, old; }}"],
            out(reg64) l, out(reg64) h, in(reg64) p, in(reg64) low(current), in(reg64) high(current),
            in(reg64) low(new), in(reg64) high(new));
        join(l, h)
    }

    #[inline(always)]
    fn swap(self, index: usize, value: u128, order: Order) -> u128 {
        let Some(p) = self.address(index) else { return 0 };
        let (l, h): (u64, u64);
        atom!(order,
            "{{ .reg .b128 old, new; mov.b128 new, {{{3}, {4}}}; ",
            [".gpu.global.exch.b128 old, [{2}], new; mov.b128 {{{0}, {1}}}, old; }}"],
            out(reg64) l, out(reg64) h, in(reg64) p, in(reg64) low(value), in(reg64) high(value));
        join(l, h)
    }

    #[inline(always)]
    fn prefetch(self, index: usize) {
        self.fetch_line(index);
    }
}
