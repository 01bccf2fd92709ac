//! Operations on host slices that return a `Vec`: each goes through staging buffers that the device keeps. What the maps and sets
//! of all structures share.

use crate::arguments::Operation;
use crate::error::Error;
use crate::layout::Scalar;
use crate::staging::Staging;
use crate::table::Table;
use crate::through::{MapThrough, SetThrough};
use core::marker::PhantomData;
use warpproof_model::host::{Answer, Op};
use warpproof_model::outcome::{Assign, Delete, Insert};

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

    /// The answers of a call for so many keys.
    fn answers<T>(
        &self,
        keys: usize,
        call: impl FnOnce(&mut MapThrough<'_, K, V>, &mut Vec<T>) -> Result<(), Error>,
    ) -> Result<Vec<T>, Error> {
        answers(self.table, keys, |staging, answers| call(&mut MapThrough::new(self.table, staging), answers))
    }

    /// Insert, InsertUnique, InsertOrAssign or InsertOrAdd; called for those alone.
    pub(crate) fn put<T: Copy + Send + Sync>(
        &self,
        operation: Operation,
        keys: &[K],
        values: &[V],
        decode: impl Fn(u8) -> Option<T> + Sync,
    ) -> Result<Vec<T>, Error> {
        self.answers(keys.len(), |map, outcomes| map.put(operation, keys, values, outcomes, decode))
    }

    pub(crate) fn insert_unique(&self, keys: &[K], values: &[V]) -> Result<Vec<Insert>, Error> {
        self.answers(keys.len(), |map, outcomes| map.insert_unique(keys, values, outcomes))
    }

    pub(crate) fn insert_or_assign(&self, keys: &[K], values: &[V]) -> Result<Vec<Assign>, Error> {
        self.answers(keys.len(), |map, outcomes| map.insert_or_assign(keys, values, outcomes))
    }

    pub(crate) fn search(&self, keys: &[K]) -> Result<Vec<Option<V>>, Error> {
        self.answers(keys.len(), |map, values| map.search(keys, values))
    }

    pub(crate) fn contains(&self, keys: &[K]) -> Result<Vec<bool>, Error> {
        self.answers(keys.len(), |map, found| map.contains(keys, found))
    }

    pub(crate) fn delete(&self, keys: &[K]) -> Result<Vec<Delete>, Error> {
        self.answers(keys.len(), |map, outcomes| map.delete(keys, outcomes))
    }

    pub(crate) fn mixed(&self, ops: &[Op], keys: &[K], values: &[V]) -> Result<Vec<Answer<V>>, Error> {
        self.answers(keys.len(), |map, answers| map.mixed(ops, keys, values, answers))
    }

    /// Count or DeleteAll; called for those alone.
    pub(crate) fn number(&self, operation: Operation, keys: &[K]) -> Result<Vec<u32>, Error> {
        self.answers(keys.len(), |map, counts| map.number(operation, keys, counts))
    }

    pub(crate) fn retrieve_all(&self) -> Result<Vec<(K, V)>, Error> {
        self.collected(false)
    }

    /// All pairs in the order of their slots, of an open-addressing table.
    pub(crate) fn retrieve_all_in_order(&self) -> Result<Vec<(K, V)>, Error> {
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

    /// The answers of a call for so many keys.
    fn answers<T>(
        &self,
        keys: usize,
        call: impl FnOnce(&mut SetThrough<'_, K>, &mut Vec<T>) -> Result<(), Error>,
    ) -> Result<Vec<T>, Error> {
        answers(self.table, keys, |staging, answers| call(&mut SetThrough::new(self.table, staging), answers))
    }

    pub(crate) fn insert(&self, keys: &[K]) -> Result<Vec<Insert>, Error> {
        self.answers(keys.len(), |set, outcomes| set.insert(keys, outcomes))
    }

    pub(crate) fn contains(&self, keys: &[K]) -> Result<Vec<bool>, Error> {
        self.answers(keys.len(), |set, found| set.contains(keys, found))
    }

    pub(crate) fn delete(&self, keys: &[K]) -> Result<Vec<Delete>, Error> {
        self.answers(keys.len(), |set, outcomes| set.delete(keys, outcomes))
    }

    pub(crate) fn retrieve_all(&self) -> Result<Vec<K>, Error> {
        self.collected(false)
    }

    /// All keys in the order of their slots, of an open-addressing table.
    pub(crate) fn retrieve_all_in_order(&self) -> Result<Vec<K>, Error> {
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

/// The answers of a call for so many keys, through staging buffers of the device's.
fn answers<T>(
    table: &Table,
    keys: usize,
    call: impl FnOnce(&mut Staging, &mut Vec<T>) -> Result<(), Error>,
) -> Result<Vec<T>, Error> {
    table.device().staged(|staging| {
        let mut answers = Vec::with_capacity(keys);
        call(staging, &mut answers)?;
        Ok(answers)
    })
}

/// What a [`BulkTable`](warpproof_model::host::BulkTable) does as a whole, by the type's own bulk form and its `$memory`.
macro_rules! table_by_bulk {
    ($structure:ty, $entry:ty, $memory:ident) => {
        type Error = Error;
        type Structure = $structure;
        type Entry = $entry;

        fn retrieve_all(&self) -> Result<Vec<$entry>, Error> {
            self.bulk().retrieve_all()
        }
        fn len(&self) -> Result<u64, Error> {
            self.table().live()
        }
        fn stats(&self) -> Result<StatsOf<Self>, Error> {
            self.$memory.stats()
        }
        fn geometry(&self) -> GeometryOf<Self> {
            self.$memory.geometry()
        }
        fn clear(&mut self) -> Result<(), Error> {
            self.$memory.clear_and_wait()
        }
    };
}

/// The operations of a [`BulkMap`](warpproof_model::host::BulkMap) of such keys and values by the type's own [`MapBulk`].
macro_rules! map_by_bulk {
    ($key:ty, $value:ty) => {
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
    };
}

/// The operations of a [`BulkSet`](warpproof_model::host::BulkSet) of `K` by the type's own [`SetBulk`].
macro_rules! set_by_bulk {
    ($key:ty) => {
        fn insert(&self, keys: &[$key]) -> Result<Vec<Insert>, Error> {
            self.bulk().insert(keys)
        }
        fn contains(&self, keys: &[$key]) -> Result<Vec<bool>, Error> {
            self.bulk().contains(keys)
        }
        fn delete(&self, keys: &[$key]) -> Result<Vec<Delete>, Error> {
            self.bulk().delete(keys)
        }
    };
}

pub(crate) use {map_by_bulk, set_by_bulk, table_by_bulk};
