//! One test per body: what `suite_cpu.rs` and `suite_gpu.rs` instantiate.

/// Makes one test per body that is about chains of slabs, or about any structure. `$unique` and `$multi` return the
/// backend with maps of either kind, or `None` after they have said why they skip.
#[macro_export]
macro_rules! suite {
    ($unique:path, $multi:path) => {
        mod map32 {
            $crate::maps! { $unique, u32 }
        }
        mod map64 {
            $crate::maps! { $unique, u64 }
        }
        mod multimap32 {
            $crate::maps! { $multi, u32 }
            $crate::multimaps! { $multi, u32 }
        }
        mod multimap64 {
            $crate::maps! { $multi, u64 }
            $crate::multimaps! { $multi, u64 }
        }
        mod set32 {
            $crate::any_sets! { $unique, u32, warpproof::SlabGeometry }
            $crate::bodies! { $unique, set:
                set_flush_reclaims
                a_set_of_an_impossible_size_is_refused
            }
        }
    };
}

/// The same for hopscotch tables: `$make` returns a backend that is [`HopscotchMaps`](super::HopscotchMaps) and
/// [`HopscotchSets`](super::HopscotchSets) of both key types, or `None` after it has said why it skips.
#[macro_export]
macro_rules! hopscotch_suite {
    ($make:path) => {
        mod hopscotch_map32 {
            $crate::hopscotch_maps! { $make, u32 }
        }
        mod hopscotch_map64 {
            $crate::hopscotch_maps! { $make, u64 }
        }
        mod hopscotch_set32 {
            $crate::hopscotch_sets! { $make, u32 }
        }
        mod hopscotch_set64 {
            $crate::hopscotch_sets! { $make, u64 }
        }
    };
}

/// The same for open-addressing tables, of [`OpenMaps`](super::OpenMaps) and [`OpenSets`](super::OpenSets).
#[macro_export]
macro_rules! open_suite {
    ($make:path) => {
        mod open_map32 {
            $crate::open_maps! { $make, u32 }
        }
        mod open_map64 {
            $crate::open_maps! { $make, u64 }
        }
        mod open_set32 {
            $crate::open_sets! { $make, u32 }
        }
        mod open_set64 {
            $crate::open_sets! { $make, u64 }
        }
    };
}

/// The same for those in which keys move.
#[macro_export]
macro_rules! cuckoo_suite {
    ($make:path) => {
        mod cuckoo_map32 {
            $crate::cuckoo_maps! { $make, u32 }
        }
        mod cuckoo_map64 {
            $crate::cuckoo_maps! { $make, u64 }
        }
        mod cuckoo_set32 {
            $crate::cuckoo_sets! { $make, u32 }
        }
        mod cuckoo_set64 {
            $crate::cuckoo_sets! { $make, u64 }
        }
    };
}

/// The bodies for maps in open-addressing tables of one key type in which keys move.
#[macro_export]
macro_rules! cuckoo_maps {
    ($make:path, $key:ty) => {
        $crate::fixed_maps! { $make, $key, warpproof::OpenGeometry }
        $crate::bodies! { $make, open<$key>:
            impossible_sizes_are_refused
            pairs_come_in_the_order_of_their_slots
        }
        $crate::bodies! { $make, cuckoo<$key>:
            two_buckets_fill_up_and_slots_are_used_again
            a_crowded_table_has_room_for_nearly_all
            churn_at_a_high_load_goes_on
            racing_counters_add_up
            mixed_batches_of_a_crowd_add_up
        }
    };
}

/// The bodies for such sets.
#[macro_export]
macro_rules! cuckoo_sets {
    ($make:path, $key:ty) => {
        $crate::any_sets! { $make, $key, warpproof::OpenGeometry }
        $crate::bodies! { $make, open_set<$key>:
            keys_come_in_the_order_of_their_slots
            a_set_of_an_impossible_size_is_refused
        }
        $crate::bodies! { $make, cuckoo<$key>:
            a_crowded_set_has_room_for_nearly_all
        }
    };
}

/// The bodies for maps in chains whose keys may have several pairs.
#[macro_export]
macro_rules! multimaps {
    ($make:path, $key:ty) => {
        $crate::bodies! { $make, multimap<$key>:
            duplicates_are_counted_and_found
            build_keeps_every_pair
            delete_takes_out_one_pair_at_a_time
            delete_all_takes_out_every_pair
            mixed_batches_of_distinct_keys_match_an_oracle
            one_hot_key_fits_whatever_its_chain
        }
    };
}

/// The bodies for maps in chains of one key type.
#[macro_export]
macro_rules! maps {
    ($make:path, $key:ty) => {
        $crate::any_maps! { $make, $key, warpproof::SlabGeometry }
        $crate::bodies! { $make, chains<$key>:
            flush_reclaims_tombstones_and_slabs
            churn_with_flush_does_not_leak
            counts_and_lists_say_what_searches_say
            reserved_keys_are_refused_by_what_counts_too
            empty_batches_of_chains_do_nothing
        }
        $crate::bodies! { $make, sizes<$key>:
            one_bucket_grows_a_long_chain
            a_full_pool_loses_nothing
            a_full_pool_recovers_after_a_flush
            the_smallest_table_works
            a_table_without_a_pool_is_its_base_slabs
            impossible_sizes_are_refused
            stats_add_up
        }
    };
}

/// The bodies for maps in hopscotch tables of one key type.
#[macro_export]
macro_rules! hopscotch_maps {
    ($make:path, $key:ty) => {
        $crate::fixed_maps! { $make, $key, warpproof::HopscotchGeometry }
        $crate::bodies! { $make, hopscotch<$key>:
            impossible_sizes_are_refused
            a_table_of_one_home_fills_up
            racing_inserts_fill_a_table_of_one_home
            an_entry_is_moved_to_make_room
            a_crowded_table_loses_nothing
            churn_in_a_crowded_table_loses_nothing
            mixed_batches_of_a_crowded_table_add_up
        }
    };
}

/// The bodies for maps in open-addressing tables of one key type.
#[macro_export]
macro_rules! open_maps {
    ($make:path, $key:ty) => {
        $crate::fixed_maps! { $make, $key, warpproof::OpenGeometry }
        $crate::bodies! { $make, open<$key>:
            impossible_sizes_are_refused
            a_table_fills_up_to_its_last_slot
            racing_inserts_fill_every_slot
            a_crowded_table_has_room_for_all
            churn_leaves_tombstones_until_no_slot_is_empty
            counters_add_up
            a_counter_says_full_and_refuses_what_inserts_do
            mixed_batches_of_a_crowded_table_add_up
            pairs_come_in_the_order_of_their_slots
        }
    };
}

/// The bodies for maps and sets that grow: `$make` returns a backend that is
/// [`DynamicMaps`](super::dynamic::DynamicMaps) and [`DynamicSets`](super::dynamic_set::DynamicSets) of both key types, or
/// `None` after it has said why it skips.
#[macro_export]
macro_rules! dynamic_suite {
    ($make:path) => {
        mod dynamic_map32 {
            $crate::dynamic_maps! { $make, u32 }
        }
        mod dynamic_map64 {
            $crate::dynamic_maps! { $make, u64 }
        }
        mod dynamic_set32 {
            $crate::dynamic_sets! { $make, u32 }
        }
        mod dynamic_set64 {
            $crate::dynamic_sets! { $make, u64 }
        }
    };
}

/// The bodies for maps that grow of one key type.
#[macro_export]
macro_rules! dynamic_maps {
    ($make:path, $key:ty) => {
        $crate::bodies! { $make, dynamic<$key>:
            a_map_grows_to_hold_all
            racing_inserts_win_once_while_it_grows
            threads_share_a_map_that_grows
            churn_does_not_make_it_grow_for_ever
            counters_add_up_while_it_grows
            mixed_batches_that_grow_it_add_up
            it_refuses_what_a_fixed_one_does
        }
    };
}

/// The bodies for sets that grow of one key type.
#[macro_export]
macro_rules! dynamic_sets {
    ($make:path, $key:ty) => {
        $crate::bodies! { $make, dynamic_set<$key>:
            a_set_grows_to_hold_all
            racing_keys_win_once_while_it_grows
            threads_share_a_set_that_grows
            churn_does_not_make_a_set_grow_for_ever
            a_set_that_grows_refuses_reserved_keys
        }
    };
}

/// The bodies for sets in hopscotch tables of one key type.
#[macro_export]
macro_rules! hopscotch_sets {
    ($make:path, $key:ty) => {
        $crate::any_sets! { $make, $key, warpproof::HopscotchGeometry }
        $crate::bodies! { $make, hopscotch_set<$key>:
            a_set_of_one_home_fills_up
            a_crowded_set_loses_nothing
            a_set_of_an_impossible_size_is_refused
        }
    };
}

/// The bodies for sets in open-addressing tables of one key type.
#[macro_export]
macro_rules! open_sets {
    ($make:path, $key:ty) => {
        $crate::any_sets! { $make, $key, warpproof::OpenGeometry }
        $crate::bodies! { $make, open_set<$key>:
            a_set_fills_up_to_its_last_slot
            racing_inserts_of_a_set_fill_every_slot
            a_crowded_set_has_room_for_all
            churn_in_a_set_leaves_tombstones
            keys_come_in_the_order_of_their_slots
            a_set_of_an_impossible_size_is_refused
        }
    };
}

/// The bodies for maps of any structure, whose sizes are `$size`.
#[macro_export]
macro_rules! any_maps {
    ($make:path, $key:ty, $size:ty) => {
        $crate::bodies! { $make, map<$key, $size>:
            unique_insert_finds_every_key_and_no_other
            one_of_many_racing_inserts_wins
            assign_inserts_or_replaces
            delete_takes_out_one_pair_each
            racing_deletes_succeed_once
            mixed_batches_add_up
            values_may_be_anything
            reserved_keys_are_refused_with_their_index
            lengths_must_agree
            empty_batches_do_nothing
            a_cleared_map_is_as_it_was_made
            build_holds_every_key
            build_refuses_what_inserts_refuse
        }
    };
}

/// The bodies for maps in tables of a fixed size, whose sizes are `$size`.
#[macro_export]
macro_rules! fixed_maps {
    ($make:path, $key:ty, $size:ty) => {
        $crate::any_maps! { $make, $key, $size }
        $crate::bodies! { $make, fixed<$key, $size>:
            racing_inserts_of_a_crowded_table_win_once
        }
    };
}

/// The bodies for sets of any structure, whose sizes are `$size`.
#[macro_export]
macro_rules! any_sets {
    ($make:path, $key:ty, $size:ty) => {
        $crate::bodies! { $make, set<$key, $size>:
            set_inserts_each_key_once
            set_deletes_and_reinserts
            set_refuses_reserved_keys
            a_cleared_set_is_as_it_was_made
            set_is_built_from_keys
        }
    };
}

/// One test per body of a module.
#[macro_export]
macro_rules! bodies {
    ($make:path, $module:ident<$($of:ty),+>: $($body:ident)*) => {
        $crate::bodies! { $make, $module, [<_, $($of),+>]: $($body)* }
    };
    ($make:path, $module:ident: $($body:ident)*) => {
        $crate::bodies! { $make, $module, [<_>]: $($body)* }
    };
    ($make:path, $module:ident, $of:tt: $($body:ident)*) => {
        $($crate::bodies! { @one $make, $module, $of, $body })*
    };
    (@one $make:path, $module:ident, [$($of:tt)*], $body:ident) => {
        #[test]
        fn $body() {
            if let Some(backend) = $make() {
                $crate::suite::$module::$body::$($of)*(&backend);
            }
        }
    };
}
