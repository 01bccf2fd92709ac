//! Counts in a table: one that grows by itself on a GPU, or a paged one that moves to a larger one.

use super::BATCH;
use super::kmer::Kmer;
use super::tally::Tally;
use crate::backend::Opened;
use crate::failure::Failure;
use crate::paging::Paging;
use crate::registry::room::Room;
use crate::registry::{DYNAMIC, PAGED, Structure};
use warpproof::any::Map;
use warpproof::{Add, BulkTable, Outcomes};

/// The most pairs that a table is made for at first. The size of the input bounds the k-mers, but not the
/// distinct ones: from here on the table grows with what is counted.
const FIRST: u64 = 1 << 20;

/// The least pairs that a paged table is made for at first, if there may be so many.
const FIRST_PAGED: u64 = 1 << 12;

/// The least k-mers that are counted at a time, if there are so many.
const LEAST: u64 = 1 << 16;

/// Bytes of a pair.
const PAIR: u64 = 16;

/// Counts of k-mers.
pub(super) struct Counts<'a> {
    on: &'a Opened,
    structure: &'static Structure,
    /// `None` while all pairs move to a larger one.
    map: Option<Map<u64, u64>>,
    room: Room,
    /// The most distinct k-mers that there can be.
    most: u64,
    /// The statistics of copies for earlier tables, which were too small.
    before: Paging,
    ones: Vec<u64>,
}

impl<'a> Counts<'a> {
    /// An empty table for about so many letters (0 if unknown); a paged table if there is a budget.
    ///
    /// A paged table does not grow. It is made for a part of the expected k-mers, no larger than the budget.
    /// When more might come, all pairs move to a table of twice the size. So the input need not be read
    /// twice, and the number of distinct k-mers need not be known.
    pub(super) fn new(
        on: &'a Opened,
        seed: Option<u64>,
        budget: Option<u64>,
        (letters, most): (u64, u64),
    ) -> Result<Self, Failure> {
        let (structure, largest) = match budget {
            Some(budget) => (&PAGED, (budget / PAIR).max(FIRST_PAGED)),
            None => (&DYNAMIC, FIRST),
        };
        let first = letters.clamp(1, largest).min(most);
        let room = structure.capacity.whole(first, structure.loads.default);
        let room = room.with_seed(seed).with_budget(budget);
        let map = Some(structure.map64(on, room)?);
        Ok(Self { on, structure, map, room, most, before: Paging::default(), ones: Vec::new() })
    }

    /// Counts some k-mers.
    pub(super) fn add(&mut self, kmers: &[u64]) -> Result<(), Failure> {
        let mut rest = kmers;
        while !rest.is_empty() {
            let (part, later) = rest.split_at(self.make_room(rest.len())?);
            let mut full = self.add_to_table(part)?;
            if !full.is_empty() && self.may_grow() {
                // A child table got far more than its share.
                self.grow(self.room.expected.saturating_mul(2))?;
                full = self.add_to_table(&full)?;
            }
            if !full.is_empty() {
                return Err(no_place());
            }
            rest = later;
        }
        Ok(())
    }

    /// How many of `wanted` k-mers may come next. If there might not be room for them, all pairs move to a
    /// larger table first: in a table that gets full, an insert may walk through half a thousand buckets.
    fn make_room(&mut self, wanted: usize) -> Result<usize, Failure> {
        if !self.may_grow() {
            return Ok(wanted);
        }
        let (held, made) = (self.map()?.len().map_err(Failure::backend)?, self.room.expected);
        // It takes an eighth more than it was made for: at the default load of 0.8 it is filled to 0.9.
        let spare = made / 8;
        let part = (wanted as u64).min(made.saturating_sub(held).max(spare).max(LEAST));
        if held + part > made + spare {
            self.grow(made.saturating_mul(2).max(held + part))?;
        }
        Ok(part as usize)
    }

    /// Whether there may be more distinct k-mers than the table was made for, if it does not grow by itself.
    fn may_grow(&self) -> bool {
        !self.structure.capacity.grows && self.room.expected < self.most
    }

    /// Counts k-mers in the table. Returns those that found no room and are not counted.
    fn add_to_table(&mut self, kmers: &[u64]) -> Result<Vec<u64>, Failure> {
        let mut ones = std::mem::take(&mut self.ones);
        ones.resize(ones.len().max(kmers.len()), 1);
        let added = self.insert(kmers, &ones[..kmers.len()]);
        self.ones = ones;
        let full = kmers.iter().zip(added?).filter(|(_, added)| *added == Add::Full);
        Ok(full.map(|(&kmer, _)| kmer).collect())
    }

    fn insert(&self, kmers: &[u64], counts: &[u64]) -> Result<Outcomes<Add>, Failure> {
        let counter = self.map()?.counter().ok_or_else(|| self.structure.has_no("counter"))?;
        counter.insert_or_add(kmers, counts).map_err(Failure::backend)
    }

    /// Moves all pairs to a table for `wanted` pairs, or for all that there can be. The pairs wait in host
    /// memory, so that there is one table at a time, within one budget.
    fn grow(&mut self, wanted: u64) -> Result<(), Failure> {
        let expected = wanted.min(self.most);
        let pairs = self.pairs()?;
        if let Some(paging) = self.map.as_ref().and_then(Paging::of) {
            self.before = paging.after(&self.before);
        }
        self.map = None;
        self.room = Room { expected, total: expected, ..self.room };
        self.map = Some(self.structure.map64(self.on, self.room)?);
        for part in pairs.chunks(BATCH) {
            let (kmers, counts): (Vec<u64>, Vec<u64>) = part.iter().copied().unzip();
            if self.insert(&kmers, &counts)?.contains(&Add::Full) {
                return Err(no_place());
            }
        }
        Ok(())
    }

    /// All pairs.
    fn pairs(&self) -> Result<Vec<(u64, u64)>, Failure> {
        let held = self.map()?.len().map_err(Failure::backend)?;
        let mut pairs = Vec::new();
        if usize::try_from(held).ok().is_none_or(|held| pairs.try_reserve_exact(held).is_err()) {
            return Err(Failure::input(format_args!("out of memory for a list of {held} k-mers")));
        }
        self.each(|some| {
            pairs.extend_from_slice(&some);
            Ok(())
        })?;
        Ok(pairs)
    }

    /// Adds all pairs to a tally: one child table of a paged table at a time.
    pub(super) fn tally<K: Kmer>(&self, tally: &Tally<K>) -> Result<(), Failure> {
        self.each(|some| tally.add(some.into_iter().map(|(kmer, count)| (K::of_bits(kmer.into()), count))))
    }

    fn each(
        &self,
        mut sink: impl FnMut(Vec<(u64, u64)>) -> Result<(), Failure> + Send,
    ) -> Result<(), Failure> {
        let map = self.map()?;
        let mut failed = Ok(());
        match map.paged() {
            Some(paged) => {
                let mut all = |some| {
                    if failed.is_ok() {
                        failed = sink(some);
                    }
                };
                paged.retrieve_to(&mut all).map_err(Failure::backend)?;
                failed
            }
            None => sink(map.retrieve_all().map_err(Failure::backend)?),
        }
    }

    /// The statistics of copies, if the table is paged.
    pub(super) fn paging(&self) -> Option<Paging> {
        Some(Paging::of(self.map.as_ref()?)?.after(&self.before))
    }

    fn map(&self) -> Result<&Map<u64, u64>, Failure> {
        self.map
            .as_ref()
            .ok_or_else(|| Failure::input("the table of counts is missing: it could not grow before"))
    }
}

fn no_place() -> Failure {
    Failure::input(
        "all slots for one k-mer are taken, as if the input was made for this seed: give another --seed",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From a table for one pair, by moves to larger ones; no batch overfills a table.
    #[test]
    fn a_paged_table_moves_to_larger_ones() {
        let most = 400_000;
        let mut counts = Counts::new(&Opened::Cpu, Some(1), Some(64 << 10), (1, most)).unwrap();
        assert_eq!(counts.room.expected, 1);
        let kmers: Vec<u64> = (0..300_000).map(|i| i / 2).collect();
        let mut made = Vec::new();
        for part in kmers.chunks(100_000) {
            counts.add(part).unwrap();
            made.push(counts.room.expected);
            let held = counts.map().unwrap().len().unwrap();
            assert!(held <= counts.room.expected * 9 / 8, "{held} in {}", counts.room.expected);
        }
        assert!(made[0] >= LEAST && made[2] < 300_000, "{made:?}");
        assert!(
            counts.before.copied().starts_with(|digit: char| digit != '0'),
            "what was copied before the moves"
        );
        let mut pairs = counts.pairs().unwrap();
        pairs.sort_unstable();
        assert!(pairs.into_iter().eq((0..150_000).map(|kmer| (kmer, 2))));
        // There is room for all k-mers that there can be, however many come.
        let mut counts = Counts::new(&Opened::Cpu, Some(1), Some(0), (1, 10)).unwrap();
        counts.add(&kmers.iter().map(|kmer| kmer % 10).collect::<Vec<_>>()).unwrap();
        assert_eq!((counts.room.expected, counts.pairs().unwrap().len()), (10, 10));
    }
}
