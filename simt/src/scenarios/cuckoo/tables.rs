//! The tables in which keys move, and their subjects.

use super::places::PLAN;
use crate::scenarios::open::scheme::Moved;
use crate::scenarios::open::OPS;
use crate::scenarios::open::tables::small;
use crate::scenarios::table::{Entries, Maker, Table};
use warpproof_model::entry::{Key32, Key64, Pair32, Pair64};

/// u32 pairs.
pub const MAP32: Table = table("cuckoo_map32", Entries::Map32, small::<Pair32, Moved>);
/// u32 keys.
pub const SET32: Table = table("cuckoo_set32", Entries::Set32, small::<Key32, Moved>);
/// u64 pairs in 128-bit words.
pub const MAP64: Table = table("cuckoo_map64", Entries::Map64, small::<Pair64, Moved>);
/// u64 keys.
pub const SET64: Table = table("cuckoo_set64", Entries::Set64, small::<Key64, Moved>);
/// u32 pairs, with operations as kernels run them: tried first, then whole.
pub const TRIED32: Table = table("cuckoo_tried32", Entries::Map32, small::<Pair32, Moved>);

/// All of them.
pub const TABLES: [Table; 5] = [MAP32, SET32, MAP64, SET64, TRIED32];

const fn table(name: &'static str, entries: Entries, subject: Maker) -> Table {
    Table { name, entries, multi: false, ops: &OPS, subject, plan: &PLAN }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenarios::open::SMALL;

    #[test]
    fn every_shape_has_a_subject_and_no_other() {
        let subject = |(lanes, slots)| {
            let mut scenario = MAP32.family(1, 1).swap_remove(0);
            (scenario.config.lanes, scenario.config.slots) = (lanes, slots);
            (MAP32.subject)(&scenario)
        };
        assert!(SMALL.iter().all(|&shape| subject(shape).is_ok()));
        assert!(subject((4, 1)).is_err());
    }
}
