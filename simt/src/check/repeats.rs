//! Remembers judged states and histories, for engines that run warps side by side: their executions repeat
//! them far more often than not.

use super::case::{Case, MEMO_WORDS, Repeats};
use super::keys::KeySet;
use super::outcome::timeless;
use super::record::Record;
use super::{Breach, Event, Kind};
use std::sync::{MutexGuard, PoisonError};

/// How many events of histories are kept.
const MEMO_EVENTS: usize = 1 << 20;

#[cfg_attr(
    not(any(feature = "loom", feature = "shuttle")),
    expect(dead_code, reason = "what engines ask that run warps side by side")
)]
impl Case {
    fn repeats(&self) -> MutexGuard<'_, Repeats> {
        self.repeats.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes room for so many words.
    pub(super) fn writes_of(&self, words: usize) {
        self.repeats().writers = vec![0; words];
    }

    /// Notes that `warp` wrote word `at`.
    pub(super) fn written(&self, warp: usize, at: usize) {
        self.repeats().writers[at] |= 1 << warp;
    }

    /// Which warps were seen to write each word.
    pub(crate) fn writers(&self) -> Vec<u8> {
        self.repeats().writers.clone()
    }

    /// Whether a violation was found.
    pub(crate) fn is_violated(&self) -> bool {
        self.known().violation.is_some()
    }

    /// Checks the invariants of a state, unless they were checked before; tells for which keys there is
    /// no room in it.
    ///
    /// # Errors
    /// What does not hold.
    pub(crate) fn check_state(&self, words: &Vec<u128>) -> Result<KeySet, Breach> {
        if let Some(exhausted) = self.repeats().states.get(words) {
            return Ok(*exhausted);
        }
        let exhausted = self.judge_state(words)?;
        let mut repeats = self.repeats();
        if repeats.states.len() * words.len() < MEMO_WORDS {
            repeats.states.insert(words.clone(), exhausted);
        }
        Ok(exhausted)
    }

    /// Judges an execution whose warps have all ended.
    pub(crate) fn judge(&self, record: &mut Record) -> Result<(), Breach> {
        let (finals, verdict) = self.finish(&record.shadow, record.halted);
        record.events.extend(finals);
        verdict?;
        let timeless = timeless(&record.events);
        if self.repeats().histories.contains(&timeless) {
            return Ok(());
        }
        self.judge_history(&record.events)?;
        self.outcome(&record.events);
        let mut repeats = self.repeats();
        if repeats.histories.len() * timeless.len() < MEMO_EVENTS {
            repeats.histories.insert(timeless);
        }
        Ok(())
    }

    fn judge_history(&self, events: &[Event]) -> Result<(), Breach> {
        let Some(end) = self.linearization(events) else { return Ok(()) };
        let detail = format!("no sequential order explains the calls on key {}", end.key);
        Err(Breach::new(Kind::NotLinearizable, detail))
    }
}
