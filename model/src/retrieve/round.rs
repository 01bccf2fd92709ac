//! The common part of all variants: a warp reads its slots of a round, numbers their entries, and writes
//! them.

use super::source::{Sink, Source, Word};
use crate::entry::Packed;
use crate::warp::{Ballot, Warp};

/// The slots that the lanes of a warp read in a round: `R` rows of `S` adjacent slots each. Rows of adjacent
/// lanes are adjacent, so that the lanes read adjacent memory at a time.
pub(super) type Rows<W, A, const R: usize, const S: usize> = <W as Warp>::Lanes<[[Word<A>; S]; R]>;

/// Reads `W::LANES * R` rows, from row `first` on. Slots after the last one are empty.
#[inline(always)]
pub(super) fn read<W: Warp, A: Source, const R: usize, const S: usize>(
    w: &mut W,
    source: A,
    first: u64,
) -> Rows<W, A, R, S> {
    w.each(|lane| core::array::from_fn(|r| row(source, first + r as u64 * W::LANES as u64 + lane as u64)))
}

#[inline(always)]
fn row<A: Source, const S: usize>(source: A, row: u64) -> [Word<A>; S] {
    // The bound first: nothing is read after the last slot.
    let left = source.slots().saturating_sub(row * S as u64);
    if left >= S as u64 {
        return source.load_row::<S>(row);
    }
    core::array::from_fn(|i| {
        if (i as u64) < left { source.load(row * S as u64 + i as u64) } else { A::Entry::EMPTY }
    })
}

/// For each row of a lane, how many entries of the warp come before it, in the order of the slots; and how
/// many entries the warp has.
#[inline(always)]
pub(super) fn number<W: Warp, A: Source, const R: usize, const S: usize>(
    w: &mut W,
    rows: Rows<W, A, R, S>,
) -> (W::Lanes<[u32; R]>, u32) {
    // Not loops that change an array: compilers for a GPU would put it in memory.
    let votes: [[Ballot; S]; R] = core::array::from_fn(|r| {
        core::array::from_fn(|s| {
            let votes = w.map(rows, |_, rows: [[Word<A>; S]; R]| A::is_entry(rows[r][s]));
            w.ballot(votes)
        })
    });
    let before = w.each(|lane| {
        let mut above = 0;
        votes.map(|row| {
            let before = row.iter().fold(above, |sum, votes| sum + votes.below(lane).popc());
            above += entries(&row);
            before
        })
    });
    (before, votes.iter().map(entries).sum())
}

/// How many entries the rows of all lanes have.
#[inline(always)]
fn entries<const S: usize>(row: &[Ballot; S]) -> u32 {
    row.iter().map(|votes| votes.popc()).sum()
}

/// Writes the entries of a lane from its place `base + before[r]` on, row by row.
#[inline(always)]
pub(super) fn write<W: Warp, A: Source, K: Sink<A::Entry>, const R: usize, const S: usize>(
    w: &mut W,
    sink: K,
    rows: Rows<W, A, R, S>,
    base: W::Lanes<u64>,
    before: W::Lanes<[u32; R]>,
) {
    let places = w.both(base, before, |_, base, before: [u32; R]| (base, before));
    let _ = w.both(rows, places, |_, rows: [[Word<A>; S]; R], (base, before)| {
        for r in 0..R {
            let mut place = base + before[r] as u64;
            for word in rows[r] {
                if A::is_entry(word) {
                    put::<A, K>(sink, place, word);
                    place += 1;
                }
            }
        }
    });
}

/// Writes one entry, if there is room for it.
#[inline(always)]
pub(super) fn put<A: Source, K: Sink<A::Entry>>(sink: K, place: u64, word: Word<A>) {
    if place < sink.room() {
        sink.put(place, A::Entry::key(word), A::Entry::value(word));
    }
}
