//! The suite: generic bodies that every backend must pass. `suite_cpu.rs` and `suite_gpu.rs` instantiate them.

pub(crate) mod map;
pub(crate) mod multimap;
pub(crate) mod number;
pub(crate) mod set;
pub(crate) mod sizes;

use warpproof::model::Key;
use warpproof::model::host::{BulkMap, BulkMultimap, BulkSet, BulkSlabMap, BulkSlabSet, SlabGeometry};

/// What goes wrong with a backend's maps.
pub(crate) type MapError<B, K> = <<B as Maps<K>>::Map as BulkMap<K, K>>::Error;
/// What goes wrong with a backend's sets.
pub(crate) type SetError<B> = <<B as Sets>::Set as BulkSet<u32>>::Error;

/// A backend that can make maps of `K` to `K`.
pub(crate) trait Maps<K: Key> {
    /// The map.
    type Map: BulkSlabMap<K, K>;

    /// An empty map.
    fn try_map(&self, geometry: SlabGeometry) -> Result<Self::Map, MapError<Self, K>>;

    /// A map of these pairs.
    fn build(&self, keys: &[K], values: &[K]) -> Result<Self::Map, MapError<Self, K>>;

    /// An empty map of a size that is right.
    fn map(&self, geometry: SlabGeometry) -> Self::Map {
        self.try_map(geometry).expect("memory for a test table")
    }

    /// The size for `pairs` pairs at a load.
    fn geometry(&self, pairs: u64, load: f64) -> SlabGeometry;
}

/// A backend whose maps may hold a key several times.
pub(crate) trait Multimaps<K: Key>: Maps<K, Map: BulkMultimap<K, K>> {}

impl<K: Key, B: Maps<K, Map: BulkMultimap<K, K>>> Multimaps<K> for B {}

/// A backend that can make sets.
pub(crate) trait Sets {
    /// The set.
    type Set: BulkSlabSet<u32>;

    /// An empty set.
    fn try_set(&self, geometry: SlabGeometry) -> Result<Self::Set, SetError<Self>>;

    /// A set of these keys.
    fn build_set(&self, keys: &[u32]) -> Result<Self::Set, SetError<Self>>;

    /// The size for `keys` keys.
    fn set_geometry(&self, keys: u64) -> SlabGeometry;
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
                set_is_built_from_keys
                a_set_of_an_impossible_size_is_refused
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
            build_keeps_every_pair
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
            build_holds_every_key
            build_refuses_what_inserts_refuse
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
