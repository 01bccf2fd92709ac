//! Counts of k-mers, in a table that is replaced by a larger one when it fills.

use crate::failure::Failure;
use warpproof::model::Add;
use warpproof::{BulkMap, BulkOpenMap, Insert, OpenGeometry};

/// K-mers of a bulk call.
pub(crate) const BATCH: usize = 1 << 20;

/// Pairs that a table has room for at first, at most: an estimate of the input says how many k-mers there are, not how
/// many distinct ones.
const FIRST: u64 = 1 << 26;

/// Pairs per slot from which on a table is replaced. A size for as many pairs has more slots.
const HIGHEST: f64 = 0.9;

/// How often each k-mer was seen.
pub(crate) trait Counts {
    /// Counts each of these once more.
    fn add(&mut self, kmers: &[u64]) -> Result<(), Failure>;
    /// All k-mers with their counts, in no particular order.
    fn pairs(&self) -> Result<Vec<(u64, u64)>, Failure>;
}

/// Counts in an open-addressing table. `make` makes an empty one.
pub(crate) struct Table<M, F> {
    map: M,
    make: F,
    /// Distinct k-mers in the table.
    live: u64,
    /// Distinct k-mers that there can be.
    most: u64,
}

impl<M, F> Table<M, F>
where
    M: BulkOpenMap<u64, u64>,
    F: Fn(OpenGeometry) -> Result<M, Failure>,
{
    /// A table for about `expected` k-mers, of which at most `most` are distinct.
    pub(crate) fn new(expected: u64, most: u64, make: F) -> Result<Self, Failure> {
        let map = make(size(expected.clamp(1, FIRST).min(most))?)?;
        Ok(Self { map, make, live: 0, most })
    }

    /// Makes sure that `more` distinct k-mers find a slot, and find it soon: an insert into a full table looks at all of
    /// it.
    fn reserve(&mut self, more: u64) -> Result<(), Failure> {
        let wanted = self.live.saturating_add(more).min(self.most);
        if wanted as f64 > HIGHEST * self.map.geometry().slots() as f64 { self.grow(wanted) } else { Ok(()) }
    }

    /// Adds a batch; what the table has no room for is added again to a larger one.
    fn put(&mut self, kmers: &[u64]) -> Result<(), Failure> {
        let mut left = kmers.to_vec();
        loop {
            let said = self.map.insert_or_add(&left, &vec![1; left.len()]).map_err(Failure::backend)?;
            self.live += said.iter().filter(|&&outcome| outcome == Add::Inserted).count() as u64;
            let mut said = said.into_iter();
            left.retain(|_| said.next() == Some(Add::Full));
            if left.is_empty() {
                return Ok(());
            }
            self.grow(self.live.saturating_add(left.len() as u64))?;
        }
    }

    /// Moves all pairs to a table for `wanted` pairs, and for twice as many as this one, but for no more than there can be.
    fn grow(&mut self, wanted: u64) -> Result<(), Failure> {
        let double = 2.0 * OpenGeometry::DEFAULT_LOAD * self.map.geometry().slots() as f64;
        let larger = size(wanted.max(double as u64).min(self.most))?;
        let pairs = Counts::pairs(self)?;
        // The old table is gone before the new one takes its memory.
        self.map = (self.make)(size(1)?)?;
        self.map = (self.make)(larger)?;
        for batch in pairs.chunks(BATCH) {
            let (keys, values): (Vec<u64>, Vec<u64>) = batch.iter().copied().unzip();
            let said = self.map.insert_unique(&keys, &values).map_err(Failure::backend)?;
            if said.iter().any(|&outcome| outcome != Insert::Inserted) {
                return Err(Failure::Violation("a k-mer was lost between two tables".into()));
            }
        }
        Ok(())
    }
}

impl<M, F> Counts for Table<M, F>
where
    M: BulkOpenMap<u64, u64>,
    F: Fn(OpenGeometry) -> Result<M, Failure>,
{
    fn add(&mut self, kmers: &[u64]) -> Result<(), Failure> {
        for batch in kmers.chunks(BATCH) {
            self.reserve(batch.len() as u64)?;
            self.put(batch)?;
        }
        Ok(())
    }

    fn pairs(&self) -> Result<Vec<(u64, u64)>, Failure> {
        BulkMap::pairs(&self.map).map_err(Failure::backend)
    }
}

fn size(pairs: u64) -> Result<OpenGeometry, Failure> {
    OpenGeometry::for_pairs(pairs).map_err(Failure::backend)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;
    use warpproof::simt::cpu::OpenMap;

    /// What a table must agree with.
    impl Counts for HashMap<u64, u64> {
        fn add(&mut self, kmers: &[u64]) -> Result<(), Failure> {
            kmers.iter().for_each(|&kmer| *self.entry(kmer).or_default() += 1);
            Ok(())
        }

        fn pairs(&self) -> Result<Vec<(u64, u64)>, Failure> {
            Ok(self.iter().map(|(&kmer, &count)| (kmer, count)).collect())
        }
    }

    fn make(geometry: OpenGeometry) -> Result<OpenMap<u64, u64>, Failure> {
        OpenMap::with_geometry(geometry).map_err(Failure::backend)
    }

    /// Few k-mers often and many seldom, below `most`.
    fn kmers(n: u64, most: u64) -> Vec<u64> {
        (0..n)
            .map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (2 + i % 50))
            .map(|kmer| kmer % most)
            .collect()
    }

    fn sorted(counts: &impl Counts) -> Vec<(u64, u64)> {
        let mut pairs = counts.pairs().unwrap();
        pairs.sort_unstable();
        pairs
    }

    /// The table is far too small at first: it says `Full`, in the middle of a batch.
    #[test]
    fn refused_kmers_are_counted_once() {
        let most = 1 << 62;
        let (mut table, mut expected) = (Table::new(1, most, make).unwrap(), HashMap::new());
        let first = table.map.geometry().slots() as u64;
        for batch in kmers(40_000, most).chunks(7_000) {
            table.put(batch).unwrap();
            expected.add(batch).unwrap();
        }
        assert!(table.live > 100 * first, "{} of {first}", table.live);
        assert_eq!(table.live, expected.len() as u64);
        assert_eq!(sorted(&table), sorted(&expected));
    }

    /// With room kept free nothing is refused.
    #[test]
    fn a_table_grows_before_it_is_full() {
        let most = 1 << 62;
        let (mut table, mut expected) = (Table::new(1, most, make).unwrap(), HashMap::new());
        for batch in kmers(60_000, most).chunks(500) {
            table.add(batch).unwrap();
            expected.add(batch).unwrap();
            assert!(table.live as f64 <= HIGHEST * table.map.geometry().slots() as f64);
        }
        assert_eq!(sorted(&table), sorted(&expected));
    }

    /// With few distinct k-mers the table never grows, however many there are.
    #[test]
    fn a_table_for_all_that_there_can_be_stays() {
        let most = 10;
        let mut table = Table::new(1 << 20, most, make).unwrap();
        let slots = table.map.geometry().slots();
        table.add(&kmers(30_000, most)).unwrap();
        assert_eq!(table.map.geometry().slots(), slots);
        assert!(slots < 50);
        assert_eq!(table.pairs().unwrap().iter().map(|(_, count)| count).sum::<u64>(), 30_000);
    }
}
