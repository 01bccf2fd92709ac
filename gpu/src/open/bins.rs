//! Device memory for batches that are inserted bin by bin.

use super::levels::Level;
use crate::arguments::{Binned, Span};
use crate::error::Error;
use crate::slices::Call;
use core::fmt;
use cudarc::driver::{CudaSlice, CudaStream};
use std::sync::Arc;
use warpproof_model::host::Refused;

/// Device memory for batches that are inserted bin by bin: two arrays of entries, of which each level fills one from the other,
/// and the counters of all bins. Made by [`OpenMap::bins_on`](crate::OpenMap::bins_on) and
/// [`OpenSet::bins_on`](crate::OpenSet::bins_on), and used by any table and batch that it is large enough for.
pub struct Bins {
    words: [CudaSlice<u8>; 2],
    taken: CudaSlice<u32>,
}

impl Bins {
    pub(super) fn new(stream: &Arc<CudaStream>, levels: &[Level], slot_bytes: u32) -> Result<Self, Error> {
        let (words, counters) = needs(levels);
        let bytes = words * slot_bytes as u64;
        let array = || {
            let failed = Error::memory("the bins of a batch", 2 * bytes);
            // SAFETY: a word is written before it is read: only those are that a counter says are taken.
            unsafe { stream.alloc::<u8>(bytes as usize) }.map_err(failed)
        };
        let failed = Error::memory("the counters of bins", counters * size_of::<u32>() as u64);
        // SAFETY: each batch sets them to zero first.
        let taken = unsafe { stream.alloc::<u32>(counters as usize) }.map_err(failed)?;
        Ok(Self { words: [array()?, array()?], taken })
    }

    /// Device memory that it takes, in bytes.
    pub fn bytes(&self) -> u64 {
        (2 * self.words[0].len() + size_of::<u32>() * self.taken.len()) as u64
    }

    /// Takes the arrays for a call.
    pub(super) fn take<'a>(&'a mut self, call: &mut Call<'a>) -> Result<Memory, Error> {
        let [first, second] = &mut self.words;
        Ok(Memory {
            words: [call.output("bins", first.as_view_mut())?, call.output("bins", second.as_view_mut())?],
            taken: call.output("counters of bins", self.taken.as_view_mut())?,
        })
    }
}

impl fmt::Debug for Bins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bins").field("bytes", &self.bytes()).finish_non_exhaustive()
    }
}

/// Entries of each array, and counters, that a batch of these levels needs.
fn needs(levels: &[Level]) -> (u64, u64) {
    let words = levels.iter().map(|level| level.words()).max().unwrap_or(0);
    // One more for each bin of the last level: of what it left.
    (words, levels.iter().map(|level| level.bins).sum::<u64>() + last(levels).bins)
}

/// Entries of a batch at most: kernels count them in 32 bits.
const MOST: u64 = u32::MAX as u64;

/// The arrays of [`Bins`] in a call.
#[derive(Clone, Copy)]
pub(super) struct Memory {
    words: [Span<u8>; 2],
    pub(super) taken: Span<u32>,
}

impl Memory {
    /// Refuses a batch of `n` entries that needs more than there is, or that 32 bits do not count.
    pub(super) fn admit(self, levels: &[Level], slot_bytes: u32, n: usize) -> Result<(), Error> {
        if n as u64 > MOST {
            return Err(Refused::TooLarge { what: "entries of a batch", found: n as u64, most: MOST }.into());
        }
        let (words, counters) = needs(levels);
        let has = self.words[0].len() as u64 / slot_bytes as u64;
        if words > has || counters > self.taken.len() as u64 {
            let refused = Refused::TooLarge {
                what: "entries for these bins",
                found: n as u64,
                most: has.min(n as u64 - 1),
            };
            return Err(refused.into());
        }
        Ok(())
    }

    /// The bins of level number `at`; behind the last one, those of what it left.
    pub(super) fn bins(self, levels: &[Level], at: usize, slot_bytes: u32) -> Binned {
        let level = levels.get(at).copied().unwrap_or(last(levels));
        let (words, bytes) = self.words[at % 2].bytes();
        let before: u64 = levels.iter().take(at).map(|level| level.bins).sum();
        let taken = self.taken.bytes().0 + before * size_of::<u32>() as u64;
        let taken = Span::new(taken, level.bins as usize);
        Binned { words, len: bytes as u64 / slot_bytes as u64, taken, room: level.room }
    }
}

/// The last level, of which there is one at least.
pub(super) fn last(levels: &[Level]) -> Level {
    levels.last().copied().unwrap_or(Level { fan: 1, shift: 0, bins: 0, room: 0 })
}

#[cfg(test)]
mod tests {
    use super::super::levels::levels;
    use super::*;

    #[test]
    fn memory_for_a_batch_is_enough_for_it_and_smaller_ones() {
        for buckets in [1, 17, 9_377, 468_757] {
            for n in [1, 2, 1_000, 3_000_000] {
                let (words, counters) = needs(&levels(buckets, 64, n));
                let bytes = Span::new(1 << 20, 8 * words as usize);
                let memory = Memory { words: [bytes; 2], taken: Span::new(1 << 40, counters as usize) };
                for n in [1, n / 2, n].into_iter().filter(|&n| n > 0) {
                    let admitted = memory.admit(&levels(buckets, 64, n), 8, n as usize);
                    assert_eq!(admitted, Ok(()), "{n} entries, {buckets} buckets");
                }
                let most = memory.admit(&levels(buckets, 64, 1 << 32), 8, 1 << 32);
                let refused =
                    Refused::TooLarge { what: "entries of a batch", found: 1 << 32, most: u32::MAX.into() };
                assert_eq!(most, Err(refused.into()));
                let more = 2 * n + 100_000;
                let refused = memory.admit(&levels(buckets, 64, more), 8, more as usize);
                assert!(matches!(refused, Err(Error::Refused(Refused::TooLarge { .. }))), "{refused:?}");
            }
        }
    }
}
