//! A warp of a scenario in its block.

use crate::check::SimWarp;
use warpproof_model::{
    Block, InBlock, IntegerWords, ReadOrder, Scratch, StagedWords, Word, Words, WriteOrder,
};

/// A warp in its block, which has shared words of its own, and scratch words `C` if it has any.
pub(super) struct Member<'a, W, H, C = ()> {
    pub(super) warp: &'a mut W,
    pub(super) shared: H,
    pub(super) scratch: C,
    pub(super) rank: u32,
    pub(super) warps: u32,
}

impl<W: SimWarp, H: IntegerWords<u32>, C> Block for Member<'_, W, H, C> {
    type Shared = H;

    fn rank(&self) -> u32 {
        self.rank
    }
    fn warps(&self) -> u32 {
        self.warps
    }
    fn shared(&self) -> H {
        self.shared
    }
    fn sync(&mut self) {
        self.warp.block().sync();
    }
}

impl<W: SimWarp, H: IntegerWords<u32>, C> InBlock for Member<'_, W, H, C> {
    type Warp = W;
    type Block = Self;

    fn warp(&mut self) -> &mut W {
        self.warp
    }
    fn block(&mut self) -> &mut Self {
        self
    }
}

impl<T: Word, W: SimWarp, H: IntegerWords<u32>, C: StagedWords<T>> Scratch<T> for Member<'_, W, H, C> {
    type Words = C;

    fn scratch(&self) -> C {
        self.scratch
    }
}

/// Words of the checker that are handed over only at barriers. They are atomic there, so that a violation of
/// that shows only in the values read.
#[derive(Clone, Copy)]
pub(super) struct Handed<H>(pub(super) H);

impl<T: Word, H: Words<T>> StagedWords<T> for Handed<H> {
    fn load(self, index: usize) -> T {
        // Relaxed, both: barriers order them.
        self.0.load(index, ReadOrder::Relaxed)
    }
    fn store(self, index: usize, value: T) {
        self.0.store(index, value, WriteOrder::Relaxed);
    }
}
