//! What is known of each structure besides what its tables can do.

use warpproof::any::Geometry;
use warpproof::model::host::{HopscotchGeometry, OpenGeometry, SlabGeometry};

/// Entries of a crowded table.
pub(crate) const CROWD: usize = 20_000;

/// What is known of a structure. A function takes the size of any such table of the backend and changes it.
pub(crate) struct Facts {
    /// Whether tables grow: nothing is Full.
    pub(crate) grows: bool,
    /// Whether the slot of a deleted entry is used again before a flush, a rehash or a clear.
    pub(crate) reuses: bool,
    /// Whether Full means that no slot is empty any more, in tables of the sizes `tiny`, also where inserts
    /// race for the last.
    pub(crate) full_at_last: bool,
    /// Sizes of tables in which every key may stand in every slot, and how many there are.
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
    crowds: &[(0.9, 0, 0), (0.97, 0, 0), (1.0, 0, 0)],
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

/// Open addressing that grows.
pub(crate) const DYNAMIC: Facts =
    Facts { grows: true, full_at_last: false, tiny: |_| Vec::new(), crowds: &[], ..OPEN };

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
