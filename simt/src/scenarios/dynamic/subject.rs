//! The table that grows by submaps as a subject, for every entry type.

use crate::check::{Access, Array, Breach, Config, Memory, SimWarp, Subject};
use crate::scenarios::entry::Entry;
use crate::scenarios::home::{SEED, entries, homes_of_keys, plural, run, show};
use crate::scenarios::listing::{check_list, entries_among};
use crate::scenarios::open::breach;
use core::marker::PhantomData;
use warpproof_model::dynamic::{Added, DynamicTable, Submaps, submap_buckets};
use warpproof_model::open::{Bounded, DoubleHashing, OpenTable, OverflowFilter, filter_words};
use warpproof_model::spec::{Call, Map, Op, Ret};
use warpproof_model::{Order, ReadOrder, UserKey, WarpMap, Word, Words, WriteOrder};

/// Classes of the filter.
const CLASSES: u32 = 2;
/// Buckets of a submap that a key probes.
pub(super) const PROBES: u32 = 2;
/// What the memory of a submap holds before it is made: the lowest key, which programs name, in every slot,
/// and all bits of the filter.
pub(super) const OLD_KEY: u64 = 1;
const OLD_SLOT: u128 = OLD_KEY as u128;
const OLD_FILTER: u32 = u32::MAX;

/// An open-addressing table that grows by submaps, with `S` slots per lane in a bucket.
#[derive(Clone, Debug)]
pub struct DynamicSubject<E, const S: usize> {
    config: Config,
    may_fill: bool,
    /// Whether a call adds to a value.
    adds: bool,
    kind: PhantomData<E>,
}

/// What an array is.
enum Kept {
    Slots(usize),
    Filter(usize),
    Published,
    Claimed,
    Made,
}

impl<E: Entry, const S: usize> DynamicSubject<E, S> {
    /// A table of the size of `config`: `buckets` of the first submap, at most `reach` submaps, of which
    /// inserts may add `pool`.
    pub const fn new(config: Config, may_fill: bool) -> Self {
        Self { config, may_fill, adds: false, kind: PhantomData }
    }

    /// This table, with calls that add to values.
    #[must_use]
    pub fn with_adds(self) -> Self {
        Self { adds: true, ..self }
    }

    fn parts<M: Memory>(&self, m: M) -> Parts<E, M, S> {
        let Config { lanes, buckets, reach, pool, ref bitmap, .. } = self.config;
        let by_lock = !bitmap.is_empty();
        Parts { m, lanes, buckets, most: reach, by_inserts: pool, by_lock, entry: PhantomData }
    }

    fn table<M: Memory>(&self, m: M) -> DynamicTable<Parts<E, M, S>, M::W32, S> {
        let parts = self.parts(m);
        DynamicTable::new(parts, m.w32(parts.published()))
    }

    const fn submaps(&self) -> usize {
        self.config.reach as usize
    }

    const fn bucket_slots(&self) -> usize {
        self.config.lanes as usize * S
    }

    fn kept(&self, array: usize) -> Kept {
        match array {
            _ if array == 2 * self.submaps() => Kept::Published,
            _ if array == 2 * self.submaps() + 1 => Kept::Claimed,
            _ if array > 2 * self.submaps() => Kept::Made,
            _ if array.is_multiple_of(2) => Kept::Slots(array / 2),
            _ => Kept::Filter(array / 2),
        }
    }
}

/// The submaps in the memory of the checker: slots and filter of each, one after the other, then the words
/// that say how many are published and how many some warp has begun to make, besides the first. Or the latter
/// is a lock, as tables on a CPU have, and a third word says how many were made.
#[derive(Clone, Copy)]
pub struct Parts<E, M, const S: usize> {
    m: M,
    lanes: u32,
    buckets: u32,
    most: u32,
    by_inserts: u32,
    by_lock: bool,
    entry: PhantomData<E>,
}

impl<E: Entry, M: Memory, const S: usize> Parts<E, M, S> {
    const fn published(self) -> usize {
        2 * self.most as usize
    }

    const fn claimed(self) -> usize {
        self.published() + 1
    }

    fn slots(self, index: u32) -> usize {
        submap_buckets(self.buckets, index) as usize * self.lanes as usize * S
    }

    /// The word of how many submaps were made under the lock.
    fn made(self) -> M::W32 {
        self.m.w32(self.claimed() + 1)
    }

    /// Runs `f` under the lock, unless another warp has it.
    fn locked(self, f: impl FnOnce() -> Added) -> Added {
        let lock = self.m.w32(self.claimed());
        // Acquire: pairs with the Release below, as those of a mutex do.
        if lock.compare_exchange(0, 0, 1, Order::Acquire) != 0 {
            return Added::Soon;
        }
        let added = f();
        lock.store(0, 0, WriteOrder::Release);
        added
    }

    /// Empties the memory of a submap.
    fn empty(self, index: u32) {
        let table = self.at(index);
        let (slots, filter) = (E::words(self.m, 2 * index as usize), self.m.w32(2 * index as usize + 1));
        // Relaxed, both: nothing reads them before they are published.
        (0..self.slots(index)).for_each(|at| slots.store(at, E::EMPTY, WriteOrder::Relaxed));
        let words = filter_words(CLASSES, table.buckets());
        (0..words).for_each(|at| filter.store(at, 0, WriteOrder::Relaxed));
    }

    /// Adds a submap, whoever may add some.
    fn add(self, index: u32) -> Added {
        let any = Self { by_inserts: self.most, ..self };
        DynamicTable::new(any, self.m.w32(self.published())).add_submap(index)
    }
}

impl<E: Entry, M: Memory, const S: usize> Submaps<S> for Parts<E, M, S> {
    type Entry = E;
    type Words = E::Words<M>;
    type Filter = OverflowFilter<M::W32, CLASSES>;
    type Probing = Bounded<DoubleHashing, PROBES>;

    fn at(self, index: u32) -> OpenTable<E, Self::Words, Self::Filter, Self::Probing, S> {
        let array = 2 * index as usize;
        let buckets = submap_buckets(self.buckets, index) as u32;
        OpenTable::new(
            E::words(self.m, array),
            OverflowFilter::new(self.m.w32(array + 1), buckets),
            buckets,
            SEED,
        )
    }

    /// Each submap is claimed once, unless there is a lock.
    fn one_at_a_time(self, index: u32, f: impl FnOnce() -> Added) -> Added {
        if index > self.by_inserts || index >= self.most {
            return Added::Never;
        }
        if self.by_lock {
            return self.locked(f);
        }
        // Relaxed: it only says whose turn it is.
        let claimed = self.m.w32(self.claimed()).compare_exchange(0, index - 1, index, Order::Relaxed);
        if claimed == index - 1 { f() } else { Added::Soon }
    }

    fn make(self, index: u32) -> bool {
        // Relaxed, both: under the lock.
        if self.by_lock && self.made().load(0, ReadOrder::Relaxed) >= index {
            return true;
        }
        self.empty(index);
        if self.by_lock {
            self.made().store(0, index, WriteOrder::Relaxed);
        }
        true
    }
}

impl<E: Entry, const S: usize> Subject for DynamicSubject<E, S> {
    type Spec = Map;

    fn spec(&self) -> Map {
        Map { may_fill: self.may_fill }
    }

    fn arrays(&self) -> Vec<Array> {
        let submap = |index: usize| {
            let buckets = submap_buckets(self.config.buckets, index as u32) as usize;
            let (slot, filter) =
                if index == 0 { (E::EMPTY.to_bits(), 0) } else { (OLD_SLOT, OLD_FILTER.into()) };
            [
                Array::new("slots", E::WIDTH, vec![slot; buckets * self.bucket_slots()]),
                Array::new("filter", 32, vec![filter; filter_words(CLASSES, buckets as u32)]),
            ]
        };
        let one = |name| Array::new(name, 32, vec![0]);
        let arrays = (0..self.submaps()).flat_map(submap).chain([one("published"), one("claimed")]);
        arrays.chain((!self.config.bitmap.is_empty()).then(|| one("made"))).collect()
    }

    /// Values are only stored, unless some are added.
    fn exchangeable(&self) -> bool {
        !self.adds
    }

    fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
        let table = self.table(m);
        match (call.op, UserKey::new(E::Key::from_bits(call.key.into()))) {
            (Op::Grow, _) => {
                let parts = self.parts(m);
                w.elect(0, || parts.add(table.submaps()) == Added::Now);
                w.sync();
                Ret::Done
            }
            (Op::Count, Some(key)) => {
                let mut found = 0;
                for bucket in 0..table.buckets() {
                    table.visit(w, bucket, |_, _, seen, _| found += u64::from(seen == key.get()));
                }
                Ret::Count(found)
            }
            (Op::InsertOrAdd, Some(key)) => {
                table.insert_or_add(w, key, E::Value::from_bits(call.value.into())).into()
            }
            _ => run(table, w, call),
        }
    }

    /// A search reads each slot once at most.
    fn bound(&self, call: &Call) -> Option<u32> {
        let slots = |index| submap_buckets(self.config.buckets, index as u32) as usize * self.bucket_slots();
        (call.op == Op::Search).then(|| (0..self.submaps()).map(slots).sum::<usize>() as u32)
    }

    fn counts(&self, array: usize, _: Access) -> bool {
        matches!(self.kept(array), Kept::Slots(_))
    }

    /// A search never waits.
    fn reads_after_stall(&self) -> bool {
        true
    }

    fn check_state<W: SimWarp, M: Memory>(&self, w: &mut W, m: M) -> Result<(), Breach> {
        self.table(m).check_state(w).map_err(breach)
    }

    /// The table is right by its own account, and lists all entries of its submaps.
    fn check_quiescent<W: SimWarp, M: Memory>(&self, w: &mut W, m: M) -> Result<(), Breach> {
        let (table, parts) = (self.table(m), self.parts(m));
        table.check_quiescent(w).map_err(breach)?;
        // Relaxed: read alone.
        let word = |index: u32, at| E::words(m, 2 * index as usize).load(at, ReadOrder::Relaxed);
        let words = |index| (0..parts.slots(index)).map(move |at| word(index, at));
        let held = entries_among::<E>((0..table.submaps()).flat_map(words));
        let live = |w: &mut W, part| table.live(w, part);
        check_list(w, table.parts(), held, live, |w, part, sink| table.visit(w, part, sink))
    }

    /// A slot is made empty once, then holds one key, then none; a bit of the filter stays; numbers grow by
    /// one.
    fn transition(&self, array: usize, _: usize, old: u128, new: u128) -> bool {
        let empty = E::EMPTY.to_bits();
        match self.kept(array) {
            Kept::Slots(index) if index > 0 && old == OLD_SLOT && new == empty => true,
            Kept::Filter(index) if index > 0 && old == OLD_FILTER.into() => new == 0,
            Kept::Filter(_) => old & !new == 0,
            Kept::Claimed if !self.config.bitmap.is_empty() => old + new == 1,
            Kept::Published | Kept::Claimed | Kept::Made => new == old + 1,
            Kept::Slots(_) => {
                let (old, new) = (E::key(E::Word::from_bits(old)), E::key(E::Word::from_bits(new)));
                let (empty, tombstone) = (E::key(E::EMPTY), E::key(E::MARK));
                old == empty && new != empty && new != tombstone
                    || old != empty && old != tombstone && (new == old || new == tombstone)
            }
        }
    }

    /// No slot is empty in the first submap; if inserts add submaps, all are there, and no slot is empty in
    /// any. Keys of these tables probe all buckets. A warp need not know of a submap that another one has
    /// added.
    fn exhausted<M: Memory>(&self, m: M, _: u64) -> Option<bool> {
        let parts = self.parts(m);
        let known = if parts.by_inserts > 0 { parts.most } else { 1 };
        let full = |index| {
            let words = E::words(m, 2 * index as usize);
            // Relaxed: read alone.
            (0..parts.slots(index)).all(|at| E::key(words.load(at, ReadOrder::Relaxed)) != E::key(E::EMPTY))
        };
        Some(self.table(m).submaps() >= known && (0..known).all(full))
    }

    fn show(&self, array: usize, _: usize, value: u128) -> String {
        match self.kept(array) {
            Kept::Published | Kept::Claimed | Kept::Made => value.to_string(),
            Kept::Filter(_) => format!("{value:#b}"),
            Kept::Slots(_) => {
                let word = E::Word::from_bits(value);
                match E::key(word) {
                    key if key == E::key(E::EMPTY) => "empty".to_string(),
                    key if key == E::key(E::MARK) => "tombstone".to_string(),
                    _ => show::<E>(word),
                }
            }
        }
    }

    fn word(&self, array: usize, index: usize) -> String {
        let (bucket, slot) = (index / self.bucket_slots(), index % self.bucket_slots());
        match self.kept(array) {
            Kept::Slots(submap) => format!("submap {submap}, bucket {bucket}, slot {slot}"),
            Kept::Filter(submap) => format!("filter {submap}[{index}]"),
            Kept::Published => "published".to_string(),
            Kept::Claimed => "claimed".to_string(),
            Kept::Made => "made".to_string(),
        }
    }

    fn about(&self) -> Vec<String> {
        let entries = entries::<E>();
        let who = if self.config.pool > 0 { "Inserts add them." } else { "Calls of grow add them." };
        vec![
            format!(
                "An open-addressing table of at most {}, the first of {}, each with {}. {who}",
                plural(self.submaps(), "submap"),
                plural(self.config.buckets as usize, "bucket"),
                plural(self.bucket_slots(), "slot"),
            ),
            format!(
                "Of the words, {entries}; `published` says how many submaps there are besides the first, `claimed` how many some \
                 warp has begun to make. The home of a key in the first: {}.",
                homes_of_keys::<E::Key>(self.config.buckets),
            ),
        ]
    }
}
