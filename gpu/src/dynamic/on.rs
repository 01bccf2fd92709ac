//! What maps and sets that grow do on device slices.

use super::growth::Growing;
use super::shared::in_parts;
use crate::arguments::Operation;
use crate::error::Error;
use crate::layout::{Entry, Scalar};
use crate::open::{OpenMap, OpenSet};
use crate::outcomes::count_stored;
use crate::slices::{Input, Output};
use cudarc::driver::{CudaStream, CudaViewMut};
use std::sync::Arc;
use warpproof_model::host::Refused;

/// The operations of a [`DynamicMap`](crate::DynamicMap) on device slices. Made by [`DynamicMap::on`](crate::DynamicMap::on).
///
/// # Errors
/// As [`MapOn`](crate::MapOn). [`Error::OutOfMemory`] from inserts if there is no memory to grow: what the batch has stored by
/// then is in the map, the outcomes of the others mean nothing, and the map is usable.
pub struct DynamicMapOn<'a, K, V> {
    growing: &'a Growing<OpenMap<K, V>>,
    stream: &'a Arc<CudaStream>,
}

impl<'a, K, V> DynamicMapOn<'a, K, V> {
    pub(super) fn new(growing: &'a Growing<OpenMap<K, V>>, stream: &'a Arc<CudaStream>) -> Self {
        Self { growing, stream }
    }
}

impl<K: Scalar, V: Scalar> DynamicMapOn<'_, K, V>
where
    (K, V): Entry,
{
    /// As [`MapOn::insert_unique`](crate::MapOn::insert_unique), and waits for the stream.
    pub fn insert_unique(
        &self,
        keys: &impl Input<K>,
        values: &impl Input<V>,
        outcomes: &mut impl Output<u8>,
    ) -> Result<(), Error> {
        self.put(Operation::InsertUnique, keys, values, outcomes)
    }

    /// As [`MapOn::insert_or_assign`](crate::MapOn::insert_or_assign), and waits for the stream.
    pub fn insert_or_assign(
        &self,
        keys: &impl Input<K>,
        values: &impl Input<V>,
        outcomes: &mut impl Output<u8>,
    ) -> Result<(), Error> {
        self.put(Operation::InsertOrAssign, keys, values, outcomes)
    }

    /// As [`OpenMapOn::insert_or_add`](crate::OpenMapOn::insert_or_add), and waits for the stream.
    pub fn insert_or_add(
        &self,
        keys: &impl Input<K>,
        values: &impl Input<V>,
        outcomes: &mut impl Output<u8>,
    ) -> Result<(), Error> {
        self.put(Operation::InsertOrAdd, keys, values, outcomes)
    }

    /// InsertUnique, InsertOrAssign or InsertOrAdd; called for those alone.
    pub(super) fn put(
        &self,
        operation: Operation,
        keys: &impl Input<K>,
        values: &impl Input<V>,
        outcomes: &mut impl Output<u8>,
    ) -> Result<(), Error> {
        let (keys, values) = (keys.view(), values.view());
        let (n, found) = (keys.len(), values.len());
        if found != n {
            return Err(Refused::Length { keys: n, what: "values", found }.into());
        }
        in_parts(self.growing, n, outcomes, |map, (from, to), part| {
            map.on(self.stream).put(operation, &keys.slice(from..to), &values.slice(from..to), part)?;
            count_stored(map.device(), self.stream, part)
        })
    }

    /// As [`MapOn::search_or`](crate::MapOn::search_or).
    pub fn search_or(
        &self,
        keys: &impl Input<K>,
        values: &mut impl Output<V>,
        missing: V,
        found: Option<CudaViewMut<'_, u8>>,
    ) -> Result<(), Error> {
        self.growing.table().on(self.stream).search_or(keys, values, missing, found)
    }

    /// As [`MapOn::search`](crate::MapOn::search).
    pub fn search(
        &self,
        keys: &impl Input<K>,
        values: &mut impl Output<V>,
        found: Option<CudaViewMut<'_, u8>>,
    ) -> Result<(), Error> {
        self.search_or(keys, values, V::ONES, found)
    }

    /// As [`MapOn::contains`](crate::MapOn::contains).
    pub fn contains(&self, keys: &impl Input<K>, found: &mut impl Output<u8>) -> Result<(), Error> {
        self.growing.table().on(self.stream).contains(keys, found)
    }

    /// As [`OpenMapOn::retrieve_all`](crate::OpenMapOn::retrieve_all).
    pub fn retrieve_all(
        &self,
        keys: &mut impl Output<K>,
        values: &mut impl Output<V>,
        count: &mut impl Output<u64>,
    ) -> Result<(), Error> {
        self.growing.table().on(self.stream).retrieve_all(keys, values, count)
    }

    /// As [`MapOn::delete`](crate::MapOn::delete).
    pub fn delete(&self, keys: &impl Input<K>, outcomes: &mut impl Output<u8>) -> Result<(), Error> {
        self.growing.table().on(self.stream).delete(keys, outcomes)
    }
}

/// The operations of a [`DynamicSet`](crate::DynamicSet) on device slices. Made by [`DynamicSet::on`](crate::DynamicSet::on).
///
/// # Errors
/// As [`DynamicMapOn`].
pub struct DynamicSetOn<'a, K> {
    growing: &'a Growing<OpenSet<K>>,
    stream: &'a Arc<CudaStream>,
}

impl<'a, K> DynamicSetOn<'a, K> {
    pub(super) fn new(growing: &'a Growing<OpenSet<K>>, stream: &'a Arc<CudaStream>) -> Self {
        Self { growing, stream }
    }
}

impl<K: Scalar> DynamicSetOn<'_, K> {
    /// As [`SetOn::insert`](crate::SetOn::insert), and waits for the stream.
    pub fn insert(&self, keys: &impl Input<K>, outcomes: &mut impl Output<u8>) -> Result<(), Error> {
        let keys = keys.view();
        in_parts(self.growing, keys.len(), outcomes, |set, (from, to), part| {
            set.on(self.stream).insert(&keys.slice(from..to), part)?;
            count_stored(set.device(), self.stream, part)
        })
    }

    /// As [`SetOn::contains`](crate::SetOn::contains).
    pub fn contains(&self, keys: &impl Input<K>, found: &mut impl Output<u8>) -> Result<(), Error> {
        self.growing.table().on(self.stream).contains(keys, found)
    }

    /// As [`OpenSetOn::retrieve_all`](crate::OpenSetOn::retrieve_all).
    pub fn retrieve_all(&self, keys: &mut impl Output<K>, count: &mut impl Output<u64>) -> Result<(), Error> {
        self.growing.table().on(self.stream).retrieve_all(keys, count)
    }

    /// As [`SetOn::delete`](crate::SetOn::delete).
    pub fn delete(&self, keys: &impl Input<K>, outcomes: &mut impl Output<u8>) -> Result<(), Error> {
        self.growing.table().on(self.stream).delete(keys, outcomes)
    }
}
