//! Exhibit 7: a lock in the top bit of the key.
//!
//! Source: the blog's 'plan 2' for 64-bit keys and values. The key word is exchanged for a lock word, the
//! value is stored, the key word is stored back; a warp that meets a locked key tries again. As printed
//! nearly every line is wrong, and each defect hides the next; so each is shown alone, with the ones before
//! it put right.
//!
//! 7a. There is no `break` after success: the update starts over for ever. One warp.
//!
//! 7b. The lock word is `key || 0x8FFF…`, a logical *or*: 1 for every key. While 5 is being inserted its
//! slot holds 1; an assignment to 1 takes the slot for its own, and one of the two keys is destroyed.
//!
//! 7c. The same with key 1: the lock word *is* the key. Both warps are inside at once: no exclusion, and the
//! update of the one that came second is lost, as in plan 1.
//!
//! 7d. With `|`, the constant sets bits 63 and 59 to 0, not the top bit alone: masking does not give the key
//! back. A warp that meets a locked key takes it for another one, does nothing, and reports nothing. Look at
//! warp 1: one load, then its return; its search finds nothing.
//!
//! 7e. `dest & MASK == key` means `dest & (MASK == key)`: the test for one's own key fails always, an update
//! of a key that is there does nothing. One warp.
//!
//! 7f. Nothing orders the value before the unlocking store. Warp 1 learns that the key is there and does not
//! find its value; look for the stale load of the value. Hidden where memory is sequentially consistent.

use crate::exhibit::{Exhibit, Snapshot, calls, ours, repair, run};
use warpproof_model::spec::{Call, Multimap, Op, Ret};
use warpproof_model::{Order, ReadOrder, Words, WriteOrder};
use warpproof_simt::check::{Array, Config, Kind, Memory, Scenario, SimWarp, Subject};

const EMPTY: u64 = u64::MAX;
const TOP_BIT: u64 = 1 << 63;
/// The constant as printed: the top bit, and bits 59 to 0 as well.
const PRINTED: u64 = 0x8FFF_FFFF_FFFF_FFFF;
const KEYS: usize = 0;
const VALUES: usize = 1;

/// How the lock word is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Lock {
    /// `key || PRINTED`.
    LogicalOr,
    /// `key | PRINTED`.
    Printed,
    /// `key | TOP_BIT`.
    TopBit,
}

/// How a slot is recognized as the key's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Test {
    /// `dest & (PRINTED == key)`.
    Precedence,
    /// `dest & PRINTED == key`.
    Printed,
    /// `dest & !TOP_BIT == key`, and wait while the top bit is set.
    TopBit,
}

/// One slab of one slot per lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlanTwo {
    lanes: usize,
    lock: Lock,
    test: Test,
    breaks: bool,
    releases: bool,
}

impl PlanTwo {
    const fn printed(lanes: usize) -> Self {
        Self { lanes, lock: Lock::LogicalOr, test: Test::Printed, breaks: false, releases: false }
    }

    /// With every line put right.
    pub(crate) const fn repaired(lanes: usize) -> Self {
        Self { lanes, lock: Lock::TopBit, test: Test::TopBit, breaks: true, releases: true }
    }

    const fn lock_word(self, k: u64) -> u64 {
        match self.lock {
            // As in C, where true is 1.
            Lock::LogicalOr => (k != 0 || PRINTED != 0) as u64,
            Lock::Printed => k | PRINTED,
            Lock::TopBit => k | TOP_BIT,
        }
    }

    const fn is_mine(self, word: u64, k: u64) -> bool {
        match self.test {
            Test::Precedence => word & (PRINTED == k) as u64 != 0,
            Test::Printed => word & PRINTED == k,
            Test::TopBit => word & !TOP_BIT == k,
        }
    }

    fn must_wait(self, word: u64) -> bool {
        self.test == Test::TopBit && word & TOP_BIT != 0
    }

    fn read<W: SimWarp, M: Memory>(w: &mut W, m: M) -> W::Lanes<u64> {
        // Acquire: pairs with the Release that unlocks, where there is one. The lane that reads the value
        // reads its key here.
        w.each(|lane| m.w64(KEYS).load(lane as usize, ReadOrder::Acquire))
    }

    /// A dropped update returns like any other: the published function returns nothing.
    fn store<W: SimWarp, M: Memory>(self, w: &mut W, m: M, k: u64, value: u64, assign: bool) -> Ret {
        let keys = m.w64(KEYS);
        loop {
            let row = Self::read(w, m);
            let mine = w.map(row, |_, word| self.is_mine(word, k));
            let empty = w.map(row, |_, word| word == EMPTY);
            let (mine, empty) = (w.ballot(mine).ffs(), w.ballot(empty).ffs());
            let Some(lane) = mine.or(empty) else { return Ret::Replaced };
            let seen = if mine.is_some() { w.shfl(row, lane) } else { EMPTY };
            if mine.is_some() && self.must_wait(seen) {
                w.pause();
                continue;
            }
            if mine.is_some() && !assign {
                return Ret::Present;
            }
            let at = lane as usize;
            // Acquire: pairs with the Release of the last unlock: the value stored then comes before this
            // one.
            let lock = || keys.compare_exchange(at, seen, self.lock_word(k), Order::Acquire);
            if w.elect(lane, lock) != seen {
                continue;
            }
            w.elect(lane, || self.store_and_unlock(m, at, k, value));
            if self.breaks {
                return if mine.is_some() { Ret::Replaced } else { Ret::Inserted };
            }
        }
    }

    fn store_and_unlock<M: Memory>(self, m: M, at: usize, k: u64, value: u64) {
        // Relaxed: under the lock.
        m.w64(VALUES).store(at, value, WriteOrder::Relaxed);
        // Release: pairs with the Acquire in `read` and `store`. Relaxed: as published, where no fence stands
        // between the two stores.
        let order = if self.releases { WriteOrder::Release } else { WriteOrder::Relaxed };
        m.w64(KEYS).store(at, k, order);
    }

    fn search<W: SimWarp, M: Memory>(self, w: &mut W, m: M, k: u64) -> Ret {
        loop {
            let row = Self::read(w, m);
            let mine = w.map(row, |_, word| self.test == Test::TopBit && self.is_mine(word, k) || word == k);
            let Some(lane) = w.ballot(mine).ffs() else { return Ret::Value(None) };
            if self.must_wait(w.shfl(row, lane)) {
                w.pause();
                continue;
            }
            // Relaxed: ordered after the key by the Acquire in `read`, if its store was a Release.
            let value = w.elect(lane, || m.w64(VALUES).load(lane as usize, ReadOrder::Relaxed));
            // As published: a value of all ones says *not found*.
            return Ret::Value((value != EMPTY).then_some(value));
        }
    }
}

impl Subject for PlanTwo {
    type Spec = Multimap;

    fn spec(&self) -> Multimap {
        Multimap::default()
    }

    fn arrays(&self) -> Vec<Array> {
        let words = vec![EMPTY.into(); self.lanes];
        vec![Array::new("keys", 64, words.clone()), Array::new("values", 64, words)]
    }

    fn about(&self) -> Vec<String> {
        vec!["Slot 0 is keys[0] with values[0], and so on. A key whose top bit is set is locked.".into()]
    }

    fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
        match call.op {
            Op::InsertOrAssign | Op::InsertUnique => {
                self.store(w, m, call.key, call.value, call.op == Op::InsertOrAssign)
            }
            Op::Search => self.search(w, m, call.key),
            _ => Ret::Done,
        }
    }

    fn show(&self, array: usize, _index: usize, value: u128) -> String {
        show(array, value)
    }
}

/// A key word or a value word, for people.
pub(crate) fn show(array: usize, value: u128) -> String {
    match value as u64 {
        EMPTY => "empty".to_string(),
        PRINTED => "0x8FFF…".to_string(),
        word if array == KEYS && word & TOP_BIT != 0 => format!("{} locked", word & !TOP_BIT),
        word => word.to_string(),
    }
}

pub(crate) fn exhibits() -> Vec<Exhibit> {
    let right = PlanTwo::repaired;
    let printed_lock = PlanTwo { lock: Lock::Printed, test: Test::Printed, ..right(1) };
    let logical = |lanes| PlanTwo { breaks: true, releases: true, ..PlanTwo::printed(lanes) };
    let precedence = PlanTwo { test: Test::Precedence, ..right(1) };
    let no_release = PlanTwo { releases: false, ..right(1) };
    let ten = "insert_or_assign 5 10";
    let show = |id, defect, plan, programs: &[&str]| exhibit(id, defect, plan, programs);
    vec![
        Exhibit {
            kind: Kind::StepBound,
            shows: "warp 0",
            ..show("7a", "no break after success: repeats for ever", PlanTwo::printed(1), &[ten])
        },
        Exhibit {
            shows: "empty -> 1",
            ..show(
                "7b",
                "logical for bitwise or: a locked key is 1",
                logical(2),
                &[ten, "insert_or_assign 1 20"],
            )
        },
        Exhibit {
            shows: "key 1",
            ..show(
                "7c",
                "logical for bitwise or: no exclusion for key 1",
                logical(1),
                &["insert_or_assign 1 10", "insert_or_assign 1 20"],
            )
        },
        show(
            "7d",
            "wrong mask: an update that meets a lock is dropped",
            printed_lock,
            &[ten, "insert_or_assign 5 20; search 5"],
        ),
        show(
            "7e",
            "precedence of `==`: an update is dropped",
            precedence,
            &["insert_or_assign 5 10; insert_or_assign 5 20"],
        ),
        Exhibit {
            snapshot: Snapshot::Hidden,
            lanes: false,
            shows: "search 5 -> value none",
            ..show(
                "7f",
                "no fence before the unlock: a key without its value",
                no_release,
                &[ten, "insert_unique 5 20; search 5"],
            )
        },
    ]
}

fn exhibit(id: &'static str, defect: &'static str, plan: PlanTwo, programs: &[&str]) -> Exhibit {
    let config = Config { lanes: plan.lanes as u32, slots: 1, buckets: 1, ..Config::default() };
    let programs = programs.iter().map(|program| calls(program)).collect();
    let mut scenario = Scenario::new(format!("museum/{id}"), "plan 2", config, programs);
    scenario.finally = calls("search 5; search 1");
    Exhibit {
        id,
        source: "blog, plan 2",
        defect,
        kind: Kind::NotLinearizable,
        shows: "key 5",
        snapshot: Snapshot::Found,
        lanes: false,
        published: run(plan),
        repairs: vec![
            repair("every line put right", PlanTwo::repaired(plan.lanes)),
            ours("our slab hash, lock word", "lock64", 3),
        ],
        scenario,
    }
}
