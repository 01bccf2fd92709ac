//! Searches: the values of keys, whether keys are there, and how often.

use super::Operation;
use super::launch::{Arrays, Launch};
use crate::access::{OnStream, Staged, by_code};
use crate::arguments::{Head, Listed, Span};
use crate::dynamic::Dynamic;
use crate::error::Error;
use crate::handle::{Map, Table};
use crate::layout::{Entry, Scalar};
use crate::row::Row;
use crate::sink::Sink;
use crate::slices::{Input, Output};
use crate::staging::{self, Back, Batch};
use crate::structures::Holds;
use cudarc::driver::CudaViewMut;

/// The search of a map: values, `missing` for absent keys, and codes if it is `told` them.
pub(crate) fn search<K, V: Scalar>(
    missing: V,
    told: bool,
) -> Launch<impl Fn(&Head, &Arrays<K, V, V>) -> Listed> {
    Launch::of(Operation::Search, move |head, on| {
        head.search(on.keys, Some(on.numbers), told.then_some(on.codes), missing)
    })
}

/// The search of a map, or of a set (`pairs` or not), that returns whether a key is there: codes.
pub(crate) fn contains<K, V: Scalar>(pairs: bool) -> Launch<impl Fn(&Head, &Arrays<K, V, V>) -> Listed> {
    Launch::of(Operation::Search, move |head, on| {
        if pairs {
            // The kernel is that of a search without an array for values.
            head.search(on.keys, None::<Span<V>>, Some(on.codes), V::ONES)
        } else {
            head.per_key(on.keys, on.codes)
        }
    })
}

/// Count or DeleteAll; called only with those.
pub(crate) fn number<K, V>(operation: Operation) -> Launch<impl Fn(&Head, &Arrays<K, V, u32>) -> Listed> {
    Launch::of(operation, |head, on| head.number(on.keys, on.numbers))
}

/// All pairs of each key of a map, in `values` from these offsets on, and their number.
pub(crate) fn search_all<K, V>(
    offsets: Span<u64>,
    values: Span<V>,
) -> Launch<impl Fn(&Head, &Arrays<K, V, u32>) -> Listed> {
    Launch::of(Operation::SearchAll, move |head, on| head.search_all(on.keys, offsets, values, on.numbers))
}

impl<R: Row, S: Holds<R>> OnStream<'_, Table<R, S>> {
    /// Whether each key is there: 1 or 0.
    pub fn contains(&self, keys: &impl Input<R::Key>, found: &mut impl Output<u8>) -> Result<(), Error> {
        let mut call = self.begin()?;
        let keys = call.input("keys", keys.view())?;
        let codes = call.output("found", found.view_mut())?;
        let arrays = Arrays::<R::Key, R::Value, R::Value> { keys, codes, ..Arrays::NONE };
        // SAFETY: spans that `call` gave, of the table's types.
        unsafe { self.run(call, &contains(R::PAIRS), arrays) }
    }
}

impl<K: Scalar, V: Scalar, S: Holds<(K, V)>> OnStream<'_, Map<K, V, S>>
where
    (K, V): Entry,
{
    /// The value of one pair of each key; all ones where there is none. `found`, if given, is 1 or 0.
    pub fn search(
        &self,
        keys: &impl Input<K>,
        values: &mut impl Output<V>,
        found: Option<CudaViewMut<'_, u8>>,
    ) -> Result<(), Error> {
        self.search_or(keys, values, V::ONES, found)
    }

    /// The value of one pair of each key; `missing` where there is none. `found`, if given, is 1 or 0.
    pub fn search_or(
        &self,
        keys: &impl Input<K>,
        values: &mut impl Output<V>,
        missing: V,
        found: Option<CudaViewMut<'_, u8>>,
    ) -> Result<(), Error> {
        let mut call = self.begin()?;
        let keys = call.input("keys", keys.view())?;
        let numbers = call.output("values", values.view_mut())?;
        let found = found.map(|found| call.output("found", found)).transpose()?;
        let codes = found.unwrap_or(Span::new(0, 0));
        let arrays = Arrays { keys, codes, numbers, ..Arrays::NONE };
        // SAFETY: spans that `call` gave, of the map's types.
        unsafe { self.run(call, &search(missing, found.is_some()), arrays) }
    }
}

impl<R: Row, S: Holds<R>> Staged<'_, Table<R, S>> {
    /// Whether each key is there: a search that returns no values.
    pub fn contains(&mut self, keys: &[R::Key], found: impl Sink<bool>) -> Result<(), Error> {
        let launch = contains::<R::Key, R::Value>(R::PAIRS);
        // SAFETY: the kernel writes codes.
        unsafe { self.run(launch, (Back::Codes, by_code(is_there)), Batch::of(keys), found) }
    }

    /// Runs Count or DeleteAll; called only with those.
    pub(crate) fn number(
        &mut self,
        operation: Operation,
        keys: &[R::Key],
        counts: impl Sink<u32>,
    ) -> Result<(), Error> {
        let count = |_, _, count| Some(count);
        // SAFETY: the kernel writes counts.
        unsafe { self.run(number(operation), (Back::Numbers, count), Batch::of(keys), counts) }
    }
}

impl<K: Scalar, V: Scalar, S: Holds<(K, V)>> Staged<'_, Map<K, V, S>>
where
    (K, V): Entry,
{
    /// The value of one pair of each key.
    pub fn search(&mut self, keys: &[K], values: impl Sink<Option<V>>) -> Result<(), Error> {
        let launch = search(V::ONES, true);
        // SAFETY: the kernel writes codes and values.
        unsafe { self.run(launch, (Back::CodesAndNumbers, value_found), Batch::of(keys), values) }
    }

    /// Writes to `values` the value of one pair of each key, or `missing`. There are as many values as keys.
    /// The host looks at no answer, and the device writes to [page-locked](crate::PageLocked) memory by
    /// itself. After an error that comes while the batch runs, any of `values` may be overwritten.
    pub fn search_or(&mut self, keys: &[K], values: &mut [V], missing: V) -> Result<(), Error> {
        let table = self.table.on_device();
        // SAFETY: keys and values are the table's; the kernel writes values.
        unsafe { self.staging.run_to(table, search(missing, false), Batch::of(keys), values) }
    }
}

impl<K: Scalar, V: Scalar, S: Holds<(K, V)>> Map<K, V, S>
where
    (K, V): Entry,
{
    /// Writes to `values` the value of one pair of each key, or `missing`: [`Staged::search_or`] through
    /// staging buffers that the device keeps. From and to [page-locked](crate::PageLocked) slices the bus
    /// is the limit (`notes/staging.md`).
    ///
    /// # Errors
    /// As a call of [`Staged`]; [`Error::OutOfMemory`] if there is no memory for staging buffers.
    pub fn search_or(&self, keys: &[K], values: &mut [V], missing: V) -> Result<(), Error> {
        staging::lent(self.device(), |staging| self.staged(staging).search_or(keys, values, missing))
    }
}

impl<K: Scalar, V: Scalar> Dynamic<(K, V)>
where
    (K, V): Entry,
{
    /// Writes to `values` the value of each key, or `missing`. As of a map that does not grow.
    ///
    /// # Errors
    /// As of a map that does not grow.
    pub fn search_or(&self, keys: &[K], values: &mut [V], missing: V) -> Result<(), Error> {
        self.growing.table().search_or(keys, values, missing)
    }
}

impl<R: Row> OnStream<'_, Dynamic<R>> {
    /// Whether each key is there: 1 or 0. As of a table that does not grow.
    pub fn contains(&self, keys: &impl Input<R::Key>, found: &mut impl Output<u8>) -> Result<(), Error> {
        self.table.growing.table().on_stream(self.stream).contains(keys, found)
    }
}

impl<K: Scalar, V: Scalar> OnStream<'_, Dynamic<(K, V)>>
where
    (K, V): Entry,
{
    /// The value of each key, or `missing`. As of a map that does not grow.
    pub fn search_or(
        &self,
        keys: &impl Input<K>,
        values: &mut impl Output<V>,
        missing: V,
        found: Option<CudaViewMut<'_, u8>>,
    ) -> Result<(), Error> {
        self.table.growing.table().on_stream(self.stream).search_or(keys, values, missing, found)
    }

    /// The value of each key, or all ones. As of a map that does not grow.
    pub fn search(
        &self,
        keys: &impl Input<K>,
        values: &mut impl Output<V>,
        found: Option<CudaViewMut<'_, u8>>,
    ) -> Result<(), Error> {
        self.search_or(keys, values, V::ONES, found)
    }
}

/// The answer to a search of a map.
fn value_found<V>(_: usize, code: u8, value: V) -> Option<Option<V>> {
    is_there(code).map(|there| there.then_some(value))
}

/// What a search returned for a key: 1 or 0.
pub(crate) fn is_there(code: u8) -> Option<bool> {
    match code {
        0 => Some(false),
        1 => Some(true),
        _ => None,
    }
}
