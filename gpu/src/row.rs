//! The rows of a table: pairs, or keys.

use crate::error::Error;
use crate::host::room;
use crate::layout::{Entry, KeyScalar, Layout, Scalar};

mod sealed {
    /// Implemented only here: each layout needs kernels.
    pub trait Sealed {}
    impl<K, V> Sealed for (K, V) {}
    impl<K> Sealed for (K,) {}
}

/// A row of a table, by its columns: `(K, V)` in a map, `(K,)` in a set. Keys and values both have 32 bits,
/// or both 64 ([`Scalar`]).
pub trait Row: sealed::Sealed + 'static {
    /// Its keys.
    type Key: Scalar;
    /// Its values. A set has none; its key type is used here.
    type Value: Scalar;
    /// The row on the host: a pair, or a key.
    type Entry;
    /// Whether there are values.
    const PAIRS: bool;
    /// The layout in one word for each entry.
    const PACKED: Layout;

    /// The layout: with 128-bit words (`wide`) or without, of a multimap (`multi`) or not.
    fn layout(wide: bool, multi: bool) -> Layout;

    /// Keys and, where there are any, values as entries.
    #[doc(hidden)]
    fn entries(keys: Vec<Self::Key>, values: Vec<Self::Value>) -> Result<Vec<Self::Entry>, Error>;
}

impl<K: Scalar, V: Scalar> Row for (K, V)
where
    (K, V): Entry,
{
    type Key = K;
    type Value = V;
    type Entry = (K, V);
    const PAIRS: bool = true;
    const PACKED: Layout = <(K, V) as Entry>::PACKED;

    fn layout(wide: bool, multi: bool) -> Layout {
        <(K, V) as Entry>::layout(wide, multi)
    }

    fn entries(keys: Vec<K>, values: Vec<V>) -> Result<Vec<(K, V)>, Error> {
        let mut pairs = room("pairs", keys.len())?;
        pairs.extend(keys.into_iter().zip(values));
        Ok(pairs)
    }
}

impl<K: KeyScalar> Row for (K,) {
    type Key = K;
    type Value = K;
    type Entry = K;
    const PAIRS: bool = false;
    const PACKED: Layout = K::SET;

    fn layout(_: bool, _: bool) -> Layout {
        K::SET
    }

    fn entries(keys: Vec<K>, _: Vec<K>) -> Result<Vec<K>, Error> {
        Ok(keys)
    }
}
