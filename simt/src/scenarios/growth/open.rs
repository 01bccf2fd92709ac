//! An open-addressing table of the library, small: what shows that the protocol and the table go together.

use super::table::{BEFORE, Place, Table};
use crate::check::{Array, Breach, Config, Kind, Memory, SimWarp};
use crate::scenarios::home::{SEED, plural, show};
use std::ops::Range;
use warpproof_model::entry::{Packed, Pair32};
use warpproof_model::growth::value_of;
use warpproof_model::host::{OpenGeometry, OpenStats};
use warpproof_model::open::{Broken, DoubleHashing, OpenTable, OverflowFilter, filter_words};
use warpproof_model::{Delete, Insert, ReadOrder, UserKey, Words, WriteOrder};

/// Slots of a bucket.
const S: usize = 1;
/// Classes of the filter.
const CLASSES: u32 = 2;

/// Open addressing with buckets of one slot. Its size is the number of buckets; a place has the slots of so
/// many as the configuration's `reach` says, then their filter.
#[derive(Clone, Copy, Debug)]
pub struct Open {
    most: u32,
}

type At<M> =
    OpenTable<Pair32, <M as Memory>::W64, OverflowFilter<<M as Memory>::W32, CLASSES>, DoubleHashing, S>;

impl Open {
    fn words<M: Memory>(m: M, at: Place) -> M::W64 {
        m.w64(BEFORE + 2 * at.place)
    }

    fn filter<M: Memory>(m: M, at: Place) -> M::W32 {
        m.w32(BEFORE + 2 * at.place + 1)
    }

    fn table<M: Memory>(m: M, at: Place) -> At<M> {
        OpenTable::new(Self::words(m, at), OverflowFilter::new(Self::filter(m, at), at.size), at.size, SEED)
    }

    fn key(key: u64) -> UserKey<u32> {
        UserKey::new(key as u32).expect("scenarios name small keys")
    }

    /// What the slots of a table hold, from the lowest on.
    fn held<M: Memory>(m: M, at: Place) -> impl Iterator<Item = u64> {
        // Relaxed: an entry is right by itself.
        (0..at.size as usize * S).map(move |slot| Self::words(m, at).load(slot, ReadOrder::Relaxed))
    }
}

impl Table for Open {
    const STRUCTURE: &'static str = "growth_open";

    fn new(config: &Config) -> Self {
        Self { most: config.reach }
    }

    fn arrays(&self) -> Vec<Array> {
        let slots = || Array::new("slots", 64, vec![Pair32::EMPTY.into(); self.most as usize * S]);
        let filter = || Array::new("filter", 32, vec![0; filter_words(CLASSES, self.most)]);
        vec![slots(), filter(), slots(), filter()]
    }

    fn slots(&self, size: u32) -> u64 {
        size as u64 * S as u64
    }

    fn size(&self, slots: u64) -> u32 {
        OpenGeometry::new(slots, 1.0, S as u32).expect("a small size").buckets
    }

    fn insert<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, at: Place, keys: Range<u64>) -> Vec<bool> {
        let insert = |key| match Self::table(m, at).insert_unique(w, Self::key(key), value_of(key) as u32) {
            Insert::Inserted => true,
            Insert::Present => false,
            Insert::Full => panic!("no slot was empty for key {key}"),
        };
        keys.map(insert).collect()
    }

    fn delete<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, at: Place, key: u64) -> bool {
        Self::table(m, at).delete(w, Self::key(key)) == Delete::Deleted
    }

    fn search<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, at: Place, key: u64) -> Option<u64> {
        Self::table(m, at).search(w, Self::key(key)).map(u64::from)
    }

    fn stats<W: SimWarp, M: Memory>(&self, _: &mut W, m: M, at: Place) -> OpenStats {
        let count = |of: fn(u32) -> bool| Self::held(m, at).filter(|&word| of(Pair32::key(word))).count();
        OpenStats {
            live: count(|key| UserKey::new(key).is_some()) as u64,
            tombstones: count(|key| key == Pair32::key(Pair32::MARK)) as u64,
        }
    }

    fn empty<M: Memory>(&self, m: M, at: Place) {
        // Relaxed, both: the lock of the table orders them.
        (0..at.size as usize * S)
            .for_each(|slot| Self::words(m, at).store(slot, Pair32::EMPTY, WriteOrder::Relaxed));
        (0..filter_words(CLASSES, at.size))
            .for_each(|word| Self::filter(m, at).store(word, 0, WriteOrder::Relaxed));
    }

    fn absorb<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, from: Place, to: Place, half: bool) {
        let slots = from.size as usize * S;
        for word in Self::held(m, from).take(if half { slots / 2 } else { slots }) {
            assert!(
                Self::table(m, to).absorb(w, word),
                "the new table has no room for {}",
                show::<Pair32>(word)
            );
        }
    }

    fn check<W: SimWarp, M: Memory>(
        &self,
        w: &mut W,
        m: M,
        at: Place,
        quiescent: bool,
    ) -> Result<(), Breach> {
        let table = Self::table(m, at);
        let checked = if quiescent { table.check_quiescent(w) } else { table.check_state(w) };
        checked.map_err(|broken| match broken {
            Broken::DuplicateKey { .. } => Breach::new(Kind::DuplicateKey, broken.to_string()),
            _ => Breach::new(Kind::Invariant, broken.to_string()),
        })
    }

    fn show(&self, array: usize, value: u128) -> String {
        let word = value as u64;
        match Pair32::key(word) {
            _ if array % 2 == 1 => format!("{value:#b}"),
            key if key == Pair32::key(Pair32::EMPTY) => "empty".to_string(),
            key if key == Pair32::key(Pair32::MARK) => "tombstone".to_string(),
            _ => show::<Pair32>(word),
        }
    }

    fn about(&self) -> String {
        format!(
            "The table is one of open addressing of at most {}, each with {}; 5:50 is key 5 with value 50.",
            plural(self.most as usize, "bucket"),
            plural(S, "slot")
        )
    }
}
