//! The tables of open addressing, and their subjects.

use super::filters::{Bits, FewWords, Filters};
use super::layout::{Applied, Board, Layout, Lock64, Summed};
use super::places::{BOARD_PLAN32, BOARD_PLAN64, OPS, PLAN};
use super::subject::OpenSubject;
use crate::check::{AnySubject, OfLanes, Scenario};
use crate::scenarios::applied::adds;
use crate::scenarios::entry::Entries;
use crate::scenarios::shape::shapes;
use crate::scenarios::table::{Maker, Table};
use std::sync::Arc;
use warpproof_model::entry::{Key32, Key64, Pair32, Pair64};

/// u32 pairs.
pub const MAP32: Table = table("open_map32", Entries::Map32, shaped::<Pair32>);
/// u32 keys.
pub const SET32: Table = table("open_set32", Entries::Set32, shaped::<Key32>);
/// u64 pairs in 128-bit words.
pub const MAP64: Table = table("open_map64", Entries::Map64, shaped::<Pair64>);
/// u64 keys.
pub const SET64: Table = table("open_set64", Entries::Set64, shaped::<Key64>);
/// u64 pairs in two words by the lock word.
pub const LOCK64: Table = table("open_lock64", Entries::Map64, shaped::<Lock64>);
/// u32 pairs, with bits of the filter set as on a GPU: not tested before.
pub const UNTESTED32: Table = table("open_untested32", Entries::Map32, untested::<Pair32>);
/// u32 pairs, with a filter of fewer words than all classes need, as large tables have.
pub const FEW_WORDS32: Table = table("open_few_words32", Entries::Map32, few_words::<Pair32>);
/// u64 pairs in slots with a board of fingerprints.
pub const BOARD64: Table =
    Table { plan: &BOARD_PLAN64, ..table("open_board64", Entries::Map64, boarded::<Board<Pair64>>) };
/// u32 keys in such slots.
pub const BOARD_SET32: Table =
    Table { plan: &BOARD_PLAN32, ..table("open_board_set32", Entries::Set32, boarded::<Board<Key32>>) };
/// u32 pairs, to whose values a function is applied in place of an addition.
pub const APPLIED32: Table = table("open_applied32", Entries::Map32, small::<Applied<Pair32>>);
/// u32 pairs, to which sums are added without an exchange.
pub const SUMMED32: Table = table("open_summed32", Entries::Map32, small::<Summed>);

/// All of them.
pub const TABLES: [Table; 11] =
    [MAP32, SET32, MAP64, SET64, LOCK64, BOARD64, BOARD_SET32, UNTESTED32, FEW_WORDS32, APPLIED32, SUMMED32];

const fn table(name: &'static str, entries: Entries, subject: Maker) -> Table {
    Table { name, entries, multi: false, ops: &OPS, subject, plan: &PLAN }
}

shapes! {
    /// Lanes and slots per lane of the buckets that scenarios have; the last four are those of the library's
    /// tables.
    pub const SHAPES: (lanes as LANES, slots as S) =
        [(1, 1), (1, 2), (1, 4), (2, 1), (2, 2), (4, 1), (1, 8), (2, 4), (4, 2), (8, 1)];
    "a bucket of {lanes} lanes with {slots} slots each: buckets have {:?}";
    fn shaped<L: Layout> = probing::<L, LANES, S, Bits>;
}

shapes! {
    /// Buckets of slots with a board, whose library reads them by one lane.
    const BOARDED: (lanes as LANES, slots as S) = [(1, 1), (1, 2), (2, 1), (1, 4), (2, 2), (1, 8)];
    "a bucket of {lanes} lanes with {slots} slots each: buckets have {:?}";
    fn boarded<L: Layout> = probing::<L, LANES, S, ()>;
}

shapes! {
    /// Buckets of one slot or two.
    pub const SMALL: (lanes as LANES, slots as S) = [(1, 1), (1, 2), (2, 1), (2, 2)];
    "a bucket of {lanes} lanes with {slots} slots each: buckets have {:?}";
    fn untested<L: Layout> = probing::<L, LANES, S, Bits<false>>;
}

shapes! {
    /// Buckets of one slot or two, where the filter has few words.
    const FEW: (lanes as LANES, slots as S) = [(1, 1), (1, 2), (2, 1), (2, 2)];
    "a bucket of {lanes} lanes with {slots} slots each: buckets have {:?}";
    fn few_words<L: Layout> = probing::<L, LANES, S, FewWords>;
}

shapes! {
    /// Buckets of a table that applies a function, or sums: those of places, and those doubled.
    const APPLIED: (lanes as LANES, slots as S) = [(1, 1), (1, 2), (2, 1), (2, 2), (1, 4)];
    "a bucket of {lanes} lanes with {slots} slots each: buckets have {:?}";
    fn small<L: Layout> = probing::<L, LANES, S, Bits>;
}

/// The subject of a table with the filter `F`.
fn probing<L: Layout, const LANES: usize, const S: usize, F: Filters>(
    scenario: &Scenario,
) -> Arc<dyn AnySubject> {
    let subject = OpenSubject::<L, S, F>::new(scenario.config.clone(), scenario.allows.full);
    Arc::new(OfLanes::<_, LANES>(if adds(scenario) { subject.with_adds() } else { subject }))
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
        let refused = subject((3, 1)).err().expect("no such shape");
        assert!(refused.to_string().contains("a bucket of 3 lanes with 1 slots"), "{refused}");
    }
}
