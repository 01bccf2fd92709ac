//! `retrieve_all` as a subject, in every variant.

use crate::check::{Array, Breach, Config, Kind, Memory, Scenario, SimWarp, Subject};
use crate::scenarios::entry::Entry;
use crate::scenarios::home::plural;
use crate::scenarios::member::Member;
use crate::scenarios::shares::Shares;
use warpproof_model::entry::{Packed, Pair32};
use warpproof_model::retrieve::{
    BlockScan, PerSlot, Retrieval, SharedCounter, Sink, SlotArray, WarpCounter, chunk_words, shared_words,
};
use warpproof_model::spec::{Call, Ret};
use warpproof_model::{ReadOrder, Words, WriteOrder};

const SLOTS: usize = 0;
const COUNT: usize = 1;
const OUTPUT: usize = 2;
const CHUNKS: usize = 3;
/// The shared words of the one block, or of the first one; those of the others follow.
const SHARED: usize = 4;

/// Names of the shared words of blocks.
const SHARED_NAMES: [&str; 4] = ["shared", "shared of block 1", "shared of block 2", "shared of block 3"];

/// How entries get their places.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Placing {
    /// [`PerSlot`].
    PerSlot,
    /// [`SharedCounter`].
    SharedCounter,
    /// [`BlockScan`].
    BlockScan,
    /// [`WarpCounter`].
    WarpCounter,
    /// [`Retrieval::in_order`].
    InOrder,
}

impl Placing {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::PerSlot, Self::SharedCounter, Self::BlockScan, Self::WarpCounter, Self::InOrder];

    /// That of a scenario.
    pub(super) fn of(scenario: &Scenario) -> Option<Self> {
        Self::ALL.into_iter().find(|placing| placing.structure() == scenario.structure)
    }

    /// What scenarios call it.
    pub const fn structure(self) -> &'static str {
        match self {
            Self::PerSlot => "retrieve_per_slot",
            Self::SharedCounter => "retrieve_shared_counter",
            Self::BlockScan => "retrieve_block_scan",
            Self::WarpCounter => "retrieve_warp_counter",
            Self::InOrder => "retrieve_in_order",
        }
    }
}

/// `retrieve_all` on an array of u32 pairs. A lane reads `R` rows of `S` slots in a round.
///
/// The configuration says: `buckets` is the number of slots, `pool` that of the places of the output. Bit `i`
/// of word 0 of `bitmap` is set if slot `i` holds an entry, that of word 1 if it holds a tombstone. Word 2,
/// if there is one, says how many entries of another source come first: so many places are there before those
/// of the output.
#[derive(Clone, Debug)]
pub struct RetrieveSubject<const R: usize, const S: usize> {
    placing: Placing,
    config: Config,
    /// Each warp is a block.
    apart: bool,
    warps: usize,
}

impl<const R: usize, const S: usize> RetrieveSubject<R, S> {
    /// The subject of a scenario.
    pub fn new(scenario: &Scenario, placing: Placing) -> Self {
        let (config, warps) = (scenario.config.clone(), scenario.programs.len());
        Self { placing, config, apart: scenario.apart, warps }
    }

    fn has(&self, word: usize, slot: u32) -> bool {
        self.config.bitmap.get(word).is_some_and(|bits| bits.checked_shr(slot).unwrap_or(0) & 1 != 0)
    }

    /// Entries of another source.
    fn before(&self) -> u64 {
        self.config.bitmap.get(2).map_or(0, |&base| base.into())
    }

    fn words(&self) -> Vec<u64> {
        let word = |slot| match (self.has(0, slot), self.has(1, slot)) {
            (true, _) => Pair32::pack(slot + 1, 10 * (slot + 1)),
            (false, true) => Pair32::MARK,
            (false, false) => Pair32::EMPTY,
        };
        (0..self.config.buckets).map(word).collect()
    }

    /// The entries, in the order of their slots.
    fn entries(&self) -> Vec<u64> {
        let words = self.words().into_iter().zip(0..);
        words.filter(|(_, slot)| self.has(0, *slot)).map(|(word, _)| word).collect()
    }

    fn block_warps(&self) -> u32 {
        if self.apart { 1 } else { self.warps as u32 }
    }

    /// Rounds in which one block reads all slots.
    fn rounds(&self) -> u32 {
        (chunk_words(self.config.buckets.into(), self.block_slots()) - 1) as u32
    }

    /// Slots that a block reads in a round.
    fn block_slots(&self) -> u64 {
        self.block_warps() as u64 * self.config.lanes as u64 * (R * S) as u64
    }

    fn retrieve<W: SimWarp, M: Memory>(&self, w: &mut W, m: M) {
        let id = w.id();
        let (block, rank) = if self.apart { (id, 0) } else { (0, id) };
        let shared = m.w32(SHARED + block as usize);
        let mut member = Member { warp: w, shared, scratch: (), rank, warps: self.block_warps() };
        let sink = Output { words: m.w64(OUTPUT), base: self.before() };
        let job = Retrieval::<_, _, _, R, S>::new(
            SlotArray::<Pair32, _>::new(Pair32::words(m, 0)),
            sink,
            m.w64(COUNT),
        );
        let blocks = if self.apart { self.warps as u32 } else { 1 };
        let rounds = self.rounds().div_ceil(blocks);
        match self.placing {
            Placing::PerSlot => job.run(&mut member, PerSlot, block, rounds),
            Placing::SharedCounter => job.run(&mut member, SharedCounter, block, rounds),
            Placing::BlockScan => job.run(&mut member, BlockScan, block, rounds),
            Placing::WarpCounter => job.run(&mut member, WarpCounter, block, rounds),
            // Every block may take them all.
            Placing::InOrder => job.after(self.before()).in_order(&mut member, m.w64(CHUNKS), self.rounds()),
        }
    }
}

/// Where entries go: to the places from `base` on.
#[derive(Clone, Copy)]
struct Output<H> {
    words: H,
    base: u64,
}

impl<H: Words<u64>> Sink<Pair32> for Output<H> {
    fn room(self) -> u64 {
        self.base + self.words.len() as u64
    }

    fn put(self, place: u64, key: u32, value: u32) {
        // Relaxed: read when all is done.
        self.words.store(
            place.wrapping_sub(self.base) as usize,
            Pair32::pack(key, value),
            WriteOrder::Relaxed,
        );
    }
}

impl<const R: usize, const S: usize> Subject for RetrieveSubject<R, S> {
    type Spec = Shares;

    fn spec(&self) -> Shares {
        Shares
    }

    fn arrays(&self) -> Vec<Array> {
        let chunks = chunk_words(self.config.buckets.into(), self.block_slots());
        let mut arrays = vec![
            Array::new("slots", 64, self.words().into_iter().map(Into::into).collect()),
            Array::new("count", 64, vec![self.before().into()]),
            Array::new("output", 64, vec![Pair32::EMPTY.into(); self.config.pool as usize]),
            Array::new("chunks", 64, vec![0; chunks as usize]),
        ];
        let blocks = if self.apart { self.warps } else { 1 };
        let shared = |name: &&'static str| {
            Array::new(name, 32, vec![0; shared_words(self.block_warps()) as usize]).in_block()
        };
        arrays.extend(SHARED_NAMES.iter().take(blocks).map(shared));
        arrays
    }

    fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, _call: &Call) -> Ret {
        self.retrieve(w, m);
        Ret::Done
    }

    /// Every entry stands in the output once, one after the other, as far as there is room; the count says
    /// how many there are.
    fn check_quiescent<W: SimWarp, M: Memory>(&self, _w: &mut W, m: M) -> Result<(), Breach> {
        // Relaxed, both: read alone.
        let count = m.w64(COUNT).load(0, ReadOrder::Relaxed).wrapping_sub(self.before());
        let output = |at| m.w64(OUTPUT).load(at, ReadOrder::Relaxed);
        let (entries, room) = (self.entries(), self.config.pool as usize);
        let breach = |detail: String| Err(Breach::new(Kind::Invariant, detail));
        if count != entries.len() as u64 {
            return breach(format!("{count} counted, {} filled", entries.len()));
        }
        let mut found: Vec<u64> = (0..room).map(output).collect();
        let empty = found.split_off(entries.len().min(room));
        if let Some(at) = empty.iter().position(|&word| word != Pair32::EMPTY) {
            return breach(format!("output[{}] is written, after the entries", entries.len() + at));
        }
        if self.placing == Placing::InOrder {
            return match found == entries[..found.len()] {
                true => Ok(()),
                false => breach("the output is not in the order of the slots".to_string()),
            };
        }
        let written = found.len();
        found.sort_unstable();
        found.dedup();
        found.retain(|word| entries.contains(word));
        match found.len() == written {
            true => Ok(()),
            false => breach("an entry of the output is missing, stands twice, or is none".to_string()),
        }
    }

    fn transition(&self, array: usize, _: usize, old: u128, new: u128) -> bool {
        // A place is written once.
        array != SLOTS && (array != OUTPUT || old == u128::from(Pair32::EMPTY) && new != old)
    }

    fn show(&self, array: usize, _: usize, value: u128) -> String {
        match (array, value as u64) {
            (SLOTS | OUTPUT, Pair32::EMPTY) => "empty".to_string(),
            (SLOTS | OUTPUT, word) if word == Pair32::MARK => "tombstone".to_string(),
            (SLOTS | OUTPUT, word) => format!("{}:{}", Pair32::key(word), Pair32::value(word)),
            (CHUNKS, word) if word >> 62 == 1 => format!("own {}", word & ((1 << 62) - 1)),
            (CHUNKS, word) if word >> 63 == 1 => format!("up to its end {}", word & ((1 << 62) - 1)),
            (_, word) => word.to_string(),
        }
    }

    fn word(&self, array: usize, index: usize) -> String {
        match (array, index) {
            (COUNT, _) => "count".to_string(),
            (CHUNKS, 0) => "next chunk".to_string(),
            (CHUNKS, chunk) => format!("chunk {}", chunk - 1),
            _ => format!("{}[{index}]", self.arrays().get(array).map_or("?", |array| array.name)),
        }
    }

    fn about(&self) -> Vec<String> {
        let block = if self.apart { "Each warp is a block." } else { "All warps are one block." };
        vec![
            format!(
                "The entries of {} are copied to an output; a lane reads {} of {} in a round. {block}",
                plural(self.config.buckets as usize, "slot"),
                plural(R, "row"),
                plural(S, "slot"),
            ),
            "Of the words, 5:50 is key 5 with value 50. Of the shared words, 0 counts entries, 1 and 2 say where the \
             block's places begin, 3 and 4 which chunk it reads, and from 5 on stand the entries of each warp."
                .to_string(),
        ]
    }
}
