//! The protocol of growth as a subject, for every table.

use super::monitor::{ALONE, LOCKS, Locks, ROOM, Thread, room_of, room_word};
use super::table::{BEFORE, Failed, Held, Place, Table, WHICH, failures};
use crate::check::{Array, Breach, Config, Kind, Memory, Scenario, SimWarp, Subject};
use std::cell::RefCell;
use warpproof_model::growth::{AHEAD, Batches, CLEAR, FAIL, Growing, MIXED, Monitor, Room, outcome_digits};
use warpproof_model::spec::{Call, Op, Ret};
use warpproof_model::{ReadOrder, Words};

/// A table that host threads share and replace. Each warp is a thread.
///
/// The configuration says: `buckets` is the size of the table at first, `reach` the largest size of a place
/// for one, `pool` how many slots there is memory for, 0 if for all. Bit `i` of word 0 of `bitmap` is set if
/// attempt number `i` to replace the table runs out of memory in the middle. All slots may be taken: the load
/// is 1.
#[derive(Clone, Debug)]
pub struct GrowthSubject<T> {
    table: T,
    config: Config,
    threads: usize,
    may_fail: bool,
    /// What counts as taken is what is taken when no call runs: no batch is of all kinds of operations, or
    /// fails.
    exact: bool,
    /// Every call is a batch that gives back what it did not need, of keys that are there.
    gives_back: bool,
}

const LOAD: f64 = 1.0;

impl<T: Table> GrowthSubject<T> {
    /// The subject of a scenario.
    pub fn new(scenario: &Scenario) -> Self {
        let exact = !scenario.calls().any(|call| matches!(call.op, MIXED | FAIL));
        let (config, threads, may_fail) =
            (scenario.config.clone(), scenario.programs.len(), scenario.allows.full);
        let there =
            |key: u64| scenario.preload.iter().any(|call| (call.key..call.key + call.value).contains(&key));
        let gives_back = scenario
            .programs
            .iter()
            .flatten()
            .all(|call| call.op == AHEAD && (call.key..call.key + call.value).all(there));
        Self { table: T::new(&config), config, threads, may_fail, exact, gives_back }
    }

    fn held(&self, op: Op) -> Held {
        Held {
            fails: self.config.bitmap.first().copied().unwrap_or(0),
            most: self.config.pool.into(),
            only_if_full: !matches!(op, Op::Grow | AHEAD),
        }
    }

    /// A batch of inserts. A one-lane warp runs those of a chunk one after the other.
    fn batch<W: SimWarp, M: Memory>(growing: Growing<Locks<'_, W, M, T>>, call: &Call) -> Ret {
        let n = call.value as usize;
        let mut outcomes = Vec::with_capacity(n);
        let mut run = |table: &&Thread<'_, W, M, T>, from: usize, to: usize| {
            let keys = call.key + from as u64..call.key + to as u64;
            let stored = table.ask(|table, w, m, at| table.insert(w, m, at, keys));
            outcomes.extend(stored.iter().map(|&new| if new { Ret::Inserted } else { Ret::Present }));
            stored.into_iter().filter(|&new| new).count() as u64
        };
        let ended = match call.op {
            MIXED => growing.mixed(n, |table, from, to| {
                run(table, from, to);
                Ok(())
            }),
            FAIL => growing.insert(n, |table, from, to| {
                run(table, from, to);
                Err(Failed::Chunk)
            }),
            AHEAD => {
                let growing = growing.in_steps_of(1, 0).between_batches();
                growing.insert(n, |table, from, to| Ok(run(table, from, to)))
            }
            _ => growing.insert(n, |table, from, to| Ok(run(table, from, to))),
        };
        if call.op == FAIL {
            return Ret::Done;
        }
        if ended == Err(Failed::Memory) {
            outcomes.resize(n, Ret::Full);
        }
        outcome_digits(&outcomes)
    }
}

fn breach(detail: impl Into<String>) -> Breach {
    Breach::new(Kind::Invariant, detail)
}

/// What the table's locks hold.
fn locks<M: Memory>(m: M) -> impl Iterator<Item = u32> {
    let locks = m.w32(LOCKS);
    // Relaxed: read alone.
    (0..locks.len()).map(move |lock| locks.load(lock, ReadOrder::Relaxed))
}

/// The room, unless a thread changes it.
fn room<M: Memory>(m: M) -> Option<Room> {
    // Relaxed: read alone.
    room_of(m.w64(ROOM).load(0, ReadOrder::Relaxed))
}

impl<T: Table> Subject for GrowthSubject<T> {
    type Spec = Batches;

    fn spec(&self) -> Batches {
        Batches { may_fail: self.may_fail }
    }

    /// A call may be of several keys.
    fn key(&self, _: &Call) -> u64 {
        0
    }

    fn arrays(&self) -> Vec<Array> {
        let at = Place { place: 0, size: self.config.buckets };
        let room = Room::at_load(self.table.slots(at.size), LOAD);
        let before = [
            Array::new("table lock", 32, vec![0; self.threads]),
            Array::new("room", 64, vec![room_word(room).into()]),
            Array::new("which", 32, vec![at.word().into(), 0, 0]),
        ];
        before.into_iter().chain(self.table.arrays()).collect()
    }

    fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
        let thread = Thread { warp: RefCell::new(w), m, table: &self.table, held: self.held(call.op) };
        let growing = Growing::new(Locks(&thread), LOAD);
        match call.op {
            Op::Delete => {
                let there = growing.monitor().shared(|table| {
                    growing.note_deletes();
                    table.ask(|t, w, m, at| t.delete(w, m, at, call.key))
                });
                if there { Ret::Deleted } else { Ret::Absent }
            }
            Op::Search => Ret::Value(
                growing.monitor().shared(|table| table.ask(|t, w, m, at| t.search(w, m, at, call.key))),
            ),
            Op::Grow => growing.resize_for(call.value).map_or(Ret::Full, |()| Ret::Done),
            CLEAR => {
                let cleared = growing.clear(|table| {
                    table.ask(|t, _, m, at| t.empty(m, at));
                    Ok(())
                });
                cleared.map_or(Ret::Full, |()| Ret::Done)
            }
            _ => Self::batch(growing, call),
        }
    }

    /// What the room says is right whenever no thread changes it or replaces the table; nothing is
    /// promised while somebody does.
    fn check_state<W: SimWarp, M: Memory>(&self, w: &mut W, m: M) -> Result<(), Breach> {
        let at = Place::now(m);
        let (slots, stats) = (self.table.slots(at.size), self.table.stats(w, m, at));
        let used = stats.live + stats.tombstones;
        if used > slots {
            return Err(breach(format!("{used} slots are taken of {slots}")));
        }
        match (room(m), locks(m).all(|lock| lock == ALONE)) {
            (Some(room), true) if room.promised > 0 => {
                return Err(breach(format!(
                    "a thread has the table alone, and {} slots are promised",
                    room.promised
                )));
            }
            (Some(room), false) => {
                room.check(&stats).map_err(|overdrawn| breach(overdrawn.to_string()))?;
                if room.limit > slots {
                    return Err(breach(format!("{} slots may be taken of {slots}", room.limit)));
                }
            }
            // Somebody changes the room, or the table.
            _ => {}
        }
        self.table.check(w, m, at, false)
    }

    /// Nobody holds anything, and nothing is promised.
    fn check_quiescent<W: SimWarp, M: Memory>(&self, w: &mut W, m: M) -> Result<(), Breach> {
        let (true, Some(room)) = (locks(m).all(|lock| lock == 0), room(m)) else {
            return Err(breach("a lock is held"));
        };
        if room.promised > 0 {
            return Err(breach(format!("{} slots stay promised", room.promised)));
        }
        let at = Place::now(m);
        let stats = self.table.stats(w, m, at);
        let used = stats.live + stats.tombstones;
        if (self.exact || room.exact) && room.taken != used {
            return Err(breach(format!("{} slots count as taken, {used} are", room.taken)));
        }
        // The last call stores one more key: a table that was full before it has doubled.
        let most = u64::from(self.config.buckets).max(2 * stats.live.saturating_sub(1));
        if self.gives_back && !self.may_fail && room.limit > most {
            return Err(breach(format!("{} slots may be taken, {most} at most", room.limit)));
        }
        self.table.check(w, m, at, true)
    }

    /// There was no memory for a call that resizes the table, or none for what a batch needs now.
    fn exhausted<M: Memory>(&self, m: M, _: u64) -> Option<bool> {
        Some(failures(m) > 0)
    }

    fn show(&self, array: usize, index: usize, value: u128) -> String {
        match (array, index) {
            (LOCKS, _) => {
                ["free", "shared", "alone"].get(value as usize).map_or("?", |said| said).to_string()
            }
            (ROOM, _) => {
                room_of(value as u64).map_or("held".to_string(), |Room { limit, taken, promised, exact }| {
                    let of = if exact { "entries" } else { "taken" };
                    format!("{taken} {of} and {promised} promised of {limit}")
                })
            }
            (WHICH, 1..) => value.to_string(),
            (WHICH, _) => {
                let Place { place, size } = Place::of(value as u32);
                format!("place {place}, size {size}")
            }
            _ => self.table.show(array - BEFORE, value),
        }
    }

    fn word(&self, array: usize, index: usize) -> String {
        let own = array.saturating_sub(BEFORE);
        match (array, index) {
            (LOCKS, thread) => format!("table lock of thread {thread}"),
            (ROOM, _) => "room".to_string(),
            (WHICH, 0) => "table".to_string(),
            (WHICH, 1) => "attempts".to_string(),
            (WHICH, _) => "failures".to_string(),
            _ => {
                let arrays = self.table.arrays();
                let name = arrays.get(own).map_or("?", |array| array.name);
                // Two arrays of a name are those of the two places.
                if arrays.len() > 1 {
                    format!("{name} of place {}[{index}]", own / 2)
                } else {
                    format!("{name} of place {index}")
                }
            }
        }
    }

    fn about(&self) -> Vec<String> {
        vec![
            "Host threads, one warp of one lane each, share a table; who replaces it by a larger one has it alone."
                .to_string(),
            "The room says how many slots may be taken, how many are, and how many running batches may take."
                .to_string(),
            self.table.about(),
        ]
    }
}
