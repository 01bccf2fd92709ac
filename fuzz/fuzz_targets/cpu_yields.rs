//! Schedules of real threads on the tables of the CPU backend: each warp is a thread on the atomic words, and
//! before each access the input decides which thread continues. Every history must be linearizable, and the
//! table valid at the end.
//!
//! One thread runs at a time, so that an input is a schedule and can be run again. `slab_race` lets them run
//! freely.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::cell::Cell;
use std::sync::atomic::{AtomicU32, AtomicU64};
use std::sync::{Condvar, Mutex};
use warpproof::model::entry::{Key32, Pair32};
use warpproof::model::reclaim::{bitmap_words, free_word};
use warpproof::model::slab::{LockWordSlots, Multi, Multiplicity, PackedSlots, SlabTable, Slots, Unique};
use warpproof::model::spec::{Call, Map, Multimap, Op, Ret, Set};
use warpproof::model::{IntegerWords, Order, ReadOrder, Seed, UserKey, Warp, Word, Words, WriteOrder};
use warpproof::simt::check::monitor::{Collection, monitor};
use warpproof::simt::check::{Event, linearizable};
use warpproof::simt::cpu::warp::CpuWarp;
use warpproof::simt::cpu::words::{Array, AtomicWord, CpuWords};

/// The most threads.
const WARPS: usize = 4;
/// Keys are below this one.
const KEYS: u64 = 3;
/// Accesses of a turn when the schedule has come to its end.
const STRIDE: usize = 16;
/// The bytes before the schedule: shape, table, and the calls of each warp.
const CALLS: usize = 6;
const HEAD: usize = 2 + WARPS * CALLS;

fuzz_target!(|bytes: &[u8]| {
    let Some((head, schedule)) = bytes.split_at_checked(HEAD) else { return };
    let warps = 2 + usize::from(head[0] >> 6) % (WARPS - 1);
    let buckets = 1 + u32::from(head[0] >> 4) % 2;
    let pool = u32::from(head[0]) % 16;
    let input = Input { warps, buckets, pool, calls: &head[2..], schedule };
    match head[1] % 12 {
        0 => input.unique::<Pairs, 1, 2>(&Map { may_fill: true }),
        1 => input.unique::<Pairs, 4, 1>(&Map { may_fill: true }),
        2 => input.unique::<Keys, 1, 3>(&Set { may_fill: true }),
        3 => input.unique::<Keys, 2, 2>(&Set { may_fill: true }),
        4 => input.unique::<Locked, 1, 2>(&Map { may_fill: true }),
        5 => input.unique::<Locked, 2, 2>(&Map { may_fill: true }),
        6 => input.multi::<Pairs, 1, 3>(),
        7 => input.multi::<Pairs, 2, 1>(),
        8 => input.multi::<Keys, 1, 3>(),
        9 => input.multi::<Keys, 2, 2>(),
        10 => input.multi::<Locked, 1, 3>(),
        _ => input.multi::<Locked, 2, 1>(),
    }
});

/// What is run.
struct Input<'a> {
    warps: usize,
    buckets: u32,
    pool: u32,
    calls: &'a [u8],
    schedule: &'a [u8],
}

impl Input<'_> {
    /// On a table of unique keys; its history is decided by the monitor.
    fn unique<T: Entries, const L: usize, const S: usize>(&self, collection: &impl Collection) {
        let ops = [Op::InsertUnique, Op::InsertOrAssign, Op::Delete, Op::Search, Op::Count, Op::SearchAll];
        let history = self.run::<T, Unique, L, S>(&ops);
        if let Err(failure) = monitor(collection, &history) {
            panic!("{failure}");
        }
    }

    /// On a multimap; its history is decided by the search. An assign beside several pairs may let
    /// `search_all` return values of different instants, so there is no `search_all`.
    fn multi<T: Entries, const L: usize, const S: usize>(&self) {
        let ops = [
            Op::Insert,
            Op::InsertUnique,
            Op::InsertOrAssign,
            Op::Delete,
            Op::DeleteAll,
            Op::Search,
            Op::Count,
        ];
        let history = self.run::<T, Multi, L, S>(&ops);
        for key in 0..KEYS {
            let events: Vec<&Event> = history.iter().filter(|event| event.call.key == key).collect();
            let holds = linearizable(&Multimap { may_fill: true }, key, &events);
            assert!(holds, "no order explains the calls on key {key}:\n{}", text(&events));
        }
    }

    /// Runs the warps, then looks at every key. Returns the history.
    fn run<T: Entries, U: Multiplicity, const L: usize, const S: usize>(&self, ops: &[Op]) -> Vec<Event> {
        let turns = Turns::new(self.warps, self.schedule);
        let store = T::new((self.buckets + self.pool) as usize * L * S);
        let bits = Array::<AtomicU32, 16>::new(bitmap_words(self.pool), |index| free_word(self.pool, index))
            .expect("memory");
        let table = SlabTable::<_, _, S>::new(
            T::slots::<U>(&store, &turns),
            Scheduled { words: bits.words(), turns: &turns },
            self.buckets,
            Seed::new(1),
        );
        let warp = |warp: usize| {
            turns.begin(warp);
            let mut w = CpuWarp::<L>::new(warp as u32);
            let codes = self.calls[warp * CALLS..][..CALLS].iter().enumerate();
            let log: Vec<Event> = codes
                .filter(|(_, code)| **code != 0)
                .map(|(number, code)| {
                    let op = ops[usize::from(*code) % ops.len()];
                    // No two calls store the same value.
                    let value = if T::VALUED { (warp * CALLS + number) as u64 } else { 0 };
                    let call = Call::new(op, u64::from(*code) / 16 % KEYS, value);
                    stamped(&turns, warp, call, |call| run(table, &mut w, call))
                })
                .collect();
            turns.end();
            log
        };
        let mut history = std::thread::scope(|scope| {
            let warp = &warp;
            let start = |number| scope.spawn(move || warp(number));
            let threads: Vec<_> = (0..self.warps).map(start).collect();
            threads
                .into_iter()
                .flat_map(|thread| thread.join().expect("a thread that ends"))
                .collect::<Vec<_>>()
        });
        let mut w = CpuWarp::<L>::new(0);
        let unique = !U::MULTI;
        for key in 0..KEYS {
            let look = Call::new(if unique { Op::Search } else { Op::Count }, key, 0);
            history.push(stamped(&turns, 0, look, |call| run(table, &mut w, call)));
        }
        assert_eq!(table.check_state(&mut w), Ok(()));
        assert_eq!(table.check_quiescent(&mut w, unique), Ok(()));
        history
    }
}

/// A line for each call.
fn text(events: &[&Event]) -> String {
    let line = |e: &&Event| {
        let ret = e.ret.as_ref().map_or(String::new(), Ret::to_string);
        format!("  {:>4}..{:<4} warp {:?}  {} -> {ret}\n", e.start, e.end, e.warp, e.call)
    };
    events.iter().map(line).collect()
}

/// Runs one call between two looks at the clock.
fn stamped(turns: &Turns, warp: usize, call: Call, run: impl FnOnce(&Call) -> Ret) -> Event {
    let start = turns.time();
    let ret = run(&call);
    let end = turns.time();
    Event { warp: Some(warp), number: 0, call, ret: Some(ret), after: Vec::new(), start, end }
}

fn run<C: Slots, B: IntegerWords<u32>, const S: usize>(
    table: SlabTable<C, B, S>,
    w: &mut impl Warp,
    call: &Call,
) -> Ret {
    let key = UserKey::new(C::Key::from_bits(call.key.into())).expect("keys are small");
    let value = C::Value::from_bits(call.value.into());
    match call.op {
        Op::Insert => {
            let mixed = table.mixed(w, warpproof::Op::Insert, key, value).tell(w);
            warpproof::Insert::from_code(mixed.code).expect("the code of an insert").into()
        }
        Op::InsertUnique => table.insert_unique(w, key, value).into(),
        Op::InsertOrAssign => table.insert_or_assign(w, key, value).into(),
        Op::Search => Ret::Value(table.search(w, key).map(|value| value.to_bits() as u64)),
        Op::Count => Ret::Count(table.count(w, key).into()),
        Op::SearchAll => {
            let mut values = Vec::new();
            let count = table.search_all(w, key, |_, number, value| {
                values.truncate(number as usize);
                values.push(value.to_bits() as u64);
            });
            values.truncate(count as usize);
            Ret::Values(values)
        }
        Op::Delete => table.delete(w, key).into(),
        _ => Ret::Count(table.delete_all(w, key).into()),
    }
}

/// Which thread runs.
struct Turns {
    state: Mutex<State>,
    changed: [Condvar; WARPS],
}

struct State {
    /// The warp that runs; `None` before all warps have begun.
    running: Option<usize>,
    /// The warps that have not ended.
    open: Vec<usize>,
    here: usize,
    warps: usize,
    schedule: std::vec::IntoIter<u8>,
    accesses: usize,
    clock: u64,
}

thread_local! {
    /// The warp of this thread, if it has its turns.
    static WARP: Cell<Option<usize>> = const { Cell::new(None) };
}

impl Turns {
    fn new(warps: usize, schedule: &[u8]) -> Self {
        let schedule = Vec::from(schedule).into_iter();
        let state = State {
            running: None,
            open: (0..warps).collect(),
            here: 0,
            warps,
            schedule,
            accesses: 0,
            clock: 0,
        };
        Self { state: Mutex::new(state), changed: [const { Condvar::new() }; WARPS] }
    }

    /// This thread is `warp`; returns when it is its turn.
    fn begin(&self, warp: usize) {
        WARP.set(Some(warp));
        let mut state = self.state.lock().expect("no thread panics");
        state.here += 1;
        if state.here == state.warps {
            state.running = Some(0);
            self.changed[0].notify_one();
        }
        drop(self.changed[warp].wait_while(state, |state| state.running != Some(warp)));
    }

    /// Before an access: goes on, or lets another warp run. Most bytes go on; when there are no more the
    /// warps take turns, so that one that waits for another gets what it waits for.
    fn choose(&self) {
        let Some(warp) = WARP.get() else { return };
        let mut state = self.state.lock().expect("no thread panics");
        let at = state.open.iter().position(|open| *open == warp).expect("it runs");
        state.accesses += 1;
        let next = match state.schedule.next() {
            Some(byte) if byte % 4 == 3 => usize::from(byte / 4),
            None if state.accesses.is_multiple_of(STRIDE) => at + 1,
            _ => return,
        };
        let next = state.open[next % state.open.len()];
        if next != warp {
            state.running = Some(next);
            self.changed[next].notify_one();
            drop(self.changed[warp].wait_while(state, |state| state.running != Some(warp)));
        }
    }

    /// This warp has ended.
    fn end(&self) {
        let warp = WARP.take();
        let mut state = self.state.lock().expect("no thread panics");
        state.open.retain(|open| Some(*open) != warp);
        state.running = state.open.first().copied();
        if let Some(next) = state.running {
            self.changed[next].notify_one();
        }
    }

    fn time(&self) -> u64 {
        let mut state = self.state.lock().expect("no thread panics");
        state.clock += 1;
        state.clock
    }
}

/// The words of the CPU backend, each access at a turn of its warp.
struct Scheduled<'a, A, const N: usize> {
    words: CpuWords<'a, A, N>,
    turns: &'a Turns,
}

impl<A, const N: usize> Clone for Scheduled<'_, A, N> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A, const N: usize> Copy for Scheduled<'_, A, N> {}

impl<'a, A, const N: usize> Scheduled<'a, A, N> {
    fn next(self) -> CpuWords<'a, A, N> {
        self.turns.choose();
        self.words
    }
}

impl<A: AtomicWord, const N: usize> Words<A::Word> for Scheduled<'_, A, N> {
    fn len(self) -> usize {
        self.words.len()
    }
    fn load(self, index: usize, order: ReadOrder) -> A::Word {
        self.next().load(index, order)
    }
    fn store(self, index: usize, value: A::Word, order: WriteOrder) {
        self.next().store(index, value, order);
    }
    fn compare_exchange(self, index: usize, current: A::Word, new: A::Word, order: Order) -> A::Word {
        self.next().compare_exchange(index, current, new, order)
    }
    fn swap(self, index: usize, value: A::Word, order: Order) -> A::Word {
        self.next().swap(index, value, order)
    }
}

impl<A: AtomicWord, const N: usize> IntegerWords<A::Word> for Scheduled<'_, A, N> {
    fn fetch_add(self, index: usize, value: A::Word, order: Order) -> A::Word {
        self.next().fetch_add(index, value, order)
    }
    fn fetch_or(self, index: usize, value: A::Word, order: Order) -> A::Word {
        self.next().fetch_or(index, value, order)
    }
    fn fetch_and(self, index: usize, value: A::Word, order: Order) -> A::Word {
        self.next().fetch_and(index, value, order)
    }
}

/// The entries of a table: the stores of the CPU backend over scheduled words.
trait Entries: Sync {
    const VALUED: bool;
    type Slots<'a, U: Multiplicity>: Slots<Multiplicity = U> + Send + Sync
    where
        Self: 'a;
    fn new(slots: usize) -> Self;
    fn slots<'a, U: Multiplicity>(&'a self, turns: &'a Turns) -> Self::Slots<'a, U>;
}

/// u32 pairs.
struct Pairs(Array<AtomicU64, 8>);

impl Entries for Pairs {
    const VALUED: bool = true;
    type Slots<'a, U: Multiplicity> = PackedSlots<Pair32, Scheduled<'a, AtomicU64, 8>, U>;
    fn new(slots: usize) -> Self {
        Self(Array::new(slots, |_| u64::MAX).expect("memory"))
    }
    fn slots<'a, U: Multiplicity>(&'a self, turns: &'a Turns) -> Self::Slots<'a, U> {
        PackedSlots::new(Scheduled { words: self.0.words(), turns })
    }
}

/// u32 keys.
struct Keys(Array<AtomicU32, 16>);

impl Entries for Keys {
    const VALUED: bool = false;
    type Slots<'a, U: Multiplicity> = PackedSlots<Key32, Scheduled<'a, AtomicU32, 16>, U>;
    fn new(slots: usize) -> Self {
        Self(Array::new(slots, |_| u32::MAX).expect("memory"))
    }
    fn slots<'a, U: Multiplicity>(&'a self, turns: &'a Turns) -> Self::Slots<'a, U> {
        PackedSlots::new(Scheduled { words: self.0.words(), turns })
    }
}

/// u64 pairs under the lock word.
struct Locked(Array<AtomicU64, 8>, Array<AtomicU64, 8>);

impl Entries for Locked {
    const VALUED: bool = true;
    type Slots<'a, U: Multiplicity> = LockWordSlots<Scheduled<'a, AtomicU64, 8>, U>;
    fn new(slots: usize) -> Self {
        let array = |word| Array::new(slots, move |_| word).expect("memory");
        Self(array(u64::MAX), array(0))
    }
    fn slots<'a, U: Multiplicity>(&'a self, turns: &'a Turns) -> Self::Slots<'a, U> {
        let words = |array: &'a Array<AtomicU64, 8>| Scheduled { words: array.words(), turns };
        LockWordSlots::new(words(&self.0), words(&self.1))
    }
}
