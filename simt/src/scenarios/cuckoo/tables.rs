//! The cuckoo tables, and their subjects.

use super::places::PLAN;
use super::subject::CuckooSubject;
use crate::check::{AnySubject, OfLanes, Scenario};
use crate::scenarios::applied::adds;
use crate::scenarios::entry::{Entries, Entry};
use crate::scenarios::open::OPS;
use crate::scenarios::shape::shapes;
use crate::scenarios::table::{Maker, Table};
use std::sync::Arc;
use warpproof_model::entry::{Key32, Key64, Pair32, Pair64};
use warpproof_model::spec::{Call, Op};

/// u32 pairs.
pub const MAP32: Table = table("cuckoo_map32", Entries::Map32, shaped::<Pair32>);
/// u32 keys.
pub const SET32: Table = table("cuckoo_set32", Entries::Set32, shaped::<Key32>);
/// u64 pairs in 128-bit words.
pub const MAP64: Table = table("cuckoo_map64", Entries::Map64, shaped::<Pair64>);
/// u64 keys.
pub const SET64: Table = table("cuckoo_set64", Entries::Set64, shaped::<Key64>);
/// u32 pairs, with operations as kernels run them: tried first, then whole.
pub const TRIED32: Table = table("cuckoo_tried32", Entries::Map32, shaped::<Pair32>);
/// u32 pairs, to whose values a function is applied in place of an addition.
pub const APPLIED32: Table = table("cuckoo_applied32", Entries::Map32, shaped::<Pair32>);

/// All of them.
pub const TABLES: [Table; 6] = [MAP32, SET32, MAP64, SET64, TRIED32, APPLIED32];

const fn table(name: &'static str, entries: Entries, subject: Maker) -> Table {
    Table { name, entries, multi: false, ops: &OPS, subject, plan: &PLAN }
}

shapes! {
    /// Lanes and slots per lane of the buckets that scenarios have: of one slot to four, and of six.
    pub const SHAPES: (lanes as LANES, slots as S) = [(1, 1), (1, 2), (2, 1), (2, 2), (2, 3)];
    "a bucket of {lanes} lanes with {slots} slots each: buckets have {:?}";
    fn shaped<E: Entry> = moving::<E, LANES, S>;
}

/// The subject of a table.
fn moving<E: Entry, const LANES: usize, const S: usize>(scenario: &Scenario) -> Arc<dyn AnySubject> {
    let subject = CuckooSubject::<E, S>::new(scenario.config.clone(), scenario.allows.full);
    let subject = if adds(scenario) { subject.with_adds() } else { subject };
    let subject = if scenario.structure == TRIED32.name { subject.tried() } else { subject };
    let subject = if scenario.structure == APPLIED32.name { subject.with_function() } else { subject };
    let deletes = |program: &Vec<Call>| program.len() > 1 && program.iter().any(|call| call.op == Op::Delete);
    let moves = scenario.programs.len() > 1 && scenario.programs.iter().any(deletes);
    Arc::new(OfLanes::<_, LANES>(if moves { subject.with_moving_room() } else { subject }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_has_a_subject_and_no_other() {
        let subject = |(lanes, slots)| {
            let mut scenario = MAP32.family(1, 1).swap_remove(0);
            (scenario.config.lanes, scenario.config.slots) = (lanes, slots);
            (MAP32.subject)(&scenario)
        };
        assert!(SHAPES.iter().all(|&shape| subject(shape).is_ok()));
        assert!(subject((4, 1)).is_err());
    }
}
