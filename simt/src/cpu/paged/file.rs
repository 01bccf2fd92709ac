//! Paged tables as files: [`warpproof_model::paged::file`].

use super::Paged;
use crate::cpu::apart::apart;
use crate::cpu::error::Error;
use crate::cpu::grid::room_for;
use crate::cpu::map::Map;
use crate::cpu::open::Fixed;
use crate::cpu::set::Set;
use std::path::Path;
use warpproof_model::host::{BulkMap, BulkSave, BulkSet, Outcomes, structure};
use warpproof_model::outcome::Insert;
use warpproof_model::paged::file::{FileEntry, Opening, TakesIn, fill, save};
use warpproof_model::paged::{Access, Choose, Way};

impl<T: Fixed<Entry: FileEntry>> BulkSave for Paged<T> {
    fn save(&self, path: &Path) -> Result<(), Error> {
        let mut state = self.state();
        let state = &mut *state;
        save(path, (self.geometry, self.seed()), |file| {
            apart(|| state.each(Access::Reads, |child, table| Ok(file.child(child, &table.retrieve_all()?)?)))
        })
    }
}

impl<T: Fixed> Paged<T>
where
    Self: TakesIn<Error = Error>,
{
    /// Opens the table in a file that [`save`](BulkSave::save) wrote, here or on a GPU, with a `budget` in
    /// bytes for frames and batches. All of its jobs run in frames if there are any.
    ///
    /// Inserts the entries, one child table after the other: time as for as many inserts, and memory as for
    /// batches of 2^20 of them. Child tables are as many and as large as the saved ones, or a little larger:
    /// [`Header::geometry`](warpproof_model::paged::file::Header::geometry).
    ///
    /// # Errors
    /// [`Error::File`] if the file cannot be read, holds no such table, or differs from what was written; it
    /// names the part, which is a child table or the header. [`Error::OutOfMemory`].
    pub fn open(path: &Path, budget: u64) -> Result<Self, Error> {
        Self::open_with(path, Opening::new(budget, Choose::Always(Way::Resident)))
    }

    /// Opens a table from the file at `path`, as `opening` says.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_with(path: &Path, opening: Opening) -> Result<Self, Error> {
        fill(path, (Self::slots(), opening), |size, seed| match Self::with_seed(size, opening.choose, seed) {
            Err(Error::Refused(refused)) => Ok(Err(refused)),
            made => made.map(Ok),
        })
    }
}

impl<K: Copy, V: Copy, T> TakesIn for Paged<Map<K, V, T>>
where
    Self: BulkMap<K, V, Error = Error, Entry = (K, V), Structure = structure::Paged>,
    (K, V): FileEntry,
{
    fn take_in(&self, entries: &[(K, V)]) -> Result<Outcomes<Insert>, Error> {
        let (mut keys, mut values) = (room_for(entries.len())?, room_for(entries.len())?);
        keys.extend(entries.iter().map(|&(key, _)| key));
        values.extend(entries.iter().map(|&(_, value)| value));
        self.insert_unique(&keys, &values)
    }
}

impl<K: FileEntry, T> TakesIn for Paged<Set<K, T>>
where
    Self: BulkSet<K, Error = Error, Entry = K, Structure = structure::Paged>,
{
    fn take_in(&self, keys: &[K]) -> Result<Outcomes<Insert>, Error> {
        self.insert(keys)
    }
}

#[cfg(test)]
mod tests;
