//! Random programs that are always the same.

use super::form::stores;
use warpproof_model::spec::{Call, Op};

/// Numbers that look random.
pub(crate) struct Dice(u64);

impl Dice {
    /// Those of scenario number `number`.
    pub(crate) const fn new(number: usize) -> Self {
        Self(number as u64 + 1)
    }

    /// A number below `sides`.
    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        // A step of Knuth's generator MMIX; its high bits are the better ones.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }

    /// Programs of `calls` calls for `warps` warps. Every call that stores has a value of its own, if there
    /// are `values`.
    pub(super) fn programs(
        &mut self,
        (warps, calls): (usize, usize),
        ops: &[Op],
        keys: &[u64],
        values: bool,
    ) -> Vec<Vec<Call>> {
        let mut call = |warp: usize, number: usize| {
            let op = ops[self.roll(ops.len())];
            let value = if stores(op) && values { 10 * (warp as u64 + 1) + number as u64 } else { 0 };
            Call::new(op, keys[self.roll(keys.len())], value)
        };
        (0..warps).map(|warp| (0..calls).map(|number| call(warp, number)).collect()).collect()
    }
}
