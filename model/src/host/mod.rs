//! The bulk interface of every backend, and what backends share on the host: sizes, errors, answers.
//!
//! A bulk call takes slices and runs one operation per element, all of them concurrently. Calls take `&self`:
//! several may run at the same time.

mod answer;
mod bulk;
mod masked;
mod outcomes;
pub mod structure;

pub(crate) use masked::room;

pub use crate::outcome::Op;
pub use answer::{Answer, Matches};
#[cfg(feature = "file")]
pub use bulk::BulkSave;
pub use bulk::{
    BulkCounter, BulkFlush, BulkMap, BulkMatches, BulkMultimap, BulkOrdered, BulkPaged, BulkSet, BulkTable,
    BulkUpdate, GeometryOf, SinkOf, StatsOf,
};
pub use outcomes::{InsertedAndFound, NotStored, Outcome, Outcomes, left_out};
pub use structure::Structure;
pub use structure::sizes::*;

use crate::sketch::PRECISIONS;
use core::fmt;

/// Input that a bulk call refuses before it changes anything.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Refused {
    /// Two slices that belong together differ in length.
    Length {
        /// Length of the keys.
        keys: usize,
        /// Name of the other slice.
        what: &'static str,
        /// Its length.
        found: usize,
    },
    /// There is not enough memory for the part of the input that runs.
    OutOfMemory {
        /// How many bytes were asked for.
        bytes: u64,
    },
    /// The table would have more parts than can be counted.
    TooLarge {
        /// The name of the parts.
        what: &'static str,
        /// How many it would have.
        found: u64,
        /// The most that can be counted.
        most: u64,
    },
    /// The table would have no part of a kind that it needs.
    Nothing {
        /// The name of the part.
        what: &'static str,
    },
    /// A load that is impossible for such a table.
    Load {
        /// The load.
        load: f64,
    },
    /// A rate of false positives that no filter can have.
    Rate {
        /// The rate.
        rate: f64,
    },
    /// A precision that no HyperLogLog can have.
    Precision {
        /// The precision.
        found: u32,
    },
    /// Two sketches that cannot be merged: they differ in size or seed.
    Unlike,
    /// The size is for slabs with another number of slots than the table's warps read.
    SlabSlots {
        /// Slots per slab of the size.
        found: u32,
        /// Lanes times slots per lane of the table.
        expected: u32,
    },
    /// The size is for buckets with another number of slots than the table's warps read.
    BucketSlots {
        /// Slots per bucket of the size.
        found: u32,
        /// Lanes times slots per lane of the table.
        expected: u32,
    },
    /// The size is for nodes with another number of words than the table's warps read.
    NodeWords {
        /// Words per node of the size.
        found: u32,
        /// Lanes times words per lane of the table.
        expected: u32,
    },
    /// A number of parts that must be one or prime.
    NotPrime {
        /// The name of the parts.
        what: &'static str,
        /// How many.
        found: u64,
    },
    /// The size is for another neighbourhood than the table has.
    Neighbourhood {
        /// Words of a group, and groups of a neighbourhood.
        found: (u32, u32),
        /// Words of a group, and groups of a neighbourhood, of the table.
        expected: (u32, u32),
    },
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { keys, what, found } => write!(f, "{keys} keys but {found} {what}"),
            Self::OutOfMemory { bytes } => write!(f, "out of memory: cannot allocate {bytes} bytes"),
            Self::SlabSlots { found, expected } => {
                write!(f, "the size is for slabs of {found} slots; this table has slabs of {expected}")
            }
            Self::BucketSlots { found, expected } => {
                write!(f, "the size is for buckets of {found} slots; this table has buckets of {expected}")
            }
            Self::NodeWords { found, expected } => {
                write!(f, "the size is for nodes of {found} words; this table has nodes of {expected}")
            }
            Self::NotPrime { what, found } => {
                write!(
                    f,
                    "{found} {what}: their number must be one or prime, or a key could not reach them all"
                )
            }
            Self::Nothing { what } => write!(f, "a table needs at least one {what}"),
            Self::TooLarge { what, found, most } => {
                write!(f, "{found} {what} are more than the {most} that a table can have")
            }
            Self::Load { load } => write!(f, "a load of {load}: a load must be above 0 and at most 1"),
            Self::Rate { rate } => {
                write!(f, "a rate of false positives of {rate}: it must be above 0 and below 1")
            }
            Self::Precision { found } => {
                let (least, most) = PRECISIONS.into_inner();
                write!(f, "a precision of {found}: it must be between {least} and {most}")
            }
            Self::Unlike => {
                f.write_str("the sketches differ in size or seed: only those made alike can be merged")
            }
            Self::Neighbourhood { found: (words, groups), expected: (w, g) } => {
                write!(
                    f,
                    "the size is for neighbourhoods of {groups} groups of {words} words; this table has {g} groups of {w}"
                )
            }
        }
    }
}

impl core::error::Error for Refused {}

/// Checks that a slice is as long as the keys.
///
/// # Errors
/// [`Refused::Length`] if it is not.
pub fn same_length<K, T>(keys: &[K], what: &'static str, other: &[T]) -> Result<(), Refused> {
    if keys.len() == other.len() {
        Ok(())
    } else {
        Err(Refused::Length { keys: keys.len(), what, found: other.len() })
    }
}

/// Checks that there are no more parts than can be counted.
///
/// # Errors
/// [`Refused::TooLarge`] if there are more than `most`.
pub const fn at_most(what: &'static str, found: u64, most: u64) -> Result<(), Refused> {
    if found > most { Err(Refused::TooLarge { what, found, most }) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_parts_as_can_be_counted_are_not_too_many() {
        assert_eq!([0, 6, 7].map(|found| at_most("parts", found, 7)), [Ok(()); 3]);
        assert_eq!(at_most("parts", 8, 7), Err(Refused::TooLarge { what: "parts", found: 8, most: 7 }));
    }
}
