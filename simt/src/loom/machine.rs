//! One execution: the words as loom's atomics, the shadow, the steps taken.

use super::plan::Plan;
use crate::check::{Access, Action, Breach, Kind, Loads, Reads, Record};
use ::loom::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};
use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use warpproof_model::spec::Ret;
use warpproof_model::{Order, ReadOrder, WriteOrder};

/// Why a warp's program was left before its end.
pub(super) enum Halt {
    /// A violation was found; the execution ends.
    Stop,
    /// The warp stopped for ever, as its scenario says.
    Stalled,
    /// The warp waits for a stalled one, as its scenario allows.
    Blocked,
}

/// A word. Those of 128 bits hold the number of their value among the values seen.
enum Word {
    W32(AtomicU32),
    W64(AtomicU64),
}

/// What the explorer does not see: bookkeeping of one execution.
pub(super) struct State {
    pub(super) record: Record,
    interned: Vec<u128>,
    /// Warps that wrote a word, and whether one did so by a plain store.
    writers: Vec<(u8, bool)>,
    in_each: Vec<Option<bool>>,
    arrived: Vec<u32>,
    waiting: usize,
}

/// The machine of one execution.
pub(super) struct Machine {
    pub(super) plan: Arc<Plan>,
    words: Vec<Vec<Word>>,
    /// How many calls of one warp have returned, as far as another warp knows: `returned[one][other]`.
    returned: Vec<Vec<AtomicU64>>,
    /// Every fence is an access to it: loom's scheduler does not see that fences depend on each other.
    fence: AtomicU64,
    /// Every step is an access to it when reads are snapshots.
    turn: AtomicU64,
    barrier: ::loom::sync::Mutex<()>,
    barrier_moved: ::loom::sync::Condvar,
    state: Mutex<State>,
}

impl Machine {
    pub(super) fn new(plan: Arc<Plan>) -> Self {
        let case = &plan.case;
        let warps = case.scenario.programs.len();
        let mut interned = Vec::new();
        let mut flat = case.initial.iter();
        let words = case.arrays.iter().map(|array| {
            let values = flat.by_ref().take(array.initial.len());
            let word = |value: &u128| match plan.weak() {
                true => Word::new(array.width, *value, &mut interned),
                false => Word::W32(AtomicU32::new(0)),
            };
            values.map(word).collect()
        });
        let words = words.collect();
        let state = State {
            record: Record::new(case),
            interned,
            writers: vec![(0, false); case.initial.len()],
            in_each: vec![None; warps],
            arrived: vec![0; warps],
            waiting: 0,
        };
        Self {
            words,
            returned: (0..warps).map(|_| (0..warps).map(|_| AtomicU64::new(0)).collect()).collect(),
            fence: AtomicU64::new(0),
            turn: AtomicU64::new(0),
            barrier: ::loom::sync::Mutex::new(()),
            barrier_moved: ::loom::sync::Condvar::new(),
            state: Mutex::new(state),
            plan,
        }
    }

    /// The bookkeeping. Never held across an access: another warp would wait for it on the same thread.
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the execution with `breach`. Returns to the warp's thread by unwinding.
    pub(super) fn fail(&self, breach: Breach) -> ! {
        self.record(breach);
        resume_unwind(Box::new(Halt::Stop))
    }

    /// Notes a breach; the first one counts.
    pub(super) fn record(&self, breach: Breach) {
        let mut state = self.state();
        state.record.stopped = true;
        state.record.breach.get_or_insert(breach);
    }

    /// Counts a step of `warp`, which may be its last.
    pub(super) fn begin_step(&self, warp: usize) {
        let mut state = self.state();
        if state.record.stopped {
            drop(state);
            resume_unwind(Box::new(Halt::Stop));
        }
        if self.plan.case.stall == Some((warp, state.record.taken[warp])) {
            state.record.note(warp, Action::Stalled);
            state.record.halted = true;
            drop(state);
            self.plan.stall_reached();
            resume_unwind(Box::new(Halt::Stalled));
        }
        state.record.taken[warp] += 1;
        if state.record.taken[warp] <= self.plan.step_bound {
            return;
        }
        if state.record.halted && self.plan.case.scenario.allows.blocking {
            state.record.note(warp, Action::Blocked);
            drop(state);
            resume_unwind(Box::new(Halt::Blocked));
        }
        drop(state);
        let detail = format!("warp {warp} took more than {} steps", self.plan.step_bound);
        self.fail(Breach::new(Kind::StepBound, detail));
    }

    /// Learns which calls of the others have returned: they come before this one in real time.
    ///
    /// Only a return and a call that begins after it are ordered. Two calls that begin, or two that return, are
    /// not, so that the scheduler need not try both orders.
    pub(super) fn begin_call(&self, warp: usize, number: usize) {
        if self.state().record.stopped {
            resume_unwind(Box::new(Halt::Stop));
        }
        let warps = self.plan.case.scenario.programs.len();
        let after = (0..warps).map(|other| match other == warp {
            true => number as u64,
            // Acquire: pairs with the Release in `end_call`. What returned is visible to what begins later; a
            // relaxed stamp would accuse correct code.
            false => self.returned[other][warp].fetch_add(0, Ordering::Acquire),
        });
        let after = after.collect();
        let mut state = self.state();
        state.record.begin_call(&self.plan.case, warp, number, after);
    }

    pub(super) fn end_call(&self, warp: usize, ret: Ret) {
        for (other, word) in self.returned[warp].iter().enumerate() {
            if other != warp {
                // Release: pairs with the Acquire in `begin_call`.
                word.fetch_add(1, Ordering::Release);
            }
        }
        let mut state = self.state();
        let wrong = ret == Ret::Full && !state.record.exhausted;
        state.record.end_call(warp, ret);
        drop(state);
        if wrong {
            self.fail(Breach::new(Kind::FullWithRoom, "the pool was never exhausted"));
        }
    }

    /// Arrives at a barrier and waits for all. A warp that has ended never arrives.
    pub(super) fn meet(&self, warp: usize) {
        self.begin_step(warp);
        let Ok(mut guard) = self.barrier.lock() else { return };
        let mine = {
            let mut state = self.state();
            state.record.note(warp, Action::Barrier);
            state.arrived[warp] += 1;
            state.arrived[warp]
        };
        loop {
            let (all, ended) = {
                let state = self.state();
                let all = state.arrived.iter().all(|&arrived| arrived >= mine);
                (all, state.record.running < state.arrived.len())
            };
            if all {
                self.barrier_moved.notify_all();
                return;
            }
            if ended {
                drop(guard);
                let detail = format!("warp {warp} waits at barrier {mine}, another warp has ended");
                self.fail(Breach::new(Kind::BarrierDivergence, detail));
            }
            self.state().waiting += 1;
            let woken = self.barrier_moved.wait(guard);
            self.state().waiting -= 1;
            let Ok(next) = woken else { return };
            guard = next;
        }
    }

    /// Takes a warp out; tells whether it was the last.
    pub(super) fn leave(&self) -> bool {
        let (last, waiting) = {
            let mut state = self.state();
            state.record.running -= 1;
            (state.record.running == 0, state.waiting > 0)
        };
        if waiting {
            let guard = self.barrier.lock();
            self.barrier_moved.notify_all();
            drop(guard);
        }
        last
    }

    pub(super) fn fence(&self, warp: usize) {
        self.begin_step(warp);
        if self.plan.weak() {
            // AcqRel: orders the fences among each other, which a fence alone does not show to the scheduler.
            self.fence.fetch_add(0, Ordering::AcqRel);
            fence(Ordering::SeqCst);
        }
        self.state().record.note(warp, Action::Fence);
    }

    pub(super) fn pause(&self, warp: usize) {
        self.begin_step(warp);
        self.state().record.note(warp, Action::Pause);
        ::loom::thread::yield_now();
    }

    pub(super) fn begin_each(&self, warp: usize) {
        if self.plan.case.scenario.reads == Reads::Snapshot {
            self.state().in_each[warp] = Some(false);
        }
    }

    pub(super) fn end_each(&self, warp: usize) {
        if self.plan.case.scenario.reads == Reads::Snapshot {
            self.state().in_each[warp] = None;
        }
    }

    pub(super) fn access(&self, warp: usize, array: usize, index: usize, access: Access) -> u128 {
        self.begin_step(warp);
        let Some(word) = self.words.get(array).and_then(|words| words.get(index)) else {
            let name = self.plan.case.arrays.get(array).map_or("?", |a| a.name);
            self.fail(Breach::new(Kind::OutOfBounds, format!("warp {warp} accessed {name}[{index}]")));
        };
        let at = self.plan.case.offsets[array] + index;
        let width = self.plan.case.arrays[array].width;
        let read = match (self.plan.case.scenario.reads, self.plan.case.loads) {
            (Reads::Torn, Loads::AsLoads) => self.perform(word, width, access),
            (Reads::Torn, Loads::AsRmw) => {
                let plain = matches!(access, Access::Load(_)) && self.plan.commutes[warp][at];
                word.touch(plain);
                self.state().record.shadow[at]
            }
            (Reads::Snapshot, _) => {
                self.take_turn(warp);
                self.state().record.shadow[at]
            }
        };
        let mut state = self.state();
        let newest = state.record.shadow[at];
        // A store reads nothing; what it overwrites is for the trace.
        let read = if matches!(access, Access::Store(..)) { newest } else { read };
        let written = access.apply(read, width);
        state.record.note(warp, Action::Access { array, index, access, read, newest, written });
        if let Some(new) = written {
            state.record.shadow[at] = new;
            state.writers[at].0 |= 1 << warp;
            self.plan.written(warp, at);
            state.writers[at].1 |= matches!(access, Access::Store(..));
            if !self.plan.case.subject.transition(array, index, read, new) {
                drop(state);
                let word = self.plan.case.subject.word(array, index);
                let (old, new) =
                    (self.plan.case.show(array, index, read), self.plan.case.show(array, index, new));
                self.fail(Breach::new(Kind::Transition, format!("{word} changed from {old} to {new}")));
            }
            self.check_state(state);
        }
        read
    }

    /// In snapshot mode: one step, or the first access of one `each`.
    fn take_turn(&self, warp: usize) {
        if self.state().in_each[warp] == Some(true) {
            return;
        }
        // AcqRel: all steps are in one order.
        self.turn.fetch_add(1, Ordering::AcqRel);
        let mut state = self.state();
        if state.in_each[warp].is_some() {
            state.in_each[warp] = Some(true);
        }
    }

    fn check_state(&self, mut state: MutexGuard<'_, State>) {
        match self.plan.case.check_state(&state.record.shadow) {
            Ok(exhausted) => state.record.exhausted |= exhausted,
            Err(breach) => {
                drop(state);
                self.fail(breach)
            }
        }
    }

    /// The access on loom's word; returns what the word held.
    fn perform(&self, word: &Word, width: u32, access: Access) -> u128 {
        match word {
            Word::W32(word) => perform_32(word, access),
            Word::W64(word) if width == 64 => perform_64(word, access),
            Word::W64(word) => {
                let access = self.state().intern(access);
                let id = perform_64(word, access);
                self.state().interned[id as usize]
            }
        }
    }

    /// Words of which loom may not know the last value: written by several warps, one of them by a plain store.
    /// Reads them as loom orders them.
    pub(super) fn settle(&self) {
        if !self.plan.weak() {
            return;
        }
        let doubtful: Vec<_> = {
            let state = self.state();
            let several = |(mask, plain): &(u8, bool)| *plain && mask.count_ones() > 1;
            (0..state.record.shadow.len()).filter(|&at| several(&state.writers[at])).collect()
        };
        for at in doubtful {
            let array = self.plan.case.offsets.partition_point(|&offset| offset <= at) - 1;
            let index = at - self.plan.case.offsets[array];
            let (word, width) = (&self.words[array][index], self.plan.case.arrays[array].width);
            let value = self.perform(word, width, Access::Or(0, Order::AcqRel));
            self.state().record.shadow[at] = value;
        }
    }
}

impl State {
    fn id(&mut self, value: u128) -> u128 {
        id(&mut self.interned, value)
    }

    /// The access with the numbers of its values in their place. 128-bit words do not count, so only these
    /// exist, and `Or(0)` for a load.
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
    /// Shows an access to the scheduler without one: the value is in the shadow. Touches conflict, except two
    /// plain ones.
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
