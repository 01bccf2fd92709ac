//! The sets of scenarios.

use super::shaped::SHAPES;
use super::subject::Placing;
use crate::check::{Config, Scenario};
use crate::scenarios::form;
use warpproof_model::spec::{Call, Op};

/// What the slots hold, one letter each: `e` an entry, `t` a tombstone, `-` nothing.
type Slots = String;

/// Every variant by a block of one and of two warps and by two blocks, in every shape: no slot, one and more
/// rounds, ends that are ragged against the block and against a row, every way to fill up to four slots, more
/// entries than there is room for, places after those of another source and above 2^32, one block that stops.
pub fn default_set() -> Vec<Scenario> {
    Placing::ALL.into_iter().flat_map(of_placing).collect()
}

/// Everything else: three warps in a block, three blocks, and two with more rounds.
pub fn deep() -> Vec<Scenario> {
    let of = |placing| {
        let one = (1, 1, 1);
        let three = ["eee", "eeee", "e-eee"].map(|slots| in_block(placing, one, 3, slots));
        let blocks = ["eee", "e-ee"].map(|slots| apart(placing, one, 3, slots));
        let long = ["eeeeeee", "ee-eeeete"].map(|slots| in_block(placing, one, 2, slots));
        [three.to_vec(), blocks.to_vec(), long.to_vec()].concat()
    };
    Placing::ALL.into_iter().flat_map(of).collect()
}

/// A random scenario: any variant and shape, one to three warps, up to five slots, and perhaps less room than
/// entries.
pub(super) fn random(below: &mut dyn FnMut(u32) -> u32) -> Scenario {
    let placing = Placing::ALL[below(5) as usize];
    let shape = SHAPES[below(SHAPES.len() as u32) as usize];
    let warps = 1 + below(3) as usize;
    let make = if below(2) == 1 { apart } else { in_block };
    let slots: Slots = (0..1 + below(5)).map(|_| ['e', 't', '-'][below(3) as usize]).collect();
    let scenario = make(placing, shape, warps, &slots);
    match below(4) {
        3 => with_room(scenario, below(3)),
        _ => scenario,
    }
}

/// Rows of three slots, the last of which may have two.
const RAGGED: (u32, u32, u32) = (1, 1, 3);

fn of_placing(placing: Placing) -> Vec<Scenario> {
    let mut scenarios = Vec::new();
    for &shape in SHAPES.iter().filter(|shape| **shape != RAGGED) {
        // Slots of a warp in a round.
        let round = (shape.0 * shape.1 * shape.2) as usize;
        let some = [patterned(round), patterned(2 * round - 1), patterned(2 * round + 1)];
        // Where every entry adds to the count, eight slots of two warps have too many executions.
        let warps = if placing == Placing::PerSlot && round == 8 { 1 } else { 2 };
        for slots in &some {
            scenarios.push(in_block(placing, shape, 1, slots));
            scenarios.push(in_block(placing, shape, warps, slots));
        }
        // Two rounds, and a last one in which only one warp has a slot.
        scenarios.push(in_block(placing, shape, warps, &patterned(2 * warps * round + 1)));
        scenarios.push(apart(placing, shape, 2, &patterned(2 * round + 1)));
    }
    for slots in (0..=4).flat_map(fillings) {
        scenarios.push(in_block(placing, (1, 1, 1), 2, &slots));
        scenarios.push(apart(placing, (1, 1, 1), 2, &slots));
    }
    for room in [0, 1, 2] {
        scenarios.push(with_room(in_block(placing, (1, 1, 1), 2, "eeete"), room));
        scenarios.push(with_room(apart(placing, (1, 1, 1), 2, "eete"), room));
    }
    scenarios.push(after(in_block(placing, (1, 1, 1), 2, "eeete"), u32::MAX));
    scenarios.push(with_room(after(apart(placing, (1, 1, 1), 2, "eete"), 2), 2));
    let mut stalled = form::stalled(apart(placing, (1, 1, 1), 2, "eee"), |_| placing == Placing::InOrder);
    // Blocks that work in order wait for one another.
    stalled.allows.blocking = placing == Placing::InOrder;
    scenarios.push(stalled);
    // The small ones of several lists.
    scenarios.sort_by(|a, b| a.name.cmp(&b.name));
    scenarios.dedup_by(|a, b| a.name == b.name);
    scenarios.push(in_block(placing, RAGGED, 1, "eetee"));
    scenarios
}

/// So many slots, most of them with an entry.
fn patterned(slots: usize) -> Slots {
    "eete-ee".chars().cycle().take(slots).collect()
}

/// Every way to fill so many slots.
fn fillings(slots: u32) -> impl Iterator<Item = Slots> {
    (0..1u32 << slots)
        .map(move |bits| (0..slots).map(|slot| if bits >> slot & 1 != 0 { 'e' } else { '-' }).collect())
}

/// One block.
fn in_block(placing: Placing, shape: (u32, u32, u32), warps: usize, slots: &str) -> Scenario {
    scenario(placing, shape, &format!("{warps}_warps"), warps, slots)
}

/// Blocks of one warp.
fn apart(placing: Placing, shape: (u32, u32, u32), blocks: usize, slots: &str) -> Scenario {
    Scenario { apart: true, ..scenario(placing, shape, &format!("{blocks}_blocks"), blocks, slots) }
}

fn scenario(
    placing: Placing,
    (lanes, rows, of_row): (u32, u32, u32),
    who: &str,
    warps: usize,
    slots: &str,
) -> Scenario {
    let bits = |letter| slots.chars().rev().fold(0, |bits, slot| bits << 1 | u32::from(slot == letter));
    let number = slots.len() as u32;
    let config = Config {
        lanes,
        reach: rows,
        slots: of_row,
        buckets: number,
        pool: number + 1,
        bitmap: vec![bits('e'), bits('t')],
        counters: Vec::new(),
    };
    let structure = placing.structure();
    let shape = format!("{lanes}_lanes_{rows}x{of_row}");
    let name = format!("{structure}/{who}_of_{shape}/{}", if slots.is_empty() { "none" } else { slots });
    Scenario::new(name, structure, config, vec![vec![Call::new(Op::SearchAll, 0, 0)]; warps])
}

/// A scenario with `room` places in the output.
fn with_room(mut scenario: Scenario, room: u32) -> Scenario {
    scenario.name += &format!("_room_{room}");
    scenario.config.pool = room;
    scenario
}

/// A scenario in which `before` entries of another source come first.
fn after(mut scenario: Scenario, before: u32) -> Scenario {
    scenario.name += &format!("_after_{before}");
    scenario.config.bitmap.push(before);
    scenario
}
