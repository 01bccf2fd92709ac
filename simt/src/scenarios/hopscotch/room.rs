//! Inserts that find no room while others make some: scenarios of several calls, named one by one.

use super::places;
use crate::check::Scenario;
use crate::scenarios::table::{Name, Place, Table};
use warpproof_model::spec::Op::*;

/// Where the only empty slot moves: a place, the key that finds no room in its neighbourhood, the one that
/// leaves a slot, the one that comes to another.
type Gap = (Place, Name, Name, Name);
const GAP: Gap = (places::GAP, (0, 0), (1, 1), (2, 2));
const GAP_BEYOND: Gap = (places::GAP_BEYOND, (0, 0), (2, 1), (3, 1));
const GAP_BEFORE: Gap = (places::GAP_BEFORE, (1, 0), (0, 2), (2, 1));

/// Each gap that is soon explored.
pub(super) fn gaps(table: &Table) -> Vec<Scenario> {
    let each: [(Gap, &[usize]); 4] =
        [(GAP, &[2]), (GAP_BEYOND, &[2]), (GAP_BEFORE, &[2]), (GAP_BEFORE, &[1, 1])];
    each.map(|(at, shares)| gap(table, at, shares)).to_vec()
}

/// An insert that finds no room while another one, of a home that it does not look at, holds the last slot
/// reserved; who was told so deletes a key, before that one has moved it.
pub(super) fn reserved(table: &Table) -> Scenario {
    let programs: [&[_]; 2] = [&[(InsertUnique, (2, 0)), (Delete, (2, 1))], &[(InsertUnique, (0, 0))]];
    table.of_names(places::RESERVED, &programs)
}

/// A key leaves a slot and comes back to an earlier one, by two warps, while a third one looks for room.
pub(super) fn again(table: &Table) -> Scenario {
    let programs: [&[_]; 3] = [&[(InsertUnique, (1, 0))], &[(Delete, (2, 2))], &[(InsertUnique, (2, 2))]];
    table.of_names(places::GAP_AGAIN, &programs)
}

/// Those that take some seconds or minutes.
///
/// In the third and fourth an insert moves a key, finds no way on, gives the slot back and takes another.
/// Another warp takes that slot and assigns its pair: a search of the key must see where the key went, and an
/// insert that looks for room must see that it left. In the last two a delete empties a slot, and another
/// warp fills it for a home that no member left, or moves a key there.
pub(super) fn deep(table: &Table) -> Vec<Scenario> {
    let (moves, way) = ((InsertUnique, (0, 0)), (Delete, (1, 1)));
    let takes: [&[_]; 3] =
        [&[(Search, (2, 1))], &[moves], &[way, (InsertUnique, (1, 0)), (InsertOrAssign, (1, 0))]];
    let looks: [&[_]; 3] = [&[(InsertUnique, (1, 0))], &[moves], &[way]];
    let passes_on: [&[_]; 3] = [
        &[(InsertUnique, (1, 0)), (Delete, (1, 0))],
        &[(InsertUnique, (0, 0)), (InsertOrAssign, (0, 0))],
        &[(Search, (2, 1))],
    ];
    let moves_on: [&[_]; 3] =
        [&[(InsertUnique, (2, 0)), (Delete, (2, 0))], &[(InsertUnique, (0, 0))], &[(Search, (3, 1))]];
    vec![
        gap(table, GAP, &[1, 1]),
        gap(table, GAP_BEFORE, &[4]),
        table.of_names(places::HOPS, &takes),
        table.of_names(places::HOPS, &looks),
        table.of_names(places::PASSED_ON, &passes_on),
        table.of_names(places::MOVED_ON, &moves_on),
    ]
}

/// While one warp looks for room, others delete a key in one group and insert one in another, and so on:
/// there is an empty slot at every instant. `shares` is how many of these calls each of them makes.
fn gap(table: &Table, (place, wanted, left, came): Gap, shares: &[usize]) -> Scenario {
    let mut moves: &[_] = &[(Delete, left), (InsertUnique, came), (Delete, came), (InsertUnique, left)];
    let first = [(InsertUnique, wanted)];
    let mut programs: Vec<&[_]> = vec![&first];
    for &calls in shares {
        let (share, others) = moves.split_at(calls);
        programs.push(share);
        moves = others;
    }
    table.of_names(place, &programs)
}
