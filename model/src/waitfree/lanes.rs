//! Operations of the lanes of a warp: one per lane, all at one time.
//!
//! Each lane reads the head of its own operation, and exchanges it. In between, all lanes read and write the
//! nodes together, one operation after the other. So the reads of the heads overlap, and one fence serves the
//! exchanges of all lanes. A warp that runs one operation at a time needs a fence for each.

use super::WaitFreeTable;
use super::fast::What;
use super::table::Row;
use super::update::{code, update_of};
use super::words::{Head, NIL, Update};
use crate::entry::Packed;
use crate::key::UserKey;
use crate::memory::{IntegerWords, ReadOrder, Word, Words};
use crate::outcome::{Mixed, Op};
use crate::reclaim::{NodeIndex, Pool, Stash};
use crate::warp::{Ballot, Warp};

/// The operation of a lane. It has no padding: the compiler would copy padding byte by byte in local memory.
#[derive(Clone, Copy)]
struct LaneOp<T> {
    entry: T,
    number: u32,
    /// Its operation code, or [`NONE`] if there is none.
    code: u32,
    bucket: u32,
    /// Number of exchanges that it has lost.
    lost: u32,
}

/// No operation.
const NONE: u32 = u32::MAX;

impl<T> LaneOp<T> {
    #[inline(always)]
    fn is_some(&self) -> bool {
        self.code != NONE
    }

    /// The update that it is; `None` if it is a search.
    #[inline(always)]
    fn update(&self) -> Option<Update> {
        Op::from_code(self.code as u8).and_then(update_of)
    }
}

/// The warps that a warp runs beside. On a GPU they are the other tiles of one hardware warp. They are faster
/// if all run the same code at the same time.
pub trait Company<W: Warp> {
    /// Returns whether another round begins. If this warp is `busy`, it must. Otherwise it may, and this warp
    /// runs a round with nothing to do.
    fn again(&mut self, w: &mut W, busy: bool) -> bool;

    /// Waits for the others, so that all continue together. No result depends on it.
    fn meet(&mut self, w: &mut W);
}

/// No other warps.
#[derive(Clone, Copy, Debug)]
pub struct NoCompany;

impl<W: Warp> Company<W> for NoCompany {
    #[inline(always)]
    fn again(&mut self, _: &mut W, busy: bool) -> bool {
        busy
    }

    #[inline(always)]
    fn meet(&mut self, _: &mut W) {}
}

/// What one round does with the operation of a lane.
#[derive(Clone, Copy)]
struct Turn<V> {
    what: What,
    /// The code of the answer. If the head is to be exchanged, the answer holds only if the exchange
    /// succeeds.
    code: u32,
    value: V,
}

impl<E, N, H, P, const S: usize> WaitFreeTable<E, N, H, P, S>
where
    E: Packed,
    N: Words<E::Word>,
    H: IntegerWords<u64>,
    P: Pool,
{
    /// Runs operations, as many at one time as the warp has lanes. `next` gives a lane its next operation,
    /// with a number of the caller's choice. `done` takes that number and the answer. `kind` is `Some` only
    /// if every operation is of that kind. `stash` is this warp's, which the caller has opened and will
    /// close.
    ///
    /// The answer is `None`, and nothing has changed, in these cases:
    /// - the first node of the chain does not decide the update;
    /// - one node in its place is not enough;
    /// - a call is announced, or was answered, in that bucket;
    /// - no node is free;
    /// - the update has lost as many exchanges as the table has patience.
    ///
    /// Then call [`mixed`](Self::mixed). A search always has an answer.
    ///
    /// The operations that lanes run at one time take effect in any order. If `next` gives an operation after
    /// `done` has received the answer of another, it takes effect after that one, whichever lanes run them.
    /// The same holds for what the warp does after this call.
    ///
    /// An operation takes part in one round, and in one more for each exchange that it loses. In a round,
    /// each lane reads a head and a node; a search also reads the rest of its chain.
    #[inline(always)]
    pub fn each_lane<W: Warp>(
        self,
        w: &mut W,
        (kind, stash, company): (Option<Op>, &mut Stash, &mut impl Company<W>),
        mut next: impl FnMut(u32) -> Option<(u32, Op, UserKey<E::Key>, E::Value)>,
        mut done: impl FnMut(u32, u32, Option<Mixed<E::Value>>),
    ) {
        let none = LaneOp { entry: E::EMPTY, number: 0, code: NONE, bucket: 0, lost: 0 };
        let mut ops = w.each(|_| none);
        let mut fresh = w.each(|_| NIL);
        loop {
            // What other lanes have exchanged and answered happens before what follows.
            w.sync();
            ops = w.map(ops, |lane, op: LaneOp<E::Word>| {
                if op.is_some() {
                    return op;
                }
                let Some((number, op, key, value)) = next(lane) else { return none };
                let (bucket, entry) = (self.bucket(key.get()), E::pack(key.get(), value));
                LaneOp { entry, number, code: op.code().into(), bucket, lost: 0 }
            });
            let busy = w.map(ops, |_, op| op.is_some());
            let busy = w.ballot(busy);
            if !company.again(w, busy.any()) {
                break;
            }
            let heads = w.map(ops, |_, op| {
                // Acquire: the nodes of the chain were written before the head.
                let head = || Head(self.words.heads.load(op.bucket as usize, ReadOrder::Acquire));
                if op.is_some() { head() } else { Head::EMPTY }
            });
            w.sync();
            w.map(heads, |_, head| {
                if head.first() != NIL {
                    self.words.nodes.prefetch(Self::base(W::LANES, head.first()));
                }
            });
            fresh = self.restock(w, ops, fresh, stash);
            let turns = self.turns(w, (kind, busy, company), ops, heads, fresh);
            company.meet(w);
            // All lanes have written the nodes.
            w.sync();
            let tries = w.both(turns, fresh, |_, turn, node| (turn.what == What::Exchange).then_some(node));
            let tries = w.both(tries, heads, |_, node, head| (node, head));
            let won = w.both(ops, tries, |_, op, (node, head)| {
                node.is_some_and(|node| self.swap(op.bucket, head, NodeIndex(node)))
            });
            fresh = w.both(fresh, won, |_, node, won| if won { NIL } else { node });
            let ended = w.both(won, heads, |_, won, head| (won, head));
            let ended = w.both(turns, ended, |_, turn, (won, head)| (turn, won, head));
            ops = w.both(ops, ended, |lane, op, (turn, won, head)| {
                if won && head.first() != NIL {
                    self.words.pool.retire_by_lane(stash, NodeIndex(head.first()));
                }
                if !op.is_some() {
                    return op;
                }
                if turn.what == What::Exchange && !won && op.lost + 1 < self.patience {
                    return LaneOp { lost: op.lost + 1, ..op };
                }
                let answered = turn.what == What::Answer || won;
                let answer = answered.then_some(Mixed { code: turn.code as u8, value: turn.value });
                done(lane, op.number, answer);
                none
            });
        }
        for lane in 0..W::LANES {
            let node = w.shfl(fresh, lane);
            if node != NIL {
                self.words.pool.put_back(w, stash, NodeIndex(node));
            }
        }
    }

    /// Gives a node to each lane that has none and whose operation may need one.
    #[inline(always)]
    fn restock<W: Warp>(
        self,
        w: &mut W,
        ops: W::Lanes<LaneOp<E::Word>>,
        mut fresh: W::Lanes<u32>,
        stash: &mut Stash,
    ) -> W::Lanes<u32> {
        let missing = w.both(ops, fresh, |_, op, node| node == NIL && op.is_some() && op.update().is_some());
        let mut missing = w.ballot(missing);
        while let Some(poor) = missing.ffs() {
            let Some(node) = self.words.pool.take(w, stash) else { break };
            fresh = w.map(fresh, |lane, had| if lane == poor { node.0 } else { had });
            missing = missing.without(poor);
        }
        fresh
    }

    /// Decides what is to be done for each lane. If a lane is to exchange its head, its node is written.
    #[inline(always)]
    fn turns<W: Warp>(
        self,
        w: &mut W,
        (kind, busy, company): (Option<Op>, Ballot, &mut impl Company<W>),
        ops: W::Lanes<LaneOp<E::Word>>,
        heads: W::Lanes<Head>,
        fresh: W::Lanes<u32>,
    ) -> W::Lanes<Turn<E::Value>> {
        let mut turns = w.each(|_| Turn { what: What::Leave, code: 0, value: E::Value::ZERO });
        let bits = w.map(heads, |_, head| head.0);
        let entries = w.map(ops, |_, op| op.entry);
        let codes = w.map(ops, |_, op| op.code);
        for lane in 0..W::LANES {
            company.meet(w);
            if !busy.has(lane) {
                continue;
            }
            let (head, entry) = (Head(w.shfl(bits, lane)), w.shfl(entries, lane));
            let op = match kind {
                Some(op) => op,
                None => Op::from_code(w.shfl(codes, lane) as u8).unwrap_or(Op::Search),
            };
            let first = self.first(w, head);
            let turn = match update_of(op) {
                Some(update) => {
                    let node = w.shfl(fresh, lane);
                    self.turn(w, (head, first), (update, entry), node)
                }
                None => {
                    let found = self.walk_on(w, head, first, E::key(entry));
                    let word = found.map(|found| {
                        let words = w.map(found.places, |_, place| place.seen);
                        w.shfl(words, found.lane)
                    });
                    let Mixed { code, value } = Mixed::of_search(word.map(E::value));
                    Turn { what: What::Answer, code: code.into(), value }
                }
            };
            turns = w.map(turns, |own, had| if own == lane { turn } else { had });
        }
        turns
    }

    /// Decides what is to be done for one update.
    #[inline(always)]
    fn turn<W: Warp>(
        self,
        w: &mut W,
        (head, (row, link)): (Head, (Row<W, E, S>, u32)),
        (update, entry): (Update, E::Word),
        node: u32,
    ) -> Turn<E::Value> {
        let (mut what, mut present) = (What::Leave, false);
        if !head.is_asked::<P::Counters>() && !head.has_receipts() && self.patience > 0 {
            let step = Self::step(w, (row, link), update, entry);
            if step.what != What::Exchange {
                (what, present) = (step.what, step.present);
            } else if node != NIL {
                self.write(w, NodeIndex(node), step.row, link);
                (what, present) = (What::Exchange, step.present);
            }
        }
        Turn { what, code: code(update, present).into(), value: E::Value::ZERO }
    }
}
