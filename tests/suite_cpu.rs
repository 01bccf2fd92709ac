//! The suite on the CPU backend, at three warp widths.

mod suite;

use std::marker::PhantomData;

use suite::dynamic::DynamicMaps;
use suite::dynamic_set::DynamicSets;
use suite::{Maps, Sets};
use warpproof::model::Key;
use warpproof::model::entry::Packed;
use warpproof::model::host::{HopscotchGeometry, OpenGeometry, SlabGeometry};
use warpproof::model::open::{Cuckoo, DoubleHashing, Near};
use warpproof::model::slab::{Multi, Multiplicity, Unique};
use warpproof::simt::cpu::{
    DynamicMap, DynamicSet, Error, HopscotchMap, HopscotchSet, OpenMap, OpenScheme, OpenSet, PackedEntry,
    PackedWords, SlabEntry, SlabMap, SlabSet, SlabStore,
};

/// The CPU with warps of `L` lanes that read `S` slots each, and maps of multiplicity `M`.
struct Cpu<const L: usize, const S: usize, M>(PhantomData<M>);

impl<K: Key, M: Multiplicity, const L: usize, const S: usize> Maps<K> for Cpu<L, S, M>
where
    (K, K): SlabEntry<Store: SlabStore<Key = K, Value = K>>,
{
    type Map = SlabMap<K, K, L, S, M>;

    fn try_map(&self, geometry: SlabGeometry) -> Result<Self::Map, Error> {
        SlabMap::with_geometry(geometry)
    }

    fn build(&self, keys: &[K], values: &[K]) -> Result<Self::Map, Error> {
        SlabMap::build(keys, values)
    }

    fn geometry(&self, pairs: u64, load: f64) -> SlabGeometry {
        SlabGeometry::new(pairs, load, (L * S) as u32).expect("a small table")
    }
}

impl<M, const L: usize, const S: usize> Sets for Cpu<L, S, M> {
    type Set = SlabSet<L, S>;

    fn try_set(&self, geometry: SlabGeometry) -> Result<Self::Set, Error> {
        SlabSet::with_geometry(geometry)
    }

    fn build_set(&self, keys: &[u32]) -> Result<Self::Set, Error> {
        SlabSet::build(keys)
    }

    fn set_geometry(&self, keys: u64) -> SlabGeometry {
        SlabGeometry::new(keys, 0.6, (L * S) as u32).expect("a small table")
    }
}

/// Hopscotch tables on the CPU: warps of `L` lanes that read `S` words each, neighbourhoods of `N` groups.
struct Hopscotch<const L: usize, const S: usize, const N: u32>;

impl<const L: usize, const S: usize, const N: u32> Hopscotch<L, S, N> {
    fn size(pairs: u64, load: f64) -> HopscotchGeometry {
        HopscotchGeometry::new(pairs, load, (L * S) as u32, N).expect("a small table")
    }
}

impl<K: Key, const L: usize, const S: usize, const N: u32> Maps<K, HopscotchGeometry> for Hopscotch<L, S, N>
where
    (K, K): PackedEntry<Store: PackedWords<Entry: Packed<Key = K, Value = K>>>,
{
    type Map = HopscotchMap<K, K, L, S, N>;

    fn try_map(&self, geometry: HopscotchGeometry) -> Result<Self::Map, Error> {
        HopscotchMap::with_geometry(geometry)
    }

    fn build(&self, keys: &[K], values: &[K]) -> Result<Self::Map, Error> {
        HopscotchMap::build(keys, values)
    }

    fn geometry(&self, pairs: u64, load: f64) -> HopscotchGeometry {
        Self::size(pairs, load)
    }
}

impl<K: Key, const L: usize, const S: usize, const N: u32> Sets<K, HopscotchGeometry> for Hopscotch<L, S, N>
where
    (K, ()): PackedEntry<Store: PackedWords<Entry: Packed<Key = K, Value = ()>>>,
{
    type Set = HopscotchSet<K, L, S, N>;

    fn try_set(&self, geometry: HopscotchGeometry) -> Result<Self::Set, Error> {
        HopscotchSet::with_geometry(geometry)
    }

    fn build_set(&self, keys: &[K]) -> Result<Self::Set, Error> {
        HopscotchSet::build(keys)
    }

    fn set_geometry(&self, keys: u64) -> HopscotchGeometry {
        Self::size(keys, 0.6)
    }
}

macro_rules! hopscotch {
    ($name:ident, $l:literal, $s:literal, $n:expr) => {
        mod $name {
            pub(crate) fn make() -> Option<super::Hopscotch<$l, $s, { $n }>> {
                Some(super::Hopscotch)
            }
            crate::hopscotch_suite! { crate::$name::make }
        }
    };
}
hopscotch!(hopscotch_one_lane, 1, 8, warpproof::model::hopscotch::REACH);
hopscotch!(hopscotch_two_lanes, 2, 4, warpproof::model::hopscotch::REACH);
// Wide groups and near neighbours: entries move far more often.
hopscotch!(hopscotch_thirty_two_lanes, 32, 1, 2);

/// Open-addressing tables on the CPU: warps of `L` lanes that read `S` slots each, keys that probe as `P` says.
struct Open<const L: usize, const S: usize, P>(PhantomData<P>);

impl<K: Key, P: OpenScheme, const L: usize, const S: usize> Maps<K, OpenGeometry> for Open<L, S, P>
where
    (K, K): PackedEntry<Store: PackedWords<Entry: Packed<Key = K, Value = K>>>,
{
    type Map = OpenMap<K, K, L, S, P>;

    fn try_map(&self, geometry: OpenGeometry) -> Result<Self::Map, Error> {
        OpenMap::with_geometry(geometry)
    }

    fn build(&self, keys: &[K], values: &[K]) -> Result<Self::Map, Error> {
        OpenMap::build(keys, values)
    }

    fn geometry(&self, pairs: u64, load: f64) -> OpenGeometry {
        OpenGeometry::new(pairs, load, (L * S) as u32).expect("a small table")
    }
}

impl<K: Key, P: OpenScheme, const L: usize, const S: usize> Sets<K, OpenGeometry> for Open<L, S, P>
where
    (K, ()): PackedEntry<Store: PackedWords<Entry: Packed<Key = K, Value = ()>>>,
{
    type Set = OpenSet<K, L, S, P>;

    fn try_set(&self, geometry: OpenGeometry) -> Result<Self::Set, Error> {
        OpenSet::with_geometry(geometry)
    }

    fn build_set(&self, keys: &[K]) -> Result<Self::Set, Error> {
        OpenSet::build(keys)
    }

    fn set_geometry(&self, keys: u64) -> OpenGeometry {
        OpenGeometry::new(keys, 0.6, (L * S) as u32).expect("a small table")
    }
}

macro_rules! open {
    ($name:ident, $l:literal, $s:literal, $p:ident) => {
        mod $name {
            pub(crate) fn make() -> Option<super::Open<$l, $s, super::$p>> {
                Some(super::Open(super::PhantomData))
            }
            crate::open_suite! { crate::$name::make }
        }
    };
}
open!(open_one_lane, 1, 4, Near);
open!(open_two_lanes, 2, 4, Near);
open!(open_two_lanes_double_hashing, 2, 4, DoubleHashing);
open!(open_thirty_two_lanes, 32, 1, Near);

macro_rules! cuckoo {
    ($name:ident, $l:literal, $s:literal) => {
        mod $name {
            pub(crate) fn make() -> Option<super::Open<$l, $s, super::Cuckoo>> {
                Some(super::Open(super::PhantomData))
            }
            crate::cuckoo_suite! { crate::$name::make }
        }
    };
}
cuckoo!(cuckoo_one_lane, 1, 8);
cuckoo!(cuckoo_two_lanes, 2, 4);
cuckoo!(cuckoo_thirty_two_lanes, 32, 1);

macro_rules! width {
    ($name:ident, $l:literal, $s:literal) => {
        mod $name {
            pub(crate) fn unique() -> Option<super::Cpu<$l, $s, super::Unique>> {
                Some(super::Cpu(super::PhantomData))
            }
            pub(crate) fn multi() -> Option<super::Cpu<$l, $s, super::Multi>> {
                Some(super::Cpu(super::PhantomData))
            }
            crate::suite! { crate::$name::unique, crate::$name::multi }
        }
    };
}
width!(one_lane, 1, 8);
width!(four_lanes, 4, 2);
width!(thirty_two_lanes, 32, 1);

/// Maps and sets that grow, on the CPU.
struct Dynamic<const L: usize, const S: usize>;

impl<K: Key, const L: usize, const S: usize> DynamicMaps<K> for Dynamic<L, S>
where
    (K, K): PackedEntry<Store: PackedWords<Entry: Packed<Key = K, Value = K>>>,
{
    type Map = DynamicMap<K, K, L, S>;

    fn small(&self) -> Self::Map {
        DynamicMap::with_capacity(20).expect("memory for a small table")
    }

    fn tidy(map: &mut Self::Map) {
        map.compact().expect("memory for a small table");
    }
}

impl<K: Key, const L: usize, const S: usize> DynamicSets<K> for Dynamic<L, S>
where
    (K, ()): PackedEntry<Store: PackedWords<Entry: Packed<Key = K, Value = ()>>>,
{
    type Set = DynamicSet<K, L, S>;

    fn small_set(&self) -> Self::Set {
        DynamicSet::with_capacity(20).expect("memory for a small table")
    }

    fn tidy_set(set: &mut Self::Set) {
        set.compact().expect("memory for a small table");
    }
}

macro_rules! dynamic {
    ($name:ident, $l:literal, $s:literal) => {
        mod $name {
            pub(crate) fn make() -> Option<super::Dynamic<$l, $s>> {
                Some(super::Dynamic)
            }
            crate::dynamic_suite! { crate::$name::make }
        }
    };
}
dynamic!(dynamic_one_lane, 1, 8);
dynamic!(dynamic_two_lanes, 2, 4);
