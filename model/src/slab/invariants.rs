//! Invariants of a slab hash table, to be checked on a copy of its words.

use super::chain::SlabTable;
use super::settle::count_in;
use super::slots::Slots;
use crate::memory::{IntegerWords, Words};
use crate::reclaim::NodeIndex;
use crate::reserved::WithChain;
use crate::warp::Warp;

/// An invariant that is violated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Broken {
    /// A link leads outside the pool.
    WildLink {
        /// The slab whose link it is.
        from: NodeIndex,
    },
    /// A slab has two parents, or the chain has a cycle.
    SharedSlab {
        /// The slab reached twice, or a chain longer than the table.
        slab: NodeIndex,
    },
    /// A slab is linked but its bit is clear.
    FreeSlabLinked {
        /// The slab.
        slab: NodeIndex,
    },
    /// A slot is taken after an empty one.
    Gap {
        /// The bucket.
        bucket: u32,
    },
    /// A slab is in use and no chain reaches it (quiescence only).
    LostSlab {
        /// The slab.
        slab: NodeIndex,
    },
    /// A key is there twice in a table that was only filled uniquely (quiescence only).
    DuplicateKey {
        /// The bucket.
        bucket: u32,
    },
    /// A key is in another bucket than its own (quiescence only).
    WrongBucket {
        /// The bucket.
        bucket: u32,
    },
}

impl core::fmt::Display for Broken {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::WildLink { from } => write!(f, "the link of slab {} leads outside the pool", from.0),
            Self::SharedSlab { slab } => write!(f, "slab {} is reached twice", slab.0),
            Self::FreeSlabLinked { slab } => write!(f, "slab {} is linked but free", slab.0),
            Self::Gap { bucket } => write!(f, "bucket {bucket} has a taken slot after an empty one"),
            Self::LostSlab { slab } => write!(f, "slab {} is in use but no chain reaches it", slab.0),
            Self::DuplicateKey { bucket } => write!(f, "bucket {bucket} holds a key twice"),
            Self::WrongBucket { bucket } => write!(f, "bucket {bucket} holds a key of another bucket"),
        }
    }
}

impl<C: Slots, B: IntegerWords<u32>, const S: usize> SlabTable<C, B, S> {
    /// Checks the invariants of every state: links stay in the pool, chains are acyclic and share no slab,
    /// every linked slab is in use, no slot is taken after an empty one or one that is being filled.
    ///
    /// Takes time proportional to slabs squared: meant for the tiny tables of the checkers.
    pub fn check_state<W: Warp>(self, w: &mut W) -> Result<(), Broken> {
        self.check_among(w, &[self])
    }

    /// Checks the invariants of every state for a table that shares the slabs of `all` these tables.
    fn check_among<W: Warp>(self, w: &mut W, all: &[Self]) -> Result<(), Broken> {
        for bucket in 0..self.buckets {
            let mut end_seen = false;
            self.for_chain(w, bucket, |table, w, slab| {
                let row = table.read(w, slab);
                let taken = count_in::<W, C, S>(w, row, |word| !C::is_empty(word));
                let end = Self::slot(W::LANES, slab, Self::link_number(W::LANES)) as u64;
                let empty = Self::first(w, slab, row, C::is_empty);
                let empty = empty.map_or(end, |e| w.elect_with(e.lane, e.places, |place| place.at as u64));
                let prefix = (empty - Self::slot(W::LANES, slab, 0) as u64) as u32;
                // A slot that is being filled is the last one that is taken.
                let pending = Self::first(w, slab, row, C::is_pending);
                let pending = pending.map(|p| w.elect_with(p.lane, p.places, |place| place.at as u64));
                let gap = pending.is_some_and(|at| at + 1 != empty);
                if taken != prefix || gap || (end_seen && taken > 0) {
                    return Err(Broken::Gap { bucket });
                }
                end_seen |= taken < Self::link_number(W::LANES) || pending.is_some();
                table.check_parents(w, slab, all)
            })?;
        }
        Ok(())
    }

    /// Checks the additional invariants of a state in which no operation runs: every slab in use is
    /// reachable, every key is in its bucket, and if `unique` no key is there twice.
    pub fn check_quiescent<W: Warp>(self, w: &mut W, unique: bool) -> Result<(), Broken> {
        self.check_state(w)?;
        self.check_lost(w, &[self])?;
        self.check_keys(w, unique)
    }

    /// Checks that every slab in use belongs to one of these tables.
    fn check_lost<W: Warp>(self, w: &mut W, all: &[Self]) -> Result<(), Broken> {
        for slab in self.pool.first()..self.slabs(W::LANES) {
            let slab = NodeIndex(slab);
            if self.pool.in_use(slab) && Self::parents(w, slab, all)? == 0 {
                return Err(Broken::LostSlab { slab });
            }
        }
        Ok(())
    }

    /// Checks that every key is in its bucket, and if `unique` only once.
    fn check_keys<W: Warp>(self, w: &mut W, unique: bool) -> Result<(), Broken> {
        for bucket in 0..self.buckets {
            let (mut wrong, mut twice) = (false, false);
            self.visit(w, bucket, |w, number, key, _| {
                wrong |= crate::key::UserKey::new(key).is_none_or(|k| self.bucket(k) != self.base(bucket));
                self.visit(w, bucket, |_, other, k, _| twice |= other < number && k == key);
            });
            if wrong {
                return Err(Broken::WrongBucket { bucket });
            }
            if unique && twice {
                return Err(Broken::DuplicateKey { bucket });
            }
        }
        Ok(())
    }

    /// Number of slabs, base slabs and pool.
    pub fn slabs(self, lanes: u32) -> u32 {
        (self.slots.probe().len() / (lanes as usize * S)) as u32
    }

    fn check_parents<W: Warp>(self, w: &mut W, slab: NodeIndex, all: &[Self]) -> Result<(), Broken> {
        if slab.0 < self.pool.first() {
            return Ok(());
        }
        if !self.pool.in_use(slab) {
            return Err(Broken::FreeSlabLinked { slab });
        }
        if Self::parents(w, slab, all)? > 1 { Err(Broken::SharedSlab { slab }) } else { Ok(()) }
    }

    /// How many links of the chains of these tables lead to `slab`.
    fn parents<W: Warp>(w: &mut W, slab: NodeIndex, all: &[Self]) -> Result<u32, Broken> {
        let mut parents = 0;
        for table in all {
            for bucket in 0..table.buckets {
                table.for_chain(w, bucket, |_, _, at| {
                    parents += (at == slab) as u32;
                    Ok(())
                })?;
            }
        }
        Ok(parents)
    }

    /// Calls `f` for each slab of a chain; a chain longer than the table is a cycle.
    fn for_chain<W: Warp>(
        self,
        w: &mut W,
        bucket: u32,
        mut f: impl FnMut(Self, &mut W, NodeIndex) -> Result<(), Broken>,
    ) -> Result<(), Broken> {
        let slabs = self.slabs(W::LANES);
        let mut slab = self.base(bucket);
        for _ in 0..slabs {
            f(self, w, slab)?;
            let row = self.read(w, slab);
            match Self::link(w, row).next() {
                None => return Ok(()),
                Some(next) if next.0 >= slabs || next.0 < self.pool.first() => {
                    return Err(Broken::WildLink { from: slab });
                }
                Some(next) => slab = next,
            }
        }
        Err(Broken::SharedSlab { slab })
    }
}

impl<C: Slots, B: IntegerWords<u32>, const S: usize> WithChain<SlabTable<C, B, S>> {
    /// Checks [`SlabTable::check_state`]'s invariants, also for the chain of the reserved keys.
    ///
    /// # Errors
    /// The violated invariant.
    pub fn check_state<W: Warp>(self, w: &mut W) -> Result<(), Broken> {
        let all = [self.table(), self.reserved()];
        all.iter().try_for_each(|table| table.check_among(w, &all))
    }

    /// Checks [`SlabTable::check_quiescent`]'s invariants, also for the chain of the reserved keys.
    ///
    /// # Errors
    /// The violated invariant.
    pub fn check_quiescent<W: Warp>(self, w: &mut W, unique: bool) -> Result<(), Broken> {
        self.check_state(w)?;
        let all = [self.table(), self.reserved()];
        self.table().check_lost(w, &all)?;
        all.iter().try_for_each(|table| table.check_keys(w, unique))
    }
}
