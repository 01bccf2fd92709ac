//! A batch as a subject: all launches, one block after the other.

use crate::check::{Array, Breach, Config, Kind, Memory, Scenario, SimWarp, Subject};
use crate::scenarios::entry::Entry;
use crate::scenarios::home::{SEED, plural};
use crate::scenarios::member::{Handed, Member};
use crate::scenarios::part::Part;
use crate::scenarios::shares::Shares;
use std::collections::BTreeMap;
use warpproof_model::entry::{Packed, Pair32};
use warpproof_model::host::Tally;
use warpproof_model::open::bulk::{
    Batch, Bin, Bins, Bulk, Outcomes, TALLY, fill_words, insert_words, scatter_words,
};
use warpproof_model::open::{DoubleHashing, OpenTable, OverflowFilter, Probing, filter_place, filter_words};
use warpproof_model::outcome::Insert;
use warpproof_model::partition::{Levels, Partitioning};
use warpproof_model::reserved::{ReservedSlots, WithSlots, reserved_keys, visit_reserved};
use warpproof_model::retrieve::{ReservedEntry, SlotArray, Source};
use warpproof_model::spec::{Call, Ret};
use warpproof_model::{Block, Key, ReadOrder, StagedWords, UserKey, Words};

/// The name of the structure in scenarios.
pub const STRUCTURE: &str = "bulk_map32";
/// The name of the structure in scenarios where each operation is told its outcome.
pub const TOLD: &str = "bulk_told32";

const SLOTS: usize = 0;
const FILTER: usize = 1;
const BATCH: usize = 2;
/// The entries of bins: of every other level, and of the others; of the last level and one more, its
/// overflow.
const ENTRIES: usize = 3;
const COUNTERS: usize = 5;
const TALLIES: usize = 6;
const SCRATCH: usize = 7;
/// The shared words of the first block; those of the others follow.
const SHARED: usize = 8;
/// The numbers of the operations of [`ENTRIES`], and of the others.
const NUMBERS: usize = 9;
const OUTCOMES: usize = 11;
const RESERVED: usize = 12;

/// What an outcome is before it is told.
const UNTOLD: u128 = 77;

/// Classes of keys in the filter.
const CLASSES: u32 = 2;
/// Entries that a warp puts into bins at a time.
const EACH: usize = 2;

type Filter<M> = OverflowFilter<<M as Memory>::W32, CLASSES>;
type Table<M, const S: usize> = OpenTable<Pair32, <M as Memory>::W64, Filter<M>, DoubleHashing, S>;
type Work<M, const S: usize> = Bulk<
    Pair32,
    <M as Memory>::W64,
    Filter<M>,
    DoubleHashing,
    <M as Memory>::W64,
    Codes<<M as Memory>::W32>,
    S,
>;
type BinsOf<M> = Bins<Handed<<M as Memory>::W64>, Handed<<M as Memory>::W32>, Part<<M as Memory>::W32>>;

/// Bytes that change hands as [`Handed`] words do, a word each.
#[derive(Clone, Copy)]
struct Codes<H>(H);

impl<H: Words<u32>> StagedWords<u8> for Codes<H> {
    fn load(self, index: usize) -> u8 {
        StagedWords::load(Handed(self.0), index) as u8
    }
    fn store(self, index: usize, value: u8) {
        StagedWords::store(Handed(self.0), index, value as u32);
    }
}

/// A batch of u32 pairs into a table of buckets of `S` slots. A bin of a level is two of the next one.
///
/// The configuration says: `reach` is the number of levels, `pool` the room of a bin. Word 0 of `bitmap` is
/// the binary logarithm of the buckets of a bin of the last level, word 1 how many keys are there before,
/// which follow; then come those of the batch. A key that is there has its own value, one of the batch that
/// of its place.
#[derive(Clone, Debug)]
pub struct BulkSubject<const S: usize> {
    config: Config,
    warps: usize,
    /// Whether each operation is told its outcome.
    told: bool,
}

impl<const S: usize> BulkSubject<S> {
    /// The subject of a scenario.
    pub fn new(scenario: &Scenario) -> Self {
        let told = scenario.structure == TOLD;
        Self { config: scenario.config.clone(), warps: scenario.programs.len(), told }
    }

    fn keys(&self) -> (&[u32], &[u32]) {
        let [_, before, keys @ ..] = self.config.bitmap.as_slice() else { return (&[], &[]) };
        keys.split_at((*before as usize).min(keys.len()))
    }

    fn batch(&self) -> Vec<u64> {
        let pair = |(at, &key): (usize, &u32)| match UserKey::new(key) {
            Some(_) => Pair32::pack(key, 100 + at as u32),
            None => Pair32::EMPTY,
        };
        self.keys().1.iter().enumerate().map(pair).collect()
    }

    /// The slots, and the filter, with the keys that are there before: each in the first bucket of its probes
    /// that has room.
    fn filled(&self) -> (Vec<u64>, Vec<u32>) {
        let buckets = self.config.buckets;
        let mut slots = vec![Pair32::EMPTY; buckets as usize * S];
        let mut filter = vec![0u32; filter_words(CLASSES, buckets)];
        for &key in self.keys().0 {
            let hash = key.hash(SEED);
            let stride = if buckets == 1 { 1 } else { DoubleHashing::stride(hash.low(), buckets) };
            let mut bucket = hash.digit(buckets);
            for _ in 0..buckets {
                let range = bucket as usize * S..(bucket as usize + 1) * S;
                if let Some(slot) = slots[range].iter_mut().find(|slot| **slot == Pair32::EMPTY) {
                    *slot = Pair32::pack(key, key);
                    break;
                }
                let (word, bit) = filter_place(CLASSES.ilog2(), bucket, hash.low());
                filter[word] |= bit;
                bucket = (bucket + stride) % buckets;
            }
        }
        (slots, filter)
    }

    fn reserved<M: Memory>(m: M) -> ReservedSlots<Pair32, M::W64> {
        ReservedSlots::new(Pair32::words(m, RESERVED))
    }

    fn table<M: Memory>(&self, m: M) -> Table<M, S> {
        OpenTable::new(
            Pair32::words(m, SLOTS),
            OverflowFilter::new(m.w32(FILTER), self.config.buckets),
            self.config.buckets,
            SEED,
        )
    }

    /// The levels: a bin of one is two of the next one.
    fn levels(&self) -> Levels {
        Levels::new(self.config.buckets, Partitioning::new(self.last()), 1, self.config.reach)
    }

    /// The binary logarithm of the buckets of a bin of the last level.
    fn last(&self) -> u32 {
        self.config.bitmap.first().copied().unwrap_or(0)
    }

    /// Slots of a bin of the last level.
    fn bin_slots(&self) -> usize {
        S << self.last()
    }

    /// Bins of each level; and the overflow of the last one.
    fn bins(&self) -> Vec<u32> {
        let mut bins: Vec<u32> = self.levels().iter().map(|level| level.partitions as u32).collect();
        bins.extend(bins.last().copied());
        bins
    }

    fn bins_of<M: Memory>(&self, m: M, level: usize) -> BinsOf<M> {
        let bins = self.bins();
        let first = bins[..level].iter().sum::<u32>() as usize;
        let taken = Part { words: m.w32(COUNTERS), first, len: bins[level] as usize };
        let words = (Handed(m.w64(ENTRIES + level % 2)), Handed(m.w32(NUMBERS + level % 2)));
        Bins::new(words, taken, self.config.pool)
    }

    /// Entries that a block puts into bins.
    fn block_entries(&self) -> usize {
        self.warps * EACH
    }

    /// Blocks of each launch, in their order, and shared words of each.
    fn launches(&self) -> Vec<(Launch, u32)> {
        let (bins, levels) = (self.bins(), self.config.reach as usize);
        let staged = if self.told { self.block_entries() as u32 } else { 0 };
        let filled = if self.told { self.bin_slots() as u32 } else { 0 };
        let mut launches = Vec::new();
        for block in 0..self.batch().len().div_ceil(self.block_entries()) {
            launches.push((Launch::Scatter { block }, scatter_words(bins[0], staged)));
        }
        for level in 1..levels {
            for bin in 0..bins[level - 1] {
                for part in 0..(self.config.pool as usize).div_ceil(self.block_entries()) {
                    launches.push((Launch::ScatterAgain { level, bin, part }, scatter_words(2, staged)));
                }
            }
        }
        launches
            .extend((0..bins[levels - 1]).map(|bin| (Launch::Fill { bin }, fill_words(self.last(), filled))));
        launches.extend((0..bins[levels]).map(|bin| (Launch::InsertOverflow { bin }, insert_words())));
        launches.extend((0..2).map(|block| (Launch::InsertLost { block }, insert_words())));
        launches
    }

    /// Of the operations of a key that came, the one whose value is there was told that it was inserted, and
    /// the others that the key is present; all that the key is present, if it was there; and that there was
    /// no room, if it is not there now.
    fn check_told(&self, found: &BTreeMap<u32, u32>, codes: &[u32]) -> Result<(), String> {
        let (before, batch) = self.keys();
        for (at, (key, &code)) in batch.iter().zip(codes).enumerate() {
            let right = match found.get(key) {
                None => Insert::Full,
                Some(value) if !before.contains(key) && *value == 100 + at as u32 => Insert::Inserted,
                Some(_) => Insert::Present,
            };
            if Insert::from_code(code as u8) != Some(right) {
                return Err(format!("operation {at} of key {key} was told {code}, which is not {right:?}"));
            }
        }
        Ok(())
    }

    fn play<W: SimWarp, M: Memory>(&self, w: &mut W, m: M) {
        let (rank, warps) = (w.id(), self.warps as u32);
        let outcomes = Outcomes::new(Codes(m.w32(OUTCOMES)), self.told);
        let work: Work<M, S> =
            Bulk::new(WithSlots::new(self.table(m), Self::reserved(m)), m.w64(TALLIES), outcomes);
        let levels = self.config.reach as usize;
        let batch = Batch(Given { words: SlotArray::<Pair32, _>::new(m.w64(BATCH)), keys: self.keys().1 });
        let mut shared = 0;
        for (launch, words) in self.launches() {
            let part = Part { words: m.w32(SHARED), first: shared, len: words as usize };
            shared += words as usize;
            let mut member = Member { warp: w, shared: part, scratch: Handed(m.w64(SCRATCH)), rank, warps };
            let here = &mut member;
            match launch {
                Launch::Scatter { block } => {
                    let fan = self.levels().level(0).fan_out(0);
                    let from = (block * self.block_entries()) as u64;
                    work.scatter::<_, _, _, EACH>(here, (batch, from), fan, self.bins_of(m, 0));
                }
                Launch::ScatterAgain { level, bin, part } => {
                    let fan = self.levels().level(level as u32).fan_out(bin);
                    let source = Bin::<Pair32, _, _, _>::new(self.bins_of(m, level - 1), bin);
                    let from = (part * self.block_entries()) as u64;
                    work.scatter::<_, _, _, EACH>(here, (source, from), fan, self.bins_of(m, level));
                }
                Launch::Fill { bin } => {
                    work.fill(here, bin, self.last(), (self.bins_of(m, levels - 1), self.bins_of(m, levels)));
                }
                Launch::InsertOverflow { bin } => work.insert_overflow(here, bin, self.bins_of(m, levels)),
                Launch::InsertLost { block } => work.insert_lost(here, batch, (block, 2)),
            }
            // The end of the launch.
            here.sync();
        }
    }
}

/// The entries of a batch: their words, and all their keys.
#[derive(Clone, Copy)]
struct Given<'a, A> {
    words: A,
    keys: &'a [u32],
}

impl<A: Source<Entry = Pair32>> Source for Given<'_, A> {
    type Entry = Pair32;

    fn slots(self) -> u64 {
        self.words.slots()
    }
    fn load(self, slot: u64) -> u64 {
        self.words.load(slot)
    }
    fn reserved(self, slot: u64) -> Option<ReservedEntry<Self>> {
        let key = *self.keys.get(slot as usize)?;
        Some((UserKey::of_reserved(key), 100 + slot as u32))
    }
}

/// One block of a launch.
#[derive(Clone, Copy)]
enum Launch {
    Scatter { block: usize },
    ScatterAgain { level: usize, bin: u32, part: usize },
    Fill { bin: u32 },
    InsertOverflow { bin: u32 },
    InsertLost { block: u32 },
}

impl<const S: usize> Subject for BulkSubject<S> {
    type Spec = Shares;

    fn spec(&self) -> Shares {
        Shares
    }

    fn arrays(&self) -> Vec<Array> {
        let (slots, filter) = self.filled();
        let wide = |words: Vec<u64>| words.into_iter().map(Into::into).collect::<Vec<u128>>();
        let (bins, shared) = (self.bins(), self.launches().iter().map(|(_, words)| words).sum::<u32>());
        let entries = bins.iter().max().map_or(0, |most| most * self.config.pool) as usize;
        let room = self.block_entries().max(self.bin_slots());
        let (numbers, told) = if self.told { (entries, self.batch().len()) } else { (0, 0) };
        vec![
            Array::new("slots", 64, wide(slots)),
            Array::new("filter", 32, filter.into_iter().map(Into::into).collect()),
            Array::new("batch", 64, wide(self.batch())),
            Array::new("bins", 64, vec![Pair32::EMPTY.into(); entries]),
            Array::new("other bins", 64, vec![Pair32::EMPTY.into(); entries]),
            Array::new("taken", 32, vec![0; bins.iter().sum::<u32>() as usize]),
            Array::new("tally", 64, vec![0; TALLY]),
            Array::new("scratch", 64, vec![Pair32::EMPTY.into(); room]).in_block(),
            Array::new("shared", 32, vec![0; shared as usize]).in_block(),
            Array::new("numbers", 32, vec![UNTOLD; numbers]),
            Array::new("other numbers", 32, vec![UNTOLD; numbers]),
            Array::new("outcomes", 32, vec![UNTOLD; told]),
            Array::ones("reserved", 64, reserved_keys::<Pair32>() as usize),
        ]
    }

    fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, _call: &Call) -> Ret {
        self.play(w, m);
        Ret::Done
    }

    /// The table is one, it holds every key that was there or came, with a value of its own, as far as there
    /// was room, and the tally says so.
    fn check_quiescent<W: SimWarp, M: Memory>(&self, w: &mut W, m: M) -> Result<(), Breach> {
        let breach = |detail: String| Err(Breach::new(Kind::Invariant, detail));
        let table = self.table(m);
        if let Err(broken) = table.check_quiescent(w) {
            return breach(broken.to_string());
        }
        let mut found = BTreeMap::new();
        for bucket in 0..table.buckets() {
            table.visit(w, bucket, |_, _, key, value| {
                found.insert(key, value);
            });
        }
        let in_slots = found.len();
        visit_reserved(Self::reserved(m), w, |_, _, key, value| {
            found.insert(key, value);
        });
        let (before, batch) = self.keys();
        for key in before {
            if found.get(key) != Some(key) {
                return breach(format!("key {key} was there, and is {:?}", found.get(key)));
            }
        }
        let (mut missing, mut new) = (0, BTreeMap::new());
        for (at, key) in batch.iter().enumerate() {
            match found.get(key) {
                None => missing += 1,
                Some(value) if before.contains(key) || *value == 100 + at as u32 => {
                    new.insert(key, ());
                }
                Some(value)
                    if batch.iter().enumerate().any(|(at, k)| k == key && *value == 100 + at as u32) => {}
                Some(value) => return breach(format!("key {key} has value {value}")),
            }
        }
        new.retain(|key, ()| !before.contains(key));
        // Relaxed: read alone.
        let words = core::array::from_fn(|at| m.w64(TALLIES).load(at, ReadOrder::Relaxed));
        let inserted = new.len() as u64;
        let said = Tally::of(words);
        let right = Tally { inserted, present: batch.len() as u64 - inserted - missing, full: missing };
        let slots = self.config.buckets as usize * S;
        if said != right || found.len() != before.len() + new.len() || missing > 0 && in_slots < slots {
            return breach(format!("{said:?}, but {right:?}, of {} entries", found.len()));
        }
        if self.told {
            let codes =
                (0..batch.len()).map(|at| m.w32(OUTCOMES).load(at, ReadOrder::Relaxed)).collect::<Vec<u32>>();
            return self.check_told(&found, &codes).map_err(|detail| Breach::new(Kind::Invariant, detail));
        }
        Ok(())
    }

    fn show(&self, array: usize, _: usize, value: u128) -> String {
        match (array, value as u64) {
            (SLOTS | BATCH | ENTRIES | 4 | SCRATCH | RESERVED, Pair32::EMPTY) => "empty".to_string(),
            (SLOTS | BATCH | ENTRIES | 4 | SCRATCH | RESERVED, word) => {
                format!("{}:{}", Pair32::key(word), Pair32::value(word))
            }
            (_, word) => word.to_string(),
        }
    }

    fn word(&self, array: usize, index: usize) -> String {
        format!("{}[{index}]", self.arrays().get(array).map_or("?", |array| array.name))
    }

    fn about(&self) -> Vec<String> {
        let (before, batch) = self.keys();
        vec![
            format!(
                "A batch of {} goes to a table of {} of {} with {}, in {}; the warps play one block after the other.",
                plural(batch.len(), "pair"),
                plural(self.config.buckets as usize, "bucket"),
                plural(S, "slot"),
                plural(before.len(), "pair"),
                plural(self.config.reach as usize, "pass"),
            ),
            "Of the words, 5:50 is key 5 with value 50.".to_string(),
        ]
    }
}
