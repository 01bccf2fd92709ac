//! Exhibit 33: a map with flags beside its keys.
//!
//! Source: the crate flash-map, version 0.5 (its kernels). A slot has a flag word (empty, occupied, tombstone
//! or *inserting*, and the distance from the home slot), a key and a value. Insert walks from the home slot.
//! An occupied slot with its key: the value is stored. Another key nearer to its home: the slot is claimed,
//! the pairs change places, on with the other pair. Empty or a tombstone: the slot is claimed by an exchange
//! of its flag, key and value are stored, a fence, the flag says occupied. A warp that meets *inserting*
//! reads again.
//!
//! 33a. One thread. 4 and 8 have the same home; 4 is removed, and an insert of 8 fills its tombstone. 8
//! stands twice. Look at the last insert: it reads the flag of slot 0 alone.
//!
//! 33b. Warp 0 finds 4 in its slot and is about to store its value. Warp 1 removes 4 and puts 8 into the
//! slot. Warp 0's value is now that of 8. Look at the last two stores to the value word.

use crate::exhibit::{Exhibit, Snapshot, calls, repair, run};
use warpproof_model::spec::{Call, Multimap, Op, Ret};
use warpproof_model::{Order, ReadOrder, Words, WriteOrder};
use warpproof_simt::check::{Array, Breach, Config, Kind, Memory, Scenario, SimWarp, Subject};

const SLOTS: usize = 4;
const EMPTY: u32 = 0;
const OCCUPIED: u32 = 1;
const TOMBSTONE: u32 = 2;
const INSERTING: u32 = 3;
const FLAGS: usize = 0;
const KEYS: usize = 1;
const VALUES: usize = 2;

/// A flag word: the state in the low four bits, the distance above.
const fn flag(state: u32, distance: usize) -> u32 {
    state | (distance as u32) << 4
}

const fn state(flag: u32) -> u32 {
    flag & 0xF
}

const fn distance(flag: u32) -> usize {
    (flag >> 4) as usize
}

/// The map.
#[derive(Clone, Debug)]
struct FlashMap {
    /// Repair of 33a: a tombstone is never filled.
    keeps_tombstones: bool,
    /// Repair of 33b: an update claims its slot and compares the key again; remove looks again if its
    /// exchange fails.
    claims: bool,
}

impl FlashMap {
    fn flag<M: Memory>(m: M, at: usize) -> u32 {
        // Relaxed: as published.
        m.w32(FLAGS).load(at, ReadOrder::Relaxed)
    }

    fn has<M: Memory>(m: M, at: usize, key: u64) -> bool {
        // Relaxed: as published.
        m.w64(KEYS).load(at, ReadOrder::Relaxed) == key
    }

    fn claim<M: Memory>(m: M, at: usize, seen: u32, distance: usize) -> bool {
        // Acquire: pairs with the Release in `publish`.
        m.w32(FLAGS).compare_exchange(at, seen, flag(INSERTING, distance), Order::Acquire) == seen
    }

    fn publish<M: Memory>(m: M, at: usize, distance: usize) {
        // Release: pairs with the Acquire in `claim`. The published fence.
        m.w32(FLAGS).store(at, flag(OCCUPIED, distance), WriteOrder::Release);
    }

    fn store<M: Memory>(m: M, at: usize, (key, value): (u64, u64)) {
        // Relaxed, both: the slot is claimed.
        m.w64(KEYS).store(at, key, WriteOrder::Relaxed);
        m.w64(VALUES).store(at, value, WriteOrder::Relaxed);
    }

    /// The key was seen in this slot. Tells whether its value was stored.
    fn update<M: Memory>(&self, m: M, at: usize, seen: u32, (key, value): (u64, u64)) -> bool {
        // Relaxed: as published.
        let store = || m.w64(VALUES).store(at, value, WriteOrder::Relaxed);
        if !self.claims {
            store();
            return true;
        }
        if !Self::claim(m, at, seen, distance(seen)) {
            return false;
        }
        let mine = Self::has(m, at, key);
        if mine {
            store();
        }
        Self::publish(m, at, distance(seen));
        mine
    }

    fn insert<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
        let mut pair = (call.key, call.value);
        let mut far = 0;
        while far < SLOTS {
            let at = (pair.0 as usize + far) % SLOTS;
            let seen = Self::flag(m, at);
            match state(seen) {
                OCCUPIED if Self::has(m, at, pair.0) => {
                    if self.update(m, at, seen, pair) {
                        return Ret::Replaced;
                    }
                }
                OCCUPIED if far > distance(seen) => {
                    if Self::claim(m, at, seen, far) {
                        // Relaxed, both: the slot is claimed.
                        let key = m.w64(KEYS).load(at, ReadOrder::Relaxed);
                        let value = m.w64(VALUES).load(at, ReadOrder::Relaxed);
                        Self::store(m, at, pair);
                        Self::publish(m, at, far);
                        (pair, far) = ((key, value), distance(seen) + 1);
                    }
                }
                TOMBSTONE if self.keeps_tombstones => far += 1,
                EMPTY | TOMBSTONE => {
                    if Self::claim(m, at, seen, far) {
                        Self::store(m, at, pair);
                        Self::publish(m, at, far);
                        return Ret::Inserted;
                    }
                }
                INSERTING => w.pause(),
                _ => far += 1,
            }
        }
        Ret::Full
    }

    /// The slot of a key, with its flag word.
    fn find<W: SimWarp, M: Memory>(w: &mut W, m: M, key: u64) -> Option<(usize, u32)> {
        let mut far = 0;
        while far < SLOTS {
            let at = (key as usize + far) % SLOTS;
            let seen = Self::flag(m, at);
            match state(seen) {
                EMPTY => return None,
                OCCUPIED if far > distance(seen) => return None,
                OCCUPIED if Self::has(m, at, key) => return Some((at, seen)),
                INSERTING => w.pause(),
                _ => far += 1,
            }
        }
        None
    }

    fn remove<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, key: u64) -> Ret {
        loop {
            let Some((at, seen)) = Self::find(w, m, key) else { return Ret::Absent };
            // Relaxed: as published.
            if m.w32(FLAGS).compare_exchange(at, seen, TOMBSTONE, Order::Relaxed) == seen {
                return Ret::Deleted;
            }
            if !self.claims {
                return Ret::Absent;
            }
        }
    }

    fn search<W: SimWarp, M: Memory>(w: &mut W, m: M, key: u64) -> Ret {
        // Relaxed: as published.
        let value = |at| m.w64(VALUES).load(at, ReadOrder::Relaxed);
        Ret::Value(Self::find(w, m, key).map(|(at, _)| value(at)))
    }
}

impl Subject for FlashMap {
    type Spec = Multimap;

    fn spec(&self) -> Multimap {
        Multimap::default()
    }

    fn arrays(&self) -> Vec<Array> {
        vec![
            Array::new("flags", 32, vec![EMPTY.into(); SLOTS]),
            Array::new("keys", 64, vec![0; SLOTS]),
            Array::new("values", 64, vec![0; SLOTS]),
        ]
    }

    fn about(&self) -> Vec<String> {
        vec!["Slot 0 is flags[0], keys[0] and values[0], and so on. The flag says what is in the slot, and how far from its home.".into()]
    }

    fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
        match call.op {
            Op::InsertOrAssign => self.insert(w, m, call),
            Op::Delete => self.remove(w, m, call.key),
            Op::Search => Self::search(w, m, call.key),
            _ => Ret::Done,
        }
    }

    /// No key stands twice.
    fn check_quiescent<W: SimWarp, M: Memory>(&self, _w: &mut W, m: M) -> Result<(), Breach> {
        let occupied = (0..SLOTS).filter(|&at| state(Self::flag(m, at)) == OCCUPIED);
        // Relaxed: read alone.
        let keys: Vec<_> = occupied.map(|at| m.w64(KEYS).load(at, ReadOrder::Relaxed)).collect();
        match (0..keys.len()).find(|&i| keys[..i].contains(&keys[i])) {
            Some(i) => Err(Breach::new(Kind::DuplicateKey, format!("key {} stands twice", keys[i]))),
            None => Ok(()),
        }
    }

    fn show(&self, array: usize, _index: usize, value: u128) -> String {
        if array != FLAGS {
            return value.to_string();
        }
        let word = value as u32;
        match state(word) {
            EMPTY => "empty".to_string(),
            TOMBSTONE => "tombstone".to_string(),
            OCCUPIED => format!("occupied, {} from home", distance(word)),
            _ => "inserting".to_string(),
        }
    }
}

pub(crate) fn exhibits() -> Vec<Exhibit> {
    let published = FlashMap { keeps_tombstones: false, claims: false };
    let alone = ["insert_or_assign 4 40; insert_or_assign 8 80; delete 4; insert_or_assign 8 81"];
    let mut race = exhibit(
        "33b",
        "the value is stored after a look at the key, without a claim on the slot",
        &["insert_or_assign 4 41", "delete 4; insert_or_assign 8 80"],
        repair(
            "an update claims its slot and compares again, remove looks again after a lost exchange",
            FlashMap { claims: true, ..published.clone() },
        ),
    );
    race.scenario.preload = calls("insert_or_assign 4 40");
    race.scenario.finally = calls("search 4; search 8");
    vec![
        Exhibit {
            kind: Kind::DuplicateKey,
            shows: "key 8 stands twice",
            ..exhibit(
                "33a",
                "a tombstone is filled without a look at the rest of the walk",
                &alone,
                repair("a tombstone is never filled", FlashMap { keeps_tombstones: true, ..published }),
            )
        },
        race,
    ]
}

fn exhibit(
    id: &'static str,
    defect: &'static str,
    programs: &[&str],
    repair: crate::exhibit::Repair,
) -> Exhibit {
    let config = Config { lanes: 1, slots: SLOTS as u32, ..Config::default() };
    let programs = programs.iter().map(|program| calls(program)).collect();
    Exhibit {
        id,
        source: "flash-map 0.5",
        defect,
        kind: Kind::NotLinearizable,
        shows: "search 8 -> value 41",
        snapshot: Snapshot::Found,
        lanes: false,
        published: run(FlashMap { keeps_tombstones: false, claims: false }),
        repairs: vec![repair],
        scenario: Scenario::new(format!("museum/{id}"), "flash-map", config, programs),
    }
}
