//! The sets of scenarios.

use super::left::Play;
use super::subject::What;
use super::{AggregateSubject, LeftSubject};
use crate::check::{Config, Scenario};
use warpproof_model::spec::{Call, Op};

/// A column by its keys, one digit each.
#[derive(Clone, Copy)]
struct Column {
    keys: &'static [u32],
    /// Rows of a block.
    each: u32,
    /// Slots of a block.
    slots: u32,
}

/// Every column of up to three rows, by one warp and by two: keys that are equal, that share a slot, that
/// follow one another, and that go around the end of the slots; too few slots. Two blocks, one after the
/// other and at once; three warps; two rows of each of two warps.
pub fn default_set() -> Vec<Scenario> {
    let mut scenarios = Vec::new();
    for what in What::ALL {
        for length in 0..=3 {
            for keys in columns(length) {
                for slots in [1, 2, 4] {
                    scenarios.extend((1..=2).map(|warps| scenario(what, warps, &keys, (3, slots), 0)));
                }
            }
        }
        for Column { keys, each, slots } in LARGER {
            scenarios.push(scenario(what, 2, keys, (each, slots), 2));
        }
        for keys in [&[1, 1, 1], &[1, 1, 5], &[1, 5, 9], &[3, 7, 0]] {
            scenarios.push(scenario(what, 3, keys, (3, 4), 1));
        }
        scenarios.push(apart(what, 2, &[1, 2], (1, 1)));
        scenarios.push(apart(what, 2, &[1, 5, 2, 2], (2, 1)));
        scenarios.push(apart(what, 3, &[1, 5, 2, 2, 3], (2, 2)));
    }
    scenarios.extend(left_set());
    scenarios
}

/// Sums that were left: of one key and of several, that share a slot or find none, or no room in the table;
/// by one warp and by two, and two blocks at once. Sums that are tried first. And a delete of their key.
fn left_set() -> Vec<Scenario> {
    let mut scenarios = Vec::new();
    for there in [false, true] {
        for keys in [&[1][..], &[1, 1], &[1, 5], &[1, 2], &[1, 1, 1], &[1, 5, 1], &[1, 5, 2], &[1, 5, 2, 1]] {
            for slots in [1, 2] {
                scenarios.extend((1..=2).map(|warps| left(Play::Left, warps, keys, (4, slots), there)));
            }
        }
        // Two of a key that finds no room.
        scenarios.push(left(Play::Left, 1, &[1, 5, 2, 2], (4, 4), there));
        scenarios.push(left(Play::Left, 2, &[1, 1, 5, 1], (2, 2), there));
        for keys in [&[1, 1][..], &[1, 2], &[1, 1, 1], &[1, 5, 1]] {
            scenarios.push(left(Play::Tried, 2, keys, (4, 2), there));
            scenarios.push(left(Play::Greatest, 2, keys, (4, 2), there));
        }
        scenarios.push(left(Play::Deleted, 2, &[1, 1], (2, 1), there));
        scenarios.push(left(Play::Deleted, 3, &[1, 1], (2, 1), there));
        scenarios.push(left(Play::Deleted, 2, &[1, 5, 1], (3, 1), there));
        scenarios.push(left_apart(Play::Left, &[1, 1, 1, 1], (2, 1), there));
        scenarios.push(left_apart(Play::Tried, &[1, 1], (1, 1), there));
    }
    scenarios
}

/// More rows than warps, and more than one block.
const LARGER: [Column; 7] = [
    Column { keys: &[1, 1, 1, 1], each: 4, slots: 2 },
    Column { keys: &[1, 5, 5, 1], each: 4, slots: 2 },
    Column { keys: &[1, 5, 1, 5], each: 4, slots: 4 },
    Column { keys: &[3, 7, 0, 3], each: 4, slots: 4 },
    Column { keys: &[1, 1, 2, 2], each: 2, slots: 2 },
    Column { keys: &[1, 2, 1, 5], each: 2, slots: 1 },
    Column { keys: &[0, 4, 4, 1, 1], each: 3, slots: 2 },
];

/// Three warps with more rows, and four rows of two warps in every way.
pub fn deep() -> Vec<Scenario> {
    let three = |what| {
        let rows: [&[u32]; 3] = [&[1, 5, 1, 5], &[1, 1, 5, 9], &[3, 3, 7, 0]];
        rows.into_iter().map(move |keys| scenario(what, 3, keys, (4, 4), 0))
    };
    let four = |what| columns(4).into_iter().map(move |keys| scenario(what, 2, &keys, (4, 4), 3));
    let groups = What::ALL.into_iter().flat_map(|what| three(what).chain(four(what)));
    let more = [false, true].into_iter().flat_map(|there| {
        [
            left(Play::Tried, 2, &[1, 1, 1, 1], (4, 2), there),
            left(Play::Tried, 3, &[1, 1, 1], (3, 2), there),
            left(Play::Left, 3, &[1, 5, 1, 1], (4, 1), there),
            left(Play::Deleted, 3, &[1, 5, 1], (3, 1), there),
            left_apart(Play::Tried, &[1, 1, 1, 1], (2, 1), there),
        ]
    });
    groups.chain(more).collect()
}

/// Every column of so many rows, of the keys 1, 5, 2 and 3, named in the order in which they come up: the
/// first two share a slot of four.
fn columns(length: usize) -> Vec<Vec<u32>> {
    let mut columns = vec![Vec::new()];
    for _ in 0..length {
        let longer = |column: &Vec<u32>| {
            let of = |key| [column.as_slice(), &[key]].concat();
            [1, 5, 2, 3].map(of)
        };
        columns = columns.iter().flat_map(longer).collect();
    }
    columns.retain(|column| column.first().is_none_or(|&key| key == 1 || key == 3));
    columns
}

fn scenario(what: What, warps: usize, keys: &[u32], (each, slots): (u32, u32), first: u32) -> Scenario {
    const STRUCTURE: &str = AggregateSubject::STRUCTURE;
    let rows: String = keys.iter().map(u32::to_string).collect();
    let (kind, reach) = match what {
        What::Distinct => ("distinct", 0),
        What::Counts => ("counts", 1),
        What::Sums => ("sums", 2),
        What::SumsAlone => ("sums_alone", 3),
    };
    let name = format!("{STRUCTURE}/{kind}/{warps}_warps/rows{rows}_{each}_{slots}_slots_from{first}");
    let config = Config {
        lanes: 1,
        slots,
        buckets: each,
        reach,
        pool: first,
        bitmap: keys.to_vec(),
        ..Config::default()
    };
    Scenario::new(name, STRUCTURE, config, vec![vec![Call::new(Op::SearchAll, 0, 0)]; warps])
}

/// Blocks of one warp, which run at once.
fn apart(what: What, blocks: usize, keys: &[u32], shape: (u32, u32)) -> Scenario {
    let one = scenario(what, blocks, keys, shape, 1);
    Scenario { name: format!("{}/apart", one.name), apart: true, ..one }
}

/// Sums, of which so many are a block's, with so many slots.
fn left(play: Play, warps: usize, keys: &[u32], (each, slots): (u32, u32), there: bool) -> Scenario {
    const STRUCTURE: &str = LeftSubject::STRUCTURE;
    let ops: String = keys.iter().map(u32::to_string).collect();
    let (kind, reach) = match play {
        Play::Tried => ("tried", 0),
        Play::Left => ("left", 1),
        Play::Deleted => ("deleted", 2),
        Play::Greatest => ("greatest", 3),
    };
    let before = if there { "_there" } else { "" };
    let name = format!("{STRUCTURE}/{kind}/{warps}_warps/ops{ops}_{each}_{slots}_slots{before}");
    let config = Config {
        lanes: 1,
        slots,
        buckets: each,
        reach,
        pool: there.into(),
        bitmap: keys.to_vec(),
        ..Config::default()
    };
    Scenario::new(name, STRUCTURE, config, vec![vec![Call::new(Op::SearchAll, 0, 0)]; warps])
}

/// Sums of blocks of one warp, which run at once.
fn left_apart(play: Play, keys: &[u32], shape: (u32, u32), there: bool) -> Scenario {
    let one = left(play, keys.len().div_ceil(shape.0 as usize), keys, shape, there);
    Scenario { name: format!("{}/apart", one.name), apart: true, ..one }
}

/// Random sums, at most four.
pub(super) fn random_left(below: &mut dyn FnMut(u32) -> u32) -> Scenario {
    let keys: Vec<u32> = (0..1 + below(4)).map(|_| below(4)).collect();
    let play = Play::ALL[below(4) as usize];
    let warps = 1 + below(2) as usize + usize::from(play == Play::Deleted);
    left(play, warps, &keys, (1 + below(4), 1 << below(2)), below(2) == 1)
}

/// A random column of up to five rows.
pub(super) fn random(below: &mut dyn FnMut(u32) -> u32) -> Scenario {
    let keys: Vec<u32> = (0..below(6)).map(|_| below(8)).collect();
    let what = What::ALL[below(4) as usize];
    scenario(what, 1 + below(3) as usize, &keys, (1 + below(5), 1 << below(3)), below(3))
}
