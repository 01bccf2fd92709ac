//! The rows.

use super::room::{Capacity, Room, cuckoo, hopscotch, open, paged, sharded, slab};
use super::{Can, Loads, Points, Structure, Tables};
use crate::backend::Opened;
use crate::entry::{Entry, Table};
use crate::failure::Failure;
use std::path::Path;
use warpproof::model::growth::MOST_LOAD;
use warpproof::model::paged::{Choose, Way};
use warpproof::simt::cpu;
#[cfg(feature = "gpu")]
use warpproof::simt::cpu::sharded::Limits;
use warpproof::simt::cpu::sharded::{AllRanks, InShards};
use warpproof::{HopscotchGeometry, OpenGeometry, SlabGeometry, WaitFreeGeometry, any};
#[cfg(feature = "gpu")]
use {
    crate::bench::device::calls::*,
    warpproof::gpu::{Device, Tuning},
    warpproof::model::paged::file::Opening,
};

/// A map of u64 pairs, in shards that grow: one on each of these GPUs.
///
/// # Errors
/// If there is no memory for it.
#[cfg(feature = "gpu")]
pub(super) fn on_gpus(devices: &[Device], room: Room) -> Result<any::Map<u64, u64>, Failure> {
    type Shard = warpproof::gpu::DynamicMap<u64, u64>;
    type T = AllRanks<Shard>;
    let first = room.expected / devices.len().max(1) as u64 + 1;
    let shard =
        |rank: u32| Shard::with_seed(&devices[rank as usize], first, room.load, Tuning::default(), room.seed);
    let made = T::new(devices.len() as u32, Limits::default(), room.seed, shard);
    Ok(any::Map::new::<T>(made.map_err(Failure::backend)?).with_counter::<T>())
}

/// The error for a table of one backend on several GPUs.
#[cfg(feature = "gpu")]
fn on_several() -> Failure {
    Failure::input("--gpus: such a table is on one GPU")
}

/// The tables of a structure that hold one kind of entries. A type has one name on every backend.
macro_rules! tables {
    ($steps:tt [|$T:ident, $room:ident| $cpu:expr, |$device:ident, $tuning:ident| $gpu:expr]
     $shape:ident [$($can:ident)*] $entry:ident $table:ty) => {{
        fn on_cpu($room: Room) -> Result<Table, cpu::Error> {
            use warpproof::simt::cpu::*;
            type $T = $table;
            let table: $T = $cpu?;
            Ok(erased!($shape table, $T, $($can)*).into())
        }
        #[cfg(feature = "gpu")]
        fn on_gpu($device: &Device, $room: Room, $tuning: Tuning) -> Result<Table, warpproof::gpu::Error> {
            use warpproof::gpu::*;
            type $T = $table;
            let _ = $tuning;
            let table: $T = $gpu?;
            Ok(erased!($shape table, $T, $($can)*).into())
        }
        Tables {
            entry: Entry::$entry,
            can: can!($shape $($can)*),
            open: opened!($steps $shape [$($can)*] $entry $table),
            make: |on, room| match on {
                Opened::Cpu => on_cpu(room).map_err(Failure::backend),
                #[cfg(feature = "gpu")]
                Opened::Gpu(device) => {
                    on_gpu(device, room, Entry::$entry.tuning()).map_err(Failure::backend)
                }
                #[cfg(feature = "gpu")]
                Opened::Gpus(_) => Err(on_several()),
            },
            #[cfg(feature = "gpu")]
            measure: |bench, rows| {
                use warpproof::gpu::*;
                type $T = $table;
                let make = &|$device: &Device, $room: Room, $tuning: Tuning| -> Result<$T, Error> {
                    let _ = $tuning;
                    $gpu
                };
                measured!($steps $shape $entry $T, bench, make, rows)
            },
            #[cfg(feature = "gpu")]
            names: || names!($steps $shape $entry),
        }
    }};
}

/// How the file of a table is opened, if there are such files.
macro_rules! opened {
    ((paged) $shape:ident [$($can:ident)*] $entry:ident $table:ty) => {{
        fn on_cpu(path: &Path, budget: u64) -> Result<Table, cpu::Error> {
            use warpproof::simt::cpu::*;
            type T = $table;
            let table = T::open(path, budget)?;
            Ok(erased!($shape table, T, $($can)*).into())
        }
        #[cfg(feature = "gpu")]
        fn on_gpu(
            device: &Device,
            (path, budget): (&Path, u64),
            tuning: Tuning,
        ) -> Result<Table, warpproof::gpu::Error> {
            use warpproof::gpu::*;
            type T = $table;
            let table = T::open_with(device, path, Opening::new(budget, T::CHEAPER), tuning)?;
            Ok(erased!($shape table, T, $($can)*).into())
        }
        Some(|on, path, budget| match on {
            Opened::Cpu => on_cpu(path, budget).map_err(Failure::backend),
            #[cfg(feature = "gpu")]
            Opened::Gpu(device) => on_gpu(device, (path, budget), Entry::$entry.tuning()).map_err(Failure::backend),
            #[cfg(feature = "gpu")]
            Opened::Gpus(_) => Err(on_several()),
        })
    }};
    ($($other:tt)*) => { None };
}

/// A table of a known type, as a table of any type with its capabilities.
macro_rules! erased {
    (Set $table:ident, $($with:tt)*) => { erased!(any::Set::new($table), $($with)*) };
    (Map $table:ident, $($with:tt)*) => { erased!(any::Map::new($table), $($with)*) };
    (Multimap $table:ident, $T:ty, $($can:ident)*) => { erased!(Map $table, $T, Multimap $($can)*) };
    ($table:expr, $T:ty,) => { $table };
    ($table:expr, $T:ty, Matches $($more:ident)*) => { erased!($table.with_matches::<$T>(), $T, $($more)*) };
    ($table:expr, $T:ty, Multimap $($more:ident)*) => {
        erased!($table.with_multimap::<$T>(), $T, $($more)*)
    };
    ($table:expr, $T:ty, Counter $($more:ident)*) => { erased!($table.with_counter::<$T>(), $T, $($more)*) };
    ($table:expr, $T:ty, Order $($more:ident)*) => { erased!($table.with_order::<$T>(), $T, $($more)*) };
    ($table:expr, $T:ty, Flush $($more:ident)*) => { erased!($table.with_flush::<$T>(), $T, $($more)*) };
    ($table:expr, $T:ty, Save $($more:ident)*) => { erased!($table.with_save::<$T>(), $T, $($more)*) };
    ($table:expr, $T:ty, Paged $($more:ident)*) => { erased!($table.with_paged::<$T>(), $T, $($more)*) };
    // `any` lacks this capability; the known type has it.
    ($table:expr, $T:ty, Rehash $($more:ident)*) => {{
        let _ = <$T>::rehash;
        erased!($table, $T, $($more)*)
    }};
    ($table:expr, $T:ty, Grow $($more:ident)*) => {{
        let _ = (<$T>::reserve, <$T>::shrink);
        erased!($table, $T, $($more)*)
    }};
}

/// The capabilities of tables.
macro_rules! can {
    (Multimap $($can:ident)*) => { &[Can::Map, Can::Multimap $(, Can::$can)*] };
    ($($can:ident)*) => { &[$(Can::$can),*] };
}

/// Rows. After the fields of [`Structure`]: how its kernels are measured, how a table of a type `T` is made
/// on a CPU and on a GPU, and the tables that are made so: map or set, its further capabilities, its entries,
/// its type.
macro_rules! structures {
    ($($NAME:ident {
        $($field:ident: $value:expr,)*
        $(=> $steps:tt $make:tt {
            $($shape:ident $can:tt: $($entry:ident $table:ty),+;)+
        })+
    })+) => {
        $(pub(crate) static $NAME: Structure = Structure {
            $($field: $value,)*
            tables: &[$($($(tables!($steps $make $shape $can $entry $table),)+)+)+],
        };)+

        /// All structures.
        pub(crate) static ALL: &[&Structure] = &[$(&$NAME),+];
    };
}

structures! {
    SLAB {
        name: "slab",
        what: "Slab hash: chains of slabs that grow (Ashkiani, Farach-Colton, Owens, IPDPS 2018)",
        loads: Loads { least: 0.01, most: 100.0, default: SlabGeometry::DEFAULT_LOAD },
        // The load and the pairs of the published comparison: 0.6 of 2^26 slots.
        points: Points {
            load: 0.6,
            loads: &[0.2, 0.3, 0.4, 0.5, 0.6, SlabGeometry::DEFAULT_LOAD, 0.7, 0.8, 0.9],
            also: Some(40_265_318),
        },
        // The pool is large enough for the entries, whatever their keys are.
        capacity: Capacity { may_be_full: false, grows: false },
        on_one: &[],
        => (fixed) [|T, room| T::with_seed(slab(room)?, room.seed),
                    |device, tuning| T::with_seed(device, slab(room)?, tuning, room.seed)] {
            Map [Matches Flush]: Map32 SlabMap<u32, u32>, Map64 SlabMap<u64, u64>, Lock64 SlabMap<u64, u64>;
            Multimap [Matches Flush]: Multimap32 SlabMultimap<u32, u32>, Multimap64 SlabMultimap<u64, u64>;
            Set [Flush]: Set32 SlabSet;
        }
    }
    HOPSCOTCH {
        name: "hopscotch",
        what: "Lock-flag hopscotch table (Zhang, Sun): one pair per key, a fixed size",
        loads: Loads { least: 0.01, most: 1.0, default: HopscotchGeometry::DEFAULT_LOAD },
        points: Points {
            load: HopscotchGeometry::DEFAULT_LOAD,
            loads: &[0.5, 0.6, 0.7, HopscotchGeometry::DEFAULT_LOAD, 0.9, 0.95],
            // At a load of 0.8 in 2^26 words.
            also: Some(46_976_204),
        },
        // Entries are in the neighbourhoods of their homes, and a neighbourhood may be full before the table
        // is.
        capacity: Capacity { may_be_full: true, grows: false },
        on_one: &[],
        => (fixed) [|T, room| T::with_seed(hopscotch(room)?, room.seed),
                    |device, tuning| T::with_seed(device, hopscotch(room)?, tuning, room.seed)] {
            Map []: Map32 HopscotchMap<u32, u32>, Map64 HopscotchMap<u64, u64>;
            Set []: Set32 HopscotchSet<u32>, Set64 HopscotchSet<u64>;
        }
    }
    OPEN {
        name: "open",
        what: "Open addressing with a filter of what passed a full bucket: one pair per key, a fixed size",
        // Above this, an insert may find its 512 buckets full.
        loads: Loads { least: 0.01, most: MOST_LOAD, default: OpenGeometry::DEFAULT_LOAD },
        points: Points {
            load: OpenGeometry::DEFAULT_LOAD,
            loads: &[0.5, 0.6, 0.7, OpenGeometry::DEFAULT_LOAD, 0.9, 0.95],
            also: None,
        },
        // A size has a slot for every entry that is inserted.
        capacity: Capacity { may_be_full: false, grows: false },
        on_one: &[
            "insert_or_apply (CPU)",
            "insert_or_update",
            "insert_partitioned (GPU)",
            "insert_partitioned_with_outcomes (GPU)",
        ],
        => (fixed retrieved partitioned summed)
           [|T, room| T::with_seed(T::size(open(room)?.slots() as u64, 1.0)?, room.seed),
            |device, tuning| T::with_seed(device, match tuning.lanes {
                Some(_) => open(room)?.in_buckets_of(T::BUCKET_SLOTS)?,
                None => T::size(open(room)?.slots() as u64, 1.0)?,
            }, tuning, room.seed)] {
            Map [Counter Order Rehash]: Map32 OpenMap<u32, u32>, Map64 OpenMap<u64, u64>;
        }
        => (fixed retrieved partitioned)
           [|T, room| T::with_seed(open(room)?, room.seed),
            |device, tuning| T::with_seed(device, match tuning.lanes {
                Some(_) => open(room)?.in_buckets_of(T::BUCKET_SLOTS)?,
                None => T::size(open(room)?.slots() as u64, 1.0)?,
            }, tuning, room.seed)] {
            Set [Order Rehash]: Set32 OpenSet<u32>, Set64 OpenSet<u64>;
        }
    }
    CUCKOO {
        name: "cuckoo",
        what: "Open addressing for high loads: a key has two buckets, and keys move to make room",
        loads: Loads { least: 0.01, most: 0.99, default: OpenGeometry::DEFAULT_LOAD },
        points: Points {
            load: OpenGeometry::DEFAULT_LOAD,
            loads: &[0.5, OpenGeometry::DEFAULT_LOAD, 0.9, 0.95, 0.97],
            also: None,
        },
        capacity: Capacity { may_be_full: true, grows: false },
        on_one: &["insert_or_apply (CPU)", "insert_or_update"],
        => (fixed retrieved) [|T, room| T::with_seed(cuckoo(room)?, room.seed),
                              |device, tuning| T::with_seed(device, match tuning.lanes {
                                  Some(_) => cuckoo(room)?.in_buckets_of(T::BUCKET_SLOTS)?,
                                  None => T::size(room.expected, room.load)?,
                              }, tuning, room.seed)] {
            Map [Counter Order Rehash]: Map32 CuckooMap<u32, u32>, Map64 CuckooMap<u64, u64>;
            Set [Order Rehash]: Set32 CuckooSet<u32>, Set64 CuckooSet<u64>;
        }
    }
    WAITFREE {
        name: "waitfree",
        what: "Chains of nodes that never change: every update ends in a bounded number of rounds",
        loads: Loads { least: 0.01, most: 100.0, default: WaitFreeGeometry::DEFAULT_LOAD },
        points: Points {
            load: WaitFreeGeometry::DEFAULT_LOAD,
            loads: &[0.3, WaitFreeGeometry::DEFAULT_LOAD, 0.5, 0.6, 0.8],
            also: None,
        },
        // Nodes that have lost most of their entries stay.
        capacity: Capacity { may_be_full: true, grows: false },
        on_one: &[],
        // A deleted entry frees its place at once.
        => (fixed) [|T, room| T::with_seed(
                        WaitFreeGeometry::new(room.expected, room.load, T::NODE_WORDS)?, room.seed),
                    |device, tuning| T::with_seed(device,
                        WaitFreeGeometry::for_batches(room.expected, room.load, T::NODE_WORDS)?, tuning,
                        room.seed)] {
            Map []: Map32 WaitFreeMap<u32, u32>, Map64 WaitFreeMap<u64, u64>;
            Set []: Set32 WaitFreeSet<u32>, Set64 WaitFreeSet<u64>;
        }
    }
    DYNAMIC {
        name: "dynamic",
        what: "Open addressing that grows between the parts of a batch, and keeps to its entries",
        loads: Loads { least: 0.1, most: 0.95, default: OpenGeometry::DEFAULT_LOAD },
        points: Points {
            load: OpenGeometry::DEFAULT_LOAD,
            loads: &[0.5, 0.6, 0.7, OpenGeometry::DEFAULT_LOAD, 0.9],
            also: None,
        },
        capacity: Capacity { may_be_full: false, grows: true },
        on_one: &["insert_or_apply (CPU)", "insert_or_update"],
        => (growing) [|T, room| T::with_seed(room.expected, room.load, room.seed),
                      |device, tuning| T::with_seed(device, room.expected, room.load, tuning, room.seed)] {
            Map [Counter Order Grow]: Map32 DynamicMap<u32, u32>, Map64 DynamicMap<u64, u64>;
            Set [Order Grow]: Set32 DynamicSet<u32>, Set64 DynamicSet<u64>;
        }
    }
    PAGED {
        name: "paged",
        what: "Tables larger than the memory of a GPU: child tables of open addressing, some of them in frames",
        loads: Loads { least: 0.01, most: 0.95, default: OpenGeometry::DEFAULT_LOAD },
        points: Points {
            load: OpenGeometry::DEFAULT_LOAD,
            loads: &[0.5, 0.6, 0.7, OpenGeometry::DEFAULT_LOAD, 0.9],
            also: None,
        },
        capacity: Capacity { may_be_full: false, grows: false },
        on_one: &["insert_or_update"],
        => (paged) [|T, room| T::with_seed(paged(room, T::size)?, Choose::Always(Way::Resident), room.seed),
                    |device, tuning| T::with_seed(device, paged(room, T::size)?, T::CHEAPER, tuning, room.seed)] {
            Map [Counter Save Paged]: Map32 PagedMap<u32, u32>, Map64 PagedMap<u64, u64>;
            Set [Save Paged]: Set32 PagedSet<u32>, Set64 PagedSet<u64>;
        }
    }
    SHARDED {
        name: "sharded",
        what: "A table in shards: ranks with a table of open addressing each, which exchange batches",
        loads: Loads { least: 0.01, most: 0.95, default: OpenGeometry::DEFAULT_LOAD },
        points: Points {
            load: OpenGeometry::DEFAULT_LOAD,
            loads: &[0.5, 0.6, 0.7, OpenGeometry::DEFAULT_LOAD, 0.9],
            also: None,
        },
        capacity: Capacity { may_be_full: false, grows: false },
        on_one: &["insert_or_update"],
        => (sharded) [|T, room| { type S = <T as InShards>::Shard;
                                  sharded(room, |n| S::with_seed(S::size(n, room.load)?, room.seed)) },
                      |device, tuning| { type S = <T as InShards>::Shard;
                          sharded(room, |n| S::with_seed(device, S::size(n, room.load)?, tuning, room.seed)) }] {
            Map [Counter]: Map32 AllRanks<OpenMap<u32, u32>>, Map64 AllRanks<OpenMap<u64, u64>>;
        }
        => (sharded) [|T, room| { type S = <T as InShards>::Shard;
                                  sharded(room, |n| S::with_seed(OpenGeometry::at_load(n, room.load)?, room.seed)) },
                      |device, tuning| { type S = <T as InShards>::Shard;
                          sharded(room, |n| S::with_seed(device, S::size(n, room.load)?, tuning, room.seed)) }] {
            Set []: Set32 AllRanks<OpenSet<u32>>, Set64 AllRanks<OpenSet<u64>>;
        }
    }
}
