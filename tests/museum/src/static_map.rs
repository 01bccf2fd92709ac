//! The open-addressing map of NVIDIA/cuCollections as published, in our own words.
//!
//! A slot is a key word and a value word, of which each is exchanged for itself: pairs too wide for one
//! exchange. A thread walks from the key's home slot, slot after slot, and round again *for ever*: a walk
//! ends at its key or at a slot that was never filled; without such a slot it never ends.
//!
//! - insert: the first slot that is empty or erased. Either *two exchanges back to back*, of the key and of
//!   the value, whatever became of the first (a thread that won the key repeats the second until it succeeds;
//!   one that did not puts the value back), or one exchange of the key and then a store of the value.
//! - erase: the same exchange, from the pair as read to an erased key and no value.
//! - find: the slot of the key, or one past the last; its value is read there.
//!
//! A thread of the source is a warp of one lane. Slots are read value first: what a torn read of a slot does
//! is shown elsewhere.

use warpproof_model::spec::{Call, Multimap, Op, Ret};
use warpproof_model::{Order, ReadOrder, Words, WriteOrder};
use warpproof_simt::check::{Array, Breach, Kind, Memory, SimWarp, Subject};

const EMPTY: u64 = u64::MAX;
const ERASED: u64 = u64::MAX - 1;
const KEYS: usize = 0;
const VALUES: usize = 1;

/// How a pair is exchanged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Exchange {
    /// Two exchanges back to back.
    BackToBack,
    /// An exchange of the key, then a store of the value.
    Dependent,
}

/// The result of an exchange.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Attempt {
    Done,
    Duplicate,
    Lost,
}

/// The map.
#[derive(Clone, Debug)]
pub(crate) struct StaticMap {
    pub(crate) slots: usize,
    pub(crate) insert: Exchange,
    pub(crate) erase: Exchange,
    /// Insert looks at all slots of its walk before it fills an erased one.
    pub(crate) looks_on: bool,
    /// Insert expects the value of an empty slot, whatever it read.
    pub(crate) expects_none: bool,
    /// Insert waits for the value of a key that it finds.
    pub(crate) waits: bool,
    /// A walk ends after all slots.
    pub(crate) bounded: bool,
    /// The value of a slot past the last is not read.
    pub(crate) tests_end: bool,
}

impl StaticMap {
    /// As published, with these exchanges for insert and erase. What was put right long before is right here.
    pub(crate) const fn published(slots: usize, insert: Exchange, erase: Exchange) -> Self {
        let (looks_on, expects_none, waits, bounded, tests_end) = (false, false, false, false, true);
        Self { slots, insert, erase, looks_on, expects_none, waits, bounded, tests_end }
    }

    /// The slot at step `step` of a key's walk, unless the walk is over.
    fn at(&self, key: u64, step: usize) -> Option<usize> {
        (!self.bounded || step < self.slots).then_some((key as usize + step) % self.slots)
    }

    fn read<M: Memory>(m: M, at: usize) -> (u64, u64) {
        // Relaxed, both: as published.
        let value = m.w64(VALUES).load(at, ReadOrder::Relaxed);
        (m.w64(KEYS).load(at, ReadOrder::Relaxed), value)
    }

    fn exchange<W: SimWarp, M: Memory>(
        w: &mut W,
        m: M,
        (how, at): (Exchange, usize),
        (key, value): (u64, u64),
        new: (u64, u64),
    ) -> Attempt {
        let (keys, values) = (m.w64(KEYS), m.w64(VALUES));
        // Relaxed, here and below: as published.
        let seen = keys.compare_exchange(at, key, new.0, Order::Relaxed);
        match how {
            Exchange::Dependent if seen == key => values.store(at, new.1, WriteOrder::Relaxed),
            Exchange::Dependent => {}
            Exchange::BackToBack => {
                let mut old = values.compare_exchange(at, value, new.1, Order::Relaxed);
                if seen == key {
                    while old != value {
                        w.pause();
                        old = values.compare_exchange(at, value, new.1, Order::Relaxed);
                    }
                } else if old == value {
                    values.store(at, value, WriteOrder::Relaxed);
                }
            }
        }
        match seen {
            seen if seen == key => Attempt::Done,
            seen if seen == new.0 => Attempt::Duplicate,
            _ => Attempt::Lost,
        }
    }

    fn present<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, at: usize) -> Ret {
        // Relaxed: the value itself is waited for.
        while self.waits && m.w64(VALUES).load(at, ReadOrder::Relaxed) == EMPTY {
            w.pause();
        }
        Ret::Present
    }

    fn insert<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
        let mut erased = None;
        let mut step = 0;
        while let Some(at) = self.at(call.key, step) {
            step += 1;
            let slot = Self::read(m, at);
            if slot.0 == call.key && call.op == Op::InsertOrAssign {
                // Relaxed: as published.
                m.w64(VALUES).store(at, call.value, WriteOrder::Relaxed);
                return Ret::Replaced;
            }
            if slot.0 == call.key {
                return self.present(w, m, at);
            }
            if slot.0 == ERASED && self.looks_on {
                erased = erased.or(Some((at, slot)));
                continue;
            }
            if slot.0 == EMPTY || slot.0 == ERASED {
                let (at, slot) = erased.unwrap_or((at, slot));
                let slot = (slot.0, if self.expects_none { EMPTY } else { slot.1 });
                match Self::exchange(w, m, (self.insert, at), slot, (call.key, call.value)) {
                    Attempt::Done => return Ret::Inserted,
                    Attempt::Duplicate => return self.present(w, m, at),
                    // With a slot in mind, from the start; else on to the next one, as published.
                    Attempt::Lost if erased.take().is_some() => step = 0,
                    Attempt::Lost => {}
                }
            }
        }
        Ret::Full
    }

    fn erase<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, key: u64) -> Ret {
        let mut step = 0;
        while let Some(at) = self.at(key, step) {
            step += 1;
            let slot = Self::read(m, at);
            if slot.0 == EMPTY {
                break;
            }
            if slot.0 == key {
                match Self::exchange(w, m, (self.erase, at), slot, (ERASED, EMPTY)) {
                    Attempt::Done => return Ret::Deleted,
                    Attempt::Duplicate => return Ret::Absent,
                    Attempt::Lost => {}
                }
            }
        }
        Ret::Absent
    }

    /// The slot of a key, or one past the last.
    fn find<M: Memory>(&self, m: M, key: u64) -> usize {
        let mut step = 0;
        while let Some(at) = self.at(key, step) {
            step += 1;
            // Relaxed: as published.
            match m.w64(KEYS).load(at, ReadOrder::Relaxed) {
                EMPTY => break,
                word if word == key => return at,
                _ => {}
            }
        }
        self.slots
    }

    fn search<M: Memory>(&self, m: M, key: u64) -> Ret {
        let at = self.find(m, key);
        if self.tests_end && at == self.slots {
            return Ret::Value(None);
        }
        // Relaxed: as published.
        let value = m.w64(VALUES).load(at, ReadOrder::Relaxed);
        // As published: the value of an empty slot says *not found*.
        Ret::Value((value != EMPTY).then_some(value))
    }
}

impl Subject for StaticMap {
    type Spec = Multimap;

    fn spec(&self) -> Multimap {
        Multimap::default()
    }

    fn arrays(&self) -> Vec<Array> {
        let words = vec![EMPTY.into(); self.slots];
        vec![Array::new("keys", 64, words.clone()), Array::new("values", 64, words)]
    }

    fn about(&self) -> Vec<String> {
        vec!["Slot 0 is keys[0] with values[0], and so on. A key and its value are two words.".into()]
    }

    fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
        match call.op {
            Op::InsertUnique | Op::InsertOrAssign => self.insert(w, m, call),
            Op::Delete => self.erase(w, m, call.key),
            Op::Search => self.search(m, call.key),
            _ => Ret::Done,
        }
    }

    /// No key occurs twice.
    fn check_quiescent<W: SimWarp, M: Memory>(&self, _w: &mut W, m: M) -> Result<(), Breach> {
        // Relaxed: read alone.
        let keys: Vec<_> = (0..self.slots).map(|at| m.w64(KEYS).load(at, ReadOrder::Relaxed)).collect();
        let twice = |at: usize| keys[at] < ERASED && keys[..at].contains(&keys[at]);
        match (0..keys.len()).find(|&at| twice(at)) {
            Some(at) => Err(Breach::new(Kind::DuplicateKey, format!("key {} stands twice", keys[at]))),
            None => Ok(()),
        }
    }

    fn show(&self, array: usize, _index: usize, value: u128) -> String {
        match (array, value as u64) {
            (_, EMPTY) => "empty".to_string(),
            (KEYS, ERASED) => "erased".to_string(),
            (_, word) => word.to_string(),
        }
    }
}
