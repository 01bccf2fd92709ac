//! Tables on device slices, and on host slices, as far as they are measured.

use super::retrieved::Retrieved;
use crate::bench::entry::Number;
use crate::bench::timed::{Answers, Batch, POISON};
use core::any::Any;
use std::sync::Arc;
use warpproof::gpu::cudarc::driver::{CudaSlice, CudaStream, DeviceRepr, DriverError};
use warpproof::gpu::structures::{self, Holds, Partitions};
use warpproof::gpu::{
    DynamicMap, DynamicSet, Entry, Error, Map, OpenMap, OpenSet, Scalar, Set, SlabMultimap, Staging,
};
use warpproof::model::outcome::Insert;
use warpproof::{BulkMap, BulkTable, Structure, any};

type Stream = Arc<CudaStream>;
type Done = Result<(), Error>;
/// Outcomes, or whether a key is there: a code each.
type Codes = CudaSlice<u8>;

/// A key or value on a device.
pub(crate) trait Word: Scalar + Number {
    /// What a search writes where there is no pair: no value, as those have their top bit set.
    const MISSING: Self;
    /// What an output holds before a kernel writes it.
    const POISON: Self;
}

impl Word for u32 {
    const MISSING: Self = 1;
    const POISON: Self = Self::from_ne_bytes([POISON; 4]);
}

impl Word for u64 {
    const MISSING: Self = 1;
    const POISON: Self = Self::from_ne_bytes([POISON; 8]);
}

/// The entries of a table, on the host and on the device.
pub(crate) struct Entries<K> {
    pub(super) keys: Vec<K>,
    pub(super) values: Vec<K>,
    pub(super) on_keys: CudaSlice<K>,
    pub(super) on_values: CudaSlice<K>,
}

impl<K: Word> Entries<K> {
    /// These keys and values.
    pub(super) fn new(on: &Stream, keys: Vec<K>, values: Vec<K>) -> Result<Self, DriverError> {
        Ok(Self { on_keys: on.clone_htod(&keys)?, on_values: on.clone_htod(&values)?, keys, values })
    }
}

/// A table that says how large it is and what it holds.
pub(crate) trait Numbers:
    BulkTable<Error = Error, Structure: Structure<Geometry: Into<any::Geometry>, Stats: Into<any::Stats>>>
{
}

impl<T> Numbers for T where
    T: BulkTable<Error = Error, Structure: Structure<Geometry: Into<any::Geometry>, Stats: Into<any::Stats>>>
{
}

/// A table on device slices.
pub(crate) trait Slices: Numbers {
    /// Its keys and values.
    type Key: Word;
    /// What a search writes.
    type Found: DeviceRepr + Copy + PartialEq;
    /// What an output holds before a search writes it: no answer of a search.
    const POISON: Self::Found;
    /// Whether there are values.
    const PAIRS: bool;

    fn insert(&self, on: &Stream, entries: &Entries<Self::Key>, outcomes: &mut Codes) -> Done;
    fn search(&self, on: &Stream, keys: &CudaSlice<Self::Key>, found: &mut CudaSlice<Self::Found>) -> Done;
    /// What a search writes for a key with this value, or without one.
    fn found(value: Option<Self::Key>) -> Self::Found;
}

/// A table of a fixed size, on device slices and on host slices.
pub(crate) trait Fixed: Slices {
    /// What a search of host slices answers.
    type Answer: Copy + PartialEq + Send + Sync;

    fn clear_on(&mut self, on: &Stream) -> Done;
    fn delete(&self, on: &Stream, keys: &CudaSlice<Self::Key>, outcomes: &mut Codes) -> Done;
    fn insert_staged(&self, through: &mut Staging, of: &Entries<Self::Key>, outcomes: &mut [Insert]) -> Done;
    fn search_staged(&self, through: &mut Staging, keys: &[Self::Key], answers: &mut [Self::Answer]) -> Done;
    /// The answer for a key with this value, or without one.
    fn answer(value: Option<Self::Key>) -> Self::Answer;
}

/// A table that copies its entries in the order of their slots too.
pub(crate) trait Ordered: Fixed {
    /// Copies all entries; of a set, values stay as they were.
    fn retrieve(&self, on: &Stream, in_order: bool, out: &mut Retrieved<Self::Key>) -> Done;
}

/// A table into which a batch goes partition by partition.
pub(crate) trait Partitioned: Fixed {
    /// Memory for a batch of `n`, with outcomes or without.
    fn partitions(&self, on: &Stream, n: usize, told: bool) -> Result<Partitions, Error>;
    fn insert_counted(
        &mut self,
        on: &Stream,
        entries: &Entries<Self::Key>,
        partitions: &mut Partitions,
        tally: &mut CudaSlice<u64>,
    ) -> Done;
    fn insert_told(
        &mut self,
        on: &Stream,
        entries: &Entries<Self::Key>,
        partitions: &mut Partitions,
        outcomes: &mut Codes,
    ) -> Done;
}

/// A map of u32 pairs, on which mixed batches run.
pub(crate) trait Mixed: Fixed<Key = u32> + BulkMap<u32, u32, Error = Error> {
    /// Queues a batch.
    fn run(&self, on: &Stream, batch: &Batch, answers: &mut Answers) -> Done;
}

impl<S: Holds<(u32, u32)>> Mixed for Map<u32, u32, S>
where
    Self: Fixed<Key = u32> + BulkMap<u32, u32, Error = Error>,
{
    fn run(&self, on: &Stream, batch: &Batch, answers: &mut Answers) -> Done {
        batch.run(&self.on_stream(on), answers)
    }
}

/// A map as one that keeps several pairs of a key, if it does.
fn several<K: Word>(map: &dyn Any) -> Option<&SlabMultimap<K, K>>
where
    (K, K): Entry,
{
    map.downcast_ref()
}

/// Maps and sets on device slices, of a fixed size or growing.
macro_rules! slices {
    ($map:ty $(, $M:ident: $of_pairs:path)?; $set:ty $(, $S:ident: $of_keys:path)?) => {
        impl<K: Word $(, $M: $of_pairs)?> Slices for $map
        where
            (K, K): Entry,
            Self: Numbers,
        {
            type Key = K;
            type Found = K;
            const POISON: K = K::POISON;
            const PAIRS: bool = true;

            fn insert(&self, on: &Stream, of: &Entries<K>, outcomes: &mut Codes) -> Done {
                match several(self) {
                    Some(map) => map.on_stream(on).insert(&of.on_keys, &of.on_values, outcomes),
                    None => self.on_stream(on).insert_unique(&of.on_keys, &of.on_values, outcomes),
                }
            }
            fn search(&self, on: &Stream, keys: &CudaSlice<K>, found: &mut CudaSlice<K>) -> Done {
                self.on_stream(on).search_or(keys, found, K::MISSING, None)
            }
            fn found(value: Option<K>) -> K {
                value.unwrap_or(K::MISSING)
            }
        }

        impl<K: Word $(, $S: $of_keys)?> Slices for $set
        where
            Self: Numbers,
        {
            type Key = K;
            type Found = u8;
            const POISON: u8 = POISON;
            const PAIRS: bool = false;

            fn insert(&self, on: &Stream, of: &Entries<K>, outcomes: &mut Codes) -> Done {
                self.on_stream(on).insert(&of.on_keys, outcomes)
            }
            fn search(&self, on: &Stream, keys: &CudaSlice<K>, found: &mut Codes) -> Done {
                self.on_stream(on).contains(keys, found)
            }
            fn found(value: Option<K>) -> u8 {
                value.is_some().into()
            }
        }
    };
}
slices! { Map<K, K, S>, S: Holds<(K, K)>; Set<K, S>, S: Holds<(K,)> }
slices! { DynamicMap<K, K>; DynamicSet<K> }

impl<K: Word, S: Holds<(K, K)>> Fixed for Map<K, K, S>
where
    (K, K): Entry,
    Self: Slices<Key = K>,
{
    type Answer = Option<K>;

    fn clear_on(&mut self, on: &Stream) -> Done {
        self.clear_on(on)
    }
    fn delete(&self, on: &Stream, keys: &CudaSlice<K>, outcomes: &mut Codes) -> Done {
        self.on_stream(on).delete(keys, outcomes)
    }
    fn insert_staged(&self, through: &mut Staging, of: &Entries<K>, outcomes: &mut [Insert]) -> Done {
        match several(self) {
            Some(map) => map.staged(through).insert(&of.keys, &of.values, outcomes),
            None => self.staged(through).insert_unique(&of.keys, &of.values, outcomes),
        }
    }
    fn search_staged(&self, through: &mut Staging, keys: &[K], answers: &mut [Option<K>]) -> Done {
        self.staged(through).search(keys, answers)
    }
    fn answer(value: Option<K>) -> Option<K> {
        value
    }
}

impl<K: Word, S: Holds<(K,)>> Fixed for Set<K, S>
where
    Self: Slices<Key = K>,
{
    type Answer = bool;

    fn clear_on(&mut self, on: &Stream) -> Done {
        self.clear_on(on)
    }
    fn delete(&self, on: &Stream, keys: &CudaSlice<K>, outcomes: &mut Codes) -> Done {
        self.on_stream(on).delete(keys, outcomes)
    }
    fn insert_staged(&self, through: &mut Staging, of: &Entries<K>, outcomes: &mut [Insert]) -> Done {
        self.staged(through).insert(&of.keys, outcomes)
    }
    fn search_staged(&self, through: &mut Staging, keys: &[K], answers: &mut [bool]) -> Done {
        self.staged(through).contains(keys, answers)
    }
    fn answer(value: Option<K>) -> bool {
        value.is_some()
    }
}

/// What maps or sets of open addressing do besides.
macro_rules! besides {
    ($row:ty: $table:ty, $open:ty $(, [$pair:ty] $values:ident $on_values:ident)?) => {
        impl<K: Word, S: Holds<$row> + structures::Ordered> Ordered for $table
        where
            $($pair: Entry,)?
            Self: Fixed<Key = K>,
        {
            fn retrieve(&self, on: &Stream, in_order: bool, out: &mut Retrieved<K>) -> Done {
                let table = self.on_stream(on);
                let (keys, count) = (&mut out.keys, &mut out.count);
                if in_order {
                    table.retrieve_all_in_order(keys, $(&mut out.$values,)? count)
                } else {
                    table.retrieve_all(keys, $(&mut out.$values,)? count)
                }
            }
        }

        impl<K: Word> Partitioned for $open
        where
            $($pair: Entry,)?
            Self: Fixed<Key = K>,
        {
            fn partitions(&self, on: &Stream, n: usize, told: bool) -> Result<Partitions, Error> {
                if told { self.partitions_with_outcomes_on(on, n) } else { self.partitions_on(on, n) }
            }
            fn insert_counted(
                &mut self,
                on: &Stream,
                of: &Entries<K>,
                partitions: &mut Partitions,
                tally: &mut CudaSlice<u64>,
            ) -> Done {
                self.insert_partitioned_on(on, &of.on_keys, $(&of.$on_values,)? partitions, tally)
            }
            fn insert_told(
                &mut self,
                on: &Stream,
                of: &Entries<K>,
                partitions: &mut Partitions,
                outcomes: &mut Codes,
            ) -> Done {
                self.insert_partitioned_with_outcomes_on(on, &of.on_keys, $(&of.$on_values,)? partitions, outcomes)
            }
        }
    };
}
besides! { (K, K): Map<K, K, S>, OpenMap<K, K>, [(K, K)] values on_values }
besides! { (K,): Set<K, S>, OpenSet<K> }
