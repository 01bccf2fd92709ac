//! How scenarios are made that are not all of a size.

use super::places::KEY;
use crate::check::{Config, Scenario};
use crate::scenarios::table::{Place, Table};
use warpproof_model::spec::{Call, Op};

/// A scenario in which each warp runs the operations of its program on the one key.
pub(super) fn meet(table: &Table, place: Place, programs: &[&[Op]]) -> Scenario {
    table.on_key(place, (0, KEY as usize), programs)
}

/// A scenario run by lanes of one word each, the last lane first: a scan meets the end of a slab before its
/// pairs.
pub(super) fn backwards(mut scenario: Scenario) -> Scenario {
    scenario.config = Config { lanes: scenario.config.slots, slots: 1, ..scenario.config };
    scenario.backwards = true;
    scenario.name += "_backwards";
    scenario
}

/// A scenario of the allocator alone: each warp runs its operations on a bitmap that stands as given.
pub(super) fn pool(name: &str, lanes: u32, bitmap: &[u32], programs: &[&[Op]]) -> Scenario {
    let config = Config { lanes, bitmap: bitmap.to_vec(), ..Config::default() };
    // The value is the hint that spreads warps, and the calls of one; the key is the slab to be freed.
    let call = |hint: usize, op: Op| Call::new(op, 0, if op == Op::Free { 0 } else { hint as u64 });
    let program =
        |(warp, ops): (usize, &&[Op])| ops.iter().enumerate().map(|(i, op)| call(warp + i, *op)).collect();
    let programs = programs.iter().enumerate().map(program).collect();
    Scenario::new(format!("pool/{name}"), "pool", config, programs)
}
