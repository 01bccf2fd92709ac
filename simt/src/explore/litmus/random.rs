//! Random litmus programs, equal in every run.

use super::program::*;
use warpproof_model::{Order, ReadOrder, WriteOrder};

/// A stream of numbers, the same in every run.
pub(super) struct Numbers(pub(super) u64);

impl Numbers {
    pub(super) fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    /// An instruction on one of two words. Few values: many compare and exchanges succeed.
    fn instruction(&mut self) -> Ins {
        let (word, other) = if self.below(2) == 0 { (X, Y) } else { (Y, X) };
        let strong = self.below(3) == 0;
        let read = if strong { ReadOrder::Acquire } else { ReadOrder::Relaxed };
        let write = if strong { WriteOrder::Release } else { WriteOrder::Relaxed };
        let both = if strong { Order::AcqRel } else { Order::Relaxed };
        match self.below(12) {
            0..4 => Ins::Read(word, read),
            4..6 => Ins::Write(word, 1 + self.below(2), write),
            6..8 => Ins::Next(word, other, read, write),
            8 => Ins::Add(word, 1, both),
            9 => Ins::Swap(word, 1 + self.below(2), both),
            10 => Ins::Cas(word, self.below(2), 2, both),
            _ => Ins::Fence,
        }
    }
    /// A thread of one to `longest` instructions.
    pub(super) fn thread(&mut self, longest: u64) -> Vec<Ins> {
        (0..1 + self.below(longest)).map(|_| self.instruction()).collect()
    }
}
