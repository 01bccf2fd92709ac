//! Words that change hands only at barriers and launches, and blocks that have scratch words.

use crate::block::CtaBlock;
use crate::shared::Shared;
use core::arch::asm;
use core::marker::PhantomData;
use core::mem::size_of;
use warpproof_model::{Block, Scratch, StagedWords, Word};

/// A handle to an array in device memory that one launch writes and the next one reads.
///
/// An index at or beyond the length touches no memory and reads zero.
#[derive(Debug)]
pub struct Staged<T> {
    words: *mut T,
    len: usize,
}

impl<T> Clone for Staged<T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Staged<T> {}

impl<T> Staged<T> {
    /// A handle to the `len` words at `words`.
    ///
    /// # Safety
    ///
    /// While any copy of the handle is in use, `words` points to `len` words of device memory, which are used
    /// only through it and as [`StagedWords`] requires.
    #[inline(always)]
    pub unsafe fn new(words: *mut T, len: usize) -> Self {
        Self { words, len }
    }
}

impl<T: Word> StagedWords<T> for Staged<T> {
    #[inline(always)]
    fn load(self, index: usize) -> T {
        if index >= self.len {
            return T::ZERO;
        }
        // SAFETY: below `len`, and nothing writes it meanwhile (contract of `new`).
        unsafe { self.words.add(index).read() }
    }

    #[inline(always)]
    fn store(self, index: usize, value: T) {
        if index < self.len {
            // SAFETY: below `len`, and nothing else touches it meanwhile (contract of `new`).
            unsafe { self.words.add(index).write(value) }
        }
    }
}

/// A handle to words in the shared memory of a block. They are uninitialized when it starts.
///
/// An index at or beyond the length touches no memory and reads zero.
#[derive(Debug)]
pub struct ScratchWords<T> {
    /// Address in the shared state space, a multiple of 16.
    address: u64,
    len: u32,
    word: PhantomData<*mut T>,
}

impl<T> Clone for ScratchWords<T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for ScratchWords<T> {}

impl<T> ScratchWords<T> {
    /// The address of a word, if there is one.
    #[inline(always)]
    fn address(self, index: usize) -> Option<u64> {
        if index < self.len as usize { Some(self.address + (index * size_of::<T>()) as u64) } else { None }
    }
}

/// Implements `StagedWords` by one load and one store instruction; `$low` and `$high` are the registers of
/// the word, if it has so many.
macro_rules! staged {
    ($word:ty, $load:literal, $store:literal, $register:ident) => {
        impl StagedWords<$word> for ScratchWords<$word> {
            #[inline(always)]
            fn load(self, index: usize) -> $word {
                let Some(p) = self.address(index) else { return 0 };
                let word: $word;
                // SAFETY: a word of the block's shared memory, which nothing writes meanwhile (contract of
                // `ScratchBlock::new`).
                unsafe { asm!($load, out($register) word, in(reg64) p, options(nostack)) };
                word
            }

            #[inline(always)]
            fn store(self, index: usize, value: $word) {
                let Some(p) = self.address(index) else { return };
                // SAFETY: a word of the block's shared memory, which nothing else touches meanwhile (as
                // above).
                unsafe { asm!($store, in(reg64) p, in($register) value, options(nostack)) };
            }
        }
    };
}
staged!(u32, "ld.shared.b32 {0}, [{1}];", "st.shared.b32 [{0}], {1};", reg32);
staged!(u64, "ld.shared.b64 {0}, [{1}];", "st.shared.b64 [{0}], {1};", reg64);

impl StagedWords<u128> for ScratchWords<u128> {
    #[inline(always)]
    fn load(self, index: usize) -> u128 {
        let Some(p) = self.address(index) else { return 0 };
        let (low, high): (u64, u64);
        // SAFETY: as for the other widths; aligned to 16 bytes.
        unsafe {
            asm!("ld.shared.v2.b64 {{{0}, {1}}}, [{2}];", out(reg64) low, out(reg64) high, in(reg64) p,
                options(nostack));
        }
        low as u128 | (high as u128) << 64
    }

    #[inline(always)]
    fn store(self, index: usize, value: u128) {
        let Some(p) = self.address(index) else { return };
        // SAFETY: as above.
        unsafe {
            asm!("st.shared.v2.b64 [{0}], {{{1}, {2}}};", in(reg64) p, in(reg64) value as u64,
                in(reg64) (value >> 64) as u64, options(nostack));
        }
    }
}

/// A block some of whose shared words are scratch words.
#[derive(Debug)]
pub struct ScratchBlock<T, const L: u32> {
    block: CtaBlock<L>,
    words: ScratchWords<T>,
}

impl<T, const L: u32> ScratchBlock<T, L> {
    /// The block of the calling thread. Its first `shared` shared words are set to zero, and the others, from
    /// the next multiple of 16 bytes on, are scratch words. Waits for all threads of the block.
    ///
    /// # Safety
    ///
    /// As [`CtaBlock::new`], of this type; and scratch words are used as [`StagedWords`] requires.
    #[inline(always)]
    pub unsafe fn new(shared: u32) -> Self {
        // SAFETY: declared, and used through this type only (contract of this function); its two parts are
        // disjoint.
        let (first, address, bytes) = unsafe { Shared::new() }.split(shared);
        // SAFETY: the contract of this function.
        let block = unsafe { CtaBlock::of(first) };
        Self { block, words: ScratchWords { address, len: bytes / size_of::<T>() as u32, word: PhantomData } }
    }

    /// Number of the block in its grid.
    #[inline(always)]
    pub fn number(&self) -> u32 {
        self.block.number()
    }
}

impl<T, const L: u32> Block for ScratchBlock<T, L> {
    type Shared = Shared;

    #[inline(always)]
    fn rank(&self) -> u32 {
        self.block.rank()
    }

    #[inline(always)]
    fn warps(&self) -> u32 {
        self.block.warps()
    }

    #[inline(always)]
    fn shared(&self) -> Shared {
        self.block.shared()
    }

    #[inline(always)]
    fn sync(&mut self) {
        self.block.sync();
    }
}

impl<T: Word, const L: u32> Scratch<T> for ScratchBlock<T, L>
where
    ScratchWords<T>: StagedWords<T>,
{
    type Words = ScratchWords<T>;

    #[inline(always)]
    fn scratch(&self) -> ScratchWords<T> {
        self.words
    }
}
