//! The operations on a table in CPU memory: those of the model, and the search for free nodes when there is
//! none.

use super::turns::{Alone, Turns};
use crate::cpu::packed::PackedWords;
use crate::cpu::words::CpuWords;
use core::sync::atomic::{AtomicU32, AtomicU64};
use warpproof_model::entry::Packed;
use warpproof_model::host::Op;
use warpproof_model::map::WarpMap;
use warpproof_model::outcome::{Assign, Delete, Insert, Mixed};
use warpproof_model::reclaim::{NodePool, Pool as _};
use warpproof_model::waitfree::WaitFreeTable;
use warpproof_model::{AtLane, UserKey, Warp, Word as _};

/// The table of the model.
pub(super) type Table<'a, St, const S: usize> = WaitFreeTable<
    <St as PackedWords>::Entry,
    <St as PackedWords>::Words<'a>,
    CpuWords<'a, AtomicU64, 8>,
    NodePool<CpuWords<'a, AtomicU32, 16>, CpuWords<'a, AtomicU64, 8>>,
    S,
>;

/// A table, seen by warps that have a turn on it: the warps of
/// [`CpuTable::warp`](crate::cpu::CpuTable::warp).
pub struct View<'a, St: PackedWords + 'a, const S: usize> {
    pub(super) table: Table<'a, St, S>,
    pub(super) turns: &'a Turns,
}

impl<St: PackedWords, const S: usize> Clone for View<'_, St, S> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<St: PackedWords, const S: usize> Copy for View<'_, St, S> {}

/// One in so many nodes must be free, or as many operations must have missed one, before free nodes are
/// searched: so the search costs a constant time for each operation.
const FEW: u64 = 64;

impl<St: PackedWords, const S: usize> View<'_, St, S> {
    /// Frees the nodes that no call uses, unless that is not worth it. Returns whether it did. Nothing else
    /// is in the middle of an operation.
    #[cold]
    fn reclaim<W: Warp>(&self, alone: &mut Alone<'_>) -> bool {
        let (pool, room) = (self.table.pool(), alone.room());
        let enough = self.table.nodes::<W>() as u64 / FEW;
        room.missed = room.missed.saturating_add(1);
        if room.counted < enough && room.missed < enough {
            return false;
        }
        (0..pool.warps()).for_each(|warp| pool.release(warp));
        (0..pool.words()).for_each(|word| _ = pool.reclaim(word));
        room.counted = pool.free();
        room.missed = 0;
        true
    }

    /// Runs an operation that has found no free node once more, when some may be free.
    #[cold]
    fn again<W: Warp, T>(
        self,
        w: &mut W,
        full: T,
        operation: impl FnOnce(Table<'_, St, S>, &mut W) -> T,
    ) -> T {
        let mut alone = self.turns.alone();
        if self.reclaim::<W>(&mut alone) { operation(self.table, w) } else { full }
    }
}

impl<St: PackedWords, const S: usize> WarpMap for View<'_, St, S> {
    type Key = <St::Entry as Packed>::Key;
    type Value = <St::Entry as Packed>::Value;

    #[inline(always)]
    fn insert_unique<W: Warp>(self, w: &mut W, key: UserKey<Self::Key>, value: Self::Value) -> Insert {
        match self.table.insert_unique(w, key, value) {
            Insert::Full => self.again(w, Insert::Full, |table, w| table.insert_unique(w, key, value)),
            said => said,
        }
    }

    #[inline(always)]
    fn insert_or_assign<W: Warp>(self, w: &mut W, key: UserKey<Self::Key>, value: Self::Value) -> Assign {
        match self.table.insert_or_assign(w, key, value) {
            Assign::Full => self.again(w, Assign::Full, |table, w| table.insert_or_assign(w, key, value)),
            said => said,
        }
    }

    #[inline(always)]
    fn search<W: Warp>(self, w: &mut W, key: UserKey<Self::Key>) -> Option<Self::Value> {
        self.table.search(w, key)
    }

    #[inline(always)]
    fn delete<W: Warp>(self, w: &mut W, key: UserKey<Self::Key>) -> Delete {
        self.table.delete(w, key).unwrap_or_else(|| {
            let mut alone = self.turns.alone();
            self.reclaim::<W>(&mut alone);
            self.table.delete_in_place(w, key)
        })
    }

    #[inline(always)]
    fn mixed<W: Warp>(
        self,
        w: &mut W,
        op: Op,
        key: UserKey<Self::Key>,
        value: Self::Value,
    ) -> AtLane<W, Mixed<Self::Value>> {
        let (code, value) = match op {
            Op::Insert | Op::InsertUnique => (self.insert_unique(w, key, value).code(), Self::Value::ZERO),
            Op::Assign => (self.insert_or_assign(w, key, value).code(), Self::Value::ZERO),
            Op::Delete => (self.delete(w, key).code(), Self::Value::ZERO),
            Op::Search => {
                let found = self.search(w, key);
                (u8::from(found.is_some()), found.unwrap_or(Self::Value::ZERO))
            }
        };
        AtLane::known(w, Mixed { code, value })
    }

    #[inline(always)]
    fn prefetch<W: Warp>(self, key: UserKey<Self::Key>) {
        self.table.prefetch::<W>(key);
    }

    #[inline(always)]
    fn parts(self) -> u32 {
        self.table.buckets()
    }

    #[inline(always)]
    fn live<W: Warp>(self, w: &mut W, bucket: u32) -> u32 {
        self.table.bucket_stats(w, bucket).0
    }

    #[inline(always)]
    fn visit<W: Warp>(self, w: &mut W, bucket: u32, sink: impl FnMut(&mut W, u32, Self::Key, Self::Value)) {
        self.table.visit(w, bucket, sink);
    }
}
