//! The open-addressing table as a subject, for every entry type.

use super::scheme::{DoubleHashed, Scheme};
use crate::check::{Array, Breach, Config, Kind, Memory, SimWarp, Subject};
use crate::scenarios::entry::Entry;
use crate::scenarios::home::{homes_of_keys, plural, run, show};
use std::marker::PhantomData;
use warpproof_model::key::fastrange;
use warpproof_model::open::{Broken, OpenTable, Probing};
use warpproof_model::spec::{Call, Map, Op, Ret};
use warpproof_model::{Key, ReadOrder, UserKey, Word, Words};

/// An open-addressing table with `S` slots per lane in a bucket, and keys that probe as `C` says.
#[derive(Clone, Debug)]
pub struct OpenSubject<E, const S: usize, C = DoubleHashed> {
    config: Config,
    may_fill: bool,
    /// Whether a call adds to a value.
    adds: bool,
    /// Whether a free slot may go from one bucket to another by several calls of a warp: an insert that makes room may miss it.
    room_moves: bool,
    kind: PhantomData<(E, C)>,
}

type Table<E, M, C, const S: usize> =
    OpenTable<E, <E as Entry>::Words<M>, <C as Scheme>::Filter<M>, <C as Scheme>::Probing, S>;

impl<E: Entry, C: Scheme, const S: usize> OpenSubject<E, S, C> {
    /// A table of the size of `config`.
    pub const fn new(config: Config, may_fill: bool) -> Self {
        Self { config, may_fill, adds: false, room_moves: false, kind: PhantomData }
    }

    /// The same with calls that add to values.
    #[must_use]
    pub fn with_adds(self) -> Self {
        Self { adds: true, ..self }
    }

    /// The same with programs that take a key out and put one in.
    #[must_use]
    pub fn with_moving_room(self) -> Self {
        Self { room_moves: true, ..self }
    }

    fn table<M: Memory>(&self, m: M) -> Table<E, M, C, S> {
        OpenTable::new(E::words(m, 0), C::filter(m), self.config.buckets)
    }

    const fn bucket_slots(&self) -> usize {
        self.config.lanes as usize * S
    }

    const fn slots(&self) -> usize {
        self.config.buckets as usize * self.bucket_slots()
    }

    /// Whether a slot that holds a tombstone is free for an insert.
    const fn reuses() -> bool {
        C::Probing::CHAIN > 0
    }

    /// The first and the second bucket of a key.
    fn two_buckets(&self, key: E::Key) -> [u32; 2] {
        let (hash, buckets) = (key.hash(), self.config.buckets);
        let first = fastrange(hash, buckets);
        [first, (first + C::Probing::stride(hash, buckets)) % buckets]
    }

    /// Whether so many moves make a slot of a bucket free, each of a key from its first bucket to its second.
    fn frees(&self, keys: &[E::Key], bucket: u32, moves: u32) -> bool {
        let slots = self.bucket_slots();
        let mut here = keys[bucket as usize * slots..][..slots].iter();
        match moves {
            0 => here.any(|&key| UserKey::new(key).is_none()),
            _ => here.any(|&key| {
                let [first, second] = self.two_buckets(key);
                UserKey::new(key).is_some()
                    && (first, second != first) == (bucket, true)
                    && self.frees(keys, second, moves - 1)
            }),
        }
    }
}

impl<E: Entry, C: Scheme, const S: usize> Subject for OpenSubject<E, S, C> {
    type Spec = Map;

    fn spec(&self) -> Map {
        Map { may_fill: self.may_fill }
    }

    fn arrays(&self) -> Vec<Array> {
        let ones = if E::WIDTH == 128 { u128::MAX } else { (1 << E::WIDTH) - 1 };
        let beside = (u32::BITS / C::CLASSES) as usize;
        vec![
            Array::new("slots", E::WIDTH, vec![ones; self.slots()]),
            Array::new(C::BESIDE, 32, vec![0; (self.config.buckets as usize).div_ceil(beside)]),
        ]
    }

    /// Values are only stored, unless some are added.
    fn exchangeable(&self) -> bool {
        !self.adds
    }

    fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
        let table = self.table(m);
        match (call.op, UserKey::new(E::Key::from_bits(call.key.into()))) {
            (Op::InsertOrAdd, Some(key)) => {
                table.insert_or_add(w, key, E::Value::from_bits(call.value.into())).into()
            }
            _ => run(table, w, call),
        }
    }

    fn check_state<W: SimWarp, M: Memory>(&self, w: &mut W, m: M) -> Result<(), Breach> {
        self.table(m).check_state(w).map_err(breach)
    }

    fn check_quiescent<W: SimWarp, M: Memory>(&self, w: &mut W, m: M) -> Result<(), Breach> {
        self.table(m).check_quiescent(w).map_err(breach)
    }

    /// A slot is empty, then holds one key, then none, and where keys move another one; a bit of a filter stays.
    fn transition(&self, array: usize, _: usize, old: u128, new: u128) -> bool {
        if array != 0 {
            return Self::reuses() || old & !new == 0;
        }
        let (old, new) = (E::key(E::Word::from_bits(old)), E::key(E::Word::from_bits(new)));
        let (empty, tombstone) = (E::key(E::EMPTY), E::key(E::MARK));
        let free = old == empty || Self::reuses() && old == tombstone;
        free && new != empty && new != tombstone
            || old != empty && old != tombstone && (new == old || new == tombstone)
    }

    /// No slot is empty; where keys move, none of the key's two buckets is free, and no chain of moves makes it so. Where a free slot
    /// may move, none of the key's two buckets is empty.
    fn exhausted<M: Memory>(&self, m: M, key: u64) -> bool {
        let words = E::words(m, 0);
        // Relaxed: read alone.
        let key_at = |at| E::key(words.load(at, ReadOrder::Relaxed));
        let keys: Vec<E::Key> = (0..self.slots()).map(key_at).collect();
        if !Self::reuses() {
            return keys.iter().all(|&key| key != E::key(E::EMPTY));
        }
        let buckets = self.two_buckets(E::Key::from_bits(key.into()));
        if self.room_moves {
            let slots = |bucket| &keys[bucket as usize * self.bucket_slots()..][..self.bucket_slots()];
            return buckets.iter().all(|&bucket| slots(bucket).iter().all(|&key| key != E::key(E::EMPTY)));
        }
        let free = |moves| buckets.iter().any(|&bucket| self.frees(&keys, bucket, moves));
        !(0..=C::Probing::CHAIN).any(free)
    }

    fn show(&self, array: usize, _: usize, value: u128) -> String {
        if array != 0 {
            return format!("{value:#b}");
        }
        let word = E::Word::from_bits(value);
        match E::key(word) {
            key if key == E::key(E::EMPTY) => "empty".to_string(),
            key if key == E::key(E::MARK) => "tombstone".to_string(),
            _ => show::<E>(word),
        }
    }

    fn word(&self, array: usize, index: usize) -> String {
        match array {
            0 => format!("bucket {}, slot {}", index / self.bucket_slots(), index % self.bucket_slots()),
            _ => format!("{} {index}", C::BESIDE),
        }
    }

    fn about(&self) -> Vec<String> {
        let entries = match size_of::<E::Value>() {
            0 => "a slot holds a key",
            _ => "5:10 in a slot is key 5 with value 10",
        };
        let (beside, slot) = if Self::reuses() {
            ("each has a lock, and keys move from their first bucket to their second", "free")
        } else {
            ("the filter has 2 bits for each", "not used again")
        };
        vec![
            format!(
                "An open-addressing table of {}, each with {}; {beside}.",
                plural(self.config.buckets as usize, "bucket"),
                plural(self.bucket_slots(), "slot"),
            ),
            format!(
                "Of the words, {entries}; the slot of a tombstone is {slot}. The home of a key: {}.",
                homes_of_keys::<E>(self.config.buckets),
            ),
        ]
    }
}

fn breach(broken: Broken) -> Breach {
    let kind = match broken {
        Broken::DuplicateKey { .. } => Kind::DuplicateKey,
        _ => Kind::Invariant,
    };
    Breach::new(kind, broken.to_string())
}
