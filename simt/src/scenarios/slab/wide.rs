//! Scenarios of real widths: warps of 8, 16 and 32 lanes with one or two words per lane, on up to three keys.

use super::places::KEY;
use super::tables::TABLES;
use crate::check::{Config, Scenario};
use crate::scenarios::table::Name;
use crate::scenarios::wide::{self, Calls, Named, Wide};
use warpproof_model::spec::Op::{Delete, InsertUnique};

/// Every table in every place at every width.
pub fn wide() -> Vec<Scenario> {
    let keys = [0, 1, 2].map(|number| (0, KEY as usize + number));
    wide::wide(&TABLES, &SIZES, &PLACES, &keys)
}

/// Lanes, and words that each reads of a slab.
const SIZES: [(u32, u32); 6] = [(8, 1), (8, 2), (16, 1), (16, 2), (32, 1), (32, 2)];
/// The first of the keys that only fill slots.
const FILLERS: usize = 1000;

/// A place with eight slabs in the pool: every call of a program could fill one pair, and that is at most 32.
const fn place(name: &'static str, preload: Calls) -> Wide {
    Wide { name, config: || Config { buckets: 1, pool: 8, ..Config::default() }, preload, full: false }
}

/// Where the programs meet.
const PLACES: [Wide; 5] = [
    // An empty bucket.
    place("empty", |_, _| Vec::new()),
    // A full base slab.
    place("full", |pairs, _| fill(pairs).collect()),
    // Two full slabs, the keys in the third.
    place("chain", |pairs, keys| fill(2 * pairs).chain(ours(keys)).collect()),
    // A full base slab, the keys in the second, and tombstones before them.
    place("tombstones", |pairs, keys| {
        let dead = fill(pairs).step_by(2).map(|(_, name)| (Delete, name));
        fill(pairs).chain(ours(keys)).chain(dead).collect()
    }),
    // A full base slab, and the last slab of the pool has room for one pair.
    Wide {
        config: || Config { buckets: 1, pool: 1, ..Config::default() },
        full: true,
        ..place("last_slab", |pairs, _| fill(2 * pairs - 1).collect())
    },
];

fn fill(number: usize) -> impl Iterator<Item = Named> {
    (FILLERS..FILLERS + number).map(|key| (InsertUnique, (0, key)))
}

fn ours(keys: &[Name]) -> impl Iterator<Item = Named> {
    keys.iter().map(|&name| (InsertUnique, name))
}

#[cfg(all(test, feature = "shuttle"))]
mod tests {
    use super::*;
    use crate::check::seq::{Alone, SeqMemory};
    use warpproof_model::spec::Ret;

    /// The preload makes the chain that its place is named for.
    #[test]
    fn places_are_what_they_are_called() {
        for scenario in wide() {
            let table = TABLES.into_iter().find(|table| table.name == scenario.structure).expect("a table");
            let subject = (table.subject)(&scenario).expect("a subject");
            let arrays = subject.arrays();
            let memory = SeqMemory::new(&arrays);
            for call in &scenario.preload {
                let ret = memory.guard(|m| subject.run(&Alone(0), m, call)).expect("a call that ends");
                assert!(matches!(ret, Ret::Inserted | Ret::Deleted), "{}: {call} -> {ret}", scenario.name);
            }
            let bitmap = memory.words().pop().expect("a bitmap");
            let free = arrays.last().expect("a bitmap").initial[0];
            let used = (bitmap[0] ^ free).count_ones();
            let place = scenario.name.rsplit('/').next().expect("a name");
            let expected = match place.split('_').next() {
                Some("chain") => 2,
                Some("tombstones" | "last") => 1,
                _ => 0,
            };
            assert_eq!(used, expected, "{}", scenario.name);
        }
    }
}
