//! Prefixes of an execution: the part of a graph, and of what was derived from it, that remains when events
//! are removed.

use super::graph::{Barrier, Event, Graph, Halted, Id, NONE, WarpState, Word};

impl Graph {
    /// Takes all events but the first `len` away, and what followed from them.
    pub(super) fn truncate(&mut self, len: usize) {
        while self.events.len() > len {
            let id = self.events.len() as Id - 1;
            self.displace(id);
            let Some(event) = self.events.pop() else { return };
            self.words[event.word as usize].newest = event.previous;
            self.warps[event.warp as usize].events.pop();
            if event.is_write && event.exclusive {
                self.events[event.from as usize].half = NONE;
            }
        }
        for warp in 0..self.warps.len() {
            let count = self.warps[warp].events.len();
            self.forget(warp, count);
        }
        self.forget_beyond();
    }

    /// Forgets what followed from events of `warp` beyond its first `count`.
    fn forget(&mut self, warp: usize, count: usize) {
        let state = &mut self.warps[warp];
        while state.rets.last().is_some_and(|&(_, after)| after > count) {
            state.rets.pop();
        }
        state.starts.truncate(state.rets.len() + 1);
        if state.halted.is_some_and(|(_, after)| after > count) {
            state.halted = None;
        }
        while self.barriers.last().is_some_and(|barrier| barrier.counts[warp] > count) {
            self.barriers.pop();
        }
    }

    /// Forgets what followed from barriers that are closed again, and from a stall that is no more: a warp
    /// may have gone past either without an event.
    fn forget_beyond(&mut self) {
        let open = self.barriers.len();
        let stalled = self.warps.iter().any(|warp| matches!(warp.halted, Some((Halted::Stalled, _))));
        for warp in &mut self.warps {
            while warp.starts.last().is_some_and(|start| start.barriers > open) {
                warp.starts.pop();
                warp.rets.pop();
                warp.halted = None;
            }
            let gone = match warp.halted {
                Some((Halted::AtBarrier(..), _)) => true,
                Some((Halted::Blocked, _)) => !stalled,
                _ => false,
            };
            if gone {
                warp.halted = None;
            }
        }
    }

    /// Forgets what followed from the last event of a warp, which is about to change.
    pub(super) fn unsettle(&mut self, id: Id) {
        let warp = self.event(id).warp as usize;
        let at = self.warps[warp].events.iter().rposition(|&event| event == id);
        self.forget(warp, at.unwrap_or(0));
        self.forget_beyond();
    }

    /// Copies into `into` the events that were added up to `read`, those that `by` depends on, and `by`
    /// itself, which gets no place yet. The numbers of `read` and `by` in the copy are returned.
    pub(super) fn cut(&self, read: Id, by: Id, into: &mut Self, numbers: &mut Vec<Id>) -> (Id, Id) {
        let order = self.event(by).order;
        numbers.clear();
        into.clear(self);
        let mut count = 0;
        for (id, event) in (0..=by).zip(&self.events) {
            let kept = id <= read || id == by || event.is_known(&order);
            numbers.push(if kept { count } else { NONE });
            count += kept as Id;
        }
        for (id, event) in (0..=by).zip(&self.events) {
            if numbers[id as usize] == NONE {
                continue;
            }
            // A read may read a write that was added after it, by its own revisit.
            let from = if event.from == NONE { NONE } else { numbers[event.from as usize] };
            let exclusive = event.exclusive && id != read;
            into.push(Event { from, exclusive, half: NONE, placed: false, ..event.clone() });
        }
        for word in 0..self.words.len() as u16 {
            let kept = |&id: &Id| id < by && numbers[id as usize] != NONE;
            for write in self.writes(word).filter(kept) {
                into.place(numbers[write as usize], into.last(word));
            }
        }
        let reader = self.event(read).warp as usize;
        for warp in 0..self.warps.len() {
            let (from, kept) = (&self.warps[warp], into.warps[warp].events.len());
            let changed = from.events.iter().position(|&id| warp == reader && id == read);
            let count = changed.unwrap_or(kept);
            let to = &mut into.warps[warp];
            let rets = from.rets.iter().take_while(|&&(_, after)| after <= count);
            to.rets.extend(rets);
            to.starts.extend(from.starts.iter().take(to.rets.len() + 1).cloned());
            to.halted = from.halted.filter(|&(_, after)| after <= count);
        }
        let counts: Vec<_> = into.warps.iter().map(|warp| warp.events.len()).collect();
        let kept = |barrier: &&Barrier| {
            let all = barrier.counts.iter().zip(&counts).all(|(at, count)| at <= count);
            let changed = self.warps[reader].events.iter().position(|&id| id == read);
            all && changed.is_none_or(|changed| barrier.counts[reader] <= changed)
        };
        into.barriers.extend(self.barriers.iter().take_while(kept).cloned());
        into.forget_beyond();
        (numbers[read as usize], numbers[by as usize])
    }

    /// Forgets all events; keeps the memory that they took.
    fn clear(&mut self, like: &Self) {
        self.events.clear();
        self.barriers.clear();
        self.words.clear();
        let bare = |word: &Word| Word { newest: NONE, first: NONE, last: NONE, ..*word };
        self.words.extend(like.words.iter().map(bare));
        self.warps.resize_with(like.warps.len(), WarpState::default);
        for warp in &mut self.warps {
            warp.events.clear();
            warp.rets.clear();
            warp.starts.clear();
            warp.halted = None;
        }
    }
}
