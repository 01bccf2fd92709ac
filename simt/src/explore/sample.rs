//! Explores random executions instead of all.

use super::graph::{Event, Graph, Id, Lane};
use super::model;
use super::search::{Limit, Search};
use super::walk::Walk;

/// Tries per execution that is asked for: some end in a graph that has no execution.
const TRIES: u64 = 8;

impl Search<'_> {
    /// Tries as many executions as asked for.
    pub(super) fn sample(&mut self, seed: u64, schedules: u64, limit: &Limit) {
        let mut length = 1;
        for number in 0..schedules.saturating_mul(TRIES) {
            let executions = self.case.executions();
            if executions >= schedules || self.stop {
                return;
            }
            if limit.cap.reached(limit.before + executions, limit.started) || limit.cap.is_late(limit.started)
            {
                break;
            }
            self.graph = Graph::new(self.case);
            self.walk = Some(Walk::new(seed, number, self.graph.warps.len(), length));
            if self.run().is_ok() {
                self.finish();
            }
            length = length.max(self.graph.events.len() as u64);
        }
        self.too_much();
    }

    /// The write that a new read reads in a walk; nothing if this is no walk.
    pub(super) fn walk_read(&mut self, read: Id, lane: &Lane) -> Option<Id> {
        let mut walk = self.walk.take()?;
        let Event { word, access, .. } = *self.graph.event(read);
        let writes = model::readable(&self.graph, word, &lane.hb);
        let free = |&write: &Id| {
            let value = self.graph.value(word, write);
            !model::writes(access, value, self.width(word)) || self.graph.taken(read, write).is_none()
        };
        let newest = self.graph.last(word);
        let fair = |&write: &Id| write == newest || self.is_fair(read, write);
        let write = walk.choose(&writes.filter(free).filter(fair).collect::<Vec<_>>());
        self.walk = Some(walk);
        write.or(Some(newest))
    }
}
