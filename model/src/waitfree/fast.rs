//! Updates that replace the first node of a chain alone, where no call is announced: nearly all of them.

use super::WaitFreeTable;
use super::announce::Request;
use super::words::{Head, NIL, Update};
use crate::entry::Packed;
use crate::memory::{IntegerWords, Order, Words};
use crate::reclaim::{NodeIndex, Stash};
use crate::row;
use crate::warp::Warp;

impl<E, N, H, B, const S: usize> WaitFreeTable<E, N, H, B, S>
where
    E: Packed,
    N: Words<E::Word>,
    H: IntegerWords<u64>,
    B: IntegerWords<u32>,
{
    /// Runs an update if the first node of its chain decides it, and one node in its place is enough: whether
    /// the key was there. `None`, and nothing has changed, if that is not so, if a call is announced or was
    /// answered here, if no node is free, or if as many exchanges are lost as the table has patience; `lost`
    /// counts them.
    #[inline(always)]
    pub(super) fn fast<W: Warp>(
        self,
        w: &mut W,
        request: Request<E::Word>,
        stash: &mut Stash,
        lost: &mut u32,
    ) -> Option<bool> {
        let (Request { bucket, update, entry }, key) = (request, E::key(request.entry));
        let mut fresh = None;
        let answer = loop {
            if *lost == self.patience {
                break None;
            }
            let head = self.head(w, bucket);
            if head.is_asked() || head.has_receipts() {
                break None;
            }
            let first = head.first();
            let (mut row, mut link, mut present) = (w.each(|_| [E::EMPTY; S]), NIL, false);
            if first != NIL {
                row = self.read(w, first);
                link = Self::link(w, row);
            }
            let mut found = Self::find(w, row, key);
            if found.is_some() {
                present = true;
            } else if link != NIL && !Self::ends(w, row, key) {
                break None;
            } else {
                found = Self::room(w, row);
            }
            if let (true, Update::Add) | (false, Update::Remove) = (present, update) {
                break Some(present);
            }
            // A full node is split elsewhere.
            let Some(place) = found else { break None };
            let word = if update == Update::Remove { E::EMPTY } else { entry };
            let row = row::with_word(w, row, &place, word);
            if update == Update::Remove && link != NIL && Self::entries(w, row) == 0 {
                break None;
            }
            let Some(node) = fresh.or_else(|| self.words.pool.take(w, stash)) else { break None };
            self.write(w, node, row, link);
            let new = Head::new(node.0, false, false);
            w.sync();
            // Release: the node was written before.
            let won = w.elect(0, || {
                self.words.heads.compare_exchange(bucket as usize, head.0, new.0, Order::Release) == head.0
            });
            if won {
                if first != NIL {
                    self.words.pool.retire(w, NodeIndex(first));
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
}
