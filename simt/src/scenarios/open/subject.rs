//! The open-addressing table as a subject, for every entry type.

use crate::check::{Array, Breach, Config, Kind, Memory, SimWarp, Subject};
use crate::scenarios::entry::Entry;
use crate::scenarios::home::{homes_of_keys, plural, run, show};
use std::marker::PhantomData;
use warpproof_model::open::{Broken, DoubleHashing, OpenTable, Passed, filter_words};
use warpproof_model::spec::{Call, Map, Op, Ret};
use warpproof_model::{ReadOrder, UserKey, Word, Words};

/// Classes of the filter.
const CLASSES: u32 = 2;

/// An open-addressing table with `S` slots per lane in a bucket.
#[derive(Clone, Debug)]
pub struct OpenSubject<E, const S: usize> {
    config: Config,
    may_fill: bool,
    /// Whether a call adds to a value.
    adds: bool,
    kind: PhantomData<E>,
}

type Filter<M> = Passed<<M as Memory>::W32, CLASSES>;
type Table<E, M, const S: usize> = OpenTable<E, <E as Entry>::Words<M>, Filter<M>, DoubleHashing, S>;

impl<E: Entry, const S: usize> OpenSubject<E, S> {
    /// A table of the size of `config`.
    pub const fn new(config: Config, may_fill: bool) -> Self {
        Self { config, may_fill, adds: false, kind: PhantomData }
    }

    /// The same with calls that add to values.
    #[must_use]
    pub fn with_adds(self) -> Self {
        Self { adds: true, ..self }
    }

    fn table<M: Memory>(&self, m: M) -> Table<E, M, S> {
        OpenTable::new(E::words(m, 0), Passed::new(m.w32(1)), self.config.buckets)
    }

    const fn bucket_slots(&self) -> usize {
        self.config.lanes as usize * S
    }

    const fn slots(&self) -> usize {
        self.config.buckets as usize * self.bucket_slots()
    }
}

impl<E: Entry, const S: usize> Subject for OpenSubject<E, S> {
    type Spec = Map;

    fn spec(&self) -> Map {
        Map { may_fill: self.may_fill }
    }

    fn arrays(&self) -> Vec<Array> {
        let ones = if E::WIDTH == 128 { u128::MAX } else { (1 << E::WIDTH) - 1 };
        let filter = filter_words::<CLASSES>(self.config.buckets);
        vec![
            Array::new("slots", E::WIDTH, vec![ones; self.slots()]),
            Array::new("filter", 32, vec![0; filter]),
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

    /// A slot is empty, then holds one key, then none; a bit of the filter stays.
    fn transition(&self, array: usize, _: usize, old: u128, new: u128) -> bool {
        if array != 0 {
            return old & !new == 0;
        }
        let (old, new) = (E::key(E::Word::from_bits(old)), E::key(E::Word::from_bits(new)));
        let (empty, tombstone) = (E::key(E::EMPTY), E::key(E::MARK));
        old == empty && new != empty && new != tombstone
            || old != empty && old != tombstone && (new == old || new == tombstone)
    }

    /// No slot is empty.
    fn exhausted<M: Memory>(&self, m: M, _: u64) -> bool {
        let words = E::words(m, 0);
        // Relaxed: read alone.
        (0..self.slots()).all(|at| E::key(words.load(at, ReadOrder::Relaxed)) != E::key(E::EMPTY))
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
            _ => format!("filter {index}"),
        }
    }

    fn about(&self) -> Vec<String> {
        let entries = match size_of::<E::Value>() {
            0 => "a slot holds a key",
            _ => "5:10 in a slot is key 5 with value 10",
        };
        vec![
            format!(
                "An open-addressing table of {}, each with {}; the filter has {CLASSES} bits for each.",
                plural(self.config.buckets as usize, "bucket"),
                plural(self.bucket_slots(), "slot"),
            ),
            format!(
                "Of the words, {entries}; the slot of a tombstone is not used again. The home of a key: {}.",
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
