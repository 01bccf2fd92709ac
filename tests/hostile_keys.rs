//! Keys that an attacker has chosen to make a table slow. If the attacker does not know the table's seed,
//! they are as fast as any other keys. If the attacker knows it, they can cause `Full` or long chains, but
//! the table takes no more memory than with other keys.

use std::time::{Duration, Instant};
#[cfg(feature = "gpu")]
use warpproof::gpu;
use warpproof::model::entry::Packed;
use warpproof::model::host::{PagedGeometry, left_out, structure};
use warpproof::model::key::mix;
use warpproof::model::open::MOST_PROBES;
use warpproof::model::paged::host::child_seed;
use warpproof::model::paged::{Choose, Way};
use warpproof::model::{Hash64, Key, Seed, Word};
use warpproof::simt::cpu::cuckoo::CuckooWords;
use warpproof::simt::cpu::dynamic::{Dynamic, DynamicWords, SubmapMap};
use warpproof::simt::cpu::hopscotch::HopscotchWords;
use warpproof::simt::cpu::open::OpenWords;
use warpproof::simt::cpu::packed::PackedStore;
use warpproof::simt::cpu::{
    CpuTable, CuckooMap, DynamicMap, HopscotchMap, Map, OpenMap, PagedMap, SlabMap, WaitFreeMap,
};
use warpproof::{Assign, BulkMap, BulkTable, Insert};

#[cfg(feature = "gpu")]
#[path = "support/device.rs"]
mod device;

const KEYS: u64 = 100_000;

/// How much slower chosen keys may be than random ones: they are as fast (notes/hash.md), but others may run
/// beside this test. Without a seed they were 1,000 times as slow.
const SLOWER: u32 = 10;

/// Keys that had the same home in every table when the hash had no seed: that hash was the finalizer of
/// MurmurHash3 of the low half and of the high half.
fn of_one_home() -> Vec<u64> {
    let low = |high: u64| mix(high as u32).wrapping_add(0x9e37_79b9) ^ 0x1234_5678;
    (0..KEYS).map(|high| high << 32 | low(high) as u64).collect()
}

fn random() -> Vec<u64> {
    (0..KEYS).map(|i| Seed::new(5).hash(i).bits()).collect()
}

/// The times to fill a table with each of two lists of keys and to search for them: the best of several runs.
fn times<M: BulkMap<u64, u64> + BulkTable<Error: core::fmt::Debug>>(
    make: impl Fn() -> M,
    keys: [&[u64]; 2],
) -> [Duration; 2] {
    let one = |keys: &[u64]| {
        let map = make();
        let start = Instant::now();
        let said = map.insert_unique(keys, keys).unwrap();
        let found = map.search(keys).unwrap();
        let time = start.elapsed();
        assert!(said.into_iter().all(|said| said == Insert::Inserted));
        assert!(found.into_iter().zip(keys).all(|(found, key)| found == Some(*key)));
        time
    };
    let best = [Duration::MAX; 2];
    (0..5).fold(best, |best, _| [0, 1].map(|which| best[which].min(one(keys[which]))))
}

fn keys_that_collided_are_like_others<M>(name: &str, make: impl Fn() -> M)
where
    M: BulkMap<u64, u64> + BulkTable<Error: core::fmt::Debug>,
{
    let [chosen, others] = times(&make, [&of_one_home(), &random()]);
    println!("{name}: {chosen:?} of chosen keys, {others:?} of random ones");
    assert!(chosen <= SLOWER * others, "{name}: {chosen:?} of chosen keys, {others:?} of random ones");
}

#[test]
fn keys_of_one_home_without_a_seed_cost_no_more_than_others() {
    keys_that_collided_are_like_others("open", || OpenMap::<u64, u64>::with_capacity(KEYS).unwrap());
    keys_that_collided_are_like_others("cuckoo", || CuckooMap::<u64, u64>::with_capacity(KEYS).unwrap());
    keys_that_collided_are_like_others("hopscotch", || {
        HopscotchMap::<u64, u64>::with_capacity(KEYS).unwrap()
    });
    keys_that_collided_are_like_others("slab", || SlabMap::<u64, u64>::with_capacity(KEYS).unwrap());
    keys_that_collided_are_like_others("waitfree", || WaitFreeMap::<u64, u64>::with_capacity(KEYS).unwrap());
    keys_that_collided_are_like_others("dynamic", || DynamicMap::<u64, u64>::with_capacity(1).unwrap());
    keys_that_collided_are_like_others("paged", || {
        PagedMap::<u64, u64>::with_geometry(PagedMap::<u64, u64>::size(KEYS, 0.8, 1 << 18, 1 << 20).unwrap())
            .unwrap()
    });
    keys_that_collided_are_like_others("submaps", || SubmapMap::<u64, u64>::with_capacity(1).unwrap());
}

/// A type of keys that all have the same hash, like keys that were chosen by someone who knows the seed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct Chosen(u32);

impl Word for Chosen {
    const ZERO: Self = Self(0);
    fn to_bits(self) -> u128 {
        self.0.into()
    }
    fn from_bits(bits: u128) -> Self {
        Self(bits as u32)
    }
}

impl Key for Chosen {
    const FIRST_RESERVED: Self = Self(u32::MAX - 1);

    fn hash(self, seed: Seed) -> Hash64 {
        seed.hash32(7)
    }
}

/// Such a key and a value in a word.
#[derive(Clone, Copy, Debug)]
struct Pair;

impl Packed for Pair {
    type Key = Chosen;
    type Value = u32;
    type Word = u64;
    const EMPTY: u64 = u64::MAX;
    const MARK: u64 = Chosen::FIRST_RESERVED.0 as u64 | (u32::MAX as u64) << 32;

    fn pack(key: Chosen, value: u32) -> u64 {
        key.0 as u64 | (value as u64) << 32
    }
    fn key(word: u64) -> Chosen {
        Chosen(word as u32)
    }
    fn value(word: u64) -> u32 {
        (word >> 32) as u32
    }
}

type Store = PackedStore<Pair, core::sync::atomic::AtomicU64, 8>;
type OfChosen<T> = Map<Chosen, u32, T>;

/// Inserts keys of one hash and returns how many found room. They are found, and the table takes no more
/// memory than before.
fn stored<T: CpuTable<Key = Chosen, Value = u32>>(n: u32) -> u64 {
    let map = OfChosen::<T>::with_capacity(n.into()).unwrap();
    let bytes = map.table().bytes();
    let keys: Vec<Chosen> = (0..n).map(Chosen).collect();
    let values: Vec<u32> = (0..n).collect();
    let said = map.insert_unique(&keys, &values).unwrap();
    for ((said, found), value) in said.iter().zip(map.search(&keys).unwrap()).zip(&values) {
        assert_eq!(found, (*said == Insert::Inserted).then_some(*value));
    }
    assert_eq!(map.table().bytes(), bytes);
    let stored = u64::from(n) - left_out(&said);
    assert_eq!(map.len().unwrap(), stored);
    stored
}

#[test]
fn keys_of_one_hash_end_in_full_and_take_no_memory() {
    // 512 buckets of eight slots; two buckets of eight; two groups of seven slots.
    assert_eq!(stored::<OpenWords<Store>>(KEYS as u32), 512 * 8);
    assert_eq!(stored::<CuckooWords<Store>>(KEYS as u32), 2 * 8);
    // Four buckets of one submap, though it could add more.
    assert_eq!(stored::<DynamicWords<Store>>(KEYS as u32), 4 * 8);
    let in_neighbourhood = stored::<HopscotchWords<Store>>(KEYS as u32);
    assert!((8..1000).contains(&in_neighbourhood), "{in_neighbourhood}");
}

/// A table that grows says `Full` too: it does not grow for keys for which no size has room. The keys that
/// found room stay, also when it grows for others.
#[test]
fn a_table_does_not_grow_for_keys_of_one_hash() {
    let map = Dynamic::<OfChosen<OpenWords<Store>>>::with_capacity(1).unwrap();
    let keys: Vec<Chosen> = (0..KEYS as u32).map(Chosen).collect();
    let said = map.insert_unique(&keys, &vec![1; keys.len()]).unwrap();
    let stored = KEYS - left_out(&said);
    assert_eq!(stored, 512 * 8);
    assert!(map.geometry().slots() <= 21_000, "{} slots", map.geometry().slots());
    map.reserve(KEYS).unwrap();
    let found = map.search(&keys).unwrap().into_iter().flatten().count();
    assert_eq!((found as u64, map.len().unwrap()), (stored, stored));
}

/// Chosen keys and others: the table grows for the others, and nothing that was stored is lost.
fn grows_beside_keys_that_were_chosen_for<M>(seed: Seed, map: &M)
where
    M: BulkMap<u64, u64> + BulkTable<Error: core::fmt::Debug>,
{
    // Of neighbouring homes, more than the buckets near them have room for.
    let chosen: Vec<u64> = (0..).filter(|key: &u64| key.hash(seed).digit(256) == 3).take(4000).collect();
    let others = random();
    let said = [&chosen, &others].map(|keys| map.insert_or_assign(keys, keys).unwrap());
    let full = said.each_ref().map(|said| said.iter().filter(|&&said| said == Assign::Full).count());
    println!("Full: {} of {} chosen keys, {} of {} others", full[0], chosen.len(), full[1], others.len());
    assert!(full[0] < chosen.len() / 2 && full[1] < others.len() / 100, "{full:?}");
    for (keys, said) in [&chosen, &others].into_iter().zip(said) {
        for ((found, said), key) in map.search(keys).unwrap().into_iter().zip(said).zip(keys) {
            assert_eq!(found, (said != Assign::Full).then_some(*key));
        }
    }
}

#[test]
fn a_table_grows_beside_keys_that_were_chosen_for_its_seed() {
    let seed = Seed::new(7);
    let map = DynamicMap::<u64, u64>::with_seed(1 << 10, 0.8, seed).unwrap();
    grows_beside_keys_that_were_chosen_for(seed, &map);
}

/// Keys of child table 0 whose homes are all in a sixteenth of it, and which probe the next buckets. There
/// are more of them than slots that they probe.
fn chosen_for_a_child(seed: Seed, size: PagedGeometry) -> Vec<u64> {
    let (child, homes) = (child_seed(seed, 0), size.child.buckets / 16);
    let chosen = |key: &u64| {
        let hash = key.hash(child);
        hash.bits() as u32 >> 24 == 0
            && hash.digit(size.child.buckets) < homes
            && key.hash(seed).digit(size.children) == 0
    };
    let slots = (homes + MOST_PROBES) * size.child.bucket_slots;
    (0..).filter(chosen).take(slots as usize * 9 / 8).collect()
}

/// Such keys find room after the child table is rebuilt with another seed, in a frame or in place. The keys
/// of other child tables do not move.
fn a_child_takes_keys_that_were_chosen_for_it<M>(name: &str, seed: Seed, map: &M)
where
    M: BulkMap<u64, u64, Structure = structure::Paged>,
{
    let others = random();
    let (others, more) = others.split_at(5_000);
    let keys = chosen_for_a_child(seed, map.geometry());
    assert_eq!(left_out(&map.insert_unique(others, others).unwrap()), 0, "{name}");
    assert_eq!(left_out(&map.insert_unique(&keys, &keys).unwrap()), 0, "{name}");
    let rebuilt = map.stats().unwrap().rebuilt;
    assert!(rebuilt > 0, "{name}: they have found room without another seed");
    // Other child tables come into the frame of this one, and it comes back.
    assert_eq!(left_out(&map.insert_unique(&more[..5_000], &more[..5_000]).unwrap()), 0, "{name}");
    for keys in [&keys, others, &more[..5_000]] {
        assert!(map.search(keys).unwrap().into_iter().eq(keys.iter().copied().map(Some)), "{name}");
    }
    assert_eq!(map.len().unwrap(), keys.len() as u64 + 10_000, "{name}");
    assert_eq!(map.stats().unwrap().rebuilt, rebuilt, "{name}: once is enough");
}

/// Checks that child tables take chosen keys both ways, in place and in frames, of tables that `make` makes.
fn children_take_chosen_keys<M>(
    name: &str,
    size: PagedGeometry,
    make: impl Fn(PagedGeometry, Choose, Seed) -> M,
) where
    M: BulkMap<u64, u64, Structure = structure::Paged>,
{
    assert!(size.children >= 2, "{size:?}");
    let seed = Seed::new(7);
    // In a table of the child's size and seed they find none.
    let (keys, alone) = (chosen_for_a_child(seed, size), child_seed(seed, 0));
    let one = OpenMap::<u64, u64>::with_seed(size.child, alone).unwrap();
    assert!(left_out(&one.insert_unique(&keys, &keys).unwrap()) > 0);
    for way in [Way::InPlace, Way::Resident] {
        let map = make(size, Choose::Always(way), seed);
        a_child_takes_keys_that_were_chosen_for_it(&format!("{name}, {way:?}"), seed, &map);
    }
}

/// About 24,000 pairs in two child tables, one of which is in a frame.
const PAIRS: u64 = 24_000;
const CHILD: u64 = 1 << 18;

#[test]
fn a_child_table_gets_another_seed_where_keys_were_chosen_for_its_own() {
    type Map = PagedMap<u64, u64>;
    let size = Map::size(PAIRS, 0.8, CHILD, 2 * CHILD).unwrap();
    children_take_chosen_keys("cpu", size, |size, choose, seed| Map::with_seed(size, choose, seed).unwrap());
}

#[cfg(feature = "gpu")]
#[test]
fn a_child_table_on_a_gpu_gets_another_seed_where_keys_were_chosen_for_its_own() {
    type Map = gpu::PagedMap<u64, u64>;
    let Some(device) = device::device() else { return };
    let size = Map::size(PAIRS, 0.8, CHILD, 2 * CHILD).unwrap();
    let make = |size, choose, seed| Map::with_seed(device, size, choose, Default::default(), seed).unwrap();
    children_take_chosen_keys("gpu", size, make);
}

#[cfg(feature = "gpu")]
#[test]
fn a_table_on_a_gpu_takes_chosen_keys_like_others() {
    fn holds<M: BulkMap<u64, u64> + BulkTable<Error: core::fmt::Debug>>(name: &str, map: &M) {
        let keys = of_one_home();
        let said = map.insert_unique(&keys, &keys).unwrap();
        assert_eq!(left_out(&said), 0, "{name}");
        assert_eq!(map.search(&keys).unwrap(), keys.iter().copied().map(Some).collect::<Vec<_>>(), "{name}");
    }
    let Some(device) = device::device() else { return };
    holds("open", &gpu::OpenMap::<u64, u64>::with_capacity(device, KEYS).unwrap());
    // These need words of 128 bits.
    if device.wide() {
        holds("cuckoo", &gpu::CuckooMap::<u64, u64>::with_capacity(device, KEYS).unwrap());
        holds("hopscotch", &gpu::HopscotchMap::<u64, u64>::with_capacity(device, KEYS).unwrap());
    }
    holds("slab", &gpu::SlabMap::<u64, u64>::with_capacity(device, KEYS).unwrap());
    holds("waitfree", &gpu::WaitFreeMap::<u64, u64>::with_capacity(device, KEYS).unwrap());
    holds("dynamic", &gpu::DynamicMap::<u64, u64>::with_capacity(device, 1).unwrap());
    let seed = Seed::new(7);
    let map = gpu::DynamicMap::<u64, u64>::with_seed(device, 1 << 10, 0.8, Default::default(), seed).unwrap();
    grows_beside_keys_that_were_chosen_for(seed, &map);
    assert!(map.bytes() <= 4 * 16 * (KEYS + 4000), "{} bytes", map.bytes());
}

/// A table that refused to grow for chosen keys is compacted and cleared; one of other keys grows.
#[test]
fn submaps_are_added_for_others_than_chosen_keys() {
    let mut map = OfChosen::<DynamicWords<Store>>::with_capacity(1000).unwrap();
    let keys: Vec<Chosen> = (0..1000).map(Chosen).collect();
    let said = map.insert_unique(&keys, &vec![1; keys.len()]).unwrap();
    assert_eq!(left_out(&said), 1000 - 4 * 8);
    map.compact().unwrap();
    assert_eq!(map.len().unwrap(), 4 * 8);
    map.clear().unwrap();
    let others = SubmapMap::<u64, u64>::with_capacity(1000).unwrap();
    assert_eq!(left_out(&others.insert_unique(&random(), &random()).unwrap()), 0);
    assert!(others.table().submaps() > 3);
}
