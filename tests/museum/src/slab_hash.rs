//! SlabHash as published (Ashkiani, Farach-Colton, Owens, IPDPS 2018, and owensgroup/SlabHash), in our own
//! words.
//!
//! A slab is a row of 32-bit words. Words 2j and 2j + 1 are the key and the value of pair j; the last word is
//! the link, the one before it is not used. Each word is read by its own lane; a pair is exchanged as 64
//! bits. There is no tombstone: a deleted pair becomes empty again.
//!
//! - search: the lowest lane with the key; the value is what the *next lane* read.
//! - insert: the lowest empty pair is exchanged, empty -> pair; on failure the same slab is read again. None
//!   empty: on to the next slab, or a new one is linked. Unique insert first looks for the key *in the slab
//!   in hand*.
//! - delete: the lowest lane with the key; *swaps* the pair for an empty one, whatever stands there by now;
//!   true if the pair swapped out had the key.
//!
//! There is one bucket. A slab has as many words as `lanes * S`: word n is the word n / lanes of lane n %
//! lanes. The memory of a pair is one 64-bit word, and a lane that reads half of it loads it all: the model
//! has no accesses of mixed size. The lanes load one after the other, keys before values; the simulator runs
//! other warps between.

use crate::slab_alloc::SlabAlloc;
use warpproof_model::spec::{Call, Multimap, Op, Ret};
use warpproof_model::{Order, ReadOrder, Warp, Words};
use warpproof_simt::check::{Array, Breach, Kind, Memory, Scenario, SimWarp, Subject};

const EMPTY_KEY: u32 = u32::MAX;
const TOMBSTONE_KEY: u32 = u32::MAX - 1;
const EMPTY: u64 = u64::MAX;
/// A deleted pair, in repaired forms only.
const TOMBSTONE: u64 = pair(TOMBSTONE_KEY, u32::MAX);
const NIL: u32 = u32::MAX;
/// The array of pairs; the allocator's follow.
const PAIRS: usize = 0;

/// What of the published form is repaired.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Repairs {
    /// Delete leaves a tombstone, which no insert fills.
    pub(crate) tombstones: bool,
    /// Delete exchanges the pair as read, and reads again if that fails.
    pub(crate) checked_delete: bool,
    /// Key and value come from one load of one lane.
    pub(crate) whole_pairs: bool,
    /// The allocator's walk is bounded.
    pub(crate) bounded_walk: bool,
    /// A slab given back is free in its warp's copy of the bitmap too.
    pub(crate) forgets_freed: bool,
}

/// The table, with `S` words per lane.
#[derive(Clone, Debug)]
pub(crate) struct SlabHash<const S: usize> {
    lanes: u32,
    unique: bool,
    repairs: Repairs,
    pool: SlabAlloc,
}

type Row<W, const S: usize> = <W as Warp>::Lanes<[u64; S]>;

const fn pair(key: u32, value: u32) -> u64 {
    key as u64 | (value as u64) << 32
}

const fn key(pair: u64) -> u32 {
    pair as u32
}

const fn upper(pair: u64) -> u32 {
    (pair >> 32) as u32
}

impl<const S: usize> SlabHash<S> {
    /// The table of a scenario.
    pub(crate) fn new(scenario: &Scenario, repairs: Repairs) -> Self {
        let pool = SlabAlloc {
            slabs: scenario.config.pool,
            lanes: scenario.config.lanes,
            warps: scenario.programs.len() as u32,
            array: PAIRS + 1,
            bounded: repairs.bounded_walk,
            forgets: repairs.forgets_freed,
        };
        let mut calls = scenario.preload.iter().chain(scenario.programs.iter().flatten());
        let unique = !calls.any(|call| call.op == Op::Insert);
        Self { lanes: scenario.config.lanes, unique, repairs, pool }
    }

    /// Words of a slab.
    const fn words(&self) -> u32 {
        self.lanes * S as u32
    }

    /// Index of the pair that word `n` of a slab is in.
    const fn at(&self, slab: u32, n: u32) -> usize {
        ((slab * self.words() + n) / 2) as usize
    }

    const fn link_at(&self, slab: u32) -> usize {
        self.at(slab, self.words() - 1)
    }

    const fn slabs(&self) -> u32 {
        1 + self.pool.slabs
    }

    /// The word before the link is never written, and the lanes of values that are not used read nothing.
    const fn is_read(&self, n: u32) -> bool {
        let last = self.words() - 1;
        n == last || (n != last - 1 && (n.is_multiple_of(2) || !self.repairs.whole_pairs))
    }

    fn read<W: Warp, M: Memory>(&self, w: &mut W, m: M, slab: u32) -> Row<W, S> {
        w.each(|lane| {
            core::array::from_fn(|i| {
                let n = i as u32 * W::LANES + lane;
                // Relaxed: as published.
                let load = || m.w64(PAIRS).load(self.at(slab, n), ReadOrder::Relaxed);
                if self.is_read(n) { load() } else { EMPTY }
            })
        })
    }

    /// The lowest word that holds `wanted` as a key.
    fn find<W: Warp>(&self, w: &mut W, row: Row<W, S>, wanted: u32) -> Option<u32> {
        (0..S as u32).find_map(|i| {
            let first = i * W::LANES;
            let keys = |n: u32| n.is_multiple_of(2) && n + 2 < self.words();
            let votes = w.map(row, |lane, words| keys(first + lane) && key(words[i as usize]) == wanted);
            Some(first + w.ballot(votes).ffs()?)
        })
    }

    /// The upper half of word `n`, as its lane read it.
    fn upper_of<W: Warp>(w: &mut W, row: Row<W, S>, n: u32) -> u32 {
        let uppers = w.map(row, |_, words| upper(words[(n / W::LANES) as usize]));
        w.shfl(uppers, n % W::LANES)
    }

    /// The value beside the key in word `n`.
    fn value<W: Warp>(&self, w: &mut W, row: Row<W, S>, n: u32) -> u32 {
        Self::upper_of(w, row, if self.repairs.whole_pairs { n } else { n + 1 })
    }

    fn next<W: Warp>(&self, w: &mut W, row: Row<W, S>) -> Option<u32> {
        let link = Self::upper_of(w, row, self.words() - 1);
        (link != NIL).then_some(link)
    }

    fn search<W: Warp, M: Memory>(&self, w: &mut W, m: M, k: u32) -> Option<u64> {
        let mut slab = 0;
        loop {
            let row = self.read(w, m, slab);
            if let Some(n) = self.find(w, row, k) {
                // As published: a value of all ones says *not found*.
                let value = self.value(w, row, n);
                return (value != u32::MAX).then_some(value.into());
            }
            slab = self.next(w, row)?;
        }
    }

    fn count<W: Warp, M: Memory>(&self, w: &mut W, m: M, k: u32) -> u64 {
        let (mut slab, mut count) = (Some(0), 0);
        while let Some(at) = slab {
            let row = self.read(w, m, at);
            for i in 0..S {
                let keys = |n: u32| n.is_multiple_of(2) && n + 2 < self.words();
                let votes = w.map(row, |lane, words| keys(i as u32 * W::LANES + lane) && key(words[i]) == k);
                count += u64::from(w.ballot(votes).popc());
            }
            slab = self.next(w, row);
        }
        count
    }

    fn insert<W: Warp, M: Memory>(&self, w: &mut W, m: M, k: u32, value: u32, unique: bool) -> Ret {
        let pairs = m.w64(PAIRS);
        let mut slab = 0;
        loop {
            let row = self.read(w, m, slab);
            if unique && self.find(w, row, k).is_some() {
                return Ret::Present;
            }
            if let Some(n) = self.find(w, row, EMPTY_KEY) {
                let at = self.at(slab, n);
                // Relaxed: as published.
                let fill = || pairs.compare_exchange(at, EMPTY, pair(k, value), Order::Relaxed);
                if w.elect(0, fill) == EMPTY {
                    return Ret::Inserted;
                }
                continue;
            }
            if let Some(next) = self.next(w, row) {
                slab = next;
                continue;
            }
            let Some(new) = self.pool.allocate(w, m) else { return Ret::Full };
            let at = self.link_at(slab);
            // Relaxed: as published.
            let link = || pairs.compare_exchange(at, EMPTY, pair(EMPTY_KEY, 1 + new), Order::Relaxed);
            if w.elect(W::LANES - 1, link) != EMPTY {
                self.pool.free(w, m, new);
            }
        }
    }

    fn delete<W: Warp, M: Memory>(&self, w: &mut W, m: M, k: u32) -> Ret {
        let pairs = m.w64(PAIRS);
        let erased = if self.repairs.tombstones { TOMBSTONE } else { EMPTY };
        let mut slab = 0;
        loop {
            let row = self.read(w, m, slab);
            let Some(n) = self.find(w, row, k) else {
                match self.next(w, row) {
                    Some(next) => slab = next,
                    None => return Ret::Absent,
                }
                continue;
            };
            let at = self.at(slab, n);
            if !self.repairs.checked_delete {
                // Relaxed: as published.
                let old = w.elect(0, || pairs.swap(at, erased, Order::Relaxed));
                return if key(old) == k { Ret::Deleted } else { Ret::Absent };
            }
            let seen = pair(k, self.value(w, row, n));
            // Relaxed: as published.
            if w.elect(0, || pairs.compare_exchange(at, seen, erased, Order::Relaxed)) == seen {
                return Ret::Deleted;
            }
        }
    }

    /// The slabs of the chain; an error if one is linked twice, wild or not in use.
    fn chain<M: Memory>(&self, m: M) -> Result<Vec<u32>, Breach> {
        let mut chain = vec![0];
        let mut slab = 0;
        loop {
            // Relaxed: read alone.
            let link = upper(m.w64(PAIRS).load(self.link_at(slab), ReadOrder::Relaxed));
            if link == NIL {
                return Ok(chain);
            }
            if link >= self.slabs() || chain.contains(&link) || !self.pool.in_use(m, link - 1) {
                return Err(Breach::new(Kind::Invariant, format!("slab {slab} links slab {link}")));
            }
            chain.push(link);
            slab = link;
        }
    }
}

impl<const S: usize> Subject for SlabHash<S> {
    type Spec = Multimap;

    fn spec(&self) -> Multimap {
        Multimap { may_fill: true }
    }

    fn arrays(&self) -> Vec<Array> {
        let pairs = (self.slabs() * self.words() / 2) as usize;
        [Array::new("pairs", 64, vec![EMPTY.into(); pairs])].into_iter().chain(self.pool.arrays()).collect()
    }

    fn about(&self) -> Vec<String> {
        vec![
            "A chain of slabs, which have a few pairs each: 1:10 is key 1 with the value 10.".into(),
            "The bitmap of the pool says which slabs are taken; each warp has a copy of it.".into(),
        ]
    }

    fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
        let (k, value) = (call.key as u32, call.value as u32);
        match call.op {
            Op::Insert | Op::InsertUnique => self.insert(w, m, k, value, call.op == Op::InsertUnique),
            Op::Search => Ret::Value(self.search(w, m, k)),
            Op::Count => Ret::Count(self.count(w, m, k)),
            Op::Delete => self.delete(w, m, k),
            _ => Ret::Done,
        }
    }

    /// The chain is one, no key stands twice if all are unique, slabs in use are linked, and a free slab is
    /// free in some warp's copy of the bitmap.
    fn check_quiescent<W: SimWarp, M: Memory>(&self, _w: &mut W, m: M) -> Result<(), Breach> {
        let chain = self.chain(m)?;
        let slots = chain.iter().flat_map(|&slab| (0..self.words() - 2).step_by(2).map(move |n| (slab, n)));
        // Relaxed: read alone.
        let keys = slots.map(|(slab, n)| key(m.w64(PAIRS).load(self.at(slab, n), ReadOrder::Relaxed)));
        let keys: Vec<_> = keys.filter(|k| *k < TOMBSTONE_KEY).collect();
        if let Some((i, k)) = keys.iter().enumerate().find(|(i, k)| keys[..*i].contains(k))
            && self.unique
        {
            return Err(Breach::new(Kind::DuplicateKey, format!("key {k} stands twice ({i} pairs before)")));
        }
        for slab in 0..self.pool.slabs {
            let number = 1 + slab;
            if self.pool.in_use(m, slab) && !chain.contains(&number) {
                let detail = format!("slab {number} is in use and not linked");
                return Err(Breach::new(Kind::LostSlab, detail));
            }
            if !self.pool.in_use(m, slab) && !self.pool.known_free(m, slab) {
                let detail = format!("slab {number} is free and every warp takes it for used");
                return Err(Breach::new(Kind::LostSlab, detail));
            }
        }
        Ok(())
    }

    fn exhausted<M: Memory>(&self, m: M, _: u64) -> Option<bool> {
        Some(self.pool.exhausted(m))
    }

    fn show(&self, array: usize, index: usize, value: u128) -> String {
        let word = value as u64;
        match (array, value as u32) {
            (PAIRS, _) => {}
            (array, u32::MAX) if array <= PAIRS + 2 => return "all taken".to_string(),
            (array, bits) if array <= PAIRS + 2 => {
                return format!("{bits:032b}").trim_start_matches('1').to_string() + "b";
            }
            (_, changes) => return changes.to_string(),
        }
        let link = (index as u32 + 1).is_multiple_of(self.words() / 2);
        match (link, upper(word)) {
            (true, NIL) => "nil".to_string(),
            (true, slab) => format!("slab {slab}"),
            (false, _) if word == EMPTY => "empty".to_string(),
            (false, _) if word == TOMBSTONE => "tombstone".to_string(),
            (false, value) => format!("{}:{value}", key(word)),
        }
    }
}
