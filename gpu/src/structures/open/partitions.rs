//! Device memory for batches that are inserted partition by partition.

use super::levels::Level;
use crate::arguments::{Binned, Span};
use crate::error::Error;
use crate::slices::Call;
use core::fmt;
use cudarc::driver::{CudaSlice, CudaStream, DeviceRepr};
use std::sync::Arc;
use warpproof_model::host::Refused;
use warpproof_model::open::bulk::TALLY;

/// Device memory for partitioned inserts: two arrays of entries, one of which each level fills from the
/// other; the counters of all partitions; and, where outcomes are told, the numbers of the entries'
/// operations. Made by [`partitions_on`](crate::Table::partitions_on) and
/// [`partitions_with_outcomes_on`](crate::Table::partitions_with_outcomes_on), for any table and any batch
/// that it is large enough for.
pub struct Partitions {
    words: [CudaSlice<u8>; 2],
    /// Only in partitions for outcomes.
    numbers: Option<[CudaSlice<u32>; 2]>,
    taken: CudaSlice<u32>,
    tally: CudaSlice<u64>,
}

impl Partitions {
    /// Partitions for batches of any of these levels, whose operations may be told their outcomes or not.
    pub(super) fn new(
        stream: &Arc<CudaStream>,
        (levels, told): (&[Vec<Level>], bool),
        slot_bytes: u32,
    ) -> Result<Self, Error> {
        let needs = levels.iter().map(|levels| needs(levels));
        let (n, counters) = needs.fold((0, 0), |most, needs| (needs.0.max(most.0), needs.1.max(most.1)));
        let words = || array::<u8>(stream, n * slot_bytes as u64);
        let numbers = || array::<u32>(stream, n);
        Ok(Self {
            words: [words()?, words()?],
            numbers: if told { Some([numbers()?, numbers()?]) } else { None },
            taken: array(stream, counters)?,
            tally: array(stream, TALLY as u64)?,
        })
    }

    /// Device memory that it takes, in bytes.
    pub fn bytes(&self) -> u64 {
        let words = self.words.iter().map(|array| array.num_bytes()).sum::<usize>();
        let numbers = self.numbers.iter().flatten().map(|array| array.num_bytes()).sum::<usize>();
        (words + numbers + self.taken.num_bytes() + self.tally.num_bytes()) as u64
    }

    /// Takes the arrays for a call.
    pub(super) fn take<'a>(&'a mut self, call: &mut Call<'a>) -> Result<Memory, Error> {
        let [first, second] = &mut self.words;
        let mut numbers = [Span::new(0, 0); 2];
        for (span, array) in numbers.iter_mut().zip(self.numbers.iter_mut().flatten()) {
            *span = call.output("numbers of partitions", array.as_view_mut())?;
        }
        Ok(Memory {
            words: [
                call.output("partitions", first.as_view_mut())?,
                call.output("partitions", second.as_view_mut())?,
            ],
            numbers,
            taken: call.output("counters of partitions", self.taken.as_view_mut())?,
            tally: call.output("a tally", self.tally.as_view_mut())?,
        })
    }
}

/// Device memory for `n` elements.
fn array<T: DeviceRepr>(stream: &Arc<CudaStream>, n: u64) -> Result<CudaSlice<T>, Error> {
    let failed = Error::memory("the partitions of a batch", n * size_of::<T>() as u64);
    // SAFETY: each batch first sets the counters to zero, and a word is written before it is read: only words
    // are read that a counter says are taken.
    unsafe { stream.alloc::<T>(n.max(1) as usize) }.map_err(failed)
}

impl fmt::Debug for Partitions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Partitions").field("bytes", &self.bytes()).finish_non_exhaustive()
    }
}

/// Entries of each array, and counters, that a batch of these levels needs.
fn needs(levels: &[Level]) -> (u64, u64) {
    let words = levels.iter().map(|level| level.words()).max().unwrap_or(0);
    // The last level has two counters for each partition: the second one is for its overflow.
    let partitions = |level: &Level| level.of.partitions;
    (words, levels.iter().chain(levels.last()).map(partitions).sum())
}

/// The most entries of a batch: kernels count them in 32 bits.
const MOST: u64 = u32::MAX as u64;
/// The most entries of a batch where outcomes are told: more would be several launches, each of which numbers
/// them from zero.
const MOST_TOLD: u64 = 1 << 31;

/// The arrays of [`Partitions`] in a call.
#[derive(Clone, Copy)]
pub(super) struct Memory {
    words: [Span<u8>; 2],
    numbers: [Span<u32>; 2],
    pub(super) taken: Span<u32>,
    pub(super) tally: Span<u64>,
}

impl Memory {
    /// Refuses a batch of `n` entries that needs more than there is, or that is too large to count in 32
    /// bits.
    pub(super) fn admit(
        self,
        (levels, told): (&[Level], bool),
        slot_bytes: u32,
        n: usize,
    ) -> Result<(), Error> {
        let most = if told { MOST_TOLD } else { MOST };
        if n as u64 > most {
            return Err(Refused::TooLarge { what: "entries of a batch", found: n as u64, most }.into());
        }
        let (words, counters) = needs(levels);
        let room = self.words[0].len() as u64 / slot_bytes as u64;
        let has = if told { room.min(self.numbers[0].len() as u64) } else { room };
        if words > has || counters > self.taken.len() as u64 {
            let refused = Refused::TooLarge {
                what: "entries for these partitions",
                found: n as u64,
                most: has.min(n as u64 - 1),
            };
            return Err(refused.into());
        }
        Ok(())
    }

    /// The partitions of level number `at`; after the last one, those of its overflow.
    pub(super) fn level(self, levels: &[Level], at: usize, slot_bytes: u32) -> Binned {
        let level = levels[at.min(levels.len() - 1)];
        let (words, bytes) = self.words[at % 2].bytes();
        let before: u64 = levels.iter().take(at).map(|level| level.of.partitions).sum();
        let taken = self.taken.bytes().0 + before * size_of::<u32>() as u64;
        let taken = Span::new(taken, level.of.partitions as usize);
        let numbers = self.numbers[at % 2];
        let room = bytes / slot_bytes as usize;
        // At most as many as there are numbers, if there are any.
        let len = if numbers.len() > 0 { room.min(numbers.len()) } else { room } as u64;
        Binned { words, numbers: numbers.bytes().0, len, taken, room: level.room }
    }
}

#[cfg(test)]
mod tests {
    use super::super::levels::levels;
    use super::*;

    #[test]
    fn memory_for_a_batch_is_enough_for_it_and_smaller_ones() {
        let levels = |buckets, n| levels(buckets, (8, 8), (n, false));
        let told_levels = |buckets, n| super::super::levels::levels(buckets, (8, 8), (n, true));
        for (buckets, told) in [(1, false), (17, true), (9_377, false), (9_377, true), (468_757, true)] {
            for n in [1, 2, 1_000, 3_000_000] {
                let (words, counters) = needs(&levels(buckets, n));
                let (told_words, told_counters) = needs(&told_levels(buckets, n));
                let (words, counters) = (words.max(told_words), counters.max(told_counters));
                let memory = Memory {
                    words: [Span::new(1 << 20, 8 * words as usize); 2],
                    numbers: [Span::new(1 << 30, if told { words as usize } else { 0 }); 2],
                    taken: Span::new(1 << 40, counters as usize),
                    tally: Span::new(1 << 41, TALLY),
                };
                for n in [1, n / 2, n].into_iter().filter(|&n| n > 0) {
                    let admitted = memory.admit((&levels(buckets, n), told), 8, n as usize);
                    assert_eq!(admitted, Ok(()), "{n} entries, {buckets} buckets");
                    let outcomes = memory.admit((&told_levels(buckets, n), true), 8, n as usize);
                    assert_eq!(outcomes.is_ok(), told, "{n} entries, {buckets} buckets");
                }
                for (told, most) in [(false, u32::MAX as u64), (true, 1 << 31)] {
                    let found = most + 1;
                    let refused = memory.admit((&levels(buckets, found), told), 8, found as usize);
                    let expected = Refused::TooLarge { what: "entries of a batch", found, most };
                    assert_eq!(refused, Err(expected.into()));
                }
                let more = 2 * n + 100_000;
                let refused = memory.admit((&levels(buckets, more), told), 8, more as usize);
                assert!(matches!(refused, Err(Error::Refused(Refused::TooLarge { .. }))), "{refused:?}");
            }
        }
    }
}
