//! The open-addressing table as a subject, for every entry type.

use super::filters::{Bits, Filters};
use super::layout::Layout;
use crate::check::{Access, Array, Breach, Config, Kind, Memory, SimWarp, Subject, View};
use crate::scenarios::applied::{AppliedMap, update_of};
use crate::scenarios::home::{SEED, homes_of_keys, plural, run};
use crate::scenarios::listing::{check_list, entries_among};
use std::marker::PhantomData;
use warpproof_model::entry::Packed;
use warpproof_model::open::{Broken, DoubleHashing, OpenSlots, OpenTable};
use warpproof_model::spec::{Call, Map, Op, Ret};
use warpproof_model::{UserKey, WarpMap, Word};

/// An open-addressing table with `S` slots per lane in a bucket, keys that probe by double hashing, and the
/// filter `F`.
#[derive(Clone, Debug)]
pub struct OpenSubject<L, const S: usize, F = Bits> {
    config: Config,
    may_fill: bool,
    /// Whether a call adds to a value.
    adds: bool,
    kind: PhantomData<(L, F)>,
}

type Table<L, M, F, const S: usize> =
    OpenTable<<L as Layout>::Entry, <L as Layout>::Slots<M>, <F as Filters>::Of<M>, DoubleHashing, S>;
type Key<L> = <<L as Layout>::Entry as Packed>::Key;
type Value<L> = <<L as Layout>::Entry as Packed>::Value;
/// The slots of a layout, for looking at single words.
type Seen<L> = <L as Layout>::Slots<View<'static>>;

impl<L: Layout, const S: usize, F: Filters> OpenSubject<L, S, F> {
    /// The array of the filter.
    const FILTER: usize = L::ARRAYS.len();

    /// A table of the size of `config`.
    pub const fn new(config: Config, may_fill: bool) -> Self {
        Self { config, may_fill, adds: false, kind: PhantomData }
    }

    /// This table, with calls that add to values.
    #[must_use]
    pub fn with_adds(self) -> Self {
        Self { adds: true, ..self }
    }

    fn table<M: Memory>(&self, m: M) -> Table<L, M, F, S> {
        let buckets = self.config.buckets;
        OpenTable::new(L::slots(m), F::of(m, Self::FILTER, buckets), buckets, SEED)
    }

    const fn bucket_slots(&self) -> usize {
        self.config.lanes as usize * S
    }

    const fn slots(&self) -> usize {
        self.config.buckets as usize * self.bucket_slots()
    }

    /// The key of what was read of a slot.
    fn key(probed: u128) -> Key<L> {
        Seen::<L>::key(Word::from_bits(probed))
    }

    fn empty() -> Key<L> {
        L::Entry::key(L::Entry::EMPTY)
    }

    fn tombstone() -> Key<L> {
        L::Entry::key(L::Entry::MARK)
    }

    /// Whether the word of a slot says that an insert has taken it, and not shown its entry yet.
    fn is_pending(probed: u128) -> bool {
        L::LOCKS && Seen::<L>::is_pending(Word::from_bits(probed))
    }
}

impl<L: Layout, const S: usize, F: Filters> Subject for OpenSubject<L, S, F> {
    type Spec = AppliedMap;

    fn spec(&self) -> AppliedMap {
        AppliedMap { map: Map { may_fill: self.may_fill }, applies: L::APPLIES }
    }

    fn arrays(&self) -> Vec<Array> {
        let array = |&of: &_| L::array(of, self.slots());
        let filter = F::words(self.config.buckets).map(|words| Array::new("filter", 32, vec![0; words]));
        L::ARRAYS.iter().map(array).chain(filter).collect()
    }

    /// Values are only stored, unless some are added.
    fn exchangeable(&self) -> bool {
        !self.adds
    }

    fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
        let table = self.table(m);
        match (call.op, UserKey::new(Key::<L>::from_bits(call.key.into()))) {
            (Op::InsertOrAdd, Some(key)) => {
                L::add(table, w, (key, Value::<L>::from_bits(call.value.into()))).into()
            }
            (op, Some(key)) if let Some(update) = update_of(op) => {
                let value = Value::<L>::from_bits(call.value.into());
                table.insert_or_update(w, update, key, value).into()
            }
            _ => run(table, w, call),
        }
    }

    /// A search reads each slot once at most; and the key in front of a value once more, if that is a word of
    /// its own.
    fn bound(&self, call: &Call) -> Option<u32> {
        (call.op == Op::Search).then_some(self.slots() as u32 + u32::from(L::LOCKS))
    }

    fn counts(&self, array: usize, _: Access) -> bool {
        array == 0
    }

    /// A search never waits.
    fn reads_after_stall(&self) -> bool {
        true
    }

    fn check_state<W: SimWarp, M: Memory>(&self, w: &mut W, m: M) -> Result<(), Breach> {
        self.table(m).check_state(w).map_err(breach)
    }

    /// The table is right by its own account, and lists all entries of its slots.
    fn check_quiescent<W: SimWarp, M: Memory>(&self, w: &mut W, m: M) -> Result<(), Breach> {
        let (table, slots) = (self.table(m), L::slots(m));
        table.check_quiescent(w).map_err(breach)?;
        let held = entries_among::<L::Entry>((0..self.slots()).map(|at| slots.entry(at)));
        let live = |w: &mut W, part| table.live(w, part);
        check_list(w, table.parts(), held, live, |w, part, sink| table.visit(w, part, sink))
    }

    /// A slot is empty, then pending where a layout has that, then holds one key, then none, whatever value
    /// is beside the tombstone; a bit of the filter stays.
    fn transition(&self, array: usize, _: usize, old: u128, new: u128) -> bool {
        if array == Self::FILTER {
            return old & !new == 0;
        }
        if array != 0 {
            return L::changes(old, new);
        }
        let (was, is) = (Self::key(old), Self::key(new));
        match (Self::is_pending(old), Self::is_pending(new)) {
            (true, pending) => !pending && UserKey::new(is).is_some(),
            (false, true) => was == Self::empty(),
            (false, false) if was == Self::empty() => !L::LOCKS && UserKey::new(is).is_some(),
            (false, false) if was == Self::tombstone() => L::SUMS && is == was,
            (false, false) => is == was || is == Self::tombstone(),
        }
    }

    /// No slot is empty; one that is being filled is not.
    fn exhausted<M: Memory>(&self, m: M, _: u64) -> Option<bool> {
        Some((0..self.slots()).all(|at| L::is_taken(m, at)))
    }

    fn show(&self, array: usize, _: usize, value: u128) -> String {
        match L::ARRAYS.get(array) {
            None => return format!("{value:#b}"),
            Some(&("board", _)) => return format!("{value:#010x}"),
            Some(_) if array != 0 => return value.to_string(),
            Some(_) => {}
        }
        match Self::key(value) {
            _ if Self::is_pending(value) => "locked".to_string(),
            key if key == Self::empty() => "empty".to_string(),
            key if key == Self::tombstone() => "tombstone".to_string(),
            _ => L::show(value),
        }
    }

    fn word(&self, array: usize, index: usize) -> String {
        let part = match L::ARRAYS.get(array) {
            None => return format!("filter {index}"),
            Some(&("board", _)) => return format!("board {index}"),
            Some((name, _)) => name.trim_end_matches('s'),
        };
        format!("bucket {}, {part} {}", index / self.bucket_slots(), index % self.bucket_slots())
    }

    fn about(&self) -> Vec<String> {
        let entries = match (L::LOCKS, size_of::<Value<L>>()) {
            (false, 0) => "a slot holds a key",
            (false, _) => "5:10 in a slot is key 5 with value 10",
            _ => "a key and its value are two words, and the key's is locked until the value is there",
        };
        vec![
            format!(
                "An open-addressing table of {}, each with {}; {}.",
                plural(self.config.buckets as usize, "bucket"),
                plural(self.bucket_slots(), "slot"),
                F::about(self.config.buckets),
            ),
            format!(
                "Of the words, {entries}; the slot of a tombstone is not used again. The home of a key: {}.",
                homes_of_keys::<Key<L>>(self.config.buckets),
            ),
        ]
    }
}

/// What does not hold of the table.
pub(in crate::scenarios) fn breach(broken: Broken) -> Breach {
    let kind = match broken {
        Broken::DuplicateKey { .. } => Kind::DuplicateKey,
        _ => Kind::Invariant,
    };
    Breach::new(kind, broken.to_string())
}
