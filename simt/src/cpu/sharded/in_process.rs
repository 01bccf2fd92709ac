//! An exchange between the threads of a process.

use super::faults::{Faults, Moods};
use crate::cpu::words::{Array, CpuWords};
use core::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64};
use std::thread;
use std::time::{Duration, Instant};
use warpproof_model::host::Refused;
use warpproof_model::sharded::{Exchange, Lost, MailboxEnd, Mailboxes, Pace, Why, flag_words};

/// The limits of an exchange.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Words of a message: a bin. A batch that has more for one rank takes more rounds.
    pub bin_words: usize,
    /// The longest time that a rank waits for another one. It must be longer than a shard takes for its part
    /// of a round, growth included.
    pub time: Duration,
}

impl Default for Limits {
    /// Bins of 2^16 words, and a minute.
    fn default() -> Self {
        Self { bin_words: 1 << 16, time: Duration::from_secs(60) }
    }
}

/// The words of an exchange.
struct Shared {
    flags: Array<AtomicU32, 16>,
    data: Array<AtomicU64, 8>,
    ranks: u32,
    bin: usize,
}

/// One rank's end of an exchange between threads of a process, through mailboxes in memory that they share.
pub struct InProcess {
    shared: Arc<Shared>,
    end: MailboxEnd,
    pace: Clock,
}

impl InProcess {
    /// The most ranks of an exchange.
    pub const MOST_RANKS: u32 = 1 << 12;

    /// The ends of `ranks` ranks, one for each. Memory: a bin for each rank and each rank that it sends to.
    ///
    /// # Errors
    /// [`Refused::Nothing`] if there is no rank, [`Refused::TooLarge`] if there are more than
    /// [`MOST_RANKS`](Self::MOST_RANKS), or [`Refused::OutOfMemory`].
    pub fn ranks(ranks: u32, limits: Limits) -> Result<Vec<Self>, Refused> {
        Self::with_faults(ranks, limits, &Faults::default())
    }

    /// The ends of `ranks` ranks that are slow, change the order of their peers, or vanish, as `faults` says:
    /// for tests.
    ///
    /// # Errors
    /// As [`ranks`](Self::ranks).
    pub fn with_faults(ranks: u32, limits: Limits, faults: &Faults) -> Result<Vec<Self>, Refused> {
        if ranks == 0 {
            return Err(Refused::Nothing { what: "rank" });
        }
        if ranks > Self::MOST_RANKS {
            let (found, most) = (ranks.into(), Self::MOST_RANKS.into());
            return Err(Refused::TooLarge { what: "ranks", found, most });
        }
        let flags = flag_words(ranks);
        let boxes = ranks as usize * ranks as usize;
        let words = (limits.bin_words.checked_add(1)).and_then(|bin| bin.checked_mul(boxes)?.checked_add(1));
        let bytes = |words: usize| Refused::OutOfMemory { bytes: words.saturating_mul(8) as u64 };
        let words = words.ok_or(bytes(usize::MAX))?;
        let shared = Arc::new(Shared {
            flags: Array::new(flags, |_| 0).map_err(|_| bytes(flags))?,
            data: Array::new(words, |_| 0).map_err(|_| bytes(words))?,
            ranks,
            bin: limits.bin_words,
        });
        let end = |rank| Self {
            shared: shared.clone(),
            end: MailboxEnd::new(rank, ranks, 0),
            pace: Clock { limit: limits.time, since: Instant::now(), turns: 0, moods: faults.of(rank) },
        };
        Ok((0..ranks).map(end).collect())
    }
}

impl Shared {
    fn mailboxes(&self) -> Mailboxes<CpuWords<'_, AtomicU32, 16>, CpuWords<'_, AtomicU64, 8>> {
        Mailboxes::new(self.flags.words(), self.data.words(), self.ranks, self.bin)
    }
}

impl Exchange for InProcess {
    fn rank(&self) -> u32 {
        self.end.rank()
    }

    fn ranks(&self) -> u32 {
        self.shared.ranks
    }

    fn bin_words(&self) -> usize {
        self.shared.bin
    }

    fn all_to_all(&mut self, messages: &mut [Vec<u64>]) -> Result<(), Lost> {
        self.end.all_to_all(self.shared.mailboxes(), &mut self.pace, messages)
    }

    fn lose(&mut self, why: Why, rank: u32) -> Lost {
        self.end.lose(self.shared.mailboxes(), why, rank)
    }
}

impl fmt::Debug for InProcess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InProcess").field("end", &self.end).finish_non_exhaustive()
    }
}

/// How long a rank waits, and how.
struct Clock {
    limit: Duration,
    since: Instant,
    turns: u32,
    moods: Moods,
}

/// Turns of a wait that only spin, and those after them that let other threads run; later ones sleep.
const SPINS: u32 = 64;
const YIELDS: u32 = 1024;

impl Pace for Clock {
    fn begin(&mut self, number: u32, peers: &mut [u32]) -> bool {
        let goes_on = self.moods.begin(number, peers);
        self.since = Instant::now();
        self.turns = 0;
        goes_on
    }

    fn wait(&mut self) -> bool {
        self.turns = self.turns.saturating_add(1);
        if self.turns < SPINS {
            core::hint::spin_loop();
            return true;
        }
        if self.turns < YIELDS {
            thread::yield_now();
        } else {
            thread::sleep(Duration::from_micros(50));
        }
        self.since.elapsed() < self.limit
    }
}
