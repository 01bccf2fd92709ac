//! Tables on device slices, and on host slices, as far as they are measured.

use crate::backend::geometry;
use crate::bench::entry::Number;
use crate::bench::memory::Contents;
use crate::bench::timed::{Answers, Batch, POISON};
use crate::failure::Failure;
use crate::tables::{hopscotch, open};
use std::sync::Arc;
use warpproof::gpu::cudarc::driver::{CudaSlice, CudaStream, DeviceRepr};
use warpproof::gpu::structures::{Holds, Partitions};
use warpproof::gpu::{
    CuckooMap, CuckooSet, Device, Entry, Error, HopscotchMap, HopscotchSet, Map, OpenMap, OpenSet, Scalar,
    SlabMap, SlabMultimap, SlabSet, Staging, Tuning,
};
use warpproof::model::host::{HopscotchStats, OpenStats, Refused, SlabStats};
use warpproof::model::outcome::Insert;
use warpproof::{BulkMap, BulkTable, HopscotchGeometry, OpenGeometry, SlabGeometry};

/// A table on device slices.
pub(super) trait Subject: Sized {
    /// Its keys and values.
    type Key: Scalar + Number;
    /// What a search writes.
    type Found: DeviceRepr + Copy + PartialEq;
    /// What it says of itself.
    type Contents: Contents;
    /// Whether an insert may find no room in a table that was made for its pairs.
    const MAY_BE_FULL: bool;

    /// The size for `pairs` pairs at a load, if `total` are inserted in its life, and its kernels run as `tuning` says.
    fn size(pairs: u64, total: u64, load: f64, tuning: Tuning) -> Result<Size<Self>, Failure>;
    fn new(device: &Device, size: Size<Self>, tuning: Tuning) -> Result<Self, Error>;
    fn clear_on(&mut self, stream: &Arc<CudaStream>) -> Result<(), Error>;
    fn insert(
        &self,
        stream: &Arc<CudaStream>,
        keys: &CudaSlice<Self::Key>,
        values: &CudaSlice<Self::Key>,
        outcomes: &mut CudaSlice<u8>,
    ) -> Result<(), Error>;
    fn search(
        &self,
        stream: &Arc<CudaStream>,
        keys: &CudaSlice<Self::Key>,
        found: &mut CudaSlice<Self::Found>,
    ) -> Result<(), Error>;
    fn delete(
        &self,
        stream: &Arc<CudaStream>,
        keys: &CudaSlice<Self::Key>,
        outcomes: &mut CudaSlice<u8>,
    ) -> Result<(), Error>;
    /// What a search through staging buffers answers.
    type Answer: Copy + PartialEq + Send + Sync;
    /// The answer for a key with this value, or without one.
    fn answer(value: Option<Self::Key>) -> Self::Answer;
    fn insert_from_host(
        &self,
        staging: &mut Staging,
        keys: &[Self::Key],
        values: &[Self::Key],
        outcomes: &mut [Insert],
    ) -> Result<(), Error>;
    fn find_from_host(
        &self,
        staging: &mut Staging,
        keys: &[Self::Key],
        answers: &mut [Self::Answer],
    ) -> Result<(), Error>;
    /// Whether it copies its entries to device slices.
    const RETRIEVES: bool = false;
    /// Copies all entries; of a set, `values` stay as they were.
    fn retrieve(
        &self,
        _stream: &Arc<CudaStream>,
        _in_order: bool,
        _out: &mut Retrieved<Self::Key>,
    ) -> Result<(), Error> {
        Ok(())
    }
    /// Memory to insert a batch partition by partition, with outcomes or without.
    fn partitions(
        &self,
        _stream: &Arc<CudaStream>,
        _n: usize,
        _told: bool,
    ) -> Result<Option<Partitions>, Error> {
        Ok(None)
    }
    /// Inserts a batch partition by partition.
    fn insert_partitioned(
        &mut self,
        _stream: &Arc<CudaStream>,
        _keys: &CudaSlice<Self::Key>,
        _values: &CudaSlice<Self::Key>,
        _partitions: &mut Partitions,
        _tally: &mut CudaSlice<u64>,
    ) -> Result<(), Error> {
        Ok(())
    }
    /// The same with an outcome for each entry.
    fn insert_partitioned_with_outcomes(
        &mut self,
        _stream: &Arc<CudaStream>,
        _keys: &CudaSlice<Self::Key>,
        _values: &CudaSlice<Self::Key>,
        _partitions: &mut Partitions,
        _outcomes: &mut CudaSlice<u8>,
    ) -> Result<(), Error> {
        Ok(())
    }
    fn contents(&self) -> Result<Self::Contents, Error>;
    fn live(&self) -> Result<u64, Error>;
    /// What a search writes for a key with this value, or without one.
    fn found(value: Option<Self::Key>) -> Self::Found;
    /// What an output holds before a search writes it: no answer of a search.
    fn poison() -> Self::Found;
}

/// What a table copied: keys, values, and how many.
pub(super) struct Retrieved<K> {
    pub(super) keys: CudaSlice<K>,
    pub(super) values: CudaSlice<K>,
    pub(super) count: CudaSlice<u64>,
}

/// The size of a table.
pub(super) type Size<T> = <<T as Subject>::Contents as Contents>::Geometry;

/// A map of u32 pairs, on which mixed batches run.
pub(super) trait Mixable: Subject<Key = u32> + BulkMap<u32, u32, Error = Error> {
    /// Queues a batch.
    fn run(&self, stream: &Arc<CudaStream>, batch: &Batch, answers: &mut Answers) -> Result<(), Error>;
}

impl<S: Holds<(u32, u32)>> Mixable for Map<u32, u32, S>
where
    Self: Subject<Key = u32>,
{
    fn run(&self, stream: &Arc<CudaStream>, batch: &Batch, answers: &mut Answers) -> Result<(), Error> {
        batch.run(&self.on_stream(stream), answers)
    }
}

/// The size of a map of at least as many slots, in its own buckets: those of a large one where a tuning asks for a width, as a
/// small one has kernels of one lane alone.
fn own_buckets<K: Scalar>(size: OpenGeometry, tuning: Tuning) -> Result<OpenGeometry, Refused>
where
    (K, K): Entry,
{
    match tuning.lanes {
        Some(_) => size.in_buckets_of(OpenMap::<K, K>::BUCKET_SLOTS),
        None => OpenMap::<K, K>::size(size.slots() as u64, 1.0),
    }
}

/// The same of a map in which keys move, for `pairs` pairs at a load.
fn own_buckets_moving<K: Scalar>(pairs: u64, load: f64, tuning: Tuning) -> Result<OpenGeometry, Refused>
where
    (K, K): Entry,
{
    match tuning.lanes {
        Some(_) => OpenGeometry::new(pairs, load, CuckooMap::<K, K>::BUCKET_SLOTS),
        None => CuckooMap::<K, K>::size(pairs, load),
    }
}

/// What is the same for pairs and keys: some of it differs between the structures.
macro_rules! sized {
    (slab $bulk:ident) => {
        sized! { any }
        type Contents = SlabStats;
        // The pool is as large as the pairs need whatever their keys are.
        const MAY_BE_FULL: bool = false;

        fn size(pairs: u64, total: u64, load: f64, _: Tuning) -> Result<SlabGeometry, Failure> {
            geometry(pairs, total, load)
        }
        fn contents(&self) -> Result<SlabStats, Error> {
            $bulk::stats(self)
        }
    };
    (hopscotch $bulk:ident) => {
        sized! { any }
        type Contents = HopscotchStats;
        const MAY_BE_FULL: bool = true;

        fn size(pairs: u64, _: u64, load: f64, _: Tuning) -> Result<HopscotchGeometry, Failure> {
            hopscotch::size(pairs, load)
        }
        fn contents(&self) -> Result<HopscotchStats, Error> {
            $bulk::stats(self)
        }
    };
    (open $bulk:ident $own:expr) => {
        sized! { any }
        type Contents = OpenStats;
        // A size has a slot for every pair that is inserted.
        const MAY_BE_FULL: bool = false;

        fn size(pairs: u64, total: u64, load: f64, tuning: Tuning) -> Result<OpenGeometry, Failure> {
            $own(open::size(pairs, total, load)?, tuning).map_err(Failure::backend)
        }
        fn contents(&self) -> Result<OpenStats, Error> {
            $bulk::stats(self)
        }
    };
    (cuckoo $bulk:ident $own:expr) => {
        sized! { any }
        type Contents = OpenStats;
        const MAY_BE_FULL: bool = true;

        fn size(pairs: u64, _: u64, load: f64, tuning: Tuning) -> Result<OpenGeometry, Failure> {
            $own(pairs, load, tuning).map_err(Failure::backend)
        }
        fn contents(&self) -> Result<OpenStats, Error> {
            $bulk::stats(self)
        }
    };
    (any) => {
        fn new(device: &Device, size: Size<Self>, tuning: Tuning) -> Result<Self, Error> {
            Self::with_tuning(device, size, tuning)
        }
        fn clear_on(&mut self, stream: &Arc<CudaStream>) -> Result<(), Error> {
            self.clear_on(stream)
        }
    };
}

/// What a table of open addressing does besides, with pairs or keys.
macro_rules! besides {
    (open $out:ident, $key:ty: $($values:ident)?) => {
        besides! { cuckoo $out, $key: $($values)? }

        fn partitions(&self, stream: &Arc<CudaStream>, n: usize, told: bool) -> Result<Option<Partitions>, Error> {
            if told { self.partitions_with_outcomes_on(stream, n) } else { self.partitions_on(stream, n) }.map(Some)
        }
        fn insert_partitioned(
            &mut self,
            stream: &Arc<CudaStream>,
            keys: &CudaSlice<$key>,
            _values: &CudaSlice<$key>,
            partitions: &mut Partitions,
            tally: &mut CudaSlice<u64>,
        ) -> Result<(), Error> {
            $(let $values = _values;)?
            self.insert_partitioned_on(stream, keys, $($values,)? partitions, tally)
        }
        fn insert_partitioned_with_outcomes(
            &mut self,
            stream: &Arc<CudaStream>,
            keys: &CudaSlice<$key>,
            _values: &CudaSlice<$key>,
            partitions: &mut Partitions,
            outcomes: &mut CudaSlice<u8>,
        ) -> Result<(), Error> {
            $(let $values = _values;)?
            self.insert_partitioned_with_outcomes_on(stream, keys, $($values,)? partitions, outcomes)
        }
    };
    (cuckoo $out:ident, $key:ty: $($values:ident)?) => {
        const RETRIEVES: bool = true;

        fn retrieve(
            &self,
            stream: &Arc<CudaStream>,
            in_order: bool,
            $out: &mut Retrieved<$key>,
        ) -> Result<(), Error> {
            let on = self.on_stream(stream);
            if in_order {
                on.retrieve_all_in_order(&mut $out.keys, $(&mut $out.$values,)? &mut $out.count)
            } else {
                on.retrieve_all(&mut $out.keys, $(&mut $out.$values,)? &mut $out.count)
            }
        }
    };
    ($other:ident $($rest:tt)*) => {};
}

macro_rules! of_pairs {
    ($structure:ident $bulk:ident $table:ident<$key:ty>, $insert:ident $(, $own:expr)?) => {
        impl Subject for $table<$key, $key> {
            type Key = $key;
            type Found = $key;
            sized! { $structure $bulk $($own)? }
            besides! { $structure out, $key: values }

            fn insert(
                &self,
                stream: &Arc<CudaStream>,
                keys: &CudaSlice<$key>,
                values: &CudaSlice<$key>,
                outcomes: &mut CudaSlice<u8>,
            ) -> Result<(), Error> {
                self.on_stream(stream).$insert(keys, values, outcomes)
            }
            type Answer = Option<$key>;
            fn answer(value: Option<$key>) -> Option<$key> {
                value
            }
            fn insert_from_host(
                &self,
                staging: &mut Staging,
                keys: &[$key],
                values: &[$key],
                outcomes: &mut [Insert],
            ) -> Result<(), Error> {
                self.staged(staging).$insert(keys, values, outcomes)
            }
            fn find_from_host(
                &self,
                staging: &mut Staging,
                keys: &[$key],
                answers: &mut [Option<$key>],
            ) -> Result<(), Error> {
                self.staged(staging).search(keys, answers)
            }
            fn search(
                &self,
                stream: &Arc<CudaStream>,
                keys: &CudaSlice<$key>,
                found: &mut CudaSlice<$key>,
            ) -> Result<(), Error> {
                self.on_stream(stream).search_or(keys, found, MISSING as $key, None)
            }
            fn delete(
                &self,
                stream: &Arc<CudaStream>,
                keys: &CudaSlice<$key>,
                outcomes: &mut CudaSlice<u8>,
            ) -> Result<(), Error> {
                self.on_stream(stream).delete(keys, outcomes)
            }
            fn live(&self) -> Result<u64, Error> {
                self.len()
            }
            fn found(value: Option<$key>) -> $key {
                value.unwrap_or(MISSING as $key)
            }
            fn poison() -> $key {
                <$key>::from_ne_bytes([POISON; size_of::<$key>()])
            }
        }
    };
}
of_pairs!(slab BulkTable SlabMap<u32>, insert_unique);
of_pairs!(slab BulkTable SlabMap<u64>, insert_unique);
of_pairs!(slab BulkTable SlabMultimap<u32>, insert);
of_pairs!(hopscotch BulkTable HopscotchMap<u32>, insert_unique);
of_pairs!(hopscotch BulkTable HopscotchMap<u64>, insert_unique);
of_pairs!(open BulkTable OpenMap<u32>, insert_unique, own_buckets::<u32>);
of_pairs!(open BulkTable OpenMap<u64>, insert_unique, own_buckets::<u64>);
of_pairs!(cuckoo BulkTable CuckooMap<u32>, insert_unique, own_buckets_moving::<u32>);
of_pairs!(cuckoo BulkTable CuckooMap<u64>, insert_unique, own_buckets_moving::<u64>);

/// What a search writes where there is no pair: no value, as those have their top bit set.
const MISSING: u8 = 1;

macro_rules! of_keys {
    ($structure:ident $bulk:ident $table:ty, $key:ty $(, $own:expr)?) => {
        impl Subject for $table {
            type Key = $key;
            type Found = u8;
            sized! { $structure $bulk $($own)? }
            besides! { $structure out, $key: }

            fn insert(
                &self,
                stream: &Arc<CudaStream>,
                keys: &CudaSlice<$key>,
                _: &CudaSlice<$key>,
                outcomes: &mut CudaSlice<u8>,
            ) -> Result<(), Error> {
                self.on_stream(stream).insert(keys, outcomes)
            }
            type Answer = bool;
            fn answer(value: Option<$key>) -> bool {
                value.is_some()
            }
            fn insert_from_host(
                &self,
                staging: &mut Staging,
                keys: &[$key],
                _: &[$key],
                outcomes: &mut [Insert],
            ) -> Result<(), Error> {
                self.staged(staging).insert(keys, outcomes)
            }
            fn find_from_host(
                &self,
                staging: &mut Staging,
                keys: &[$key],
                answers: &mut [bool],
            ) -> Result<(), Error> {
                self.staged(staging).contains(keys, answers)
            }
            fn search(
                &self,
                stream: &Arc<CudaStream>,
                keys: &CudaSlice<$key>,
                found: &mut CudaSlice<u8>,
            ) -> Result<(), Error> {
                self.on_stream(stream).contains(keys, found)
            }
            fn delete(
                &self,
                stream: &Arc<CudaStream>,
                keys: &CudaSlice<$key>,
                outcomes: &mut CudaSlice<u8>,
            ) -> Result<(), Error> {
                self.on_stream(stream).delete(keys, outcomes)
            }
            fn live(&self) -> Result<u64, Error> {
                self.len()
            }
            fn found(value: Option<$key>) -> u8 {
                value.is_some().into()
            }
            fn poison() -> u8 {
                POISON
            }
        }
    };
}
of_keys!(slab BulkTable SlabSet, u32);
of_keys!(hopscotch BulkTable HopscotchSet<u32>, u32);
of_keys!(hopscotch BulkTable HopscotchSet<u64>, u64);
of_keys!(open BulkTable OpenSet<u32>, u32, |size, _| Ok::<_, Refused>(size));
of_keys!(open BulkTable OpenSet<u64>, u64, |size, _| Ok::<_, Refused>(size));
of_keys!(cuckoo BulkTable CuckooSet<u32>, u32, |pairs, load, _| OpenGeometry::at_load(pairs, load));
of_keys!(cuckoo BulkTable CuckooSet<u64>, u64, |pairs, load, _| OpenGeometry::at_load(pairs, load));
