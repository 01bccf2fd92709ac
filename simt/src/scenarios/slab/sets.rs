//! Which scenarios belong to which set.

use super::generate::{Place, Structure, meet, pool, stalled};
use crate::check::Scenario;
use warpproof_model::spec::Op;

/// At most 5 s on one core.
pub fn quick() -> Vec<Scenario> {
    pairs().into_iter().filter(|scenario| scenario.structure == "map32").collect()
}

/// Under 60 s on two cores.
pub fn default_set() -> Vec<Scenario> {
    all()
}

/// Everything else.
pub fn deep() -> Vec<Scenario> {
    Vec::new()
}

/// All scenarios.
pub fn all() -> Vec<Scenario> {
    let mut all = pairs();
    all.extend(sequences());
    all.extend(triples());
    all.extend(stalls());
    all.extend(pools());
    all
}

/// Every pair of operations, in every place.
fn pairs() -> Vec<Scenario> {
    let mut scenarios = Vec::new();
    for structure in Structure::ALL {
        for place in Place::ALL {
            for (i, a) in structure.ops().iter().enumerate() {
                for b in &structure.ops()[i..] {
                    scenarios.push(meet(structure, place, &[&[*a], &[*b]]));
                }
            }
        }
    }
    scenarios
}

/// Two operations of one warp against one or two of another: what one warp does in between another may miss.
fn sequences() -> Vec<Scenario> {
    use Op::{Count, Delete, Insert, InsertOrAssign, InsertUnique, Search, SearchAll};
    let unique: [&[Op]; 5] = [
        &[Delete, InsertUnique],
        &[InsertUnique, Delete],
        &[Delete, InsertOrAssign],
        &[InsertOrAssign, Search],
        &[Search, Search],
    ];
    let multi: [&[Op]; 4] = [&[Insert, Delete], &[Delete, Insert], &[Count, Search], &[SearchAll, SearchAll]];
    let mut scenarios = Vec::new();
    for structure in Structure::ALL {
        let long = unique.iter().chain(multi.iter().filter(|_| structure.is_multi()));
        let long: Vec<_> = long.copied().collect();
        for place in [Place::Empty, Place::Present, Place::Tombstone, Place::Chain] {
            for (i, first) in long.iter().enumerate() {
                for op in structure.ops() {
                    scenarios.push(meet(structure, place, &[first, &[*op]]));
                }
                for second in &long[i..] {
                    scenarios.push(meet(structure, place, &[first, second]));
                }
            }
        }
    }
    scenarios
}

/// Three warps with one operation each.
fn triples() -> Vec<Scenario> {
    let mut scenarios = Vec::new();
    for structure in Structure::ALL {
        let ops = structure.ops();
        for place in [Place::Empty, Place::Present, Place::Tombstone] {
            for i in 0..ops.len() {
                for j in i..ops.len() {
                    for k in j..ops.len() {
                        scenarios.push(meet(structure, place, &[&[ops[i]], &[ops[j]], &[ops[k]]]));
                    }
                }
            }
        }
    }
    scenarios
}

/// One warp stops for ever, wherever it can; the other finishes.
fn stalls() -> Vec<Scenario> {
    let mut scenarios = Vec::new();
    for structure in Structure::ALL {
        for place in [Place::Empty, Place::Tombstone, Place::Full] {
            for stops in structure.ops() {
                for other in structure.ops() {
                    scenarios.push(stalled(structure, place, *stops, &[*other]));
                }
            }
        }
    }
    scenarios
}

/// The allocator alone.
fn pools() -> Vec<Scenario> {
    use Op::{Allocate, Borrow, Free};
    const ALL: u32 = u32::MAX;
    const ONE: u32 = ALL - 1;
    const TWO: u32 = ALL - 3;
    vec![
        pool("allocate+allocate/one_free", 1, &[ONE], &[&[Allocate], &[Allocate]]),
        pool("allocate+allocate/two_free", 1, &[TWO], &[&[Allocate], &[Allocate]]),
        pool("allocate+allocate+allocate/two_free", 1, &[TWO], &[&[Allocate], &[Allocate], &[Allocate]]),
        pool("allocate+allocate/exhausted", 1, &[ALL], &[&[Allocate], &[Allocate]]),
        pool("allocate+free/exhausted", 1, &[ALL], &[&[Allocate], &[Free]]),
        pool("borrow+allocate/one_free", 1, &[ONE], &[&[Borrow], &[Allocate]]),
        pool("borrow+borrow/one_free", 1, &[ONE], &[&[Borrow], &[Borrow]]),
        pool("borrow+borrow+allocate/one_free", 1, &[ONE], &[&[Borrow], &[Borrow], &[Allocate]]),
        pool("allocate_then_free+allocate/one_free", 1, &[ONE], &[&[Allocate, Free], &[Allocate]]),
        pool("allocate+allocate/change_of_block", 1, &[ONE, ONE], &[&[Allocate], &[Allocate]]),
        pool(
            "allocate_then_allocate+allocate/change_of_block",
            1,
            &[ONE, TWO],
            &[&[Allocate, Allocate], &[Allocate]],
        ),
        pool("allocate+allocate/first_block_full", 1, &[ALL, ONE], &[&[Allocate], &[Allocate]]),
        pool("allocate+allocate/two_lanes", 2, &[ONE, ONE], &[&[Allocate], &[Allocate]]),
        pool("allocate+borrow/two_lanes", 2, &[ALL, ONE], &[&[Allocate], &[Borrow]]),
        pool("allocate+allocate/ragged_block", 2, &[ONE, ALL, ONE], &[&[Allocate], &[Allocate]]),
    ]
}
