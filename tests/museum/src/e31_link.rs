//! Exhibit 31: an entry is linked before it is marked as occupied.
//!
//! Source: stotko/stdgpu, pull request 25 (unordered_map and unordered_set). A bucket is an entry, and more
//! entries are linked to it by offsets; an entry counts when its bit says *occupied*. Insert looks for the
//! key; finds the last entry of the chain; tries to lock *that entry*; looks for the key and the last entry
//! again; takes a fresh entry, writes it, links it, sets its bit; unlocks. A warp that does not get the lock
//! starts over.
//!
//! After the entry is linked and before its bit is set, the key is not found, and its entry is the last one.
//! Warp 1 locks that entry, which no warp has locked, and links the same key after it.
//!
//! Look at the two locks: they are of different entries. (The memory orders here are stronger than the
//! published ones, so that only the order of the two writes is wrong.)

use crate::exhibit::{Exhibit, Snapshot, calls, repair, run};
use warpproof_model::spec::{Call, Multimap, Op, Ret};
use warpproof_model::{IntegerWords, Order, ReadOrder, Words, WriteOrder};
use warpproof_simt::check::{Array, Breach, Config, Kind, Memory, Scenario, SimWarp, Subject};

/// A pair that was never written.
const NONE: u64 = u64::MAX;
/// The bucket and the entries for the rest of its chain.
const ENTRIES: usize = 3;
const PAIRS: usize = 0;
const OFFSETS: usize = 1;
const OCCUPIED: usize = 2;
const LOCKS: usize = 3;
const FRESH: usize = 4;

/// One bucket with its chain.
#[derive(Clone, Debug)]
struct Chain {
    /// The repair: an entry is occupied, then linked.
    occupied_first: bool,
}

impl Chain {
    /// The entry after `at`, if there is one.
    fn next<M: Memory>(m: M, at: usize) -> Option<usize> {
        // Acquire: pairs with the Release in `append`: what is linked is written.
        match m.w32(OFFSETS).load(at, ReadOrder::Acquire) {
            0 => None,
            offset => Some(at + offset as usize),
        }
    }

    fn last<M: Memory>(m: M) -> usize {
        let mut at = 0;
        while let Some(next) = Self::next(m, at) {
            at = next;
        }
        at
    }

    /// The value of a key.
    fn find<M: Memory>(m: M, key: u64) -> Option<u64> {
        let mut at = Some(0);
        while let Some(entry) = at {
            // Acquire: pairs with the Release in `occupy`: what counts is written.
            if m.w32(OCCUPIED).load(entry, ReadOrder::Acquire) != 0 {
                // Relaxed: ordered by the Acquire above.
                let pair = m.w64(PAIRS).load(entry, ReadOrder::Relaxed);
                if pair as u32 == key as u32 {
                    return Some(pair >> 32);
                }
            }
            at = Self::next(m, entry);
        }
        None
    }

    fn occupy<M: Memory>(m: M, at: usize) {
        // Release: pairs with the Acquire in `find`.
        m.w32(OCCUPIED).fetch_or(at, 1, Order::Release);
    }

    fn write<M: Memory>(m: M, at: usize, call: &Call) {
        // Relaxed: published by the Release in `occupy`.
        m.w64(PAIRS).store(at, call.key | call.value << 32, WriteOrder::Relaxed);
    }

    /// Called under the lock of `last`.
    fn append<M: Memory>(&self, m: M, last: usize, call: &Call) -> bool {
        // Relaxed: the number alone counts.
        let new = m.w32(FRESH).fetch_add(0, 1, Order::Relaxed) as usize;
        if new >= ENTRIES {
            return false;
        }
        Self::write(m, new, call);
        // Release: pairs with the Acquire in `next`.
        let link = || m.w32(OFFSETS).store(last, (new - last) as u32, WriteOrder::Release);
        if self.occupied_first {
            Self::occupy(m, new);
            link();
        } else {
            link();
            Self::occupy(m, new);
        }
        true
    }

    /// One try, which others may spoil.
    fn try_insert<M: Memory>(&self, m: M, call: &Call) -> bool {
        // Acquire: as in `find`.
        let is_free = || m.w32(OCCUPIED).load(0, ReadOrder::Acquire) == 0;
        let free = is_free();
        let at = if free { 0 } else { Self::last(m) };
        // Acquire: pairs with the Release of the unlock below.
        if m.w32(LOCKS).fetch_or(at, 1, Order::Acquire) != 0 {
            return false;
        }
        let done = if Self::find(m, call.key).is_some() {
            false
        } else if free {
            let still = is_free();
            if still {
                Self::write(m, 0, call);
                Self::occupy(m, 0);
            }
            still
        } else {
            Self::last(m) == at && self.append(m, at, call)
        };
        // Release: pairs with the Acquire of the lock above.
        m.w32(LOCKS).store(at, 0, WriteOrder::Release);
        done
    }

    fn insert<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
        while Self::find(m, call.key).is_none() {
            if self.try_insert(m, call) {
                return Ret::Inserted;
            }
            w.pause();
        }
        Ret::Present
    }
}

impl Subject for Chain {
    type Spec = Multimap;

    fn spec(&self) -> Multimap {
        Multimap::default()
    }

    fn arrays(&self) -> Vec<Array> {
        vec![
            Array::new("pairs", 64, vec![NONE.into(); ENTRIES]),
            Array::new("offsets", 32, vec![0; ENTRIES]),
            Array::new("occupied", 32, vec![0; ENTRIES]),
            Array::new("locks", 32, vec![0; ENTRIES]),
            Array::new("fresh", 32, vec![1]),
        ]
    }

    fn about(&self) -> Vec<String> {
        vec!["A bucket is an entry, and more entries are linked to it by offsets. An entry counts when its word in occupied is 1.".into(), "1:10 is key 1 with the value 10; fresh is the next entry that nobody has taken.".into()]
    }

    fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
        match call.op {
            Op::InsertUnique => self.insert(w, m, call),
            Op::Search => Ret::Value(Self::find(m, call.key)),
            _ => Ret::Done,
        }
    }

    /// No key stands twice.
    fn check_quiescent<W: SimWarp, M: Memory>(&self, _w: &mut W, m: M) -> Result<(), Breach> {
        let mut seen: Vec<u32> = Vec::new();
        let mut at = Some(0);
        while let Some(entry) = at {
            // Relaxed: read alone.
            let key = m.w64(PAIRS).load(entry, ReadOrder::Relaxed) as u32;
            if seen.contains(&key) {
                return Err(Breach::new(Kind::DuplicateKey, format!("key {key} stands twice")));
            }
            seen.push(key);
            at = Self::next(m, entry);
        }
        Ok(())
    }

    fn show(&self, array: usize, _index: usize, value: u128) -> String {
        match (array, value as u64) {
            (PAIRS, NONE) => "none".to_string(),
            (PAIRS, pair) => format!("{}:{}", pair as u32, pair >> 32),
            (OFFSETS, 0) => "end".to_string(),
            (_, word) => word.to_string(),
        }
    }
}

pub(crate) fn exhibits() -> Vec<Exhibit> {
    let config = Config { lanes: 1, buckets: 1, pool: ENTRIES as u32 - 1, ..Config::default() };
    let programs = vec![calls("insert_unique 5 50"), calls("insert_unique 5 51")];
    let mut scenario = Scenario::new("museum/31", "stdgpu", config, programs);
    scenario.preload = calls("insert_unique 1 10");
    scenario.finally = calls("search 5");
    vec![Exhibit {
        id: "31",
        source: "stdgpu, PR 25",
        defect: "an entry is linked before it is occupied",
        kind: Kind::DuplicateKey,
        shows: "key 5 stands twice",
        snapshot: Snapshot::Found,
        lanes: false,
        published: run(Chain { occupied_first: false }),
        repairs: vec![repair("occupied, then linked", Chain { occupied_first: true })],
        scenario,
    }]
}
