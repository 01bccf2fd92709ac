//! What chains of slabs do besides on host slices, through staging buffers.

use crate::arguments::Operation;
use crate::error::Error;
use crate::layout::Scalar;
use crate::sink::Sink;
use crate::staging::Staging;
use crate::table::Table;
use crate::through::MapThrough;
use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};
use warpproof_model::outcome::Insert;
use warpproof_model::slab::{Multi, Unique};

/// The operations of a slab map on host slices, through staging buffers: those of [`MapThrough`], and what chains have besides.
/// Made by [`SlabMap::through`](crate::SlabMap::through).
///
/// # Errors
/// As [`MapThrough`].
pub struct SlabMapThrough<'a, K, V, M = Unique> {
    through: MapThrough<'a, K, V>,
    multiplicity: PhantomData<M>,
}

impl<K: Scalar, V: Scalar> SlabMapThrough<'_, K, V, Multi> {
    /// Adds pairs, whether or not their keys are there.
    pub fn insert(&mut self, keys: &[K], values: &[V], outcomes: impl Sink<Insert>) -> Result<(), Error> {
        self.put(Operation::Insert, keys, values, outcomes, Insert::from_code)
    }
}

impl<'a, K: Scalar, V: Scalar, M> SlabMapThrough<'a, K, V, M> {
    pub(super) fn new(table: &'a Table, staging: &'a mut Staging) -> Self {
        Self { through: MapThrough::new(table, staging), multiplicity: PhantomData }
    }

    /// How many pairs each key has.
    pub fn count(&mut self, keys: &[K], counts: impl Sink<u32>) -> Result<(), Error> {
        self.number(Operation::Count, keys, counts)
    }

    /// Takes out all pairs of each key; how many there were.
    pub fn delete_all(&mut self, keys: &[K], counts: impl Sink<u32>) -> Result<(), Error> {
        self.number(Operation::DeleteAll, keys, counts)
    }
}

impl<'a, K, V, M> Deref for SlabMapThrough<'a, K, V, M> {
    type Target = MapThrough<'a, K, V>;

    fn deref(&self) -> &Self::Target {
        &self.through
    }
}

impl<K, V, M> DerefMut for SlabMapThrough<'_, K, V, M> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.through
    }
}
