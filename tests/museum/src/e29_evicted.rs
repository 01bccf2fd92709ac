//! Exhibit 29: a key that only a register holds.
//!
//! Source: owensgroup/BGHT, the bucketed cuckoo hash table.
//!
//! An insert whose bucket is full exchanges its own entry for one that is there, and goes on with that one:
//! to its other bucket. Between the two exchanges the evicted key is in no bucket (29a). If the chain is as
//! long as it may be, the insert gives up: the key that it was asked to add is there, and the one that it
//! holds is gone (29b).
//!
//! Reduced: buckets of one slot, a chain of two.

use crate::cuckoo::{SLOTS as BUCKETS, homes, keys, other_home, ours};
use crate::exhibit::{Exhibit, Snapshot, calls, run};
use warpproof_model::spec::{Call, Map, Op, Ret};
use warpproof_model::{IntegerWords, Order, ReadOrder, Words};
use warpproof_simt::check::{Array, Config, Kind, Memory, Scenario, SimWarp, Subject};

const EMPTY: u64 = u64::MAX;
/// Exchanges of an insert.
const CHAIN: usize = 2;

/// A table of pairs: the key in the low half of a word.
#[derive(Clone, Debug)]
struct Evicting;

impl Evicting {
    fn insert<S: IntegerWords<u64>>(slots: S, call: &Call) -> Ret {
        let mut carried = call.key | call.value << 32;
        let mut at = homes(call.key)[0];
        for _ in 0..CHAIN {
            // AcqRel: a stronger order than published.
            let evicted = slots.swap(at, carried, Order::AcqRel);
            if evicted == EMPTY {
                return Ret::Inserted;
            }
            carried = evicted;
            at = other_home(carried & 0xffff_ffff, at);
        }
        Ret::Full
    }
}

impl Subject for Evicting {
    type Spec = Map;

    fn spec(&self) -> Map {
        Map { may_fill: true }
    }

    fn arrays(&self) -> Vec<Array> {
        vec![Array::new("slots", 64, vec![EMPTY.into(); BUCKETS])]
    }

    fn about(&self) -> Vec<String> {
        vec!["A cuckoo table with buckets of one slot: a key is in one of two buckets. 1:10 is key 1 with the value 10.".into()]
    }

    fn run<W: SimWarp, M: Memory>(&self, _w: &mut W, m: M, call: &Call) -> Ret {
        let slots = m.w64(0);
        match call.op {
            Op::InsertUnique => Self::insert(slots, call),
            Op::Search => {
                // Acquire: a stronger order than published.
                let words = homes(call.key).map(|at| slots.load(at, ReadOrder::Acquire));
                let found = words.into_iter().find(|&word| word != EMPTY && word as u32 == call.key as u32);
                Ret::Value(found.map(|word| word >> 32))
            }
            _ => Ret::Done,
        }
    }

    fn show(&self, _array: usize, _index: usize, value: u128) -> String {
        match value as u64 {
            EMPTY => "empty".to_string(),
            word => format!("{}:{}", word as u32, word >> 32),
        }
    }

    fn word(&self, _array: usize, index: usize) -> String {
        format!("bucket {index}")
    }
}

pub(crate) fn exhibits() -> Vec<Exhibit> {
    let scenario = |id: &str, preload: &str, programs: &[&str], finally: &str| {
        let config = Config { lanes: 1, buckets: BUCKETS as u32, ..Config::default() };
        let programs = programs.iter().map(|program| calls(program)).collect();
        let mut scenario = Scenario::new(format!("museum/{id}"), "bght", config, programs);
        (scenario.preload, scenario.finally) = (calls(preload), calls(finally));
        scenario.allows.full = true;
        scenario
    };
    let exhibit = |id, defect, shows, scenario| Exhibit {
        id,
        source: "BGHT, bcht",
        defect,
        kind: Kind::NotLinearizable,
        shows,
        snapshot: Snapshot::Found,
        lanes: false,
        published: run(Evicting),
        repairs: vec![ours()],
        scenario,
    };
    // A key that comes to a full bucket, the one that has to go, and those in the other buckets.
    let ([comes], [moved], [stays], [last]) = (keys(0, 1), keys(0, 2), keys(1, 0), keys(2, 1));
    let insert = format!("insert_unique {comes} 40");
    vec![
        exhibit(
            "29a",
            "an evicted key is in no bucket until it is in its other one: a search misses it",
            "search",
            scenario(
                "29a",
                &format!("insert_unique {moved} 10; insert_unique {stays} 20"),
                &[&insert, &format!("search {moved}")],
                &format!("search {comes}"),
            ),
        ),
        exhibit(
            "29b",
            "an insert that gives up keeps its own key and drops another",
            "search",
            scenario(
                "29b",
                &format!("insert_unique {moved} 10; insert_unique {stays} 20; insert_unique {last} 30"),
                &[&insert],
                &format!("search {moved}; search {last}; search {comes}"),
            ),
        ),
    ]
}
