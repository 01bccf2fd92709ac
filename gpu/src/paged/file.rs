//! Paged tables as files: [`warpproof_model::paged::file`].

use super::Paged;
use crate::device::Device;
use crate::error::Error;
use crate::host::room;
use crate::layout::{Entry, KeyScalar, Scalar};
use crate::row::Row;
use crate::table::Tuning;
use std::path::Path;
use warpproof_model::host::{BulkMap, BulkSave, BulkSet, BulkTable, Outcomes};
use warpproof_model::outcome::Insert;
use warpproof_model::paged::Access;
use warpproof_model::paged::file::{FileEntry, Opening, TakesIn, fill, save};

impl<R: Row<Entry: FileEntry>> BulkSave for Paged<R> {
    fn save(&self, path: &Path) -> Result<(), Error> {
        let mut state = self.state();
        save(path, (self.geometry, self.seed), |file| {
            // The place of each child table: if its image is old, its frame is read.
            state.each(Access::Reads, |child, table| Ok(file.child(child, &BulkTable::retrieve_all(table)?)?))
        })
    }
}

impl<R: Row<Entry: FileEntry>> Paged<R>
where
    Self: TakesIn<Error = Error>,
{
    /// Opens the table in a file that [`save`](BulkSave::save) wrote, here or on a CPU, with a budget of
    /// device memory. Its jobs take the cheaper way.
    ///
    /// Inserts the entries, one child table after the other: time as for as many inserts, and memory as for
    /// batches of 2^20 of them. Child tables are as many and as large as the saved ones, or a little larger:
    /// [`Header::geometry`](warpproof_model::paged::file::Header::geometry).
    ///
    /// # Errors
    /// [`Error::File`] if the file cannot be read, holds no such table, differs from what was written, or has
    /// more child tables than a GPU's table may have; it names the part, which is a child table or the
    /// header. [`Error::OutOfMemory`], [`Error::Driver`].
    pub fn open(device: &Device, path: &Path, budget: u64) -> Result<Self, Error> {
        Self::open_with(device, path, Opening::new(budget, Self::CHEAPER), Tuning::default())
    }

    /// Opens a table from the file at `path`, as `opening` says. Its jobs run as `tuning` says.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_with(device: &Device, path: &Path, opening: Opening, tuning: Tuning) -> Result<Self, Error> {
        fill(path, (Self::slots(), opening), |size, seed| {
            match Self::with_seed(device, size, opening.choose, tuning, seed) {
                Err(Error::Refused(refused)) => Ok(Err(refused)),
                made => made.map(Ok),
            }
        })
    }
}

impl<K: Scalar, V: Scalar> TakesIn for Paged<(K, V)>
where
    (K, V): Entry + FileEntry,
{
    fn take_in(&self, entries: &[(K, V)]) -> Result<Outcomes<Insert>, Error> {
        let (mut keys, mut values) = (room("keys", entries.len())?, room("values", entries.len())?);
        keys.extend(entries.iter().map(|&(key, _)| key));
        values.extend(entries.iter().map(|&(_, value)| value));
        self.insert_unique(&keys, &values)
    }
}

impl<K: KeyScalar + FileEntry> TakesIn for Paged<(K,)> {
    fn take_in(&self, keys: &[K]) -> Result<Outcomes<Insert>, Error> {
        self.insert(keys)
    }
}
