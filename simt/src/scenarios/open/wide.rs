//! Scenarios with the buckets of the library's tables: of eight slots, read by warps of one to eight lanes,
//! on up to four keys of two homes.

use super::tables::{BOARD_SET32, BOARD64, TABLES};
use crate::check::{Config, Scenario};
use crate::scenarios::wide::{self, Calls, Named, Wide};
use warpproof_model::open::BUCKET_SLOTS;
use warpproof_model::spec::Op::{self, Delete, InsertUnique};

/// Every entry type in every place, by warps of every width; slots with a board by one lane. How the filter
/// is written does not depend on the width.
pub fn wide() -> Vec<Scenario> {
    let keys = [(0, 0), (1, FILLER), (1, 0), (0, FILLER)];
    let by_lane = wide::wide(&[BOARD64, BOARD_SET32], &SIZES[..1], &PLACES, &keys);
    [wide::wide(&TABLES[..5], &SIZES, &PLACES, &keys), by_lane].concat()
}

const SIZES: [(u32, u32); 4] = [(1, 8), (2, 4), (4, 2), (8, 1)];
const BUCKETS: u32 = 3;
/// The first of the keys of a home that only fill slots.
const FILLER: usize = 4;

const fn place(name: &'static str, preload: Calls) -> Wide {
    Wide { name, config: || Config { buckets: BUCKETS, ..Config::default() }, preload, full: true }
}

/// Where the programs meet.
const PLACES: [Wide; 4] = [
    place("empty", |_, _| Vec::new()),
    // The homes of two keys are full.
    place("homes", |_, _| homes(InsertUnique).collect()),
    // The same, of tombstones.
    place("tombs", |_, _| homes(InsertUnique).chain(homes(Delete)).collect()),
    // One slot is empty.
    place("last_slot", |_, _| homes(InsertUnique).chain(fill(InsertUnique, 2, BUCKET_SLOTS - 1)).collect()),
];

fn fill(op: Op, home: u32, keys: usize) -> impl Iterator<Item = Named> {
    (FILLER..FILLER + keys).map(move |number| (op, (home, number)))
}

fn homes(op: Op) -> impl Iterator<Item = Named> {
    fill(op, 0, BUCKET_SLOTS).chain(fill(op, 1, BUCKET_SLOTS))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::seq::{Alone, SeqMemory};
    use warpproof_model::spec::{Call, Ret};

    /// So many new keys find room where the preload was made, and the next does not.
    #[test]
    fn places_are_what_they_are_called() {
        for scenario in wide() {
            let table = TABLES.into_iter().find(|table| table.name == scenario.structure).expect("a table");
            let subject = (table.subject)(&scenario).expect("a subject");
            let memory = SeqMemory::new(&subject.arrays());
            let run =
                |call: &Call| memory.guard(|m| subject.run(&Alone(0), m, call)).expect("a call that ends");
            let inserts = scenario.preload.iter().filter(|call| call.op == InsertUnique).count();
            for call in &scenario.preload {
                let said = if call.op == Delete { Ret::Deleted } else { Ret::Inserted };
                assert_eq!(run(call), said, "{}: {call}", scenario.name);
            }
            let key = |number| table.key(BUCKETS, (0, 1000 + number));
            let room = BUCKETS as usize * BUCKET_SLOTS - inserts;
            let more = (0..=room).map(|number| run(&Call::new(InsertUnique, key(number), 0)));
            let full = more.into_iter().position(|ret| ret == Ret::Full);
            assert_eq!(full, Some(room), "{}", scenario.name);
        }
    }
}
