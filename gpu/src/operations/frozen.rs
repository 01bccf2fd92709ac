//! Searches of a table that nothing changes meanwhile.

use super::Operation;
use super::launch::{Arrays, Launch};
use super::search::{contains, search};
use crate::arguments::{Head, Listed, Span};
use crate::error::Error;
use crate::handle::{Map, Table};
use crate::layout::{Entry, Scalar};
use crate::row::Row;
use crate::slices::{Call, Input, Output};
use cudarc::driver::{CudaStream, CudaViewMut};
use std::sync::Arc;
use warpproof_model::host::structure::Open;

/// The searches of an open-addressing table on device slices, while nothing else uses the table. Made by
/// [`Table::frozen`].
///
/// They answer as those of [`OnStream`](crate::OnStream), and return before they have run. As the table does
/// not change, they may read it through the caches of the multiprocessors: where most of a batch asks for the
/// same few keys, that is two to three times as fast. Slots of the lock-word layout are read as always. Other
/// streams that use the table afterwards wait until these searches have run.
///
/// # Errors
/// As of [`OnStream`](crate::OnStream).
pub struct Frozen<'a, T> {
    table: &'a mut T,
    stream: &'a Arc<CudaStream>,
    filter: Option<CudaViewMut<'a, u64>>,
}

impl<R: Row> Table<R, Open> {
    /// The searches on device slices, on `stream`, while nothing else uses the table. They wait for what
    /// other streams still run on it.
    pub fn frozen<'a>(&'a mut self, stream: &'a Arc<CudaStream>) -> Frozen<'a, Self> {
        Frozen { table: self, stream, filter: None }
    }
}

impl<'a, R: Row> Frozen<'a, Table<R, Open>> {
    /// These searches with a Bloom filter of the table's keys, made in `words` now. A search of an absent key
    /// then reads one word, and seldom a bucket: that is faster if most keys are absent, the table is larger
    /// than the L2 cache, and the filter smaller. With a word for every four entries one absent key in 16
    /// passes. Reads all slots of the table once.
    ///
    /// No words make no filter; nor does a table of the lock-word layout or of 2^32 slots or more have one.
    ///
    /// # Errors
    /// [`Error::OtherDevice`], [`Error::Kernel`], [`Error::Driver`].
    pub fn with_filter(mut self, words: &'a mut impl Output<u64>) -> Result<Self, Error> {
        let operation = Operation::FillFilter;
        let table = self.table.on_device_mut();
        let slots = table.head().slots;
        if words.view_mut().is_empty() || slots > u64::from(u32::MAX) || table.kernel(operation).is_err() {
            return Ok(self);
        }
        let mut words = words.view_mut();
        let mut call = Call::new(table.device().context(), self.stream)?;
        let span = call.output("filter", Output::view_mut(&mut words))?;
        // SAFETY: a span that `call` gave.
        let zeroed = unsafe { call.zero(span) };
        let arguments = table.head().fill_filter(span);
        let launched = zeroed.and_then(|()| {
            table.run_alone(call.stream(), |table| {
                // SAFETY: the arguments of the kernel; the caller borrows the words as long as this lives.
                unsafe { table.launch(operation, call.stream(), &arguments) }
            })
        });
        // Also after an error: the fill may be running.
        call.finish().and(launched)?;
        self.filter = Some(words);
        Ok(self)
    }

    /// Whether each key is there: 1 or 0.
    pub fn contains(&mut self, keys: &impl Input<R::Key>, found: &mut impl Output<u8>) -> Result<(), Error> {
        let mut call = Call::new(self.table.device().context(), self.stream)?;
        let keys = call.input("keys", keys.view())?;
        let codes = call.output("found", found.view_mut())?;
        let arrays = Arrays::<R::Key, R::Value, R::Value> { keys, codes, ..Arrays::NONE };
        // SAFETY: spans that `call` gave, of the table's types.
        unsafe { run(self, call, &contains(R::PAIRS), arrays) }
    }
}

impl<K: Scalar, V: Scalar> Frozen<'_, Map<K, V, Open>>
where
    (K, V): Entry,
{
    /// The value of each key; all ones where there is none. `found`, if given, is 1 or 0.
    pub fn search(
        &mut self,
        keys: &impl Input<K>,
        values: &mut impl Output<V>,
        found: Option<CudaViewMut<'_, u8>>,
    ) -> Result<(), Error> {
        self.search_or(keys, values, V::ONES, found)
    }

    /// The value of each key; `missing` where there is none. `found`, if given, is 1 or 0.
    pub fn search_or(
        &mut self,
        keys: &impl Input<K>,
        values: &mut impl Output<V>,
        missing: V,
        found: Option<CudaViewMut<'_, u8>>,
    ) -> Result<(), Error> {
        let mut call = Call::new(self.table.device().context(), self.stream)?;
        let keys = call.input("keys", keys.view())?;
        let numbers = call.output("values", values.view_mut())?;
        let found = found.map(|found| call.output("found", found)).transpose()?;
        let codes = found.unwrap_or(Span::new(0, 0));
        let arrays = Arrays { keys, codes, numbers, ..Arrays::NONE };
        // SAFETY: spans that `call` gave, of the map's types.
        unsafe { run(self, call, &search(missing, found.is_some()), arrays) }
    }
}

/// Queues a search with exclusive use of the table.
///
/// # Safety
///
/// `call` made the spans of `arrays`. Their types are those of the search on this table.
unsafe fn run<'a, R: Row, N>(
    frozen: &'a mut Frozen<'_, Table<R, Open>>,
    mut call: Call<'a>,
    launch: &Launch<impl Fn(&Head, &Arrays<R::Key, R::Value, N>) -> Listed>,
    arrays: Arrays<R::Key, R::Value, N>,
) -> Result<(), Error> {
    let filter = frozen.filter.as_ref().map(|words| call.input("filter", Input::view(words))).transpose()?;
    let table = frozen.table.on_device_mut();
    let mut arguments = launch.arguments(table.head(), &arrays)?;
    let operation = table.frozen(launch.operation());
    if operation != launch.operation() {
        arguments = arguments.filtered(filter.unwrap_or(Span::new(0, 0)));
    }
    let launched = table.run_alone(call.stream(), |table| {
        // SAFETY: as in `OnStream::run`; the frozen kernel takes a filter besides. Nothing changes the table
        // while the kernel runs: `run_alone` has waited for all others, and others wait for it. Nor does
        // anything write the filter, which was made from this table: both are borrowed since.
        unsafe { table.launch(operation, call.stream(), &arguments) }
    });
    // Also after an error: some of the operations may be running.
    call.finish().and(launched)
}
