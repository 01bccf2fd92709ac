#![doc = include_str!("README.md")]

mod bins;
mod fill;
mod outcomes;
mod scatter;
mod tally;

pub use bins::{Batch, Bin, Bins, Numbered};
pub use fill::{MOST_TOLD, fill_words, insert_words};
pub use outcomes::Outcomes;
pub use scatter::scatter_words;
pub use tally::TALLY;

use super::{Filter, OpenTable, Probing};
use crate::entry::Packed;
use crate::memory::{IntegerWords, StagedWords, Words};
use crate::reserved::{ReservedSlots, WithSlots};

/// A batch of unique inserts into a table: a handle that every warp carries.
#[derive(Clone, Copy, Debug)]
pub struct Bulk<E, H, F, P, N, O, const S: usize> {
    table: OpenTable<E, H, F, P, S>,
    reserved: ReservedSlots<E, H>,
    tally: N,
    outcomes: Outcomes<O>,
}

impl<
    E: Packed,
    H: Words<E::Word>,
    F: Filter,
    P: Probing,
    N: IntegerWords<u64>,
    O: StagedWords<u8>,
    const S: usize,
> Bulk<E, H, F, P, N, O, S>
{
    /// Inserts into a table and its reserved keys. Adds the ends of the inserts to the [`TALLY`] words of
    /// `tally`, and tells the outcome of each, if that is wanted.
    #[inline(always)]
    pub fn new(
        all: WithSlots<OpenTable<E, H, F, P, S>, ReservedSlots<E, H>>,
        tally: N,
        outcomes: Outcomes<O>,
    ) -> Self {
        Self { table: all.table(), reserved: all.reserved(), tally, outcomes }
    }
}

/// The home of an entry in a table.
#[inline(always)]
fn home<E: Packed, H: Words<E::Word>, F: Filter, P: Probing, const S: usize>(
    table: OpenTable<E, H, F, P, S>,
    word: E::Word,
) -> u32 {
    table.home(E::key(word))
}
