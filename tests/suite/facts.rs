//! What the suite knows of each structure: facts besides the abilities of its tables, the bodies that apply
//! to it, and the rows of each backend. A backend's suite uses the rows of that backend.
#![allow(unused_macros, reason = "a suite has the rows of one backend")]

use warpproof::any::Geometry;
use warpproof::model::host::{
    HopscotchGeometry, OpenGeometry, PagedGeometry, SlabGeometry, WaitFreeGeometry,
};

/// Entries of a crowded table.
pub(crate) const CROWD: usize = 20_000;

/// What is known of a structure. A function takes the size of any such table of the backend and changes it.
pub(crate) struct Facts {
    /// Whether tables grow: no insert is Full.
    pub(crate) grows: bool,
    /// Whether the slot of a deleted entry is used again before a flush, a rehash or a clear.
    pub(crate) reuses: bool,
    /// Whether a table of twice as many entries as it was made for is full.
    pub(crate) fills: bool,
    /// Whether Full means that no slot is empty any more, in tables of the sizes `tiny`, also where inserts
    /// race for the last.
    pub(crate) full_at_last: bool,
    /// Sizes of tables in which every key may be in every slot, and their number.
    pub(crate) tiny: fn(Geometry) -> Vec<(Geometry, usize)>,
    /// Sizes that no table can have, and a part of what is said of them.
    pub(crate) impossible: fn(Geometry) -> Vec<(Geometry, &'static str)>,
    /// Loads of crowded tables, and how many of [`CROWD`] pairs, and of as many keys of a set, find no room
    /// at most.
    pub(crate) crowds: &'static [(f64, usize, usize)],
}

/// Chains of slabs.
pub(crate) const SLAB: Facts = Facts {
    grows: false,
    reuses: false,
    fills: true,
    full_at_last: false,
    tiny: |size| {
        let size = SlabGeometry { buckets: 1, pool: 0, ..typed(size) };
        vec![(size.into(), size.pairs_per_slab() as usize)]
    },
    impossible: |size| {
        let right = SlabGeometry { buckets: 4, pool: 4, ..typed(size) };
        let sizes = [
            (SlabGeometry { buckets: 0, ..right }, "at least one bucket"),
            (SlabGeometry { buckets: 0, pool: 0, ..right }, "at least one bucket"),
            (SlabGeometry { slab_slots: right.slab_slots + 1, ..right }, "slots"),
            (SlabGeometry { slab_slots: 0, ..right }, "slots"),
            (SlabGeometry { slab_slots: u32::MAX, ..right }, "slots"),
            (SlabGeometry { buckets: u32::MAX, ..right }, "more than"),
            (SlabGeometry { buckets: u32::MAX, pool: u32::MAX, ..right }, "more than"),
            (SlabGeometry { pool: u32::MAX, ..right }, "more than"),
            (SlabGeometry { pool: u32::MAX - 4, ..right }, "more than"),
        ];
        sizes.map(|(size, says)| (size.into(), says)).to_vec()
    },
    crowds: &[],
};

/// Groups of a hopscotch table.
pub(crate) const HOPSCOTCH: Facts = Facts {
    grows: false,
    reuses: true,
    fills: true,
    full_at_last: true,
    tiny: |size| {
        let size = HopscotchGeometry { homes: 1, ..typed(size) };
        vec![(size.into(), size.slots() as usize)]
    },
    impossible: |size| {
        let right: HopscotchGeometry = typed(size);
        for load in NO_LOADS {
            let refused = HopscotchGeometry::new(1_000, load, right.group_words, right.reach);
            refused_load(load, &refused.expect_err("an impossible load").to_string());
        }
        let sizes = [
            (HopscotchGeometry { homes: 0, ..right }, "at least one home"),
            (HopscotchGeometry { homes: u32::MAX, ..right }, "more than"),
            (HopscotchGeometry { homes: u32::MAX - right.reach + 2, ..right }, "more than"),
            (HopscotchGeometry { reach: right.reach + 1, ..right }, "groups of"),
            (HopscotchGeometry { reach: 0, ..right }, "groups of"),
            (HopscotchGeometry { group_words: right.group_words * 2, ..right }, "words"),
            (HopscotchGeometry { group_words: 0, ..right }, "words"),
        ];
        sizes.map(|(size, says)| (size.into(), says)).to_vec()
    },
    crowds: &[(0.9, CROWD / 20 - 1, CROWD / 20 - 1), (1.0, CROWD / 20 - 1, CROWD / 20 - 1)],
};

/// Open addressing.
pub(crate) const OPEN: Facts = Facts {
    grows: false,
    reuses: false,
    fills: true,
    full_at_last: true,
    tiny: |size| in_buckets(size, &[1, 2, 5, 7]),
    impossible: |size| {
        let right: OpenGeometry = typed(size);
        for load in NO_LOADS {
            let refused = OpenGeometry::new(1_000, load, right.bucket_slots);
            refused_load(load, &refused.expect_err("an impossible load").to_string());
        }
        let message = OpenGeometry::new(u64::MAX, 0.5, right.bucket_slots).expect_err("a size").to_string();
        assert!(message.contains("buckets are more than"), "{message}");
        let sizes = [
            (OpenGeometry { buckets: 0, ..right }, "at least one bucket"),
            (OpenGeometry { buckets: 1_000, ..right }, "1000 buckets"),
            (OpenGeometry { buckets: u32::MAX, ..right }, "one or prime"),
            (OpenGeometry { bucket_slots: right.bucket_slots + 1, ..right }, "slots"),
            (OpenGeometry { bucket_slots: right.bucket_slots * 4, ..right }, "slots"),
            (OpenGeometry { bucket_slots: 0, ..right }, "slots"),
        ];
        sizes.map(|(size, says)| (size.into(), says)).to_vec()
    },
    crowds: &[(0.9, 0, 0), (0.97, 0, 0), (0.98, 0, 0)],
};

/// Two buckets for each key. What is left out with 8 slots in each is less than one pair in 10,000
/// (tests/cuckoo.rs).
pub(crate) const CUCKOO: Facts = Facts {
    reuses: true,
    full_at_last: false,
    tiny: |size| in_buckets(size, &[1, 2]),
    crowds: &[(0.9, 20, 0), (0.95, 20, 0), (0.97, 20, 20)],
    ..OPEN
};

/// Chains of nodes that never change. Deleted entries may leave nodes half empty, so a table has nodes for
/// more entries than it is made for.
pub(crate) const WAITFREE: Facts = Facts {
    grows: false,
    reuses: true,
    fills: false,
    full_at_last: false,
    // A node, and one to replace it.
    tiny: |size| {
        let size = WaitFreeGeometry { buckets: 1, nodes: 2, warps: 1, ..typed(size) };
        vec![(size.into(), size.node_entries() as usize)]
    },
    impossible: |size| {
        let right: WaitFreeGeometry = typed(size);
        let sizes = [
            (WaitFreeGeometry { buckets: 0, ..right }, "at least one bucket"),
            (WaitFreeGeometry { nodes: 0, ..right }, "at least one node"),
            (WaitFreeGeometry { nodes: u32::MAX, ..right }, "nodes are more than"),
            (WaitFreeGeometry { warps: 0, ..right }, "at least one warp"),
            (WaitFreeGeometry { warps: 65_537, ..right }, "warps are more than"),
            (WaitFreeGeometry { node_words: right.node_words * 2, ..right }, "words"),
            (WaitFreeGeometry { node_words: 0, ..right }, "words"),
        ];
        sizes.map(|(size, says)| (size.into(), says)).to_vec()
    },
    crowds: &[(0.9, 0, 0), (2.0, 0, 0)],
};

/// Open addressing that grows.
pub(crate) const DYNAMIC: Facts =
    Facts { grows: true, full_at_last: false, tiny: |_| Vec::new(), crowds: &[], ..OPEN };

/// Open addressing in child tables. One that is full is rebuilt without the slots of deleted entries.
pub(crate) const PAGED: Facts = Facts {
    reuses: true,
    tiny: |size| {
        let of = |buckets| {
            let size: PagedGeometry = typed(size);
            PagedGeometry { children: 1, child: OpenGeometry { buckets, ..size.child }, ..size }
        };
        [1, 2, 5, 7].map(of).map(|size| (size.into(), size.slots() as usize)).to_vec()
    },
    impossible: |size| {
        let right: PagedGeometry = typed(size);
        let bucket_slots = right.child.bucket_slots;
        let child =
            |bucket_slots, buckets| PagedGeometry { child: OpenGeometry { bucket_slots, buckets }, ..right };
        let sizes = [
            (PagedGeometry { children: 0, ..right }, "at least one child table"),
            (child(bucket_slots, 0), "at least one bucket"),
            (child(bucket_slots, 1_000), "1000 buckets"),
            (child(bucket_slots + 1, 7), "slots"),
            (child(0, 7), "slots"),
        ];
        sizes.map(|(size, says)| (size.into(), says)).to_vec()
    },
    ..OPEN
};

/// Shards of open addressing. A shard that has more than its part of the entries may be full before others
/// are.
#[allow(dead_code, reason = "they are on the CPU alone")]
pub(crate) const SHARDED: Facts =
    Facts { full_at_last: false, tiny: |_| Vec::new(), impossible: |_| Vec::new(), crowds: &[], ..OPEN };

/// Shards of open addressing that grow.
#[allow(dead_code, reason = "they are on the CPU alone")]
pub(crate) const SHARDED_DYNAMIC: Facts = Facts { grows: true, ..SHARDED };

/// Loads that no table can have.
const NO_LOADS: [f64; 5] = [0.0, -1.0, 1.001, f64::NAN, f64::INFINITY];

fn refused_load(load: f64, message: &str) {
    assert!(message.contains("above 0 and at most 1"), "{load}: {message}");
}

/// A size as that of its structure.
pub(crate) fn typed<T: TryFrom<Geometry>>(size: Geometry) -> T {
    T::try_from(size).unwrap_or_else(|_| panic!("the size of another structure: {size:?}"))
}

/// Tables of so many buckets, and their slots.
fn in_buckets(size: Geometry, numbers: &[u32]) -> Vec<(Geometry, usize)> {
    let sizes = numbers.iter().map(|&buckets| OpenGeometry { buckets, ..typed(size) });
    sizes.map(|size| (size.into(), size.slots())).collect()
}

/// The tests of a row: `suite! { KIND NAME [KEYS] BACKEND (WHAT THE BACKEND TAKES) }`.
///
/// A kind says what is known of the structure, whether tables are maps or sets, what they can do, and the
/// groups of bodies. `BACKEND!` is a macro that makes the row of tables of `K` to `K`, or `None` after it has
/// said why it skips. That the groups are those that the row calls for is a test of each row.
#[rustfmt::skip]
macro_rules! suite {
    (slab_map $($row:tt)*) => { row! { (SLAB Map [with_matches with_flush])
        [tables maps built sizes chains matches] $($row)* } };
    (slab_multimap $($row:tt)*) => { row! { (SLAB Map [with_matches with_multimap with_flush])
        [tables maps built sizes chains matches multimaps] $($row)* } };
    (slab_set $($row:tt)*) => { row! { (SLAB Set [with_flush])
        [tables built sizes chains] $($row)* } };
    (hopscotch_map $($row:tt)*) => { row! { (HOPSCOTCH Map [])
        [tables maps built sizes crowds crowded_maps full_at_last reuses moves] $($row)* } };
    (hopscotch_set $($row:tt)*) => { row! { (HOPSCOTCH Set [])
        [tables built sizes crowds full_at_last reuses moves] $($row)* } };
    (open_map $($row:tt)*) => { row! { (OPEN Map [with_counter with_order])
        [tables maps built sizes crowds crowded_maps full_at_last tombstones counters ordered] $($row)* } };
    (open_set $($row:tt)*) => { row! { (OPEN Set [with_order])
        [tables built sizes crowds full_at_last tombstones ordered] $($row)* } };
    (cuckoo_map $($row:tt)*) => { row! { (CUCKOO Map [with_counter with_order])
        [tables maps built sizes crowds crowded_maps reuses counters ordered] $($row)* } };
    (cuckoo_set $($row:tt)*) => { row! { (CUCKOO Set [with_order])
        [tables built sizes crowds reuses ordered] $($row)* } };
    (waitfree_map $($row:tt)*) => { row! { (WAITFREE Map [])
        [tables maps built sizes crowds reuses] $($row)* } };
    (waitfree_set $($row:tt)*) => { row! { (WAITFREE Set [])
        [tables built sizes crowds reuses] $($row)* } };
    (dynamic_map $($row:tt)*) => { row! { (DYNAMIC Map [with_counter with_order])
        [tables maps grows growing_maps] $($row)* } };
    (dynamic_set $($row:tt)*) => { row! { (DYNAMIC Set [with_order])
        [tables grows] $($row)* } };
    (paged_map $($row:tt)*) => { row! { (PAGED Map [with_counter with_save])
        [tables maps sizes crowds crowded_maps full_at_last reuses counters saves] $($row)* } };
    (paged_set $($row:tt)*) => { row! { (PAGED Set [with_save])
        [tables sizes crowds full_at_last reuses saves] $($row)* } };
    (sharded_map $($row:tt)*) => { row! { (SHARDED Map [with_counter])
        [tables maps sizes] $($row)* } };
    (sharded_set $($row:tt)*) => { row! { (SHARDED Set [])
        [tables sizes] $($row)* } };
    (sharded_dynamic_map $($row:tt)*) => { row! { (SHARDED_DYNAMIC Map [with_counter])
        [tables maps grows growing_maps] $($row)* } };
}

/// Rows of chains of slabs on a CPU: warps of `$l` lanes that read `$s` slots each.
#[rustfmt::skip]
macro_rules! slab_rows {
    ($name:ident $l:literal $s:literal) => { mod $name {
        use super::*;
        suite! { slab_map map [u32 u64] cpu (SlabMap<K, K, $l, $s>, |n, load| SlabGeometry::new(n, load, $l * $s)) }
        suite! { slab_multimap multimap [u32 u64] cpu
            (SlabMultimap<K, K, $l, $s>, |n, load| SlabGeometry::new(n, load, $l * $s)) }
        suite! { slab_set set [u32] cpu (SlabSet<$l, $s>, |n, load| SlabGeometry::new(n, load, $l * $s)) }
    } };
}

/// Rows of hopscotch tables on a CPU: the same, and neighbourhoods of `$n` groups.
#[rustfmt::skip]
macro_rules! hopscotch_rows {
    ($name:ident $l:literal $s:literal $n:tt) => { mod $name {
        use super::*;
        suite! { hopscotch_map map [u32 u64] cpu
            (HopscotchMap<K, K, $l, $s, $n>, |n, load| HopscotchGeometry::new(n, load, $l * $s, $n)) }
        suite! { hopscotch_set set [u32 u64] cpu
            (HopscotchSet<K, $l, $s, $n>, |n, load| HopscotchGeometry::new(n, load, $l * $s, $n)) }
    } };
}

/// Rows of open addressing on a CPU: the same, and keys that probe as `$p` says.
#[rustfmt::skip]
macro_rules! open_rows {
    ($name:ident $l:literal $s:literal $p:ident) => { mod $name {
        use super::*;
        suite! { open_map map [u32 u64] cpu (OpenMap<K, K, $l, $s, $p>, |n, load| OpenGeometry::new(n, load, $l * $s)) }
        suite! { open_set set [u32 u64] cpu (OpenSet<K, $l, $s, $p>, |n, load| OpenGeometry::new(n, load, $l * $s)) }
    } };
}

/// Rows of cuckoo tables on a CPU: warps of `$l` lanes that read `$s` slots each.
#[rustfmt::skip]
macro_rules! cuckoo_rows {
    ($name:ident $l:literal $s:literal) => { mod $name {
        use super::*;
        suite! { cuckoo_map map [u32 u64] cpu (CuckooMap<K, K, $l, $s>, |n, load| OpenGeometry::new(n, load, $l * $s)) }
        suite! { cuckoo_set set [u32 u64] cpu (CuckooSet<K, $l, $s>, |n, load| OpenGeometry::new(n, load, $l * $s)) }
    } };
}

/// Rows of wait-free tables on a CPU: warps of `$l` lanes that read `$s` words each.
#[rustfmt::skip]
macro_rules! waitfree_rows {
    ($name:ident $l:literal $s:literal) => { mod $name {
        use super::*;
        suite! { waitfree_map map [u32 u64] cpu
            (WaitFreeMap<K, K, $l, $s>, |n, load| WaitFreeGeometry::new(n, load, $l * $s)) }
        suite! { waitfree_set set [u32 u64] cpu
            (WaitFreeSet<K, $l, $s>, |n, load| WaitFreeGeometry::new(n, load, $l * $s)) }
    } };
}

/// Rows of tables that grow on a CPU: the same.
#[rustfmt::skip]
macro_rules! dynamic_rows {
    ($name:ident $l:literal $s:literal) => { mod $name {
        use super::*;
        const BUCKET_SLOTS: u32 = $l * $s;
        suite! { dynamic_map map [u32 u64] growing (DynamicMap<K, K, $l, $s>) }
        suite! { dynamic_set set [u32 u64] growing (DynamicSet<K, $l, $s>) }
    } };
}

/// Rows of paged tables on a CPU: child tables of so many bytes, a budget, and the ways of jobs.
#[rustfmt::skip]
macro_rules! paged_rows {
    ($name:ident $child_bytes:literal $budget:literal $choose:expr) => { mod $name {
        use super::*;
        suite! { paged_map map [u32 u64] paged (PagedMap<K, K>, $child_bytes, $budget, $choose) }
        suite! { paged_set set [u32 u64] paged (PagedSet<K>, $child_bytes, $budget, $choose) }
    } };
}

/// Rows of tables in shards on a CPU: so many ranks, and bins of so many words.
#[rustfmt::skip]
macro_rules! sharded_rows {
    ($name:ident $ranks:literal $bin_words:literal) => { mod $name {
        use super::*;
        suite! { sharded_map map [u32 u64] sharded
            (OpenMap<K, K>, 4, |size| OpenMap::with_seed(size, SEED), $ranks, $bin_words) }
        suite! { sharded_set set [u32 u64] sharded
            (OpenSet<K>, 8, |size| OpenSet::with_seed(size, SEED), $ranks, $bin_words) }
        suite! { sharded_dynamic_map growing [u32 u64] sharded
            (DynamicMap<K, K>, 4, |size| DynamicMap::with_seed(size.slots() as u64 / 2, 0.8, SEED), $ranks, $bin_words) }
    } };
}

/// All rows of the CPU. The backend's macros `cpu`, `growing`, `paged` and `sharded` make the tables.
#[rustfmt::skip]
macro_rules! cpu_rows {
    () => {
        slab_rows! { one_lane 1 8 }
        slab_rows! { four_lanes 4 2 }
        slab_rows! { thirty_two_lanes 32 1 }
        // Wide groups and near neighbours: entries move far more often.
        hopscotch_rows! { hopscotch_one_lane 1 8 REACH }
        hopscotch_rows! { hopscotch_two_lanes 2 4 REACH }
        hopscotch_rows! { hopscotch_thirty_two_lanes 32 1 2 }
        open_rows! { open_one_lane 1 4 BoundedStride }
        open_rows! { open_two_lanes 2 4 BoundedStride }
        open_rows! { open_two_lanes_double_hashing 2 4 DoubleHashing }
        open_rows! { open_thirty_two_lanes 32 1 BoundedStride }
        cuckoo_rows! { cuckoo_one_lane 1 8 }
        cuckoo_rows! { cuckoo_two_lanes 2 4 }
        cuckoo_rows! { cuckoo_eight_lanes 8 1 }
        waitfree_rows! { waitfree_one_lane 1 8 }
        waitfree_rows! { waitfree_four_lanes 4 2 }
        waitfree_rows! { waitfree_thirty_two_lanes 32 1 }
        dynamic_rows! { dynamic_one_lane 1 8 }
        dynamic_rows! { dynamic_two_lanes 2 4 }
        // Everything pages through one frame, and through three; some do; all are resident; none is.
        paged_rows! { paged_one_frame 4096 8192 Choose::Always(Way::Resident) }
        paged_rows! { paged_three_frames 4096 20_000 Choose::Always(Way::Resident) }
        paged_rows! { paged_some 16_384 65_536 SOME }
        paged_rows! { paged_resident 16_384 1_000_000_000 Choose::Always(Way::Resident) }
        paged_rows! { paged_in_place 4096 0 Choose::Always(Way::InPlace) }
        // Bins that hold a part of a batch, and bins that hold each whole.
        sharded_rows! { sharded_three 3 400 }
        sharded_rows! { sharded_five 5 65_536 }
    };
}

/// Rows of a GPU: tiles of other widths on the same tables, where there are kernels for them.
#[rustfmt::skip]
macro_rules! width_rows {
    ($name:ident $lanes:literal) => { mod $name {
        use super::*;
        suite! { slab_map slab_map [u32] gpu (SlabMap<K, K>, other_lanes($lanes)?, slabs) }
        suite! { hopscotch_map hopscotch_map [u32] gpu (HopscotchMap<K, K>, other_lanes($lanes)?, HopscotchGeometry::at_load) }
        suite! { open_map open_map [u32] buckets (OpenMap<K, K>, other_lanes($lanes)?) }
    } };
}

/// All rows of a GPU. The backend's macros `gpu`, `buckets`, `growing` and `paged` make the tables.
#[rustfmt::skip]
macro_rules! gpu_rows {
    () => {
        mod slab {
            use super::*;
            suite! { slab_map map [u32 u64] gpu (SlabMap<K, K>, Tuning::default(), slabs) }
            suite! { slab_multimap multimap [u32 u64] gpu (SlabMultimap<K, K>, Tuning::default(), slabs) }
            suite! { slab_set set [u32] gpu (SlabSet, Tuning::default(), slabs) }
            suite! { slab_map map_lock_word [u64] gpu (SlabMap<K, K>, lock_word(), slabs) }
            suite! { slab_multimap multimap_lock_word [u64] gpu (SlabMultimap<K, K>, lock_word(), slabs) }
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
            suite! { open_map map_lock_word [u64] buckets (OpenMap<K, K>, lock_word()) }
            // Tiles of two lanes, as in large tables.
            suite! { open_map map_large [u64] buckets (OpenMap<K, K>, lanes(2)) }
            suite! { open_set set_large [u32 u64] buckets (OpenSet<K>, lanes(2)) }
        }

        mod cuckoo {
            use super::*;
            suite! { cuckoo_map map [u32 u64] buckets (CuckooMap<K, K>, Tuning::default()) }
            suite! { cuckoo_set set [u32 u64] gpu (CuckooSet<K>, Tuning::default(), OpenGeometry::at_load) }
            // Buckets of eight slots, as in large tables and at high loads.
            suite! { cuckoo_map map_large_one_lane [u32] buckets (CuckooMap<K, K>, lanes(1)) }
            suite! { cuckoo_map map_large_two_lanes [u32] buckets (CuckooMap<K, K>, lanes(2)) }
        }

        mod waitfree {
            use super::*;
            suite! { waitfree_map map [u32 u64] gpu (WaitFreeMap<K, K>, Tuning::default(), nodes::<(K, K)>) }
            suite! { waitfree_set set [u32 u64] gpu (WaitFreeSet<K>, Tuning::default(), nodes::<K>) }
        }

        mod dynamic {
            use super::*;
            suite! { dynamic_map map [u32 u64] growing (DynamicMap<K, K>, Tuning::default()) }
            suite! { dynamic_set set [u32 u64] growing (DynamicSet<K>, Tuning::default()) }
            suite! { dynamic_map map_lock_word [u64] growing (DynamicMap<K, K>, lock_word()) }
        }

        // Everything pages through one frame; jobs take the cheaper way; all go in place.
        mod paged {
            use super::*;
            suite! { paged_map map_one_frame [u32 u64] paged (PagedMap<K, K>, 4096, 8192, Choose::Always(Way::Resident)) }
            suite! { paged_set set_one_frame [u32 u64] paged (PagedSet<K>, 4096, 8192, Choose::Always(Way::Resident)) }
            suite! { paged_map map_some [u32 u64] paged (PagedMap<K, K>, 16_384, 65_536, SOME) }
            suite! { paged_set set_some [u32 u64] paged (PagedSet<K>, 16_384, 65_536, SOME) }
            suite! { paged_map map_in_place [u32 u64] paged (PagedMap<K, K>, 16_384, 0, Choose::Always(Way::InPlace)) }
            suite! { paged_set set_in_place [u32 u64] paged (PagedSet<K>, 16_384, 0, Choose::Always(Way::InPlace)) }
            suite! { paged_map board_map_one_frame [u32 u64] boarded (PagedMap<K, K>, 4096, 8192, Choose::Always(Way::Resident)) }
            suite! { paged_map board_map_some [u32 u64] boarded (PagedMap<K, K>, 16_384, 65_536, SOME) }
            suite! { paged_map board_map_in_place [u32 u64] boarded (PagedMap<K, K>, 16_384, 0, Choose::Always(Way::InPlace)) }
            suite! { paged_set board_set_in_place [u32 u64] boarded (PagedSet<K>, 16_384, 0, Choose::Always(Way::InPlace)) }
        }

        width_rows! { one_lane 1 }
        width_rows! { two_lanes 2 }
        width_rows! { four_lanes 4 }
        width_rows! { eight_lanes 8 }
    };
}
