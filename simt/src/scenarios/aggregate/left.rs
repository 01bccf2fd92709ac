//! The sums of a batch that lost an exchange, as a subject.

use crate::check::{Array, Breach, Config, Kind, Memory, Scenario, SimWarp, Subject};
use crate::scenarios::entry::Entry;
use crate::scenarios::home::{SEED, plural};
use crate::scenarios::member::Member;
use crate::scenarios::part::Part;
use crate::scenarios::shares::Shares;
use std::collections::BTreeMap;
use std::ops::Range;
use warpproof_model::aggregate::{Contended, Left, add_left, left_words};
use warpproof_model::entry::{Packed, Pair64};
use warpproof_model::map::DEFERRED;
use warpproof_model::open::{DoubleHashing, OpenTable, OverflowFilter, filter_words};
use warpproof_model::outcome::{Add, Delete};
use warpproof_model::spec::{Call, Ret};
use warpproof_model::{Block, Key, ReadOrder, Update, UserKey, Words, WriteOrder};

const SLOTS: usize = 0;
const FILTER: usize = 1;
const KEYS: usize = 2;
/// The outcomes of the operations; then that of the delete.
const OUTCOMES: usize = 3;
/// The word of contended keys.
const CONTENDED: usize = 4;
/// The shared words of the first block; those of the others follow.
const SHARED: usize = 5;

/// Slots of the table, which is one bucket.
const BUCKET: usize = 2;
/// Classes of keys in the filter.
const CLASSES: u32 = 2;
/// What a key that is there before has.
const BEFORE: u64 = 7 << 40;

/// What the warps do. A number in the configuration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Play {
    /// Each operation is tried, and then what was left is added.
    Tried,
    /// All operations were left.
    Left,
    /// As `Left`. The last warp has no operations, and deletes the first key while others insert sums.
    Deleted,
    /// As `Tried`, but the greatest value stays: nothing is left then, though the first key is a contended
    /// one.
    Greatest,
}

impl Play {
    pub(super) const ALL: [Self; 4] = [Self::Tried, Self::Left, Self::Deleted, Self::Greatest];
}

/// Sums to a table of one bucket of two slots. All warps are one block, which has the operations of one range
/// after the other; or each warp is a block with a range of its own (`apart`).
///
/// The configuration says: `bitmap` are the keys, `buckets` the operations of a range, `slots` the slots of a
/// block, where the search for a key begins at the key itself, modulo the slots. `reach` says what the warps
/// do, and if `pool` is not zero, the first key is there before.
#[derive(Clone, Debug)]
pub struct LeftSubject {
    config: Config,
    warps: usize,
    apart: bool,
}

type Table<M> = OpenTable<
    Pair64,
    <M as Memory>::W128,
    OverflowFilter<<M as Memory>::W32, CLASSES>,
    DoubleHashing,
    BUCKET,
>;

/// The operations in memory.
#[derive(Clone, Copy)]
struct Batch<M>(M);

/// What an operation adds: the low halves of any two of them carry when they are added up, and sums of
/// different operations differ.
const fn value(op: u32) -> u64 {
    0xffff_fff0 + (1 << op) + (1 << (34 + op))
}

impl<M: Memory> Left for Batch<M> {
    type Key = u64;

    fn is_left(self, op: u32) -> bool {
        // Relaxed, here and below: barriers and the ends of launches order what changes hands.
        self.0.w32(OUTCOMES).load(op as usize, ReadOrder::Relaxed) == u32::from(DEFERRED)
    }
    fn key(self, op: u32) -> u64 {
        self.0.w64(KEYS).load(op as usize, ReadOrder::Relaxed)
    }
    fn value(self, op: u32) -> u64 {
        value(op)
    }
    fn tell(self, op: u32, said: Add) {
        self.tell_code(op as usize, said.code());
    }
}

impl<M: Memory> Batch<M> {
    fn tell_code(self, at: usize, code: u8) {
        self.0.w32(OUTCOMES).store(at, code.into(), WriteOrder::Relaxed);
    }
}

impl LeftSubject {
    /// The name in scenarios.
    pub const STRUCTURE: &'static str = "left_map64";

    /// The subject of a scenario.
    pub fn new(scenario: &Scenario) -> Self {
        Self { config: scenario.config.clone(), warps: scenario.programs.len(), apart: scenario.apart }
    }

    fn keys(&self) -> &[u32] {
        &self.config.bitmap
    }

    fn plays(&self) -> Play {
        Play::ALL.get(self.config.reach as usize).copied().unwrap_or(Play::Tried)
    }

    /// The key that is there before.
    fn before(&self) -> Option<u64> {
        self.keys().first().filter(|_| self.config.pool != 0).map(|&key| key.into())
    }

    /// What the operations that are tried do.
    fn update(&self) -> Update {
        if self.plays() == Play::Greatest { Update::Max } else { Update::Add }
    }

    /// The ranges, a block each.
    fn blocks(&self) -> impl Iterator<Item = Range<u32>> {
        let (n, each) = (self.keys().len() as u32, self.config.buckets.max(1));
        (0..n.div_ceil(each).max(1)).map(move |block| block * each..((block + 1) * each).min(n))
    }

    fn table<M: Memory>(m: M) -> Table<M> {
        OpenTable::new(Pair64::words(m, SLOTS), OverflowFilter::new(m.w32(FILTER), 1), 1, SEED)
    }

    fn play<W: SimWarp, M: Memory>(&self, w: &mut W, m: M) {
        let (id, table, batch) = (w.id(), Self::table(m), Batch(m));
        let deletes = self.plays() == Play::Deleted;
        let members = self.warps as u32 - u32::from(deletes);
        if id == members {
            // Beside the second step of the first block: a barrier before it, two after it, and three for
            // each other block.
            w.block().sync();
            let key = w.elect(0, || batch.key(0));
            let said = UserKey::new(key).map_or(Delete::Absent, |key| table.delete(w, key));
            w.elect(0, || {
                batch.tell_code(self.keys().len(), said.code());
                true
            });
            (1..3 * self.blocks().count()).for_each(|_| w.block().sync());
            return;
        }
        if self.plays() == Play::Greatest {
            // A sum would be left. Warp 0 notes keys.
            let hash = u64::from(self.keys().first().copied().unwrap_or_default()).hash(SEED);
            Contended::new(m.w32(CONTENDED)).note(w, hash);
        }
        let words = left_words(self.config.slots) as usize;
        let (rank, warps) = if self.apart { (0, 1) } else { (id, members) };
        for (block, range) in self.blocks().enumerate() {
            if self.apart && block != id as usize {
                continue;
            }
            let shared = Part { words: m.w32(SHARED), first: block * words, len: words };
            let mut member = Member { warp: w, shared, scratch: (), rank, warps };
            if matches!(self.plays(), Play::Tried | Play::Greatest) {
                for op in range.clone().skip(rank as usize).step_by(warps as usize) {
                    let key = member.warp.elect(0, || batch.key(op));
                    let Some(key) = UserKey::new(key) else { continue };
                    let (pair, contended) = ((key, value(op)), Contended::new(m.w32(CONTENDED)));
                    let said = table.try_update(member.warp, self.update(), pair, contended);
                    member.warp.elect(0, || {
                        batch.tell_code(op as usize, said.map_or(DEFERRED, Add::code));
                        true
                    });
                }
                // The end of the first launch.
                member.sync();
            }
            let insert = |w: &mut W, key, sum| {
                UserKey::new(key).map_or(Add::Full, |key| table.insert_or_add(w, key, sum))
            };
            add_left(&mut member, (batch, range), (self.config.slots, |key| key as u32), insert);
            // The end of the launch.
            member.sync();
        }
    }

    /// Whether the outcomes of a key's operations and what the table has of it agree.
    fn agree(&self, key: u64, found: Option<u64>, said: &[(u32, Add)], deleted: bool) -> Result<(), String> {
        let before = self.before() == Some(key);
        let count = |which: Add| said.iter().filter(|(_, said)| *said == which).count();
        let came = usize::from(before) + count(Add::Inserted);
        if came != usize::from(found.is_some()) + usize::from(deleted) {
            return Err(format!("key {key} is {found:?} after {said:?}, deleted: {deleted}"));
        }
        let Some(found) = found else {
            let all_full = said.iter().all(|(_, said)| *said == Add::Full);
            let right = deleted || all_full;
            return if right { Ok(()) } else { Err(format!("key {key} is not there after {said:?}")) };
        };
        // What came before a delete is gone.
        let added: Vec<u64> = (said.iter())
            .filter(|(_, said)| *said != Add::Full)
            .map(|(op, _)| value(*op))
            .chain(before.then_some(BEFORE))
            .collect();
        let sums = (0..1u32 << added.len()).filter(|set| deleted || set + 1 == 1 << added.len());
        let of = |set: u32| {
            let chosen = added.iter().enumerate().filter(|(at, _)| set >> at & 1 == 1);
            chosen.fold(0u64, |sum, (_, value)| self.update().apply(sum, *value))
        };
        let right = sums.map(of).any(|sum| sum == found);
        if right { Ok(()) } else { Err(format!("key {key} has {found:#x} after {said:?}")) }
    }
}

impl Subject for LeftSubject {
    type Spec = Shares;

    fn spec(&self) -> Shares {
        Shares
    }

    fn arrays(&self) -> Vec<Array> {
        let shared = self.blocks().count() * left_words(self.config.slots) as usize;
        let mut slots = vec![Pair64::EMPTY; BUCKET];
        slots[0] = self.before().map_or(Pair64::EMPTY, |key| Pair64::pack(key, BEFORE));
        let mut outcomes = vec![DEFERRED.into(); self.keys().len()];
        outcomes.push(Delete::Absent.code().into());
        vec![
            Array::new("slots", 128, slots),
            Array::new("filter", 32, vec![0; filter_words(CLASSES, 1)]),
            Array::new("key", 64, self.keys().iter().map(|&key| key.into()).collect()),
            Array::new("outcome", 32, outcomes),
            Array::new("contended", 32, vec![0]),
            Array::new("shared", 32, vec![0; shared]).in_block(),
        ]
    }

    fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, _call: &Call) -> Ret {
        self.play(w, m);
        Ret::Done
    }

    /// Each operation was told, and the table has what they were told.
    fn check_quiescent<W: SimWarp, M: Memory>(&self, w: &mut W, m: M) -> Result<(), Breach> {
        let breach = |detail: String| Err(Breach::new(Kind::Invariant, detail));
        let table = Self::table(m);
        if let Err(broken) = table.check_quiescent(w) {
            return breach(broken.to_string());
        }
        let mut found = BTreeMap::new();
        table.visit(w, 0, |_, _, key, value| {
            found.insert(key, value);
        });
        let taken = (0..BUCKET).filter(|&at| {
            Pair64::key(Pair64::words(m, SLOTS).load(at, ReadOrder::Relaxed)) != Pair64::key(Pair64::EMPTY)
        });
        let room = taken.count() < BUCKET;
        let code = |at: usize| m.w32(OUTCOMES).load(at, ReadOrder::Relaxed) as u8;
        let deleted = code(self.keys().len()) == Delete::Deleted.code();
        let mut said: BTreeMap<u64, Vec<(u32, Add)>> = BTreeMap::new();
        for (op, &key) in self.keys().iter().enumerate() {
            let Some(outcome) = Add::from_code(code(op)) else {
                return breach(format!("operation {op} was told {}", code(op)));
            };
            if outcome == Add::Full && (room || found.contains_key(&key.into())) {
                return breach(format!("operation {op} of key {key} was told that there is no room"));
            }
            said.entry(key.into()).or_default().push((op as u32, outcome));
        }
        for (&key, said) in &said {
            let gone = deleted && self.keys().first().is_some_and(|&first| key == u64::from(first));
            if let Err(detail) = self.agree(key, found.remove(&key), said, gone) {
                return breach(detail);
            }
        }
        match found.first_key_value() {
            Some((key, value)) => breach(format!("key {key} has {value}, and no operation has it")),
            None => Ok(()),
        }
    }

    fn word(&self, array: usize, index: usize) -> String {
        format!("{}[{index}]", self.arrays().get(array).map_or("?", |array| array.name))
    }

    fn show(&self, array: usize, _: usize, value: u128) -> String {
        match array {
            SLOTS if value == Pair64::EMPTY => "empty".to_string(),
            SLOTS => format!("{}:{:#x}", Pair64::key(value), Pair64::value(value)),
            OUTCOMES if value == DEFERRED.into() => "left".to_string(),
            _ => value.to_string(),
        }
    }

    fn about(&self) -> Vec<String> {
        vec![format!(
            "{}, {} in a block, each of which has {}, to a table of one bucket of {}; {}.",
            plural(self.keys().len(), "sum"),
            self.config.buckets,
            plural(self.config.slots as usize, "slot"),
            plural(BUCKET, "slot"),
            if self.apart { "each warp is a block" } else { "the warps play one block after the other" },
        )]
    }
}
