//! Copies of all entries to device slices.

use crate::access::OnStream;
use crate::arguments::Span;
use crate::dynamic::Dynamic;
use crate::error::Error;
use crate::handle::Table;
use crate::layout::{Entry, KeyScalar, Scalar};
use crate::row::Row;
use crate::slices::Output;
use crate::structures::{Holds, Ordered};
use cudarc::driver::CudaViewMut;

impl<R: Row, S: Holds<R> + Ordered> OnStream<'_, Table<R, S>> {
    /// Copies all entries; a set has no values.
    fn retrieve(
        &self,
        keys: &mut impl Output<R::Key>,
        values: Option<CudaViewMut<'_, R::Value>>,
        count: &mut impl Output<u64>,
        in_order: bool,
    ) -> Result<(), Error> {
        let mut call = self.begin()?;
        let keys = call.output("keys", keys.view_mut())?;
        let values = values.map(|values| call.output("values", values)).transpose()?;
        let columns = (keys, values.unwrap_or(Span::new(0, 0)));
        let count = call.output("count", count.view_mut())?;
        // SAFETY: spans that `call` gave, of the table's types.
        unsafe { self.table.on_device().retrieve::<R>(call, columns, count, in_order) }
    }
}

/// Copies of all entries, of a map or of a set.
macro_rules! retrieve {
    ($row:ty, [$key:ident: $of:ident $($values:ident: $value:ident)?]) => {
        impl<$key: $of $(, $value: Scalar)?, S: Holds<$row> + Ordered> OnStream<'_, Table<$row, S>>
        $(where ($key, $value): Entry)?
        {
            /// Copies all entries, in no particular order: their keys to `keys`, the values of a map to the
            /// same places of `values`, and their number to `count`. Exact if nothing changes the table
            /// meanwhile.
            ///
            /// `keys` and `values` have one length, `count` is one number. If there are more entries than
            /// `keys` has room for, the rest is counted and not written. Elements after the last entry stay
            /// as they were. Reads every slot once.
            pub fn retrieve_all(
                &self,
                keys: &mut impl Output<$key>,
                $($values: &mut impl Output<$value>,)?
                count: &mut impl Output<u64>,
            ) -> Result<(), Error> {
                self.retrieve(keys, [$($values.view_mut())?].into_iter().next(), count, false)
            }

            /// Copies all entries in the order of the slots, so that tables with equal slots give equal
            /// outputs; equal sequences of calls with one operation each give equal slots. Otherwise as
            /// [`retrieve_all`](Self::retrieve_all). Reads every slot once. Allocates 8 bytes for each 2048
            /// slots on the stream: [`Error::OutOfMemory`].
            pub fn retrieve_all_in_order(
                &self,
                keys: &mut impl Output<$key>,
                $($values: &mut impl Output<$value>,)?
                count: &mut impl Output<u64>,
            ) -> Result<(), Error> {
                self.retrieve(keys, [$($values.view_mut())?].into_iter().next(), count, true)
            }
        }
    };
}
retrieve!((K, V), [K: Scalar values: V]);
retrieve!((K,), [K: KeyScalar]);

impl<K: Scalar, V: Scalar> OnStream<'_, Dynamic<(K, V)>>
where
    (K, V): Entry,
{
    /// Copies all pairs. As of a map that does not grow.
    pub fn retrieve_all(
        &self,
        keys: &mut impl Output<K>,
        values: &mut impl Output<V>,
        count: &mut impl Output<u64>,
    ) -> Result<(), Error> {
        self.table.growing.table().on_stream(self.stream).retrieve_all(keys, values, count)
    }
}

impl<K: KeyScalar> OnStream<'_, Dynamic<(K,)>> {
    /// Copies all keys. As of a set that does not grow.
    pub fn retrieve_all(&self, keys: &mut impl Output<K>, count: &mut impl Output<u64>) -> Result<(), Error> {
        self.table.growing.table().on_stream(self.stream).retrieve_all(keys, count)
    }
}
