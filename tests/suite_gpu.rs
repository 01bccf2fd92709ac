//! The suite on the first GPU, if there is one: 64-bit pairs in 128-bit words where it has them, and by the
//! lock word.
#![cfg(feature = "gpu")]

#[path = "support/device.rs"]
mod device;
#[path = "support/extra.rs"]
mod extra;
#[macro_use]
mod suite;

use device::device;
use extra::is_built;
use std::path::Path;
use suite::SEED;
use suite::facts;
use suite::row::Row;
use suite::table::Table;
use warpproof::any::{Map, Set};
use warpproof::gpu::bench::Extra;
use warpproof::gpu::{
    CuckooMap, CuckooSet, DynamicMap, DynamicSet, HopscotchMap, HopscotchSet, Layout, OpenMap, OpenSet,
    PagedMap, PagedSet, SlabMap, SlabMultimap, SlabSet, Tuning, WaitFreeMap, WaitFreeSet,
};
use warpproof::model::host::{
    HopscotchGeometry, OpenGeometry, PagedGeometry, Refused, SlabGeometry, WaitFreeGeometry,
};
use warpproof::model::paged::file::Opening;
use warpproof::model::paged::{Choose, Prices, Way};
use warpproof::model::slab::SLAB_SLOTS;
use warpproof::simt::cpu;

/// 64-bit pairs by the lock-word protocol, whatever the device.
fn lock_word() -> Tuning {
    Tuning { lock_word: true, ..Tuning::default() }
}

/// Tiles of so many lanes.
fn lanes(lanes: u32) -> Tuning {
    Tuning { lanes: Some(lanes), ..Tuning::default() }
}

/// Tiles of a width that the library has no kernels for.
fn other_lanes(width: u32) -> Option<Tuning> {
    is_built(Extra::Tuning).then(|| lanes(width))
}

fn slabs(entries: u64, load: f64) -> Result<SlabGeometry, Refused> {
    SlabGeometry::new(entries, load, SLAB_SLOTS as u32)
}

/// Nodes of 64 bytes, and of 128 where an entry has 16.
fn nodes<E>(entries: u64, load: f64) -> Result<WaitFreeGeometry, Refused> {
    let words = if size_of::<E>() < 16 { 64 / size_of::<E>() } else { 8 };
    WaitFreeGeometry::new(entries, load, words as u32)
}

/// Tables of a type, `$size` of so many entries at a load, whose kernels run as `$tuning` says.
macro_rules! gpu {
    (($facts:ident Map [$($can:ident)*]) ($table:ty, $tuning:expr, $size:expr)) => {{
        let (device, tuning) = (device()?, $tuning);
        let any = |map: $table| Table::Map(Map::new(map)$(.$can::<$table>())*);
        let make = move |size| {
            let map = <$table>::with_seed(device, size, tuning, SEED)?;
            if size_of::<K>() == 8 {
                let wide = matches!(map.layout(), Layout::Map64 | Layout::Multi64);
                assert_eq!(wide, device.wide() && !tuning.lock_word, "{:?}", map.layout());
            }
            Ok(map)
        };
        let row = Row::new(&facts::$facts, any, make, $size);
        Some(row.with_build(any, |keys, values| <$table>::build_with_seed(device, keys, values, SEED)))
    }};
    (($facts:ident Set [$($can:ident)*]) ($table:ty, $tuning:expr, $size:expr)) => {{
        let (device, tuning) = (device()?, $tuning);
        let any = |set: $table| Table::Set(Set::new(set)$(.$can::<$table>())*);
        let make = move |size| <$table>::with_seed(device, size, tuning, SEED);
        let row = Row::new(&facts::$facts, any, make, $size);
        Some(row.with_build(any, |keys, _| <$table>::build_with_seed(device, keys, SEED)))
    }};
}

/// Maps in buckets: widths have kernels for the buckets of large tables.
macro_rules! buckets {
    ($kind:tt ($table:ty, $tuning:expr)) => {{
        let widths: Tuning = $tuning;
        gpu! { $kind ($table, widths, move |entries, load| match widths.lanes {
            Some(_) => OpenGeometry::new(entries, load, <$table>::BUCKET_SLOTS),
            None => <$table>::size(entries, load),
        }) }
    }};
}

/// Tables that grow, which `$make` makes with room for so many entries. They are not built.
macro_rules! growing {
    (($facts:ident $kind:ident [$($can:ident)*]) ($table:ty, $tuning:expr)) => {{
        let (device, load, tuning) = (device()?, OpenGeometry::DEFAULT_LOAD, $tuning);
        let any = |table: $table| Table::$kind($kind::new(table)$(.$can::<$table>())*);
        let make = move |size: OpenGeometry| {
            <$table>::with_seed(device, (size.slots() as f64 * load) as u64, load, tuning, SEED)
        };
        Some(Row::new(&facts::$facts, any, make, move |n, _| OpenGeometry::at_load(n.max(100), load)))
    }};
}

/// Tables that are paged. They are not built.
macro_rules! paged {
    (@on_cpu Map) => { cpu::PagedMap<K, K> };
    (@on_cpu Set) => { cpu::PagedSet<K> };
    (@row ($facts:ident $kind:ident [$($can:ident)*])
     ($table:ty, $child_bytes:expr, $budget:expr, $choose:expr) $board:literal) => {{
        let device = device()?;
        let any = |table: $table| Table::$kind($kind::new(table)$(.$can::<$table>())*);
        let make = |size| <$table>::with_seed(device, size, $choose, Tuning::default(), SEED);
        let size = |n: u64, load| {
            let size = <$table>::size(n, load, $child_bytes, $budget);
            size.map(|size| PagedGeometry { board: $board, ..size })
        };
        let open = move |path: &Path, budget| {
            <$table>::open_with(device, path, Opening::new(budget, $choose), Tuning::default())
        };
        type OnCpu = paged!(@on_cpu $kind);
        let other = |table: OnCpu| Table::$kind($kind::new(table)$(.$can::<OnCpu>())*);
        Some(Row::new(&facts::$facts, any, make, size).with_open((any, open), (other, OnCpu::open)))
    }};
    ($row:tt $of:tt) => { paged! { @row $row $of false } };
}

/// Rows of paged tables with a board of fingerprints. Files are opened without one.
macro_rules! boarded {
    ($row:tt $of:tt) => {
        paged! { @row $row $of true }
    };
}

/// Ways that are chosen, at prices at which some tables are copied for large batches and for many.
const SOME: Choose = Choose::Cheaper(Prices {
    reads_in_place: 3.0,
    writes_in_place: 3.0,
    in_frame: 1.0,
    copy_in_byte: 0.05,
    copy_back_byte: 0.05,
});

gpu_rows! {}
