//! A warp within a call: the effects of its accesses, collectives and pauses on the graph.

use super::clock::Clock;
use super::graph::{Event, Halted, Id};
use super::local::{Imagined, Local, Step};
use super::model;
use super::search::{Dead, Search};
use crate::check::{Access, Breach, Cells, Handle, Hooks, Kind, Memory, View};
use std::cell::RefCell;
use std::panic::resume_unwind;
use warpproof_model::ReadOrder;

/// Why a warp's program is left before its end.
pub(super) enum Leave {
    Halted(Halted),
    Dead,
    /// The loop that it is in does more than wait.
    Unlike,
}

/// A warp that runs.
pub(super) struct Runner<'s, 'c> {
    pub(super) search: RefCell<&'s mut Search<'c>>,
    pub(super) local: RefCell<Local>,
}

/// How often a warp that is asked whether it would go on may wait again before the answer is no, and how many
/// turns of a loop must be alike for it to be one that only waits.
const TURNS: u32 = 8;

fn leave(why: Leave) -> ! {
    resume_unwind(Box::new(why))
}

impl Runner<'_, '_> {
    /// Counts a step, which may be the last one.
    fn step(&self) {
        let mut local = self.local.borrow_mut();
        let search = self.search.borrow();
        if local.imagined.is_some() {
            local.taken += 1;
            if local.taken > search.step_bound {
                leave(Leave::Unlike)
            }
            return;
        }
        if search.case.stall == Some((local.warp, local.taken)) {
            // Asked whether it would go on: it would, and stop later.
            local.goes_on = true;
            leave(Leave::Halted(Halted::Stalled));
        }
        local.taken += 1;
        if local.taken <= search.step_bound {
            return;
        }
        if local.probe {
            leave(Leave::Dead)
        }
        let stalled = search.graph.warps.iter().any(|warp| matches!(warp.halted, Some((Halted::Stalled, _))));
        if stalled && search.case.scenario.allows.blocking {
            leave(Leave::Halted(Halted::Blocked));
        }
        drop(search);
        let detail = format!("warp {} took more than {} steps", local.warp, local.taken - 1);
        drop(local);
        self.breach(Breach::new(Kind::StepBound, detail))
    }

    fn breach(&self, breach: Breach) -> ! {
        let warp = self.local.borrow().warp;
        let Dead = self.search.borrow_mut().breach(warp, breach);
        leave(Leave::Dead)
    }

    fn collective(&self) {
        let search = self.search.borrow();
        let mut local = self.local.borrow_mut();
        let events = &search.graph.warps[local.warp].events;
        local.collective(events, |id| search.graph.event(id).epoch);
    }

    /// The event of the graph that the lane whose turn it is comes to next.
    fn recorded(search: &Search<'_>, local: &mut Local) -> Option<Id> {
        let events = &search.graph.warps[local.warp].events;
        let cursor = &mut local.cursors[local.lane];
        while let Some(&id) = events.get(*cursor) {
            let event = search.graph.event(id);
            if event.epoch != local.epoch {
                return None;
            }
            *cursor += 1;
            if event.lane as usize == local.lane {
                return Some(id);
            }
        }
        None
    }

    /// An access to a word; the last word is that of the fences.
    fn access_word(&self, word: u16, access: Access) -> u128 {
        let mut search = self.search.borrow_mut();
        let mut local = self.local.borrow_mut();
        let (search, local) = (&mut **search, &mut *local);
        let step = (local.lane, word, access);
        if local.imagined.is_some() {
            return imagined(search, local, step);
        }
        local.turn.push(step);
        match Self::recorded(search, local) {
            Some(id) => {
                let event = search.graph.event(id);
                if (event.word, event.access) != (word, access) {
                    let detail =
                        format!("warp {}: its lanes depend on each other without a collective", local.warp);
                    search.breach(local.warp, Breach::new(Kind::Panic, detail));
                    leave(Leave::Dead)
                }
                self.replayed(search, local, id)
            }
            None if local.probe => probed(search, local, word, access),
            None => {
                if search.walk.as_mut().is_some_and(|walk| walk.interrupts(local.warp)) {
                    leave(Leave::Halted(Halted::Yields))
                }
                if search.graph.is_full(word, local.count()) {
                    search.no_room(local.warp);
                    leave(Leave::Dead)
                }
                let lane = local.lanes[local.lane];
                let event = local.event(word, access);
                let added = match access {
                    Access::Store(value, _) => search.write(Event { is_write: true, value, ..event }, &lane),
                    _ => search.read(event, &lane),
                };
                let Ok(id) = added else { leave(Leave::Dead) };
                // Its own cursor goes past what was added.
                let id = Self::recorded(search, local).unwrap_or(id);
                self.replayed(search, local, id)
            }
        }
    }

    /// What the lane learns from an event, and the value that it read.
    fn replayed(&self, search: &Search<'_>, local: &mut Local, id: Id) -> u128 {
        let event = search.graph.event(id);
        let lane = &mut local.lanes[local.lane];
        (lane.hb, lane.porf) = (event.hb, event.porf);
        if event.is_write {
            local.write();
            return event.value;
        }
        if search.synchronizes(id, event.from) {
            model::acquired(lane, event.access, &search.graph.event(event.from).released);
        }
        if event.exclusive {
            local.write();
            if let Some(half) = Self::recorded(search, local) {
                let half = search.graph.event(half);
                let lane = &mut local.lanes[local.lane];
                lane.hb.join(&half.hb);
                lane.porf = half.porf;
            }
        }
        event.value
    }
}

/// What a warp reads that goes on in a loop without anything new to read: what it read last.
fn imagined(search: &Search<'_>, local: &mut Local, step: Step) -> u128 {
    let (lane, word, access) = step;
    let reads = search.graph.warps[local.warp].events.iter().rev().map(|&id| search.graph.event(id));
    let mut reads =
        reads.filter(|event| !event.is_write && event.lane as usize == lane && event.word == word);
    let value = reads.next().map(|event| event.value);
    let Some(value) = value.filter(|&value| !model::writes(access, value, search.width(word))) else {
        leave(Leave::Unlike)
    };
    if let Some(imagined) = &mut local.imagined {
        imagined.turn.push(step);
    }
    value
}

/// What a warp that is only asked whether it would go on reads: the newest value. It goes on as soon as it
/// writes.
fn probed(search: &Search<'_>, local: &mut Local, word: u16, access: Access) -> u128 {
    let value = search.graph.value(word, search.graph.last(word));
    if model::writes(access, value, search.width(word)) {
        local.goes_on = true;
        leave(Leave::Dead)
    }
    value
}

impl Hooks for Runner<'_, '_> {
    fn id(&self) -> u32 {
        self.local.borrow().warp as u32
    }

    fn warps(&self) -> u32 {
        self.search.borrow().graph.warps.len() as u32
    }

    fn turn(&self, lane: Option<u32>) {
        let mut local = self.local.borrow_mut();
        (local.lane, local.alone) = (lane.unwrap_or(0) as usize, lane.is_some());
    }

    fn collective(&self) {
        self.collective();
    }

    fn sync(&self) {
        self.collective();
        self.local.borrow_mut().synchronize();
    }

    fn fence(&self) {
        self.step();
        self.collective();
        {
            let mut local = self.local.borrow_mut();
            local.acquire();
            local.synchronize();
            local.lane = 0;
        }
        let word = self.search.borrow().graph.words() as u16 - 1;
        // Nobody writes that word: the event only stands where the fence does.
        self.access_word(word, Access::Load(ReadOrder::Relaxed));
        self.collective();
        let mut local = self.local.borrow_mut();
        local.synchronize();
        for lane in &mut local.lanes {
            lane.fenced = lane.hb;
        }
    }

    /// No event: nothing but the clocks of this warp shows it.
    fn fence_acquire(&self) {
        self.collective();
        let mut local = self.local.borrow_mut();
        local.acquire();
        local.synchronize();
    }

    fn pause(&self) {
        self.step();
        self.collective();
        let mut local = self.local.borrow_mut();
        let local = &mut *local;
        if let Some(imagined) = &mut local.imagined {
            match imagined.turns_over() {
                Some(false) => leave(Leave::Unlike),
                // What it did last was reading, and it does so again: that gives what reading other values at
                // once gives.
                Some(true) if imagined.turns >= TURNS => leave(Leave::Halted(Halted::Waits)),
                _ => return,
            }
        }
        local.pauses += 1;
        let waits = !local.turn.is_empty();
        let idle = !waits && !local.wrote;
        let turn = std::mem::take(&mut local.turn);
        local.wrote = false;
        let was_before = local.begin < self.search.borrow().graph.warps[local.warp].events.len();
        if was_before || idle {
            return;
        }
        if local.probe {
            local.paused += waits as u32;
            if local.paused > TURNS {
                leave(Leave::Dead)
            }
            return;
        }
        let mut search = self.search.borrow_mut();
        if waits && local.pauses > local.open && search.walk.is_none() {
            local.imagined = Some(Imagined { before: turn, ..Imagined::default() });
        } else if !std::mem::take(&mut local.resumed) {
            if let Some(walk) = &mut search.walk {
                walk.lower(local.warp);
            }
            leave(Leave::Halted(Halted::Yields))
        }
    }

    fn meet(&self) {
        self.step();
        self.collective();
        if self.local.borrow().imagined.is_some() {
            leave(Leave::Unlike)
        }
        let search = self.search.borrow();
        let mut local = self.local.borrow_mut();
        if search.case.scenario.apart {
            local.synchronize();
            return;
        }
        let Some(barrier) = search.graph.barriers.get(local.barriers) else {
            local.goes_on = true;
            let (mut hb, mut porf) = (Clock::default(), Clock::default());
            for lane in &local.lanes {
                hb.join(&lane.hb);
                porf.join(&lane.porf);
            }
            leave(Leave::Halted(Halted::AtBarrier(hb, porf)))
        };
        local.barriers += 1;
        for lane in &mut local.lanes {
            lane.hb.join(&barrier.hb);
            lane.porf.join(&barrier.porf);
        }
    }

    /// The array named `shared`.
    fn shared(&self) -> Handle<'_, u32> {
        let array = self.search.borrow().case.shared();
        View(self).w32(array)
    }
}

impl Cells for Runner<'_, '_> {
    fn len(&self, array: usize) -> usize {
        self.search.borrow().case.len(array)
    }

    fn access(&self, array: usize, index: usize, access: Access) -> u128 {
        self.step();
        let case = self.search.borrow().case;
        if index >= case.len(array) {
            if self.local.borrow().probe {
                // Another execution comes here too.
                self.local.borrow_mut().goes_on = true;
                leave(Leave::Dead)
            }
            if self.local.borrow().imagined.is_some() {
                leave(Leave::Unlike)
            }
            let warp = self.local.borrow().warp;
            self.breach(case.out_of_bounds(warp, array, index))
        }
        let alone = self.local.borrow().alone;
        let value = self.access_word((case.offsets[array] + index) as u16, access);
        if !alone {
            // All lanes make this access, one for all of them: what it read is no lane's own.
            self.collective();
        }
        value
    }
}
