//! Rows of 128-bit words.
//!
//! A load of [`AtomicU128`] calls a function through a pointer, as only at run time it is known whether the
//! processor has such a load. A search would make eight such calls. Here it checks once for a row, and loads
//! inline.
//! place.

use core::sync::atomic::Ordering;
use portable_atomic::AtomicU128;

/// Loads each word of a row.
#[inline(always)]
pub(super) fn load_row<const S: usize>(row: &[AtomicU128; S], order: Ordering) -> [u128; S] {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    if x86::has_wide_loads() {
        // SAFETY: that was checked.
        return core::array::from_fn(|i| unsafe { x86::load(&row[i], order) });
    }
    core::array::from_fn(|i| row[i].load(order))
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
mod x86 {
    use core::arch::asm;
    use core::arch::x86_64::__m128i;
    use core::mem::transmute;
    use core::sync::atomic::{AtomicBool, Ordering};
    use portable_atomic::AtomicU128;

    /// Whether the processor was checked, and has such loads.
    static WIDE: AtomicBool = AtomicBool::new(false);

    /// Whether an aligned load of 16 bytes is one access, and an `AtomicU128` no more than its 16 bytes.
    #[inline(always)]
    pub(super) fn has_wide_loads() -> bool {
        // Relaxed: every check of the processor has the same result.
        WIDE.load(Ordering::Relaxed) || ask()
    }

    #[cold]
    #[inline(never)]
    fn ask() -> bool {
        // Intel (SDM 3A, 9.1.1) and AMD (APM 2, 7.3.2) promise this for all their processors with AVX; for
        // other makers it is assumed. If a word has a lock, it must be read under the lock.
        let wide = std::arch::is_x86_feature_detected!("avx") && AtomicU128::is_lock_free();
        // Relaxed: as above.
        WIDE.store(wide, Ordering::Relaxed);
        wide
    }

    /// Loads a word.
    ///
    /// # Safety
    /// [`has_wide_loads`].
    #[inline(always)]
    pub(super) unsafe fn load(word: &AtomicU128, order: Ordering) -> u128 {
        let (at, loaded): (_, __m128i);
        at = word.as_ptr();
        if let Ordering::Relaxed = order {
            // SAFETY: `at` is a live word, at a multiple of 16 bytes; this is one access, as are all others
            // of the word.
            unsafe {
                asm!("movdqa {}, xmmword ptr [{}]", lateout(xmm_reg) loaded, in(reg) at,
                    options(readonly, nostack, preserves_flags));
            }
        } else {
            // Acquire: the processor orders all loads so; and the compiler moves no access over what may
            // write memory. SAFETY: as above.
            unsafe {
                asm!("movdqa {}, xmmword ptr [{}]", lateout(xmm_reg) loaded, in(reg) at,
                    options(nostack, preserves_flags));
            }
        }
        // SAFETY: both are 128 bits, of any values.
        unsafe { transmute::<__m128i, u128>(loaded) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn a_row_is_its_words() {
        let row = [0, 1, u128::MAX, 7 << 64 | 9].map(AtomicU128::new);
        for order in [Ordering::Relaxed, Ordering::Acquire] {
            assert_eq!(load_row(&row, order), [0, 1, u128::MAX, 7 << 64 | 9]);
        }
    }

    /// A word is read whole, whichever thread writes it.
    #[test]
    fn words_are_not_torn() {
        // Miri would take an hour for so many.
        let times = if cfg!(miri) { 100 } else { 200_000 };
        let row = [const { AtomicU128::new(0) }; 2];
        let both = |half: u64| u128::from(half) << 64 | u128::from(half);
        thread::scope(|scope| {
            scope.spawn(|| {
                for i in 0..times {
                    row[0].store(both(i), Ordering::Relaxed);
                    let old = row[1].load(Ordering::Relaxed);
                    assert_eq!(
                        row[1].compare_exchange(old, both(i), Ordering::Relaxed, Ordering::Relaxed),
                        Ok(old)
                    );
                }
            });
            for _ in 0..times {
                for word in load_row(&row, Ordering::Relaxed) {
                    assert_eq!(word as u64, (word >> 64) as u64);
                }
            }
        });
    }
}
