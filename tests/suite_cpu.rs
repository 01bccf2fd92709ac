//! The suite on the CPU backend, at several warp widths.

#[macro_use]
mod suite;

use suite::facts;
use suite::row::Row;
use suite::table::Table;
use warpproof::any::{Map, Set};
use warpproof::model::hopscotch::REACH;
use warpproof::model::host::{HopscotchGeometry, OpenGeometry, SlabGeometry};
use warpproof::model::open::{BoundedStride, DoubleHashing};
use warpproof::simt::cpu::{
    CuckooMap, CuckooSet, DynamicMap, DynamicSet, HopscotchMap, HopscotchSet, OpenMap, OpenSet, SlabMap,
    SlabMultimap, SlabSet,
};

/// Tables of a type, `$size` of so many entries at a load.
macro_rules! cpu {
    (($facts:ident Map [$($can:ident)*]) ($table:ty, $size:expr)) => {{
        let any = |table: $table| Table::Map(Map::new(table)$(.$can::<$table>())*);
        let row = Row::new(&facts::$facts, any, <$table>::with_geometry, $size);
        Some(row.with_build(any, <$table>::build))
    }};
    (($facts:ident Set [$($can:ident)*]) ($table:ty, $size:expr)) => {{
        let any = |table: $table| Table::Set(Set::new(table)$(.$can::<$table>())*);
        let row = Row::new(&facts::$facts, any, <$table>::with_geometry, $size);
        Some(row.with_build(any, |keys, _| <$table>::build(keys)))
    }};
}

/// The same of tables that grow, and are made compact in place of what others do where they grow. They are
/// not built.
macro_rules! growing {
    (($facts:ident $kind:ident [$($can:ident)*]) ($table:ty)) => {{
        let any = |table: $table| Table::$kind($kind::new(table)$(.$can::<$table>())*);
        let facts = &facts::$facts;
        let size = |entries, load| OpenGeometry::new(entries, load, BUCKET_SLOTS);
        let row = Row::new(facts, any, <$table>::with_geometry, size);
        Some(row.with_tidy(|table| {
            let Table::$kind(any) = table else { panic!("another kind") };
            any.downcast_mut::<$table>().expect("its type").compact().expect("memory for a small table");
        }))
    }};
}

/// Warps of `$l` lanes that read `$s` slots each.
macro_rules! slab {
    ($($name:ident<$l:literal, $s:literal>)+) => { $(mod $name {
        use super::*;
        suite! { slab_map map [u32 u64] cpu (SlabMap<K, K, $l, $s>, |n, load| SlabGeometry::new(n, load, $l * $s)) }
        suite! { slab_multimap multimap [u32 u64] cpu
            (SlabMultimap<K, K, $l, $s>, |n, load| SlabGeometry::new(n, load, $l * $s)) }
        suite! { slab_set set [u32] cpu (SlabSet<$l, $s>, |n, load| SlabGeometry::new(n, load, $l * $s)) }
    })+ };
}
slab! { one_lane<1, 8> four_lanes<4, 2> thirty_two_lanes<32, 1> }

/// The same, and neighbourhoods of `$n` groups.
macro_rules! hopscotch {
    ($($name:ident<$l:literal, $s:literal, $n:tt>)+) => { $(mod $name {
        use super::*;
        suite! { hopscotch_map map [u32 u64] cpu
            (HopscotchMap<K, K, $l, $s, $n>, |n, load| HopscotchGeometry::new(n, load, $l * $s, $n)) }
        suite! { hopscotch_set set [u32 u64] cpu
            (HopscotchSet<K, $l, $s, $n>, |n, load| HopscotchGeometry::new(n, load, $l * $s, $n)) }
    })+ };
}
// Wide groups and near neighbours: entries move far more often.
hopscotch! { hopscotch_one_lane<1, 8, REACH> hopscotch_two_lanes<2, 4, REACH> hopscotch_thirty_two_lanes<32, 1, 2> }

/// The same, and keys that probe as `$p` says.
macro_rules! open {
    ($($name:ident<$l:literal, $s:literal, $p:ident>)+) => { $(mod $name {
        use super::*;
        suite! { open_map map [u32 u64] cpu (OpenMap<K, K, $l, $s, $p>, |n, load| OpenGeometry::new(n, load, $l * $s)) }
        suite! { open_set set [u32 u64] cpu (OpenSet<K, $l, $s, $p>, |n, load| OpenGeometry::new(n, load, $l * $s)) }
    })+ };
}
open! {
    open_one_lane<1, 4, BoundedStride>
    open_two_lanes<2, 4, BoundedStride>
    open_two_lanes_double_hashing<2, 4, DoubleHashing>
    open_thirty_two_lanes<32, 1, BoundedStride>
}

/// Warps of `$l` lanes that read `$s` slots each.
macro_rules! cuckoo {
    ($($name:ident<$l:literal, $s:literal>)+) => { $(mod $name {
        use super::*;
        suite! { cuckoo_map map [u32 u64] cpu (CuckooMap<K, K, $l, $s>, |n, load| OpenGeometry::new(n, load, $l * $s)) }
        suite! { cuckoo_set set [u32 u64] cpu (CuckooSet<K, $l, $s>, |n, load| OpenGeometry::new(n, load, $l * $s)) }
    })+ };
}
cuckoo! { cuckoo_one_lane<1, 8> cuckoo_two_lanes<2, 4> cuckoo_thirty_two_lanes<32, 1> }

macro_rules! dynamic {
    ($($name:ident<$l:literal, $s:literal>)+) => { $(mod $name {
        use super::*;
        const BUCKET_SLOTS: u32 = $l * $s;
        suite! { dynamic_map map [u32 u64] growing (DynamicMap<K, K, $l, $s>) }
        suite! { dynamic_set set [u32 u64] growing (DynamicSet<K, $l, $s>) }
    })+ };
}
dynamic! { dynamic_one_lane<1, 8> dynamic_two_lanes<2, 4> }
