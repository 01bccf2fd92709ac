//! Where the items of a batch go, and in which round.

use crate::host::{Refused, at_most, room};
use alloc::vec::Vec;
use core::ops::Range;

/// The items of a batch by the ranks that own them: a stable sort. Of the items of one owner, each round
/// sends as many as fit a bin.
#[derive(Debug)]
pub struct Route {
    /// The places of items in the batch, owner after owner.
    places: Vec<u32>,
    /// Where the items of each owner begin in `places`; one more than owners.
    starts: Vec<usize>,
}

impl Route {
    /// The most items of a batch.
    pub const MOST: u64 = u32::MAX as u64;

    /// No items, for any number of ranks.
    pub const fn empty() -> Self {
        Self { places: Vec::new(), starts: Vec::new() }
    }

    /// The route of `len` items, of which item `i` belongs to rank `owner(i)`, below `ranks`. Takes four
    /// bytes an item.
    ///
    /// # Errors
    /// [`Refused::TooLarge`] if there are more than [`MOST`](Self::MOST) items, or [`Refused::OutOfMemory`].
    pub fn new(ranks: u32, len: usize, owner: impl Fn(usize) -> u32) -> Result<Self, Refused> {
        at_most("items of a batch", len as u64, Self::MOST)?;
        let mut starts = zeros::<usize>(ranks as usize + 1)?;
        let mut places = zeros::<u32>(len)?;
        for item in 0..len {
            starts[owner(item) as usize + 1] += 1;
        }
        for rank in 0..ranks as usize {
            starts[rank + 1] += starts[rank];
        }
        let mut next = zeros::<usize>(ranks as usize)?;
        next.copy_from_slice(&starts[..ranks as usize]);
        for item in 0..len {
            let owner = owner(item) as usize;
            places[next[owner]] = item as u32;
            next[owner] += 1;
        }
        Ok(Self { places, starts })
    }

    /// How many items there are.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The places of the items that go to rank `to` in a round, counted from 0, if a bin holds `per_bin`.
    pub fn part(&self, to: u32, round: usize, per_bin: usize) -> &[u32] {
        let of = self.of(to);
        let first = of.start.saturating_add(round.saturating_mul(per_bin)).min(of.end);
        &self.places[first..first.saturating_add(per_bin).min(of.end)]
    }

    /// How many rounds it takes: one at least.
    pub fn rounds(&self, per_bin: usize) -> usize {
        let each = self.starts.windows(2).map(|owner| owner[1] - owner[0]);
        each.fold(1, usize::max).div_ceil(per_bin)
    }

    /// Where the items of an owner are in `places`.
    fn of(&self, to: u32) -> Range<usize> {
        let start = |rank: usize| self.starts.get(rank).copied().unwrap_or(self.places.len());
        start(to as usize)..start(to as usize + 1)
    }
}

/// So many zeros.
pub(super) fn zeros<T: Copy + Default>(len: usize) -> Result<Vec<T>, Refused> {
    let mut list = room(len)?;
    list.resize(len, T::default());
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_goes_to_its_owner_once_and_in_order() {
        for ranks in 1..5 {
            for len in [0, 1, 2, 9, 40] {
                let owner = |item: usize| (item * item + item / 3) as u32 % ranks;
                let route = Route::new(ranks, len, owner).expect("a route");
                for per_bin in [1, 2, 3, 7, 100] {
                    let rounds = route.rounds(per_bin);
                    for to in 0..ranks {
                        let all: Vec<u32> = (0..rounds)
                            .flat_map(|round| {
                                let part = route.part(to, round, per_bin);
                                assert!(part.len() <= per_bin);
                                part.iter().copied()
                            })
                            .collect();
                        let owned: Vec<u32> =
                            (0..len).filter(|&item| owner(item) == to).map(|item| item as u32).collect();
                        assert_eq!(all, owned, "{len} items, rank {to} of {ranks}");
                        assert!(route.part(to, rounds, per_bin).is_empty());
                    }
                }
            }
        }
    }

    #[test]
    fn a_batch_of_too_many_items_is_refused() {
        let found = usize::MAX as u64;
        let refused = Refused::TooLarge { what: "items of a batch", found, most: 0xffff_ffff };
        assert_eq!(Route::new(1, usize::MAX, |_| 0).err(), Some(refused));
    }

    #[test]
    fn an_empty_batch_takes_a_round() {
        for route in [Route::empty(), Route::new(3, 0, |_| 0).expect("a route")] {
            assert!(route.is_empty());
            assert_eq!((route.len(), route.rounds(5), route.rounds(1)), (0, 1, 1));
            for to in 0..3 {
                assert!(route.part(to, 0, 5).is_empty());
            }
        }
        let route = Route::new(3, 1, |_| 2).expect("a route");
        assert!(!route.is_empty());
        assert_eq!((route.len(), route.rounds(5), route.part(2, 0, 5)), (1, 1, &[0][..]));
    }
}
