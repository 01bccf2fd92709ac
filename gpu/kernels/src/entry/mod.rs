//! The code of the kernels: reads the arguments, calls an operation of a structure, writes the answers.
//!
//! Conventions of all kernels:
//!
//! - A tile runs one operation. A batch of `n` operations needs a grid of at least `n` tiles; further tiles
//!   do nothing. All lanes read the inputs. The lane that has the answer writes it; if all lanes have it,
//!   lane 0 does. Updates of a wait-free table are different: each lane runs updates of its own and writes
//!   their outcomes (`waitfree`).
//! - `outcomes[op]` is the code of an outcome (`warpproof_model::outcome`). Every word is a valid key.
//! - An operation that a structure defers to a second kernel
//!   ([`WarpMap::try_mixed`](warpproof_model::WarpMap)) has the code [`DEFERRED`]; the second kernel, with
//!   the same arguments, runs those.

mod arguments;
#[cfg(feature = "tables")]
mod board;
mod bulk;
#[cfg(all(feature = "tables", not(feature = "b128")))]
mod columns;
mod map;
mod open;
#[cfg(all(feature = "tables", not(feature = "b128")))]
mod paged;
mod slab;
#[cfg(feature = "stress")]
mod stamped;
mod stats;
mod waitfree;

pub(crate) use arguments::{
    Array, At, Columns, Count, In, Kinds, MaybeIn, MaybeOut, NoValue, Numbers, Offsets, Out, Told, UpdateCode,
};
pub(crate) use bulk::{bins_of, entries_of, outcomes_of};
pub(crate) use map::{ASSIGN, Sifts, UNIQUE};
pub(crate) use warpproof_model::open::bulk::TALLY;
pub(crate) use warpproof_model::retrieve::{BlockScan, PerSlot, SharedCounter, WarpCounter};

use warpproof_device::{CtaBlock, Tile};
use warpproof_model::map::{DEFERRED, DEFERRED_SPAN};
use warpproof_model::{AtLane, Key, Warp};

/// A launch on a table, by tiles of `L` lanes. Its methods are the operations; a kernel calls one of them.
pub(crate) struct Launch<const L: u32, T> {
    table: T,
    tiles: Tiles<L>,
}

impl<const L: u32, T> Launch<L, T> {
    /// The launch of the calling thread.
    ///
    /// # Safety
    ///
    /// As [`Tiles::new`]. Every argument of the operation is as its type and the operation require.
    #[inline(always)]
    pub(crate) unsafe fn new(table: T) -> Self {
        // SAFETY: the contract of this function.
        Self { table, tiles: unsafe { Tiles::new() } }
    }
}

/// The tiles of a launch, among them that of the calling thread. A method that takes it consumes it.
pub(crate) struct Tiles<const L: u32>(());

impl<const L: u32> Tiles<L> {
    /// The tiles of this launch.
    ///
    /// # Safety
    ///
    /// The contracts of [`Tile::new`] and [`CtaBlock::new`], once for each kernel. Methods called on it count
    /// as part of the kernel: the lanes of a tile keep together, and the threads of a block at its barriers.
    #[inline(always)]
    pub(crate) unsafe fn new() -> Self {
        Self(())
    }

    /// The block and the tile of the calling thread. Every thread of the block calls this.
    #[inline(always)]
    fn block(self) -> (CtaBlock<L>, Tile<L>) {
        // SAFETY: the contract of `new`.
        unsafe { (CtaBlock::new(), Tile::new()) }
    }

    /// The tile of the calling thread in its block. Every thread of the block calls this.
    #[inline(always)]
    fn in_block(self) -> (Tile<L>, CtaBlock<L>) {
        // SAFETY: the contract of `new`.
        unsafe { (Tile::new(), CtaBlock::new()) }
    }

    /// The tile of the calling thread. Every thread of the block calls this.
    #[inline(always)]
    fn tile(self) -> Tile<L> {
        // SAFETY: the contract of `new`.
        unsafe { Tile::new() }
    }

    /// Runs `f` for the number of this tile, if it is below `n`.
    #[inline(always)]
    pub(crate) fn per_number(self, n: u32, f: impl FnOnce(&mut Tile<L>, usize)) {
        // SAFETY: the contract of `new`.
        let mut tile = unsafe { Tile::new() };
        let number = tile.id();
        // The branch is uniform in the tile.
        if number < n {
            f(&mut tile, number as usize);
        }
    }

    /// Runs `f` for the operation of this tile, if there is one.
    #[inline(always)]
    pub(crate) fn per_tile(self, n: Count, f: impl FnOnce(&mut Tile<L>, At)) {
        // SAFETY: the contract of `new`.
        let mut tile = unsafe { Tile::new() };
        let op = tile.id();
        // The branch is uniform in the tile.
        if op < n.0 {
            // SAFETY: below `n`.
            f(&mut tile, unsafe { At::new(op as usize) });
        }
    }

    /// Runs `f` on the key of each operation; the lane that has the code writes it.
    #[inline(always)]
    fn per_key<K: Key>(
        self,
        keys: In<K>,
        outcomes: Out<u8>,
        n: Count,
        f: impl FnOnce(&mut Tile<L>, At, K) -> AtLane<Tile<L>, u8>,
    ) {
        self.per_tile(n, |w, op| {
            let code = f(w, op, keys.read(op));
            // SAFETY: one lane writes.
            code.give(w, |code| unsafe { outcomes.at(op).write(code) });
        });
    }

    /// Runs `f` on the key of each operation that the first kernel deferred, and writes the code that it
    /// returns. A tile looks through [`DEFERRED_SPAN`] operations.
    #[inline(always)]
    fn per_deferred<K: Key>(
        self,
        keys: In<K>,
        outcomes: Told,
        n: Count,
        mut f: impl FnMut(&mut Tile<L>, At, K) -> AtLane<Tile<L>, u8>,
    ) {
        let operations =
            |w: &mut Tile<L>, span: usize| deferred_in_span(w, (span, n), keys, outcomes, &mut f);
        self.per_number(n.0.div_ceil(DEFERRED_SPAN), operations);
    }
}

/// Runs `f` on the key of each operation of a span of [`DEFERRED_SPAN`] that the first kernel deferred, and
/// writes the code that it returns.
#[inline(always)]
fn deferred_in_span<const L: u32, K: Key>(
    w: &mut Tile<L>,
    (span, n): (usize, Count),
    keys: In<K>,
    outcomes: Told,
    f: &mut impl FnMut(&mut Tile<L>, At, K) -> AtLane<Tile<L>, u8>,
) {
    let first = span * DEFERRED_SPAN as usize;
    let end = (first + DEFERRED_SPAN as usize).min(n.0 as usize);
    // Few spans have a deferred operation, so all lanes look at once, without a branch. The last span of a
    // batch may be shorter.
    if end == first + DEFERRED_SPAN as usize {
        let lanes = w.each(|lane| {
            let from = first + (lane * (DEFERRED_SPAN / L)) as usize;
            // SAFETY: below `end`, which is at most `n`.
            let deferred = |i| outcomes.read(unsafe { At::new(from + i as usize) }) == DEFERRED;
            (0..DEFERRED_SPAN / L).fold(false, |any, i| any | deferred(i))
        });
        if !w.ballot(lanes).any() {
            return;
        }
    }
    let mut next = first;
    loop {
        // SAFETY: below `end`. The search has a loop of its own: after it the tiles of a warp meet and run
        // `f` together.
        let deferred = |&op: &usize| outcomes.read(unsafe { At::new(op) }) == DEFERRED;
        let Some(op) = (next..end).find(deferred) else { return };
        next = op + 1;
        // SAFETY: below `end`.
        let op = unsafe { At::new(op) };
        let code = f(w, op, keys.read(op));
        // SAFETY: this tile's own operation; one lane writes.
        code.give(w, |code| unsafe { outcomes.0.at(op).write(code) });
    }
}
