//! Words that the threads of one block share, at block scope.

use crate::access::integer_words;
use core::arch::asm;
use core::marker::PhantomData;
use core::mem::size_of;
use warpproof_model::ReadOrder;

/// A handle to the shared words of a block: all of the shared memory that the launch allocated.
///
/// An index at or beyond the length touches no memory and reads zero.
#[derive(Clone, Copy, Debug)]
pub struct Shared {
    /// Address in the shared state space.
    address: u64,
    len: u32,
    /// Means nothing outside its block.
    block: PhantomData<*mut u32>,
}

impl Shared {
    /// The shared memory of this block.
    ///
    /// # Safety
    ///
    /// The kernel's crate declares it ([`kernel_crate!`](crate::kernel_crate)), and all code accesses it only
    /// by atomic instructions.
    #[inline(always)]
    pub(crate) unsafe fn new() -> Self {
        let address: u64;
        let bytes: u32;
        // SAFETY: reads an address and a special register.
        unsafe {
            asm!("mov.u64 {0}, warpproof_shared;", out(reg64) address, options(pure, nomem, nostack));
            asm!("mov.u32 {0}, %dynamic_smem_size;", out(reg32) bytes, options(pure, nomem, nostack));
        }
        Self { address, len: bytes / size_of::<u32>() as u32, block: PhantomData }
    }

    /// The first `len` of these words, and the address and bytes of the others from the next multiple of 16
    /// bytes on.
    #[inline(always)]
    pub(crate) fn split(self, len: u32) -> (Self, u64, u32) {
        const ALIGN: u32 = 16;
        let own = (len * size_of::<u32>() as u32).next_multiple_of(ALIGN);
        let bytes = self.len * size_of::<u32>() as u32;
        let first = Self { len: len.min(self.len), ..self };
        (first, self.address + own as u64, bytes.saturating_sub(own))
    }

    #[inline(always)]
    fn words(self) -> usize {
        self.len as usize
    }

    /// The address of a word, if there is one.
    #[inline(always)]
    fn address(self, index: usize) -> Option<u64> {
        if index < self.len as usize { Some(self.address + (index * size_of::<u32>()) as u64) } else { None }
    }

    /// Shared memory has no lines to fetch.
    #[inline(always)]
    fn fetch_line(self, _: usize) {}
}

integer_words! {
    [] Shared, u32, "32", reg32, ".cta.shared",
    #[inline(always)]
    fn load_row<const N: usize>(self, row: usize, order: ReadOrder) -> [u32; N] {
        core::array::from_fn(|i| self.load(row * N + i, order))
    }
}
