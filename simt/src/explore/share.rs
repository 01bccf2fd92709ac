//! Several searches of one scenario. A search that has nothing left takes a graph, with its remaining
//! branches, from one that has some. The oldest graph is given away: it has the most below it.

use super::branch::Level;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use warpproof_model::spec::Ret;

/// A level on its way to another search, which has other numbers for returns.
pub(super) struct Gift {
    pub(super) level: Level,
    /// What the calls of each warp returned.
    pub(super) rets: Vec<Vec<Ret>>,
}

/// Where searches meet.
pub(super) struct Share {
    waiting: Mutex<Waiting>,
    changed: Condvar,
    /// How many searches wait for more than there is.
    hungry: AtomicUsize,
    stop: AtomicBool,
    /// A search ended before its end.
    capped: AtomicBool,
    /// Some execution was left because another one covers it: a warp waits in it for a write that is there.
    unfinished: AtomicBool,
    searches: usize,
}

#[derive(Default)]
struct Waiting {
    gifts: Vec<Gift>,
    idle: usize,
}

impl Share {
    pub(super) fn new(searches: usize) -> Self {
        Self {
            waiting: Mutex::default(),
            changed: Condvar::new(),
            hungry: AtomicUsize::new(0),
            stop: AtomicBool::new(false),
            capped: AtomicBool::new(false),
            unfinished: AtomicBool::new(false),
            searches,
        }
    }

    /// Whether somebody waits.
    pub(super) fn is_hungry(&self) -> bool {
        // Relaxed, here and below: a hint; what is given goes through the lock.
        self.hungry.load(Ordering::Relaxed) > 0
    }

    /// Ends all searches.
    pub(super) fn stop(&self) {
        // Under the lock: a search that has looked at the flag and is about to wait would miss the call.
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        self.stop_all();
        drop(waiting);
    }

    /// Ends all searches, for a caller that holds the lock.
    fn stop_all(&self) {
        self.stop.store(true, Ordering::Relaxed);
        self.changed.notify_all();
    }

    /// Ends all searches before their end.
    pub(super) fn cap(&self) {
        // Relaxed, as in `unfinished`: read when all searches have ended.
        self.capped.store(true, Ordering::Relaxed);
        self.stop();
    }

    pub(super) fn is_capped(&self) -> bool {
        self.capped.load(Ordering::Relaxed)
    }

    /// Notes that an execution was left to another one.
    pub(super) fn unfinished(&self) {
        self.unfinished.store(true, Ordering::Relaxed);
    }

    pub(super) fn has_unfinished(&self) -> bool {
        self.unfinished.load(Ordering::Relaxed)
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    pub(super) fn give(&self, gift: Gift) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.gifts.push(gift);
        self.count(&waiting);
        drop(waiting);
        self.changed.notify_one();
    }

    /// Waits for something to do; nothing if all searches wait, or are to end.
    pub(super) fn take(&self) -> Option<Gift> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.idle += 1;
        loop {
            if self.is_stopped() {
                return None;
            }
            if let Some(gift) = waiting.gifts.pop() {
                waiting.idle -= 1;
                self.count(&waiting);
                return Some(gift);
            }
            if waiting.idle == self.searches {
                self.stop_all();
                return None;
            }
            self.count(&waiting);
            waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn count(&self, waiting: &Waiting) {
        self.hungry.store(waiting.idle.saturating_sub(waiting.gifts.len()), Ordering::Relaxed);
    }
}
