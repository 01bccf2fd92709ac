//! A map of any structure on any backend.

use super::erased::erased;
use super::numbers::{AnyStructure, Geometry, Stats};
use super::{As, AsMut, Counter, Error, Flush, Matches, Multimap, Ordered, Paged, Save, Updates};
use core::any::Any;
use core::fmt;
use warpproof_model::host::{
    Answer, BulkCounter, BulkFlush, BulkMap, BulkMatches, BulkMultimap, BulkOrdered, BulkPaged, BulkSave,
    BulkTable, BulkUpdate, GeometryOf, Op, Outcomes, StatsOf,
};
use warpproof_model::{Assign, Delete, Insert, Key, Word};

erased! { DynMap<K: Key, V: Word>: BulkMap<K, V>, (K, V), Map<K, V> {
    fn insert_unique(keys: &[K], values: &[V]) -> Outcomes<Insert>;
    fn insert_or_assign(keys: &[K], values: &[V]) -> Outcomes<Assign>;
    fn search(keys: &[K]) -> Vec<Option<V>>;
    fn contains(keys: &[K]) -> Vec<bool>;
    fn count(keys: &[K]) -> Vec<u32>;
    fn delete(keys: &[K]) -> Vec<Delete>;
    fn mixed(ops: &[Op], keys: &[K], values: &[V]) -> Outcomes<Answer<V>>;
} }

/// A map of any structure on any backend.
///
/// Its operations are those of [`BulkMap`]. Capabilities of only some maps exist if they were named when the
/// map was made (`with_*`).
pub struct Map<K, V> {
    table: Box<dyn DynMap<K, V>>,
    matches: Option<As<dyn Matches<K, V>>>,
    multimap: Option<As<dyn Multimap<K, V>>>,
    counter: Option<As<dyn Counter<K, V>>>,
    updates: Option<As<dyn Updates<K, V>>>,
    ordered: Option<As<dyn Ordered<(K, V)>>>,
    flush: Option<AsMut<dyn Flush>>,
    save: Option<As<dyn Save>>,
    paged: Option<As<dyn Paged<(K, V)>>>,
}

impl<K: Key, V: Word> Map<K, V> {
    /// A map that holds this table.
    pub fn new<T: BulkMap<K, V> + Any + Send + Sync>(table: T) -> Self
    where
        T::Error: Send + Sync + 'static,
        StatsOf<T>: Into<Stats>,
        GeometryOf<T>: Into<Geometry>,
    {
        let table = Box::new(table);
        Self {
            table,
            matches: None,
            multimap: None,
            counter: None,
            updates: None,
            ordered: None,
            flush: None,
            save: None,
            paged: None,
        }
    }

    /// This map, which works on all pairs of a key if it is a `T`.
    #[must_use]
    pub fn with_matches<T: BulkMatches<K, V, Error: Send + Sync + 'static> + Any>(mut self) -> Self {
        self.matches = Some(|table| Some(table.downcast_ref::<T>()? as _));
        self
    }

    /// This map, which keeps several pairs of a key if it is a `T`.
    #[must_use]
    pub fn with_multimap<T: BulkMultimap<K, V, Error: Send + Sync + 'static> + Any>(mut self) -> Self {
        self.multimap = Some(|table| Some(table.downcast_ref::<T>()? as _));
        self
    }

    /// This map, which adds to values if it is a `T`.
    #[must_use]
    pub fn with_counter<T: BulkCounter<K, V, Error: Send + Sync + 'static> + Any>(mut self) -> Self {
        self.counter = Some(|table| Some(table.downcast_ref::<T>()? as _));
        self
    }

    /// This map, which changes values in the ways of [`Update`](warpproof_model::Update) if it is a `T`.
    #[must_use]
    pub fn with_updates<T: BulkUpdate<K, V, Error: Send + Sync + 'static> + Any>(mut self) -> Self {
        self.updates = Some(|table| Some(table.downcast_ref::<T>()? as _));
        self
    }

    /// This map, which knows an order of its pairs if it is a `T`.
    #[must_use]
    pub fn with_order<T: BulkOrdered<Entry = (K, V), Error: Send + Sync + 'static> + Any>(mut self) -> Self {
        self.ordered = Some(|table| Some(table.downcast_ref::<T>()? as _));
        self
    }

    /// This map, which can be flushed if it is a `T`.
    #[must_use]
    pub fn with_flush<T: BulkFlush<Error: Send + Sync + 'static> + Any>(mut self) -> Self {
        self.flush = Some(|table| Some(table.downcast_mut::<T>()? as _));
        self
    }

    /// This map, which can be saved to a file if it is a `T`.
    #[must_use]
    pub fn with_save<T: BulkSave<Error: Send + Sync + 'static> + Any>(mut self) -> Self {
        self.save = Some(|table| Some(table.downcast_ref::<T>()? as _));
        self
    }

    /// This map, part of which is in memory of a limited size if it is a `T`.
    #[must_use]
    pub fn with_paged<T: BulkPaged<Entry = (K, V), Error: Send + Sync + 'static> + Any>(mut self) -> Self {
        self.paged = Some(|table| Some(table.downcast_ref::<T>()? as _));
        self
    }

    /// The map, if it works on all pairs of a key; otherwise `None`.
    pub fn matches(&self) -> Option<&dyn Matches<K, V>> {
        (self.matches?)(&*self.table)
    }

    /// The map, if it keeps several pairs of a key; otherwise `None`.
    pub fn multimap(&self) -> Option<&dyn Multimap<K, V>> {
        (self.multimap?)(&*self.table)
    }

    /// The map, if it adds to values; otherwise `None`.
    pub fn counter(&self) -> Option<&dyn Counter<K, V>> {
        (self.counter?)(&*self.table)
    }

    /// The map, if it changes values in the ways of [`Update`](warpproof_model::Update); otherwise `None`.
    pub fn updates(&self) -> Option<&dyn Updates<K, V>> {
        (self.updates?)(&*self.table)
    }

    /// The map, if it knows an order of its pairs; otherwise `None`.
    pub fn ordered(&self) -> Option<&dyn Ordered<(K, V)>> {
        (self.ordered?)(&*self.table)
    }

    /// The map, if it can be flushed; `None` if it needs no flush.
    pub fn flush(&mut self) -> Option<&mut (dyn Flush + 'static)> {
        (self.flush?)(&mut *self.table)
    }

    /// The map, if it can be saved to a file; otherwise `None`.
    pub fn save(&self) -> Option<&dyn Save> {
        (self.save?)(&*self.table)
    }

    /// The map, if it is paged; otherwise `None`.
    pub fn paged(&self) -> Option<&dyn Paged<(K, V)>> {
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

impl<K: Key, V: Word> fmt::Debug for Map<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Map").field("geometry", &self.table.geometry()).finish_non_exhaustive()
    }
}
