//! What a warp meets under loom.

use super::machine::Machine;
use crate::check::{Access, Cells, Handle, Hooks, Memory, View};

/// The execution as one warp sees it.
pub(super) struct LoomWarp<'m> {
    pub(super) machine: &'m Machine,
    pub(super) warp: usize,
}

impl Hooks for LoomWarp<'_> {
    fn id(&self) -> u32 {
        self.warp as u32
    }
    fn warps(&self) -> u32 {
        self.machine.plan.case.scenario.programs.len() as u32
    }
    fn begin_each(&self) {
        self.machine.begin_each(self.warp);
    }
    fn end_each(&self) {
        self.machine.end_each(self.warp);
    }
    fn fence(&self) {
        self.machine.fence(self.warp);
    }
    fn pause(&self) {
        self.machine.pause(self.warp);
    }
    fn meet(&self) {
        self.machine.meet(self.warp);
    }
    /// The array named `shared`.
    fn shared(&self) -> Handle<'_, u32> {
        let arrays = &self.machine.plan.case.arrays;
        let array = arrays.iter().position(|array| array.name == "shared").unwrap_or(usize::MAX);
        View(self).w32(array)
    }
}

impl Cells for LoomWarp<'_> {
    fn len(&self, array: usize) -> usize {
        self.machine.plan.case.len(array)
    }

    fn access(&self, array: usize, index: usize, access: Access) -> u128 {
        self.machine.access(self.warp, array, index, access)
    }
}
