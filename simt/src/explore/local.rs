//! A warp within a call: whose turn it is, what its lanes know, how far the graph has been replayed.

use super::clock::Clock;
use super::graph::{Event, Id, Lane, NONE, Start};
use crate::check::Access;

/// A warp within a call.
#[derive(Default)]
pub(super) struct Local {
    pub(super) warp: usize,
    /// Whose turn it is.
    pub(super) lane: usize,
    /// Whether that lane runs alone. Otherwise all do, and one makes the accesses.
    pub(super) alone: bool,
    pub(super) epoch: u16,
    /// Where the events of this epoch begin among those of the warp, and how far each lane is.
    pub(super) begin: usize,
    pub(super) cursors: Vec<usize>,
    pub(super) lanes: Vec<Lane>,
    pub(super) taken: u32,
    pub(super) barriers: usize,
    /// It wrote since it last said that it waits, or since the call began.
    pub(super) wrote: bool,
    /// It read since then.
    pub(super) read: bool,
    /// It is asked whether it would go on: nothing is added to the graph.
    pub(super) probe: bool,
    pub(super) goes_on: bool,
    pub(super) paused: u32,
}

impl Local {
    pub(super) fn at(warp: usize, start: &Start) -> Self {
        Self {
            warp,
            epoch: start.epoch,
            begin: start.count,
            cursors: vec![start.count; start.lanes.len()],
            lanes: start.lanes.clone(),
            taken: start.taken,
            barriers: start.barriers,
            ..Self::default()
        }
    }

    pub(super) fn start(self, count: usize) -> Start {
        let Self { epoch, taken, barriers, lanes, .. } = self;
        Start { count, epoch, taken, barriers, lanes }
    }

    /// What follows depends on what all lanes did.
    pub(super) fn collective(&mut self, events: &[Id], epoch_of: impl Fn(Id) -> u16) {
        if self.lanes.len() > 1 {
            let mut porf = Clock::default();
            self.lanes.iter().for_each(|lane| porf.join(&lane.porf));
            self.lanes.iter_mut().for_each(|lane| lane.porf = porf);
        }
        while self.begin < events.len() && epoch_of(events[self.begin]) <= self.epoch {
            self.begin += 1;
        }
        self.epoch += 1;
        self.cursors.fill(self.begin);
    }

    /// All lanes learn what each knows.
    pub(super) fn synchronize(&mut self) {
        let mut hb = Clock::default();
        self.lanes.iter().for_each(|lane| hb.join(&lane.hb));
        self.lanes.iter_mut().for_each(|lane| lane.hb = hb);
    }

    /// An event of the lane whose turn it is.
    pub(super) fn event(&self, word: u16, access: Access) -> Event {
        let lane = &self.lanes[self.lane];
        let thread = (self.warp * self.lanes.len() + self.lane) as u8;
        Event {
            warp: self.warp as u8,
            lane: self.lane as u8,
            thread,
            is_write: false,
            exclusive: false,
            placed: false,
            epoch: self.epoch,
            seq: lane.porf.of(thread) + 1,
            word,
            access,
            value: 0,
            value_id: 0,
            from: NONE,
            half: NONE,
            before: NONE,
            after: NONE,
            rank: 0,
            previous: NONE,
            known: lane.hb,
            needs: lane.porf,
            hb: lane.hb,
            porf: lane.porf,
            released: lane.fenced,
            exhausted: false,
        }
    }
}
