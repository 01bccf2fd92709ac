//! A warp and its block under loom.

use super::machine::{Action, Machine, WarpCells};
use crate::check::{Breach, Handle, Hooks, Kind, Memory, Subject, View};
use ::loom::sync::atomic::Ordering;
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

    /// Arrives, then waits for all. A warp that has ended never arrives.
    fn sync(&mut self) {
        let (machine, warp) = (self.cells.machine, self.cells.warp);
        machine.begin_step(warp);
        // AcqRel: what every warp did before it arrived is visible to all after they leave.
        machine.barrier.fetch_add(1, Ordering::AcqRel);
        let mine = {
            let mut state = machine.state();
            state.note(warp, Action::Barrier);
            state.arrived[warp] += 1;
            state.arrived[warp]
        };
        loop {
            let (all, ended) = {
                let state = machine.state();
                let all = state.arrived.iter().all(|&arrived| arrived >= mine);
                (all, state.running < state.arrived.len())
            };
            if all {
                // AcqRel: as above.
                machine.barrier.fetch_add(0, Ordering::AcqRel);
                return;
            }
            if ended {
                let detail = format!("warp {warp} waits at barrier {mine}, another warp has ended");
                machine.fail(Breach::new(Kind::BarrierDivergence, detail));
            }
            machine.begin_step(warp);
            ::loom::thread::yield_now();
        }
    }
}
