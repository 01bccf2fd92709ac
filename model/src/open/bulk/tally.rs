//! Counts of the inserts of a batch, by how they ended.

use super::super::answer::End;
use crate::block::{Block, InBlock};
use crate::memory::{IntegerWords, Order, ReadOrder};
use crate::warp::Warp;

/// Words of a tally: [`Tally`](crate::host::Tally) has their meaning. The names here are their indices.
pub const TALLY: usize = 5;
/// Entries of the batch.
pub(super) const ENTRIES: usize = 0;
/// Entries that were inserted.
pub(super) const INSERTED: usize = 1;
/// Entries that found no room.
pub(super) const FULL: usize = 2;
/// Those that a bin had no room for. Then all entries are inserted again; where outcomes are told, only
/// these.
pub(super) const LOST: usize = 3;
/// Entries that found no room in the table then.
pub(super) const FULL_AGAIN: usize = 4;

/// The counts of a warp, by the index of their word.
#[derive(Clone, Copy, Default)]
pub(super) struct Counts([u32; TALLY]);

impl Counts {
    /// Counts one more in a word.
    #[inline(always)]
    pub(super) fn add(&mut self, word: usize, n: u32) {
        self.0[word] += n;
    }

    /// Counts less in a word.
    #[inline(always)]
    pub(super) fn take_back(&mut self, word: usize, n: u32) {
        self.0[word] = self.0[word].wrapping_sub(n);
    }

    /// Counts how an insert ended; `full` is the word for *no room*.
    #[inline(always)]
    pub(super) fn note(&mut self, end: End, full: usize) {
        // Without a branch: the lanes of a hardware warp stay together.
        self.add(INSERTED, (end == End::Inserted) as u32);
        self.add(full, (end == End::Full) as u32);
    }

    /// Adds the counts of all warps of the block to `to`. All of them call this. The first [`TALLY`] shared
    /// words are zero.
    #[inline(always)]
    pub(super) fn report<I: InBlock>(self, m: &mut I, to: impl IntegerWords<u64>) {
        use crate::memory::Words;
        let (rank, warps, shared) = (m.block().rank(), m.block().warps(), m.block().shared());
        m.warp().elect(0, || {
            for (word, n) in self.0.into_iter().enumerate() {
                if n != 0 {
                    // Relaxed, in this function: counters; a barrier orders the shared ones.
                    shared.fetch_add(word, n, Order::Relaxed);
                }
            }
            true
        });
        m.block().sync();
        m.warp().elect(0, || {
            let mut word = rank as usize;
            while word < TALLY {
                let n = shared.load(word, ReadOrder::Relaxed);
                if n != 0 {
                    to.fetch_add(word, n as u64, Order::Relaxed);
                }
                word += warps as usize;
            }
            true
        });
    }
}
