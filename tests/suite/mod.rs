//! The suite: generic bodies that every backend must pass. `suite_cpu.rs` and `suite_gpu.rs` instantiate them.

pub(crate) mod map;
pub(crate) mod multimap;
pub(crate) mod number;
pub(crate) mod set;
pub(crate) mod sizes;

use warpproof::model::Key;
use warpproof::model::host::{BulkMap, BulkMultimap, BulkSet, Geometry};

/// A backend that can make maps of `K` to `K`.
pub(crate) trait Maps<K: Key> {
    /// The map.
    type Map: BulkMap<K, K>;

    /// An empty map.
    fn map(&self, geometry: Geometry) -> Self::Map;

    /// The size for `pairs` pairs at a load.
    fn geometry(&self, pairs: u64, load: f64) -> Geometry;
}

/// A backend whose maps may hold a key several times.
pub(crate) trait Multimaps<K: Key>: Maps<K, Map: BulkMultimap<K, K>> {}

impl<K: Key, B: Maps<K, Map: BulkMultimap<K, K>>> Multimaps<K> for B {}

/// A backend that can make sets.
pub(crate) trait Sets {
    /// The set.
    type Set: BulkSet<u32>;

    /// An empty set.
    fn set(&self, geometry: Geometry) -> Self::Set;
}

/// Makes one test per body. `$unique` and `$multi` return the backend with maps of either kind, or `None` after
/// they have said why they skip.
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
            $crate::bodies! { $unique, set:
                set_inserts_each_key_once
                set_deletes_and_reinserts
                set_flush_reclaims
                set_refuses_reserved_keys
            }
        }
    };
}

/// The bodies for maps whose keys may have several pairs.
#[macro_export]
macro_rules! multimaps {
    ($make:path, $key:ty) => {
        $crate::bodies! { $make, multimap<$key>:
            duplicates_are_counted_and_found
            delete_takes_out_one_pair_at_a_time
            delete_all_takes_out_every_pair
            mixed_batches_of_distinct_keys_match_an_oracle
            one_hot_key_fits_whatever_its_chain
        }
    };
}

/// The bodies for maps of one key type.
#[macro_export]
macro_rules! maps {
    ($make:path, $key:ty) => {
        $crate::bodies! { $make, map<$key>:
            unique_insert_finds_every_key_and_no_other
            one_of_many_racing_inserts_wins
            assign_inserts_or_replaces
            delete_takes_out_one_pair_each
            racing_deletes_succeed_once
            flush_reclaims_tombstones_and_slabs
            churn_with_flush_does_not_leak
            mixed_batches_add_up
            values_may_be_anything
            reserved_keys_are_refused_with_their_index
            lengths_must_agree
            empty_batches_do_nothing
        }
        $crate::bodies! { $make, sizes<$key>:
            one_bucket_grows_a_long_chain
            a_full_pool_loses_nothing
            a_full_pool_recovers_after_a_flush
            the_smallest_table_works
            stats_add_up
        }
    };
}

/// One test per body of a module.
#[macro_export]
macro_rules! bodies {
    ($make:path, $module:ident<$key:ty>: $($body:ident)*) => {$(
        #[test]
        fn $body() {
            if let Some(backend) = $make() {
                $crate::suite::$module::$body::<_, $key>(&backend);
            }
        }
    )*};
    ($make:path, $module:ident: $($body:ident)*) => {$(
        #[test]
        fn $body() {
            if let Some(backend) = $make() {
                $crate::suite::$module::$body(&backend);
            }
        }
    )*};
}
