//! The suite on the CPU backend, at three warp widths.

mod suite;

use suite::{Maps, Sets};
use warpproof::model::Key;
use warpproof::model::host::{BulkMap, Geometry};
use warpproof::simt::cpu::{Entry, SlabMap, SlabSet, Store};

/// The CPU with warps of `L` lanes that read `S` slots each.
struct Cpu<const L: usize, const S: usize>;

impl<K: Key + Default, const L: usize, const S: usize> Maps<K> for Cpu<L, S>
where
    (K, K): Entry<Store: Store<Key = K, Value = K>>,
    SlabMap<K, K, L, S>: BulkMap<K, K>,
{
    type Map = SlabMap<K, K, L, S>;

    fn map(&self, geometry: Geometry) -> Self::Map {
        SlabMap::with_geometry(geometry).expect("memory for a test table")
    }

    fn geometry(&self, pairs: u64, load: f64) -> Geometry {
        Geometry::new(pairs, load, (L * S) as u32).expect("a small table")
    }
}

impl<const L: usize, const S: usize> Sets for Cpu<L, S> {
    type Set = SlabSet<L, S>;

    fn set(&self, geometry: Geometry) -> Self::Set {
        let geometry = Geometry { slab_slots: (L * S) as u32, ..geometry };
        SlabSet::with_geometry(geometry).expect("memory for a test table")
    }
}

mod scalar {
    fn backend() -> Option<super::Cpu<1, 8>> {
        Some(super::Cpu)
    }
    crate::suite! { super::super::scalar::backend }
}

mod four_lanes {
    fn backend() -> Option<super::Cpu<4, 2>> {
        Some(super::Cpu)
    }
    crate::suite! { super::super::four_lanes::backend }
}

mod thirty_two_lanes {
    fn backend() -> Option<super::Cpu<32, 1>> {
        Some(super::Cpu)
    }
    crate::suite! { super::super::thirty_two_lanes::backend }
}
