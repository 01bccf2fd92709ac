//! The slab hash as a subject, for every entry type.

use super::pool::free_slabs;
use crate::check::{Array, Breach, Config, Kind, Memory, SimWarp, Subject, View};
use crate::scenarios::entry::Entry;
use crate::scenarios::home::SEED;
use crate::scenarios::listing::check_list;
use std::marker::PhantomData;
use warpproof_model::entry::{Key32, Pair32, Pair64};
use warpproof_model::outcome::{Insert, Op as Mixed};
use warpproof_model::reclaim::{bitmap_words, free_word};
use warpproof_model::reserved::WithChain;
use warpproof_model::slab::{
    Broken, Link, LockWordSlots, Multi, Multiplicity, PackedSlots, SlabTable, Slots,
};
use warpproof_model::spec::{Call, Multimap, Op, Ret};
use warpproof_model::{Key, ReadOrder, UserKey, WarpMap, Word, Words};

/// Stands where a search for all should have handed out a value and did not: no pair has it.
const NO_VALUE: u64 = u64::MAX;

/// An entry type: which arrays it needs and how keys and values become numbers.
pub trait Layout: Copy + Send + Sync + 'static {
    /// Its keys.
    type Key: Key;
    /// Its values.
    type Value: Word;
    /// Its slots over some memory.
    type Slots<M: Memory, U: Multiplicity>: Slots<Key = Self::Key, Value = Self::Value, Multiplicity = U>;

    /// Name and width of every array of slots; the first one is probed.
    const ARRAYS: &'static [(&'static str, u32)];

    /// The slots.
    fn slots<M: Memory, U: Multiplicity>(m: M) -> Self::Slots<M, U>;
    /// A value of a call.
    fn value(value: u64) -> Self::Value;
    /// A value for a return.
    fn number(value: Self::Value) -> u64;
}

impl<E: Entry> Layout for E {
    type Key = E::Key;
    type Value = E::Value;
    type Slots<M: Memory, U: Multiplicity> = PackedSlots<E, E::Words<M>, U>;

    const ARRAYS: &'static [(&'static str, u32)] = &[("slots", E::WIDTH)];

    fn slots<M: Memory, U: Multiplicity>(m: M) -> Self::Slots<M, U> {
        PackedSlots::new(E::words(m, 0))
    }
    fn value(value: u64) -> E::Value {
        Word::from_bits(value.into())
    }
    fn number(value: E::Value) -> u64 {
        value.to_bits() as u64
    }
}

/// u32 pairs in 64-bit words.
pub type Map32 = Pair32;
/// u32 keys.
pub type Set32 = Key32;
/// u64 pairs in 128-bit words.
pub type Map64 = Pair64;

/// u64 pairs in two words, the key's one locked while the value is written.
#[derive(Clone, Copy, Debug)]
pub struct Lock64;

impl Layout for Lock64 {
    type Key = u64;
    type Value = u64;
    type Slots<M: Memory, U: Multiplicity> = LockWordSlots<M::W64, U>;
    const ARRAYS: &'static [(&'static str, u32)] = &[("keys", 64), ("values", 64)];

    fn slots<M: Memory, U: Multiplicity>(m: M) -> Self::Slots<M, U> {
        LockWordSlots::new(m.w64(0), m.w64(1))
    }
    fn value(value: u64) -> u64 {
        value
    }
    fn number(value: u64) -> u64 {
        value
    }
}

/// A slab hash table with `S` slots per lane, of unique keys or not.
#[derive(Clone, Debug)]
pub struct SlabSubject<L, U, const S: usize> {
    config: Config,
    /// At quiescence no key stands twice.
    unique: bool,
    may_fill: bool,
    /// Whether there is a chain of the reserved keys.
    reserved: bool,
    kind: PhantomData<(L, U)>,
}

pub(super) type Table<L, U, M, const S: usize> = SlabTable<<L as Layout>::Slots<M, U>, <M as Memory>::W32, S>;
/// The slots of a layout, for looking at single words.
type Look<L> = <L as Layout>::Slots<View<'static>, Multi>;

/// A table, and a key in it.
type Place<L, U, M, const S: usize> = (Table<L, U, M, S>, UserKey<<L as Layout>::Key>);

impl<L: Layout, U: Multiplicity, const S: usize> SlabSubject<L, U, S> {
    /// A table of the size of `config`. `unique`: no call is a multi-insert.
    pub const fn new(config: Config, unique: bool, may_fill: bool) -> Self {
        Self { config, unique, may_fill, reserved: false, kind: PhantomData }
    }

    /// This table, with a chain of the reserved keys.
    #[must_use]
    pub fn with_reserved(self) -> Self {
        Self { reserved: true, ..self }
    }

    const BITMAP: usize = L::ARRAYS.len();

    pub(super) fn table<M: Memory>(&self, m: M) -> Table<L, U, M, S> {
        SlabTable::new(L::slots(m), m.w32(Self::BITMAP), self.config.buckets, SEED)
    }

    fn all_keys<M: Memory>(&self, m: M) -> WithChain<Table<L, U, M, S>> {
        SlabTable::of_all_keys(L::slots(m), m.w32(Self::BITMAP), self.config.buckets, SEED)
    }

    /// The table that has a key, and the key there.
    fn of<M: Memory>(&self, m: M, key: L::Key) -> Option<Place<L, U, M, S>> {
        if self.reserved { Some(self.all_keys(m).of(key)) } else { Some((self.table(m), UserKey::new(key)?)) }
    }

    /// Base slabs: those of the buckets, and of the reserved keys.
    const fn base_slabs(&self) -> u32 {
        self.config.buckets + self.reserved as u32
    }

    const fn slab_slots(&self) -> usize {
        self.config.lanes as usize * S
    }

    const fn is_link(&self, index: usize) -> bool {
        (index + 1).is_multiple_of(self.slab_slots())
    }

    fn word(value: u128) -> <Look<L> as Slots>::Word {
        Word::from_bits(value)
    }
}

impl<L: Layout, U: Multiplicity, const S: usize> Subject for SlabSubject<L, U, S> {
    type Spec = Multimap;

    fn spec(&self) -> Multimap {
        Multimap { may_fill: self.may_fill }
    }

    fn arrays(&self) -> Vec<Array> {
        let slots = (self.base_slabs() + self.config.pool) as usize * self.slab_slots();
        let arrays = L::ARRAYS.iter().map(|&(name, width)| Array::ones(name, width, slots));
        let pool = self.config.pool;
        let bitmap = (0..bitmap_words(pool)).map(|index| free_word(pool, index).into()).collect();
        arrays.chain([Array::new("bitmap", 32, bitmap)]).collect()
    }

    /// Values are only stored; the hint that spreads warps over the pool is the slab.
    fn exchangeable(&self) -> bool {
        true
    }

    fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
        let Some((table, key)) = self.of(m, L::Key::from_bits(call.key.into())) else { return Ret::Done };
        let value = L::value(call.value);
        match call.op {
            // In a table of unique keys this is a unique insert.
            Op::Insert => match Insert::from_code(table.mixed(w, Mixed::Insert, key, value).tell(w).code) {
                Some(outcome) => outcome.into(),
                None => Ret::Done,
            },
            Op::InsertUnique => table.insert_unique(w, key, value).into(),
            Op::InsertOrAssign => table.insert_or_assign(w, key, value).into(),
            Op::Search => Ret::Value(table.search(w, key).map(L::number)),
            Op::Count => Ret::Count(table.count(w, key).into()),
            Op::SearchAll => {
                let mut values = Vec::new();
                let count = table.search_all(w, key, |_, number, value| {
                    values.resize(number as usize, NO_VALUE);
                    values.push(L::number(value));
                });
                values.resize(count as usize, NO_VALUE);
                values.sort_unstable();
                Ret::Values(values)
            }
            Op::Delete => table.delete(w, key).into(),
            Op::DeleteAll => Ret::Count(table.delete_all(w, key).into()),
            _ => Ret::Done,
        }
    }

    /// A search never waits.
    fn reads_after_stall(&self) -> bool {
        true
    }

    fn check_state<W: SimWarp, M: Memory>(&self, w: &mut W, m: M) -> Result<(), Breach> {
        let checked =
            if self.reserved { self.all_keys(m).check_state(w) } else { self.table(m).check_state(w) };
        checked.map_err(breach)
    }

    /// The table is right by its own account, and lists all entries of its slots. With reserved keys, no
    /// listing is checked.
    fn check_quiescent<W: SimWarp, M: Memory>(&self, w: &mut W, m: M) -> Result<(), Breach> {
        if self.reserved {
            return self.all_keys(m).check_quiescent(w, self.unique).map_err(breach);
        }
        let (table, slots) = (self.table(m), L::slots::<M, U>(m));
        table.check_quiescent(w, self.unique).map_err(breach)?;
        let entry = |at| {
            // Relaxed: read alone.
            let word = slots.probe().load(at, ReadOrder::Relaxed);
            let key = UserKey::new(L::Slots::<M, U>::key(word))?;
            Some((key.get().to_bits(), slots.value(at, word).to_bits()))
        };
        let held = (0..slots.probe().len()).filter(|&at| !self.is_link(at)).filter_map(entry).collect();
        let live = |w: &mut W, part| table.live(w, part);
        check_list(w, table.parts(), held, live, |w, part, sink| table.visit(w, part, sink))
    }

    /// A slot goes empty, pending, live, tombstone, with one owner; a link is written once.
    fn transition(&self, array: usize, index: usize, old: u128, new: u128) -> bool {
        if array != 0 {
            return true;
        }
        let (old, new) = (Self::word(old), Self::word(new));
        if self.is_link(index) {
            return Link::from_word(old) == Link::NIL && Link::from_word(new) != Link::NIL;
        }
        if old == new {
            return true;
        }
        let is_live = |word| UserKey::new(Look::<L>::key(word)).is_some();
        match (is_live(old), is_live(new)) {
            (false, true) if Look::<L>::PENDING => Look::<L>::is_pending(old),
            (false, true) => Look::<L>::is_empty(old),
            (true, true) => Look::<L>::key(old) == Look::<L>::key(new),
            (true, false) => Look::<L>::is_tombstone(new),
            (false, false) => Look::<L>::is_empty(old) && Look::<L>::is_pending(new),
        }
    }

    /// What a key needs is a slab.
    fn exhausted<M: Memory>(&self, m: M, _: u64) -> Option<bool> {
        let bitmap = m.w32(Self::BITMAP);
        // Relaxed: read alone.
        Some((0..bitmap.len()).all(|index| bitmap.load(index, ReadOrder::Relaxed) == u32::MAX))
    }

    fn show(&self, array: usize, index: usize, value: u128) -> String {
        if array == Self::BITMAP {
            return free_slabs(value as u32, self.base_slabs() + 32 * index as u32);
        }
        if array == 1 {
            return value.to_string();
        }
        let word = Self::word(value);
        if self.is_link(index) {
            return Link::from_word(word).next().map_or("nil".to_string(), |slab| format!("slab {}", slab.0));
        }
        if Look::<L>::is_empty(word) {
            return "empty".to_string();
        }
        if Look::<L>::is_tombstone(word) {
            return "tombstone".to_string();
        }
        match L::ARRAYS {
            [(_, 32)] => format!("{value}"),
            [(_, 64)] => format!("{}:{}", value as u32, value >> 32),
            [(_, 128)] => format!("{}:{}", value as u64, value >> 64),
            _ if Look::<L>::is_pending(word) => "locked".to_string(),
            _ => format!("{value}"),
        }
    }

    fn word(&self, array: usize, index: usize) -> String {
        if array == Self::BITMAP {
            return format!("pool, bitmap {index}");
        }
        let (slab, slot) = (index / self.slab_slots(), index % self.slab_slots());
        let slab = match slab as u32 {
            bucket if bucket < self.config.buckets => format!("bucket {bucket}"),
            slab if slab < self.base_slabs() => "reserved keys".to_string(),
            slab => format!("slab {slab}"),
        };
        let part = match (L::ARRAYS.len(), array) {
            (1, _) => "slot",
            (_, 0) => "key",
            _ => "value",
        };
        match self.is_link(index) {
            true if array == 0 => format!("{slab}, link"),
            true => format!("{slab}, unused"),
            false => format!("{slab}, {part} {slot}"),
        }
    }

    fn about(&self) -> Vec<String> {
        let (buckets, pool) = (self.config.buckets, self.config.pool);
        let (first, last) = (self.base_slabs(), self.base_slabs() + pool);
        let pairs = match L::ARRAYS {
            [(_, 32)] => "a slot holds a key",
            [_] => "5:10 in a slot is key 5 with value 10",
            _ => "a key and its value are two words, and the key's is locked until the value is there",
        };
        let slabs = match pool {
            0 => "the pool is empty".to_string(),
            1 => format!("slab {first} comes from the pool"),
            2 => format!("slabs {first} and {} come from the pool", last - 1),
            _ => format!("slabs {first} to {} come from the pool", last - 1),
        };
        vec![
            format!(
                "A hash table of {buckets} bucket{}: a chain of slabs with {} each. The link of a slab names the                  next one of its chain, nil at the end; {slabs}, whose bitmap tells which are free.",
                if buckets == 1 { "" } else { "s" },
                match self.slab_slots() - 1 {
                    1 => "one slot".to_string(),
                    slots => format!("{slots} slots"),
                },
            ),
            format!("Of the words, {pairs}; a tombstone is a deleted pair, and its slot is not used again."),
        ]
    }
}

fn breach(broken: Broken) -> Breach {
    let kind = match broken {
        Broken::LostSlab { .. } => Kind::LostSlab,
        Broken::DuplicateKey { .. } => Kind::DuplicateKey,
        _ => Kind::Invariant,
    };
    Breach::new(kind, broken.to_string())
}
