//! The suite on the CPU backend, at several warp widths.

#[macro_use]
mod suite;

use std::path::Path;
use suite::SEED;
use suite::facts;
use suite::row::Row;
use suite::table::Table;
use warpproof::any::{Map, Set};
use warpproof::model::hopscotch::REACH;
use warpproof::model::host::{HopscotchGeometry, OpenGeometry, SlabGeometry, WaitFreeGeometry};
use warpproof::model::open::{BoundedStride, DoubleHashing};
use warpproof::model::paged::file::Opening;
use warpproof::model::paged::{Choose, Prices, Way};
use warpproof::model::sharded::ShardedGeometry;
use warpproof::simt::cpu::sharded::{AllRanks, Limits};
use warpproof::simt::cpu::{
    self, CuckooMap, CuckooSet, DynamicMap, DynamicSet, HopscotchMap, HopscotchSet, OpenMap, OpenSet,
    PagedMap, PagedSet, SlabMap, SlabMultimap, SlabSet, WaitFreeMap, WaitFreeSet,
};

/// Tables of a type, `$size` of so many entries at a load.
macro_rules! cpu {
    (($facts:ident Map [$($can:ident)*]) ($table:ty, $size:expr)) => {{
        let any = |table: $table| Table::Map(Map::new(table)$(.$can::<$table>())*);
        let make = |size| <$table>::with_seed(size, SEED);
        let row = Row::new(&facts::$facts, any, make, $size);
        Some(row.with_build(any, |keys, values| <$table>::build_with_seed(keys, values, SEED)))
    }};
    (($facts:ident Set [$($can:ident)*]) ($table:ty, $size:expr)) => {{
        let any = |table: $table| Table::Set(Set::new(table)$(.$can::<$table>())*);
        let make = |size| <$table>::with_seed(size, SEED);
        let row = Row::new(&facts::$facts, any, make, $size);
        Some(row.with_build(any, |keys, _| <$table>::build_with_seed(keys, SEED)))
    }};
}

/// Tables that grow. Where the suite calls for a tidy table, they are shrunk. They are not built.
macro_rules! growing {
    (($facts:ident $kind:ident [$($can:ident)*]) ($table:ty)) => {{
        let any = |table: $table| Table::$kind($kind::new(table)$(.$can::<$table>())*);
        let facts = &facts::$facts;
        let load = OpenGeometry::DEFAULT_LOAD;
        let make = move |size: OpenGeometry| {
            <$table>::with_seed((size.slots() as f64 * load) as u64, load, SEED)
        };
        let size = move |n: u64, _| OpenGeometry::new(n.max(100), load, BUCKET_SLOTS);
        let row = Row::new(facts, any, make, size);
        Some(row.with_tidy(|table| {
            let Table::$kind(any) = table else { panic!("another kind") };
            any.downcast_mut::<$table>().expect("its type").shrink().expect("memory for a small table");
        }))
    }};
}

/// Tables that are paged. They are not built.
macro_rules! paged {
    (@other Map) => { PagedMap<K, K, 2, 4> };
    (@other Set) => { PagedSet<K, 1, 2> };
    (($facts:ident $kind:ident [$($can:ident)*])
     ($table:ty, $child_bytes:expr, $budget:expr, $choose:expr)) => {{
        // Other buckets.
        type Other = paged!(@other $kind);
        let any = |table: $table| Table::$kind($kind::new(table)$(.$can::<$table>())*);
        let other = |table: Other| Table::$kind($kind::new(table)$(.$can::<Other>())*);
        let make = |size| <$table>::with_seed(size, $choose, SEED);
        let size = |n: u64, load| <$table>::size(n, load, $child_bytes, $budget);
        let open = |path: &Path, budget| <$table>::open_with(path, Opening::new(budget, $choose));
        Some(Row::new(&facts::$facts, any, make, size).with_open((any, open), (other, Other::open)))
    }};
}

/// Tables in shards, all ranks of which are one table.
macro_rules! sharded {
    (($facts:ident $kind:ident [$($can:ident)*])
     ($shard:ty, $bucket_slots:expr, $make:expr, $ranks:expr, $bin_words:expr)) => {{
        type Ranks = AllRanks<$shard>;
        let any = |table: Ranks| Table::$kind($kind::new(table)$(.$can::<Ranks>())*);
        let (ranks, limits) = ($ranks as u32, Limits { bin_words: $bin_words, ..Limits::default() });
        let shard: fn(OpenGeometry) -> Result<$shard, cpu::Error> = $make;
        let make = move |size: ShardedGeometry<OpenGeometry>| {
            AllRanks::new(ranks, limits, SEED, |_| shard(size.shard))
        };
        // A shard has room for a fourth more than its part, and for some more.
        let size = move |n: u64, load| {
            let shard = OpenGeometry::new(n / u64::from(ranks) * 5 / 4 + 64, load, $bucket_slots)?;
            Ok(ShardedGeometry { ranks, shard })
        };
        Some(Row::new(&facts::$facts, any, make, size))
    }};
}

/// Ways that are chosen, at prices at which some tables are copied for large batches and for many.
const SOME: Choose = Choose::Cheaper(Prices {
    reads_in_place: 3.0,
    writes_in_place: 3.0,
    in_frame: 1.0,
    copy_in_byte: 0.05,
    copy_back_byte: 0.05,
});

cpu_rows! {}
