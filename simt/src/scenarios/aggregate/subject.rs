//! The groups of a column, as a subject.

use crate::check::{Array, Breach, Config, Kind, Memory, Scenario, SimWarp, Subject};
use crate::scenarios::home::plural;
use crate::scenarios::member::Member;
use crate::scenarios::part::Part;
use crate::scenarios::shares::Shares;
use std::collections::BTreeMap;
use std::ops::Range;
use warpproof_model::aggregate::{FULL, Group, Rows, TOTAL, TOTALS, Told, aggregate, aggregate_words};
use warpproof_model::spec::{Call, Ret};
use warpproof_model::{ReadOrder, Words, WriteOrder};

const KEYS: usize = 0;
/// The keys of groups, how many rows each has, and the sums of their values.
const GROUPS: usize = 1;
const ROWS: usize = 2;
const SUMS: usize = 3;
const COUNTERS: usize = 4;
/// The shared words of the first block; those of the others follow.
const SHARED: usize = 5;

/// A place without a group.
const NOTHING: u128 = 99;

/// What is made of the rows of a key. A number in the configuration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum What {
    Distinct,
    Counts,
    Sums,
    /// Sums, and no counts.
    SumsAlone,
}

impl What {
    pub(super) const ALL: [Self; 4] = [Self::Distinct, Self::Counts, Self::Sums, Self::SumsAlone];

    fn told(self) -> Told {
        let rows = matches!(self, Self::Counts | Self::Sums);
        Told { rows, sum: matches!(self, Self::Sums | Self::SumsAlone) }
    }
}

/// The groups of the partitions of a column. All warps are one block, which makes those of one partition
/// after the other; or each warp is a block with its own partition (`apart`).
///
/// The configuration says: `bitmap` are the keys, the numbers of a partition, a block for each; `buckets` are
/// the rows of one, `slots` those of its hash table. The search for a key's slot begins at the key itself,
/// modulo the slots. `reach` says what is made, and `pool` is the place of the first group.
#[derive(Clone, Debug)]
pub struct AggregateSubject {
    config: Config,
    warps: usize,
    apart: bool,
}

/// The column in memory. Each row has its [`value`].
#[derive(Clone, Copy)]
struct Column<M>(M);

/// The value of a row: the low halves of any two values of rows carry when they are added up, and so do
/// those of three, twice.
const fn value(row: u32) -> u64 {
    0xffff_fff0 + row as u64 + ((row as u64 + 1) << 34)
}

impl<M: Memory> Rows for Column<M> {
    type Key = u32;

    fn key(self, row: u32) -> u32 {
        // Relaxed, here and below: barriers and the ends of launches order what changes hands.
        self.0.w32(KEYS).load(row as usize, ReadOrder::Relaxed)
    }
    fn value(self, row: u32) -> u64 {
        value(row)
    }
    fn put(self, place: u32, group: Group<u32>) {
        let (place, m) = (place as usize, self.0);
        m.w32(GROUPS).store(place, group.key, WriteOrder::Relaxed);
        m.w32(ROWS).store(place, group.rows, WriteOrder::Relaxed);
        m.w64(SUMS).store(place, group.sum, WriteOrder::Relaxed);
    }
}

impl AggregateSubject {
    /// The name in scenarios.
    pub const STRUCTURE: &'static str = "aggregate";

    /// The subject of a scenario.
    pub fn new(scenario: &Scenario) -> Self {
        Self { config: scenario.config.clone(), warps: scenario.programs.len(), apart: scenario.apart }
    }

    fn keys(&self) -> &[u32] {
        &self.config.bitmap
    }

    fn what(&self) -> What {
        What::ALL.get(self.config.reach as usize).copied().unwrap_or(What::Distinct)
    }

    /// The rows of each block.
    fn blocks(&self) -> impl Iterator<Item = Range<u32>> {
        let (n, each) = (self.keys().len() as u32, self.config.buckets.max(1));
        (0..n.div_ceil(each).max(1)).map(move |block| block * each..((block + 1) * each).min(n))
    }

    fn words(&self) -> usize {
        aggregate_words(self.config.slots, self.what().told()) as usize
    }

    fn play<W: SimWarp, M: Memory>(&self, w: &mut W, m: M) {
        let (id, words) = (w.id(), self.words());
        let (rank, warps) = if self.apart { (0, 1) } else { (id, self.warps as u32) };
        let counters = Part { words: m.w32(COUNTERS), first: 0, len: TOTALS };
        for (block, range) in self.blocks().enumerate() {
            if self.apart && block != id as usize {
                continue;
            }
            let shared = Part { words: m.w32(SHARED), first: block * words, len: words };
            let mut member = Member { warp: w, shared, scratch: (), rank, warps };
            let (slots, told) = (self.config.slots, self.what().told());
            aggregate(&mut member, (Column(m), range), (slots, |key| key), told, counters);
            // The end of the block.
            warpproof_model::Block::sync(&mut member);
        }
    }

    /// The groups of each block, and how many blocks have too few slots for theirs.
    fn expected(&self) -> (Vec<Group<u32>>, u32) {
        let (mut all, mut full) = (Vec::new(), 0);
        for range in self.blocks() {
            let mut groups = BTreeMap::new();
            for row in range {
                let key = self.keys()[row as usize];
                let group = groups.entry(key).or_insert(Group { key, rows: 0, sum: 0 });
                group.rows += u32::from(self.what().told().rows);
                group.sum = group.sum.wrapping_add(if self.what().told().sum { value(row) } else { 0 });
            }
            full += u32::from(groups.len() > self.config.slots as usize);
            all.extend(groups.into_values());
        }
        all.sort_by_key(|group| (group.key, group.sum));
        (all, full)
    }
}

impl Subject for AggregateSubject {
    type Spec = Shares;

    fn spec(&self) -> Shares {
        Shares
    }

    fn arrays(&self) -> Vec<Array> {
        let n = self.keys().len() + self.config.pool as usize;
        let shared = self.blocks().count() * self.words();
        let mut counters = vec![0; TOTALS];
        counters[TOTAL] = self.config.pool.into();
        vec![
            Array::new("key", 32, self.keys().iter().map(|&key| key.into()).collect()),
            Array::new("group", 32, vec![NOTHING; n]),
            Array::new("rows", 32, vec![NOTHING; n]),
            Array::new("sum", 64, vec![NOTHING; n]),
            Array::new("counter", 32, counters),
            Array::new("shared", 32, vec![0; shared]).in_block(),
        ]
    }

    fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, _call: &Call) -> Ret {
        self.play(w, m);
        Ret::Done
    }

    /// The groups are those of the rows, next to each other. Blocks that have too few slots are counted; then
    /// nothing is known of the groups.
    fn check_quiescent<W: SimWarp, M: Memory>(&self, _: &mut W, m: M) -> Result<(), Breach> {
        let breach = |detail: String| Err(Breach::new(Kind::Invariant, detail));
        let counter = |at| m.w32(COUNTERS).load(at, ReadOrder::Relaxed);
        let (expected, full) = self.expected();
        if counter(FULL) != full {
            return breach(format!("{} blocks and not {full} have too few slots", counter(FULL)));
        }
        if full != 0 {
            return Ok(());
        }
        let first = self.config.pool as usize;
        let group = |at: usize| Group {
            key: m.w32(GROUPS).load(at, ReadOrder::Relaxed),
            rows: m.w32(ROWS).load(at, ReadOrder::Relaxed),
            sum: m.w64(SUMS).load(at, ReadOrder::Relaxed),
        };
        let end = counter(TOTAL) as usize;
        if end != first + expected.len() {
            return breach(format!("the counter of groups is {end}, of {} groups", expected.len()));
        }
        let mut found: Vec<_> = (first..end).map(group).collect();
        found.sort_by_key(|group| (group.key, group.sum));
        if found != expected {
            return breach(format!("the groups are {found:?} and not {expected:?}"));
        }
        let (key, places) = (|at| m.w32(GROUPS).load(at, ReadOrder::Relaxed), self.keys().len() + first);
        match (0..first).chain(end..places).find(|&at| u128::from(key(at)) != NOTHING) {
            Some(at) => breach(format!("a group stands at place {at}, where none belongs")),
            None => Ok(()),
        }
    }

    fn word(&self, array: usize, index: usize) -> String {
        format!("{}[{index}]", self.arrays().get(array).map_or("?", |array| array.name))
    }

    fn show(&self, _: usize, _: usize, value: u128) -> String {
        if value == NOTHING { "nothing".to_string() } else { value.to_string() }
    }

    fn about(&self) -> Vec<String> {
        vec![format!(
            "A column of {}, {} in a block, each of which has {}; {}.",
            plural(self.keys().len(), "row"),
            self.config.buckets,
            plural(self.config.slots as usize, "slot"),
            if self.apart { "each warp is a block" } else { "the warps play one block after the other" },
        )]
    }
}
