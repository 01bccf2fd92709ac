//! Every exhibit of the museum is found, and its repaired forms hold.
//!
//! A defect that is not found is a failing test, and so is a repaired form that is not explored to the end.
//! museum/README.md has a table of numbers from a run, and a row that differs fails. After a change of the
//! engine:
//!
//! ```text
//! WRITE_TABLE=1 cargo test --test museum every_exhibit
//! ```
//!
//! One trace: `cargo test --test museum exhibit_4 -- --nocapture`.

use std::time::Duration;
use warpproof::simt::check::Verdict;
use warpproof::simt::check::{Report, Scenario, Violation};
use warpproof::simt::engine::{Engine, Options};
use warpproof::simt::explore::Explore;
use warpproof::simt::loom::Loom;
use warpproof_museum::{Exhibit, Run, Snapshot, exhibits};

/// The table of the museum.
const README: &str = include_str!("museum/README.md");

/// Where the rows stand in it.
const HEADING: &str =
    "| # | Source | Defect | Violation | Explore | Loom | Steps | Snapshots | Repaired: explore / loom |";

macro_rules! exhibits {
    ($($name:ident $id:literal)*) => {
        /// The exhibits that have a test.
        const TESTED: &[&str] = &[$($id),*];

        $(
            #[test]
            fn $name() {
                let exhibit = exhibits().into_iter().find(|exhibit| exhibit.id == $id);
                let exhibit = exhibit.expect("an exhibit of the list");
                let seen = Seen::of(&exhibit);
                println!("{}", seen.violation.timeline());
                let row = seen.row(&exhibit);
                let advice = "WRITE_TABLE=1 cargo test --test museum every_exhibit";
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
    exhibit_8a_an_empty_home_loses_its_bitmap "8a"
    exhibit_8b_update_overwrites_a_bitmap "8b"
    exhibit_8c_a_moved_head_overwrites_a_bitmap "8c"
    exhibit_8d_a_moved_member_overwrites_a_bitmap "8d"
    exhibit_9a_a_torn_find_misses_a_moved_key "9a"
    exhibit_9b_an_old_bitmap_misses_a_moved_key "9b"
    exhibit_10_a_torn_insert_doubles_a_key "10"
    exhibit_11_the_same_word_doubles_a_key "11"
    exhibit_12a_delete_wipes_a_locked_home "12a"
    exhibit_12b_delete_wipes_a_locked_head "12b"
    exhibit_13_an_open_hole_loses_a_key "13"
    exhibit_14a_a_find_waits_for_a_stalled_insert "14a"
    exhibit_14b_an_insert_waits_for_a_stalled_insert "14b"
    exhibit_14c_a_find_waits_for_a_reserved_slot "14c"
    exhibit_15a_an_evicted_pair_is_dropped "15a"
    exhibit_15b_a_tombstone_is_a_failure "15b"
    exhibit_15c_a_failed_insert_loses_another_key "15c"
    exhibit_16a_a_search_misses_a_key_in_flight "16a"
    exhibit_16b_a_delete_misses_a_key_in_flight "16b"
    exhibit_17_a_frame_is_used_again_too_soon "17"
    exhibit_18a_a_walk_passes_its_key "18a"
    exhibit_18b_a_split_loses_a_half "18b"
    exhibit_18c_a_split_overwrites_a_key "18c"
    exhibit_19_a_replacement_of_another_node "19"
    exhibit_20_a_node_is_used_again_at_once "20"
    exhibit_21_a_retained_link_stops_all "21"
    exhibit_22a_a_counter_is_never_reset "22a"
    exhibit_22b_a_counter_is_the_base_too "22b"
    exhibit_22c_a_counter_per_warp_is_never_reset "22c"
    exhibit_23a_tail_threads_skip_the_scan "23a"
    exhibit_23b_a_barrier_in_a_divergent_loop "23b"
    exhibit_24_tail_lanes_read_beyond_the_prefix "24"
    exhibit_25_an_erased_slot_is_filled_too_soon "25"
    exhibit_26a_two_exchanges_lose_an_update "26a"
    exhibit_26b_two_exchanges_wait_for_ever "26b"
    exhibit_27_an_insert_does_not_wait_for_the_value "27"
    exhibit_28a_a_search_never_ends "28a"
    exhibit_28b_a_search_reads_past_the_last_slot "28b"
    exhibit_29a_an_evicted_key_is_nowhere "29a"
    exhibit_29b_a_failed_insert_drops_a_key "29b"
    exhibit_30a_an_unlocked_slot_has_the_old_value "30a"
    exhibit_30b_a_warp_waits_for_itself "30b"
    exhibit_31_a_link_before_its_entry_counts "31"
    exhibit_32_every_eraser_succeeds "32"
    exhibit_33a_a_tombstone_is_filled_too_soon "33a"
    exhibit_33b_an_update_without_a_claim "33b"
    exhibit_34_a_ballot_is_no_barrier "34"
    exhibit_35a_a_lane_releases_its_own_writes "35a"
    exhibit_35b_a_lane_acquires_for_itself "35b"
    exhibit_36_a_lock_of_the_wrong_scope "36"
}

/// With `WRITE_TABLE` in the environment the rows are written anew first.
#[test]
fn every_exhibit_has_a_test_and_a_row() {
    if std::env::var_os("WRITE_TABLE").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/museum/README.md");
        std::fs::write(path, table(README, &exhibits())).expect("README.md can be written");
    }
    let ids: Vec<_> = exhibits().iter().map(|exhibit| exhibit.id).collect();
    assert_eq!(ids, TESTED);
    let rows = README.lines().filter(|line| line.starts_with("| ")).count();
    assert_eq!(rows, TESTED.len() + 1, "a row for each exhibit, and the heading");
}

/// What was found of an exhibit that is as described.
struct Seen {
    /// The published form's violation.
    violation: Violation,
    /// Executions until it was found.
    executions: u64,
    /// Executions of loom until it was found, if loom finds it.
    by_loom: Option<u64>,
    /// The repaired forms, with their executions by both; by loom, if it can end.
    repairs: Vec<(&'static str, u64, Option<u64>)>,
}

/// A limit that only a broken engine reaches; a capped exploration fails.
fn options() -> Options {
    Options { max_time: Some(Duration::from_secs(120)), ..Options::default() }
}

fn explored(engine: &dyn Engine, exhibit: &Exhibit, run: &Run, scenario: &Scenario) -> Report {
    run(engine, scenario, &options()).unwrap_or_else(|error| panic!("exhibit {}: {error}", exhibit.id))
}

impl Seen {
    /// Visits an exhibit with both engines: the published form again, to see that they are deterministic, and
    /// with snapshots.
    fn of(exhibit: &Exhibit) -> Self {
        let id = exhibit.id;
        let visit = |engine: &dyn Engine| {
            let visit =
                exhibit.visit(engine, &options()).unwrap_or_else(|error| panic!("exhibit {id}: {error}"));
            let again = explored(engine, exhibit, &exhibit.published, &exhibit.scenario);
            let executions = visit.published.executions;
            assert_eq!(again.executions, executions, "exhibit {id}: the engine is not deterministic");
            for (what, report) in &visit.repairs {
                exhibit.holds(what, report).unwrap_or_else(|wrong| panic!("{wrong}"));
            }
            visit
        };
        let (explore, loom) = (visit(&Explore), visit(&Loom));
        let violation = exhibit.found(&explore.published).unwrap_or_else(|wrong| panic!("{wrong}"));
        let by_loom = match exhibit.lanes {
            // Lanes of one thread, and no scopes: nothing to be found.
            true => {
                assert_eq!(loom.published.verdict, Verdict::Passed, "exhibit {id}: loom sees it");
                None
            }
            false => {
                exhibit.found(&loom.published).unwrap_or_else(|wrong| panic!("{wrong}"));
                Some(loom.published.executions)
            }
        };
        let snapshot = explored(&Loom, exhibit, &exhibit.published, &exhibit.snapshot_scenario());
        let as_it_says = match exhibit.snapshot {
            Snapshot::Found => exhibit.found(&snapshot).map(|_| ()),
            Snapshot::Hidden => exhibit.holds("with snapshots", &snapshot),
        };
        as_it_says.unwrap_or_else(|wrong| panic!("with snapshots: {wrong}"));
        assert_eq!(explore.repairs.len(), exhibit.repairs.len(), "exhibit {id}: a form was left out");
        let by_both = |(what, report): &(&'static str, Report)| {
            let other = loom.repairs.iter().find(|(same, _)| same == what);
            if other.is_none() {
                println!("exhibit {id}, {what}: skipped with loom, which does not end");
            }
            (*what, report.executions, other.map(|(_, other)| other.executions))
        };
        let repairs = explore.repairs.iter().map(by_both);
        let executions = explore.published.executions;
        Self { violation: violation.clone(), executions, by_loom, repairs: repairs.collect() }
    }

    /// The exhibit's row of the table.
    fn row(&self, exhibit: &Exhibit) -> String {
        let Exhibit { id, source, defect, kind, snapshot, .. } = exhibit;
        let snapshot = match snapshot {
            Snapshot::Found => "found",
            Snapshot::Hidden => "hidden",
        };
        let by_loom = self.by_loom.map_or("not found".to_string(), |executions| executions.to_string());
        let repairs = self.repairs.iter().map(|(what, one, other)| {
            let other = other.map_or("too large".to_string(), |executions| executions.to_string());
            format!("{what}: {one} / {other}")
        });
        let (executions, steps) = (self.executions, self.violation.steps.len());
        let repairs = repairs.collect::<Vec<_>>().join("; ");
        format!(
            "| {id} | {source} | {defect} | {kind} | {executions} | {by_loom} | {steps} | {snapshot} | {repairs} |"
        )
    }
}

/// `readme`, with its rows replaced by those of these exhibits.
fn table(readme: &str, exhibits: &[Exhibit]) -> String {
    let rows = exhibits.iter().map(|exhibit| Seen::of(exhibit).row(exhibit));
    let table = [HEADING.to_string(), "|---|---|---|---|---|---|---|---|---|".to_string()];
    let table: Vec<_> = table.into_iter().chain(rows).collect();
    let before = readme.lines().take_while(|line| !line.starts_with('|'));
    let after = readme.lines().skip_while(|line| !line.starts_with('|')).skip_while(|l| l.starts_with('|'));
    let lines: Vec<_> = before.chain(table.iter().map(String::as_str)).chain(after).collect();
    lines.join("\n") + "\n"
}
