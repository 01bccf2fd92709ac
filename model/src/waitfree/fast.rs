//! Updates that replace only the first node of a chain, when no call is announced: nearly all of them.

use super::WaitFreeTable;
use super::announce::Request;
use super::table::Row;
use super::words::{Head, NIL, Update};
use crate::entry::Packed;
use crate::memory::{IntegerWords, Order, Words};
use crate::reclaim::{NodeIndex, Pool, Stash};
use crate::row;
use crate::warp::Warp;

/// The effect of an update on the first node of its chain. A struct: an enum that holds a row would be kept
/// in local memory.
pub(super) struct Step<R> {
    pub(super) what: What,
    /// Whether the key was there, if that node is enough.
    pub(super) present: bool,
    /// The replacement of the node, with the same link.
    pub(super) row: R,
}

/// The kind of the effect.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum What {
    /// The first node is not enough: the caller runs it another way.
    Leave,
    /// The table does not change: the answer is known.
    Answer,
    /// It exchanges the head.
    Exchange,
}

impl<E, N, H, P, const S: usize> WaitFreeTable<E, N, H, P, S>
where
    E: Packed,
    N: Words<E::Word>,
    H: IntegerWords<u64>,
    P: Pool,
{
    /// The first node of a chain, and its link. An empty one if the chain has none.
    #[inline(always)]
    pub(super) fn first<W: Warp>(self, w: &mut W, head: Head) -> (Row<W, E, S>, u32) {
        if head.first() == NIL {
            return (w.each(|_| [E::EMPTY; S]), NIL);
        }
        let row = self.read(w, head.first());
        (row, Self::link(w, row))
    }

    /// The effect of an update on the first node of its chain, as read with its link.
    #[inline(always)]
    pub(super) fn step<W: Warp>(
        w: &mut W,
        (row, link): (Row<W, E, S>, u32),
        update: Update,
        entry: E::Word,
    ) -> Step<Row<W, E, S>> {
        let key = E::key(entry);
        let step = |what, present, row| Step { what, present, row };
        let (mut found, mut present) = (Self::find(w, row, key), true);
        if found.is_none() {
            if link != NIL && !Self::ends(w, row, key) {
                return step(What::Leave, false, row);
            }
            (found, present) = (Self::room(w, row), false);
        }
        if let (true, Update::Add) | (false, Update::Remove) = (present, update) {
            return step(What::Answer, present, row);
        }
        // Another path splits a full node.
        let Some(place) = found else { return step(What::Leave, false, row) };
        let word = if update == Update::Remove { E::EMPTY } else { entry };
        let row = row::with_word(w, row, &place, word);
        let emptied = update == Update::Remove && link != NIL && Self::entries(w, row) == 0;
        step(if emptied { What::Leave } else { What::Exchange }, present, row)
    }

    /// Runs an update if the first node of its chain decides it, and one replacement of that node is enough.
    /// Returns whether the key was there. Returns `None`, and changes nothing, if that is not so, if a call
    /// is announced or was answered in this chain, if no node is free, or if as many exchanges are lost as
    /// the table has patience; `lost` counts them.
    #[inline(always)]
    pub(super) fn fast<W: Warp>(
        self,
        w: &mut W,
        request: Request<E::Word>,
        stash: &mut Stash,
        lost: &mut u32,
    ) -> Option<bool> {
        let Request { bucket, update, entry } = request;
        let mut fresh = None;
        let answer = loop {
            if *lost == self.patience {
                break None;
            }
            let head = self.head(w, bucket);
            if head.is_asked::<P::Counters>() || head.has_receipts() {
                break None;
            }
            let (row, link) = self.first(w, head);
            let Step { what, present, row } = Self::step(w, (row, link), update, entry);
            match what {
                What::Leave => break None,
                What::Answer => break Some(present),
                What::Exchange => {}
            }
            let Some(node) = fresh.or_else(|| self.words.pool.take(w, stash)) else { break None };
            self.write(w, node, row, link);
            w.sync();
            let won = w.elect(0, || self.swap(bucket, head, node));
            if won {
                if head.first() != NIL {
                    self.words.pool.retire(w, stash, NodeIndex(head.first()));
                }
                return Some(present);
            }
            fresh = Some(node);
            *lost += 1;
        };
        if let Some(node) = fresh {
            self.words.pool.put_back(w, stash, node);
        }
        answer
    }

    /// Replaces the first node of a chain, if it still is the first one.
    #[inline(always)]
    pub(super) fn swap(self, bucket: u32, head: Head, node: NodeIndex) -> bool {
        let new = Head::new::<P::Counters>(node.0, false, false);
        // Release: the node was written before.
        self.words.heads.compare_exchange(bucket as usize, head.0, new.0, Order::Release) == head.0
    }
}
