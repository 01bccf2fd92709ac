#![doc = include_str!("README.md")]

mod bins;
mod fill;
mod scatter;
mod tally;

pub use bins::{Bin, Bins};
pub use fill::{fill_words, settle_words};
pub use scatter::{Fan, scatter_words};
pub use tally::TALLY;

use super::{Filter, OpenTable, Probing};
use crate::entry::Packed;
use crate::key::Key;
use crate::memory::{IntegerWords, Words};

/// A batch of unique inserts into a table: a handle that every warp carries.
#[derive(Clone, Copy, Debug)]
pub struct Bulk<E, H, F, P, N, const S: usize> {
    table: OpenTable<E, H, F, P, S>,
    tally: N,
}

impl<E: Packed, H: Words<E::Word>, F: Filter, P: Probing, N: IntegerWords<u64>, const S: usize>
    Bulk<E, H, F, P, N, S>
{
    /// Inserts into `table`, and adds to the [`TALLY`] words of `tally` how the inserts ended.
    #[inline(always)]
    pub const fn new(table: OpenTable<E, H, F, P, S>, tally: N) -> Self {
        Self { table, tally }
    }
}

/// The home of an entry in a table.
#[inline(always)]
fn home<E: Packed, H: Words<E::Word>, F: Filter, P: Probing, const S: usize>(
    table: OpenTable<E, H, F, P, S>,
    word: E::Word,
) -> u32 {
    table.home(E::key(word).hash())
}
