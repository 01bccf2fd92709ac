//! retrieve_all of a dynamic map as published (the blog's variants 2a, 2b and 3a, and the kernel that
//! cuCollections merged), in our own words.
//!
//! The slots of all submaps are numbered through; a slot's number is looked up among the inclusive prefix
//! sums of the capacities. A block walks over the slots, each lane of it one slot at a time. Filled slots are
//! copied to the output, at an index made of the block's base (one addition to the global count) and a place
//! within the block:
//!
//! - 2a: a lane with a filled slot adds 1 to a shared counter. Barrier. Thread 0 adds the counter to the
//!   global count and writes the base *into the counter*. Barrier. Index: counter + place.
//! - 2b: a scan over the block instead of the counter; the base has a word of its own.
//! - 3a: a warp adds the number of its filled slots to the shared counter; a lane's place follows from the
//!   ballot. The base has a word of its own, the counter is never reset.
//!
//! All warps of a scenario are one block, and a call of `search_all` is one warp's share of the kernel; it
//! returns the indices at which it wrote. Keys alone are copied: the values go the same way. The caller's
//! output has room for twice the slots, so that a wrong index is seen as what it is.

use warpproof_model::spec::{Call, Ret, Spec};
use warpproof_model::{Ballot, Block, IntegerWords, Order, ReadOrder, Warp, Words, WriteOrder};
use warpproof_simt::check::{Array, Breach, Kind, Memory, SimWarp, Subject};

const EMPTY: u32 = u32::MAX;
const KEYS: usize = 0;
const PREFIX: usize = 1;
const COUNT: usize = 2;
const OUTPUT: usize = 3;
/// Shared words: the counter, the base, and one total per warp.
const COUNTER: usize = 0;
const BASE: usize = 1;
const TOTALS: usize = 2;

/// How a place within the block is found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Variant {
    /// 2a: a shared counter.
    Counter,
    /// 2b: a scan over the block.
    Scan,
    /// 3a: a shared counter per warp.
    Warp,
}

/// The kernel and the map it runs on.
#[derive(Clone, Debug)]
pub(crate) struct Retrieve {
    pub(crate) variant: Variant,
    pub(crate) slots: &'static [u32],
    pub(crate) warps: usize,
    /// The base has a word of its own, and thread 0 resets the counter between the barriers.
    pub(crate) resets: bool,
    /// Warps without a slot take part in every round.
    pub(crate) uniform: bool,
    /// A slot beyond the last is not looked up.
    pub(crate) bounded: bool,
}

impl Retrieve {
    /// As published, on one submap with these keys; 0 is an empty slot.
    pub(crate) const fn published(variant: Variant, slots: &'static [u32], warps: usize) -> Self {
        Self { variant, slots, warps, resets: false, uniform: false, bounded: false }
    }

    fn keys(&self) -> impl Iterator<Item = u32> {
        self.slots.iter().map(|&key| if key == 0 { EMPTY } else { key })
    }

    fn filled(&self) -> Vec<u32> {
        self.slots.iter().copied().filter(|&key| key != 0).collect()
    }

    const fn base_at(&self) -> usize {
        if matches!(self.variant, Variant::Counter) && !self.resets { COUNTER } else { BASE }
    }

    /// The keys of one round, a slot per lane.
    fn read<W: Warp, M: Memory>(&self, w: &mut W, m: M, first: u32) -> W::Lanes<u32> {
        let (prefix, submaps) = (m.w32(PREFIX), 1);
        w.each(|lane| {
            let slot = first + lane;
            // A loop that ends for each lane alone has no lane beyond the last slot in it.
            if (self.bounded || !self.uniform) && slot as usize >= self.slots.len() {
                return EMPTY;
            }
            let mut submap = 0;
            // As published: the prefix is read before its bound is tested.
            // Relaxed, both: no thread writes while the kernel runs.
            while slot >= prefix.load(submap, ReadOrder::Relaxed) && submap < submaps {
                submap += 1;
            }
            m.w32(KEYS).load(slot as usize, ReadOrder::Relaxed)
        })
    }

    /// Where in the block's part of the output each lane's key goes. The total is known to thread 0 alone.
    fn place<W: SimWarp>(&self, w: &mut W, filled: W::Lanes<bool>) -> (W::Lanes<u32>, u32) {
        let (rank, warps, shared) = (w.block().rank(), w.block().warps(), w.block().shared());
        let votes = w.ballot(filled);
        // Relaxed, here and below: the barriers order the shared words.
        let add = |n: u32| shared.fetch_add(COUNTER, n, Order::Relaxed);
        match self.variant {
            Variant::Counter => {
                let places = w.map(filled, |_, filled| if filled { add(1) } else { 0 });
                w.block().sync();
                (places, 0)
            }
            Variant::Warp => {
                let warp_base = w.elect(0, || add(votes.popc()));
                w.block().sync();
                (w.each(|lane| warp_base + votes.below(lane).popc()), 0)
            }
            Variant::Scan => {
                let mine = TOTALS + rank as usize;
                w.elect(0, || shared.store(mine, votes.popc(), WriteOrder::Relaxed));
                w.block().sync();
                let total = |warp: u32| shared.load(TOTALS + warp as usize, ReadOrder::Relaxed);
                let totals: Vec<u32> = (0..warps).map(|warp| w.elect(0, || total(warp))).collect();
                let before: u32 = totals[..rank as usize].iter().sum();
                (w.each(|lane| before + votes.below(lane).popc()), totals.iter().sum())
            }
        }
    }

    /// Thread 0 takes the block's part of the output; all lanes learn where it begins.
    fn base<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, total: u32) -> W::Lanes<u32> {
        let shared = w.block().shared();
        let take = || {
            // Relaxed: the barriers order the shared words, and the count is read when the kernel has ended.
            let total = match self.variant {
                Variant::Scan => total,
                _ => shared.load(COUNTER, ReadOrder::Relaxed),
            };
            let base = m.w32(COUNT).fetch_add(0, total, Order::Relaxed);
            shared.store(self.base_at(), base, WriteOrder::Relaxed);
            if self.resets {
                shared.store(COUNTER, 0, WriteOrder::Relaxed);
            }
        };
        if w.block().rank() == 0 {
            w.elect(0, take);
        }
        w.block().sync();
        // Relaxed: as above.
        w.each(|_| shared.load(self.base_at(), ReadOrder::Relaxed))
    }

    /// One warp's share of the kernel. Returns the indices at which it wrote.
    fn retrieve<W: SimWarp, M: Memory>(&self, w: &mut W, m: M) -> Vec<u64> {
        let (rank, warps) = (w.block().rank(), w.block().warps());
        let (mine, step) = (rank * W::LANES, warps * W::LANES);
        let mut wrote = Vec::new();
        let mut round = 0;
        while (round + if self.uniform { 0 } else { mine }) < self.slots.len() as u32 {
            let keys = self.read(w, m, round + mine);
            let filled = w.map(keys, |_, key| key != EMPTY);
            let (places, total) = self.place(w, filled);
            let bases = self.base(w, m, total);
            let indices = w.both(bases, places, |_, base, place| base + place);
            w.both(indices, keys, |_, index, key| {
                if key != EMPTY {
                    // Relaxed: read when the kernel has ended.
                    m.w32(OUTPUT).store(index as usize, key, WriteOrder::Relaxed);
                }
            });
            let mut left = w.ballot(filled);
            while let Some(lane) = left.ffs() {
                wrote.push(w.shfl(indices, lane).into());
                left = Ballot::without(left, lane);
            }
            round += step;
        }
        wrote
    }
}

/// What the warps return is theirs alone; what counts is the output.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shares;

impl Spec for Shares {
    type State = ();

    fn initial(&self, _key: u64) {}

    fn step(&self, (): &(), _call: &Call, _ret: Option<&Ret>, next: &mut Vec<()>) {
        next.push(());
    }
}

impl Subject for Retrieve {
    type Spec = Shares;

    fn spec(&self) -> Shares {
        Shares
    }

    fn arrays(&self) -> Vec<Array> {
        let slots = self.slots.len();
        vec![
            Array::new("keys", 32, self.keys().map(Into::into).collect()),
            Array::new("prefix", 32, vec![slots as u128]),
            Array::new("count", 32, vec![0]),
            Array::new("output", 32, vec![EMPTY.into(); 2 * slots]),
            Array::new("shared", 32, vec![0; TOTALS + self.warps]),
        ]
    }

    fn about(&self) -> Vec<String> {
        vec!["All keys of a table are copied to an output. count is how many there are; shared is the memory of the block: \
                  a counter, where the block's keys go, and the sums of the warps.".into()]
    }

    fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, _call: &Call) -> Ret {
        Ret::Values(self.retrieve(w, m))
    }

    /// The filled slots stand in the output, one after the other, each once, and the count says how many.
    fn check_quiescent<W: SimWarp, M: Memory>(&self, _w: &mut W, m: M) -> Result<(), Breach> {
        // Relaxed, both: read alone.
        let count = m.w32(COUNT).load(0, ReadOrder::Relaxed) as usize;
        let output = |at| m.w32(OUTPUT).load(at, ReadOrder::Relaxed);
        let mut filled = self.filled();
        let mut found: Vec<u32> = (0..filled.len()).map(output).collect();
        if let Some(hole) = found.iter().position(|&key| key == EMPTY) {
            let detail =
                format!("output[{hole}] was never written; {count} counted, {} filled", filled.len());
            return Err(Breach::new(Kind::Invariant, detail));
        }
        filled.sort_unstable();
        found.sort_unstable();
        if found != filled || count != filled.len() {
            let detail = format!("the output is {found:?}, {count} counted; filled are {filled:?}");
            return Err(Breach::new(Kind::Invariant, detail));
        }
        Ok(())
    }

    fn show(&self, array: usize, _index: usize, value: u128) -> String {
        match (array, value as u32) {
            (KEYS | OUTPUT, EMPTY) => "empty".to_string(),
            (_, word) => word.to_string(),
        }
    }
}
