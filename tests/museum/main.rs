//! The museum: published protocols with published defects, which the checker must find.
//!
//! Every exhibit is the published form in our own words, run by the engine that checks the structures of this
//! project, in the smallest scenario that shows its defect. A defect that is not found is a failing test, and so is
//! a repaired form that is not explored to its end. README.md beside this file has the table; its numbers are
//! those of a run, and a row that differs fails. After a change of the engine:
//!
//! ```text
//! cargo test --test museum -- --ignored write_the_table
//! ```
//!
//! One trace: `cargo test --test museum exhibit_4 -- --nocapture`.

mod e01_hole;
mod e02_race;
mod e03_blind_delete;
mod e04_torn_pair;
mod e05_allocator;
mod e06_plan_one;
mod e07_plan_two;
mod exhibit;
mod slab_alloc;
mod slab_hash;
mod visit;

use visit::{README, exhibit, ids_of, row, table, visit};

macro_rules! exhibits {
    ($($name:ident $id:literal)*) => {
        /// The exhibits that have a test.
        const TESTED: &[&str] = &[$($id),*];

        $(
            #[test]
            fn $name() {
                let exhibit = exhibit($id);
                let visit = visit(&exhibit);
                println!("{}", visit.trace);
                let row = row(&exhibit, &visit);
                let advice = "cargo test --test museum -- --ignored write_the_table";
                assert!(README.contains(&row), "README.md does not have this row ({advice}):\n{row}");
            }
        )*
    };
}

exhibits! {
    exhibit_1_unique_insert_fills_a_hole "1"
    exhibit_2_insert_delete_insert_race "2"
    exhibit_3_delete_erases_another_key "3"
    exhibit_4_key_and_value_are_torn "4"
    exhibit_5a_a_full_pool_spins "5a"
    exhibit_5b_a_lost_link_loses_a_slab "5b"
    exhibit_6a_an_update_before_the_value_is_lost "6a"
    exhibit_6b_a_search_before_the_value_reads_none "6b"
    exhibit_7a_no_break_repeats_for_ever "7a"
    exhibit_7b_a_locked_key_is_one "7b"
    exhibit_7c_key_one_has_no_exclusion "7c"
    exhibit_7d_the_wrong_mask_drops_an_update "7d"
    exhibit_7e_precedence_drops_an_update "7e"
    exhibit_7f_no_release_shows_no_value "7f"
}

#[test]
fn every_exhibit_has_a_test_and_a_row() {
    assert_eq!(ids_of(&exhibit::exhibits()), TESTED);
    let rows = README.lines().filter(|line| line.starts_with("| ")).count();
    assert_eq!(rows, TESTED.len() + 1, "a row for each exhibit, and the heading");
}

#[test]
#[ignore = "writes README.md"]
fn write_the_table() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/museum/README.md");
    std::fs::write(path, table(README, &exhibit::exhibits())).expect("README.md can be written");
}
