//! Searches of a table that nothing changes meanwhile.

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
}

impl<R: Row> Table<R, Open> {
    /// The searches on device slices, on `stream`, while nothing else uses the table. They wait for what
    /// other streams still run on it.
    pub fn frozen<'a>(&'a mut self, stream: &'a Arc<CudaStream>) -> Frozen<'a, Self> {
        Frozen { table: self, stream }
    }
}

impl<R: Row> Frozen<'_, Table<R, Open>> {
    /// Whether each key is there: 1 or 0.
    pub fn contains(&mut self, keys: &impl Input<R::Key>, found: &mut impl Output<u8>) -> Result<(), Error> {
        let mut call = Call::new(self.table.device().context(), self.stream)?;
        let keys = call.input("keys", keys.view())?;
        let codes = call.output("found", found.view_mut())?;
        let arrays = Arrays::<R::Key, R::Value, R::Value> { keys, codes, ..Arrays::NONE };
        // SAFETY: spans that `call` gave, of the table's types.
        unsafe { run(self.table, call, &contains(R::PAIRS), arrays) }
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
        unsafe { run(self.table, call, &search(missing, found.is_some()), arrays) }
    }
}

/// Queues a search with exclusive use of the table.
///
/// # Safety
///
/// `call` made the spans of `arrays`. Their types are those of the search on this table.
unsafe fn run<R: Row, N>(
    table: &mut Table<R, Open>,
    call: Call<'_>,
    launch: &Launch<impl Fn(&Head, &Arrays<R::Key, R::Value, N>) -> Listed>,
    arrays: Arrays<R::Key, R::Value, N>,
) -> Result<(), Error> {
    let table = table.on_device_mut();
    let arguments = launch.arguments(table.head(), &arrays)?;
    let operation = table.frozen(launch.operation());
    let launched = table.run_alone(call.stream(), |table| {
        // SAFETY: as in `OnStream::run`; both kernels take the same arguments. Nothing changes the table
        // while the kernel runs: `run_alone` has waited for all others, and others wait for it.
        unsafe { table.launch(operation, call.stream(), &arguments) }
    });
    // Also after an error: some of the operations may be running.
    call.finish().and(launched)
}
