//! One execution under loom: the words as loom's atomics.

use super::plan::Plan;
use crate::check::{Access, Execution, Loads, Machine, Reads, WordRef};
use ::loom::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use warpproof_model::{Order, ReadOrder, WriteOrder};

/// A word. Those of 128 bits hold the number of their value among the values seen.
enum Word {
    W32(AtomicU32),
    W64(AtomicU64),
}

/// State that loom does not see.
struct Values {
    interned: Vec<u128>,
    /// Warps that wrote a word, and whether one did so by a plain store.
    writers: Vec<(u8, bool)>,
}

/// The machine of one execution.
pub(super) struct LoomMachine {
    plan: Arc<Plan>,
    execution: Execution,
    words: Vec<Word>,
    /// How many calls of one warp have returned, as far as another warp knows: `returned[one][other]`.
    returned: Vec<Vec<AtomicU64>>,
    /// Every fence is an access to it: loom's scheduler does not see that fences depend on each other.
    fence: AtomicU64,
    /// Every step is an access to it when reads are snapshots.
    turn: AtomicU64,
    barrier: ::loom::sync::Mutex<()>,
    barrier_moved: ::loom::sync::Condvar,
    values: Mutex<Values>,
}

impl LoomMachine {
    pub(super) fn new(plan: Arc<Plan>) -> Self {
        let case = &plan.case;
        let warps = case.scenario.programs.len();
        let mut interned = Vec::new();
        let widths = case.arrays.iter().flat_map(|array| array.initial.iter().map(|_| array.width));
        let word = |(width, value): (u32, &u128)| match plan.weak() {
            true => Word::new(width, *value, &mut interned),
            false => Word::W32(AtomicU32::new(0)),
        };
        let words = widths.zip(&case.initial).map(word).collect();
        Self {
            words,
            returned: (0..warps).map(|_| (0..warps).map(|_| AtomicU64::new(0)).collect()).collect(),
            fence: AtomicU64::new(0),
            turn: AtomicU64::new(0),
            barrier: ::loom::sync::Mutex::new(()),
            barrier_moved: ::loom::sync::Condvar::new(),
            values: Mutex::new(Values { interned, writers: vec![(0, false); case.initial.len()] }),
            execution: Execution::new(Arc::clone(case), plan.step_bound),
            plan,
        }
    }

    /// Never held across an access, as the record of an execution.
    fn values(&self) -> MutexGuard<'_, Values> {
        self.values.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The access on loom's word; returns what the word held.
    fn access(&self, word_ref: WordRef, access: Access) -> u128 {
        match &self.words[word_ref.at] {
            Word::W32(word) => perform_32(word, access),
            Word::W64(word) if word_ref.width == 64 => perform_64(word, access),
            Word::W64(word) => {
                let access = self.values().intern(access);
                let id = perform_64(word, access);
                self.values().interned[id as usize]
            }
        }
    }
}

impl Machine for LoomMachine {
    fn execution(&self) -> &Execution {
        &self.execution
    }

    fn perform(&self, warp: usize, word_ref: WordRef, access: Access) -> u128 {
        let case = &self.plan.case;
        let read = match (case.scenario.reads, case.loads) {
            (Reads::Torn, Loads::AsLoads) => self.access(word_ref, access),
            (Reads::Torn, Loads::AsRmw) => {
                let plain = matches!(access, Access::Load(_)) && self.plan.commutes[warp][word_ref.at];
                self.words[word_ref.at].touch(plain);
                self.execution.record().shadow[word_ref.at]
            }
            (Reads::Snapshot, _) => {
                if self.execution.is_step(warp) {
                    // AcqRel: all steps are in one order.
                    self.turn.fetch_add(1, Ordering::AcqRel);
                }
                self.execution.record().shadow[word_ref.at]
            }
        };
        if access.apply(read, word_ref.width).is_some() {
            let (writers, plain) = &mut self.values().writers[word_ref.at];
            *writers |= 1 << warp;
            *plain |= matches!(access, Access::Store(..));
        }
        read
    }

    fn fence(&self, _warp: usize) {
        if self.plan.weak() {
            // AcqRel: orders the fences among each other, which a fence alone does not show to the scheduler.
            self.fence.fetch_add(0, Ordering::AcqRel);
            fence(Ordering::SeqCst);
        }
    }

    fn fence_acquire(&self, _warp: usize) {
        if self.plan.weak() {
            // Acquire: pairs with the Release of whoever wrote what this warp read relaxed.
            fence(Ordering::Acquire);
        }
    }

    fn pause(&self, _warp: usize) {
        ::loom::thread::yield_now();
    }

    /// Only a return and a call that begins after it are ordered. Two calls that begin, or two that return,
    /// are not, so that the scheduler need not try both orders.
    fn returned(&self, warp: usize) -> Vec<u64> {
        let returned = (0..self.execution.warps()).map(|other| match other == warp {
            true => self.execution.record().returned[warp],
            // Acquire: pairs with the Release in `returns`. What returned is visible to what begins later; a
            // relaxed stamp would accuse correct code.
            false => self.returned[other][warp].fetch_add(0, Ordering::Acquire),
        });
        returned.collect()
    }

    fn returns(&self, warp: usize) {
        for (other, word) in self.returned[warp].iter().enumerate() {
            if other != warp {
                // Release: pairs with the Acquire in `returned`.
                word.fetch_add(1, Ordering::Release);
            }
        }
    }

    fn meet(&self, arrive: &dyn Fn(), ready: &dyn Fn() -> bool) {
        // Loom's locks are not poisoned.
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

    /// Words of which loom may not know the last value: written by several warps, one of them by a plain
    /// store. Reads them as loom orders them.
    fn settle(&self) {
        if !self.plan.weak() {
            return;
        }
        let several = |(mask, plain): (u8, bool)| plain && mask.count_ones() > 1;
        for word_ref in self.plan.case.word_refs() {
            if several(self.values().writers[word_ref.at]) {
                let value = self.access(word_ref, Access::Or(0, Order::AcqRel));
                self.execution.record().shadow[word_ref.at] = value;
            }
        }
    }
}

impl Values {
    /// The access, with the number of each value instead of the value. 128-bit words have no additions, so
    /// there are only these accesses, and `Or(0)` for a load.
    fn intern(&mut self, access: Access) -> Access {
        match access {
            Access::Store(value, order) => Access::Store(self.id(value), order),
            Access::Swap(value, order) => Access::Swap(self.id(value), order),
            Access::Exchange { current, new, order } => {
                Access::Exchange { current: self.id(current), new: self.id(new), order }
            }
            other => other,
        }
    }

    fn id(&mut self, value: u128) -> u128 {
        id(&mut self.interned, value)
    }
}

fn id(interned: &mut Vec<u128>, value: u128) -> u128 {
    let at = interned.iter().position(|v| *v == value).unwrap_or_else(|| {
        interned.push(value);
        interned.len() - 1
    });
    at as u128
}

impl Word {
    fn new(width: u32, value: u128, interned: &mut Vec<u128>) -> Self {
        match width {
            32 => Self::W32(AtomicU32::new(value as u32)),
            64 => Self::W64(AtomicU64::new(value as u64)),
            _ => Self::W64(AtomicU64::new(id(interned, value) as u64)),
        }
    }
}

impl Word {
    /// Lets the scheduler see an access that is not made: its value is in the shadow. Two such touches
    /// conflict, unless both are plain.
    fn touch(&self, plain: bool) {
        let Self::W32(word) = self else { return };
        if plain {
            word.load(Ordering::Relaxed);
        } else {
            // Relaxed: it fails, so that the word never has a second value to choose from.
            let _ = word.compare_exchange(1, 2, Ordering::Relaxed, Ordering::Relaxed);
        }
    }
}

macro_rules! perform {
    ($name:ident, $atomic:ty, $int:ty) => {
        fn $name(word: &$atomic, access: Access) -> u128 {
            let old = match access {
                Access::Load(order) => word.load(read(order)),
                Access::Store(value, order) => {
                    // What a store overwrites is not observed; the shadow knows it.
                    word.store(value as $int, write(order));
                    return 0;
                }
                Access::Swap(value, order) => word.swap(value as $int, both(order)),
                Access::Exchange { current, new, order } => {
                    match word.compare_exchange(current as $int, new as $int, both(order), failure(order)) {
                        Ok(old) | Err(old) => old,
                    }
                }
                Access::Add(value, order) => word.fetch_add(value as $int, both(order)),
                Access::Or(value, order) => word.fetch_or(value as $int, both(order)),
                Access::And(value, order) => word.fetch_and(value as $int, both(order)),
            };
            old.into()
        }
    };
}
perform!(perform_32, AtomicU32, u32);
perform!(perform_64, AtomicU64, u64);

const fn read(order: ReadOrder) -> Ordering {
    match order {
        ReadOrder::Relaxed => Ordering::Relaxed,
        ReadOrder::Acquire => Ordering::Acquire,
    }
}

const fn write(order: WriteOrder) -> Ordering {
    match order {
        WriteOrder::Relaxed => Ordering::Relaxed,
        WriteOrder::Release => Ordering::Release,
    }
}

const fn both(order: Order) -> Ordering {
    match order {
        Order::Relaxed => Ordering::Relaxed,
        Order::Acquire => Ordering::Acquire,
        Order::Release => Ordering::Release,
        Order::AcqRel => Ordering::AcqRel,
    }
}

/// The order of a failed exchange, which only reads.
const fn failure(order: Order) -> Ordering {
    match order {
        Order::Relaxed | Order::Release => Ordering::Relaxed,
        Order::Acquire | Order::AcqRel => Ordering::Acquire,
    }
}
