//! The tables that grow by submaps, and their subjects.

use super::places::PLAN;
use super::subject::{DynamicSubject, PROBES};
use crate::check::{AnySubject, OfLanes, Scenario, ScenarioError};
use crate::scenarios::entry::{Entries, Entry};
use crate::scenarios::open::OPS;
use crate::scenarios::shape::shapes;
use crate::scenarios::table::{Made, Maker, Table};
use std::sync::Arc;
use warpproof_model::dynamic::submap_buckets;
use warpproof_model::entry::{Key32, Key64, Pair32, Pair64};
use warpproof_model::spec::Op;

/// u32 pairs.
pub const MAP32: Table = table("dyn_map32", Entries::Map32, probed::<Pair32>);
/// u32 keys.
pub const SET32: Table = table("dyn_set32", Entries::Set32, probed::<Key32>);
/// u64 pairs in 128-bit words.
pub const MAP64: Table = table("dyn_map64", Entries::Map64, probed::<Pair64>);
/// u64 keys.
pub const SET64: Table = table("dyn_set64", Entries::Set64, probed::<Key64>);

/// All of them.
pub const TABLES: [Table; 4] = [MAP32, SET32, MAP64, SET64];

const fn table(name: &'static str, entries: Entries, subject: Maker) -> Table {
    Table { name, entries, multi: false, ops: &OPS, subject, plan: &PLAN }
}

/// What is exhausted is asked of all slots: of the last submap too a key must probe all buckets.
fn probed<E: Entry>(scenario: &Scenario) -> Made {
    let (submaps, buckets) = (scenario.config.reach, scenario.config.buckets);
    if submaps == 0 || submap_buckets(buckets, submaps - 1) > PROBES.into() {
        return Err(ScenarioError::Shape(format!(
            "{submaps} submaps, the first of {buckets} buckets: there is one at least, and the last has two buckets at most"
        )));
    }
    shaped::<E>(scenario)
}

shapes! {
    /// Lanes and slots per lane of the buckets that scenarios have.
    pub const SHAPES: (lanes as LANES, slots as S) = [(1, 1), (1, 2), (2, 1), (2, 2)];
    "a bucket of {lanes} lanes with {slots} slots each: buckets have {:?}";
    fn shaped<E: Entry> = make::<E, LANES, S>;
}

fn make<E: Entry, const LANES: usize, const S: usize>(scenario: &Scenario) -> Arc<dyn AnySubject> {
    let subject = DynamicSubject::<E, S>::new(scenario.config.clone(), scenario.allows.full);
    let adds = scenario.programs.iter().flatten().any(|call| call.op == Op::InsertOrAdd);
    Arc::new(OfLanes::<_, LANES>(if adds { subject.with_adds() } else { subject }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_has_a_subject_and_no_other() {
        let scenario = |(lanes, slots), submaps| {
            let mut scenario = MAP32.family(1, 1).swap_remove(0);
            (scenario.config.lanes, scenario.config.slots, scenario.config.reach) = (lanes, slots, submaps);
            (MAP32.subject)(&scenario)
        };
        assert!(SHAPES.iter().all(|&shape| scenario(shape, 2).is_ok()));
        assert!(scenario((3, 1), 2).is_err() && scenario((1, 1), 0).is_err());
        let refused = scenario((1, 1), 4).err().expect("too many buckets");
        assert!(refused.to_string().contains("4 submaps"), "{refused}");
    }
}
