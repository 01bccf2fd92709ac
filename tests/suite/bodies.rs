//! Which bodies run for which rows: one test for each.

/// The tests of a row, for each type of keys.
macro_rules! row {
    ($kind:tt $groups:tt $name:ident [$($key:ident)+] $backend:ident $what:tt) => {
        mod $name {
            use super::*;
            $(row! { @key $key $kind $groups $backend $what })+
        }
    };
    (@key $key:ident $kind:tt [$($group:ident)+] $backend:ident $what:tt) => {
        mod $key {
            use super::*;
            type K = $key;
            fn row() -> Option<crate::suite::row::Row<K>> {
                $backend! { $kind $what }
            }
            $(group! { $group })+
            #[test]
            fn the_row_has_the_bodies_that_it_calls_for() {
                if let Some(row) = row() {
                    row.has_its_bodies(&[$(stringify!($group)),+]);
                }
            }
        }
    };
}

/// The bodies of a group, and their module.
#[rustfmt::skip]
macro_rules! group {
    (tables) => { tests! { tables:
        unique_insert_finds_every_key_and_no_other
        one_of_many_racing_inserts_wins
        deleted_keys_are_absent_and_come_again
        racing_deletes_succeed_once
        the_highest_keys_are_keys
        empty_batches_do_nothing
        a_cleared_table_is_as_it_was_made
    } };
    (maps) => { tests! { maps:
        assign_inserts_or_replaces
        mixed_batches_add_up
        mixed_batches_of_distinct_keys_match_an_oracle
        values_may_be_anything
        lengths_must_agree
    } };
    (saves) => { tests! { saves:
        a_table_comes_back_from_its_file
        a_table_that_was_rebuilt_comes_back
        a_table_that_was_full_comes_back
        what_is_opened_can_be_changed
        a_damaged_file_is_refused
        a_table_that_cannot_be_saved_is_as_it_was
    } };
    (built) => { tests! { tables: build_holds_every_key } };
    (sizes) => { tests! { crowds:
        impossible_sizes_are_refused
        a_table_fills_up_to_its_last_slot
    } };
    (chains) => { tests! { chains:
        flush_reclaims_tombstones_and_slabs
        the_highest_keys_have_a_chain_that_is_flushed
        churn_with_flush_does_not_leak
        one_bucket_grows_a_long_chain
        a_full_pool_loses_nothing
        a_full_pool_recovers_after_a_flush
        the_smallest_table_works
        stats_add_up
    } };
    (matches) => { tests! { chains: counts_and_lists_say_what_searches_say } };
    (multimaps) => { tests! { multimaps:
        duplicates_are_counted_and_found
        build_keeps_every_pair
        delete_takes_out_one_pair_at_a_time
        delete_all_takes_out_every_pair
        one_hot_key_fits_whatever_its_chain
    } };
    (crowds) => { tests! { crowds:
        racing_inserts_of_a_crowded_table_win_once
        a_crowded_table_has_room_for_all_but_few
    } };
    (crowded_maps) => { tests! { crowds: mixed_batches_of_a_crowded_table_add_up } };
    (full_at_last) => { tests! { crowds: racing_inserts_fill_every_slot } };
    (reuses) => { tests! { crowds: churn_in_a_crowded_table_goes_on } };
    (tombstones) => { tests! { buckets:
        churn_leaves_tombstones_until_the_table_is_full
        keys_that_come_again_take_other_slots
    } };
    (moves) => { tests! { crowds: an_entry_is_moved_to_make_room } };
    (counters) => { tests! { buckets:
        counters_add_up
        a_counter_says_full
    } };
    (ordered) => { tests! { buckets: entries_come_in_the_order_of_their_slots } };
    (grows) => { tests! { grows:
        a_table_grows_to_hold_all
        racing_inserts_win_once_while_it_grows
        threads_share_a_table_that_grows
        churn_does_not_make_it_grow_for_ever
    } };
    (growing_maps) => { tests! { grows:
        counters_add_up_while_it_grows
        mixed_batches_that_grow_it_add_up
    } };
}

/// One test for each body of a module, of the row in this place.
macro_rules! tests {
    ($module:ident: $($body:ident)+) => {
        $(#[test]
        fn $body() {
            if let Some(row) = row() {
                crate::suite::$module::$body(&row);
            }
        })+
    };
}
