//! The memory accesses: one inline PTX instruction per operation and order.
//!
//! An order is an enum value that is constant at each use, so the match folds away.

/// Implements `Words` and `IntegerWords` of a 32- or 64-bit word for a handle with a method
/// `address(index) -> Option<u64>`.
///
/// `$at` is scope and state space, `$bits` the width, `$register` the register class of the word.
macro_rules! integer_words {
    ([$($generics:tt)*] $handle:ty, $word:ty, $bits:literal, $register:ident, $at:literal, $($row:item)*) => {
        impl<$($generics)*> warpproof_model::Words<$word> for $handle {
            #[inline(always)]
            fn len(self) -> usize {
                self.words()
            }

            #[inline(always)]
            fn load(self, index: usize, order: warpproof_model::ReadOrder) -> $word {
                let Some(p) = self.address(index) else { return 0 };
                let value: $word;
                match order {
                    warpproof_model::ReadOrder::Relaxed => {
                        $crate::access::instruction!([concat!("ld.relaxed", $at, ".b", $bits, " {0}, [{1}];")],
                            out($register) value, in(reg64) p)
                    }
                    warpproof_model::ReadOrder::Acquire => {
                        $crate::access::instruction!([concat!("ld.acquire", $at, ".b", $bits, " {0}, [{1}];")],
                            out($register) value, in(reg64) p)
                    }
                }
                value
            }

            $($row)*

            #[inline(always)]
            fn store(self, index: usize, value: $word, order: warpproof_model::WriteOrder) {
                let Some(p) = self.address(index) else { return };
                match order {
                    warpproof_model::WriteOrder::Relaxed => {
                        $crate::access::instruction!([concat!("st.relaxed", $at, ".b", $bits, " [{0}], {1};")],
                            in(reg64) p, in($register) value)
                    }
                    warpproof_model::WriteOrder::Release => {
                        $crate::access::instruction!([concat!("st.release", $at, ".b", $bits, " [{0}], {1};")],
                            in(reg64) p, in($register) value)
                    }
                }
            }

            #[inline(always)]
            fn compare_exchange(
                self,
                index: usize,
                current: $word,
                new: $word,
                order: warpproof_model::Order,
            ) -> $word {
                let Some(p) = self.address(index) else { return 0 };
                let old: $word;
                $crate::access::atom!(order, "", [concat!($at, ".cas.b", $bits, " {0}, [{1}], {2}, {3};")],
                    out($register) old, in(reg64) p, in($register) current, in($register) new);
                old
            }

            #[inline(always)]
            fn swap(self, index: usize, value: $word, order: warpproof_model::Order) -> $word {
                let Some(p) = self.address(index) else { return 0 };
                let old: $word;
                $crate::access::atom!(order, "", [concat!($at, ".exch.b", $bits, " {0}, [{1}], {2};")],
                    out($register) old, in(reg64) p, in($register) value);
                old
            }

            #[inline(always)]
            fn prefetch(self, index: usize) {
                self.fetch_line(index);
            }
        }

        impl<$($generics)*> warpproof_model::IntegerWords<$word> for $handle {
            #[inline(always)]
            fn fetch_add(self, index: usize, value: $word, order: warpproof_model::Order) -> $word {
                let Some(p) = self.address(index) else { return 0 };
                let old: $word;
                $crate::access::atom!(order, "", [concat!($at, ".add.u", $bits, " {0}, [{1}], {2};")],
                    out($register) old, in(reg64) p, in($register) value);
                old
            }

            #[inline(always)]
            fn fetch_or(self, index: usize, value: $word, order: warpproof_model::Order) -> $word {
                let Some(p) = self.address(index) else { return 0 };
                let old: $word;
                $crate::access::atom!(order, "", [concat!($at, ".or.b", $bits, " {0}, [{1}], {2};")],
                    out($register) old, in(reg64) p, in($register) value);
                old
            }

            #[inline(always)]
            fn fetch_and(self, index: usize, value: $word, order: warpproof_model::Order) -> $word {
                let Some(p) = self.address(index) else { return 0 };
                let old: $word;
                $crate::access::atom!(order, "", [concat!($at, ".and.b", $bits, " {0}, [{1}], {2};")],
                    out($register) old, in(reg64) p, in($register) value);
                old
            }
        }
    };
}

/// One instruction whose address comes from the `address` method of a handle.
macro_rules! instruction {
    ([$text:expr], $($operand:tt)*) => {
        // SAFETY: `address` gave the address of a word of the handle, which is valid for atomic access and
        // aligned (contract of the handle's constructor).
        unsafe { core::arch::asm!($text, $($operand)*, options(nostack)) }
    };
}

/// A read-modify-write: `$before`, then `atom` and the order, then `$after`.
macro_rules! atom {
    ($order:expr, $before:literal, [$after:expr], $($operand:tt)*) => {
        match $order {
            warpproof_model::Order::Relaxed => {
                $crate::access::instruction!([concat!($before, "atom.relaxed", $after)], $($operand)*)
            }
            warpproof_model::Order::Acquire => {
                $crate::access::instruction!([concat!($before, "atom.acquire", $after)], $($operand)*)
            }
            warpproof_model::Order::Release => {
                $crate::access::instruction!([concat!($before, "atom.release", $after)], $($operand)*)
            }
            warpproof_model::Order::AcqRel => {
                $crate::access::instruction!([concat!($before, "atom.acq_rel", $after)], $($operand)*)
            }
        }
    };
}

pub(crate) use {atom, instruction, integer_words};
