//! A batch that is partitioned by digits of its keys, as a subject: all launches, one block after the other,
//! as in [`crate::scenarios::bulk`].

use crate::check::{AnySubject, Array, Breach, Config, Kind, Memory, OfLanes, Scenario, SimWarp, Subject};
use crate::scenarios::home::plural;
use crate::scenarios::member::Member;
use crate::scenarios::part::Part;
use crate::scenarios::shares::{Shares, one_each};
use crate::scenarios::table::Made;
use std::sync::Arc;
use warpproof_model::paged::partition::{
    Moves, SIFT_WORDS, Share, arrange, arrange_words, count, scatter, scatter_words, sift,
};
use warpproof_model::spec::{Call, Op, Ret};
use warpproof_model::{Block, ReadOrder, Words, WriteOrder};

/// The keys of a batch, those by their first digits, and those of each tile by both; their numbers in the
/// batch.
const KEYS: [usize; 3] = [0, 1, 2];
const NUMBERS: [usize; 3] = [3, 4, 5];
const COUNTERS: usize = 6;
const NEXT: usize = 7;
/// Operations that stay when others are sifted out, and how many these are.
const SIFTED: usize = 8;
const LEFT: usize = 9;
/// The shared words of the first block; those of the others follow.
const SHARED: usize = 10;

/// Operations that a warp has at a time.
const EACH: u32 = 2;
/// The digits of a key are the two of a number to this base.
const BASE: u32 = 4;

/// The configuration's `reach` if blocks sort their operations, and if not.
const SORTED: u32 = 2;
const DIRECT: u32 = 1;

/// A place without an operation.
const NOTHING: u128 = 99;

/// A batch, which is counted, scattered by the first digits of keys, and arranged by both; and of which those
/// with an even key stay when it is sifted.
///
/// The configuration says: `bitmap` are the keys, of two digits to the base 4 each; `reach` is 2 if blocks
/// sort their operations before they scatter them.
#[derive(Clone, Debug)]
pub struct PartitionSubject {
    config: Config,
    warps: usize,
}

/// From one of [`KEYS`] and [`NUMBERS`] to the next one.
#[derive(Clone, Copy)]
struct Step<M> {
    memory: M,
    from: usize,
    len: u32,
}

impl<M: Memory> Moves for Step<M> {
    type Key = u32;

    fn operations(self) -> u32 {
        self.len
    }
    fn key(self, at: u32) -> u32 {
        // Relaxed, here and below: barriers and the ends of launches order what changes hands.
        self.memory.w32(KEYS[self.from]).load(at as usize, ReadOrder::Relaxed)
    }
    fn put(self, at: u32, place: u32) {
        for columns in [KEYS, NUMBERS] {
            let [from, to] = [self.from, self.from + 1].map(|array| self.memory.w32(columns[array]));
            to.store(place as usize, from.load(at as usize, ReadOrder::Relaxed), WriteOrder::Relaxed);
        }
    }
}

/// Blocks of a launch.
#[derive(Clone, Copy)]
enum Launch {
    Count(u32),
    Begin,
    Scatter(u32),
    Arrange(u32),
    Sift(u32),
}

impl PartitionSubject {
    /// The name in scenarios.
    pub const STRUCTURE: &'static str = "partition";

    /// The subject of a scenario.
    pub fn new(scenario: &Scenario) -> Self {
        Self { config: scenario.config.clone(), warps: scenario.programs.len() }
    }

    fn keys(&self) -> &[u32] {
        &self.config.bitmap
    }

    fn sorted(&self) -> bool {
        self.config.reach == SORTED
    }

    fn tile(&self) -> usize {
        self.warps * EACH as usize
    }

    /// Blocks of each launch, in their order, and shared words of each.
    fn launches(&self) -> Vec<(Launch, u32)> {
        let blocks = || (0..self.keys().len().div_ceil(self.tile()) as u32).map(|b| b * self.tile() as u32);
        let words = arrange_words(BASE * BASE, self.warps as u32);
        let counted = blocks().map(|from| (Launch::Count(from), BASE));
        let places = scatter_words(BASE, (self.warps as u32, EACH), self.sorted());
        let scattered = blocks().map(|from| (Launch::Scatter(from), places));
        let arranged = blocks().map(|from| (Launch::Arrange(from), words));
        let one_each = (0..self.keys().len().div_ceil(self.warps)).map(|block| (block * self.warps) as u32);
        let sifted = one_each.map(|from| (Launch::Sift(from), SIFT_WORDS));
        counted.chain([(Launch::Begin, 0)]).chain(scattered).chain(arranged).chain(sifted).collect()
    }

    fn play<W: SimWarp, M: Memory>(&self, w: &mut W, m: M) {
        let (rank, warps) = (w.id(), self.warps as u32);
        let len = self.keys().len() as u32;
        let counter = |array| Part { words: m.w32(array), first: 0, len: BASE as usize };
        let (first, both) = ((BASE, |key| key / BASE), (BASE * BASE, |key: u32| key));
        let mut shared = 0;
        for (launch, words) in self.launches() {
            let part = Part { words: m.w32(SHARED), first: shared, len: words as usize };
            shared += words as usize;
            let mut member = Member { warp: w, shared: part, scratch: (), rank, warps };
            let here = &mut member;
            let batch = |from, first| (Step { memory: m, from, len }, Share { from: first, each: EACH });
            match launch {
                Launch::Count(from) => {
                    count(here, batch(0, from), first, counter(COUNTERS));
                }
                Launch::Begin => {
                    if rank == 0 {
                        (0..BASE as usize).fold(0, |start, digit| {
                            m.w32(NEXT).store(digit, start, WriteOrder::Relaxed);
                            start + m.w32(COUNTERS).load(digit, ReadOrder::Relaxed)
                        });
                    }
                }
                Launch::Scatter(from) => {
                    scatter(here, batch(0, from), first, counter(NEXT), self.sorted());
                }
                Launch::Arrange(from) => arrange(here, batch(1, from), both),
                Launch::Sift(from) => {
                    let key = |at| m.w32(KEYS[0]).load(at as usize, ReadOrder::Relaxed);
                    let put = |at, place| m.w32(SIFTED).store(place as usize, at, WriteOrder::Relaxed);
                    sift(here, (from, len), |at| key(at) % 2 == 0, put, m.w32(LEFT));
                }
            }
            // The end of the launch.
            here.sync();
        }
    }
}

impl Subject for PartitionSubject {
    type Spec = Shares;

    fn spec(&self) -> Shares {
        Shares
    }

    fn arrays(&self) -> Vec<Array> {
        let n = self.keys().len();
        let shared = self.launches().iter().map(|(_, words)| words).sum::<u32>();
        let none = |name| Array::new(name, 32, vec![NOTHING; n]);
        vec![
            Array::new("key", 32, self.keys().iter().map(|&key| key.into()).collect()),
            none("key by first digits"),
            none("key by both digits"),
            Array::new("number", 32, (0..n as u128).collect()),
            none("number by first digits"),
            none("number by both digits"),
            Array::new("counter", 32, vec![0; BASE as usize]),
            Array::new("next", 32, vec![NOTHING; BASE as usize]),
            none("sifted"),
            Array::new("left", 32, vec![0; 1]),
            Array::new("shared", 32, vec![0; shared as usize]).in_block(),
        ]
    }

    fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, _call: &Call) -> Ret {
        self.play(w, m);
        Ret::Done
    }

    /// Every operation is in one place with its key; keys are in the order of their first digits, and those
    /// of a tile in the order of both. Those that stay are next to each other, and are counted.
    fn check_quiescent<W: SimWarp, M: Memory>(&self, _: &mut W, m: M) -> Result<(), Breach> {
        let read = |array: usize| -> Vec<u32> {
            let words = m.w32(array);
            (0..self.keys().len()).map(|at| words.load(at, ReadOrder::Relaxed)).collect()
        };
        let breach = |detail: String| Err(Breach::new(Kind::Invariant, detail));
        for (keys, numbers) in KEYS.into_iter().zip(NUMBERS).skip(1) {
            let (keys, mut numbers) = (read(keys), read(numbers));
            for (key, &number) in keys.iter().zip(&numbers) {
                if self.keys().get(number as usize) != Some(key) {
                    return breach(format!("operation {number} does not have key {key}"));
                }
            }
            if !keys.is_sorted_by_key(|key| key / BASE) {
                return breach(format!("{keys:?} are not in the order of their first digits"));
            }
            numbers.sort_unstable();
            if numbers.windows(2).any(|pair| pair[0] == pair[1]) {
                return breach(format!("an operation is in two places: {numbers:?}"));
            }
        }
        let left = m.w32(LEFT).load(0, ReadOrder::Relaxed) as usize;
        let mut stay = read(SIFTED);
        let beyond = stay.split_off(left.min(stay.len()));
        stay.sort_unstable();
        let even = |&at: &u32| self.keys()[at as usize].is_multiple_of(2);
        if !stay.iter().copied().eq((0..self.keys().len() as u32).filter(even)) {
            return breach(format!("{stay:?} stay"));
        }
        if beyond.iter().any(|&at| u128::from(at) != NOTHING) {
            return breach(format!("{beyond:?} were put where nothing is"));
        }
        let last = read(KEYS[2]);
        match last.chunks(self.tile()).find(|tile| !tile.is_sorted()) {
            Some(tile) => breach(format!("a tile is not in order: {tile:?}")),
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
            "A batch of {} is partitioned by the digits of its keys; the warps play one block after the other.",
            plural(self.keys().len(), "operation")
        )]
    }
}

/// The subject of a scenario of a batch that is partitioned.
pub(super) fn subject(scenario: &Scenario) -> Made {
    one_each(scenario)?;
    Ok(Arc::new(OfLanes::<_, 1>(PartitionSubject::new(scenario))) as Arc<dyn AnySubject>)
}

/// A batch of these keys, by so many warps; blocks sort their operations, or not.
pub(super) fn scenario(warps: usize, keys: &[u32], sorted: bool) -> Scenario {
    const STRUCTURE: &str = PartitionSubject::STRUCTURE;
    let digits: String = keys.iter().map(|key| format!("_{}{}", key / BASE, key % BASE)).collect();
    let (suffix, reach) = if sorted { ("/sorted", SORTED) } else { ("", DIRECT) };
    let name = format!("{STRUCTURE}/{warps}_warps/keys{digits}{suffix}");
    let config = Config { lanes: 1, slots: 1, buckets: 1, reach, bitmap: keys.to_vec(), ..Config::default() };
    Scenario::new(name, STRUCTURE, config, vec![vec![Call::new(Op::SearchAll, 0, 0)]; warps])
}

/// One warp and two, with no operation, with one, with less than a block has, with as many, and with one more
/// than two blocks have. Sums are put together in two steps
/// where there are three warps, and a sum of the first step is read in the second where there are four.
pub(super) fn default_set() -> Vec<Scenario> {
    let batches: [&[u32]; 8] =
        [&[], &[4], &[8, 0], &[1, 1, 0], &[5, 2, 8, 0], &[3, 3, 3, 3], &[7, 4, 1, 6], &[8, 4, 4, 0, 2]];
    let set = |sorted| {
        let of = move |warps| batches.into_iter().map(move |keys| scenario(warps, keys, sorted));
        // One warp has two blocks of four, and is sifted four times; its writes are bounded. So are those of
        // two warps that sort three blocks.
        let most = if sorted { 4 } else { 5 };
        of(1)
            .filter(|scenario| scenario.config.bitmap.len() < 4)
            .chain(of(2).filter(move |scenario| scenario.config.bitmap.len() <= most))
            .chain([scenario(3, &[15, 5, 2, 1, 0], sorted), scenario(4, &[15, 4, 0], sorted)])
    };
    set(false).chain(set(true)).collect()
}

/// Three warps, and more operations. More than five take more writes of a warp than an execution may have.
pub(super) fn deep() -> Vec<Scenario> {
    let batches: [&[u32]; 2] = [&[4, 4, 3, 5, 4], &[0, 8, 1, 7, 2]];
    let set = |sorted| batches.into_iter().map(move |keys| scenario(3, keys, sorted));
    set(false).chain(set(true)).collect()
}

/// A random batch of up to five operations, by one warp or two.
pub(super) fn random(below: &mut dyn FnMut(u32) -> u32) -> Scenario {
    let keys: Vec<u32> = (0..below(6)).map(|_| below(BASE * BASE)).collect();
    // The writes of a warp are bounded.
    scenario(1 + below(2) as usize, &keys, below(2) == 1 && keys.len() < 4)
}
