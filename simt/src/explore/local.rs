//! A warp within a call: which lane's turn it is, what its lanes know, how far the graph has been replayed.

use super::clock::{Clock, Seq};
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
    /// It is asked whether it would go on: nothing is added to the graph.
    pub(super) probe: bool,
    pub(super) goes_on: bool,
    pub(super) paused: u32,
    /// What it read since it last wrote or said that it waits, or since the call began.
    pub(super) turn: Vec<Step>,
    /// How often the call said that it waits, and up to which time it did so in a loop that does more than
    /// wait.
    pub(super) pauses: u32,
    pub(super) open: u32,
    /// It has let the others go first.
    pub(super) resumed: bool,
    /// It goes on as if it read again what it read last: nothing is added to the graph.
    pub(super) imagined: Option<Imagined>,
}

/// An access by a lane to a word.
pub(super) type Step = (usize, u16, Access);

/// Turns of a loop that are imagined.
#[derive(Default)]
pub(super) struct Imagined {
    /// The turn before this one.
    pub(super) before: Vec<Step>,
    pub(super) turn: Vec<Step>,
    /// How many there were.
    pub(super) turns: u32,
}

impl Imagined {
    /// The warp waits again: whether this turn was like the one before. Nothing, if it did nothing in
    /// between. Before the first turn, the call may have done more.
    pub(super) fn turns_over(&mut self) -> Option<bool> {
        let turn = std::mem::take(&mut self.turn);
        if turn.is_empty() {
            return None;
        }
        let alike = if self.turns == 0 { self.before.ends_with(&turn) } else { self.before == turn };
        self.before = turn;
        self.turns += 1;
        Some(alike)
    }
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

    /// It writes: what it read before is no part of a loop that only waits.
    pub(super) fn write(&mut self) {
        self.wrote = true;
        self.turn.clear();
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

    /// Each lane learns what was released by the writes that it read without acquiring.
    pub(super) fn acquire(&mut self) {
        for lane in &mut self.lanes {
            lane.hb.join(&lane.pending);
            lane.pending = Clock::default();
        }
    }

    /// All lanes learn what each knows.
    pub(super) fn synchronize(&mut self) {
        let mut hb = Clock::default();
        self.lanes.iter().for_each(|lane| hb.join(&lane.hb));
        self.lanes.iter_mut().for_each(|lane| lane.hb = hb);
    }

    /// The number of the lane whose turn it is among all lanes.
    fn thread(&self) -> u8 {
        (self.warp * self.lanes.len() + self.lane) as u8
    }

    /// How many events the lane has whose turn it is.
    pub(super) fn count(&self) -> Seq {
        self.lanes[self.lane].porf.of(self.thread())
    }

    /// An event of the lane whose turn it is.
    pub(super) fn event(&self, word: u16, access: Access) -> Event {
        let (lane, thread) = (&self.lanes[self.lane], self.thread());
        Event {
            warp: self.warp as u8,
            lane: self.lane as u8,
            thread,
            is_write: false,
            exclusive: false,
            placed: false,
            epoch: self.epoch,
            seq: self.count() + 1,
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
            order: lane.porf,
            tied: false,
        }
    }
}
