//! Maps and sets in cuckoo tables.

use super::error::Error;
use super::grid::CpuTable;
use super::map::Map;
use super::open::{Beside, Buckets, FixedBuckets, LANE_SLOTS, OPEN_LANES, OpenWords, stats};
use super::packed::{PackedEntry, PackedWords, Reserved};
use super::set::Set;
use super::warp::CpuWarp;
use core::fmt;
use warpproof_model::Seed;
use warpproof_model::cuckoo::CuckooTable;
use warpproof_model::entry::Packed;
use warpproof_model::host::{OpenGeometry, OpenStats, Refused, structure};
use warpproof_model::outcome::Add;
use warpproof_model::reserved::{AllKeysCounter as _, WithSlots};

/// An [`OpenMap`](super::OpenMap) for high loads: a search reads at most two buckets, at any load, and the
/// slots of deleted pairs are used again.
///
/// An insert whose two buckets are full moves up to three pairs, each from its first bucket to its second,
/// and returns [`Full`](warpproof_model::Insert::Full) if that makes no room: in a table of a million slots
/// no insert did up to a load of 0.95, and at 0.97 at most one in 50,000
/// (`cargo test --release --test cuckoo`). Deletes, and inserts that change a value, wait for others that
/// work on keys of the same bucket; searches never wait.
///
/// ```
/// use warpproof_simt::cpu::CuckooMap;
/// use warpproof_model::host::{BulkMap, OpenGeometry};
///
/// let map = CuckooMap::<u64, u64>::with_geometry(OpenGeometry::at_load(1000, 0.95)?)?;
/// map.insert_unique(&[1, 2, 3], &[10, 20, 30])?.all_stored()?;
/// assert_eq!(map.search(&[2, 4])?, [Some(20), None]);
/// # Ok::<(), warpproof_simt::cpu::Error>(())
/// ```
pub type CuckooMap<K, V, const L: usize = OPEN_LANES, const S: usize = LANE_SLOTS> =
    Map<K, V, CuckooWords<<(K, V) as PackedEntry>::Store, L, S>>;

/// An [`OpenSet`](super::OpenSet) for high loads. See [`CuckooMap`].
///
/// ```
/// use warpproof_simt::cpu::CuckooSet;
/// use warpproof_model::host::BulkSet;
///
/// let set = CuckooSet::<u32>::build(&[1, 2, 3])?;
/// assert_eq!(set.contains(&[2, 4])?, [true, false]);
/// # Ok::<(), warpproof_simt::cpu::Error>(())
/// ```
pub type CuckooSet<K, const L: usize = OPEN_LANES, const S: usize = LANE_SLOTS> =
    Set<K, CuckooWords<<(K, ()) as PackedEntry>::Store, L, S>>;

/// A cuckoo table, run by warps of `L` lanes that read `S` slots each: a bucket has `L * S` slots.
///
/// Its memory is that of an open-addressing table, with locks in place of the filter.
pub struct CuckooWords<St, const L: usize = OPEN_LANES, const S: usize = LANE_SLOTS>(OpenWords<St, L, S>);

/// The table seen by warps that read `S` slots in each lane.
type View<'a, St, const S: usize> =
    CuckooTable<<St as PackedWords>::Entry, <St as PackedWords>::Words<'a>, Beside<'a>, S>;

impl<St: PackedWords, const L: usize, const S: usize> Buckets for CuckooWords<St, L, S> {
    #[inline(always)]
    fn insert_or_add(all: Self::AllKeys<'_>, w: &mut CpuWarp<L>, key: Self::Key, value: Self::Value) -> Add {
        all.insert_or_add(w, key, value)
    }
}

impl<St: PackedWords, const L: usize, const S: usize> FixedBuckets for CuckooWords<St, L, S> {
    const BUCKET_SLOTS: u32 = OpenWords::<St, L, S>::BUCKET_SLOTS;
    const SLOT_BYTES: u32 = OpenWords::<St, L, S>::SLOT_BYTES;

    fn copy_from(&mut self, from: &Self) {
        self.0.copy_from(&from.0);
    }
}

impl<St: PackedWords, const L: usize, const S: usize> CpuTable for CuckooWords<St, L, S> {
    type Key = <St::Entry as Packed>::Key;
    type Value = <St::Entry as Packed>::Value;
    type Structure = structure::Cuckoo;
    type Warp = CpuWarp<L>;
    type View<'a>
        = View<'a, St, S>
    where
        Self: 'a;
    type AllKeys<'a>
        = WithSlots<View<'a, St, S>, Reserved<'a, St>>
    where
        Self: 'a;

    fn geometry_for(pairs: u64) -> Result<OpenGeometry, Refused> {
        OpenWords::<St, L, S>::geometry_for(pairs)
    }

    fn new(geometry: OpenGeometry, seed: Seed) -> Result<Self, Error> {
        OpenWords::new(geometry, seed).map(Self)
    }

    fn geometry(&self) -> OpenGeometry {
        self.0.geometry()
    }

    fn seed(&self) -> Seed {
        self.0.seed()
    }

    fn stats(&self) -> OpenStats {
        stats::<L>(self.view(), self.0.reserved())
    }

    #[inline(always)]
    fn view(&self) -> View<'_, St, S> {
        let (slots, locks) = self.0.words();
        CuckooTable::new(slots, locks, self.0.geometry().buckets, self.0.seed())
    }

    #[inline(always)]
    fn all_keys(&self) -> WithSlots<View<'_, St, S>, Reserved<'_, St>> {
        WithSlots::new(self.view(), self.0.reserved().map())
    }

    fn clear(&mut self) {
        self.0.clear();
    }

    /// Slots, locks, and the reserved keys.
    fn bytes(&self) -> usize {
        self.0.bytes()
    }
}

impl<St: PackedWords, const L: usize, const S: usize> fmt::Debug for CuckooWords<St, L, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CuckooWords").field("geometry", &self.geometry()).finish_non_exhaustive()
    }
}
