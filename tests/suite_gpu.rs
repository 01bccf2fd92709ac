//! The suite on the first GPU, if there is one: 64-bit pairs in 128-bit words where it has them, and by the
//! lock bit.
#![cfg(feature = "gpu")]

#[path = "support/device.rs"]
mod device;
#[macro_use]
mod suite;

use device::device;
use suite::facts;
use suite::row::Row;
use suite::table::Table;
use warpproof::any::{Map, Set};
use warpproof::gpu::{
    CuckooMap, CuckooSet, DynamicMap, DynamicSet, HopscotchMap, HopscotchSet, Layout, OpenMap, OpenSet,
    SlabMap, SlabMultimap, SlabSet, Tuning,
};
use warpproof::model::host::{HopscotchGeometry, OpenGeometry, Refused, SlabGeometry};
use warpproof::model::slab::SLAB_SLOTS;

/// 64-bit pairs by the lock-bit protocol, whatever the device.
fn lock_bit() -> Tuning {
    Tuning { lock_bit: true, ..Tuning::default() }
}

/// Tiles of so many lanes.
fn lanes(lanes: u32) -> Tuning {
    Tuning { lanes: Some(lanes), ..Tuning::default() }
}

fn slabs(entries: u64, load: f64) -> Result<SlabGeometry, Refused> {
    SlabGeometry::new(entries, load, SLAB_SLOTS as u32)
}

/// Tables of a type, `$size` of so many entries at a load, whose kernels run as `$tuning` says.
macro_rules! gpu {
    (($facts:ident Map [$($can:ident)*]) ($table:ty, $tuning:expr, $size:expr)) => {{
        let (device, tuning) = (device()?, $tuning);
        let any = |map: $table| Table::Map(Map::new(map)$(.$can::<$table>())*);
        let make = move |size| {
            let map = <$table>::with_tuning(device, size, tuning)?;
            if size_of::<K>() == 8 {
                let wide = matches!(map.layout(), Layout::Map64 | Layout::Multi64);
                assert_eq!(wide, device.wide() && !tuning.lock_bit, "{:?}", map.layout());
            }
            Ok(map)
        };
        let row = Row::new(&facts::$facts, any, make, $size);
        Some(row.with_build(any, |keys, values| <$table>::build(device, keys, values)))
    }};
    (($facts:ident Set [$($can:ident)*]) ($table:ty, $tuning:expr, $size:expr)) => {{
        let (device, tuning) = (device()?, $tuning);
        let any = |set: $table| Table::Set(Set::new(set)$(.$can::<$table>())*);
        let make = move |size| <$table>::with_tuning(device, size, tuning);
        let row = Row::new(&facts::$facts, any, make, $size);
        Some(row.with_build(any, |keys, _| <$table>::build(device, keys)))
    }};
}

/// Maps in buckets: widths have kernels for the buckets of large tables.
macro_rules! buckets {
    ($kind:tt ($table:ty, $tuning:expr)) => {
        gpu! { $kind ($table, $tuning, |entries, load| match $tuning.lanes {
            Some(_) => OpenGeometry::new(entries, load, <$table>::BUCKET_SLOTS),
            None => <$table>::size(entries, load),
        }) }
    };
}

/// Tables that grow, which `$make` makes with room for so many entries. They are not built.
macro_rules! growing {
    (($facts:ident $kind:ident [$($can:ident)*]) ($table:ty, $make:expr)) => {{
        let (device, load) = (device()?, OpenGeometry::DEFAULT_LOAD);
        let any = |table: $table| Table::$kind($kind::new(table)$(.$can::<$table>())*);
        let make = move |size: OpenGeometry| $make(device, (size.slots() as f64 * load) as u64, load);
        Some(Row::new(&facts::$facts, any, make, move |n, _| OpenGeometry::at_load(n.max(100), load)))
    }};
}

mod slab {
    use super::*;
    suite! { slab_map map [u32 u64] gpu (SlabMap<K, K>, Tuning::default(), slabs) }
    suite! { slab_multimap multimap [u32 u64] gpu (SlabMultimap<K, K>, Tuning::default(), slabs) }
    suite! { slab_set set [u32] gpu (SlabSet, Tuning::default(), slabs) }
    suite! { slab_map map_lock_bit [u64] gpu (SlabMap<K, K>, lock_bit(), slabs) }
    suite! { slab_multimap multimap_lock_bit [u64] gpu (SlabMultimap<K, K>, lock_bit(), slabs) }
}

mod hopscotch {
    use super::*;
    suite! { hopscotch_map map [u32 u64] gpu (HopscotchMap<K, K>, Tuning::default(), HopscotchGeometry::at_load) }
    suite! { hopscotch_set set [u32 u64] gpu (HopscotchSet<K>, Tuning::default(), HopscotchGeometry::at_load) }
}

mod open {
    use super::*;
    suite! { open_map map [u32 u64] buckets (OpenMap<K, K>, Tuning::default()) }
    suite! { open_set set [u32 u64] gpu (OpenSet<K>, Tuning::default(), OpenGeometry::at_load) }
    suite! { open_map map_lock_bit [u64] buckets (OpenMap<K, K>, lock_bit()) }
    // Tiles of two lanes, as in large tables.
    suite! { open_map map_large [u64] buckets (OpenMap<K, K>, lanes(2)) }
    suite! { open_set set_large [u64] gpu (OpenSet<K>, lanes(2), OpenGeometry::at_load) }
}

mod cuckoo {
    use super::*;
    suite! { cuckoo_map map [u32 u64] buckets (CuckooMap<K, K>, Tuning::default()) }
    suite! { cuckoo_set set [u32 u64] gpu (CuckooSet<K>, Tuning::default(), OpenGeometry::at_load) }
    // Buckets of eight slots, as in large tables and at high loads.
    suite! { cuckoo_map map_large_one_lane [u32] buckets (CuckooMap<K, K>, lanes(1)) }
    suite! { cuckoo_map map_large_two_lanes [u32] buckets (CuckooMap<K, K>, lanes(2)) }
}

mod dynamic {
    use super::*;
    suite! { dynamic_map map [u32 u64] growing (DynamicMap<K, K>, DynamicMap::at_load) }
    suite! { dynamic_set set [u32 u64] growing (DynamicSet<K>, DynamicSet::at_load) }
    suite! { dynamic_map map_lock_bit [u64] growing
    (DynamicMap<K, K>, |device, n, load| DynamicMap::with_tuning(device, n, load, lock_bit())) }
}

/// Tiles of other widths on the same tables, where there are kernels for them.
macro_rules! widths {
    ($($name:ident<$lanes:literal>)+) => { $(mod $name {
        use super::*;
        suite! { slab_map slab_map [u32] gpu (SlabMap<K, K>, lanes($lanes), slabs) }
        suite! { hopscotch_map hopscotch_map [u32] gpu (HopscotchMap<K, K>, lanes($lanes), HopscotchGeometry::at_load) }
        suite! { open_map open_map [u32] buckets (OpenMap<K, K>, lanes($lanes)) }
    })+ };
}
widths! { one_lane<1> two_lanes<2> four_lanes<4> eight_lanes<8> }
