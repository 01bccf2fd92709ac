//! A rank's end of a table in shards.

mod bulk;
mod calls;
mod error;
#[cfg(feature = "file")]
mod file;
mod matches;

pub use calls::Call;
pub use error::Error;
#[cfg(feature = "file")]
pub use file::saved_ranks;

use super::carry::{Carrier, Prepared};
use super::entry::key_bits;
use super::exchange::Exchange;
use super::header::Kind;
use super::rounds::{Exchanged, Failed, Rounds, Said};
use super::route::Route;
use crate::bits::TableKey;
use crate::hash::Seed;
use crate::host::room;
use crate::host::{BulkTable, GeometryOf, Refused, StatsOf, Structure};
use crate::partition::HashPartitions;
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// One rank's end of a table in shards: its shard `T`, a table of any structure and backend, and its end `X`
/// of an exchange between ranks. A key belongs to one rank, its *owner*, in whose shard it lies.
///
/// **Calls are collective** unless their documentation says otherwise: every rank makes the same call, each
/// with a batch of its own (which may be empty), and gets the answers in the order of its own batch.
/// Operations of all ranks run concurrently. A call returns when the rank's own operations are done and its
/// shard has run those of others. Ranks that make different calls lose the exchange, and each gets an error
/// that says so.
///
/// **Errors.** If a batch is refused, the rank that made it takes part without operations; others do not
/// notice. If a shard cannot run its part (there is no memory, say), every rank gets an error in the same
/// round, and the table goes on. A rank that does not come within the time limit of the exchange loses it:
/// each later call of every rank returns [`Error::Lost`], and nothing hangs.
///
/// **Memory.** The shard; twice the bins of the exchange for each rank; for a batch four bytes an operation,
/// the answers, and a copy of what other ranks send in a round.
pub struct Sharded<T, X> {
    shard: T,
    rounds: Mutex<Rounds<X>>,
    owners: HashPartitions,
}

/// The structure of a table in shards of structure `S`.
#[derive(Clone, Copy, Debug)]
pub struct ShardedStructure<S>(PhantomData<S>);

impl<S: Structure> Structure for ShardedStructure<S> {
    const NAME: &'static str = "sharded";
    type Geometry = ShardedGeometry<S::Geometry>;
    type Stats = ShardedStats<S::Stats>;
}

/// The size of a table in shards.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ShardedGeometry<G> {
    /// How many ranks there are.
    pub ranks: u32,
    /// The size of this rank's shard.
    pub shard: G,
}

/// Statistics of a table in shards.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct ShardedStats<S> {
    /// Those of this rank's shard.
    pub shard: S,
    /// How many entries the shard of each rank has.
    pub entries: Vec<u64>,
    /// What this rank has exchanged.
    pub exchanged: Exchanged,
}

impl<S> ShardedStats<S> {
    /// How many entries the fullest shard has for each that an average one has; 1 if the table is empty.
    pub fn imbalance(&self) -> f64 {
        let (sum, most) = (self.entries.iter().sum::<u64>(), self.entries.iter().max().copied().unwrap_or(0));
        if sum == 0 { 1.0 } else { most as f64 * self.entries.len() as f64 / sum as f64 }
    }
}

/// Differs from the seeds of shards, which may be the same number: or the keys of a rank would have their
/// homes in one part of its shard.
const OWNERS: u64 = 0x6f77_6e65_7273_2e2e;

impl<T: BulkTable, X: Exchange> Sharded<T, X> {
    /// This rank's end of a table with this shard, and with this end of an exchange. `seed` decides the
    /// owners of keys, and must be the same on all ranks.
    ///
    /// Collective.
    ///
    /// # Errors
    /// [`Error::Differs`] if ranks have different seeds, [`Error::Refused`] if the exchange has no rank or
    /// too small bins, [`Error::Lost`].
    pub fn new(shard: T, exchange: X, seed: Seed) -> Result<Self, Error<T::Error>> {
        let (rank, ranks) = (exchange.rank(), exchange.ranks());
        let mut rounds = Rounds::new(exchange).map_err(Error::Refused)?;
        let seeds = rounds.words(Call::New.kind(), seed.bits()).map_err(|lost| Call::New.lost(lost))?;
        if let Some(other) = seeds.iter().position(|&other| other != seed.bits()) {
            return Err(Error::Differs { rank, other: other as u32 });
        }
        let owners = HashPartitions::new(ranks, Seed::new(seed.bits() ^ OWNERS));
        Ok(Self { shard, rounds: Mutex::new(rounds), owners })
    }

    /// The number of this rank, counted from 0. Not collective.
    pub fn rank(&self) -> u32 {
        self.rounds().exchange().rank()
    }

    /// How many ranks there are. Not collective.
    pub fn ranks(&self) -> u32 {
        self.owners.count()
    }

    /// The seed that decides the owners of keys. Not collective.
    pub fn seed(&self) -> Seed {
        Seed::new(self.owners.seed().bits() ^ OWNERS)
    }

    /// The keys of each rank, as partitions of all keys. Not collective.
    pub const fn owners(&self) -> HashPartitions {
        self.owners
    }

    /// The rank that owns a key. Not collective.
    pub fn owner<K: TableKey>(&self, key: K) -> u32 {
        self.owners.of(key.to_word())
    }

    /// This rank's shard, for reading: a table of the keys that the rank owns. Not collective.
    pub const fn shard(&self) -> &T {
        &self.shard
    }

    /// The shard, for operations on keys that this rank owns, which need no exchange: callers route them
    /// themselves by [`owner`](Self::owner). Not collective.
    ///
    /// # Errors
    /// [`Error::NotOwned`] if a key belongs to another rank.
    pub fn routed<K: TableKey>(&self, keys: &[K]) -> Result<&T, Error<T::Error>> {
        let rank = self.rank();
        match keys.iter().position(|&key| self.owner(key) != rank) {
            None => Ok(&self.shard),
            Some(index) => Err(Error::NotOwned { index, owner: self.owner(keys[index]), rank }),
        }
    }

    /// The entries of this rank's shard, in no particular order. Not collective.
    ///
    /// # Errors
    /// The errors of the shard.
    pub fn retrieve_own(&self) -> Result<Vec<T::Entry>, Error<T::Error>> {
        self.shard.retrieve_all().map_err(Error::Shard)
    }

    /// What this rank has exchanged. Not collective.
    pub fn exchanged(&self) -> Exchanged {
        self.rounds().exchanged()
    }

    fn rounds(&self) -> MutexGuard<'_, Rounds<X>> {
        // A call that panicked has left the numbers of its messages behind, so others will see that it
        // differs.
        self.rounds.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A word of each rank.
    fn words(&self, call: Call, word: u64) -> Result<Vec<u64>, Error<T::Error>> {
        let mut rounds = self.rounds();
        let words = rounds.words(call.kind(), word).map_err(|lost| call.lost(lost))?;
        let mut list = room(words.len()).map_err(Error::Refused)?;
        list.extend_from_slice(words);
        Ok(list)
    }

    /// Runs a batch of items, of which item `i` has the key `keys[i]` and the words that `put` appends to it.
    /// `run` runs items on the shard.
    fn batch<K: TableKey>(
        &self,
        call: Call,
        keys: Result<&[K], Refused>,
        put: impl Fn(usize, &mut Vec<u64>),
        run: impl FnMut(&T, &[u64]) -> Result<Said, T::Error>,
    ) -> Result<Said, Error<T::Error>> {
        let mut run = run;
        let route = keys.and_then(|keys| Route::new(self.ranks(), keys.len(), |item| self.owner(keys[item])));
        let keys = keys.unwrap_or(&[]);
        let put = |place: usize, message: &mut Vec<u64>| {
            message.push(key_bits(keys[place]));
            put(place, message);
        };
        let said = self.rounds().run(call.kind(), route, put, |items| run(&self.shard, items));
        said.map_err(|failed| call.failed(failed))
    }

    /// Runs a batch whose items stay in the memory of this rank: `prepare` makes the carrier that moves them
    /// and runs those of others on the shard. Returns the carrier, which has begun to take the last answers.
    /// Collective. The order in which others may read the carrier's memory is that of [`Rounds::carry`].
    ///
    /// # Errors
    /// As any collective call. [`Error::Shard`] is an error of this rank's carrier.
    pub fn carry<C: Carrier<Error = T::Error>>(
        &self,
        call: Call,
        prepare: impl FnOnce(&X) -> Prepared<C>,
    ) -> Result<C, Error<T::Error>> {
        let carried = self.rounds().carry(call.kind(), prepare);
        carried.map_err(|failed| call.failed(failed))
    }

    /// Statistics, with those of all ranks.
    fn all_stats(&self) -> Result<ShardedStats<StatsOf<T>>, Error<T::Error>> {
        let (stats, len) = match (self.shard.stats(), self.shard.len()) {
            (Ok(stats), Ok(len)) => (Ok(stats), len),
            // Takes part all the same, as others wait.
            (Err(error), _) | (_, Err(error)) => (Err(error), 0),
        };
        let entries = self.words(Call::Stats, len)?;
        let shard = stats.map_err(Error::Shard)?;
        Ok(ShardedStats { shard, entries, exchanged: self.exchanged() })
    }

    /// The size of this rank's part. Not collective.
    fn size(&self) -> ShardedGeometry<GeometryOf<T>> {
        ShardedGeometry { ranks: self.ranks(), shard: self.shard.geometry() }
    }
}

impl<T, X> fmt::Debug for Sharded<T, X> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sharded").field("ranks", &self.owners.count()).finish_non_exhaustive()
    }
}

/// The kinds of the calls of a table.
impl Call {
    const fn kind(self) -> Kind {
        let (width, valued) = self.shape();
        Kind { code: self as u8, width, valued }
    }

    /// The error of a batch that failed.
    fn failed<E>(self, failed: Failed<E>) -> Error<E> {
        match failed {
            Failed::Lost(lost) => self.lost(lost),
            Failed::Shard(error) => Error::Shard(error),
            Failed::Peer(rank) => Error::Peer { call: self.name(), rank },
            Failed::Refused(refused) => Error::Refused(refused),
        }
    }
}
