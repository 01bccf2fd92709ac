//! What open-addressing maps do besides on host slices, through staging buffers.

use crate::arguments::Operation;
use crate::error::Error;
use crate::layout::Scalar;
use crate::sink::Sink;
use crate::staging::Staging;
use crate::table::Table;
use crate::through::MapThrough;
use core::ops::{Deref, DerefMut};
use warpproof_model::outcome::Add;

/// The operations of an open-addressing map on host slices, through staging buffers: those of [`MapThrough`], and a counter. Made
/// by [`OpenMap::through`](crate::OpenMap::through).
///
/// # Errors
/// As [`MapThrough`].
pub struct OpenMapThrough<'a, K, V>(MapThrough<'a, K, V>);

impl<'a, K: Scalar, V: Scalar> OpenMapThrough<'a, K, V> {
    pub(super) fn new(table: &'a Table, staging: &'a mut Staging) -> Self {
        Self(MapThrough::new(table, staging))
    }

    /// Adds pairs, or adds their values to those of keys that are present, modulo 2 to the bits of a value.
    pub fn insert_or_add(&mut self, keys: &[K], values: &[V], outcomes: impl Sink<Add>) -> Result<(), Error> {
        self.put(Operation::InsertOrAdd, keys, values, outcomes, Add::from_code)
    }
}

impl<'a, K, V> Deref for OpenMapThrough<'a, K, V> {
    type Target = MapThrough<'a, K, V>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<K, V> DerefMut for OpenMapThrough<'_, K, V> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}
