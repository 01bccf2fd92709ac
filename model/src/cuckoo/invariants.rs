//! Invariants of a cuckoo table, to be checked on a copy of its words.

use super::CuckooTable;
use crate::entry::Packed;
use crate::memory::{IntegerWords, Words};
use crate::open;
use crate::warp::Warp;

/// An invariant that is violated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Broken {
    /// An invariant of the buckets of open addressing; a key whose first bucket is locked may be there twice.
    Slots(open::Broken),
    /// A bucket is locked (quiescence only).
    Locked {
        /// The bucket.
        bucket: u32,
    },
}

impl core::fmt::Display for Broken {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Slots(broken) => broken.fmt(f),
            Self::Locked { bucket } => write!(f, "bucket {bucket} is locked"),
        }
    }
}

impl<E: Packed, H: Words<E::Word>, B: IntegerWords<u32>, const S: usize> CuckooTable<E, H, B, S> {
    /// Checks the invariants of every state: a bucket is filled from its lowest slot on; a key is in its
    /// first bucket, or in its second one if the first has no empty slot, and in both only while its first
    /// bucket is locked.
    ///
    /// Takes time proportional to the slots squared: meant for tiny tables.
    pub fn check_state<W: Warp>(self, w: &mut W) -> Result<(), Broken> {
        let most = |w: &mut W, key| 1 + self.locks.is_locked(w, self.slots.probe(key).bucket) as u32;
        self.slots.check_copies(w, most).map_err(Broken::Slots)
    }

    /// Checks the additional invariants of a state in which no operation runs: no bucket is locked.
    pub fn check_quiescent<W: Warp>(self, w: &mut W) -> Result<(), Broken> {
        self.check_state(w)?;
        match (0..self.buckets()).find(|&bucket| self.locks.is_locked(w, bucket)) {
            Some(bucket) => Err(Broken::Locked { bucket }),
            None => Ok(()),
        }
    }
}
