//! One execution under shuttle: the values are in the record, and shuttle decides which warp goes next.

use crate::check::{Access, Case, Execution, Machine, WordRef};
use ::shuttle::sync::atomic::AtomicBool;
use ::shuttle::sync::{Condvar, Mutex};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// The machine of one execution.
pub(super) struct ShuttleMachine {
    execution: Execution,
    /// Every step is an access to it: shuttle lets another warp go before.
    turn: AtomicBool,
    /// Warps that were let go to begin a call, and have made no access since.
    begun: AtomicU32,
    barrier: Mutex<()>,
    barrier_moved: Condvar,
}

impl ShuttleMachine {
    pub(super) fn new(case: Arc<Case>, step_bound: u32) -> Self {
        Self {
            execution: Execution::new(case, step_bound),
            turn: AtomicBool::new(false),
            begun: AtomicU32::new(0),
            barrier: Mutex::new(()),
            barrier_moved: Condvar::new(),
        }
    }

    /// Lets shuttle run other warps first.
    fn turn(&self) {
        // SeqCst: shuttle has no other order.
        self.turn.load(Ordering::SeqCst);
        self.execution.go_on();
    }

    /// Whether it matters to other warps if they run before this access.
    fn matters(&self, warp: usize, word_ref: WordRef, access: Access) -> bool {
        let case = &self.execution.case;
        !matches!(access, Access::Load(_)) || case.writers()[word_ref.at] & !(1 << warp) != 0
    }
}

impl Machine for ShuttleMachine {
    fn execution(&self) -> &Execution {
        &self.execution
    }

    fn perform(&self, warp: usize, word_ref: WordRef, access: Access) -> u128 {
        let matters = self.matters(warp, word_ref, access);
        // Relaxed: shuttle runs one warp at a time, on one thread.
        let begun = self.begun.fetch_and(!(1 << warp), Ordering::Relaxed) & 1 << warp != 0;
        if matters && self.execution.is_step(warp) && !begun {
            self.turn();
        }
        self.execution.record().shadow[word_ref.at]
    }

    /// Does nothing: memory is sequentially consistent.
    fn fence(&self, _warp: usize) {}

    /// Does nothing, for the same reason.
    fn fence_acquire(&self, _warp: usize) {}

    fn pause(&self, _warp: usize) {
        ::shuttle::thread::yield_now();
        self.execution.go_on();
    }

    /// Other warps may run before the call begins, but not between that and its first access. So the interval
    /// of a call is as short as its accesses allow, and real time orders as many calls as it can.
    fn returned(&self, warp: usize) -> Vec<u64> {
        self.turn();
        // Relaxed: as in `perform`.
        self.begun.fetch_or(1 << warp, Ordering::Relaxed);
        self.execution.record().returned.clone()
    }

    /// Does nothing: the record has it, and a call returns with its last access.
    fn returns(&self, _warp: usize) {}

    fn meet(&self, arrive: &dyn Fn(), ready: &dyn Fn() -> bool) {
        // A lock of shuttle's is poisoned by a panic alone, and no panic happens here.
        let Ok(mut guard) = self.barrier.lock() else { return };
        arrive();
        while !ready() {
            let Ok(next) = self.barrier_moved.wait(guard) else { return };
            guard = next;
        }
        self.barrier_moved.notify_all();
        drop(guard);
    }

    fn wake(&self) {
        let guard = self.barrier.lock();
        self.barrier_moved.notify_all();
        drop(guard);
    }
}
