//! Scenarios with the groups and neighbourhoods of the library's tables: of eight words, read by warps of one
//! to eight lanes, on up to four keys of two homes.

use super::tables::TABLES;
use crate::check::{Config, Scenario};
use crate::scenarios::wide::{self, Calls, Named, Wide};
use warpproof_model::hopscotch::{GROUP_WORDS, REACH};
use warpproof_model::spec::Op::InsertUnique;

/// Every entry type in every place, by warps of every width.
pub fn wide() -> Vec<Scenario> {
    let keys = [(0, 0), (1, FILLER), (1, 0), (0, FILLER)];
    wide::wide(&TABLES, &SIZES, &PLACES, &keys)
}

const SIZES: [(u32, u32); 4] = [(1, 8), (2, 4), (4, 2), (8, 1)];
const HOMES: u32 = 2;
/// Slots of a group.
const SLOTS: usize = GROUP_WORDS - 1;
/// The first of the keys of a home that only fill slots.
const FILLER: usize = 4;

const fn place(name: &'static str, preload: Calls) -> Wide {
    Wide {
        name,
        config: || Config { buckets: HOMES, reach: REACH, ..Config::default() },
        preload,
        full: true,
    }
}

/// Where the programs meet.
const PLACES: [Wide; 4] = [
    place("empty", |_, _| Vec::new()),
    // The groups of both homes are full.
    place("groups", |_, _| groups().collect()),
    // The neighbourhood of home 0 is full, and members of home 1 can be moved to the last group, which is
    // empty.
    place("hop", |_, _| hop().collect()),
    // The same, where the last group has one empty slot.
    place("last_slot", |_, _| hop().chain(fill(1, SLOTS, SLOTS - 1)).collect()),
];

fn fill(home: u32, from: usize, keys: usize) -> impl Iterator<Item = Named> {
    (from..from + keys).map(move |number| (InsertUnique, (home, FILLER + number)))
}

fn groups() -> impl Iterator<Item = Named> {
    fill(1, 0, SLOTS).chain(fill(0, 0, SLOTS))
}

fn hop() -> impl Iterator<Item = Named> {
    groups().chain(fill(0, SLOTS, (REACH as usize - 2) * SLOTS))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::seq::{Alone, SeqMemory};
    use warpproof_model::spec::{Call, Ret};

    /// So many new keys of home 0 find room where the preload was made, and the next does not.
    #[test]
    fn places_are_what_they_are_called() {
        for scenario in wide() {
            let table = TABLES.into_iter().find(|table| table.name == scenario.structure).expect("a table");
            let subject = (table.subject)(&scenario).expect("a subject");
            let memory = SeqMemory::new(&subject.arrays());
            let run =
                |call: &Call| memory.guard(|m| subject.run(&Alone(0), m, call)).expect("a call that ends");
            for call in &scenario.preload {
                assert_eq!(run(call), Ret::Inserted, "{}: {call}", scenario.name);
            }
            let key = |number| table.key(HOMES, (0, 1000 + number));
            let room = match scenario.preload.len() / SLOTS {
                0 => REACH as usize * SLOTS,
                2 => (REACH as usize - 1) * SLOTS,
                8 if scenario.preload.len() % SLOTS == 0 => SLOTS,
                _ => 1,
            };
            let more = (0..=room).map(|number| run(&Call::new(InsertUnique, key(number), 0)));
            let full = more.into_iter().position(|ret| ret == Ret::Full);
            assert_eq!(full, Some(room), "{}", scenario.name);
        }
    }
}
