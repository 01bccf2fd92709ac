//! Announced calls: how a warp announces a call, how other warps find and run it, and how it learns the
//! answer.

use super::WaitFreeTable;
use super::draft::{Draft, NoNode};
use super::table::Row;
use super::words::{Announcement, Head, NIL, Progress, Receipt, Update};
use crate::entry::Packed;
use crate::memory::{IntegerWords, Order, ReadOrder, Word, Words, WriteOrder};
use crate::reclaim::{NodeIndex, Pool, Stash};
use crate::warp::{Ballot, Warp};

/// A call that is under way.
#[derive(Clone, Copy)]
pub(super) struct Request<T> {
    pub(super) bucket: u32,
    pub(super) update: Update,
    pub(super) entry: T,
}

/// The result of a round.
#[derive(Clone, Copy)]
pub(super) struct Served {
    /// The node with the receipts, or none.
    pub(super) receipts: u32,
    /// Whether calls may be left for which the node has no receipt.
    pub(super) left_some: bool,
    /// Whether the key of this warp's own call was there, if that call was run.
    pub(super) own: Option<bool>,
}

impl Served {
    /// Nothing.
    pub(super) const NOTHING: Self = Self { receipts: NIL, left_some: false, own: None };
}

impl<E, N, H, P, const S: usize> WaitFreeTable<E, N, H, P, S>
where
    E: Packed,
    N: Words<E::Word>,
    H: IntegerWords<u64>,
    P: Pool,
{
    /// Words of a node that a receipt takes.
    const RECEIPT_WORDS: u32 = if size_of::<E::Word>() < 8 { 2 } else { 1 };

    /// The receipts that fit a node: the most calls of other warps that one exchange runs.
    #[inline(always)]
    pub const fn node_receipts(lanes: u32) -> u32 {
        Self::node_entries(lanes) / Self::RECEIPT_WORDS
    }

    /// Announces a call of this warp, so that a warp that replaces the chain of its bucket runs it.
    #[inline(always)]
    pub(super) fn announce<W: Warp>(
        self,
        w: &mut W,
        bucket: u32,
        update: Update,
        entry: E::Word,
    ) -> Announcement {
        let me = w.id() as usize;
        let words = self.words;
        Announcement(w.elect(0, || {
            // Relaxed: this warp was the last to write it, except for the delivery of its last answer.
            let call =
                Announcement(words.announcements.load(me, ReadOrder::Relaxed)).next::<P::Counters>(update);
            // Release: a warp that reads this entry sees that the last call is no longer pending.
            words.requests.store(me, entry, WriteOrder::Release);
            // Release: a warp that sees the call reads its entry.
            words.announcements.store(me, call.0, WriteOrder::Release);
            // Release: a warp that exchanges the head from here on has seen the call. An addition, not a bit
            // that is set: so the head differs from every head that was read before.
            words.heads.fetch_add(bucket as usize, Head::announcement::<P::Counters>(), Order::Release);
            call.0
        }))
    }

    /// Ends the announcement: the warp has its answer.
    #[inline(always)]
    pub(super) fn settle<W: Warp>(self, w: &mut W, call: Announcement) {
        let me = w.id() as usize;
        // Relaxed: `announce` releases what comes next. A swap, as other warps exchange this word: loom loses
        // a store.
        w.elect(0, || {
            self.words.announcements.swap(me, call.so(Progress::Idle).0, Order::Relaxed);
        });
    }

    /// The answer to this warp's announced call, if it was run for `head` or an earlier one.
    #[inline(always)]
    pub(super) fn answer<W: Warp>(self, w: &mut W, head: Head, call: Announcement) -> Option<bool> {
        let me = w.id();
        if let Some(receipt) = self.receipt_of(w, head, me, call) {
            return Some(receipt.present());
        }
        // Relaxed: the answer was delivered before the chain of `head` was published.
        let now = w.elect(0, || self.words.announcements.load(me as usize, ReadOrder::Relaxed));
        let now = Announcement(now);
        (now.progress() == Progress::Done).then(|| now.present())
    }

    /// Withdraws an announced call, as this warp has no node to go on with. Returns the answer, if it was
    /// run.
    #[inline(always)]
    pub(super) fn withdraw<W: Warp>(self, w: &mut W, bucket: u32, call: Announcement) -> Option<bool> {
        let me = w.id() as usize;
        let words = self.words;
        let was = w.elect(0, || {
            let withdrawn = call.so(Progress::Withdrawn);
            words.announcements.compare_exchange(me, call.0, withdrawn.0, Order::Relaxed)
        });
        if was != call.0 {
            return Some(Announcement(was).present());
        }
        // A warp that exchanges the head from here on has seen that the call is not pending; a faster one has
        // left a receipt.
        let head = w.elect(0, || {
            words.heads.fetch_add(bucket as usize, Head::announcement::<P::Counters>(), Order::AcqRel)
        });
        w.sync();
        self.answer(w, Head(head), call)
    }

    /// Makes the draft of a round. A call that is not announced runs first; then announced ones of its
    /// bucket, as many as one node has receipts for, in the order of their warps, after those for which
    /// `head` has receipts. Returns whether the key of the call was there, if it is not announced. If that
    /// call would change nothing, no other call runs.
    ///
    /// # Errors
    /// No node is free. `served` has what was made before.
    #[inline(always)]
    pub(super) fn make<W: Warp>(
        self,
        w: &mut W,
        (request, head): (Request<E::Word>, Head),
        is_announced: bool,
        (draft, stash): (&mut Draft, &mut Stash),
        served: &mut Served,
    ) -> Result<Option<bool>, NoNode> {
        let mut own = None;
        let mut queue = Queue { start: 0, base: 0, pending: Ballot::from_bits(0) };
        let mut count = 0;
        let mut is_own = !is_announced;
        // This warp's call and those of others run at one place, so that a kernel has the code once.
        loop {
            let (mut receipt, mut update, mut entry) = (None, request.update, request.entry);
            if !is_own {
                if queue.base == 0 {
                    if !head.is_asked::<P::Counters>() {
                        return Ok(own);
                    }
                    queue.start = self.after_last_served(w, head);
                }
                let Some((warp, call, its)) = self.next_call(w, (head, request.bucket), &mut queue) else {
                    return Ok(own);
                };
                if count == Self::node_receipts(W::LANES) {
                    served.left_some = true;
                    return Ok(own);
                }
                if served.receipts == NIL {
                    let node = self.words.pool.take(w, stash).ok_or(NoNode)?;
                    let blank: Row<W, E, S> = w.each(|_| [E::EMPTY; S]);
                    self.write(w, node, blank, NIL);
                    served.receipts = node.0;
                }
                (receipt, update, entry) = (Some((warp, call)), call.update(), its);
            }
            let present = self.apply(w, (draft, stash), update, entry)?;
            match receipt {
                None => {
                    own = Some(present);
                    if draft.is_untouched() {
                        return Ok(own);
                    }
                    is_own = false;
                }
                Some((warp, call)) => {
                    if warp == w.id() {
                        served.own = Some(present);
                    }
                    self.write_receipt(
                        w,
                        served.receipts,
                        count,
                        Receipt::new::<P::Counters>(warp, call, present),
                    );
                    count += 1;
                }
            }
        }
    }

    /// The next announced call of a bucket without a receipt in the chain of `head`.
    #[inline(always)]
    fn next_call<W: Warp>(
        self,
        w: &mut W,
        (head, bucket): (Head, u32),
        queue: &mut Queue,
    ) -> Option<(u32, Announcement, E::Word)> {
        let warps = self.warps();
        loop {
            let Some(lane) = queue.pending.ffs() else {
                if queue.base >= warps {
                    return None;
                }
                let Queue { start, base, .. } = *queue;
                let pending = w.each(|lane| {
                    let number = base + lane;
                    // Relaxed: all calls that `head` counts are visible.
                    number < warps
                        && self.announcement(wrapped(start + number, warps), ReadOrder::Relaxed).is_pending()
                });
                queue.pending = w.ballot(pending);
                queue.base += W::LANES;
                continue;
            };
            queue.pending = queue.pending.without(lane);
            let warp = wrapped(queue.start + queue.base - W::LANES + lane, warps);
            let Some((call, entry)) = self.request(w, warp) else { continue };
            if self.bucket(E::key(entry)) == bucket && self.receipt_of(w, head, warp, call).is_none() {
                return Some((warp, call, entry));
            }
        }
    }

    /// Delivers the receipts in the chain of `head` to their warps. The receipts end with that chain.
    #[inline(always)]
    pub(super) fn deliver<W: Warp>(self, w: &mut W, head: Head) {
        let words = self.words;
        let mut receipts = self.receipts(head);
        while let Some(receipt) = receipts.next(w, self) {
            w.elect(0, || {
                let warp = receipt.warp();
                // Relaxed: the exchange of the head comes after it, and a warp that waits for the answer
                // reads the head first.
                let mut call = self.announcement(warp, ReadOrder::Relaxed);
                // A call that waits is withdrawn once at most, which may come between: twice is enough.
                for _ in 0..2 {
                    let waits = matches!(call.progress(), Progress::Pending | Progress::Withdrawn);
                    if !waits || !receipt.is_of::<P::Counters>(warp, call) {
                        break;
                    }
                    let (is, done) = (call.0, call.done(receipt.present()).0);
                    let was = words.announcements.compare_exchange(warp as usize, is, done, Order::Relaxed);
                    if was == is {
                        break;
                    }
                    call = Announcement(was);
                }
            });
        }
    }

    #[inline(always)]
    fn announcement(self, warp: u32, order: ReadOrder) -> Announcement {
        Announcement(self.words.announcements.load(warp as usize, order))
    }

    /// The pending call of a warp, and its entry.
    #[inline(always)]
    fn request<W: Warp>(self, w: &mut W, warp: u32) -> Option<(Announcement, E::Word)> {
        // Acquire: the entry was written before.
        let call = Announcement(w.elect(0, || self.announcement(warp, ReadOrder::Acquire).0));
        if !call.is_pending() {
            return None;
        }
        // Acquire: if it is the entry of a later call, this call is no longer pending, as the check below
        // shows.
        let entry = w.elect(0, || self.words.requests.load(warp as usize, ReadOrder::Acquire));
        let again = Announcement(w.elect(0, || self.announcement(warp, ReadOrder::Relaxed).0));
        (again == call).then_some((call, entry))
    }

    /// The receipt of a call in the chain of `head`.
    #[inline(always)]
    fn receipt_of<W: Warp>(self, w: &mut W, head: Head, warp: u32, call: Announcement) -> Option<Receipt> {
        let mut receipts = self.receipts(head);
        while let Some(receipt) = receipts.next(w, self) {
            if receipt.is_of::<P::Counters>(warp, call) {
                return Some(receipt);
            }
        }
        None
    }

    /// The warp after that of the last receipt in the chain of `head`.
    #[inline(always)]
    fn after_last_served<W: Warp>(self, w: &mut W, head: Head) -> u32 {
        let mut receipts = self.receipts(head);
        let mut next = 0;
        while let Some(receipt) = receipts.next(w, self) {
            next = wrapped(receipt.warp() + 1, self.warps());
        }
        next
    }

    /// The receipts in the chain of `head`.
    #[inline(always)]
    fn receipts(self, head: Head) -> Receipts {
        Receipts { node: if head.has_receipts() { head.first() } else { NIL }, number: 0 }
    }

    /// Receipt `number` of a node.
    #[inline(always)]
    fn receipt<W: Warp>(self, w: &mut W, node: u32, number: u32) -> Option<Receipt> {
        let first = Self::base(W::LANES, node) + (number * Self::RECEIPT_WORDS) as usize;
        Receipt::from_bits(w.elect(0, || {
            // Relaxed: the node does not change.
            let word =
                |i: u32| self.words.nodes.load(first + i as usize, ReadOrder::Relaxed).to_bits() as u64;
            if Self::RECEIPT_WORDS == 1 { word(0) } else { Receipt::joined(word(0), word(1)) }
        }))
    }

    /// Writes receipt `number` of a private node. A lane writes the words that it reads.
    #[inline(always)]
    fn write_receipt<W: Warp>(self, w: &mut W, node: u32, number: u32, receipt: Receipt) {
        for i in 0..Self::RECEIPT_WORDS {
            let at = number * Self::RECEIPT_WORDS + i;
            let word = E::Word::from_bits(receipt.half(i) as u128);
            w.elect(at / S as u32, || {
                // Relaxed: the exchange of the head publishes it.
                self.words.nodes.store(Self::base(W::LANES, node) + at as usize, word, WriteOrder::Relaxed);
            });
        }
    }

    /// Puts back the node of receipts that were not published.
    #[inline(always)]
    pub(super) fn abandon_receipts<W: Warp>(self, w: &mut W, served: Served, stash: &mut Stash) {
        if served.receipts != NIL {
            self.words.pool.put_back(w, stash, NodeIndex(served.receipts));
        }
    }
}

/// The announced calls of all warps, in turn from one warp on.
struct Queue {
    /// The first warp.
    start: u32,
    /// How many warps were looked at.
    base: u32,
    /// Those of the last warps looked at that have a call that was not taken yet.
    pending: Ballot,
}

/// A number of a warp, wrapped around if it is beyond the last one.
#[inline(always)]
const fn wrapped(number: u32, warps: u32) -> u32 {
    if number < warps { number } else { number - warps }
}

/// The receipts of a node, one after the other.
struct Receipts {
    node: u32,
    number: u32,
}

impl Receipts {
    #[inline(always)]
    fn next<W, E, N, H, P, const S: usize>(
        &mut self,
        w: &mut W,
        table: WaitFreeTable<E, N, H, P, S>,
    ) -> Option<Receipt>
    where
        W: Warp,
        E: Packed,
        N: Words<E::Word>,
        H: IntegerWords<u64>,
        P: Pool,
    {
        if self.node == NIL || self.number == WaitFreeTable::<E, N, H, P, S>::node_receipts(W::LANES) {
            return None;
        }
        let receipt = table.receipt(w, self.node, self.number);
        self.number += 1;
        receipt
    }
}

#[cfg(all(test, feature = "host"))]
mod tests {
    use super::*;
    use crate::entry::{Key32, Key64};
    use crate::hash::Seed;
    use crate::memory::noted::{Noted, NotedCells};
    use crate::reclaim::{Counters, NodePool, Wide, free_word};
    use crate::waitfree::WaitFreeWords;
    use crate::warp::two_lanes::TwoLanes;
    use alloc::vec::Vec;
    use core::cell::Cell;

    const WARPS: usize = 5;
    const NODES: usize = 8;

    type Cells<'a, T> = &'a NotedCells<[Cell<T>]>;
    type Nodes<'a> = NodePool<Cells<'a, u32>, Cells<'a, u64>>;
    /// Nodes of eight words. In words of 32 bits they have room for three receipts.
    type Table<'a, E> = WaitFreeTable<E, Cells<'a, <E as Packed>::Word>, Cells<'a, u64>, Nodes<'a>, 4>;

    /// A table of one bucket, whose words `T` hold keys.
    struct State<T> {
        nodes: Noted<T, { 8 * NODES }>,
        head: Noted<u64, 1>,
        announcements: Noted<u64, WARPS>,
        requests: Noted<T, WARPS>,
        used: Noted<u32, 1>,
        retired: Noted<u32, 1>,
        stashes: Noted<u64, WARPS>,
    }

    impl<T: Word> State<T> {
        fn new() -> Self {
            Self {
                nodes: Noted::new(),
                head: Noted::new(),
                announcements: Noted::new(),
                requests: Noted::new(),
                used: Noted::of([free_word(NODES as u32, 0)]),
                retired: Noted::new(),
                stashes: Noted::new(),
            }
        }

        fn table<E: Packed<Word = T>>(&self) -> Table<'_, E> {
            let (used, stashes): (Cells<'_, u32>, Cells<'_, u64>) = (&self.used, &self.stashes);
            let pool = NodePool::new(used, &self.retired, stashes, 4);
            let (nodes, requests): (Cells<'_, T>, Cells<'_, T>) = (&self.nodes, &self.requests);
            let (heads, announcements): (Cells<'_, u64>, Cells<'_, u64>) = (&self.head, &self.announcements);
            let words = WaitFreeWords { nodes, heads, announcements, requests, pool };
            WaitFreeTable::new(words, 0, Seed::new(1))
        }
    }

    impl<E: Packed> Table<'_, E> {
        /// Warp `warp` announces an insert of its number as the key.
        fn announced(self, warp: u32) -> Announcement {
            let was = Announcement(self.words.announcements.load(warp as usize, ReadOrder::Relaxed));
            let call = was.next::<Wide>(Update::Add);
            let entry = E::Word::from_bits(warp.into());
            self.words.requests.store(warp as usize, entry, WriteOrder::Relaxed);
            self.words.announcements.store(warp as usize, call.0, WriteOrder::Relaxed);
            self.words.heads.fetch_add(0, Head::announcement::<Wide>(), Order::Relaxed);
            call
        }

        /// The head of a chain that begins with a node of receipts for these calls.
        fn head_with(self, stash: &mut Stash, calls: &[(u32, Announcement)]) -> Head {
            let w = &mut TwoLanes;
            let node = self.words.pool.take(w, stash).expect("a free node");
            let blank = w.each(|_| [E::EMPTY; 4]);
            self.write(w, node, blank, NIL);
            for (number, &(warp, call)) in calls.iter().enumerate() {
                self.write_receipt(w, node.0, number as u32, Receipt::new::<Wide>(warp, call, false));
            }
            let asked = self.words.heads.load(0, ReadOrder::Relaxed) >> 32 << 32;
            Head(Head::new::<Wide>(node.0, true, false).0 + asked)
        }

        /// The warps that a round for `head` serves, in its order, and whether it leaves some.
        fn serves(self, stash: &mut Stash, head: Head) -> (Vec<u32>, bool) {
            let w = &mut TwoLanes;
            let request = Request { bucket: 0, update: Update::Add, entry: E::EMPTY };
            let (mut draft, mut served) = (Draft::of(NIL), Served::NOTHING);
            let made = self.make(w, (request, head), true, (&mut draft, stash), &mut served);
            assert_eq!(made, Ok(None));
            let mut receipts = Receipts { node: served.receipts, number: 0 };
            let warps = core::iter::from_fn(|| receipts.next(&mut TwoLanes, self).map(Receipt::warp));
            (warps.collect(), served.left_some)
        }
    }

    #[test]
    fn a_node_has_so_many_receipts() {
        assert_eq!([1, 2, 8].map(Table::<'_, Key32>::node_receipts), [1, 3, 15]);
        assert_eq!([1, 2, 8].map(Table::<'_, Key64>::node_receipts), [3, 7, 31]);
    }

    /// The numbers of calls fill both halves of a receipt.
    #[test]
    fn receipts_are_read_as_they_were_written() {
        fn check<E: Packed>(state: &State<E::Word>) {
            let (table, w) = (state.table::<E>(), &mut TwoLanes);
            let blank = w.each(|_| [E::EMPTY; 4]);
            table.write(w, NodeIndex(3), blank, NIL);
            let most = Table::<'_, E>::node_receipts(2);
            let receipt = |number: u32| {
                let call = Announcement((0x1234_5678_9abc + u64::from(number)) << Wide::CALL);
                Receipt::new::<Wide>(65_535 - number, call, number.is_multiple_of(2))
            };
            for number in 0..most {
                assert_eq!(table.receipt(w, 3, number), None);
                table.write_receipt(w, 3, number, receipt(number));
            }
            for number in 0..most {
                assert_eq!(table.receipt(w, 3, number), Some(receipt(number)));
            }
            assert_eq!(table.next(w, 3), NIL);
        }
        check::<Key32>(&State::new());
        check::<Key64>(&State::new());
    }

    /// Of five calls a round serves three: those after the last that the chain has a receipt for.
    #[test]
    fn announced_calls_are_served_in_turn() {
        let turns: [(&[u32], [u32; 3], u32); 5] = [
            (&[], [0, 1, 2], 0),
            (&[4, 0, 1], [2, 3, 4], 2),
            (&[2, 3, 4], [0, 1, 2], 0),
            (&[0, 1, 2], [3, 4, 0], 3),
            (&[3], [4, 0, 1], 4),
        ];
        for (last, next, first) in turns {
            let state = State::new();
            let (table, w) = (state.table::<Key32>(), &mut TwoLanes);
            let mut stash = table.words.pool.open(w);
            let calls: Vec<_> = last.iter().map(|&warp| (warp, table.announced(warp))).collect();
            let head = table.head_with(&mut stash, &calls);
            assert_eq!(table.after_last_served(w, head), first);
            // Those that were served have the next call.
            (0..WARPS as u32).for_each(|warp| _ = table.announced(warp));
            let head = Head(head.0 + WARPS as u64 * Head::announcement::<Wide>());
            assert_eq!(table.serves(&mut stash, head), (next.to_vec(), true), "after {last:?}");
        }
    }
}
