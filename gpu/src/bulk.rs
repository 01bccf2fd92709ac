//! Operations on host slices: each call copies its input to the device, waits, and copies the answers back. What the
//! maps and sets of all structures share.

use crate::arguments::Operation;
use crate::error::Error;
use crate::layout::Scalar;
use crate::on::{MapOn, SetOn};
use crate::table::Table;
use core::marker::PhantomData;
use cudarc::driver::{CudaSlice, DeviceRepr};
use warpproof_model::host::{Answer, Op, admit, same_length};
use warpproof_model::outcome::{Assign, Delete, Insert, Mixed};

/// A map, for host slices.
pub(crate) struct MapBulk<'a, K, V> {
    table: &'a Table,
    types: PhantomData<(K, V)>,
}

impl<'a, K: Scalar, V: Scalar> MapBulk<'a, K, V> {
    /// The operations on a table of such keys and values.
    pub(crate) fn new(table: &'a Table) -> Self {
        Self { table, types: PhantomData }
    }

    /// The operations on the stream of host-slice calls.
    fn on(&self) -> MapOn<'a, K, V> {
        MapOn::new(self.table, self.table.device().stream())
    }

    /// Insert, InsertUnique, InsertOrAssign or InsertOrAdd; called for those alone.
    pub(crate) fn put<T>(
        &self,
        operation: Operation,
        keys: &[K],
        values: &[V],
        decode: impl Fn(u8) -> Option<T>,
    ) -> Result<Vec<T>, Error> {
        same_length(keys, "values", values)?;
        admit(keys)?;
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        let device = self.table.device();
        let (on_keys, on_values) = (device.upload("keys", keys)?, device.upload("values", values)?);
        let mut outcomes = device.buffer("outcomes", keys.len())?;
        self.on().put(operation, &on_keys, &on_values, &mut outcomes)?;
        let codes = take(self.table, operation, &outcomes)?;
        self.table.decode(operation, &codes, |_, code| decode(code))
    }

    pub(crate) fn insert_unique(&self, keys: &[K], values: &[V]) -> Result<Vec<Insert>, Error> {
        self.put(Operation::InsertUnique, keys, values, Insert::from_code)
    }

    pub(crate) fn insert_or_assign(&self, keys: &[K], values: &[V]) -> Result<Vec<Assign>, Error> {
        self.put(Operation::InsertOrAssign, keys, values, Assign::from_code)
    }

    pub(crate) fn search(&self, keys: &[K]) -> Result<Vec<Option<V>>, Error> {
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        let device = self.table.device();
        let mut found = device.buffer("found", keys.len())?;
        let values: Vec<V> = per_key(self.table, Operation::Search, keys, |keys, values| {
            self.on().search(keys, values, Some(found.as_view_mut()))
        })?;
        let found = device.download(&found)?;
        Ok(values.into_iter().zip(found).map(|(value, found)| (found == 1).then_some(value)).collect())
    }

    pub(crate) fn contains(&self, keys: &[K]) -> Result<Vec<bool>, Error> {
        let codes = per_key(self.table, Operation::Search, keys, |k, found| self.on().contains(k, found))?;
        self.table.decode(Operation::Search, &codes, is_there)
    }

    pub(crate) fn delete(&self, keys: &[K]) -> Result<Vec<Delete>, Error> {
        let delete = |keys: &_, outcomes: &mut _| self.on().delete(keys, outcomes);
        let codes = per_key(self.table, Operation::Delete, keys, delete)?;
        self.table.decode(Operation::Delete, &codes, |_, code| Delete::from_code(code))
    }

    pub(crate) fn mixed(&self, ops: &[Op], keys: &[K], values: &[V]) -> Result<Vec<Answer<V>>, Error> {
        same_length(keys, "operations", ops)?;
        same_length(keys, "values", values)?;
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        let codes: Vec<u8> = ops.iter().map(|&op| op as u8).collect();
        let device = self.table.device();
        let on_ops = device.upload("operations", &codes)?;
        let on_values = device.upload("values", values)?;
        let mut found = device.buffer::<V>("found values", keys.len())?;
        // Only searches write theirs, and all are copied back.
        device.fill(&mut found, 0)?;
        let outcomes = per_key(self.table, Operation::Mixed, keys, |keys, outcomes| {
            self.on().mixed(&on_ops, keys, &on_values, outcomes, &mut found)
        })?;
        let found = device.download(&found)?;
        let answer = |at: usize, code: u8| Answer::new(ops[at], Mixed { code, value: found[at] });
        self.table.decode(Operation::Mixed, &outcomes, answer)
    }

    pub(crate) fn pairs(&self) -> Result<Vec<(K, V)>, Error> {
        self.collected(false)
    }

    /// All pairs in the order of their slots, of an open-addressing table.
    pub(crate) fn pairs_in_order(&self) -> Result<Vec<(K, V)>, Error> {
        self.collected(true)
    }

    fn collected(&self, in_order: bool) -> Result<Vec<(K, V)>, Error> {
        let live = self.table.live()?;
        if live == 0 {
            return Ok(Vec::new());
        }
        let device = self.table.device();
        let keys = device.buffer::<K>("keys", live as usize)?;
        let values = device.buffer::<V>("values", live as usize)?;
        self.table.collect(live, in_order, &keys, Some(&values))?;
        Ok(device.download(&keys)?.into_iter().zip(device.download(&values)?).collect())
    }
}

/// A set, for host slices.
pub(crate) struct SetBulk<'a, K> {
    table: &'a Table,
    keys: PhantomData<K>,
}

impl<'a, K: Scalar> SetBulk<'a, K> {
    /// The operations on a table of such keys.
    pub(crate) fn new(table: &'a Table) -> Self {
        Self { table, keys: PhantomData }
    }

    /// The operations on the stream of host-slice calls.
    fn on(&self) -> SetOn<'a, K> {
        SetOn::new(self.table, self.table.device().stream())
    }

    pub(crate) fn insert(&self, keys: &[K]) -> Result<Vec<Insert>, Error> {
        let codes = per_key(self.table, Operation::InsertUnique, keys, |k, o| self.on().insert(k, o))?;
        self.table.decode(Operation::InsertUnique, &codes, |_, code| Insert::from_code(code))
    }

    pub(crate) fn contains(&self, keys: &[K]) -> Result<Vec<bool>, Error> {
        let codes = per_key(self.table, Operation::Search, keys, |k, o| self.on().contains(k, o))?;
        self.table.decode(Operation::Search, &codes, is_there)
    }

    pub(crate) fn delete(&self, keys: &[K]) -> Result<Vec<Delete>, Error> {
        let codes = per_key(self.table, Operation::Delete, keys, |k, o| self.on().delete(k, o))?;
        self.table.decode(Operation::Delete, &codes, |_, code| Delete::from_code(code))
    }

    pub(crate) fn keys(&self) -> Result<Vec<K>, Error> {
        self.collected(false)
    }

    /// All keys in the order of their slots, of an open-addressing table.
    pub(crate) fn keys_in_order(&self) -> Result<Vec<K>, Error> {
        self.collected(true)
    }

    fn collected(&self, in_order: bool) -> Result<Vec<K>, Error> {
        let live = self.table.live()?;
        if live == 0 {
            return Ok(Vec::new());
        }
        let keys = self.table.device().buffer::<K>("keys", live as usize)?;
        self.table.collect::<K, ()>(live, in_order, &keys, None)?;
        self.table.device().download(&keys)
    }
}

/// What a search said of a key: 1 or 0.
fn is_there(_: usize, code: u8) -> Option<bool> {
    match code {
        0 => Some(false),
        1 => Some(true),
        _ => None,
    }
}

/// Checks keys and copies them to the device; runs `launch`, which queues `operation`, on them and returns what it wrote.
pub(crate) fn per_key<K: Scalar, T: DeviceRepr + Clone + Default>(
    table: &Table,
    operation: Operation,
    keys: &[K],
    launch: impl FnOnce(&CudaSlice<K>, &mut CudaSlice<T>) -> Result<(), Error>,
) -> Result<Vec<T>, Error> {
    admit(keys)?;
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let on_keys = table.device().upload("keys", keys)?;
    let mut answers = table.device().buffer("answers", keys.len())?;
    launch(&on_keys, &mut answers)?;
    take(table, operation, &answers)
}

/// Waits for `operation` and takes what it wrote.
pub(crate) fn take<T: DeviceRepr + Clone + Default>(
    table: &Table,
    operation: Operation,
    buffer: &CudaSlice<T>,
) -> Result<Vec<T>, Error> {
    table.wait(operation)?;
    table.device().download(buffer)
}

/// The operations of a [`BulkMap`](warpproof_model::host::BulkMap) of such keys and values by the type's own [`MapBulk`].
macro_rules! map_by_bulk {
    ($key:ty, $value:ty) => {
        type Error = Error;

        fn insert_unique(&self, keys: &[$key], values: &[$value]) -> Result<Vec<Insert>, Error> {
            self.bulk().insert_unique(keys, values)
        }
        fn insert_or_assign(&self, keys: &[$key], values: &[$value]) -> Result<Vec<Assign>, Error> {
            self.bulk().insert_or_assign(keys, values)
        }
        fn search(&self, keys: &[$key]) -> Result<Vec<Option<$value>>, Error> {
            self.bulk().search(keys)
        }
        fn contains(&self, keys: &[$key]) -> Result<Vec<bool>, Error> {
            self.bulk().contains(keys)
        }
        fn delete(&self, keys: &[$key]) -> Result<Vec<Delete>, Error> {
            self.bulk().delete(keys)
        }
        fn mixed(&self, ops: &[Op], keys: &[$key], values: &[$value]) -> Result<Vec<Answer<$value>>, Error> {
            self.bulk().mixed(ops, keys, values)
        }
        fn pairs(&self) -> Result<Vec<($key, $value)>, Error> {
            self.bulk().pairs()
        }
    };
}

/// The operations of a [`BulkSet`](warpproof_model::host::BulkSet) of `K` by the type's own [`SetBulk`].
macro_rules! set_by_bulk {
    ($key:ty) => {
        type Error = Error;

        fn insert(&self, keys: &[$key]) -> Result<Vec<Insert>, Error> {
            self.bulk().insert(keys)
        }
        fn contains(&self, keys: &[$key]) -> Result<Vec<bool>, Error> {
            self.bulk().contains(keys)
        }
        fn delete(&self, keys: &[$key]) -> Result<Vec<Delete>, Error> {
            self.bulk().delete(keys)
        }
        fn keys(&self) -> Result<Vec<$key>, Error> {
            self.bulk().keys()
        }
    };
}

pub(crate) use {map_by_bulk, set_by_bulk};
