//! What open-addressing maps do besides on device slices.

use crate::arguments::Operation;
use crate::error::Error;
use crate::layout::Scalar;
use crate::on::MapOn;
use crate::slices::{Input, Output};
use crate::table::Table;
use core::ops::Deref;
use cudarc::driver::CudaStream;
use std::sync::Arc;

/// The operations of an open-addressing map on device slices: those of [`MapOn`], and a counter. Made by
/// [`OpenMap::on`](crate::OpenMap::on).
///
/// # Errors
/// As [`MapOn`].
pub struct OpenMapOn<'a, K, V>(MapOn<'a, K, V>);

impl<'a, K: Scalar, V: Scalar> OpenMapOn<'a, K, V> {
    pub(super) fn new(table: &'a Table, stream: &'a Arc<CudaStream>) -> Self {
        Self(MapOn::new(table, stream))
    }

    /// The operations that maps of all structures have.
    pub fn into_map(self) -> MapOn<'a, K, V> {
        self.0
    }

    /// Adds pairs, or adds their values to those of keys that are present, modulo 2 to the bits of a value. Outcomes:
    /// [`Add`](warpproof_model::Add).
    pub fn insert_or_add(
        &self,
        keys: &impl Input<K>,
        values: &impl Input<V>,
        outcomes: &mut impl Output<u8>,
    ) -> Result<(), Error> {
        self.put(Operation::InsertOrAdd, keys, values, outcomes)
    }
}

impl<'a, K, V> Deref for OpenMapOn<'a, K, V> {
    type Target = MapOn<'a, K, V>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}
