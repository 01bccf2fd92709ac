//! A set of any structure on any backend.

use super::erased::erased;
use super::numbers::{AnyStructure, Geometry, Stats};
use super::{As, AsMut, Error, Flush, Ordered, Paged, Save};
use core::any::Any;
use core::fmt;
use warpproof_model::host::{
    BulkFlush, BulkOrdered, BulkPaged, BulkSave, BulkSet, BulkTable, GeometryOf, Outcomes, StatsOf,
};
use warpproof_model::{Delete, Insert, Key};

erased! { DynSet<K: Key>: BulkSet<K>, K, Set<K> {
    fn insert(keys: &[K]) -> Outcomes<Insert>;
    fn contains(keys: &[K]) -> Vec<bool>;
    fn delete(keys: &[K]) -> Vec<Delete>;
} }

/// A set of any structure on any backend.
///
/// Its operations are those of [`BulkSet`]. Capabilities of only some sets exist if they were named when the
/// set was made (`with_*`).
pub struct Set<K> {
    table: Box<dyn DynSet<K>>,
    ordered: Option<As<dyn Ordered<K>>>,
    flush: Option<AsMut<dyn Flush>>,
    save: Option<As<dyn Save>>,
    paged: Option<As<dyn Paged<K>>>,
}

impl<K: Key> Set<K> {
    /// A set that holds this table.
    pub fn new<T: BulkSet<K> + Any + Send + Sync>(table: T) -> Self
    where
        T::Error: Send + Sync + 'static,
        StatsOf<T>: Into<Stats>,
        GeometryOf<T>: Into<Geometry>,
    {
        Self { table: Box::new(table), ordered: None, flush: None, save: None, paged: None }
    }

    /// This set, which knows an order of its keys if it is a `T`.
    #[must_use]
    pub fn with_order<T: BulkOrdered<Entry = K, Error: Send + Sync + 'static> + Any>(mut self) -> Self {
        self.ordered = Some(|table| Some(table.downcast_ref::<T>()? as _));
        self
    }

    /// This set, which can be flushed if it is a `T`.
    #[must_use]
    pub fn with_flush<T: BulkFlush<Error: Send + Sync + 'static> + Any>(mut self) -> Self {
        self.flush = Some(|table| Some(table.downcast_mut::<T>()? as _));
        self
    }

    /// This set, which can be saved to a file if it is a `T`.
    #[must_use]
    pub fn with_save<T: BulkSave<Error: Send + Sync + 'static> + Any>(mut self) -> Self {
        self.save = Some(|table| Some(table.downcast_ref::<T>()? as _));
        self
    }

    /// This set, part of which is in memory of a limited size if it is a `T`.
    #[must_use]
    pub fn with_paged<T: BulkPaged<Entry = K, Error: Send + Sync + 'static> + Any>(mut self) -> Self {
        self.paged = Some(|table| Some(table.downcast_ref::<T>()? as _));
        self
    }

    /// The set, if it knows an order of its keys; otherwise `None`.
    pub fn ordered(&self) -> Option<&dyn Ordered<K>> {
        (self.ordered?)(&*self.table)
    }

    /// The set, if it can be flushed; `None` if it needs no flush.
    pub fn flush(&mut self) -> Option<&mut (dyn Flush + 'static)> {
        (self.flush?)(&mut *self.table)
    }

    /// The set, if it can be saved to a file; otherwise `None`.
    pub fn save(&self) -> Option<&dyn Save> {
        (self.save?)(&*self.table)
    }

    /// The set, if it is paged; otherwise `None`.
    pub fn paged(&self) -> Option<&dyn Paged<K>> {
        (self.paged?)(&*self.table)
    }

    /// The table itself, if it is a `T`.
    pub fn downcast_ref<T: Any>(&self) -> Option<&T> {
        (&*self.table as &dyn Any).downcast_ref()
    }

    /// The table itself, if it is a `T`, for changes that only this type can make.
    pub fn downcast_mut<T: Any>(&mut self) -> Option<&mut T> {
        (&mut *self.table as &mut dyn Any).downcast_mut()
    }
}

impl<K: Key> fmt::Debug for Set<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Set").field("geometry", &self.table.geometry()).finish_non_exhaustive()
    }
}
