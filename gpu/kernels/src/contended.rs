//! The keys whose sums have lost an exchange: words of the module.

use crate::store::{CHECKED, store};
use core::cell::UnsafeCell;
use warpproof_device::Nearby;
use warpproof_model::aggregate::{CONTENDED_WORDS, Contended};

/// Words in device memory, zero when the module is loaded.
#[repr(align(16))]
struct Words(UnsafeCell<[u32; CONTENDED_WORDS]>);

// SAFETY: kernels access them by atomic instructions only.
unsafe impl Sync for Words {}

/// The name is plain, as another one would differ from build to build.
#[unsafe(no_mangle)]
static WARPPROOF_CONTENDED: Words = Words(UnsafeCell::new([0; CONTENDED_WORDS]));

/// The contended keys of all tables on which the module's kernels run.
#[inline(always)]
pub(crate) fn contended() -> Contended<Nearby<CHECKED>> {
    // SAFETY: the words live as long as the module, are aligned, and only `Contended` accesses them.
    let words = unsafe { store(WARPPROOF_CONTENDED.0.get().cast(), CONTENDED_WORDS) };
    Contended::new(Nearby::new(words))
}
