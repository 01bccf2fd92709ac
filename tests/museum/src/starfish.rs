//! A child table of Starfish as published: a cuckoo table whose inserts exchange blindly, and its stash.
//!
//! A table has three slots and a stash of one pair, and an insert makes two exchanges. The published delete
//! is not printed; here it exchanges the pair that it has read.

use crate::cuckoo::{SLOTS, homes, other_home};
use warpproof_model::spec::{Call, Map, Op, Ret};
use warpproof_model::{IntegerWords, Order, ReadOrder, Words, WriteOrder};
use warpproof_simt::check::{Array, Memory, SimWarp, Subject};

const EMPTY: u64 = u64::MAX;
const DELETED: u64 = u64::MAX - 1;
/// Exchanges of an insert.
const MAX_ATTEMPTS: usize = 2;
/// Pairs for which the list of a batch has room.
const LEFT: usize = 2;

const TABLE: usize = 0;
const STASH: usize = 1;
const LIST: usize = 2;
const LISTED: usize = 3;
const TURN: usize = 4;

/// A child table, with what is put right in it. A pair is a word: the key in its low half.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChildTable {
    /// An insert goes on with the pair that it has evicted.
    pub(crate) carries: bool,
    /// An insert does not go on with a tombstone that it has replaced.
    pub(crate) knows_deleted: bool,
    /// A pair that finds no place goes to a list, which has room for a pair of each insert of the batch.
    pub(crate) lists: bool,
    /// Kernels take turns: one call runs at a time.
    pub(crate) in_turns: bool,
}

impl ChildTable {
    /// The form as printed.
    pub(crate) const PRINTED: Self =
        Self { carries: false, knows_deleted: false, lists: false, in_turns: false };

    fn insert<M: Memory>(self, m: M, call: &Call) -> Ret {
        let (table, stash) = (m.w64(TABLE), m.w64(STASH));
        let mut pair = call.key | call.value << 32;
        let mut at = homes(call.key)[0];
        let mut evicted = EMPTY;
        for _ in 0..MAX_ATTEMPTS {
            // AcqRel, here and below: stronger orders than published.
            evicted = table.swap(at, pair, Order::AcqRel);
            if evicted == EMPTY || evicted == DELETED {
                break;
            }
            at = other_home(evicted & 0xffff_ffff, at);
            if self.carries {
                pair = evicted;
            }
        }
        if evicted == EMPTY || evicted == DELETED && self.knows_deleted {
            return Ret::Inserted;
        }
        if stash.compare_exchange(0, EMPTY, evicted, Order::AcqRel) == EMPTY {
            return Ret::Inserted;
        }
        if !self.lists {
            return Ret::Full;
        }
        let place = m.w32(LISTED).fetch_add(0, 1, Order::AcqRel);
        m.w64(LIST).store(place as usize, evicted, WriteOrder::Release);
        Ret::Inserted
    }

    /// The word of a key: its array, its place and what it holds.
    fn find<M: Memory>(self, m: M, key: u64) -> Option<(usize, usize, u64)> {
        let list = if self.lists { LEFT } else { 0 };
        let words = homes(key).map(|at| (TABLE, at)).into_iter().chain([(STASH, 0)]);
        // Acquire: a stronger order than published.
        let words = words.chain((0..list).map(|at| (LIST, at)));
        words
            .map(|(array, at)| (array, at, m.w64(array).load(at, ReadOrder::Acquire)))
            .find(|&(.., word)| word != EMPTY && word != DELETED && word as u32 == key as u32)
    }

    fn call<M: Memory>(self, m: M, call: &Call) -> Ret {
        match call.op {
            Op::InsertUnique => self.insert(m, call),
            Op::Search => Ret::Value(self.find(m, call.key).map(|(.., word)| word >> 32)),
            Op::Delete => {
                while let Some((array, at, word)) = self.find(m, call.key) {
                    if m.w64(array).compare_exchange(at, word, DELETED, Order::AcqRel) == word {
                        return Ret::Deleted;
                    }
                }
                Ret::Absent
            }
            _ => Ret::Done,
        }
    }
}

impl Subject for ChildTable {
    type Spec = Map;

    fn spec(&self) -> Map {
        Map { may_fill: true }
    }

    fn arrays(&self) -> Vec<Array> {
        let empty = |name, words| Array::new(name, 64, vec![EMPTY.into(); words]);
        vec![
            empty("slot", SLOTS),
            empty("stash", 1),
            empty("list", LEFT),
            Array::new("listed", 32, vec![0]),
            Array::new("turn", 32, vec![0]),
        ]
    }

    fn about(&self) -> Vec<String> {
        vec!["A child table of three slots, and a stash for one pair that finds no slot. 1:10 is key 1 with the value 10.".into()]
    }

    fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
        if !self.in_turns {
            return Self::call(*self, m, call);
        }
        let turn = m.w32(TURN);
        // Acquire: pairs with the Release below.
        while turn.compare_exchange(0, 0, 1, Order::Acquire) != 0 {
            w.pause();
        }
        let said = Self::call(*self, m, call);
        turn.store(0, 0, WriteOrder::Release);
        said
    }

    fn show(&self, array: usize, _index: usize, value: u128) -> String {
        match (array, value as u64) {
            (LISTED, count) => count.to_string(),
            (TURN, taken) => if taken == 0 { "free" } else { "taken" }.to_string(),
            (_, EMPTY) => "empty".to_string(),
            (_, DELETED) => "deleted".to_string(),
            (_, word) => format!("{}:{}", word as u32, word >> 32),
        }
    }
}
