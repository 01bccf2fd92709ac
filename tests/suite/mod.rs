//! The suite: generic bodies that every backend must pass. `suite_cpu.rs` and `suite_gpu.rs` instantiate them.

pub(crate) mod map;
pub(crate) mod number;
pub(crate) mod set;
pub(crate) mod sizes;

use warpproof::model::Key;
use warpproof::model::host::{BulkMap, BulkSet, Geometry};

/// A backend that can make maps of `K` to `K`.
pub(crate) trait Maps<K: Key> {
    /// The map.
    type Map: BulkMap<K, K>;

    /// An empty map.
    fn map(&self, geometry: Geometry) -> Self::Map;

    /// The size for `pairs` pairs at a load.
    fn geometry(&self, pairs: u64, load: f64) -> Geometry;
}

/// A backend that can make sets.
pub(crate) trait Sets {
    /// The set.
    type Set: BulkSet<u32>;

    /// An empty set.
    fn set(&self, geometry: Geometry) -> Self::Set;
}

/// Makes one test per body. `$make` returns the backend, or `None` after it has said why it skips.
#[macro_export]
macro_rules! suite {
    ($make:path) => {
        mod map32 {
            $crate::maps! { $make, u32 }
        }
        mod map64 {
            $crate::maps! { $make, u64 }
        }
        mod set32 {
            $crate::bodies! { $make, set:
                set_inserts_each_key_once
                set_deletes_and_reinserts
                set_flush_reclaims
                set_refuses_reserved_keys
            }
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
            duplicates_are_counted_and_found
            assign_inserts_or_replaces
            delete_takes_out_one_pair_each
            racing_deletes_succeed_once
            delete_all_takes_out_every_pair
            flush_reclaims_tombstones_and_slabs
            churn_with_flush_does_not_leak
            mixed_batches_add_up
            mixed_batches_of_distinct_keys_match_an_oracle
            values_may_be_anything
            reserved_keys_are_refused_with_their_index
            lengths_must_agree
            empty_batches_do_nothing
        }
        $crate::bodies! { $make, sizes<$key>:
            one_bucket_grows_a_long_chain
            one_hot_key_fits_whatever_its_chain
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
