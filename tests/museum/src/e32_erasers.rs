//! Exhibit 32: several warps erase one key, and all of them succeed.
//!
//! Source: kokkos/kokkos, issue 4363 (UnorderedMap::erase). The entries of a hash list are linked by index,
//! and a bitset says which of them are in use. Erase finds the key, tests the bit of its entry, clears it,
//! and returns true, whoever cleared it.
//!
//! Look at the two `and` on the bits: the second one finds its bit clear.

use crate::exhibit::{Exhibit, Snapshot, calls, repair, run};
use warpproof_model::spec::{Call, Multimap, Op, Ret};
use warpproof_model::{IntegerWords, Order, ReadOrder, Words, WriteOrder};
use warpproof_simt::check::{Array, Config, Kind, Memory, Scenario, SimWarp, Subject};

const NIL: u32 = u32::MAX;
const ENTRIES: u32 = 1;
/// The first word is the head of the list, the others are the links of the entries.
const LINKS: usize = 0;
const PAIRS: usize = 1;
const USED: usize = 2;

/// One hash list.
#[derive(Clone, Debug)]
struct UnorderedMap {
    /// The repair: the warp that cleared the bit has erased the key.
    who_cleared: bool,
}

impl UnorderedMap {
    /// The entry of a key, in use or not; else the link where the list ends.
    fn find<M: Memory>(m: M, key: u64) -> Result<u32, usize> {
        let mut link = 0;
        loop {
            // Acquire: pairs with the Release in `insert`.
            let entry = m.w32(LINKS).load(link, ReadOrder::Acquire);
            if entry == NIL {
                return Err(link);
            }
            // Relaxed: ordered by the Acquire above.
            if m.w64(PAIRS).load(entry as usize, ReadOrder::Relaxed) as u32 == key as u32 {
                return Ok(entry);
            }
            link = 1 + entry as usize;
        }
    }

    fn is_used<M: Memory>(m: M, entry: u32) -> bool {
        // Relaxed: as published.
        m.w32(USED).load(0, ReadOrder::Relaxed) & 1 << entry != 0
    }

    /// An entry is taken and written, then linked at the end of the list.
    fn insert<M: Memory>(m: M, call: &Call) -> Ret {
        let mut mine: Option<u32> = None;
        loop {
            let end = match Self::find(m, call.key) {
                Ok(_) => {
                    if let Some(entry) = mine {
                        // Relaxed: no other warp knows of the entry.
                        m.w32(USED).fetch_and(0, !(1 << entry), Order::Relaxed);
                    }
                    return Ret::Present;
                }
                Err(end) => end,
            };
            let entry = match mine {
                Some(entry) => entry,
                None => {
                    // Relaxed, all: a guess that the exchange confirms; the Release below publishes the pair.
                    let entry = m.w32(USED).load(0, ReadOrder::Relaxed).trailing_ones();
                    if entry >= ENTRIES {
                        return Ret::Full;
                    }
                    if m.w32(USED).fetch_or(0, 1 << entry, Order::Relaxed) & 1 << entry != 0 {
                        continue;
                    }
                    let pair = call.key | call.value << 32;
                    m.w64(PAIRS).store(entry as usize, pair, WriteOrder::Relaxed);
                    mine = Some(entry);
                    entry
                }
            };
            // Release: pairs with the Acquire in `find`.
            if m.w32(LINKS).compare_exchange(end, NIL, entry, Order::Release) == NIL {
                return Ret::Inserted;
            }
        }
    }

    fn erase<M: Memory>(&self, m: M, key: u64) -> Ret {
        let Ok(entry) = Self::find(m, key) else { return Ret::Absent };
        if !Self::is_used(m, entry) {
            return Ret::Absent;
        }
        // Relaxed: as published.
        let old = m.w32(USED).fetch_and(0, !(1 << entry), Order::Relaxed);
        if self.who_cleared && old & 1 << entry == 0 { Ret::Absent } else { Ret::Deleted }
    }

    fn search<M: Memory>(m: M, key: u64) -> Ret {
        let entry = Self::find(m, key).ok().filter(|&entry| Self::is_used(m, entry));
        // Relaxed: ordered by the Acquire in `find`.
        let value = |entry: u32| m.w64(PAIRS).load(entry as usize, ReadOrder::Relaxed) >> 32;
        Ret::Value(entry.map(value))
    }
}

impl Subject for UnorderedMap {
    type Spec = Multimap;

    fn spec(&self) -> Multimap {
        Multimap::default()
    }

    fn arrays(&self) -> Vec<Array> {
        vec![
            Array::new("links", 32, vec![NIL.into(); 1 + ENTRIES as usize]),
            Array::new("pairs", 64, vec![0; ENTRIES as usize]),
            Array::new("used", 32, vec![0]),
        ]
    }

    fn run<W: SimWarp, M: Memory>(&self, _w: &mut W, m: M, call: &Call) -> Ret {
        match call.op {
            Op::InsertUnique => Self::insert(m, call),
            Op::Delete => self.erase(m, call.key),
            Op::Search => Self::search(m, call.key),
            _ => Ret::Done,
        }
    }

    fn about(&self) -> Vec<String> {
        vec![
            "A list of entries. Bit 0 of the used bits says whether entry 0 is in use: 1b is yes, 0b is no."
                .into(),
            "1:10 is key 1 with the value 10.".into(),
        ]
    }

    fn word(&self, array: usize, index: usize) -> String {
        match (array, index) {
            (LINKS, 0) => "list, first entry".to_string(),
            (LINKS, entry) => format!("list, entry after {}", entry - 1),
            (PAIRS, entry) => format!("entries, pair {entry}"),
            _ => "entries, used bits".to_string(),
        }
    }

    fn show(&self, array: usize, _index: usize, value: u128) -> String {
        match (array, value as u64) {
            (LINKS, word) if word == u64::from(NIL) => "end".to_string(),
            (PAIRS, pair) => format!("{}:{}", pair as u32, pair >> 32),
            (USED, bits) => format!("{bits:b}b"),
            (_, word) => word.to_string(),
        }
    }
}

pub(crate) fn exhibits() -> Vec<Exhibit> {
    let config = Config { lanes: 1, buckets: 1, pool: ENTRIES, ..Config::default() };
    let mut scenario = Scenario::new("museum/32", "UnorderedMap", config, vec![calls("delete 1"); 2]);
    scenario.preload = calls("insert_unique 1 10");
    scenario.finally = calls("search 1");
    vec![Exhibit {
        id: "32",
        source: "Kokkos, issue 4363",
        defect: "erase succeeds for everyone who saw the key",
        kind: Kind::NotLinearizable,
        shows: "key 1",
        snapshot: Snapshot::Found,
        lanes: false,
        published: run(UnorderedMap { who_cleared: false }),
        repairs: vec![repair("who clears the bit has erased the key", UnorderedMap { who_cleared: true })],
        scenario,
    }]
}
