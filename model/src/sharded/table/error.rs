//! Errors of a table in shards.

use crate::host::{NotStored, Refused};
use crate::sharded::lost::Lost;
use core::fmt;

/// An error of a table in shards; `E` is the error of a shard.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Error<E> {
    /// The input was refused: this rank ran nothing. It took part in the call without operations.
    Refused(Refused),
    /// This rank's shard could not run its part. All ranks get an error; operations of the batch may have
    /// run.
    Shard(E),
    /// The shard of another rank could not run its part; that rank knows why. Operations of the batch may
    /// have run.
    Peer {
        /// The call.
        call: &'static str,
        /// The rank.
        rank: u32,
    },
    /// The ranks can exchange nothing more. Operations of the batch may have run.
    Lost {
        /// The call of this rank.
        call: &'static str,
        /// What happened, and to which rank.
        lost: Lost,
    },
    /// Another rank's seed is not that of this one.
    Differs {
        /// This rank.
        rank: u32,
        /// The other rank.
        other: u32,
    },
    /// A key that was to be run without an exchange belongs to another rank.
    NotOwned {
        /// The place of the key in the batch, counted from 0.
        index: usize,
        /// The rank that owns it.
        owner: u32,
        /// This rank.
        rank: u32,
    },
    /// Some entries of a batch found no room.
    NotStored(NotStored),
    /// A table cannot be saved to files, or opened.
    #[cfg(feature = "file")]
    File(crate::paged::file::FileError),
}

impl<E: fmt::Display> fmt::Display for Error<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(refused) => refused.fmt(f),
            Self::Shard(error) => write!(f, "the shard of this rank: {error}"),
            Self::Peer { call, rank } => write!(f, "{call}: the shard of rank {rank} could not run its part"),
            Self::Lost { call, lost } => write!(f, "{call}: {lost}"),
            Self::Differs { rank, other } => {
                write!(f, "ranks {rank} and {other} have different seeds: they are not of one table")
            }
            Self::NotOwned { index, owner, rank } => {
                write!(f, "the key at index {index} belongs to rank {owner}, and this is rank {rank}")
            }
            Self::NotStored(error) => error.fmt(f),
            #[cfg(feature = "file")]
            Self::File(error) => error.fmt(f),
        }
    }
}

impl<E: core::error::Error + 'static> core::error::Error for Error<E> {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Refused(error) => Some(error),
            Self::Shard(error) => Some(error),
            Self::Lost { lost, .. } => Some(lost),
            Self::NotStored(error) => Some(error),
            #[cfg(feature = "file")]
            Self::File(error) => Some(error),
            Self::Peer { .. } | Self::Differs { .. } | Self::NotOwned { .. } => None,
        }
    }
}

impl<E> From<Refused> for Error<E> {
    fn from(refused: Refused) -> Self {
        Self::Refused(refused)
    }
}

impl<E> From<NotStored> for Error<E> {
    fn from(error: NotStored) -> Self {
        Self::NotStored(error)
    }
}
