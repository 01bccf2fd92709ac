//! What a crate with entry points needs once.

use core::arch::asm;

/// Ends the kernel with a fault that the host sees.
#[inline(always)]
pub fn trap() -> ! {
    // SAFETY: `trap` does not return and touches no memory.
    unsafe { asm!("trap;", options(noreturn, nostack)) }
}

/// Declares what a crate with kernel entry points needs once: a panic handler, which traps, and the name of
/// the shared memory of a block ([`CtaBlock`](crate::CtaBlock)), whose size is given at launch.
///
/// The crate needs `#![no_std]` and `#![feature(abi_ptx, asm_experimental_arch)]`.
#[macro_export]
macro_rules! kernel_crate {
    () => {
        ::core::arch::global_asm!(".extern .shared .align 16 .b8 warpproof_shared[];");

        #[panic_handler]
        fn panic(_: &::core::panic::PanicInfo<'_>) -> ! {
            $crate::trap()
        }
    };
}
