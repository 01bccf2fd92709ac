//! A warp and its block under loom.

use super::machine::{Machine, WarpCells};
use crate::check::{Handle, Hooks, Memory, Subject, View};
use warpproof_model::Block;

pub(super) struct LoomHooks<'m, S: Subject> {
    block: LoomBlock<'m, S>,
}

impl<'m, S: Subject> LoomHooks<'m, S> {
    pub(super) const fn new(cells: &'m WarpCells<'m, S>) -> Self {
        Self { block: LoomBlock { cells } }
    }

    const fn machine(&self) -> &'m Machine<S> {
        self.block.cells.machine
    }
}

impl<'m, S: Subject> Hooks for LoomHooks<'m, S> {
    type Block = LoomBlock<'m, S>;

    fn id(&self) -> u32 {
        self.block.cells.warp as u32
    }
    fn begin_each(&mut self) {
        self.machine().begin_each(self.block.cells.warp);
    }
    fn end_each(&mut self) {
        self.machine().end_each(self.block.cells.warp);
    }
    fn fence(&mut self) {
        self.machine().fence(self.block.cells.warp);
    }
    fn pause(&mut self) {
        self.machine().pause(self.block.cells.warp);
    }
    fn block(&mut self) -> &mut LoomBlock<'m, S> {
        &mut self.block
    }
}

/// All warps of a scenario as one block. Its shared words are the array named `shared`.
pub(super) struct LoomBlock<'m, S: Subject> {
    cells: &'m WarpCells<'m, S>,
}

impl<'m, S: Subject> Block for LoomBlock<'m, S> {
    type Shared = Handle<'m, WarpCells<'m, S>, u32>;

    fn rank(&self) -> u32 {
        self.cells.warp as u32
    }

    fn warps(&self) -> u32 {
        self.cells.machine.plan.scenario.programs.len() as u32
    }

    fn shared(&self) -> Self::Shared {
        let arrays = &self.cells.machine.plan.arrays;
        let array = arrays.iter().position(|array| array.name == "shared").unwrap_or(usize::MAX);
        View(self.cells).w32(array)
    }

    fn sync(&mut self) {
        self.cells.machine.meet(self.cells.warp);
    }
}
