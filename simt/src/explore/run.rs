//! Runs the warps, one after the other, each until it ends or waits. Its earlier events are replayed from the
//! graph; new ones are added to it. A call that has returned is not run again.

use super::clock::Clock;
use super::graph::{Barrier, Halted};
use super::local::Local;
use super::runner::{Leave, Runner};
use super::search::{Dead, Search};
use crate::check::thrown;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

impl Search<'_> {
    /// Runs all warps until none goes on.
    pub(super) fn run(&mut self) -> Result<(), Dead> {
        loop {
            while let Some(warp) = self.next_warp() {
                let resumed = self.graph.warps[warp].halted.take().is_some();
                self.run_warp(warp, resumed)?;
            }
            if !self.meet() {
                return Ok(());
            }
        }
    }

    /// The warp that goes next: in a walk as the walk says; otherwise the first one, and if all others are
    /// halted, of those that let others go first the one that did least.
    fn next_warp(&self) -> Option<usize> {
        let state = |warp: usize| &self.graph.warps[warp];
        let open = |&warp: &usize| state(warp).rets.len() < self.case.scenario.programs[warp].len();
        let yields = |&warp: &usize| matches!(state(warp).halted, Some((Halted::Yields, _)));
        let free = |warp: &usize| state(*warp).halted.is_none();
        let mut warps = (0..self.graph.warps.len()).filter(open);
        match &self.walk {
            Some(walk) => walk.next(warps.filter(|warp| free(warp) || yields(warp))),
            None => warps
                .clone()
                .find(free)
                .or_else(|| warps.by_ref().filter(yields).min_by_key(|&warp| state(warp).events.len())),
        }
    }

    /// Opens the barrier that all warps wait at.
    fn meet(&mut self) -> bool {
        let (mut hb, mut porf) = (Clock::default(), Clock::default());
        for warp in &self.graph.warps {
            let Some((Halted::AtBarrier(warp_hb, warp_porf), _)) = &warp.halted else { return false };
            hb.join(warp_hb);
            porf.join(warp_porf);
        }
        let counts = self.graph.warps.iter().map(|warp| warp.events.len()).collect();
        self.graph.barriers.push(Barrier { counts, hb, porf });
        for warp in &mut self.graph.warps {
            warp.halted = None;
        }
        true
    }

    /// Runs a warp until it ends or is halted. `resumed`: it yielded, and now goes on.
    fn run_warp(&mut self, warp: usize, mut resumed: bool) -> Result<(), Dead> {
        let case = self.case;
        let calls = &case.scenario.programs[warp];
        // The pauses of the call, up to this one, are in loops that do more than wait.
        let mut open = 0;
        while self.graph.warps[warp].rets.len() < calls.len() {
            let call = self.graph.warps[warp].rets.len();
            let start = Arc::clone(&self.graph.warps[warp].starts[call]);
            let local = Local { open, resumed, ..Local::at(warp, &start) };
            let runner = Runner { local: RefCell::new(local), search: RefCell::new(self) };
            let program = || case.run(&runner, &runner, &calls[call]);
            let result = catch_unwind(AssertUnwindSafe(program));
            let mut local = runner.local.into_inner();
            match result {
                Ok(_) if local.imagined.is_some() => open = local.pauses,
                Ok(ret) => {
                    (open, resumed) = (0, false);
                    local.collective(&self.graph.warps[warp].events, |id| self.graph.event(id).epoch);
                    let ret = self.judge.number(ret);
                    let count = self.graph.warps[warp].events.len();
                    self.graph.warps[warp].rets.push((ret, count));
                    self.graph.warps[warp].starts.push(Arc::new(local.start(count)));
                }
                Err(payload) => match payload.downcast::<Leave>() {
                    Ok(leave) => match *leave {
                        Leave::Dead => return Err(Dead),
                        Leave::Unlike => open = local.pauses,
                        Leave::Halted(why) => {
                            let count = self.graph.warps[warp].events.len();
                            self.graph.warps[warp].halted = Some((why, count));
                            return Ok(());
                        }
                    },
                    Err(_) if local.imagined.is_some() => open = local.pauses,
                    Err(payload) => return Err(self.breach(warp, thrown(warp, &*payload))),
                },
            }
        }
        Ok(())
    }

    /// Whether some warp that waits would go on if it read the newest value of every word.
    pub(super) fn someone_goes_on(&mut self) -> bool {
        (0..self.graph.warps.len()).any(|warp| self.goes_on(warp))
    }

    fn goes_on(&mut self, warp: usize) -> bool {
        let Some((Halted::Waits, _)) = self.graph.warps[warp].halted else { return false };
        let case = self.case;
        let call = self.graph.warps[warp].rets.len();
        let start = Arc::clone(&self.graph.warps[warp].starts[call]);
        let local = Local { probe: true, ..Local::at(warp, &start) };
        let runner = Runner { local: RefCell::new(local), search: RefCell::new(self) };
        let program = || case.run(&runner, &runner, &case.scenario.programs[warp][call]);
        let left = catch_unwind(AssertUnwindSafe(program)).is_err_and(|payload| payload.is::<Leave>());
        !left || runner.local.into_inner().goes_on
    }
}
