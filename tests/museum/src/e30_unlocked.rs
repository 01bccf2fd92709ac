//! Exhibit 30: a lock that is given back too early, and one that its own warp waits for.
//!
//! Source: NVIDIA-Merlin/HierarchicalKV, issues 239 and 229.
//!
//! 30a. An insert into a full bucket locks the key of a slot, and one kernel writes the new key, which
//! unlocks it; the value is written by a later kernel. A find in between returns the value of the key that
//! was there before.
//!
//! 30b. Each group of a few lanes probes for a key and locks it. Two groups of one warp have the same key:
//! one gets the lock, and the other loops until it gets it too. But the first goes on, and unlocks, only when
//! both have left the loop. Reduced: a group is a lane.

use crate::exhibit::{Exhibit, Snapshot, calls, repair, run};
use warpproof_model::spec::{Call, Map, Op, Ret};
use warpproof_model::{Order, ReadOrder, Words, WriteOrder};
use warpproof_simt::check::{Array, Config, Kind, Memory, Scenario, SimWarp, Subject};

/// The key word of a slot that is locked.
const LOCKED: u64 = u64::MAX - 1;

/// A bucket of one slot, which is full: every insert evicts.
#[derive(Clone, Debug)]
struct Evicting {
    /// The repair: the value is written, then the key.
    value_first: bool,
}

impl Subject for Evicting {
    type Spec = Map;

    fn spec(&self) -> Map {
        Map::default()
    }

    fn arrays(&self) -> Vec<Array> {
        vec![Array::new("key", 64, vec![1]), Array::new("value", 64, vec![10])]
    }

    fn about(&self) -> Vec<String> {
        vec![
            "A bucket of one slot, which is full: an insert takes the place of the key that is there.".into(),
        ]
    }

    fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
        let (keys, values) = (m.w64(0), m.w64(1));
        match call.op {
            Op::InsertUnique => {
                let mut seen = keys.load(0, ReadOrder::Relaxed);
                // Acquire: with the Release below.
                while seen == LOCKED || keys.compare_exchange(0, seen, LOCKED, Order::Acquire) != seen {
                    w.pause();
                    seen = keys.load(0, ReadOrder::Relaxed);
                }
                // Relaxed: the Release of the key orders it, where that comes later.
                let write = || values.store(0, call.value, WriteOrder::Relaxed);
                // Release: a stronger order than published.
                let unlock = || keys.store(0, call.key, WriteOrder::Release);
                if self.value_first {
                    write();
                    unlock();
                } else {
                    unlock();
                    write();
                }
                Ret::Inserted
            }
            _ => {
                // Acquire: with the Release of the key.
                if keys.load(0, ReadOrder::Acquire) != call.key {
                    return Ret::Value(None);
                }
                Ret::Value(Some(values.load(0, ReadOrder::Acquire)))
            }
        }
    }

    fn show(&self, array: usize, _index: usize, value: u128) -> String {
        if array == 0 && value as u64 == LOCKED { "locked".to_string() } else { value.to_string() }
    }
}

/// A key that the lanes of a warp lock and count up.
#[derive(Clone, Debug)]
struct Groups {
    /// The repair: a warp that gets the lock gives it back before the others try again.
    in_turn: bool,
}

impl Subject for Groups {
    type Spec = warpproof_model::spec::Multimap;

    fn spec(&self) -> Self::Spec {
        Self::Spec::default()
    }

    fn arrays(&self) -> Vec<Array> {
        vec![Array::new("lock", 32, vec![0]), Array::new("value", 64, vec![0])]
    }

    fn about(&self) -> Vec<String> {
        vec!["A lock and the value that it protects; the lock is 1 where it is taken. Each lane of the warp wants it.".into()]
    }

    fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, _call: &Call) -> Ret {
        let (locks, values) = (m.w32(0), m.w64(1));
        // Acquire and Release: stronger orders than published.
        let take = || locks.compare_exchange(0, 0, 1, Order::Acquire) == 0;
        let add = || {
            values.store(0, values.load(0, ReadOrder::Relaxed) + 1, WriteOrder::Relaxed);
            locks.store(0, 0, WriteOrder::Release);
        };
        if self.in_turn {
            let mut done = w.each(|_| false);
            loop {
                done = w.map(done, |_, done| {
                    let turn = !done && take();
                    if turn {
                        add();
                    }
                    done || turn
                });
                if w.ballot(done).popc() == W::LANES {
                    return Ret::Done;
                }
                w.pause();
            }
        }
        w.each(|_| while !take() {});
        w.each(|_| add());
        Ret::Done
    }
}

pub(crate) fn exhibits() -> Vec<Exhibit> {
    let scenario = |id: &str, lanes: u32, programs: &[&str]| {
        let config = Config { lanes, buckets: 1, ..Config::default() };
        let programs = programs.iter().map(|program| calls(program)).collect();
        Scenario::new(format!("museum/{id}"), "hierarchical_kv", config, programs)
    };
    let source = "HierarchicalKV";
    vec![
        Exhibit {
            id: "30a",
            source,
            defect: "a slot is unlocked before its value is written: a find returns the old one",
            kind: Kind::NotLinearizable,
            shows: "search 2",
            snapshot: Snapshot::Found,
            lanes: false,
            published: run(Evicting { value_first: false }),
            repairs: vec![repair("the value is written first", Evicting { value_first: true })],
            scenario: scenario("30a", 1, &["insert_unique 2 20", "search 2"]),
        },
        Exhibit {
            id: "30b",
            source,
            defect: "a lane waits for a lock of its own warp",
            kind: Kind::StepBound,
            shows: "cas Acquire",
            snapshot: Snapshot::Found,
            lanes: false,
            published: run(Groups { in_turn: false }),
            repairs: vec![repair(
                "who has the lock gives it back before the others try again",
                Groups { in_turn: true },
            )],
            scenario: scenario("30b", 2, &["grow 0"]),
        },
    ]
}
