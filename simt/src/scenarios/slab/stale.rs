//! A key that comes, goes and comes again in the next slot, while other warps look for it twice.
//!
//! Each word of a slab only goes forward for a warp, but the words are in no order: of two slots of a key one
//! may be read new and the other old, in one call, and in the next call as they are. The answers of a warp
//! must go forward all the same.

use super::generate::meet;
use super::places::{self, KEY, OTHER};
use super::tables::{LOCK64, MAP32, MULTILOCK64, MULTIMAP32, SET32};
use crate::check::{Config, Scenario};
use crate::scenarios::form::{double, lanes};
use crate::scenarios::table::{Place, Table};
use warpproof_model::spec::Op::{self, *};

/// The key comes, goes and comes again, in any table.
const UNIQUE: &[Op] = &[InsertUnique, Delete, InsertUnique];
/// The key comes, goes and comes again in a multimap, where no insert asks whether it is there.
const MULTI: &[Op] = &[Insert, Delete, Insert];

/// Slabs of one slot: each pair is in another one.
const ONE_EACH: Place = Place { name: "one_each", shape: (1, 2), pool: 3, ..places::EMPTY };

/// All programs of two of these calls.
fn twice(ops: &[Op]) -> impl Iterator<Item = [Op; 2]> {
    ops.iter().flat_map(|first| ops.iter().map(|second| [*first, *second]))
}

/// In slabs of one lane with all slots, and of lanes with one slot each.
fn shapes(table: &Table, programs: &[&[Op]]) -> [Scenario; 2] {
    [meet(table, places::EMPTY, programs), lanes(meet(table, places::WIDE_EMPTY, programs))]
}

/// Every two calls against a key that comes, goes and comes again; and a key that goes and comes while it is
/// counted.
pub(super) fn default_set() -> Vec<Scenario> {
    let mut scenarios = Vec::new();
    for table in [&MAP32, &SET32, &LOCK64] {
        scenarios.extend(twice(table.ops).flat_map(|other| shapes(table, &[UNIQUE, &other])));
        // That the key is there may be said of its first pair, unless a call between finds it gone.
        scenarios.extend(shapes(table, &[UNIQUE, &[InsertUnique, Search, Search]]));
    }
    for other in twice(&[Search, Delete]) {
        scenarios.push(meet(&LOCK64, ONE_EACH, &[UNIQUE, &other]));
        scenarios.push(meet(&MULTILOCK64, ONE_EACH, &[MULTI, &other]));
        scenarios.push(behind_another(&LOCK64, ONE_EACH, &other));
        scenarios.extend(behind_another_in_one(&LOCK64, &other));
    }
    for other in twice(&[Search, Count, SearchAll, Delete]) {
        scenarios.extend(behind_another_in_one(&MULTILOCK64, &other));
    }
    let twice_each = |other: [Op; 2]| double(meet(&MAP32, places::WIDE_EMPTY, &[UNIQUE, &other]));
    scenarios.extend(twice(MAP32.ops).map(twice_each));
    let ops = [Search, Delete, InsertUnique, InsertOrAssign, Count, DeleteAll];
    for table in [&MULTIMAP32, &MULTILOCK64] {
        scenarios.extend(twice(&ops).flat_map(|other| shapes(table, &[MULTI, &other])));
        scenarios.extend(comes_behind(table));
    }
    scenarios.push(beyond(&MULTIMAP32));
    scenarios
}

/// The pair in a lane's slot goes, another lane of a warp that has seen that adds one, and a third warp
/// counts: it may not count both.
fn comes_behind(table: &Table) -> Vec<Scenario> {
    let of = |goes, comes, counts| lanes(meet(table, places::WIDE, &[&[goes], &[comes], &[counts]]));
    vec![
        of(Delete, InsertUnique, Count),
        of(Delete, InsertUnique, SearchAll),
        of(Delete, InsertOrAssign, Count),
        of(DeleteAll, InsertUnique, Count),
    ]
}

/// The key is inserted after another one, whose slot may be read as it was before or while it was filled.
fn behind_another(table: &Table, place: Place, other: &[Op]) -> Scenario {
    let op = if table.multi { Insert } else { InsertUnique };
    let programs = vec![vec![(op, OTHER), (op, KEY)], other.iter().map(|&op| (op, KEY)).collect()];
    table.scenario(place, &programs)
}

/// Scenarios of [`behind_another`] in one slab, by one lane and by several.
fn behind_another_in_one(table: &Table, other: &[Op]) -> [Scenario; 2] {
    [behind_another(table, places::EMPTY, other), lanes(behind_another(table, places::WIDE_EMPTY, other))]
}

/// A pair is deleted and two are inserted, the last after one of another key: a count that reads the slot of
/// that one as empty must not mistake the pair after it for the deleted one.
fn beyond(table: &Table) -> Scenario {
    beyond_another(table, OTHER)
}

/// Another key of the second of two buckets, which [`KEY`] is of as well.
const OF_SECOND: u64 = 9;

/// A pair that goes and two that come, in the second of two buckets: its slots do not begin with the first of
/// all.
pub(super) fn beyond_in_second(table: &Table) -> Scenario {
    let mut scenario = beyond_another(table, OF_SECOND);
    scenario.config.buckets = 2;
    scenario.name += "_in_second";
    scenario
}

fn beyond_another(table: &Table, other: u64) -> Scenario {
    let ours = [Delete, Insert, Insert].map(|op| (op, KEY)).to_vec();
    let programs = vec![ours, vec![(Insert, other)], vec![(SearchAll, KEY)]];
    let mut scenario = table.scenario(places::WIDE, &programs);
    scenario.config = Config { slots: 5, ..scenario.config };
    scenario.name += "_of_5";
    scenario
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenarios::home::home_of;

    #[test]
    fn both_keys_are_of_the_second_bucket() {
        assert_eq!([KEY, OF_SECOND].map(|key| home_of::<u32>(2, key)), [1, 1]);
    }
}
