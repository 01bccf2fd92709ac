//! The calls of a table of one type: on device slices, and on host slices.

use super::retrieved::Retrieved;
pub(crate) use super::summed::Sum;
use crate::bench::keys::Number;
use crate::bench::memory::Memory;
pub(crate) use crate::bench::row::{
    BETWEEN_LOCKED, CALLS, FLOORS, FROM_HOST, FROM_LOCKED, GROWING, MIXED, PARTITIONED, RETRIEVED, SUMMED,
};
use crate::entry::Entry;
use std::sync::Arc;
use warpproof::gpu::cudarc::driver::{CudaSlice, CudaStream, DriverError};
use warpproof::gpu::structures::Partitions;
use warpproof::gpu::{Error, KeyScalar, Staging};
use warpproof::model::outcome::Insert;
use warpproof::{BulkTable, Structure, any};

pub(super) type Stream = Arc<CudaStream>;
pub(super) type Done = Result<(), Error>;
/// Outcomes, or whether a key is there: a code each.
pub(super) type Codes = CudaSlice<u8>;

/// The memory of a table of such entries, built for so many at a load.
pub(crate) type MemoryOf<T> = fn(&T, Entry, (u32, f64)) -> Result<Memory, Error>;

/// A table of one type, whose keys and values are `K` and whose searches write `F`.
pub(crate) struct Calls<T, K, F> {
    pub(crate) clear: fn(&mut T, &Stream) -> Done,
    pub(crate) insert: fn(&T, &Stream, &Entries<K>, &mut Codes) -> Done,
    pub(crate) search: fn(&T, &Stream, &CudaSlice<K>, &mut CudaSlice<F>) -> Done,
    pub(crate) delete: fn(&T, &Stream, &CudaSlice<K>, &mut Codes) -> Done,
    /// The value that a search writes for a key with this value, or without one.
    pub(crate) found: fn(Option<K>) -> F,
    /// How many entries there are.
    pub(crate) len: fn(&T) -> Result<u64, Error>,
    pub(crate) memory: MemoryOf<T>,
}

/// Inserts keys and values.
pub(crate) type InsertFrom<T, K> = fn(&T, &mut Staging, (&[K], &[K]), &mut [Insert]) -> Done;

/// Writes the values of all keys to a slice.
pub(crate) type SearchOr<T, K> = fn(&T, &mut Staging, &[K], &mut [K]) -> Done;

/// Writes the values of all keys to a slice, through staging buffers that the device keeps.
pub(crate) type SearchSlice<T, K> = fn(&T, &[K], &mut [K]) -> Done;

/// A table of one type on host slices, whose searches answer with `A`.
pub(crate) struct StagedCalls<T, K, A> {
    pub(crate) insert: InsertFrom<T, K>,
    pub(crate) search: fn(&T, &mut Staging, &[K], &mut [A]) -> Done,
    /// The values of all keys, to a slice, if entries have values.
    pub(crate) search_or: Option<SearchOr<T, K>>,
    /// The answer for a key with this value, or without one.
    pub(crate) answer: fn(Option<K>) -> A,
}

/// Copies all entries, in the order of their slots or in any order; for a set, values stay as they were.
pub(crate) type Retrieve<T, K> = fn(&T, &Stream, bool, &mut Retrieved<K>) -> Done;

/// Inserts partition by partition.
pub(crate) struct PartitionedCalls<T, K> {
    /// Memory for a batch of so many operations, with outcomes or without.
    pub(crate) partitions: fn(&T, &Stream, usize, bool) -> Result<Partitions, Error>,
    pub(crate) counted: fn(&mut T, &Stream, &Entries<K>, &mut Partitions, &mut CudaSlice<u64>) -> Done,
    pub(crate) told: fn(&mut T, &Stream, &Entries<K>, &mut Partitions, &mut Codes) -> Done,
}

/// A key or value on a device.
pub(crate) trait Word: KeyScalar + Number + From<u32> {
    /// The value that a search writes for an absent key: not a stored value, as those have their top bit set.
    const MISSING: Self;
}

impl Word for u32 {
    const MISSING: Self = 1;
}

impl Word for u64 {
    const MISSING: Self = 1;
}

/// The entries of a table, on the host and on the device.
pub(crate) struct Entries<K> {
    pub(crate) keys: Vec<K>,
    pub(crate) values: Vec<K>,
    pub(crate) on_keys: CudaSlice<K>,
    pub(crate) on_values: CudaSlice<K>,
}

impl<K: Word> Entries<K> {
    /// These keys and values.
    pub(super) fn new(on: &Stream, keys: Vec<K>, values: Vec<K>) -> Result<Self, DriverError> {
        Ok(Self { on_keys: on.clone_htod(&keys)?, on_values: on.clone_htod(&values)?, keys, values })
    }
}

/// A table that reports its size and its statistics.
pub(crate) trait Measured:
    BulkTable<Error = Error, Structure: Structure<Geometry: Into<any::Geometry>, Stats: Into<any::Stats>>>
{
}

impl<T> Measured for T where
    T: BulkTable<Error = Error, Structure: Structure<Geometry: Into<any::Geometry>, Stats: Into<any::Stats>>>
{
}

/// How many entries a table of the library has.
pub(crate) fn len_of<T: Measured>(table: &T) -> Result<u64, Error> {
    table.len()
}

/// The memory of a table of the library.
pub(crate) fn memory_of<T: Measured>(table: &T, entry: Entry, at: (u32, f64)) -> Result<Memory, Error> {
    Memory::new(entry, at, table)
}

/// Measures the kernels of a table that grows, or step by step those of a table of fixed size: `Map`,
/// `Multimap` or `Set`, of some entries, of type `T`. Maps of u32 pairs also run mixes.
macro_rules! measured {
    ((growing) $shape:ident $entry:ident $T:ty, $bench:ident, $make:ident, $rows:ident) => {
        $bench.growing(
            $make,
            &calls!($shape $T, key!($entry)),
            calls!(search_slice $shape $T, key!($entry)),
            $rows,
        )
    };
    ((sharded) $shape:ident $entry:ident $T:ty, $bench:ident, $make:ident, $rows:ident) => {{
        let _ = (&$bench, &$make, &$rows);
        Err("the kernels of a table in shards are those of its shards: bench open".into())
    }};
    ((paged) $shape:ident $entry:ident $T:ty, $bench:ident, $make:ident, $rows:ident) => {{
        let mut table = $bench.table($make)?;
        $bench.fixed(&mut table, &calls!($shape $T, key!($entry)), &$bench.entries()?, $rows)
    }};
    ((fixed $($step:ident)*) $shape:ident $entry:ident $T:ty, $bench:ident, $make:ident, $rows:ident) => {{
        let calls = calls!($shape $T, key!($entry));
        let mut memory = $bench.no_memory();
        if $bench.measures(&names!(steps $shape $($step)*)) {
            let mut table = $bench.table($make)?;
            let entries = $bench.entries()?;
            memory = $bench.fixed(&mut table, &calls, &entries, $rows)?;
            $($bench.$step(&mut table, &calls, calls!($step $shape $T, key!($entry)), &entries, $rows)?;)*
            $bench.staged(&mut table, &calls, calls!(staged $shape $T, key!($entry)), &entries, $rows)?;
        }
        measured!($entry $bench, $make, $rows, calls, memory);
        Ok(memory)
    }};
    (Map32 $bench:ident, $make:ident, $rows:ident, $calls:ident, $memory:ident) => {
        $bench.map32($make, &$calls, $rows, &mut $memory)?
    };
    ($other:ident $bench:ident, $make:ident, $rows:ident, $calls:ident, $memory:ident) => {
        let _ = &mut $memory;
    };
}
pub(crate) use measured;

/// The names of the rows that `measured!` adds for such a table.
macro_rules! names {
    ((growing) $shape:ident $entry:ident) => {
        [&GROWING[..], names!(between $shape)].concat()
    };
    // Their kernels are not measured.
    ((sharded) $shape:ident $entry:ident) => {
        Vec::new()
    };
    ((paged) $shape:ident $entry:ident) => {
        CALLS.to_vec()
    };
    ((fixed $($step:ident)*) $shape:ident $entry:ident) => {
        [names!(steps $shape $($step)*), names!(alone $entry)].concat()
    };
    (steps $shape:ident $($step:ident)*) => {
        [&CALLS[..], $(&names!(step $step),)* &names!(step staged), names!(between $shape)].concat()
    };
    (step retrieved) => {
        RETRIEVED
    };
    (step partitioned) => {
        PARTITIONED
    };
    (step summed) => {
        SUMMED
    };
    (step staged) => {
        [FROM_HOST, FROM_LOCKED].concat()
    };
    (between Set) => {
        &[]
    };
    (between $map:ident) => {
        &BETWEEN_LOCKED
    };
    (alone Map32) => {
        [&FLOORS[..], &MIXED].concat()
    };
    (alone $other:ident) => {
        Vec::new()
    };
}
pub(crate) use names;

/// The type of keys and values.
macro_rules! key {
    (Map32) => {
        u32
    };
    (Multimap32) => {
        u32
    };
    (Set32) => {
        u32
    };
    ($of_64_bits:ident) => {
        u64
    };
}
pub(crate) use key;

/// The calls of a table of type `T`.
macro_rules! calls {
    (Set $T:ty, $K:ty) => {
        calls! { $T, $K, u8, |value| u8::from(value.is_some()),
            |t, on, of, said| t.on_stream(on).insert(&of.on_keys, said),
            |t, on, keys, found| t.on_stream(on).contains(keys, found) }
    };
    (Map $T:ty, $K:ty) => {
        calls! { map $T, $K,
            |t, on, of, said| t.on_stream(on).insert_unique(&of.on_keys, &of.on_values, said) }
    };
    (Multimap $T:ty, $K:ty) => {
        calls! { map $T, $K,
            |t, on, of, said| t.on_stream(on).insert(&of.on_keys, &of.on_values, said) }
    };
    (map $T:ty, $K:ty, $insert:expr) => {
        calls! { $T, $K, $K, |value| value.unwrap_or(<$K as Word>::MISSING), $insert,
            |t, on, keys, found| t.on_stream(on).search_or(keys, found, <$K as Word>::MISSING, None) }
    };
    ($T:ty, $K:ty, $F:ty, $found:expr, $insert:expr, $search:expr) => {{
        let calls: Calls<$T, $K, $F> = Calls {
            clear: |t, on| t.clear_on(on),
            insert: $insert,
            search: $search,
            delete: |t, on, keys, said| t.on_stream(on).delete(keys, said),
            found: $found,
            len: len_of::<$T>,
            memory: memory_of::<$T>,
        };
        calls
    }};

    (staged Set $T:ty, $K:ty) => {
        calls! { staged $T, $K, bool, None, |value| value.is_some(),
            |t, through, of, said| t.staged(through).insert(of.0, said),
            |t, through, keys, answers| t.staged(through).contains(keys, answers) }
    };
    (staged Map $T:ty, $K:ty) => {
        calls! { staged $T, $K, Option<$K>, calls!(search_or $T, $K), |value| value,
            |t, through, of, said| t.staged(through).insert_unique(of.0, of.1, said),
            |t, through, keys, answers| t.staged(through).search(keys, answers) }
    };
    (staged Multimap $T:ty, $K:ty) => {
        calls! { staged $T, $K, Option<$K>, calls!(search_or $T, $K), |value| value,
            |t, through, of, said| t.staged(through).insert(of.0, of.1, said),
            |t, through, keys, answers| t.staged(through).search(keys, answers) }
    };
    (staged $T:ty, $K:ty, $A:ty, $search_or:expr, $answer:expr, $insert:expr, $search:expr) => {{
        let calls: StagedCalls<$T, $K, $A> =
            StagedCalls { insert: $insert, search: $search, search_or: $search_or, answer: $answer };
        calls
    }};
    (search_or $T:ty, $K:ty) => {
        Some(|t, through, keys, values| {
            t.staged(through).search_or(keys, values, <$K as Word>::MISSING)
        })
    };

    (search_slice Set $T:ty, $K:ty) => { None };
    (search_slice Map $T:ty, $K:ty) => {
        Some(|t, keys, values| t.search_or(keys, values, <$K as Word>::MISSING))
    };

    (retrieved Set $T:ty, $K:ty) => { calls! { retrieved $T, $K, [] } };
    (retrieved $map:ident $T:ty, $K:ty) => { calls! { retrieved $T, $K, [values] } };
    (retrieved $T:ty, $K:ty, [$($values:ident)?]) => {{
        let retrieve: Retrieve<$T, $K> = |t, on, in_order, out| {
            let (table, keys, count) = (t.on_stream(on), &mut out.keys, &mut out.count);
            match in_order {
                true => table.retrieve_all_in_order(keys, $(&mut out.$values,)? count),
                false => table.retrieve_all(keys, $(&mut out.$values,)? count),
            }
        };
        retrieve
    }};

    (summed Map $T:ty, $K:ty) => {{
        let sum: Sum<$T, $K> =
            |t, on, of, said| t.on_stream(on).insert_or_add(&of.on_keys, &of.on_values, said);
        sum
    }};

    (partitioned Set $T:ty, $K:ty) => { calls! { partitioned $T, $K, [] } };
    (partitioned $map:ident $T:ty, $K:ty) => { calls! { partitioned $T, $K, [on_values] } };
    (partitioned $T:ty, $K:ty, [$($values:ident)?]) => {{
        let calls: PartitionedCalls<$T, $K> = PartitionedCalls {
            partitions: |t, on, n, told| match told {
                true => t.partitions_with_outcomes_on(on, n),
                false => t.partitions_on(on, n),
            },
            counted: |t, on, of, partitions, tally| {
                t.insert_partitioned_on(on, &of.on_keys, $(&of.$values,)? partitions, tally)
            },
            told: |t, on, of, partitions, said| {
                t.insert_partitioned_with_outcomes_on(on, &of.on_keys, $(&of.$values,)? partitions, said)
            },
        };
        calls
    }};
}
pub(crate) use calls;
