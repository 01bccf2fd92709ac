//! SlabAlloc as published (owensgroup/SlabAlloc), in our own words.
//!
//! A memory block has one bitmap word per lane. A warp has a *resident block* and each lane keeps a copy of
//! its word of it from one operation to the next. The copies are arrays here, indexed by warp: subjects hold
//! nothing themselves.
//!
//! 1. The lowest lane whose copy has a clear bit exchanges the word in memory: copy -> copy with its lowest
//!    clear bit set. Success: the bit is the slab. Failure: the word as read becomes the copy, and again.
//! 2. No copy has a clear bit: *resident change*. The next block becomes resident and its words are read.
//!    This repeats for ever.
//! 3. A slab that lost the race for its link is given back: its bit is cleared in memory, not in the copy.

use warpproof_model::{IntegerWords, Order, ReadOrder, Warp, Words, WriteOrder};
use warpproof_simt::check::{Array, Memory};

/// Slabs per bitmap word.
const BITS: u32 = u32::BITS;

/// The allocator: its size, where its arrays are, and what of it is repaired.
#[derive(Clone, Debug)]
pub(crate) struct SlabAlloc {
    /// Slabs in the pool; they are bits of the first words.
    pub(crate) slabs: u32,
    /// Lanes of a warp.
    pub(crate) lanes: u32,
    /// Warps that run.
    pub(crate) warps: u32,
    /// Number of the first of the three arrays.
    pub(crate) array: usize,
    /// Repair of step 2: after one change per block the walk ends.
    pub(crate) bounded: bool,
    /// Repair of step 3: the bit is cleared in the copy too.
    pub(crate) forgets: bool,
}

impl SlabAlloc {
    const fn blocks(&self) -> u32 {
        let blocks = self.slabs.div_ceil(BITS * self.lanes);
        if blocks == 0 { 1 } else { blocks }
    }

    fn word(&self, index: u32) -> u32 {
        let left = self.slabs.saturating_sub(index * BITS);
        if left >= BITS { 0 } else { u32::MAX << left }
    }

    /// The bitmap, the copies, and how often each warp changed its resident block.
    pub(crate) fn arrays(&self) -> [Array; 3] {
        let words = |warp: u32| {
            let first = warp % self.blocks() * self.lanes;
            (0..self.lanes).map(move |lane| self.word(first + lane).into())
        };
        let bitmap = (0..self.blocks() * self.lanes).map(|index| self.word(index).into());
        [
            Array::new("bitmap", 32, bitmap.collect()),
            Array::new("copy", 32, (0..self.warps).flat_map(words).collect()),
            Array::new("changes", 32, vec![0; self.warps as usize]),
        ]
    }

    fn bitmap<M: Memory>(&self, m: M) -> M::W32 {
        m.w32(self.array)
    }

    fn copies<M: Memory>(&self, m: M) -> M::W32 {
        m.w32(self.array + 1)
    }

    /// First bitmap word of the resident block.
    fn resident<W: Warp, M: Memory>(&self, w: &W, m: M) -> usize {
        // Relaxed: no other warp's.
        let changes = m.w32(self.array + 2).load(w.id() as usize, ReadOrder::Relaxed);
        (w.id().wrapping_add(changes) % self.blocks() * self.lanes) as usize
    }

    /// Takes a slab. Returns `None` only in the repaired form, whose walk is bounded.
    pub(crate) fn allocate<W: Warp, M: Memory>(&self, w: &mut W, m: M) -> Option<u32> {
        let (bitmap, copies) = (self.bitmap(m), self.copies(m));
        let mine = (w.id() * self.lanes) as usize;
        // Relaxed: no other warp's.
        let mut copy = w.each(|lane| copies.load(mine + lane as usize, ReadOrder::Relaxed));
        let mut first = self.resident(w, m);
        let mut changes = 0;
        loop {
            let free = w.map(copy, |_, word| word != u32::MAX);
            let Some(lane) = w.ballot(free).ffs() else {
                if self.bounded && changes == self.blocks() {
                    return None;
                }
                changes += 1;
                (first, copy) = self.change_resident(w, m);
                continue;
            };
            let word = w.shfl(copy, lane);
            let bit = word.trailing_ones();
            let at = first + lane as usize;
            // Relaxed: as published, the exchange orders nothing.
            let exchange = || bitmap.compare_exchange(at, word, word | 1 << bit, Order::Relaxed);
            let old = w.elect(lane, exchange);
            let now = if old == word { word | 1 << bit } else { old };
            copy = w.map(copy, |l, word| if l == lane { now } else { word });
            w.elect(lane, || {
                // Relaxed: no other warp's.
                copies.store(mine + lane as usize, now, WriteOrder::Relaxed);
                now
            });
            if old == word {
                return Some(at as u32 * BITS + bit);
            }
        }
    }

    fn change_resident<W: Warp, M: Memory>(&self, w: &mut W, m: M) -> (usize, W::Lanes<u32>) {
        let (bitmap, copies) = (self.bitmap(m), self.copies(m));
        let me = w.id();
        // Relaxed: no other warp's.
        w.elect(0, || m.w32(self.array + 2).fetch_add(me as usize, 1, Order::Relaxed));
        let first = self.resident(w, m);
        let copy = w.each(|lane| {
            // Relaxed, both: a guess that the exchange confirms, and a word of no other warp's.
            let word = bitmap.load(first + lane as usize, ReadOrder::Relaxed);
            copies.store((me * self.lanes + lane) as usize, word, WriteOrder::Relaxed);
            word
        });
        (first, copy)
    }

    /// Gives back a slab that was just taken and never linked.
    pub(crate) fn free<W: Warp, M: Memory>(&self, w: &mut W, m: M, slab: u32) {
        let (at, bit) = ((slab / BITS) as usize, 1 << (slab % BITS));
        let (bitmap, copies) = (self.bitmap(m), self.copies(m));
        // Relaxed: the slab was never touched.
        w.elect(0, || bitmap.fetch_and(at, !bit, Order::Relaxed));
        if self.forgets {
            let lane = slab / BITS % self.lanes;
            let mine = (w.id() * self.lanes + lane) as usize;
            // Relaxed: no other warp's.
            w.elect(lane, || copies.fetch_and(mine, !bit, Order::Relaxed));
        }
    }

    /// Whether a slab is in use. Asked at quiescence.
    pub(crate) fn in_use<M: Memory>(&self, m: M, slab: u32) -> bool {
        // Relaxed: read alone.
        self.bitmap(m).load((slab / BITS) as usize, ReadOrder::Relaxed) & 1 << (slab % BITS) != 0
    }

    /// Whether some warp's copy says that a slab is free, or is of another block. Asked at quiescence.
    pub(crate) fn known_free<M: Memory>(&self, m: M, slab: u32) -> bool {
        if self.blocks() > 1 {
            return true;
        }
        let lane = slab / BITS % self.lanes;
        let copies = self.copies(m);
        // Relaxed: read alone.
        let copy = |warp: u32| copies.load((warp * self.lanes + lane) as usize, ReadOrder::Relaxed);
        (0..self.warps).any(|warp| copy(warp) & 1 << (slab % BITS) == 0)
    }

    /// Whether no slab is free.
    pub(crate) fn exhausted<M: Memory>(&self, m: M) -> bool {
        (0..self.slabs).all(|slab| self.in_use(m, slab))
    }
}
