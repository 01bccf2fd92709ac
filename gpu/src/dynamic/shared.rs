//! What maps and sets that grow have in common.

use super::growth::{Growing, Rehash};
use crate::device::Device;
use crate::error::Error;
use crate::layout::Scalar;
use crate::slices::Output;
use crate::staging::Staging;
use cudarc::driver::CudaViewMut;
use warpproof_model::host::{Refused, admit};

/// Entries that an empty table has room for.
pub(super) const FIRST: u64 = 1 << 16;

/// Runs `n` inserts with an outcome each in parts: `part` runs those between two numbers, which have these outcomes, waits for
/// them, and says how many they have stored.
///
/// # Errors
/// [`Error::Refused`] if the outcomes are not as many; those of [`Growing::insert`].
pub(super) fn in_parts<T: Rehash>(
    growing: &Growing<T>,
    n: usize,
    outcomes: &mut impl Output<u8>,
    mut part: impl FnMut(&T, (usize, usize), &mut CudaViewMut<'_, u8>) -> Result<u64, Error>,
) -> Result<(), Error> {
    let mut outcomes = outcomes.view_mut();
    if outcomes.len() != n {
        return Err(Refused::Length { keys: n, what: "outcomes", found: outcomes.len() }.into());
    }
    growing.insert(n, |table, from, to| part(table, (from, to), &mut outcomes.slice_mut(from..to)))
}

/// The outcomes of inserts of host slices, through staging buffers of the device's: `part` runs those between two numbers, and
/// `stored` says whether one stored an entry.
///
/// # Errors
/// [`Error::Refused`] if a key is reserved; those of [`Growing::insert`].
pub(super) fn inserted<T: Rehash, K: Scalar, O>(
    growing: &Growing<T>,
    device: &Device,
    keys: &[K],
    stored: impl Fn(&O) -> bool,
    part: impl Fn(&T, &mut Staging, (usize, usize), &mut Vec<O>) -> Result<(), Error>,
) -> Result<Vec<O>, Error> {
    // Of all parts before the first one runs.
    admit(keys)?;
    device.staged(|staging| {
        let mut outcomes = Vec::with_capacity(keys.len());
        growing.insert(keys.len(), |table, from, to| {
            part(table, staging, (from, to), &mut outcomes)?;
            Ok(outcomes[from..].iter().filter(|outcome| stored(outcome)).count() as u64)
        })?;
        Ok(outcomes)
    })
}

/// The functions of a type that has a `growing` table `$table` and its `device`.
macro_rules! grows {
    ($table:ident) => {
        /// An empty one of no particular size.
        ///
        /// # Errors
        #[doc = concat!("As [`", stringify!($table), "::with_capacity`].")]
        pub fn new(device: &Device) -> Result<Self, Error> {
            Self::with_capacity(device, $crate::dynamic::shared::FIRST)
        }

        /// An empty one that has room for so many entries before it grows.
        ///
        /// # Errors
        #[doc = concat!("As [`", stringify!($table), "::with_capacity`].")]
        pub fn with_capacity(device: &Device, entries: u64) -> Result<Self, Error> {
            Self::at_load(device, entries, OpenGeometry::DEFAULT_LOAD)
        }

        /// Makes room for `more` entries besides those that are there, and takes tombstones away.
        ///
        /// # Errors
        #[doc = concat!("As [`", stringify!($table), "::rehash`]; nothing has changed then.")]
        pub fn reserve(&self, more: u64) -> Result<(), Error> {
            self.growing.resize_for(more)
        }

        /// Gives back the memory that the entries do not need, and takes tombstones away.
        ///
        /// # Errors
        #[doc = concat!("As [`", stringify!($table), "::rehash`]; nothing has changed then.")]
        pub fn shrink(&self) -> Result<(), Error> {
            self.growing.resize_for(0)
        }

        /// Takes out everything, on `stream`; the size stays. Waits as [`SlabMap::clear_on`](crate::SlabMap::clear_on) does.
        ///
        /// # Errors
        /// [`Error::OtherDevice`], [`Error::Driver`].
        pub fn clear_on(&mut self, stream: &Arc<CudaStream>) -> Result<(), Error> {
            self.growing.clear(|table| table.clear_on(stream))
        }

        /// The device that it is on.
        pub fn device(&self) -> &Device {
            &self.device
        }

        /// Device memory of the table, in bytes.
        pub fn bytes(&self) -> u64 {
            self.growing.table().bytes()
        }
    };
}

pub(super) use grows;
