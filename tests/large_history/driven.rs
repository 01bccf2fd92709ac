//! The tables that threads race on: those of every structure of the CPU backend.

use super::drive::Load;
use warpproof::model::entry::Packed;
use warpproof::model::host::{SlabGeometry, WaitFreeGeometry};
use warpproof::model::open::Probing;
use warpproof::model::slab::Unique;
use warpproof::model::{Key, Seed, Word};
use warpproof::simt::cpu::cuckoo::CuckooWords;
use warpproof::simt::cpu::dynamic::DynamicWords;
use warpproof::simt::cpu::hopscotch::HopscotchWords;
use warpproof::simt::cpu::open::OpenWords;
use warpproof::simt::cpu::packed::PackedWords;
use warpproof::simt::cpu::slab::{SlabStore, SlabWords};
use warpproof::simt::cpu::waitfree::WaitFreeMemory;
use warpproof::simt::cpu::{CpuTable, Map, Set};

/// A table on which the rounds of a history run.
pub(crate) trait Driven: Sync {
    /// What warps work on.
    type Table: CpuTable + Sync;

    /// An empty table.
    fn made(load: Load) -> Self;

    /// The table.
    fn table(&self) -> &Self::Table;

    /// Frees the slots of deleted pairs, if the table does not do so itself. No warp runs meanwhile.
    fn rest(&mut self);
}

/// Number of pairs for a table that uses each slot once: all keys, and every insert after a delete of one
/// round.
fn slots_of_a_round(load: Load) -> u64 {
    2 * (load.keys + load.deletes_of_a_round())
}

impl<St: SlabStore, const L: usize, const S: usize> Driven for SlabWords<St, L, S, Unique> {
    type Table = Self;

    fn made(load: Load) -> Self {
        let buckets = (load.keys / 4).max(2) as u32;
        Self::new(SlabGeometry { slab_slots: (L * S) as u32, buckets, pool: 1 << 16 }, Seed::new(1))
            .expect("memory for a table")
    }

    fn table(&self) -> &Self {
        self
    }

    /// The tombstones of a long history would make its chains long.
    fn rest(&mut self) {
        self.flush();
    }
}

impl<St: PackedWords, const L: usize, const S: usize, const N: u32> Driven for HopscotchWords<St, L, S, N> {
    type Table = Self;

    fn made(load: Load) -> Self {
        // No insert is to be full: more than the keys.
        let geometry = Self::geometry_for(4 * load.keys).expect("few keys");
        Self::new(geometry, Seed::new(1)).expect("memory for a table")
    }

    fn table(&self) -> &Self {
        self
    }

    fn rest(&mut self) {}
}

/// Maps and sets in a table of buckets that does not grow.
macro_rules! in_buckets {
    ($($of:ident<K $(, $v:ident)?>, $words:ident<St, L, S $(, $p:ident)?>, $value:ty;)*) => { $(
        impl<K: Key, $($v: Word,)? St, $($p: Probing,)? const L: usize, const S: usize> Driven
            for $of<K, $($v,)? $words<St, L, S $(, $p)?>>
        where
            St: PackedWords<Entry: Packed<Key = K, Value = $value>>,
        {
            type Table = $words<St, L, S $(, $p)?>;

            fn made(load: Load) -> Self {
                Self::with_capacity(slots_of_a_round(load)).expect("memory for a table")
            }

            fn table(&self) -> &Self::Table {
                self.table()
            }

            fn rest(&mut self) {
                self.rehash(self.table().geometry()).expect("memory for a table");
            }
        }
    )* };
}
in_buckets! {
    Map<K, V>, OpenWords<St, L, S, P>, V;
    Set<K>, OpenWords<St, L, S, P>, ();
    Map<K, V>, CuckooWords<St, L, S>, V;
}

impl<K, V, St, const L: usize, const S: usize> Driven for Map<K, V, DynamicWords<St, L, S>>
where
    K: Key,
    V: Word,
    St: PackedWords<Entry: Packed<Key = K, Value = V>>,
{
    type Table = DynamicWords<St, L, S>;

    /// It grows in every round: by its keys in the first one, and by the slots of deleted pairs.
    fn made(_: Load) -> Self {
        Self::with_capacity(1).expect("memory for a table")
    }

    fn table(&self) -> &Self::Table {
        self.table()
    }

    fn rest(&mut self) {
        assert!(self.table().submaps() > 1, "no submap was added in this round");
        self.compact().expect("memory for a table");
    }
}

impl<St: PackedWords, const L: usize, const S: usize> Driven for WaitFreeMemory<St, L, S> {
    type Table = Self;

    /// Few nodes: they are used again all the time.
    fn made(load: Load) -> Self {
        let (buckets, nodes) = ((load.keys / 4).max(2) as u32, 2 * load.keys as u32 + 256);
        let node_words = (L * S) as u32;
        let geometry = WaitFreeGeometry { node_words, buckets, nodes, warps: 64, entries: load.keys };
        Self::new(geometry, Seed::new(1)).expect("memory for a table")
    }

    fn table(&self) -> &Self {
        self
    }

    fn rest(&mut self) {}
}
