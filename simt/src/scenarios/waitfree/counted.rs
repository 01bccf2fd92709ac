//! A pool for a table with narrow counters.

use core::marker::PhantomData;
use warpproof_model::Warp;
use warpproof_model::reclaim::{Counters, NodeIndex, Pool, Stash};

/// Counters of so many bits: the announcements of a head, and the number of a call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Narrow<const ANNOUNCEMENTS: u32, const CALLS: u32>;

impl<const ANNOUNCEMENTS: u32, const CALLS: u32> Counters for Narrow<ANNOUNCEMENTS, CALLS> {
    const ANNOUNCEMENTS: u32 = ANNOUNCEMENTS;
    const CALLS: u32 = CALLS;
}

/// The pool `P` of a table whose counters are `C`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counted<P, C> {
    pool: P,
    counters: PhantomData<C>,
}

impl<P, C> Counted<P, C> {
    pub(super) const fn new(pool: P) -> Self {
        Self { pool, counters: PhantomData }
    }
}

impl<P: Pool, C: Counters + Copy> Pool for Counted<P, C> {
    type Counters = C;

    fn warps(self) -> usize {
        self.pool.warps()
    }

    fn open<W: Warp>(self, w: &mut W) -> Stash {
        self.pool.open(w)
    }

    fn close<W: Warp>(self, w: &mut W, stash: Stash) {
        self.pool.close(w, stash);
    }

    fn turn<W: Warp, T>(self, w: &mut W, f: impl FnOnce(&mut W, &mut Stash) -> T) -> T {
        self.pool.turn(w, f)
    }

    fn reading<W: Warp, T>(self, w: &mut W, f: impl FnOnce(&mut W) -> T) -> T {
        self.pool.reading(w, f)
    }

    fn fill<W: Warp>(self, w: &mut W, old: Stash) -> Option<Stash> {
        self.pool.fill(w, old)
    }

    fn retire_by_lane(self, stash: &Stash, node: NodeIndex) {
        self.pool.retire_by_lane(stash, node);
    }

    fn stashes(self, node: NodeIndex) -> u32 {
        self.pool.stashes(node)
    }

    fn is_used(self, node: NodeIndex) -> bool {
        self.pool.is_used(node)
    }

    fn is_retired(self, node: NodeIndex) -> bool {
        self.pool.is_retired(node)
    }
}
