//! Tables of open addressing of one size, as parts of other tables: those that grow, and those that are
//! paged.

use super::FixedBuckets;
use crate::cpu::apart::apart;
use crate::cpu::error::Error;
use crate::cpu::map::Map;
use crate::cpu::set::Set;
use warpproof_model::Seed;
use warpproof_model::bits::{TableKey, TableValue};
use warpproof_model::growth::Rehash;
use warpproof_model::host::structure::Open;
use warpproof_model::host::{BulkTable, OpenGeometry, OpenStats};

/// A map or set of open addressing of one size.
pub trait Fixed:
    Rehash<Error = Error> + BulkTable<Error = Error, Structure = Open, Entry: Send> + Send + Sync + Sized
{
    /// Its memory.
    type Words: FixedBuckets<Structure = Open>;

    /// The memory.
    fn words(&self) -> &Self::Words;

    /// An empty map or set.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], [`Error::Refused`].
    fn of_size(geometry: OpenGeometry, seed: Seed) -> Result<Self, Error>;

    /// Moves all entries to new memory of the same size, with another seed if `other_seed`, so that slots of
    /// deleted entries are free again.
    ///
    /// # Errors
    /// As [`Map::rehash`]; nothing has changed then.
    fn rebuild(&mut self, other_seed: bool) -> Result<(), Error>;

    /// Copies all words and the seed of a table of the same size.
    fn copy_from(&mut self, from: &Self);
}

/// Implements it for maps or sets of open addressing with these type parameters.
macro_rules! fixed {
    ($($table:ty, <$($value:ident)?>, FixedBuckets<$($of:ident = $is:ty),*>;)*) => { $(
        impl<K, $($value,)? T> Rehash for $table
        where
            K: TableKey,
            $($value: TableValue<T::Value>,)?
            T: FixedBuckets<$($of = $is,)* Structure = Open> + Send,
        {
            type Error = Error;

            fn rehash(&mut self, entries: u64, load: f64) -> Result<(), Error> {
                let geometry = OpenGeometry::new(entries, load, T::BUCKET_SLOTS)?;
                apart(|| self.rehash(geometry))
            }
            fn stats(&self) -> Result<OpenStats, Error> {
                apart(|| BulkTable::stats(self))
            }
            fn slots(&self) -> u64 {
                BulkTable::geometry(self).slots() as u64
            }
            fn is_out_of_memory(error: &Error) -> bool {
                matches!(error, Error::OutOfMemory { .. })
            }
        }

        impl<K, $($value,)? T> Fixed for $table
        where
            K: TableKey,
            $($value: TableValue<T::Value>,)?
            T: FixedBuckets<$($of = $is,)* Structure = Open> + Send,
        {
            type Words = T;

            fn words(&self) -> &T {
                &self.table
            }

            fn of_size(geometry: OpenGeometry, seed: Seed) -> Result<Self, Error> {
                Self::with_seed(geometry, seed)
            }

            fn rebuild(&mut self, other_seed: bool) -> Result<(), Error> {
                self.table = super::rebuilt(&self.table, other_seed)?;
                Ok(())
            }

            fn copy_from(&mut self, from: &Self) {
                self.table.copy_from(&from.table);
            }
        }
    )* };
}
fixed! {
    Map<K, V, T>, <V>, FixedBuckets<Key = K::Bits>;
    Set<K, T>, <>, FixedBuckets<Key = K::Bits, Value = ()>;
}
