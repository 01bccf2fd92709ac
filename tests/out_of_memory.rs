//! The bulk calls when memory runs out: each of their allocations fails in turn, alone, and together with all
//! that follow. A call returns an error that says so, or the right answers. Nothing is lost, and the next
//! call finds a table that works.
//!
//! The allocator is that of the whole process. So this is a separate program without a harness, in which no
//! other thread takes memory meanwhile.

#[path = "support/device.rs"]
mod device;

use device::device;
use std::alloc::{GlobalAlloc, Layout, System};
use std::fmt::Debug;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::time::Duration;
use warpproof::gpu;
use warpproof::model::Seed;
use warpproof::model::paged::{Choose, Way};
use warpproof::simt::cpu::dynamic::{SubmapMap, SubmapSet};
use warpproof::simt::cpu::{
    self, CuckooMap, CuckooSet, DynamicMap, DynamicSet, HopscotchMap, HopscotchSet, OpenMap, OpenSet,
    PagedMap, PagedSet, SlabMap, SlabMultimap, SlabSet, WaitFreeMap, WaitFreeSet,
};
use warpproof::{
    BulkCounter, BulkFlush, BulkMap, BulkMatches, BulkMultimap, BulkOrdered, BulkSet, BulkTable, Op,
    SlabGeometry,
};

#[global_allocator]
static ALLOCATOR: Refusing = Refusing;

/// The allocator of the system, which can be told to refuse.
struct Refusing;

/// Allocations until one is refused.
static UNTIL: AtomicU64 = AtomicU64::new(NEVER);
/// Whether all that follow are refused too.
static FOR_EVER: AtomicBool = AtomicBool::new(false);
/// Bytes of an allocation that may be refused, at least.
static LEAST: AtomicUsize = AtomicUsize::new(0);
/// Allocations that were refused.
static REFUSED: AtomicU64 = AtomicU64::new(0);

const NEVER: u64 = u64::MAX;

/// Bytes of a block of the queue in which calls from outside reach rayon's threads. Rayon takes one for each
/// 63 calls, and ends the process if there is none.
const QUEUE_BLOCK: usize = 1520;

fn refused(bytes: usize) -> bool {
    if bytes == QUEUE_BLOCK || bytes < LEAST.load(SeqCst) {
        return false;
    }
    let next = |until| match until {
        NEVER => None,
        0 if FOR_EVER.load(SeqCst) => Some(0),
        0 => Some(NEVER),
        more => Some(more - 1),
    };
    let refused = UNTIL.fetch_update(SeqCst, SeqCst, next) == Ok(0);
    if refused {
        REFUSED.fetch_add(1, SeqCst);
    }
    refused
}

// SAFETY: what is not refused comes from the allocator of the system, and goes back to it.
unsafe impl GlobalAlloc for Refusing {
    // SAFETY: as the trait's.
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: passed on.
        if refused(layout.size()) { std::ptr::null_mut() } else { unsafe { System.alloc(layout) } }
    }
    // SAFETY: as the trait's.
    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        // SAFETY: passed on; `old` comes from the same allocator.
        unsafe { System.dealloc(old, layout) }
    }
    // SAFETY: as the trait's.
    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: passed on; `old` comes from the same allocator.
        if refused(size) { std::ptr::null_mut() } else { unsafe { System.realloc(old, layout, size) } }
    }
}

/// Runs `call` while allocation number `until` is refused. Returns its result, and how many were refused.
fn refusing<R>(until: u64, for_ever: bool, call: impl FnOnce() -> R) -> (R, u64) {
    FOR_EVER.store(for_ever, SeqCst);
    REFUSED.store(0, SeqCst);
    UNTIL.store(until, SeqCst);
    let said = call();
    UNTIL.store(NEVER, SeqCst);
    (said, REFUSED.load(SeqCst))
}

/// The errors of a backend.
trait Failure: std::error::Error {
    /// How many operations had run when memory ran out; `None` if it did not.
    fn ran(&self) -> Option<usize>;
}

impl Failure for cpu::Error {
    fn ran(&self) -> Option<usize> {
        if let Self::OutOfMemory { ran, .. } = self { Some(*ran as usize) } else { None }
    }
}

impl Failure for gpu::Error {
    fn ran(&self) -> Option<usize> {
        if let Self::OutOfMemory { ran, .. } = self { Some(*ran as usize) } else { None }
    }
}

/// How the calls ended.
#[derive(Default, Debug)]
struct Counts {
    calls: u64,
    answered: u64,
    failed: u64,
    /// Of those that failed: after the first parts of the batch had run.
    failed_between_parts: u64,
}

impl Counts {
    /// `call` on tables that `make` makes, with the first so many of `n` operations, as each allocation is
    /// refused. `entries` are those of a table, in order.
    fn refuse_each<T, A: PartialEq + Debug, E: PartialEq + Debug, F: Failure>(
        &mut self,
        name: &str,
        n: usize,
        make: impl Fn() -> T,
        call: impl Fn(&mut T, usize) -> Result<A, F>,
        entries: impl Fn(&T) -> E,
    ) {
        let run = |n| {
            let mut table = make();
            let answers = call(&mut table, n).expect("memory for a small table");
            (answers, entries(&table))
        };
        let expected = run(n);
        for for_ever in [false, true] {
            for until in 0.. {
                let mut table = make();
                let (said, refused) = refusing(until, for_ever, || call(&mut table, n));
                if refused == 0 {
                    assert_eq!((said.unwrap(), entries(&table)), expected, "{name}");
                    break;
                }
                self.calls += 1;
                match said {
                    Ok(answers) => {
                        self.answered += 1;
                        assert_eq!((answers, entries(&table)), expected, "{name}, allocation {until}");
                    }
                    Err(error) => {
                        self.failed += 1;
                        let Some(ran) = error.ran() else { panic!("{name}, allocation {until}: {error}") };
                        let done = if ran == 0 { entries(&make()) } else { run(ran).1 };
                        assert_eq!(entries(&table), done, "{name}, allocation {until}, after {ran}");
                        let next = call(&mut table, n).expect("memory for a small table");
                        if ran == 0 {
                            assert_eq!(next, expected.0, "{name}: the next call");
                        } else {
                            self.failed_between_parts += 1;
                        }
                    }
                }
            }
        }
    }
}

/// All entries, in order.
fn sorted<T: BulkTable<Entry: Ord>>(table: &T) -> Vec<T::Entry> {
    in_order(table.retrieve_all().expect("memory for a small table"))
}

/// Takes no memory.
fn in_order<E: Ord>(mut entries: Vec<E>) -> Vec<E> {
    entries.sort_unstable();
    entries
}

/// Keys for a table of half as many.
fn keys<K: TryFrom<u32, Error: Debug>>(n: u32) -> Vec<K> {
    (0..2 * n).map(|i| K::try_from(5 * i + 1).unwrap()).collect()
}

/// Tests every call of maps, on maps of half of `$keys`. The batches have as many keys, half of which are in
/// the map. The argument makes such a map.
macro_rules! map {
    ($counts:ident, $map:ty, $keys:expr $(, $device:ident)?) => {
        map!($counts, $map, $keys, made |capacity| <$map>::with_capacity($($device,)? capacity))
    };
    ($counts:ident, $map:ty, $keys:expr, made $make:expr) => {{
        let new = $make;
        let (keys, name) = ($keys, stringify!($map));
        let (n, capacity) = (keys.len() / 2, keys.len() as u64);
        let (old, batch) = (&keys[..n], &keys[n / 2..][..n]);
        let ops = [Op::InsertUnique, Op::Assign, Op::Delete, Op::Search];
        let ops: Vec<_> = ops.into_iter().cycle().take(n).collect();
        let make = move || {
            let map: $map = new(capacity).unwrap();
            map.insert_unique(old, old).unwrap().all_stored().unwrap();
            map
        };
        macro_rules! each {
            ($call:literal, |$table:ident, $len:pat_param| $run:expr) => {
                $counts.refuse_each(&format!("{name} {}", $call), n, make, |$table, $len| $run, sorted)
            };
        }
        let call = |(): &mut (), _| new(capacity).map(|_| ());
        $counts.refuse_each(&format!("{name} with_capacity"), 0, || (), call, |()| ());
        each!("insert_unique", |map, len| map.insert_unique(&batch[..len], &batch[..len]));
        each!("insert_or_assign", |map, len| map.insert_or_assign(&batch[..len], &old[..len]));
        each!("search", |map, len| map.search(&batch[..len]));
        each!("contains", |map, len| BulkMap::contains(map, &batch[..len]));
        each!("count", |map, len| map.count(&batch[..len]));
        each!("delete", |map, len| BulkMap::delete(map, &batch[..len]));
        each!("mixed", |map, len| map.mixed(&ops[..len], &batch[..len], &old[..len]));
        each!("retrieve_all", |map, _| map.retrieve_all().map(in_order));
        each!("len", |map, _| map.len());
        each!("stats", |map, _| BulkTable::stats(map).map(|_| ()));
        each!("clear", |map, _| map.clear());
        make
    }};
}

/// Tests every call of sets, in the same way.
macro_rules! set {
    ($counts:ident, $set:ty, $keys:expr $(, $device:ident)?) => {
        set!($counts, $set, $keys, made |capacity| <$set>::with_capacity($($device,)? capacity))
    };
    ($counts:ident, $set:ty, $keys:expr, made $make:expr) => {{
        let new = $make;
        let (keys, name) = ($keys, stringify!($set));
        let n = keys.len() / 2;
        let (old, batch) = (&keys[..n], &keys[n / 2..][..n]);
        let make = || {
            let set: $set = new(keys.len() as u64).unwrap();
            set.insert(old).unwrap().all_stored().unwrap();
            set
        };
        macro_rules! each {
            ($call:literal, |$table:ident, $len:pat_param| $run:expr) => {
                $counts.refuse_each(&format!("{name} {}", $call), n, make, |$table, $len| $run, sorted)
            };
        }
        each!("insert", |set, len| set.insert(&batch[..len]));
        each!("contains", |set, len| BulkSet::contains(set, &batch[..len]));
        each!("delete", |set, len| BulkSet::delete(set, &batch[..len]));
        each!("retrieve_all", |set, _| set.retrieve_all().map(in_order));
    }};
}

/// `build` of a map, and of a set.
macro_rules! build {
    ($counts:ident, $map:ty, $set:ty, $keys:expr) => {{
        let (keys, name) = ($keys, stringify!($map));
        let call = |(): &mut (), _| <$map>::build(keys, keys).and_then(|map| map.len());
        $counts.refuse_each(&format!("{name} build"), 0, || (), call, |()| ());
        let call = |(): &mut (), _| <$set>::build(keys).and_then(|set| set.len());
        $counts.refuse_each(&format!("{name} build of a set"), 0, || (), call, |()| ());
    }};
}

/// How many calls were refused memory.
fn open_maps(counts: &mut Counts, n: u32) -> u64 {
    let before = counts.calls;
    let keys = keys(n);
    let (n, keys) = (n as usize, &keys[..]);
    let make = map!(counts, OpenMap<u32, u32>, keys);
    let call = |map: &mut OpenMap<u32, u32>, len: usize| map.insert_or_add(&keys[..len], &keys[..len]);
    counts.refuse_each("OpenMap insert_or_add", n, make, call, sorted);
    let call = |map: &mut OpenMap<u32, u32>, _| map.rehash(map.geometry());
    counts.refuse_each("OpenMap rehash", 0, make, call, sorted);
    let call = |map: &mut OpenMap<u32, u32>, _| map.retrieve_all_in_order().map(in_order);
    counts.refuse_each("OpenMap retrieve_all_in_order", 0, make, call, sorted);
    counts.calls - before
}

fn slabs(counts: &mut Counts) {
    let keys = keys::<u32>(10_000);
    let _ = map!(counts, SlabMap<u32, u32>, &keys);
    let (gone, left) = keys.split_at(5000);
    // By other seeds a flush gives back other numbers of slabs.
    let size = SlabGeometry::for_pairs(keys.len() as u64).unwrap();
    let make = || {
        let map = SlabMap::<u32, u32>::with_seed(size, Seed::new(1)).unwrap();
        map.insert_unique(&keys, &keys).unwrap().all_stored().unwrap();
        map
    };
    let call = |map: &mut SlabMap<u32, u32>, _| BulkMap::delete(map, gone).and_then(|_| map.flush());
    let those_left = |map: &SlabMap<u32, u32>| map.search(left).unwrap();
    counts.refuse_each("SlabMap delete and flush", 0, make, call, those_left);

    // Three pairs of each key, which are equal: their order is not known.
    let make = || {
        let map = SlabMultimap::<u32, u32>::with_capacity(60_000).unwrap();
        for _ in 0..3 {
            map.insert(&keys, &keys).unwrap().all_stored().unwrap();
        }
        map
    };
    let n = keys.len();
    let call = |map: &mut SlabMultimap<u32, u32>, len: usize| map.insert(&keys[..len], &keys[..len]);
    counts.refuse_each("SlabMultimap insert", n, make, call, sorted);
    let call = |map: &mut SlabMultimap<u32, u32>, len: usize| map.search_all(&keys[..len]);
    counts.refuse_each("SlabMultimap search_all", n, make, call, sorted);
    let call = |map: &mut SlabMultimap<u32, u32>, len: usize| map.delete_all(&keys[..len]);
    counts.refuse_each("SlabMultimap delete_all", n, make, call, sorted);
}

/// Tables that grow during a batch, and by calls of `reserve` and `shrink`.
fn growing(counts: &mut Counts) {
    let keys = keys(1000);
    let make = map!(counts, DynamicMap<u64, u64>, &keys);
    let more: Vec<u64> = (0..100_000).map(|i| 5 * i + 2).collect();
    let n = more.len();
    let call = |map: &mut DynamicMap<u64, u64>, len: usize| map.insert_unique(&more[..len], &more[..len]);
    counts.refuse_each("DynamicMap insert_unique of more", n, make, call, sorted);
    let call = |map: &mut DynamicMap<u64, u64>, len: usize| map.insert_or_add(&more[..len], &more[..len]);
    counts.refuse_each("DynamicMap insert_or_add of more", n, make, call, sorted);
    counts.refuse_each("DynamicMap reserve", 0, make, |map, _| map.reserve(100_000), sorted);
    counts.refuse_each("DynamicMap shrink", 0, make, |map, _| map.shrink(), sorted);
    set!(counts, DynamicSet<u64>, &more);
}

/// Tables that are paged, through three frames.
fn paged(counts: &mut Counts) {
    type Map = PagedMap<u64, u64>;
    let keys = keys(2_000);
    let of_size = |entries, child_bytes| {
        let size = Map::size(entries, 0.8, child_bytes, 9 * child_bytes / 2)?;
        Map::with_seed(size, Choose::Always(Way::Resident), Seed::new(1))
    };
    let make = map!(counts, Map, &keys, made | entries | of_size(entries, 16 << 10));
    let call = |map: &mut Map, len: usize| map.insert_or_add(&keys[..len], &keys[..len]);
    counts.refuse_each("PagedMap insert_or_add", keys.len(), make, call, sorted);
    // In two parts.
    let more: Vec<u64> = (0..70_000).map(|i| 5 * i + 2).collect();
    let large = || of_size(140_000, 512 << 10).unwrap();
    let call = |map: &mut Map, len: usize| map.insert_unique(&more[..len], &more[..len]);
    counts.refuse_each("PagedMap insert_unique in parts", more.len(), large, call, sorted);
    let keys: Vec<u64> = more[..4_000].to_vec();
    let of_size = |keys| PagedSet::with_geometry(PagedSet::<u64>::size(keys, 0.8, 16 << 10, 72 << 10)?);
    set!(counts, PagedSet<u64>, &keys, made of_size);
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let filter = arguments.iter().find(|argument| !argument.starts_with('-'));
    if arguments.iter().any(|argument| argument == "--list")
        || filter.is_some_and(|filter| !"out_of_memory".contains(filter.as_str()))
    {
        return;
    }
    // Rayon's threads take memory of their own when they begin.
    rayon::broadcast(|_| std::thread::sleep(Duration::from_millis(50)));
    each_allocation_on_a_cpu_may_fail();
    if let Some(device) = device() {
        each_large_allocation_beside_a_gpu_may_fail(device);
    }
}

fn each_allocation_on_a_cpu_may_fail() {
    let mut counts = Counts::default();
    // Batches that run in their order, and region by region, for which more is taken.
    let (few, many) = (open_maps(&mut counts, 1000), open_maps(&mut counts, 110_000));
    assert!(many > 4 * few, "{many} and {few} calls");
    slabs(&mut counts);
    let (keys32, keys64) = (keys::<u32>(1000), keys::<u64>(1000));
    _ = map!(counts, OpenMap<u64, u64>, &keys64);
    _ = map!(counts, CuckooMap<u64, u64>, &keys64);
    _ = map!(counts, HopscotchMap<u64, u64>, &keys64);
    _ = map!(counts, WaitFreeMap<u64, u64>, &keys64);
    _ = map!(counts, SubmapMap<u64, u64>, &keys64);
    _ = map!(counts, SlabMap<u64, u64>, &keys64);
    set!(counts, OpenSet<u64>, &keys64);
    set!(counts, CuckooSet<u64>, &keys64);
    set!(counts, HopscotchSet<u64>, &keys64);
    set!(counts, SlabSet, &keys32);
    set!(counts, WaitFreeSet<u64>, &keys64);
    set!(counts, SubmapSet<u64>, &keys64);
    build!(counts, OpenMap<u64, u64>, OpenSet<u64>, &keys64);
    build!(counts, SlabMap<u32, u32>, SlabSet, &keys32);
    assert_eq!(counts.failed_between_parts, 0, "batches of tables of a fixed size have one part");
    growing(&mut counts);
    paged(&mut counts);
    assert!(counts.failed_between_parts > 0, "{counts:?}");
    println!("{counts:?}");
}

/// Tables that are paged beside a GPU: of so many child tables that lists of them are large.
fn paged_beside_a_gpu(counts: &mut Counts, device: &gpu::Device) {
    type Map = gpu::PagedMap<u64, u64>;
    type Set = gpu::PagedSet<u64>;
    let keys = keys::<u64>(30_000);
    let of_size = |entries, child_bytes, way| {
        let size = Map::size(entries, 0.8, child_bytes, 9 * child_bytes / 2)?;
        Map::with_seed(device, size, Choose::Always(way), gpu::Tuning::default(), Seed::new(1))
    };
    let make = map!(counts, Map, &keys, made | entries | of_size(entries, 4 << 10, Way::InPlace));
    assert!(make().geometry().children >= 256);
    let call = |map: &mut Map, len: usize| map.insert_or_add(&keys[..len], &keys[..len]);
    counts.refuse_each("paged insert_or_add", keys.len(), make, call, sorted);
    // In two parts, through three frames.
    let more: Vec<u64> = (0..70_000).map(|i| 5 * i + 2).collect();
    let large = || of_size(140_000, 512 << 10, Way::Resident).unwrap();
    let call = |map: &mut Map, len: usize| map.insert_unique(&more[..len], &more[..len]);
    counts.refuse_each("paged insert_unique in parts", more.len(), large, call, sorted);
    let of_size = |entries| Set::with_geometry(device, Set::size(entries, 0.8, 16 << 10, 72 << 10)?);
    set!(counts, Set, &keys, made of_size);
}

/// Calls of a GPU, on the host's side. Only large allocations are refused: small ones are those of cudarc,
/// which cannot handle a failure, and of messages.
fn each_large_allocation_beside_a_gpu_may_fail(device: &'static gpu::Device) {
    LEAST.store(4096, SeqCst);
    let mut counts = Counts::default();
    let (keys32, keys64) = (keys::<u32>(30_000), keys::<u64>(30_000));
    let open = map!(counts, gpu::OpenMap<u64, u64>, &keys64, device);
    let call =
        |map: &mut gpu::OpenMap<u64, u64>, len: usize| map.insert_or_add(&keys64[..len], &keys64[..len]);
    counts.refuse_each("insert_or_add", keys64.len(), open, call, sorted);
    let call = |map: &mut gpu::OpenMap<u64, u64>, len: usize| {
        map.insert_partitioned_with_outcomes(&keys64[..len], &keys64[..len])
    };
    counts.refuse_each("insert_partitioned_with_outcomes", keys64.len(), open, call, sorted);
    let call = |map: &mut gpu::OpenMap<u64, u64>, len: usize| {
        map.insert_partitioned(&keys64[..len], &keys64[..len]).map(|tally| (tally.inserted, tally.present))
    };
    counts.refuse_each("insert_partitioned", keys64.len(), open, call, sorted);
    _ = map!(counts, gpu::OpenMap<u32, u32>, &keys32, device);
    _ = map!(counts, gpu::SlabMap<u64, u64>, &keys64, device);
    let slabs = map!(counts, gpu::SlabMap<u32, u32>, &keys32, device);
    let call = |map: &mut gpu::SlabMap<u32, u32>, len: usize| map.search_all(&keys32[..len]);
    counts.refuse_each("search_all", keys32.len(), slabs, call, sorted);
    _ = map!(counts, gpu::HopscotchMap<u32, u32>, &keys32, device);
    _ = map!(counts, gpu::CuckooMap<u32, u32>, &keys32, device);
    _ = map!(counts, gpu::WaitFreeMap<u64, u64>, &keys64, device);
    set!(counts, gpu::OpenSet<u64>, &keys64, device);
    assert_eq!(counts.failed_between_parts, 0, "batches of tables of a fixed size have one part");
    paged_beside_a_gpu(&mut counts, device);
    assert!(counts.failed_between_parts > 0, "{counts:?}");
    _ = map!(counts, gpu::DynamicMap<u64, u64>, &keys64, device);
    set!(counts, gpu::DynamicSet<u32>, &keys32, device);
    println!("{counts:?}");
    assert!(counts.failed > 0, "{counts:?}");
}
