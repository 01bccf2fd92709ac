//! The situations in which programs meet: the contents of a table, how full it is, and how much memory there
//! is.

use super::Table;
use crate::check::{Config, Scenario};
use std::collections::BTreeSet;
use warpproof_model::growth::{AHEAD, CLEAR, FAIL, MIXED};
use warpproof_model::spec::Op::{Delete, Grow, InsertUnique, Search};
use warpproof_model::spec::{Call, Op};

/// A call: an operation, its key or the first of them, and how many they are.
pub(super) type Step = (Op, u64, u64);

/// A table as programs find it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Start {
    name: &'static str,
    /// Its size: slots of a table in a word, buckets of one slot in one of open addressing.
    size: u32,
    /// Batches that ran before.
    preload: &'static [Step],
}

const fn start(name: &'static str, size: u32, preload: &'static [Step]) -> Start {
    Start { name, size, preload }
}

/// Two slots, none is taken.
pub(super) const EMPTY: Start = start("empty", 2, &[]);
/// One of two slots is taken.
pub(super) const LAST: Start = start("last", 2, &[(InsertUnique, 1, 1)]);
/// Both slots are taken.
pub(super) const FULL: Start = start("full", 2, &[(InsertUnique, 1, 2)]);
/// Both slots hold tombstones: a table of this size is as good as a larger one.
pub(super) const TOMBS: Start = start("tombs", 2, &[(InsertUnique, 1, 2), (Delete, 1, 0), (Delete, 2, 0)]);
/// One slot holds a key, the other a tombstone.
pub(super) const TOMB: Start = start("tomb", 2, &[(InsertUnique, 1, 2), (Delete, 2, 0)]);
/// One slot holds a key, one a tombstone, and two are free.
pub(super) const TOMB_ROOM: Start = start("tomb_room", 4, &[(InsertUnique, 1, 2), (Delete, 2, 0)]);
/// Most slots are free: a table that is made as small as it can be has room for none of a batch.
pub(super) const ROOMY: Start = start("roomy", 7, &[(InsertUnique, 1, 1)]);
/// One of sixteen slots is free: too few for a batch of two, and enough for one of one.
pub(super) const EIGHTH: Start = start("eighth", 16, &[(InsertUnique, 1, 1), (InsertUnique, 10, 14)]);

/// Those in which a batch of two has to wait for growth.
pub(super) const CLOSE: [Start; 4] = [LAST, FULL, TOMBS, TOMB];
/// All of them.
pub(super) const ALL: [Start; 7] = [EMPTY, LAST, FULL, TOMBS, TOMB, ROOMY, EIGHTH];

impl Start {
    /// Whether there is room for a batch of two.
    pub(super) fn has_room(self) -> bool {
        self.name == ROOMY.name
    }
}

/// What memory there is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    name: &'static str,
    /// Bit `i` is set if attempt number `i` to replace the table runs out of memory in the middle.
    fails: u32,
    /// Slots of the largest table, or 0.
    most: u32,
}

/// Enough.
pub(super) const ENOUGH: Budget = Budget { name: "", fails: 0, most: 0 };
/// Not enough for some attempt, or for larger tables.
pub(super) const SHORT: [Budget; 4] = [
    Budget { name: "_fails_once", fails: 0b1, most: 0 },
    Budget { name: "_fails_twice", fails: 0b11, most: 0 },
    Budget { name: "_fails_later", fails: 0b110, most: 0 },
    Budget { name: "_three_slots", fails: 0, most: 3 },
];

/// Key 5 alone, key 6 alone.
pub(super) const ONE: Step = (InsertUnique, 5, 1);
pub(super) const OTHER: Step = (InsertUnique, 6, 1);
/// The keys 5 and 6; 6 and 7.
pub(super) const TWO: Step = (InsertUnique, 5, 2);
pub(super) const NEXT_TWO: Step = (InsertUnique, 6, 2);
/// The keys 5 to 7: in chunks, where two slots are free.
pub(super) const THREE: Step = (InsertUnique, 5, 3);
/// The keys 1 and 2, which may be there.
pub(super) const OLD: Step = (InsertUnique, 1, 2);
/// As a batch of all kinds of operations.
pub(super) const ALL_KINDS: Step = (MIXED, 5, 2);
/// The keys 1 and 2 as a batch of all kinds of operations: it counts as if it had stored both.
pub(super) const OLD_KINDS: Step = (MIXED, 1, 2);
/// A batch whose chunk fails.
pub(super) const FAILS: Step = (FAIL, 5, 2);
/// Keys that are there or are not, by a batch that makes room for all of them at once, and gives back what it
/// did not need: of the places `full` and `eighth`.
pub(super) const AHEAD_OLD: Step = (AHEAD, 1, 2);
pub(super) const AHEAD_MANY: Step = (AHEAD, 10, 8);
pub(super) const AHEAD_NEW: Step = (AHEAD, 2, 2);
/// Key 1 is taken out, is looked for.
pub(super) const TAKE: Step = (Delete, 1, 0);
pub(super) const LOOK: Step = (Search, 1, 0);
/// Key 5 is looked for.
pub(super) const LOOK_NEW: Step = (Search, 5, 0);
/// A table as small as it can be; one with room for two more.
pub(super) const SHRINK: Step = (Grow, 0, 0);
pub(super) const RESERVE: Step = (Grow, 0, 2);
/// Everything is taken out.
pub(super) const CLEARS: Step = (CLEAR, 0, 0);

/// Whether a call may replace the table, or empty it: it has it alone then.
pub(super) const fn may_be_alone((op, ..): Step) -> bool {
    !matches!(op, Delete | Search)
}

/// A scenario of these programs.
pub(super) fn scenario<T: Table>(at: Start, memory: Budget, programs: &[Vec<Step>]) -> Scenario {
    let named = |&(op, key, n): &Step| if n == 0 { format!("{op}@{key}") } else { format!("{op}@{key}x{n}") };
    let names = programs.iter().map(|steps| steps.iter().map(named).collect::<Vec<_>>().join("_then_"));
    let name = format!("{}/{}/{}{}", T::STRUCTURE, names.collect::<Vec<_>>().join("+"), at.name, memory.name);
    let config = Config {
        lanes: 1,
        slots: 1,
        buckets: at.size,
        reach: 16,
        pool: memory.most,
        bitmap: vec![memory.fails],
        counters: Vec::new(),
    };
    let call = |&(op, key, n): &Step| Call::new(op, key, n);
    let calls = |steps: &Vec<Step>| steps.iter().map(call).collect();
    let mut scenario = Scenario::new(name, T::STRUCTURE, config, programs.iter().map(calls).collect());
    scenario.preload = at.preload.iter().map(call).collect();
    // What is in the table, and that it takes one more key.
    let all = at.preload.iter().chain(programs.iter().flatten());
    let keys: BTreeSet<u64> = all.filter(|(op, ..)| *op != Grow && *op != CLEAR).flat_map(keys).collect();
    let looks = keys.into_iter().map(|key| Call::new(Search, key, 0));
    scenario.finally = looks.chain([Call::new(InsertUnique, 9, 1)]).collect();
    scenario.allows.full = memory.fails != 0 || memory.most != 0;
    scenario
}

fn keys(&(_, key, n): &Step) -> std::ops::Range<u64> {
    key..key + n.max(1)
}
