//! Exhibit 6: exchange the key, then store the value.
//!
//! Source: the blog's 'plan 1' for 64-bit keys and values, which do not fit one atomic word. An insert
//! exchanges the key word, empty -> key, and stores the value afterwards. The key is visible before its
//! value.
//!
//! 6a. Warp 0 exchanges the key. Warp 1 assigns to the same key: it finds it and stores 20. Warp 0 stores its
//! 10 over it: warp 1's value is lost, although it replaced the other. Look at the two stores of the value
//! word.
//!
//! 6b. Warp 1 inserts the key and learns that it is there; its search finds no value, because the slot's is
//! still that of an empty one.

use crate::e07_plan_two::{PlanTwo, show};
use crate::exhibit::{Exhibit, Snapshot, calls, ours, repair, run};
use warpproof_model::spec::{Call, Multimap, Op, Ret};
use warpproof_model::{Order, ReadOrder, Words, WriteOrder};
use warpproof_simt::check::{Array, Config, Kind, Memory, Scenario, SimWarp, Subject};

const EMPTY: u64 = u64::MAX;
const KEYS: usize = 0;
const VALUES: usize = 1;

/// One slab of one slot per lane.
#[derive(Clone, Debug)]
struct PlanOne {
    lanes: usize,
}

impl PlanOne {
    fn store<W: SimWarp, M: Memory>(w: &mut W, m: M, k: u64, value: u64, assign: bool) -> Ret {
        let (keys, values) = (m.w64(KEYS), m.w64(VALUES));
        loop {
            // Relaxed: as published.
            let row = w.each(|lane| keys.load(lane as usize, ReadOrder::Relaxed));
            let mine = w.map(row, |_, word| word == k);
            if let Some(lane) = w.ballot(mine).ffs() {
                if !assign {
                    return Ret::Present;
                }
                // Relaxed: as published.
                w.elect(lane, || values.store(lane as usize, value, WriteOrder::Relaxed));
                return Ret::Replaced;
            }
            let empty = w.map(row, |_, word| word == EMPTY);
            let Some(lane) = w.ballot(empty).ffs() else { return Ret::Full };
            // Relaxed: as published.
            let take = || keys.compare_exchange(lane as usize, EMPTY, k, Order::Relaxed);
            if w.elect(lane, take) == EMPTY {
                // Relaxed: as published.
                w.elect(lane, || values.store(lane as usize, value, WriteOrder::Relaxed));
                return Ret::Inserted;
            }
        }
    }

    fn search<W: SimWarp, M: Memory>(w: &mut W, m: M, k: u64) -> Ret {
        // Relaxed: as published.
        let row = w.each(|lane| m.w64(KEYS).load(lane as usize, ReadOrder::Relaxed));
        let mine = w.map(row, |_, word| word == k);
        let lane = w.ballot(mine).ffs();
        // Relaxed: as published.
        let read = |lane| m.w64(VALUES).load(lane as usize, ReadOrder::Relaxed);
        let value = lane.map(|lane| w.elect(lane, || read(lane)));
        // As published: a value of all ones says *not found*.
        Ret::Value(value.filter(|value| *value != EMPTY))
    }
}

impl Subject for PlanOne {
    type Spec = Multimap;

    fn spec(&self) -> Multimap {
        Multimap::default()
    }

    fn arrays(&self) -> Vec<Array> {
        let words = vec![EMPTY.into(); self.lanes];
        vec![Array::new("keys", 64, words.clone()), Array::new("values", 64, words)]
    }

    fn about(&self) -> Vec<String> {
        vec!["Slot 0 is keys[0] with values[0], and so on. A key and its value are two words.".into()]
    }

    fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
        match call.op {
            Op::InsertOrAssign | Op::InsertUnique => {
                Self::store(w, m, call.key, call.value, call.op == Op::InsertOrAssign)
            }
            Op::Search => Self::search(w, m, call.key),
            _ => Ret::Done,
        }
    }

    fn show(&self, array: usize, _index: usize, value: u128) -> String {
        show(array, value)
    }
}

pub(crate) fn exhibits() -> Vec<Exhibit> {
    let lost = [calls("insert_or_assign 5 10"), calls("insert_or_assign 5 20")];
    let torn = [calls("insert_or_assign 5 10"), calls("insert_unique 5 20; search 5")];
    vec![
        exhibit("6a", "an update between the key and its value is lost", "key 5", lost),
        exhibit(
            "6b",
            "a search between the key and its value reads no value",
            "search 5 -> value none",
            torn,
        ),
    ]
}

fn exhibit(id: &'static str, defect: &'static str, shows: &'static str, programs: [Vec<Call>; 2]) -> Exhibit {
    let config = Config { lanes: 1, slots: 1, buckets: 1, ..Config::default() };
    let mut scenario = Scenario::new(format!("museum/{id}"), "plan 1", config, programs.to_vec());
    scenario.finally = calls("search 5");
    Exhibit {
        id,
        source: "blog, plan 1",
        defect,
        kind: Kind::NotLinearizable,
        shows,
        snapshot: Snapshot::Found,
        lanes: false,
        published: run(PlanOne { lanes: 1 }),
        repairs: vec![
            repair("the key is locked until its value is stored", PlanTwo::repaired(1)),
            ours("our slab hash, lock word", "lock64", 2),
            ours("our slab hash, 128-bit words", "map64", 2),
        ],
        scenario,
    }
}
