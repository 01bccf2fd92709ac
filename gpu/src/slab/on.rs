//! What chains of slabs do besides on device slices.

use crate::arguments::Operation;
use crate::error::Error;
use crate::layout::Scalar;
use crate::on::{MapOn, begin, run};
use crate::slices::{Input, Output};
use crate::table::Table;
use core::marker::PhantomData;
use core::ops::Deref;
use cudarc::driver::CudaStream;
use std::sync::Arc;
use warpproof_model::slab::{Multi, Unique};

/// The operations of a slab map on device slices: those of [`MapOn`], and what chains have besides. Made by
/// [`SlabMap::on`](crate::SlabMap::on).
///
/// # Errors
/// As [`MapOn`].
pub struct SlabMapOn<'a, K, V, M = Unique> {
    on: MapOn<'a, K, V>,
    multiplicity: PhantomData<M>,
}

impl<K: Scalar, V: Scalar> SlabMapOn<'_, K, V, Multi> {
    /// Adds pairs, whether or not their keys are there. Outcomes: [`Insert`](warpproof_model::Insert).
    pub fn insert(
        &self,
        keys: &impl Input<K>,
        values: &impl Input<V>,
        outcomes: &mut impl Output<u8>,
    ) -> Result<(), Error> {
        self.put(Operation::Insert, keys, values, outcomes)
    }
}

impl<'a, K: Scalar, V: Scalar, M> SlabMapOn<'a, K, V, M> {
    pub(super) fn new(table: &'a Table, stream: &'a Arc<CudaStream>) -> Self {
        Self { on: MapOn::new(table, stream), multiplicity: PhantomData }
    }

    /// The operations that maps of all structures have.
    pub fn into_map(self) -> MapOn<'a, K, V> {
        self.on
    }

    /// The values of all pairs of each key: those of key `i` from `values[offsets[i]]` on, as many as fit before
    /// `offsets[i + 1]`. `counts[i]` is how many there are now: where it is not the room that the offsets leave,
    /// the table changed since they were made.
    ///
    /// # Safety
    ///
    /// `offsets` ascend, and the last is at most the number of `values`.
    pub unsafe fn search_all(
        &self,
        keys: &impl Input<K>,
        offsets: &impl Input<u64>,
        values: &mut impl Output<V>,
        counts: &mut impl Output<u32>,
    ) -> Result<(), Error> {
        let mut call = begin(self.on.table(), self.on.stream())?;
        let keys = call.input("keys", keys.view())?;
        let offsets = call.input("offsets", offsets.view())?;
        let values = call.output("values", values.view_mut())?;
        let counts = call.output("counts", counts.view_mut())?;
        // SAFETY: `Head::search_all` belongs to it; the offsets are the contract of this function.
        unsafe {
            run(self.on.table(), call, Operation::SearchAll, |head| {
                head.search_all(keys, offsets, values, counts)
            })
        }
    }

    /// How many pairs each key has; a reserved key has none.
    pub fn count(&self, keys: &impl Input<K>, counts: &mut impl Output<u32>) -> Result<(), Error> {
        self.number(Operation::Count, keys, counts)
    }

    /// Takes out all pairs of each key; how many there were.
    pub fn delete_all(&self, keys: &impl Input<K>, counts: &mut impl Output<u32>) -> Result<(), Error> {
        self.number(Operation::DeleteAll, keys, counts)
    }

    fn number(
        &self,
        operation: Operation,
        keys: &impl Input<K>,
        counts: &mut impl Output<u32>,
    ) -> Result<(), Error> {
        let mut call = begin(self.on.table(), self.on.stream())?;
        let keys = call.input("keys", keys.view())?;
        let counts = call.output("counts", counts.view_mut())?;
        // SAFETY: `Head::number` belongs to both operations that come here.
        unsafe { run(self.on.table(), call, operation, |head| head.number(keys, counts)) }
    }
}

impl<'a, K, V, M> Deref for SlabMapOn<'a, K, V, M> {
    type Target = MapOn<'a, K, V>;

    fn deref(&self) -> &Self::Target {
        &self.on
    }
}
